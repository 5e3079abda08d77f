//! The files in a folder, at any depth.

#[cfg(feature = "analysis")]
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The paths of all files.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a directory entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The paths of all files whose names end in `.` and `extension`.
pub fn files_with(extension: &str, folder: &Path) -> Vec<PathBuf> {
    let has_extension = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    files_below(folder).into_iter().filter(has_extension).collect()
}

/// The contents of all files, by their paths below the folder.
#[cfg(feature = "analysis")]
pub fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let content = |path: PathBuf| {
        let name = path.strip_prefix(folder).expect("below the folder").to_owned();
        (name, fs::read(&path).expect("a readable file"))
    };
    files_below(folder).into_iter().map(content).collect()
}
