//! The search of one thread, from iterative deepening down to the leaves.
//!
//! This module does no input or output, and it knows nothing of the lives of threads. It gets a [`Job`], leaves its
//! results there, and reports through the job's observer.
//!
//! [`Job`]: crate::engine::run::job::Job

#![warn(clippy::too_many_lines, clippy::excessive_nesting, clippy::fn_params_excessive_bools)]

pub mod oracle;
pub mod quiescence;
pub mod worker;

mod alpha_beta;
mod aspiration;
mod deepening;
mod draw;
mod learning;
mod mate;
mod move_loop;
mod node;
#[cfg(test)]
mod other_params;
mod picker;
mod pruning;
mod ranking;
mod reductions;
mod singular;
mod tablebase;
