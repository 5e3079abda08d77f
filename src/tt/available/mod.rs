//! How much memory the engine may take. On systems without a file here nothing is known: the answer is `None`, and only
//! the system's refusal counts.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(super) use linux::available_bytes;
#[cfg(windows)]
pub(super) use windows::available_bytes;

#[cfg(not(any(target_os = "linux", windows)))]
pub(super) fn available_bytes() -> Option<u64> {
    None
}
