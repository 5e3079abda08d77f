//! Tests of the option `Deterministic`. Every run gives the same answer, whatever the number of threads and the load.
//! The search keeps all its other abilities.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use enfilade::chess::board::Move;
use enfilade::engine::run::leaf::Kind;
use enfilade::engine::run::{Limits, Line, Observer, Outcome, Telemetry};
use enfilade::engine::tablebase::Tablebases;
use enfilade::engine::{Engine, Settings};
use parking_lot::Mutex;

use crate::dialogue::{Dialogue, check_search, deterministic_engine, game, is_core_warning};
use crate::patience::PATIENCE;

const MIDDLE_GAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";
const TACTICS: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const END_GAME: &str = "8/8/4kpp1/3p4/p6P/2B4b/6P1/6K1 b - - 1 47";
const POSITIONS: [&str; 3] = [MIDDLE_GAME, TACTICS, END_GAME];

/// Keeps all reports without their times.
#[derive(Default)]
struct Record(Mutex<Vec<String>>);

impl Record {
    fn add(&self, text: String) {
        self.0.lock().push(text);
    }
}

impl Observer for Record {
    fn line(&self, line: &Line) {
        self.add(format!("{:?}", Line { time: Duration::ZERO, ..line.clone() }));
    }
    fn current_move(&self, depth: i32, mv: Move, number: usize) {
        self.add(format!("depth {depth} {mv:?} {number}"));
    }
    fn message(&self, text: &str) {
        self.add(text.to_owned());
    }
    fn finished(&self, outcome: &Outcome) {
        let &Outcome { best_move, ponder_move, ref lines, nodes, .. } = outcome;
        self.add(format!("{best_move:?} {ponder_move:?} {nodes}"));
        lines.iter().for_each(|line| self.line(line));
    }
}

/// All reports of a search without their times.
fn record(engine: &mut Engine, fen: &str, limits: &Limits) -> Vec<String> {
    engine.set_game(game(fen, ""));
    let record = Arc::new(Record::default());
    engine.search_with(limits.clone(), Arc::clone(&record) as Arc<dyn Observer>);
    std::mem::take(&mut *record.0.lock())
}

/// Runs `work` while other threads compete for the cores.
fn under_load<T>(work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = work();
        is_over.store(true, Ordering::Relaxed);
        result
    })
}

fn assert_same(first: &[String], second: &[String], about: &str) {
    for (line, again) in first.iter().zip(second) {
        assert_eq!(line, again, "{about}");
    }
    assert_eq!(first.len(), second.len(), "{about}");
}

#[test]
fn deterministic_searches_repeat_with_any_number_of_threads() {
    let limits =
        [Limits::nodes(40_000), Limits::depth(8), Limits { soft_nodes: Some(20_000), ..Limits::default() }];
    for (threads, limits) in [(2, &limits[..]), (3, &limits), (8, &limits), (16, &limits), (64, &limits[..1])]
    {
        // The positions are searched one after the other, because the state that a search leaves affects the next
        // search.
        let run = || -> Vec<Vec<String>> {
            let mut engine = deterministic_engine(threads);
            let games = limits.iter().flat_map(|limits| POSITIONS.map(|fen| (fen, limits)));
            games.map(|(fen, limits)| record(&mut engine, fen, limits)).collect()
        };
        let first = run();
        for second in [run(), under_load(run)] {
            for (index, (first, second)) in first.iter().zip(&second).enumerate() {
                assert_same(first, second, &format!("search {index} with {threads} threads"));
            }
        }
    }
}

/// The counts of tablebase probes must be the same at the meetings too.
#[test]
fn deterministic_searches_repeat_with_tablebases() {
    let run = || {
        let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
        let settings = Settings {
            hash: 4,
            threads: 3,
            deterministic: true,
            tablebases: Arc::new(Tablebases::load(tables)),
            ..Settings::default()
        };
        let mut engine = Engine::new(settings).expect("a small engine");
        record(&mut engine, "8/5k2/3p4/8/8/2P5/8/4K3 w - - 0 1", &Limits::nodes(60_000))
    };
    let first = run();
    assert!(!first.last().unwrap().contains("tablebase_hits: 0,"), "{first:?}");
    assert_same(&first, &run(), "tablebases");
    assert_same(&first, &under_load(run), "tablebases under load");
}

#[test]
fn deterministic_searches_repeat_after_a_new_game() {
    let mut engine = deterministic_engine(4);
    let limits = Limits::nodes(40_000);
    let first = record(&mut engine, MIDDLE_GAME, &limits);
    let second = record(&mut engine, MIDDLE_GAME, &limits);
    assert_ne!(first, second, "the table knows the position now");
    // A new game also forgets the results of searches that were not deterministic.
    engine.update(|settings| settings.deterministic = false);
    engine.search(Limits::nodes(40_000));
    engine.update(|settings| settings.deterministic = true);
    engine.new_game();
    assert_same(&first, &record(&mut engine, MIDDLE_GAME, &limits), "after a new game");
    assert_same(&second, &record(&mut engine, MIDDLE_GAME, &limits), "the search after it");
}

#[test]
fn deterministic_searches_repeat_with_several_lines_and_all_leaf_searches() {
    let mut lines = Vec::new();
    for kind in Kind::ALL {
        let settings = Settings {
            hash: 1,
            threads: 5,
            multi_pv: 3,
            quiescence: kind,
            telemetry: Telemetry::Report,
            deterministic: true,
            ..Settings::default()
        };
        let run = || {
            record(&mut Engine::new(settings.clone()).expect("an engine"), TACTICS, &Limits::nodes(30_000))
        };
        let first = run();
        assert_same(&first, &under_load(run), kind.name());
        lines.push(first);
    }
    assert!(lines.windows(2).all(|pair| pair[0] != pair[1]), "no two leaf searches are the same");
}

#[test]
fn one_deterministic_thread_searches_like_one_ordinary_thread() {
    for fen in POSITIONS {
        for limits in [Limits::nodes(50_000), Limits::depth(9)] {
            let run = |deterministic| {
                let settings = Settings { hash: 4, deterministic, ..Settings::default() };
                let mut reports = record(&mut Engine::new(settings).expect("an engine"), fen, &limits);
                // An ordinary search of more than three seconds also reports moves and bounds within an iteration. A
                // slow or busy machine takes that long.
                reports.retain(|text| !text.starts_with("depth ") && !text.contains("bound: Lower"));
                reports.retain(|text| !text.contains("bound: Upper"));
                reports
            };
            let reports = run(true);
            assert!(reports.len() > 5, "{reports:?}");
            assert_same(&reports, &run(false), fen);
        }
    }
}

#[test]
fn a_deterministic_search_ends_within_two_nodes_a_thread_of_its_limit() {
    for threads in [2, 7, 16] {
        let mut engine = deterministic_engine(threads);
        for nodes in [1_000, 33_333, 100_000] {
            engine.new_game();
            engine.set_game(game(MIDDLE_GAME, ""));
            let outcome = engine.search(Limits::nodes(nodes));
            // A thread may count one or two more nodes while it returns to the root.
            let most = nodes + 2 * threads as u64;
            assert!((nodes..=most).contains(&outcome.nodes), "{} for {nodes}", outcome.nodes);
        }
    }
}

/// Runs `dialogue` with an engine. Fails if it hangs.
fn guarded(threads: usize, dialogue: impl FnOnce(Engine) + Send + 'static) {
    let (sender, done) = channel();
    let runner = thread::spawn(move || {
        dialogue(deterministic_engine(threads));
        sender.send(()).expect("somebody waits");
    });
    if let Err(error) = done.recv_timeout(PATIENCE) {
        assert!(runner.is_finished(), "no answer from {threads} threads");
        panic!("{error}: {:?}", runner.join());
    }
}

#[test]
fn stop_ends_a_deterministic_search_at_any_moment() {
    for threads in [2, 8, 64] {
        guarded(threads, move |mut engine| {
            for pause in [0, 0, 1, 2, 5, 10, 20, 50] {
                let record = Arc::new(Record::default());
                engine.go(
                    Limits { infinite: true, ..Limits::default() },
                    Arc::clone(&record) as Arc<dyn Observer>,
                );
                thread::sleep(Duration::from_millis(pause));
                engine.stop();
                engine.wait();
                assert!(record.0.lock().len() > 2, "a line, the move, and its line");
            }
        });
    }
}

#[test]
fn a_time_limit_ends_a_deterministic_search() {
    for threads in [2, 64] {
        guarded(threads, |mut engine| {
            // With little time the helpers are not started.
            for milliseconds in [1, 10, 300] {
                let outcome = engine.search(Limits::move_time(Duration::from_millis(milliseconds)));
                assert!(outcome.best_move.is_some());
            }
        });
    }
}

#[test]
fn a_finished_infinite_search_waits_for_stop() {
    guarded(8, |mut engine| {
        for limits in [Limits::depth(3), Limits::nodes(5_000)] {
            engine.go(Limits { infinite: true, ..limits }, Arc::new(enfilade::engine::run::Silent));
            thread::sleep(Duration::from_millis(100));
            assert!(engine.is_searching());
            engine.stop();
            engine.wait();
        }
    });
}

#[test]
fn a_deterministic_search_with_a_ponder_hit_repeats_one_without_pondering() {
    guarded(4, |mut engine| {
        let searched = record(&mut engine, MIDDLE_GAME, &Limits::nodes(30_000));
        engine.new_game();
        let pondered = Arc::new(Record::default());
        let limits = Limits { ponder: true, ..Limits::nodes(30_000) };
        engine.go(limits, Arc::clone(&pondered) as Arc<dyn Observer>);
        thread::sleep(Duration::from_millis(50));
        assert!(engine.is_searching());
        engine.ponder_hit();
        engine.wait();
        assert_same(&searched, &pondered.0.lock(), "pondering");
    });
}

#[test]
fn deterministic_searches_of_positions_without_a_choice_repeat() {
    guarded(8, |mut engine| {
        for fen in [
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
            "7k/8/8/8/8/8/r7/1r5K w - - 0 1",
        ] {
            let first = record(&mut engine, fen, &Limits::depth(6));
            engine.new_game();
            assert_same(&first, &record(&mut engine, fen, &Limits::depth(6)), fen);
            engine.new_game();
        }
    });
}

#[test]
fn deterministic_searches_repeat_with_a_mate_limit() {
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let run = || record(&mut deterministic_engine(6), "8/5R2/2K1P3/4k3/8/b1PPpp1B/5p2/8 w - - 0 1", &limits);
    assert_same(&run(), &under_load(run), "mate in two");
}

/// An observer that panics once, at its first line, in the thread that reports the line.
#[derive(Default)]
struct Failing {
    has_failed: AtomicBool,
    has_finished: AtomicBool,
}

impl Observer for Failing {
    fn line(&self, _line: &Line) {
        assert!(self.has_failed.swap(true, Ordering::SeqCst), "a failure made for this test");
    }
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, _text: &str) {}
    fn finished(&self, _outcome: &Outcome) {
        self.has_finished.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_failed_thread_does_not_block_the_others() {
    guarded(8, |mut engine| {
        let observer = Arc::new(Failing::default());
        engine.go(Limits::nodes(50_000), Arc::clone(&observer) as Arc<dyn Observer>);
        engine.wait();
        assert!(observer.has_failed.load(Ordering::SeqCst) && observer.has_finished.load(Ordering::SeqCst));
        assert!(engine.search(Limits::nodes(50_000)).best_move.is_some());
    });
}

#[test]
fn the_option_deterministic_repeats_searches_in_the_dialogue() {
    let mut engine = Dialogue::small();
    engine.ask("setoption name Threads value 4\nsetoption name Deterministic value true");
    let mut run = || {
        engine.ask(&format!("ucinewgame\nposition fen {MIDDLE_GAME}"));
        let lines = engine.go("go nodes 40000");
        check_search(&game(MIDDLE_GAME, ""), &lines);
        let timeless = |line: String| -> String {
            let words: Vec<&str> = line.split(' ').collect();
            let is_time = |index: usize| {
                matches!(words[index], "nps" | "time")
                    || index > 0 && matches!(words[index - 1], "nps" | "time")
            };
            (0..words.len())
                .filter(|&index| !is_time(index))
                .map(|index| format!("{} ", words[index]))
                .collect()
        };
        lines.into_iter().filter(|line| !is_core_warning(line)).map(timeless).collect::<Vec<_>>()
    };
    let first = run();
    assert!(first[0].contains(" nodes ") && !first[0].contains(" time "), "{}", first[0]);
    assert_same(&first, &run(), "in the dialogue");
}
