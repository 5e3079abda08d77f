//! Differential tests: incremental and fast computations against the slow ones.

use enfilade::base::random::Random;
use enfilade::chess::board::{Bitboard, Board, Color, Move, MoveList, Role};
use shakmaty::{EnPassantMode, Position, PositionError, Setup};

use crate::walk::{oracle_moves, random_games, sorted};

#[test]
fn incremental_state_equals_fresh_state() {
    random_games(1, 300, |board, chess, _| {
        // The comparison covers pieces, all keys, checkers, pins, castling rights, en passant and clocks.
        assert!(*board == Board::from_chess(chess), "{board:?}");
        assert_eq!(board.to_chess(), *chess);
        assert_eq!(board.checkers(), chess.checkers());
    });
}

#[test]
fn keys_are_those_of_the_pieces() {
    use enfilade::chess::board::keys;
    random_games(2, 60, |board, _, _| {
        let mut key = keys::castling_of(board.castling_rooks());
        let (mut pawns, mut minors, mut others) = (0, 0, [0; 2]);
        for square in board.occupied() {
            let piece = board.piece_at(square).unwrap();
            let number = keys::piece_of(piece, square);
            key ^= number;
            match piece.role {
                Role::Pawn => pawns ^= number,
                role => {
                    others[piece.color as usize] ^= number;
                    if matches!(role, Role::Knight | Role::Bishop) {
                        minors ^= number;
                    }
                }
            }
        }
        if board.turn() == Color::Black {
            key ^= keys::black_to_move();
        }
        if let Some(square) = board.ep_square() {
            key ^= keys::en_passant(square.file());
        }
        assert_eq!(key, board.key(), "{board:?}");
        assert_eq!((pawns, minors), (board.pawn_key(), board.minor_key()), "{board:?}");
        for color in Color::ALL {
            assert_eq!(others[color as usize], board.non_pawn_key(color), "{board:?}");
        }
    });
}

#[test]
fn legal_moves_are_shakmatys() {
    random_games(3, 300, |board, chess, _| {
        assert_eq!(sorted(board.legal_moves()), oracle_moves(chess), "{board:?}");
    });
}

#[test]
fn generators_split_the_moves_without_overlap() {
    random_games(4, 150, |board, _, _| {
        let mut list = MoveList::new();
        board.noisy_moves(&mut list);
        let noisy = list.len();
        board.quiet_moves(&mut list);
        assert!(list[..noisy].iter().all(|&mv| board.is_noisy(mv)), "{board:?}");
        assert!(!list[noisy..].iter().any(|&mv| board.is_noisy(mv)), "{board:?}");
        let all = sorted(list);
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{board:?}");
    });
}

#[test]
fn pseudo_legal_means_generated_for_all_bits() {
    random_games(5, 9, |board, _, _| {
        let mut list = MoveList::new();
        board.noisy_moves(&mut list);
        board.quiet_moves(&mut list);
        let accepted = (1..=u16::MAX).filter_map(Move::from_bits).filter(|&mv| board.is_pseudo_legal(mv));
        assert_eq!(sorted(accepted), sorted(list), "{board:?}");
    });
}

/// `ENFILADE_RANDOM_MOVES` sets the number of random moves for a long run.
#[test]
fn random_bits_pass_only_as_legal_moves() {
    let wanted: u64 =
        std::env::var("ENFILADE_RANDOM_MOVES").ok().and_then(|n| n.parse().ok()).unwrap_or(400_000);
    let mut asked = 0;
    let mut seed = 6;
    while asked < wanted {
        random_games(seed, 30, |board, chess, random| {
            let legal = oracle_moves(chess);
            for _ in 0..100 {
                let Some(mv) = Move::from_bits(plausible_bits(board, random)) else { continue };
                let expected = legal.binary_search_by_key(&mv.bits(), |mv| mv.bits()).is_ok();
                assert_eq!(board.can_play(mv), expected, "{mv:?} in {board:?}");
                asked += 1;
            }
        });
        seed += 1;
    }
}

/// Random bits. In half of the cases the origin is a square of an own piece, so that later checks are reached too.
fn plausible_bits(board: &Board, random: &mut Random) -> u16 {
    let bits = random.bits() as u16;
    if random.bits() & 1 == 0 {
        return bits;
    }
    let us: Vec<_> = board.us().into_iter().collect();
    bits & !63 | us[random.below(us.len())] as u16
}

#[test]
fn what_the_board_predicts_of_a_move_is_true_after_it() {
    random_games(7, 200, |board, _, _| {
        let checks = board.check_squares();
        for mv in board.legal_moves() {
            let next = board.after(mv);
            assert_eq!(board.gives_check_with(&checks, mv), next.in_check(), "{mv:?} in {board:?}");
            assert_eq!(board.gives_check(mv), next.in_check(), "{mv:?} in {board:?}");
            if next.ep_square().is_none() {
                assert_eq!(board.key_after(mv), next.key(), "{mv:?} in {board:?}");
            }
            let fewer = board.occupied().count() > next.occupied().count();
            assert_eq!(board.is_capture(mv), fewer, "{mv:?} in {board:?}");
        }
    });
}

#[test]
fn a_null_move_equals_the_board_with_the_other_side_to_move() {
    random_games(8, 100, |board, chess, _| {
        if board.in_check() {
            return;
        }
        let passed = board.after_null();
        let swapped = chess.clone().swap_turn().or_else(PositionError::ignore_too_much_material);
        let fresh = Board::from_chess(&swapped.expect("not in check"));
        assert_eq!(passed.key(), fresh.key(), "{board:?}");
        assert_eq!(passed.key(), board.key_after_null());
        assert_eq!((passed.pinned(), passed.checkers()), (fresh.pinned(), Bitboard::EMPTY), "{board:?}");
        assert_eq!(sorted(passed.legal_moves()), sorted(fresh.legal_moves()), "{board:?}");
        assert_eq!(passed.halfmove_clock(), board.halfmove_clock() + 1);
    });
}

#[test]
fn threats_are_the_sum_of_all_attacks() {
    random_games(9, 100, |board, chess, _| {
        for color in Color::ALL {
            let pieces = chess.board().by_color(color).into_iter();
            let all = pieces.fold(Bitboard::EMPTY, |sum, from| sum | chess.board().attacks_from(from));
            assert_eq!(board.men().attacked_by(color).all, all, "{board:?}");
            let pawns = board.pieces(color, Role::Pawn).into_iter();
            let all = pawns.fold(Bitboard::EMPTY, |sum, from| sum | chess.board().attacks_from(from));
            assert_eq!(board.pawn_attacks(color), all, "{board:?}");
            for square in Bitboard::FULL {
                let attackers = board.attackers_to(square, board.occupied()) & board.colors(color);
                assert_eq!(attackers, chess.board().attacks_to(square, color, board.occupied()));
            }
        }
    });
}

#[test]
fn a_piece_is_pinned_if_its_removal_exposes_the_king() {
    random_games(10, 100, |board, _, _| {
        let king = board.king(board.turn());
        let expected = board.us().into_iter().filter(|&square| {
            let seen = board.attackers_to(king, board.occupied() ^ square) & board.them();
            square != king && seen != board.checkers()
        });
        assert_eq!(board.pinned(), expected.collect(), "{board:?}");
    });
}

#[test]
fn flipping_twice_gives_the_same_board() {
    random_games(11, 60, |board, chess, _| {
        let flipped = board.flip();
        assert!(flipped.flip() == *board, "{board:?}");
        assert_eq!(flipped.turn(), !board.turn());
        assert_eq!(flipped.legal_moves().len(), board.legal_moves().len(), "{board:?}");
        let mirrored: Setup = chess.to_setup(EnPassantMode::Legal).into_mirrored();
        assert_eq!(flipped.to_chess().to_setup(EnPassantMode::Legal), mirrored);
    });
}
