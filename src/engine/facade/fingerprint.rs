//! The fingerprint of an engine: short texts for everything that the results of its searches depend on, except the
//! positions and the limits. Fingerprints can be compared.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::settings::Settings;
use crate::engine::params::{Declaration, Params};
use crate::engine::run::job::Selectivity;
use crate::engine::tablebase::Probing;

/// The search's node count in the benchmark. It is the signature of a version: each change of the search's behavior
/// must update it.
const SIGNATURE: &str = include_str!("../../../.ci/bench-signature");

/// Engines with the same fingerprint get the same results from the same searches, unless a time limit ends the
/// searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// The version and the signature of the program.
    pub build: String,
    /// The checksum of the network.
    pub network: String,
    /// A hash of the search's parameters and of all other settings of the search.
    pub parameters: String,
    /// The fingerprint of the tablebases; empty without tablebases.
    pub tablebases: String,
}

impl Fingerprint {
    /// The fingerprint of an engine with these settings. The engine has one thread and plays at full strength.
    pub fn of(settings: &Settings) -> Fingerprint {
        let tablebases = settings.tablebases.fingerprint();
        Fingerprint {
            build: format!("{} {}", env!("CARGO_PKG_VERSION"), SIGNATURE.trim()),
            network: hexadecimal(settings.network.checksum()),
            parameters: hexadecimal(xxh3_64(search_text(settings).as_bytes())),
            tablebases: if tablebases == 0 { String::new() } else { hexadecimal(tablebases) },
        }
    }
}

/// The names and values of the search's parameters and of all other settings of the search, one on each line. The order
/// of the declarations does not matter.
fn search_text(settings: &Settings) -> String {
    let Settings { params, quiescence, probing, selectivity, fades, .. } = settings;
    let Probing { depth, limit, fifty_moves } = probing;
    let Selectivity { pruning, table, repetition, quiescence: has_leaf_search } = selectivity;
    let others: [(&str, &dyn Display); 9] = [
        ("evaluations fade", fades),
        ("leaf search", &quiescence.name()),
        ("tablebase probe depth", depth),
        ("tablebase probe limit", limit),
        ("fifty-move rule", fifty_moves),
        ("selectivity: pruning", pruning),
        ("selectivity: table", table),
        ("selectivity: repetition", repetition),
        ("selectivity: leaf search", has_leaf_search),
    ];
    let parameters =
        Params::ALL.iter().map(|Declaration { name, .. }| format!("{name} = {}", params.get(name)));
    let others = others.iter().map(|(name, value)| format!("{name} = {value}"));
    let mut lines: Vec<String> = parameters.chain(others).collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn hexadecimal(number: u64) -> String {
    format!("{number:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::run::leaf::Kind;

    #[test]
    fn the_text_of_the_settings_has_the_name_and_value_of_each_parameter() {
        let mut settings = Settings::default();
        settings.params.set("history_slope", 217);
        let text = search_text(&settings);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.contains(&"history_slope = 217"), "{text}");
        assert!(lines.contains(&"tablebase probe depth = 1"), "{text}");
        assert_eq!(lines.len(), Params::ALL.len() + 9);
    }

    #[test]
    fn every_setting_of_the_search_changes_the_hash_of_the_parameters() {
        let hash = |settings: &Settings| Fingerprint::of(settings).parameters;
        let default = Settings::default();
        let mut params = default.params.clone();
        params.set("history_slope", 217);
        let changed = [
            Settings { params, ..default.clone() },
            Settings { quiescence: Kind::Captures, ..default.clone() },
            Settings { probing: Probing { depth: 9, ..default.probing }, ..default.clone() },
            Settings { probing: Probing { limit: 3, ..default.probing }, ..default.clone() },
            Settings { probing: Probing { fifty_moves: false, ..default.probing }, ..default.clone() },
            Settings {
                selectivity: Selectivity { pruning: false, ..default.selectivity },
                ..default.clone()
            },
            Settings { fades: false, ..default.clone() },
            Settings { selectivity: Selectivity { table: false, ..default.selectivity }, ..default.clone() },
            Settings {
                selectivity: Selectivity { repetition: false, ..default.selectivity },
                ..default.clone()
            },
            Settings {
                selectivity: Selectivity { quiescence: false, ..default.selectivity },
                ..default.clone()
            },
        ];
        let hashes: std::collections::BTreeSet<String> = changed.iter().chain([&default]).map(hash).collect();
        assert_eq!(hashes.len(), changed.len() + 1);
        assert_eq!(hash(&Settings { threads: 7, ..default.clone() }), hash(&default));
    }
}
