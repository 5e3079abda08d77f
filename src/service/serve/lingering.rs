//! A connection whose last answer arrives. If a system closed a connection with unread bytes, it would reset it, and
//! the client might lose what was written last: why it was refused, or a Close frame. So the rest is read, within
//! limits.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// How many bytes are read after the end, and how long.
const MOST: u64 = 4 << 20;
const LONGEST: Duration = Duration::from_secs(2);

/// A stream that is read on for a while after it was dropped, if anything was written to it.
pub(super) struct Lingering {
    /// There until the drop.
    stream: Option<TcpStream>,
    has_written: bool,
    /// Counts the connection as long as it is open.
    permit: Option<OwnedSemaphorePermit>,
}

impl Lingering {
    pub fn new(stream: TcpStream, permit: OwnedSemaphorePermit) -> Lingering {
        Lingering { stream: Some(stream), has_written: false, permit: Some(permit) }
    }

    /// The first byte, which stays unread; `None` at the end.
    pub async fn first_byte(&self) -> io::Result<Option<u8>> {
        let mut first = [0];
        let length = match &self.stream {
            Some(stream) => stream.peek(&mut first).await?,
            None => 0,
        };
        Ok((length > 0).then_some(first[0]))
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(self.get_mut().stream.as_mut().expect("the stream is there until the drop"))
    }
}

impl AsyncRead for Lingering {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context, buffer: &mut ReadBuf) -> Poll<io::Result<()>> {
        self.stream().poll_read(context, buffer)
    }
}

impl AsyncWrite for Lingering {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.has_written = true;
        self.stream().poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        self.stream().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        parts: &[io::IoSlice],
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        self.stream().poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        let Some(mut stream) = self.stream.take().filter(|_| self.has_written) else { return };
        let permit = self.permit.take();
        // Without a runtime the process is at its end.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                let rest = async {
                    stream.shutdown().await?;
                    tokio::io::copy(&mut stream.take(MOST), &mut tokio::io::sink()).await
                };
                let _ = timeout(LONGEST, rest).await;
                drop(permit);
            });
        }
    }
}
