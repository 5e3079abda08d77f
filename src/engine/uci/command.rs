//! The parser: a pure function from a line to a [`Command`].
//!
//! This is our own code. The packages that were tried reject a whole line for one unknown word, lose the clocks of `go
//! ponder`, or panic on `go depth 300`. The first word decides the command. A line whose first word is no command is
//! ignored, and reported as unknown, as Stockfish does. (The UCI specification would skip unknown words up to the first
//! known one. But a sentence that is pasted by mistake must not start a search because it contains the word "go".)

use super::bench::{BenchPlan, DEEPEST_PERFT};
use super::error::{Excerpt, InputError, PositionFault};
use super::go::{Go, whole_number};
use crate::engine::selfplay::genfens;

/// The commands and a line of help for each.
pub const COMMANDS: [(&str, &str); 18] = [
    ("uci", "introduce the engine and its options"),
    ("isready", "answer readyok when all commands before are done"),
    ("setoption", "name NAME [value VALUE]: change an option"),
    ("ucinewgame", "say that the next position belongs to another game"),
    ("position", "startpos|fen FEN [moves MOVE ...]: set up a position"),
    (
        "go",
        "[depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N] [mate N] \
            [infinite] [ponder] [searchmoves MOVE ...]: search; perft N: count moves",
    ),
    ("stop", "end the search and print its move"),
    ("ponderhit", "the expected move was played: from now on the clock decides"),
    ("quit", "end the program"),
    ("debug", "on|off: accepted for compatibility"),
    ("register", "accepted for compatibility"),
    ("d", "show the position"),
    ("eval", "evaluate the position without a search"),
    ("flip", "mirror the position and exchange the colors"),
    (
        "bench",
        "[HASH [THREADS [LIMIT [default|current|FILE [depth|nodes|movetime|perft|eval]]]]]: search positions and count \
             nodes; default: 16 1 13 default depth",
    ),
    ("genfens", "N [seed SEED] [book None|FILE]: print N openings, for OpenBench"),
    ("help", "list the commands"),
    ("exit", "end the program, like quit"),
];

/// A parsed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Introduce the engine.
    Uci,
    /// Answer when ready.
    IsReady,
    /// Change an option. Name and value are as typed.
    SetOption {
        /// The name, its words separated by single spaces.
        name: String,
        /// The value, if there is one.
        value: Option<String>,
    },
    /// The next position belongs to another game.
    NewGame,
    /// Set up a position.
    Position {
        /// A FEN; `None` for the initial position.
        fen: Option<String>,
        /// The moves from that position, as typed.
        moves: Vec<String>,
    },
    /// Search.
    Go(Go),
    /// Count the leaves of the legal move tree to this depth, in plies.
    Perft(u32),
    /// End the search.
    Stop,
    /// The expected move was played.
    PonderHit,
    /// End the program.
    Quit,
    /// Show the position.
    Display,
    /// Evaluate the position.
    Eval,
    /// Mirror the position.
    Flip,
    /// Search fixed positions.
    Bench(BenchPlan),
    /// Draw openings.
    GenFens(genfens::Request),
    /// List the commands.
    Help,
    /// A line that is accepted and has no effect.
    Nothing,
}

/// Whether a word is the first word of a command.
pub fn is_command(word: &str) -> bool {
    COMMANDS.iter().any(|(name, _)| *name == word)
}

/// The help text of all commands.
pub fn help() -> String {
    let mut lines = vec![
        "Enfilade speaks UCI, the language in which chess programs drive engines.".to_owned(),
        "Try: position startpos moves e2e4, then: go movetime 1000".to_owned(),
    ];
    lines.extend(COMMANDS.iter().map(|(name, help)| format!("  {name:<11} {help}")));
    lines.join("\n")
}

/// Parses the beginning of a line that is longer than `MAX_LINE`. A client that sent a `go` waits for a move, so the
/// part of a `go` is carried out. Any other command is refused, because a part of it may mean something else.
pub fn parse_part(line: &str) -> Result<Command, InputError> {
    // The last word may be incomplete.
    let whole = line.rfind(char::is_whitespace).map_or("", |end| &line[..end]);
    match line.split_whitespace().next().unwrap_or("") {
        "go" => parse(whole).map(|command| match command {
            Command::Go(go) => Command::Go(go.cut_short()),
            other => other,
        }),
        "position" => Err(PositionFault::TooLong.into()),
        word => Err(InputError::TooLong(Excerpt::of(word))),
    }
}

/// Parses one line. Empty lines and lines that begin with `#` are [`Command::Nothing`].
pub fn parse(line: &str) -> Result<Command, InputError> {
    // Editors on Windows put a byte order mark at the start of a file.
    let line = line.trim_start_matches('\u{feff}');
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else {
        return Ok(Command::Nothing);
    };
    match first {
        "uci" => Ok(Command::Uci),
        "isready" => Ok(Command::IsReady),
        "ucinewgame" => Ok(Command::NewGame),
        "stop" => Ok(Command::Stop),
        "ponderhit" => Ok(Command::PonderHit),
        "quit" | "exit" => Ok(Command::Quit),
        "d" => Ok(Command::Display),
        "eval" => Ok(Command::Eval),
        "flip" => Ok(Command::Flip),
        "help" => Ok(Command::Help),
        "register" => Ok(Command::Nothing),
        "debug" => match words.next() {
            Some("on" | "off") => Ok(Command::Nothing),
            word => Err(expected("debug", "on or off", word)),
        },
        "setoption" => set_option(line),
        "position" => position(words),
        "go" => go(words),
        "bench" => BenchPlan::parse(words).map(Command::Bench),
        "genfens" => genfens(words),
        word if word.starts_with('#') => Ok(Command::Nothing),
        word => Err(InputError::UnknownCommand(Excerpt::of(word))),
    }
}

fn expected(after: &'static str, expected: &'static str, found: Option<&str>) -> InputError {
    InputError::Expected { after, expected, found: Excerpt::of_next(found) }
}

/// Parses `setoption name NAME [value VALUE]`. The name may have several words. The value is the rest of the line
/// unchanged, because it may be a path that contains two spaces.
fn set_option(line: &str) -> Result<Command, InputError> {
    let (_, rest) = next_word(line);
    let (word, mut rest) = next_word(rest);
    if word != "name" {
        return Err(expected("setoption", "the word name", (!word.is_empty()).then_some(word)));
    }
    let mut name = Vec::new();
    let value = loop {
        let (word, after) = next_word(rest);
        match word {
            "" => break None,
            "value" => break Some(after.trim().to_owned()),
            _ => name.push(word),
        }
        rest = after;
    };
    if name.is_empty() {
        return Err(expected("setoption name", "the name of an option", value.map(|_| "value")));
    }
    Ok(Command::SetOption { name: name.join(" "), value })
}

/// Splits off the first word of `text`. The word is empty if there is none.
fn next_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// Parses `position startpos|fen FEN [moves ...]`. Here an unknown word is an error, unlike in other commands: it is
/// worse to misread a position silently than to refuse it.
fn position<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Command, InputError> {
    let expected = |after, expected, found: Option<&str>| PositionFault::Expected {
        after,
        expected,
        found: Excerpt::of_next(found),
    };
    let (fen, next) = match words.next() {
        Some("startpos") => (None, words.next()),
        Some("fen") => {
            let mut fields = Vec::new();
            let next = loop {
                match words.next() {
                    Some("moves") => break Some("moves"),
                    Some(field) => fields.push(field),
                    None => break None,
                }
            };
            if fields.is_empty() {
                return Err(expected("position fen", "a FEN", next).into());
            }
            (Some(fields.join(" ")), next)
        }
        word => return Err(expected("position", "startpos or fen", word).into()),
    };
    match next {
        None => Ok(Command::Position { fen, moves: Vec::new() }),
        Some("moves") => Ok(Command::Position { fen, moves: words.map(str::to_owned).collect() }),
        word => Err(expected("position startpos", "moves or the end of the line", word).into()),
    }
}

fn go<'a>(words: impl Iterator<Item = &'a str> + Clone) -> Result<Command, InputError> {
    let mut rest = words.clone().skip_while(|word| *word != "perft");
    if rest.next().is_none() {
        return Ok(Command::Go(Go::parse(words)));
    }
    let depth = rest.next();
    match depth.and_then(whole_number).map(u32::try_from) {
        Some(Ok(plies)) if plies <= DEEPEST_PERFT => Ok(Command::Perft(plies)),
        _ => Err(expected("go perft", "a depth from 0 to 20", depth)),
    }
}

/// Parses `genfens N [seed SEED] [book None|FILE]`. OpenBench's workers send it.
fn genfens<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Command, InputError> {
    let number = |after, expected, word: Option<&str>| {
        let number = word.and_then(whole_number).and_then(|number| u64::try_from(number).ok());
        number.ok_or_else(|| self::expected(after, expected, word))
    };
    let count = number("genfens", "how many positions", words.next())?;
    let mut request = genfens::Request { count, seed: 1, book: None };
    while let Some(word) = words.next() {
        match word {
            "seed" => request.seed = number("genfens seed", "a whole number", words.next())?,
            "book" => match words.next() {
                None => return Err(expected("genfens book", "None or a file", None)),
                Some(book) if book.eq_ignore_ascii_case("none") => request.book = None,
                Some(book) => request.book = Some(book.into()),
            },
            word => return Err(expected("genfens", "seed, book or the end of the line", Some(word))),
        }
    }
    Ok(Command::GenFens(request))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position_of(line: &str) -> (Option<String>, Vec<String>) {
        match parse(line) {
            Ok(Command::Position { fen, moves }) => (fen, moves),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn option_of(line: &str) -> (String, Option<String>) {
        match parse(line) {
            Ok(Command::SetOption { name, value }) => (name, value),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_listed_command_is_known() {
        for (word, help) in COMMANDS {
            assert!(!help.is_empty());
            assert!(!matches!(parse(word), Err(InputError::UnknownCommand(_))), "{word}");
        }
    }

    #[test]
    fn white_space_and_line_ends_do_not_matter() {
        for line in ["isready", "  isready", "isready\r\n", "\tisready \t", "\u{feff}isready"] {
            assert_eq!(parse(line), Ok(Command::IsReady), "{line:?}");
        }
        for line in ["", "  \r\n", "# a comment"] {
            assert_eq!(parse(line), Ok(Command::Nothing), "{line:?}");
        }
    }

    #[test]
    fn the_error_names_an_unknown_first_word() {
        let error = parse("joho debug on").unwrap_err();
        assert_eq!(error.to_string(), "unknown command \"joho\", ignored; \"help\" lists the commands");
    }

    #[test]
    fn option_names_may_have_several_words() {
        assert_eq!(option_of("setoption name Clear Hash"), ("Clear Hash".into(), None));
        assert_eq!(
            option_of("setoption name  Move   Overhead value 20 "),
            ("Move Overhead".into(), Some("20".into()))
        );
        assert_eq!(
            option_of("setoption name Debug Log File value C:\\a  b\\value c.log"),
            ("Debug Log File".into(), Some("C:\\a  b\\value c.log".into()))
        );
        assert_eq!(option_of("setoption name Hash value"), ("Hash".into(), Some(String::new())));
        assert!(parse("setoption Hash 16").is_err());
        assert!(parse("setoption name").is_err());
        assert!(parse("setoption name value 3").is_err());
    }

    #[test]
    fn positions_are_split_into_fen_and_moves() {
        assert_eq!(position_of("position startpos"), (None, vec![]));
        assert_eq!(position_of("position startpos moves"), (None, vec![]));
        assert_eq!(
            position_of("position startpos moves e2e4 e7e5"),
            (None, vec!["e2e4".into(), "e7e5".into()])
        );
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        assert_eq!(
            position_of(&format!("position fen {fen} moves e1g1")),
            (Some(fen.into()), vec!["e1g1".into()])
        );
        assert_eq!(position_of("position fen  a   b "), (Some("a b".into()), vec![]));
    }

    #[test]
    fn the_error_of_a_position_names_the_wrong_part() {
        let cases = [
            ("position", "position: expected startpos or fen, found the end of the line"),
            ("position foo", "position: expected startpos or fen, found \"foo\""),
            ("position fen", "position fen: expected a FEN, found the end of the line"),
            ("position fen moves e2e4", "position fen: expected a FEN, found \"moves\""),
            (
                "position startpos e2e4",
                "position startpos: expected moves or the end of the line, found \"e2e4\"",
            ),
        ];
        for (line, message) in cases {
            let expected = format!("{message}; there is no position until one is accepted");
            assert_eq!(parse(line).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn perft_is_not_a_search() {
        assert_eq!(parse("go perft 5"), Ok(Command::Perft(5)));
        assert_eq!(
            parse("go perft x").unwrap_err().to_string(),
            "go perft: expected a depth from 0 to 20, found \"x\""
        );
        assert!(parse("go perft").is_err());
        assert!(matches!(parse("go depth 3"), Ok(Command::Go(go)) if go.depth == Some(3)));
    }

    #[test]
    fn the_genfens_command_of_openbench_is_read() {
        let request = |line| match parse(line) {
            Ok(Command::GenFens(request)) => request,
            other => panic!("{line}: {other:?}"),
        };
        // OpenBench sends a blank after the last word if it needs nothing more.
        let expected = genfens::Request { count: 64, seed: 1234567890, book: None };
        assert_eq!(request("genfens 64 seed 1234567890 book None "), expected);
        let book = Some("Books/UHO_4060_v2.epd".into());
        let expected = genfens::Request { book, ..expected };
        assert_eq!(request("genfens 64 seed 1234567890 book Books/UHO_4060_v2.epd "), expected);
        for (line, message) in [
            ("genfens", "genfens: expected how many positions, found the end of the line"),
            ("genfens x", "genfens: expected how many positions, found \"x\""),
            ("genfens -1", "genfens: expected how many positions, found \"-1\""),
            ("genfens 1 seed", "genfens seed: expected a whole number, found the end of the line"),
            ("genfens 1 book", "genfens book: expected None or a file, found the end of the line"),
            ("genfens 1 plies 3", "genfens: expected seed, book or the end of the line, found \"plies\""),
        ] {
            assert_eq!(parse(line).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn long_and_strange_lines_do_not_panic() {
        let long = "x".repeat(1 << 20);
        for line in [long.as_str(), "\u{0}\u{1}", "go \u{202e} depth", "position fen \u{fffd}\u{fffd}"] {
            let _ = parse(line);
        }
        assert!(parse(&long).unwrap_err().to_string().len() < 120);
    }

    #[test]
    fn a_truncated_line_is_carried_out_only_if_it_is_a_search() {
        let Ok(Command::Go(go)) = parse_part("go depth 5 nodes 30") else { panic!("a search") };
        assert_eq!((go.depth, go.nodes), (Some(5), None), "the last number may be half of one");
        assert!(parse_part("setoption name EvalFile value a").is_err());
        assert!(matches!(
            parse_part("position startpos moves e2e4"),
            Err(InputError::Position(PositionFault::TooLong))
        ));
    }
}
