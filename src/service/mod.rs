//! What the engine does for people and machines: reports of games, one machine for many clients, many machines for one
//! job, and lichess's analysis board.

pub mod analyse;
#[cfg(feature = "fleet")]
pub mod fleet;
#[cfg(feature = "server")]
pub mod provider;
#[cfg(feature = "server")]
pub mod serve;

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
    entry::<AnalyseArguments>("analyse"),
    #[cfg(feature = "fleet")]
    entry::<QueuedAnalyseArguments>("analyse"),
    #[cfg(feature = "server")]
    entry::<ServeArguments>("serve"),
    #[cfg(feature = "server")]
    entry::<LichessArguments>("lichess"),
    #[cfg(feature = "fleet")]
    entry::<WorkerArguments>("worker"),
    #[cfg(feature = "fleet")]
    entry::<QueueCommandArguments>("queue"),
    #[cfg(feature = "fleet")]
    entry::<QueuedDatagenArguments>("datagen"),
];
