//! Analyzes a position through the facade [`enfilade::engine::Engine`], and prints the lines and the best move.
//!
//! ```sh
//! cargo run --release --example best_move -- "6k1/5ppp/8/8/8/8/7P/4R1K1 w - - 0 1" --depth 10
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use enfilade::chess::board::{Game, Move};
use enfilade::chess::types::WinModel;
use enfilade::engine::run::Limits;
use enfilade::engine::{Engine, Settings};

/// Analyzes a chess position and prints the best move.
#[derive(Parser)]
struct Arguments {
    /// The position. Without it, the start position
    fen: Option<String>,
    /// Depth of the search in plies. Without a limit, 12
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..=100), conflicts_with = "seconds")]
    depth: Option<i32>,
    /// Seconds to search
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,
    /// Number of lines
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = line_count)]
    lines: usize,
}

/// Reads a number of lines.
fn line_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=256).contains(count));
    count.ok_or_else(|| "a whole number from 1 to 256 is needed".to_owned())
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("best_move: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let game = match &arguments.fen {
        Some(fen) => Game::from_fen(fen).map_err(|error| format!("the position is refused: {error}"))?.0,
        None => Game::startpos(),
    };
    let limits = match arguments.seconds {
        Some(seconds) => Limits::move_time(Duration::from_secs(seconds)),
        None => Limits::depth(arguments.depth.unwrap_or(12)),
    };
    let mut engine = Engine::new(Settings { multi_pv: arguments.lines, ..Settings::default() })?;
    engine.set_game(game.clone());
    let outcome = engine.search(limits);

    let mut out = io::stdout();
    let Some(best_move) = outcome.best_move else {
        writeln!(out, "There is no legal move.")?;
        return Ok(());
    };
    let material = game.board().material();
    for line in &outcome.lines {
        // At a score of 100 the chance to win is one half.
        let score = WinModel::FITTED.normalized(line.score, material);
        writeln!(out, "{}. {score}, depth {}: {}", line.multi_pv, line.depth, san_line(&game, &line.pv))?;
    }
    writeln!(out, "Best move: {}", game.to_san(best_move))?;
    Ok(())
}

/// The moves of a line from the position of `game`, in standard algebraic notation.
fn san_line(game: &Game, moves: &[Move]) -> String {
    let mut game = game.clone();
    let mut words = Vec::new();
    for &mv in moves {
        words.push(game.to_san(mv));
        game.play(mv);
    }
    words.join(" ")
}
