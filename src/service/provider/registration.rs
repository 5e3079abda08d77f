//! What the site is told about the engine.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::remote::{Remote, RemoteError};
use super::secret::ProviderSecret;

/// The path of the registrations on the site.
const PATH: &str = "/api/external-engine";
/// The largest table that the protocol knows, in MiB.
pub const MAX_HASH: usize = 1_048_576;
/// Standard chess. Its positions may have the castling rights of Chess960.
const VARIANTS: &[&str] = &["chess"];

/// A name of the engine is too short or too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a name of 3 to 200 characters is needed")]
pub struct LongName;

/// Returns an error if the site would refuse the name.
///
/// # Errors
///
/// [`LongName`] if the name is shorter or longer than the protocol allows.
pub fn check_name(name: &str) -> Result<(), LongName> {
    if (3..=200).contains(&name.trim().chars().count()) { Ok(()) } else { Err(LongName) }
}

/// An engine as the site stores it. The site also stores a secret for clients, which a provider does not need.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Registration<'a> {
    name: &'a str,
    max_threads: usize,
    max_hash: usize,
    variants: &'a [&'a str],
    provider_secret: &'a str,
}

/// An engine in the site's list.
#[derive(Deserialize)]
struct RegisteredEngine {
    id: String,
    name: String,
}

/// The engine's name and limits.
#[derive(Clone, Debug)]
pub(super) struct EngineDescription {
    pub name: String,
    pub max_threads: usize,
    /// In MiB.
    pub max_hash: usize,
}

/// Registers the engine. An engine of the same name is replaced, so that a new start does not leave a second one.
pub(super) async fn register(
    site: &Remote,
    description: &EngineDescription,
    secret: &ProviderSecret,
) -> Result<(), RemoteError> {
    let registration = Registration {
        name: description.name.trim(),
        max_threads: description.max_threads,
        max_hash: description.max_hash.min(MAX_HASH),
        variants: VARIANTS,
        provider_secret: secret.text(),
    };
    let engines: Vec<RegisteredEngine> = site.get(PATH).await?;
    let known = engines.iter().find(|engine| engine.name == registration.name);
    match known {
        Some(engine) => site.put(&format!("{PATH}/{}", check_id(&engine.id)?), &registration).await,
        None => site.post(PATH, &registration).await,
    }
}

/// Returns an identifier that is safe in a path.
pub(super) fn check_id(id: &str) -> Result<&str, RemoteError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if (1..=100).contains(&id.len()) && id.bytes().all(is_plain) {
        Ok(id)
    } else {
        Err(RemoteError::Content("an identifier with unexpected characters".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_lengths_of_the_protocol() {
        for (name, is_accepted) in [
            ("ab", false),
            ("abc", true),
            ("  ab  ", false),
            (&"é".repeat(200), true),
            (&"é".repeat(201), false),
        ] {
            assert_eq!(check_name(name).is_ok(), is_accepted, "{name}");
        }
    }

    #[test]
    fn an_identifier_cannot_change_the_path() {
        assert_eq!(check_id("eei_oNOorAgsNFn2").unwrap(), "eei_oNOorAgsNFn2");
        for wrong in ["", "..", "a/b", "a?b", "a%2fb", "é", &"x".repeat(101)] {
            assert!(check_id(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_registration_has_the_names_of_the_protocol() {
        let registration = Registration {
            name: "Enfilade",
            max_threads: 8,
            max_hash: 2048,
            variants: VARIANTS,
            provider_secret: "0123456789abcdef",
        };
        assert_eq!(
            serde_json::to_value(&registration).unwrap(),
            serde_json::json!({
                "name": "Enfilade", "maxThreads": 8, "maxHash": 2048, "variants": ["chess"],
                "providerSecret": "0123456789abcdef",
            })
        );
    }
}
