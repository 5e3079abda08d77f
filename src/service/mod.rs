//! What the engine does for people and machines: reports of games, one machine for many clients, many machines for one
//! job, and lichess's analysis board.

pub mod analyse;
#[cfg(feature = "fleet")]
pub mod fleet;
#[cfg(feature = "server")]
pub mod provider;
#[cfg(feature = "server")]
pub mod serve;

use crate::engine::command::entry::{CommandEntry, CommandGroup, entry};

/// The commands of this wing, list by list.
pub(crate) const COMMANDS: &[&[CommandEntry]] = &[
    #[cfg(feature = "server")]
    SERVER,
    #[cfg(feature = "fleet")]
    FLEET,
    ANALYSIS,
];

const ANALYSIS: &[CommandEntry] =
    &[entry::<analyse::command::AnalyseArguments>(CommandGroup::Play, "analyse")];

/// With these, reports and training games can be shared by machines.
#[cfg(feature = "fleet")]
const FLEET: &[CommandEntry] = &[
    entry::<fleet::analyse_command::QueuedAnalyseArguments>(CommandGroup::Play, "analyse"),
    entry::<fleet::worker_command::WorkerArguments>(CommandGroup::Serve, "worker"),
    entry::<fleet::queue_command::QueueCommandArguments>(CommandGroup::Serve, "queue"),
    entry::<fleet::datagen_command::QueuedDatagenArguments>(CommandGroup::Laboratory, "datagen"),
];

#[cfg(feature = "server")]
const SERVER: &[CommandEntry] = &[
    entry::<serve::command::ServeArguments>(CommandGroup::Serve, "serve"),
    entry::<provider::command::LichessArguments>(CommandGroup::Serve, "lichess"),
];
