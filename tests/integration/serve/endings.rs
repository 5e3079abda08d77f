//! `go infinite` in positions with a short end: over each way, the last lines come before the `stop`.

use super::{Client, Server};
use crate::dialogue::{Dialogue, value};
use crate::patience::wait_until;

/// Each position with its end as the engine has to report it before the `stop`.
const ENDS: [(&str, &str); 8] = [
    ("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "mate 1"),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "mate 2"),
    ("3qr2k/pbpp2pp/1p5N/3Q2b1/2P1P3/P7/1PP2PPP/R4RK1 w - - 0 1", "mate 2"),
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", "mate 3"),
    // A single move.
    ("7k/5R2/6K1/8/8/8/8/8 b - - 0 1", "mate -2"),
    // Won by the tables of three men too.
    ("8/6R1/k7/2K5/8/8/8/8 w - - 0 1", "mate 2"),
    ("k7/P7/K7/8/8/8/8/8 b - - 0 1", "cp 0"),
    ("rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3", "mate 0"),
];

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

/// Checks the lines before the `stop`: the last one has the right score, and there is no move yet.
fn check_early(fen: &str, score: &str, lines: &[String]) {
    let last =
        lines.iter().rfind(|line| line.contains(" score ")).unwrap_or_else(|| panic!("{fen}: {lines:?}"));
    assert!(last.contains(&format!(" score {score} ")), "{fen}: {last}");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{fen}: {lines:?}");
}

/// A search that ended within the pause between two groups of lines kept its last ones until the `stop`. So boards
/// showed a wrong score for ever.
#[test]
fn the_last_lines_of_a_search_do_not_wait_for_its_stop() {
    for tables in [None, Some(["--syzygy-path", TABLES])] {
        let server = Server::start(&tables.map_or(Vec::new(), Vec::from));
        // Each one connects when the one before is done: the server ends a WebSocket whose pings nobody answers.
        for is_socket in [false, true] {
            let mut client: Box<dyn Client> = if is_socket {
                Box::new(server.socket("/uci", &[]).unwrap())
            } else {
                Box::new(server.lines())
            };
            for (fen, score) in ENDS {
                client.send(&format!("position fen {fen}"));
                client.send("go infinite");
                let lines = client.until("info string search finished");
                check_early(fen, score, &lines);
                assert_eq!(client.ask(""), [""; 0], "{fen}: nothing follows by itself");
                client.send("stop");
                client.until("bestmove ");
            }
        }
        wait_until("the end of the searches", || {
            server.metric("enfilade_searches_running") + server.metric("enfilade_searches_waiting") == 0.0
        });
    }
}

#[test]
fn an_engine_without_a_server_reports_its_last_lines_too() {
    for has_tables in [false, true] {
        let mut engine = Dialogue::small();
        if has_tables {
            engine.ask(&format!("setoption name SyzygyPath value {TABLES}"));
        }
        for (fen, score) in ENDS {
            let is_over = ["mate 0", "cp 0"].contains(&score);
            engine.send(&format!("position fen {fen}\ngo infinite"));
            // The deepest iteration, or the line of a position without moves.
            let mut lines = engine.until(if is_over { "info depth 0 " } else { "info depth 245 " });
            lines.extend(engine.ask(""));
            check_early(fen, score, &lines);
            let lines = engine.go("stop");
            let changed = lines.iter().any(|line| value(line, "score").is_some());
            assert!(!changed || is_over, "{fen}: {lines:?}");
        }
    }
}
