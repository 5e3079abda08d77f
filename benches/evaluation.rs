//! Benchmarks of the evaluation, from scratch and incrementally along a line of moves.

use divan::{Bencher, black_box};
use enfilade::chess::board::Board;
use enfilade::engine::eval::network::Network;
use enfilade::engine::eval::{Evaluator, evaluate};

fn main() {
    divan::main();
}

fn board() -> Board {
    Board::from_fen("r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9")
        .expect("a valid position")
        .0
}

#[divan::bench]
fn from_scratch(bencher: Bencher) {
    let board = board();
    bencher.bench(|| evaluate(black_box(&board)));
}

#[divan::bench]
fn after_each_move(bencher: Bencher) {
    let board = board();
    let children: Vec<_> = board.legal_moves().into_iter().map(|mv| board.after(mv)).collect();
    let mut evaluator = Evaluator::new(Network::embedded());
    evaluator.reset(&board);
    bencher.counter(children.len()).bench_local(|| {
        for child in &children {
            evaluator.push(child);
            black_box(evaluator.evaluate(child));
            evaluator.pop();
        }
    });
}
