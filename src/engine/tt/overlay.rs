//! Writes that are held back: a thread stores them here while the table itself stays the same. Later the writes of all
//! threads reach the table in an order that no scheduler decides.
//!
//! Invariant: a thread with an [`Overlay`] sees the table as if it alone wrote to it. [`Pending`] leaves the table as
//! if the threads had stored one after the other, the first thread first, each in its own order. Records compete for
//! room only within their cluster, so parts of the table may be updated in any order, and at the same time.

use parking_lot::Mutex;

use super::cluster::Cluster;
use super::record::Word;
use super::{Record, Table};

/// Slots of an index at first. A round of 2,000 nodes writes to some 1,000 clusters.
const FIRST_INDEX: usize = 4_096;

/// One write: the key and what was stored for it, without an age.
type Write = (u64, Word);

/// The writes to one part of the table, by thread.
type Writes = Box<[Mutex<Vec<Write>>]>;

/// One thread's writes that have not reached the table yet.
pub struct Overlay {
    copies: ClusterCopies,
    /// The writes in their order, by part of the table.
    writes: [Vec<Write>; Pending::PARTS],
}

impl Default for Overlay {
    fn default() -> Overlay {
        Overlay { copies: ClusterCopies::default(), writes: [const { Vec::new() }; Pending::PARTS] }
    }
}

impl Overlay {
    /// Like [`Table::probe`], but after this thread's writes.
    #[inline(never)]
    pub fn probe(&self, table: &Table, key: u64) -> Option<Record> {
        match self.copies.get(table.cluster_index(key)) {
            Some(cluster) => cluster.probe(key),
            None => table.probe(key),
        }
    }

    /// Like [`Table::store`], but only this thread sees the write until [`Pending`] applies it.
    #[inline(never)]
    pub fn store(&mut self, table: &Table, key: u64, record: &Record) {
        let original = table.cluster_index(key);
        self.copies.get_or_copy(table, original).store(key, record, table.age());
        self.writes[original % Pending::PARTS].push((key, Word::new(record, 0)));
    }

    /// Forgets all writes.
    pub fn clear(&mut self) {
        self.copies.clear();
        self.writes.iter_mut().for_each(Vec::clear);
    }
}

/// Copies of the clusters that were written to, with these writes. They lie side by side, and so does their index,
/// because all of it competes with the search for the nearest caches.
#[derive(Default)]
struct ClusterCopies {
    /// Open addressing by cluster: 0, or one more than the number of the copy. There is always a 0. The length is a
    /// power of two.
    index: Vec<u16>,
    /// The copied clusters' indices in the table.
    originals: Vec<usize>,
    clusters: Vec<Cluster>,
}

impl ClusterCopies {
    /// The copy of the table's cluster `original`.
    #[inline]
    fn get(&self, original: usize) -> Option<&Cluster> {
        if self.index.is_empty() {
            return None;
        }
        self.find(original).ok().map(|number| &self.clusters[number])
    }

    /// The copy of the table's cluster `original`. If there is none, it is made.
    #[inline]
    fn get_or_copy(&mut self, table: &Table, original: usize) -> &Cluster {
        if 2 * self.clusters.len() >= self.index.len() {
            self.grow();
        }
        let number = match self.find(original) {
            Ok(number) => number,
            Err(slot) => {
                self.originals.push(original);
                self.clusters.push(table.clusters()[original].copy());
                self.index[slot] = numbered(self.clusters.len());
                self.clusters.len() - 1
            }
        };
        &self.clusters[number]
    }

    /// The number of the copy of the table's cluster `original`, or the empty slot of the index for it.
    #[inline]
    fn find(&self, original: usize) -> Result<usize, usize> {
        let mask = self.index.len() - 1;
        // Indices are almost random already.
        let mut slot = original & mask;
        loop {
            match usize::from(self.index[slot]) {
                0 => return Err(slot),
                number if self.originals[number - 1] == original => return Ok(number - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Doubles the index.
    #[cold]
    fn grow(&mut self) {
        self.index = vec![0; (2 * self.index.len()).max(FIRST_INDEX)];
        for number in 0..self.originals.len() {
            let slot = self.find(self.originals[number]).expect_err("each cluster has one copy");
            self.index[slot] = numbered(number + 1);
        }
    }

    fn clear(&mut self) {
        self.index.fill(0);
        self.originals.clear();
        self.clusters.clear();
    }
}

/// An entry of the index.
fn numbered(number: usize) -> u16 {
    u16::try_from(number).expect("a round writes to some thousand clusters")
}

/// The writes of several threads on their way to the table.
pub struct Pending {
    parts: Box<[Writes]>,
}

impl Pending {
    /// Number of parts of the table. A part consists of the clusters whose indices have the same remainder. Threads can
    /// update different parts at the same time.
    pub const PARTS: usize = 64;

    /// Room for the writes of `threads` threads.
    pub fn new(threads: usize) -> Pending {
        let part = |_| (0..threads).map(|_| Mutex::default()).collect();
        Pending { parts: (0..Pending::PARTS).map(part).collect() }
    }

    /// Takes over the writes of a thread and leaves its overlay empty. Its earlier writes must all have been
    /// [applied](Pending::apply).
    pub fn take(&self, thread: usize, overlay: &mut Overlay) {
        for (part, writes) in self.parts.iter().zip(&mut overlay.writes) {
            std::mem::swap(&mut *part[thread].lock(), writes);
        }
        overlay.clear();
    }

    /// Applies the writes to one part of the table. Meanwhile nobody may take over writes or apply the same part.
    pub fn apply(&self, part: usize, table: &Table) {
        for writes in &self.parts[part] {
            let mut writes = writes.lock();
            // There are some dozens of writes, and the caches of other threads' cores have their clusters.
            writes.iter().for_each(|(key, _)| table.prefetch(*key));
            for (key, word) in writes.drain(..) {
                if let Some(record) = word.record() {
                    table.store(key, record);
                }
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;
    use crate::base::numa::Binding;
    use crate::base::random::Random;
    use crate::chess::board::Move;
    use crate::chess::types::{Bound, Score};
    use crate::engine::tt::{Draft, LeafClass};

    /// `count` writes, the same for the same seed, to so few clusters that records compete.
    fn writes(seed: u64, count: usize) -> Vec<(u64, Record)> {
        let mut stream = Random::stream(seed, 0);
        let mut random = |below| stream.below(below) as u64;
        (0..count)
            .map(|_| {
                let key = random(300).wrapping_mul(0xD134_2543_DE82_EF95) | random(5);
                let draft = match random(3) {
                    0 => Draft::leaf(random(5) as u8, LeafClass::ALL[random(8) as usize]),
                    _ => Draft::main(1 + random(20) as i32),
                };
                let bound = [Bound::Exact, Bound::Lower, Bound::Upper][random(3) as usize];
                let score = Score::new(random(1000) as i32 - 500);
                let mv = Move::from_bits(random(4096) as u16);
                (key, Record { mv, score, static_eval: None, draft, bound, pv: random(2) == 0 })
            })
            .collect()
    }

    fn table() -> Table {
        let table = Table::new(1, &Binding::unbound(1)).expect("a mebibyte");
        // Ages matter when records compete for room.
        table.new_search();
        writes(99, 500).into_iter().for_each(|(key, record)| table.store(key, record));
        table.new_search();
        table
    }

    fn content(table: &Table) -> Vec<[u64; 4]> {
        table.clusters().iter().map(Cluster::words).collect()
    }

    #[test]
    #[cfg_attr(miri, ignore = "whole tables, word by word, which ThreadSanitizer has time for")]
    fn an_overlay_probes_like_a_table_with_its_writes() {
        let (written, still) = (table(), table());
        let before = content(&still);
        let mut overlay = Overlay::default();
        for (key, record) in writes(1, 3_000) {
            assert_eq!(overlay.probe(&still, key), written.probe(key));
            written.store(key, record);
            overlay.store(&still, key, &record);
            assert_eq!(overlay.probe(&still, key), written.probe(key));
        }
        assert!(content(&still) == before, "the table stands still");
        assert!(content(&written) != before);
    }

    #[test]
    #[cfg_attr(miri, ignore = "whole tables, word by word, which ThreadSanitizer has time for")]
    fn writes_applied_in_parallel_equal_writes_applied_in_thread_order() {
        let threads = 5;
        let (expected, found) = (table(), table());
        let pending = Pending::new(threads);
        let mut overlays: Vec<Overlay> = (0..threads).map(|_| Overlay::default()).collect();
        for round in 0..4 {
            let of = |thread: usize| writes((round * threads + thread) as u64 + 7, 1_000);
            for (thread, overlay) in overlays.iter_mut().enumerate() {
                of(thread).iter().for_each(|(key, record)| overlay.store(&found, *key, record));
            }
            (0..threads).flat_map(of).for_each(|(key, record)| expected.store(key, record));
            // The threads hand in their writes in another order. Only the order of the threads counts.
            for thread in [3, 0, 4, 2, 1] {
                pending.take(thread, &mut overlays[thread]);
            }
            thread::scope(|scope| {
                for first in 0..4 {
                    let (pending, found) = (&pending, &found);
                    scope.spawn(move || {
                        (first..Pending::PARTS).step_by(4).rev().for_each(|part| pending.apply(part, found));
                    });
                }
            });
            assert!(content(&found) == content(&expected), "round {round}");
        }
        // Another order of the threads gives another result, so the test can tell the orders apart.
        let other = table();
        (0..threads)
            .rev()
            .flat_map(|thread| writes(thread as u64 + 7, 1_000))
            .for_each(|(key, record)| other.store(key, record));
        let first = table();
        (0..threads)
            .flat_map(|thread| writes(thread as u64 + 7, 1_000))
            .for_each(|(key, record)| first.store(key, record));
        assert!(content(&other) != content(&first));
    }
}
