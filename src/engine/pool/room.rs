//! Checks whether there is memory for more threads, before the first of them starts.
//!
//! If the system has no stack for a thread, it refuses the thread and nothing is lost. But if a thread has started and
//! there is no memory for its histories, the process ends, because Rust knows no other answer. So all memory that the
//! threads will need is taken at once, and given back before they start.

/// Memory that a thread has besides its stack: histories, search stacks, and what grows in a search.
const HISTORIES_BYTES: usize = 6 << 20;
/// The size of the blocks that are taken. Freeing a block of more than 32 MiB does not change how glibc's `malloc`
/// treats later ones, and no system refuses a block of this size for its size alone.
const PIECE_BYTES: usize = 64 << 20;

/// Whether there is memory for `threads` threads with stacks of `stack_bytes` at this moment.
pub fn is_room_for(threads: usize, stack_bytes: usize) -> bool {
    let needed = threads * (stack_bytes + HISTORIES_BYTES) + address_space_of_arenas(threads);
    let mut pieces = Vec::new();
    let is_room = (0..needed.div_ceil(PIECE_BYTES)).all(|_| {
        let mut piece = Vec::<u8>::new();
        let is_reserved = piece.try_reserve_exact(PIECE_BYTES).is_ok();
        pieces.push(piece);
        is_reserved
    });
    // Without this the compiler may leave out memory to which nobody writes.
    std::hint::black_box(&mut pieces);
    is_room
}

/// If the address space is limited, glibc's arenas count: 64 MiB each, and twice that while one is being made.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn address_space_of_arenas(threads: usize) -> usize {
    use rustix::process::{Resource, getrlimit};

    const ARENA_BYTES: usize = 64 << 20;
    const ARENAS_PER_CORE: usize = 8;
    if getrlimit(Resource::As).current.is_none() {
        return 0;
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (threads.min(ARENAS_PER_CORE * cores) + 2 * threads.min(cores)) * ARENA_BYTES
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn address_space_of_arenas(_threads: usize) -> usize {
    0
}
