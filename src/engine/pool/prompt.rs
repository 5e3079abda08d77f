//! Threads that are rarely woken and must then run at once.
//!
//! With more search threads than cores, a thread that wakes up waits for its turn: 20 to 60 ms with 64 threads on two
//! cores. Since version 6.12 Linux lets a thread ask for shorter turns, and a thread with short turns comes first after
//! a sleep. That needs no privilege and takes no time from the others. On Windows such a thread gets a higher priority
//! than the search threads of its process, which does the same while it mostly sleeps.

/// Asks the system to let the calling thread run soon after it wakes up. Threads that it starts may inherit this; see
/// [`take_ordinary_turns`]. If the system does not support it, nothing happens.
pub fn wake_promptly() {
    system::set_prompt(true);
}

/// The opposite, for threads that work rather than wait. Short turns would only interrupt them more often.
pub fn take_ordinary_turns() {
    system::set_prompt(false);
}

#[cfg(target_os = "linux")]
mod system {
    /// How long a prompt thread's turn lasts, in nanoseconds: the shortest that Linux grants.
    pub const SHORTEST_TURN: u64 = 100_000;

    /// The calling thread's attributes, if it has the usual scheduling policy.
    pub fn attributes() -> Option<libc::sched_attr> {
        // SAFETY: the structure consists of integers, for which zero is a value.
        let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
        let size = size_of::<libc::sched_attr>() as libc::c_uint;
        // SAFETY: the kernel writes at most `size` bytes to the structure, about the calling thread (0). It is worth
        // the call: with 64 threads on two loaded cores `isready` took 0.1 ms, and without it 18 and 58 ms
        // (2026-11-21).
        let result = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
        (result == 0 && attributes.sched_policy == libc::SCHED_OTHER as u32).then_some(attributes)
    }

    /// Sets the length of the calling thread's turns. 0 is the system's own choice.
    pub fn set_prompt(is_prompt: bool) {
        if let Some(mut attributes) = attributes() {
            attributes.sched_runtime = if is_prompt { SHORTEST_TURN } else { 0 };
            // SAFETY: the kernel only reads the structure, and changes nothing if it rejects it.
            unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
        }
    }
}

#[cfg(windows)]
mod system {
    use windows_sys::Win32::System::Threading::{
        GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_ABOVE_NORMAL, THREAD_PRIORITY_NORMAL,
    };

    /// Sets the calling thread's priority within its process.
    pub fn set_prompt(is_prompt: bool) {
        let priority = if is_prompt { THREAD_PRIORITY_ABOVE_NORMAL } else { THREAD_PRIORITY_NORMAL };
        // SAFETY: the pseudo-handle of the calling thread is always valid. A refusal changes nothing.
        unsafe { SetThreadPriority(GetCurrentThread(), priority) };
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod system {
    pub fn set_prompt(_is_prompt: bool) {}
}

#[cfg(all(test, windows))]
mod tests {
    use windows_sys::Win32::System::Threading::{
        GetCurrentThread, GetThreadPriority, THREAD_PRIORITY_ABOVE_NORMAL, THREAD_PRIORITY_NORMAL,
    };

    use super::*;

    #[test]
    fn a_prompt_thread_comes_before_ordinary_ones() {
        // SAFETY: the pseudo-handle of the calling thread is always valid.
        let priority = || unsafe { GetThreadPriority(GetCurrentThread()) };
        std::thread::spawn(move || {
            wake_promptly();
            assert_eq!(priority(), THREAD_PRIORITY_ABOVE_NORMAL);
            take_ordinary_turns();
            assert_eq!(priority(), THREAD_PRIORITY_NORMAL);
        })
        .join()
        .expect("the thread runs on");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_the_length_of_turns_is_changed() {
        let state =
            || system::attributes().map(|found| (found.sched_nice, found.sched_flags, found.sched_runtime));
        std::thread::spawn(move || {
            let before = state();
            wake_promptly();
            let prompt = state();
            assert_eq!(prompt.map(|state| (state.0, state.1)), before.map(|state| (state.0, state.1)));
            // Before version 6.12 Linux accepts the request and ignores it.
            assert!(
                prompt == before || prompt.is_some_and(|state| state.2 == system::SHORTEST_TURN),
                "{prompt:?}"
            );
            take_ordinary_turns();
            assert_eq!(state(), before);
        })
        .join()
        .expect("the thread runs on");
    }
}
