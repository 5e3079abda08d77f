//! The edge of the server: silent connections, seats, quick clients, the rules of HTTP and WebSocket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use tungstenite::Message;

use super::{Client, Server};
use crate::patience::wait_until;

/// 330 connections that said nothing kept everybody out, `/health` too.
#[test]
fn silent_connections_keep_nobody_out() {
    let server = Server::start(&["--sessions", "2"]);
    let silent: Vec<TcpStream> = (0..300).map(|_| server.stream()).collect();
    assert_eq!(server.get("/health").0, 200);
    let mut client = server.lines();
    assert_eq!(client.ask(""), [""; 0]);
    drop(silent);
    // They come again.
    let silent: Vec<TcpStream> = (0..300).map(|_| server.stream()).collect();
    assert_eq!(server.get("/health").0, 200);
    assert_eq!(client.ask(""), [""; 0], "a session keeps its place");
    assert!(server.metric("enfilade_clients_dropped_total") >= 40.0);
    drop(silent);
}

#[test]
fn health_answers_while_all_seats_are_taken() {
    let server = Server::start(&["--sessions", "1"]);
    let mut client = server.lines();
    client.send("isready");
    client.until("readyok");
    let mut second = server.lines();
    second.send("uci");
    assert_eq!(second.line().unwrap(), "info string all sessions are taken, try again later");
    assert_eq!(second.line(), None);
    let mut socket = server.socket("/uci", &[]).unwrap();
    assert_eq!(socket.close_code(), 1013);
    assert_eq!(server.get("/health").0, 200);
    assert_eq!(server.get("/").0, 200);
    drop(client);
    wait_until("the end of the session", || server.metric("enfilade_sessions") == 0.0);
    let mut third = server.lines();
    assert_eq!(third.ask(""), [""; 0]);
}

/// A client that had sent `u` kept a seat for ever.
#[test]
fn only_a_whole_line_takes_a_seat() {
    let server = Server::start(&["--sessions", "1"]);
    let mut slow = server.lines();
    slow.bytes(b"u");
    let mut other = server.lines();
    assert_eq!(other.ask(""), [""; 0]);
    // The other one is closed after ten seconds, without an answer.
    assert_eq!(slow.line(), None);
    assert_eq!(other.ask(""), [""; 0]);
}

/// Clients that wrote faster than their answers went out were dropped, though they read.
#[test]
fn a_client_that_reads_gets_all_answers_however_fast_it_writes() {
    const COUNT: usize = 20_000;
    let server = Server::start(&[]);
    let mut client = server.lines();
    let mut writer = client.stream.try_clone().unwrap();
    let lines = "isready\n".repeat(COUNT) + "setoption name MultiPV value 20\n" + &"go depth 1\n".repeat(200);
    thread::scope(|scope| {
        scope.spawn(|| writer.write_all(lines.as_bytes()).unwrap());
        for _ in 0..COUNT {
            assert_eq!(client.line().as_deref(), Some("readyok"));
        }
        for _ in 0..200 {
            client.until("bestmove ");
        }
    });
    assert_eq!(client.ask(""), [""; 0]);

    let mut socket = server.socket("/uci", &[]).unwrap();
    for part in 0..4 {
        // A message has many lines.
        socket.send(&vec!["isready"; COUNT / 4].join("\n"));
        for _ in 0..COUNT / 4 {
            assert_eq!(socket.line().as_deref(), Some("readyok"), "message {part}");
        }
    }
    assert_eq!(server.metric("enfilade_clients_dropped_total"), 0.0);
}

/// The code of the Close frame that follows `bytes`, which are sent as they are.
fn code_after(server: &Server, bytes: &[u8]) -> u16 {
    let mut socket = server.socket("/uci", &[]).unwrap();
    socket.socket.get_mut().write_all(bytes).unwrap();
    socket.close_code()
}

/// The server ended such connections without a Close frame.
#[test]
fn a_web_socket_is_closed_with_the_code_of_its_fault() {
    let server = Server::start(&[]);
    let mask = [0; 4];
    let frame = |head: [u8; 2], payload: &[u8]| [&head[..], &mask, payload].concat();
    assert_eq!(code_after(&server, &frame([0xF1, 0x80], b"")), 1002, "reserved bits");
    assert_eq!(code_after(&server, &[0x81, 0x03, b'u', b'c', b'i']), 1002, "not masked");
    assert_eq!(code_after(&server, &frame([0x83, 0x80], b"")), 1002, "an unknown opcode");
    assert_eq!(code_after(&server, &frame([0x81, 0x82], &[0xC3, 0x28])), 1007, "bad UTF-8");
    assert_eq!(code_after(&server, &frame([0x82, 0x81], b"a")), 1003, "a binary message");
    let mut large = server.socket("/uci", &[]).unwrap();
    // The server may close while the message is still under way.
    let _ = large.socket.send(Message::text("a".repeat(2 << 20)));
    assert_eq!(large.close_code(), 1009);
    let mut quits = server.socket("/uci", &[]).unwrap();
    quits.send("quit");
    assert_eq!(quits.close_code(), 1000);
}

#[test]
fn the_end_of_the_server_closes_web_sockets_with_its_code() {
    let server = Server::start(&[]);
    let mut socket = server.socket("/uci", &[]).unwrap();
    socket.send("go infinite");
    socket.until("info depth ");
    let _silent = server.stream();
    server.terminate();
    socket.until("bestmove ");
    assert_eq!(socket.close_code(), 1001);
    server.join();
}

/// White has 108 moves, and after each of them the game is drawn. So a search of any depth takes no time, and says
/// much.
const TALKATIVE: &str = "2N4k/4B3/3RR3/NR3N2/R4B1K/3R1Q2/2QB1N2/1Q6 w - - 99 120";

/// Lets searches of 26,000 lines (3.3 MB) follow each other, until there are more than the system keeps (4 MB) and more
/// than may wait for the client, who does not read meanwhile. Without reading it would be dropped after 20 seconds.
fn falls_behind(server: &Server, mut say: impl FnMut(&str)) {
    say("setoption name UCI_ShowWDL value true");
    say("setoption name MultiPV value 108");
    say(&format!("position fen {TALKATIVE}"));
    let is_dropped = || server.metric("enfilade_clients_dropped_total") == 1.0;
    for number in 1..5 {
        say("go depth 245");
        let is_over = || server.metric("enfilade_searches_answered_total") >= f64::from(number);
        wait_until("the end of a search", || is_dropped() || is_over());
        if is_dropped() {
            return;
        }
    }
    panic!("the system keeps all lines");
}

/// It had not ended: the client could read on, missed lines, and waited for a `bestmove` for ever.
#[test]
fn who_reads_too_slowly_hears_it() {
    let server = Server::start(&["--info-rate", "1000000"]);
    let mut socket = server.socket("/uci", &[]).unwrap();
    falls_behind(&server, |line| socket.send(line));
    assert_eq!(socket.close_code(), 1008);

    let server = Server::start(&["--info-rate", "1000000"]);
    let mut client = server.lines();
    falls_behind(&server, |line| client.send(line));
    let lines: Vec<String> = std::iter::from_fn(|| client.line()).collect();
    assert_eq!(lines.last().unwrap(), "info string closed because the client reads too slowly");
    assert!(lines[lines.len() - 2].starts_with("info depth "), "the end of the last search is missing");
    wait_until("the end of the session", || server.metric("enfilade_sessions") == 0.0);
    assert_eq!(server.metric("enfilade_clients_dropped_total"), 1.0, "counted once");
    let mut other = server.lines();
    assert_eq!(other.ask(""), [""; 0]);
}

/// The server gets no more memory than it has, so that the system refuses the stack of another thread.
#[cfg(target_os = "linux")]
#[test]
fn without_a_thread_a_session_is_refused_and_the_server_lives_on() {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

    let server = Server::start(&[]);
    assert_eq!(server.get("/health").0, 200);
    let pid = Pid::from_child(&server.child);
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let size = text.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB"));
    // The stack of a session has 1 MiB. Less than that is left.
    let most = size.unwrap().parse::<u64>().unwrap() * 1024 + (512 << 10);
    let former = getrlimit(Resource::As);
    prlimit(Some(pid), Resource::As, Rlimit { current: Some(most), ..former }).unwrap();
    // Stacks of threads that have ended serve the first sessions.
    let mut sessions = Vec::new();
    let code = loop {
        let mut socket = server.socket("/uci", &[]).unwrap();
        let _ = socket.socket.send(Message::text("isready"));
        match socket.socket.read().unwrap() {
            Message::Text(text) => assert_eq!(text.as_str(), "readyok"),
            Message::Close(frame) => break frame.map_or(0, |frame| frame.code.into()),
            other => panic!("{other:?}"),
        }
        assert!(sessions.len() < 50, "no session was refused");
        sessions.push(socket);
    };
    assert_eq!(code, 1011);
    let mut client = server.lines();
    client.send("isready");
    assert_eq!(client.line().unwrap(), "info string the system refuses a thread");
    prlimit(Some(pid), Resource::As, former).unwrap();
    for socket in &mut sessions {
        assert_eq!(socket.ask(""), [""; 0], "other sessions go on");
    }
    let mut client = server.lines();
    assert_eq!(client.ask(""), [""; 0]);
}

#[test]
fn requests_that_are_no_http_are_refused() {
    let server = Server::start(&[]);
    let ask = |head: &str| server.http(&format!("GET /health HTTP/1.1\r\n{head}Connection: close\r\n\r\n")).0;
    assert_eq!(ask("Host: localhost\r\n"), 200);
    assert_eq!(ask(""), 400, "no host");
    assert_eq!(ask("Host: localhost\r\nHost: localhost\r\n"), 400, "two hosts");
    assert_eq!(server.http("GET /health HTTP/1.0\r\n\r\n").0, 200, "HTTP/1.0 has no host");
}

/// The answer to a handshake with other headers than the usual ones.
fn handshake(server: &Server, version: &str, key: &str, connection: &str) -> (u16, String) {
    let mut stream = server.stream();
    let head = format!(
        "GET /uci HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n{connection}\
         Sec-WebSocket-Version: {version}\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() > 0 {
        answer.push(byte[0]);
    }
    let answer = String::from_utf8(answer).unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer.to_ascii_lowercase())
}

#[test]
fn handshakes_of_web_sockets_follow_their_rules() {
    let server = Server::start(&[]);
    let (key, upgrade) = ("dGhlIHNhbXBsZSBub25jZQ==", "Connection: Upgrade\r\n");
    assert_eq!(handshake(&server, "13", key, upgrade).0, 101);
    let two = "Connection: keep-alive\r\nConnection: Upgrade\r\n";
    assert_eq!(handshake(&server, "13", key, two).0, 101, "two headers mean the same as one list");
    let (status, answer) = handshake(&server, "8", key, upgrade);
    assert_eq!(status, 426);
    assert!(answer.contains("\r\nsec-websocket-version: 13\r\n"), "{answer}");
    for wrong in
        ["abc", "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ=a", "!!!!!!!!!!!!!!!!!!!!!!=="]
    {
        assert_eq!(handshake(&server, "13", wrong, upgrade).0, 400, "{wrong}");
    }
}
