//! Divides the tokens of a stream into games, with bounded memory. So a fault in one game does not affect the next.
//!
//! A game ends
//!
//! - before a tag that follows moves or a result, on whichever line it stands,
//! - before a tag whose name the game has already, if an empty line stands between them,
//! - before move number 1, if it follows a result, or begins a line after moves of the main line,
//! - at an empty line after its result,
//! - inside a comment that does not end: before a line with a tag of the roster that follows an empty line.
//!
//! Comments after the result and before an empty line belong to the game. Comments between two games belong to the
//! next one. Comments after the last game belong to none.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::mem;

use super::tag::{self, TagPair};
use super::token::{GameToken, Place, PlacedToken};
use super::tokenizer::Tokenizer;
use crate::base::file::Lines;

/// The greatest length of a game's text in bytes. The longest games with whole search lines in their comments have a
/// few hundred thousand.
pub const MAX_GAME_BYTES: usize = 4 << 20;

/// The tokens of one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RawGame {
    pub tags: Vec<TagPair>,
    /// The moves, comments and variations.
    pub tokens: Vec<PlacedToken>,
    /// Where the game begins.
    pub place: Option<Place>,
    /// Whether the text is too long. Then most tokens are missing.
    pub is_too_long: bool,
    progress: GameProgress,
}

/// What of a game has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct GameProgress {
    /// The bytes of all tokens.
    length: usize,
    has_text: bool,
    has_moves: bool,
    has_result: bool,
    /// The number of variations that are open.
    depth: usize,
}

impl RawGame {
    /// Whether there is more than comments.
    fn is_begun(&self) -> bool {
        !self.tags.is_empty() || self.progress.has_text || self.is_too_long
    }

    /// Whether `token` belongs to the next game.
    fn ends_before(&self, PlacedToken { token, is_first, is_after_blank, .. }: &PlacedToken) -> bool {
        let GameProgress { has_text, has_moves, has_result, depth, .. } = self.progress;
        if has_result && *is_after_blank {
            return true;
        }
        match token {
            GameToken::Tag(pair) => {
                has_text || (*is_after_blank && self.tags.iter().any(|known| known.is(&pair.name)))
            }
            GameToken::Number { number: 1, dots } => {
                has_result || (*is_first && has_moves && depth == 0 && *dots == 1)
            }
            _ => false,
        }
    }

    fn add(&mut self, token: PlacedToken) {
        self.place.get_or_insert(token.place);
        let progress = &mut self.progress;
        progress.has_text |=
            !matches!(token.token, GameToken::Tag(_) | GameToken::Comment(_) | GameToken::OpenComment(_));
        let length = match &token.token {
            GameToken::Tag(pair) => pair.name.len() + pair.value.len(),
            GameToken::Comment(text) | GameToken::OpenComment(text) | GameToken::Word(text) => text.len(),
            GameToken::Open => {
                progress.depth += 1;
                1
            }
            GameToken::Close => {
                progress.depth = progress.depth.saturating_sub(1);
                1
            }
            GameToken::End(_) => {
                progress.has_result |= progress.depth == 0;
                1
            }
            GameToken::Number { .. } | GameToken::Dots(_) | GameToken::Nag(_) => 1,
        };
        progress.has_moves |= matches!(token.token, GameToken::Word(_));
        progress.length += length;
        match token {
            _ if progress.length > MAX_GAME_BYTES => self.abandon(),
            PlacedToken { token: GameToken::Tag(pair), .. } => self.tags.push(pair),
            token => self.tokens.push(token),
        }
    }

    fn abandon(&mut self) {
        self.is_too_long = true;
        self.tokens = Vec::new();
    }
}

/// Reads the games of a stream one by one.
pub(super) struct Splitter<R> {
    lines: Lines<R>,
    tokenizer: Tokenizer,
    /// Tokens that have been read and belong to no game yet.
    waiting: VecDeque<PlacedToken>,
    /// The length of the comment that is open, in bytes.
    comment: usize,
    is_after_blank: bool,
    is_over: bool,
}

impl<R: BufRead> Splitter<R> {
    pub fn new(input: R) -> Splitter<R> {
        Splitter {
            lines: Lines::new(input, MAX_GAME_BYTES),
            tokenizer: Tokenizer::default(),
            waiting: VecDeque::new(),
            comment: 0,
            is_after_blank: false,
            is_over: false,
        }
    }

    /// The number of bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.lines.bytes()
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the stream cannot be read.
    pub fn next_game(&mut self) -> io::Result<Option<RawGame>> {
        let mut game = RawGame::default();
        loop {
            while let Some(token) = self.waiting.front() {
                // Nobody could use a game of comments alone, so they belong to the next one.
                if game.is_begun() && game.ends_before(token) {
                    return Ok(Some(game));
                }
                game.add(self.waiting.pop_front().expect("a token is waiting"));
            }
            if self.is_over {
                return Ok(game.is_begun().then_some(game));
            }
            self.read_line(&mut game)?;
        }
    }

    fn read_line(&mut self, game: &mut RawGame) -> io::Result<()> {
        let mut tokens = Vec::new();
        match self.lines.next_line()? {
            None => {
                self.tokenizer.finish(&mut tokens);
                self.is_over = true;
            }
            Some(line) => {
                let is_blank = mem::replace(&mut self.is_after_blank, line.text.trim().is_empty());
                if self.tokenizer.is_in_comment() {
                    if is_blank && tag::begins_game(&line.text) {
                        self.tokenizer.finish(&mut tokens);
                    }
                    self.comment += line.text.len();
                } else {
                    self.comment = 0;
                }
                if line.is_cut || self.comment > MAX_GAME_BYTES {
                    game.abandon();
                    self.tokenizer.drop_comment();
                }
                // The missing rest of a line could change what the beginning means.
                if !line.is_cut {
                    self.tokenizer.line(&line.text, line.number, &mut tokens);
                }
            }
        }
        self.waiting.extend(tokens);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tags' names and the tokens of the games of a text in short.
    fn games(text: &str) -> Vec<String> {
        let mut splitter = Splitter::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some(game) = splitter.next_game().unwrap() {
            let mut parts: Vec<String> = game.tags.iter().map(|pair| format!("[{}", pair.value)).collect();
            parts.extend(game.tokens.iter().filter_map(|token| match &token.token {
                GameToken::Word(word) => Some(word.clone()),
                GameToken::Comment(text) => Some(format!("{{{}}}", text.trim())),
                GameToken::OpenComment(text) => Some(format!("{{{}", text.trim())),
                GameToken::End(end) => Some(end.text().to_owned()),
                GameToken::Open => Some("(".to_owned()),
                GameToken::Close => Some(")".to_owned()),
                _ => None,
            }));
            if game.is_too_long {
                parts = vec!["too long".to_owned()];
            }
            found.push(parts.join(" "));
        }
        assert_eq!(splitter.bytes(), text.len() as u64);
        found
    }

    #[test]
    fn games_end_at_their_result_or_where_the_next_tags_begin() {
        let text = "\u{feff}[Event \"a\"]\r\n[Site \"b\"]\r\n\r\n1. e4 e5\r\n2. Nf3 *\r\n\r\n\
                    [Event \"c\"]\n\n1. d4\n[Event \"d\"]\n1. c4 *\n\n1. b4 *\n\n1. a4\n\n1. h4 h5";
        assert_eq!(games(text), ["[a [b e4 e5 Nf3 *", "[c d4", "[d c4 *", "b4 *", "a4", "h4 h5"]);
        assert_eq!(games("1. e4 * 1. d4 * [Event \"x\"] 1. c4 *"), ["e4 *", "d4 *", "[x c4 *"]);
        assert_eq!(games("1. e4 e5\n1. d4 d5\n1... x"), ["e4 e5", "d4 d5 x"]);
        assert_eq!(games("e4 e5 1-0\n\nd4 d5 0-1"), ["e4 e5 1-0", "d4 d5 0-1"]);
    }

    #[test]
    fn joined_files_keep_all_their_games() {
        let text = "[White \"A\"]\n\n1. e4 e5 *\n\u{feff}[White \"B\"]\n\n1. d4 *";
        assert_eq!(games(text), ["[A e4 e5 *", "[B d4 *"]);
        assert_eq!(
            games("1. e4 e5 *[White \"B\"]\n1. d4 *\u{feff}[White \"C\"] *"),
            ["e4 e5 *", "[B d4 *", "[C *"]
        );
    }

    #[test]
    fn a_game_without_moves_is_a_game() {
        assert_eq!(
            games("[Event \"a\"]\n[Result \"0-1\"]\n\n[Event \"b\"]\n\n1. e4 *\n"),
            ["[a [0-1", "[b e4 *"]
        );
        assert_eq!(games("[Event \"a\"]\n\n0-1\n\n[Event \"b\"]\n"), ["[a 0-1", "[b"]);
        assert!(games("\n \n\r\n% nothing\n; nothing\n\n{nothing}").is_empty());
    }

    #[test]
    fn an_empty_line_within_the_moves_does_not_end_a_game() {
        assert_eq!(games("1. e4 e5\n\n2. Nf3 Nc6 *\n"), ["e4 e5 Nf3 Nc6 *"]);
        assert_eq!(games("1. e4\n\n1... e5\n\n1. .. x"), ["e4 e5 x"]);
        assert_eq!(games("1. e4 {a\n\n[%csl Ga1]\n} e5 *\n\n1. d4 *"), ["e4 {a\n\n[%csl Ga1]} e5 *", "d4 *"]);
        assert_eq!(games("1. e4 (\n\n1. d4\n) e5 *"), ["e4 ( d4 ) e5 *"]);
    }

    #[test]
    fn comments_belong_to_their_game_or_to_the_next() {
        let text = "; exported\n[Event \"1\"]\n{a}\n[White \"2\"]\n\n{b} 1. e4 * {c}\n{d}\n\n{e}\n\n[Event \"3\"]\n\n*\n\n{f}";
        assert_eq!(games(text), ["[1 [2 {exported} {a} {b} e4 * {c} {d}", "[3 {e} *"]);
        assert_eq!(games("{A game.}\n\n1. e4 *\n"), ["{A game.} e4 *"]);
    }

    /// Such a comment once swallowed all games after it.
    #[test]
    fn a_comment_without_an_end_ends_with_its_game() {
        let text = "[Event \"a\"]\n\n1. e4 {never\n\n[Event \"b\"]\n\n1. d4 *\n\n1. c4 {";
        assert_eq!(games(text), ["[a e4 {never", "[b d4 *", "c4 {"]);
    }

    #[test]
    fn a_game_that_is_too_long_is_an_error_and_not_kept_in_memory() {
        let long = "x".repeat(MAX_GAME_BYTES + 100);
        let lines = format!("{}\n", "y".repeat(1000)).repeat(MAX_GAME_BYTES / 1000 + 1);
        let text = format!(
            "[Event \"{long}\"]\n\n1. e4 *\n\n1. d4 {{{lines}}} *\n\n1. c4 *\n\n1. d3 {lines} *\n\n1. a3 *"
        );
        let shown: Vec<String> = games(&text).iter().map(|game| game.chars().take(20).collect()).collect();
        assert_eq!(shown, ["too long", "too long", "c4 *", "too long", "a3 *"]);
    }
}
