//! Measuring, tuning and training. No game of a user needs it.

pub mod scaling;

pub mod doctor;

pub mod datagen;
pub mod duel;
pub mod train;
pub mod tune;

pub(crate) mod data;
pub mod recipe;

use crate::engine::command::entry::CommandGroup::{Laboratory, Measure};
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
    entry::<DatagenArguments>(Laboratory, "datagen"),
    entry::<TrainArguments>(Laboratory, "train"),
    entry::<MakeNetworkArguments>(Laboratory, "make-network"),
    entry::<DataArguments>(Laboratory, "data"),
    entry::<TuneArguments>(Laboratory, "tune"),
    entry::<ScreenArguments>(Laboratory, "screen"),
    entry::<DoctorArguments>(Measure, "doctor"),
    entry::<SpeedtestArguments>(Measure, "speedtest"),
    entry::<TuneThreadsArguments>(Laboratory, "tune-threads"),
    entry::<DuelArguments>(Laboratory, "duel"),
    entry::<SpeedupArguments>(Laboratory, "speedup"),
];
