//! Step 12. Singular extensions (Anantharaman, Campbell and Hsu): a table move without an
//! equal is searched deeper; where it has many, less deep or not at all. Without all of it -6 +- 29 (at 5,000
//! nodes, which hardly reach its depths), without double extensions +10 +- 29, multi-cut +6 +- 29,
//! negative extensions -19 +- 29.

use super::node::{Node, NodeType, NonPv};
use super::worker::Worker;
use crate::board::Move;
use crate::types::{Bound, Score};

/// What follows for the table's move.
pub(super) enum Verdict {
    /// Plies to add to its depth; negative to take away.
    Extend(i32),
    /// Several moves beat beta: the node is cut off with this score (multi-cut).
    Cut(Score),
}

impl Worker {
    /// Searches all moves but the table's, shallower and with a window below its score.
    pub(super) fn singular<N: NodeType>(&mut self, node: &Node<'_>, tt_move: Move, beta: Score) -> Verdict {
        let params = self.params();
        let &Node { board, ply, depth, tt_score, .. } = node;
        let applies = depth >= params.singular_depth
            && node.excluded.is_none()
            && node.tt.is_some_and(|hit| hit.bound != Bound::Upper)
            && !tt_score.is_decisive()
            && node.tt_depth >= depth - params.singular_table_depth;
        if !applies {
            return Verdict::Extend(0);
        }
        let double_margin = params.double_margin;
        let double_limit = params.double_limit;
        let singular_beta = tt_score - params.singular_slope * depth / 16;

        let saved = self.frames[ply];
        self.frames[ply].excluded = Some(tt_move);
        let score = self.search::<NonPv>(
            board,
            singular_beta - 1,
            singular_beta,
            (depth - 1) / 2,
            ply,
            node.cut_node,
        );
        let killers = self.frames[ply].killers;
        self.frames[ply] = saved;
        self.frames[ply].killers = killers;
        if self.stopped {
            return Verdict::Extend(0);
        }

        if score < singular_beta {
            let doubly = !N::PV
                && score < singular_beta - double_margin
                && self.frames[ply].double_extensions < double_limit;
            Verdict::Extend(if doubly { 2 } else { 1 })
        } else if score >= beta && !score.is_decisive() {
            Verdict::Cut(score)
        } else if tt_score >= beta {
            Verdict::Extend(-2 + i32::from(N::PV))
        } else if node.cut_node {
            Verdict::Extend(-1)
        } else {
            Verdict::Extend(0)
        }
    }
}
