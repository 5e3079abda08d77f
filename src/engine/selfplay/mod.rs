//! Games of Enfilade against itself: how they begin, how they are played, and what is kept of them.
//!
//! Training games (`datagen`), duels, tuning and OpenBench's openings (`genfens`) all come from here.

pub mod adjudication;
pub mod allowance;
pub mod book;
#[cfg(feature = "laboratory")]
pub mod games_log;
pub mod genfens;
pub mod opening;
pub mod pace;
pub mod play;
pub mod record;
pub mod solo_player;
pub mod variety;
#[cfg(feature = "laboratory")]
pub mod virtual_player;
