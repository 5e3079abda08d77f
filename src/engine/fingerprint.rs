//! What the results of searches depend on besides the positions and the limits, as short texts that can be compared.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::Settings;

/// The search's node count for the benchmark: the signature of a version, which every change of what the search does
/// must update.
const SIGNATURE: &str = include_str!("../../.ci/bench-signature");

/// Engines with the same fingerprint find the same in the same searches, if no clock ends these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// Version and signature of the program.
    pub build: String,
    /// Checksum of the network.
    pub network: String,
    /// Hash of the search's parameters and of everything else that can be set.
    pub parameters: String,
    /// Fingerprint of the tablebases; empty without any.
    pub tablebases: String,
}

impl Fingerprint {
    /// That of an engine with these settings, of one thread and at full strength.
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
