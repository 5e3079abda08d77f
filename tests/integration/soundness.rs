//! The soundness of the bootstrapped quiescence search.
//!
//! Let V(k) be the plain minimax value of level k. A leaf search at level k answers with a score, a bound and a
//! validity. It claims that the bound holds for every V(j) with k <= j <= validity. A resolved answer claims it for the
//! unpruned search of all captures too. These tests check every claim by a direct search without table, bootstrap and
//! validity. The direct search is written from the definition. It shares only the rules of the game with the engine.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use enfilade::chess::board::{Board, Move, Role};
use enfilade::chess::types::{Bound, Score, Window};
use enfilade::engine::run::leaf::{Kind, Leaf, Validity};
use enfilade::engine::search::oracle::{LeafRequest, LeafSearcher, TableUse};
use enfilade::engine::search::quiescence::Threshold;
use rayon::prelude::*;

use crate::remembered::RememberedEvaluation;
use crate::walk::random_games;

/// The levels whose minimax value is computed: 0 to 4, and one so high that captures never use it up.
const LEVELS: [u32; 6] = [0, 1, 2, 3, 4, UNPRUNED];
const UNPRUNED: u32 = 1_000;
/// The node limit of a direct search. Positions that need more are left out and counted.
const REFERENCE_NODES: u64 = 60_000;
const INFINITE: Score = Score::INFINITE;

/// The properties that define a level besides its number.
#[derive(Clone, Copy, Debug)]
struct Variant {
    see_skip: bool,
    checks: bool,
}

/// The search as Muller described it.
const FULL: Variant = Variant { see_skip: false, checks: false };
/// The search as Enfilade uses it in play.
const PLAY: Variant = Variant { see_skip: true, checks: true };

const THRESHOLDS: [(Threshold, i32); 5] = [
    (Threshold::Unlimited, i32::MAX),
    (Threshold::Queen, 9),
    (Threshold::Rook, 5),
    (Threshold::Minor, 3),
    (Threshold::Pawn, 1),
];

/// The direct search.
struct Minimax {
    variant: Variant,
    evaluation: RememberedEvaluation,
    nodes: u64,
}

#[derive(Clone, Copy)]
struct Point {
    level: u32,
    threshold: i32,
    tries_checks: bool,
    ply: usize,
    assumed: Assumed,
}

/// The assumed value of a node whose level does not suffice for the captures that it would have to search.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Assumed {
    /// The node fails high, by the definition of a level.
    FailHigh,
    /// A resolved entry of the table may answer instead, with the value of the search of all captures. Each node may do
    /// either. This is the least value that the side to move can get.
    Least,
    /// Like `Least`, but the greatest value that the side to move can get.
    Greatest,
}

impl Assumed {
    fn of_child(self) -> Assumed {
        match self {
            Assumed::FailHigh => Assumed::FailHigh,
            Assumed::Least => Assumed::Greatest,
            Assumed::Greatest => Assumed::Least,
        }
    }
}

impl Minimax {
    fn new(variant: Variant, evaluation: &RememberedEvaluation) -> Minimax {
        Minimax { variant, evaluation: evaluation.clone(), nodes: 0 }
    }

    /// The value of a level; `None` if it needs too many nodes. It is computed by alpha-beta over a tree that does not
    /// depend on the window. So it is exact between `alpha` and `beta`.
    fn value(&mut self, board: &Board, alpha: Score, beta: Score, point: &Point) -> Option<Score> {
        self.nodes += 1;
        if self.nodes > REFERENCE_NODES {
            return None;
        }
        if board.is_insufficient_material() {
            return Some(Score::ZERO);
        }
        let in_check = board.in_check();
        let mut moves: Vec<Move> = board.legal_moves().into_iter().collect();
        if in_check && moves.is_empty() {
            return Some(Score::mated_in(point.ply));
        }
        if !in_check {
            let is_check = |mv| point.tries_checks && self.variant.checks && is_safe_check(board, mv);
            moves.retain(|&mv| is_capture(board, mv) || is_check(mv));
            moves.sort_by_key(|&mv| -victim(board, mv));
        }
        let is_extended = |mv| in_check || !is_capture(board, mv) || gain(board, mv) <= point.threshold;
        if point.level == 0 && moves.iter().any(|&mv| !is_extended(mv)) {
            if point.assumed != Assumed::Least {
                return Some(INFINITE);
            }
            let unpruned = Point { level: UNPRUNED, assumed: Assumed::FailHigh, ..*point };
            return self.value(board, alpha, beta, &unpruned);
        }
        let mut best = if in_check { -INFINITE } else { self.evaluation.of(board) };
        for &mv in &moves {
            if best >= beta {
                break;
            }
            let level = if is_extended(mv) { point.level } else { point.level - 1 };
            let capture = is_capture(board, mv);
            if self.variant.see_skip && capture && level == 0 && !in_check && !board.see_ge(mv, 0) {
                continue;
            }
            let threshold = if in_check || !capture { i32::MAX } else { taken(board, mv) };
            let assumed = point.assumed.of_child();
            let child = Point { level, threshold, tries_checks: false, ply: point.ply + 1, assumed };
            let score = -self.value(&board.after(mv), -beta, -alpha.max(best), &child)?;
            best = best.max(score);
        }
        Some(best)
    }
}

fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => unreachable!("no king is taken"),
    }
}

/// Whether a quiescence search looks at a capture or promotion. It ignores underpromotions.
fn is_capture(board: &Board, mv: Move) -> bool {
    match mv.promotion() {
        Some(role) => role == Role::Queen,
        None => board.captured(mv).is_some(),
    }
}

/// The gain of a capture before any recapture.
fn victim(board: &Board, mv: Move) -> i32 {
    board.captured(mv).map_or(0, worth) + if mv.is_promotion() { 8 } else { 0 }
}

/// The gain of a capture, minus the capturing piece if the opponent can recapture.
fn gain(board: &Board, mv: Move) -> i32 {
    let after = board.after(mv);
    let can_take_back = (after.attackers_to(mv.to(), after.occupied()) & after.us()).any();
    victim(board, mv) - if can_take_back { worth(after.role_at(mv.to()).unwrap()) } else { 0 }
}

/// The threshold for the reply.
fn taken(board: &Board, mv: Move) -> i32 {
    if mv.is_promotion() { 9 } else { board.captured(mv).map_or(0, worth) }
}

/// Whether a move is a quiet move of a piece that gives check with this piece and does not lose it.
fn is_safe_check(board: &Board, mv: Move) -> bool {
    !matches!(board.moved_role(mv), Role::Pawn | Role::King)
        && board.captured(mv).is_none()
        && board.after(mv).checkers().contains(mv.to())
        && board.see_ge(mv, 0)
}

/// A position with its values at all levels.
struct Subject {
    ply: usize,
    threshold: usize,
    values: [Score; LEVELS.len()],
    evaluation: RememberedEvaluation,
}

impl Subject {
    fn new(
        board: &Board,
        ply: usize,
        threshold: usize,
        variant: Variant,
        evaluation: &RememberedEvaluation,
    ) -> Option<Subject> {
        let mut values = [Score::ZERO; LEVELS.len()];
        for (value, level) in values.iter_mut().zip(LEVELS) {
            let mut minimax = Minimax::new(variant, evaluation);
            let threshold = if board.in_check() { i32::MAX } else { THRESHOLDS[threshold].1 };
            let point = Point { level, threshold, tries_checks: true, ply, assumed: Assumed::FailHigh };
            *value = minimax.value(board, -INFINITE, INFINITE, &point)?;
        }
        Some(Subject { ply, threshold, values, evaluation: evaluation.clone() })
    }

    /// Windows above, below and around the values: wide, narrow and null windows.
    fn windows(&self) -> Vec<Window> {
        let middle = self.values[4].clamp_eval();
        let mut windows =
            vec![Window::FULL, Window::new(middle - 30, middle + 30), Window::new(middle + 20, middle + 150)];
        for offset in [-300, -60, 0, 1, 40, 250] {
            windows.push(Window::null_below(middle + offset));
        }
        windows
    }

    /// The number of claims in an answer to a request for `level`, and the levels at which they fail.
    fn judge(
        &self,
        (board, variant): (&Board, Variant),
        leaf: Leaf,
        window: Window,
        level: u8,
        table: TableUse,
    ) -> (usize, Vec<u32>) {
        let bound = window.bound(leaf.score);
        let (first, last) = match (leaf.validity.is_resolved(), table) {
            (false, _) => (u32::from(level), u32::from(leaf.validity.highest_level())),
            (true, TableUse::Ignored) => (u32::from(level), UNPRUNED),
            // The entry may come from a higher level. There a capture was searched that is assumed to fail high at this
            // level.
            (true, TableUse::Trusted) => (UNPRUNED, UNPRUNED),
        };
        let mut count = 0;
        let mut broken = Vec::new();
        for (claimed, value) in LEVELS.into_iter().zip(self.values) {
            if !(first..=last).contains(&claimed) {
                continue;
            }
            count += 1;
            let holds = |least: Score, greatest: Score| match bound {
                Bound::Upper => least <= leaf.score,
                Bound::Lower => greatest >= leaf.score,
                Bound::Exact => (least..=greatest).contains(&leaf.score),
            };
            // A resolved entry gives the unpruned value of its node, where the level alone might assume a fail high.
            // With several such nodes the answer may lie outside of the values of both searches. But it must lie within
            // the range that all choices at these nodes can produce.
            let holds_mixed = || {
                let threshold = if board.in_check() { i32::MAX } else { THRESHOLDS[self.threshold].1 };
                let end = |assumed| {
                    let point =
                        Point { level: claimed, threshold, tries_checks: true, ply: self.ply, assumed };
                    Minimax::new(variant, &self.evaluation).value(board, -INFINITE, INFINITE, &point)
                };
                let (least, greatest) = (end(Assumed::Least), end(Assumed::Greatest));
                least.zip(greatest).is_some_and(|(least, greatest)| holds(least, greatest))
            };
            if !(holds(value, value) || table == TableUse::Trusted && holds_mixed()) {
                broken.push(claimed);
            }
        }
        (count, broken)
    }
}

/// Positions of random games and of the suites, without halfmove clocks. The evaluation depends only on the position as
/// long as the clocks are small.
fn positions(games: u32, suite_step: usize) -> Vec<Board> {
    let mut fens = Vec::new();
    random_games(0x5eed, games, |board, _, random| {
        if random.below(12) == 0 {
            fens.push(board.fen(true));
        }
    });
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/suite_positions.epd");
    let suites = fs::read_to_string(path).expect("the suites' positions");
    fens.extend(suites.lines().step_by(suite_step).map(|line| format!("{line} 0 1")));
    let fresh = |fen: &String| {
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        Board::from_fen(&format!("{} 0 1", fields.join(" "))).expect("a valid position").0
    };
    fens.iter().map(fresh).collect()
}

#[derive(Default)]
struct Tally {
    claims: AtomicUsize,
    resolved: AtomicUsize,
    left_out: AtomicUsize,
}

/// A searcher that uses the table's results, and one that does not.
type Searchers = [(LeafSearcher, TableUse); 2];

/// Checks every claim about one position and returns the broken ones.
fn examine(
    searchers: &mut Searchers,
    board: &Board,
    index: usize,
    variant: Variant,
    node_cap: u64,
    tally: &Tally,
) -> Vec<String> {
    // The thresholds share the table and must not use each other's entries.
    let thresholds = if index.is_multiple_of(4) && !variant.checks { THRESHOLDS.len() } else { 1 };
    let evaluation = RememberedEvaluation::default();
    let subject = |threshold| Subject::new(board, index % 7, threshold, variant, &evaluation);
    let subjects: Option<Vec<Subject>> = (0..thresholds).map(subject).collect();
    let Some(subjects) = subjects else {
        tally.left_out.fetch_add(1, Ordering::Relaxed);
        return Vec::new();
    };
    // In a nearly empty table an entry is hardly ever taken for another position's entry.
    searchers.iter_mut().for_each(|(searcher, _)| searcher.clear());
    let mut broken = Vec::new();
    for step in 0..5 {
        // Rising levels use the entries of lower levels. Falling levels must not be misled by the entries of higher
        // levels.
        let level = if index.is_multiple_of(2) { step } else { 4 - step };
        for window in subjects[0].windows() {
            for subject in &subjects {
                let request = LeafRequest {
                    level,
                    threshold: THRESHOLDS[subject.threshold].0,
                    see_skip: variant.see_skip,
                    checks: variant.checks,
                    is_pv: false,
                    node_cap,
                };
                for (searcher, table) in searchers.iter_mut() {
                    let leaf = searcher.bootstrap(board, window, subject.ply, &request);
                    let (count, levels) = subject.judge((board, variant), leaf, window, level, *table);
                    tally.claims.fetch_add(count, Ordering::Relaxed);
                    tally.resolved.fetch_add(usize::from(leaf.validity.is_resolved()), Ordering::Relaxed);
                    if !levels.is_empty() {
                        broken.push(format!(
                            "{} table {table:?}, window {} to {}, {request:?}: {leaf:?}, but values {:?} \
                             (levels {levels:?})",
                            board.fen(false),
                            window.alpha.value(),
                            window.beta.value(),
                            subject.values,
                        ));
                    }
                }
            }
        }
    }
    broken
}

/// Checks every claim of one variant and returns the broken ones.
fn check(positions: &[Board], variant: Variant, node_cap: u64, tally: &Tally) -> Vec<String> {
    let searcher = |table| {
        let searcher = LeafSearcher::new(Kind::BootstrapFull, table).expect("a table of a MiB");
        (searcher, table)
    };
    let indexed: Vec<(usize, &Board)> = positions.iter().enumerate().collect();
    indexed
        .par_chunks(100)
        .flat_map_iter(|chunk| {
            let mut searchers: Searchers = [searcher(TableUse::Trusted), searcher(TableUse::Ignored)];
            let examine = |&(index, board)| examine(&mut searchers, board, index, variant, node_cap, tally);
            chunk.iter().flat_map(examine).collect::<Vec<String>>()
        })
        .collect()
}

/// `ENFILADE_SOUNDNESS_GAMES` sets the number of random games.
fn assert_sound(variant: Variant, node_cap: u64) {
    let games =
        std::env::var("ENFILADE_SOUNDNESS_GAMES").map_or(60, |games| games.parse().expect("a number"));
    let positions = positions(games, 4);
    let tally = Tally::default();
    let broken = check(&positions, variant, node_cap, &tally);
    let [claims, resolved, left_out] =
        [&tally.claims, &tally.resolved, &tally.left_out].map(|count| count.load(Ordering::Relaxed));
    println!(
        "{variant:?}, cap {node_cap}: {} positions, {left_out} left out; {claims} claims, {resolved} results \
         resolved, {} broken",
        positions.len(),
        broken.len()
    );
    assert!(
        broken.is_empty(),
        "{} claims of {claims} are broken:\n{}",
        broken.len(),
        broken[..broken.len().min(5)].join("\n")
    );
    assert!(left_out * 20 < positions.len(), "{left_out} positions were left out");
    assert!(claims > 150_000 && resolved > 60_000, "{claims} claims prove nothing");
}

#[test]
fn every_leaf_of_the_full_bootstrap_holds_as_far_as_its_validity() {
    assert_sound(FULL, u64::MAX);
}

#[test]
fn every_leaf_of_the_bootstrap_of_play_holds_as_far_as_its_validity() {
    assert_sound(PLAY, u64::MAX);
}

/// A leaf search that reaches its node cap ends with a lower validity, but its claims stay true.
#[test]
fn leaves_under_a_node_cap_hold_as_far_as_their_validity() {
    assert_sound(FULL, 25);
}

/// With a full window, a score that is valid at level 4 is the score of the full search.
#[test]
fn a_score_valid_at_level_four_is_that_of_the_full_bootstrap() {
    let results: Vec<(usize, usize)> = positions(0, 1)
        .par_chunks(100)
        .map(|chunk| {
            let mut full = LeafSearcher::new(Kind::BootstrapFull, TableUse::Trusted).expect("a table");
            let mut play = LeafSearcher::new(Kind::Bootstrap, TableUse::Trusted).expect("a table");
            let mut counts = (0, 0);
            for board in chunk {
                let evaluation = RememberedEvaluation::default();
                let direct = |level, variant| {
                    let point = Point {
                        level,
                        threshold: i32::MAX,
                        tries_checks: true,
                        ply: 0,
                        assumed: Assumed::FailHigh,
                    };
                    Minimax::new(variant, &evaluation).value(board, -INFINITE, INFINITE, &point)
                };
                let leaf = full.quiescence(board, Window::FULL, 0);
                if let Some(value) = direct(4, FULL)
                    && leaf.validity >= Validity::level(4)
                {
                    assert_eq!(leaf.score, value, "level 4 of {}", board.fen(false));
                    counts.0 += 1;
                }
                let leaf = play.quiescence(board, Window::FULL, 0);
                if let Some(value) = direct(4, PLAY)
                    && leaf.validity.is_resolved()
                {
                    assert_eq!(leaf.score, value, "resolved at level 0: {}", board.fen(false));
                    counts.1 += 1;
                }
            }
            counts
        })
        .collect();
    let (full, play) = results.iter().fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    println!("{full} scores valid at level 4, {play} resolved as played");
    assert!(full > 1_600 && play > 100, "{full}, {play}");
}

/// The direct search is minimax: without any cut-off it finds the same values.
#[test]
fn the_reference_score_does_not_depend_on_the_window() {
    let mut compared = 0;
    for board in positions(6, 60) {
        let evaluation = RememberedEvaluation::default();
        for variant in [FULL, PLAY] {
            let point =
                Point { level: 1, threshold: 3, tries_checks: true, ply: 0, assumed: Assumed::FailHigh };
            let mut minimax = Minimax::new(variant, &evaluation);
            let Some(value) = minimax.value(&board, -INFINITE, INFINITE, &point) else { continue };
            let above = Minimax::new(variant, &evaluation).value(&board, value, value + 1, &point);
            let below = Minimax::new(variant, &evaluation).value(&board, value - 1, value, &point);
            assert!(above.is_some_and(|v| v <= value) && below.is_some_and(|v| v >= value));
            compared += 1;
        }
    }
    assert!(compared > 60);
}
