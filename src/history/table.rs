//! A history's numbers, of one thread or of several.
//!
//! Threads that share a table read and write its entries without regard to each other: an entry may miss a bonus that
//! another thread gave at the same moment, and nothing else can happen. Relaxed loads and stores of 16 bits cost what
//! plain ones do.

use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering};

/// Entries that begin as zeros. Clones are the same table.
#[derive(Clone, Debug)]
pub struct HistoryTable(Arc<[AtomicI16]>);

impl HistoryTable {
    /// All zero.
    pub fn new(entries: usize) -> HistoryTable {
        HistoryTable((0..entries).map(|_| AtomicI16::new(0)).collect())
    }

    /// All zero, and as long as this one.
    pub fn fresh(&self) -> HistoryTable {
        HistoryTable::new(self.0.len())
    }

    /// The entry at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> i32 {
        i32::from(self.0[index].load(Ordering::Relaxed))
    }

    /// `N` entries from the multiple `row` of `N` on.
    #[inline]
    pub fn row<const N: usize>(&self, row: usize) -> HistoryRow<'_, N> {
        HistoryRow(&self.0.as_chunks().0[row])
    }

    /// Puts what `change` makes of the entry at `index` in its place.
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

/// Some neighboring entries, to be looked up one by one.
#[derive(Clone, Copy, Debug)]
pub struct HistoryRow<'a, const N: usize>(&'a [AtomicI16; N]);

impl<const N: usize> HistoryRow<'_, N> {
    /// The entry at `index` of the row.
    #[inline]
    pub fn get(self, index: usize) -> i32 {
        i32::from(self.0[index].load(Ordering::Relaxed))
    }
}
