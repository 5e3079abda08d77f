//! Splits the table into one part for each thread, for work on the whole table.

use std::ops::Range;
use std::thread;

use super::cluster::Cluster;
use crate::base::numa::{self, Binding};

/// Bytes of one MiB, the unit of a table's size.
pub(super) const MEBIBYTE: usize = 1 << 20;

/// Clusters in 2 MiB. Parts begin at pages of this size, so that no two threads touch the same page while the system
/// hands it out.
const CHUNK: usize = 2 * MEBIBYTE / size_of::<Cluster>();

/// Calls `deal` for each part of the table, with at most as many threads as there are processors. With n threads, the
/// i-th one is bound like the i-th search thread and gets the i-th of n equal parts. The first threads of a binding are
/// spread over the nodes like all its threads, and so are the parts.
pub(super) fn for_each(clusters: usize, binding: &Binding, deal: impl Fn(Range<usize>) + Sync) {
    let cores = numa::cores();
    let chunks = clusters.div_ceil(CHUNK);
    let threads = binding.threads().min(cores).min(chunks).max(1);
    if threads == 1 && binding.nodes().is_empty() {
        return deal(0..clusters);
    }
    // This does not use a pool of rayon: a rayon thread that waits for another pool takes up other work of its own
    // meanwhile.
    thread::scope(|scope| {
        for index in 0..threads {
            let deal = &deal;
            let own = move || {
                binding.bind(index);
                deal(part(clusters, index, threads));
            };
            // If no thread can be started for a part, this one does the work.
            if thread::Builder::new().spawn_scoped(scope, own).is_err() {
                deal(part(clusters, index, threads));
            }
        }
    });
}

/// The `index`-th of `count` parts of nearly equal size.
fn part(clusters: usize, index: usize, count: usize) -> Range<usize> {
    let chunks = clusters.div_ceil(CHUNK);
    let begin = |index: usize| (chunks * index / count * CHUNK).min(clusters);
    begin(index)..begin(index + 1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn parts_are_contiguous_and_nearly_equal() {
        for clusters in [0, 1, CHUNK, 5 * CHUNK + 7, 1000 * CHUNK] {
            for count in [1, 2, 3, 64] {
                let mut end = 0;
                for index in 0..count {
                    let part = part(clusters, index, count);
                    assert_eq!(part.start, end);
                    assert!(part.start.is_multiple_of(CHUNK) || part.is_empty());
                    assert!(part.len() <= clusters.div_ceil(CHUNK).div_ceil(count) * CHUNK);
                    end = part.end;
                }
                assert_eq!(end, clusters);
            }
        }
    }

    #[test]
    fn every_cluster_belongs_to_exactly_one_part() {
        let clusters = 7 * CHUNK + 3;
        let given = Binding::spread(vec!["0".parse().expect("a list")], 2);
        for binding in [Binding::unbound(1), Binding::unbound(300), given] {
            let seen = Mutex::new(Vec::new());
            for_each(clusters, &binding, |part| seen.lock().expect("no panics").push(part));
            let mut seen = seen.into_inner().expect("no panics");
            seen.sort_by_key(|part| part.start);
            assert_eq!((seen[0].start, seen.last().map(|part| part.end)), (0, Some(clusters)));
            assert!(seen.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
