//! Windows: how much memory the engine may take.

use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

/// Bytes that the engine could take without using the page file; `None` if this is unknown. A limit of a job object
/// does not count: Windows refuses what exceeds it, and kills no process for it.
pub fn available_bytes() -> Option<u64> {
    let mut status =
        MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..MEMORYSTATUSEX::default() };
    // SAFETY: the structure says its own length, and Windows writes no more.
    let is_known = unsafe { GlobalMemoryStatusEx(&raw mut status) != 0 };
    // What Windows can still promise is the memory together with the page file, less all promises so far. It may be
    // less than the free memory.
    is_known.then(|| status.ullAvailPhys.min(status.ullAvailPageFile).min(status.ullAvailVirtual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_memory_left() {
        let available = available_bytes().expect("Windows knows its memory");
        assert!((1 << 20..1 << 50).contains(&available), "{available}");
    }
}
