//! A position that the engine has to solve.

use crate::board::epd::{EpdRecord, Goal};

/// A position of the suite.
pub(super) struct Problem {
    /// Line in the file, from 1.
    pub line: usize,
    pub record: EpdRecord,
    pub goal: Goal,
}
