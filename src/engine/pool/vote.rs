//! Chooses the thread whose result is played.
//!
//! Each thread votes for its move with `(score - lowest score + 14) * depth`, after Stockfish. A proven win decides at
//! once, the shortest first. If a loss is proven for every thread, the longest resistance is chosen. Among threads with
//! the same move and votes, the one with the longer variation is chosen, because it tells the user more.

use crate::chess::types::Score;
use crate::engine::run::job::ThreadResult;

/// Centipawns that are added to every vote, so that the lowest score counts too.
const BASE: i64 = 14;

/// The index of the thread whose best move is played; 0 if no thread finished an iteration.
pub fn vote(results: &[ThreadResult]) -> usize {
    let candidates: Vec<(usize, &ThreadResult)> =
        results.iter().enumerate().filter(|(_, r)| r.depth > 0 && !r.moves.is_empty()).collect();
    let score = |r: &ThreadResult| match r.moves[0].score {
        unsearched if unsearched == -Score::INFINITE => r.moves[0].previous_score,
        score => score,
    };
    let Some(lowest) = candidates.iter().map(|(_, r)| score(r)).min() else {
        return 0;
    };
    if let Some(&(winner, _)) = candidates
        .iter()
        .filter(|(_, r)| score(r).is_win())
        .max_by_key(|(i, r)| (score(r), std::cmp::Reverse(*i)))
    {
        return winner;
    }
    if candidates.iter().all(|(_, r)| score(r).is_loss()) {
        let longest = candidates.iter().max_by_key(|(i, r)| (score(r), r.depth, std::cmp::Reverse(*i)));
        return longest.map_or(0, |&(index, _)| index);
    }
    let weight = |r: &ThreadResult| (i64::from(score(r) - lowest) + BASE) * i64::from(r.depth);
    let votes = |r: &ThreadResult| -> i64 {
        candidates
            .iter()
            .filter(|(_, other)| other.moves[0].mv == r.moves[0].mv)
            .map(|(_, other)| weight(other))
            .sum()
    };
    candidates
        .iter()
        .max_by_key(|(index, r)| {
            let is_hopeful = !score(r).is_loss();
            (is_hopeful, votes(r), weight(r), r.moves[0].pv.len(), std::cmp::Reverse(*index))
        })
        .map_or(0, |&(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::engine::run::root::RootMoves;

    fn result(mv: usize, score: Score, depth: i32) -> ThreadResult {
        let mut moves = vec![RootMoves::new(&Board::startpos(), &[]).as_slice()[mv].clone()];
        moves[0].score = score;
        ThreadResult { depth, seldepth: 1, moves }
    }

    #[test]
    fn a_move_that_several_threads_chose_outvotes_a_single_better_score() {
        let votes = [
            result(1, Score::new(30), 10),
            result(2, Score::new(20), 10),
            result(2, Score::new(20), 10),
            result(2, Score::new(21), 11),
        ];
        assert_eq!(vote(&votes), 3, "of equal moves the heaviest vote");
    }

    #[test]
    fn a_deeper_result_outvotes_a_shallower_one() {
        assert_eq!(vote(&[result(1, Score::new(20), 10), result(2, Score::new(20), 14)]), 1);
    }

    #[test]
    fn a_proven_mate_decides_and_the_shortest_first() {
        let votes = [
            result(1, Score::new(900), 30),
            result(1, Score::new(900), 30),
            result(2, Score::mate_in(9), 8),
            result(3, Score::mate_in(5), 7),
        ];
        assert_eq!(vote(&votes), 3);
    }

    #[test]
    fn a_thread_that_sees_itself_lost_is_outvoted_by_one_that_does_not() {
        assert_eq!(vote(&[result(1, Score::mated_in(8), 20), result(2, Score::new(-300), 12)]), 1);
    }

    #[test]
    fn of_proven_losses_the_longest_is_chosen() {
        let votes = [
            result(1, Score::mated_in(10), 20),
            result(1, Score::mated_in(10), 20),
            result(2, Score::mated_in(14), 18),
        ];
        assert_eq!(vote(&votes), 2);
    }

    #[test]
    fn threads_without_a_result_have_no_vote() {
        assert_eq!(vote(&[result(1, Score::new(0), 0), result(2, Score::new(-50), 1)]), 1);
        assert_eq!(vote(&[]), 0);
        assert_eq!(vote(&[ThreadResult::default()]), 0);
    }
}
