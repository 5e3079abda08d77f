//! `enfilade data info`: counts games, positions, results, pieces, scores and lengths, as a table for people or as JSON
//! for programs.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::reading::Reading;
use super::shards::ShardArguments;
use crate::base::console;
use crate::base::text::grouped;
use crate::chess::board::Board;
use crate::chess::types::Score;
use crate::engine::command::error::CliError;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::selfplay::record::{GameRecord, Ply};
use crate::lab::datagen::shard;
use crate::lab::train::filter::Filter;

#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    #[command(flatten)]
    pub shards: ShardArguments,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// The upper ends of the classes of the number of pieces, inclusive. Kings and pawns count.
const PIECES: [usize; 6] = [7, 12, 17, 22, 27, 32];
/// The upper ends of the classes of absolute scores in centipawns, inclusive. Scores beyond the last are mates and
/// tablebase results.
const SCORES: [i32; 8] = [20, 50, 100, 200, 400, 800, 2_000, Score::TABLEBASE_BOUND.value() - 1];
/// The upper ends of the classes of searched plies in a game, inclusive.
const LENGTHS: [usize; 6] = [40, 80, 120, 160, 240, usize::MAX];

/// The finished report. It is printed as JSON as it is.
#[derive(Serialize, Default)]
struct DataReport {
    shards: Vec<PathBuf>,
    games: u64,
    /// Games of older versions, whose scores contain the fades of the evaluation.
    faded: u64,
    /// Positions with a move.
    positions: u64,
    /// How many of these positions have a score to learn from.
    labels: u64,
    /// How many of the labels have a result to learn from, too.
    with_result: u64,
    /// How many of the labels pass the training's default filter.
    filtered: u64,
    damages: Vec<String>,
    /// White's wins, draws and Black's wins.
    results: [u64; 3],
    pieces: Vec<Class>,
    scores: Vec<Class>,
    /// The mean of the labels from White's point of view, in centipawns, without mates and tablebase results.
    mean_score: f64,
    lengths: Vec<Class>,
    /// The mean number of searched plies in a game.
    mean_length: f64,
    longest: usize,
}

/// The number of values in a range.
#[derive(Serialize)]
struct Class {
    range: String,
    count: u64,
}

/// The counts while the shards are read.
#[derive(Default)]
struct Counts {
    games: u64,
    faded: u64,
    positions: u64,
    labels: u64,
    with_result: u64,
    filtered: u64,
    results: [u64; 3],
    pieces: [u64; PIECES.len()],
    scores: [u64; SCORES.len() + 1],
    score_sum: i64,
    lengths: [u64; LENGTHS.len()],
    longest: usize,
}

/// Reads the shards and prints the report.
pub(super) fn run(arguments: &InfoArguments) -> Result<(), CliError> {
    arguments.json.check()?;
    let shards = shard::list_all(&arguments.shards.paths)?;
    let filter = Filter::default();
    let mut counts = Counts::default();
    let mut damages = Vec::new();
    let mut reading = Reading::default();
    for path in &shards {
        damages.extend(reading.shard(path, |game| counts.game(&game, &filter))?);
    }
    let report = counts.report(shards, damages);
    arguments.json.write(&report)?;
    if !arguments.json.is_printed() {
        table(&mut console::stdout(), &report)?;
    }
    reading.finish()
}

impl Counts {
    fn game(&mut self, game: &GameRecord, filter: &Filter) {
        self.games += 1;
        self.faded += u64::from(game.is_faded);
        self.results[game.result.index()] += 1;
        let length = game.plies.len();
        self.lengths[class(&LENGTHS, length)] += 1;
        self.longest = self.longest.max(length);
        let mut number = 0;
        game.for_each(|board, ply| {
            self.position(board, ply);
            self.with_result += u64::from(ply.is_label && game.result_at(number).is_some());
            self.filtered += u64::from(ply.is_label && filter.admits(board, number, ply));
            number += 1;
        });
    }

    fn position(&mut self, board: &Board, ply: &Ply) {
        self.positions += 1;
        self.pieces[class(&PIECES, board.occupied().count())] += 1;
        if !ply.is_label {
            return;
        }
        self.labels += 1;
        let class = class(&SCORES, i32::from(ply.score).abs());
        self.scores[class] += 1;
        if class < SCORES.len() {
            self.score_sum += i64::from(ply.score);
        }
    }

    fn report(self, shards: Vec<PathBuf>, damages: Vec<String>) -> DataReport {
        let unproven = self.labels - self.scores[SCORES.len()];
        let mut scores = classes(&SCORES, 0, &self.scores[..SCORES.len()]);
        if let Some(last) = scores.last_mut() {
            last.range = format!("over {}", SCORES[SCORES.len() - 2]);
        }
        scores.push(Class { range: "proven".to_owned(), count: self.scores[SCORES.len()] });
        let mut lengths = classes(&LENGTHS, 1, &self.lengths);
        if let Some(last) = lengths.last_mut() {
            last.range = format!("over {}", LENGTHS[LENGTHS.len() - 2]);
        }
        DataReport {
            shards,
            games: self.games,
            faded: self.faded,
            positions: self.positions,
            labels: self.labels,
            with_result: self.with_result,
            filtered: self.filtered,
            damages,
            results: self.results,
            pieces: classes(&PIECES, 2, &self.pieces),
            scores,
            mean_score: self.score_sum as f64 / unproven.max(1) as f64,
            lengths,
            mean_length: self.positions as f64 / self.games.max(1) as f64,
            longest: self.longest,
        }
    }
}

/// The index of the class of `value`. `ends` holds the last value of each class. A value beyond all of them has the
/// index `ends.len()`.
fn class<T: PartialOrd>(ends: &[T], value: T) -> usize {
    ends.iter().position(|end| value <= *end).unwrap_or(ends.len())
}

fn classes<T: Copy + TryInto<i64>>(ends: &[T], first: i64, counts: &[u64]) -> Vec<Class> {
    let mut low = first;
    ends.iter()
        .zip(counts)
        .map(|(&end, &count)| {
            let end = end.try_into().unwrap_or(i64::MAX);
            let range = format!("{low} to {end}");
            low = end.saturating_add(1);
            Class { range, count }
        })
        .collect()
}

fn table(out: &mut impl Write, report: &DataReport) -> io::Result<()> {
    let DataReport {
        shards, games, faded, positions, labels, with_result, filtered, damages, results, ..
    } = report;
    let share = |count: u64, of: u64| 100.0 * count as f64 / of.max(1) as f64;
    let mut line = |name: &str, text: String| writeln!(out, "{name:<24}{text}");
    line("Shards", shards.len().to_string())?;
    line("Games", grouped(*games))?;
    line("Positions", grouped(*positions))?;
    let mut part = |name: &str, count: u64, of: u64| {
        line(name, format!("{} ({:.1}%)", grouped(count), share(count, of)))
    };
    part("Labels", *labels, *positions)?;
    part("  with a result", *with_result, *labels)?;
    part("  that pass the filter", *filtered, *labels)?;
    part("Games with faded scores", *faded, *games)?;
    line("Damages", damages.len().to_string())?;
    line("Mean score", format!("{:+.1} centipawns for White", report.mean_score))?;
    line("Game length", format!("{:.1} plies, {} at most", report.mean_length, report.longest))?;
    let results = ["White wins", "draw", "Black wins"].into_iter().zip(*results);
    let results: Vec<Class> =
        results.map(|(range, count)| Class { range: range.to_owned(), count }).collect();
    for (title, classes, of) in [
        ("Results", &results, *games),
        ("Pieces left, kings and pawns counted", &report.pieces, *positions),
        ("Absolute score in centipawns", &report.scores, *labels),
        ("Searched plies of a game", &report.lengths, *games),
    ] {
        writeln!(out, "\n{title}")?;
        for Class { range, count } in classes {
            let share = share(*count, of);
            let bar = "#".repeat((share / 2.5).round() as usize);
            let text = format!("  {range:<14}{:>13}{share:>7.1}%  {bar}", grouped(*count));
            writeln!(out, "{}", text.trim_end())?;
        }
    }
    for damage in damages {
        writeln!(out, "\n{damage}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_include_their_upper_ends() {
        assert_eq!([0, 20, 21, 50, 2_000, 2_001].map(|score| class(&SCORES, score)), [0, 0, 1, 1, 6, 7]);
        assert_eq!(class(&SCORES, Score::MATE.value()), SCORES.len());
        let named = classes(&PIECES, 2, &[1, 2, 3, 4, 5, 6]);
        assert_eq!(named.iter().map(|class| class.count).sum::<u64>(), 21);
        assert_eq!((named[0].range.as_str(), named[5].range.as_str()), ("2 to 7", "28 to 32"));
    }
}
