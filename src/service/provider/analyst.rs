//! The engine and the thread that orders it about. Changing the table's size or clearing it takes seconds where the
//! table is large, so the thread that talks with the servers must not do it.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::line_queue::{LineQueue, LineWriter};
use super::work::AnalysisRequest;
use crate::chess::board::Move;
use crate::engine::facade::Engine;
use crate::engine::run::{Line, Observer, Outcome};
use crate::engine::uci::output::Output;
use crate::engine::uci::{Reporter, Style};

/// The format of lines that the protocol asks for. The broker refuses lines with the chances of win, draw and loss.
const STYLE: Style = Style { chess960: true, show_wdl: false };

enum AnalystOrder {
    /// Search instead of what is searched now, and report to the queue.
    Search(Box<AnalysisRequest>, Arc<LineQueue>),
    /// Stop a search whose lines nobody wants any more.
    StopAbandoned,
    /// Stop the search.
    Stop,
}

/// A thread with an engine. It ends when this value is dropped.
pub(super) struct Analyst {
    orders: Option<Sender<AnalystOrder>>,
    thread: Option<JoinHandle<()>>,
}

impl Analyst {
    /// Starts the thread. `say` receives messages.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn start(engine: Engine, say: fn(&str)) -> io::Result<Analyst> {
        let (orders, received) = channel();
        let desk = Desk { engine, session: None, current: None, say };
        let thread = std::thread::Builder::new().name("analyst".to_owned());
        let thread = thread.spawn(move || desk.obey(&received))?;
        Ok(Analyst { orders: Some(orders), thread: Some(thread) })
    }

    /// Begins a search that takes the place of the current one.
    pub fn search(&self, work: AnalysisRequest, lines: Arc<LineQueue>) {
        self.order(AnalystOrder::Search(Box::new(work), lines));
    }

    /// Stops the current search if its lines are abandoned.
    pub fn stop_abandoned(&self) {
        self.order(AnalystOrder::StopAbandoned);
    }

    /// Stops the current search. Its last lines are still reported.
    pub fn stop(&self) {
        self.order(AnalystOrder::Stop);
    }

    /// Whether the thread has panicked, so that no order is carried out any more.
    pub fn has_failed(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// A thread that has panicked gets no orders. The provider asks for that before it takes work.
    fn order(&self, order: AnalystOrder) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(order);
        }
    }
}

impl Drop for Analyst {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A panic has been noticed before: see `has_failed`.
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
struct Desk {
    engine: Engine,
    /// The session of the last work.
    session: Option<String>,
    /// Where the last search reports.
    current: Option<Arc<LineQueue>>,
    say: fn(&str),
}

impl Desk {
    fn obey(mut self, orders: &Receiver<AnalystOrder>) {
        while let Ok(order) = orders.recv() {
            match order {
                AnalystOrder::Search(work, lines) => self.search(*work, lines),
                AnalystOrder::StopAbandoned => {
                    if self.current.as_ref().is_some_and(|lines| lines.is_abandoned()) {
                        self.engine.stop();
                    }
                }
                AnalystOrder::Stop => self.engine.stop(),
            }
        }
        self.engine.stop();
        self.engine.wait();
    }

    fn search(&mut self, work: AnalysisRequest, lines: Arc<LineQueue>) {
        self.engine.stop();
        self.prepare(&work);
        let output = Arc::new(Output::new(LineWriter(Arc::clone(&lines))));
        let reporter = Reporter::new(output, STYLE, &work.game);
        self.engine.set_game(work.game);
        let observer = LineObserver { reporter, lines: Arc::clone(&lines), say: self.say };
        self.current = Some(lines);
        self.engine.go(work.limits, Arc::new(observer));
    }

    /// Changes the engine as the work asks for. What the system refuses stays as it was: a search with fewer threads or
    /// a smaller table still answers.
    fn prepare(&mut self, work: &AnalysisRequest) {
        let settings = self.engine.settings();
        let (threads, hash) = (settings.threads, settings.hash);
        if work.threads != threads
            && let Err(error) = self.engine.set_threads(work.threads)
        {
            (self.say)(&format!("{error}; the search has {threads} threads"));
        }
        if work.hash != hash
            && let Err(error) = self.engine.set_hash(work.hash)
        {
            (self.say)(&format!("{error}; the table has {hash} MiB"));
        }
        self.engine.update(|settings| settings.multi_pv = work.lines);
        // A session is one analysis. Positions that come back within it find what the table knows about them.
        if self.session.as_ref() != Some(&work.session) {
            if self.session.is_some() {
                self.engine.new_game();
            }
            self.session = Some(work.session.clone());
        }
    }
}

/// Reports to a queue what a UCI client would get, except for lines without a score. The broker takes such a line for
/// the beginning of a new iteration.
struct LineObserver {
    reporter: Reporter,
    lines: Arc<LineQueue>,
    say: fn(&str),
}

impl Observer for LineObserver {
    fn line(&self, line: &Line) {
        self.reporter.line(line);
    }

    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}

    fn message(&self, text: &str) {
        (self.say)(text);
    }

    fn finished(&self, outcome: &Outcome) {
        self.reporter.finished(outcome);
        self.lines.finish();
    }

    fn is_lost(&self) -> bool {
        self.lines.is_abandoned()
    }
}

/// Answers a work that cannot be done: the reason, and no move.
pub(super) fn refuse(reason: &str, lines: &Arc<LineQueue>) {
    let output = Output::new(LineWriter(Arc::clone(lines)));
    output.info_string(reason);
    output.print("bestmove (none)");
    lines.finish();
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::chess::board::Game;
    use crate::engine::facade::Settings;
    use crate::engine::run::Limits;

    fn endless() -> AnalysisRequest {
        AnalysisRequest {
            session: "1".to_owned(),
            threads: 1,
            hash: 1,
            lines: 1,
            game: Game::startpos(),
            limits: Limits { infinite: true, ..Limits::default() },
        }
    }

    fn analyst() -> Analyst {
        Analyst::start(Engine::new(Settings { hash: 1, ..Settings::default() }).unwrap(), |_| {}).unwrap()
    }

    /// Waits until the search of a queue has ended.
    fn wait_for_end(lines: &LineQueue) {
        let patience = Instant::now() + Duration::from_secs(240);
        while !lines.is_finished() {
            assert!(Instant::now() < patience, "the search goes on");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn an_abandoned_search_ends() {
        let analyst = analyst();
        let lines = Arc::new(LineQueue::default());
        analyst.search(endless(), Arc::clone(&lines));
        // An order about another search has no effect.
        analyst.stop_abandoned();
        std::thread::sleep(Duration::from_millis(20));
        assert!(!lines.is_finished());
        lines.abandon();
        analyst.stop_abandoned();
        wait_for_end(&lines);
        assert!(!analyst.has_failed());
    }

    #[test]
    fn a_newer_search_and_the_end_of_the_program_end_a_search() {
        let analyst = analyst();
        let searches = [(); 3].map(|()| Arc::new(LineQueue::default()));
        for lines in &searches {
            analyst.search(endless(), Arc::clone(lines));
        }
        searches[..2].iter().for_each(|lines| wait_for_end(lines));
        assert!(!searches[2].is_finished());
        drop(analyst);
        assert!(searches[2].is_finished());
    }

    #[test]
    fn a_refusal_is_one_line_and_no_move() {
        let lines = Arc::new(LineQueue::default());
        refuse("two\nlines", &lines);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let std::task::Poll::Ready(Some(text)) = lines.poll_take(&mut context) else { panic!("lines wait") };
        assert_eq!(text, "info string two lines\nbestmove (none)\n");
        assert!(lines.is_finished());
    }
}
