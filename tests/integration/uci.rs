//! Dialogues with the real binary, as chess programs and testers send them. Each test checks something on which public
//! clients rely.

use enfilade::chess::board::Game;
use enfilade::engine::run::leaf::Kind;

use crate::dialogue::{Dialogue, best, check_search, game, is_core_warning, last_report, reports, value};

const CHECKMATE: &str = "rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const CASTLING: &str = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 8";

#[test]
fn the_introduction_names_engine_and_options() {
    let mut engine = Dialogue::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines.iter().any(|line| line.starts_with("id name Enfilade")));
    assert!(lines.iter().any(|line| line.starts_with("id author ")));
    for option in [
        "name Hash type spin default 64 min 1 max 33554432",
        "name Threads type spin default 1 min 1 max 1024",
        "name Clear Hash type button",
        "name Ponder type check default false",
        "name MultiPV type spin default 1 min 1 max 256",
        "name Deterministic type check default false",
        "name UCI_Chess960 type check default false",
        "name UCI_ShowWDL type check default false",
        "name Move Overhead type spin default 10 min 0 max 5000",
        "name Debug Log File type string default <empty>",
        "name Quiescence Statistics type check default false",
    ] {
        assert!(lines.contains(&format!("option {option}")), "{option} in {lines:#?}");
    }
    let combo = lines.iter().find(|line| line.starts_with("option name Quiescence type combo"));
    let combo = combo.expect("the choice of the leaf search");
    assert!(combo.contains(" default bootstrap var bootstrap "), "{combo}");
    for kind in Kind::ALL {
        assert!(combo.contains(&format!(" var {}", kind.name())), "{combo}");
    }
    assert_eq!(engine.ask(""), [""; 0]);
}

/// Lichess's workers never send `uci`. They set the variant first, and write castling as the king taking its rook.
#[test]
fn chess960_castling_is_king_takes_rook_even_without_uci() {
    let mut engine = Dialogue::small();
    assert_eq!(engine.ask("setoption name UCI_Chess960 value true"), [""; 0]);
    engine.send(&format!("position fen {CASTLING} moves e1h1 e8a8"));
    assert!(engine.fen().starts_with("2kr3r/"), "both sides have castled");
    engine.send(&format!("position fen {CASTLING} moves"));
    let lines = engine.go("go depth 1 searchmoves e1h1");
    assert_eq!(best(&lines), "e1h1");
    check_search(&game(CASTLING, ""), &lines);
}

#[test]
fn castling_is_read_in_both_spellings_and_written_by_the_option() {
    let mut engine = Dialogue::small();
    engine.send(&format!("position fen {CASTLING}"));
    assert_eq!(best(&engine.go("go depth 1 searchmoves e1g1")), "e1g1");
    assert_eq!(best(&engine.go("go depth 1 searchmoves e1a1")), "e1c1");
    engine.send("setoption name uci_chess960 value TRUE");
    assert_eq!(best(&engine.go("go depth 1 searchmoves e1c1")), "e1a1");
}

#[test]
fn every_form_of_go_gets_one_legal_bestmove() {
    let mut engine = Dialogue::small();
    let start = Game::startpos();
    for line in [
        "go depth 4",
        "go nodes 500",
        "go movetime 20",
        "go mate 1 nodes 2000",
        "go wtime 100",
        "go wtime 100 btime 100",
        "go wtime 100 winc 100 btime 100 binc 100",
        "go btime 100 binc 100 wtime 100 winc 100",
        "go movestogo 3 btime 300 wtime 300",
        "go wtime 100000 btime 100000 depth 3",
        "go movetime 1000 depth 3 wtime 10000 btime 10000",
        "go btime 50000",
        "go wtime -5 btime 1000",
        "go movetime -1",
        "go movetime 0",
        "go depth 0",
        "go depth -3",
        "go nodes 0",
        "go nodes 1",
        "go depth abc",
        "go depth",
        "go movetime 1e3",
        "go wtime one btime two",
        "go depth 99999999999999999999 nodes 300",
        "go nodes 99999999999999999999999 depth 2",
        "go blah depth 2 blub",
        "go searchmoves xyz e2e5 depth 2",
        "go searchmoves depth 2",
        "go winc 5",
        "go movestogo 0",
    ] {
        let lines = engine.go(line);
        check_search(&start, &lines);
        assert_eq!(engine.ask(""), [""; 0], "after {line}");
    }
}

#[test]
fn black_may_have_the_only_clock() {
    let mut engine = Dialogue::small();
    engine.send("position startpos moves e2e4");
    let after = game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4");
    check_search(&after, &engine.go("go btime 100"));
    check_search(&after, &engine.go("go wtime 100"));
}

#[test]
fn the_errors_of_a_go_are_reported_in_one_line() {
    let mut engine = Dialogue::small();
    let lines = engine.go("go depth abc nodes 100 hello");
    let is_said = |line: &&String| line.starts_with("info string") && !is_core_warning(line);
    let said: Vec<&String> = lines.iter().filter(is_said).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("\"abc\"") && said[0].contains("\"hello\""), "{said:?}");
}

/// Users of containers and of GUIs did not know why their threads were slow.
#[test]
fn more_threads_than_cores_are_reported_at_the_first_search_only() {
    let cores = std::thread::available_parallelism().expect("a number of cores").get();
    let mut engine = Dialogue::small();
    assert_eq!(engine.ask(&format!("setoption name Threads value {}", cores + 1)), [""; 0]);
    for expected in [1, 0] {
        let lines = engine.go("go depth 2");
        check_search(&Game::startpos(), &lines);
        let warnings = lines.iter().filter(|line| is_core_warning(line)).count();
        assert_eq!(warnings, expected, "{lines:#?}");
        assert!(expected == 0 || is_core_warning(&lines[0]), "it comes before the search: {lines:#?}");
    }
}

#[test]
fn every_iteration_is_reported() {
    let mut engine = Dialogue::small();
    let lines = engine.go("go depth 6");
    for depth in 1..=6 {
        let prefix = format!("info depth {depth} ");
        assert!(reports(&lines).iter().any(|line| line.starts_with(&prefix)), "depth {depth} in {lines:#?}");
    }
}

#[test]
fn stop_at_once_still_gives_a_move() {
    let mut engine = Dialogue::small();
    for _ in 0..20 {
        let lines = engine.go("go infinite\nstop");
        check_search(&Game::startpos(), &lines);
    }
    assert_eq!(engine.ask("stop\nponderhit\nstop"), [""; 0]);
}

#[test]
fn commands_during_a_search_end_it_first_or_leave_it_alone() {
    let mut engine = Dialogue::small();
    engine.send("go infinite");
    let shown =
        engine.ask("d\neval\nhelp\nnonsense\nposition startpos moves e2e5\nsetoption name Hash value x");
    assert!(shown.iter().all(|line| line.starts_with("info ")), "{shown:#?}");
    for line in [
        "position startpos moves e2e4",
        "ucinewgame",
        "setoption name Threads value 2",
        "go infinite",
        "flip",
        "go perft 1",
    ] {
        let lines = engine.ask(line);
        let moves = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(moves, 1, "{line}: {lines:#?}");
        if line != "go infinite" {
            assert_eq!(
                engine.ask("go infinite").iter().filter(|line| line.starts_with("bestmove")).count(),
                0
            );
        }
    }
    engine.send("stop");
    engine.until("bestmove ");
}

#[test]
fn a_position_without_legal_moves_gets_bestmove_none() {
    let mut engine = Dialogue::small();
    // Limited strength, which chooses among the moves, once crashed the engine here.
    for is_limited in [false, true] {
        assert_eq!(engine.ask(&format!("setoption name UCI_LimitStrength value {is_limited}")), [""; 0]);
        for (fen, score) in [(CHECKMATE, "score mate 0"), (STALEMATE, "score cp 0")] {
            engine.send(&format!("position fen {fen}"));
            for line in ["go depth 5", "go movetime 20", "go wtime 100 btime 100", "go nodes 10", "go"] {
                let lines = engine.go(line);
                assert_eq!(best(&lines), "(none)");
                check_search(&game(fen, ""), &lines);
                assert!(reports(&lines).iter().any(|line| line.contains(score)), "{lines:#?}");
            }
        }
    }
}

#[test]
fn games_of_many_moves_are_accepted() {
    let mut engine = Dialogue::small();
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(300);
    engine.send(&format!("position startpos moves {moves}"));
    assert!(engine.fen().ends_with(" 1200 601"), "{}", engine.fen());
    check_search(
        &game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &moves),
        &engine.go("go depth 3"),
    );
}

#[test]
fn ucinewgame_clears_the_state_of_the_old_game() {
    let mut engine = Dialogue::small();
    let mut run = || -> Vec<String> {
        engine.send("ucinewgame\nposition startpos");
        let nodes = |line: &&str| value(line, "nodes").map(str::to_owned);
        [100, 150, 225, 337, 2000]
            .iter()
            .flat_map(|limit| {
                let lines = engine.go(&format!("go nodes {limit}"));
                let counts: Vec<String> = reports(&lines).iter().filter_map(nodes).collect();
                counts.into_iter().chain([best(&lines).to_owned()])
            })
            .collect()
    };
    assert_eq!(run(), run());
}

#[test]
fn tactical_vectors_of_public_testers_are_solved() {
    let mut engine = Dialogue::small();
    engine.send("position fen 5K2/8/2qk4/2nPp3/3r4/6B1/B7/3R4 w - e6");
    let lines = engine.go("go depth 18");
    assert_eq!(best(&lines), "d5e6");
    assert!(reports(&lines).last().is_some_and(|line| line.contains("score mate 1 ")), "{lines:#?}");
    engine.send("position fen r1b2r1k/pp1p2pp/2p5/2B1q3/8/8/P1PN2PP/R4RK1 w - -");
    let lines = engine.go("go movetime 5000 mate 1");
    assert!(reports(&lines).last().is_some_and(|line| line.contains("score mate 1 ")), "{lines:#?}");
    for threads in [1, 4] {
        engine.send(&format!("setoption name Threads value {threads}"));
        for (moves, line, score) in [
            ("", "go mate 2 searchmoves c6d7", "score mate 2 "),
            (" moves c6d7", "go mate 1 searchmoves e3e2", "score mate -1 "),
        ] {
            engine.send(&format!("position fen 8/5R2/2K1P3/4k3/8/b1PPpp1B/5p2/8 w - -{moves}"));
            let lines = engine.go(line);
            assert!(reports(&lines).last().is_some_and(|line| line.contains(score)), "{lines:#?}");
        }
    }
}

#[test]
fn the_end_of_the_input_ends_the_process() {
    for input in ["", "uci", "go infinite", "go movetime 100", "setoption name Threads value 3\ngo ponder"] {
        let mut engine = Dialogue::small();
        engine.send(input);
        let (lines, status) = engine.close();
        assert_eq!(status.code(), Some(0), "after {input:?}");
        let moves = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(moves, usize::from(input.contains("go ")), "{input:?}: {lines:#?}");
    }
    let mut engine = Dialogue::small();
    engine.send("go infinite\nquit");
    engine.until("bestmove ");
    assert_eq!(engine.close().1.code(), Some(0));
}

#[test]
fn the_commands_for_people_are_those_of_stockfish() {
    let mut engine = Dialogue::small();
    let board = engine.ask("position startpos moves e2e4\nd");
    assert!(board.contains(&"Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".to_owned()));
    assert!(board.iter().any(|line| line.starts_with("Key: ")));
    let eval = engine.ask("eval");
    assert!(eval.iter().any(|line| line.starts_with("Final evaluation")), "{eval:#?}");
    let perft = engine.ask("go perft 3");
    assert!(perft.contains(&"Nodes searched: 13160".to_owned()), "{perft:#?}");
    assert!(perft.contains(&"g8f6: 654".to_owned()), "{perft:#?}");
    engine.send("flip");
    assert_eq!(engine.fen(), "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let bench = engine.ask("bench 1 1 1");
    assert!(bench.iter().any(|line| line.starts_with("Nodes searched  : ")), "{bench:#?}");
    assert!(bench.last().is_some_and(|line| line.ends_with(" nps")), "{bench:#?}");
    let help = engine.ask("help");
    assert!(help.iter().any(|line| line.contains("ucinewgame")), "{help:#?}");
}

#[test]
fn both_directions_are_logged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two words.log");
    let mut engine = Dialogue::small();
    assert_eq!(engine.ask(&format!("setoption name Debug Log File value {}", path.display())), [""; 0]);
    engine.go("go depth 1");
    assert_eq!(engine.ask("setoption name Debug Log File value <empty>"), [""; 0]);
    engine.go("go depth 2");
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(log.contains("\n>> go depth 1\n<< info ") && log.contains("\n<< info depth 1 "), "{log}");
    assert!(log.contains("\n<< bestmove ") && !log.contains("depth 2"), "{log}");
    let said = engine.ask(&format!("setoption name Debug Log File value {}", folder.path().display()));
    assert_eq!(said.len(), 1, "{said:#?}");
}

#[test]
fn sizes_and_threads_can_be_set_again_and_again() {
    let mut engine = Dialogue::start();
    for (threads, hash) in [(2, 16), (8, 1), (1, 3)] {
        engine.send(&format!(
            "setoption name Threads value {threads}\nsetoption name Hash value {hash}\nucinewgame"
        ));
        engine.send("position fen 5rk1/1pP2pp1/p6p/8/3p4/P2P4/1P3PPP/5RK1 b - - 0 24");
        check_search(
            &game("5rk1/1pP2pp1/p6p/8/3p4/P2P4/1P3PPP/5RK1 b - - 0 24", ""),
            &engine.go("go depth 6"),
        );
        engine.send("setoption name Clear Hash");
    }
    let said = engine.ask("setoption name Hash value 33554432");
    assert!(said.len() == 1 && said[0].starts_with("info string "), "{said:#?}");
    check_search(&game("5rk1/1pP2pp1/p6p/8/3p4/P2P4/1P3PPP/5RK1 b - - 0 24", ""), &engine.go("go depth 3"));
}

#[test]
fn every_quiescence_search_can_be_chosen() {
    let mut engine = Dialogue::small();
    engine.send("setoption name Quiescence Statistics value true");
    for kind in Kind::ALL {
        let name = kind.name().to_ascii_uppercase();
        assert_eq!(engine.ask(&format!("setoption name Quiescence value {name}")), [""; 0]);
        engine.send(&format!("position fen {CASTLING}"));
        check_search(&game(CASTLING, ""), &engine.go("go depth 4"));
    }
}

/// The number of nodes of all threads in a search.
fn nodes(lines: &[String]) -> u64 {
    value(last_report(lines), "nodes").expect("a count").parse().expect("a number")
}

#[test]
fn nodestime_spends_clocks_in_nodes() {
    for threads in [1, 3] {
        let play = || {
            let mut engine = Dialogue::small();
            engine.ask(&format!("setoption name nodestime value 20\nsetoption name Threads value {threads}"));
            engine.ask("setoption name Deterministic value true\nucinewgame");
            let mut moves = String::new();
            let mut spent = Vec::new();
            for _ in 0..6 {
                engine.send(&format!("position startpos moves{moves}"));
                let lines = engine.go("go wtime 2000 btime 2000");
                spent.push(nodes(&lines));
                moves = format!("{moves} {}", best(&lines));
            }
            (moves, spent)
        };
        let (moves, spent) = play();
        assert_eq!((&moves, &spent), (&play().0, &play().1), "whatever the time, {threads} threads");
        // Each side has 40,000 nodes for the game. A move may take half of them. The clock that the client sends later
        // does not matter.
        assert!(spent.iter().all(|&nodes| (1..=22_000).contains(&nodes)), "{spent:?}");
        let white: u64 = spent.iter().step_by(2).sum();
        assert!(white < 40_000, "{spent:?}");
    }
}

#[test]
fn nodestime_spends_the_time_for_a_move_in_nodes() {
    let mut engine = Dialogue::small();
    engine.ask("setoption name nodestime value 100");
    assert_eq!(nodes(&engine.go("go movetime 50")), 5_000);
    for rate in ["-1", "10001"] {
        let said = engine.ask(&format!("setoption name nodestime value {rate}"));
        assert_eq!(
            said,
            [format!(
                "info string setoption: nodestime must lie between 0 and 10000, not {rate}; the old value stays"
            )]
        );
    }
}

/// Nodes that are searched on the opponent's time cost nothing and are not limited.
#[test]
fn a_search_with_nodestime_can_ponder() {
    let mut engine = Dialogue::small();
    engine.ask("setoption name nodestime value 10\nposition startpos moves e2e4 e7e5");
    engine.send("go ponder wtime 1000 btime 1000");
    // The whole clock is ten thousand nodes.
    let mut lines = engine.until("info depth ");
    while nodes(&lines) < 100_000 {
        lines = engine.until("info depth ");
    }
    engine.send("ponderhit");
    engine.until("bestmove ");
    // Only nodes after the `ponderhit` were charged, so there is time for another move.
    let lines = engine.go("go wtime 1 btime 1");
    assert!(nodes(&lines) > 150, "{lines:#?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_banner_is_printed_to_people_and_not_to_programs() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    // Child processes that other tests start meanwhile do not inherit the descriptor.
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let controller = openpt(flags).expect("a terminal");
    grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("its other side");
    let name = ptsname(&controller, Vec::new()).expect("its name").into_string().expect("a path");
    let terminal =
        || std::fs::OpenOptions::new().read(true).write(true).open(&name).expect("the terminal's other side");
    let first_line = |stdin: Stdio, stdout: Stdio| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
            .stdin(stdin)
            .stdout(stdout)
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        match child.stdout.take() {
            Some(stdout) => BufReader::new(stdout).read_line(&mut line).expect("a line"),
            None => BufReader::new(std::fs::File::from(controller.try_clone().expect("the terminal")))
                .read_line(&mut line)
                .expect("a line"),
        };
        child.kill().and_then(|()| child.wait()).expect("a process to end");
        line
    };
    let greeting = first_line(terminal().into(), terminal().into());
    let version = env!("CARGO_PKG_VERSION");
    let banner = format!("Enfilade {version}, a chess engine that speaks UCI. Type \"uci\" or \"help\".");
    assert_eq!(greeting.trim_end(), banner);
    // If only one of the two is a terminal, a program is listening.
    let mut file = std::fs::File::from(controller.try_clone().expect("the terminal"));
    file.write_all(b"isready\n").expect("typed");
    assert_eq!(first_line(terminal().into(), Stdio::piped()), "readyok\n");
    let mut engine = Dialogue::start();
    assert_eq!(engine.ask(""), [""; 0]);
}

/// A running search goes on, because it is about the previous position.
#[test]
fn a_refused_position_leaves_the_running_search_alone() {
    let mut engine = Dialogue::small();
    engine.ask("go infinite");
    let during = engine.ask("position fen x");
    assert!(during.iter().all(|line| line.starts_with("info ")), "{during:?}");
    let lines = engine.go("go depth 1");
    check_search(&game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ""), &lines);
    assert_eq!(
        engine.until("bestmove "),
        ["info string go: there is no position, the last one was refused", "bestmove (none)"]
    );
}
