//! What the tables of the server know, for those who may use them.

use std::collections::HashMap;

use super::access::Grant;
use crate::engine::facade::{Engine, Knowledge};

/// What the tables know.
pub(super) struct SharedKnowledge {
    common: Knowledge,
    /// The tables that tokens have of their own, by the tokens' names.
    own: HashMap<String, Knowledge>,
}

impl SharedKnowledge {
    /// The knowledge of the engine with the common table, and of those with tables of their own.
    pub fn new(keeper: &Engine, own_tables: &HashMap<String, Engine>) -> SharedKnowledge {
        let own = own_tables.iter().map(|(name, engine)| (name.clone(), engine.knowledge())).collect();
        SharedKnowledge { common: keeper.knowledge(), own }
    }

    /// What the table knows with which the searches of this grant run.
    pub fn of(&self, grant: &Grant) -> Knowledge {
        self.own.get(&grant.name).unwrap_or(&self.common).clone()
    }
}
