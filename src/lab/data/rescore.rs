//! `enfilade data rescore`: searches positions of games again, with more nodes than the moves had.
//!
//! Games of few nodes a move are cheap and reach many positions, but their scores know little. A label of a further
//! search costs only its nodes: no move must be found between two labels, and no position is searched that the training
//! would leave out.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use xxhash_rust::xxh3::xxh3_64;

use super::reading::Reading;
use crate::base::console;
use crate::base::crew;
use crate::base::file::{FileError, replace};
use crate::base::random::Random;
use crate::chess::board::Game;
use crate::engine::command::error::CliError;
use crate::engine::command::job_progress::{JobProgress, short};
use crate::engine::command::number::{self, threads};
use crate::engine::facade::Settings;
use crate::engine::selfplay::pace::{Pace, SoftNodes};
use crate::engine::selfplay::play::Player;
use crate::engine::selfplay::record::{GameRecord, Ply};
use crate::engine::selfplay::solo_player::{SoloPlayer, TABLE_MEBIBYTES};
use crate::lab::datagen::{shard, viriformat};
use crate::lab::train::filter::Filter;

#[derive(Debug, Args)]
pub(crate) struct RescoreArguments {
    /// Directories of games, or single files, as `datagen` writes them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Directory for the games with new scores, one file for each file that is read. Files that are there already are
    /// not made again
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Nodes for each position. No deeper iteration begins after this many nodes
    #[arg(long, default_value_t = 1_000, value_parser = number::from(1u64))]
    pub nodes: u64,
    /// Search one in this many of the positions that training uses by default. The others lose their labels
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = number::from(1u64))]
    pub one_in: u64,
    /// Files that are read at the same time
    #[arg(long, default_value_t = 1, value_parser = threads())]
    pub threads: usize,
    /// Seed of the choice of positions
    #[arg(long, default_value_t = 1, value_parser = number::from(0u64))]
    pub seed: u64,
}

/// Searches the positions of all files that have not been done yet.
pub(super) fn run(arguments: &RescoreArguments, settings: &Settings) -> Result<(), CliError> {
    let shards = shard::list_all(&arguments.paths)?;
    let out = &arguments.out;
    fs::create_dir_all(out).map_err(FileError::because("cannot make the directory", out))?;
    let mut tasks = Vec::new();
    for shard in shards {
        let target = out.join(shard.file_name().unwrap_or_default());
        if tasks.iter().any(|(other, _)| *other == target) {
            return Err(CliError::Usage(format!("two files would become {}", target.display())));
        }
        tasks.push((target, shard));
    }
    let all = tasks.len() as u64;
    tasks.retain(|(out, _)| !out.exists());
    let progress = JobProgress::new("files", all - tasks.len() as u64, all);
    let players = (0..arguments.threads.min(tasks.len()))
        .map(|_| SoloPlayer::new(SoftNodes::all(arguments.nodes), TABLE_MEBIBYTES, settings))
        .collect::<Result<Vec<SoloPlayer>, _>>()?;
    let work = |player: &mut SoloPlayer, number: u64| {
        let (out, shard) = &tasks[number as usize];
        rescore_file(player, shard, out, arguments)
    };
    let (mut labels, mut result) = (0, Ok(()));
    crew::share_out(players, 0..tasks.len() as u64, work, |_, done| match done {
        Ok(count) => {
            labels += count;
            let speed = short(progress.rate(labels) as u64);
            progress.advance(format_args!("{} labels, {speed}/s", short(labels)));
            ControlFlow::Continue(())
        }
        Err(error) => {
            result = Err(error);
            ControlFlow::Break(())
        }
    })?;
    progress.finish();
    result
}

/// Writes the games of `shard` with new scores to `out`. Returns the number of labels.
fn rescore_file(
    player: &mut impl Player,
    shard: &Path,
    out: &Path,
    arguments: &RescoreArguments,
) -> Result<u64, CliError> {
    let name = shard.file_name().unwrap_or_default().as_encoded_bytes();
    let mut choice = PositionChoice {
        random: Random::stream(arguments.seed, xxh3_64(name)),
        share: 1.0 / arguments.one_in as f64,
    };
    let (mut bytes, mut labels, mut reading) = (Vec::new(), 0, Reading::default());
    let damages = reading.shard(shard, |game| {
        let game = rescore(player, game, &mut choice);
        if game.labels() > 0 {
            labels += game.labels() as u64;
            viriformat::encode(&game, &mut bytes);
        }
    })?;
    damages.into_iter().for_each(console::warn);
    reading.finish()?;
    replace(out, &bytes)?;
    Ok(labels)
}

/// Chooses the positions to search.
struct PositionChoice {
    random: Random,
    /// The share of positions, from 0 to 1.
    share: f64,
}

/// The game with scores of new searches as its only labels. A position whose new best move is a capture or a promotion
/// is no label, because the game stores another move and the training could not see that.
fn rescore(player: &mut impl Player, record: GameRecord, choice: &mut PositionChoice) -> GameRecord {
    let filter = Filter { sample: choice.share, ..Filter::default() };
    player.new_game();
    let mut game = Game::new(record.start.clone());
    let mut plies = Vec::with_capacity(record.plies.len());
    for (number, old) in record.plies.iter().enumerate() {
        let is_chosen = old.is_label && filter.draws(game.board(), number, old, &mut choice.random);
        let new = is_chosen.then(|| player.choose(&game, Pace::Full));
        let label = new.filter(|(best, _)| !game.board().is_noisy(*best) && !best.is_promotion());
        let value = label.map_or(0, |(_, score)| score.value());
        let for_white = game.board().turn().fold_wb(value, -value) as i16;
        plies.push(Ply { score: for_white, is_label: label.is_some(), ..*old });
        game.play(old.mv);
    }
    GameRecord { plies, is_faded: false, ..record }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::selfplay::opening::Openings;
    use crate::engine::selfplay::play::play;
    use crate::engine::selfplay::play::tests::OnePly;
    use crate::engine::selfplay::variety::TrainingRules;

    fn games() -> Vec<GameRecord> {
        let rules = TrainingRules { nodes: SoftNodes::all(1), random_moves: 20 };
        let game = |number| play(&mut OnePly, &Openings::Standard, rules, Random::stream(7, number));
        (0..40).filter_map(game).collect()
    }

    fn rescored(games: &[GameRecord], share: f64) -> Vec<GameRecord> {
        let mut choice = PositionChoice { random: Random::stream(1, 0), share };
        games.iter().map(|game| rescore(&mut OnePly, game.clone(), &mut choice)).collect()
    }

    #[test]
    fn new_scores_stand_beside_the_old_moves() {
        let (mut labels, mut lost) = (0, 0);
        for (old, new) in games().iter().zip(rescored(&games(), 1.0)) {
            assert_eq!((&new.start, new.result, new.result_from), (&old.start, old.result, old.result_from));
            let mut game = Game::new(old.start.clone());
            for (number, (old, new)) in old.plies.iter().zip(&new.plies).enumerate() {
                assert_eq!(new.mv, old.mv);
                let (best, score) = OnePly.choose(&game, Pace::Full);
                let is_quiet = !game.board().is_noisy(best) && !best.is_promotion();
                let was_used = old.is_label && Filter::default().admits(game.board(), number, old);
                assert_eq!(new.is_label, was_used && is_quiet);
                if new.is_label {
                    let value = game.board().turn().fold_wb(score.value(), -score.value());
                    assert_eq!(i32::from(new.score), value);
                }
                labels += usize::from(new.is_label);
                lost += usize::from(was_used && !is_quiet);
                game.play(old.mv);
            }
        }
        assert!(labels > 100 && lost > 0, "{labels} labels, {lost} lost");
    }

    #[test]
    fn a_share_of_the_positions_is_searched() {
        let count = |games: Vec<GameRecord>| games.iter().map(GameRecord::labels).sum::<usize>() as f64;
        let (all, some) = (count(rescored(&games(), 1.0)), count(rescored(&games(), 0.25)));
        assert!((0.15..0.35).contains(&(some / all)), "{some} of {all}");
        assert_eq!(rescored(&games(), 0.25), rescored(&games(), 0.25));
    }
}
