//! Gives back the memory that ended threads leave behind.
//!
//! glibc gives each thread an arena of its own and keeps freed memory there. Once a block as large as a thread's
//! histories has been freed, glibc returns only what exceeds twice the size of that block at an arena's end.

/// Gives freed memory back to the system, on systems where the allocator is known to keep it.
pub fn release_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    // SAFETY: any thread may call the function at any time. It is worth the call: after `Threads` fell from 256 to 1,
    // the process keeps 78 MiB of resident memory instead of 706 (all threads had searched, 2026-11-22).
    unsafe {
        libc::malloc_trim(0);
    }
}
