//! A value that every node has a copy of.

use std::sync::{Arc, OnceLock};

use super::Binding;

/// What all threads read, once for each node that threads are bound to.
///
/// A copy is made by the first thread of its node that asks for one: the memory that it then touches first is that
/// node's. Threads that are not bound share the original.
#[derive(Debug)]
pub struct Replicated<T> {
    original: Arc<T>,
    binding: Arc<Binding>,
    /// By node.
    copies: Box<[OnceLock<Arc<T>>]>,
}

impl<T: Clone> Replicated<T> {
    /// Without copies yet.
    pub fn new(original: Arc<T>, binding: Arc<Binding>) -> Replicated<T> {
        let copies = binding.nodes().iter().map(|_| OnceLock::new()).collect();
        Replicated { original, binding, copies }
    }

    /// For threads that are not bound.
    pub fn shared(original: Arc<T>) -> Replicated<T> {
        Replicated::new(original, Arc::new(Binding::unbound(0)))
    }

    /// What the copies are made of.
    pub fn original(&self) -> &Arc<T> {
        &self.original
    }

    /// The value for `thread`, which must be the calling one if its node is to hold the copy.
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
    fn threads_that_are_not_bound_share_the_original() {
        let replicated = Replicated::shared(Arc::new(7));
        assert!(
            [0, 5].iter().all(|&thread| Arc::ptr_eq(replicated.of_thread(thread), replicated.original()))
        );
    }
}
