//! A node of the main search: its type, what the search steps know about it, and the moves in its move loop.

use crate::chess::board::{Board, Move};
use crate::chess::types::{Score, Window};
use crate::engine::tt::Record;

/// Kinds of nodes, resolved at compile time.
pub(super) trait NodeType {
    /// Whether the node is on the principal variation: it is searched with an open window.
    const PV: bool;
    /// Whether the node is the root.
    const ROOT: bool;
}
/// The root node.
pub(super) struct Root;
/// A node on the principal variation.
pub(super) struct Pv;
/// Any other node, searched with a null window.
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

/// What the search steps know about one node. Early steps fill in fields that later steps read.
pub(super) struct Node<'a> {
    pub board: &'a Board,
    pub ply: usize,
    /// Remaining depth, in plies. The first steps may change it.
    pub depth: i32,
    /// The search window. The first steps may narrow it.
    pub window: Window,
    pub in_check: bool,
    /// Whether a cut-off is expected here.
    pub cut_node: bool,
    /// The move that a singular search leaves out.
    pub excluded: Option<Move>,
    /// Lower bound of the score, which a repetition or the tablebases guarantee.
    pub floor: Score,
    /// Upper bound of the score, from the tablebases.
    pub ceiling: Score,
    /// The table's record; `None` in a singular search. Step 3 fills in this field and all fields whose names begin
    /// with `tt`.
    pub tt: Option<Record>,
    /// The table's move, which is legal here; at the root, the best move so far.
    pub tt_move: Option<Move>,
    /// The record's score, with mates counted from the root.
    pub tt_score: Score,
    /// The record's depth, in plies; 0 for the result of a leaf search.
    pub tt_depth: i32,
    /// Whether the node is on a principal variation, or was when the record was stored.
    pub tt_pv: bool,
    /// The network's static evaluation without correction; `None` in check and in a singular search. Step 5 fills in
    /// this field and those below. It leaves the corrected evaluation in the [`Frame`](super::worker::Frame).
    pub raw_eval: Option<Score>,
    /// The corrected static evaluation, or the table's score if that says more; meaningless in check.
    pub eval: Score,
    /// Whether the side to move stands better than at its last move.
    pub improving: bool,
}

impl<'a> Node<'a> {
    /// A new node. Nothing is known about it yet except what its parent passes on.
    #[inline]
    pub fn new(board: &'a Board, window: Window, depth: i32, ply: usize, cut_node: bool) -> Node<'a> {
        Node {
            board,
            ply,
            depth,
            window,
            in_check: board.in_check(),
            cut_node,
            excluded: None,
            floor: -Score::INFINITE,
            ceiling: Score::INFINITE,
            tt: None,
            tt_move: None,
            tt_score: Score::ZERO,
            tt_depth: 0,
            tt_pv: false,
            raw_eval: None,
            eval: Score::ZERO,
            improving: false,
        }
    }
}

/// A move in the move loop, with what the steps need to know about it.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub mv: Move,
    /// Whether the move is a capture or a promotion to a queen.
    pub is_noisy: bool,
    pub gives_check: bool,
    /// What the exchange is known to gain at least, in centipawns, if the move is a capture; `i32::MIN` if nothing is
    /// known.
    pub known_gain: i32,
    /// The move's history score.
    pub history: i32,
    /// The move's number within its node, from 1.
    pub number: usize,
    /// The base reduction of a move with this number, in 1024ths of a ply; step 13 adjusts it.
    pub reduction: i32,
    /// Plies that step 12 adds to the move's depth; negative values reduce it.
    pub extension: i32,
}
