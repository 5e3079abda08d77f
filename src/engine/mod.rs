//! STAND-IN engine: a material alpha-beta with the real facade's interface.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use thiserror::Error;

use crate::board::{Board, Game, Move, Role};
use crate::pool::Stagger;
use crate::search::limits::Limits;
use crate::search::quiescence::Kind;
use crate::search::report::{Line, Observer, Outcome, Silent};
use crate::types::{Bound, MAX_PLY, Score};

/// Stand-in.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Stand-in.
    pub hash: usize,
    /// Stand-in.
    pub threads: usize,
    /// Stand-in.
    pub multi_pv: usize,
    /// Stand-in.
    pub move_overhead: Duration,
    /// Stand-in.
    pub quiescence: Kind,
    /// Stand-in.
    pub statistics: bool,
    /// Stand-in.
    pub stagger: Stagger,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hash: 64,
            threads: 1,
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            quiescence: Kind::default(),
            statistics: false,
            stagger: Stagger::default(),
        }
    }
}

/// Stand-in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a table of {0} MiB cannot be had")]
pub struct EngineError(usize);

struct Signals {
    stop: AtomicBool,
    pondering: Mutex<bool>,
    changed: Condvar,
}

/// Stand-in.
pub struct Engine {
    settings: Settings,
    game: Game,
    signals: Arc<Signals>,
    running: Mutex<Option<JoinHandle<()>>>,
}

impl Engine {
    /// Stand-in.
    pub fn new(settings: Settings) -> Result<Engine, EngineError> {
        if settings.hash > 1 << 20 {
            return Err(EngineError(settings.hash));
        }
        Ok(Engine {
            settings,
            game: Game::startpos(),
            signals: Signals::new(false),
            running: Mutex::new(None),
        })
    }
    /// Stand-in.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// Stand-in.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), EngineError> {
        self.wait();
        if mebibytes > 1 << 20 {
            return Err(EngineError(mebibytes));
        }
        self.settings.hash = mebibytes;
        Ok(())
    }
    /// Stand-in.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.wait();
        self.settings.threads = threads;
        Ok(())
    }
    /// Stand-in.
    pub fn update(&mut self, change: impl FnOnce(&mut Settings)) {
        self.wait();
        change(&mut self.settings);
    }
    /// Stand-in.
    pub fn clear_hash(&mut self) {
        self.wait();
    }
    /// Stand-in.
    pub fn new_game(&mut self) {
        self.wait();
    }
    /// Stand-in.
    pub fn set_game(&mut self, game: Game) {
        self.wait();
        self.game = game;
    }
    /// Stand-in.
    pub fn game(&self) -> &Game {
        &self.game
    }
    /// Stand-in.
    pub fn table_pages(&self) -> String {
        "no pages".to_owned()
    }
    /// Stand-in.
    pub fn go(&mut self, limits: Limits, observer: Arc<dyn Observer>) {
        self.wait();
        self.signals = Signals::new(limits.ponder);
        let (signals, board, lines) =
            (Arc::clone(&self.signals), self.game.board().clone(), self.settings.multi_pv);
        let handle = std::thread::Builder::new()
            .stack_size(16 << 20)
            .spawn(move || {
                let outcome = Search::new(&signals, limits, observer.as_ref()).run(&board, lines);
                observer.finished(&outcome);
            })
            .expect("a thread");
        *self.running.lock() = Some(handle);
    }
    /// Stand-in.
    pub fn is_searching(&self) -> bool {
        self.running.lock().as_ref().is_some_and(|handle| !handle.is_finished())
    }
    /// Stand-in.
    pub fn stop(&self) {
        self.signals.stop.store(true, Ordering::SeqCst);
        self.signals.ponder_hit();
    }
    /// Stand-in.
    pub fn ponder_hit(&self) {
        self.signals.ponder_hit();
    }
    /// Stand-in.
    pub fn wait(&self) {
        if let Some(handle) = self.running.lock().take() {
            handle.join().expect("the search does not panic");
        }
    }
    /// Stand-in.
    pub fn search(&mut self, limits: Limits) -> Outcome {
        self.search_with(limits, Arc::new(Silent))
    }
    /// Stand-in.
    pub fn search_with(&mut self, limits: Limits, observer: Arc<dyn Observer>) -> Outcome {
        self.wait();
        self.signals = Signals::new(false);
        let outcome = Search::new(&self.signals, limits, observer.as_ref())
            .run(self.game.board(), self.settings.multi_pv);
        observer.finished(&outcome);
        outcome
    }
    /// Stand-in.
    pub fn evaluate(&self) -> Score {
        Score::new(material(self.game.board()))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

impl Signals {
    fn new(pondering: bool) -> Arc<Signals> {
        Arc::new(Signals {
            stop: AtomicBool::new(false),
            pondering: Mutex::new(pondering),
            changed: Condvar::new(),
        })
    }
    fn ponder_hit(&self) {
        *self.pondering.lock() = false;
        self.changed.notify_all();
    }
}

struct Search<'a> {
    signals: &'a Signals,
    observer: &'a dyn Observer,
    limits: Limits,
    start: Instant,
    nodes: u64,
    aborted: bool,
    free: bool,
}

impl<'a> Search<'a> {
    fn new(signals: &'a Signals, limits: Limits, observer: &'a dyn Observer) -> Search<'a> {
        let start = Instant::now();
        Search { signals, observer, limits, start, nodes: 0, aborted: false, free: true }
    }

    fn run(mut self, board: &Board, lines: usize) -> Outcome {
        let mut moves: Vec<Move> = board.legal_moves().into_iter().collect();
        if !self.limits.search_moves.is_empty() {
            moves.retain(|mv| self.limits.search_moves.contains(mv));
        }
        let mut result: Vec<Line> = Vec::new();
        if moves.is_empty() {
            let score = if board.in_check() { Score::mated_in(0) } else { Score::ZERO };
            result.push(self.line(1, 0, score, Vec::new()));
            self.observer.line(&result[0]);
        } else {
            for depth in 1..=self.limits.depth.unwrap_or(MAX_PLY as i32 - 1) {
                self.free = depth == 1;
                let mut scored: Vec<(Score, Vec<Move>)> = Vec::new();
                for &mv in &moves {
                    let mut pv = Vec::new();
                    let score = -self.alpha_beta(
                        &board.after(mv),
                        depth - 1,
                        1,
                        -Score::INFINITE,
                        Score::INFINITE,
                        &mut pv,
                    );
                    if self.aborted {
                        break;
                    }
                    pv.insert(0, mv);
                    scored.push((score, pv));
                }
                if self.aborted && depth > 1 {
                    break;
                }
                scored.sort_by_key(|entry| std::cmp::Reverse(entry.0));
                moves = scored.iter().map(|entry| entry.1[0]).collect();
                result = scored
                    .into_iter()
                    .take(lines)
                    .enumerate()
                    .map(|(i, (score, pv))| self.line(i + 1, depth, score, pv))
                    .collect();
                result.iter().for_each(|line| self.observer.line(line));
                let found = result[0].score.mate_moves();
                if self.out_of_time()
                    || found
                        .zip(self.limits.mate)
                        .is_some_and(|(found, wanted)| found.unsigned_abs() <= wanted)
                    || found.is_some() && depth > 20
                {
                    break;
                }
            }
        }
        let mut pondering = self.signals.pondering.lock();
        while (*pondering || self.limits.infinite) && !self.signals.stop.load(Ordering::SeqCst) {
            self.signals.changed.wait(&mut pondering);
        }
        drop(pondering);
        let pv = &result[0].pv;
        Outcome {
            best_move: pv.first().copied(),
            ponder_move: pv.get(1).copied(),
            nodes: self.nodes,
            time: self.start.elapsed(),
            lines: result,
        }
    }

    fn line(&self, multi_pv: usize, depth: i32, score: Score, pv: Vec<Move>) -> Line {
        Line {
            multi_pv,
            depth,
            seldepth: pv.len().max(depth as usize),
            score,
            bound: Bound::Exact,
            nodes: self.nodes,
            tablebase_hits: 0,
            hashfull: 0,
            time: self.start.elapsed(),
            pv,
        }
    }

    fn out_of_time(&self) -> bool {
        if self.signals.stop.load(Ordering::SeqCst) {
            return true;
        }
        if self.limits.nodes.is_some_and(|nodes| self.nodes >= nodes) {
            return true;
        }
        if *self.signals.pondering.lock() {
            return false;
        }
        let used = self.start.elapsed();
        self.limits.move_time.is_some_and(|time| used + Duration::from_millis(5) >= time)
            || self.limits.clock.is_some_and(|clock| used >= clock.remaining / 40)
    }

    fn alpha_beta(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
        mut alpha: Score,
        beta: Score,
        pv: &mut Vec<Move>,
    ) -> Score {
        self.nodes += 1;
        if !self.free && (self.nodes.is_multiple_of(256) || self.limits.nodes.is_some()) && self.out_of_time() {
            self.aborted = true;
        }
        if self.aborted || ply >= MAX_PLY {
            return Score::ZERO;
        }
        let moves = board.legal_moves();
        if moves.is_empty() {
            return if board.in_check() { Score::mated_in(ply) } else { Score::ZERO };
        }
        if board.halfmove_clock() >= 100 || board.is_insufficient_material() {
            return Score::ZERO;
        }
        if depth <= 0 {
            return Score::new(material(board));
        }
        let mut best = -Score::INFINITE;
        for mv in moves {
            let mut child = Vec::new();
            let score = -self.alpha_beta(&board.after(mv), depth - 1, ply + 1, -beta, -alpha, &mut child);
            if self.aborted {
                return Score::ZERO;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    pv.clear();
                    pv.push(mv);
                    pv.extend(child);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }
}

fn material(board: &Board) -> i32 {
    [(Role::Pawn, 100), (Role::Knight, 300), (Role::Bishop, 320), (Role::Rook, 500), (Role::Queen, 900)]
        .into_iter()
        .map(|(role, value)| {
            let pieces = board.roles(role);
            value * ((pieces & board.us()).count() as i32 - (pieces & board.them()).count() as i32)
        })
        .sum()
}
