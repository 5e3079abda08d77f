//! Sums over all games: for each player with each color, and for each opening.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::super::assessment::{Assessment, Figures};
use super::parts::{escaped, percent, player, whole};
use crate::chess::board::Color;
use crate::chess::pgn::GameEnd;

/// The sums of some games of one side.
#[derive(Clone, Debug, Default)]
struct SideTotals {
    games: u64,
    /// Games with a result, and the side's points in them.
    decided: u64,
    points: f64,
    judgments: [usize; 3],
    accuracy: Mean,
    loss: Mean,
}

/// A mean over what is known.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, number: Option<f64>) {
        self.sum += number.unwrap_or(0.0);
        self.count += u64::from(number.is_some());
    }

    fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl SideTotals {
    fn add(&mut self, figures: &Figures, points: Option<f64>) {
        self.games += 1;
        self.decided += u64::from(points.is_some());
        self.points += points.unwrap_or(0.0);
        for (sum, count) in self.judgments.iter_mut().zip(figures.judgments) {
            *sum += count;
        }
        self.accuracy.add(figures.accuracy);
        self.loss.add(figures.average_loss);
    }

    fn cells(&self) -> String {
        let points =
            if self.decided > 0 { format!("{}/{}", self.points, self.decided) } else { "–".to_owned() };
        let [inaccuracies, mistakes, blunders] = self.judgments;
        format!(
            "<td class=\"extra\">{}</td><td>{points}</td><td>{}</td><td class=\"extra\">{}</td><td>{inaccuracies}</td><td>{mistakes}</td><td>{blunders}</td>",
            self.games,
            percent(self.accuracy.value()),
            whole(self.loss.value())
        )
    }
}

/// The sums of all games so far.
#[derive(Debug, Default)]
pub struct Totals {
    players: BTreeMap<(String, &'static str), SideTotals>,
    openings: BTreeMap<String, [SideTotals; 2]>,
}

impl Totals {
    /// Counts a game.
    pub fn add(&mut self, report: &Assessment) {
        let white = match report.game.result {
            GameEnd::White => Some(1.0),
            GameEnd::Draw => Some(0.5),
            GameEnd::Black => Some(0.0),
            _ => None,
        };
        let opening =
            report.game.tag("Opening").or_else(|| report.game.tag("ECO")).filter(|name| *name != "?");
        for (index, side) in [Color::White, Color::Black].into_iter().enumerate() {
            let points = white.map(|points| side.fold_wb(points, 1.0 - points));
            let figures = &report.players[index];
            let name = (player(report, side).to_owned(), side.fold_wb("White", "Black"));
            self.players.entry(name).or_default().add(figures, points);
            if let Some(opening) = opening {
                self.openings.entry(opening.to_owned()).or_default()[index].add(figures, points);
            }
        }
    }

    /// The tables. There are none for a single game, which has all of this on its own page.
    pub(super) fn tables(&self) -> String {
        if self.players.values().map(|sums| sums.games).sum::<u64>() <= 2 {
            return String::new();
        }
        let head = |name: &str| {
            format!(
                "<h2>By {name}</h2>\n<div class=\"wide\"><table class=\"sortable\">\n<thead><tr><th class=\"text\">{}</th>\
                 <th class=\"text\">Color</th><th class=\"extra\">Games</th><th>Points</th><th>Accuracy</th><th class=\"extra\">Loss</th><th>?!</th><th>?</th>\
                 <th>??</th></tr></thead>\n<tbody>\n",
                if name == "player" { "Player" } else { "Opening" }
            )
        };
        let mut text = head("player");
        let row = |text: &mut String, name: &str, color: &str, sums: &SideTotals| {
            let _ = writeln!(
                text,
                "<tr><td class=\"text\"><bdi>{}</bdi></td><td class=\"text\">{color}</td>{}</tr>",
                escaped(name),
                sums.cells()
            );
        };
        for ((name, color), sums) in &self.players {
            row(&mut text, name, color, sums);
        }
        text.push_str("</tbody></table></div>\n");
        if !self.openings.is_empty() {
            text.push_str(&head("opening"));
            for (name, sides) in &self.openings {
                for (color, sums) in ["White", "Black"].into_iter().zip(sides) {
                    row(&mut text, name, color, sums);
                }
            }
            text.push_str("</tbody></table></div>\n");
        }
        text
    }
}
