//! What the quiescence search did: counted only on request, for research.

use super::Validity;

/// Bits of the filter that remembers a thread's own stores: 16 MiB.
const FILTER_BITS: usize = 1 << 27;

/// Counts of one thread's leaf searches.
pub struct Statistics {
    /// Leaves by the level at which their result is proven, 0 to 4, and resolved ones last.
    pub leaves: [u64; 6],
    /// Nodes assumed to fail high.
    pub auto_fail_highs: u64,
    /// Answers from table entries: of this thread, of others.
    pub hits: [u64; 2],
    /// Entries that let the bootstrap begin above level 0: of this thread, of others.
    pub bootstraps: [u64; 2],
    /// One bit for each key that this thread stored, by the key's low bits. A stored key is
    /// always found; a foreign one is taken for an own one as often as bits are set.
    stored: Box<[u64]>,
}

impl Statistics {
    /// Empty counts; the memory of what was stored is taken over from an earlier search, for
    /// its entries are still in the table.
    pub(in crate::search) fn taken_from(earlier: Option<Box<Statistics>>) -> Box<Statistics> {
        let stored = earlier.map_or_else(|| vec![0; FILTER_BITS / 64].into_boxed_slice(), |s| s.stored);
        Box::new(Statistics { leaves: [0; 6], auto_fail_highs: 0, hits: [0; 2], bootstraps: [0; 2], stored })
    }

    pub(super) fn count_leaf(&mut self, validity: Validity) {
        let slot = if validity.is_resolved() { 5 } else { usize::from(validity.highest_level()) };
        self.leaves[slot] += 1;
    }

    pub(super) fn count_hit(&mut self, own: bool, is_bootstrap: bool) {
        let counts = if is_bootstrap { &mut self.bootstraps } else { &mut self.hits };
        counts[usize::from(!own)] += 1;
    }

    pub(in crate::search) fn note_store(&mut self, key: u64) {
        let bit = key as usize % FILTER_BITS;
        self.stored[bit / 64] |= 1 << (bit % 64);
    }

    pub(super) fn is_own(&self, key: u64) -> bool {
        let bit = key as usize % FILTER_BITS;
        self.stored[bit / 64] & (1 << (bit % 64)) != 0
    }

    /// The counts without the memory of what was stored.
    pub fn counts_only(&self) -> Box<Statistics> {
        let none = Statistics {
            leaves: [0; 6],
            auto_fail_highs: 0,
            hits: [0; 2],
            bootstraps: [0; 2],
            stored: Box::default(),
        };
        let mut copy = Box::new(none);
        copy.add(self);
        copy
    }

    /// Adds the counts of another thread.
    pub fn add(&mut self, other: &Statistics) {
        self.leaves.iter_mut().zip(other.leaves).for_each(|(a, b)| *a += b);
        self.auto_fail_highs += other.auto_fail_highs;
        self.hits.iter_mut().zip(other.hits).for_each(|(a, b)| *a += b);
        self.bootstraps.iter_mut().zip(other.bootstraps).for_each(|(a, b)| *a += b);
    }
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
