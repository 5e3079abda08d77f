//! The two secrets: the user's token for the site, and the provider's secret for the broker.

use std::fmt::{self, Debug, Formatter};
use std::path::Path;

use thiserror::Error;

use crate::base::file::{self, FileError, Limit};

/// Bytes of the provider's secret. The protocol wants 16 to 1024 characters, and each byte makes two.
const SECRET_BYTES: usize = 32;

/// The token cannot be used. Messages do not repeat it.
#[derive(Debug, Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file holds no token.
    #[error("the token file must hold one line with the token and nothing else")]
    Content,
}

/// A token of the site's API.
#[derive(Clone)]
pub struct ApiToken {
    text: String,
    /// Whether other users of the machine may read the file.
    is_shared: bool,
}

impl ApiToken {
    /// Reads the token from a file with one line.
    ///
    /// # Errors
    ///
    /// [`TokenError`] if the file cannot be read, or if it holds anything but one word.
    pub fn read(path: &Path) -> Result<ApiToken, TokenError> {
        let text = file::read_text(path, Limit { mebibytes: 1, of: "a token" })?.trim().to_owned();
        if text.is_empty() || text.len() > 1000 || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Content);
        }
        Ok(ApiToken { text, is_shared: is_shared(path) })
    }

    /// Whether other users of the machine may read the file of the token.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

impl Debug for ApiToken {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("ApiToken")
    }
}

/// Only Unix has permissions that can be judged without knowing the machine's users.
#[cfg(unix)]
fn is_shared(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_shared(_path: &Path) -> bool {
    false
}

/// By this secret the broker knows which engines a provider answers for. It is new in each process: registering again
/// replaces the old one, so there is no file that could be read by others.
#[derive(Clone)]
pub(super) struct ProviderSecret(String);

impl ProviderSecret {
    /// A random secret from the system.
    pub fn new() -> Result<ProviderSecret, getrandom::Error> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(ProviderSecret(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_with(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn a_token_is_one_word_and_is_never_shown() {
        let token = ApiToken::read(file_with("lip_secret\n").path()).unwrap();
        assert_eq!(token.text(), "lip_secret");
        assert!(!format!("{token:?}").contains("secret"));
        // As editors and shells of Windows leave it.
        for text in ["\u{feff}lip_secret\r\n", "\r\n\r\n  lip_secret \t\r\n\r\n", "lip_secret"] {
            assert_eq!(ApiToken::read(file_with(text).path()).unwrap().text(), "lip_secret", "{text:?}");
        }
        for wrong in ["", "\n", "two words", "two\nlines", "lip_\u{e9}", &"x".repeat(1001)] {
            let error = ApiToken::read(file_with(wrong).path()).unwrap_err();
            assert!(matches!(error, TokenError::Content), "{wrong}: {error}");
        }
        assert!(matches!(ApiToken::read(Path::new("/no/such/file")), Err(TokenError::File(_))));
    }

    #[cfg(all(unix, not(miri)))]
    #[test]
    fn a_file_that_others_can_read_is_noticed() {
        use std::fs::{Permissions, set_permissions};
        use std::os::unix::fs::PermissionsExt;

        let file = file_with("lip_secret");
        for (mode, is_shared) in [(0o600, false), (0o400, false), (0o640, true), (0o644, true)] {
            set_permissions(file.path(), Permissions::from_mode(mode)).unwrap();
            assert_eq!(ApiToken::read(file.path()).unwrap().is_shared(), is_shared, "{mode:o}");
        }
    }

    #[test]
    fn secrets_are_long_and_differ() {
        let [one, other] = [(); 2].map(|()| ProviderSecret::new().unwrap());
        assert_eq!(one.text().len(), 2 * SECRET_BYTES);
        assert!(one.text().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(one.text(), other.text());
    }
}
