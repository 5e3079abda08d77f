//! Tests of the search with other values of its parameters, as tuning and screening try them.

use std::sync::Arc;

use super::oracle::{self, OracleBasis, OracleResult};
use crate::chess::board::{Board, Game, Move};
use crate::engine::params::Params;
use crate::engine::run::job::Selectivity;
use crate::engine::run::leaf::Kind;
use crate::engine::run::limits::Limits;

type Values = &'static [(&'static str, i32)];

/// Values far from the default: of other engines, or with a part of a step off.
const CHANGES: [Values; 7] = [
    &[("null_margin_base", 0)],
    &[("null_score_divisor", 80), ("null_score_limit", 6656)],
    &[("iir_cut_plies", 1)],
    &[("futility_slope", 57)],
    &[("singular_depth", 5)],
    &[("reduction_quiet_base", 1300)],
    &[("reduction_cut_node", 2048)],
];

/// Middlegame positions with captures and checks, and a rook ending.
const POSITIONS: [&str; 5] = [
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/ppp2ppp/2n1bn2/2bpp3/3P4/3QPN2/PPP1BPPP/RNB2RK1 w - - 0 8",
    "8/5pk1/4p1p1/7p/3R3P/r5P1/5PK1/8 w - - 0 1",
    "2rr2k1/1b3ppp/p1qbpn2/1p6/3P4/P1NQB1P1/1P3PBP/2RR2K1 w - - 0 1",
];
const DEPTH: i32 = 14;

fn with(changes: &[(&str, i32)]) -> Arc<Params> {
    let mut params = Params::default();
    for &(name, value) in changes {
        assert!(params.set(name, value), "{name}={value}");
    }
    Arc::new(params)
}

fn search(fen: &str, limits: Limits, params: &Arc<Params>) -> OracleResult {
    let basis = OracleBasis { params: Arc::clone(params), ..OracleBasis::from(Kind::default()) };
    let (game, _) = Game::from_fen(fen).expect("a valid position");
    oracle::search(&game, limits, basis, Selectivity::default(), 4).expect("a small table")
}

/// What must be the same when a search is repeated. Also plays through its line to check that it is legal.
fn outcome(fen: &str, params: &Arc<Params>) -> (u64, i32, Vec<Move>) {
    let searched = search(fen, Limits::depth(DEPTH), params);
    let best = searched.best.expect("a finished iteration");
    let mut board = Board::from_fen(fen).expect("a valid position").0;
    for &mv in &best.pv {
        assert!(board.can_play(mv), "{mv:?} of {:?}", best.pv);
        board = board.after(mv);
    }
    (searched.nodes, best.score.value(), best.pv)
}

#[test]
fn each_change_alters_the_tree_repeatably() {
    let default = with(&[]);
    let plain = POSITIONS.map(|fen| search(fen, Limits::depth(DEPTH), &default).nodes);
    let mut idle = Vec::new();
    for changes in CHANGES {
        assert!(changes.iter().all(|&(name, value)| default.get(name) != value), "{changes:?}");
        let changed = with(changes);
        let differs = POSITIONS.iter().zip(plain).find_map(|(fen, nodes)| {
            let first = outcome(fen, &changed);
            (first.0 != nodes).then_some((fen, first))
        });
        match differs {
            Some((fen, first)) => assert_eq!(outcome(fen, &changed), first, "{changes:?}: {fen}"),
            None => idle.push(changes),
        }
    }
    assert!(idle.is_empty(), "these change nothing: {idle:?}");
    let all = with(&CHANGES.concat());
    assert_eq!(outcome(POSITIONS[0], &all), outcome(POSITIONS[0], &all));
}

/// How many mates of each length are found and proven, of every `step`th position. It does not use `go mate`, whose own
/// search does not depend on these parameters.
fn mates(params: &Arc<Params>, step: usize) -> [usize; 4] {
    let mut found = [0; 4];
    let rows = include_str!("../../../tests/data/mates.epd").lines().filter(|row| !row.starts_with('#'));
    for row in rows.step_by(step) {
        let (fen, moves) = row.split_once("; ").expect("position and length");
        let moves: u32 = moves.parse().expect("a number of moves");
        let searched = search(fen, Limits::nodes(500_000), params);
        let score = searched.best.expect("a finished iteration").score;
        assert!(score.mate_moves().is_none_or(|found| found >= moves as i32), "{fen}: {score} is too good");
        found[moves as usize] += usize::from(score.mate_moves() == Some(moves as i32));
    }
    found
}

/// A plain search of this many nodes need not find the shortest mate, so one mate of six may be missed.
#[test]
fn short_mates_are_found_with_each_change() {
    const STEP: usize = 6;
    assert_eq!(mates(&with(&[]), STEP), [0, 2, 2, 2]);
    for changes in CHANGES {
        let found = mates(&with(changes), STEP);
        assert!(found[1] == 2 && found.iter().sum::<usize>() >= 5, "{changes:?}: {found:?}");
    }
    let all = mates(&with(&CHANGES.concat()), 1);
    assert!(all[1] == 12 && all.iter().sum::<usize>() >= 30, "{all:?}");
}

/// Tuning may reduce ProbCut's search by more plies than there are. Its result was then stored with a depth below 1.
#[test]
fn probcut_may_be_reduced_to_a_leaf() {
    let params = with(&[("probcut_depth", 3), ("probcut_reduction", 6), ("probcut_margin", 50)]);
    for fen in POSITIONS {
        assert!(search(fen, Limits::nodes(20_000), &params).best.is_some(), "{fen}");
    }
}
