//! A value that every node has a copy of.

use std::sync::{Arc, OnceLock};

use super::Binding;

/// A value that all threads read, with one copy for each node to which threads are bound.
///
/// The first thread of a node that asks for the value makes the node's copy. So the memory that it touches first lies
/// on that node. Threads that are not bound share the original.
#[derive(Debug)]
pub struct Replicated<T> {
    original: Arc<T>,
    binding: Arc<Binding>,
    /// The copies, by node.
    copies: Box<[OnceLock<Arc<T>>]>,
}

impl<T: Clone> Replicated<T> {
    /// A value that has no copies yet.
    pub fn new(original: Arc<T>, binding: Arc<Binding>) -> Replicated<T> {
        let copies = binding.nodes().iter().map(|_| OnceLock::new()).collect();
        Replicated { original, binding, copies }
    }

    /// A value for threads that are not bound.
    pub fn shared(original: Arc<T>) -> Replicated<T> {
        Replicated::new(original, Arc::new(Binding::unbound(0)))
    }

    /// The original, from which the copies are made.
    pub fn original(&self) -> &Arc<T> {
        &self.original
    }

    /// The value for `thread`. It must be the calling thread, so that the copy lies on its node.
    pub fn of_thread(&self, thread: usize) -> &Arc<T> {
        match self.binding.node(thread) {
            Some(node) => self.copies[node].get_or_init(|| Arc::new(T::clone(&self.original))),
            None => &self.original,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_one_copy() {
        let nodes = ["0-1", "2-3"].map(|node| node.parse().expect("a list"));
        let binding = Arc::new(Binding::spread(nodes.to_vec(), 4));
        let replicated = Replicated::new(Arc::new("weights".to_owned()), binding);
        let value = |thread| replicated.of_thread(thread);
        assert!(Arc::ptr_eq(value(0), value(2)) && Arc::ptr_eq(value(1), value(3)));
        assert!(!Arc::ptr_eq(value(0), value(1)) && !Arc::ptr_eq(value(0), replicated.original()));
        assert_eq!((&**value(0), &**value(1)), (&"weights".to_owned(), &"weights".to_owned()));
    }

    #[test]
    fn unbound_threads_share_the_original() {
        let replicated = Replicated::shared(Arc::new(7));
        assert!(
            [0, 5].iter().all(|&thread| Arc::ptr_eq(replicated.of_thread(thread), replicated.original()))
        );
    }
}
