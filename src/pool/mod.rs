//! STAND-IN: the stagger policy only.

use serde::{Deserialize, Serialize};

/// Stand-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Stagger {
    /// Stand-in.
    None,
    /// Stand-in.
    Blocks {
        /// Stand-in.
        sizes: Vec<u32>,
        /// Stand-in.
        phases: Vec<u32>,
    },
}

impl Default for Stagger {
    fn default() -> Stagger {
        Stagger::Blocks { sizes: vec![1, 1, 2, 2], phases: vec![0, 1, 0, 1] }
    }
}
