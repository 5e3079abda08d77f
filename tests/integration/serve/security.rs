//! Who is let in: tokens, origins, and TLS.

use std::path::Path;

use super::{Client, Server};
use crate::patience::wait_until;
use crate::program::{stderr, text};

const ANNA: &str = "a-secret-of-anna-0001";
const NIGHTLY: &str = "a-secret-for-the-night";

/// Writes a file of two tokens.
fn tokens(folder: &Path) -> String {
    let path = folder.join("tokens.toml");
    let content = format!(
        "[[token]]\nname = \"anna\"\nsecret = \"{ANNA}\"\nlines = 2\nthreads = 1\nsessions = 2\n\n\
         [[token]]\nname = \"nightly\"\nsecret = \"{NIGHTLY}\"\npriority = \"batch\"\nseconds = 1\n"
    );
    std::fs::write(&path, content).unwrap();
    text(&path).to_owned()
}

#[test]
fn a_server_for_other_machines_needs_tokens() {
    let said = stderr(&["serve", "--listen", "0.0.0.0:0", "--threads", "1", "--hash", "1"], 1);
    assert!(said.contains("--token-file"), "{said}");
    let said = stderr(&["serve", "--listen", "127.0.0.1:0", "--token-file", "/nowhere/tokens.toml"], 1);
    assert!(said.contains("tokens.toml"), "{said}");
    let said = stderr(&["serve", "--listen", "127.0.0.1:0", "--state", "Cargo.toml/folder"], 1);
    assert!(said.contains("Cargo.toml"), "{said}");
}

#[test]
fn only_clients_with_a_token_get_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let file = tokens(folder.path());
    let server = Server::start(&["--token-file", &file]);

    for first in ["uci", "token wrong", "token"] {
        let mut client = server.lines();
        client.send(first);
        let answer = client.line().unwrap();
        assert!(answer.starts_with("info string a valid token is needed"), "{answer}");
        assert_eq!(client.line(), None);
    }
    assert_eq!(server.socket("/uci?token=wrong", &[]).err(), Some(401));
    assert_eq!(server.get("/uci").0, 401);
    assert_eq!(server.get("/uci?token=wrong").0, 401);
    assert_eq!(server.get("/metrics").0, 401);
    let mut late = server.socket("/uci", &[]).unwrap();
    late.send("uci");
    assert_eq!(late.close_code(), 1008);

    let mut by_line = server.lines();
    by_line.send(&format!("token {ANNA}"));
    by_line.send("go depth 2");
    by_line.until("bestmove ");
    let mut by_query = server.socket(&format!("/uci?token={ANNA}"), &[]).unwrap();
    let lines = by_query.ask("setoption name MultiPV value 3");
    assert!(lines[0].contains("MultiPV is at most 2"), "{lines:?}");
    let mut third = server.socket("/uci", &[("Authorization", &format!("Bearer {ANNA}"))]).unwrap();
    assert_eq!(third.close_code(), 1013, "anna has two sessions");
    let mut by_message = server.socket("/uci", &[]).unwrap();
    by_message.send(&format!("token {NIGHTLY}"));
    by_message.send("isready");
    assert_eq!(by_message.until("readyok"), ["readyok"]);
    let (status, _) = server.get(&format!("/metrics?token={NIGHTLY}"));
    assert_eq!(status, 200);
}

#[test]
fn the_time_of_a_token_ends_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let file = tokens(folder.path());
    let server = Server::start(&["--token-file", &file]);
    let mut client = server.lines();
    client.send(&format!("token {NIGHTLY}"));
    client.send("go nodes 100000000000");
    let lines = client.until("bestmove ");
    assert!(lines.iter().any(|line| line.contains("longest time")), "{lines:?}");
    client.send("go infinite");
    client.until("info string the longest time");
    assert!(client.ask("isready").iter().all(|line| !line.starts_with("bestmove")));
    client.send("stop");
    client.until("bestmove ");
}

#[test]
fn a_token_may_have_a_table_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.toml");
    let token = |name: &str, secret: &str| format!("[[token]]\nname = \"{name}\"\nsecret = \"{secret}\"\n");
    let tokens = token("anna", ANNA) + &token("nightly", NIGHTLY) + "table = 1\n";
    std::fs::write(&path, tokens).unwrap();
    let server = Server::start(&["--token-file", text(&path)]);
    let fullness = |secret: &str, go: &str| {
        let mut client = server.lines();
        client.send(&format!("token {secret}"));
        client.send(go);
        let lines = client.until("bestmove ");
        let shown = lines
            .iter()
            .rev()
            .find_map(|line| line.split_once(" hashfull "))
            .expect("a line of the search")
            .1;
        shown.split(' ').next().and_then(|permille| permille.parse::<u32>().ok()).expect("a number")
    };
    let full = fullness(NIGHTLY, "go nodes 200000");
    assert!(full > 100, "200,000 nodes fill a table of 1 MiB: {full}");
    assert_eq!(fullness(ANNA, "go depth 1"), 0, "the common table is empty");
    assert!(fullness(NIGHTLY, "go depth 1") > 100, "the token has its table again");
}

/// What others have searched is told to those who may search with the same table, and to nobody else.
#[test]
fn only_a_token_tells_what_its_table_knows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.toml");
    let token = |name: &str, secret: &str| format!("[[token]]\nname = \"{name}\"\nsecret = \"{secret}\"\n");
    let tokens = token("anna", ANNA) + &token("nightly", NIGHTLY) + "table = 1\n";
    std::fs::write(&path, tokens).unwrap();
    let server = Server::start(&["--token-file", text(&path)]);
    let mut client = server.lines();
    client.send(&format!("token {ANNA}"));
    // A second thread may replace what the first one knows by a shallower result.
    client.send("setoption name Threads value 1");
    client.send("go depth 6");
    client.until("bestmove ");
    let known = |header: &str| {
        let (status, answer) = server.http(&format!(
            "POST /api/position HTTP/1.1\r\nHost: localhost\r\n{header}Content-Length: 14\r\nConnection: close\r\n\r\n\
             {{\"known\":true}}"
        ));
        assert_eq!(status, 200, "{answer}");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str::<serde_json::Value>(body).unwrap()["known"].clone()
    };
    let found = known(&format!("Authorization: Bearer {ANNA}\r\n"));
    assert!(found["depth"].as_i64().unwrap() >= 6, "{found}");
    assert!(known("").is_null());
    assert!(known("Authorization: Bearer wrong\r\n").is_null());
    assert!(known(&format!("Authorization: Bearer {NIGHTLY}\r\n")).is_null(), "it has a table of its own");
}

#[test]
fn pages_of_other_sites_are_refused() {
    let server = Server::start(&["--origin", "https://chess.example"]);
    assert_eq!(server.socket("/uci", &[("Origin", "https://evil.example")]).err(), Some(403));
    let own = format!("http://127.0.0.1:{}", server.port);
    for origin in [&own, "https://chess.example"] {
        let mut client = server.socket("/uci", &[("Origin", origin)]).unwrap();
        client.send("isready");
        assert_eq!(client.until("readyok"), ["readyok"]);
    }
    let request = "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(server.http(request).0, 403, "a name that its owner lets point to this machine");
    // Lines of UCI in the body of a request are no commands.
    let request =
        "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 12\r\n\r\ngo infinite\n";
    assert_eq!(server.http(request).0, 405);
    wait_until("the end of the sessions", || server.metric("enfilade_sessions") == 0.0);
}

/// Without the program `openssl` nothing is tested here.
#[test]
fn tls_protects_lines_and_pages() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let words = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost";
    let made = Command::new("openssl").args(words.split(' ')).current_dir(folder.path()).output();
    let Ok(made) = made else {
        eprintln!("skipped: there is no openssl");
        return;
    };
    assert!(made.status.success());
    let [key, certificate] = ["key.pem", "cert.pem"].map(|name| text(&folder.path().join(name)).to_owned());
    let server = Server::start(&["--tls-cert", &certificate, "--tls-key", &key]);

    let mut plain = server.lines();
    plain.send("uci");
    assert_eq!(plain.line().unwrap(), "info string this port needs TLS");
    assert_eq!(server.get("/").0, 400);

    let talk = |input: &str| {
        let address = format!("127.0.0.1:{}", server.port);
        let mut openssl = Command::new("openssl")
            .args(["s_client", "-quiet", "-ign_eof", "-connect", &address])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        openssl.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        String::from_utf8(openssl.wait_with_output().unwrap().stdout).unwrap()
    };
    let said = talk("isready\ngo depth 2\nquit\n");
    assert!(said.starts_with("readyok\n") && said.contains("bestmove "), "{said}");
    let said = talk("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(said.starts_with("HTTP/1.1 200") && said.ends_with("ok\n"), "{said}");
}
