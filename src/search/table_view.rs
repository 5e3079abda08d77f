//! One thread's view of the table: the table itself, what the thread has written since the last meeting in a search in
//! rounds, and the statistics of whose results it finds.

use std::sync::Arc;

use super::census::Census;
use super::job::Job;
use super::quiescence::Statistics;
use crate::tt::{Hit, Overlay, Record, Table};

/// What a thread sees of the table, its own writes included.
pub(super) struct TableView {
    table: Arc<Table>,
    /// What this thread has written since the last meeting, in a search in rounds.
    overlay: Option<Box<Overlay>>,
    /// What was found and what the quiescence search did, if statistics are wanted.
    pub statistics: Option<Box<Statistics>>,
    /// Where it is noted what the threads store, and which of them this is.
    census: Option<(Arc<Census>, usize)>,
}

impl TableView {
    /// Of a table that nothing was written to.
    pub fn new(table: Arc<Table>) -> TableView {
        TableView { table, overlay: None, statistics: None, census: None }
    }

    /// Sees the table of `job` from now on as `thread`, with nothing written and nothing counted. What this thread
    /// stored in earlier searches stays known for its own.
    pub fn prepare(&mut self, job: &Job, thread: usize) {
        self.table = Arc::clone(&job.shared.table);
        self.overlay = job.run.rounds.is_some().then(|| {
            let mut overlay = self.overlay.take().unwrap_or_default();
            overlay.clear();
            overlay
        });
        let is_counting = job.run.statistics || job.run.sharing;
        self.statistics = is_counting.then(|| Statistics::taken_from(self.statistics.take()));
        self.census = job.run.census.clone().map(|census| (census, thread));
    }

    /// Lets go of the table for that of an idle job.
    pub fn release(&mut self, idle: &Job) {
        self.table = Arc::clone(&idle.shared.table);
    }

    /// What is to be handed in at a meeting.
    pub fn overlay(&mut self) -> Option<&mut Overlay> {
        self.overlay.as_deref_mut()
    }

    /// What the table has for `key`.
    #[inline]
    pub fn probe(&mut self, key: u64) -> Option<Hit> {
        let hit = match &self.overlay {
            None => self.table.probe(key),
            Some(overlay) => overlay.probe(&self.table, key),
        };
        if let Some(statistics) = &mut self.statistics
            && hit.is_some()
        {
            statistics.count_found(key);
        }
        hit
    }

    /// Stores a result in the table, in a search in rounds at their next meeting.
    #[inline]
    pub fn store(&mut self, key: u64, record: Record) {
        match &mut self.overlay {
            None => self.table.store(key, record),
            Some(overlay) => overlay.store(&self.table, key, &record),
        }
        if let Some(statistics) = &mut self.statistics
            && statistics.note_store(key)
            && let Some((census, thread)) = &self.census
        {
            statistics.count_store(census.note(*thread, key, record.draft));
        }
    }

    /// Has the processor fetch what the table knows of `key`.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }
}
