//! `enfilade compare`: what each kind of search finds in one position, and how many nodes it needs.

use std::io::Write;

use super::format::{grouped, san_line, score};
use super::resolve::CompareTask;
use crate::board::Game;
use crate::classic::compare::{ComparisonRow, compare};
use crate::cli::error::CliError;
use crate::console;

/// The number of plies of each principal variation that are shown.
const SHOWN_PLIES: usize = 8;

/// Runs the searches. Prints each row as soon as its search has ended.
pub(super) fn run(task: &CompareTask) -> Result<(), CliError> {
    let CompareTask { game, repairs, basis, depth, nodes } = task;
    if game.board().legal_moves().is_empty() {
        return Err(CliError::NoMove(game.board().fen(false)));
    }
    let mut out = console::stdout();
    writeln!(out, "{}\n", game.board())?;
    for repair in repairs {
        writeln!(out, "Note: {repair}")?;
    }
    writeln!(
        out,
        "Depth {depth}, at most {} nodes for each search. Scores are in pawns, positive when White is better.\n\
         The first three end in the static evaluation, those with a plus sign in that quiescence search.\n",
        grouped(*nodes)
    )?;
    writeln!(out, "{}", header())?;
    compare(game, basis, *depth, *nodes, |row| console::say(text(&row, game)))?;
    Ok(())
}

fn header() -> String {
    columns(["search", "depth", "score", "best", "nodes", "leaves", "seconds", "line"])
}

/// One row of the table.
fn text(row: &ComparisonRow, game: &Game) -> String {
    let absent = || "-".to_owned();
    let found = row.found.as_ref();
    let best = found.and_then(|found| found.line.first());
    let mut line = found.map_or_else(absent, |found| san_line(game, &found.line, SHOWN_PLIES));
    if row.is_stopped {
        line.push_str(" (stopped)");
    }
    columns([
        &row.name,
        &found.map_or_else(absent, |found| found.depth.to_string()),
        &found.map_or_else(absent, |found| score(found.score, game.board())),
        &best.map_or_else(absent, |mv| game.to_san(*mv)),
        &grouped(row.nodes),
        &row.leaves.map_or_else(absent, grouped),
        &format!("{:.3}", row.time.as_secs_f64()),
        &line,
    ])
}

fn columns([name, depth, score, best, nodes, leaves, time, line]: [&str; 8]) -> String {
    format!("{name:<27} {depth:>5} {score:>8} {best:>7} {nodes:>13} {leaves:>13} {time:>8}  {line}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::leaf::Kind;

    fn rows(fen: &str, depth: i32, nodes: u64) -> Vec<String> {
        let game = Game::from_fen(fen).unwrap().0;
        let mut rows = Vec::new();
        compare(&game, &Kind::default().into(), depth, nodes, |row| rows.push(text(&row, &game))).unwrap();
        rows
    }

    #[test]
    fn columns_stand_below_their_heads() {
        let rows = rows("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 2, 1_000_000);
        for row in &rows {
            assert_eq!(
                row.chars().position(|c| c == '#'),
                header().find("score").map(|start| start + 3),
                "{row}"
            );
            assert!(row.ends_with("1. Ra8#"), "{row}");
        }
    }

    #[test]
    fn what_was_not_found_is_not_made_up() {
        let rows = rows("r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 15", 6, 50);
        assert!(rows[0].ends_with("-  - (stopped)") || rows[0].ends_with(" - (stopped)"), "{}", rows[0]);
        assert!(rows.iter().all(|row| row.ends_with("(stopped)")), "{rows:#?}");
    }
}
