//! The board: its state, and the questions that can be answered by looking at it.
//!
//! The board takes three cache lines, which are copied whole on each move. Copying is cheaper than undoing, and gives
//! every entry of the search stack a position that nothing else can change. Pieces are kept twice, by bitboard and by
//! square, because generators need the former and move ordering the latter. Checkers and pins are computed once per
//! position, because almost every later question depends on them.

use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position, Setup};

use super::playable::playable;
use super::{Bitboard, CastlingSide, Color, File, Piece, Role, Square, attacks, keys};

/// A playable position.
///
/// Equality covers everything, including the clocks. Positions that repeat each other have equal [`Board::key`]s.
#[derive(Clone, PartialEq, Eq)]
#[repr(align(64))]
pub struct Board {
    pub(super) mailbox: [Option<Role>; 64],
    pub(super) roles: [Bitboard; 6],
    pub(super) colors: [Bitboard; 2],
    pub(super) checkers: Bitboard,
    pub(super) pinned: Bitboard,
    pub(super) key: u64,
    pub(super) pawn_key: u64,
    pub(super) non_pawn_keys: [u64; 2],
    pub(super) minor_key: u64,
    pub(super) halfmove_clock: u16,
    pub(super) fullmove: u16,
    /// Files of the rooks that may still castle: White's in the low byte, Black's in the high one.
    pub(super) castling: u16,
    pub(super) turn: Color,
    /// Set only when some en passant capture is legal.
    pub(super) ep_square: Option<Square>,
}

const _: () = assert!(size_of::<Board>() == 192);

impl Board {
    /// The starting position of standard chess.
    pub fn startpos() -> Board {
        Board::from_chess(&Chess::default())
    }

    /// Converts a position of shakmaty's type.
    pub fn from_chess(chess: &Chess) -> Board {
        let mut board = Board {
            mailbox: [None; 64],
            roles: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            key: 0,
            pawn_key: 0,
            non_pawn_keys: [0; 2],
            minor_key: 0,
            halfmove_clock: chess.halfmoves().min(u32::from(u16::MAX)) as u16,
            fullmove: chess.fullmoves().get().min(u32::from(u16::MAX)) as u16,
            castling: keys::fold_rights(chess.castles().castling_rights()),
            turn: chess.turn(),
            ep_square: chess.legal_ep_square(),
        };
        for (square, piece) in chess.board() {
            board.put(piece.color, piece.role, square);
        }
        board.key ^= keys::castling(board.castling);
        if board.turn.is_black() {
            board.key ^= keys::black_to_move();
        }
        if let Some(square) = board.ep_square {
            board.key ^= keys::en_passant(square.file());
        }
        board.update_checks();
        board
    }

    /// Converts the position to shakmaty's type, in Chess960 mode.
    ///
    /// # Panics
    ///
    /// Never for a board that this crate has made. All boards pass shakmaty's validation, or the less strict one of
    /// [`Board::from_fen`].
    pub fn to_chess(&self) -> Chess {
        let mut setup = Setup::empty();
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                setup.board.set_piece_at(square, piece);
            }
        }
        setup.turn = self.turn;
        setup.castling_rights = self.castling_rooks();
        setup.ep_square = self.ep_square;
        setup.halfmoves = self.halfmove_clock();
        setup.fullmoves = std::num::NonZeroU32::new(self.fullmove()).unwrap_or(std::num::NonZeroU32::MIN);
        Chess::from_setup(setup, CastlingMode::Chess960)
            .or_else(playable)
            .expect("a board is a valid position")
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The pieces of the side to move.
    #[inline]
    pub fn us(&self) -> Bitboard {
        self.colors(self.turn)
    }

    /// The pieces of the other side.
    #[inline]
    pub fn them(&self) -> Bitboard {
        self.colors(!self.turn)
    }

    /// The pieces of one color.
    #[inline]
    pub fn colors(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    /// The pieces of one role, of both colors.
    #[inline]
    pub fn roles(&self, role: Role) -> Bitboard {
        self.roles[role as usize - 1]
    }

    /// The pieces of one color and role.
    #[inline]
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.colors(color) & self.roles(role)
    }

    /// All material on the board: pawns 1, minor pieces 3, rooks 5, queens 9; 78 at the start.
    #[inline]
    pub fn material(&self) -> i32 {
        self.worth_of(self.occupied())
    }

    /// The material of a color's pieces other than pawns, in the same unit.
    pub fn pieces_worth(&self, color: Color) -> i32 {
        self.worth_of(self.colors(color) & !self.roles(Role::Pawn))
    }

    /// The material of the men on `squares`, in the same unit.
    #[inline]
    fn worth_of(&self, squares: Bitboard) -> i32 {
        let [pawns, knights, bishops, rooks, queens, _] = self.roles;
        let count = |men: Bitboard| (men & squares).count() as i32;
        count(pawns) + 3 * count(knights | bishops) + 5 * count(rooks) + 9 * count(queens)
    }

    /// Bishops and queens of both colors.
    #[inline]
    pub(super) fn diagonal_sliders(&self) -> Bitboard {
        self.roles(Role::Bishop) | self.roles(Role::Queen)
    }

    /// Rooks and queens of both colors.
    #[inline]
    pub(super) fn straight_sliders(&self) -> Bitboard {
        self.roles(Role::Rook) | self.roles(Role::Queen)
    }

    /// The king's square.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        // There is always one king a side; the mask only tells the compiler that the index is in range.
        Square::new(self.pieces(color, Role::King).0.trailing_zeros() & 63)
    }

    /// The role of the piece on a square.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.mailbox[square as usize]
    }

    /// The color of the piece on a square.
    #[inline]
    pub fn color_at(&self, square: Square) -> Option<Color> {
        if self.colors[Color::White as usize].contains(square) {
            Some(Color::White)
        } else if self.colors[Color::Black as usize].contains(square) {
            Some(Color::Black)
        } else {
            None
        }
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let role = self.role_at(square)?;
        let color = Color::from_white(self.colors[Color::White as usize].contains(square));
        Some(Piece { color, role })
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Pieces of the side to move that are pinned to their own king.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The position's key: pieces, side to move, castling rights, and en passant if it is legal. The clocks are not
    /// part of it.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// A key of the pawns of both colors.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// A key of one color's pieces other than pawns, its king included.
    #[inline]
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        self.non_pawn_keys[color as usize]
    }

    /// A key of the knights and bishops of both colors.
    #[inline]
    pub fn minor_key(&self) -> u64 {
        self.minor_key
    }

    /// Plies since the last capture or pawn move; null moves count.
    #[inline]
    pub fn halfmove_clock(&self) -> u32 {
        u32::from(self.halfmove_clock)
    }

    /// The number of the current move of White and Black, from 1.
    #[inline]
    pub fn fullmove(&self) -> u32 {
        u32::from(self.fullmove)
    }

    /// The square behind a pawn that can legally be captured en passant.
    #[inline]
    pub fn ep_square(&self) -> Option<Square> {
        self.ep_square
    }

    /// The rooks of both colors that may still castle.
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        let rights = u64::from(self.castling);
        Bitboard(rights & 0xff | (rights >> 8) << 56)
    }

    /// The rook with which a side may still castle on one wing.
    #[inline]
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let rooks = self.castling_rooks() & self.colors(color);
        let king = self.king(color);
        match side {
            CastlingSide::KingSide => rooks.last().filter(|&rook| rook > king),
            CastlingSide::QueenSide => rooks.first().filter(|&rook| rook < king),
        }
    }

    /// Whether some castling right is not one of standard chess, with the king on the e-file and the rook in the
    /// corner.
    pub fn has_chess960_castling(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            let rooks = self.castling_rooks() & self.colors(color);
            rooks.any() && (self.king(color).file() != File::E || (rooks & !Bitboard::CORNERS).any())
        })
    }

    /// The pieces of both colors that attack a square, if sliders see the given occupancy.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (attacks::pawn_attacks(Color::Black, square) & self.pieces(Color::White, Role::Pawn))
            | (attacks::pawn_attacks(Color::White, square) & self.pieces(Color::Black, Role::Pawn))
            | (attacks::knight_attacks(square) & self.roles(Role::Knight))
            | (attacks::king_attacks(square) & self.roles(Role::King))
            | self.sliders_to(square, occupied)
    }

    /// The sliders of both colors that attack a square through the given occupancy.
    #[inline]
    pub(super) fn sliders_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (attacks::bishop_attacks(square, occupied) & self.diagonal_sliders())
            | (attacks::rook_attacks(square, occupied) & self.straight_sliders())
    }

    /// The squares that a color's pawns attack.
    #[inline]
    pub fn pawn_attacks(&self, color: Color) -> Bitboard {
        pawn_attacks_of(color, self.pieces(color, Role::Pawn))
    }

    /// Whether a color has anything besides king and pawns; without it, a null move proves nothing (zugzwang).
    #[inline]
    pub fn has_non_pawn_material(&self, color: Color) -> bool {
        (self.colors(color) & !(self.roles(Role::Pawn) | self.roles(Role::King))).any()
    }

    /// The position with colors exchanged and the board turned upside down. It is the same game for the other side.
    pub fn flip(&self) -> Board {
        let setup = self.to_chess().to_setup(EnPassantMode::Legal).into_mirrored();
        let chess = Chess::from_setup(setup, CastlingMode::Chess960)
            .or_else(playable)
            .expect("the mirror of a board is a valid position");
        Board::from_chess(&chess)
    }
}

/// The squares attacked by a set of pawns of one color.
#[inline]
pub(super) fn pawn_attacks_of(color: Color, pawns: Bitboard) -> Bitboard {
    let east = (pawns & !Bitboard::from_file(File::H)).0;
    let west = (pawns & !Bitboard::from_file(File::A)).0;
    Bitboard(if color.is_white() { east << 9 | west << 7 } else { east >> 7 | west >> 9 })
}
