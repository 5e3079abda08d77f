//! The errors of the command line.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::board::FenError;
#[cfg(feature = "laboratory")]
use crate::config::AssignmentError;
use crate::config::ConfigError;
use crate::crew::ThreadsRefused;
use crate::engine::EngineError;
use crate::eval::network::NetworkFileError;
#[cfg(feature = "laboratory")]
use crate::selfplay::book::BookError;
use crate::tt::TableError;
use crate::uci::InputError;
use crate::uci::bench::BenchError;

/// A command could not be carried out.
#[derive(Debug, Error)]
pub enum CliError {
    /// The configuration file is wrong or cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A position on the command line is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The engine could not get its memory, threads or processors.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The words after `bench` are wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The benchmark cannot run.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// There is not enough memory for the table of a search.
    #[error(transparent)]
    Table(#[from] TableError),
    /// rayon could not start its threads.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The system refused threads for a suite.
    #[error(transparent)]
    Crew(#[from] ThreadsRefused),
    /// The analysis of games failed.
    #[cfg(feature = "analysis")]
    #[error(transparent)]
    Analyse(#[from] crate::analyse::AnalyseError),
    /// The address of a queue is wrong.
    #[cfg(feature = "fleet")]
    #[error(transparent)]
    Address(#[from] crate::fleet::AddressError),
    /// A queue could not be used.
    #[cfg(feature = "fleet")]
    #[error(transparent)]
    Queue(#[from] crate::fleet::QueueError),
    /// The server cannot start or run.
    #[cfg(feature = "server")]
    #[error(transparent)]
    Serve(#[from] crate::serve::ServeError),
    /// A worker of a queue failed.
    #[cfg(feature = "fleet")]
    #[error(transparent)]
    Worker(#[from] crate::fleet::worker::WorkerError),
    /// The workers of a queue did not play all games.
    #[cfg(feature = "fleet")]
    #[error(transparent)]
    Generation(#[from] crate::fleet::generation::GenerationError),
    /// The generation of training games failed.
    #[cfg(feature = "laboratory")]
    #[error(transparent)]
    Datagen(#[from] crate::datagen::DatagenError),
    /// Files of games cannot be listed.
    #[cfg(feature = "laboratory")]
    #[error(transparent)]
    Shards(#[from] crate::datagen::shard::ShardListError),
    /// A file does not hold games.
    #[cfg(feature = "laboratory")]
    #[error("{}: this is not a file of games in the format of datagen", .0.display())]
    Foreign(PathBuf),
    /// No model of wins and draws fits the games.
    #[cfg(feature = "laboratory")]
    #[error(
        "the games are too few or too similar to fit a model of wins and draws for every amount of material"
    )]
    NoFit,
    /// Some games cannot be read.
    #[cfg(feature = "laboratory")]
    #[error("{damaged} of {shards} shards are damaged")]
    Damaged {
        /// The number of damaged shards.
        damaged: usize,
        /// The number of shards that were read.
        shards: usize,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] crate::file::FileError),
    /// The training failed.
    #[cfg(feature = "laboratory")]
    #[error(transparent)]
    Train(#[from] crate::train::TrainError),
    /// Settings typed in one word, such as those of one side of a match, are wrong.
    #[cfg(feature = "laboratory")]
    #[error("{option}: {source}")]
    Side {
        /// The option after which they were typed.
        option: &'static str,
        /// The reason.
        source: AssignmentError,
    },
    /// One side of a match has no limit.
    #[cfg(feature = "laboratory")]
    #[error("{0}: nodes=N is missing; N is the number of nodes of all threads for each move")]
    NoNodes(&'static str),
    /// The book cannot be used.
    #[cfg(feature = "laboratory")]
    #[error(transparent)]
    Book(#[from] BookError),
    /// A match of virtual threads failed.
    #[cfg(feature = "laboratory")]
    #[error(transparent)]
    Duel(#[from] crate::duel::DuelError),
    /// Tuning or screening failed.
    #[cfg(feature = "laboratory")]
    #[error(transparent)]
    Tune(#[from] crate::tune::TuneError),
    /// The first word is neither a subcommand nor a UCI command.
    #[error("unknown command \"{0}\"; see enfilade --help")]
    UnknownCommand(String),
    /// A UCI command could not be carried out. The session has printed the reason.
    #[error("\"{0}\" was refused")]
    Refused(String),
    /// There is nothing to search, because the position has no legal move.
    #[error("there is no legal move in {0}")]
    NoMove(String),
    /// A suite holds no position with a task.
    #[error("{}: no position has a task (bm, am, dm, or c8 and c9)", .0.display())]
    EmptySuite(PathBuf),
    /// A network cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// Standard output could not be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}
