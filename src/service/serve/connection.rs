//! A connection from its first byte: TLS, then HTTP or lines of UCI.
//!
//! One port serves all. The first byte tells: a request of HTTP begins with a capital letter, a command of UCI with a
//! small one, and a handshake of TLS with the byte 22. So a web page cannot slip commands into the body of a request:
//! whatever begins like HTTP is HTTP.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;

use super::access::token_of;
use super::deadlines::{HANDSHAKE, WRITE, in_time};
use super::http;
use super::line_splitter::LineSplitter;
use super::metrics::Metrics;
use super::server::{Refusal, Server};
use super::session::{self, Ends, Input};

/// A connection of lines on which nothing moves for this long is closed. The system finds out sooner whether the other
/// side is gone.
const IDLE: Duration = Duration::from_secs(3600);
/// The first byte of TLS.
const TLS_HANDSHAKE: u8 = 22;

/// Serves a connection to its end.
pub(super) async fn serve(server: &Arc<Server>, stream: TcpStream, acceptor: Option<TlsAcceptor>) {
    let keepalive =
        TcpKeepalive::new().with_time(Duration::from_secs(30)).with_interval(Duration::from_secs(10));
    let _ = SockRef::from(&stream).set_tcp_keepalive(&keepalive);
    let _ = stream.set_nodelay(true);
    let served = match acceptor {
        None => beginning(server, stream).await,
        Some(acceptor) => encrypted(server, stream, acceptor).await,
    };
    if served.is_err() {
        Metrics::add(&server.metrics.dropped);
    }
}

async fn encrypted(server: &Arc<Server>, mut stream: TcpStream, acceptor: TlsAcceptor) -> io::Result<()> {
    let mut first = [0];
    if in_time(HANDSHAKE, stream.peek(&mut first)).await? == 1 && first[0] != TLS_HANDSHAKE {
        let text = if first[0].is_ascii_uppercase() {
            "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 25\r\n\r\nThis port needs https://\r\n"
        } else {
            "info string this port needs TLS\n"
        };
        in_time(WRITE, stream.write_all(text.as_bytes())).await?;
        return part(&mut stream).await;
    }
    let stream = in_time(HANDSHAKE, acceptor.accept(stream)).await?;
    beginning(server, stream).await
}

/// Reads the first bytes, which tell the protocol.
async fn beginning<S>(server: &Arc<Server>, mut stream: S) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut first = vec![0; 4096];
    let length = in_time(HANDSHAKE, stream.read(&mut first)).await?;
    first.truncate(length);
    match first.first() {
        None => Ok(()),
        Some(byte) if byte.is_ascii_uppercase() => {
            let (reader, writer) = tokio::io::split(stream);
            http::serve(server, tokio::io::join(io::Cursor::new(first).chain(reader), writer)).await
        }
        Some(&TLS_HANDSHAKE) => Ok(()),
        Some(_) => LineConnection { server, stream, splitter: LineSplitter::default() }.serve(&first).await,
    }
}

/// A connection that speaks UCI by lines.
struct LineConnection<'s, S> {
    server: &'s Arc<Server>,
    stream: S,
    splitter: LineSplitter,
}

impl<S: AsyncRead + AsyncWrite + Unpin> LineConnection<'_, S> {
    async fn serve(mut self, first: &[u8]) -> io::Result<()> {
        let mut lines = Vec::new();
        self.splitter.push(first, |line| lines.push(line));
        let token = if self.server.access.needs_token() {
            Some(in_time(HANDSHAKE, self.token(&mut lines)).await?)
        } else {
            None
        };
        let grant = self.server.access.grant(token.as_deref());
        let admission = match self.server.admit(grant) {
            Ok(admission) => admission,
            Err(refusal) => return self.refuse(refusal).await,
        };
        let ends = session::start(self.server, admission)?;
        self.converse(ends, lines).await
    }

    /// The token of the first line, which is taken out of `lines`. Empty if the line has none.
    async fn token(&mut self, lines: &mut Vec<Input>) -> io::Result<String> {
        while lines.is_empty() {
            let mut chunk = [0; 4096];
            let length = self.stream.read(&mut chunk).await?;
            if length == 0 {
                return Ok(String::new());
            }
            self.splitter.push(&chunk[..length], |line| lines.push(line));
        }
        Ok(match lines.remove(0) {
            Input::Line(line) => token_of(&line).unwrap_or_default().to_owned(),
            Input::Part(_) => String::new(),
        })
    }

    async fn refuse(mut self, refusal: Refusal) -> io::Result<()> {
        let hint = if refusal == Refusal::Token { "; the first line is: token SECRET" } else { "" };
        self.write(&format!("info string {}{hint}\n", refusal.reason())).await?;
        part(&mut self.stream).await
    }

    /// Passes lines to the session and its answers to the client, until one of them ends.
    async fn converse(mut self, mut ends: Ends, mut lines: Vec<Input>) -> io::Result<()> {
        let mut closing = self.server.closing.clone();
        let mut chunk = vec![0; 4096];
        let mut last = Instant::now();
        'open: loop {
            for line in lines.drain(..) {
                if ends.lines.send(line).await.is_err() {
                    break 'open;
                }
            }
            tokio::select! {
                read = self.stream.read(&mut chunk) => {
                    let length = read?;
                    if length == 0 {
                        break;
                    }
                    self.splitter.push(&chunk[..length], |line| lines.push(line));
                }
                answer = ends.answers.recv() => match answer {
                    Some(text) => self.write(&text).await?,
                    None => break,
                },
                () = sleep_until(last + IDLE) => {
                    self.write("info string closed after an hour of silence\n").await?;
                    break;
                }
                _ = closing.changed() => break,
            }
            last = Instant::now();
        }
        // The session ends its search; what it still says is passed on.
        drop(ends.lines);
        while let Some(text) = ends.answers.recv().await {
            self.write(&text).await?;
        }
        self.stream.shutdown().await
    }

    async fn write(&mut self, text: &str) -> io::Result<()> {
        in_time(WRITE, async {
            self.stream.write_all(text.as_bytes()).await?;
            self.stream.flush().await
        })
        .await
    }
}

/// Ends a conversation after an answer. If the system closed a connection with unread bytes, it would reset it, and the
/// client might lose the answer. So the rest is read, within limits.
async fn part<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) -> io::Result<()> {
    const MOST: u64 = 1 << 20;
    const LIMIT: Duration = Duration::from_secs(2);
    stream.shutdown().await?;
    let mut rest = stream.take(MOST);
    let _ = timeout(LIMIT, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
    Ok(())
}
