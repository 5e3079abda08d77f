//! Three records and their signatures in half a cache line, read and written without locks.
//!
//! The invariant: [`Cluster::probe`] returns a record only if the signature beside it was
//! made from that very word and that key. README.md in this folder argues why relaxed
//! loads and stores are enough for it, and what is lost when writers meet. The signature
//! that depends on the data goes back to Hyatt and Mann, "A lockless transposition-table
//! implementation for parallel search" (ICGA Journal, 2002).

use super::record::{AGES, Record, Word};
use super::sync::{AtomicU64, Ordering};
use crate::types::Bound;

/// The records of a cluster.
pub(super) const SLOTS: usize = 3;

/// How many plies one search's aging takes from a record's worth.
const AGE_PENALTY: i32 = 8;

/// A bound this many plies below what its key has already does not replace it.
const FAR_SHALLOWER: i32 = 4;

/// Every access is relaxed. Nothing is published through these words: a reader follows no
/// pointer and trusts no other memory on their account. What it needs is that a data word
/// and a signature belong together, and the pair itself proves this, in whichever order
/// the four words become visible. The signature word is read, changed and written back
/// without an exclusive access: whoever loses that race leaves a signature that no longer
/// fits its data word, which is an empty slot to all readers until it is overwritten.
/// A fetch-and-update would cost about 20 cycles a store to save those few records.
#[repr(C, align(32))]
pub(super) struct Cluster {
    data: [AtomicU64; SLOTS],
    /// Three signatures of 21 bits, the first slot's lowest.
    signatures: AtomicU64,
}

impl Cluster {
    /// A cluster without records. Where memory is mapped, zeroed pages are this already.
    #[cfg(any(test, loom, miri))]
    pub(super) fn new() -> Cluster {
        Cluster { data: std::array::from_fn(|_| AtomicU64::new(0)), signatures: AtomicU64::new(0) }
    }

    /// Forgets every record.
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

    /// Stores `record`, unless the slot of the same key holds something far deeper; the
    /// record of least worth makes room.
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
                let is_far_shallower = record.draft.worth() + FAR_SHALLOWER <= worth;
                word = if is_far_shallower && record.bound != Bound::Exact {
                    // This search has met the position too: what stays is of its age.
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

    /// The number of records stored in the search of that age.
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
