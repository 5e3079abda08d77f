//! The entries of a history, which one thread uses or several threads share.
//!
//! Threads that share a table read and write its entries without waiting for each other. An entry may miss a bonus that
//! another thread gives at the same moment, but nothing else can happen. Relaxed loads and stores of 16 bits cost as
//! much as plain ones.
//!
//! Invariant: no cache line holds entries of two tables. So threads that share one table never slow down those that
//! share another.

use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering};

use crate::base::prefetch::prefetch;

/// Entries at the end of a table that nobody uses. They fill a cache line, or two lines that are fetched together.
const PADDING: usize = 64;

/// Entries that begin as zeros. Clones refer to the same table.
#[derive(Clone, Debug)]
pub struct HistoryTable(Arc<[AtomicI16]>);

impl HistoryTable {
    /// A table of `entries` zeros.
    pub fn new(entries: usize) -> HistoryTable {
        HistoryTable((0..entries + PADDING).map(|_| AtomicI16::new(0)).collect())
    }

    /// A new table of zeros, as long as this one.
    pub fn fresh(&self) -> HistoryTable {
        HistoryTable::new(self.0.len() - PADDING)
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

    /// Prefetches the entry at `index` of the row.
    #[inline]
    pub fn prefetch(self, index: usize) {
        prefetch(&self.0[index]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and last bytes of the used entries.
    fn span(table: &HistoryTable, entries: usize) -> (usize, usize) {
        let address = |index: usize| std::ptr::from_ref(&table.0[index]).addr();
        (address(0), address(entries - 1) + 1)
    }

    #[test]
    fn no_cache_line_has_entries_of_two_tables() {
        const LINE: usize = 64;
        // Tables of all lengths, made one after another as for the groups of a large machine.
        let lengths: Vec<usize> = (1..200).collect();
        let tables: Vec<HistoryTable> = lengths.iter().map(|&entries| HistoryTable::new(entries)).collect();
        let mut spans: Vec<(usize, usize)> =
            tables.iter().zip(&lengths).map(|(table, &entries)| span(table, entries)).collect();
        spans.sort_unstable();
        for pair in spans.windows(2) {
            assert!(pair[0].1 / LINE < pair[1].0 / LINE, "{pair:x?}");
        }
    }

    #[test]
    fn a_fresh_table_is_as_long_as_the_old_one_and_empty() {
        let table = HistoryTable::new(3);
        table.update(2, |value| value + 7);
        let fresh = table.fresh();
        assert_eq!((table.get(2), fresh.get(2), fresh.0.len()), (7, 0, table.0.len()));
    }
}
