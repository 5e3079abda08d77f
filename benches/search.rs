//! Benchmarks of whole searches: a fixed number of nodes with each quiescence search, and a fixed depth.

use divan::Bencher;
use enfilade::chess::board::Game;
use enfilade::engine::run::Limits;
use enfilade::engine::run::leaf::Kind;
use enfilade::engine::{Engine, Settings};

fn main() {
    divan::main();
}

fn engine(quiescence: Kind) -> Engine {
    let mut engine =
        Engine::new(Settings { hash: 16, quiescence, ..Settings::default() }).expect("a small engine");
    let fen = "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 15";
    engine.set_game(Game::from_fen(fen).expect("a valid position").0);
    engine
}

/// 50,000 nodes, most of them in the quiescence search.
#[divan::bench(args = Kind::ALL, sample_count = 20)]
fn nodes_with(bencher: Bencher, kind: &Kind) {
    let mut engine = engine(*kind);
    bencher.counter(50_000u32).bench_local(|| {
        engine.new_game();
        engine.search(Limits::nodes(50_000))
    });
}

#[divan::bench(args = [8, 10], sample_count = 20)]
fn to_depth(bencher: Bencher, depth: i32) {
    let mut engine = engine(Kind::default());
    bencher.bench_local(|| {
        engine.new_game();
        engine.search(Limits::depth(depth))
    });
}
