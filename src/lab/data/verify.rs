//! `enfilade data verify`: reads and replays every game of every shard.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::shards::ShardArguments;
use crate::base::console;
use crate::base::text::grouped;
use crate::engine::command::error::CliError;
use crate::engine::command::json_arguments::JsonArguments;
use crate::lab::datagen::shard;

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub shards: ShardArguments,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// What all shards hold.
#[derive(Serialize)]
struct VerifyReport {
    shards: Vec<ShardVerdict>,
    damaged: usize,
}

/// What a shard holds.
#[derive(Serialize)]
struct ShardVerdict {
    file: PathBuf,
    games: u64,
    positions: u64,
    damages: Vec<String>,
}

/// Reads on after a damage. Fails at the end if there was any damage.
pub(super) fn run(arguments: &VerifyArguments) -> Result<(), CliError> {
    arguments.json.check()?;
    let mut shards = Vec::new();
    for path in shard::list_all(&arguments.shards.paths)? {
        let verdict = verify(path)?;
        if !arguments.json.is_printed() {
            print(&mut console::stdout(), &verdict)?;
        }
        shards.push(verdict);
    }
    let damaged = shards.iter().filter(|verdict| !verdict.damages.is_empty()).count();
    let report = VerifyReport { shards, damaged };
    arguments.json.write(&report)?;
    if damaged > 0 {
        return Err(CliError::Check(format!("{damaged} of {} shards are damaged", report.shards.len())));
    }
    Ok(())
}

fn verify(file: PathBuf) -> Result<ShardVerdict, CliError> {
    let (mut games, mut positions) = (0, 0);
    let damages = shard::read(&file, |game| {
        games += 1;
        positions += game.plies.len() as u64;
    })?;
    Ok(ShardVerdict { file, games, positions, damages })
}

/// Prints a line for the shard, and a line for each damage in it.
fn print(
    out: &mut impl Write,
    ShardVerdict { file, games, positions, damages }: &ShardVerdict,
) -> io::Result<()> {
    let verdict = if damages.is_empty() { "sound" } else { "DAMAGED" };
    let (games, positions) = (grouped(*games), grouped(*positions));
    writeln!(out, "{}: {games} games, {positions} positions, {verdict}", file.display())?;
    damages.iter().try_for_each(|damage| writeln!(out, "{damage}"))
}
