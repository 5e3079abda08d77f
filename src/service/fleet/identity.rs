//! A worker can do only jobs with the same format, build, network, parameters and tablebases as its own. An identity
//! holds the version of the formats and the fingerprint of the engine.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::base::file;
use crate::engine::facade::Fingerprint;

/// The version of the formats of all kinds of jobs together. It must increase when a kind is added or when the version
/// of a kind changes.
pub const VERSION: u32 = 3;

/// Everything that answers depend on, except the limits. Each identity has a stream of jobs of its own, so a worker
/// never sees a job for another identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The version of the formats of jobs, see [`VERSION`].
    pub jobs: u32,
    /// The fingerprint of the engine.
    pub fingerprint: Fingerprint,
}

impl Identity {
    /// The identity of engines with this fingerprint.
    pub fn of(fingerprint: &Fingerprint) -> Identity {
        Identity { jobs: VERSION, fingerprint: fingerprint.clone() }
    }

    /// The identity as JSON.
    pub fn json(&self) -> String {
        file::json(self)
    }

    /// The name of the identity on the server: 16 hexadecimal digits.
    pub fn id(&self) -> String {
        format!("{:016x}", xxh3_128(self.json().as_bytes()) as u64)
    }

    /// Descriptions of the differences from another identity.
    pub fn differences(&self, other: &Identity) -> Vec<String> {
        let (own, others) = (&self.fingerprint, &other.fingerprint);
        let fields = [
            ("build", &own.build, &others.build),
            ("network", &own.network, &others.network),
            ("search parameters", &own.parameters, &others.parameters),
            ("tablebases", &own.tablebases, &others.tablebases),
        ];
        let differing = fields.into_iter().filter(|(_, own, others)| own != others);
        differing
            .map(|(what, own, others)| {
                format!("another {what} ({} instead of {})", shown(others), shown(own))
            })
            .chain((self.jobs != other.jobs).then(|| "jobs of another version".to_owned()))
            .collect()
    }

    /// The identity as a text for people.
    pub fn text(&self) -> String {
        let Fingerprint { build, network, parameters, tablebases } = &self.fingerprint;
        let tablebases = shown(tablebases);
        format!("Enfilade {build}, network {network}, parameters {parameters}, tablebases {tablebases}")
    }
}

fn shown(value: &str) -> &str {
    if value.is_empty() { "none" } else { value }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An identity with this network.
    pub fn identity(network: &str) -> Identity {
        let fingerprint = Fingerprint {
            build: "0.1.0 1".into(),
            network: network.into(),
            parameters: "bb".into(),
            tablebases: String::new(),
        };
        Identity { jobs: VERSION, fingerprint }
    }

    #[test]
    fn differences_are_named() {
        let own = identity("aa");
        let fingerprint = Fingerprint { tablebases: "dd".into(), ..identity("cc").fingerprint };
        let other = Identity { fingerprint, ..own };
        assert_eq!(
            own.differences(&other),
            ["another network (cc instead of aa)", "another tablebases (dd instead of none)"]
        );
        assert_ne!(own.id(), other.id());
        assert_eq!(own.id().len(), 16);
    }
}
