//! One thread's view of the table: the table itself, the thread's own writes since the last meeting in a search in
//! rounds, and statistics about whose results the thread finds.

use std::sync::Arc;

use super::census::Census;
use super::job::Job;
use super::leaf::Statistics;
use crate::engine::tt::{Overlay, Record, Table};

/// What a thread sees of the table, its own writes included.
pub(crate) struct TableView {
    table: Arc<Table>,
    /// What this thread has written since the last meeting; only in a search in rounds.
    overlay: Option<Box<Overlay>>,
    /// Counts of what was found and what the quiescence search did; only if statistics are requested.
    pub statistics: Option<Box<Statistics>>,
    /// The census that notes what the threads store, and the index of this thread.
    census: Option<(Arc<Census>, usize)>,
}

impl TableView {
    /// A view of `table` without own writes and without statistics.
    pub fn new(table: Arc<Table>) -> TableView {
        TableView { table, overlay: None, statistics: None, census: None }
    }

    /// Switches to the table of `job` as `thread`, with nothing written and nothing counted. The thread still knows
    /// what it stored in earlier searches.
    pub fn prepare(&mut self, job: &Job, thread: usize) {
        self.table = Arc::clone(&job.shared.table);
        self.overlay = job.run.rounds.is_some().then(|| {
            let mut overlay = self.overlay.take().unwrap_or_default();
            overlay.clear();
            overlay
        });
        let is_counting = job.run.launch.statistics || job.run.launch.counts_sharing;
        self.statistics = is_counting.then(|| Statistics::continuing(self.statistics.take()));
        self.census = job.run.census.clone().map(|census| (census, thread));
    }

    /// Releases the table and takes the one of an idle job.
    pub fn release(&mut self, idle: &Job) {
        self.table = Arc::clone(&idle.shared.table);
    }

    /// The writes to hand in at a meeting; `None` in a search without rounds.
    pub fn overlay(&mut self) -> Option<&mut Overlay> {
        self.overlay.as_deref_mut()
    }

    /// The record of `key`, from the table or from the thread's own writes.
    #[inline]
    pub fn probe(&mut self, key: u64) -> Option<Record> {
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

    /// Stores a result in the table. In a search in rounds, it reaches the table at the next meeting.
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

    /// Prefetches the table's record of `key`.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }
}
