//! Which thread runs on which node.

use std::fmt;

use super::{Processors, system};

/// A number of threads, and the node of each thread if they are bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    threads: usize,
    /// Empty if the threads are not bound.
    nodes: Vec<Processors>,
    /// The node of each thread.
    of_thread: Vec<usize>,
}

impl Binding {
    /// Threads that run where the system puts them.
    pub fn unbound(threads: usize) -> Binding {
        Binding { threads, nodes: Vec::new(), of_thread: Vec::new() }
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
        let mut count = vec![0; nodes.len()];
        let of_thread = (0..threads)
            .map(|_| {
                // (count + 1) / processors, compared without division.
                let least = (0..nodes.len())
                    .filter(|&node| !nodes[node].is_empty())
                    .min_by(|&a, &b| {
                        let [a, b] =
                            [(a, b), (b, a)].map(|(node, other)| (count[node] + 1) * nodes[other].count());
                        a.cmp(&b)
                    })
                    .expect("a node has processors");
                count[least] += 1;
                least
            })
            .collect();
        Binding { threads, nodes, of_thread }
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

    /// Binds the calling thread to the node of `thread`. Threads that it starts inherit this.
    pub fn bind(&self, thread: usize) {
        if let Some(node) = self.node(thread) {
            // The system granted this when the binding was made. If a processor has gone since, the thread runs
            // elsewhere.
            system::bind(&self.nodes[node]);
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nodes.is_empty() {
            return f.write_str("threads are not bound to nodes");
        }
        let count = self.nodes.len();
        write!(f, "threads are bound to {count} node{}", if count == 1 { "" } else { "s" })?;
        for (node, processors) in self.nodes.iter().enumerate() {
            let threads = self.of_thread.iter().filter(|&&of| of == node).count();
            let separator = if node == 0 { ':' } else { ',' };
            write!(f, "{separator} {threads} to processors {processors}")?;
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

    #[test]
    fn the_report_says_where_threads_run() {
        assert_eq!(Binding::unbound(5).to_string(), "threads are not bound to nodes");
        assert_eq!(
            spread("0-3:4-7", 3).to_string(),
            "threads are bound to 2 nodes: 2 to processors 0-3, 1 to processors 4-7"
        );
        assert_eq!(spread("1,3", 3).to_string(), "threads are bound to 1 node: 3 to processors 1,3");
        assert_eq!(spread("", 3), Binding::unbound(3));
    }
}
