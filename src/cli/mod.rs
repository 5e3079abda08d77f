//! The command line. The arguments have two layers: `args` holds them as typed, `resolve` combines them with presets
//! and defaults. Each command has a file of its own.

mod analyse;
mod args;
mod bench;
mod compare;
mod conduct;
mod data;
mod datagen;
mod duel;
mod error;
#[cfg(feature = "fleet")]
mod fleet;
mod format;
mod limits;
mod number;
mod oneshot;
mod pairs;
mod perft;
mod progress;
mod resolve;
mod screen;
mod search;
mod speedtest;
mod speedup;
mod suite;
mod train;
mod tune;
mod tune_threads;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::sync::Arc;

use crate::config::Setup;
use crate::console;
use crate::engine::NAME;
use crate::pool::prompt;
use crate::uci::output::Output;
use crate::uci::{Session, evaluation};
use args::Arguments;
pub use error::CliError;
use resolve::Task;

/// Carries out the command in the arguments. The first argument is the program's name.
///
/// Wrong arguments end the process with status 2, as usual with clap.
///
/// # Errors
///
/// If the command fails, or if standard output cannot be written. The text is one line for the user. A reader that
/// closes the pipe early, such as `head`, is not an error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), CliError> {
    let result = match Arguments::read(arguments) {
        Ok(arguments) => resolve::resolve(arguments).and_then(carry_out),
        Err(misuse) if misuse.exit_code() != 0 => misuse.exit(),
        Err(help) => {
            console::note(help.print());
            Ok(())
        }
    };
    match (result, console::close()) {
        (Ok(()) | Err(CliError::Output(_)), written) => Ok(written?),
        (Err(error), Ok(())) => Err(error),
        (Err(error), Err(lost)) => {
            console::warn(format_args!("enfilade: {}", CliError::Output(lost)));
            Err(error)
        }
    }
}

fn carry_out(task: Task) -> Result<(), CliError> {
    match task {
        Task::Uci(setup) => uci(setup),
        Task::OneShot { setup, lines } => oneshot::run(setup, &lines),
        Task::Bench { setup, plan } => bench::run(&setup, &plan),
        Task::Perft(task) => perft::run(&task),
        Task::Search(task) => search::run(*task),
        Task::Compare(task) => compare::run(&task),
        Task::Eval(task) => {
            eval(&task);
            Ok(())
        }
        Task::Suite(task) => suite::run(&task),
        Task::Analyse(task) => analyse::run(&task),
        #[cfg(feature = "fleet")]
        Task::Worker(task) => fleet::work(&task),
        #[cfg(feature = "fleet")]
        Task::Queue(verb) => fleet::queue(&verb),
        Task::Datagen(task) => datagen::run(&task),
        Task::Data(verb) => data::run(&verb),
        Task::Train(plan) => train::run(&plan),
        Task::Tune(plan) => tune::run(&plan),
        Task::Screen(plan) => screen::run(&plan),
        Task::Speedtest(task) => speedtest::run(&task),
        Task::TuneThreads(task) => tune_threads::run(&task),
        Task::Duel(task) => duel::run(&task),
        Task::Speedup(task) => speedup::run(&task),
    }
}

/// Speaks UCI on standard input and output until `quit` or the end of the input.
fn uci(setup: Setup) -> Result<(), CliError> {
    prompt::wake_promptly();
    // A person who starts the program by hand should not see an empty screen. Programs get only what UCI defines.
    if io::stdin().is_terminal() && console::is_terminal() {
        console::say(format_args!("{NAME}, a chess engine that speaks UCI. Type \"uci\" or \"help\"."));
    }
    let output = Arc::new(Output::new(console::stdout().telling()));
    Session::new(setup, output)?.run(io::stdin().lock());
    Ok(())
}

/// Shows the static evaluation of a position.
fn eval(task: &resolve::EvalTask) {
    for repair in &task.repairs {
        console::say(format_args!("Note: {repair}"));
    }
    console::say(evaluation::text(&task.network, task.game.board()));
}
