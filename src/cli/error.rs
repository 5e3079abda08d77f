//! Why the command line cannot do what it is asked to.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::board::FenError;
use crate::config::{AssignmentError, ConfigError};
use crate::crew::ThreadsRefused;
use crate::datagen::book::BookError;
use crate::engine::EngineError;
use crate::eval::network::NetworkFileError;
use crate::tt::TableError;
use crate::uci::InputError;
use crate::uci::bench::BenchError;

/// Why a command could not be carried out.
#[derive(Debug, Error)]
pub enum CliError {
    /// The configuration file.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A position on the command line.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// Memory or threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The words of `bench`.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The benchmark.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// Memory for the table of one search.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Threads of rayon.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Threads for a suite.
    #[error(transparent)]
    Crew(#[from] ThreadsRefused),
    /// Analyzing games.
    #[error(transparent)]
    Analyse(#[from] crate::analyse::AnalyseError),
    /// The address of a queue.
    #[cfg(feature = "fleet")]
    #[error(transparent)]
    Address(#[from] crate::fleet::AddressError),
    /// A queue.
    #[cfg(feature = "fleet")]
    #[error(transparent)]
    Queue(#[from] crate::fleet::QueueError),
    /// Doing the jobs of a queue.
    #[cfg(feature = "fleet")]
    #[error(transparent)]
    Worker(#[from] crate::fleet::worker::WorkerError),
    /// Having games played by the workers of a queue.
    #[cfg(feature = "fleet")]
    #[error(transparent)]
    Generation(#[from] crate::fleet::generation::GenerationError),
    /// Playing games to learn from.
    #[error(transparent)]
    Datagen(#[from] crate::datagen::DatagenError),
    /// A directory without games.
    #[error("{}: no games in this directory (files that end in .viriformat)", .0.display())]
    NoShard(PathBuf),
    /// A file of something else.
    #[error("{}: this is no file of games, as datagen writes them", .0.display())]
    Foreign(PathBuf),
    /// Games to which no model of wins and draws fits.
    #[error("the games are too few or too much alike for a model of wins and draws at every material")]
    NoFit,
    /// Games that cannot be read.
    #[error("{damaged} of {shards} shards are damaged")]
    Damaged {
        /// Shards with damage.
        damaged: usize,
        /// Shards looked at.
        shards: usize,
    },
    /// A suite or a file of games, or a file to be written.
    #[error(transparent)]
    File(#[from] crate::file::FileError),
    /// Training the evaluation.
    #[error(transparent)]
    Train(#[from] crate::train::TrainError),
    /// Settings of one side of a match.
    #[error("{option}: {source}")]
    Side {
        /// The option that they were typed behind.
        option: &'static str,
        /// What is wrong with them.
        source: AssignmentError,
    },
    /// A side of a match without a limit.
    #[error("{0}: nodes=N is missing, the nodes of all threads for each move")]
    NoNodes(&'static str),
    /// Where games begin.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A match of virtual threads.
    #[error(transparent)]
    Duel(#[from] crate::duel::DuelError),
    /// Tuning the search.
    #[error(transparent)]
    Tune(#[from] crate::tune::TuneError),
    /// The first word is neither a subcommand nor a command of UCI.
    #[error("unknown command \"{0}\"; see enfilade --help")]
    UnknownCommand(String),
    /// A command of UCI that cannot be carried out; the session has said why.
    #[error("\"{0}\" was refused")]
    Refused(String),
    /// A position without a legal move has nothing to search.
    #[error("there is no legal move in {0}")]
    NoMove(String),
    /// A suite without a single position to solve.
    #[error("{}: no position with a task in it", .0.display())]
    EmptySuite(PathBuf),
    /// A network that cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// Standard output took less than there was to say.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}
