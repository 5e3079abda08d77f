//! What survives a restart: the table, what clients have used of late, and the counters.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use super::metrics::Metrics;
use crate::base::file::{self, Limit};
use crate::engine::facade::Engine;

/// The largest file of the state.
const LIMIT: Limit = Limit { mebibytes: 16, of: "the state of a server" };

/// The state besides the table.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedState {
    /// Thread-seconds that each token has used of late.
    pub used: HashMap<String, f64>,
    answered: u64,
    nodes: u64,
}

/// The files in a folder.
pub(super) struct StateFolder(PathBuf);

impl StateFolder {
    pub fn new(folder: &Path) -> std::io::Result<StateFolder> {
        let named = |error: std::io::Error| {
            std::io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
        };
        std::fs::create_dir_all(folder).map_err(named)?;
        Ok(StateFolder(folder.to_owned()))
    }

    fn table(&self) -> PathBuf {
        self.0.join("table.hash")
    }

    fn state(&self) -> PathBuf {
        self.0.join("state.json")
    }

    /// Loads what there is. What cannot be used is told to `tell`, and the server begins without it.
    pub fn load(&self, engine: &mut Engine, metrics: &Metrics, tell: impl Fn(String)) -> SavedState {
        let hash = engine.settings().hash;
        if self.table().exists() {
            match engine.load_hash(&self.table()) {
                Ok(()) => tell(format!("table of {} MiB loaded", engine.settings().hash)),
                Err(error) => tell(format!("the table is empty: {error}")),
            }
        }
        if engine.settings().hash != hash {
            tell(format!("the table has another size than {hash} MiB, and is emptied"));
            if let Err(error) = engine.set_hash(hash) {
                tell(error.to_string());
            }
        }
        if !self.state().exists() {
            return SavedState::default();
        }
        let read = file::read_text(&self.state(), LIMIT).map_err(|error| error.to_string());
        let state = read.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
        let state: SavedState = state.unwrap_or_else(|error| {
            tell(format!("the counters begin at zero: {error}"));
            SavedState::default()
        });
        metrics.answered.store(state.answered, Ordering::Relaxed);
        metrics.nodes.store(state.nodes, Ordering::Relaxed);
        state
    }

    /// Saves everything. Each file is replaced whole or not at all.
    pub fn save(
        &self,
        engine: &mut Engine,
        used: HashMap<String, f64>,
        metrics: &Metrics,
    ) -> Result<(), String> {
        engine.save_hash(&self.table()).map_err(|error| error.to_string())?;
        // Sessions without a token do not come back under their names.
        let used = used.into_iter().filter(|(name, _)| !name.starts_with('#')).collect();
        let (answered, nodes) =
            (metrics.answered.load(Ordering::Relaxed), metrics.nodes.load(Ordering::Relaxed));
        let text = file::json(&SavedState { used, answered, nodes });
        file::replace_with(&self.state(), |file| file.write_all(text.as_bytes()))
            .map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::facade::Settings;

    #[test]
    fn state_and_table_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let folder = StateFolder::new(&folder.path().join("new")).unwrap();
        let settings = Settings { hash: 1, ..Settings::default() };
        let mut engine = Engine::new(settings.clone()).unwrap();
        let metrics = Metrics::default();
        metrics.answered.store(7, Ordering::Relaxed);
        let used = HashMap::from([("anna".to_owned(), 1.5), ("#3".to_owned(), 2.0)]);
        engine.search(crate::engine::run::Limits::depth(8));
        folder.save(&mut engine, used, &metrics).unwrap();

        let mut engine = Engine::new(settings).unwrap();
        let metrics = Metrics::default();
        let state = folder.load(&mut engine, &metrics, |_| ());
        assert_eq!(state.used, HashMap::from([("anna".to_owned(), 1.5)]));
        assert_eq!(metrics.answered.load(Ordering::Relaxed), 7);
        assert!(!engine.table().is_clean());
    }

    #[test]
    fn damaged_files_are_told_and_left_out() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("state.json"), "{").unwrap();
        std::fs::write(folder.path().join("table.hash"), "no table").unwrap();
        let folder = StateFolder::new(folder.path()).unwrap();
        let mut engine = Engine::new(Settings { hash: 1, ..Settings::default() }).unwrap();
        let told = std::cell::RefCell::new(Vec::new());
        let state = folder.load(&mut engine, &Metrics::default(), |text| told.borrow_mut().push(text));
        assert_eq!(state, SavedState::default());
        assert_eq!(told.borrow().len(), 2, "{told:?}");
    }
}
