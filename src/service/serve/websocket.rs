//! UCI over a WebSocket: a text message holds one or more lines, and each line of output is a message of its own.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::access::{Grant, token_of};
use super::deadlines::{HANDSHAKE, WRITE, in_time};
use super::metrics::Metrics;
use super::server::{Refusal, Server};
use super::session::{self, Ends, Input};

/// The time between two pings. A browser answers them by itself.
const PING: Duration = Duration::from_secs(20);
/// A client of which nothing is heard for this long is gone.
const SILENCE: Duration = Duration::from_secs(60);

/// How a conversation ended.
enum Ending {
    /// One of the sides has closed.
    Closed,
    /// The session has ended: the client said `quit`, or was too slow.
    Session,
    /// The server ends.
    Server,
}

/// Serves a WebSocket to its end. Without a `grant` the first line has to bring the token.
pub(super) async fn serve(server: Arc<Server>, mut socket: WebSocket, grant: Option<Arc<Grant>>) {
    let grant = match grant {
        Some(grant) => Some(grant),
        None => {
            let token = in_time(HANDSHAKE, first_token(&mut socket)).await;
            server.access.grant(token.ok().flatten().as_deref())
        }
    };
    let served = match server.admit(grant) {
        Ok(admission) => match session::start(&server, admission) {
            Ok(ends) => converse(&server, &mut socket, ends).await,
            Err(error) => Err(error),
        },
        Err(refusal) => {
            let code = if refusal == Refusal::Token { close_code::POLICY } else { close_code::AGAIN };
            close(&mut socket, code, refusal.reason()).await
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

async fn converse(server: &Server, socket: &mut WebSocket, mut ends: Ends) -> io::Result<()> {
    let mut closing = server.closing.clone();
    let mut pings = interval_at(Instant::now() + PING, PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut heard = Instant::now();
    let ending = loop {
        tokio::select! {
            message = socket.recv() => {
                heard = Instant::now();
                match message {
                    Some(Ok(message)) => if !take(socket, &ends, message).await? {
                        break Ending::Closed;
                    },
                    Some(Err(_)) | None => break Ending::Closed,
                }
            }
            answer = ends.answers.recv() => match answer {
                Some(text) => pass_on(socket, &text).await?,
                None => break Ending::Session,
            },
            _ = pings.tick() => {
                if heard.elapsed() > SILENCE {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                send(socket, Message::Ping(Default::default())).await?;
            }
            _ = closing.changed() => break Ending::Server,
        }
    };
    // The session ends its search; what it still says is passed on.
    drop(ends.lines);
    if let Ending::Closed = ending {
        return Ok(());
    }
    while let Some(text) = ends.answers.recv().await {
        pass_on(socket, &text).await?;
    }
    match ending {
        Ending::Server => close(socket, close_code::AWAY, "the server ends").await,
        _ => close(socket, close_code::NORMAL, "").await,
    }
}

/// Takes a message. Returns whether the conversation goes on.
async fn take(socket: &mut WebSocket, ends: &Ends, message: Message) -> io::Result<bool> {
    match message {
        Message::Text(text) => {
            for line in text.as_bytes().split(|byte| *byte == b'\n') {
                if ends.lines.send(Input::of(line)).await.is_err() {
                    return Ok(true);
                }
            }
        }
        Message::Binary(_) => {
            let answer = "info string binary messages are no UCI, send text";
            send(socket, Message::text(answer)).await?;
        }
        Message::Ping(_) | Message::Pong(_) => {}
        Message::Close(_) => return Ok(false),
    }
    Ok(true)
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

async fn close(socket: &mut WebSocket, code: u16, reason: &'static str) -> io::Result<()> {
    send(socket, Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await
}
