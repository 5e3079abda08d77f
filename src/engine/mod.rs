//! The engine: evaluation, table, search, threads, UCI, and the commands that need nothing else.
//!
//! [`facade`] shows how a program uses it.

pub mod params;

pub mod eval;
pub mod history;
pub mod tablebase;
pub mod time;
pub mod tt;

pub mod run;

pub mod search;

pub mod classic;
pub mod pool;

pub mod facade;

pub mod config;
pub mod selfplay;

pub mod uci;

pub mod command;
pub mod suite;

#[cfg(feature = "laboratory")]
pub use facade::Laboratory;
pub use facade::{
    Engine, EngineError, Fingerprint, Knowledge, KnownResult, NAME, RunningSearch, Settings, Solo, Spread,
    ThreadSummary,
};

use command::bench::BenchArguments;
use command::compare::CompareArguments;
use command::entry::CommandGroup::{Measure, Play, Program};
use command::entry::{CommandEntry, entry};
use command::eval::EvalArguments;
use command::perft::PerftArguments;
use command::presets::PresetsArguments;
use command::search::SearchArguments;
use command::uci::UciArguments;
use suite::SuiteArguments;

/// The commands of this wing in the order of the help.
pub(crate) const COMMANDS: &[CommandEntry] = &[
    entry::<UciArguments>(Play, "uci"),
    entry::<BenchArguments>(Measure, "bench"),
    entry::<PerftArguments>(Measure, "perft"),
    entry::<SearchArguments>(Play, "search"),
    entry::<EvalArguments>(Play, "eval"),
    entry::<CompareArguments>(Measure, "compare"),
    entry::<SuiteArguments>(Measure, "suite"),
    entry::<PresetsArguments>(Program, "presets"),
];
