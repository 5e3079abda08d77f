//! Makes a network by one file, the *recipe*: which games to play, and in which stages to train on them. `enfilade
//! make-network` carries it out.
//!
//! The same recipe and the same version of Enfilade give the same network, bit by bit, whatever the number of threads
//! and however often the work was interrupted.

pub(crate) mod command;
pub mod making;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use crate::engine::config::ConfigError;
use crate::engine::config::file;
use crate::engine::selfplay::book::{self, BookError};
use crate::engine::selfplay::opening::Openings;
use crate::engine::selfplay::pace::SoftNodes;
use crate::engine::selfplay::variety::TrainingRules;
use crate::lab::train::Beginning;
use crate::lab::train::config::Config;

/// A recipe. Paths in it are relative to its file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recipe {
    /// The network that plays and labels the games. If absent, it is the embedded one.
    pub teacher: Option<PathBuf>,
    /// The network or checkpoint with which the first stage begins. If absent, it begins with random weights.
    pub from: Option<PathBuf>,
    /// The kinds of games.
    pub games: Vec<GamesRecipe>,
    /// The stages of the training. Each but the first begins with the checkpoint of the one before.
    pub stages: Vec<StageRecipe>,
}

/// Games of one kind. They are played in batches, one for each seed. The keys have the meaning and the defaults of the
/// options of `datagen`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GamesRecipe {
    /// The name of the kind: small letters, digits and hyphens.
    pub name: String,
    /// The seeds of the batches.
    pub seeds: Vec<u64>,
    /// The number of games in a batch, from 1.
    pub batch: u64,
    /// A book of openings.
    pub book: Option<PathBuf>,
    /// Whether the games begin from the starting positions of Chess960.
    #[serde(default)]
    pub chess960: bool,
    /// Soft limit of nodes for each move, from 1.
    pub nodes: u64,
    /// The limit of fast plies, from 1.
    pub fast_nodes: Option<u64>,
    /// The limit in endgames, from 1.
    pub endgame_nodes: Option<u64>,
    /// The greatest number of pieces of an endgame, 2 to 32.
    #[serde(default = "endgame_pieces")]
    pub endgame_pieces: usize,
    /// The percentage of random moves, 0 to 100.
    #[serde(default)]
    pub random_moves: u8,
}

/// A stage of the training.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StageRecipe {
    /// The name of the stage: small letters, digits and hyphens.
    pub name: String,
    /// The settings, as `train` takes them.
    pub config: PathBuf,
    /// The kinds of games to train on. If absent, all of them.
    #[serde(default)]
    pub games: Vec<String>,
}

/// The default of `datagen`.
fn endgame_pieces() -> usize {
    16
}

/// A recipe cannot be used.
#[derive(Debug, Error)]
pub enum RecipeError {
    /// A file of TOML is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A book is wrong.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The recipe contradicts itself.
    #[error("{}: {message}", path.display())]
    Content {
        /// The recipe.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

impl Recipe {
    /// Reads a recipe. Its paths become relative to the current directory. Each file that it names is read once, so
    /// that a mistake does not show after hours.
    ///
    /// # Errors
    /// If a file cannot be read or is wrong.
    pub fn load(path: &Path) -> Result<Recipe, RecipeError> {
        let mut recipe: Recipe = file::load(path)?;
        recipe.check().map_err(|message| RecipeError::Content { path: path.to_owned(), message })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let books = recipe.games.iter_mut().filter_map(|games| games.book.as_mut());
        let configs = recipe.stages.iter_mut().map(|stage| &mut stage.config);
        books
            .chain(configs)
            .chain(&mut recipe.teacher)
            .chain(&mut recipe.from)
            .for_each(|path| *path = folder.join(&path));
        for games in &recipe.games {
            games.openings()?;
        }
        for stage in &recipe.stages {
            stage.settings()?;
        }
        Ok(recipe)
    }

    /// What the first stage begins with.
    fn beginning(&self) -> Beginning {
        self.from.clone().map_or(Beginning::Random, Beginning::From)
    }

    fn check(&self) -> Result<(), String> {
        let names =
            self.games.iter().map(|games| &games.name).chain(self.stages.iter().map(|stage| &stage.name));
        for name in names {
            let is_good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.is_empty() || !name.chars().all(is_good) {
                return Err(format!("the name \"{name}\" must have small letters, digits and hyphens only"));
            }
        }
        for (index, games) in self.games.iter().enumerate() {
            games.check().map_err(|fault| format!("games \"{}\": {fault}", games.name))?;
            if self.games[..index].iter().any(|other| other.name == games.name) {
                return Err(format!("two kinds of games are called \"{}\"", games.name));
            }
        }
        for (index, stage) in self.stages.iter().enumerate() {
            if self.stages[..index].iter().any(|other| other.name == stage.name) {
                return Err(format!("two stages are called \"{}\"", stage.name));
            }
            let is_unknown = |name: &&String| !self.games.iter().any(|games| games.name == **name);
            if let Some(name) = stage.games.iter().find(is_unknown) {
                return Err(format!("stage \"{}\": there are no games called \"{name}\"", stage.name));
            }
        }
        match (self.games.is_empty(), self.stages.is_empty()) {
            (true, _) => Err("it needs games".to_owned()),
            (_, true) => Err("it needs a stage of training".to_owned()),
            _ => Ok(()),
        }
    }
}

impl GamesRecipe {
    fn check(&self) -> Result<(), String> {
        let mut seeds = self.seeds.clone();
        seeds.sort_unstable();
        if self.seeds.is_empty() || seeds.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("at least one seed is needed, and no seed twice".to_owned());
        }
        if self.batch == 0 || !self.rules().are_valid() || !(2..=32).contains(&self.endgame_pieces) {
            return Err("a number is out of range".to_owned());
        }
        if self.book.is_some() && self.chess960 {
            return Err("a book and chess960 exclude each other".to_owned());
        }
        Ok(())
    }

    /// How the games are played.
    pub fn rules(&self) -> TrainingRules {
        let nodes = SoftNodes::of(self.nodes, self.fast_nodes, self.endgame_nodes, self.endgame_pieces);
        TrainingRules { nodes, random_moves: self.random_moves }
    }

    /// The source of openings.
    fn openings(&self) -> Result<Openings, BookError> {
        Ok(match &self.book {
            Some(path) => Openings::Book(book::read(path)?),
            None if self.chess960 => Openings::Chess960,
            None => Openings::Standard,
        })
    }
}

impl StageRecipe {
    /// The settings of the training.
    fn settings(&self) -> Result<Config, ConfigError> {
        file::load(&self.config)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const GOOD: &str = "[[games]]\nname = \"a\"\nseeds = [1, 2]\nbatch = 3\nnodes = 40\n\
                        [[stages]]\nname = \"first\"\nconfig = \"train.toml\"\n";

    fn load(text: &str) -> Result<Recipe, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("train.toml"), "hidden = 32\n").unwrap();
        let path = folder.path().join("recipe.toml");
        fs::write(&path, text).unwrap();
        Recipe::load(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn keys_have_the_defaults_of_datagen() {
        let recipe = load(GOOD).unwrap();
        assert_eq!(recipe.games[0].rules(), TrainingRules::best(SoftNodes::all(40)));
        assert!(recipe.stages[0].config.ends_with("train.toml") && recipe.stages[0].config.is_absolute());
        let more = "nodes = 40\nfast-nodes = 9\nendgame-nodes = 7\nendgame-pieces = 12\nrandom-moves = 3\n";
        let rules = load(&GOOD.replace("nodes = 40\n", more)).unwrap().games[0].rules();
        let nodes = SoftNodes { usual: 40, endgame: 7, endgame_pieces: 12, fast: Some(9) };
        assert_eq!(rules, TrainingRules { nodes, random_moves: 3 });
    }

    #[test]
    fn wrong_recipes_are_refused_before_any_work() {
        for (old, new, message) in [
            ("\"a\"", "\"A b\"", "the name \"A b\" must have small letters"),
            ("[1, 2]", "[]", "games \"a\": at least one seed is needed"),
            ("[1, 2]", "[1, 1]", "no seed twice"),
            ("batch = 3", "batch = 0", "games \"a\": a number is out of range"),
            ("nodes = 40", "nodes = 0", "a number is out of range"),
            ("nodes = 40", "nodes = 40\nrandom-moves = 101", "a number is out of range"),
            ("nodes = 40", "nodes = 40\nendgame-pieces = 33", "a number is out of range"),
            ("nodes = 40", "nodes = 40\nbook = \"x\"\nchess960 = true", "exclude each other"),
            ("nodes = 40", "nodes = 40\nbook = \"none.epd\"", "none.epd"),
            ("nodes = 40", "moves = 40", "unknown field `moves`"),
            ("train.toml", "none.toml", "none.toml"),
            ("\"train.toml\"\n", "\"train.toml\"\ngames = [\"b\"]\n", "no games called \"b\""),
        ] {
            let text = GOOD.replacen(old, new, 1);
            assert_ne!(text, GOOD);
            let error = load(&text).unwrap_err();
            assert!(error.contains(message), "{new}: {error}");
        }
        let twice = format!("{GOOD}[[stages]]\nname = \"first\"\nconfig = \"train.toml\"\n");
        assert!(load(&twice).unwrap_err().contains("two stages are called \"first\""));
        assert!(load("games = []\nstages = []\n").unwrap_err().contains("it needs games"));
    }
}
