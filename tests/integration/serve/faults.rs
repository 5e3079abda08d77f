//! Clients that send nonsense, too much, or nothing.

use std::io::{Read, Write};

use tungstenite::Message;

use super::{Client, Server};
use crate::mutated_input::mutated_dialogues;
use crate::patience::wait_until;

#[test]
fn mutated_dialogues_neither_end_the_server_nor_reach_others() {
    let server = Server::start(&["--sessions", "1000"]);
    let mut witness = server.lines();
    for (i, lines) in mutated_dialogues(150).into_iter().enumerate() {
        let bytes = lines.join(&b'\n');
        if i % 2 == 0 {
            let mut client = server.lines();
            client.bytes(&bytes);
            client.bytes(b"\nstop\nisready\nquit\n");
            // What begins like HTTP or TLS is taken for it, and a `quit` may come earlier.
            while client.line().is_some() {}
        } else {
            let mut client = server.socket("/uci", &[]).unwrap();
            let _ = client.socket.send(Message::text(String::from_utf8_lossy(&bytes).into_owned()));
            let _ = client.socket.send(Message::text("stop\nquit"));
            while client.line().is_some() {}
        }
        if i % 10 == 0 {
            witness.send("position startpos moves e2e4 e7e5 f1c4 b8c6 d1h5 g8f6");
            witness.send("go nodes 1000");
            assert_eq!(witness.until("bestmove ").last().unwrap(), "bestmove h5f7");
        }
    }
    wait_until("the end of the other sessions", || server.metric("enfilade_sessions") == 1.0);
}

#[test]
fn a_line_without_end_takes_no_memory_and_gets_an_answer() {
    let server = Server::start(&[]);
    let mut client = server.lines();
    client.bytes(b"position startpos moves");
    for _ in 0..1000 {
        client.bytes(&[b' '; 4096]);
    }
    client.bytes(b"\n");
    let answer = client.line().unwrap();
    assert!(answer.starts_with("info string position: the line is"), "{answer}");
    client.send("isready");
    client.until("readyok");
}

/// A client that does not read fills its connection, then its queue.
#[test]
fn a_client_that_does_not_read_is_dropped() {
    let server = Server::start(&[]);
    let mut client = server.lines();
    client.send("isready");
    client.until("readyok");
    let flood = "uci\n".repeat(4096);
    client.stream.set_write_timeout(Some(std::time::Duration::from_secs(1))).unwrap();
    for _ in 0..64 {
        if client.stream.write_all(flood.as_bytes()).is_err() {
            break;
        }
    }
    wait_until("the end of the session", || server.metric("enfilade_sessions") == 0.0);
    let mut other = server.lines();
    other.send("go nodes 1000");
    other.until("bestmove ");
}

#[test]
fn a_connection_that_says_nothing_is_closed() {
    let server = Server::start(&[]);
    let mut silent = server.stream();
    let mut slow = server.stream();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: local").unwrap();
    let mut rest = Vec::new();
    assert_eq!(silent.read_to_end(&mut rest).unwrap(), 0);
    let _ = slow.read_to_end(&mut rest);
    wait_until("the note of the silent client", || server.metric("enfilade_clients_dropped_total") >= 1.0);
}
