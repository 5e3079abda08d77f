//! The governors, which choose the frequencies of the processors.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The governors of all processors, each once. Virtual machines do not show them.
pub(super) fn governors(root: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(root.join("sys/devices/system/cpu")) else { return Vec::new() };
    let governor = |folder: &Path| fs::read_to_string(folder.join("cpufreq/scaling_governor")).ok();
    let found: BTreeSet<String> = entries
        .flatten()
        .filter_map(|entry| Some(governor(&entry.path())?.trim().to_owned()))
        .filter(|name| !name.is_empty())
        .collect();
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::machine::tests::write;

    #[test]
    fn each_governor_is_listed_once() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(governors(root.path()), [""; 0]);
        for (processor, governor) in [(0, "powersave\n"), (1, "performance\n"), (2, "powersave\n")] {
            let path = format!("sys/devices/system/cpu/cpu{processor}/cpufreq/scaling_governor");
            write(root.path(), &path, governor);
        }
        assert_eq!(governors(root.path()), ["performance", "powersave"]);
    }
}
