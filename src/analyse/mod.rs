//! Whole games in, reports out: `enfilade analyse`.
//!
//! [`games`] reads them, [`job`] cuts them into chunks that can be searched anywhere, [`search`] searches a chunk,
//! [`run()`] puts everything together with the help of [`workers`] and a [`journal`], [`judgement`] says what scores
//! mean, and [`report`] writes what came of it. `docs/analysis.md` describes it for users.
//!
//! Invariant: with a limit of nodes or depth the reports depend on the games and settings alone, neither on the number
//! of threads nor on where and how often a run was interrupted.

pub mod assessment;
pub mod games;
pub mod job;
pub mod journal;
pub mod judgement;
pub mod report;
pub mod run;
pub mod search;
pub mod workers;

pub use games::Games;
pub use job::Effort;
pub use report::Places;
pub use run::{AnalyseError, Listener, Plan, Progress, run, run_by};
