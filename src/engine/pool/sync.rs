//! The locks of the pool. A model check of its protocol replaces them by loom's.

#[cfg(not(loom))]
pub(super) use parking_lot::{Condvar, Mutex};

#[cfg(loom)]
pub(super) use model::{Condvar, Mutex};

/// Loom's locks with the interface of `parking_lot`'s. A model has no time: a thread that waits does so until it is
/// woken.
#[cfg(loom)]
mod model {
    use std::time::Instant;

    use loom::sync::MutexGuard;

    pub struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub fn new(value: T) -> Mutex<T> {
            Mutex(loom::sync::Mutex::new(value))
        }

        pub fn lock(&self) -> Guard<'_, T> {
            Guard(Some(self.0.lock().unwrap()))
        }
    }

    pub struct Guard<'a, T>(Option<MutexGuard<'a, T>>);

    impl<T> std::ops::Deref for Guard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.as_deref().unwrap()
        }
    }

    impl<T> std::ops::DerefMut for Guard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_deref_mut().unwrap()
        }
    }

    pub struct Condvar(loom::sync::Condvar);

    pub struct Woken;

    impl Woken {
        pub fn timed_out(&self) -> bool {
            false
        }
    }

    impl Condvar {
        pub fn new() -> Condvar {
            Condvar(loom::sync::Condvar::new())
        }

        pub fn wait<T>(&self, guard: &mut Guard<'_, T>) {
            guard.0 = guard.0.take().map(|inner| self.0.wait(inner).unwrap());
        }

        pub fn wait_until<T>(&self, guard: &mut Guard<'_, T>, _: Instant) -> Woken {
            self.wait(guard);
            Woken
        }

        pub fn notify_one(&self) {
            self.0.notify_one();
        }

        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}
