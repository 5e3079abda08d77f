//! Measuring, tuning and training. No game of a user needs it.

pub mod scaling;

pub mod doctor;

pub mod datagen;
pub mod duel;
pub mod train;
pub mod tune;

pub(crate) mod data;
pub mod recipe;

use crate::engine::command::entry::{CommandEntry, entry};
use data::DataArguments;
use datagen::command::DatagenArguments;
use doctor::command::DoctorArguments;
use duel::command::DuelArguments;
use duel::policies_command::TuneThreadsArguments;
use duel::speedup_command::SpeedupArguments;
use recipe::command::MakeNetworkArguments;
use scaling::command::SpeedtestArguments;
use train::command::TrainArguments;
use tune::command::TuneArguments;
use tune::screen_command::ScreenArguments;

/// The commands of this wing in the order of the help.
pub(crate) const COMMANDS: &[CommandEntry] = &[
    entry::<DatagenArguments>("datagen"),
    entry::<TrainArguments>("train"),
    entry::<MakeNetworkArguments>("make-network"),
    entry::<DataArguments>("data"),
    entry::<TuneArguments>("tune"),
    entry::<ScreenArguments>("screen"),
    entry::<DoctorArguments>("doctor"),
    entry::<SpeedtestArguments>("speedtest"),
    entry::<TuneThreadsArguments>("tune-threads"),
    entry::<DuelArguments>("duel"),
    entry::<SpeedupArguments>("speedup"),
];
