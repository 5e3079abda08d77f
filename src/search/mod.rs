//! The search of one thread, from iterative deepening down to the leaves.
//!
//! This module does no input or output, and it does not start or end threads. It gets a [`job::Job`], leaves its
//! results there, and reports through an [`Observer`].

#![warn(clippy::too_many_lines, clippy::excessive_nesting, clippy::fn_params_excessive_bools)]

pub mod census;
pub mod counters;
pub mod job;
pub mod level;
pub mod limits;
pub mod oracle;
pub mod quiescence;
pub mod report;
pub mod report_gate;
pub mod root;
pub mod rounds;
pub mod signals;
pub mod stagger;
pub mod turn;
pub mod worker;

mod alpha_beta;
mod aspiration;
mod deepening;
mod draw;
mod learning;
mod lines;
mod mate;
mod move_loop;
mod node;
mod picker;
mod pruning;
pub mod pv;
mod pv_completion;
mod reductions;
mod singular;
#[cfg(test)]
mod switches;
mod table_view;
mod tablebase;

pub use level::{Level, Strength};
pub use limits::{Clock, Limits, MAX_DEPTH};
pub use report::{Line, Observer, Outcome, Silent};
pub use stagger::Stagger;
