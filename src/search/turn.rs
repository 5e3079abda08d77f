//! Turns of virtual threads, which share one core (the pool has them): all that the search knows of them.

/// Ends the turn of the thread that calls it, and returns when its next one begins: how many nodes it may search then.
pub type PassTurn = fn() -> u64;
