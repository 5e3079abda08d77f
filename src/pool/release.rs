//! Memory that ended threads leave behind.
//!
//! glibc gives each thread an arena of its own, and keeps there what was freed: once a block as large as a thread's
//! histories has been freed, only what exceeds twice its size at an arena's end goes back by itself.

/// Gives memory that was freed back to the system, where it is known to be kept.
pub fn release_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    // SAFETY: the function may be called at any time by any thread. What it buys, on 2026-11-22: 1 thread after 256,
    // each of which had searched, keeps 78 MiB of resident memory in place of 706.
    unsafe {
        libc::malloc_trim(0);
    }
}
