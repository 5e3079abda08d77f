//! A node of the main search: its kind, what its steps know of it, and a move in its loop.

use crate::board::{Board, Move};
use crate::tt::Record;
use crate::types::{Score, Window};

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

/// What the steps of one node know of it; those that come first fill it in.
pub(super) struct Node<'a> {
    pub board: &'a Board,
    pub ply: usize,
    /// Plies that are left. The first steps may add or take away one.
    pub depth: i32,
    /// The first steps may narrow it.
    pub window: Window,
    pub in_check: bool,
    /// A cut-off is expected here.
    pub cut_node: bool,
    /// The move that a singular search leaves out.
    pub excluded: Option<Move>,
    /// What a repetition or the tablebases promise at least.
    pub floor: Score,
    /// What the tablebases allow at most.
    pub ceiling: Score,
    /// The table's record; none in a singular search. Step 3 fills in this and what begins with `tt`.
    pub tt: Option<Record>,
    /// The table's move, legal here; at the root the best one so far.
    pub tt_move: Option<Move>,
    /// The record's score, counted from the root.
    pub tt_score: Score,
    /// The record's depth, 0 for a result of a leaf.
    pub tt_depth: i32,
    /// On a principal variation now or when the record was made.
    pub tt_pv: bool,
    /// The static evaluation as the network has it; `None` in check and in a singular search. Step 5 fills in this and
    /// what follows, and leaves the corrected one in the [`Frame`](super::worker::Frame).
    pub raw_eval: Option<Score>,
    /// The static evaluation, or better what the table knows; meaningless in check.
    pub eval: Score,
    /// The side to move stands better than at its last move.
    pub improving: bool,
    /// By how much, in centipawns; very much where nothing can be compared, and the opposite in check.
    pub improvement: i32,
}

impl<'a> Node<'a> {
    /// A node of which nothing is known yet but what its parent says.
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
            improvement: i32::MIN,
        }
    }
}

/// A move in the move loop, with what the steps ask of it.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub mv: Move,
    /// A capture or a promotion to a queen.
    pub is_noisy: bool,
    pub gives_check: bool,
    /// What the histories say of it.
    pub history: i32,
    /// Which of its node's moves it is, from 1.
    pub number: usize,
    /// The reduction that a move of this number gets, in 1024ths of a ply; step 13 adjusts it.
    pub reduction: i32,
    /// Plies that step 12 adds to its depth; negative ones are taken away.
    pub extension: i32,
}
