//! `enfilade data`: counts, verifies and exports the games of shards, fits a model of wins and draws to them, and
//! compares networks on them.

mod arguments;
mod export;
mod info;
mod loss;
mod reading;
mod rescore;
mod shards;
mod verify;
mod wdl;

pub(crate) use arguments::DataArguments;
