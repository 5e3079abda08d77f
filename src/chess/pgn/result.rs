//! The result of a game as it is written.

use crate::chess::board::notation::is_dash;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// White won.
    White,
    /// Black won.
    Black,
    /// The game was drawn.
    Draw,
    /// The game goes on, or its result is not known.
    Open,
}

impl GameEnd {
    /// The result as in the standard.
    pub fn text(self) -> &'static str {
        match self {
            GameEnd::White => "1-0",
            GameEnd::Black => "0-1",
            GameEnd::Draw => "1/2-1/2",
            GameEnd::Open => "*",
        }
    }

    /// Whether a text begins with the sign of an open result, which needs no blank before it.
    pub fn is_star(text: &str) -> bool {
        text.starts_with('*')
    }

    /// Reads the result at the beginning of `text`: with any dash or a colon, with blanks around it or without.
    /// Returns it with its length in bytes.
    pub fn read(text: &str) -> Option<(GameEnd, usize)> {
        if GameEnd::is_star(text) {
            return Some((GameEnd::Open, 1));
        }
        if !text.starts_with(['0', '1', '½']) {
            return None;
        }
        let (white, rest) = points(text)?;
        let after = rest.trim_start();
        let is_end = |rest: &str| {
            rest.chars().next().is_none_or(|c| c.is_whitespace() || "{}()[];$\u{feff}.,".contains(c))
        };
        if let Some(after) = after.strip_prefix(|c| is_dash(c) || c == ':')
            && let Some((black, rest)) = points(after.trim_start())
            && is_end(rest)
        {
            let end = match (white, black) {
                ("1", "0") => GameEnd::White,
                ("0", "1") => GameEnd::Black,
                ("½", "½") => GameEnd::Draw,
                _ => return None,
            };
            return Some((end, text.len() - rest.len()));
        }
        // One half alone is a draw too.
        (white == "½" && is_end(rest)).then_some((GameEnd::Draw, text.len() - rest.len()))
    }

    /// The result in a tag; `None` if it has another text.
    pub fn of_tag(value: &str) -> Option<GameEnd> {
        let value = value.trim();
        GameEnd::read(value).filter(|(_, length)| *length == value.len()).map(|(end, _)| end)
    }
}

/// The points of a side, and the text after them.
fn points(text: &str) -> Option<(&'static str, &str)> {
    [("1/2", "½"), ("½", "½"), ("1", "1"), ("0", "0")]
        .into_iter()
        .find_map(|(written, points)| Some((points, text.strip_prefix(written)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_in_all_spellings() {
        for (text, end) in [
            ("1-0", "1-0"),
            ("1 - 0", "1-0"),
            ("1–0 {x}", "1-0"),
            ("0:1", "0-1"),
            ("1/2-1/2", "1/2-1/2"),
            ("½-½", "1/2-1/2"),
            ("1/2 : 1/2", "1/2-1/2"),
            ("1/2", "1/2-1/2"),
            ("½)", "1/2-1/2"),
            ("*[A", "*"),
        ] {
            assert_eq!(GameEnd::read(text).map(|(end, _)| end.text()), Some(end), "{text}");
        }
        for text in ["0-0", "0-0-0", "1. e4", "1", "1-1", "1-0-1", "10-0", "1-00", "", "e4"] {
            assert_eq!(GameEnd::read(text), None, "{text}");
        }
        assert_eq!(GameEnd::read("1 - 0 x"), Some((GameEnd::White, 5)));
        assert_eq!(GameEnd::of_tag(" 1 - 0 "), Some(GameEnd::White));
        assert_eq!(GameEnd::of_tag("white"), None);
    }
}
