//! A connection from its first byte: TLS, then HTTP or lines of UCI.
//!
//! One port serves all. The first byte tells: a request of HTTP begins with a capital letter, a command of UCI with a
//! small one, and a handshake of TLS with the byte 22. So a web page cannot slip commands into the body of a request:
//! whatever begins like HTTP is HTTP.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until};
use tokio_rustls::TlsAcceptor;

use super::access::token_of;
use super::deadlines::{HANDSHAKE, WRITE, in_time};
use super::http;
use super::line_splitter::LineSplitter;
use super::lingering::Lingering;
use super::lobby::LobbyPlace;
use super::metrics::Metrics;
use super::server::{Refusal, Server};
use super::session::{self, BACKLOG, Ends, Input};

/// A connection of lines on which nothing moves for this long is closed. The system finds out sooner whether the other
/// side is gone.
const IDLE: Duration = Duration::from_secs(3600);
/// The most bytes that are written at once.
const LARGEST_WRITE: usize = 64 << 10;
/// The first byte of TLS.
const TLS_HANDSHAKE: u8 = 22;

/// Serves a connection to its end. `permit` counts it.
pub(super) async fn serve(
    server: &Arc<Server>,
    stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    permit: OwnedSemaphorePermit,
) {
    let keepalive =
        TcpKeepalive::new().with_time(Duration::from_secs(30)).with_interval(Duration::from_secs(10));
    let _ = SockRef::from(&stream).set_tcp_keepalive(&keepalive);
    let _ = stream.set_nodelay(true);
    let place = server.lobby.enter();
    let stream = Lingering::new(stream, permit);
    let served = match acceptor {
        None => beginning(server, stream, place).await,
        Some(acceptor) => encrypted(server, stream, place, acceptor).await,
    };
    if served.is_err() {
        Metrics::add(&server.metrics.dropped);
    }
}

async fn encrypted(
    server: &Arc<Server>,
    mut stream: Lingering,
    place: LobbyPlace,
    acceptor: TlsAcceptor,
) -> io::Result<()> {
    let first = place.keep(in_time(HANDSHAKE, stream.first_byte())).await?;
    if let Some(first) = first.filter(|first| *first != TLS_HANDSHAKE) {
        let text = if first.is_ascii_uppercase() {
            "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 25\r\n\r\nThis port needs https://\r\n"
        } else {
            "info string this port needs TLS\n"
        };
        return in_time(WRITE, stream.write_all(text.as_bytes())).await;
    }
    let stream = place.keep(in_time(HANDSHAKE, acceptor.accept(stream))).await?;
    beginning(server, stream, place).await
}

/// Reads the first bytes, which tell the protocol.
async fn beginning<S>(server: &Arc<Server>, mut stream: S, place: LobbyPlace) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut first = vec![0; 4096];
    let length = place.keep(in_time(HANDSHAKE, stream.read(&mut first))).await?;
    first.truncate(length);
    match first.first() {
        None => Ok(()),
        Some(byte) if byte.is_ascii_uppercase() => {
            let (reader, writer) = tokio::io::split(stream);
            http::serve(server, tokio::io::join(io::Cursor::new(first).chain(reader), writer), place).await
        }
        Some(&TLS_HANDSHAKE) => Ok(()),
        Some(_) => {
            let connection = LineConnection { server, stream, splitter: LineSplitter::default() };
            connection.serve(&first, place).await
        }
    }
}

/// A connection that speaks UCI by lines.
struct LineConnection<'s, S> {
    server: &'s Arc<Server>,
    stream: S,
    splitter: LineSplitter,
}

impl<S: AsyncRead + AsyncWrite + Unpin> LineConnection<'_, S> {
    async fn serve(mut self, first: &[u8], place: LobbyPlace) -> io::Result<()> {
        let mut lines = VecDeque::new();
        self.splitter.push(first, |line| lines.push_back(line));
        // Only a whole line takes the place of a session.
        place.keep(in_time(HANDSHAKE, self.first_line(&mut lines))).await?;
        let token = if self.server.access.needs_token() {
            match lines.pop_front() {
                Some(Input::Line(line)) => Some(token_of(&line).unwrap_or_default().to_owned()),
                _ => None,
            }
        } else if lines.is_empty() {
            return Ok(());
        } else {
            None
        };
        let grant = self.server.access.grant(token.as_deref());
        let seat = match self.server.admit(grant) {
            Ok(seat) => seat,
            Err(refusal) => return self.refuse(refusal).await,
        };
        drop(place);
        match session::start(self.server, seat) {
            Ok(ends) => {
                let is_behind = ends.is_behind.clone();
                is_behind.forgive(self.converse(ends, lines).await)
            }
            Err(_) => {
                self.write(&format!("info string {}\n", session::NO_THREAD)).await?;
                self.stream.shutdown().await
            }
        }
    }

    /// Reads until there is a line, or nothing more comes.
    async fn first_line(&mut self, lines: &mut VecDeque<Input>) -> io::Result<()> {
        let mut chunk = [0; 4096];
        while lines.is_empty() {
            let length = self.stream.read(&mut chunk).await?;
            if length == 0 {
                break;
            }
            self.splitter.push(&chunk[..length], |line| lines.push_back(line));
        }
        Ok(())
    }

    async fn refuse(mut self, refusal: Refusal) -> io::Result<()> {
        let hint = if refusal == Refusal::Token { "; the first line is: token SECRET" } else { "" };
        self.write(&format!("info string {}{hint}\n", refusal.reason())).await?;
        self.stream.shutdown().await
    }

    /// Passes lines to the session and its answers to the client, until one of them ends.
    async fn converse(mut self, ends: Ends, mut lines: VecDeque<Input>) -> io::Result<()> {
        let Ends { lines: input, mut answers, is_behind } = ends;
        let mut chunk = vec![0; 4096];
        let mut last = Instant::now();
        loop {
            let may_go_on = !lines.is_empty() && answers.len() < BACKLOG;
            tokio::select! {
                place = input.reserve(), if may_go_on => match (place, lines.pop_front()) {
                    (Ok(place), Some(line)) => place.send(line),
                    _ => break,
                },
                read = self.stream.read(&mut chunk), if lines.is_empty() => {
                    let length = read?;
                    if length == 0 {
                        break;
                    }
                    self.splitter.push(&chunk[..length], |line| lines.push_back(line));
                }
                answer = answers.recv() => match answer {
                    Some(mut text) => {
                        while text.len() < LARGEST_WRITE && let Ok(more) = answers.try_recv() {
                            text.push_str(&more);
                        }
                        self.write(&text).await?;
                    }
                    None => break,
                },
                () = sleep_until(last + IDLE) => {
                    self.write("info string closed after an hour of silence\n").await?;
                    break;
                }
                () = self.server.closing() => break,
            }
            last = Instant::now();
        }
        // The session ends its search; what it still says is passed on.
        drop(input);
        while let Some(text) = answers.recv().await {
            self.write(&text).await?;
        }
        if is_behind.is_true() {
            self.write("info string closed because the client reads too slowly\n").await?;
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
