//! Searches a position of a suite, and judges whether it is solved.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::problem::Problem;
use crate::chess::board::Move;
use crate::chess::board::epd::Goal;
use crate::chess::types::{Bound, Score};
use crate::engine::command::interrupt::Interrupt;
use crate::engine::facade::Engine;
use crate::engine::run::{Limits, Line, Observer, Outcome};

/// The result of a position.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// The chosen move; `None` if there is no legal move.
    pub best_move: Option<Move>,
    /// The score of the chosen move, for the side to move.
    pub score: Score,
    /// The last finished depth, in plies.
    pub depth: i32,
    /// Whether the move meets the position's goal.
    pub solved: bool,
    /// The points for the move; 0 if the position gives no points.
    pub points: u32,
    /// The time after which the best line was a solution until the end of the search.
    pub found: Option<Duration>,
    /// Nodes of the search.
    pub nodes: u64,
    /// Time of the search.
    pub time: Duration,
}

/// Searches the position with an engine that is cleared first. An interrupt stops the search.
pub(super) fn solve(
    engine: &mut Engine,
    problem: &Problem,
    limits: &Limits,
    interrupt: &Interrupt,
) -> Solution {
    engine.new_game();
    engine.set_game(problem.record.game.clone());
    // If the goal is a mate alone, the search can end as soon as it finds a mate that is short enough.
    let only_mate = problem.goal.best.is_empty() && problem.goal.avoid.is_empty();
    let mate = problem.goal.mate.filter(|_| only_mate).map(i32::unsigned_abs);
    let observer = Arc::new(SolutionObserver { goal: problem.goal.clone(), found: Mutex::new(None) });
    let limits = Limits { mate, ..limits.clone() };
    let outcome = interrupt.search(engine, limits, Arc::clone(&observer) as Arc<dyn Observer>);
    let (score, depth) = outcome.lines.first().map_or((Score::ZERO, 0), |line| (line.score, line.depth));
    let solved = is_solved(&problem.goal, outcome.best_move, score);
    let seen = *observer.found.lock();
    Solution {
        best_move: outcome.best_move,
        score,
        depth,
        solved,
        points: points(&problem.goal, outcome.best_move),
        found: solved.then(|| seen.unwrap_or(outcome.time)),
        nodes: outcome.nodes,
        time: outcome.time,
    }
}

/// If the goal names moves, they decide. Otherwise, if it names a mate, a mate by the same side is the solution if it
/// is not longer. If it has only points, the move with the most points is the solution.
fn is_solved(goal: &Goal, mv: Option<Move>, score: Score) -> bool {
    let Some(mv) = mv else { return false };
    if !goal.best.is_empty() || !goal.avoid.is_empty() {
        return (goal.best.is_empty() || goal.best.contains(&mv)) && !goal.avoid.contains(&mv);
    }
    match goal.mate {
        Some(wanted) => score.mate_moves().is_some_and(|found| {
            found.signum() == wanted.signum() && found.unsigned_abs() <= wanted.unsigned_abs()
        }),
        None => points(goal, Some(mv)) == max_points(goal),
    }
}

fn points(goal: &Goal, mv: Option<Move>) -> u32 {
    goal.points.iter().find(|(candidate, _)| Some(*candidate) == mv).map_or(0, |(_, points)| *points)
}

/// The points of the best move.
pub(super) fn max_points(goal: &Goal) -> u32 {
    goal.points.iter().map(|(_, points)| *points).max().unwrap_or(0)
}

/// Remembers the time since which the best line has been a solution.
struct SolutionObserver {
    goal: Goal,
    found: Mutex<Option<Duration>>,
}

impl Observer for SolutionObserver {
    fn line(&self, line: &Line) {
        if line.multi_pv != 1 || line.bound != Bound::Exact {
            return;
        }
        let mut found = self.found.lock();
        if !is_solved(&self.goal, line.pv.first().copied(), line.score) {
            *found = None;
        } else if found.is_none() {
            *found = Some(line.time);
        }
    }

    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, _text: &str) {}
    fn finished(&self, _outcome: &Outcome) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Square;

    fn mv(from: Square, to: Square) -> Move {
        Move::normal(from, to)
    }

    #[test]
    fn moves_take_precedence_over_mates() {
        let (good, bad) = (mv(Square::E2, Square::E4), mv(Square::F2, Square::F3));
        let goal = Goal { best: vec![good], mate: Some(105), ..Goal::default() };
        assert!(is_solved(&goal, Some(good), Score::ZERO));
        assert!(!is_solved(&goal, Some(bad), Score::mate_in(1)));
        let goal = Goal { avoid: vec![bad], ..Goal::default() };
        assert!(is_solved(&goal, Some(good), Score::ZERO));
        assert!(!is_solved(&goal, Some(bad), Score::ZERO));
        assert!(!is_solved(&goal, None, Score::ZERO));
    }

    #[test]
    fn a_mate_must_be_short_enough_and_for_the_right_side() {
        let any = Some(mv(Square::E2, Square::E4));
        let goal = Goal { mate: Some(2), ..Goal::default() };
        assert!(is_solved(&goal, any, Score::mate_in(3)));
        assert!(is_solved(&goal, any, Score::mate_in(1)));
        assert!(!is_solved(&goal, any, Score::mate_in(5)));
        assert!(!is_solved(&goal, any, Score::mated_in(2)));
        let goal = Goal { mate: Some(-1), ..Goal::default() };
        assert!(is_solved(&goal, any, Score::mated_in(2)));
        assert!(!is_solved(&goal, any, Score::new(-900)));
    }

    #[test]
    fn points_are_those_of_the_chosen_move() {
        let (first, second) = (mv(Square::E2, Square::E4), mv(Square::D2, Square::D4));
        let goal = Goal { points: vec![(first, 100), (second, 40)], ..Goal::default() };
        assert_eq!((points(&goal, Some(second)), max_points(&goal)), (40, 100));
        assert!(is_solved(&goal, Some(first), Score::ZERO) && !is_solved(&goal, Some(second), Score::ZERO));
    }
}
