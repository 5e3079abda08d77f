//! Syzygy endgame tablebases (Ronald de Man). They cover all positions of few men without castling rights. WDL tables
//! tell who wins. DTZ tables (distance to zeroing) tell how soon the winner can reset the fifty-move clock.
//!
//! The crate `shakmaty-syzygy` reads the tables. This module finds and probes them, and handles their faults.
//! Invariant: neither the contents of a table's file nor a missing file ends a search. If the tables cannot answer, the
//! position has no answer, and the fault is reported once.

mod fault;
mod probe;
mod rank;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use shakmaty::Chess;
use shakmaty_syzygy::Tablebase;
use xxhash_rust::xxh3::Xxh3;

use crate::chess::board::Board;
use crate::chess::types::Score;
use fault::Faults;

pub use rank::{Rank, Ranking};
pub use shakmaty_syzygy::Wdl;

/// How many unusable files are reported by name. The others are only counted.
const NAMED_FILES: usize = 4;

/// When tables are probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probing {
    /// The least remaining depth, in plies, at which a position of [`Probing::limit`] men is probed. Positions of fewer
    /// men are probed at every depth.
    pub depth: i32,
    /// The greatest number of men, kings included, of a position that is probed; 0 for no probing.
    pub limit: usize,
    /// Whether a win that the fifty-move rule prevents counts as a draw.
    pub fifty_moves: bool,
}

impl Default for Probing {
    fn default() -> Probing {
        Probing { depth: 1, limit: 7, fifty_moves: true }
    }
}

/// The tables of some directories. Files are opened when they are first needed.
#[derive(Default)]
pub struct Tablebases {
    path: String,
    tables: Tables,
    wdl_files: usize,
    dtz_files: usize,
    men: usize,
    /// The names of the files. [`Tablebases::fingerprint`] is computed from them.
    names: BTreeSet<OsString>,
    problems: Vec<String>,
    faults: Faults,
}

struct Tables(Tablebase<Chess>);

impl Default for Tables {
    #[cfg(target_pointer_width = "64")]
    fn default() -> Tables {
        // SAFETY: nobody may change a table's file while it is mapped. If a mapped file is truncated, a signal ends the
        // process. Tables are written once and copied whole, and every engine maps them. The reader copies bytes out
        // and checks their values. Mapping is worth it: with system calls a WDL answer takes 16 microseconds in place
        // of 1.9.
        Tables(unsafe { Tablebase::with_mmap_filesystem() })
    }

    #[cfg(not(target_pointer_width = "64"))]
    fn default() -> Tables {
        Tables(Tablebase::new())
    }
}

impl Tablebases {
    /// Finds the tables in one or several directories, separated as the platform separates paths (`:` on Unix, `;` on
    /// Windows). If two directories hold the same table, the first one's is used. Files that cannot be read or have a
    /// wrong size are left out; [`Tablebases::notes`] reports them.
    pub fn load(path: &str) -> Tablebases {
        let mut tablebases = Tablebases { path: path.to_owned(), ..Tablebases::default() };
        let mut unusable = Vec::new();
        for directory in env::split_paths(path).filter(|directory| !directory.as_os_str().is_empty()) {
            match files(&directory) {
                Ok(files) => {
                    for file in files {
                        tablebases.add(&file, &mut unusable);
                    }
                }
                Err(error) => tablebases.problems.push(format!("{}: {error}", directory.display())),
            }
        }
        if !unusable.is_empty() {
            let more = unusable.len().saturating_sub(NAMED_FILES);
            unusable.truncate(NAMED_FILES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            tablebases.problems.push(format!("cannot be used: {}{more}", unusable.join(", ")));
        }
        tablebases
    }

    fn add(&mut self, file: &Path, unusable: &mut Vec<String>) {
        let (Some(name), Some(stem), Some(extension)) =
            (file.file_name(), file.file_stem(), file.extension().and_then(|extension| extension.to_str()))
        else {
            return;
        };
        if !matches!(extension, "rtbw" | "rtbz") || self.names.contains(name) {
            return;
        }
        match self.tables.0.add_file(file) {
            Ok(()) => {
                self.names.insert(name.to_owned());
                if extension == "rtbw" {
                    self.wdl_files += 1;
                    // The name has a letter for each man, and a v between the sides.
                    self.men = self.men.max(stem.len() - 1);
                } else {
                    self.dtz_files += 1;
                }
            }
            // This is another file with a similar name.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(error) => unusable.push(format!("{} ({error})", name.display())),
        }
    }

    /// The directories as they were given; empty if there are none.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The greatest number of men, kings included, of any WDL table; 0 without tables.
    pub fn men(&self) -> usize {
        self.men
    }

    /// A hash of the names of the tables, wherever they lie; 0 without tables. Two processes with different
    /// fingerprints may get different results from the same search.
    pub fn fingerprint(&self) -> u64 {
        if self.names.is_empty() {
            return 0;
        }
        let mut hasher = Xxh3::new();
        for name in &self.names {
            hasher.update(name.as_encoded_bytes());
            hasher.update(b"\n");
        }
        hasher.digest()
    }

    /// Notes for the user, one line each: how many tables the directories hold, and which files cannot be used. Empty
    /// if no directory was given.
    pub fn notes(&self) -> Vec<String> {
        if self.path.is_empty() {
            return Vec::new();
        }
        let found = match (self.wdl_files, self.dtz_files) {
            (0, 0) => "no tables found".to_owned(),
            (wdl, dtz) => format!("{wdl} WDL and {dtz} DTZ tables found, up to {} men", self.men),
        };
        [found].iter().chain(&self.problems).map(|note| format!("Syzygy: {note}")).collect()
    }

    /// Whether the tables may cover a position: it has no castling rights, and no more men than the largest table and
    /// `limit`.
    pub fn cover(&self, board: &Board, limit: usize) -> bool {
        board.occupied().count() <= limit.min(self.men) && board.castling_rooks().is_empty()
    }
}

/// The score of a table's answer `ply` plies from the root. With `fifty_moves`, a win that the fifty-move rule prevents
/// is scored as a draw with a small bonus for the winner.
pub fn score(wdl: Wdl, fifty_moves: bool, ply: usize) -> Score {
    let win = Score::TABLEBASE_WIN - ply as i32;
    match wdl {
        Wdl::Win => win,
        Wdl::CursedWin if !fifty_moves => win,
        Wdl::CursedWin => Score::new(1),
        Wdl::Draw => Score::ZERO,
        Wdl::BlessedLoss if fifty_moves => Score::new(-1),
        Wdl::BlessedLoss | Wdl::Loss => -win,
    }
}

/// The files of a directory, sorted by name.
fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    Ok(files)
}

/// Two values are equal if the same directories were given.
impl PartialEq for Tablebases {
    fn eq(&self, other: &Tablebases) -> bool {
        self.path == other.path
    }
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tablebases({:?}, {} WDL, {} DTZ)", self.path, self.wdl_files, self.dtz_files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_directory_is_no_table_and_nothing_to_say() {
        let none = Tablebases::load("");
        assert_eq!((none.men(), none.notes()), (0, Vec::new()));
        assert!(!none.cover(&Board::from_fen("8/8/8/8/8/2k5/8/K7 w - - 0 1").unwrap().0, 7));
    }

    #[test]
    fn the_first_directory_wins_and_what_is_no_table_is_passed_over() {
        let folders = [(); 4].map(|()| tempfile::tempdir().unwrap());
        let write = |folder: usize, name: &str, size: usize| {
            fs::write(folders[folder].path().join(name), vec![0; size]).unwrap();
        };
        write(0, "KQvK.rtbw", 80);
        write(0, "KQRvKR.rtbz", 80);
        write(0, "notes.rtbw", 80);
        write(0, "KQvK.txt", 80);
        write(0, "KRvK.rtbw", 81);
        write(1, "KQvK.rtbw", 17);
        write(1, "KRvK.rtbw", 80);
        let [first, second, ..] = folders.each_ref().map(|folder| folder.path());
        let path = env::join_paths([first, Path::new("does-not-exist"), second]).unwrap();
        let tablebases = Tablebases::load(path.to_str().unwrap());
        assert_eq!(tablebases.men(), 3, "a DTZ table alone answers nothing");
        let notes = tablebases.notes();
        assert_eq!(notes[0], "Syzygy: 2 WDL and 1 DTZ tables found, up to 3 men");
        assert!(notes[1].starts_with("Syzygy: does-not-exist: "), "{notes:?}");
        assert_eq!(notes[2], "Syzygy: cannot be used: KRvK.rtbw (unexpected file size)");
        assert_eq!(notes.len(), 3);
        // One directory holds the same tables, the other holds fewer of them.
        for name in ["KQvK.rtbw", "KQRvKR.rtbz", "KRvK.rtbw"] {
            write(2, name, 80);
        }
        write(3, "KQvK.rtbw", 80);
        let [same, fewer] = [2, 3].map(|folder| Tablebases::load(folders[folder].path().to_str().unwrap()));
        assert_eq!(tablebases.fingerprint(), same.fingerprint());
        assert_ne!(tablebases.fingerprint(), fewer.fingerprint());
        assert_eq!(Tablebases::load("").fingerprint(), 0);
    }

    #[test]
    fn many_damaged_files_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        for role in ["Q", "R", "B", "N", "P", "QQ"] {
            fs::write(folder.path().join(format!("K{role}vK.rtbw")), b"short").unwrap();
        }
        let notes = Tablebases::load(folder.path().to_str().unwrap()).notes();
        assert_eq!(notes[0], "Syzygy: no tables found");
        assert!(notes[1].ends_with(" and 2 more") && notes[1].contains("KBvK.rtbw"), "{notes:?}");
    }
}
