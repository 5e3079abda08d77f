//! A lead counts only in part if its material cannot win. The sign of the evaluation never changes.
//!
//! A sum over pieces and squares treats every surplus as one that can be turned into a win. Without pawns, a surplus of
//! a minor piece cannot be turned into a win. With nothing but bishops and pawns, and bishops of opposite colors, an
//! extra pawn often cannot either. The rules are those of textbooks. The shares are guesses that only have to order
//! such endgames below those that can be won.

use crate::chess::board::{Board, Color, Role};

/// The denominator of [`winning_share`].
pub const FULL_SHARE: i32 = 64;

/// The share for pawnless leads of a minor piece or less: rook against knight, rook and bishop against rook.
const SMALL_LEAD: i32 = 12;
/// The share for a lone minor piece or two knights, which cannot force mate.
const CANNOT_MATE: i32 = 2;
/// The share for bishops of opposite colors with nothing but pawns.
const OPPOSITE_BISHOPS: i32 = 32;

/// The share of its lead, in 1/[`FULL_SHARE`], that the leading side `ahead` can hope to turn into a win.
#[inline]
pub fn winning_share(board: &Board, ahead: Color) -> i32 {
    if board.pieces(ahead, Role::Pawn).is_empty() {
        return pawnless_share(board, ahead);
    }
    if has_only_opposite_bishops(board) { OPPOSITE_BISHOPS } else { FULL_SHARE }
}

#[cold]
fn pawnless_share(board: &Board, ahead: Color) -> i32 {
    let own = board.pieces_worth(ahead);
    if own <= 3 || (own == 6 && board.pieces(ahead, Role::Knight).count() == 2) {
        CANNOT_MATE
    } else if own - board.pieces_worth(ahead.other()) <= 3 {
        SMALL_LEAD
    } else {
        FULL_SHARE
    }
}

fn has_only_opposite_bishops(board: &Board) -> bool {
    let others = board.roles(Role::Knight) | board.roles(Role::Rook) | board.roles(Role::Queen);
    if others.any() {
        return false;
    }
    let white = board.pieces(Color::White, Role::Bishop).single_square();
    let black = board.pieces(Color::Black, Role::Bishop).single_square();
    matches!((white, black), (Some(white), Some(black)) if white.is_light() != black.is_light())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(fen: &str, ahead: Color) -> i32 {
        let board = Board::from_fen(fen).unwrap().0;
        winning_share(&board, ahead)
    }

    #[test]
    fn leads_that_cannot_win_are_scaled_down() {
        for (fen, expected) in [
            ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", CANNOT_MATE),
            ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", CANNOT_MATE),
            ("4k3/8/8/8/8/8/8/3BKN2 w - - 0 1", FULL_SHARE),
            ("4kb2/8/8/8/8/8/8/4KR2 w - - 0 1", SMALL_LEAD),
            ("4kr2/8/8/8/8/8/8/4KR1B w - - 0 1", SMALL_LEAD),
            ("4kr2/8/8/8/8/8/8/4KQ2 w - - 0 1", FULL_SHARE),
            ("4kr2/8/8/8/8/8/P7/4KQ2 w - - 0 1", FULL_SHARE),
            ("4kb2/8/8/8/8/8/PP6/4KB2 w - - 0 1", OPPOSITE_BISHOPS),
            ("4k1b1/8/8/8/8/8/PP6/4KB2 w - - 0 1", FULL_SHARE),
            ("4kb2/8/8/8/8/8/PP6/4KN2 w - - 0 1", FULL_SHARE),
        ] {
            assert_eq!(share(fen, Color::White), expected, "{fen}");
        }
    }
}
