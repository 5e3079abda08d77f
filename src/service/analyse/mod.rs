//! Analyzes whole games and writes reports: `enfilade analyse`.
//!
//! [`games`] reads the games. [`job`] divides them into chunks that can be searched anywhere. [`search`] searches a
//! chunk, and its [`answer`] is checked. [`run()`] combines everything, with the help of [`workers`] and a [`journal`].
//! [`judgment`] turns scores into Win% and judges moves. [`report`] writes the reports. `docs/analysis.md` describes
//! the command for users.
//!
//! Invariant: with a limit of nodes or depth the reports depend only on the games and the settings. They depend neither
//! on the number of threads nor on interruptions.

pub mod answer;
pub mod assessment;
pub(crate) mod command;
pub mod games;
mod in_flight;
pub mod job;
pub mod journal;
pub mod judgment;
pub mod report;
pub mod run;
pub mod search;
pub mod workers;

pub use games::Games;
pub use job::Effort;
pub use report::Places;
pub use run::{AnalyseError, AnalysisPlan, Listener, Progress, run, run_with};
