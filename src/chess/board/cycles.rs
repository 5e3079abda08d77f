//! Finds the single move that lies between two positions from their keys, for draws that are one move away.
//!
//! A table holds all reversible moves of pieces on an empty board. The key of a move is the change that it makes to a
//! position's key: the numbers of the piece on its two squares, and that of the side to move. There are 3,668 moves.
//! Cuckoo hashing keeps them in 8,192 slots, and each key has two possible slots. Source: Marcel van Kervinck, "The
//! design and implementation of the Rookie 2.0 chess playing program", Eindhoven 2002.

use std::sync::LazyLock;

use super::{Bitboard, Board, Color, Role, Square, attacks, keys};

const SLOTS: usize = 8_192;
/// Number of moves between two squares. A move and its way back count once.
const MOVES: usize = 3_668;

struct Cuckoo {
    keys: [u64; SLOTS],
    moves: [[Square; 2]; SLOTS],
}

static CUCKOO: LazyLock<Box<Cuckoo>> = LazyLock::new(cuckoo);

fn places(key: u64) -> [usize; 2] {
    [key as usize % SLOTS, (key >> 16) as usize % SLOTS]
}

fn reach(role: Role, square: Square) -> Bitboard {
    match role {
        Role::Pawn => Bitboard::EMPTY,
        Role::Knight => attacks::knight_attacks(square),
        Role::Bishop => attacks::bishop_attacks(square, Bitboard::EMPTY),
        Role::Rook => attacks::rook_attacks(square, Bitboard::EMPTY),
        Role::Queen => attacks::queen_attacks(square, Bitboard::EMPTY),
        Role::King => attacks::king_attacks(square),
    }
}

fn cuckoo() -> Box<Cuckoo> {
    let mut table = Box::new(Cuckoo { keys: [0; SLOTS], moves: [[Square::A1; 2]; SLOTS] });
    let mut count = 0;
    for color in Color::ALL {
        for role in Role::ALL {
            for from in Square::ALL {
                for to in reach(role, from).into_iter().filter(|&to| to > from) {
                    let mut key =
                        keys::piece(color, role, from) ^ keys::piece(color, role, to) ^ keys::black_to_move();
                    let mut squares = [from, to];
                    let mut place = places(key)[0];
                    // An entry that is pushed out goes to its other slot, until a slot is free.
                    loop {
                        std::mem::swap(&mut table.keys[place], &mut key);
                        std::mem::swap(&mut table.moves[place], &mut squares);
                        if key == 0 {
                            break;
                        }
                        let [first, second] = places(key);
                        place = if place == first { second } else { first };
                    }
                    count += 1;
                }
            }
        }
    }
    debug_assert_eq!(count, MOVES);
    table
}

impl Board {
    /// The squares of the one reversible move that leads from this position to the one with `key`, or from there to
    /// here, if there is such a move and nothing stands in its way. The squares are in no particular order.
    #[inline]
    pub fn reversible_move_to(&self, key: u64) -> Option<[Square; 2]> {
        let difference = self.key() ^ key;
        let table = &**CUCKOO;
        let place = places(difference)
            .into_iter()
            .find(|&place| table.keys[place] == difference && difference != 0)?;
        let squares = table.moves[place];
        (attacks::between(squares[0], squares[1]) & self.occupied()).is_empty().then_some(squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::MoveKind;

    #[test]
    fn every_reversible_move_of_a_position_is_found_both_ways() {
        let board =
            Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1").unwrap().0;
        let mut found = 0;
        for mv in board.legal_moves() {
            let child = board.after(mv);
            let is_reversible = !board.is_noisy(mv)
                && board.moved_role(mv) != Role::Pawn
                && !matches!(mv.kind(), MoveKind::Castle);
            let expected = is_reversible.then(|| {
                let mut squares = [mv.from(), mv.to()];
                squares.sort();
                squares
            });
            assert_eq!(board.reversible_move_to(child.key()), expected, "{mv:?}");
            assert_eq!(child.reversible_move_to(board.key()), expected, "{mv:?}");
            found += usize::from(is_reversible);
        }
        assert!(found > 25);
    }

    #[test]
    fn a_blocked_move_reverses_nothing() {
        let far = Board::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap().0;
        let near = Board::from_fen("4k3/8/8/8/8/8/8/3RK3 b - - 0 1").unwrap().0;
        assert_eq!(far.reversible_move_to(near.key()), Some([Square::A1, Square::D1]));
        let far = Board::from_fen("4k3/8/8/8/8/8/8/RN2K3 w - - 0 1").unwrap().0;
        let near = Board::from_fen("4k3/8/8/8/8/8/8/1N1RK3 b - - 0 1").unwrap().0;
        assert_eq!(far.reversible_move_to(near.key()), None);
        assert_eq!(far.reversible_move_to(far.key()), None);
    }

    #[test]
    fn the_table_holds_every_move_once() {
        let filled = CUCKOO.keys.iter().filter(|&&key| key != 0).count();
        assert_eq!(filled, MOVES);
    }
}
