//! Runs every classic search, plain alpha-beta with every quiescence search as its leaf search, and the production
//! search on one position. These are the rows of `enfilade compare`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::leaf::{LeafValue, StaticLeaf};
use super::node_counter::NodeLimit;
use super::searcher::{ClassicResult, ClassicSearcher};
use crate::chess::board::{Board, Game};
use crate::engine::run::Limits;
use crate::engine::run::job::Selectivity;
use crate::engine::run::leaf::Kind;
use crate::engine::search::oracle::{self, LeafSearcher, OracleBasis, TableUse};
use crate::engine::tt::TableError;

/// Size of the production search's table, in MiB.
const PRODUCTION_TABLE: usize = 16;

/// The number of searches that are compared: three with the static evaluation, alpha-beta with each leaf search, and
/// the production search with and without pruning.
pub const SEARCHES: usize = 3 + Kind::ALL.len() + 2;

/// One search and its result.
#[derive(Clone, Debug)]
pub struct ComparisonRow {
    /// The name of the search; if it has a leaf search, a plus sign and the name of that follow.
    pub name: String,
    /// The result of the last finished iteration, if there is one.
    pub found: Option<ClassicResult>,
    /// Positions visited, by all iterations and leaf searches together.
    pub nodes: u64,
    /// Positions at the horizon; `None` if they are not counted.
    pub leaves: Option<u64>,
    /// The time that the search took.
    pub time: Duration,
    /// Whether the search was stopped before the requested depth.
    pub is_stopped: bool,
}

/// Compares the searches on `game`'s position at `depth` plies, one after the other. `basis` has the network, and the
/// parameters and the leaf search of the production search. Alpha-beta is shown with every leaf search. After `nodes`
/// nodes a search begins no further node, except in a leaf search that has begun. `show` gets each row as soon as it is
/// known.
///
/// # Errors
/// If there is no memory for a table.
pub fn compare(
    game: &Game,
    basis: &OracleBasis,
    depth: i32,
    nodes: u64,
    mut show: impl FnMut(ComparisonRow),
) -> Result<(), TableError> {
    let limit = NodeLimit::nodes(nodes);
    let board = game.board();
    let leaf = StaticLeaf(Arc::clone(&basis.network));
    show(classic("negamax".to_owned(), leaf.clone(), limit, |searcher| searcher.negamax(board, depth).ok()));
    show(classic("half-depth".to_owned(), leaf.clone(), limit, |searcher| {
        searcher.half_depth_deepening(board, depth)
    }));
    show(alpha_beta("alpha-beta".to_owned(), leaf, limit, board, depth));
    for kind in Kind::ALL {
        let leaf = LeafSearcher::new(OracleBasis { quiescence: kind, ..basis.clone() }, TableUse::Trusted)?;
        show(alpha_beta(format!("alpha-beta + {kind}"), leaf, limit, board, depth));
    }
    let plain = Selectivity { pruning: false, table: true, repetition: false, quiescence: false };
    show(production("enfilade, no pruning", plain, game, basis, depth, nodes)?);
    show(production("enfilade", Selectivity::default(), game, basis, depth, nodes)?);
    Ok(())
}

fn alpha_beta<L: LeafValue>(
    name: String,
    leaf: L,
    limit: NodeLimit,
    board: &Board,
    depth: i32,
) -> ComparisonRow {
    classic(name, leaf, limit, |searcher| searcher.alpha_beta_deepening(board, depth))
}

fn classic<L: LeafValue>(
    name: String,
    leaf: L,
    limit: NodeLimit,
    search: impl FnOnce(&mut ClassicSearcher<L>) -> Option<ClassicResult>,
) -> ComparisonRow {
    let start = Instant::now();
    let mut searcher = ClassicSearcher::new(leaf, limit);
    let found = search(&mut searcher);
    ComparisonRow {
        name,
        found,
        nodes: searcher.nodes(),
        leaves: Some(searcher.leaves()),
        time: start.elapsed(),
        is_stopped: searcher.was_stopped(),
    }
}

fn production(
    name: &str,
    selectivity: Selectivity,
    game: &Game,
    basis: &OracleBasis,
    depth: i32,
    nodes: u64,
) -> Result<ComparisonRow, TableError> {
    let limits = Limits { depth: Some(depth), nodes: Some(nodes), ..Limits::default() };
    let start = Instant::now();
    let searched = oracle::search(game, limits, basis.clone(), selectivity, PRODUCTION_TABLE)?;
    Ok(ComparisonRow {
        name: name.to_owned(),
        found: searched.best.map(|best| ClassicResult {
            score: best.score,
            line: best.pv.into_iter().collect(),
            depth: searched.depth,
        }),
        nodes: searched.nodes,
        leaves: searched.leaves,
        time: start.elapsed(),
        is_stopped: searched.is_stopped,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::eval::network::{Network, Shape};

    fn rows_by(basis: &OracleBasis, fen: &str, depth: i32, nodes: u64) -> Vec<ComparisonRow> {
        let mut rows = Vec::new();
        compare(&Game::from_fen(fen).unwrap().0, basis, depth, nodes, |row| rows.push(row)).unwrap();
        rows
    }

    fn rows(fen: &str, depth: i32, nodes: u64) -> Vec<ComparisonRow> {
        rows_by(&Kind::default().into(), fen, depth, nodes)
    }

    #[test]
    fn every_search_has_its_row_and_a_legal_line() {
        let fen = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";
        let rows = rows(fen, 3, 1_000_000);
        assert_eq!(rows.len(), 5 + Kind::ALL.len());
        for row in &rows {
            let found = row.found.as_ref().unwrap_or_else(|| panic!("{} found nothing", row.name));
            assert!(!row.is_stopped && found.depth == 3, "{}", row.name);
            let mut game = Game::from_fen(fen).unwrap().0;
            for mv in &found.line {
                game.play_uci(&mv.to_uci(false).to_string()).expect("a legal line");
            }
        }
        // Negamax, alpha-beta, and the production search without its judgment agree.
        let score =
            |name: &str| rows.iter().find(|row| row.name == name).unwrap().found.as_ref().unwrap().score;
        assert_eq!(score("alpha-beta"), score("negamax"));
        assert_eq!(score("enfilade, no pruning"), score("negamax"));
    }

    #[test]
    fn every_search_uses_the_given_network() {
        let fen = "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1";
        let network = Arc::new(Network::random(
            Shape { hidden: 32, zones: 1, hanging: false, buckets: 1, products: false },
            1,
        ));
        let basis = OracleBasis { network, ..Kind::default().into() };
        for (row, other) in rows(fen, 1, 100_000).iter().zip(rows_by(&basis, fen, 1, 100_000)) {
            let score = |row: &ComparisonRow| row.found.as_ref().map(|found| found.score);
            assert_ne!(score(row), score(&other), "{}", row.name);
        }
    }

    #[test]
    fn a_row_shows_that_its_search_ran_out_of_nodes() {
        let rows = rows("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 2_000);
        assert!(rows[0].is_stopped && rows[0].found.is_none());
        assert!(rows[2].is_stopped && rows[2].found.as_ref().is_some_and(|found| found.depth < 5));
        assert!(rows.iter().all(|row| row.nodes <= 2_000 || row.name.contains('+')));
    }
}
