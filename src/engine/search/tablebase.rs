//! Step 4: what the endgame tablebases know.

use super::node::{Node, NodeType};
use super::worker::Worker;
use crate::chess::types::{Bound, Score};
use crate::engine::tablebase;
use crate::engine::tt::{Draft, Record};

impl Worker {
    /// Step 4. A tablebase result is as good as any depth, so it is stored in the table. If a mate may be better still,
    /// the result only bounds the score of the search.
    pub(super) fn consult_tablebases<N: NodeType>(&mut self, node: &mut Node<'_>) -> Option<Score> {
        if self.probed_men == 0 || node.excluded.is_some() {
            return None;
        }
        let (score, bound) = self.probe_tablebases(node)?;
        if node.window.is_decided_by(score, bound) {
            self.keep_tablebase_result(node, score, bound);
            return Some(score);
        }
        if N::PV && bound == Bound::Lower {
            node.floor = node.floor.max(score);
            node.window.alpha = node.window.alpha.max(score);
        } else if N::PV {
            node.ceiling = score;
        }
        None
    }

    /// What the tablebases say about a node, if they are to be probed there. Their answer respects the fifty-move rule
    /// only right after a capture or a pawn move. A win or a loss is only a bound, because there may be a mate.
    fn probe_tablebases(&mut self, node: &Node<'_>) -> Option<(Score, Bound)> {
        let &Node { board, depth, ply, .. } = node;
        let job = &self.job;
        let probing = job.rules.probing;
        let applies = job.shared.tablebases.cover(board, self.probed_men)
            && board.halfmove_clock() == 0
            && (depth >= probing.depth || board.occupied().count() < probing.limit);
        if !applies {
            return None;
        }
        let wdl = job.shared.tablebases.wdl(board, &|text| job.run.reporter.message(text))?;
        self.tablebase_hits += 1;
        let score = tablebase::score(wdl, probing.fifty_moves, ply);
        let bound = if score.is_win() {
            Bound::Lower
        } else if score.is_loss() {
            Bound::Upper
        } else {
            Bound::Exact
        };
        Some((score, bound))
    }

    /// Stores a tablebase result in the table, where it is found faster than in the tablebases.
    fn keep_tablebase_result(&mut self, node: &Node<'_>, score: Score, bound: Bound) {
        let record = Record {
            mv: None,
            score: score.to_table(node.ply),
            static_eval: None,
            draft: Draft::main(node.depth + self.params().tablebase_draft),
            bound,
            pv: node.tt_pv,
        };
        self.table.store(node.board.key(), record);
    }
}
