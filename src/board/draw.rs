//! Draws by material: positions that no series of legal moves can end in mate, by what is on the board alone.

use super::{Bitboard, Board, Role};

impl Board {
    /// Whether neither side can ever mate: bare kings, one minor piece, or bishops that all stand on squares of one
    /// color.
    ///
    /// Stricter than the helpmate rule in one way only: two knights, or minors against minors, are played on.
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
