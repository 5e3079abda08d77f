//! Completes a line that ended early with moves from the table, only for display.
//!
//! A line ends early if the table cut off a leaf, or if the window at the root failed. Then even the move to ponder on
//! may be missing. Only the displayed line grows, and only at its end. The search's own line stays as it was gathered
//! ([`super::pv`]). The table is probed only when a line is reported.

use super::job::Job;
use crate::chess::board::{FIFTY_MOVES, Move};
use crate::chess::types::{Bound, Score};

impl Job {
    /// Extends `pv`, a line from the root with this score, to `depth` plies at most. Each added move is legal and comes
    /// from an exact result of the table; the first reply may come from any result. No added move leads to a position
    /// that the line or the game has had.
    pub(crate) fn complete(&self, pv: &mut Vec<Move>, score: Score, depth: i32) {
        // A mate score gives the length of its line. Moves beyond the mate do not belong to it.
        let length = match score.mate_moves() {
            Some(moves) if moves > 0 => 2 * moves - 1,
            Some(moves) => -2 * moves,
            None => depth.max(2),
        } as usize;
        if pv.is_empty() || pv.len() >= length {
            return;
        }
        let mut board = self.task.game.board().clone();
        let mut keys = self.task.game.keys().to_vec();
        for &mv in pv.iter() {
            keys.push(board.key());
            board = board.after(mv);
        }
        while pv.len() < length && !keys.contains(&board.key()) && board.halfmove_clock() < FIFTY_MOVES {
            let Some(hit) = self.shared.table.probe(board.key()) else { return };
            let Some(mv) = hit.mv.filter(|&mv| board.can_play(mv)) else {
                return;
            };
            if pv.len() > 1 && hit.bound != Bound::Exact {
                return;
            }
            keys.push(board.key());
            board = board.after(mv);
            if keys.contains(&board.key()) {
                return;
            }
            pv.push(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::{Board, Game};
    use crate::engine::run::limits::Limits;
    use crate::engine::tt::{Draft, Record};

    fn line(moves: &[&str]) -> (Vec<Move>, Board) {
        let mut game = Game::startpos();
        let moves = moves.iter().map(|text| game.play_uci(text).unwrap()).collect();
        (moves, game.board().clone())
    }

    /// The line of `moves`, completed from a table that knows the next move after each of the `known` lines.
    fn completed(moves: &[&str], known: &[(&[&str], &str, Bound)], score: Score, depth: i32) -> Vec<Move> {
        let job = Job::plain(Game::startpos(), Limits::depth(1));
        for (moves, reply, bound) in known {
            let board = line(moves).1;
            let record = Record {
                mv: Some(board.parse_uci(reply).unwrap()),
                score: Score::ZERO,
                static_eval: None,
                bound: *bound,
                draft: Draft::main(3),
                pv: true,
            };
            job.shared.table.store(board.key(), record);
        }
        let mut pv = line(moves).0;
        job.complete(&mut pv, score, depth);
        pv
    }

    #[test]
    fn a_line_is_completed_by_exact_table_results() {
        let known: &[(&[&str], &str, Bound)] = &[
            (&["e2e4"], "e7e5", Bound::Lower),
            (&["e2e4", "e7e5"], "g1f3", Bound::Exact),
            (&["e2e4", "e7e5", "g1f3"], "b8c6", Bound::Lower),
        ];
        let score = Score::new(20);
        assert_eq!(
            completed(&["e2e4"], known, score, 9),
            line(&["e2e4", "e7e5", "g1f3"]).0,
            "a bound is no line"
        );
        assert_eq!(completed(&["e2e4"], known, score, 1), line(&["e2e4", "e7e5"]).0, "a move to ponder on");
        let long = ["e2e4", "e7e5", "g1f3"];
        assert_eq!(completed(&long, known, score, 2), line(&long).0, "never shortened");
        assert_eq!(completed(&["d2d4"], known, score, 9), line(&["d2d4"]).0);
        assert_eq!(
            completed(&["e2e4"], known, Score::mate_in(1), 9),
            line(&["e2e4"]).0,
            "a mate has its length"
        );
    }

    #[test]
    fn a_completed_line_repeats_no_position() {
        let known: &[(&[&str], &str, Bound)] = &[
            (&["g1f3"], "g8f6", Bound::Exact),
            (&["g1f3", "g8f6"], "f3g1", Bound::Exact),
            (&["g1f3", "g8f6", "f3g1"], "f6g8", Bound::Exact),
        ];
        let expected = line(&["g1f3", "g8f6", "f3g1"]).0;
        assert_eq!(completed(&["g1f3"], known, Score::ZERO, 20), expected);
    }
}
