//! Three records and their signatures in half a cache line, read and written without locks.
//!
//! The invariant: [`Cluster::probe`] returns a record only if the signature beside it was made from exactly this word
//! and this key. README.md in this folder explains why relaxed loads and stores are enough for this, and what is lost
//! when writers meet. The signature that depends on the data goes back to Hyatt and Mann, "A lockless
//! transposition-table implementation for parallel search" (ICGA Journal, 2002).

use super::record::{AGES, Record, Word};
use super::sync::{AtomicU64, Ordering};
use crate::chess::types::Bound;

/// Number of records in a cluster.
pub(super) const SLOTS: usize = 3;

/// Plies of worth that a record loses with each later search.
const AGE_PENALTY: i32 = 8;

/// A bound does not replace the record of the same key if it is at least this many plies shallower than that record's
/// main depth. Leaf results are always replaced: they cost little, and the newer one fits the present threshold and
/// window.
const FAR_SHALLOWER: i32 = 4;

/// Every access is relaxed. Nothing is published through these words: a reader follows no pointer and trusts no other
/// memory because of them. It only needs to know that a data word and a signature belong together. The pair itself
/// proves this, in whichever order the four words become visible. The signature word is read, changed and written back
/// without an exclusive access. A thread that loses this race leaves a signature that no longer fits its data word. All
/// readers see this as an empty slot until it is overwritten. A fetch-and-update would cost about 20 cycles a store to
/// save those few records.
#[repr(C, align(32))]
pub(super) struct Cluster {
    data: [AtomicU64; SLOTS],
    /// Three signatures of 21 bits; that of the first slot is in the lowest bits.
    signatures: AtomicU64,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Cluster>() == 32 && align_of::<Cluster>() == 32);

impl Cluster {
    /// A cluster without records. The zeroed pages of a mapping are such clusters already.
    #[cfg(any(test, loom))]
    pub(super) fn new() -> Cluster {
        Cluster { data: std::array::from_fn(|_| AtomicU64::new(0)), signatures: AtomicU64::new(0) }
    }

    /// A copy of the same records. No thread may store here at the same time.
    pub(super) fn copy(&self) -> Cluster {
        let copy = |word: &AtomicU64| AtomicU64::new(word.load(Ordering::Relaxed));
        Cluster { data: self.data.each_ref().map(copy), signatures: copy(&self.signatures) }
    }

    /// Removes all records.
    #[inline]
    pub(super) fn clear(&self) {
        for data in &self.data {
            data.store(0, Ordering::Relaxed);
        }
        self.signatures.store(0, Ordering::Relaxed);
    }

    /// The record that was stored for `key`.
    #[inline]
    pub(super) fn probe(&self, key: u64) -> Option<Record> {
        let signatures = self.signatures.load(Ordering::Relaxed);
        for (slot, data) in self.data.iter().enumerate() {
            let word = Word::from_bits(data.load(Ordering::Relaxed));
            if word.signature(key) == signature_of(signatures, slot)
                && let Some(record) = word.record()
            {
                return Some(record);
            }
        }
        None
    }

    /// Stores `record`, unless the slot of the same key holds a far deeper one. If no slot has the same key, `record`
    /// replaces the record of least worth.
    #[inline]
    pub(super) fn store(&self, key: u64, record: &Record, age: u8) {
        let signatures = self.signatures.load(Ordering::Relaxed);
        let mut word = Word::new(record, age);
        let mut victim = 0;
        let mut least = i32::MAX;
        for (slot, data) in self.data.iter().enumerate() {
            let old = Word::from_bits(data.load(Ordering::Relaxed));
            let worth = worth(old, age);
            if !old.is_empty() && old.signature(key) == signature_of(signatures, slot) {
                let is_far_shallower =
                    old.draft().main_depth().is_some() && record.draft.worth() + FAR_SHALLOWER <= worth;
                word = if is_far_shallower && record.bound != Bound::Exact {
                    // This search has met the position too, so the record that stays gets its age.
                    old.with_age(age)
                } else {
                    word.or_move_of(old)
                };
                victim = slot;
                break;
            }
            if worth < least {
                (victim, least) = (slot, worth);
            }
        }
        self.data[victim].store(word.bits(), Ordering::Relaxed);
        self.signatures.store(with_signature(signatures, victim, word.signature(key)), Ordering::Relaxed);
    }

    /// The bare words: the records, then the signatures.
    pub(super) fn words(&self) -> [u64; 4] {
        let [a, b, c] = [0, 1, 2].map(|slot| self.data[slot].load(Ordering::Relaxed));
        [a, b, c, self.signatures.load(Ordering::Relaxed)]
    }

    /// Replaces everything by bare words.
    pub(super) fn set(&self, [a, b, c, signatures]: [u64; 4]) {
        for (data, word) in self.data.iter().zip([a, b, c]) {
            data.store(word, Ordering::Relaxed);
        }
        self.signatures.store(signatures, Ordering::Relaxed);
    }

    /// The number of records that were stored in the search of this age.
    pub(super) fn count_of_age(&self, age: u8) -> usize {
        let words = self.data.iter().map(|data| Word::from_bits(data.load(Ordering::Relaxed)));
        words.filter(|word| !word.is_empty() && word.age() == age).count()
    }
}

/// What it would cost to lose this slot, in plies.
#[inline]
fn worth(word: Word, age: u8) -> i32 {
    if word.is_empty() {
        return i32::MIN;
    }
    let searches_ago = age.wrapping_sub(word.age()) % AGES;
    word.draft().worth() - AGE_PENALTY * i32::from(searches_ago)
}

#[inline]
fn signature_of(signatures: u64, slot: usize) -> u64 {
    (signatures >> shift(slot)) & ((1 << Word::SIGNATURE_BITS) - 1)
}

#[inline]
fn with_signature(signatures: u64, slot: usize, signature: u64) -> u64 {
    let mask = ((1 << Word::SIGNATURE_BITS) - 1) << shift(slot);
    signatures & !mask | signature << shift(slot)
}

#[inline]
fn shift(slot: usize) -> u32 {
    slot as u32 * Word::SIGNATURE_BITS
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::chess::board::Move;
    use crate::chess::types::Score;
    use crate::engine::tt::{Draft, LeafClass};

    fn record(draft: Draft, mv: u16) -> Record {
        let score = Score::new(i32::from(mv) - 500);
        let static_eval = Some(Score::new(25));
        Record { mv: Move::from_bits(mv), score, static_eval, draft, bound: Bound::Lower, pv: false }
    }

    /// A cluster whose first slot holds the word of one key beside the signature of another key. Writers that meet
    /// there leave it like this.
    fn torn(word: Word, signature: u64) -> Cluster {
        let cluster = Cluster::new();
        cluster.data[0].store(word.bits(), Ordering::Relaxed);
        cluster.signatures.store(with_signature(0, 0, signature), Ordering::Relaxed);
        cluster
    }

    #[test]
    fn a_word_beside_a_foreign_signature_is_a_miss() {
        let (key_a, key_b) = (0x1234_5678, 0x9abc_def0);
        let a = Word::new(&record(Draft::main(7), 1000), 0);
        let b = Word::new(&record(Draft::main(9), 2000), 0);
        assert_eq!(torn(a, a.signature(key_a)).probe(key_a), a.record());
        for key in [key_a, key_b] {
            assert_eq!(torn(a, b.signature(key_b)).probe(key), None);
            assert_eq!(torn(b, a.signature(key_a)).probe(key), None);
        }
    }

    #[test]
    fn a_word_beside_the_signature_of_its_predecessor_is_a_miss() {
        let key = 77;
        let before = Word::new(&record(Draft::main(7), 1000), 0);
        let after = Word::new(&record(Draft::main(8), 1000), 0);
        assert_eq!(torn(after, before.signature(key)).probe(key), None);
        assert_eq!(torn(before, after.signature(key)).probe(key), None);
    }

    #[test]
    fn every_bit_of_a_word_changes_its_signature() {
        for seed in 0..1000_u64 {
            let word = seed.wrapping_mul(0xd134_2543_de82_ef95);
            let signature = Word::from_bits(word).signature(seed);
            for bit in 0..64 {
                assert_ne!(Word::from_bits(word ^ 1 << bit).signature(seed), signature, "bit {bit}");
            }
        }
    }

    #[test]
    fn an_empty_slot_matches_no_key() {
        let cluster = Cluster::new();
        assert!([0, 1 << 21, u64::MAX].iter().all(|&key| cluster.probe(key).is_none()));
    }

    #[test]
    fn a_cluster_holds_three_records() {
        let cluster = Cluster::new();
        for key in 1..=3 {
            cluster.store(key, &record(Draft::main(key as i32), key as u16), 0);
        }
        for key in 1..=3 {
            assert_eq!(cluster.probe(key), Some(record(Draft::main(key as i32), key as u16)));
        }
        assert_eq!((cluster.count_of_age(0), cluster.count_of_age(1)), (3, 0));
        cluster.clear();
        assert!((1..=3).all(|key| cluster.probe(key).is_none()));
        assert_eq!(cluster.count_of_age(0), 0);
    }

    /// The keys that are left after `drafts` were stored at their ages, and then one more record at age `now`. Keys
    /// count from 1.
    fn survivors(drafts: [(Draft, u8); 3], now: u8) -> Vec<u64> {
        let cluster = Cluster::new();
        for (key, (draft, age)) in (1..).zip(drafts) {
            cluster.store(key, &record(draft, 9), age);
        }
        cluster.store(4, &record(Draft::main(1), 9), now);
        (1..=4).filter(|&key| cluster.probe(key).is_some()).collect()
    }

    #[test]
    fn the_record_of_least_worth_is_replaced() {
        let unresolved = Draft::leaf(4, LeafClass::Unlimited);
        let resolved = Draft::leaf(0, LeafClass::Resolved);
        assert_eq!(survivors([(Draft::main(1), 0), (resolved, 0), (unresolved, 0)], 0), [1, 2, 4]);
        assert_eq!(survivors([(Draft::main(1), 0), (resolved, 0), (Draft::main(2), 0)], 0), [1, 3, 4]);
        assert_eq!(survivors([(Draft::main(9), 0), (Draft::main(8), 0), (Draft::main(10), 0)], 0), [1, 3, 4]);
    }

    #[test]
    fn age_lowers_worth_even_after_the_counter_wraps() {
        let depth = Draft::main;
        assert_eq!(survivors([(depth(10), 31), (depth(3), 0), (depth(11), 31)], 0), [2, 3, 4]);
        assert_eq!(survivors([(depth(12), 31), (depth(3), 0), (depth(12), 31)], 0), [1, 3, 4]);
    }

    #[test]
    fn a_much_shallower_bound_keeps_the_deeper_record_and_renews_its_age() {
        let cluster = Cluster::new();
        let deep = record(Draft::main(10), 1);
        cluster.store(5, &deep, 0);
        cluster.store(5, &record(Draft::main(6), 2), 0);
        assert_eq!(cluster.probe(5), Some(deep));
        assert_eq!(cluster.count_of_age(1), 0);
        cluster.store(5, &record(Draft::main(1), 2), 1);
        assert_eq!(cluster.probe(5), Some(record(Draft::main(1), 2)));
        cluster.store(5, &record(Draft::main(20), 1), 1);
        cluster.store(5, &record(Draft::main(8), 2), 2);
        assert_eq!(cluster.probe(5), Some(record(Draft::main(20), 1)));
        assert_eq!(cluster.count_of_age(2), 1);
    }

    #[test]
    fn exact_and_nearly_as_deep_results_replace_the_record_of_the_same_key() {
        let cluster = Cluster::new();
        cluster.store(5, &record(Draft::main(10), 1), 0);
        cluster.store(5, &record(Draft::main(7), 2), 0);
        assert_eq!(cluster.probe(5), Some(record(Draft::main(7), 2)));
        let exact = Record { bound: Bound::Exact, ..record(Draft::main(1), 3) };
        cluster.store(5, &exact, 0);
        assert_eq!(cluster.probe(5), Some(exact));
    }

    #[test]
    fn newer_leaf_results_replace_leaf_results_but_no_deep_records() {
        let cluster = Cluster::new();
        let (resolved, unresolved) = (Draft::leaf(4, LeafClass::Resolved), Draft::leaf(0, LeafClass::Pawn));
        cluster.store(5, &record(resolved, 1), 0);
        cluster.store(5, &record(unresolved, 2), 0);
        assert_eq!(cluster.probe(5), Some(record(unresolved, 2)));
        cluster.store(5, &record(Draft::main(4), 1), 0);
        cluster.store(5, &record(resolved, 2), 0);
        assert_eq!(cluster.probe(5), Some(record(Draft::main(4), 1)));
    }

    #[test]
    fn a_record_without_a_move_keeps_the_earlier_move() {
        let cluster = Cluster::new();
        let without = Record { mv: None, ..record(Draft::main(8), 1) };
        cluster.store(5, &record(Draft::main(7), 300), 0);
        cluster.store(5, &without, 0);
        assert_eq!(cluster.probe(5), Some(Record { mv: Move::from_bits(300), ..without }));
        cluster.store(6, &without, 0);
        assert_eq!(cluster.probe(6), Some(without));
    }
}

/// Checks the protocol under every interleaving, and with every value that relaxed loads may return.
///
/// The claim is exact only for words and keys whose signatures do not coincide. A word fits a foreign signature with a
/// chance of 2^-21, which no protocol with 21 bits can exclude. So each model first makes sure that its data has no
/// such coincidence.
#[cfg(all(test, loom))]
mod models {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;
    use crate::chess::board::Move;
    use crate::chess::types::Score;
    use crate::engine::tt::Draft;

    const AGE: u8 = 0;

    type Stored = (u64, Record);

    fn stored(key: u64, version: u16) -> Stored {
        let score = Score::new(i32::from(version) * 100 + key as i32);
        let (mv, draft) = (Move::from_bits(version), Draft::main(5));
        (key, Record { mv, score, static_eval: None, draft, bound: Bound::Lower, pv: false })
    }

    /// Checks that no word, under a key that is not its own, has the signature of any word or of an empty slot.
    fn assert_no_coincidence(all: &[Stored]) {
        let words: Vec<(u64, Word)> =
            all.iter().map(|(key, record)| (*key, Word::new(record, AGE))).collect();
        let mut signatures: Vec<u64> = words.iter().map(|(key, word)| word.signature(*key)).collect();
        signatures.push(0);
        for (owner, word) in &words {
            for (key, _) in words.iter().filter(|(key, _)| key != owner) {
                assert!(!signatures.contains(&word.signature(*key)));
            }
        }
    }

    fn assert_honest(cluster: &Cluster, key: u64, all: &[Stored]) {
        if let Some(record) = cluster.probe(key) {
            assert!(all.contains(&(key, record)), "{record:?} was never stored for {key}");
        }
    }

    /// Runs one thread for each of `writers` on a cluster that contains `before`. Probes for every key while they run
    /// and afterwards.
    fn check(before: &[Stored], writers: &[&[Stored]]) {
        let all: Vec<Stored> = before.iter().chain(writers.iter().copied().flatten()).copied().collect();
        assert_no_coincidence(&all);
        let mut keys: Vec<u64> = all.iter().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        let before = before.to_vec();
        let writers: Vec<Vec<Stored>> = writers.iter().map(|stores| stores.to_vec()).collect();
        loom::model(move || {
            let cluster = Arc::new(Cluster::new());
            before.iter().for_each(|(key, record)| cluster.store(*key, record, AGE));
            let threads: Vec<_> = writers
                .iter()
                .cloned()
                .map(|stores| {
                    let cluster = Arc::clone(&cluster);
                    thread::spawn(move || {
                        stores.iter().for_each(|(key, record)| cluster.store(*key, record, AGE));
                    })
                })
                .collect();
            keys.iter().for_each(|&key| assert_honest(&cluster, key, &all));
            threads.into_iter().for_each(|thread| thread.join().expect("writers do not panic"));
            keys.iter().for_each(|&key| assert_honest(&cluster, key, &all));
        });
    }

    #[test]
    fn two_writers_of_an_empty_slot_leave_a_whole_record_or_a_miss() {
        check(&[], &[&[stored(11, 1)], &[stored(22, 2)]]);
    }

    #[test]
    fn two_writers_of_one_key_leave_a_whole_record_or_a_miss() {
        check(&[stored(11, 1)], &[&[stored(11, 2)], &[stored(11, 3)]]);
    }

    #[test]
    fn an_update_and_a_replacement_of_one_record_leave_no_mixture() {
        let full = [stored(11, 1), stored(22, 1), stored(33, 1)];
        check(&full, &[&[stored(11, 2)], &[stored(44, 2)]]);
    }

    #[test]
    fn writers_of_neighboring_slots_lose_updates_but_mix_no_records() {
        let full = [stored(11, 1), stored(22, 1), stored(33, 1)];
        check(&full, &[&[stored(22, 2)], &[stored(33, 2)]]);
    }

    #[test]
    fn two_stores_beside_a_delayed_one_leave_no_mixture() {
        check(&[stored(11, 1)], &[&[stored(22, 2), stored(33, 2)], &[stored(44, 2)]]);
    }
}
