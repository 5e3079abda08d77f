//! The facade of the engine: a position, a table, a pool of threads, and `go`. `uci` and the command line use it, and
//! so do programs that use Enfilade as a library.
//!
//! Invariant: each `go` ends with exactly one call of [`Observer::finished`].
//!
//! [`Observer`]: crate::engine::run::Observer
//! [`Observer::finished`]: crate::engine::run::Observer::finished
//!
//! [`Engine::search`] returns when the search has ended:
//!
//! ```
//! use enfilade::chess::board::Game;
//! use enfilade::engine::{Engine, Settings};
//! use enfilade::engine::run::Limits;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut engine = Engine::new(Settings { hash: 1, threads: 1, ..Settings::default() })?;
//! // The second value says what had to be repaired in the FEN: nothing here.
//! let (mut game, _) = Game::from_fen("6k1/5ppp/8/8/8/8/7P/4R1K1 b - - 0 1")?;
//! game.play_uci("h7h5")?;
//! game.play_uci("e1e8")?;
//! engine.set_game(game);
//! let outcome = engine.search(Limits::nodes(10_000));
//!
//! // The king has one move. In Chess960 castling would be spelled as the king taking the rook.
//! let is_chess960 = false;
//! let best_move = outcome.best_move.ok_or("there is no legal move")?;
//! assert_eq!(best_move.to_uci(is_chess960).to_string(), "g8h7");
//! # Ok(())
//! # }
//! ```
//!
//! [`Engine::go`] returns at once. The search runs in the background and reports to an [`Observer`]:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::mpsc::{Sender, channel};
//!
//! use enfilade::chess::board::Move;
//! use enfilade::engine::{Engine, Settings};
//! use enfilade::engine::run::{Limits, Line, Observer, Outcome};
//!
//! /// Passes on the depth of each line.
//! struct Depths(Sender<i32>);
//!
//! impl Observer for Depths {
//!     fn line(&self, line: &Line) {
//!         // At the end nobody listens any more.
//!         let _ = self.0.send(line.depth);
//!     }
//!     fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
//!     fn message(&self, _text: &str) {}
//!     fn finished(&self, _outcome: &Outcome) {}
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut engine = Engine::new(Settings { hash: 1, threads: 2, ..Settings::default() })?;
//! let (sender, depths) = channel();
//! engine.go(Limits { infinite: true, ..Limits::default() }, Arc::new(Depths(sender)));
//! while depths.recv()? < 5 {}
//! engine.stop();
//! engine.wait();
//! # Ok(())
//! # }
//! ```

mod clocks;
mod engine;
mod error;
mod fingerprint;
mod job;
mod knowledge;
#[cfg(feature = "laboratory")]
mod laboratory;
mod outcome_recorder;
mod running;
mod settings;
mod solo;
mod state;
mod summary;
mod table;

pub use engine::Engine;
pub use error::EngineError;
pub use fingerprint::Fingerprint;
pub use knowledge::{Knowledge, KnownResult};
#[cfg(feature = "laboratory")]
pub use laboratory::Laboratory;
pub use running::RunningSearch;
pub use settings::Settings;
pub use solo::Solo;
pub use summary::{Spread, ThreadSummary};

/// The engine's name and version.
pub const NAME: &str = concat!("Enfilade ", env!("CARGO_PKG_VERSION"));
