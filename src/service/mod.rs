//! What the engine does for people and machines: reports of games, one machine for many clients, many machines for one
//! job, and lichess's analysis board.

pub mod analyse;
#[cfg(feature = "fleet")]
pub mod fleet;
#[cfg(feature = "server")]
pub mod provider;
#[cfg(feature = "server")]
pub mod serve;
