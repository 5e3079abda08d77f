//! `enfilade perft`: counts the leaves of the legal move tree, and prints the speed.

use std::io::Write;
use std::time::Instant;

use super::format::grouped;
use super::resolve::PerftTask;
use crate::cli::error::CliError;
use crate::console;
use crate::uci::{nodes_per_second, perft};

/// Counts the leaves and prints the result.
pub(super) fn run(task: &PerftTask) -> Result<(), CliError> {
    let mut out = console::stdout();
    for repair in &task.repairs {
        writeln!(out, "Note: {repair}")?;
    }
    let start = Instant::now();
    let mut nodes = 1;
    if task.depth > 0 {
        let counts = perft::count(task.game.board(), task.depth, task.threads)?;
        if task.divide {
            for (mv, count) in &counts {
                writeln!(out, "{}: {count}", mv.to_uci(task.chess960))?;
            }
            writeln!(out)?;
        }
        nodes = counts.iter().map(|(_, count)| count).sum();
    }
    let time = start.elapsed();
    writeln!(out, "Nodes searched: {nodes}")?;
    writeln!(
        out,
        "{:.3} s, {} nodes per second, {} thread{}",
        time.as_secs_f64(),
        grouped(nodes_per_second(nodes, time)),
        task.threads,
        if task.threads == 1 { "" } else { "s" }
    )?;
    Ok(())
}
