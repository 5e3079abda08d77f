//! `enfilade perft`: counts the leaves of the legal move tree, and prints the speed.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use crate::base::console;
use crate::base::text::{counted, grouped};
use crate::chess::board::Game;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::command::number::{between, within};
use crate::engine::command::position;
use crate::engine::config::Setup;
use crate::engine::config::range::THREADS;
use crate::engine::uci::{nodes_per_second, perft};

/// Count the positions that legal moves lead to: the test of a move generator
#[derive(Debug, Args)]
pub(crate) struct PerftArguments {
    /// Plies to look ahead
    #[arg(value_name = "DEPTH", value_parser = between(0u32, 20))]
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
    #[command(flatten)]
    pub json: JsonArguments,
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
    json: JsonArguments,
}

/// The report as JSON.
#[derive(Serialize)]
struct PerftReport {
    fen: String,
    depth: u32,
    threads: usize,
    nodes: u64,
    time_ms: u64,
    nps: u64,
    /// The nodes of each first move, if they are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<BTreeMap<String, u64>>,
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
            json: self.json,
        })
    }

    fn run(task: PerftTask) -> Result<(), CliError> {
        task.json.check()?;
        let start = Instant::now();
        let board = task.game.board();
        let counts = if task.depth > 0 { perft::count(board, task.depth, task.threads)? } else { Vec::new() };
        let nodes = if task.depth > 0 { counts.iter().map(|(_, count)| count).sum() } else { 1 };
        let time = start.elapsed();
        let counts = counts.iter().map(|(mv, count)| (mv.to_uci(task.chess960).to_string(), *count));
        let moves = task.divide.then(|| counts.collect::<Vec<_>>());
        if !task.json.is_printed() {
            print(&task, moves.as_deref(), nodes, time)?;
        }
        task.json.write(&PerftReport {
            fen: board.fen(task.chess960),
            depth: task.depth,
            threads: task.threads,
            nodes,
            time_ms: time.as_millis() as u64,
            nps: nodes_per_second(nodes, time),
            moves: moves.map(|moves| moves.into_iter().collect()),
        })
    }
}

fn print(task: &PerftTask, moves: Option<&[(String, u64)]>, nodes: u64, time: Duration) -> io::Result<()> {
    let mut out = console::stdout();
    for repair in &task.repairs {
        writeln!(out, "Note: {repair}")?;
    }
    if let Some(moves) = moves.filter(|_| task.depth > 0) {
        for (mv, count) in moves {
            writeln!(out, "{mv}: {count}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "Nodes searched: {nodes}")?;
    writeln!(
        out,
        "{:.3} s, {} nodes per second, {}",
        time.as_secs_f64(),
        grouped(nodes_per_second(nodes, time)),
        counted(task.threads as u64, "thread")
    )
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
