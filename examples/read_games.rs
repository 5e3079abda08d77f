//! Reads texts with games, and prints the moves of their main lines in UCI's notation. `scripts/games-python-chess`
//! compares them with those of python-chess.
//!
//! Each line of the input is a text as a string of JSON. Each line of the output is a list with an object for each game
//! of that text: its moves, and its fault or null.
//!
//! ```sh
//! echo '"1. e4 e5 2. Nf3 *"' | cargo run --release --example read_games
//! ```

use std::error::Error;
use std::io::{self, BufRead, Write};

use enfilade::chess::pgn::PgnReader;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let mut reader = PgnReader::new(text.as_bytes());
        let mut games = Vec::new();
        while let Some(read) = reader.next_game()? {
            let moves = read.tree.moves.iter().map(|played| played.mv.to_uci(true).to_string());
            games.push(json!({
                "moves": moves.collect::<Vec<String>>(),
                "fault": read.fault.map(|fault| fault.to_string()),
            }));
        }
        writeln!(out, "{}", serde_json::Value::from(games))?;
    }
    Ok(())
}
