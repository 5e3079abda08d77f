//! Reads the games to analyze one by one from a file or standard input: PGN of any length, or positions as EPD.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::file::{FileError, Lines};
use crate::chess::board::epd::EpdRecord;
use crate::chess::pgn::{GameEnd, GameFault, GameNote, GameTree, PgnReader, TagPair};

/// The number of bytes at the beginning of a file that are read to tell PGN from EPD.
const SNIFFED_BYTES: usize = 1 << 16;
/// The greatest length of a line of EPD in bytes.
const EPD_LINE_BYTES: usize = 1 << 14;

/// A game cannot be analyzed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// The main line of a game of a PGN file is not sure.
    #[error(transparent)]
    Pgn(#[from] GameFault),
    /// A line of EPD is wrong.
    #[error("line {line}: {reason}")]
    Line {
        /// The number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}

/// A game as it was read.
#[derive(Debug)]
pub struct GameInput {
    /// The game, or why it cannot be analyzed.
    pub game: Result<GameTree, GameError>,
    /// What was not understood besides the main line, or was read in an unusual way.
    pub notes: Vec<GameNote>,
}

/// A stream of games.
pub struct Games {
    format: Format,
    number: u64,
    /// The length of the input in bytes, if it is known.
    length: Option<u64>,
    name: PathBuf,
    /// The path of the input, if it is a file.
    path: Option<PathBuf>,
}

enum Format {
    Pgn(PgnReader<BufReader<Box<dyn Read>>>),
    Epd(Lines<BufReader<Box<dyn Read>>>),
}

impl Games {
    /// Opens a file. A name that ends in `.epd` or `.fen` means EPD, `.pgn` means PGN. Otherwise the first line
    /// decides.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn open(path: &Path) -> Result<Games, FileError> {
        let open = || {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            // Pipes and devices have no length.
            let length = metadata.is_file().then_some(metadata.len());
            let games = Games::read(path, Box::new(file), length)?;
            Ok(Games { path: Some(path.to_owned()), ..games })
        };
        open().map_err(FileError::because("cannot read", path))
    }

    /// The games of a stream with this name. `length` is its length in bytes, if it is known.
    ///
    /// # Errors
    ///
    /// If the beginning of the stream cannot be read.
    pub fn read(name: &Path, mut input: Box<dyn Read>, length: Option<u64>) -> io::Result<Games> {
        let is_epd = match name.extension().and_then(|extension| extension.to_str()) {
            Some("epd" | "fen") => true,
            Some("pgn") => false,
            _ => {
                let mut beginning = Vec::new();
                let is_epd = sniff(&mut input, &mut beginning)?;
                input = Box::new(Cursor::new(beginning).chain(input));
                is_epd
            }
        };
        let input = BufReader::with_capacity(1 << 16, input);
        let format = if is_epd {
            Format::Epd(Lines::new(input, EPD_LINE_BYTES))
        } else {
            Format::Pgn(PgnReader::new(input))
        };
        Ok(Games { format, number: 0, length, name: name.to_owned(), path: None })
    }

    /// The input's name.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// The path of the input, if the games come from a file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The number of games read so far.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The part of the input that has been read, from 0 to 1; `None` if its length is unknown.
    pub fn part_read(&self) -> Option<f64> {
        let bytes = match &self.format {
            Format::Pgn(games) => games.bytes(),
            Format::Epd(lines) => lines.bytes(),
        };
        self.length.map(|length| if length == 0 { 1.0 } else { (bytes as f64 / length as f64).min(1.0) })
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn next_game(&mut self) -> io::Result<Option<GameInput>> {
        let game = match &mut self.format {
            Format::Pgn(games) => games.next_game()?.map(|mut read| {
                let notes = std::mem::take(&mut read.notes);
                GameInput { game: read.whole().map_err(GameError::from), notes }
            }),
            Format::Epd(lines) => next_position(lines)?.map(|game| GameInput { game, notes: Vec::new() }),
        };
        self.number += u64::from(game.is_some());
        Ok(game)
    }
}

/// Whether the first line with content begins with a FEN. Leaves the bytes that were read in `beginning`.
fn sniff(input: &mut impl Read, beginning: &mut Vec<u8>) -> io::Result<bool> {
    while beginning.len() < SNIFFED_BYTES {
        let before = beginning.len();
        input.take(1 << 12).read_to_end(beginning)?;
        let is_over = beginning.len() == before;
        let mut lines = Lines::new(&beginning[..], SNIFFED_BYTES);
        while let Some(line) = lines.next_line()? {
            // The last line may go on.
            if lines.bytes() == beginning.len() as u64 && !is_over {
                break;
            }
            let text = line.text.trim();
            if is_epd_content(text) {
                let field = text.split_whitespace().next().unwrap_or_default();
                return Ok(field.matches('/').count() == 7);
            }
        }
        if is_over {
            break;
        }
    }
    Ok(false)
}

/// Whether a line of an EPD file has a position. Empty lines and comments after `#`, `;` or `%` have none.
fn is_epd_content(line: &str) -> bool {
    !line.is_empty() && !line.starts_with(['#', ';', '%'])
}

/// The next line of EPD as a game without moves.
fn next_position(lines: &mut Lines<impl io::BufRead>) -> io::Result<Option<Result<GameTree, GameError>>> {
    while let Some(line) = lines.next_line()? {
        let text = line.text.trim();
        if !is_epd_content(text) {
            continue;
        }
        let reason = if line.is_cut {
            "it is longer than 16 KiB".to_owned()
        } else {
            match EpdRecord::parse(text) {
                Ok(record) => return Ok(Some(Ok(position(&record, line.number)))),
                Err(error) => error.to_string(),
            }
        };
        return Ok(Some(Err(GameError::Line { line: line.number, reason })));
    }
    Ok(None)
}

fn position(record: &EpdRecord, line: u64) -> GameTree {
    let start = record.game.board().clone();
    let is_chess960 = start.has_chess960_castling();
    let id: String = record.id().chars().filter(|c| !c.is_control()).collect();
    let name = if id.is_empty() { format!("line {line}") } else { id };
    let tags = [
        ("Event", name.as_str()),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("White", "?"),
        ("Black", "?"),
        ("Result", "*"),
        ("FEN", &start.fen(is_chess960)),
    ];
    let tags = tags.map(|(name, value)| TagPair { name: name.to_owned(), value: value.to_owned() }).to_vec();
    GameTree { tags, start, is_chess960, before: Vec::new(), moves: Vec::new(), result: GameEnd::Open }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(name: &str, text: &str) -> Vec<Result<GameTree, String>> {
        let input = Box::new(Cursor::new(text.to_owned()));
        let mut games = Games::read(Path::new(name), input, Some(text.len() as u64)).unwrap();
        let mut found = Vec::new();
        while let Some(game) = games.next_game().unwrap() {
            found.push(game.game.map_err(|error| error.to_string()));
        }
        assert_eq!((games.number(), games.part_read()), (found.len() as u64, Some(1.0)));
        found
    }

    #[test]
    fn positions_of_an_epd_file() {
        let text = "\u{feff}# suite\n; suite\n4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"the one\";\nnonsense\n\
                    4k3/8/8/8/8/8/8/4K2R w - - 3 20\n";
        for name in ["a.epd", "standard input"] {
            let found = games(name, text);
            let first = found[0].as_ref().unwrap();
            assert_eq!((first.tag("Event"), first.moves.len()), (Some("the one"), 0));
            assert_eq!(first.tag("FEN"), Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
            assert!(found[1].as_ref().unwrap_err().starts_with("line 4: "), "{:?}", found[1]);
            assert_eq!(found[2].as_ref().unwrap().tag("Event"), Some("line 5"));
            assert_eq!(found.len(), 3);
        }
    }

    #[test]
    fn the_first_line_tells_games_from_positions() {
        for text in ["[Event \"1/2/3/4/5/6/7/8\"]\n\n1. e4 *\n", "\n1. e4 *", "1. e4 *"] {
            assert_eq!(games("standard input", text)[0].as_ref().unwrap().moves.len(), 1, "{text}");
        }
        assert!(games("standard input", "").is_empty());
        assert_eq!(games("standard input", "4k3/8/8/8/8/8/8/4K2R w K -").len(), 1);
        let long = format!("{}4k3/8/8/8/8/8/8/4K2R w K -\n", "# a comment\n".repeat(1000));
        assert_eq!(games("standard input", &long)[0].as_ref().unwrap().tag("Event"), Some("line 1001"));
    }

    #[test]
    fn a_long_line_is_no_position_and_the_next_one_is_read() {
        let text = format!(
            "4k3/8/8/8/8/8/8/4K2R w K - c0 \"{}\";\n4k3/8/8/8/8/8/8/4K2R w K -\n",
            "x".repeat(40_000)
        );
        let found = games("a.epd", &text);
        assert_eq!(found[0].as_ref().unwrap_err(), "line 1: it is longer than 16 KiB");
        assert_eq!(found[1].as_ref().unwrap().tag("Event"), Some("line 2"));
    }

    #[test]
    fn boards_follow_the_moves() {
        let game = games("a.pgn", "1. e4 e5 *").remove(0).unwrap();
        let fens: Vec<String> = game.boards().iter().map(|board| board.fen(false)).collect();
        assert_eq!(fens[2], "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        assert_eq!(fens.len(), 3);
    }
}
