//! Attacked squares, and pieces that hang: what the evaluation network is told of a piece besides its square.
//!
//! A piece *hangs* if a lesser piece attacks it, or if it is attacked and no piece of its color defends it. Knights and
//! bishops are worth the same here, and a king attacks as the most valuable piece. Kings never hang. Pins, and attacks
//! through another piece, do not count.

use super::position::pawn_attacks_of;
use super::{Bitboard, Board, Color, Role, Square, attacks};

/// The men on a board, or some of them. Nothing is required of their places.
#[derive(Clone, Copy, Default, Debug)]
pub struct Men {
    /// By [`Role`], pawns first.
    pub roles: [Bitboard; 6],
    /// By [`Color`], Black first.
    pub colors: [Bitboard; 2],
}

/// The squares that the men of each color and role attack, including those of men of their own color: by [`Color`],
/// Black first, then by [`Role`], pawns first.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct AttackMap(pub [[Bitboard; 6]; 2]);

/// The squares that one color attacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttackedSquares {
    /// Those of pawns.
    pub pawns: Bitboard,
    /// Those of pawns, knights and bishops.
    pub minors: Bitboard,
    /// Those of pawns, knights, bishops and rooks.
    pub rooks: Bitboard,
    /// Those of all men.
    pub all: Bitboard,
}

impl Board {
    /// All men.
    #[inline]
    pub fn men(&self) -> Men {
        Men { roles: self.roles, colors: self.colors }
    }
}

impl AttackedSquares {
    /// The squares that a color attacks whose roles attack these.
    #[inline(always)]
    fn of([pawns, knights, bishops, rooks, queens, kings]: [Bitboard; 6]) -> AttackedSquares {
        let minors = pawns | knights | bishops;
        let rooks = minors | rooks;
        AttackedSquares { pawns, minors, rooks, all: rooks | queens | kings }
    }
}

impl AttackMap {
    /// The squares that `color` attacks.
    #[inline]
    pub fn by(&self, color: Color) -> AttackedSquares {
        AttackedSquares::of(self.0[color as usize])
    }
}

impl Men {
    /// Only the men on `squares`.
    pub fn on(self, squares: Bitboard) -> Men {
        Men { roles: self.roles.map(|role| role & squares), colors: self.colors.map(|color| color & squares) }
    }

    /// All men.
    #[inline(always)]
    pub fn all(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The squares where these men and the `others` differ.
    #[inline(always)]
    pub fn changed(&self, others: &Men) -> Bitboard {
        let pairs = self.roles.iter().zip(&others.roles).chain(self.colors.iter().zip(&others.colors));
        pairs.fold(Bitboard::EMPTY, |changed, (&ours, &theirs)| changed | (ours ^ theirs))
    }

    /// The pieces of either color that hang.
    #[inline]
    pub fn hanging(&self) -> Bitboard {
        self.hanging_under(&self.attack_map())
    }

    /// Writes all attacks to `attacks`, and gives the pieces of either color that hang.
    #[inline]
    pub fn look(&self, attacks: &mut AttackMap) -> Bitboard {
        *attacks = self.attack_map();
        self.hanging_under(attacks)
    }

    /// The pieces of either color that hang if `attacks` is the map of all attacks.
    #[inline(always)]
    pub fn hanging_under(&self, attacks: &AttackMap) -> Bitboard {
        let [_, knights, bishops, rooks, queens, kings] = self.roles;
        let attacks = attacks.0.map(AttackedSquares::of);
        let of = |color: Color| {
            let (ours, theirs) = (attacks[color as usize], attacks[!color as usize]);
            let lesser =
                ((knights | bishops) & theirs.pawns) | (rooks & theirs.minors) | (queens & theirs.rooks);
            self.colors[color as usize] & (lesser | (theirs.all & !ours.all & !kings))
        };
        of(Color::Black) | of(Color::White)
    }

    /// The men of one color and role.
    #[inline(always)]
    pub fn of(&self, color: Color, role: Role) -> Bitboard {
        self.colors[color as usize] & self.roles[role as usize - 1]
    }

    /// The square of the king of `color`, or a1 if there is none.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.of(color, Role::King).first().unwrap_or(Square::A1)
    }

    /// The squares that the pawns of `color` attack.
    #[inline(always)]
    pub fn pawn_attacks(&self, color: Color) -> Bitboard {
        pawn_attacks_of(color, self.of(color, Role::Pawn))
    }

    /// The squares that `color` attacks, including those of its own pieces.
    #[inline]
    pub fn attacked_by(&self, color: Color) -> AttackedSquares {
        AttackedSquares::of(self.attacks_of(color))
    }

    /// The squares that the men of each color and role attack.
    #[inline]
    pub fn attack_map(&self) -> AttackMap {
        AttackMap([self.attacks_of(Color::Black), self.attacks_of(Color::White)])
    }

    /// The squares that the men of each role of `color` attack.
    #[inline(always)]
    fn attacks_of(&self, color: Color) -> [Bitboard; 6] {
        let occupied = self.all();
        [
            self.pawn_attacks(color),
            union(self.of(color, Role::Knight), attacks::knight_attacks),
            union(self.of(color, Role::Bishop), |square| attacks::bishop_attacks(square, occupied)),
            union(self.of(color, Role::Rook), |square| attacks::rook_attacks(square, occupied)),
            union(self.of(color, Role::Queen), |square| attacks::queen_attacks(square, occupied)),
            union(self.of(color, Role::King), attacks::king_attacks),
        ]
    }
}

/// The union of the sets that `attacks` gives for the squares of `men`.
#[inline(always)]
fn union(men: Bitboard, attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
    men.into_iter().fold(Bitboard::EMPTY, |union, square| union | attacks(square))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hanging(fen: &str) -> Vec<Square> {
        Board::from_fen(fen).unwrap().0.men().hanging().into_iter().collect()
    }

    #[test]
    fn a_piece_hangs_if_a_lesser_piece_attacks_it_or_nothing_defends_it() {
        use Square::*;
        // Nothing is attacked.
        assert_eq!(hanging("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), []);
        // A rook attacks a pawn that a king defends, and then one that nobody defends.
        assert_eq!(hanging("8/8/2k5/3p4/8/8/8/K2R4 w - - 0 1"), []);
        assert_eq!(hanging("8/8/1k6/3p4/8/8/8/K2R4 w - - 0 1"), [D5]);
        // A pawn attacks a knight that is defended; the pawn is defended, too.
        assert_eq!(hanging("8/1k6/4p3/3N4/4P3/8/8/K2R4 w - - 0 1"), [D5]);
        // A bishop attacks a knight that is defended: their worth is the same.
        assert_eq!(hanging("4k3/8/8/5b2/8/3N4/2P5/4K3 w - - 0 1"), []);
        // A pawn attacks a queen and a bishop a rook, which are both defended. The queen attacks the pawn, which is
        // not.
        assert_eq!(hanging("8/8/1p1k4/2q1R3/3P4/6b1/7p/K7 w - - 0 1"), [D4, C5, E5]);
        // Queens attack each other. Only one of them is defended.
        assert_eq!(hanging("3qk3/8/8/8/8/8/8/K2Q4 w - - 0 1"), [D1]);
        // A king attacks what is not defended, and never hangs itself.
        assert_eq!(hanging("8/8/8/3k4/3P4/8/3R4/K7 w - - 0 1"), []);
        assert_eq!(hanging("8/8/8/3k4/2P5/8/8/K7 b - - 0 1"), [C4]);
    }

    #[test]
    fn men_outside_the_given_squares_do_not_count() {
        let men = Board::from_fen("8/8/1k6/3p4/8/8/8/K2R4 w - - 0 1").unwrap().0.men();
        let pawn = Bitboard::from_square(Square::D5);
        assert_eq!(men.hanging(), pawn);
        assert_eq!(men.on(pawn).hanging(), Bitboard::EMPTY);
        assert_eq!(men.on(pawn | Square::D1).hanging(), pawn);
    }
}
