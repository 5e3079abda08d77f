//! Carries out `setoption`: checks the value, stores it, and makes it take effect.

use super::error::InputError;
use super::option;
use super::session::Session;
use crate::engine::config::Setup;
use crate::engine::config::entry::{Effect, OptionKind};
use crate::engine::facade::EngineError;
use crate::engine::tt::TableFileError;

impl Session {
    /// Carries out a `setoption`. If that is not possible, it reports why, and the old value stays.
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), InputError> {
        let entry = option::find(name)?;
        if let OptionKind::File { .. } = entry.kind {
            // Reading a file must not slow down a search.
            self.halt();
        }
        let change = option::parse(entry, value)?;
        self.halt();
        let mut setup = Setup { settings: self.engine.settings().clone(), ..self.setup.clone() };
        change.apply(&mut setup);
        match self.take_effect(entry.effect, &setup) {
            Ok(()) => self.setup = setup,
            Err(reason) => self.refuse(&format!("setoption: {reason}; the old value stays")),
        }
        Ok(())
    }

    /// Applies `setup`, in which one value is new, to the engine.
    fn take_effect(&mut self, effect: Effect, setup: &Setup) -> Result<(), String> {
        let engine = &mut self.engine;
        let settings = &setup.settings;
        let message = |error: EngineError| error.to_string();
        match effect {
            Effect::Next => engine.update(|current| current.clone_from(settings)),
            Effect::Log => {
                let result = self.output.log_to(setup.log_file.as_deref());
                return result.map_err(|error| format!("Debug Log File: {}", error.reason()));
            }
            Effect::Threads => {
                engine.set_threads(settings.threads).map_err(message)?;
                if !engine.binding().nodes().is_empty() {
                    self.output.info_string(&engine.binding().to_string());
                }
            }
            Effect::Binding => {
                engine.set_numa(settings.numa.clone()).map_err(message)?;
                self.output.info_string(&engine.binding().to_string());
            }
            Effect::ResizeTable => {
                engine.set_hash(settings.hash).map_err(message)?;
                // Pages of the ordinary size cost speed. The message tells an administrator, who can change that.
                let (size, pages) = (settings.hash, engine.table_pages());
                self.output.info_string(&format!("hash table of {size} MiB, {pages}"));
            }
            Effect::ClearTable => engine.clear_hash(),
            Effect::SaveTable => self.save_hash(),
            Effect::LoadTable => self.load_hash(),
            Effect::Tablebases => {
                for note in settings.tablebases.notes() {
                    self.output.info_string(&note);
                }
                engine.update(|current| current.clone_from(settings));
            }
        }
        Ok(())
    }

    fn save_hash(&mut self) {
        let Some(path) = &self.setup.hash_file else {
            return self.refuse("SaveHashtoFile: set HashFile first");
        };
        match self.engine.save_hash(path) {
            Ok(()) => self.output.info_string(&format!("hash table saved to {}", path.display())),
            Err(error) => self.refuse(&format!("SaveHashtoFile: {error}")),
        }
    }

    fn load_hash(&mut self) {
        let Some(path) = &self.setup.hash_file else {
            return self.refuse("LoadHashfromFile: set HashFile first");
        };
        match self.engine.load_hash(path) {
            Ok(()) => {
                let size = self.engine.settings().hash;
                self.output.info_string(&format!("hash table of {size} MiB loaded from {}", path.display()));
            }
            Err(error @ TableFileError::Changed(_)) => self.refuse(&format!("LoadHashfromFile: {error}")),
            Err(error) => self.refuse(&format!("LoadHashfromFile: {error}; the old table stays")),
        }
    }
}
