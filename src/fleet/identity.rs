//! A worker can do only jobs with the same format, build, network, parameters and tablebases as its own. An identity
//! holds these five values.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::engine::Fingerprint;

/// The version of the formats of all kinds of jobs together. It must increase when a kind is added or when the version
/// of a kind changes.
pub const VERSION: u32 = 2;

/// Everything that answers depend on, except the limits. Each identity has a stream of jobs of its own, so a worker
/// never sees a job for another identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The version of the formats of jobs, see [`VERSION`].
    pub jobs: u32,
    /// See [`Fingerprint`].
    pub build: String,
    /// See [`Fingerprint`].
    pub network: String,
    /// See [`Fingerprint`].
    pub parameters: String,
    /// See [`Fingerprint`].
    pub tablebases: String,
}

impl Identity {
    /// The identity of engines with this fingerprint.
    pub fn of(fingerprint: &Fingerprint) -> Identity {
        let Fingerprint { build, network, parameters, tablebases } = fingerprint.clone();
        Identity { jobs: VERSION, build, network, parameters, tablebases }
    }

    /// The identity as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("plain values become JSON")
    }

    /// The name of the identity on the server: 16 hexadecimal digits.
    pub fn id(&self) -> String {
        format!("{:016x}", xxh3_128(self.json().as_bytes()) as u64)
    }

    /// Descriptions of the differences from another identity.
    pub fn differences(&self, other: &Identity) -> Vec<String> {
        let fields = [
            ("build", &self.build, &other.build),
            ("network", &self.network, &other.network),
            ("search parameters", &self.parameters, &other.parameters),
            ("tablebases", &self.tablebases, &other.tablebases),
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
        let tablebases = shown(&self.tablebases);
        format!(
            "Enfilade {}, network {}, parameters {}, tablebases {tablebases}",
            self.build, self.network, self.parameters
        )
    }
}

fn shown(value: &str) -> &str {
    if value.is_empty() { "none" } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named() {
        let own = Identity {
            jobs: 1,
            build: "0.1.0 1".into(),
            network: "aa".into(),
            parameters: "bb".into(),
            tablebases: String::new(),
        };
        let other = Identity { network: "cc".into(), tablebases: "dd".into(), ..own.clone() };
        assert_eq!(
            own.differences(&other),
            ["another network (cc instead of aa)", "another tablebases (dd instead of none)"]
        );
        assert_ne!(own.id(), other.id());
        assert_eq!(own.id().len(), 16);
    }
}
