//! EPD: a position in four fields, and operations on it. Each operation is an opcode with operands, and a semicolon
//! ends it.
//!
//! The reader is generous where suites differ: the last semicolon may be missing, two move counters may follow the
//! fourth field as in FEN, opcodes may be in capitals, commas may stand between moves, and moves may be in all
//! notations of [`notation`](super::notation). It is strict where a mistake would change the task: a move that is not
//! legal is an error.
//!
//! Source: Steven J. Edwards, "Portable Game Notation Specification and Implementation Guide", section 16.2.

use thiserror::Error;

use super::{CastlingRules, FenError, FenRepair, Game, Move};

/// A position with its operations.
#[derive(Clone, Debug, PartialEq)]
pub struct EpdRecord {
    /// The position.
    pub game: Game,
    /// What was changed in the position so that it can be played.
    pub repairs: Vec<FenRepair>,
    operations: Vec<(String, Vec<String>)>,
}

/// The task of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// Moves that solve it (`bm`).
    pub best: Vec<Move>,
    /// Moves that do not solve it (`am`).
    pub avoid: Vec<Move>,
    /// Points for moves (`c8` and `c9`).
    pub points: Vec<(Move, u32)>,
    /// Number of moves to the mate to find (`dm`, `bm #N`); negative if the side to move is mated.
    pub mate: Option<i32>,
}

/// What is wrong with a line of EPD.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EpdError {
    /// The position is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A string has no second quotation mark.
    #[error("the string after {0} does not end")]
    OpenString(String),
    /// An operand is not a legal move.
    #[error("{opcode}: {text:?} is not a legal move here")]
    Move {
        /// The opcode of the operation.
        opcode: &'static str,
        /// The text of the operand.
        text: String,
    },
    /// `dm` or `bm #` has no number.
    #[error("{opcode}: {text:?} is not a number of moves")]
    Mate {
        /// The opcode of the operation.
        opcode: &'static str,
        /// The text of the operand.
        text: String,
    },
    /// `c8` and `c9` do not fit each other.
    #[error("c8 and c9 must have the same length, but have {points} points and {moves} moves")]
    Points {
        /// Operands of `c8` that are numbers.
        points: usize,
        /// Operands of `c9`.
        moves: usize,
    },
    /// The position has no task.
    #[error("the position has no task: neither bm, am or dm, nor c8 and c9")]
    NoGoal,
}

impl EpdRecord {
    /// Reads a line. Castling rights are those of standard chess, unless the line names the files of the rooks.
    ///
    /// # Errors
    ///
    /// If the position or the form of an operation is wrong.
    pub fn parse(line: &str) -> Result<EpdRecord, EpdError> {
        EpdRecord::parse_under(line, CastlingRules::AsWritten)
    }

    /// Reads a line under the rules of castling.
    ///
    /// # Errors
    ///
    /// If the position or the form of an operation is wrong.
    pub fn parse_under(line: &str, rules: CastlingRules) -> Result<EpdRecord, EpdError> {
        let ends_word = |c: char| c == ';' || c.is_whitespace();
        let mut rest = line.trim();
        let mut fields = Vec::new();
        while fields.len() < 6 && !rest.is_empty() {
            let (field, after) = rest.split_at(rest.find(ends_word).unwrap_or(rest.len()));
            let is_counter = field.bytes().all(|byte| byte.is_ascii_digit());
            if fields.len() >= 4 && (!is_counter || field.is_empty()) {
                break;
            }
            // Some suites lack the space between "no en passant square" and the first counter.
            match field.strip_prefix('-') {
                Some(counter) if fields.len() == 3 && !counter.is_empty() => fields.extend(["-", counter]),
                _ => fields.push(field),
            }
            rest = after.trim_start();
            if rest.starts_with(';') {
                rest = &rest[1..];
                break;
            }
        }
        let operations = operations(rest)?;
        let counter = |opcode: &str| {
            let (_, operands) = operations.iter().find(|(name, _)| name.eq_ignore_ascii_case(opcode))?;
            operands.first().filter(|operand| operand.bytes().all(|byte| byte.is_ascii_digit()))
        };
        // The counters may also be operations.
        if fields.len() == 4 {
            fields.push(counter("hmvc").map_or("0", String::as_str));
            fields.push(counter("fmvn").map_or("1", String::as_str));
        }
        let (game, repairs) = Game::from_fen_under(&fields.join(" "), rules)?;
        Ok(EpdRecord { game, repairs, operations })
    }

    /// The opcodes of the operations.
    pub fn opcodes(&self) -> impl Iterator<Item = &str> {
        self.operations.iter().map(|(opcode, _)| opcode.as_str())
    }

    /// The operands of an operation.
    pub fn operands(&self, opcode: &str) -> Option<&[String]> {
        let operation = self.operations.iter().find(|(name, _)| name.eq_ignore_ascii_case(opcode));
        operation.map(|(_, operands)| operands.as_slice())
    }

    /// The name of the position; empty if it has none.
    pub fn id(&self) -> String {
        self.operands("id").map_or_else(String::new, |operands| operands.join(" "))
    }

    /// The task of the position.
    ///
    /// # Errors
    ///
    /// If the position has no task, or an impossible one.
    pub fn goal(&self) -> Result<Goal, EpdError> {
        let mut goal = Goal::default();
        let best = self.operands("bm").unwrap_or_default();
        if let Some(mate) = best.first().and_then(|text| text.strip_prefix('#')) {
            goal.mate = Some(mate_distance("bm", mate)?);
        } else {
            goal.best = self.moves("bm", best)?;
        }
        goal.avoid = self.moves("am", self.operands("am").unwrap_or_default())?;
        goal.points = self.points()?;
        if let Some([distance, ..]) = self.operands("dm") {
            goal.mate = Some(mate_distance("dm", distance)?);
        }
        if goal == Goal::default() { Err(EpdError::NoGoal) } else { Ok(goal) }
    }

    fn moves(&self, opcode: &'static str, operands: &[String]) -> Result<Vec<Move>, EpdError> {
        let words = operands.iter().flat_map(|text| text.split(|c: char| c == ',' || c.is_whitespace()));
        let words = words.filter(|text| !text.is_empty());
        words.map(|text| self.mv(opcode, text)).collect()
    }

    /// A move in any of the notations that suites use.
    fn mv(&self, opcode: &'static str, text: &str) -> Result<Move, EpdError> {
        self.game
            .parse_san(text)
            .or_else(|_| self.game.parse_uci(text))
            .map_err(|_| EpdError::Move { opcode, text: text.to_owned() })
    }

    /// The points of the Strategic Test Suite: `c8` has the points, `c9` the moves to which they belong.
    fn points(&self) -> Result<Vec<(Move, u32)>, EpdError> {
        let (Some(points), Some(moves)) = (self.operands("c8"), self.operands("c9")) else {
            return Ok(Vec::new());
        };
        let words = |operands: &[String]| -> Vec<String> {
            operands.iter().flat_map(|operand| operand.split_whitespace()).map(str::to_owned).collect()
        };
        let points: Vec<u32> = words(points).iter().filter_map(|word| word.parse().ok()).collect();
        let moves = self.moves("c9", &words(moves))?;
        if points.len() != moves.len() {
            return Err(EpdError::Points { points: points.len(), moves: moves.len() });
        }
        Ok(moves.into_iter().zip(points).collect())
    }
}

fn mate_distance(opcode: &'static str, text: &str) -> Result<i32, EpdError> {
    match text.parse() {
        Ok(distance) if distance != 0 => Ok(distance),
        _ => Err(EpdError::Mate { opcode, text: text.to_owned() }),
    }
}

/// Splits operations at semicolons and operands at white space, both outside quotation marks.
fn operations(text: &str) -> Result<Vec<(String, Vec<String>)>, EpdError> {
    let mut operations = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    let mut end = |words: &mut Vec<String>| {
        if !words.is_empty() {
            let opcode = words.remove(0);
            operations.push((opcode, std::mem::take(words)));
        }
    };
    while let Some(first) = rest.chars().next() {
        rest = match first {
            ';' => {
                end(&mut words);
                &rest[1..]
            }
            '"' => {
                let Some(length) = rest[1..].find('"') else {
                    return Err(EpdError::OpenString(words.first().cloned().unwrap_or_default()));
                };
                words.push(rest[1..=length].to_owned());
                &rest[length + 2..]
            }
            _ => {
                let (word, after) =
                    rest.split_at(rest.find(|c: char| c == ';' || c.is_whitespace()).unwrap_or(rest.len()));
                words.push(word.to_owned());
                after
            }
        }
        .trim_start();
    }
    end(&mut words);
    Ok(operations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(line: &str) -> Result<Goal, EpdError> {
        EpdRecord::parse(line)?.goal()
    }

    fn uci(moves: &[Move]) -> Vec<String> {
        moves.iter().map(|mv| mv.to_uci(false).to_string()).collect()
    }

    #[test]
    fn best_and_avoided_moves_are_read() {
        let line = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; dm 2; id \"WAC.001; x\";";
        let record = EpdRecord::parse(line).unwrap();
        assert_eq!(record.id(), "WAC.001; x");
        let goal = record.goal().unwrap();
        assert_eq!(uci(&goal.best), ["g3g6"]);
        assert_eq!(goal.mate, Some(2));
        let line = "3r2k1/1p3ppp/2pq4/p1n5/P6P/1P6/1PB2QP1/1K2R3 w - - am Rd1";
        assert_eq!(uci(&super::tests::goal(line).unwrap().avoid), ["e1d1"]);
    }

    #[test]
    fn moves_are_read_in_long_notations() {
        for (line, mv) in [
            ("3k3B/7p/p1Q1p3/2n5/6P1/K3b3/PP5q/R7 w - - bm Bh8-f6+; ce +M1;", "h8f6"),
            ("4bk2/ppp3p1/2np3p/2b5/2B2Bnq/2N5/PP4PP/4RR1K w - - bm Bf4xd6+;", "f4d6"),
            ("5K1k/6R1/8/3b2P1/5p2/p6p/q7/8 w - - bm g5-g6;", "g5g6"),
            ("2b1k2r/2p2ppp/1qp4n/7B/1p2P3/5Q2/PPPr2PP/R2N1R1K b k - bm O-O;", "e8g8"),
            ("4k3/1P6/8/8/8/8/8/4K3 w - - bm b8=Q+;", "b7b8q"),
            ("4k3/1P6/8/8/8/8/8/4K3 w - - bm b7b8n;", "b7b8n"),
        ] {
            assert_eq!(uci(&goal(line).unwrap().best), [mv], "{line}");
        }
    }

    #[test]
    fn operations_are_read_as_loosely_as_suites_write_them() {
        let position = "r3k2r/P7/8/8/8/8/8/R3K2R w KQkq -";
        for (operations, moves) in [
            ("bm 0-0;", &["e1g1"][..]),
            ("bm a8Q;", &[]),
            ("BM Rb1, Rc1", &["a1b1", "a1c1"]),
            ("Bm Rb1,Rc1;", &["a1b1", "a1c1"]),
            ("bm Ra1-b1!? O-O-O;", &["a1b1", "e1c1"]),
        ] {
            let found = goal(&format!("{position} {operations}"));
            if moves.is_empty() {
                assert!(found.is_err(), "{operations}");
            } else {
                assert_eq!(uci(&found.unwrap().best), moves, "{operations}");
            }
        }
        assert_eq!(uci(&goal("7k/P7/8/8/8/8/8/K7 w - - bm a8Q;").unwrap().best), ["a7a8q"]);
        let copied = "r3k2r/P7/8/8/8/8/8/R3K2R w KQkq - bm Rb1 Rc1; id \"x\";".replace(' ', "\u{a0}");
        assert_eq!(uci(&goal(&copied).unwrap().best), ["a1b1", "a1c1"]);
        let record = EpdRecord::parse("4k3/8/8/8/8/8/8/4K2R w - - hmvc 7; fmvn 40; xyz 1;").unwrap();
        assert_eq!((record.game.board().halfmove_clock(), record.game.board().fullmove()), (7, 40));
        let record = EpdRecord::parse("r5k1/8/8/8/8/8/8/R5K1 w KQkq - bm Kf1;").unwrap();
        assert_eq!(record.repairs, [FenRepair::CastlingRights]);
    }

    #[test]
    fn mates_are_read_for_either_side() {
        assert_eq!(goal("7n/BBP2P1P/8/P1PpK3/P5RR/5k2/Pn2NPN1/3Q2b1 w - d6 bm #1;").unwrap().mate, Some(1));
        assert_eq!(goal("6Qk/PP1PP1np/1N1BN2P/7R/4B3/2Q5/P3KP2/6R1 b - - bm #-1;").unwrap().mate, Some(-1));
        let error = goal("7n/BBP2P1P/8/P1PpK3/P5RR/5k2/Pn2NPN1/3Q2b1 w - - bm #x;").unwrap_err();
        assert_eq!(error.to_string(), "bm: \"x\" is not a number of moves");
    }

    #[test]
    fn points_are_read_with_their_moves() {
        let position = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - -";
        let goal =
            super::tests::goal(&format!("{position} bm f5; c8 \"100 46\"; c9 \"f4f5 d4f2\";")).unwrap();
        assert_eq!(goal.points.iter().map(|(_, points)| *points).collect::<Vec<_>>(), [100, 46]);
        let error = super::tests::goal(&format!("{position} c8 \"100\"; c9 \"f4f5 d4f2\";")).unwrap_err();
        assert_eq!(error, EpdError::Points { points: 1, moves: 2 });
    }

    #[test]
    fn move_counters_after_the_fourth_field_are_read() {
        for line in [
            "4k3/8/8/8/8/8/8/4K2R w K - 7 40; bm Kf2",
            "4k3/8/8/8/8/8/8/4K2R w K - 7 40 bm Kf2;",
            "4k3/8/8/8/8/8/8/4K2R w K -7 40 bm Kf2;",
        ] {
            let record = EpdRecord::parse(line).unwrap();
            assert_eq!(
                (record.game.board().halfmove_clock(), record.game.board().fullmove()),
                (7, 40),
                "{line}"
            );
            assert_eq!(record.goal().unwrap().best.len(), 1);
        }
    }

    #[test]
    fn invalid_records_are_refused() {
        let position = "4k3/8/8/8/8/8/8/4K2R w K -";
        assert!(matches!(goal("hello have a nice day"), Err(EpdError::Fen(_))));
        assert!(matches!(goal(""), Err(EpdError::Fen(_))));
        assert!(matches!(goal(position), Err(EpdError::NoGoal)));
        assert!(matches!(goal(&format!("{position} bm Qa4;")), Err(EpdError::Move { opcode: "bm", .. })));
        assert!(matches!(goal(&format!("{position} id \"open; bm Kf2")), Err(EpdError::OpenString(_))));
    }
}
