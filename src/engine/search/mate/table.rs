//! The mate search's table of facts about positions.
//!
//! A fact holds for a position however it was reached. A mate within some number of plies is also a mate if more plies
//! are left. If there is no mate within some number of plies, there is none within fewer. Numbers of an open position
//! hold for one count of plies left only. Each move takes a ply from the count, so a cycle cannot invalidate a proof.

use super::numbers::Numbers;

/// Number of entries in a bucket.
const WAYS: usize = 4;
/// Number of buckets at the beginning.
const FIRST_BUCKETS: usize = 1 << 12;
/// The largest number of buckets: 48 MiB.
const MOST_BUCKETS: usize = 1 << 19;

/// What was found out about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fact {
    /// The number of plies of a known mate, if there is one, and the largest number of plies without a mate.
    Solved { mate_in: Option<u8>, no_mate_in: u8 },
    /// Not solved yet, with this many plies left.
    Open { remaining: u8, numbers: Numbers },
}

impl Fact {
    /// No mate, however many plies are left.
    pub const NEVER: Fact = Fact::no_mate(u8::MAX);

    pub const fn mate(plies: u8) -> Fact {
        Fact::Solved { mate_in: Some(plies), no_mate_in: 0 }
    }

    pub const fn no_mate(plies: u8) -> Fact {
        Fact::Solved { mate_in: None, no_mate_in: plies }
    }

    /// What the fact says if `remaining` plies are left.
    pub fn with(self, remaining: u8) -> Option<ProofState> {
        match self {
            Fact::Solved { mate_in: Some(plies), .. } if plies <= remaining => {
                Some(ProofState { numbers: Numbers::PROVEN, mate_in: plies })
            }
            Fact::Solved { no_mate_in, .. } if no_mate_in >= remaining => {
                Some(ProofState { numbers: Numbers::DISPROVEN, mate_in: 0 })
            }
            Fact::Open { remaining: plies, numbers } if plies == remaining => {
                Some(ProofState { numbers, mate_in: 0 })
            }
            _ => None,
        }
    }

    /// Whether the two facts may share an entry.
    fn is_like(self, other: Fact) -> bool {
        match (self, other) {
            (Fact::Solved { .. }, Fact::Solved { .. }) => true,
            (Fact::Open { remaining, .. }, Fact::Open { remaining: plies, .. }) => remaining == plies,
            _ => false,
        }
    }

    /// Combines two facts that are alike. Newer numbers replace older ones.
    fn and(self, newer: Fact) -> Fact {
        match (self, newer) {
            (Fact::Solved { mate_in: old, no_mate_in: least }, Fact::Solved { mate_in: new, no_mate_in }) => {
                Fact::Solved { mate_in: old.into_iter().chain(new).min(), no_mate_in: least.max(no_mate_in) }
            }
            _ => newer,
        }
    }
}

/// What is known about a position with a certain number of plies left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ProofState {
    pub numbers: Numbers,
    /// Plies to the mate, if it is proven.
    pub mate_in: u8,
}

#[derive(Clone, Copy)]
struct ProofEntry {
    key: u64,
    fact: Fact,
    /// Nodes that were spent on the fact.
    effort: u32,
}

type ProofBucket = [Option<ProofEntry>; WAYS];

/// A table of facts that grows as it fills. Once it is full, it keeps the facts that cost the most nodes.
pub(super) struct ProofTable {
    buckets: Vec<ProofBucket>,
    /// Whether the table cannot grow any more.
    is_full: bool,
}

impl ProofTable {
    pub fn new() -> ProofTable {
        ProofTable { buckets: vec![[None; WAYS]; FIRST_BUCKETS], is_full: false }
    }

    /// What is known about the position with this key and `remaining` plies left. A solution takes precedence over
    /// numbers.
    pub fn probe(&self, key: u64, remaining: u8) -> Option<ProofState> {
        self.buckets[self.bucket_index(key)]
            .iter()
            .flatten()
            .filter(|entry| entry.key == key)
            .filter_map(|entry| entry.fact.with(remaining))
            .reduce(|known, next| if known.numbers.is_solved() { known } else { next })
    }

    /// Stores a fact on which `effort` nodes were spent.
    pub fn store(&mut self, key: u64, fact: Fact, effort: u64) {
        let effort = u32::try_from(effort).unwrap_or(u32::MAX);
        loop {
            let index = self.bucket_index(key);
            let bucket = &mut self.buckets[index];
            let mut entries = bucket.iter_mut().flatten();
            if let Some(entry) = entries.find(|entry| entry.key == key && entry.fact.is_like(fact)) {
                *entry = ProofEntry { key, fact: entry.fact.and(fact), effort: entry.effort.max(effort) };
                return;
            }
            let slot = cheapest(bucket);
            if slot.is_none() || self.is_full {
                *slot = Some(ProofEntry { key, fact, effort });
                return;
            }
            self.grow();
        }
    }

    /// The index of a key's bucket, given by the key's upper bits.
    fn bucket_index(&self, key: u64) -> usize {
        (key >> (u64::BITS - self.buckets.len().trailing_zeros())) as usize
    }

    /// Doubles the number of buckets, unless the limit is reached or there is no memory for more.
    fn grow(&mut self) {
        let length = 2 * self.buckets.len();
        let mut buckets: Vec<ProofBucket> = Vec::new();
        self.is_full = length > MOST_BUCKETS || buckets.try_reserve_exact(length).is_err();
        if self.is_full {
            return;
        }
        buckets.resize(length, [None; WAYS]);
        let old = std::mem::replace(&mut self.buckets, buckets);
        for entry in old.into_iter().flatten().flatten() {
            let index = self.bucket_index(entry.key);
            *cheapest(&mut self.buckets[index]) = Some(entry);
        }
    }
}

/// A free slot of a bucket, or else the one whose entry cost the fewest nodes.
fn cheapest(bucket: &mut ProofBucket) -> &mut Option<ProofEntry> {
    let worth = |slot: &Option<ProofEntry>| slot.map_or(0, |entry| entry.effort.saturating_add(1));
    let index = (1..WAYS)
        .fold(0, |least, next| if worth(&bucket[next]) < worth(&bucket[least]) { next } else { least });
    &mut bucket[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_holds_with_more_plies_and_no_mate_with_fewer() {
        let mut table = ProofTable::new();
        table.store(1, Fact::no_mate(4), 1);
        table.store(1, Fact::mate(8), 1);
        let is_proven = |remaining| table.probe(1, remaining).map(|known| known.numbers.is_proven());
        assert_eq!([2, 4, 6, 8, 10].map(is_proven), [Some(false), Some(false), None, Some(true), Some(true)]);
        assert_eq!(table.probe(2, 8), None);
    }

    #[test]
    fn numbers_hold_only_for_their_remaining_plies_until_solved() {
        let mut table = ProofTable::new();
        let numbers = Numbers { proof: 3, disproof: 5 };
        table.store(1, Fact::Open { remaining: 6, numbers }, 1);
        assert_eq!((table.probe(1, 4), table.probe(1, 6).map(|known| known.numbers)), (None, Some(numbers)));
        table.store(1, Fact::mate(6), 1);
        assert_eq!(table.probe(1, 6), Some(ProofState { numbers: Numbers::PROVEN, mate_in: 6 }));
    }

    #[test]
    fn a_full_proof_table_keeps_the_facts_that_cost_the_most_nodes() {
        let mut table = ProofTable::new();
        // All of these keys belong to the same bucket.
        for key in 1..=20 {
            table.store(key, Fact::mate(2), 100 - key);
        }
        assert!(table.is_full && table.buckets.len() == MOST_BUCKETS, "{}", table.buckets.len());
        let kept: Vec<u64> = (1..=20).filter(|&key| table.probe(key, 2).is_some()).collect();
        assert_eq!(kept, [1, 2, 3, 20]);
    }
}
