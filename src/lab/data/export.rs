//! `enfilade data export`: positions as lines of text, `FEN | score | result`.

use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;

use super::reading::Reading;
use crate::base::console;
use crate::base::file::{FileError, Replacement, stream};
use crate::chess::board::Board;
use crate::engine::command::error::CliError;
use crate::engine::command::number;
use crate::engine::selfplay::record::{GameRecord, GameResult, Ply};
use crate::lab::datagen::shard;
use crate::lab::train::filter::Filter;

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// Directories of games, or single files, as `datagen` writes them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// File or pipe for the lines; without it, standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write at most this many lines
    #[arg(long, value_name = "N", value_parser = number::from(0u64))]
    pub limit: Option<u64>,
    /// Write only positions that training uses by default; the table "filter" of configs/train-512.toml names them
    #[arg(long)]
    pub filtered: bool,
}

/// Writes the positions that have a label. The score in centipawns of the search's unit and the result (1, 0.5 or 0;
/// `*` if the result tells nothing about the position) are from White's point of view. A pipe or a device, as in `--out
/// /dev/stdout`, receives the lines one by one. A file appears in its place only when it is complete.
pub(super) fn run(arguments: &ExportArguments) -> Result<(), CliError> {
    let shards = shard::list_all(&arguments.paths)?;
    let Some(path) = &arguments.out else {
        return export(arguments, &shards, console::stdout().telling(), CliError::Output);
    };
    let because = |source| FileError::because("cannot write", path)(source).into();
    match stream(path)? {
        Some(stream) => export(arguments, &shards, stream, because),
        None => {
            let mut file = Replacement::begin(path)?;
            export(arguments, &shards, &mut file, because)?;
            Ok(file.finish()?)
        }
    }
}

/// Writes the positions to `sink`. `because` converts an error of `sink`.
fn export(
    arguments: &ExportArguments,
    shards: &[PathBuf],
    sink: impl Write,
    because: impl Fn(io::Error) -> CliError,
) -> Result<(), CliError> {
    let filter = arguments.filtered.then(Filter::default);
    let mut exporter =
        Exporter { out: BufWriter::new(sink), left: arguments.limit.unwrap_or(u64::MAX), filter };
    let mut reading = Reading::default();
    for path in shards {
        let mut written = Ok(ControlFlow::Continue(()));
        let damages = reading.shard(path, |game| {
            if let Ok(ControlFlow::Continue(())) = written {
                written = exporter.game(&game);
            }
        })?;
        let flow = written.map_err(&because)?;
        for damage in damages {
            console::warn(damage);
        }
        if flow.is_break() {
            break;
        }
    }
    exporter.out.flush().map_err(because)?;
    reading.finish()
}

struct Exporter<W: Write> {
    out: BufWriter<W>,
    /// The number of lines that may still be written.
    left: u64,
    filter: Option<Filter>,
}

impl<W: Write> Exporter<W> {
    /// Writes the positions of a game. Breaks if no more lines may be written.
    fn game(&mut self, game: &GameRecord) -> io::Result<ControlFlow<()>> {
        let mut number = 0;
        let mut written = Ok(());
        game.for_each(|board, ply| {
            let passes =
                ply.is_label && self.filter.as_ref().is_none_or(|filter| filter.admits(board, number, ply));
            if passes && self.left > 0 && written.is_ok() {
                self.left -= 1;
                written = line(&mut self.out, board, ply, game.result_at(number));
            }
            number += 1;
        });
        written?;
        Ok(if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

fn line(out: &mut impl Write, board: &Board, ply: &Ply, result: Option<GameResult>) -> io::Result<()> {
    let fen = board.fen(board.has_chess960_castling());
    let result = result.map_or("*".to_owned(), |result| result.white_share().to_string());
    writeln!(out, "{fen} | {} | {result}", ply.score)
}
