//! What the network sees: every piece on its square, from each side's point of view.
//!
//! There are 768 inputs for each side: own and foreign pieces, six roles, 64 squares. The board is turned so that the
//! viewer plays up the board, and mirrored so that the viewer's king stands on files a to d. This halves what the
//! network must learn (`docs/networks.md`).
//!
//! Each of these inputs may have a second one, which says that the piece *hangs*
//! ([`Men::hanging`](crate::chess::board::Men::hanging)).
//!
//! A network may have several *king zones*, elsewhere called king buckets. The square of the viewer's king chooses the
//! zone, and each zone has 768 inputs of its own. So the same piece can mean something else beside another king.

use crate::chess::board::{Color, File, Square};

/// Inputs of one perspective in one king zone.
pub const FEATURES: usize = 768;

/// The greatest number of king zones.
pub const ZONE_LIMIT: usize = 8;

/// The zone of the king's square in a network with [`ZONE_LIMIT`] zones: files a to d, from the first rank to the
/// eighth. With fewer zones, neighbors in this order are one zone. Four zones are the corner with the castled king, the
/// rest of the first rank, the second rank, and everything beyond. In the games of network 12 each of the four has 20%
/// to 28% of the kings.
const FINEST: [[u8; 4]; 8] = [
    [0, 1, 2, 3],
    [4, 4, 5, 5],
    [6, 6, 6, 6],
    [7, 7, 7, 7],
    [7, 7, 7, 7],
    [7, 7, 7, 7],
    [7, 7, 7, 7],
    [7, 7, 7, 7],
];

/// Number of bits of a square.
pub const SQUARE_BITS: u32 = 6;

/// A man on a square, or a man that hangs on a square, the same for both perspectives. Its bits are the square (6), the
/// role (3), the color (0 for White) and whether the man hangs. Every word is such an input, and has its layout.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(transparent)]
pub struct ManInput(u16);

impl ManInput {
    /// The lowest bit of the role.
    const ROLE: u16 = 1 << SQUARE_BITS;
    /// The bit of Black's men.
    const BLACK: u16 = 1 << 11;
    /// The bit of men that hang.
    const HANGS: u16 = 1 << 12;
    /// The bit of Black's men above those of the square.
    pub const BLACK_MARK: u8 = (ManInput::BLACK >> SQUARE_BITS) as u8;
    /// The bit of men that hang above those of the square.
    pub const HANGS_MARK: u8 = (ManInput::HANGS >> SQUARE_BITS) as u8;

    /// The input for a man on `square`, of the role with this number, counted from 0 for pawns. `black` is 1 for
    /// Black's men and 0 for White's.
    #[inline(always)]
    pub fn of_bits(black: u16, role: u16, square: u16) -> ManInput {
        ManInput(black * ManInput::BLACK + role * ManInput::ROLE + square)
    }

    /// The input for `piece` on `square`.
    #[cfg(test)]
    pub fn new(piece: crate::chess::board::Piece, square: Square) -> ManInput {
        ManInput::of_bits(piece.color.fold_wb(0, 1), piece.role as u16 - 1, square as u16)
    }

    /// The input for this man with further bits above those of the square.
    #[inline(always)]
    pub fn marked(self, mark: u8) -> ManInput {
        ManInput(self.0 + (u16::from(mark) << SQUARE_BITS))
    }
}

/// How one side sees the board: what the bits of an input are to it, and where its inputs begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    /// Turns the bits of an input for men into those that the viewer sees, by exclusive or: its square, and its color
    /// if the viewer is Black.
    turn: u16,
    /// The first index of the viewer's men, of the other side's, of the viewer's hanging men and of the other side's.
    firsts: [u16; 4],
}

impl Perspective {
    /// The number of different perspectives of one side in a network with so many king zones.
    pub const fn count(zones: usize) -> usize {
        2 * zones
    }

    /// The view of `color`, whose king stands on `king`, in a network with so many king zones.
    #[inline]
    pub fn new(color: Color, king: Square, zones: usize) -> Perspective {
        const SIDE: usize = FEATURES / 2;
        let mirror = if king.file() >= File::E { 7 } else { 0 };
        let flip = mirror ^ color.fold_wb(0, 56);
        let (zone, hanging) = (FEATURES * zone(king as u8 ^ flip, zones), FEATURES * zones);
        Perspective {
            turn: u16::from(flip) + color.fold_wb(0, ManInput::BLACK),
            firsts: [zone, zone + SIDE, hanging, hanging + SIDE].map(|first| first as u16),
        }
    }

    /// The number of this perspective among those of its side, below [`Perspective::count`].
    #[inline]
    pub fn index(self) -> usize {
        2 * (usize::from(self.firsts[0]) / FEATURES) + usize::from(self.turn & 1)
    }

    /// The index of an input for men. It is below [`FEATURES`] in the first zone, each further zone has the
    /// [`FEATURES`] indices that follow, and the inputs for hanging men follow those of all zones.
    #[inline(always)]
    pub fn man(&self, input: ManInput) -> u16 {
        let bits = input.0 ^ self.turn;
        self.firsts[usize::from(bits / ManInput::BLACK) % 4] + bits % (8 * ManInput::ROLE)
    }
}

/// The zone, below `zones`, of the viewer's king on the viewer's square `seen`, which is on files a to d.
#[inline]
fn zone(seen: u8, zones: usize) -> usize {
    usize::from(FINEST[usize::from(seen / 8 % 8)][usize::from(seen % 4)]) * zones / ZONE_LIMIT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::{Board, Role};

    fn sorted(board: &Board, color: Color) -> Vec<usize> {
        let perspective = Perspective::new(color, board.king(color), ZONE_LIMIT);
        let mut features: Vec<usize> = board
            .occupied()
            .into_iter()
            .map(|square| {
                usize::from(perspective.man(ManInput::new(board.piece_at(square).unwrap(), square)))
            })
            .collect();
        features.sort_unstable();
        features
    }

    #[test]
    fn both_perspectives_of_a_symmetrical_board_have_the_same_features() {
        let start = Board::startpos();
        assert_eq!(sorted(&start, Color::White), sorted(&start, Color::Black));
        let board = Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .unwrap()
            .0;
        assert_eq!(sorted(&board, Color::White), sorted(&board.flip(), Color::Black));
        assert_eq!(sorted(&board, Color::Black), sorted(&board.flip(), Color::White));
    }

    #[test]
    fn feature_indices_are_distinct_and_in_range() {
        for zones in [1, 4] {
            for color in Color::ALL {
                let mut seen = vec![false; zones * FEATURES];
                // One king in each of four zones.
                for king in [Square::G1, Square::E1, Square::A2, Square::H4].into_iter().take(zones) {
                    let king = color.fold_wb(king, king.flip_vertical());
                    let perspective = Perspective::new(color, king, zones);
                    for piece in Role::ALL.into_iter().flat_map(|role| Color::ALL.map(|color| role.of(color)))
                    {
                        for square in Square::ALL {
                            let index = perspective.man(ManInput::new(piece, square));
                            assert!(!std::mem::replace(&mut seen[usize::from(index)], true));
                        }
                    }
                }
                assert!(seen.into_iter().all(|seen| seen));
            }
        }
    }

    /// The inputs of a position are listed once for both sides. So the shared input must lead to the right index.
    #[test]
    fn men_have_the_indices_of_their_pieces_and_squares() {
        for (color, king, zone, flip) in [
            (Color::White, Square::G1, 0, 7),
            (Color::White, Square::C2, 2, 0),
            (Color::Black, Square::F5, 3, 63),
        ] {
            let perspective = Perspective::new(color, king, 4);
            for piece in Role::ALL.into_iter().flat_map(|role| Color::ALL.map(|color| role.of(color))) {
                for square in Square::ALL {
                    let side = usize::from(piece.color != color);
                    let place = (side * 6 + (piece.role as usize - 1)) * 64 + (square as usize ^ flip);
                    let man = ManInput::new(piece, square);
                    assert_eq!(usize::from(perspective.man(man)), zone * FEATURES + place);
                    let hanging = perspective.man(man.marked(ManInput::HANGS_MARK));
                    assert_eq!(usize::from(hanging), 4 * FEATURES + place);
                }
            }
        }
    }

    #[test]
    fn every_number_of_zones_uses_all_of_them() {
        for zones in 1..=ZONE_LIMIT {
            let mut kings = vec![0; Perspective::count(zones)];
            for king in Square::ALL {
                let [white, black] = [(Color::White, king), (Color::Black, king.flip_vertical())]
                    .map(|(color, king)| Perspective::new(color, king, zones));
                assert_eq!((white.firsts, white.turn), (black.firsts, black.turn ^ 56 ^ ManInput::BLACK));
                assert_eq!(white.index(), black.index());
                kings[white.index()] += 1;
            }
            assert!(kings.iter().all(|&kings| kings > 0), "{zones}: {kings:?}");
        }
        let four = |king| zone(king as u8, 4);
        assert_eq!([Square::B1, Square::D1, Square::B2, Square::C5].map(four), [0, 1, 2, 3]);
        assert!(Square::ALL.into_iter().all(|king| zone(king as u8, 1) == 0));
    }

    #[test]
    fn a_king_on_the_right_half_mirrors_the_board() {
        let left = Board::from_fen("4k3/8/8/8/8/8/6P1/1K6 w - - 0 1").unwrap().0;
        let right = Board::from_fen("3k4/8/8/8/8/8/1P6/6K1 w - - 0 1").unwrap().0;
        assert_eq!(sorted(&left, Color::White), sorted(&right, Color::White));
    }
}
