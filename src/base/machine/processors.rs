//! The processors on which this process may run.

use std::fs;
use std::path::Path;

use crate::base::numa::Processors;

/// The affinity mask of the process, or rather of its first thread, which is never bound. `None` if the system does not
/// say.
pub(super) fn allowed(root: &Path) -> Option<Processors> {
    let status = fs::read_to_string(root.join("proc/self/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_this_process_is_known() {
        assert!(allowed(Path::new("/")).is_some_and(|processors| !processors.is_empty()));
    }
}
