//! Stores the games of a run that other processes play. The games are stored in their order, as one thread would store
//! them.
//!
//! A run that was killed can continue. An unfinished run has a file beside its shards, the mark. It tells which run is
//! unfinished and with which plan. Its name is `seed1.unfinished.json` for seed 1. It is written before the first
//! shard, and removed after the last game.
//!
//! Invariant: the shards hold the first games of the run, without gaps. Only the last shard may end with an incomplete
//! game. When the run continues, this game is cut off.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use super::shard::{ShardRun, ShardWriter};
use super::{DatagenPlan, DatagenReport, job, run_seed};
use crate::base::file::{self, FileError, Limit, Log, LogError};
use crate::engine::facade::Fingerprint;
use crate::engine::selfplay::opening::Openings;
use crate::engine::selfplay::pace::SoftNodes;
use crate::engine::selfplay::record::GameRecord;
use crate::engine::selfplay::variety::TrainingRules;

/// The largest mark.
const LIMIT: Limit = Limit { mebibytes: 1, of: "a file of an unfinished run" };

/// The games of a run cannot be stored.
#[derive(Debug, Error)]
pub enum CollectionError {
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process holds the lock of the mark.
    #[error("{}: another process is working on this run", .0.display())]
    Locked(PathBuf),
    /// The file is not a mark, or there are more games than the mark allows.
    #[error("{}: this is not a valid file of an unfinished run; remove it, or choose another directory", .0.display())]
    Foreign(PathBuf),
    /// The unfinished run has another plan.
    #[error(
        "{}: this file belongs to an unfinished run with {difference}; repeat the command of that run, or remove the file \
         to begin another run",
        path.display()
    )]
    Settings {
        /// The mark.
        path: PathBuf,
        /// A description of the difference.
        difference: String,
    },
}

impl From<LogError> for CollectionError {
    fn from(error: LogError) -> CollectionError {
        match error {
            LogError::File(error) => CollectionError::File(error),
            LogError::Irregular(path) => CollectionError::Foreign(path),
            LogError::Locked(path) => CollectionError::Locked(path),
        }
    }
}

/// The contents of a mark: everything that the games of a run depend on, and the number of games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunMark {
    /// The version of the jobs, see [`job::VERSION`].
    version: u32,
    /// The run's number among the runs of its seed in the directory.
    run: u32,
    games: u64,
    rules: TrainingRules,
    openings: String,
    fingerprint: Fingerprint,
}

/// An unfinished run.
pub struct Collection {
    mark: Log,
    run: ShardRun,
    seed: u64,
    writer: ShardWriter,
    report: DatagenReport,
}

impl Collection {
    /// Continues the unfinished run of the plan's seed in its directory. If there is none, begins the next run.
    ///
    /// # Errors
    ///
    /// [`CollectionError`] if a file cannot be used, or if the unfinished run has another plan.
    pub fn open(plan: &DatagenPlan) -> Result<Collection, CollectionError> {
        let directory = &plan.out;
        fs::create_dir_all(directory).map_err(FileError::because("cannot make the directory", directory))?;
        let path = directory.join(format!("seed{}.unfinished.json", plan.seed));
        let mut mark = Log::open(&path)?;
        let text = mark.text(LIMIT)?;
        let mut report = DatagenReport::default();
        // A mark ends with a line break. Otherwise the mark is new, or a process was killed while it wrote the mark. In
        // both cases there is no shard yet.
        let known = text.ends_with('\n').then(|| serde_json::from_str::<RunMark>(&text));
        let (run, writer) = match known {
            None => begin(plan, &mut mark)?,
            Some(Err(_)) => return Err(CollectionError::Foreign(path)),
            Some(Ok(known)) => {
                if let Some(difference) = known.difference(&RunMark::of(plan, known.run)) {
                    return Err(CollectionError::Settings { path, difference });
                }
                let run = ShardRun::numbered(directory, plan.seed, known.run);
                let writer = match run.writer(0) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                        run.resume(|game| report.add(game))?
                    }
                    created => created?,
                };
                (run, writer)
            }
        };
        if report.games() > plan.games {
            return Err(CollectionError::Foreign(path));
        }
        let seed = run_seed(plan.seed, run.number());
        Ok(Collection { mark, run, seed, writer, report })
    }

    /// The seed of the random numbers of the run's games.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The run's number among the runs of the plan's seed in the directory.
    pub fn run(&self) -> u32 {
        self.run.number()
    }

    /// The stored games.
    pub fn report(&self) -> &DatagenReport {
        &self.report
    }

    /// Stores the next game.
    ///
    /// # Errors
    ///
    /// If the game cannot be written. A later process can continue the run with this game.
    pub fn append(&mut self, game: &GameRecord) -> Result<(), FileError> {
        self.writer.append(game)?;
        self.report.add(game);
        Ok(())
    }

    /// Ends the run after its last game.
    ///
    /// # Errors
    ///
    /// If the games cannot be written to the disk, or if the mark cannot be removed.
    pub fn finish(self) -> Result<(), FileError> {
        self.writer.sync()?;
        self.mark.remove()
    }

    /// Gives up the run. If no game is stored, the next run with this seed begins with the same games.
    pub fn abandon(self) {
        self.run.remove_if_empty(1);
        // If the mark stays, the next command with this seed finds it. It continues the run or reports the difference.
        let _ = self.mark.remove();
    }
}

/// Claims the next run. Writes the mark before it makes the first shard.
fn begin(plan: &DatagenPlan, mark: &mut Log) -> Result<(ShardRun, ShardWriter), CollectionError> {
    loop {
        let run = ShardRun::next(&plan.out, plan.seed);
        let text = file::json(&RunMark::of(plan, run.number()));
        if let Err(error) = mark.begin(&format!("{text}\n")) {
            let _ = fs::remove_file(mark.path());
            return Err(error.into());
        }
        match run.writer(0) {
            // Another process, without a queue, has just claimed this run.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Ok(writer) => return Ok((run, writer)),
            Err(error) => {
                let _ = fs::remove_file(mark.path());
                return Err(error.into());
            }
        }
    }
}

impl RunMark {
    fn of(plan: &DatagenPlan, run: u32) -> RunMark {
        let DatagenPlan { games, rules, openings, settings, .. } = plan;
        RunMark {
            version: job::VERSION,
            run,
            games: *games,
            rules: *rules,
            openings: description(openings),
            fingerprint: Fingerprint::of(settings),
        }
    }

    fn difference(&self, other: &RunMark) -> Option<String> {
        let (own, others) = (&self.fingerprint, &other.fingerprint);
        if self.version != other.version || own.build != others.build {
            Some("another version of Enfilade".to_owned())
        } else if own.network != others.network {
            Some("another network".to_owned())
        } else if own != others {
            Some("other search parameters or tablebases".to_owned())
        } else if self.games != other.games {
            Some(format!("{} games instead of {}", self.games, other.games))
        } else if self.rules != other.rules {
            Some(format!("{} instead of {}", limits(self.rules), limits(other.rules)))
        } else {
            (self.openings != other.openings).then(|| "other openings".to_owned())
        }
    }
}

/// A text that describes the rules.
fn limits(rules: TrainingRules) -> String {
    let TrainingRules { nodes: SoftNodes { usual, endgame, endgame_pieces, fast }, random_moves } = rules;
    let mut text = format!("{usual} nodes");
    if endgame_pieces > 0 {
        text += &format!(" ({endgame} with {endgame_pieces} pieces or fewer)");
    }
    if let Some(fast) = fast {
        text += &format!(", {fast} at fast plies");
    }
    if random_moves > 0 {
        text += &format!(", {random_moves}% random moves");
    }
    text
}

/// A short text that identifies the openings. Other openings have another text.
fn description(openings: &Openings) -> String {
    match openings {
        Openings::Standard => "standard".to_owned(),
        Openings::Chess960 => "chess960".to_owned(),
        Openings::Book(boards) => {
            let mut hash = Xxh3::new();
            boards.iter().for_each(|board| hash.update(format!("{}\n", board.fen(true)).as_bytes()));
            format!("book {:032x}", hash.digest128())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::shard;
    use super::*;
    use crate::base::random::Random;
    use crate::engine::facade::Settings;
    use crate::engine::selfplay::play::play;
    use crate::engine::selfplay::play::tests::OnePly;

    fn plan(out: &Path) -> DatagenPlan {
        let (out, rules) = (out.to_owned(), TrainingRules::best(SoftNodes::all(9)));
        let (openings, settings) = (Openings::Standard, Settings::default());
        DatagenPlan { out, games: 4, rules, threads: 1, seed: 5, openings, settings }
    }

    fn games(seed: u64) -> Vec<GameRecord> {
        (0..4)
            .map(|number| {
                let rules = TrainingRules::best(SoftNodes::all(9));
                play(&mut OnePly, &Openings::Standard, rules, Random::stream(seed, number)).unwrap()
            })
            .collect()
    }

    fn bytes(directory: &Path) -> Vec<Vec<u8>> {
        shard::list(directory).unwrap().iter().map(|path| fs::read(path).unwrap()).collect()
    }

    /// The test cuts the shard at many places within the last game.
    #[test]
    fn a_killed_run_goes_on_behind_its_last_whole_game() {
        let directory = tempfile::tempdir().unwrap();
        let plan = plan(directory.path());
        let mut collection = Collection::open(&plan).unwrap();
        assert!(matches!(Collection::open(&plan), Err(CollectionError::Locked(_))));
        let games = games(collection.seed());
        games.iter().for_each(|game| collection.append(game).unwrap());
        drop(collection);
        let whole = bytes(directory.path());
        let shard = &shard::list(directory.path()).unwrap()[0];
        let last = whole[0].len() - 32 - 4 * (games[3].plies.len() + 1);
        for length in (last..=whole[0].len()).step_by(3).chain([0, whole[0].len()]) {
            fs::write(shard, &whole[0][..length]).unwrap();
            let mut collection = Collection::open(&plan).unwrap();
            let stored = collection.report().games() as usize;
            assert_eq!(stored, if length == 0 { 0 } else { 3 + usize::from(length == whole[0].len()) });
            games[stored..].iter().for_each(|game| collection.append(game).unwrap());
            drop(collection);
            assert_eq!(bytes(directory.path()), whole, "{length}");
        }
        Collection::open(&plan).unwrap().finish().unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        let next = Collection::open(&plan).unwrap();
        assert_eq!((next.run(), next.report().games()), (1, 0), "a finished run is followed by another one");
    }

    #[test]
    fn what_a_kill_left_of_the_mark_is_written_again() {
        let directory = tempfile::tempdir().unwrap();
        let plan = plan(directory.path());
        fs::write(directory.path().join("seed5.unfinished.json"), "{\"version\":1,\"ru").unwrap();
        drop(Collection::open(&plan).unwrap());
        assert_eq!(Collection::open(&plan).unwrap().run(), 0);
        fs::remove_file(&shard::list(directory.path()).unwrap()[0]).unwrap();
        assert_eq!(Collection::open(&plan).unwrap().run(), 0, "the shard is made again");
    }

    #[test]
    fn a_run_with_another_plan_is_refused_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let plan = plan(directory.path());
        drop(Collection::open(&plan).unwrap());
        let before = crate::base::file::read_text(
            &directory.path().join("seed5.unfinished.json"),
            crate::base::file::Limit { mebibytes: 1, of: "a mark" },
        );
        let with = |nodes, random_moves| DatagenPlan {
            rules: TrainingRules { nodes, random_moves },
            ..plan.clone()
        };
        for (other, difference) in [
            (DatagenPlan { games: 5, ..plan.clone() }, "4 games instead of 5"),
            (with(SoftNodes::all(8), 0), "9 nodes instead of 8 nodes"),
            (
                with(SoftNodes { endgame: 1, endgame_pieces: 16, ..plan.rules.nodes }, 0),
                "9 nodes instead of 9 nodes (1 with 16 pieces or fewer)",
            ),
            (
                with(SoftNodes { fast: Some(2), ..plan.rules.nodes }, 8),
                "9 nodes instead of 9 nodes, 2 at fast plies, 8% random moves",
            ),
            (DatagenPlan { openings: Openings::Chess960, ..plan.clone() }, "other openings"),
        ] {
            let error = Collection::open(&other).err().unwrap().to_string();
            assert!(error.contains(difference) && error.contains("seed5.unfinished.json"), "{error}");
        }
        let after = fs::read_to_string(directory.path().join("seed5.unfinished.json")).unwrap();
        assert_eq!(before.unwrap(), after);
        assert!(
            Collection::open(&DatagenPlan { seed: 6, ..plan.clone() }).is_ok(),
            "other seeds have their own"
        );
        Collection::open(&plan).unwrap().abandon();
        assert_eq!(Collection::open(&plan).unwrap().run(), 0, "nothing was played");
        fs::write(directory.path().join("seed7.unfinished.json"), "a letter\n").unwrap();
        let other = DatagenPlan { seed: 7, ..plan };
        assert!(matches!(Collection::open(&other), Err(CollectionError::Foreign(_))));
    }
}
