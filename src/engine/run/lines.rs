//! Root moves as lines to report, whether or not their search was finished.

use super::job::Job;
use super::report::Line;
use super::root::RootMove;
use crate::chess::board::Move;
use crate::chess::types::{Bound, Score};
use crate::engine::eval::evaluate_with;

impl Job {
    /// A root move as a line to report.
    pub fn line_of(&self, root: &RootMove, rank: usize, depth: i32) -> Line {
        let searched = root.score != -Score::INFINITE;
        let (score, bound) =
            if searched { (root.score, root.bound) } else { (root.previous_score, Bound::Exact) };
        // The tablebases' score counts, unless the search has proven a mate.
        let (score, bound) = match root.tablebase_score {
            Some(known) if !score.is_mate() => (known, Bound::Exact),
            _ => (score, bound),
        };
        let mut pv: Vec<Move> = root.pv.to_vec();
        let found = pv.len();
        self.complete(&mut pv, score, depth);
        Line {
            multi_pv: rank + 1,
            depth: if searched { depth } else { (depth - 1).max(1) },
            seldepth: root.seldepth.max(1),
            score,
            bound,
            nodes: self.total_nodes(),
            tablebase_hits: self.total_tablebase_hits(),
            hashfull: self.shared.table.hashfull(),
            time: self.run.launch.started.elapsed(),
            pv,
            searched: found,
        }
    }

    /// The line of a search that finished no iteration, or of a finished game.
    pub fn unsearched(&self) -> Line {
        let board = self.task.game.board();
        let moves = self.root_moves().as_slice();
        // An earlier search may have left a better move in the table than the first one. If the tablebases know the
        // position, their best move is the first one already.
        let known = self.shared.table.probe(board.key()).and_then(|hit| hit.mv);
        let is_known = |root: &&RootMove| root.tablebase_score.is_none() && Some(root.mv) == known;
        let best = moves.iter().find(is_known).or(moves.first());
        let score = match best {
            None if board.in_check() && board.legal_moves().is_empty() => Score::mated_in(0),
            None => Score::ZERO,
            Some(root) => {
                root.tablebase_score.unwrap_or_else(|| evaluate_with(self.shared.network.original(), board))
            }
        };
        Line {
            multi_pv: 1,
            depth: 0,
            seldepth: 0,
            score,
            bound: Bound::Exact,
            nodes: self.total_nodes(),
            tablebase_hits: self.total_tablebase_hits(),
            hashfull: self.shared.table.hashfull(),
            time: self.run.launch.started.elapsed(),
            pv: best.into_iter().map(|root| root.mv).collect(),
            searched: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Game;
    use crate::engine::run::limits::Limits;
    use crate::engine::tt::{Draft, Record};

    #[test]
    fn without_a_finished_iteration_the_tt_move_is_played_if_it_is_allowed() {
        let played = |known: Option<&str>, allowed: &[&str]| {
            let game = Game::startpos();
            let parsed = |text: &str| game.board().parse_uci(text).unwrap();
            let limits = Limits {
                search_moves: allowed.iter().map(|text| parsed(text)).collect(),
                ..Limits::depth(1)
            };
            let (mv, key) = (known.map(parsed), game.board().key());
            let job = Job::plain(game, limits);
            let (score, bound, draft) = (Score::ZERO, Bound::Exact, Draft::main(9));
            job.shared.table.store(key, Record { mv, score, static_eval: None, bound, draft, pv: true });
            job.unsearched().pv[0].to_uci(false).to_string()
        };
        assert_eq!(played(Some("g1f3"), &[]), "g1f3");
        assert_eq!(played(Some("g1f3"), &["e2e4", "d2d4"]), played(None, &["e2e4", "d2d4"]));
        assert_eq!(played(Some("d2d4"), &["e2e4", "d2d4"]), "d2d4");
        assert_eq!(played(Some("e2e4"), &["e2e4", "d2d4"]), "e2e4");
    }
}
