//! What the facade promises: answers whatever fails, and play at limited strength.

use std::time::Duration;

use super::*;
use crate::board::Move;
use crate::search::{Line, Strength};

const BLACK_QUEEN_HANGS: &str = "4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1";

/// Hears a search, and brings the worker down that reports a certain depth.
struct Saboteur {
    depth: i32,
    messages: Mutex<Vec<String>>,
}

impl Observer for Saboteur {
    fn line(&self, line: &Line) {
        let is_worker = std::thread::current().name().is_some_and(|name| name.starts_with("worker"));
        assert!(!is_worker || line.depth < self.depth, "a panic that this test asks for");
    }
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, text: &str) {
        self.messages.lock().push(text.to_owned());
    }
    fn finished(&self, _outcome: &Outcome) {}
}

/// Searches with a main thread that panics at the end of an iteration; the outcome and the messages.
fn sabotaged(threads: usize, deterministic: bool, depth: i32) -> (Outcome, Vec<String>) {
    let mut engine =
        Engine::new(Settings { hash: 1, threads, deterministic, ..Settings::default() }).unwrap();
    engine.set_game(Game::from_fen(BLACK_QUEEN_HANGS).unwrap().0);
    let saboteur = Arc::new(Saboteur { depth, messages: Mutex::default() });
    let outcome = engine.search_with(Limits::depth(9), Arc::clone(&saboteur) as Arc<dyn Observer>);
    // The thread lives on.
    let next = engine.search(Limits::depth(3));
    assert_eq!((next.best_move, next.lines[0].depth), (outcome.best_move, 3));
    let messages = saboteur.messages.lock().clone();
    (outcome, messages)
}

#[test]
fn a_panic_of_the_main_thread_leaves_it_what_it_had_found() {
    for (threads, deterministic) in [(1, false), (3, false), (3, true)] {
        let (outcome, messages) = sabotaged(threads, deterministic, 4);
        let best = outcome.best_move.map(|mv| mv.to_uci(false).to_string());
        assert_eq!(best.as_deref(), Some("c3d5"), "{threads} threads");
        assert_eq!(messages, ["worker 0 failed; what it had found before stands"], "{threads} threads");
    }
}

/// A helper that finds no place for its counters panics before its first node.
#[test]
fn a_panic_of_helpers_ends_no_search() {
    let mut engine = Engine::new(Settings { hash: 1, threads: 3, ..Settings::default() }).unwrap();
    engine.set_game(Game::from_fen(BLACK_QUEEN_HANGS).unwrap().0);
    let observer = Arc::new(Saboteur { depth: i32::MAX, messages: Mutex::default() });
    let keeper = Arc::new(Keeper { observer: Arc::clone(&observer) as _, outcome: Mutex::new(None) });
    let (game, common) = (engine.game.clone(), (Arc::clone(&engine.network), Arc::clone(&engine.table)));
    let whole = job(&engine.settings, game, Limits::default(), common, Arc::clone(&keeper) as _, 3);
    let job = Arc::new(Job { counters: [Default::default()].into(), ..whole });
    engine.current = Some(Arc::clone(&job));
    engine.pool.search(job);
    while observer.messages.lock().len() < 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(engine.is_searching(), "the main thread goes on");
    engine.stop();
    engine.wait();
    let outcome = keeper.outcome.lock().take().expect("an answer");
    assert_eq!(outcome.best_move.map(|mv| mv.to_uci(false).to_string()).as_deref(), Some("c3d5"));
    let mut messages = observer.messages.lock().clone();
    messages.sort_unstable();
    assert_eq!(messages, [1, 2].map(|i| format!("worker {i} failed; what it had found before stands")));
}

#[test]
fn limited_play_repeats_with_its_seed_and_else_differs_from_game_to_game() {
    let strength = Strength { limited: true, elo: crate::search::Level::MIN, analysis: false };
    let mut engine = Engine::new(Settings { hash: 1, threads: 3, strength, ..Settings::default() }).unwrap();
    let mut played = |deterministic, games| -> Vec<_> {
        engine.update(|settings| settings.deterministic = deterministic);
        let mut play = || {
            engine.new_game();
            let outcome = engine.search(Limits { infinite: false, ..Limits::default() });
            assert_eq!(outcome.lines.len(), 1);
            assert_eq!(outcome.lines[0].pv.first().copied(), outcome.best_move);
            outcome.best_move
        };
        (0..games).map(|_| play()).collect()
    };
    let repeated = played(true, 5);
    assert!(repeated.iter().all(|mv| *mv == repeated[0]));
    let free = played(false, 40);
    assert!(free.iter().any(|mv| *mv != free[0]), "40 games begin alike");
}

#[test]
fn analysis_is_never_limited() {
    let strength = Strength { limited: true, elo: 1, analysis: true };
    let settings = |strength| Settings { hash: 1, strength, ..Settings::default() };
    let nodes = |strength| Engine::new(settings(strength)).unwrap().search(Limits::nodes(20_000)).nodes;
    assert_eq!(nodes(strength), nodes(Strength::default()));
    assert!(nodes(Strength { analysis: false, ..strength }) < 5_000);
}
