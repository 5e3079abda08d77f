//! The arguments of `duel`, `speedup` and `tune-threads` that say how a match of virtual threads is played.

use std::path::PathBuf;

use clap::Args;

use crate::engine::command::error::CliError;
use crate::engine::command::number::{self, JOBS, cores, within};
use crate::engine::config::range::{Spin, THREADS};
use crate::engine::selfplay::book;
use crate::engine::selfplay::virtual_player::TURN;
use crate::lab::duel::{MatchRules, Starts};

/// The size of each side's table in MiB, if neither a preset nor an argument sets it. Each game has two tables.
pub(crate) const HASH: usize = 32;

/// Threads of commands that need more than one: stagger policies and speed-ups have no meaning for one thread.
pub(crate) const SEVERAL_THREADS: Spin = Spin { min: 2, ..THREADS };

// A doc comment here would become the help of the whole command.
#[derive(Debug, Args)]
pub(crate) struct MatchArguments {
    /// Begin from the positions of an EPD file, or from the ends of the lines of a PGN file. Without it, openings are
    /// random
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Mean length of a thread's turn in nodes. Each turn has a random length from 0.5 to 1.5 times the mean
    #[arg(long, value_name = "NODES", default_value_t = TURN, value_parser = number::between(1u64, 1_000_000))]
    pub turn: u64,
    /// Seed of the openings and turns. The same seed gives the same games
    #[arg(long, default_value_t = 1, value_parser = number::from(0u64))]
    pub seed: u64,
    /// Number of games played at the same time. Without it, the number of cores
    #[arg(long, value_name = "N", value_parser = within(JOBS))]
    pub jobs: Option<usize>,
    /// Keep each pair of games in a file. If it has pairs of an earlier run, they are not played again; the settings
    /// must be the same
    #[arg(long, value_name = "FILE.csv")]
    pub log: Option<PathBuf>,
}

impl MatchArguments {
    /// How `games` games are played, two from each start position.
    pub(crate) fn rules(&self, games: u64) -> Result<MatchRules, CliError> {
        let (starts, openings) = match &self.book {
            Some(path) => {
                let boards = book::read(path)?;
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                (Starts::book(boards, self.seed), name)
            }
            None => (Starts::Random, "random openings".to_owned()),
        };
        Ok(MatchRules {
            openings,
            starts,
            turn: self.turn,
            seed: self.seed,
            pairs: games.div_ceil(2),
            jobs: self.jobs.unwrap_or_else(cores),
        })
    }
}
