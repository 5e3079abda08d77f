//! One client: what a session answers.

use super::{Client, Server};

/// A short dialogue, the same over each kind of connection.
fn converse(client: &mut dyn Client) {
    client.send("uci");
    let lines = client.until("uciok");
    assert!(lines[0].starts_with("id name Enfilade"), "{lines:?}");
    assert!(
        lines.iter().any(|line| line == "option name Threads type spin default 2 min 1 max 2"),
        "{lines:?}"
    );
    assert!(!lines.iter().any(|line| line.contains("File") || line.contains("SyzygyPath")), "{lines:?}");

    client.send("position startpos moves e2e4 e7e5 f1c4 b8c6 d1h5 g8f6");
    client.send("go nodes 3000");
    let lines = client.until("bestmove ");
    assert_eq!(lines.last().unwrap(), "bestmove h5f7");
    assert!(lines.iter().all(|line| line.starts_with("info ") || line.starts_with("bestmove ")), "{lines:?}");
    assert!(lines[lines.len() - 2].contains(" score mate 1 "), "{lines:?}");

    assert_eq!(client.ask("setoption name MultiPV value 3"), [""; 0]);
    client.send("position startpos");
    client.send("go depth 4");
    let lines = client.until("bestmove ");
    assert!(lines[..lines.len() - 1].iter().any(|line| line.contains(" multipv 3 ")), "{lines:?}");

    assert_eq!(client.ask("setoption name UCI_Chess960 value true"), [""; 0]);
    client.send("position fen 4k3/8/8/8/8/8/8/4K2R w H - 0 1");
    client.send("go depth 1 searchmoves e1h1");
    assert!(client.until("bestmove ").last().unwrap().starts_with("bestmove e1h1"));
}

#[test]
fn a_session_is_the_same_over_lines_and_over_a_web_socket() {
    let server = Server::start(&[]);
    converse(&mut server.lines());
    converse(&mut server.socket("/uci", &[]).unwrap());
}

#[test]
fn options_of_the_server_are_closed_with_an_answer() {
    let server = Server::start(&[]);
    let mut client = server.lines();
    for (line, answer) in [
        ("setoption name SyzygyPath value /", "SyzygyPath is closed"),
        ("setoption name EvalFile value /etc/passwd", "EvalFile is closed"),
        ("setoption name Debug Log File value /tmp/log", "Debug Log File is closed"),
        ("setoption name HashFile value /tmp/hash", "HashFile is closed"),
        ("setoption name SaveHashtoFile", "SaveHashtoFile is closed"),
        ("setoption name Clear Hash", "Clear Hash is closed"),
        ("setoption name Hash value 1", "all sessions share"),
        ("setoption name UCI_Elo value 1500", "UCI_Elo is closed"),
        ("setoption name Threads value 3", "at most 2"),
        ("setoption name NoSuchOption value 3", "no option"),
        ("bench", "bench is closed"),
        ("go perft 6", "go perft is closed"),
        ("genfens 5", "genfens is closed"),
        ("nonsense", "unknown command"),
        ("position fen nonsense", "position"),
    ] {
        let lines = client.ask(line);
        assert!(
            matches!(&lines[..], [only] if only.starts_with("info string") && only.contains(answer)),
            "{lines:?}"
        );
    }
    assert_eq!(client.ask("setoption name Threads value 1"), [""; 0]);
    client.send("go depth 3");
    assert_eq!(client.line().unwrap(), "info string go: there is no position, the last one was refused");
    assert_eq!(client.line().unwrap(), "bestmove (none)");
}

#[test]
fn an_infinite_search_waits_for_its_stop_even_if_it_is_over() {
    let server = Server::start(&[]);
    let mut client = server.lines();
    client.send("position fen 7k/8/6K1/8/8/8/8/R7 w - - 0 1");
    client.send("go infinite depth 3");
    client.until("info depth ");
    // Another client may use the threads meanwhile.
    let mut other = server.lines();
    other.send("go depth 6");
    other.until("bestmove ");
    assert!(client.ask("isready").iter().all(|line| !line.starts_with("bestmove")));
    client.send("stop");
    assert_eq!(client.until("bestmove ").last().unwrap(), "bestmove a1a8");
}

#[test]
fn a_ponder_hit_turns_a_search_into_one_with_a_clock() {
    let server = Server::start(&[]);
    let mut client = server.lines();
    client.send("position startpos moves e2e4");
    client.send("go ponder wtime 200 btime 200");
    client.until("info depth ");
    client.send("ponderhit");
    client.until("bestmove ");
}

/// All searches share two threads, so each one pauses again and again.
#[test]
fn a_search_that_has_to_pause_never_falls_back_in_depth() {
    let server = Server::start(&["--info-rate", "1000"]);
    let mut clients: Vec<_> = (0..6).map(|_| server.lines()).collect();
    for (i, client) in clients.iter_mut().enumerate() {
        client.send(&format!(
            "position startpos moves {}",
            ["a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3"][i]
        ));
        client.send("go infinite");
    }
    crate::patience::wait_until("pauses", || server.metric("enfilade_pre_emptions_total") >= 20.0);
    for client in &mut clients {
        client.send("stop");
        let lines = client.until("bestmove ");
        let field = |line: &str, name: &str| -> u64 {
            let mut words = line.split(' ').skip_while(|word| *word != name);
            words.nth(1).unwrap().parse().unwrap()
        };
        let infos: Vec<&String> = lines.iter().filter(|line| line.contains(" score ")).collect();
        for pair in infos.windows(2) {
            assert!(field(pair[0], "depth") <= field(pair[1], "depth"), "{pair:?}");
            assert!(field(pair[0], "nodes") <= field(pair[1], "nodes"), "{pair:?}");
        }
        let last = infos.last().unwrap();
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        assert!(last.contains(&format!(" pv {best}")), "{last} {best}");
    }
}

/// The page shows these figures. It did not ask for them once, and the first ones came before the threads had any.
#[test]
fn a_search_tells_what_its_threads_do_if_asked() {
    let server = Server::start(&[]);
    let mut client = server.lines();
    client.send("setoption name Telemetry value true");
    client.send("go infinite");
    let told = client.until("info string threads ");
    let words: Vec<&str> = told.last().unwrap().split(' ').collect();
    let [_, _, _, "depth", least, median, greatest, "hits-by-others", hits] = words[..] else {
        panic!("{words:?}");
    };
    let [least, median, greatest, hits] =
        [least, median, greatest, hits].map(|word| word.parse::<u32>().unwrap());
    assert!(least <= median && median <= greatest && 0 < greatest && hits <= 1000, "{words:?}");
    client.send("stop");
    client.until("bestmove ");
    client.send("setoption name Telemetry value false");
    client.send("go movetime 1200");
    assert!(!client.until("bestmove ").iter().any(|line| line.contains(" threads ")));
    let (status, page) = server.get("/page/engine.js");
    assert!(status == 200 && page.contains("'Telemetry'"), "{page}");
}

#[test]
fn health_and_metrics_are_served() {
    let server = Server::start(&[]);
    assert!(matches!(server.get("/health"), (200, text) if text.ends_with("ok\n")));
    let mut client = server.lines();
    client.send("go nodes 5000");
    client.until("bestmove ");
    assert_eq!(server.metric("enfilade_threads"), 2.0);
    assert_eq!(server.metric("enfilade_sessions"), 1.0);
    assert_eq!(server.metric("enfilade_searches_answered_total"), 1.0);
    assert_eq!(server.metric("enfilade_table_bytes"), f64::from(4 << 20));
    assert_eq!(server.metric("enfilade_first_line_seconds_count"), 1.0);
    crate::patience::wait_until("the nodes", || server.metric("enfilade_nodes_total") >= 5000.0);
    assert_eq!(server.get("/nothing").0, 404);
}
