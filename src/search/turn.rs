//! Turns of virtual threads, which share one core (see `pool`). This is all that the search knows about them.

/// Ends the turn of the calling thread. Returns when its next turn begins, with the number of nodes that it may search
/// then.
pub type PassTurn = fn() -> u64;
