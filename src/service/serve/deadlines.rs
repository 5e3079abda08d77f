//! How long clients may take.

use std::io;
use std::time::Duration;

use tokio::time::timeout;

/// How long a client may take to say what it wants and who it is.
pub(super) const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long a client may take to accept a text.
pub(super) const WRITE: Duration = Duration::from_secs(20);
/// The result of `work`, or an error if it takes longer than `limit`.
pub(super) async fn in_time<T>(limit: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(limit, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
