//! Addresses of servers. Secrets travel over TLS, or not at all: plain HTTP is only for servers on this machine.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use reqwest::Url;
use thiserror::Error;
use url::Host;

/// An address cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddressRefused {
    /// The text is not a valid address.
    #[error("this is not a valid address; a valid address looks like https://lichess.org")]
    Form,
    /// The address has no encryption, and the server is on another machine.
    #[error("https:// is needed; http:// is only for servers on this machine, such as http://127.0.0.1:9663")]
    Unencrypted,
}

/// The address of a server, with https, or with http on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress(Url);

impl FromStr for ServerAddress {
    type Err = AddressRefused;

    fn from_str(text: &str) -> Result<ServerAddress, AddressRefused> {
        let url = Url::parse(text).map_err(|_| AddressRefused::Form)?;
        let is_bare = url.username().is_empty() && url.password().is_none();
        if !is_bare || url.query().is_some() || url.fragment().is_some() {
            return Err(AddressRefused::Form);
        }
        match (url.scheme(), url.host()) {
            ("https", Some(_)) => Ok(ServerAddress(url)),
            ("http", Some(host)) if is_this_machine(&host) => Ok(ServerAddress(url)),
            ("http", Some(_)) => Err(AddressRefused::Unencrypted),
            _ => Err(AddressRefused::Form),
        }
    }
}

fn is_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

impl ServerAddress {
    /// Whether what is sent to the server is encrypted. Otherwise the server is on this machine.
    pub(super) fn is_encrypted(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The address of a path, which begins with a slash, on the server.
    pub(super) fn with_path(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{path}", self.0.path().trim_end_matches('/')));
        url
    }
}

/// The server's name and port.
impl Display for ServerAddress {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.authority())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_may_do_without_encryption() {
        for accepted in [
            "https://lichess.org",
            "https://lichess.dev/base/",
            "http://127.0.0.1:9663",
            "http://127.1.2.3",
            "http://[::1]:80",
            "http://localhost:9666",
        ] {
            assert!(accepted.parse::<ServerAddress>().is_ok(), "{accepted}");
        }
        for (wrong, error) in [
            ("http://lichess.org", AddressRefused::Unencrypted),
            ("http://127.0.0.1.example.org", AddressRefused::Unencrypted),
            ("http://localhost.example.org", AddressRefused::Unencrypted),
            ("http://192.168.0.1", AddressRefused::Unencrypted),
            ("http://[::2]", AddressRefused::Unencrypted),
            ("lichess.org", AddressRefused::Form),
            ("ftp://lichess.org", AddressRefused::Form),
            ("https://user:secret@lichess.org", AddressRefused::Form),
            ("https://lichess.org?a=b", AddressRefused::Form),
            ("https://", AddressRefused::Form),
            ("", AddressRefused::Form),
        ] {
            assert_eq!(wrong.parse::<ServerAddress>(), Err(error), "{wrong}");
        }
    }

    #[test]
    fn paths_are_joined_with_one_slash() {
        for (base, joined) in
            [("https://a.org", "https://a.org/api/x"), ("https://a.org/b/", "https://a.org/b/api/x")]
        {
            let address: ServerAddress = base.parse().unwrap();
            assert_eq!(address.with_path("/api/x").as_str(), joined);
        }
        let address: ServerAddress = "http://127.0.0.1:9666/b".parse().unwrap();
        assert_eq!(address.to_string(), "127.0.0.1:9666");
    }
}
