//! Benchmarks of move generation, of making moves and of static exchange evaluation, on positions of real games.

use divan::{Bencher, black_box};
use enfilade::chess::board::{Board, MoveList, perft};

fn main() {
    divan::main();
}

fn positions() -> Vec<Board> {
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ]
    .into_iter()
    .map(|fen| Board::from_fen(fen).expect("a valid position").0)
    .collect()
}

/// Times the generation of the moves of all positions.
fn generate(bencher: Bencher, generator: impl Fn(&Board, &mut MoveList) + Sync) {
    let boards = positions();
    bencher.bench(|| {
        let count = |board| {
            let mut moves = MoveList::new();
            generator(board, &mut moves);
            moves.len()
        };
        boards.iter().map(count).sum::<usize>()
    });
}

#[divan::bench]
fn noisy_moves(bencher: Bencher) {
    generate(bencher, Board::noisy_moves);
}

#[divan::bench]
fn quiet_moves(bencher: Bencher) {
    generate(bencher, Board::quiet_moves);
}

#[divan::bench]
fn make_every_move(bencher: Bencher) {
    let boards: Vec<_> = positions()
        .into_iter()
        .map(|board| {
            let moves = board.legal_moves();
            (board, moves)
        })
        .collect();
    bencher.bench(|| {
        for (board, moves) in &boards {
            for &mv in moves {
                black_box(board.after(mv));
            }
        }
    });
}

#[divan::bench]
fn exchange_of_every_move(bencher: Bencher) {
    let boards: Vec<_> = positions()
        .into_iter()
        .map(|board| {
            let moves = board.legal_moves();
            (board, moves)
        })
        .collect();
    bencher.bench(|| {
        boards
            .iter()
            .map(|(board, moves)| moves.iter().filter(|&&mv| board.see_ge(mv, 0)).count())
            .sum::<usize>()
    });
}

#[divan::bench(args = [3, 4])]
fn perft_of_kiwipete(bencher: Bencher, depth: u32) {
    let board = positions().swap_remove(1);
    bencher.bench(|| perft(black_box(&board), depth));
}
