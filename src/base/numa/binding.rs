//! Which thread runs on which node and with which cache, and which threads share what they learn.

use std::fmt;

use super::{Processors, system, topology};
use crate::base::text::counted;

/// The most threads that share what they learn. (Stockfish lost 6 +- 4 Elo with groups of 8 against groups of 32, with
/// 256 threads: pull request 6526 of 2026.)
pub const LARGEST_GROUP: usize = 32;

/// A number of threads, and the node of each thread if they are bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    threads: usize,
    /// Empty if the threads are not bound.
    nodes: Vec<Processors>,
    /// The node of each thread.
    of_thread: Vec<usize>,
    /// The processors to which threads are bound: a node, or the part of it that shares a cache.
    places: Vec<Processors>,
    /// The place of each thread.
    place_of_thread: Vec<usize>,
    /// The number of groups of threads.
    groups: usize,
    /// The group of each thread. Empty if there is one group of threads that are not bound.
    group_of_thread: Vec<usize>,
}

impl Binding {
    /// Threads that run where the system puts them.
    pub fn unbound(threads: usize) -> Binding {
        Binding {
            threads,
            nodes: Vec::new(),
            of_thread: Vec::new(),
            places: Vec::new(),
            place_of_thread: Vec::new(),
            groups: 0,
            group_of_thread: Vec::new(),
        }
        .grouped()
    }

    /// The threads of a job that need no nodes. They run where the system puts them. If it would leave them all in one
    /// processor group, as Windows does, they are spread over the groups.
    pub fn of_job(threads: usize) -> Binding {
        let groups = if threads > 1 { system::spread_by_hand() } else { Vec::new() };
        Binding::spread(groups, threads)
    }

    /// Spreads the threads over the nodes. Each thread in turn goes to the node that it will fill the least, by threads
    /// for each processor; among equal nodes, to the first one. So any number of threads is spread as the processors
    /// are. Without nodes, or if they have no processors, nothing is bound.
    pub fn spread(nodes: Vec<Processors>, threads: usize) -> Binding {
        if nodes.iter().all(Processors::is_empty) {
            return Binding::unbound(threads);
        }
        let of_thread = spread(&nodes, threads);
        let (places, place_of_thread) = (nodes.clone(), of_thread.clone());
        Binding { nodes, of_thread, places, place_of_thread, ..Binding::unbound(threads) }.grouped()
    }

    /// Binds the threads of each node to the caches within it, by the same rule as to nodes. Without several caches
    /// that cover the node, its threads stay bound to the node.
    pub fn within_caches(mut self, caches: &[Processors]) -> Binding {
        let threads: Vec<Vec<usize>> = (0..self.nodes.len())
            .map(|node| (0..self.threads).filter(|&thread| self.of_thread[thread] == node).collect())
            .collect();
        self.places.clear();
        for (node, threads) in self.nodes.iter().zip(threads) {
            let parts = topology::common(caches, node);
            let covered: usize = parts.iter().map(Processors::count).sum();
            let parts = if covered == node.count() { parts } else { vec![node.clone()] };
            for (thread, part) in threads.iter().zip(spread(&parts, threads.len())) {
                self.place_of_thread[*thread] = self.places.len() + part;
            }
            self.places.extend(parts);
        }
        self.grouped()
    }

    /// Divides the threads of each place into equal groups of at most [`LARGEST_GROUP`].
    fn grouped(mut self) -> Binding {
        let is_bound = !self.places.is_empty();
        let place = |thread: usize| if is_bound { self.place_of_thread[thread] } else { 0 };
        let mut threads = vec![Vec::new(); self.places.len().max(1)];
        (0..self.threads).for_each(|thread| threads[place(thread)].push(thread));
        let mut group_of_thread = vec![0; self.threads];
        self.groups = 0;
        for threads in threads {
            let groups = threads.len().div_ceil(LARGEST_GROUP);
            for (position, thread) in threads.into_iter().enumerate() {
                group_of_thread[thread] = self.groups + position % groups;
            }
            self.groups += groups;
        }
        self.group_of_thread = if is_bound || self.groups > 1 { group_of_thread } else { Vec::new() };
        self
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The nodes to which threads may be bound; empty if threads are not bound.
    pub fn nodes(&self) -> &[Processors] {
        &self.nodes
    }

    /// The node of a thread, if it is bound.
    pub fn node(&self, thread: usize) -> Option<usize> {
        self.of_thread.get(thread).copied()
    }

    /// Number of groups of threads that share what they learn.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The group of a thread; `None` if all threads form one group and are not bound.
    pub fn group(&self, thread: usize) -> Option<usize> {
        self.group_of_thread.get(thread).copied()
    }

    /// Binds the calling thread to the node of `thread`, or to the part of it that shares a cache. Threads that it
    /// starts inherit this.
    pub fn bind(&self, thread: usize) {
        if let Some(&place) = self.place_of_thread.get(thread) {
            // The system granted this when the binding was made. If a processor has gone since, the thread runs
            // elsewhere.
            system::bind(&self.places[place]);
        }
    }
}

/// Spreads threads over sets of processors, at least one of which is not empty. Returns the set of each thread.
fn spread(sets: &[Processors], threads: usize) -> Vec<usize> {
    let mut count = vec![0; sets.len()];
    let mut next = || {
        // (count + 1) / processors, compared without division.
        let least = (0..sets.len())
            .filter(|&set| !sets[set].is_empty())
            .min_by(|&a, &b| {
                let [a, b] = [(a, b), (b, a)].map(|(set, other)| (count[set] + 1) * sets[other].count());
                a.cmp(&b)
            })
            .expect("a set has processors");
        count[least] += 1;
        least
    };
    (0..threads).map(|_| next()).collect()
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nodes.is_empty() {
            return f.write_str("threads are not bound to nodes");
        }
        let count = self.nodes.len();
        write!(f, "threads are bound to {}", counted(count as u64, "node"))?;
        for (node, processors) in self.nodes.iter().enumerate() {
            let threads = self.of_thread.iter().filter(|&&of| of == node).count();
            let separator = if node == 0 { ':' } else { ',' };
            write!(f, "{separator} {threads} to processors {processors}")?;
        }
        if self.places.len() > count {
            write!(f, "; within them to {} caches", self.places.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(nodes: &str, threads: usize) -> Binding {
        Binding::spread(nodes.split(':').map(|node| node.parse().expect("a list")).collect(), threads)
    }

    #[test]
    fn nodes_get_threads_in_proportion_to_their_processors() {
        for (nodes, expected) in [
            ("0-3:4-7", vec![0, 1, 0, 1, 0, 1, 0, 1, 0, 1]),
            ("0-1:2-5", vec![1, 0, 1, 1, 0, 1, 1, 0, 1]),
            ("0:1:2:3:4:5:6:7", vec![0, 1, 2, 3, 4, 5, 6, 7, 0]),
            (":0-3::4-7", vec![1, 3, 1, 3]),
            ("5", vec![0, 0, 0]),
        ] {
            assert_eq!(spread(nodes, expected.len()).of_thread, expected, "{nodes}");
        }
    }

    /// One node is fuller than another by one thread at most, if that thread found no better place.
    #[test]
    fn full_and_overfull_machines_are_filled_evenly() {
        for (nodes, threads) in [("0-63:64-127", 128), ("0-7:8-31:32-33", 34), ("0-7:8-31:32-33", 1024)] {
            let binding = spread(nodes, threads);
            let processors: usize = binding.nodes().iter().map(Processors::count).sum();
            for (node, own) in binding.nodes().iter().enumerate() {
                let count = (0..threads).filter(|&thread| binding.node(thread) == Some(node)).count();
                let fair = threads * own.count() / processors;
                assert!(count.abs_diff(fair) <= 1, "{nodes}, {threads} threads: {count} on node {node}");
            }
        }
    }

    /// A machine of `nodes` nodes with `caches` caches each, of `size` processors each, and its threads.
    fn with_caches(nodes: usize, caches: usize, size: usize, threads: usize) -> Binding {
        let block = |count: usize, index: usize| (index * count..(index + 1) * count).collect();
        let nodes: Vec<Processors> = (0..nodes).map(|node| block(caches * size, node)).collect();
        let caches: Vec<Processors> = (0..nodes.len() * caches).map(|cache| block(size, cache)).collect();
        Binding::spread(nodes, threads).within_caches(&caches)
    }

    /// The numbers of threads in the groups.
    fn sizes(binding: &Binding) -> Vec<usize> {
        let mut sizes = vec![0; binding.groups()];
        (0..binding.threads()).for_each(|thread| sizes[binding.group(thread).unwrap_or(0)] += 1);
        sizes
    }

    #[test]
    fn the_threads_of_a_cache_form_groups_of_at_most_32() {
        for (nodes, caches, size, threads, expected) in [
            // Two sockets with 128 cores and two threads a core, 16 caches of 16 cores.
            (2, 8, 32, 512, vec![32; 16]),
            (2, 8, 32, 256, vec![16; 16]),
            (1, 8, 16, 64, vec![8; 8]),
            // A cache of 128 processors has several groups, of equal sizes.
            (1, 1, 128, 128, vec![32; 4]),
            (1, 1, 128, 100, vec![25; 4]),
            (2, 1, 40, 80, vec![20; 4]),
            // Some caches have no threads, or more than processors.
            (1, 4, 8, 2, vec![1; 2]),
            (1, 2, 1, 80, vec![20; 4]),
        ] {
            let binding = with_caches(nodes, caches, size, threads);
            assert_eq!(sizes(&binding), expected, "{nodes} {caches} {size} {threads}");
            for thread in 0..threads {
                let place = &binding.places[binding.place_of_thread[thread]];
                let node = &binding.nodes()[binding.node(thread).expect("bound")];
                assert_eq!((place.count(), place.common(node)), (size, place.clone()), "{thread}");
                // Threads of one group have one cache.
                for other in 0..threads {
                    let is_apart = binding.place_of_thread[thread] != binding.place_of_thread[other];
                    assert!(!is_apart || binding.group(thread) != binding.group(other));
                }
            }
        }
    }

    #[test]
    fn threads_that_are_not_bound_form_one_group_until_there_are_too_many() {
        for threads in [0, 1, 2, 32] {
            let binding = Binding::unbound(threads);
            assert!((0..threads).all(|thread| binding.group(thread).is_none()), "{threads}");
        }
        assert_eq!(sizes(&Binding::unbound(33)), [17, 16]);
        assert_eq!(sizes(&Binding::unbound(1024)), [32; 32]);
    }

    /// Caches that the system describes in part, or that reach beyond a node, do not count.
    #[test]
    fn without_caches_that_cover_a_node_its_threads_are_bound_to_the_node() {
        let nodes = || vec!["0-3".parse().expect("a list"), "4-7".parse().expect("a list")];
        let plain = Binding::spread(nodes(), 6);
        for caches in ["", "0-1", "0-7", "0-3:4-7"] {
            let caches: Vec<Processors> =
                caches.split(':').map(|list| list.parse().expect("a list")).collect();
            assert_eq!(Binding::spread(nodes(), 6).within_caches(&caches), plain, "{caches:?}");
        }
    }

    #[test]
    fn the_report_says_where_threads_run() {
        assert_eq!(Binding::unbound(5).to_string(), "threads are not bound to nodes");
        assert_eq!(
            spread("0-3:4-7", 3).to_string(),
            "threads are bound to 2 nodes: 2 to processors 0-3, 1 to processors 4-7"
        );
        assert_eq!(spread("1,3", 3).to_string(), "threads are bound to 1 node: 3 to processors 1,3");
        assert_eq!(spread("", 3), Binding::unbound(3));
        assert_eq!(
            with_caches(1, 2, 4, 64).to_string(),
            "threads are bound to 1 node: 64 to processors 0-7; within them to 2 caches"
        );
    }
}
