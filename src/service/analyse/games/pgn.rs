//! Parses a game of a PGN file: its tags, its main line as legal moves, and everything between the moves.
//!
//! The crate `pgn-reader` reads the moves. It skips words that it does not know. So it could read a game in another
//! language, or with a misprint, as a different game. To prevent this, we first look for words of the main line that
//! are not moves.
//!
//! Source: Steven J. Edwards, "Portable Game Notation Specification and Implementation Guide".

use std::ops::ControlFlow;

use pgn_reader::{Nag, Outcome, RawComment, Reader, SanPlus, Skip, Visitor};
use thiserror::Error;

use super::source::{Fragment, SourceGame, SourceMove};
use super::split::{RawGame, tag_name};
use crate::chess::board::{Board, FenError, Game, MoveError};

/// Words in a main line that are not moves and may be skipped: en passant, mate, check, novelty, diagram, zugzwang.
const HARMLESS: [&str; 9] = ["e.p.", "ep", "mate", "ch", "dbl", "N", "TN", "D", "zz"];

/// Values of the tag `Variant`, without spaces and hyphens, that mean standard chess, from the usual start position or
/// another one.
const CHESS: [&str; 6] = ["", "standard", "chess", "classical", "normal", "fromposition"];
/// Values of the tag `Variant` that mean Chess960.
const CHESS960: [&str; 6] = ["chess960", "fischerandom", "fischerrandom", "freestyle", "frc", "dfrc"];

/// A game cannot be analyzed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// The text of the game has no end or is too long.
    #[error("{0}")]
    Text(&'static str),
    /// The tag `FEN` or a line of EPD does not describe a position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move of the main line is wrong.
    #[error("ply {ply}: {source}")]
    Move {
        /// The number, from 1.
        ply: usize,
        /// What is wrong with it.
        source: MoveError,
    },
    /// A word of the main line is not a move.
    #[error("{0:?} is not a move")]
    Word(String),
    /// The game has the rules of a variant that Enfilade does not play.
    #[error("the variant {0:?} is not chess")]
    Variant(String),
    /// A line of EPD is wrong.
    #[error("line {line}: {reason}")]
    Line {
        /// The number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}

/// Reads a game.
///
/// # Errors
///
/// [`GameError`] if the start position or a move of the main line is wrong. Variations may be wrong, because they are
/// not replayed.
pub fn parse(raw: &RawGame) -> Result<SourceGame, GameError> {
    if let Some(fault) = raw.fault {
        return Err(GameError::Text(fault));
    }
    let decode = decoder(raw);
    let tags: Vec<(String, String)> = raw.tags.iter().filter_map(|line| tag(line, decode)).collect();
    let value =
        |name: &str| tags.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim());
    let variant: String =
        value("Variant").chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    if !CHESS.contains(&variant.as_str()) && !CHESS960.contains(&variant.as_str()) {
        return Err(GameError::Variant(value("Variant").chars().take(40).collect()));
    }
    let start = match value("FEN") {
        "" => Board::startpos(),
        fen => Board::from_fen(fen)?.0,
    };
    let text = decode(&raw.movetext);
    if let Some(word) = unknown_word(&text) {
        return Err(GameError::Word(word.chars().take(40).collect()));
    }
    let is_chess960 = CHESS960.contains(&variant.as_str()) || start.has_chess960_castling();
    let line = MainLine::new(Game::new(start.clone()));
    let mut reader = Reader::new(text.as_bytes());
    let line = match reader.read_game(&mut Lines(Some(line))) {
        Ok(line) => line.unwrap_or_else(|| Ok(MainLine::new(Game::new(start.clone()))))?,
        // The text is in memory, so this can only be an error of the reader itself.
        Err(_) => return Err(GameError::Text("its moves cannot be read")),
    };
    let result = line.result.unwrap_or_else(|| {
        let tag = value("Result");
        RESULTS.into_iter().find(|known| *known == tag).unwrap_or("*")
    });
    Ok(SourceGame { tags, start, is_chess960, before: line.before, moves: line.moves, result })
}

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// Decodes the text of a game as UTF-8. If a part of it is not valid UTF-8, decodes it as ISO 8859-1, which the
/// specification names.
fn decoder(raw: &RawGame) -> fn(&[u8]) -> String {
    let mut parts = raw.tags.iter().chain([&raw.movetext]);
    if parts.all(|part| std::str::from_utf8(part).is_ok()) {
        |bytes| String::from_utf8_lossy(bytes).into_owned()
    } else {
        |bytes| bytes.iter().map(|byte| char::from(*byte)).collect()
    }
}

/// The name and the value of a line `[Name "value"]`. The value ends at the first quotation mark before a bracket,
/// because many programs do not escape quotation marks within it.
fn tag(line: &[u8], decode: fn(&[u8]) -> String) -> Option<(String, String)> {
    let name = decode(tag_name(line));
    let line = decode(line);
    let value = &line[line.find('"')? + 1..];
    let is_end = |place: &usize| value[place + 1..].trim_start().starts_with(']');
    let mut ends = value.match_indices('"').map(|(place, _)| place);
    let end = ends.clone().find(is_end).or(ends.next_back()).unwrap_or(value.len());
    let mut text = String::with_capacity(end);
    let mut letters = value[..end].chars().peekable();
    while let Some(letter) = letters.next() {
        let is_escape = letter == '\\' && letters.peek().is_some_and(|next| matches!(next, '\\' | '"'));
        text.push(if is_escape { letters.next().unwrap_or(letter) } else { letter });
    }
    // Line ends and other control characters do not belong into a value. On a terminal they could do harm.
    text.retain(|c| !c.is_control());
    (!name.is_empty()).then_some((name, text))
}

/// The first word of the main line that begins with a letter or a figurine and is not a move.
fn unknown_word(text: &str) -> Option<&str> {
    let mut depth = 0;
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        rest = &rest[start..];
        let first = rest.chars().next()?;
        match first {
            '{' => {
                rest = rest.split_once('}').map_or("", |(_, after)| after);
                continue;
            }
            '(' => depth += 1,
            ')' => depth = (depth - 1).max(0),
            _ => {}
        }
        let is_delimiter = |c: char| c.is_whitespace() || "{}()[]<>$".contains(c);
        let end = rest.find(is_delimiter).unwrap_or(rest.len()).max(first.len_utf8());
        let word = rest[..end].trim_end_matches(['!', '?']);
        // A move number may precede the move without a space.
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '…');
        let is_move = || SanPlus::from_ascii(word.as_bytes()).is_ok();
        let is_word = word.starts_with(|c: char| c.is_alphabetic() || ('♔'..='♟').contains(&c));
        if depth == 0 && is_word && !HARMLESS.contains(&word) && !is_move() {
            return Some(word);
        }
        rest = &rest[end..];
    }
    None
}

/// The parts of a game that are collected while it is read.
struct MainLine {
    game: Game,
    before: Vec<Fragment>,
    moves: Vec<SourceMove>,
    result: Option<&'static str>,
    /// The number of variations that are open.
    depth: usize,
    /// The pieces of a long comment so far.
    comment: Vec<u8>,
}

impl MainLine {
    fn new(game: Game) -> MainLine {
        MainLine { game, before: Vec::new(), moves: Vec::new(), result: None, depth: 0, comment: Vec::new() }
    }

    fn add(&mut self, fragment: Fragment) {
        self.moves.last_mut().map_or(&mut self.before, |last| &mut last.after).push(fragment);
    }

    fn play(&mut self, san: SanPlus) -> Result<(), GameError> {
        if self.result.is_some() {
            return Err(GameError::Text("there are moves after its result"));
        }
        let ply = self.moves.len() + 1;
        let mv = self.game.parse_san(&san.to_string()).map_err(|source| GameError::Move { ply, source })?;
        self.game.play(mv);
        self.moves.push(SourceMove { mv, after: Vec::new() });
        Ok(())
    }
}

/// The visitor of one game. It hands over the main line that it was given.
struct Lines(Option<MainLine>);

impl Visitor for Lines {
    type Tags = MainLine;
    type Movetext = MainLine;
    type Output = Result<MainLine, GameError>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, MainLine> {
        match self.0.take() {
            Some(line) => ControlFlow::Continue(line),
            None => ControlFlow::Break(Err(GameError::Text("its moves cannot be read"))),
        }
    }

    fn begin_movetext(&mut self, line: MainLine) -> ControlFlow<Self::Output, MainLine> {
        ControlFlow::Continue(line)
    }

    fn san(&mut self, line: &mut MainLine, san: SanPlus) -> ControlFlow<Self::Output> {
        if line.depth > 0 {
            line.add(Fragment::Move(san));
        } else if let Err(error) = line.play(san) {
            return ControlFlow::Break(Err(error));
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, line: &mut MainLine, Nag(nag): Nag) -> ControlFlow<Self::Output> {
        line.add(Fragment::Nag(nag));
        ControlFlow::Continue(())
    }

    fn partial_comment(
        &mut self,
        line: &mut MainLine,
        RawComment(bytes): RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        line.comment.extend_from_slice(bytes);
        ControlFlow::Continue(())
    }

    fn comment(
        &mut self,
        line: &mut MainLine,
        RawComment(bytes): RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        line.comment.extend_from_slice(bytes);
        let text = String::from_utf8_lossy(&std::mem::take(&mut line.comment)).into_owned();
        // Programs break lines within comments anywhere.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        if !text.is_empty() {
            line.add(Fragment::Comment(text));
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, line: &mut MainLine) -> ControlFlow<Self::Output, Skip> {
        line.depth += 1;
        line.add(Fragment::Begin);
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, line: &mut MainLine) -> ControlFlow<Self::Output> {
        if line.depth > 0 {
            line.depth -= 1;
            line.add(Fragment::End);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, line: &mut MainLine, outcome: Outcome) -> ControlFlow<Self::Output> {
        if line.depth == 0 {
            let text = outcome.to_string();
            line.result = RESULTS.into_iter().find(|known| *known == text);
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, line: MainLine) -> Self::Output {
        if line.depth > 0 {
            return Err(GameError::Text("a variation does not end"));
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::split::Splitter;
    use super::*;

    fn read(text: &[u8]) -> Result<SourceGame, String> {
        let raw = Splitter::new(text).next_game().unwrap().expect("a game");
        parse(&raw).map_err(|error| error.to_string())
    }

    fn moves(game: &SourceGame) -> Vec<String> {
        game.moves.iter().map(|played| played.mv.to_uci(game.is_chess960).to_string()).collect()
    }

    #[test]
    fn tags_moves_comments_and_variations_are_read() {
        let text = b"[Event \"a \\\"b\\\" \\\\\"]\n[White \"O\"Hara\"]  [x\n[Result \"1-0\"]\n\n{first} 1. e4! $14 {a\n  b} \
                     (1. d4 (1... c5 $2) 1-0) 1... e5 ; end of line\n2.Nf3 Nc6 1-0\n";
        let game = read(text).unwrap();
        let tags: Vec<(&str, &str)> =
            game.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(tags, [("Event", "a \"b\" \\"), ("White", "O\"Hara"), ("Result", "1-0")]);
        assert_eq!(
            (moves(&game), game.result),
            (vec!["e2e4".into(), "e7e5".into(), "g1f3".into(), "b8c6".into()], "1-0")
        );
        assert_eq!(game.before, [Fragment::Comment("first".to_owned())]);
        let san = |text: &str| Fragment::Move(SanPlus::from_ascii(text.as_bytes()).unwrap());
        assert_eq!(
            game.moves[0].after,
            [
                Fragment::Nag(1),
                Fragment::Nag(14),
                Fragment::Comment("a b".to_owned()),
                Fragment::Begin,
                san("d4"),
                Fragment::Begin,
                san("c5"),
                Fragment::Nag(2),
                Fragment::End,
                Fragment::End
            ]
        );
        assert_eq!(game.moves[1].after, [Fragment::Comment("end of line".to_owned())]);
    }

    #[test]
    fn errors_name_the_wrong_tag_or_move() {
        for (text, reason) in [
            (
                "1. e4 e4 *",
                "ply 2: move e4 is not legal in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            ),
            ("1. e4 e5 2. Sf3 Sc6 3. d4 *", "\"Sf3\" is not a move"),
            ("1. e4 e5 2. ♘f3 *", "\"♘f3\" is not a move"),
            ("1. e4 (1. Sf3 xyz) e5 (2. d4", "a variation does not end"),
            ("1. e4 {", "a comment does not end"),
            ("1. e4 1-0 e5", "there are moves after its result"),
            ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*", "illegal position: each side needs a king"),
            ("[Variant \"Atomic\"]\n\n1. e4 *", "the variant \"Atomic\" is not chess"),
            (
                "1. e4 -- *",
                "ply 2: move -- is not legal in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            ),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err(), reason, "{text}");
        }
    }

    #[test]
    fn harmless_words_and_loose_notation_are_read() {
        let game = read(b"1.e4 d5 2.exd5 c5?! 3.dxc6 e.p. N Nxc6 4.Nf3 e5 5.Be2 Nf6 6.0-0 +- (6. x) ( 6. a3 } ) Bc5 1/2-1/2").unwrap();
        assert_eq!((game.moves.len(), game.result), (12, "1/2-1/2"));
        assert_eq!(read(b"[Result \"0-1\"]\n").unwrap().result, "0-1");
        assert_eq!(read(b"[Result \"white\"]\n").unwrap().result, "*");
    }

    #[test]
    fn texts_that_are_no_utf_8_are_iso_8859_1() {
        let game = read(b"[White \"M\xfcller\"]\n\n1. e4 {sch\xf6n} *").unwrap();
        assert_eq!(game.tags[0].1, "Müller");
        assert_eq!(game.moves[0].after, [Fragment::Comment("schön".to_owned())]);
        let game = read("[White \"Müller\u{1b}[31m\"]\n\n*".as_bytes()).unwrap();
        assert_eq!(game.tags[0].1, "Müller[31m", "no controls");
    }

    #[test]
    fn starts_of_chess960_and_of_other_positions() {
        for variant in ["", "[Variant \"chess 960\"]\n", "[Variant \"Fischerandom\"]\n"] {
            let text = format!("{variant}[FEN \"4k3/8/8/8/8/8/8/2R1KR2 w FC - 0 1\"]\n\n1. O-O *");
            assert_eq!(moves(&read(text.as_bytes()).unwrap()), ["e1f1"]);
        }
        let game = read(b"[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *").unwrap();
        assert!(!game.is_chess960);
        assert_eq!(moves(&game), ["e1g1"]);
    }

    /// The reader delivers a comment that is longer than its buffer in pieces.
    #[test]
    fn long_comments_are_read_completely() {
        let long = "abc ".repeat(20_000);
        let game = read(format!("1. e4 {{{long}}} e5 *").as_bytes()).unwrap();
        assert_eq!(game.moves[0].after, [Fragment::Comment(long.trim().to_owned())]);
        assert_eq!(game.moves.len(), 2);
    }
}
