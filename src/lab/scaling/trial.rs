//! One search of a fixed time, and its measurements.
//!
//! Invariant: a trial has finished at least one iteration. So any two trials have a common depth.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::base::processor;
use crate::chess::board::{Game, Move};
use crate::chess::types::Bound;
use crate::engine::facade::{Engine, ThreadSummary};
use crate::engine::run::{Limits, Line, Observer, Outcome};

/// The measurements of a search.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The depths that the main thread finished, in order, each with its time.
    finished: Vec<(i32, Duration)>,
    /// The nodes of all threads.
    pub nodes: u64,
    /// The time from `go` to `stop`.
    pub time: Duration,
    /// The average number of cores that the process used, from `go` until all threads slept; `None` if the system does
    /// not tell it.
    pub cores_used: Option<f64>,
    /// The time from `stop` to the report of the move.
    pub stop_latency: Duration,
    /// The share of the table that was filled, in permille.
    pub hashfull: u32,
    /// What each thread did.
    pub threads: Vec<ThreadSummary>,
}

impl Trial {
    /// Clears the engine, searches, and stops the search after `time`, but not before the first iteration is finished.
    pub fn run(engine: &mut Engine, game: &Game, time: Duration) -> Trial {
        Trial::run_to_depth(engine, game, time, 1)
    }

    /// Like [`Trial::run`], but does not stop before the main thread has finished the iteration of `depth`.
    fn run_to_depth(engine: &mut Engine, game: &Game, time: Duration, depth: i32) -> Trial {
        engine.new_game();
        engine.set_game(game.clone());
        let watch = Arc::new(DepthObserver::default());
        let used = processor::process_time();
        let started = Instant::now();
        engine.go(Limits { infinite: true, ..Limits::default() }, Arc::clone(&watch) as Arc<dyn Observer>);
        std::thread::sleep(time);
        watch.wait_for(depth);
        watch.is_over.store(true, Ordering::Relaxed);
        let stopped = Instant::now();
        engine.stop();
        let threads = engine.threads_of_last_search();
        let cores_used = processor::process_time()
            .zip(used)
            .map(|(now, before)| now.saturating_sub(before).as_secs_f64() / started.elapsed().as_secs_f64());
        let Seen { finished, reported } = std::mem::take(&mut *watch.seen.lock());
        let reported = reported.unwrap_or(stopped);
        Trial {
            finished,
            // After the stop each thread visits at most one node.
            nodes: threads.iter().map(|thread| thread.nodes).sum(),
            time: stopped - started,
            cores_used,
            stop_latency: reported.saturating_duration_since(stopped),
            hashfull: engine.table().hashfull(),
            threads,
        }
    }

    /// The deepest iteration that the main thread finished, in plies; 0 for none.
    pub fn depth(&self) -> i32 {
        self.finished.last().map_or(0, |(depth, _)| *depth)
    }

    /// Seconds until the main thread had finished `depth`, if it did.
    pub fn seconds_to(&self, depth: i32) -> Option<f64> {
        let (_, time) = self.finished.iter().find(|(finished, _)| *finished >= depth)?;
        // The first iterations may take less time than the clock can measure. A time of zero would make infinite
        // ratios.
        Some(time.as_secs_f64().max(1e-6))
    }

    /// The nodes per second of all threads.
    pub fn speed(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64()
    }
}

/// Notes the iterations that the main thread finishes. It ignores reports after the stop: they come from the vote.
#[derive(Default)]
struct DepthObserver {
    is_over: AtomicBool,
    seen: Mutex<Seen>,
    news: Condvar,
}

#[derive(Default)]
struct Seen {
    finished: Vec<(i32, Duration)>,
    /// When the move was reported. Before the stop, this happens only if the search fails.
    reported: Option<Instant>,
}

impl DepthObserver {
    /// Waits until the main thread has finished the iteration of `depth`.
    fn wait_for(&self, depth: i32) {
        let mut seen = self.seen.lock();
        self.news.wait_while(&mut seen, |seen| {
            seen.reported.is_none() && seen.finished.last().is_none_or(|(finished, _)| *finished < depth)
        });
    }
}

impl Observer for DepthObserver {
    fn line(&self, line: &Line) {
        if line.bound == Bound::Exact && !self.is_over.load(Ordering::Relaxed) {
            self.seen.lock().finished.push((line.depth, line.time));
            self.news.notify_all();
        }
    }

    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, _text: &str) {}

    fn finished(&self, _outcome: &Outcome) {
        self.seen.lock().reported = Some(Instant::now());
        self.news.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::facade::Settings;
    use crate::engine::run::Telemetry;

    #[test]
    fn a_trial_reports_depths_nodes_and_who_stored_the_hits() {
        let settings = Settings { hash: 4, threads: 2, telemetry: Telemetry::Count, ..Settings::default() };
        let mut engine = Engine::new(settings).unwrap();
        let game = &super::super::positions()[0];
        let trial = Trial::run_to_depth(&mut engine, game, Duration::ZERO, 6);
        assert!(trial.depth() >= 6 && trial.nodes > 0 && trial.speed() > 0.0);
        let times: Vec<_> = (1..=trial.depth()).map(|depth| trial.seconds_to(depth).unwrap()).collect();
        assert!(times.is_sorted());
        assert_eq!(trial.seconds_to(trial.depth() + 1), None);
        assert_eq!(trial.threads.len(), 2);
        assert!(trial.threads[0].depth >= trial.depth());
        assert!(trial.threads[0].table_hits[0] > 0, "{:?}", trial.threads);

        // A single thread finds only its own records, except where two positions share a signature.
        engine.set_threads(1).unwrap();
        let trial = Trial::run_to_depth(&mut engine, game, Duration::ZERO, 6);
        let [own, foreign] = trial.threads[0].table_hits;
        assert!(own > 0 && foreign * 100 <= own, "{own} own, {foreign} foreign");
    }

    #[test]
    fn hits_are_counted_on_request_only() {
        let mut engine = Engine::new(Settings { hash: 1, ..Settings::default() }).unwrap();
        let trial = Trial::run(&mut engine, &Game::startpos(), Duration::ZERO);
        assert_eq!(trial.threads[0].table_hits, [0, 0]);
    }
}
