//! Windows: address space first, and memory when the table is placed. Windows never promises more memory than it has,
//! so two tables must not have memory at the same time while one replaces the other.
//!
//! Large pages need the right to lock pages in memory (`SeLockMemoryPrivilege`), which an administrator gives a user.
//! Windows provides all of them at once, near to the thread that asks. The calls are those of Stockfish.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::{io, ptr};

use windows_sys::Win32::Foundation::{CloseHandle, ERROR_SUCCESS, GetLastError};
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LUID_AND_ATTRIBUTES, LookupPrivilegeValueW, SE_LOCK_MEMORY_NAME,
    SE_PRIVILEGE_ENABLED, TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES, TOKEN_QUERY,
};
use windows_sys::Win32::System::Memory::{
    GetLargePageMinimum, MEM_COMMIT, MEM_LARGE_PAGES, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc,
    VirtualFree,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use crate::base::numa::Binding;
use crate::engine::tt::page_kind::{PageKind, in_pages};

/// A region of the address space.
pub struct Region(*mut c_void);

// SAFETY: the region belongs to the process. Any thread may use or free it, and `Region` itself accesses none of it.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// Makes Windows provide the first `bytes` bytes of the region, zeroed.
    ///
    /// # Errors
    /// If Windows does not have the memory.
    pub fn provide(&self, bytes: usize) -> io::Result<()> {
        // SAFETY: the bytes lie in the region of `self`.
        let start = unsafe { VirtualAlloc(self.0, bytes, MEM_COMMIT, PAGE_READWRITE) };
        if start.is_null() { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    #[inline]
    pub fn start(&self) -> *mut u8 {
        self.0.cast()
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: this is the start of a region that nobody else frees, and whoever used it borrowed `self`.
        unsafe { VirtualFree(self.0, 0, MEM_RELEASE) };
    }
}

/// Address space without memory.
pub fn ordinary(bytes: usize) -> io::Result<(Region, PageKind)> {
    // SAFETY: Windows chooses a place that is free.
    let start = unsafe { VirtualAlloc(ptr::null(), bytes, MEM_RESERVE, PAGE_READWRITE) };
    if start.is_null() { Err(io::Error::last_os_error()) } else { Ok((Region(start), PageKind::Standard)) }
}

/// Windows has no reserve of pages.
pub fn reserved(_bytes: usize, _binding: &Binding) -> Option<(Region, PageKind)> {
    None
}

/// Large pages of free memory; `None` if the user may not lock pages, or if there is not enough memory in one piece.
pub fn locked(bytes: usize, _binding: &Binding) -> Option<(Region, PageKind)> {
    static MAY_LOCK: OnceLock<bool> = OnceLock::new();

    // SAFETY: the function only returns a number, 0 if the processor has no large pages.
    let page = unsafe { GetLargePageMinimum() };
    if page == 0 || !page.is_power_of_two() || !*MAY_LOCK.get_or_init(gain_privilege) {
        return None;
    }
    // All pages come at once, so that the nodes cannot have equal shares anyway.
    let length = in_pages(bytes, page.trailing_zeros() as u8, 1)?;
    let kind = MEM_RESERVE | MEM_COMMIT | MEM_LARGE_PAGES;
    // SAFETY: Windows chooses a place that is free.
    let start = unsafe { VirtualAlloc(ptr::null(), length, kind, PAGE_READWRITE) };
    (!start.is_null()).then_some((Region(start), PageKind::Locked))
}

/// Asks for the right to lock pages. Returns whether this process has it now.
fn gain_privilege() -> bool {
    let mut token = ptr::null_mut();
    // SAFETY: the pseudo-handle of this process is always valid, and Windows writes one handle.
    let is_open = unsafe {
        OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &raw mut token) != 0
    };
    if !is_open {
        return false;
    }
    let mut privilege =
        LUID_AND_ATTRIBUTES { Attributes: SE_PRIVILEGE_ENABLED, ..LUID_AND_ATTRIBUTES::default() };
    // SAFETY: the name ends with a zero, and Windows writes one number.
    let is_named =
        unsafe { LookupPrivilegeValueW(ptr::null(), SE_LOCK_MEMORY_NAME, &raw mut privilege.Luid) != 0 };
    let wanted = TOKEN_PRIVILEGES { PrivilegeCount: 1, Privileges: [privilege] };
    // SAFETY: the token is open until it is closed here, and Windows reads one privilege. The call also succeeds
    // without any effect, which only the error says.
    unsafe {
        let is_done = is_named
            && AdjustTokenPrivileges(token, 0, &raw const wanted, 0, ptr::null_mut(), ptr::null_mut()) != 0
            && GetLastError() == ERROR_SUCCESS;
        CloseHandle(token);
        is_done
    }
}
