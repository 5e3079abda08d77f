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

#[cfg(not(target_os = "linux"))]
mod system {
    use std::time::Duration;

    pub fn process_time() -> Option<Duration> {
        None
    }

    pub fn thread_time() -> Option<Duration> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
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
