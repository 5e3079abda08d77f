//! Step 12. Singular extensions (Anantharaman, Campbell and Hsu): if the table move is clearly better than all others,
//! it is searched deeper. If other moves are about as good, it is searched less deeply or not at all.

use super::node::{Node, NodeType, NonPv};
use super::worker::Worker;
use crate::chess::board::Move;
use crate::chess::types::{Bound, Score, Window};

/// What follows for the table's move.
pub(super) enum Extension {
    /// Plies to add to the move's depth; negative values reduce it.
    Plies(i32),
    /// Several moves beat beta: the node is cut off with this score (multi-cut).
    Cut(Score),
}

impl Worker {
    /// Whether extensions are allowed at `ply`. Without this limit, lines full of extensions would grow without end.
    pub(super) fn may_extend(&self, ply: usize) -> bool {
        ply < (self.params().extension_reach * self.root_depth) as usize
    }

    /// Searches all moves but the table's, less deeply and with a null window below the table's score.
    pub(super) fn extension<N: NodeType>(&mut self, node: &Node<'_>, tt_move: Move) -> Extension {
        let params = self.params();
        let &Node { board, ply, depth, tt_score, .. } = node;
        let applies = self.job.rules.selectivity.pruning
            && self.may_extend(ply)
            && depth >= params.singular_depth
            && node.excluded.is_none()
            && node.tt.is_some_and(|hit| hit.bound != Bound::Upper)
            && !tt_score.is_decisive()
            && node.tt_depth >= depth - params.singular_table_depth;
        if !applies {
            return Extension::Plies(0);
        }
        let singular_beta = tt_score - params.singular_slope * depth / 16;
        let singular_depth = (depth - 1) * params.singular_share / 1024;

        let saved = self.frames[ply];
        self.frames[ply].excluded = Some(tt_move);
        let window = Window::null_below(singular_beta);
        let score = self.search::<NonPv>(board, window, singular_depth, ply, node.cut_node);
        let killers = self.frames[ply].killers;
        self.frames[ply] = saved;
        self.frames[ply].killers = killers;
        if self.stopped {
            return Extension::Plies(0);
        }

        let params = self.params();
        let beta = node.window.beta;
        if score < singular_beta {
            let doubly = !N::PV
                && score < singular_beta - params.double_margin
                && self.frames[ply].double_extensions < params.double_limit;
            Extension::Plies(if doubly { 2 } else { 1 })
        } else if score >= beta && !score.is_decisive() {
            Extension::Cut(score)
        } else if tt_score >= beta {
            Extension::Plies(i32::from(N::PV) - params.negative_extension)
        } else if node.cut_node {
            Extension::Plies(-params.negative_extension_cut_node)
        } else {
            Extension::Plies(0)
        }
    }
}
