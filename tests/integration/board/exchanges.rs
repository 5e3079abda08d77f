//! Static exchange evaluation and dead positions, against values on which several engines agree.

use enfilade::chess::board::{Board, Color, Role};

use crate::walk::random_games;

#[test]
fn exchanges_have_their_known_values() {
    for line in include_str!("../../data/see.tsv").lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [fen, text, value] = fields[..] else { panic!("{line}") };
        let value: i32 = value.parse().unwrap();
        let (board, _) = Board::from_fen(fen).unwrap();
        let mv = board.parse_uci(text).or_else(|_| board.parse_san(text)).unwrap();
        assert!(board.see_ge(mv, value), "{line}");
        assert!(!board.see_ge(mv, value + 1), "{line}");
    }
}

/// An exchange that meets a threshold also meets every lower threshold. No exchange gains more than the value of the
/// captured piece.
#[test]
fn exchanges_are_monotone_and_bounded() {
    use enfilade::chess::board::see::value;
    random_games(21, 60, |board, _, _| {
        for mv in board.legal_moves() {
            let passed: Vec<bool> = (-20..=20).map(|n| board.see_ge(mv, n * 100)).collect();
            assert!(passed.windows(2).all(|pair| pair[0] || !pair[1]), "{mv:?} in {board:?}");
            let gain = board.captured(mv).map_or(0, value)
                + mv.promotion().map_or(0, |role| value(role) - value(Role::Pawn));
            assert!(!board.see_ge(mv, gain + 1), "{mv:?} in {board:?}");
        }
    });
}

/// A pinned defender does not recapture, unless it moves along the line of its pin.
#[test]
fn pins_count_in_exchanges() {
    for (fen, text, value) in [
        // The rook pins the knight on e7, so the knight cannot recapture on d5.
        ("4k3/4n3/8/3p4/8/2N5/8/4R2K w - - 0 1", "c3d5", 100),
        ("3k4/4n3/8/3p4/8/2N5/8/4R2K w - - 0 1", "c3d5", -200),
        // The rook on e5 is pinned too, but it recaptures along the file of the pin.
        ("4k3/8/8/4r3/8/4p3/8/R3R2K w - - 0 1", "e1e3", -400),
        // Suites that ignore pins expect 0. But the pawn on f6 is pinned on the diagonal of its king on e7.
        ("6r1/4kq2/b2p1p2/p1pPb3/p1P2B1Q/2P4P/2B1R1P1/6K1 w - - 0 1", "f4e5", 100),
        // Our own second attacker is pinned and cannot help.
        ("4r2k/8/2p5/3p4/8/2N1N3/8/4K3 w - - 0 1", "c3d5", -200),
    ] {
        let (board, _) = Board::from_fen(fen).unwrap();
        let mv = board.parse_uci(text).unwrap();
        assert!(board.see_ge(mv, value) && !board.see_ge(mv, value + 1), "{text} in {fen}");
    }
}

#[test]
fn dead_positions_are_recognized_by_their_material() {
    for line in include_str!("../../data/material.tsv").lines() {
        let (fen, verdict) = line.split_once('\t').unwrap();
        let (board, _) = Board::from_fen(fen).unwrap();
        assert_eq!(board.is_insufficient_material(), verdict == "dead", "{fen}");
    }
    // A mate is possible in both positions, so they are not dead.
    for fen in ["8/8/3nk3/8/8/3NK3/8/8 w - - 0 1", "8/8/3nk3/8/8/3BK3/8/8 w - - 0 1"] {
        assert!(!Board::from_fen(fen).unwrap().0.is_insufficient_material(), "{fen}");
    }
}

#[test]
fn non_pawn_material_is_recognized() {
    let (board, _) = Board::from_fen("4k3/pppp4/8/8/8/8/PPPP4/4KN2 w - - 0 1").unwrap();
    assert!(board.has_non_pawn_material(Color::White));
    assert!(!board.has_non_pawn_material(Color::Black));
}
