//! Splits a stream of PGN into games, line by line and with bounded memory. So a fault in one game does not affect the
//! next games.
//!
//! A reader of whole streams fails at a comment or a tag that does not end, and takes the following games for a part of
//! it. Here a game ends at its result and an empty line, or where the tags of the next game begin. Inside a comment it
//! only ends at an empty line with an `Event` tag after it.

use std::io::{self, BufRead, Read};

/// The greatest length of a game's text in bytes. The longest games with whole search lines in their comments have a
/// few hundred thousand.
pub const MAX_GAME_BYTES: usize = 4 << 20;

/// Longer lines are read in pieces of this size, in bytes.
const PIECE_BYTES: u64 = 1 << 16;

/// The text of one game in two parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawGame {
    /// The lines before the moves that begin with a bracket.
    pub tags: Vec<Vec<u8>>,
    /// The moves, comments and variations. Empty lines and escaped lines (`%`) outside of comments are removed.
    /// Comments to the end of a line are put in braces.
    pub movetext: Vec<u8>,
    /// Whether the text has more than comments.
    has_moves: bool,
    /// The fault of the text as a whole, if there is one.
    pub fault: Option<&'static str>,
}

impl RawGame {
    fn is_begun(&self) -> bool {
        !self.tags.is_empty() || !self.movetext.is_empty() || self.fault.is_some()
    }

    fn has_result(&self) -> bool {
        let text = self.movetext.trim_ascii_end();
        [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"].iter().any(|result| text.ends_with(result))
    }

    fn has_tag(&self, name: &[u8]) -> bool {
        self.tags.iter().any(|line| tag_name(line) == name)
    }

    fn len(&self) -> usize {
        self.tags.iter().map(Vec::len).sum::<usize>() + self.movetext.len()
    }
}

/// The part of a game's text in which the reader is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Inside {
    Moves,
    /// A comment in braces.
    Comment,
    /// A comment to the end of the line.
    LineComment,
    /// An escaped line, which is ignored.
    Escaped,
    Tag,
}

/// Reads the games of a stream one by one.
pub struct Splitter<R> {
    input: R,
    /// The last piece that was read: a line, or a part of a long line.
    piece: Vec<u8>,
    /// Whether the piece belongs to the next game and must be looked at again.
    is_held: bool,
    is_line_start: bool,
    bytes: u64,
}

impl<R: BufRead> Splitter<R> {
    /// A splitter for the games of `input`.
    pub fn new(input: R) -> Splitter<R> {
        Splitter { input, piece: Vec::new(), is_held: false, is_line_start: true, bytes: 0 }
    }

    /// The number of bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the stream cannot be read.
    pub fn next_game(&mut self) -> io::Result<Option<RawGame>> {
        let mut game = RawGame::default();
        let mut inside = Inside::Moves;
        let mut is_after_blank = false;
        while self.read_piece()? {
            if self.is_line_start {
                let line = self.piece.trim_ascii();
                if inside == Inside::Comment {
                    if is_after_blank && line.starts_with(b"[Event ") {
                        return self.hold(game, Some("a comment does not end"));
                    }
                } else {
                    let begins_game = match line.first() {
                        Some(b'[') => {
                            let is_repeated = is_after_blank && game.has_tag(tag_name(line));
                            is_repeated || !game.movetext.is_empty()
                        }
                        // A game may have no tags.
                        Some(b'1') => is_after_blank && line.starts_with(b"1.") && game.has_moves,
                        _ => false,
                    };
                    if begins_game {
                        return self.hold(game, None);
                    }
                    inside = match line.first() {
                        Some(b'[') => {
                            game.tags.push(Vec::new());
                            Inside::Tag
                        }
                        Some(b'%') if self.piece[0] == b'%' => Inside::Escaped,
                        _ => Inside::Moves,
                    };
                }
                is_after_blank = line.is_empty();
                if is_after_blank && inside != Inside::Comment {
                    if game.has_result() {
                        return Ok(Some(game));
                    }
                    continue;
                }
            }
            inside = take(&mut game, &self.piece, inside);
            if game.len() > MAX_GAME_BYTES {
                game.fault = Some("its text is longer than 4 MiB");
                // One byte must stay: whether there are moves decides where the next game begins.
                game.movetext.truncate(1);
                game.tags.iter_mut().for_each(|line| line.truncate(100));
                game.tags.truncate(100);
            }
        }
        if inside == Inside::Comment {
            game.fault.get_or_insert("a comment does not end");
        }
        Ok(game.is_begun().then_some(game))
    }

    /// Ends `game` before the last piece. This piece belongs to the next game.
    fn hold(&mut self, mut game: RawGame, fault: Option<&'static str>) -> io::Result<Option<RawGame>> {
        self.is_held = true;
        game.fault = game.fault.or(fault);
        Ok(Some(game))
    }

    /// Reads the next line or a piece of a long line. Returns whether there was one.
    fn read_piece(&mut self) -> io::Result<bool> {
        if std::mem::take(&mut self.is_held) {
            return Ok(true);
        }
        self.is_line_start = self.piece.is_empty() || self.piece.ends_with(b"\n");
        self.piece.clear();
        let read = self.input.by_ref().take(PIECE_BYTES).read_until(b'\n', &mut self.piece)?;
        if self.bytes == 0 && self.piece.starts_with(b"\xef\xbb\xbf") {
            self.piece.drain(..3);
        }
        self.bytes += read as u64;
        Ok(read > 0)
    }
}

/// Adds a piece to a game. Returns the part of the text in which the reader is afterwards.
fn take(game: &mut RawGame, piece: &[u8], mut inside: Inside) -> Inside {
    match inside {
        Inside::Tag => {
            game.tags.last_mut().expect("a tag was begun").extend_from_slice(piece);
            return inside;
        }
        Inside::Escaped => return inside,
        _ => {}
    }
    let text = &mut game.movetext;
    for &byte in piece {
        match (inside, byte) {
            (Inside::Moves, b'{') => {
                inside = Inside::Comment;
                text.push(byte);
            }
            (Inside::Moves, b';') => {
                inside = Inside::LineComment;
                text.push(b'{');
            }
            (Inside::Moves, b'\r') => text.push(b' '),
            (Inside::Comment, b'}') => {
                inside = Inside::Moves;
                text.push(byte);
            }
            (Inside::LineComment, b'\n') => {
                inside = Inside::Moves;
                text.extend_from_slice(b"}\n");
            }
            // A closing brace would end the comment, which is now in braces.
            (Inside::LineComment, b'}') => text.push(b')'),
            _ => {
                game.has_moves |= inside == Inside::Moves && byte.is_ascii_alphabetic();
                text.push(byte);
            }
        }
    }
    inside
}

/// The name in a line `[Name "value"]`.
pub fn tag_name(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii().strip_prefix(b"[").unwrap_or_default().trim_ascii_start();
    let end = line.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    &line[..end.unwrap_or(line.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The movetexts of the games of a text. A game with a fault gives its fault instead.
    fn movetexts(text: &[u8]) -> Vec<String> {
        let mut splitter = Splitter::new(text);
        let mut found = Vec::new();
        while let Some(game) = splitter.next_game().unwrap() {
            let text = String::from_utf8_lossy(&game.movetext).trim().to_owned();
            found.push(game.fault.map_or(text, str::to_owned));
        }
        assert_eq!(splitter.bytes(), text.len() as u64);
        found
    }

    #[test]
    fn games_end_at_their_result_or_where_the_next_tags_begin() {
        let text = b"\xef\xbb\xbf[Event \"a\"]\r\n[Site \"b\"]\r\n\r\n1. e4 e5\r\n2. Nf3 *\r\n\r\n\
                     [Event \"c\"]\n\n1. d4\n[Event \"d\"]\n1. c4 *\n\n1. b4 *\n\n1. a4\n\n1. h4 h5";
        assert_eq!(
            movetexts(text),
            ["1. e4 e5 \n2. Nf3 *", "1. d4", "1. c4 *", "1. b4 *", "1. a4", "1. h4 h5"]
        );
    }

    #[test]
    fn a_game_without_moves_is_a_game() {
        assert_eq!(
            movetexts(b"[Event \"a\"]\n[Result \"0-1\"]\n\n[Event \"b\"]\n\n1. e4 *\n"),
            ["", "1. e4 *"]
        );
        assert_eq!(movetexts(b"[Event \"a\"]\n\n0-1\n\n[Event \"b\"]\n"), ["0-1", ""]);
        assert!(movetexts(b"\n \n\r\n% nothing\n").is_empty());
    }

    #[test]
    fn an_empty_line_within_the_moves_does_not_end_a_game() {
        assert_eq!(movetexts(b"1. e4 e5\n\n2. Nf3 Nc6 *\n"), ["1. e4 e5\n2. Nf3 Nc6 *"]);
        assert_eq!(
            movetexts(b"1. e4 {a\n\n[%csl Ga1]\n} e5 *\n\n1. d4 *"),
            ["1. e4 {a\n\n[%csl Ga1]\n} e5 *", "1. d4 *"]
        );
    }

    #[test]
    fn a_comment_before_an_empty_line_belongs_to_the_moves_after_it() {
        assert_eq!(movetexts(b"{A game.}\n\n1. e4 *\n"), ["{A game.}\n1. e4 *"]);
    }

    #[test]
    fn comments_of_a_line_stand_in_braces_and_escaped_lines_are_gone() {
        assert_eq!(
            movetexts(b"1. e4 ; the {best} move\n% a secret\n1... e5 {; no comment} *"),
            ["1. e4 { the {best) move}\n1... e5 {; no comment} *"]
        );
    }

    /// Such a comment once swallowed all games after it.
    #[test]
    fn a_comment_without_an_end_ends_with_its_game() {
        let text = b"[Event \"a\"]\n\n1. e4 {never\n\n[Event \"b\"]\n\n1. d4 *\n\n1. c4 {";
        assert_eq!(movetexts(text), ["a comment does not end", "1. d4 *", "a comment does not end"]);
    }

    #[test]
    fn a_game_that_is_too_long_is_an_error_and_not_kept_in_memory() {
        let mut text = b"[Event \"".to_vec();
        text.resize(MAX_GAME_BYTES + 100, b'x');
        text.extend_from_slice(b"\"]\n\n1. e4 *\n\n1. d4 {");
        text.resize(text.len() + MAX_GAME_BYTES, b'y');
        text.extend_from_slice(b"} *\n\n1. c4 *\n");
        let too_long = "its text is longer than 4 MiB";
        assert_eq!(movetexts(&text), [too_long, too_long, "1. c4 *"]);
    }
}
