//! A hint to the processor that a cache line will be read soon.
//!
//! A probe of a large table waits for main memory, some 80 ns. If the cache line is requested when the move is chosen,
//! it arrives while the move is made. Smaller tables lie in a far cache, which is quicker but also makes a read wait.

/// Asks for the cache line in which `place` begins.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: SSE is part of x86-64; a prefetch reads nothing and cannot fault. No safe counterpart exists.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
}

/// Asks for the cache line in which `place` begins.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    // SAFETY: the instruction is in every ARMv8, reads nothing, changes no register or flag and cannot fault. The
    // intrinsic is not stable yet.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{address}]",
            address = in(reg) std::ptr::from_ref(place),
            options(nostack, preserves_flags, readonly)
        );
    }
}

/// Does nothing: there is no instruction for it.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline(always)]
pub fn prefetch<T>(_: &T) {}
