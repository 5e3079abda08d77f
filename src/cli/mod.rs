//! The command line: arguments in two layers ([`args`] as typed, [`resolve`] as resolved over
//! presets and defaults), then one file for each thing that can be done.

mod analyse;
mod args;
mod bench;
mod compare;
mod data;
mod format;
mod oneshot;
mod perft;
mod resolve;
mod search;
mod speedtest;
mod suite;
mod tune_threads;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use thiserror::Error;

use crate::board::FenError;
use crate::config::{ConfigError, Setup};
use crate::engine::EngineError;
use crate::eval::network::NetworkFileError;
use crate::pool::prompt;
use crate::tt::TableError;
use crate::uci::output::Output;
use crate::uci::{Session, evaluation};
use args::Arguments;
use resolve::Task;

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
    /// Memory for the table of one search.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Threads of rayon.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Analysing games.
    #[error(transparent)]
    Analyse(#[from] crate::analyse::AnalyseError),
    /// Playing games to learn from.
    #[error(transparent)]
    Datagen(#[from] crate::datagen::DatagenError),
    /// A directory without games.
    #[error("{}: no games in this directory (files that end in .viriformat)", .0.display())]
    NoShard(PathBuf),
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
    /// A file of games, or one to be written.
    #[error(transparent)]
    File(#[from] crate::file::FileError),
    /// Training the evaluation.
    #[error(transparent)]
    Train(#[from] crate::train::TrainError),
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
    /// A suite could not be read.
    #[error("{}: {source}", path.display())]
    Suite {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A suite without a single position to solve.
    #[error("{}: no position with a task in it", .0.display())]
    EmptySuite(PathBuf),
    /// A network that cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// Standard output is gone.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// Does what the arguments say; the first one is the program's name.
///
/// Help, the version and misused arguments end the process as clap does it, with status 0
/// for the first two and 2 for the last.
///
/// # Errors
///
/// When it cannot be done; the text is one line for the user.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), CliError> {
    match carry_out(resolve::resolve(Arguments::parse_from(arguments))?) {
        // A reader such as `head` that has seen enough is not an error.
        Err(CliError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn carry_out(task: Task) -> Result<(), CliError> {
    match task {
        Task::Uci(setup) => uci(setup),
        Task::OneShot { setup, lines } => oneshot::run(setup, &lines),
        Task::Bench { setup, plan } => bench::run(&setup, plan),
        Task::Perft(task) => perft::run(&task),
        Task::Search(task) => search::run(*task),
        Task::Compare(task) => compare::run(&task),
        Task::Eval(task) => eval(&task),
        Task::Suite(task) => suite::run(&task),
        Task::Analyse(task) => analyse::run(&task),
        Task::Datagen { arguments, settings } => Ok(crate::datagen::run(&arguments, &settings)?),
        Task::Data(verb) => data::run(&verb),
        Task::Train { arguments, config } => Ok(crate::train::run(&arguments, &config)?),
        Task::Tune { arguments, settings } => Ok(crate::tune::run(&arguments, &settings)?),
        Task::Screen { arguments, settings } => {
            let report = crate::tune::screen::run(&arguments, &settings)?;
            Ok(writeln!(io::stdout(), "{report}")?)
        }
        Task::Speedtest(task) => speedtest::run(&task),
        Task::TuneThreads(task) => tune_threads::run(&task),
    }
}

/// Speaks UCI on standard input and output until `quit` or the end of the input.
fn uci(setup: Setup) -> Result<(), CliError> {
    prompt::wake_promptly();
    let output = Arc::new(Output::new(io::stdout()));
    Session::new(setup, output)?.run(io::stdin().lock());
    Ok(())
}

/// Shows what the evaluation makes of a position.
fn eval(task: &resolve::EvalTask) -> Result<(), CliError> {
    let mut out = io::stdout();
    for repair in &task.repairs {
        writeln!(out, "Note: {repair}")?;
    }
    writeln!(out, "{}", evaluation::text(&task.network, task.game.board()))?;
    Ok(())
}
