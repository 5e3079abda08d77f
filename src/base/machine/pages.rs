//! Large pages: those that the system makes of free memory, and those that an administrator has reserved.

use std::fs;
use std::path::Path;

use serde::Serialize;

/// Where Linux describes its large pages, below the root.
const PAGES: &str = "sys/kernel/mm";

/// The administrator's reserve of pages of one size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ReservedPages {
    /// The size of a page in KiB.
    pub kibibytes: u64,
    /// The number of pages.
    pub total: u64,
    /// The number of pages that nobody uses.
    pub free: u64,
}

/// Whether the system makes large pages of free memory: the chosen word of its setting, which stands in brackets.
pub(super) fn transparent(root: &Path) -> Option<String> {
    let setting = fs::read_to_string(root.join(PAGES).join("transparent_hugepage/enabled")).ok()?;
    let (_, chosen) = setting.split_once('[')?;
    Some(chosen.split_once(']')?.0.to_owned())
}

/// The reserves, the largest pages first. Sizes without any page are left out.
pub(super) fn reserved(root: &Path) -> Vec<ReservedPages> {
    let Ok(entries) = fs::read_dir(root.join(PAGES).join("hugepages")) else { return Vec::new() };
    let mut found: Vec<ReservedPages> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let kibibytes = name.to_str()?.strip_prefix("hugepages-")?.strip_suffix("kB")?.parse().ok()?;
            let number = |file: &str| -> Option<u64> {
                fs::read_to_string(entry.path().join(file)).ok()?.trim().parse().ok()
            };
            let reserve =
                ReservedPages { kibibytes, total: number("nr_hugepages")?, free: number("free_hugepages")? };
            (reserve.total > 0).then_some(reserve)
        })
        .collect();
    found.sort_unstable_by_key(|reserve| std::cmp::Reverse(reserve.kibibytes));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::machine::tests::write;

    #[test]
    fn the_chosen_setting_stands_in_brackets() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let file = "sys/kernel/mm/transparent_hugepage/enabled";
        assert_eq!(transparent(root.path()), None);
        for (text, expected) in
            [("always [madvise] never\n", Some("madvise")), ("[never]", Some("never")), ("always\n", None)]
        {
            write(root.path(), file, text);
            assert_eq!(transparent(root.path()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn reserves_are_listed_by_the_size_of_their_pages() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(reserved(root.path()), []);
        for (size, total, free) in [("2048", 512, 500), ("1048576", 64, 0), ("64", 0, 0)] {
            let folder = format!("sys/kernel/mm/hugepages/hugepages-{size}kB");
            write(root.path(), &format!("{folder}/nr_hugepages"), &format!("{total}\n"));
            write(root.path(), &format!("{folder}/free_hugepages"), &format!("{free}\n"));
        }
        let expected = [
            ReservedPages { kibibytes: 1_048_576, total: 64, free: 0 },
            ReservedPages { kibibytes: 2048, total: 512, free: 500 },
        ];
        assert_eq!(reserved(root.path()), expected);
    }
}
