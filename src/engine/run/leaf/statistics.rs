//! Counts what the quiescence search did and whose results it found, only on request, for research.
//!
//! The table does not say which thread stored a record. So each thread remembers what it stored itself. Any other
//! record counts as another thread's: a result that this thread got without searching for it. The thread remembers only
//! one key in 64, so that the memory suffices for a thousand threads and the search hardly slows down.

use super::validity::Validity;
use crate::engine::run::census::Work;

/// One key in this many is remembered and looked for.
const SAMPLE: u64 = 64;
/// Bits of the filter that remembers a thread's own stores: 512 KiB. After ten million stores 4% of them are set.
const FILTER_BITS: usize = 1 << 22;

/// Counts of one thread's leaf searches.
pub struct Statistics {
    /// Leaves by the level at which their result is proven: 0 to 4, then resolved.
    pub leaves: [u64; 6],
    /// Number of nodes assumed to fail high.
    pub auto_fail_highs: u64,
    /// Records found in the table by the main search and the leaf searches: first those that this thread stored, then
    /// those that only others stored. One in 64 is counted.
    pub found: [u64; 2],
    /// Results stored, by kind of work. One in 64 is counted, and only if the search has a census.
    pub stores: [u64; Work::KINDS],
    /// Answers from table entries: first those of this thread, then those of others. Estimated from one key in 64.
    pub hits: [u64; 2],
    /// Entries that let the bootstrap begin above level 0: first those of this thread, then those of others. Estimated
    /// from one key in 64.
    pub bootstraps: [u64; 2],
    /// One bit for each sampled key that this thread stored, addressed by the key's low bits. A stored key is always
    /// found. A key of another thread passes for an own one with a probability equal to the share of bits that are set.
    stored: Box<[u64]>,
}

impl Statistics {
    /// Empty counts. They take over the memory of stored keys from an earlier search, because its entries are still in
    /// the table.
    pub(crate) fn continuing(earlier: Option<Box<Statistics>>) -> Box<Statistics> {
        let stored = earlier.map_or_else(|| vec![0; FILTER_BITS / 64].into_boxed_slice(), |s| s.stored);
        Box::new(Statistics { stored, ..Statistics::zero() })
    }

    pub(crate) fn count_leaf(&mut self, validity: Validity) {
        let slot = if validity.is_resolved() { 5 } else { usize::from(validity.highest_level()) };
        self.leaves[slot] += 1;
    }

    /// Counts an answer from the table, if its key is in the sample.
    pub(crate) fn count_answer(&mut self, key: u64) {
        if let Some(own) = self.is_own(key) {
            self.hits[usize::from(!own)] += SAMPLE;
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

    /// Remembers a store. Returns whether its key is in the sample.
    pub(crate) fn note_store(&mut self, key: u64) -> bool {
        let bit = filter_bit(key);
        if let Some(bit) = bit {
            self.stored[bit / 64] |= 1 << (bit % 64);
        }
        bit.is_some()
    }

    /// Counts a store whose key is in the sample.
    pub(crate) fn count_store(&mut self, work: Work) {
        self.stores[work as usize] += 1;
    }

    /// Whether this thread stored `key`; `None` if the key is not in the sample.
    fn is_own(&self, key: u64) -> Option<bool> {
        filter_bit(key).map(|bit| self.stored[bit / 64] & (1 << (bit % 64)) != 0)
    }

    /// The counts without the memory of stored keys.
    pub fn counts_only(&self) -> Box<Statistics> {
        let mut copy = Box::new(Statistics::zero());
        copy.add(self);
        copy
    }

    fn zero() -> Statistics {
        Statistics {
            leaves: [0; 6],
            auto_fail_highs: 0,
            found: [0; 2],
            stores: [0; Work::KINDS],
            hits: [0; 2],
            bootstraps: [0; 2],
            stored: Box::default(),
        }
    }

    /// Adds the counts of another thread.
    pub fn add(&mut self, other: &Statistics) {
        self.leaves.iter_mut().zip(other.leaves).for_each(|(a, b)| *a += b);
        self.auto_fail_highs += other.auto_fail_highs;
        self.found.iter_mut().zip(other.found).for_each(|(a, b)| *a += b);
        self.stores.iter_mut().zip(other.stores).for_each(|(a, b)| *a += b);
        self.hits.iter_mut().zip(other.hits).for_each(|(a, b)| *a += b);
        self.bootstraps.iter_mut().zip(other.bootstraps).for_each(|(a, b)| *a += b);
    }
}

/// The filter's bit for a key; `None` if the key is not in the sample. Different bits of the key choose the sample and
/// the filter's bit.
fn filter_bit(key: u64) -> Option<usize> {
    (key >> 32).is_multiple_of(SAMPLE).then_some(key as usize % FILTER_BITS)
}

/// One line for the user.
impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let total: u64 = self.leaves.iter().sum();
        let share = |count: u64| 100.0 * count as f64 / total.max(1) as f64;
        write!(f, "quiescence leaves {total} resolved {:.2}%", share(self.leaves[5]))?;
        for level in 0..5 {
            write!(f, " level {level} {:.2}%", share(self.leaves[level]))?;
        }
        write!(
            f,
            " auto-fail-highs {} table answers own {} others {} bootstraps own {} others {}",
            self.auto_fail_highs, self.hits[0], self.hits[1], self.bootstraps[0], self.bootstraps[1]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_stores_are_recognized_and_one_key_in_64_is_sampled() {
        let mut statistics = Statistics::continuing(None);
        // Multiples of an odd number: every bit of the keys changes.
        let keys: Vec<u64> = (1..=64_000u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let (own, foreign) = keys.split_at(48_000);
        let sampled = own.iter().filter(|key| statistics.note_store(**key)).count();
        assert_eq!(sampled, own.iter().filter(|key| statistics.is_own(**key).is_some()).count());
        assert!(own.iter().all(|key| statistics.is_own(*key) != Some(false)));
        keys.iter().for_each(|key| statistics.count_found(*key));
        let [found_own, found_foreign] = statistics.found;
        assert!((700..=820).contains(&found_own), "{found_own} of {} in 64", own.len());
        assert!((200..=300).contains(&found_foreign), "{found_foreign} of {} in 64", foreign.len());

        let later = Statistics::continuing(Some(statistics));
        assert_eq!(later.found, [0, 0]);
        assert!(own.iter().all(|key| later.is_own(*key) != Some(false)), "earlier stores stay known");
    }
}
