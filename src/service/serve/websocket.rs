//! UCI over a WebSocket: a text message holds one or more lines, and each line of output is a message of its own.
//!
//! The server never ends a WebSocket without a Close frame that says why (RFC 6455, 7.4.1), unless the connection is
//! lost.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tungstenite::error::ProtocolError;

use super::access::{Grant, token_of};
use super::deadlines::{HANDSHAKE, WRITE, in_time};
use super::metrics::Metrics;
use super::server::{Refusal, Server};
use super::session::{self, BACKLOG, Ends, Input};

/// The time between two pings. A browser answers them by itself.
const PING: Duration = Duration::from_secs(20);
/// A client of which nothing is heard for this long is gone.
const SILENCE: Duration = Duration::from_secs(60);

/// How a conversation ended.
enum Ending {
    /// The connection is lost, or the client has closed it.
    Closed,
    /// The client has sent what cannot be accepted.
    Fault(CloseReason),
    /// The session has ended: the client said `quit`, or was too slow.
    Session,
    /// The server ends.
    Server,
}

/// The code and the words of a Close frame.
type CloseReason = (u16, &'static str);

/// Serves a WebSocket to its end. Without a `grant` the first line has to bring the token.
pub(super) async fn serve(server: Arc<Server>, mut socket: WebSocket, grant: Option<Arc<Grant>>) {
    let grant = match grant {
        Some(grant) => Some(grant),
        None => {
            let place = server.lobby.enter();
            let token = place.keep(in_time(HANDSHAKE, first_token(&mut socket))).await;
            server.access.grant(token.ok().flatten().as_deref())
        }
    };
    let served = match server.admit(grant) {
        Ok(seat) => match session::start(&server, seat) {
            Ok(ends) => {
                let is_behind = ends.is_behind.clone();
                is_behind.forgive(converse(&server, &mut socket, ends).await)
            }
            Err(_) => close(&mut socket, (close_code::ERROR, session::NO_THREAD)).await,
        },
        Err(refusal) => {
            let code = match refusal {
                Refusal::Token => close_code::POLICY,
                Refusal::Full => close_code::AGAIN,
                Refusal::Ending => close_code::AWAY,
            };
            close(&mut socket, (code, refusal.reason())).await
        }
    };
    if served.is_err() {
        Metrics::add(&server.metrics.dropped);
    }
}

/// The token of the first message.
async fn first_token(socket: &mut WebSocket) -> io::Result<Option<String>> {
    loop {
        match socket.recv().await {
            Some(Ok(Message::Text(text))) => return Ok(token_of(&text).map(str::to_owned)),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            _ => return Ok(None),
        }
    }
}

async fn converse(server: &Server, socket: &mut WebSocket, ends: Ends) -> io::Result<()> {
    let Ends { lines: input, mut answers, is_behind } = ends;
    let mut pings = interval_at(Instant::now() + PING, PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut heard = Instant::now();
    let mut lines = VecDeque::new();
    let ending = loop {
        let may_go_on = !lines.is_empty() && answers.len() < BACKLOG;
        tokio::select! {
            place = input.reserve(), if may_go_on => match (place, lines.pop_front()) {
                (Ok(place), Some(line)) => {
                    // While lines wait, nothing is read, and so no answer to a ping is seen.
                    heard = Instant::now();
                    place.send(line);
                }
                _ => break Ending::Session,
            },
            message = socket.recv(), if lines.is_empty() => {
                heard = Instant::now();
                match message {
                    Some(Ok(Message::Text(text))) => {
                        lines.extend(text.as_bytes().split(|byte| *byte == b'\n').map(Input::of));
                    }
                    Some(Ok(Message::Binary(_))) => {
                        break Ending::Fault((close_code::UNSUPPORTED, "binary messages are no UCI, send text"));
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Close(_))) | None => break Ending::Closed,
                    Some(Err(error)) => break fault(error).map_or(Ending::Closed, Ending::Fault),
                }
            }
            answer = answers.recv() => match answer {
                Some(text) => pass_on(socket, &text).await?,
                None => break Ending::Session,
            },
            _ = pings.tick() => {
                if heard.elapsed() > SILENCE {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                send(socket, Message::Ping(Default::default())).await?;
            }
            () = server.closing() => break Ending::Server,
        }
    };
    // The session ends its search; what it still says is passed on.
    drop(input);
    let reason = match ending {
        Ending::Closed => return Ok(()),
        Ending::Fault(reason) => return close(socket, reason).await,
        Ending::Session => (close_code::NORMAL, ""),
        Ending::Server => (close_code::AWAY, Refusal::Ending.reason()),
    };
    while let Some(text) = answers.recv().await {
        pass_on(socket, &text).await?;
    }
    let too_slow = (close_code::POLICY, "the client reads too slowly");
    close(socket, if is_behind.is_true() { too_slow } else { reason }).await
}

/// What a client did wrong; `None` if its connection is lost.
fn fault(error: axum::Error) -> Option<CloseReason> {
    match error.into_inner().downcast_ref::<tungstenite::Error>()? {
        tungstenite::Error::Capacity(_) => Some((close_code::SIZE, "a message has at most 1 MiB")),
        tungstenite::Error::Utf8(_) => Some((close_code::INVALID, "text has to be UTF-8")),
        tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        tungstenite::Error::Protocol(_) => Some((close_code::PROTOCOL, "this is no frame of RFC 6455")),
        _ => None,
    }
}

/// Sends each line of a text as a message.
async fn pass_on(socket: &mut WebSocket, text: &str) -> io::Result<()> {
    for line in text.lines() {
        send(socket, Message::text(line)).await?;
    }
    Ok(())
}

async fn send(socket: &mut WebSocket, message: Message) -> io::Result<()> {
    in_time(WRITE, async { socket.send(message).await.map_err(io::Error::other) }).await
}

async fn close(socket: &mut WebSocket, (code, reason): CloseReason) -> io::Result<()> {
    send(socket, Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await
}
