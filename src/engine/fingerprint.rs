//! The fingerprint of an engine: short texts for everything that the results of its searches depend on, except the
//! positions and the limits. Fingerprints can be compared.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::settings::Settings;

/// The search's node count in the benchmark. It is the signature of a version: each change of the search's behavior
/// must update it.
const SIGNATURE: &str = include_str!("../../.ci/bench-signature");

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
        let Settings { params, quiescence, probing, selectivity, .. } = settings;
        let others = format!("{params:?} {} {probing:?} {selectivity:?}", quiescence.name());
        let tablebases = settings.tablebases.fingerprint();
        Fingerprint {
            build: format!("{} {}", env!("CARGO_PKG_VERSION"), SIGNATURE.trim()),
            network: hexadecimal(settings.network.checksum()),
            parameters: hexadecimal(xxh3_64(others.as_bytes())),
            tablebases: if tablebases == 0 { String::new() } else { hexadecimal(tablebases) },
        }
    }
}

fn hexadecimal(number: u64) -> String {
    format!("{number:016x}")
}
