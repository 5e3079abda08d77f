//! How much processor time was used. On a machine with other work, fewer nodes a second need not be the search's fault.

use std::time::Duration;

/// Time on all cores that the process has used so far; `None` if the system does not say.
pub fn process_time() -> Option<Duration> {
    system::process_time()
}

/// Time that the calling thread has used so far; `None` if the system does not say.
pub fn thread_time() -> Option<Duration> {
    system::thread_time()
}

#[cfg(target_os = "linux")]
mod system {
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    pub fn process_time() -> Option<Duration> {
        clock_gettime(ClockId::ProcessCPUTime).try_into().ok()
    }

    pub fn thread_time() -> Option<Duration> {
        clock_gettime(ClockId::ThreadCPUTime).try_into().ok()
    }
}

#[cfg(windows)]
mod system {
    use std::time::Duration;

    use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
    use windows_sys::Win32::System::Threading::{
        GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes,
    };
    use windows_sys::core::BOOL;

    /// Windows counts in ticks of its clock, 15.6 ms unless a program has asked for finer ones.
    pub fn process_time() -> Option<Duration> {
        // SAFETY: the pseudo-handle of this process is always valid.
        used(GetProcessTimes, unsafe { GetCurrentProcess() })
    }

    pub fn thread_time() -> Option<Duration> {
        // SAFETY: the pseudo-handle of the calling thread is always valid.
        used(GetThreadTimes, unsafe { GetCurrentThread() })
    }

    type Times =
        unsafe extern "system" fn(HANDLE, *mut FILETIME, *mut FILETIME, *mut FILETIME, *mut FILETIME) -> BOOL;

    /// The time within the system and outside of it, as `times` says.
    fn used(times: Times, of: HANDLE) -> Option<Duration> {
        let [mut begin, mut end, mut system, mut user] = [FILETIME::default(); 4];
        // SAFETY: `times` is one of the two functions above, the handle is one of its kind, and Windows writes the four
        // structures.
        let is_known =
            unsafe { times(of, &raw mut begin, &raw mut end, &raw mut system, &raw mut user) != 0 };
        is_known.then(|| duration(system) + duration(user))
    }

    /// The unit is 100 nanoseconds.
    fn duration(time: FILETIME) -> Duration {
        let units = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        Duration::from_micros(units / 10) + Duration::from_nanos(units % 10 * 100)
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod system {
    use std::time::Duration;

    pub fn process_time() -> Option<Duration> {
        None
    }

    pub fn thread_time() -> Option<Duration> {
        None
    }
}

#[cfg(all(test, any(target_os = "linux", windows)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_uses_a_part_of_what_its_process_does() {
        let work = || {
            let before = thread_time().unwrap();
            // Works until the clock has moved, however coarse it is.
            while thread_time().unwrap() == before {}
            thread_time().unwrap()
        };
        let before = process_time().unwrap();
        let threads = [(); 2].map(|()| std::thread::spawn(work).join().unwrap());
        let used = process_time().unwrap() - before;
        assert!(threads.iter().all(|time| !time.is_zero()));
        assert!(used >= threads.iter().sum(), "{used:?}, {threads:?}");
    }
}
