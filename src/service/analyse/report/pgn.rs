//! Writes the games as PGN: the original games with evaluations, which lichess and python-chess can read, with glyphs
//! and with better lines.

use std::io::{self, Write};

use super::super::assessment::Assessment;
use super::super::games::Fragment;
use super::super::judgment::{Evaluation, Value};
use super::setting::Setting;
use crate::chess::board::pgn::{self, MoveNumber, PgnWriter};
use crate::chess::board::{Board, Move};

/// The greatest number of plies of a better line.
const BETTER_PLIES: usize = 12;

/// Writes a game and an empty line.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write(out: &mut dyn Write, report: &Assessment, setting: &Setting) -> io::Result<()> {
    let mut pgn = PgnWriter::default();
    for (name, value) in tags(report, setting) {
        pgn.tag(&name, &value);
    }
    movetext(&mut pgn, report);
    out.write_all(pgn.finish(report.game.result).as_bytes())
}

/// The game's own tags, and those that readers of the file need.
fn tags(report: &Assessment, setting: &Setting) -> Vec<(String, String)> {
    let mut tags = report.game.tags.clone();
    let mut add = |name: &str, value: String| {
        if !tags.iter().any(|(known, _)| known == name) {
            tags.push((name.to_owned(), value));
        }
    };
    add("Result", report.game.result.to_owned());
    if report.game.tag("FEN").is_some() {
        add("SetUp", "1".to_owned());
    }
    if report.game.is_chess960 {
        add("Variant", "Chess960".to_owned());
    }
    add("Annotator", setting.annotator());
    tags
}

fn movetext(pgn: &mut PgnWriter, report: &Assessment) {
    let evaluation =
        |index: usize| report.positions[index].as_ref().map(|position| command(&position.evaluation));
    let game = &report.game;
    let first = evaluation(0);
    let mut before = game.before.clone();
    // An earlier analysis may have written the same line.
    let is_there = |line: &String| {
        before
            .iter()
            .any(|fragment| matches!(fragment, Fragment::Comment(text) if text.ends_with(line.as_str())))
    };
    let line = best_line(report).filter(|line| !is_there(line)).map(Fragment::Comment);
    before.extend(line);
    fragments(pgn, &before, first, MoveNumber::of(&report.boards[0]), None);
    let mut is_interrupted = true;
    for (index, played) in game.moves.iter().enumerate() {
        let board = &report.boards[index];
        pgn.mv(board, played.mv, is_interrupted);
        if let Some(judgment) = report.moves[index].and_then(|verdict| verdict.judgment) {
            let is_there = played.after.iter().take_while(|fragment| matches!(fragment, Fragment::Nag(_)));
            if !is_there.into_iter().any(|fragment| *fragment == Fragment::Nag(judgment.nag())) {
                pgn.word(&format!("${}", judgment.nag()));
            }
        }
        let better = report.better_line(index).map(|line| better(board, line));
        is_interrupted = fragments(pgn, &played.after, evaluation(index + 1), MoveNumber::of(board), better);
    }
}

/// The best line of a game without moves, as a comment: there is no move to which a variation could be an alternative.
fn best_line(report: &Assessment) -> Option<String> {
    let position = report.positions[0].as_ref().filter(|_| report.game.moves.is_empty())?;
    let line = better(&report.boards[0], &position.lines[0].moves).join(" ");
    (!line.is_empty()).then(|| format!("best line: {line}"))
}

/// Writes the text between two moves: glyphs, the evaluation in the first comment, the original fragments, and the
/// better line. `place` is the place of the first move. Returns whether anything but glyphs was written.
fn fragments(
    pgn: &mut PgnWriter,
    fragments: &[Fragment],
    evaluation: Option<String>,
    place: MoveNumber,
    better: Option<Vec<String>>,
) -> bool {
    let glyphs = fragments.iter().take_while(|fragment| matches!(fragment, Fragment::Nag(_))).count();
    let (glyphs, mut rest) = fragments.split_at(glyphs);
    for glyph in glyphs {
        put_fragment(pgn, glyph);
    }
    let mut comment = String::new();
    if let [Fragment::Comment(text), others @ ..] = rest {
        comment.clone_from(text);
        rest = others;
    }
    if let Some(evaluation) = &evaluation {
        let kept = without_evaluation(&comment);
        comment = if kept.is_empty() { evaluation.clone() } else { format!("{evaluation} {kept}") };
    }
    let has_comment = !comment.is_empty();
    if has_comment {
        put_comment(pgn, &comment);
    }
    let mut variations = Variations { stack: Vec::new(), main: place };
    for fragment in rest {
        match fragment {
            // Another evaluation of the same move would contradict ours.
            Fragment::Comment(text) if variations.stack.is_empty() && evaluation.is_some() => {
                let kept = without_evaluation(text);
                if !kept.is_empty() {
                    put_comment(pgn, &kept);
                }
            }
            Fragment::Move(san) => {
                if let Some(number) = variations.next_move() {
                    pgn.word(&number);
                }
                pgn.word(&san.to_string());
            }
            other => {
                variations.note(other);
                put_fragment(pgn, other);
            }
        }
    }
    let better = better.filter(|line| !is_there(rest, line));
    if let Some(line) = &better {
        pgn.word("(");
        line.iter().for_each(|word| pgn.word(word));
        pgn.word(")");
    }
    has_comment || better.is_some() || !rest.is_empty()
}

fn put_fragment(pgn: &mut PgnWriter, fragment: &Fragment) {
    match fragment {
        Fragment::Move(san) => pgn.word(&san.to_string()),
        Fragment::Nag(nag) => pgn.word(&format!("${nag}")),
        Fragment::Comment(text) => put_comment(pgn, text),
        Fragment::Begin => pgn.word("("),
        Fragment::End => pgn.word(")"),
    }
}

fn put_comment(pgn: &mut PgnWriter, text: &str) {
    pgn.word(&format!("{{ {text} }}"));
}

/// Counts the moves of variations. Variations are not replayed, because they may be wrong.
struct Variations {
    /// For each open variation: the numbers of its next move and of its last move, and whether anything but glyphs
    /// stands between them.
    stack: Vec<(MoveNumber, MoveNumber, bool)>,
    /// The move of the main line to which variations are alternatives.
    main: MoveNumber,
}

impl Variations {
    /// The number of the next move, if it must be written.
    fn next_move(&mut self) -> Option<String> {
        let (next, last, is_interrupted) = self.stack.last_mut()?;
        let number = next.due(*is_interrupted);
        *last = *next;
        *next = next.next();
        *is_interrupted = false;
        number
    }

    fn note(&mut self, fragment: &Fragment) {
        match fragment {
            Fragment::Begin => {
                // A variation is an alternative to the move before it.
                let place = self.stack.last().map_or(self.main, |(_, last, _)| *last);
                self.stack.push((place, place, true));
            }
            Fragment::End => {
                self.stack.pop();
                if let Some((_, _, is_interrupted)) = self.stack.last_mut() {
                    *is_interrupted = true;
                }
            }
            Fragment::Comment(_) => {
                if let Some((_, _, is_interrupted)) = self.stack.last_mut() {
                    *is_interrupted = true;
                }
            }
            Fragment::Move(_) | Fragment::Nag(_) => {}
        }
    }
}

/// A better line as words, with move numbers.
pub(super) fn better(board: &Board, line: &[Move]) -> Vec<String> {
    pgn::line(board, line.iter().take(BETTER_PLIES))
}

/// Whether a variation among the fragments begins with the moves of `line`. An earlier analysis or the author may have
/// written it.
fn is_there(fragments: &[Fragment], line: &[String]) -> bool {
    let moves: Vec<&String> = line.iter().filter(|word| !word.ends_with('.')).collect();
    let starts = (0..fragments.len()).filter(|index| fragments[*index] == Fragment::Begin);
    starts.into_iter().any(|start| {
        let mut depth = 0;
        let mut found = Vec::new();
        for fragment in &fragments[start + 1..] {
            match fragment {
                Fragment::Begin => depth += 1,
                Fragment::End if depth == 0 => break,
                Fragment::End => depth -= 1,
                Fragment::Move(san) if depth == 0 => found.push(san.san.to_string()),
                _ => {}
            }
        }
        found.len() >= moves.len()
            && found.iter().zip(&moves).all(|(a, b)| a == b.trim_end_matches(['+', '#']))
    })
}

/// A comment without its evaluations.
fn without_evaluation(comment: &str) -> String {
    let mut text = comment.to_owned();
    while let Some(start) = text.find("[%eval") {
        let end = text[start..].find(']').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An evaluation as `[%eval 0.25]` or `[%eval #-3]`.
fn command(evaluation: &Evaluation) -> String {
    format!("[%eval {}]", pawns(evaluation.value))
}

/// An evaluation in pawns, or a mate.
fn pawns(value: Value) -> String {
    match value {
        Value::Mate { winner, moves } => {
            let sign = if moves == 0 { "" } else { winner.fold_wb("", "-") };
            format!("#{sign}{moves}")
        }
        Value::Centipawns(centipawns) => {
            let sign = if centipawns < 0 { "-" } else { "" };
            format!("{sign}{}.{:02}", centipawns.unsigned_abs() / 100, centipawns.unsigned_abs() % 100)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::assessment::tests::assessment;
    use super::super::setting::tests::setting;
    use super::*;
    use crate::chess::types::{Score, WinModel};

    fn written(text: &str, found: &[Option<(i32, &str)>]) -> String {
        let mut out = Vec::new();
        write(&mut out, &assessment(text, found), &setting()).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The moves alone, in one line.
    fn moves(text: &str, found: &[Option<(i32, &str)>]) -> String {
        let text = written(text, found);
        text.split_once("\n\n").unwrap().1.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// White's score as the comments show it, with all the material of the first position on the board.
    fn shown(score: i32) -> String {
        let material = Board::startpos().material();
        pawns(Value::Centipawns(WinModel::FITTED.normalized(Score::new(score), material).value()))
    }

    #[test]
    fn moves_get_evaluations_glyphs_and_better_lines() {
        let found = [
            Some((0, "e4 e5")),
            Some((0, "e5")),
            Some((0, "Nf3 Nc6 Bb5")),
            Some((700, "Nc6")),
            Some((-700, "Ke2")),
        ];
        let lost = shown(-700);
        assert_eq!(
            moves("1. e4 e5 2. Qh5 Nc6 *", &found),
            format!(
                "{{ [%eval 0.00] }} 1. e4 {{ [%eval 0.00] }} 1... e5 {{ [%eval 0.00] }} 2. Qh5 $4 {{ [%eval {lost}] }} \
                 ( 2. Nf3 Nc6 3. Bb5 ) 2... Nc6 {{ [%eval {lost}] }} *"
            )
        );
    }

    #[test]
    fn mates_are_whites_and_one_on_the_board_is_0() {
        let mate = |plies: i32| Some((32_000 - plies, "f6"));
        let found =
            [None, None, None, mate(3), Some((-31_998, "")), Some((31_999, "Qh4")), Some((-32_000, ""))];
        let text = moves("1. f3 e5 2. a3 Nc6 3. g4 Qh4# 0-1", &found);
        assert_eq!(
            text,
            "1. f3 e5 2. a3 { [%eval #-2] } 2... Nc6 { [%eval #-1] } 3. g4 { [%eval #-1] } 3... Qh4# { [%eval #0] } 0-1"
        );
    }

    #[test]
    fn comments_and_variations_of_the_author_are_kept() {
        let text = "{start} 1. e4 $1 {good [%eval 3.5] [%clk 0:05:00]} (1. d4 d5 {solid} 2. c4 (2. Bf4 $14) 2... e6) {more \
                    [%eval 1]} 1... e5 (1... c5) *";
        let none = [None, None, None];
        assert_eq!(
            moves(text, &none),
            "{ start } 1. e4 $1 { good [%eval 3.5] [%clk 0:05:00] } ( 1. d4 d5 { solid } 2. c4 ( 2. Bf4 $14 ) 2... e6 ) \
             { more [%eval 1] } 1... e5 ( 1... c5 ) *"
        );
        let found = [Some((10, "e4")), Some((-10, "e5")), Some((10, "Nf3"))];
        let text = moves(text, &found);
        let eval = format!("[%eval {}]", shown(10));
        let start = format!("{{ {eval} start }} 1. e4 $1 {{ {eval} good [%clk 0:05:00] }} ( 1. d4 d5");
        assert!(text.starts_with(&start), "{text}");
        assert!(text.ends_with(&format!(" ) {{ more }} 1... e5 {{ {eval} }} ( 1... c5 ) *")), "{text}");
    }

    /// A second analysis adds nothing twice.
    #[test]
    fn existing_glyphs_and_lines_are_not_repeated() {
        let found = [Some((0, "e4 e5")), Some((0, "e5 Nf3")), Some((700, "Nf3 Nc6"))];
        let once = written("1. e4 f6 *", &found);
        assert!(once.contains("f6 $4") && once.contains("( 1... e5 2.\nNf3 )"), "{once}");
        assert_eq!(written(&once, &found), once);
    }

    #[test]
    fn tags_are_kept_escaped_and_completed() {
        let text = "[White \"a \\\"b\\\" \\\\\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 30\"]\n\n30... Kd7 31. O-O 1/2-1/2";
        let text = written(text, &[None, None, None]);
        let expected = "[White \"a \\\"b\\\" \\\\\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 30\"]\n[Result \"1/2-1/2\"]\n\
                        [SetUp \"1\"]\n[Annotator \"Enfilade test, 100 nodes, table of 1 MiB\"]\n\n30... Kd7 31. O-O 1/2-1/2\n\n";
        assert_eq!(text, expected);
        let chess960 = "[FEN \"nnrbkrbq/pppppppp/8/8/8/8/PPPPPPPP/NNRBKRBQ w FCfc - 0 1\"]\n\n*";
        assert!(written(chess960, &[None]).contains("[Variant \"Chess960\"]\n"));
    }

    #[test]
    fn a_position_has_its_line_in_the_comment() {
        let text = moves("*", &[Some((20, "e4 e5 Nf3"))]);
        assert_eq!(text, format!("{{ [%eval {}] best line: 1. e4 e5 2. Nf3 }} *", shown(20)));
        assert_eq!(moves(&text, &[Some((20, "e4 e5 Nf3"))]), text, "not twice");
    }

    #[test]
    fn lines_have_at_most_80_columns() {
        let text = format!("{} *", "Nf3 Nf6 Ng1 Ng8 ".repeat(40));
        let found = vec![None; 161];
        let text = written(&text, &found);
        let lines: Vec<&str> = text.split_once("\n\n").unwrap().1.lines().collect();
        assert!(lines.len() > 10 && lines.iter().all(|line| line.len() <= 80));
    }

    #[test]
    fn zero_centipawns_are_written_without_a_minus_sign() {
        for (centipawns, text) in
            [(0, "0.00"), (-5, "-0.05"), (-100, "-1.00"), (1234, "12.34"), (-31_000, "-310.00")]
        {
            assert_eq!(pawns(Value::Centipawns(centipawns)), text);
        }
    }
}
