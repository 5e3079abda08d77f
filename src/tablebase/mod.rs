//! Syzygy endgame tablebases (Ronald de Man): for every position of few men without castling rights, whether it is won
//! (WDL tables) and how soon the fifty-move clock can be set back on the way (DTZ tables, distance to zeroing).
//!
//! The crate `shakmaty-syzygy` reads the tables; here they are found, asked, and their faults endured. Invariant:
//! nothing in a table's file, nor its absence, ends a search. A position that the tables cannot answer for has no
//! answer, and what was wrong is said once.

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

use crate::board::Board;
use crate::types::Score;
use fault::Faults;

pub use rank::{Rank, Ranking};
pub use shakmaty_syzygy::Wdl;

/// Files that are named when they cannot be used; the others are counted.
const NAMED_FILES: usize = 4;

/// When tables are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probing {
    /// The least remaining depth, in plies, at which a position of [`Probing::limit`] men is worth the time; those of
    /// fewer men always are.
    pub depth: i32,
    /// The most men, kings included, of a position that tables are asked about; 0 for none at all.
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
    /// Names of the files, from which [`Tablebases::fingerprint`] follows.
    names: BTreeSet<OsString>,
    problems: Vec<String>,
    faults: Faults,
}

struct Tables(Tablebase<Chess>);

impl Default for Tables {
    #[cfg(target_pointer_width = "64")]
    fn default() -> Tables {
        // SAFETY: nobody may change a table's file while it is mapped; one that is cut short then ends the process with
        // a signal. Tables are written once and copied whole, and every engine maps them. The reader copies bytes out
        // and checks what it makes of them. By system calls instead, a WDL answer takes 16 microseconds in place of
        // 1.9.
        Tables(unsafe { Tablebase::with_mmap_filesystem() })
    }

    #[cfg(not(target_pointer_width = "64"))]
    fn default() -> Tables {
        Tables(Tablebase::new())
    }
}

impl Tablebases {
    /// The tables in one or several directories, separated as the platform separates paths (`:` on Unix, `;` on
    /// Windows). Where two directories hold the same table, the first one's is taken. What cannot be read or is damaged
    /// is left out; [`Tablebases::notes`] says so.
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
                    // A letter for each man, and a v between the sides.
                    self.men = self.men.max(stem.len() - 1);
                } else {
                    self.dtz_files += 1;
                }
            }
            // Some other file by a similar name.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(error) => unusable.push(format!("{} ({error})", name.display())),
        }
    }

    /// The directories as they were given; empty for none.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The most men, kings included, for which there is a WDL table; 0 without tables.
    pub fn men(&self) -> usize {
        self.men
    }

    /// A number that two processes have in common if they found tables of the same names, wherever those lie; 0 without
    /// tables. Answers of the search may differ where it does.
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

    /// What there is to say of the directories, a line each: how many tables they hold, and what cannot be used.
    /// Nothing where no directory was given.
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

    /// Whether tables may know a position: few enough men for them and for `limit`, and no castling rights.
    pub fn cover(&self, board: &Board, limit: usize) -> bool {
        board.occupied().count() <= limit.min(self.men) && board.castling_rooks().is_empty()
    }
}

/// The score of a table's answer `ply` plies from the root; a win that the fifty-move rule prevents, where it is in
/// force, is a draw of which the winner has a little more.
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

/// The files of a directory, by name.
fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    Ok(files)
}

/// Equal where the same directories were given.
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
        // The same tables in one directory, and fewer of them.
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
