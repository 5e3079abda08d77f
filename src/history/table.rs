//! The entries of a history, which one thread uses or several threads share.
//!
//! Threads that share a table read and write its entries without waiting for each other. An entry may miss a bonus that
//! another thread gives at the same moment, but nothing else can happen. Relaxed loads and stores of 16 bits cost as
//! much as plain ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering};

/// Entries that begin as zeros. Clones refer to the same table.
#[derive(Clone, Debug)]
pub struct HistoryTable(Arc<[AtomicI16]>);

impl HistoryTable {
    /// A table of `entries` zeros.
    pub fn new(entries: usize) -> HistoryTable {
        HistoryTable((0..entries).map(|_| AtomicI16::new(0)).collect())
    }

    /// A new table of zeros, as long as this one.
    pub fn fresh(&self) -> HistoryTable {
        HistoryTable::new(self.0.len())
    }

    /// The entry at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> i32 {
        i32::from(self.0[index].load(Ordering::Relaxed))
    }

    /// The row of `N` entries that begins at index `row * N`.
    #[inline]
    pub fn row<const N: usize>(&self, row: usize) -> HistoryRow<'_, N> {
        HistoryRow(&self.0.as_chunks().0[row])
    }

    /// Replaces the entry at `index` by what `change` makes of it.
    #[inline]
    pub fn update(&self, index: usize, change: impl FnOnce(i32) -> i32) {
        let entry = &self.0[index];
        entry.store(change(i32::from(entry.load(Ordering::Relaxed))) as i16, Ordering::Relaxed);
    }

    /// Makes all entries zero.
    pub fn clear(&self) {
        self.0.iter().for_each(|entry| entry.store(0, Ordering::Relaxed));
    }
}

/// Some neighboring entries.
#[derive(Clone, Copy, Debug)]
pub struct HistoryRow<'a, const N: usize>(&'a [AtomicI16; N]);

impl<'a, const N: usize> HistoryRow<'a, N> {
    /// The row of these entries.
    #[inline]
    pub const fn new(entries: &'a [AtomicI16; N]) -> HistoryRow<'a, N> {
        HistoryRow(entries)
    }

    /// The entry at `index` of the row.
    #[inline]
    pub fn get(self, index: usize) -> i32 {
        i32::from(self.0[index].load(Ordering::Relaxed))
    }
}
