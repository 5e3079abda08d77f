//! Tags: pairs of a name and a value in brackets.

/// The longest beginning of a tag, in bytes, that may go on in the next line.
const MAX_BEGUN: usize = 200;

/// A tag with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagPair {
    /// The name as it is written.
    pub name: String,
    /// The value. It has no control characters.
    pub value: String,
}

impl TagPair {
    /// Whether the tag has this name. Upper and lower case are equal.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// What a text that begins with `[` is.
#[derive(Debug, PartialEq, Eq)]
pub enum TagText {
    /// A tag, and its length in bytes.
    Whole(TagPair, usize),
    /// The beginning of a tag.
    Begun,
    /// No tag.
    None,
}

/// The seven tags that every game should have.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Whether a line begins with a tag of the roster. Inside a comment this is a sign that the comment has no end.
pub fn begins_game(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('[')
        && matches!(read(line), TagText::Whole(pair, _) if ROSTER.iter().any(|name| pair.is(name)))
}

/// Reads the tag at the beginning of `text`, which begins with `[`. The value ends at the first quotation mark before a
/// bracket, because many programs do not escape quotation marks within it. A value without quotation marks ends at the
/// bracket, and a value without a bracket at the last quotation mark of the line.
pub fn read(text: &str) -> TagText {
    let inner = text[1..].trim_start();
    let end =
        inner.find(|c: char| !c.is_ascii_alphanumeric() && !"_+#=:-".contains(c)).unwrap_or(inner.len());
    let (name, rest) = inner.split_at(end);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let value = rest.trim_start();
    if value.is_empty() && (is_name || name.is_empty()) && text.len() <= MAX_BEGUN {
        return TagText::Begun;
    }
    if !is_name {
        return TagText::None;
    }
    let pair = |value: &str, rest: &str| {
        TagText::Whole(TagPair { name: name.to_owned(), value: unescaped(value) }, text.len() - rest.len())
    };
    let is_quote = |c: char| matches!(c, '"' | '“' | '”' | '„' | '‟');
    let Some(quoted) = value.strip_prefix(is_quote) else {
        // Without quotation marks only a text apart from its name is a value.
        return match value.split_once(']') {
            Some((value, after)) if rest.starts_with(char::is_whitespace) => pair(value.trim_end(), after),
            _ => TagText::None,
        };
    };
    let mut last = None;
    let mut is_escaped = false;
    for (place, c) in quoted.char_indices() {
        if is_quote(c) {
            let rest = quoted[place + c.len_utf8()..].trim_start();
            match rest.strip_prefix(']') {
                // `\"]` may end a value that ends in a backslash, or be a part of the value.
                Some(rest) if !is_escaped || !rest.contains(is_quote) => return pair(&quoted[..place], rest),
                // The bracket is missing, and the next tag follows.
                _ if !is_escaped && begins_tag(rest) => return pair(&quoted[..place], rest),
                _ if !is_escaped => last = Some((place, rest)),
                _ => {}
            }
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    match last {
        Some((_, "")) if text.len() <= MAX_BEGUN => TagText::Begun,
        Some((place, rest)) => pair(&quoted[..place], rest),
        // The second quotation mark is missing.
        None => match quoted.rsplit_once(']') {
            Some((value, rest)) => pair(value, rest),
            None => TagText::None,
        },
    }
}

fn begins_tag(text: &str) -> bool {
    text.strip_prefix('[').is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// A value without its backslashes of escape and without control characters, which could do harm on a terminal.
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut letters = value.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_escape = letter == '\\' && letters.peek().is_some_and(|next| matches!(next, '\\' | '"'));
        text.push(if is_escape { letters.next().unwrap_or(letter) } else { letter });
    }
    text.retain(|c| !c.is_control());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_as_loosely_as_they_are_written() {
        for (text, name, value, rest) in [
            ("[White \"A\"]", "White", "A", ""),
            ("[ White\t \"A\" ] x", "White", "A", " x"),
            ("[White\"A\"][Black \"B\"]", "White", "A", "[Black \"B\"]"),
            ("[White \"a \\\"b\\\" \\\\\"] y", "White", "a \"b\" \\", " y"),
            ("[White \"O\"Hara\"]", "White", "O\"Hara", ""),
            ("[White \"A\\\"] 1. e4", "White", "A\\", " 1. e4"),
            ("[White \"\"]", "White", "", ""),
            ("[White “A”]", "White", "A", ""),
            ("[White Magnus Carlsen]", "White", "Magnus Carlsen", ""),
            ("[White \"A]", "White", "A", ""),
            ("[White \"A\" 1. e4", "White", "A", "1. e4"),
            ("[White \"a\u{1b}[31m\"]", "White", "a[31m", ""),
            ("[White \"A\" [Black \"B\"]", "White", "A", "[Black \"B\"]"),
            ("[White-Elo \"1\"]", "White-Elo", "1", ""),
        ] {
            let TagText::Whole(pair, length) = read(text) else { panic!("{text}: {:?}", read(text)) };
            assert_eq!(
                (pair.name.as_str(), pair.value.as_str(), &text[length..]),
                (name, value, rest),
                "{text}"
            );
        }
        for text in ["[", "[White", "[White ", "[White \"A\""] {
            assert_eq!(read(text), TagText::Begun, "{text}");
        }
        for text in ["[%clk 0:05]", "[]", "[White]", "[é \"x\"]", "[White \"A", "[White A"] {
            assert_eq!(read(text), TagText::None, "{text}");
        }
    }

    #[test]
    fn only_tags_of_the_roster_end_a_comment() {
        assert!(begins_game("  [event \"x\"]") && begins_game("[White \"x\"] ..."));
        assert!(
            !begins_game("[%csl Ga1]")
                && !begins_game("[Note \"x\"]")
                && !begins_game("[Event")
                && !begins_game("")
        );
    }
}
