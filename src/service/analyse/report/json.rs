//! Writes the games as JSON, one line for each.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::super::assessment::{AssessedLine, Assessment, Figures, Position, Verdict};
use super::super::job::Variant;
use super::super::judgment::{Evaluation, Value};
use super::setting::Setting;
use crate::chess::board::Color;
use crate::chess::pgn::TagPair;
use crate::engine::command::json_arguments::{JsonLimits, JsonScore};

#[derive(Serialize)]
struct JsonGame<'a> {
    game: u64,
    tags: Tags<'a>,
    variant: Variant,
    result: &'a str,
    engine: &'a str,
    network: &'a str,
    limits: AnalysisLimits,
    players: Players,
    start: Start,
    moves: Vec<JsonMove>,
}

/// The tags in their order. Of several tags with one name only the first is written.
struct Tags<'a>(&'a [TagPair]);

impl Serialize for Tags<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (index, pair) in self.0.iter().enumerate() {
            if self.0[..index].iter().all(|known| known.name != pair.name) {
                map.serialize_entry(&pair.name, &pair.value)?;
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
struct AnalysisLimits {
    #[serde(flatten)]
    each: JsonLimits,
    multipv: usize,
    hash: usize,
}

#[derive(Serialize)]
struct Players {
    white: JsonPlayer,
    black: JsonPlayer,
}

#[derive(Serialize)]
struct JsonPlayer {
    moves: usize,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
    average_loss: Option<f64>,
    accuracy: Option<f64>,
}

#[derive(Serialize)]
struct Start {
    fen: String,
    #[serde(flatten)]
    search: Option<Search>,
}

#[derive(Serialize)]
struct JsonMove {
    ply: usize,
    number: u32,
    color: &'static str,
    san: String,
    uci: String,
    #[serde(flatten)]
    search: Option<Search>,
    #[serde(flatten)]
    verdict: Option<Judged>,
}

/// The search result of the position after a move, from White's point of view.
#[derive(Serialize)]
struct Search {
    eval: JsonScore,
    wdl: [u32; 3],
    /// Lichess's Win% of White.
    win: f64,
    best: Option<String>,
    line: Vec<String>,
    depth: i32,
    seldepth: usize,
    nodes: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<Alternative>,
}

/// A line after the best one.
#[derive(Serialize)]
struct Alternative {
    eval: JsonScore,
    wdl: [u32; 3],
    depth: i32,
    line: Vec<String>,
}

/// The verdict on a move.
#[derive(Serialize)]
struct Judged {
    loss: f64,
    accuracy: f64,
    judgment: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    better: Option<Vec<String>>,
}

/// Writes a game and a line end.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write(out: &mut dyn Write, report: &Assessment, setting: &Setting) -> io::Result<()> {
    let effort = setting.basis.effort;
    let [white, black] = report.players.each_ref().map(player);
    let variant = Variant::of(&report.game);
    let game = JsonGame {
        game: report.number,
        tags: Tags(&report.game.tags),
        variant,
        result: report.game.result.text(),
        engine: &setting.engine,
        network: &setting.basis.fingerprint.network,
        limits: AnalysisLimits {
            each: JsonLimits { nodes: effort.nodes, depth: effort.depth, movetime: effort.movetime },
            multipv: effort.lines,
            hash: effort.hash,
        },
        players: Players { white, black },
        start: Start {
            fen: report.boards[0].fen(report.game.is_chess960),
            search: report.positions[0].as_ref().map(|position| search(position, variant)),
        },
        moves: (0..report.game.moves.len()).map(|index| played(report, index, variant)).collect(),
    };
    serde_json::to_writer(&mut *out, &game)?;
    out.write_all(b"\n")
}

fn player(figures: &Figures) -> JsonPlayer {
    let [inaccuracies, mistakes, blunders] = figures.judgments;
    JsonPlayer {
        moves: figures.moves,
        inaccuracies,
        mistakes,
        blunders,
        average_loss: figures.average_loss.map(rounded),
        accuracy: figures.accuracy.map(rounded),
    }
}

fn played(report: &Assessment, index: usize, variant: Variant) -> JsonMove {
    let board = &report.boards[index];
    let mv = report.game.moves[index].mv;
    let better = report.better_line(index).map(|line| line.iter().map(|mv| variant.uci(*mv)).collect());
    JsonMove {
        ply: index + 1,
        number: board.fullmove(),
        color: board.turn().fold_wb("white", "black"),
        san: board.to_san(mv),
        uci: variant.uci(mv),
        search: report.positions[index + 1].as_ref().map(|position| search(position, variant)),
        verdict: report.moves[index].as_ref().map(|verdict| judged(verdict, better)),
    }
}

fn judged(verdict: &Verdict, better: Option<Vec<String>>) -> Judged {
    Judged {
        loss: rounded(verdict.loss),
        accuracy: rounded(verdict.accuracy),
        judgment: verdict.judgment.map(|judgment| judgment.name()),
        better,
    }
}

fn search(position: &Position, variant: Variant) -> Search {
    let uci = |line: &AssessedLine| line.moves.iter().map(|mv| variant.uci(*mv)).collect::<Vec<_>>();
    let best = &position.lines[0];
    let alternative = |line: &AssessedLine| Alternative {
        eval: score(&line.evaluation),
        wdl: line.evaluation.wdl,
        depth: line.depth,
        line: uci(line),
    };
    Search {
        eval: score(&position.evaluation),
        wdl: position.evaluation.wdl,
        win: rounded(position.evaluation.win()),
        best: best.moves.first().map(|mv| variant.uci(*mv)),
        line: uci(best),
        depth: best.depth,
        seldepth: best.seldepth,
        nodes: position.nodes,
        lines: position.lines[1..].iter().map(alternative).collect(),
    }
}

/// The score from White's point of view. A mate by Black is negative. A mate on the board is 0.
fn score(evaluation: &Evaluation) -> JsonScore {
    match evaluation.value {
        Value::Centipawns(centipawns) => JsonScore::Cp(centipawns),
        Value::Mate { winner, moves } => {
            JsonScore::Mate(if winner == Color::White { moves as i32 } else { -(moves as i32) })
        }
    }
}

/// Rounds to two decimals, so that machines whose exponentials differ in the last digit write the same.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::super::assessment::tests::assessment;
    use super::super::setting::tests::setting;
    use super::*;

    fn written(text: &str, found: &[Option<(i32, &str)>]) -> Json {
        let mut out = Vec::new();
        write(&mut out, &assessment(text, found), &setting()).unwrap();
        assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1);
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn a_line_of_json_has_the_results_of_the_game() {
        let found = [Some((0, "e4 e5")), Some((0, "e5 Nf3")), Some((700, "Nf3 Nc6"))];
        let text = "[White \"a\\\"b\\nc\"]\n[White \"x\"]\n\n1. e4 f6 1-0";
        let game = written(text, &found);
        assert_eq!(game["tags"], json!({"White": "a\"b\\nc"}));
        assert_eq!(
            (&game["game"], &game["result"], &game["variant"]),
            (&json!(1), &json!("1-0"), &json!("standard"))
        );
        assert_eq!(game["limits"], json!({"nodes": 100, "multipv": 1, "hash": 1}));
        assert_eq!(game["start"]["eval"], json!({"cp": 0}));
        let last = &game["moves"][1];
        assert_eq!(last["san"], "f6");
        assert_eq!(
            (&last["ply"], &last["number"], &last["color"], &last["uci"]),
            (&json!(2), &json!(1), &json!("black"), &json!("f7f6"))
        );
        assert_eq!(last["line"], json!(["g1f3", "b8c6"]));
        assert_eq!((&last["best"], &last["depth"], &last["nodes"]), (&json!("g1f3"), &json!(7), &json!(100)));
        assert_eq!((&last["judgment"], &last["better"]), (&json!("blunder"), &json!(["e7e5", "g1f3"])));
        assert_eq!(
            last["wdl"].as_array().unwrap().iter().map(|part| part.as_u64().unwrap()).sum::<u64>(),
            1000
        );
        assert_eq!(game["players"]["black"]["blunders"], 1);
        assert_eq!(game["players"]["white"]["accuracy"], 100.0);
        assert_eq!(game["moves"][0]["judgment"], Json::Null);
    }

    #[test]
    fn positions_that_were_not_analysed_have_no_evaluation() {
        let game = written("1. e4 f6 *", &[None, None, Some((31_990, "Nf3"))]);
        assert!(game["start"].get("eval").is_none() && game["moves"][0].get("eval").is_none());
        assert_eq!(game["moves"][1]["eval"], json!({"mate": 5}));
        assert!(game["moves"][1].get("judgment").is_none());
        assert_eq!(game["players"]["black"]["accuracy"], Json::Null);
    }
}
