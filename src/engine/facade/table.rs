//! The engine's table: its size, its place in memory, and its file.

use std::path::Path;
use std::sync::Arc;

use super::engine::Engine;
use super::error::EngineError;
use crate::base::numa::Binding;
use crate::engine::tt::{Origin, Table, TableFileError};

impl Engine {
    /// Waits for the end of a running search, resizes the table and clears it.
    ///
    /// # Errors
    /// If the memory cannot be allocated. The old table stays.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), EngineError> {
        self.forget_search();
        match Arc::get_mut(&mut self.state.table) {
            Some(table) => table.resize(mebibytes, &self.state.binding)?,
            None => self.state.table = Arc::new(Table::new(mebibytes, &self.state.binding)?),
        }
        self.state.settings.hash = mebibytes;
        self.is_table_misplaced = false;
        Ok(())
    }

    /// Waits for the end of a running search, and clears the table.
    pub fn clear_hash(&mut self) {
        self.wait();
        if !self.place_table() {
            self.state.table.clear(&self.state.binding);
        }
    }

    /// Replaces the table's memory by new, empty memory if the old memory lies on the wrong NUMA nodes and the system
    /// has enough. Returns whether it did.
    pub(super) fn place_table(&mut self) -> bool {
        if !self.is_table_misplaced {
            return false;
        }
        self.forget_search();
        let mebibytes = self.state.settings.hash;
        let table = Arc::get_mut(&mut self.state.table);
        self.is_table_misplaced =
            table.is_none_or(|table| table.resize(mebibytes, &self.state.binding).is_err());
        !self.is_table_misplaced
    }

    /// Waits for the end of a running search, and writes the table to a file.
    ///
    /// # Errors
    /// If the file cannot be written. A file that was there before stays.
    pub fn save_hash(&mut self, path: &Path) -> Result<(), TableFileError> {
        self.wait();
        self.state.table.save(path, &self.origin())
    }

    /// Waits for the end of a running search, and replaces the table by the one in a file. That table may have another
    /// size.
    ///
    /// # Errors
    /// If the file cannot be read or used. The old table stays, except with [`TableFileError::Changed`].
    pub fn load_hash(&mut self, path: &Path) -> Result<(), TableFileError> {
        self.forget_search();
        let origin = self.origin();
        let loaded = match Arc::get_mut(&mut self.state.table) {
            Some(table) => table.load(path, &origin, &self.state.binding),
            None => {
                let mut table = Table::new(1, &Binding::unbound(1))?;
                let loaded = table.load(path, &origin, &self.state.binding);
                if loaded.is_ok() {
                    self.state.table = Arc::new(table);
                }
                loaded
            }
        };
        // If the file changed while it was read, the table already has the new size.
        self.state.settings.hash = self.state.table.mebibytes();
        self.is_table_misplaced &= loaded.is_err();
        loaded
    }

    /// What the table's results depend on.
    fn origin(&self) -> Origin {
        Origin {
            network: self.state.settings.network.checksum(),
            quiescence: self.state.settings.quiescence.name(),
            fifty_moves: self.state.settings.probing.fifty_moves,
        }
    }
}
