//! The connection to the server. Temporary failures are retried. Other failures are errors that tell the user what to
//! do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use redis::{Client, Connection, ErrorKind, RedisError, RedisResult, ServerErrorKind};
use thiserror::Error;

use super::address::Address;
use crate::base::text::one_line;

/// The time limit for a connection and for each reply. It is longer than the server is ever asked to wait.
const SILENCE: Duration = Duration::from_secs(20);
/// The pause between two attempts: the first one and the longest one.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// The queue cannot be used.
#[derive(Debug, Error)]
pub enum QueueError {
    /// The server does not answer.
    #[error(
        "the queue at {address} does not answer: {reason}; start the server, or check the address, and repeat the command: \
         the results so far are kept"
    )]
    Lost {
        /// The address of the server.
        address: String,
        /// The system's message.
        reason: String,
    },
    /// The server has no room.
    #[error(
        "the queue at {address} has no room: {reason}; give the server more memory or disk (maxmemory in redis.conf), or \
         remove old answers by enfilade queue clear --answers, and repeat the command: the results so far are kept"
    )]
    Full {
        /// The address of the server.
        address: String,
        /// The server's message.
        reason: String,
    },
    /// The server's certificate is not valid, or this system has no list of authorities.
    #[error(
        "the certificate of the queue at {address} cannot be checked: {reason}; the authorities are those that the system \
         trusts, or those of the file that the environment variable SSL_CERT_FILE names"
    )]
    Untrusted {
        /// The address of the server.
        address: String,
        /// The system's message.
        reason: String,
    },
    /// The server refuses this program.
    #[error(
        "the queue at {address} refuses access: {reason}; the password comes from --queue-password-file or from the \
         environment variable ENFILADE_QUEUE_PASSWORD, and the user comes from the address"
    )]
    Refused {
        /// The address of the server.
        address: String,
        /// The server's message.
        reason: String,
    },
    /// The server does not behave as expected.
    #[error("cannot use the queue at {address}: {reason} (it must be Valkey, or Redis 6.2 or later)")]
    Unsuited {
        /// The address of the server.
        address: String,
        /// The server's message.
        reason: String,
    },
}

/// The kinds of trouble with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    Lost,
    Full,
    Untrusted,
    Refused,
    Unsuited,
}

impl Trouble {
    fn of(error: &RedisError) -> Trouble {
        let text = error.to_string();
        // If a command in a script fails, the server may put another code before the error of the command.
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        match error.kind() {
            ErrorKind::Io if error.to_string().contains("certificate") => Trouble::Untrusted,
            ErrorKind::Io | ErrorKind::Parse => Trouble::Lost,
            ErrorKind::Server(
                ServerErrorKind::BusyLoading
                | ServerErrorKind::TryAgain
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ReadOnly,
            ) => Trouble::Lost,
            _ if says(&["OOM ", "MISCONF", "maxmemory"]) => Trouble::Full,
            ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm) => Trouble::Refused,
            _ if says(&["NOAUTH", "WRONGPASS", "NOPERM", "DENIED", "user executing the script"]) => {
                Trouble::Refused
            }
            _ if says(&["LOADING", "BUSY ", "max number of clients"]) => Trouble::Lost,
            _ => Trouble::Unsuited,
        }
    }
}

/// How long to wait for a server, and when to stop waiting.
#[derive(Clone, Debug)]
pub struct Patience {
    /// How long the server may be unreachable.
    pub limit: Duration,
    /// Whether to wait for a full server as for an unreachable one. Otherwise a full server is an error at once.
    pub awaits_room: bool,
    /// When this is set, nothing waits for the server any more.
    pub is_over: Arc<AtomicBool>,
}

/// A server, connected or not.
pub struct Queue {
    client: Client,
    address: Address,
    patience: Patience,
    connection: Option<Connection>,
    /// The number of connections so far.
    connections: u64,
}

impl Queue {
    /// Connects to a server. Does not wait if the server is not there, because the address may be wrong.
    ///
    /// # Errors
    ///
    /// [`QueueError`] if the connection fails.
    pub fn open(address: &Address, patience: Patience) -> Result<Queue, QueueError> {
        let error = |error: &RedisError| fault(address, error);
        let client = Client::open(address.info().clone()).map_err(|cause| error(&cause))?;
        let address = address.clone();
        let mut queue = Queue { client, address, patience, connection: None, connections: 0 };
        match queue.attempt(&mut |connection| redis::cmd("PING").query::<String>(connection)) {
            // The server is there, but it is still loading its data.
            Err(error)
                if Trouble::of(&error) == Trouble::Lost && matches!(error.kind(), ErrorKind::Server(_)) =>
            {
                Ok(queue)
            }
            Err(error) => Err(queue.fault(&error)),
            Ok(_) => Ok(queue),
        }
    }

    /// The address of the server.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The number of connections so far. When it changes, earlier requests may be lost.
    pub fn connections(&self) -> u64 {
        self.connections
    }

    /// Runs `action` on the server, and repeats it if necessary. `say` receives messages about waiting.
    ///
    /// # Errors
    ///
    /// [`QueueError`] if the action fails or takes too long.
    pub fn call<T>(
        &mut self,
        say: &mut dyn FnMut(&str),
        mut action: impl FnMut(&mut Connection) -> RedisResult<T>,
    ) -> Result<T, QueueError> {
        let mut waiting_since = None;
        let mut pause = PAUSES.0;
        let mut last_attempts = 2;
        loop {
            // The signal that ends the program may also have interrupted a reply. So a last attempt with a new
            // connection is made.
            let is_over = self.patience.is_over.load(Ordering::SeqCst);
            last_attempts -= u32::from(is_over);
            let error = match self.attempt(&mut action) {
                Ok(reply) => {
                    if waiting_since.is_some() {
                        say(&format!("the queue at {} works again", self.address));
                    }
                    return Ok(reply);
                }
                Err(error) => error,
            };
            match Trouble::of(&error) {
                Trouble::Lost => self.connection = None,
                Trouble::Full if self.patience.awaits_room => {}
                _ => return Err(self.fault(&error)),
            }
            if self.patience.is_over.load(Ordering::SeqCst) {
                if last_attempts == 0 {
                    return Err(self.fault(&error));
                }
                continue;
            }
            let since = *waiting_since.get_or_insert_with(|| {
                say(&format!(
                    "waiting for the queue at {}: {}",
                    self.address,
                    foreign_line(&error.to_string())
                ));
                Instant::now()
            });
            if since.elapsed() >= self.patience.limit {
                return Err(self.fault(&error));
            }
            sleep(pause);
            pause = (2 * pause).min(PAUSES.1);
        }
    }

    fn attempt<T>(&mut self, action: &mut impl FnMut(&mut Connection) -> RedisResult<T>) -> RedisResult<T> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                let connection = self.client.get_connection_with_timeout(SILENCE)?;
                connection.set_read_timeout(Some(SILENCE))?;
                connection.set_write_timeout(Some(SILENCE))?;
                self.connections += 1;
                none.insert(connection)
            }
        };
        action(connection)
    }

    fn fault(&self, error: &RedisError) -> QueueError {
        fault(&self.address, error)
    }
}

fn fault(address: &Address, error: &RedisError) -> QueueError {
    let (address, reason) = (address.to_string(), foreign_line(&error.to_string()));
    match Trouble::of(error) {
        Trouble::Lost => QueueError::Lost { address, reason },
        Trouble::Full => QueueError::Full { address, reason },
        Trouble::Untrusted => QueueError::Untrusted { address, reason },
        Trouble::Refused => QueueError::Refused { address, reason },
        Trouble::Unsuited => QueueError::Unsuited { address, reason },
    }
}

/// Prepares a text from outside for a message: one line of some 300 characters, without control characters.
pub fn foreign_line(text: &str) -> String {
    one_line(text, 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_errors_are_classified() {
        let server =
            |code: &str, detail: &str| redis::make_extension_error(code.to_owned(), Some(detail.to_owned()));
        for (error, trouble) in [
            (server("OOM", "command not allowed when used memory > 'maxmemory'."), Trouble::Full),
            (server("MISCONF", "Errors writing to the AOF file: No space left on device"), Trouble::Full),
            (server("WRONGPASS", "invalid username-password pair"), Trouble::Refused),
            (server("NOAUTH", "Authentication required."), Trouble::Refused),
            (server("WRONGTYPE", "Operation against a key"), Trouble::Unsuited),
            (std::io::Error::from(std::io::ErrorKind::ConnectionRefused).into(), Trouble::Lost),
            (std::io::Error::other("invalid peer certificate: UnknownIssuer").into(), Trouble::Untrusted),
        ] {
            assert_eq!(Trouble::of(&error), trouble, "{error}");
        }
    }
}
