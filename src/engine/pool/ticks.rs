//! The clock by which a thread that waits is woken.
//!
//! Windows ends timed waits at the ticks of its clock. They come every 15.6 ms, unless a program asks for more of them.
//! With a move each 100 ms that is too coarse. Finer ticks cost a little energy, so they are asked for only while a
//! search with a time limit runs. Other systems end a wait when its time has come.

/// Fine ticks, as long as this lives.
pub(super) struct FineTicks(());

impl FineTicks {
    /// Asks the system for ticks of 1 ms. If it does not grant them, waits may end late.
    pub fn ask() -> FineTicks {
        system::begin();
        FineTicks(())
    }
}

impl Drop for FineTicks {
    fn drop(&mut self) {
        system::end();
    }
}

#[cfg(windows)]
mod system {
    use windows_sys::Win32::Media::{timeBeginPeriod, timeEndPeriod};

    const MILLISECONDS: u32 = 1;

    pub fn begin() {
        // SAFETY: the function only takes a number. `end` is called once for each call.
        unsafe { timeBeginPeriod(MILLISECONDS) };
    }

    pub fn end() {
        // SAFETY: as above.
        unsafe { timeEndPeriod(MILLISECONDS) };
    }
}

#[cfg(not(windows))]
mod system {
    pub fn begin() {}

    pub fn end() {}
}
