//! The transposition table that all threads share, without locks.
//!
//! Each cluster of three records fills half a cache line. The key's high bits choose the cluster, and its low bits are
//! part of the signature of a record. The invariant: [`Table::probe`] returns only records that were stored, whole,
//! under the same cluster and signature, however many threads write at the same time. README.md in this folder
//! describes the protocol. The results in the table serve all threads of a search: this sharing is what makes Lazy SMP
//! work.

mod cluster;
mod draft;
mod file;
mod memory;
mod overlay;
mod page_kind;
#[cfg(not(loom))]
mod pages;
mod parts;
mod record;
mod sync;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use cluster::{Cluster, SLOTS};
use memory::Memory;
use parts::MEBIBYTE;

use crate::base::machine;
use crate::base::numa::Binding;
use crate::base::prefetch::prefetch;

pub use draft::{Draft, LeafClass};
pub use file::{Origin, TableFileError};
pub use memory::TableError;
pub use overlay::{Overlay, Pending};
pub use page_kind::PageKind;
pub use record::{Record, Word};

/// Number of clusters that [`Table::hashfull`] looks at: 8 KiB. A larger sample would slow down small searches, which
/// ask after each iteration.
const SAMPLE: usize = 256;

/// One byte in this many of the available memory is left free, for the threads' stacks and histories and for the rest
/// of the machine.
const RESERVE: u64 = 32;

/// A table of search results, shared by reference. Any thread may probe and store at any time.
pub struct Table {
    memory: Memory,
    mebibytes: usize,
    /// Relaxed: it is set between searches. A store with the age of the previous search would only be replaced somewhat
    /// sooner.
    age: AtomicU8,
    /// Whether nothing was stored since the memory was cleared, so that it need not be cleared again. Relaxed: this is
    /// a hint. While nobody stores, its only possible error is that the table is cleared once too often.
    is_clean: AtomicBool,
}

impl Table {
    /// An empty table of `mebibytes` MiB (1 or more). Its pages come from the memory nearest to the threads of
    /// `binding`, in equal parts.
    ///
    /// # Errors
    ///
    /// If the machine, or the control group around this process, cannot provide this size.
    pub fn new(mebibytes: usize, binding: &Binding) -> Result<Table, TableError> {
        let mut table = Table::map(mebibytes, 0, binding)?;
        table.settle(binding)?;
        Ok(table)
    }

    /// Replaces the table by an empty one, which may use the memory of the old one.
    ///
    /// # Errors
    ///
    /// The same errors as [`Table::new`]. The table then stays as it was, unless somebody else took the memory at the
    /// same moment. Then it is empty.
    ///
    /// # Panics
    ///
    /// If there is no memory even for a table of 1 MiB.
    pub fn resize(&mut self, mebibytes: usize, binding: &Binding) -> Result<(), TableError> {
        // An ordinary mapping costs nothing before it is placed. By then the old table is gone.
        let former = self.mebibytes;
        *self = self.successor(mebibytes, binding)?;
        let settled = self.settle(binding);
        if settled.is_err() {
            let next = Table::new(former, binding).or_else(|_| Table::new(1, binding));
            *self = next.expect("the memory of the old table was given back");
        }
        settled
    }

    /// A table that is to replace this one and may count on its memory.
    fn successor(&self, mebibytes: usize, binding: &Binding) -> Result<Table, TableError> {
        // Reserved pages go back to the reserve.
        let returned = if self.pages().is_reserved() { 0 } else { self.mebibytes as u64 * MEBIBYTE as u64 };
        Table::map(mebibytes, returned, binding)
    }

    /// A table of zeroed memory. Ordinary memory is not touched yet: `returned` bytes of it will be given back before
    /// use.
    fn map(mebibytes: usize, returned: u64, binding: &Binding) -> Result<Table, TableError> {
        if mebibytes == 0 {
            return Err(TableError::Empty);
        }
        let bytes = mebibytes.checked_mul(MEBIBYTE).filter(|&bytes| bytes <= isize::MAX as usize);
        let unavailable = machine::available_bytes().and_then(|available| {
            let available = available.saturating_add(returned);
            let available = available - available / RESERVE;
            let is_too_much = bytes.is_none_or(|bytes| bytes as u64 > available);
            let available = available / MEBIBYTE as u64;
            is_too_much.then_some(TableError::Unavailable { asked: mebibytes, available })
        });
        let refused = |source| TableError::Refused { asked: mebibytes, source };
        let memory = match (bytes, unavailable) {
            // Pages that an administrator reserved do not count as available memory.
            (Some(bytes), Some(error)) => Memory::reserved(bytes, binding).ok_or(error)?,
            (Some(bytes), None) => Memory::new(bytes).map_err(refused)?,
            (None, error) => {
                return Err(error.unwrap_or_else(|| refused(std::io::ErrorKind::OutOfMemory.into())));
            }
        };
        Ok(Table { memory, mebibytes, age: AtomicU8::new(0), is_clean: AtomicBool::new(true) })
    }

    /// Takes reserved or large pages if there are enough, now that those of an older table are free again. Otherwise
    /// the threads of `binding` touch their parts of the memory first.
    fn settle(&mut self, binding: &Binding) -> Result<(), TableError> {
        if self.pages().is_placed() {
            return Ok(());
        }
        let bytes = self.mebibytes * MEBIBYTE;
        match Memory::reserved(bytes, binding).or_else(|| Memory::locked(bytes, binding)) {
            Some(memory) => self.memory = memory,
            None => {
                let refused = |source| TableError::Refused { asked: self.mebibytes, source };
                self.memory.place(binding).map_err(refused)?;
            }
        }
        Ok(())
    }

    /// Clears the table, with at most as many threads as `binding` has. A search that runs at the same time stays
    /// correct, but what it stores may survive.
    pub fn clear(&self, binding: &Binding) {
        self.age.store(0, Ordering::Relaxed);
        if !self.is_clean() {
            // Set before the work, because a store during the work makes the table unclean again.
            self.is_clean.store(true, Ordering::Relaxed);
            let clusters = self.clusters();
            parts::for_each(clusters.len(), binding, |part| clusters[part].iter().for_each(Cluster::clear));
        }
    }

    /// Whether nothing was stored since the memory was placed or cleared.
    pub fn is_clean(&self) -> bool {
        self.is_clean.load(Ordering::Relaxed)
    }

    /// Begins a search. Everything that was stored before is worth less from now on.
    pub fn new_search(&self) {
        let age = self.age();
        self.age.store((age + 1) % record::AGES, Ordering::Relaxed);
    }

    /// Prefetches the cluster of `key`, for a probe some 100 ns from now.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// The record of `key`. In a full table, about one probe in 700,000 finds the record of another position with the
    /// same cluster and signature, so check that the move is legal.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Record> {
        self.cluster(key).probe(key)
    }

    /// Stores the result of a search. It replaces the record of the same key, unless that one is far deeper and the new
    /// one is not exact. If the new record has no move, it keeps the old one's move. If there is no record of the same
    /// key, it replaces the record of least worth in the cluster. The worth of a record is that of its draft
    /// ([`Draft::worth`]) less a penalty for each search since it was stored.
    #[inline]
    pub fn store(&self, key: u64, record: Record) {
        self.cluster(key).store(key, &record, self.age());
        // The flag is read first, because it shares its cache line with fields that every probe reads.
        if self.is_clean.load(Ordering::Relaxed) {
            self.is_clean.store(false, Ordering::Relaxed);
        }
    }

    /// The share of slots that this search has filled, in permille, estimated from the first 256 clusters.
    pub fn hashfull(&self) -> u32 {
        let age = self.age();
        let sample = &self.clusters()[..SAMPLE.min(self.clusters().len())];
        let filled: usize = sample.iter().map(|cluster| cluster.count_of_age(age)).sum();
        (filled * 1000 / (sample.len() * SLOTS)) as u32
    }

    /// The size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.mebibytes
    }

    /// The kind of pages that the memory lies in.
    pub fn pages(&self) -> PageKind {
        self.memory.pages()
    }

    #[inline]
    fn clusters(&self) -> &[Cluster] {
        self.memory.clusters()
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        &self.clusters()[self.cluster_index(key)]
    }

    /// The index of the cluster of `key`: the key's high bits, scaled to any number of clusters, which need not be a
    /// power of two (Lemire, "A fast alternative to the modulo reduction", 2016).
    #[inline]
    fn cluster_index(&self, key: u64) -> usize {
        ((u128::from(key) * self.clusters().len() as u128) >> 64) as usize
    }

    #[inline]
    fn age(&self) -> u8 {
        self.age.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} MiB, {})", self.mebibytes, self.pages())
    }
}
