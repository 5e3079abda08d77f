//! From which corner a color's pieces look up their tables.
//!
//! Every table is read as if its color were White with the king on files e to h: the board
//! is turned for Black and mirrored for a king on files a to d. What mirroring cannot see is
//! whether the enemy king stands on the same wing, which decides between sheltering and
//! storming pawns; each relation of the two wings has its own set of tables.

use crate::board::{Board, Color, Role, Square};

/// Relations of the kings' wings: 0 for the same wing, 1 for opposite ones.
pub const RELATIONS: usize = 2;

/// One color's way of reading the tables; it holds until a king changes wings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    relation: u8,
    flip: u8,
}

impl Frame {
    /// The frame of `color` with the kings on these squares.
    #[inline]
    pub fn new(color: Color, own_king: Square, enemy_king: Square) -> Frame {
        let mirror = if is_queen_wing(own_king) { 7 } else { 0 };
        let turn = color.fold_wb(0, 56);
        Frame { relation: u8::from(changes_wing(own_king, enemy_king)), flip: mirror ^ turn }
    }

    /// The set of tables, below [`RELATIONS`].
    #[inline]
    pub fn relation(self) -> usize {
        usize::from(self.relation)
    }

    /// Where `square` lies in a table that counts from a1 along the ranks, below 64.
    #[inline]
    pub fn index(self, square: Square) -> usize {
        square.to_usize() ^ usize::from(self.flip)
    }
}

/// The frames of both colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frames {
    white: Frame,
    black: Frame,
}

impl Frames {
    /// The frames with the kings where they stand on `board`.
    #[inline]
    pub fn of(board: &Board) -> Frames {
        let (white, black) = (board.king(Color::White), board.king(Color::Black));
        Frames {
            white: Frame::new(Color::White, white, black),
            black: Frame::new(Color::Black, black, white),
        }
    }

    /// The frame of one color.
    #[inline]
    pub fn get(&self, color: Color) -> Frame {
        color.fold_wb(self.white, self.black)
    }
}

/// The place of a role's table in its set, from 0 for pawns to 5 for kings.
#[inline]
pub fn role_index(role: Role) -> usize {
    role as usize - 1
}

/// Whether the two squares lie on different wings of the board.
#[inline]
pub fn changes_wing(a: Square, b: Square) -> bool {
    is_queen_wing(a) != is_queen_wing(b)
}

#[inline]
fn is_queen_wing(square: Square) -> bool {
    square.to_u32() & 4 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_king_is_always_seen_on_its_own_wing_at_the_bottom() {
        for (color, king, seen) in [
            (Color::White, Square::G1, Square::G1),
            (Color::White, Square::B1, Square::G1),
            (Color::Black, Square::G8, Square::G1),
            (Color::Black, Square::C8, Square::F1),
            (Color::Black, Square::D1, Square::E8),
        ] {
            assert_eq!(Frame::new(color, king, Square::E4).index(king), seen.to_usize());
        }
    }

    #[test]
    fn each_color_gets_its_own_frame() {
        let board = Board::from_fen("2k5/8/8/8/8/8/8/5K2 w - - 0 1").unwrap().0;
        let frames = Frames::of(&board);
        for color in [Color::White, Color::Black] {
            let king = board.king(color);
            assert_eq!(frames.get(color), Frame::new(color, king, board.king(color.other())));
            assert_eq!(frames.get(color).index(king), Square::F1.to_usize());
        }
    }

    #[test]
    fn the_relation_is_the_same_for_both_colors() {
        for (white, black, relation) in
            [(Square::G1, Square::H7, 0), (Square::C1, Square::G8, 1), (Square::D2, Square::A5, 0)]
        {
            assert_eq!(Frame::new(Color::White, white, black).relation(), relation);
            assert_eq!(Frame::new(Color::Black, black, white).relation(), relation);
        }
    }
}
