//! The address of a queue, with user and password. The password is never shown.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo};
use thiserror::Error;

use crate::base::file::{self, FileError, Limit};

/// The environment variable with the password.
pub const PASSWORD_VARIABLE: &str = "ENFILADE_QUEUE_PASSWORD";

/// An address cannot be used. Messages do not repeat the address, because it may hold a password.
#[derive(Debug, Error)]
pub enum AddressError {
    /// The text is not a valid address.
    #[error("the address of the queue is not valid; a valid address looks like redis://host:6379/0")]
    Url,
    /// The file with the password cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A server's address with user and password.
#[derive(Clone)]
pub struct Address {
    info: ConnectionInfo,
    /// The address for messages, without the password.
    shown: String,
}

impl Address {
    /// Reads an address. The password comes from the file. Without a file it comes from the environment, and without
    /// that it comes from the address.
    ///
    /// # Errors
    ///
    /// [`AddressError`] if the address is not valid, or if the file cannot be read.
    pub fn read(url: &str, password_file: Option<&Path>) -> Result<Address, AddressError> {
        let password = match password_file {
            Some(path) => {
                Some(file::read_text(path, Limit { mebibytes: 1, of: "a password" })?.trim_end().to_owned())
            }
            None => std::env::var(PASSWORD_VARIABLE).ok(),
        };
        Address::new(url, password.as_deref())
    }

    /// Reads the address in `url`. `password` replaces the password in it.
    ///
    /// # Errors
    ///
    /// [`AddressError`] if the address is not valid.
    pub fn new(url: &str, password: Option<&str>) -> Result<Address, AddressError> {
        let mut parsed = redis::parse_redis_url(url).ok_or(AddressError::Url)?;
        let mut info = parsed.clone().into_connection_info().map_err(|_| AddressError::Url)?;
        // The client does not send the name of its library, because a role may not be allowed to do so.
        let mut settings = info.redis_settings().clone().set_skip_set_lib_name();
        if let Some(password) = password.filter(|password| !password.is_empty()) {
            settings = settings.set_password(password);
        }
        info = info.set_redis_settings(settings);
        if parsed.password().is_some() {
            parsed.set_password(Some("***")).map_err(|()| AddressError::Url)?;
        }
        // The address of a Unix socket may contain a password in its query part.
        if !matches!(info.addr(), ConnectionAddr::Tcp(..) | ConnectionAddr::TcpTls { .. }) {
            parsed.set_query(None);
        }
        Ok(Address { info, shown: parsed.to_string() })
    }

    pub(super) fn info(&self) -> &ConnectionInfo {
        &self.info
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown() {
        let addresses = [
            ("redis://host/0", "redis://host/0"),
            ("redis://:secret@host:7000/1", "redis://:***@host:7000/1"),
            ("redis://worker:secret@host/0", "redis://worker:***@host/0"),
        ];
        // Windows has no such addresses.
        let socket = ("redis+unix:///run/redis.sock?pass=secret", "redis+unix:///run/redis.sock");
        for (url, shown) in addresses.into_iter().chain(cfg!(unix).then_some(socket)) {
            let address = Address::new(url, None).unwrap();
            assert_eq!(address.to_string(), shown);
            assert!(!format!("{address:?}").contains("secret"));
            let other = Address::new(url, Some("other")).unwrap();
            assert_eq!(other.info().redis_settings().password(), Some("other"));
        }
        let kept = Address::new("redis://:secret@host/0", None).unwrap();
        assert_eq!(kept.info().redis_settings().password(), Some("secret"));
        for wrong in ["host/0", "http://:secret@host/0", "redis://:secret@host/x", "redis://"] {
            match Address::new(wrong, None) {
                Err(error) => assert!(!error.to_string().contains("secret"), "{error}"),
                Ok(address) => assert_eq!(wrong, "redis://", "{address}"),
            }
        }
    }

    #[test]
    fn a_password_file_may_end_with_a_new_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "se cret\n").unwrap();
        let address = Address::read("redis://user@host", Some(file.path())).unwrap();
        let settings = address.info().redis_settings();
        assert_eq!((settings.username(), settings.password()), (Some("user"), Some("se cret")));
        assert!(Address::read("redis://host", Some(Path::new("/no/such/file"))).is_err());
    }
}
