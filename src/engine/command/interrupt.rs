//! Ctrl-C for commands that have something to show for it: the first one lets them end early with what they have, the
//! second one ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use crate::base::{console, ending};
use crate::engine::command::error::CliError;
use crate::engine::facade::{Engine, RunningSearch};
use crate::engine::run::{Limits, Observer, Outcome};

/// The time between two looks for an order to end.
const INTERVAL: Duration = Duration::from_millis(50);

/// What the commands of this process and its watcher share.
#[derive(Default)]
struct Watched {
    is_over: Arc<AtomicBool>,
    /// The searches in progress, by numbers of their own. They are stopped when the order comes.
    searches: Mutex<Vec<(u64, RunningSearch)>>,
    next_number: AtomicU64,
}

/// The order to end early.
#[derive(Clone, Default)]
pub(crate) struct Interrupt(Arc<Watched>);

impl Interrupt {
    /// Waits for the order from now on. When it comes, `text` tells the user at once what goes on. If the system cannot
    /// announce orders, they end the program as usual.
    pub(crate) fn listen(text: Option<&'static str>) -> Interrupt {
        let interrupt = Interrupt::default();
        if ending::announce_to(&interrupt.0.is_over).is_ok() {
            let watched = Arc::clone(&interrupt.0);
            // Without the thread, searches only end by themselves.
            let _ = thread::Builder::new().name("interrupt".to_owned()).spawn(move || watched.watch(text));
        }
        interrupt
    }

    /// Whether the order has come.
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::Relaxed)
    }

    /// Searches, reports to `observer`, and returns the result. The order stops the search.
    pub(crate) fn search(&self, engine: &mut Engine, limits: Limits, observer: Arc<dyn Observer>) -> Outcome {
        let number = self.0.next_number.fetch_add(1, Ordering::Relaxed);
        let outcome = engine.search_while(limits, observer, |running| {
            self.0.searches.lock().push((number, running));
        });
        self.0.searches.lock().retain(|(other, _)| *other != number);
        outcome
    }

    /// The end of a command whose work is done as far as it could be: an error if the order has come.
    pub(crate) fn end(&self, left: &str) -> Result<(), CliError> {
        if self.is_over() { Err(CliError::Interrupted(format!("interrupted; {left}"))) } else { Ok(()) }
    }
}

impl Watched {
    fn watch(&self, text: Option<&str>) {
        let mut text = text;
        loop {
            if self.is_over.load(Ordering::Relaxed) {
                if let Some(text) = text.take() {
                    console::warn(format_args!("\n{text}"));
                }
                // A search that begins later is stopped too.
                self.searches.lock().iter().for_each(|(_, search)| search.stop());
            }
            thread::sleep(INTERVAL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::facade::Settings;
    use crate::engine::run::Silent;

    /// The test gives the order itself: a signal would reach the other tests of this process.
    #[test]
    fn the_order_stops_a_search_without_an_end() {
        let interrupt = Interrupt::default();
        let watched = Arc::clone(&interrupt.0);
        thread::spawn(move || watched.watch(None));
        let mut engine = Engine::new(Settings { hash: 1, ..Settings::default() }).unwrap();
        assert!(interrupt.end("nothing").is_ok());
        interrupt.0.is_over.store(true, Ordering::Relaxed);
        let limits = Limits { infinite: true, ..Limits::default() };
        let outcome = interrupt.search(&mut engine, limits, Arc::new(Silent));
        assert!(outcome.best_move.is_some());
        assert!(interrupt.0.searches.lock().is_empty());
        let error = interrupt.end("3 positions are missing").unwrap_err();
        assert_eq!(
            (error.status(), error.to_string().as_str()),
            (130, "interrupted; 3 positions are missing")
        );
    }
}
