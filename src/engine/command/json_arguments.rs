//! `--json` of the commands that report, and the parts that all reports have in common. docs/commands.md describes
//! their style for users.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::base::console;
use crate::base::file::{self, FileError, is_standard_output};
use crate::chess::board::Board;
use crate::chess::types::{Score, WinModel};
use crate::engine::command::error::CliError;
use crate::engine::run::Limits;

// A doc comment here would become the help of the whole command.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct JsonArguments {
    /// Print the report as JSON and nothing else; --json=FILE writes it to a file beside the usual output
    #[arg(
        long = "json",
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "-"
    )]
    place: Option<PathBuf>,
}

impl JsonArguments {
    /// JSON for this place.
    #[cfg(feature = "laboratory")]
    pub(crate) fn at(place: Option<PathBuf>) -> JsonArguments {
        JsonArguments { place }
    }

    /// Whether JSON takes the place of the usual output.
    pub(crate) fn is_printed(&self) -> bool {
        self.place.as_deref().is_some_and(is_standard_output)
    }

    /// Checks before hours of work whether the report can be written.
    pub(crate) fn check(&self) -> Result<(), FileError> {
        self.file().map_or(Ok(()), file::check_writable)
    }

    /// Writes the report, if one is wanted.
    pub(crate) fn write(&self, report: &impl Serialize) -> Result<(), CliError> {
        self.write_file(report)?;
        if self.is_printed() {
            let mut out = console::stdout();
            serde_json::to_writer_pretty(&mut out, report).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes the report if it goes to a file.
    pub(crate) fn write_file(&self, report: &impl Serialize) -> Result<(), FileError> {
        let Some(path) = self.file() else { return Ok(()) };
        let text = serde_json::to_string_pretty(report).expect("a report is made of numbers and texts");
        file::replace(path, format!("{text}\n").as_bytes())
    }

    fn file(&self) -> Option<&Path> {
        self.place.as_deref().filter(|path| !is_standard_output(path))
    }
}

/// A score from White's point of view. A mate by Black is negative, and a mate on the board is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JsonScore {
    /// Normalized centipawns, see [`WinModel`].
    Cp(i32),
    /// Moves to the mate.
    Mate(i32),
}

impl JsonScore {
    /// The score of a search of `board`.
    pub(crate) fn of(score: Score, board: &Board) -> JsonScore {
        let sign = board.turn().fold_wb(1, -1);
        let score = WinModel::FITTED.normalized(score, board.material());
        match score.mate_moves() {
            Some(moves) => JsonScore::Mate(sign * moves),
            None => JsonScore::Cp(sign * score.value()),
        }
    }
}

/// The limits of searches, with UCI's names.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct JsonLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<i32>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
}

impl From<&Limits> for JsonLimits {
    fn from(limits: &Limits) -> JsonLimits {
        let movetime = limits.move_time.map(|time| time.as_millis() as u64);
        JsonLimits { nodes: limits.nodes, depth: limits.depth, movetime }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        json: JsonArguments,
    }

    #[test]
    fn json_goes_to_standard_output_or_to_the_file_behind_the_equals_sign() {
        for (line, is_printed, file) in [
            ("x a.epd", false, None),
            ("x a.epd --json", true, None),
            ("x --json a.epd", true, None),
            ("x --json=- a.epd", true, None),
            ("x --json=b.json a.epd", false, Some(Path::new("b.json"))),
        ] {
            let Command { file: input, json } = Command::parse_from(line.split(' '));
            assert_eq!((json.is_printed(), json.file()), (is_printed, file), "{line}");
            assert_eq!(input, Path::new("a.epd"));
        }
    }

    #[test]
    fn scores_are_from_whites_point_of_view() {
        let board = Board::from_fen("6k1/5ppp/8/8/8/8/8/4R1K1 b - - 0 1").unwrap().0;
        assert_eq!(JsonScore::of(Score::mate_in(3), &board), JsonScore::Mate(-2));
        assert!(matches!(JsonScore::of(Score::new(90), &board), JsonScore::Cp(cp) if cp < 0));
    }
}
