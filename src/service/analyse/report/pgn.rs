//! Writes the games as PGN: the original games with evaluations, which lichess and python-chess can read, with glyphs
//! and with better lines.

use std::io::{self, Write};

use super::super::assessment::Assessment;
use super::super::judgment::{Evaluation, Value};
use super::setting::Setting;
use crate::chess::board::{Board, Move};
use crate::chess::pgn::writer::{self, MoveNumber, PgnWriter};
use crate::chess::pgn::{Annotation, GameEnd, GameVariation, TagPair};

/// The names of tags that readers of a file need, as the standard spells them.
const NAMES: [&str; 11] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result", "SetUp", "FEN", "Variant", "Annotator"];

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
    out.write_all(pgn.finish(report.game.result.text()).as_bytes())
}

/// The game's own tags, and those that readers of the file need. Many readers know a tag by one spelling alone. They
/// read the result from its tag, so it says what counts. A tag with other words, such as "White resigns", stays.
fn tags(report: &Assessment, setting: &Setting) -> Vec<(String, String)> {
    let result = report.game.result.text();
    let spelled = |pair @ TagPair { name, value }: &TagPair| {
        let known = NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name));
        let is_result = pair.is("Result") && GameEnd::of_tag(value).is_some();
        (known.unwrap_or(name).to_owned(), if is_result { result } else { value.as_str() }.to_owned())
    };
    let mut tags: Vec<(String, String)> = report.game.tags.iter().map(spelled).collect();
    let mut add = |name: &str, value: String| {
        if !tags.iter().any(|(known, _)| known == name) {
            tags.push((name.to_owned(), value));
        }
    };
    add("Result", result.to_owned());
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
    let mut before = game.before.clone();
    // An earlier analysis may have written the same line.
    let is_there = |line: &String| {
        before.iter().any(|part| matches!(part, Annotation::Comment(text) if text.ends_with(line.as_str())))
    };
    let line = best_line(report).filter(|line| !is_there(line)).map(Annotation::Comment);
    before.extend(line);
    annotations(pgn, &before, evaluation(0), &report.boards[0], None);
    let mut is_interrupted = true;
    for (index, played) in game.moves.iter().enumerate() {
        let board = &report.boards[index];
        pgn.mv(board, played.mv, is_interrupted);
        if let Some(judgment) = report.moves[index].and_then(|verdict| verdict.judgment)
            && !has_opinion(&played.after)
        {
            pgn.word(&format!("${}", judgment.nag()));
        }
        let better = report.better_line(index);
        is_interrupted = annotations(pgn, &played.after, evaluation(index + 1), board, better);
    }
}

/// Whether the author has judged the move, by a glyph from `!` to `?!`. Another judgment would contradict this one.
pub(super) fn has_opinion(annotations: &[Annotation]) -> bool {
    annotations.iter().any(|part| matches!(part, Annotation::Glyph(1..=6)))
}

/// The best line of a game without moves, as a comment: there is no move to which a variation could be an alternative.
fn best_line(report: &Assessment) -> Option<String> {
    let position = report.positions[0].as_ref().filter(|_| report.game.moves.is_empty())?;
    let line = better(&report.boards[0], &position.lines[0].moves).join(" ");
    (!line.is_empty()).then(|| format!("best line: {line}"))
}

/// Writes what stands between two moves of the main line: glyphs, the evaluation in the first comment, what the author
/// wrote, and the better line. `board` is the position before the first of the two. Returns whether anything but
/// glyphs was written.
fn annotations(
    pgn: &mut PgnWriter,
    annotations: &[Annotation],
    evaluation: Option<String>,
    board: &Board,
    better_line: Option<&[Move]>,
) -> bool {
    let glyphs = annotations.iter().take_while(|part| matches!(part, Annotation::Glyph(_))).count();
    let (glyphs, mut rest) = annotations.split_at(glyphs);
    put_all(pgn, glyphs, board);
    let mut comment = String::new();
    if let [Annotation::Comment(text), others @ ..] = rest {
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
    for part in rest {
        match part {
            // Another evaluation of the same move would contradict ours.
            Annotation::Comment(text) if evaluation.is_some() => {
                let kept = without_evaluation(text);
                if !kept.is_empty() {
                    put_comment(pgn, &kept);
                }
            }
            other => put(pgn, other, board),
        }
    }
    let better_line = better_line.filter(|line| !is_there(rest, line));
    if let Some(line) = better_line {
        pgn.word("(");
        better(board, line).iter().for_each(|word| pgn.word(word));
        pgn.word(")");
    }
    has_comment || better_line.is_some() || !rest.is_empty()
}

/// Writes annotations as they are. `board` is the position before the move at which they stand.
fn put_all(pgn: &mut PgnWriter, annotations: &[Annotation], board: &Board) {
    annotations.iter().for_each(|part| put(pgn, part, board));
}

fn put(pgn: &mut PgnWriter, annotation: &Annotation, board: &Board) {
    match annotation {
        Annotation::Glyph(number) => pgn.word(&format!("${number}")),
        Annotation::Comment(text) => put_comment(pgn, text),
        Annotation::Word(word) => pgn.word(word),
        Annotation::Variation(variation) => put_variation(pgn, variation, board),
    }
}

fn put_comment(pgn: &mut PgnWriter, text: &str) {
    // A comment to the end of a line may contain the bracket that would end this one.
    pgn.word(&format!("{{ {} }}", text.replace('}', ")")));
}

/// Writes a variation from `board`. A null move is written as most programs know it.
fn put_variation(pgn: &mut PgnWriter, variation: &GameVariation, board: &Board) {
    pgn.word("(");
    put_all(pgn, &variation.before, board);
    let mut board = board.clone();
    let mut is_interrupted = true;
    for played in &variation.moves {
        match played.mv {
            Some(mv) => pgn.mv(&board, mv, is_interrupted),
            None => {
                if let Some(number) = MoveNumber::of(&board).due(is_interrupted) {
                    pgn.word(&number);
                }
                pgn.word("--");
            }
        }
        put_all(pgn, &played.after, &board);
        is_interrupted = played.after.iter().any(|part| !matches!(part, Annotation::Glyph(_)));
        board = played.position_after(&board);
    }
    pgn.word(")");
}

/// A better line as words, with move numbers.
pub(super) fn better(board: &Board, line: &[Move]) -> Vec<String> {
    writer::line(board, line.iter().take(BETTER_PLIES))
}

/// Whether a variation among the annotations begins with the moves of `line`. An earlier analysis or the author may
/// have written it.
fn is_there(annotations: &[Annotation], line: &[Move]) -> bool {
    let line = &line[..line.len().min(BETTER_PLIES)];
    annotations.iter().any(|part| match part {
        Annotation::Variation(GameVariation { moves, .. }) => {
            moves.len() >= line.len() && line.iter().zip(moves).all(|(mv, played)| played.mv == Some(*mv))
        }
        _ => false,
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

    /// Null moves and unknown words once vanished from variations, so that the moves behind them had another meaning.
    #[test]
    fn what_is_not_understood_is_written_back() {
        let text =
            "1. e4 $300 e5 2. Nf3 (2. @@@@ d5 3. -- dxe4) (2. Sf3 {why?} Nc6 (2... d6)) 2... Nc6 (=) *";
        let written = moves(text, &[None, None, None, None, None]);
        assert_eq!(
            written,
            "1. e4 $300 1... e5 2. Nf3 ( 2. -- d5 3. -- dxe4 ) ( Sf3 { why? } Nc6 ( 2... d6 ) ) 2... Nc6 (=) *"
        );
        assert_eq!(moves(&written, &[None, None, None, None, None]), written, "the same again");
    }

    #[test]
    fn the_author_keeps_the_last_word_on_a_move() {
        let found = [Some((0, "e4 e5")), Some((0, "e5 Nf3")), Some((700, "Nf3 Nc6"))];
        assert!(written("1. e4 f6! *", &found).contains("f6 $1 {"));
        assert!(written("1. e4 f6 $14 *", &found).contains("f6 $4 $14 {"));
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
    fn the_tag_of_the_result_says_what_counts() {
        for (tag, end, expected) in [
            ("1 - 0", "*", "1-0"),
            ("½–½", "1/2-1/2", "1/2-1/2"),
            ("*", "0-1", "0-1"),
            ("1-0", "0-1", "0-1"),
            ("White resigns", "0-1", "White resigns"),
        ] {
            let text = written(&format!("[result \"{tag}\"]\n\n1. e4 {end}"), &[None, None]);
            assert!(text.starts_with(&format!("[Result \"{expected}\"]\n")), "{text}");
        }
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
