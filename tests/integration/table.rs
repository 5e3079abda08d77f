//! Tests of the shared table through its public interface: records come out as they went in, the replacement policy
//! follows a simple model, sizes, and 64 threads on a few clusters.

use std::collections::HashSet;
use std::sync::Barrier;
use std::thread;

use enfilade::base::numa::Binding;
use enfilade::base::random::Random;
use enfilade::chess::board::Move;
use enfilade::chess::types::{Bound, Score};
use enfilade::engine::tt::{Draft, LeafClass, Record, Table, TableError, Word};
use proptest::prelude::*;

const BOUNDS: [Bound; 3] = [Bound::Upper, Bound::Lower, Bound::Exact];

fn table() -> Table {
    Table::new(1, &Binding::unbound(2)).expect("1 MiB can be had")
}

fn record(depth: i32, score: i32) -> Record {
    Record {
        mv: Move::from_bits(0x0123),
        score: Score::new(score),
        static_eval: Some(Score::new(-score)),
        draft: Draft::main(depth),
        bound: Bound::Lower,
        pv: false,
    }
}

/// A key of this cluster. In a 1 MiB table, all keys of a cluster share their 15 highest bits.
fn key_in_cluster(cluster: u64, low: u64) -> u64 {
    cluster << 49 | low & ((1 << 49) - 1)
}

#[test]
fn extreme_values_of_every_field_are_read_back() {
    let table = table();
    let scores = [
        Score::INFINITE,
        -Score::INFINITE,
        Score::MATE,
        -Score::MATE,
        Score::mate_in(7).to_table(3),
        Score::mated_in(246).to_table(100),
        Score::TABLEBASE_WIN,
        -Score::TABLEBASE_BOUND,
        Score::MAX_EVAL,
        Score::ZERO,
        Score::new(-1),
    ];
    let evals =
        [None, Some(Score::ZERO), Some(Score::MAX_EVAL), Some(-Score::MAX_EVAL), Some(Score::new(-1))];
    let classes = LeafClass::ALL;
    let leaves = (0..=Draft::MAX_LEVEL).flat_map(|level| classes.map(|class| Draft::leaf(level, class)));
    let drafts: Vec<Draft> = leaves.chain([1, 2, 100, Draft::MAX_DEPTH, 246].map(Draft::main)).collect();
    let moves = [None, Move::from_bits(1), Move::from_bits(0x0fff), Move::from_bits(0xf000 | 0x0301)];
    let mut keys = Random::of_state(1);
    for score in scores {
        for static_eval in evals {
            for &draft in &drafts {
                for (mv, bound) in moves.into_iter().flat_map(|mv| BOUNDS.map(|bound| (mv, bound))) {
                    let pv = bound == Bound::Exact;
                    let stored = Record { mv, score, static_eval, draft, bound, pv };
                    let key = keys.bits();
                    table.new_search();
                    table.store(key, stored);
                    assert_eq!(table.probe(key), Some(stored));
                }
            }
        }
    }
}

#[test]
fn keys_that_differ_in_their_low_or_high_bits_are_told_apart() {
    let table = table();
    let key = 0x0123_4567_89ab_cdef;
    table.store(key, record(5, 40));
    for bit in (0..21).chain(49..64) {
        assert_eq!(table.probe(key ^ 1 << bit), None, "bit {bit}");
    }
    assert_eq!(table.probe(key), Some(record(5, 40)));
}

#[test]
fn the_least_and_the_greatest_key_can_be_stored() {
    let table = Table::new(3, &Binding::unbound(1)).expect("3 MiB can be had");
    for key in [0, 1, u64::MAX - 1, u64::MAX] {
        table.prefetch(key);
        table.store(key, record(4, 7));
        assert_eq!(table.probe(key), Some(record(4, 7)));
    }
}

#[test]
fn clear_empties_the_table_and_can_be_repeated() {
    for threads in [1, 2, 300] {
        let table = Table::new(5, &Binding::unbound(threads)).expect("5 MiB can be had");
        for round in 0..3 {
            let mut keys = Random::of_state(round);
            table.new_search();
            for _ in 0..1000 {
                table.store(keys.bits(), record(3, 1));
            }
            table.clear(&Binding::unbound(threads));
            let mut keys = Random::of_state(round);
            assert!((0..1000).all(|_| table.probe(keys.bits()).is_none()));
            assert_eq!(table.hashfull(), 0);
            table.clear(&Binding::unbound(threads));
        }
    }
}

#[test]
fn hashfull_counts_entries_of_the_current_search_only() {
    let table = table();
    table.new_search();
    assert_eq!(table.hashfull(), 0);
    for cluster in 0..128 {
        for low in 0..3 {
            table.store(key_in_cluster(cluster, low * 0x1111 + 1), record(3, 1));
        }
    }
    assert_eq!(table.hashfull(), 500);
    table.new_search();
    assert_eq!(table.hashfull(), 0);
    for cluster in 0..64 {
        table.store(key_in_cluster(cluster, 0x7777), record(3, 1));
    }
    assert_eq!(table.hashfull(), 83);
    (0..31).for_each(|_| table.new_search());
    assert_eq!(table.hashfull(), 416, "ages repeat after 32 searches");
}

#[test]
fn hashfull_of_a_full_table_is_1000() {
    let table = table();
    let mut keys = Random::of_state(3);
    for _ in 0..2_000_000 {
        table.store(keys.bits(), record(3, 1));
    }
    assert_eq!(table.hashfull(), 1000);
}

#[test]
fn the_error_of_an_impossible_size_is_one_line() {
    assert!(matches!(Table::new(0, &Binding::unbound(1)), Err(TableError::Empty)));
    // The sizes are a pebibyte, more than can be addressed, and more bytes than a number can hold.
    for asked in [1 << 30, 1 << 43, usize::MAX] {
        let error = Table::new(asked, &Binding::unbound(1)).expect_err("no machine has this much");
        let line = error.to_string();
        assert!(line.contains(&format!("{asked} MiB")) && !line.contains('\n'), "{line}");
        if cfg!(target_os = "linux") {
            assert!(matches!(error, TableError::Unavailable { available, .. } if available > 0), "{line}");
        }
    }
}

#[test]
fn a_failed_resize_keeps_the_table() {
    let mut table = table();
    table.store(9, record(5, 40));
    assert!(
        table.resize(1 << 30, &Binding::unbound(2)).is_err()
            && table.resize(0, &Binding::unbound(2)).is_err()
    );
    assert_eq!((table.mebibytes(), table.probe(9)), (1, Some(record(5, 40))));
    table.resize(7, &Binding::unbound(2)).expect("7 MiB can be had");
    assert_eq!((table.mebibytes(), table.probe(9)), (7, None));
    table.store(9, record(5, 40));
    assert_eq!(table.probe(9), Some(record(5, 40)));
}

fn any_record() -> impl Strategy<Value = Record> {
    let limit = Score::INFINITE.value();
    let bound = prop::sample::select(BOUNDS.to_vec());
    (any::<u16>(), -limit..=limit, prop::option::of(-limit..=limit), any::<u8>(), bound, any::<bool>())
        .prop_map(|(mv, score, eval, draft, bound, pv)| Record {
            mv: Move::from_bits(mv),
            score: Score::new(score),
            static_eval: eval.map(Score::new),
            draft: Draft::from_code(draft),
            bound,
            pv,
        })
}

/// The documented policy on plain values. The slots are in order. Each holds a key, its record, and the number of the
/// search that stored it.
#[derive(Default)]
struct Model {
    slots: Vec<(usize, Record, i32)>,
    search: i32,
}

impl Model {
    fn worth(&self, slot: usize) -> i32 {
        let (_, record, stored_in) = &self.slots[slot];
        record.draft.worth() - 8 * (self.search - stored_in)
    }

    fn store(&mut self, key: usize, mut record: Record) {
        if let Some(slot) = self.slots.iter().position(|(owner, ..)| *owner == key) {
            let old = self.slots[slot].1;
            let has_depth = old.draft.main_depth().is_some();
            if record.bound != Bound::Exact && has_depth && record.draft.worth() + 4 <= self.worth(slot) {
                self.slots[slot].2 = self.search;
            } else {
                record.mv = record.mv.or(old.mv);
                self.slots[slot] = (key, record, self.search);
            }
        } else if self.slots.len() < 3 {
            self.slots.push((key, record, self.search));
        } else {
            let least = (0..3).min_by_key(|&slot| self.worth(slot)).expect("three slots");
            self.slots[least] = (key, record, self.search);
        }
    }

    fn probe(&self, key: usize) -> Option<Record> {
        self.slots.iter().find(|(owner, ..)| *owner == key).map(|(_, record, _)| *record)
    }
}

proptest! {
    #[test]
    fn a_record_survives_its_word(stored in any_record(), age in 0_u8..32) {
        prop_assert_eq!(Word::new(&stored, age).record(), Some(stored));
    }

    #[test]
    fn every_stored_entry_is_found(stored in any_record(), key in any::<u64>()) {
        let table = table();
        table.store(key, stored);
        prop_assert_eq!(table.probe(key), Some(stored));
    }

    /// The test makes fewer than 32 searches, because ages repeat after that.
    #[test]
    fn a_cluster_follows_the_replacement_policy(
        steps in prop::collection::vec((0_usize..6, any_record(), 0_u8..4), 1..60),
    ) {
        let table = table();
        let mut model = Model::default();
        let keys = [0x01, 0x1f_0002, 0x0f_1003, 0x07_7004, 0x03_3105, 0x15_5006].map(|low| key_in_cluster(77, low));
        for (key, stored, chance) in steps {
            if chance == 0 && model.search < 31 {
                table.new_search();
                model.search += 1;
            }
            table.store(keys[key], stored);
            model.store(key, stored);
            for (index, &key) in keys.iter().enumerate() {
                prop_assert_eq!(table.probe(key), model.probe(index));
            }
        }
    }
}

const VERSIONS: usize = 6;
const SEARCHES: u8 = 4;

/// The only record that any thread stores for this key and version. Some records have no move.
fn record_of(key: u64, version: usize) -> Record {
    let mut mixer = Random::of_state(key ^ (version as u64) << 56);
    let score = Score::new(mixer.below(60_001) as i32 - 30_000);
    let static_eval = (version != 1).then(|| Score::new(mixer.below(60_001) as i32 - 30_000));
    let mv = if version.is_multiple_of(2) { move_of(key) } else { None };
    let draft = Draft::from_code(mixer.bits() as u8);
    Record { mv, score, static_eval, draft, bound: BOUNDS[version % 3], pv: version > 3 }
}

fn move_of(key: u64) -> Option<Move> {
    Move::from_bits(key as u16 | 1)
}

/// The records of this version that a probe for `key` may return. A record without a move may have kept the move of the
/// record before it.
fn forms_of(key: u64, version: usize) -> [Record; 2] {
    let plain = record_of(key, version);
    [plain, Record { mv: move_of(key), ..plain }]
}

fn words_of(key: u64) -> Vec<Word> {
    let forms = (0..VERSIONS).flat_map(|version| forms_of(key, version));
    forms.flat_map(|record| (0..SEARCHES).map(move |age| Word::new(&record, age))).collect()
}

/// Whether some word, with any signature, could be taken for a word of another key. With 21 bits, two unrelated words
/// match once in two million. Without such pairs the claim of the stress test is exact, whatever the threads do.
fn has_coincidence(keys: &[u64]) -> bool {
    let words: Vec<(u64, Word)> =
        keys.iter().flat_map(|&key| words_of(key).into_iter().map(move |word| (key, word))).collect();
    let mut signatures: HashSet<u64> = words.iter().map(|(key, word)| word.signature(*key)).collect();
    signatures.insert(0);
    words.iter().any(|(owner, word)| {
        keys.iter().any(|key| key != owner && signatures.contains(&word.signature(*key)))
    })
}

/// `count` keys of one cluster without coincidences. Only one in some tens of sets has a coincidence.
fn keys_of_cluster(cluster: u64, count: usize) -> Vec<u64> {
    let mut mixer = Random::of_state(cluster);
    let mut keys = Vec::new();
    for _ in 0..10 * count {
        keys.push(key_in_cluster(cluster, mixer.bits()));
        if has_coincidence(&keys) {
            keys.pop();
        } else if keys.len() == count {
            return keys;
        }
    }
    panic!("coincidences are far more common than signatures of 21 bits allow");
}

#[test]
fn sixty_four_threads_find_only_stored_entries() {
    const THREADS: usize = 64;
    const ROUNDS: usize = 60_000;
    let keys: Vec<u64> = (0..4).flat_map(|cluster| keys_of_cluster(cluster * 8000, 8)).collect();
    let table = table();
    let start = Barrier::new(THREADS);
    let work = |seed: usize| {
        let mut mixer = Random::of_state(seed as u64);
        let mut hits = vec![0_u64; keys.len()];
        start.wait();
        for round in 0..ROUNDS {
            if seed == 0 && round > 0 && round % (ROUNDS / usize::from(SEARCHES)) == 0 {
                table.new_search();
            }
            let key = keys[mixer.below(keys.len())];
            table.store(key, record_of(key, mixer.below(VERSIONS)));
            let index = mixer.below(keys.len());
            if let Some(hit) = table.probe(keys[index]) {
                let is_honest = (0..VERSIONS).any(|version| forms_of(keys[index], version).contains(&hit));
                assert!(is_honest, "{hit:?} was never stored for {:#x}", keys[index]);
                hits[index] += 1;
            }
        }
        hits
    };
    let hits = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|seed| {
                scope.spawn({
                    let work = &work;
                    move || work(seed)
                })
            })
            .collect();
        let of_threads = threads.into_iter().map(|thread| thread.join().expect("every hit is honest"));
        of_threads.reduce(|sum, hits| sum.iter().zip(hits).map(|(sum, hits)| sum + hits).collect())
    });
    let hits = hits.expect("64 threads ran");
    assert!(hits.iter().all(|&hits| hits > 0), "{hits:?}");
}
