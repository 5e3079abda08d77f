//! Divides a text of games into its parts, line by line. Every character of a text belongs to a token, except blanks,
//! commas and escaped lines.
//!
//! The tokenizer knows forms and no rules of chess: a word may be a move, a sign or neither.

use std::mem;

use super::result::GameEnd;
use super::tag;
use super::token::{GameToken, Place, PlacedToken, is_blank, is_invisible};
use super::word::{bracketed, dots, nag, parenthesis, word};

/// Divides lines into tokens. A comment may go on in the next line, and so may a tag.
#[derive(Debug, Default)]
pub struct Tokenizer {
    /// The comment that is open, and where it began.
    comment: Option<(String, Place)>,
    /// The beginning of a tag, and where it began.
    tag: Option<(String, Place)>,
    /// Whether there was an empty line since the last token.
    is_after_blank: bool,
}

/// The place of the next character of a line.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    /// The place of the line's first character.
    start: Place,
    /// The offset and the column up to which columns have been counted.
    counted: (usize, u32),
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn place(&mut self) -> Place {
        let (offset, column) = self.counted;
        let column = column + self.text[offset..self.offset].chars().count() as u32;
        self.counted = (self.offset, column);
        Place { line: self.start.line, column }
    }
}

impl Tokenizer {
    /// Adds the tokens of a line. `number` is the line's number, from 1.
    pub fn line(&mut self, line: &str, number: u64, tokens: &mut Vec<PlacedToken>) {
        let start = Place { line: number, column: 1 };
        if self.comment.is_none() && line.starts_with('%') {
            return;
        }
        let joined;
        let (text, start) = match self.tag.take() {
            Some((begun, place)) => {
                joined = format!("{begun} {line}");
                (joined.as_str(), place)
            }
            None => (line, start),
        };
        let mut cursor = Cursor { text, offset: 0, start, counted: (0, start.column) };
        if self.comment.is_none() && text.trim_matches(is_blank).is_empty() {
            self.is_after_blank = true;
            return;
        }
        let begin = tokens.len();
        while cursor.offset < text.len() {
            self.next(&mut cursor, begin, tokens);
        }
        if let Some((comment, _)) = &mut self.comment {
            comment.push('\n');
        }
    }

    /// Whether a comment is open.
    pub fn is_in_comment(&self) -> bool {
        self.comment.is_some()
    }

    /// Forgets what has been read of a comment that is too long. Its end is still looked for.
    pub fn drop_comment(&mut self) {
        if let Some((text, _)) = &mut self.comment {
            text.clear();
        }
    }

    /// Ends what is open at the end of the text, or where the next game begins.
    pub fn finish(&mut self, tokens: &mut Vec<PlacedToken>) {
        if let Some((text, place)) = self.comment.take() {
            self.push(GameToken::OpenComment(text), place, tokens.len(), tokens);
        }
        if let Some((text, place)) = self.tag.take() {
            self.push(GameToken::Word(text), place, tokens.len(), tokens);
        }
    }

    fn push(&mut self, token: GameToken, place: Place, begin: usize, tokens: &mut Vec<PlacedToken>) {
        let is_first = tokens.len() == begin;
        let is_after_blank = mem::take(&mut self.is_after_blank);
        tokens.push(PlacedToken { token, place, is_first, is_after_blank });
    }

    /// Takes the next token, or the blank before it.
    fn next(&mut self, cursor: &mut Cursor<'_>, begin: usize, tokens: &mut Vec<PlacedToken>) {
        let rest = cursor.rest();
        if let Some((comment, place)) = &mut self.comment {
            let end = rest.find('}');
            comment.push_str(&rest[..end.unwrap_or(rest.len())]);
            cursor.offset += end.map_or(rest.len(), |end| end + 1);
            if end.is_some() {
                let (text, place) = (mem::take(comment), *place);
                self.comment = None;
                self.push(GameToken::Comment(text), place, begin, tokens);
            }
            return;
        }
        let Some(first) = rest.chars().next() else { return };
        if is_blank(first) || is_invisible(first) || first == ',' {
            cursor.offset += first.len_utf8();
            return;
        }
        let place = cursor.place();
        if let Some((end, length)) = GameEnd::read(rest) {
            cursor.offset += length;
            return self.push(GameToken::End(end), place, begin, tokens);
        }
        let (token, length) = match first {
            '{' => {
                self.comment = Some((String::new(), place));
                cursor.offset += 1;
                return;
            }
            ';' => (GameToken::Comment(rest[1..].to_owned()), rest.len()),
            '[' => match tag::read(rest) {
                tag::TagText::Whole(pair, length) => (GameToken::Tag(pair), length),
                tag::TagText::Begun => {
                    self.tag = Some((rest.to_owned(), place));
                    cursor.offset = cursor.text.len();
                    return;
                }
                tag::TagText::None => bracketed(rest, ']'),
            },
            '<' => bracketed(rest, '>'),
            '(' => parenthesis(rest),
            ')' => (GameToken::Close, 1),
            '$' => nag(rest),
            '.' | '…' => {
                let (dots, length) = dots(rest);
                (GameToken::Dots(dots), length)
            }
            ']' | '}' | '>' => (GameToken::Word(first.to_string()), 1),
            _ => word(rest),
        };
        cursor.offset += length;
        // Dots may stand apart from their number: `1. ...`.
        let is_same_line = tokens.len() > begin;
        if let (GameToken::Dots(more), true, Some(last)) = (&token, is_same_line, tokens.last_mut())
            && let GameToken::Number { dots, .. } | GameToken::Dots(dots) = &mut last.token
        {
            *dots += more;
        } else {
            self.push(token, place, begin, tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text in short.
    fn tokens(text: &str) -> String {
        let mut tokenizer = Tokenizer::default();
        let mut tokens = Vec::new();
        for (index, line) in text.lines().enumerate() {
            tokenizer.line(line, index as u64 + 1, &mut tokens);
        }
        tokenizer.finish(&mut tokens);
        let shown = |token: &PlacedToken| match &token.token {
            GameToken::Tag(pair) => format!("[{}={}]", pair.name, pair.value),
            GameToken::Number { number, dots } => format!("{number}:{dots}"),
            GameToken::Dots(dots) => format!(":{dots}"),
            GameToken::Word(word) => word.clone(),
            GameToken::Nag(number) => format!("${number}"),
            GameToken::Comment(text) => format!("{{{text}}}"),
            GameToken::OpenComment(text) => format!("{{{text}"),
            GameToken::Open => "(".to_owned(),
            GameToken::Close => ")".to_owned(),
            GameToken::End(end) => format!("#{}", end.text()),
        };
        tokens.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_end_at_blanks_of_all_kinds_and_at_delimiters() {
        for (text, expected) in [
            ("1.e4 e5", "1:1 e4 e5"),
            ("1. e4\u{a0}e5 2.\u{202f}Nf3", "1:1 e4 e5 2:1 Nf3"),
            ("1.\u{200b}e4\u{feff}e5", "1:1 e4 e5"),
            ("N\u{200d}f3", "Nf3"),
            ("1. ... e5 2…d5 3.. c5", "1:4 e5 2:3 d5 3:2 c5"),
            ("1.e4.e5,2.Nf3", "1:1 e4 :1 e5 2:1 Nf3"),
            ("e4$1e5 $14 $x", "e4 $1 e5 $14 $ x"),
            ("e4{a}e5(d5)c5", "e4 {a} e5 ( d5 ) c5"),
            ("0-0 0-0-0 0000 0–0 12 1e4", "0-0 0-0-0 0000 0–0 12:0 1:0 e4"),
            ("e8(Q) b1(♘) e8(Q", "e8(Q) b1(♘) e8 ( Q"),
            ("exd6 e.p. exd6e.p. exd6(ep) e.p", "exd6 e.p. exd6e.p. exd6 ep e.p"),
            ("-e5 \"e5\" &Nc6 =d3 <> < a ]", "-e5 \"e5\" &Nc6 =d3 <> < a ]"),
            ("e4 e5*", "e4 e5 #*"),
            ("99999999999 e4", "99999999999 e4"),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn comments_and_escaped_lines() {
        assert_eq!(
            tokens("1. e4 ; the {best} move\n% a secret\n1... e5"),
            "1:1 e4 { the {best} move} 1:3 e5"
        );
        assert_eq!(tokens("{a\n; b\n% c} e4"), "{a\n; b\n% c} e4");
        assert_eq!(tokens("e4 % e5"), "e4 % e5");
        assert_eq!(tokens("e4 {never\nends"), "e4 {never\nends\n");
        assert_eq!(tokens("{ [%clk 0:05] } [%clk 0:05]"), "{ [%clk 0:05] } [%clk 0:05]");
    }

    #[test]
    fn tags_stand_anywhere_and_may_go_on_in_the_next_line() {
        assert_eq!(tokens("[A \"1\"][B \"2\"] e4 [C \"3\"]"), "[A=1] [B=2] e4 [C=3]");
        assert_eq!(tokens("[A\n\"1\"] e4"), "[A=1] e4");
        assert_eq!(tokens("[\nA \"1\"\n] e4"), "[A=1] e4");
        assert_eq!(tokens("e4 [A"), "e4 [A");
    }

    #[test]
    fn places_are_lines_and_columns() {
        let mut tokens = Vec::new();
        let mut tokenizer = Tokenizer::default();
        tokenizer.line("1. é4 {ä} e5", 7, &mut tokens);
        tokenizer.line("  ", 8, &mut tokens);
        tokenizer.line("  Nf3", 9, &mut tokens);
        let places: Vec<_> = tokens
            .iter()
            .map(|token| (token.place.line, token.place.column, token.is_first, token.is_after_blank))
            .collect();
        assert_eq!(
            places,
            [
                (7, 1, true, false),
                (7, 4, false, false),
                (7, 7, false, false),
                (7, 11, false, false),
                (9, 3, true, true)
            ]
        );
    }
}
