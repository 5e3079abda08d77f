//! What a search tells about itself, only on request, for research: what the leaf searches did, and whose results the
//! threads found in the table. The ordinary search pays a branch for each probe and each store.

mod census;
mod thread;

use std::sync::Arc;

pub use census::{Census, Work};
pub use thread::{Published, ThreadTelemetry};

/// What a search counts besides nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telemetry {
    /// Nothing.
    #[default]
    Off,
    /// Counts for the program: [`Published`] has them, also during the search.
    Count,
    /// Counts, and one line for the user at the end.
    Report,
}

impl Telemetry {
    /// [`Telemetry::Count`] if something asks for the counts.
    pub fn counting(is_asked_for: bool) -> Telemetry {
        if is_asked_for { Telemetry::Count } else { Telemetry::Off }
    }

    /// Whether anything is counted.
    pub fn is_on(self) -> bool {
        self != Telemetry::Off
    }

    /// This without the line for the user, for searches that no user watches.
    pub fn unreported(self) -> Telemetry {
        if self == Telemetry::Report { Telemetry::Off } else { self }
    }

    /// A census for a search of virtual threads. Real threads have none, because they would wait for each other there.
    pub(super) fn census(self, is_virtual: bool) -> Option<Arc<Census>> {
        (self.is_on() && is_virtual).then(Arc::default)
    }
}
