//! The `go` command: its words, which may come in any order, and the limits that they mean.
//!
//! A client that sent `go` waits for a `bestmove`. So a wrong word does not make the command fail. A word that cannot
//! be read is reported and left out, and the rest counts. If no readable limit is left, the answer must still come
//! without a `stop`. So an unreadable limit counts as used up, and so does the clock of the side to move if only the
//! other clock is given. Then the engine moves at once. Only a `go` without any limit (or with `infinite`) runs until
//! `stop`.

use std::time::Duration;

use super::error::{Excerpt, InputError};
use crate::chess::board::{Color, Game};
use crate::engine::run::{Clock, Limits, MAX_DEPTH};

/// The words that `go` knows. Each of them ends a list of root moves.
const WORDS: [&str; 13] = [
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
];

/// How many faults of a `go` are kept. A message has no room for more.
const TOLD: usize = 16;

/// The clock of one side in a `go`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The time left; `None` if it was not given.
    pub remaining: Option<Duration>,
    /// The time added after each move.
    pub increment: Duration,
}

/// A `go` as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// The depth limit in plies, at least 1.
    pub depth: Option<i32>,
    /// The node limit, at least 1.
    pub nodes: Option<u64>,
    /// The exact time for the move.
    pub move_time: Option<Duration>,
    /// Search for a mate in this number of moves, at least 1.
    pub mate: Option<u32>,
    /// White's clock.
    pub white: Side,
    /// Black's clock.
    pub black: Side,
    /// The number of moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Answer only after `stop`.
    pub infinite: bool,
    /// Answer only after `ponderhit` or `stop`.
    pub ponder: bool,
    /// The root moves as typed.
    pub search_moves: Vec<String>,
    /// Whether any word about a clock was given, readable or not.
    clock_meant: bool,
    /// Whether a limit was given that cannot be read.
    limit_lost: bool,
    /// The first faults of the line.
    pub problems: Vec<InputError>,
}

impl Go {
    /// Reads the words after `go`, except for `go perft`. Never fails: [`Go::problems`] holds the faults.
    pub fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Go {
        let mut go = Go::default();
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            // A word of `go` is never taken as a value: `go depth infinite` lacks a number but still means `infinite`.
            let mut value = || words.next_if(|next| !WORDS.contains(next));
            match word {
                "depth" => go.depth = go.limit("depth", value(), 1).map(|n| n.min(MAX_DEPTH as u64) as i32),
                "nodes" => go.nodes = go.limit("nodes", value(), 1),
                "mate" => go.mate = go.mate_moves(value()),
                "movetime" => go.move_time = go.limit("movetime", value(), 0).map(milliseconds),
                "wtime" => go.white.remaining = go.clock("wtime", value()),
                "btime" => go.black.remaining = go.clock("btime", value()),
                "winc" => go.white.increment = go.clock("winc", value()).unwrap_or_default(),
                "binc" => go.black.increment = go.clock("binc", value()).unwrap_or_default(),
                "movestogo" => {
                    // Some clients send zero moves to go for "the rest of the game".
                    let moves = go.number("movestogo", value());
                    go.clock_meant = true;
                    go.moves_to_go = moves.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
                }
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    while let Some(mv) = words.next_if(|next| !WORDS.contains(next)) {
                        go.search_moves.push(mv.to_owned());
                    }
                }
                _ => go.complain(InputError::UnknownGoWord(Excerpt::of(word))),
            }
        }
        go
    }

    /// Marks this `go` as the beginning of a longer line. The missing rest may have held a limit.
    pub(super) fn cut_short(mut self) -> Go {
        self.limit_lost = true;
        self.problems.insert(0, InputError::GoTooLong);
        self
    }

    fn complain(&mut self, problem: InputError) {
        if self.problems.len() < TOLD {
            self.problems.push(problem);
        }
    }

    /// Reads a limit of at least `least`. Remembers if the limit cannot be read.
    fn limit(&mut self, word: &'static str, value: Option<&str>, least: u64) -> Option<u64> {
        let Some(number) = self.number(word, value) else {
            self.limit_lost = true;
            return None;
        };
        let used = u64::try_from(number).unwrap_or(if number < 0 { 0 } else { u64::MAX }).max(least);
        if number < i128::from(least) {
            let value = Excerpt::of_next(value);
            self.complain(InputError::Clamped { word, value, used });
        }
        Some(used)
    }

    /// Reads the length of a mate in moves. A mate in no move or fewer cannot be searched, so such a number counts as a
    /// limit that cannot be read.
    fn mate_moves(&mut self, value: Option<&str>) -> Option<u32> {
        let number = self.number("mate", value);
        if let Some(moves) = number.filter(|moves| *moves >= 1) {
            return Some(u32::try_from(moves).unwrap_or(u32::MAX));
        }
        self.limit_lost = true;
        if number.is_some() {
            let found = Excerpt::of_next(value);
            self.complain(InputError::Expected { after: "go: mate", expected: "at least one move", found });
        }
        None
    }

    /// Reads a time of a clock. Clients send a negative time when a flag has fallen. It counts as zero.
    fn clock(&mut self, word: &'static str, value: Option<&str>) -> Option<Duration> {
        self.clock_meant = true;
        self.number(word, value).map(|n| milliseconds(n.clamp(0, i128::from(u64::MAX)) as u64))
    }

    fn number(&mut self, word: &'static str, value: Option<&str>) -> Option<i128> {
        let number = value.and_then(whole_number);
        if number.is_none() {
            let found = Excerpt::of_next(value);
            let expected = "a whole number";
            self.complain(InputError::Expected { after: word, expected, found });
        }
        number
    }

    /// The limits for the side to move in `game`, and the faults of the root moves.
    pub fn limits(&self, game: &Game) -> (Limits, Vec<InputError>) {
        let mut problems = Vec::new();
        let mut search_moves = Vec::new();
        for text in &self.search_moves {
            match game.parse_uci(text) {
                Ok(mv) if search_moves.contains(&mv) => {}
                Ok(mv) => search_moves.push(mv),
                Err(_) if problems.len() < TOLD => problems.push(InputError::SearchMove(Excerpt::of(text))),
                Err(_) => {}
            }
        }
        let mover = if game.board().turn() == Color::White { self.white } else { self.black };
        let clock = self.clock_meant.then(|| Clock {
            remaining: mover.remaining.unwrap_or_default(),
            increment: mover.increment,
            moves_to_go: self.moves_to_go,
        });
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            soft_nodes: None,
            move_time: self.move_time,
            clock,
            mate: self.mate,
            infinite: self.infinite,
            ponder: self.ponder,
            search_moves,
        };
        (if self.limit_lost { with_lost_limit(limits) } else { limits }, problems)
    }
}

/// Makes the search end at once if it has no other limit and is not infinite.
fn with_lost_limit(limits: Limits) -> Limits {
    let ends = limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.move_time.is_some()
        || limits.clock.is_some()
        || limits.mate.is_some()
        || limits.infinite;
    Limits { move_time: if ends { limits.move_time } else { Some(Duration::ZERO) }, ..limits }
}

/// Reads a whole number of any size. A number that does not fit into 128 bits becomes the least or greatest one that
/// does. All callers clamp it further.
pub(super) fn whole_number(text: &str) -> Option<i128> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') { i128::MIN } else { i128::MAX }))
}

/// A duration of at most a century. So the arithmetic on deadlines never overflows.
pub(super) fn milliseconds(count: u64) -> Duration {
    const CENTURY: u64 = 100 * 366 * 86_400_000;
    Duration::from_millis(count.min(CENTURY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Go {
        Go::parse(text.split_whitespace())
    }

    fn limits(text: &str) -> Limits {
        parse(text).limits(&Game::startpos()).0
    }

    #[test]
    fn parameters_come_in_any_order() {
        let one = limits("wtime 1000 btime 2000 winc 10 binc 20 movestogo 30 depth 7 nodes 99");
        let other = limits("nodes 99 movestogo 30 binc 20 depth 7 winc 10 btime 2000 wtime 1000");
        assert_eq!(one, other);
        assert_eq!(one.depth, Some(7));
        assert_eq!(one.nodes, Some(99));
        let clock = one.clock.unwrap();
        assert_eq!(clock.remaining, Duration::from_millis(1000));
        assert_eq!(clock.increment, Duration::from_millis(10));
        assert_eq!(clock.moves_to_go, Some(30));
    }

    #[test]
    fn the_clock_of_the_side_to_move_is_used() {
        let mut game = Game::startpos();
        game.play_uci("e2e4").unwrap();
        let clock = parse("wtime 1000 btime 2000 binc 5").limits(&game).0.clock.unwrap();
        assert_eq!(
            (clock.remaining, clock.increment),
            (Duration::from_millis(2000), Duration::from_millis(5))
        );
    }

    #[test]
    fn a_missing_malformed_or_negative_clock_has_run_out() {
        for text in ["btime 5000", "wtime abc btime 1000", "wtime -30", "wtime", "winc 100", "movestogo 10"] {
            assert_eq!(limits(text).clock.map(|clock| clock.remaining), Some(Duration::ZERO), "{text}");
        }
    }

    #[test]
    fn numbers_below_the_minimum_are_raised_to_it() {
        assert_eq!(limits("depth 0").depth, Some(1));
        assert_eq!(limits("depth -4").depth, Some(1));
        assert_eq!(limits("nodes 0").nodes, Some(1));
        assert_eq!(limits("movetime -1").move_time, Some(Duration::ZERO));
        assert_eq!(parse("depth 0").problems.len(), 1);
        assert_eq!(parse("depth 0").problems[0].to_string(), "go: depth \"0\" taken as 1");
    }

    /// Such a search never ended.
    #[test]
    fn a_mate_in_no_move_counts_as_reached() {
        for text in ["mate 0", "mate -1", "mate x", "mate"] {
            assert_eq!(limits(text).move_time, Some(Duration::ZERO), "{text}");
            assert_eq!(parse(text).problems.len(), 1, "{text}");
        }
        assert_eq!(limits("mate 0 depth 5"), Limits::depth(5));
        assert_eq!(
            parse("mate 0").problems[0].to_string(),
            "go: mate: expected at least one move, found \"0\""
        );
    }

    #[test]
    fn huge_numbers_saturate_silently() {
        let huge = "9".repeat(500);
        assert_eq!(limits(&format!("depth {huge}")).depth, Some(MAX_DEPTH));
        assert_eq!(limits(&format!("nodes {huge}")).nodes, Some(u64::MAX));
        assert_eq!(limits(&format!("mate {huge}")).mate, Some(u32::MAX));
        assert!(limits(&format!("movetime {huge}")).move_time.unwrap() > Duration::from_secs(86_400));
        assert!(parse(&format!("depth {huge} nodes {huge}")).problems.is_empty());
    }

    #[test]
    fn a_malformed_limit_counts_as_reached_unless_another_is_valid() {
        assert_eq!(limits("depth abc").move_time, Some(Duration::ZERO));
        assert_eq!(limits("movetime").move_time, Some(Duration::ZERO));
        assert_eq!(limits("nodes 1e6 depth 5"), Limits::depth(5));
        assert_eq!(limits("depth infinite"), Limits { infinite: true, ..Limits::default() });
        assert_eq!(limits("ponder depth x").move_time, Some(Duration::ZERO));
    }

    #[test]
    fn without_limits_the_search_is_not_limited() {
        assert_eq!(limits(""), Limits::default());
        assert_eq!(limits("infinite"), Limits { infinite: true, ..Limits::default() });
        assert_eq!(limits("nonsense words"), Limits::default());
        assert_eq!(parse("nonsense words").problems.len(), 2);
    }

    #[test]
    fn root_moves_end_at_the_next_word_of_go() {
        let go = parse("searchmoves e2e4 d2d4 depth 3");
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert_eq!(go.depth, Some(3));
        let (limits, problems) = parse("searchmoves e2e4 e2e5 e2e4 xyz").limits(&Game::startpos());
        assert_eq!(limits.search_moves.len(), 1);
        assert_eq!(problems.len(), 2);
        assert_eq!(problems[0].to_string(), "go: searchmoves: \"e2e5\" is not a legal move here, ignored");
    }
}
