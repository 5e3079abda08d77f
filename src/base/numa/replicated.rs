//! A value that every node or every group of threads has a copy of.

use std::sync::{Arc, OnceLock};

use super::Binding;

/// A value with one copy for each node to which threads are bound, or for each group of threads.
///
/// The first thread of a node or group that asks for the value makes its copy. So the memory that it touches first lies
/// on its node. Threads that are not bound, and that form one group, share the original.
#[derive(Debug)]
pub struct Replicated<T> {
    original: Arc<T>,
    binding: Arc<Binding>,
    copy_of_thread: fn(&Binding, usize) -> Option<usize>,
    /// The copies, by node or group.
    copies: Box<[OnceLock<Arc<T>>]>,
}

impl<T: Clone> Replicated<T> {
    /// A value for each node. It has no copies yet.
    pub fn new(original: Arc<T>, binding: Arc<Binding>) -> Replicated<T> {
        let copies = binding.nodes().iter().map(|_| OnceLock::new()).collect();
        Replicated { original, binding, copy_of_thread: Binding::node, copies }
    }

    /// A value for each group of threads. It has no copies yet.
    pub fn for_groups(original: Arc<T>, binding: Arc<Binding>) -> Replicated<T> {
        let copies = (0..binding.groups()).map(|_| OnceLock::new()).collect();
        Replicated { original, binding, copy_of_thread: Binding::group, copies }
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
        match (self.copy_of_thread)(&self.binding, thread) {
            Some(copy) => self.copies[copy].get_or_init(|| Arc::new(T::clone(&self.original))),
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
    fn every_group_has_one_copy() {
        let [node, one, other] = ["0-3", "0-1", "2-3"].map(|list| list.parse().expect("a list"));
        let binding = Arc::new(Binding::spread(vec![node], 4).within_caches(&[one, other]));
        let histories = Replicated::for_groups(Arc::new(0), Arc::clone(&binding));
        let network = Replicated::new(Arc::new(0), binding);
        for (replicated, is_shared) in [(&histories, false), (&network, true)] {
            let is_same = |a, b| Arc::ptr_eq(replicated.of_thread(a), replicated.of_thread(b));
            assert!(is_same(0, 2) && is_same(1, 3));
            assert_eq!(is_same(0, 1), is_shared);
        }
    }

    #[test]
    fn unbound_threads_share_the_original() {
        let replicated = Replicated::shared(Arc::new(7));
        assert!(
            [0, 5].iter().all(|&thread| Arc::ptr_eq(replicated.of_thread(thread), replicated.original()))
        );
        let replicated = Replicated::for_groups(Arc::new(7), Arc::new(Binding::unbound(32)));
        assert!((0..32).all(|thread| Arc::ptr_eq(replicated.of_thread(thread), replicated.original())));
    }
}
