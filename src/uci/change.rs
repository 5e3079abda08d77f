//! What the options do, once their values are known to be good.

use std::sync::Arc;

use super::option::Change;
use super::session::Session;
use crate::eval::network::Network;
use crate::tablebase::Tablebases;
use crate::tt::TableFileError;

impl Session {
    /// Carries out what a `setoption` asks for; what cannot be is said, and the old value stays.
    pub(super) fn change(&mut self, change: Change) {
        self.halt();
        let engine = &mut self.engine;
        let result = match change {
            Change::LogFile(path) => {
                if let Err(error) = self.output.log_to(path.as_deref()) {
                    self.refuse(&format!("setoption: Debug Log File: {error}; the old value stays"));
                }
                Ok(())
            }
            Change::Threads(threads) => engine.set_threads(threads).map(|()| {
                if !engine.binding().nodes().is_empty() {
                    self.output.info_string(&engine.binding().to_string());
                }
            }),
            Change::NumaPolicy(policy) => {
                engine.set_numa(policy).map(|()| self.output.info_string(&engine.binding().to_string()))
            }
            Change::Hash(mebibytes) => engine.set_hash(mebibytes).map(|()| {
                // Pages of the ordinary size cost speed, and an administrator can change that.
                self.output.info_string(&format!("hash table of {mebibytes} MiB, {}", engine.table_pages()));
            }),
            Change::ClearHash => {
                engine.clear_hash();
                Ok(())
            }
            Change::NeverClearHash(on) => {
                engine.update(|settings| settings.keep_hash = on);
                Ok(())
            }
            Change::HashFile(path) => {
                self.hash_file = path;
                Ok(())
            }
            Change::SaveHash => {
                self.save_hash();
                Ok(())
            }
            Change::LoadHash => {
                self.load_hash();
                Ok(())
            }
            // Whether to ponder is the GUI's decision; nothing here depends on it.
            Change::Ponder(_) => Ok(()),
            Change::MultiPv(lines) => {
                engine.update(|settings| settings.multi_pv = lines);
                Ok(())
            }
            Change::MoveOverhead(overhead) => {
                engine.update(|settings| settings.move_overhead = overhead);
                Ok(())
            }
            Change::NodesTime(nodes) => {
                engine.update(|settings| settings.node_rate = nodes);
                Ok(())
            }
            Change::Deterministic(on) => {
                engine.update(|settings| settings.deterministic = on);
                Ok(())
            }
            Change::Chess960(on) => {
                self.style.chess960 = on;
                Ok(())
            }
            Change::ShowWdl(on) => {
                self.style.show_wdl = on;
                Ok(())
            }
            Change::LimitStrength(on) => {
                engine.update(|settings| settings.strength.limited = on);
                Ok(())
            }
            Change::Elo(elo) => {
                engine.update(|settings| settings.strength.elo = elo);
                Ok(())
            }
            Change::AnalyseMode(on) => {
                engine.update(|settings| settings.strength.analysis = on);
                Ok(())
            }
            Change::EvalFile(path) => {
                match path.map_or_else(|| Ok(Network::embedded()), |path| Network::load(&path).map(Arc::new))
                {
                    Ok(network) => engine.update(|settings| settings.network = network),
                    Err(error) => self.refuse(&format!("setoption: EvalFile: {error}; the old value stays")),
                }
                Ok(())
            }
            Change::SyzygyPath(path) => {
                let tablebases = Arc::new(Tablebases::load(&path));
                for note in tablebases.notes() {
                    self.output.info_string(&note);
                }
                engine.update(|settings| settings.tablebases = tablebases);
                Ok(())
            }
            Change::SyzygyProbeDepth(depth) => {
                engine.update(|settings| settings.probing.depth = depth);
                Ok(())
            }
            Change::SyzygyFiftyMoveRule(on) => {
                engine.update(|settings| settings.probing.fifty_moves = on);
                Ok(())
            }
            Change::SyzygyProbeLimit(men) => {
                engine.update(|settings| settings.probing.limit = men);
                Ok(())
            }
            Change::Quiescence(kind) => {
                engine.update(|settings| settings.quiescence = kind);
                Ok(())
            }
            Change::Statistics(on) => {
                engine.update(|settings| settings.statistics = on);
                Ok(())
            }
        };
        if let Err(error) = result {
            self.refuse(&format!("setoption: {error}; the old value stays"));
        }
    }

    fn save_hash(&mut self) {
        let Some(path) = &self.hash_file else { return self.refuse("SaveHashtoFile: set HashFile first") };
        match self.engine.save_hash(path) {
            Ok(()) => self.output.info_string(&format!("hash table saved to {}", path.display())),
            Err(error) => self.refuse(&format!("SaveHashtoFile: {error}")),
        }
    }

    fn load_hash(&mut self) {
        let Some(path) = &self.hash_file else { return self.refuse("LoadHashfromFile: set HashFile first") };
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
