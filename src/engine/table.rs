//! The engine's table: its size, its place in memory, and its file.

use std::path::Path;
use std::sync::Arc;

use super::{Engine, EngineError};
use crate::numa::Binding;
use crate::tt::{Origin, Table, TableFileError};

impl Engine {
    /// Resizes the table, once a running search has ended, and empties it.
    ///
    /// # Errors
    /// If the memory is not to be had; the old table stays.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), EngineError> {
        self.forget_search();
        match Arc::get_mut(&mut self.table) {
            Some(table) => table.resize(mebibytes, &self.binding)?,
            None => self.table = Arc::new(Table::new(mebibytes, &self.binding)?),
        }
        self.settings.hash = mebibytes;
        self.is_table_misplaced = false;
        Ok(())
    }

    /// Empties the table, once a running search has ended.
    pub fn clear_hash(&mut self) {
        self.wait();
        if !self.place_table() {
            self.table.clear(&self.binding);
        }
    }

    /// Empties the table by new memory, if that of the old one lies on the wrong nodes and new memory can be
    /// had; whether it did.
    pub(super) fn place_table(&mut self) -> bool {
        if !self.is_table_misplaced {
            return false;
        }
        self.forget_search();
        let mebibytes = self.settings.hash;
        let table = Arc::get_mut(&mut self.table);
        self.is_table_misplaced = table.is_none_or(|table| table.resize(mebibytes, &self.binding).is_err());
        !self.is_table_misplaced
    }

    /// Writes the table to a file, once a running search has ended.
    ///
    /// # Errors
    /// If the file cannot be written; one that was there before stays.
    pub fn save_hash(&mut self, path: &Path) -> Result<(), TableFileError> {
        self.wait();
        self.table.save(path, &self.origin())
    }

    /// Replaces the table, once a running search has ended, by the one in a file, which may have another size.
    ///
    /// # Errors
    /// If the file cannot be read or used; the old table stays, but for [`TableFileError::Changed`].
    pub fn load_hash(&mut self, path: &Path) -> Result<(), TableFileError> {
        self.forget_search();
        let origin = self.origin();
        let loaded = match Arc::get_mut(&mut self.table) {
            Some(table) => table.load(path, &origin, &self.binding),
            None => {
                let mut table = Table::new(1, &Binding::unbound(1))?;
                let loaded = table.load(path, &origin, &self.binding);
                if loaded.is_ok() {
                    self.table = Arc::new(table);
                }
                loaded
            }
        };
        // A file that changed under the reader's eyes has left its size.
        self.settings.hash = self.table.mebibytes();
        self.is_table_misplaced &= loaded.is_err();
        loaded
    }

    /// What the table's results depend on.
    fn origin(&self) -> Origin {
        Origin {
            network: self.settings.network.checksum(),
            quiescence: self.settings.quiescence.name(),
            fifty_moves: self.settings.probing.fifty_moves,
        }
    }
}
