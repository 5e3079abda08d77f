//! Measuring, tuning and training. No game of a user needs it.

pub mod scaling;

pub mod doctor;

pub mod datagen;
pub mod duel;
pub mod train;
pub mod tune;

pub(crate) mod data;
