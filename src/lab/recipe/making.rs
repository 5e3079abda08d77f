//! Carries out a recipe in a folder, piece by piece. A finished piece is a file there, so a later run goes on behind
//! it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::{GamesRecipe, Recipe, RecipeError, StageRecipe};
use crate::base::file::{FileError, Limit, Log, LogError, read, read_text, replace};
use crate::base::processor::process_time;
use crate::engine::eval::network::{Network, NetworkFileError};
use crate::engine::facade::Settings;
use crate::lab::datagen::shard;
use crate::lab::datagen::{self, DatagenError, DatagenPlan, DatagenReport, viriformat};
use crate::lab::train::{Beginning, TrainError, TrainingPlan};

/// The first line of the log.
const HEADER: &str = "games,seed,played,labels,core-seconds\n";
const LOG_LIMIT: Limit = Limit { mebibytes: 16, of: "the log of a recipe" };
const RECIPE_LIMIT: Limit = Limit { mebibytes: 1, of: "a recipe" };
const NETWORK_LIMIT: Limit = Limit { mebibytes: 256, of: "a network" };

/// A recipe cannot be carried out.
#[derive(Debug, Error)]
pub enum MakingError {
    /// The recipe is wrong.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The network that plays cannot be used.
    #[error(transparent)]
    Teacher(#[from] NetworkFileError),
    /// The first stage cannot begin with its network or checkpoint.
    #[error(transparent)]
    Beginning(#[from] TrainError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another run is at work in the folder, or the log cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The folder belongs to another recipe.
    #[error("{} holds the work of another recipe: use a new folder", .0.display())]
    OtherRecipe(PathBuf),
    /// Games cannot be played.
    #[error(transparent)]
    Datagen(#[from] DatagenError),
}

/// The games of one kind with one seed.
#[derive(Clone, Copy, Debug)]
pub struct GamesBatch<'a> {
    /// The kind.
    pub kind: &'a GamesRecipe,
    /// The seed.
    pub seed: u64,
}

/// A batch as the log has it.
#[derive(Clone, Debug, PartialEq)]
struct LoggedBatch {
    kind: String,
    games: u64,
    core_seconds: f64,
}

/// A recipe that is being carried out.
#[derive(Debug)]
pub struct Making {
    recipe: Recipe,
    out: PathBuf,
    threads: usize,
    settings: Settings,
    log: Log,
    logged: Vec<LoggedBatch>,
}

impl Making {
    /// Begins in the folder `out`, or goes on there. `path` is the recipe.
    ///
    /// # Errors
    /// If the recipe is wrong, if the folder belongs to another one, or if another run is at work there.
    pub fn open(path: &Path, out: &Path, threads: usize) -> Result<Making, MakingError> {
        let recipe = Recipe::load(path)?;
        let mut settings = Settings::default();
        if let Some(teacher) = &recipe.teacher {
            settings.network = Arc::new(Network::load(teacher)?);
        }
        recipe.beginning().check(&recipe.stages[0].settings().map_err(RecipeError::from)?)?;
        let games = out.join("games");
        fs::create_dir_all(&games).map_err(FileError::because("cannot make the directory", &games))?;
        let mut log = Log::open(&out.join("log.csv"))?;
        let text = read_text(path, RECIPE_LIMIT)?;
        let copy = out.join("recipe.toml");
        if !copy.exists() {
            replace(&copy, text.as_bytes())?;
        } else if read_text(&copy, RECIPE_LIMIT)? != text {
            return Err(MakingError::OtherRecipe(out.to_owned()));
        }
        if log.length()? == 0 {
            log.begin(HEADER)?;
        }
        log.cut()?;
        let logged = log.text(LOG_LIMIT)?.lines().filter_map(LoggedBatch::parse).collect();
        Ok(Making { recipe, out: out.to_owned(), threads, settings, log, logged })
    }

    /// All batches in the order in which they are played: the first of each kind, then the second of each, so that
    /// what the rest will take is known early.
    pub fn batches(recipe: &Recipe) -> Vec<GamesBatch<'_>> {
        let most = recipe.games.iter().map(|kind| kind.seeds.len()).max().unwrap_or(0);
        let round = |index: usize| {
            recipe
                .games
                .iter()
                .filter_map(move |kind| Some(GamesBatch { kind, seed: *kind.seeds.get(index)? }))
        };
        (0..most).flat_map(round).collect()
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Whether a batch is played.
    pub fn is_played(&self, batch: GamesBatch<'_>) -> bool {
        self.shard(batch).exists()
    }

    /// Plays a batch. Calls `on_progress` at the beginning and after each game. The games are stored when all of them
    /// are played, in an order that does not depend on the number of threads.
    ///
    /// # Errors
    /// As of [`datagen::run`], or if files cannot be written.
    pub fn play(
        &mut self,
        batch: GamesBatch<'_>,
        on_progress: impl FnMut(&DatagenReport) + Send,
    ) -> Result<(), MakingError> {
        let GamesBatch { kind, seed } = batch;
        let unfinished = self.out.join("games/unfinished");
        remove(&unfinished)?;
        let plan = DatagenPlan {
            out: unfinished.clone(),
            games: kind.batch,
            rules: kind.rules(),
            threads: self.threads,
            seed,
            openings: kind.openings().map_err(RecipeError::from)?,
            settings: self.settings.clone(),
        };
        let (begin, used) = (Instant::now(), process_time());
        let report = datagen::run(&plan, on_progress)?;
        let core_seconds = core_time(begin, used, self.threads).as_secs_f64();
        let mut games: Vec<Vec<u8>> = Vec::new();
        for path in shard::list(&unfinished)? {
            shard::read(&path, |game| {
                let mut bytes = Vec::new();
                viriformat::encode(&game, &mut bytes);
                games.push(bytes);
            })?;
        }
        games.sort_unstable();
        replace(&self.shard(batch), &games.concat())?;
        remove(&unfinished)?;
        let (games, labels) = (report.games(), report.labels);
        self.log.append(&format!("{},{seed},{games},{labels},{core_seconds:.1}\n", kind.name))?;
        self.logged.push(LoggedBatch { kind: kind.name.clone(), games, core_seconds });
        Ok(())
    }

    /// The time of all cores that the games that are not played yet will take, as far as the played ones tell.
    pub fn time_for_games(&self) -> Option<Duration> {
        let a_game = |kind: Option<&str>| {
            let known = self.logged.iter().filter(|batch| kind.is_none_or(|kind| batch.kind == kind));
            let (games, seconds) = known.fold((0, 0.0), |(games, seconds), batch| {
                (games + batch.games, seconds + batch.core_seconds)
            });
            (games > 0).then(|| seconds / games as f64)
        };
        let missing = Making::batches(&self.recipe).into_iter().filter(|batch| !self.is_played(*batch));
        let seconds = missing.map(|GamesBatch { kind, .. }| {
            a_game(Some(&kind.name)).or_else(|| a_game(None)).map(|seconds| seconds * kind.batch as f64)
        });
        seconds.sum::<Option<f64>>().map(Duration::from_secs_f64)
    }

    /// The training of a stage; `None` if it is done.
    ///
    /// # Errors
    /// If its settings cannot be read.
    pub fn training(&self, index: usize) -> Result<Option<TrainingPlan>, MakingError> {
        let stage = &self.recipe.stages[index];
        let out = self.network_of(stage);
        if out.exists() {
            return Ok(None);
        }
        let checkpoint = out.with_extension("checkpoint");
        let beginning = if checkpoint.exists() {
            Beginning::Resume(checkpoint)
        } else if let Some(before) = index.checked_sub(1) {
            Beginning::From(self.network_of(&self.recipe.stages[before]).with_extension("checkpoint"))
        } else {
            self.recipe.beginning()
        };
        let is_wanted = |name: &String| stage.games.is_empty() || stage.games.contains(name);
        let batches = Making::batches(&self.recipe).into_iter().filter(|batch| is_wanted(&batch.kind.name));
        let data = batches.map(|batch| self.shard(batch)).collect();
        let config = stage.settings().map_err(RecipeError::from)?;
        Ok(Some(TrainingPlan { data, config, out, beginning, threads: Some(self.threads) }))
    }

    /// Copies the network of the last stage to its place, and returns this place.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn finish(&self) -> Result<PathBuf, MakingError> {
        let last = self.recipe.stages.last().expect("a recipe has a stage");
        let network = self.out.join("network.nnue");
        replace(&network, &read(&self.network_of(last), NETWORK_LIMIT)?)?;
        Ok(network)
    }

    fn shard(&self, GamesBatch { kind, seed }: GamesBatch<'_>) -> PathBuf {
        self.out.join(format!("games/{}-{seed}.{}", kind.name, shard::EXTENSION))
    }

    fn network_of(&self, stage: &StageRecipe) -> PathBuf {
        self.out.join(format!("{}.nnue", stage.name))
    }
}

impl LoggedBatch {
    /// Reads a line of the log; `None` for its first line.
    fn parse(line: &str) -> Option<LoggedBatch> {
        let fields: Vec<&str> = line.split(',').collect();
        let &[kind, _, games, _, seconds] = &fields[..] else { return None };
        Some(LoggedBatch {
            kind: kind.to_owned(),
            games: games.parse().ok()?,
            core_seconds: seconds.parse().ok()?,
        })
    }
}

/// The time of all cores since `begin`. Where the system does not tell it, all threads have worked all the time.
fn core_time(begin: Instant, used: Option<Duration>, threads: usize) -> Duration {
    match (used, process_time()) {
        (Some(before), Some(now)) => now.saturating_sub(before),
        _ => begin.elapsed() * threads as u32,
    }
}

/// Removes a folder if it exists.
fn remove(folder: &Path) -> Result<(), FileError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(FileError::because("cannot remove", folder)(error))
        }
        _ => Ok(()),
    }
}
