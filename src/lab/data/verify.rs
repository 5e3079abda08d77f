//! `enfilade data verify`: reads and replays every game of every shard.

use std::io::Write;

use super::shards::ShardArguments;
use crate::base::console;
use crate::base::text::grouped;
use crate::engine::command::error::CliError;
use crate::lab::datagen::shard;

/// Prints a line for each shard and a line for each damage in it. Reads on after a damage. Fails at the end if there
/// was any damage.
pub(super) fn run(arguments: &ShardArguments) -> Result<(), CliError> {
    let mut out = console::stdout();
    let mut damaged = 0;
    let shards = shard::list_all(&arguments.paths)?;
    for path in &shards {
        let (mut games, mut positions) = (0u64, 0u64);
        let damages = shard::read(path, |game| {
            games += 1;
            positions += game.plies.len() as u64;
        })?;
        let verdict = if damages.is_empty() { "sound" } else { "DAMAGED" };
        writeln!(
            out,
            "{}: {} games, {} positions, {verdict}",
            path.display(),
            grouped(games),
            grouped(positions)
        )?;
        for damage in &damages {
            writeln!(out, "{damage}")?;
        }
        damaged += usize::from(!damages.is_empty());
    }
    if damaged > 0 {
        return Err(CliError::Check(format!("{damaged} of {} shards are damaged", shards.len())));
    }
    Ok(())
}
