//! One search, as all its threads share it: the task, the rules, the shared state, the signals, the counters and the
//! reports.
//!
//! The steps of one thread lie above, in `search`. The threads themselves begin and end in `pool`. The types of a leaf
//! search's answer lie here too, because reports and telemetry speak of them.

pub mod counters;
pub mod job;
pub mod leaf;
pub mod level;
pub mod limits;
mod lines;
pub mod pv;
mod pv_completion;
pub mod report;
pub mod report_gate;
pub mod root;
pub mod rounds;
pub mod signals;
pub mod stagger;
pub(crate) mod table_view;
pub mod telemetry;

pub use level::{Level, Strength};
pub use limits::{Clock, Limits, MAX_DEPTH};
pub use report::{Failure, Line, Observer, Outcome, Silent};
pub use stagger::Stagger;
pub use telemetry::Telemetry;
