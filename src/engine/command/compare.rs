//! `enfilade compare`: what each kind of search finds in one position, and how many nodes it needs.

use std::io::Write;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use crate::base::console;
use crate::base::text::grouped;
use crate::chess::board::Game;
use crate::engine::classic::compare::{ComparisonRow, SEARCHES, compare};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::format::{san_line, score};
use crate::engine::command::json_arguments::{JsonArguments, JsonLimits, JsonScore};
use crate::engine::command::number;
use crate::engine::command::position;
use crate::engine::command::progress;
use crate::engine::config::Setup;
use crate::engine::facade::Settings;
use crate::engine::search::oracle::OracleBasis;

/// The number of plies of each principal variation that are shown.
const SHOWN_PLIES: usize = 8;

/// Run the classic searches, each quiescence search and Enfilade's own search on one position
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The position as a FEN, quoted or not. Without it, the initial position is searched
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    /// Depth of each search in plies
    #[arg(long, value_name = "PLIES", default_value = "4", value_parser = number::between(1i32, 60))]
    pub depth: i32,
    /// Stop each search after this many nodes, and mark such a search
    #[arg(long, value_name = "N", default_value = "10000000", value_parser = number::from(1u64))]
    pub nodes: u64,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// What `compare` needs.
#[derive(Debug)]
pub(crate) struct CompareTask {
    game: Game,
    /// The repairs of the FEN.
    repairs: Vec<String>,
    basis: OracleBasis,
    depth: i32,
    /// The node limit of each search.
    nodes: u64,
    json: JsonArguments,
}

/// The report as JSON.
#[derive(Serialize)]
struct ComparisonReport {
    fen: String,
    limits: JsonLimits,
    searches: Vec<ComparedSearch>,
}

/// One search as JSON.
#[derive(Serialize)]
struct ComparedSearch {
    name: String,
    /// White's point of view; `None` if no iteration was finished.
    eval: Option<JsonScore>,
    depth: Option<i32>,
    line: Vec<String>,
    nodes: u64,
    leaves: Option<u64>,
    time_ms: u64,
    /// Whether the node limit ended it.
    stopped: bool,
}

impl CommandArguments for CompareArguments {
    type Task = CompareTask;

    fn resolve(self, setup: Setup) -> Result<CompareTask, CliError> {
        let (game, repairs) = position::read_or_start(&self.fen)?;
        position::check_goes_on(game.board())?;
        let Settings { network, params, quiescence, .. } = setup.settings;
        let basis = OracleBasis { network, params: Arc::new(params), quiescence };
        Ok(CompareTask { game, repairs, basis, depth: self.depth, nodes: self.nodes, json: self.json })
    }

    /// Prints each row as soon as its search has ended.
    fn run(CompareTask { game, repairs, basis, depth, nodes, json }: CompareTask) -> Result<(), CliError> {
        json.check()?;
        let board = game.board();
        if !json.is_printed() {
            let mut out = console::stdout();
            writeln!(out, "{}\n", board.diagram())?;
            for repair in &repairs {
                writeln!(out, "Note: {repair}")?;
            }
            writeln!(
                out,
                "Depth {depth}, at most {} nodes for each search. Scores are in pawns, positive when White is better.\n\
                 The first three end in the static evaluation, those with a plus sign in that quiescence search.\n",
                grouped(nodes)
            )?;
            writeln!(out, "{}", header())?;
        }
        // A search may take many seconds, and only rows of finished ones are printed.
        let live = progress::spinner("{spinner} {elapsed}  search {pos} of {len}");
        live.set_length(SEARCHES as u64);
        live.set_position(1);
        let mut searches = Vec::new();
        compare(&game, &basis, depth, nodes, |row| {
            if !json.is_printed() {
                live.suspend(|| console::say(table_row(&row, &game)));
            }
            searches.push(ComparedSearch::of(row, &game));
            live.inc(1);
        })?;
        live.finish_and_clear();
        let limits = JsonLimits { nodes: Some(nodes), depth: Some(depth), movetime: None };
        json.write(&ComparisonReport { fen: board.fen(board.has_chess960_castling()), limits, searches })
    }
}

impl ComparedSearch {
    fn of(row: ComparisonRow, game: &Game) -> ComparedSearch {
        let is_chess960 = game.board().has_chess960_castling();
        let line = row.found.as_ref().map(|found| &found.line).into_iter().flatten();
        ComparedSearch {
            eval: row.found.as_ref().map(|found| JsonScore::of(found.score, game.board())),
            depth: row.found.as_ref().map(|found| found.depth),
            line: line.map(|mv| mv.to_uci(is_chess960).to_string()).collect(),
            name: row.name,
            nodes: row.nodes,
            leaves: row.leaves,
            time_ms: row.time.as_millis() as u64,
            stopped: row.is_stopped,
        }
    }
}

fn header() -> String {
    columns(["search", "depth", "score", "best", "nodes", "leaves", "seconds", "line"])
}

/// One row of the table.
fn table_row(row: &ComparisonRow, game: &Game) -> String {
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
    use crate::engine::command::arguments::resolved;
    use crate::engine::eval::network::{Network, Shape};
    use crate::engine::run::leaf::Kind;

    /// The command once ignored the preset.
    #[test]
    fn the_preset_sets_network_parameters_and_quiescence_search() {
        let folder = tempfile::tempdir().unwrap();
        let (network, path) = (folder.path().join("a.nnue"), folder.path().join("a.toml"));
        let other =
            Network::random(Shape { hidden: 32, zones: 1, hanging: false, buckets: 1, products: false }, 1);
        std::fs::write(&network, other.to_bytes()).unwrap();
        let text = "quiescence = \"captures\"\n[params]\nrazor_depth = 0\n";
        std::fs::write(&path, format!("eval-file = {network:?}\n{text}")).unwrap();
        let line = format!("enfilade --config {} compare", path.display());
        let basis = resolved::<CompareArguments>(&line).unwrap().basis;
        assert_eq!((&*basis.network, basis.quiescence), (&other, Kind::Captures));
        assert_eq!(basis.params.razor_depth, 0);
    }

    fn rows(fen: &str, depth: i32, nodes: u64) -> Vec<String> {
        let game = Game::from_fen(fen).unwrap().0;
        let mut rows = Vec::new();
        compare(&game, &Kind::default().into(), depth, nodes, |row| rows.push(table_row(&row, &game)))
            .unwrap();
        rows
    }

    #[test]
    fn columns_align_with_the_header() {
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
    fn a_search_without_a_result_shows_dashes() {
        let rows = rows("r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 15", 6, 50);
        assert!(rows[0].ends_with("-  - (stopped)") || rows[0].ends_with(" - (stopped)"), "{}", rows[0]);
        assert!(rows.iter().all(|row| row.ends_with("(stopped)")), "{rows:#?}");
    }
}
