//! A node of the main search: its kind, and what its steps know of it.

use crate::board::{Board, Move};
use crate::tt::Record;
use crate::types::Score;

/// Kinds of nodes, resolved at compile time.
pub(super) trait NodeType {
    /// On the principal variation: searched with an open window.
    const PV: bool;
    /// The root.
    const ROOT: bool;
}
/// The root node.
pub(super) struct Root;
/// A node on the principal variation.
pub(super) struct Pv;
/// Any other node, searched with a zero window.
pub(super) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// What the steps of one node know of it.
pub(super) struct Node<'a> {
    pub board: &'a Board,
    pub ply: usize,
    pub depth: i32,
    pub in_check: bool,
    /// A node of which a cut-off is expected.
    pub cut_node: bool,
    /// The static evaluation, or better what the table knows; meaningless in check.
    pub eval: Score,
    /// The side to move stands better than at its last move.
    pub improving: bool,
    /// The static evaluation as the network has it; `None` in check and in a singular search.
    pub raw_eval: Option<Score>,
    pub excluded: Option<Move>,
    pub tt: Option<Record>,
    pub tt_move: Option<Move>,
    pub tt_score: Score,
    pub tt_depth: i32,
    /// On a principal variation now or when the table's entry was made.
    pub tt_pv: bool,
    /// What a repetition or the tablebases promise at least, and these allow at most.
    pub floor: Score,
    /// See [`Node::floor`].
    pub ceiling: Score,
}
