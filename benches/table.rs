//! Benchmarks of probes and stores of the shared table, in a table that fits into the caches and in one that does not.
//! Run them with `cargo bench --bench table`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

use enfilade::base::numa::Binding;
use enfilade::base::random::Random;
use enfilade::chess::board::Move;
use enfilade::chess::types::{Bound, Score};
use enfilade::engine::tt::{Draft, Record, Table};

/// Table sizes in MiB: within the second-level cache, and far outside all caches.
const SIZES: [usize; 2] = [1, 512];

/// The number of operations for each sample. It makes the time of one operation easy to compute.
const BATCH: usize = 10_000;

fn main() {
    divan::main();
}

/// The key of an index, well mixed.
fn key(index: u64) -> u64 {
    Random::of_state(index).bits()
}

fn record(index: u64) -> Record {
    Record {
        mv: Move::from_bits(0x0123),
        score: Score::new((index % 1000) as i32),
        static_eval: Some(Score::ZERO),
        draft: Draft::main(1 + (index % 20) as i32),
        bound: Bound::Lower,
        pv: false,
    }
}

/// A table with a record in every slot, and the number of keys that were stored in it.
fn filled(mebibytes: usize) -> (Table, u64) {
    let table = Table::new(mebibytes, &Binding::unbound(2)).expect("memory for the benchmark");
    let keys = mebibytes as u64 * 49_152;
    (0..keys).for_each(|index| table.store(key(index), record(index)));
    (table, keys)
}

/// Runs `operation` on batches of keys. Their order is unrelated to the order in which they were stored.
fn over_keys(bencher: Bencher, keys: std::ops::Range<u64>, mut operation: impl FnMut(u64)) {
    let count = u128::from(keys.end - keys.start);
    let mut next = 0_u64;
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for _ in 0..BATCH {
            next += 1;
            let index = ((u128::from(key(next)) * count) >> 64) as u64;
            operation(key(keys.start + index));
        }
    });
}

/// Probes for keys that were stored. Some of them have been replaced since.
#[divan::bench(args = SIZES)]
fn probe_hit(bencher: Bencher, mebibytes: usize) {
    let (table, keys) = filled(mebibytes);
    over_keys(bencher, 0..keys, |key| {
        black_box(table.probe(black_box(key)));
    });
}

/// Probes for keys that were never stored.
#[divan::bench(args = SIZES)]
fn probe_miss(bencher: Bencher, mebibytes: usize) {
    let (table, keys) = filled(mebibytes);
    over_keys(bencher, keys..2 * keys, |key| {
        black_box(table.probe(black_box(key)));
    });
}

/// Probes of cache lines that were prefetched eight probes earlier.
#[divan::bench(args = SIZES)]
fn probe_prefetched(bencher: Bencher, mebibytes: usize) {
    let (table, keys) = filled(mebibytes);
    let mut ahead = [0_u64; 8];
    let mut at = 0;
    over_keys(bencher, 0..keys, |key| {
        table.prefetch(key);
        black_box(table.probe(std::mem::replace(&mut ahead[at], key)));
        at = (at + 1) % ahead.len();
    });
}

/// Stores of new keys in a full table whose records have the same age.
#[divan::bench(args = SIZES)]
fn store(bencher: Bencher, mebibytes: usize) {
    let (table, keys) = filled(mebibytes);
    over_keys(bencher, keys..2 * keys, |key| table.store(black_box(key), record(key)));
}

/// Clears the table with one and with two threads.
#[divan::bench(args = [(512, 1), (512, 2)], sample_count = 10)]
fn clear(bencher: Bencher, (mebibytes, threads): (usize, usize)) {
    let table = Table::new(mebibytes, &Binding::unbound(threads)).expect("memory for the benchmark");
    bencher.bench_local(|| {
        table.store(1, record(1));
        table.clear(&Binding::unbound(threads));
    });
}
