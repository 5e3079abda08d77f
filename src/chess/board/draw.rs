//! Draws by rule: the limit of the fifty-move rule, and positions in which no series of legal moves can lead to mate,
//! judged by the material alone.

use super::{Bitboard, Board, Role};

/// Plies without a capture or a pawn move after which a game is drawn, unless the last of them mates.
pub const FIFTY_MOVES: u32 = 100;

impl Board {
    /// Whether neither side can ever mate: bare kings, one minor piece, or bishops that all stand on squares of one
    /// color. If a side can mate with the opponent's help, as with two knights or a minor piece on either side, the
    /// game goes on.
    pub fn is_insufficient_material(&self) -> bool {
        let heavy = self.roles(Role::Pawn) | self.straight_sliders();
        if heavy.any() {
            return false;
        }
        let knights = self.roles(Role::Knight);
        let bishops = self.roles(Role::Bishop);
        if knights.any() {
            return bishops.is_empty() && !knights.more_than_one();
        }
        (bishops & Bitboard::DARK_SQUARES).is_empty() || (bishops & Bitboard::LIGHT_SQUARES).is_empty()
    }
}
