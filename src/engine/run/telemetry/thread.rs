//! The counts of one thread.
//!
//! The table does not say which thread stored a record. So each thread remembers what it stored itself. Any other
//! record counts as another thread's: a result that this thread got without searching for it. The thread remembers only
//! one key in 64, so that the memory suffices for a thousand threads and the search hardly slows down.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::census::{Census, Work};
use crate::engine::run::leaf::Validity;
use crate::engine::tt::Draft;

/// One key in this many is remembered and looked for.
const SAMPLE: u64 = 64;
/// Bits of the filter that remembers a thread's own stores: 512 KiB. After ten million stores 4% of them are set.
const FILTER_BITS: usize = 1 << 22;

/// What one thread counts.
pub struct ThreadTelemetry {
    /// Leaves by the level at which their result is proven: 0 to 4, then resolved.
    pub leaves: [u64; 6],
    /// Number of nodes assumed to fail high.
    pub auto_fail_highs: u64,
    /// Records found in the table by the main search and the leaf searches: first those that this thread stored, then
    /// those that only others stored. One in 64 is counted.
    found: [u64; 2],
    /// Results stored, by kind of work. One in 64 is counted, and only if the search has a census.
    stores: [u64; Work::KINDS],
    /// Answers from table entries: first those of this thread, then those of others. Estimated from one key in 64.
    answers: [u64; 2],
    /// Entries that let the bootstrap begin above level 0: first those of this thread, then those of others. Estimated
    /// from one key in 64.
    bootstraps: [u64; 2],
    /// One bit for each sampled key that this thread stored, addressed by the key's low bits. A stored key is always
    /// found. A key of another thread passes for an own one with a probability equal to the share of bits that are set.
    stored: Box<[u64]>,
    /// The census that notes what the threads store, and the index of this thread.
    census: Option<(Arc<Census>, usize)>,
}

/// The counts of a thread that others may read during the search.
#[derive(Default)]
pub struct Published {
    /// Records found in the table: first those that the thread stored itself, then those that only others stored. About
    /// one in 64 is counted.
    pub table_hits: [AtomicU64; 2],
    /// Results that the thread stored, by [`Work`]. About one in 64 is counted, if there is a census.
    pub stores: [AtomicU64; Work::KINDS],
}

impl ThreadTelemetry {
    /// Empty counts. They take over the memory of stored keys from an earlier search, because its entries are still in
    /// the table.
    pub(crate) fn continuing(
        earlier: Option<Box<ThreadTelemetry>>,
        census: Option<(Arc<Census>, usize)>,
    ) -> Box<ThreadTelemetry> {
        let stored = earlier.map_or_else(|| vec![0; FILTER_BITS / 64].into_boxed_slice(), |s| s.stored);
        Box::new(ThreadTelemetry { stored, census, ..ThreadTelemetry::zero() })
    }

    pub(crate) fn count_leaf(&mut self, validity: Validity) {
        let slot = if validity.is_resolved() { 5 } else { usize::from(validity.highest_level()) };
        self.leaves[slot] += 1;
    }

    /// Counts an answer from the table, if its key is in the sample.
    pub(crate) fn count_answer(&mut self, key: u64) {
        if let Some(own) = self.is_own(key) {
            self.answers[usize::from(!own)] += SAMPLE;
        }
    }

    /// Counts a table entry from which a bootstrap began, if its key is in the sample.
    pub(crate) fn count_bootstrap(&mut self, key: u64) {
        if let Some(own) = self.is_own(key) {
            self.bootstraps[usize::from(!own)] += SAMPLE;
        }
    }

    /// Counts a record found in the table, if its key is in the sample.
    pub(crate) fn count_found(&mut self, key: u64) {
        if let Some(own) = self.is_own(key) {
            self.found[usize::from(!own)] += 1;
        }
    }

    /// Remembers a store, and counts it if its key is in the sample.
    pub(crate) fn count_store(&mut self, key: u64, draft: Draft) {
        let Some(bit) = filter_bit(key) else { return };
        self.stored[bit / 64] |= 1 << (bit % 64);
        if let Some((census, thread)) = &self.census {
            self.stores[census.note(*thread, key, draft) as usize] += 1;
        }
    }

    /// Lets the other threads see the counts.
    pub(crate) fn publish(&self, published: &Published) {
        let slots = published.table_hits.iter().chain(&published.stores);
        for (slot, count) in slots.zip(self.found.into_iter().chain(self.stores)) {
            slot.store(count, Ordering::Relaxed);
        }
    }

    /// Whether this thread stored `key`; `None` if the key is not in the sample.
    fn is_own(&self, key: u64) -> Option<bool> {
        filter_bit(key).map(|bit| self.stored[bit / 64] & (1 << (bit % 64)) != 0)
    }

    /// The counts without the memory of stored keys.
    pub fn counts_only(&self) -> Box<ThreadTelemetry> {
        let mut copy = Box::new(ThreadTelemetry::zero());
        copy.add(self);
        copy
    }

    fn zero() -> ThreadTelemetry {
        ThreadTelemetry {
            leaves: [0; 6],
            auto_fail_highs: 0,
            found: [0; 2],
            stores: [0; Work::KINDS],
            answers: [0; 2],
            bootstraps: [0; 2],
            stored: Box::default(),
            census: None,
        }
    }

    /// Adds the counts of another thread.
    pub fn add(&mut self, other: &ThreadTelemetry) {
        self.leaves.iter_mut().zip(other.leaves).for_each(|(a, b)| *a += b);
        self.auto_fail_highs += other.auto_fail_highs;
        self.found.iter_mut().zip(other.found).for_each(|(a, b)| *a += b);
        self.stores.iter_mut().zip(other.stores).for_each(|(a, b)| *a += b);
        self.answers.iter_mut().zip(other.answers).for_each(|(a, b)| *a += b);
        self.bootstraps.iter_mut().zip(other.bootstraps).for_each(|(a, b)| *a += b);
    }
}

/// The filter's bit for a key; `None` if the key is not in the sample. Different bits of the key choose the sample and
/// the filter's bit.
fn filter_bit(key: u64) -> Option<usize> {
    (key >> 32).is_multiple_of(SAMPLE).then_some(key as usize % FILTER_BITS)
}

/// One line for the user.
impl std::fmt::Display for ThreadTelemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let total: u64 = self.leaves.iter().sum();
        let share = |count: u64| 100.0 * count as f64 / total.max(1) as f64;
        write!(f, "leaves={total} resolved={:.2}%", share(self.leaves[5]))?;
        for level in 0..5 {
            write!(f, " level-{level}={:.2}%", share(self.leaves[level]))?;
        }
        let [table_own, table_others] = self.answers;
        let [bootstrap_own, bootstrap_others] = self.bootstraps;
        write!(
            f,
            " auto-fail-highs={} table-own={table_own} table-others={table_others} \
             bootstrap-own={bootstrap_own} bootstrap-others={bootstrap_others}",
            self.auto_fail_highs
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_stores_are_recognized_and_one_key_in_64_is_sampled() {
        let mut telemetry = ThreadTelemetry::continuing(None, None);
        // Multiples of an odd number: every bit of the keys changes.
        let keys: Vec<u64> = (1..=64_000u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let (own, foreign) = keys.split_at(48_000);
        own.iter().for_each(|key| telemetry.count_store(*key, Draft::main(1)));
        assert!(own.iter().all(|key| telemetry.is_own(*key) != Some(false)));
        keys.iter().for_each(|key| telemetry.count_found(*key));
        let [found_own, found_foreign] = telemetry.found;
        assert!((700..=820).contains(&found_own), "{found_own} of {} in 64", own.len());
        assert!((200..=300).contains(&found_foreign), "{found_foreign} of {} in 64", foreign.len());

        assert_eq!(telemetry.stores, [0; Work::KINDS], "there is no census");

        let later = ThreadTelemetry::continuing(Some(telemetry), None);
        assert_eq!(later.found, [0, 0]);
        assert!(own.iter().all(|key| later.is_own(*key) != Some(false)), "earlier stores stay known");
    }

    #[test]
    fn the_line_for_the_user_names_each_count() {
        let mut telemetry = ThreadTelemetry::zero();
        telemetry.leaves = [1, 0, 0, 0, 0, 3];
        (telemetry.auto_fail_highs, telemetry.answers, telemetry.bootstraps) = (12, [3, 4], [1, 0]);
        assert_eq!(
            telemetry.to_string(),
            "leaves=4 resolved=75.00% level-0=25.00% level-1=0.00% level-2=0.00% level-3=0.00% level-4=0.00% \
             auto-fail-highs=12 table-own=3 table-others=4 bootstrap-own=1 bootstrap-others=0"
        );
    }
}
