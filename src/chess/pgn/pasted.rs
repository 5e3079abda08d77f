//! What a user has pasted: a position in one of its many forms, or a game.

/// A text as what it is.
#[derive(Debug, PartialEq, Eq)]
pub enum Pasted {
    /// A position, and moves in UCI's notation from there. Without a FEN it is the initial position.
    Position {
        /// A FEN, perhaps with operations of EPD behind it.
        fen: Option<String>,
        /// The moves.
        moves: Vec<String>,
    },
    /// The text of a game: a PGN, or moves in any notation.
    Game,
    /// An address without a position in it.
    Address,
    /// Nothing but blanks.
    Nothing,
}

impl Pasted {
    /// Recognizes a text:
    ///
    /// - a FEN, with underscores instead of blanks too, or after the word `fen`;
    /// - the command `position` of UCI, also without its first word;
    /// - an address with a FEN in its path or as its parameter `fen`, such as one of lichess's analysis board;
    /// - an address of this program's board, which has the game behind `#`.
    ///
    /// Everything else is a game.
    pub fn of(text: &str) -> Pasted {
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if text.is_empty() {
            return Pasted::Nothing;
        }
        if let Some((_, address)) =
            text.split_once("://").filter(|(scheme, _)| scheme.bytes().all(|b| b.is_ascii_alphabetic()))
        {
            return of_address(address).unwrap_or(Pasted::Address);
        }
        let mut words = text.split_whitespace().peekable();
        let mut is_command = words.next_if(|word| word.eq_ignore_ascii_case("position")).is_some();
        if words.next_if(|word| word.eq_ignore_ascii_case("startpos")).is_some() {
            return Pasted::Position { fen: None, moves: moves(words) };
        }
        is_command |= words.next_if(|word| word.trim_end_matches(':').eq_ignore_ascii_case("fen")).is_some();
        if !is_command && !words.peek().is_some_and(|word| is_placement(word)) {
            return Pasted::Game;
        }
        let mut fen = Vec::new();
        while let Some(word) = words.next_if(|word| *word != "moves") {
            fen.push(word.replace('_', " "));
        }
        Pasted::Position { fen: Some(fen.join(" ")), moves: moves(words) }
    }
}

/// Only a FEN has seven slashes in its first word.
fn is_placement(word: &str) -> bool {
    word.split('_').next().unwrap_or_default().matches('/').count() == 7
}

fn moves<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    words.filter(|word| *word != "moves").map(str::to_owned).collect()
}

/// The position in an address without its scheme, and the moves if it is one of this program's board.
fn of_address(address: &str) -> Option<Pasted> {
    let (address, fragment) = address.split_once('#').unwrap_or((address, ""));
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let parameter = |text: &str, wanted: &str| {
        text.split('&').find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.eq_ignore_ascii_case(wanted).then(|| decoded(&value.replace('+', " ")))
        })
    };
    let in_path = || {
        let decoded = decoded(path);
        let parts: Vec<&str> = decoded.split('/').collect();
        // A FEN has seven slashes, so it takes the last eight parts of a path.
        let first = parts.len().checked_sub(8).filter(|first| *first > 0)?;
        Some(parts[first..].join("/"))
    };
    let fen = parameter(query, "fen").or_else(|| parameter(fragment, "fen")).or_else(in_path);
    let fen = fen.map(|fen| fen.replace('_', " "));
    let fen = fen.filter(|fen| fen.split_whitespace().next().is_some_and(is_placement));
    let moves = parameter(fragment, "moves");
    let is_game = fen.is_some() || moves.is_some();
    let moves = moves.iter().flat_map(|moves| moves.split(',')).filter(|mv| !mv.is_empty());
    is_game.then(|| Pasted::Position { fen, moves: moves.map(str::to_owned).collect() })
}

/// A text with its escapes (`%20`) resolved.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.filter(|_| first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_recognized_in_all_their_forms() {
        const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        for text in [
            FEN.to_owned(),
            format!("\u{feff} {FEN}\n"),
            FEN.replace(' ', "_"),
            format!("fen {FEN}"),
            format!("Fen: {FEN}"),
            format!("position fen {FEN}"),
            format!("https://lichess.org/analysis/{}", FEN.replace(' ', "_")),
            format!("https://lichess.org/analysis/standard/{}?color=black#3", FEN.replace(' ', "_")),
            format!("https://lichess.org/editor/{}", FEN.replace(' ', "%20")),
            format!("https://www.chess.com/analysis?flip=false&fen={}", FEN.replace(' ', "+")),
            format!("https://example.org/?fen={}", FEN.replace(' ', "%20").replace('/', "%2F")),
            format!("http://127.0.0.1:7643/#fen={}", FEN.replace(' ', "+")),
        ] {
            assert_eq!(
                Pasted::of(&text),
                Pasted::Position { fen: Some(FEN.to_owned()), moves: vec![] },
                "{text}"
            );
        }
        let moves = vec!["e2e4".to_owned(), "e7e5".to_owned()];
        for text in ["startpos moves e2e4 e7e5", "position startpos moves e2e4 e7e5"] {
            assert_eq!(Pasted::of(text), Pasted::Position { fen: None, moves: moves.clone() });
        }
        let found = Pasted::of(&format!("position fen {FEN} moves e2e4 e7e5"));
        assert_eq!(found, Pasted::Position { fen: Some(FEN.to_owned()), moves: moves.clone() });
        let found = Pasted::of("http://127.0.0.1:7643/#moves=e2e4,e7e5&ply=1");
        assert_eq!(found, Pasted::Position { fen: None, moves: moves.clone() });
        let found = Pasted::of(&format!("http://[::1]/#fen={}&moves=e2e4,e7e5", FEN.replace(' ', "%20")));
        assert_eq!(found, Pasted::Position { fen: Some(FEN.to_owned()), moves });
        assert_eq!(Pasted::of("startpos"), Pasted::Position { fen: None, moves: vec![] });
    }

    #[test]
    fn everything_else_is_a_game() {
        for text in ["1. e4 e5", "[Site \"https://lichess.org/abcdefgh\"]\n\n*", "e4", "[FEN \"x\"]"] {
            assert_eq!(Pasted::of(text), Pasted::Game, "{text}");
        }
        assert_eq!(Pasted::of("https://lichess.org/abcdefgh"), Pasted::Address);
        assert_eq!(Pasted::of("https://lichess.org/analysis/%zz/%"), Pasted::Address);
        assert_eq!(Pasted::of("http://127.0.0.1:7643/#ply=3"), Pasted::Address);
        assert_eq!(Pasted::of(" \n\u{feff}"), Pasted::Nothing);
    }
}
