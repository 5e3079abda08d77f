//! `enfilade perft`: counts the leaves of the legal move tree, and prints the speed.

use std::io::Write;
use std::time::Instant;

use clap::Args;

use crate::base::console;
use crate::base::text::counted;
use crate::chess::board::Game;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::format::grouped;
use crate::engine::command::number::within;
use crate::engine::command::position;
use crate::engine::config::Setup;
use crate::engine::config::range::THREADS;
use crate::engine::uci::{nodes_per_second, perft};

/// Count the positions that legal moves lead to: the test of a move generator
#[derive(Debug, Args)]
pub(crate) struct PerftArguments {
    /// Plies to look ahead
    #[arg(value_parser = clap::value_parser!(u32).range(..=20))]
    pub depth: u32,
    /// The position as a FEN. Without it, the initial position is used
    #[arg(long)]
    pub fen: Option<String>,
    /// Print castling as the king taking its rook
    #[arg(long)]
    pub chess960: bool,
    /// Number of threads. Without it, the preset's number or one
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Print the count of each first move
    #[arg(long)]
    pub divide: bool,
}

/// What `perft` needs.
#[derive(Debug)]
pub(crate) struct PerftTask {
    game: Game,
    /// The repairs of the FEN.
    repairs: Vec<String>,
    depth: u32,
    threads: usize,
    divide: bool,
    chess960: bool,
}

impl CommandArguments for PerftArguments {
    type Task = PerftTask;

    fn resolve(self, setup: Setup) -> Result<PerftTask, CliError> {
        let (game, repairs) = match &self.fen {
            Some(fen) => position::read(fen)?,
            None => (Game::startpos(), Vec::new()),
        };
        Ok(PerftTask {
            game,
            repairs,
            depth: self.depth,
            threads: self.threads.unwrap_or(setup.settings.threads),
            divide: self.divide,
            chess960: self.chess960 || setup.chess960,
        })
    }

    fn run(task: PerftTask) -> Result<(), CliError> {
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
            "{:.3} s, {} nodes per second, {}",
            time.as_secs_f64(),
            grouped(nodes_per_second(nodes, time)),
            counted(task.threads, "thread")
        )?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::command::arguments::resolved;

    /// The command once ignored the preset.
    #[test]
    fn the_preset_sets_the_threads() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "threads = 3").unwrap();
        for (words, threads) in [("perft 1", 3), ("perft 1 --threads 2", 2)] {
            let line = format!("enfilade --config {} {words}", file.path().display());
            assert_eq!(resolved::<PerftArguments>(&line).unwrap().threads, threads);
        }
    }
}
