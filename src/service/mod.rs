//! What the engine does for people and machines: reports of games, one machine for many clients, many machines for one
//! job, and lichess's analysis board.

pub mod analyse;
#[cfg(feature = "fleet")]
pub mod fleet;
#[cfg(feature = "server")]
pub mod provider;
#[cfg(feature = "server")]
pub mod serve;

#[cfg(feature = "fleet")]
use crate::engine::command::entry::CommandGroup::Laboratory;
use crate::engine::command::entry::CommandGroup::Play;
#[cfg(any(feature = "fleet", feature = "server"))]
use crate::engine::command::entry::CommandGroup::Serve;
use crate::engine::command::entry::{CommandEntry, entry};
#[cfg(not(feature = "fleet"))]
use analyse::command::AnalyseArguments;
#[cfg(feature = "fleet")]
use fleet::{
    analyse_command::QueuedAnalyseArguments, datagen_command::QueuedDatagenArguments,
    queue_command::QueueCommandArguments, worker_command::WorkerArguments,
};
#[cfg(feature = "server")]
use provider::command::LichessArguments;
#[cfg(feature = "server")]
use serve::command::ServeArguments;

/// The commands of this wing in the order of the help.
pub(crate) const COMMANDS: &[CommandEntry] = &[
    #[cfg(not(feature = "fleet"))]
    entry::<AnalyseArguments>(Play, "analyse"),
    #[cfg(feature = "fleet")]
    entry::<QueuedAnalyseArguments>(Play, "analyse"),
    #[cfg(feature = "server")]
    entry::<ServeArguments>(Serve, "serve"),
    #[cfg(feature = "server")]
    entry::<LichessArguments>(Serve, "lichess"),
    #[cfg(feature = "fleet")]
    entry::<WorkerArguments>(Serve, "worker"),
    #[cfg(feature = "fleet")]
    entry::<QueueCommandArguments>(Serve, "queue"),
    #[cfg(feature = "fleet")]
    entry::<QueuedDatagenArguments>(Laboratory, "datagen"),
];
