//! The search through the facade: positions that crashed engines, and threads that did the same work.

use enfilade::engine::pool::Stagger;
use enfilade::engine::run::{Limits, Telemetry};
use enfilade::engine::{Engine, Settings};

use crate::dialogue::game;
use crate::search::{engine, replay, search};

const MIDDLE_GAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";

/// Fabian von der Warth's FabChess panicked here with eight threads (issue 27), RubiChess overflowed its stack (issue
/// 286), chess-3 left its reduction table (issue 99).
#[test]
fn positions_that_crashed_other_engines_get_a_legal_move() {
    let mut engine = engine(8);
    for fen in [
        "5rk1/1pP2pp1/p6p/8/3p4/P2P4/1P3PPP/5RK1 b - - 0 24",
        "8/1p6/7p/5p1P/5P2/1p6/6RK/k7 w - - 0 1",
        "qqqqkqqq/8/8/8/8/8/8/QQQQKQQQ w - - 0 1",
        "8/2p1p1p1/2P1P1Pp/P4K2/P7/p2p4/rppP3P/qkn4R w - - 0 1",
        "2r3rk/6p1/3pPpqp/pp1N1P2/3b1P1R/Pp3Q1K/7P/8 w - - 0 42",
    ] {
        let outcome = search(&mut engine, fen, Limits::nodes(30_000));
        replay(engine.game().board(), &outcome.lines[0]);
    }
}

/// With the policy `none`, and with more helpers than a policy has rows, several threads searched exactly the same
/// nodes.
#[test]
fn with_every_policy_every_thread_finds_results_of_others() {
    for stagger in Stagger::all() {
        for (threads, nodes) in [(2, 40_000), (24, 12_000)] {
            let settings = Settings {
                hash: 4,
                threads,
                deterministic: true,
                telemetry: Telemetry::Count,
                stagger: stagger.clone(),
                ..Settings::default()
            };
            let mut engine = Engine::new(settings).expect("an engine of this size");
            engine.set_game(game(MIDDLE_GAME, ""));
            engine.search(Limits::nodes(nodes * threads as u64));
            for (index, thread) in engine.threads_of_last_search().iter().enumerate() {
                let about = format!("thread {index} of {threads}, {:?}", engine.settings().stagger);
                assert!(thread.table_hits[1] > 0, "{about}: {:?}", thread.table_hits);
            }
        }
    }
}
