//! The phases of a game by the men on the board, after the rules of lichess's divider: the middlegame begins with ten
//! pieces besides kings and pawns, or when a side has left its first rank; the endgame begins with six.

use crate::chess::board::{Board, Color, Rank, Role, Square};

const MIDDLEGAME_PIECES: usize = 10;
const ENDGAME_PIECES: usize = 6;
const SPARSE_RANK: usize = 4;
/// Shorter games have no names of phases.
const LEAST_POSITIONS: usize = 20;

/// Where the phases after the opening begin: names and numbers of positions.
pub(super) fn phases(boards: &[Board]) -> Vec<(&'static str, usize)> {
    if boards.len() <= LEAST_POSITIONS {
        return Vec::new();
    }
    let found =
        |is_reached: fn(&Board) -> bool| boards.iter().position(is_reached).filter(|index| *index > 0);
    let endgame = found(|board| pieces(board) <= ENDGAME_PIECES);
    let middlegame = found(is_middlegame).filter(|index| endgame.is_none_or(|endgame| *index < endgame));
    [("middlegame", middlegame), ("endgame", endgame)]
        .into_iter()
        .filter_map(|(name, index)| Some((name, index?)))
        .collect()
}

fn is_middlegame(board: &Board) -> bool {
    let is_sparse = |(side, rank): (Color, Rank)| {
        let on_rank = Square::ALL.into_iter().filter(|square| square.rank() == rank);
        let men = on_rank.filter_map(|square| board.piece_at(square));
        men.filter(|man| man.color == side && man.role != Role::Pawn).count() < SPARSE_RANK
    };
    pieces(board) <= MIDDLEGAME_PIECES
        || [(Color::White, Rank::First), (Color::Black, Rank::Eighth)].into_iter().any(is_sparse)
}

/// The number of queens, rooks, bishops and knights.
fn pieces(board: &Board) -> usize {
    let men = Square::ALL.into_iter().filter_map(|square| board.piece_at(square));
    men.filter(|man| !matches!(man.role, Role::Pawn | Role::King)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_begin_with_fewer_pieces() {
        let board = |fen: &str| Board::from_fen(fen).unwrap().0;
        let start = Board::startpos();
        let middlegame = board("2kr3r/ppp2ppp/2n1b3/8/8/2N1B3/PPP2PPP/2KR3R w - - 0 1");
        let endgame = board("2k5/ppp2ppp/2n1b3/8/8/2N1B3/PPP2PPP/2K5 w - - 0 1");
        let game = |parts: [usize; 3]| -> Vec<Board> {
            let boards = [&start, &middlegame, &endgame].into_iter().zip(parts);
            boards.flat_map(|(board, count)| std::iter::repeat_n(board.clone(), count)).collect()
        };
        assert_eq!(phases(&game([10, 10, 5])), [("middlegame", 10), ("endgame", 20)]);
        assert_eq!(phases(&game([12, 0, 12])), [("endgame", 12)]);
        assert_eq!(phases(&game([30, 0, 0])), []);
        assert_eq!(phases(&game([0, 30, 0])), [], "the game begins there");
        assert_eq!(phases(&game([5, 5, 5])), [], "the game is short");
    }
}
