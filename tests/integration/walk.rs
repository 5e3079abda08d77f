//! Random games, played on our board and on shakmaty's board at the same time.

use enfilade::base::random::Random;
use enfilade::chess::board::{Board, Move};
use shakmaty::{Bitboard, CastlingMode, Chess, Color, FromSetup, Position, Role, Setup, Square};

/// The Chess960 starting position with this number.
pub fn chess960_start(number: u32) -> Chess {
    let setup = Setup { board: shakmaty::Board::chess960(number), ..Setup::initial() };
    let rooks = setup.board.rooks();
    let setup = Setup { castling_rights: rooks, ..setup };
    Chess::from_setup(setup, CastlingMode::Chess960).expect("a starting position")
}

/// Positions with many special cases: castling, promotions, en passant, checks.
const SHARP: [&str; 6] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/6bb/8/8/R1pP2k1/4P3/P7/K7 b - d3 0 1",
    "2r1k2r/8/8/8/8/8/8/R3KR2 w Fhc - 0 1",
];

/// A position that no game leads to, with up to sixteen men of any kind on each side.
pub fn crowded(random: &mut Random) -> Chess {
    loop {
        let mut setup = Setup::empty();
        setup.turn = Color::from_white(random.bits() & 1 == 0);
        for color in Color::ALL {
            // One kind of men is preferred, so that there are extremes such as fifteen queens or fifteen pawns.
            let favorite = Role::ALL[random.below(5)];
            for man in 0..1 + random.below(16) {
                let role = match random.below(3) {
                    _ if man == 0 => Role::King,
                    0 => Role::ALL[random.below(5)],
                    _ => favorite,
                };
                let square = Square::new(random.below(64) as u32);
                let is_sound = role != Role::Pawn || !Bitboard::BACKRANKS.contains(square);
                if is_sound && setup.board.piece_at(square).is_none() {
                    setup.board.set_piece_at(square, role.of(color));
                }
            }
        }
        let judged = Chess::from_setup(setup, CastlingMode::Chess960)
            .or_else(shakmaty::PositionError::ignore_too_much_material);
        if let Ok(chess) = judged {
            return chess;
        }
    }
}

/// Plays random games from standard, Chess960, sharp and unreachable positions, and calls `visit` with every position.
pub fn random_games(seed: u64, games: u32, mut visit: impl FnMut(&Board, &Chess, &mut Random)) {
    let mut random = Random::of_state(seed);
    for game in 0..games {
        let mut chess = match game % 4 {
            0 => Chess::default(),
            1 => chess960_start(random.below(960) as u32),
            2 => crowded(&mut random),
            _ => Board::from_fen(SHARP[random.below(SHARP.len())]).expect("a position").0.to_chess(),
        };
        let mut board = Board::from_chess(&chess);
        for _ in 0..160 {
            visit(&board, &chess, &mut random);
            let moves = chess.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            chess.play_unchecked(mv);
            board = board.after(Board::move_from_shakmaty(mv).expect("no drop"));
        }
    }
}

/// Shakmaty's legal moves as our moves, sorted by their bits.
pub fn oracle_moves(chess: &Chess) -> Vec<Move> {
    sorted(chess.legal_moves().into_iter().map(|mv| Board::move_from_shakmaty(mv).expect("no drop")))
}

/// Moves sorted by their bits.
pub fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut moves: Vec<Move> = moves.into_iter().collect();
    moves.sort_by_key(|mv| mv.bits());
    moves
}
