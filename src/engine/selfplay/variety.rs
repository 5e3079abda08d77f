//! What makes training games more varied, or cheaper, than the best moves alone.
//!
//! - *Random moves.* A search evaluates many positions to which good play does not lead. So some games leave the path:
//!   at a share of the plies a random move is played that loses no material by static exchange evaluation. The position
//!   keeps the score of its search, but the result tells nothing about what was before the last random move.
//! - *Fast plies.* The positions of a game resemble each other: half of them teach as much as all. So each ply may be
//!   searched fast with a chance of one half, and not be stored as a label. The same hours then bring more games.
//!
//! Which plies these are follows from the game's seed and its scores, and not from the best moves. So a stored game can
//! be checked without a search.

use arrayvec::ArrayVec;

use super::adjudication::DECIDED;
use super::pace::{Pace, SoftNodes};
use crate::base::random::Random;
use crate::chess::board::{Board, Move};
use crate::chess::types::Score;
use serde::{Deserialize, Serialize};

/// How training games are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRules {
    /// The node limits of the moves.
    pub nodes: SoftNodes,
    /// The percentage of plies at which a random move is played.
    pub random_moves: u8,
}

impl TrainingRules {
    /// Games of best moves with these node limits.
    pub fn best(nodes: SoftNodes) -> TrainingRules {
        TrainingRules { nodes, random_moves: 0 }
    }

    /// Whether games can have these rules.
    pub fn are_valid(self) -> bool {
        self.nodes.are_valid() && self.random_moves <= 100
    }

    /// The choices of the game with this seed.
    pub fn variety(self, seed: u64) -> Variety {
        Variety {
            random: Random::stream(seed, 0),
            is_fast: self.nodes.fast.is_some(),
            random_moves: self.random_moves,
            endgame_pieces: self.nodes.endgame_pieces,
        }
    }
}

/// The random choices of a game, ply by ply.
#[derive(Clone, Debug)]
pub struct Variety {
    random: Random,
    /// Whether some plies are searched fast.
    is_fast: bool,
    /// The percentage of plies at which a random move is played.
    random_moves: u8,
    /// With this number of pieces or fewer, moves only decide the game, so none is random.
    endgame_pieces: usize,
}

impl Variety {
    /// Full searches and best moves.
    pub fn none() -> Variety {
        TrainingRules::best(SoftNodes::all(1)).variety(0)
    }

    /// The pace of the next search.
    pub fn pace(&mut self) -> Pace {
        if self.is_fast && self.random.below(2) == 0 { Pace::Fast } else { Pace::Full }
    }

    /// The move to play instead of the best one; `None` for the best move. `score` is that of the search for the side
    /// to move. Decided positions are played out well.
    pub fn random_move(&mut self, board: &Board, score: Score) -> Option<Move> {
        if self.random.below(100) >= usize::from(self.random_moves)
            || score.value().abs() >= DECIDED
            || board.occupied().count() <= self.endgame_pieces
        {
            return None;
        }
        let moves = board.legal_moves();
        let safe: ArrayVec<Move, 256> = moves.iter().copied().filter(|&mv| board.see_ge(mv, 0)).collect();
        (!safe.is_empty()).then(|| safe[self.random.below(safe.len())])
    }
}

/// Whether the side to move can win material by a capture or a promotion. The training leaves out positions whose best
/// move is such a move. After a random move nobody knows the best one, and this question takes its place.
pub fn can_win_material(board: &Board) -> bool {
    board.legal_moves().iter().any(|&mv| board.is_noisy(mv) && board.see_ge(mv, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).unwrap().0
    }

    fn rules(random_moves: u8) -> TrainingRules {
        let nodes = SoftNodes { endgame: 1, endgame_pieces: 3, ..SoftNodes::all(1) };
        TrainingRules { nodes, random_moves }
    }

    #[test]
    fn random_moves_have_their_share_and_lose_no_piece() {
        // The queen can take a defended pawn, and can go to squares that a pawn attacks.
        let board = board("4k3/8/2p5/3p4/8/3Q4/8/4K3 w - - 0 1");
        let mut variety = rules(8).variety(3);
        let drawn: Vec<Move> = (0..10_000).filter_map(|_| variety.random_move(&board, Score::ZERO)).collect();
        assert!((650..950).contains(&drawn.len()), "{}", drawn.len());
        assert!(drawn.iter().all(|&mv| board.can_play(mv) && board.see_ge(mv, 0)));
        let losing = board.legal_moves().iter().filter(|&&mv| !board.see_ge(mv, 0)).count();
        let different: std::collections::BTreeSet<u16> = drawn.iter().map(|mv| mv.bits()).collect();
        assert!(losing > 1 && different.len() == board.legal_moves().len() - losing);
    }

    #[test]
    fn endgames_and_decided_positions_get_no_random_move() {
        let mut variety = rules(100).variety(3);
        let mut draw = |fen, score| variety.random_move(&board(fen), Score::new(score)).is_some();
        let four = "4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1";
        assert!(draw(four, DECIDED - 1));
        assert!(!draw(four, -DECIDED));
        assert!(!draw("4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1", 0));
        assert!(rules(0).variety(3).random_move(&board(four), Score::ZERO).is_none());
    }

    #[test]
    fn half_of_the_plies_are_fast_only_if_asked() {
        let fast = |fast| {
            let nodes = SoftNodes { fast, ..SoftNodes::all(9) };
            let mut variety = TrainingRules::best(nodes).variety(7);
            (0..1_000).filter(|_| variety.pace() == Pace::Fast).count()
        };
        assert_eq!(fast(None), 0);
        assert!((400..600).contains(&fast(Some(2))));
    }

    #[test]
    fn only_a_gain_by_exchanges_wins_material() {
        assert!(can_win_material(&board("4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1")));
        assert!(!can_win_material(&board("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1")));
        assert!(can_win_material(&board("8/P7/4k3/8/8/8/8/4K3 w - - 0 1")));
        assert!(!can_win_material(&board("4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1")));
    }
}
