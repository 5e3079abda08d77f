//! One thread's view of the table: the table itself, the thread's own writes since the last meeting in a search in
//! rounds, and telemetry about whose results the thread finds.

use std::sync::Arc;

use super::job::Job;
use super::telemetry::ThreadTelemetry;
use crate::engine::tt::{Overlay, Record, Table};

/// What a thread sees of the table, its own writes included.
pub(crate) struct TableView {
    table: Arc<Table>,
    /// What this thread has written since the last meeting; only in a search in rounds.
    overlay: Option<Box<Overlay>>,
    /// Counts of what was found and what the leaf searches did; only on request.
    pub telemetry: Option<Box<ThreadTelemetry>>,
}

impl TableView {
    /// A view of `table` without own writes and without telemetry.
    pub fn new(table: Arc<Table>) -> TableView {
        TableView { table, overlay: None, telemetry: None }
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
        self.telemetry = job.rules.telemetry.is_on().then(|| {
            let census = job.run.census.clone().map(|census| (census, thread));
            ThreadTelemetry::continuing(self.telemetry.take(), census)
        });
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
        if let Some(telemetry) = &mut self.telemetry
            && hit.is_some()
        {
            telemetry.count_found(key);
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
        if let Some(telemetry) = &mut self.telemetry {
            telemetry.count_store(key, record.draft);
        }
    }

    /// Prefetches the table's record of `key`.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }
}
