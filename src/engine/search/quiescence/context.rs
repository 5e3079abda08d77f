//! What the multi-level leaf search is asked for, and what its nodes take over from their parents.

use super::gain::Threshold;
use crate::chess::board::Board;
use crate::engine::run::leaf::Validity;
use crate::engine::tt::LeafClass;

/// Which parts a search uses. They are the same at all nodes of a leaf search.
#[derive(Clone, Copy)]
pub(super) struct LeafVariant {
    /// The level to which a leaf is searched.
    pub(super) level: u8,
    /// Whether a losing exchange predicts an auto-fail-high, without making the move.
    pub(super) see_skip: bool,
    /// Whether safe quiet checks are tried at the first ply.
    pub(super) checks: bool,
}

/// For play. A search at level 1 would spend a ply to verify what the exchange evaluation already knows.
pub(super) const PLAY: LeafVariant = LeafVariant { level: 0, see_skip: true, checks: true };
/// For research and analysis.
pub(super) const FULL: LeafVariant =
    LeafVariant { level: Validity::MAX_LEVEL, see_skip: false, checks: false };

/// An exact request to the bootstrapped leaf search. In play the kind of leaf search decides these
/// points.
#[derive(Clone, Copy, Debug)]
pub struct LeafRequest {
    /// The level, 0 to 4, to which the score is to hold.
    pub level: u8,
    /// What the opponent's last move took.
    pub threshold: Threshold,
    /// Whether losing exchanges count as predicted auto-fail-highs.
    pub see_skip: bool,
    /// Whether the first ply tries quiet checks; only with [`Threshold::Unlimited`].
    pub checks: bool,
    /// Whether the node counts as part of the principal variation, which the table never cuts off.
    pub is_pv: bool,
    /// Nodes after which no further level begins.
    pub node_cap: u64,
}

/// What a node of a leaf search takes over from its parent, and what the table adds.
#[derive(Clone, Copy)]
pub(super) struct LeafContext {
    pub(super) ply: usize,
    /// The level to which the node's score is to hold.
    pub(super) level: u8,
    pub(super) threshold: Threshold,
    /// Whether quiet checks are tried: only at the first ply, and never in check.
    pub(super) with_checks: bool,
    pub(super) is_first: bool,
    pub(super) is_pv: bool,
    /// Whether the node is on a principal variation, or was when the table's entry was stored.
    pub(super) was_pv: bool,
}

impl LeafContext {
    /// The first node of a leaf.
    pub(super) fn first(
        board: &Board,
        ply: usize,
        threshold: Threshold,
        variant: LeafVariant,
        is_pv: bool,
    ) -> LeafContext {
        let with_checks = variant.checks && !board.in_check();
        LeafContext {
            ply,
            level: variant.level,
            threshold,
            with_checks,
            is_first: true,
            is_pv,
            was_pv: is_pv,
        }
    }

    /// The table's class of results of this node that are not resolved.
    pub(super) fn class(&self) -> LeafClass {
        self.threshold.class(self.with_checks)
    }

    /// The table's class of resolved results of this node.
    pub(super) fn resolved_class(&self) -> LeafClass {
        if self.with_checks { LeafClass::ResolvedWithChecks } else { LeafClass::Resolved }
    }
}
