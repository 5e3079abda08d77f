//! Opening books: positions in an EPD or FEN file, or the last positions of the lines of a PGN file.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::file::{FileError, Limit, Lines, open};
use crate::chess::board::Board;
use crate::chess::pgn::PgnReader;

/// The largest file. The largest public books have about 200 MB.
const LIMIT: Limit = Limit { mebibytes: 1 << 10, of: "a book" };
/// The longest line of EPD in bytes, including everything after the position.
const LINE_LIMIT: usize = 16 << 10;

/// A book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// An entry is not a legal position or line.
    #[error("{}, {entry}: {fault}", path.display())]
    Entry {
        /// The book.
        path: PathBuf,
        /// The entry, such as `line 3` or `game 12`.
        entry: String,
        /// What is wrong with it.
        fault: String,
    },
    /// The book has no position.
    #[error("{}: no position in it", .0.display())]
    Empty(PathBuf),
}

/// Reads a book. It is PGN if the name ends in `.pgn`; otherwise each line is an EPD or a FEN. Empty lines and lines
/// that begin with `#`, `;` or `%` are ignored. Positions in which the game is over are left out.
///
/// # Errors
///
/// [`BookError`], which names the file and the first wrong entry.
pub fn read(path: &Path) -> Result<Vec<Board>, BookError> {
    let file = open(path, LIMIT)?;
    let is_pgn = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
    let entries: Box<dyn Iterator<Item = _>> =
        if is_pgn { Box::new(pgn_entries(file)) } else { Box::new(epd_entries(file)) };
    let unreadable = |error| FileError::because("cannot read", path)(error);
    let mut boards = Vec::new();
    for entry in entries {
        let (entry, board) = entry.map_err(unreadable)?;
        let board = board.map_err(|fault| BookError::Entry { path: path.to_owned(), entry, fault })?;
        if !board.legal_moves().is_empty() {
            boards.try_reserve(1).map_err(|_| unreadable(io::ErrorKind::OutOfMemory.into()))?;
            boards.push(board);
        }
    }
    if boards.is_empty() { Err(BookError::Empty(path.to_owned())) } else { Ok(boards) }
}

/// The name of an entry, and its position or its fault.
type BookEntry = (String, Result<Board, String>);

fn epd_entries(file: impl Read) -> impl Iterator<Item = io::Result<BookEntry>> {
    let mut lines = Lines::new(BufReader::new(file), LINE_LIMIT);
    std::iter::from_fn(move || {
        loop {
            let line = match lines.next_line() {
                Ok(line) => line?,
                Err(error) => return Some(Err(error)),
            };
            let text = line.text.trim();
            if text.is_empty() || text.starts_with(['#', ';', '%']) {
                continue;
            }
            let limit = LINE_LIMIT >> 10;
            let position = if line.is_cut {
                Err(format!("it has more than {limit} KiB, the limit for a position"))
            } else {
                position(text)
            };
            return Some(Ok((format!("line {}", line.number), position)));
        }
    })
}

/// The position at the beginning of a line. Move counters are read if there are any. EPD operations are ignored.
fn position(line: &str) -> Result<Board, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let clocks = fields.iter().skip(4).take(2).take_while(|field| field.parse::<u32>().is_ok()).count();
    let fen = fields[..fields.len().min(4 + clocks)].join(" ");
    Board::from_fen(&fen).map(|(board, _)| board).map_err(|error| error.to_string())
}

/// The last positions of the main lines. A game with a fault is a fault of the book.
fn pgn_entries(file: impl Read) -> impl Iterator<Item = io::Result<BookEntry>> {
    let mut games = PgnReader::new(BufReader::new(file));
    (1_u64..).map_while(move |number| {
        let read = games.next_game().transpose()?;
        let end = read.map(|read| read.whole().map(|game| game.end()).map_err(|fault| fault.to_string()));
        Some(end.map(|end| (format!("game {number}"), end)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(name: &str, text: &str) -> Result<Vec<String>, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        read(&path)
            .map(|boards| boards.iter().map(|board| board.fen(false)).collect())
            .map_err(|error| error.to_string().replace(&path.display().to_string(), "FILE"))
    }

    #[test]
    fn an_epd_book_gives_its_positions() {
        let text = "# a comment\n\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"start\";\r\n\
                    4k3/8/8/8/8/8/8/4K2R w K - 7 33\n7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n";
        let expected =
            ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 7 33"];
        assert_eq!(read_text("book.epd", text).unwrap(), expected);
    }

    #[test]
    fn a_pgn_book_gives_the_ends_of_its_lines() {
        let text = "[Event \"a\"]\n\n1. e4 (1. d4 d5) e5 {open} 2. Nf3! *\n\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O Ke7 1-0\n";
        let expected = [
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
            "8/4k3/8/8/8/8/8/5RK1 w - - 2 2",
        ];
        assert_eq!(read_text("book.PGN", text).unwrap(), expected);
    }

    #[test]
    fn the_error_names_the_first_fault() {
        let wrong =
            read_text("book.epd", "4k3/8/8/8/8/8/8/4K2R w K -\n4k3/8/8/8/8/8/8/7R w - -\n").unwrap_err();
        assert_eq!(wrong, "FILE, line 2: illegal position: each side needs a king");
        let wrong = read_text("book.pgn", "1. e4 e5 *\n\n1. e4 e4 *\n").unwrap_err();
        assert!(wrong.starts_with("FILE, game 2: line 3, ply 2: move e4 is not legal in "), "{wrong}");
        assert_eq!(read_text("book.epd", "\n").unwrap_err(), "FILE: no position in it");
        assert_eq!(read_text("book.pgn", "").unwrap_err(), "FILE: no position in it");
        let start = "4k3/8/8/8/8/8/8/4K2R w K -";
        assert!(read_text("book.epd", &format!("{start}{}\n", " ".repeat(16_000))).is_ok());
        let wrong = read_text("book.epd", &format!("{start}\n{start}{}\n", " ".repeat(17_000))).unwrap_err();
        assert_eq!(wrong, "FILE, line 2: it has more than 16 KiB, the limit for a position");
        assert!(matches!(read(Path::new("no such book.epd")), Err(BookError::File(_))));
    }
}
