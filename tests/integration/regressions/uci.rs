//! The dialogue with the real binary: defects that trials found.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use enfilade::engine::run::leaf::Kind;

use crate::dialogue::{Dialogue, best, check_search, game, last_report, reports, value};

const NO_POSITION: &str = "info string go: there is no position, the last one was refused";
/// A mate with fourteen queens. The position is playable, but no game leads to it.
const QUEENS: &str = "QQQQQQQk/QQQQQQQ1/8/8/8/8/8/K7 b - - 0 1";
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

/// The engine answered for the previous position. Python-chess took the answer for its own position, in which the move
/// was illegal.
#[test]
fn a_go_after_a_refused_position_does_not_search_the_previous_one() {
    let mut engine = Dialogue::small();
    for wrong in [
        "position startpos moves e2e4 e2e4",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos e2e4",
        "position",
        "position fen",
    ] {
        engine.send("position startpos moves d2d4");
        let said = engine.ask(wrong);
        assert!(said[0].ends_with("; there is no position until one is accepted"), "{wrong}: {said:?}");
        for go in ["go depth 3", "go nodes 100", "go movetime 10", "go wtime 100 btime 100", "go", "go x"] {
            assert_eq!(engine.go(go), [NO_POSITION, "bestmove (none)"], "{wrong}, {go}");
        }
        // `ucinewgame` does not bring a position.
        assert_eq!(engine.ask("ucinewgame\nstop\nponderhit"), [""; 0], "{wrong}");
        assert_eq!(engine.go("go depth 1"), [NO_POSITION, "bestmove (none)"], "{wrong}");
        engine.send("position startpos");
        check_search(
            &game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ""),
            &engine.go("go depth 2"),
        );
    }
}

/// The commands used the position before the refused one.
#[test]
fn without_a_position_display_perft_and_flip_are_refused() {
    let mut engine = Dialogue::small();
    engine.ask("position fen x");
    for command in ["d", "eval", "flip", "go perft"] {
        let line = if command == "go perft" { "go perft 2" } else { command };
        let expected = format!("info string {command}: there is no position, the last one was refused");
        assert_eq!(engine.ask(line), [expected]);
    }
    let said = engine.ask("bench 1 1 1 current");
    assert_eq!(said, ["info string bench: there is no current position, the last one was refused"]);
    let bench = engine.ask("bench 1 1 1");
    assert!(bench.last().is_some_and(|line| line.ends_with(" nps")), "{bench:#?}");
}

/// An engine that had nothing to search answered `go ponder` before the client asked for it (Carballo #5). This also
/// holds for `go infinite`.
#[test]
fn without_a_position_an_infinite_go_waits_for_stop() {
    let mut engine = Dialogue::small();
    engine.ask("position fen x");
    for (go, ignored, order) in [
        ("go infinite", "ponderhit", "stop"),
        ("go ponder wtime 100 btime 100", "", "ponderhit"),
        ("go ponder", "", "stop"),
        ("go ponder infinite", "ponderhit", "stop"),
        ("go infinite", "", "position startpos\nposition fen x"),
        ("go infinite", "", "setoption name Clear Hash"),
        ("go infinite", "", "ucinewgame"),
    ] {
        assert_eq!(engine.ask(go), [NO_POSITION], "{go}");
        assert_eq!(engine.ask(ignored), [""; 0], "{go}: no move yet");
        let answer = engine.ask(order);
        assert_eq!(answer[0], "bestmove (none)", "{go}, {order}: {answer:?}");
        let moves = engine.ask("stop\nponderhit").iter().filter(|line| line.starts_with("bestmove")).count();
        assert_eq!(moves, 0, "{go}, {order}: one answer");
    }
    engine.ask("go infinite");
    let (lines, status) = engine.close();
    assert_eq!((lines, status.code()), (vec!["bestmove (none)".to_owned()], Some(0)));
}

/// These positions were refused. Stockfish and python-chess accept them.
#[test]
fn unreachable_positions_are_searched() {
    let mut engine = Dialogue::small();
    assert_eq!(engine.ask(&format!("position fen {QUEENS}")), [""; 0]);
    let lines = engine.go("go depth 4");
    assert!(best(&lines) == "(none)" && last_report(&lines).contains("score mate 0"), "{lines:#?}");
    engine.ask("setoption name UCI_ShowWDL value true");
    for fen in [
        "2QQ1Q2/Q6Q/Q5Q1/4Q3/KQ5Q/3Q1Q1Q/k7/2Q3Q1 w - - 0 1",
        "4k3/8/qqqqqqqq/qqqqqqq1/1QQQQQQQ/QQQQQQQQ/8/4K3 b - - 0 1",
        "nnnnknnn/nnnnnnnn/8/8/8/8/NNNNNNNN/NNNNKNNN w - - 0 1",
        "4k3/pppppppp/ppppppp1/8/8/1PPPPPPP/PPPPPPPP/4K3 w - - 0 1",
        "nnnn4/PPPPPPPP/PP6/7k/K7/6pp/pppppppp/4NNNN w - - 0 1",
        "r3k2r/rrrrrrrr/8/8/8/8/RRRRRRRR/R3K2R w KQkq - 0 1",
        "bbbbkbbb/bbbbbbbb/8/8/8/8/BBBBBBBB/BBBBKBBB b - - 0 1",
    ] {
        engine.send(&format!("position fen {fen}"));
        let shown = engine.ask("d\neval");
        assert!(shown.iter().any(|line| line.starts_with("Final evaluation")), "{fen}: {shown:#?}");
        for kind in Kind::ALL {
            engine.send(&format!("setoption name Quiescence value {}", kind.name()));
            check_search(&game(fen, ""), &engine.go("go nodes 2000"));
        }
        for option in
            ["MultiPV value 256", "MultiPV value 1", "UCI_LimitStrength value true", "Threads value 3"]
        {
            engine.send(&format!("setoption name {option}"));
            check_search(&game(fen, ""), &engine.go("go nodes 3000"));
        }
        engine.send("setoption name UCI_LimitStrength value false\nsetoption name Threads value 1");
    }
}

/// The engine searched to depth 100.
#[test]
fn bench_understands_the_arguments_of_stockfish() {
    let mut engine = Dialogue::small();
    let total = |lines: &[String]| {
        let line = lines.iter().find_map(|line| line.strip_prefix("Nodes searched  : "));
        line.expect("a total").parse::<u64>().expect("a number")
    };
    let lines = engine.ask("bench 1 1 100 default nodes");
    // The first iteration is always finished, even if it needs more nodes.
    assert!((38 * 100..10_000).contains(&total(&lines)), "{lines:#?}");
    assert_eq!(total(&engine.ask("position startpos moves e2e4\nbench 1 1 3 current perft")), 13_160);
    let lines = engine.ask("bench 1 1 1 current movetime");
    assert_eq!(lines.iter().filter(|line| line.starts_with(" 1/1 ")).count(), 1, "{lines:#?}");
    let lines = engine.ask("bench 1 1 1 current eval");
    assert!(lines.iter().any(|line| line.starts_with("Final evaluation")), "{lines:#?}");
    for wrong in [
        "bench 1 1 1 default plies",
        "bench 1 1 1 no-such-file",
        "bench 1 1 -3",
        "bench 1 1 2 default depth x",
    ] {
        let said = engine.ask(wrong);
        assert!(said.len() == 1 && said[0].starts_with("info string bench: "), "{wrong}: {said:#?}");
    }
}

/// A line of five million words took a gigabyte of memory.
#[test]
fn a_line_of_any_length_takes_little_memory() {
    let mut engine = Dialogue::small();
    let before = peak(&engine);
    let junk = "junk ".repeat(5_000_000);
    let lines = engine.go(&format!("go nodes 100 {junk}"));
    check_search(&game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ""), &lines);
    let cut = "info string go: the line is too long, the rest is ignored; go: unknown word \"junk\"";
    assert!(lines[0].starts_with(cut), "{}", lines[0]);
    assert!(value(last_report(&lines), "nodes").is_some_and(|nodes| nodes.len() <= 3), "{lines:#?}");
    // The missing rest may have held the limit. So the answer must come without a `stop`.
    assert!(
        engine.go(&format!("go {junk} depth 5")).last().is_some_and(|line| line.starts_with("bestmove "))
    );
    for command in ["isready", "setoption name EvalFile value", "debug on", "junk"] {
        let word = command.split(' ').next().unwrap_or_default();
        let expected = format!("info string \"{word}\": the line is too long, ignored");
        assert_eq!(engine.ask(&format!("{command} {junk}")), [expected]);
    }
    let said = engine.ask(&format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(100_000)));
    let expected = "info string position: the line is too long; there is no position until one is accepted";
    assert_eq!(said, [expected]);
    assert_eq!(engine.go("go depth 1"), [NO_POSITION, "bestmove (none)"]);
    assert!(peak(&engine) < before + 64 * 1024, "{} KiB after {before}", peak(&engine));
}

/// The peak of the engine's resident memory, in KiB.
#[cfg(target_os = "linux")]
fn peak(engine: &Dialogue) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", engine.pid())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[cfg(not(target_os = "linux"))]
fn peak(_engine: &Dialogue) -> u64 {
    0
}

/// Threads started but could not allocate their histories, and the process aborted.
#[cfg(target_os = "linux")]
#[test]
fn if_memory_for_new_threads_is_lacking_the_old_ones_stay() {
    for gigabytes in [1, 2, 4] {
        let mut engine = Dialogue::with_address_space(gigabytes << 20);
        engine.ask("setoption name Hash value 1");
        let said = engine.ask("setoption name Threads value 1024");
        let expected =
            "info string setoption: there is not enough memory for 1024 threads; the old value stays";
        assert_eq!(said, [expected], "{gigabytes} GiB");
        check_search(&game(STALEMATE, ""), &engine.go(&format!("position fen {STALEMATE}\ngo depth 5")));
        engine.send("position startpos");
        let lines = engine.go("go nodes 3000");
        check_search(&game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ""), &lines);
        assert_eq!(engine.close().1.code(), Some(0), "{gigabytes} GiB");
    }
}

/// The command stopped the search.
#[test]
fn uci_during_a_search_does_not_stop_it() {
    let mut engine = Dialogue::small();
    engine.send("go infinite\nuci");
    let lines = engine.until("uciok");
    assert!(lines.iter().any(|line| line.starts_with("id name Enfilade")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:#?}");
    let later = engine.ask("");
    assert!(later.iter().all(|line| line.starts_with("info ")), "it still searches: {later:#?}");
    engine.send("stop");
    engine.until("bestmove ");
}

/// The last line of `go nodes 300000` showed 231,817 nodes.
#[test]
fn the_last_info_line_has_the_number_of_searched_nodes() {
    let mut engine = Dialogue::small();
    engine.send("position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    for lines in [1, 3] {
        engine.send(&format!("ucinewgame\nsetoption name MultiPV value {lines}"));
        // The first iteration is always finished. With three lines it takes about 1,000 nodes here.
        for nodes in [3_000, 7_777, 60_000] {
            let answer = engine.go(&format!("go nodes {nodes}"));
            let reports = reports(&answer);
            let last: Vec<&&str> = reports.iter().rev().take(lines).collect();
            for line in last {
                assert_eq!(value(line, "nodes"), Some(nodes.to_string().as_str()), "{answer:#?}");
            }
        }
    }
    engine.send("setoption name MultiPV value 1");
    let answer = engine.go("go depth 6");
    let depths = reports(&answer).iter().filter(|line| value(line, "depth") == Some("6")).count();
    assert_eq!(depths, 1, "what was reported already is not repeated: {answer:#?}");
}

/// A stalemate was shown with the chances 23 954 23.
#[test]
fn the_wdl_of_a_finished_game_is_its_result() {
    let mut engine = Dialogue::small();
    engine.ask("setoption name UCI_ShowWDL value true");
    for (fen, wdl) in [
        (STALEMATE, "wdl 0 1000 0"),
        ("8/8/4k3/8/8/3NK3/8/8 w - - 0 1", "wdl 0 1000 0"),
        ("4k3/8/8/8/8/8/4r3/R3K3 w - - 100 80", "wdl 0 1000 0"),
        ("rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3", "wdl 0 0 1000"),
        (QUEENS, "wdl 0 0 1000"),
    ] {
        engine.send(&format!("position fen {fen}"));
        let lines = engine.go("go depth 3");
        assert!(reports(&lines).iter().all(|line| line.contains(wdl)), "{fen}: {lines:#?}");
    }
}

/// A search that had reached its limit before the `stop` was never reported.
#[test]
fn a_stop_after_a_reached_limit_ends_the_search() {
    let mut engine = Dialogue::small();
    for line in ["go ponder nodes 20", "go infinite nodes 20", "go ponder depth 1", "go infinite mate 1"] {
        engine.send(&format!("position fen {MATE_IN_ONE}\n{line}"));
        thread::sleep(Duration::from_millis(50));
        check_search(&game(MATE_IN_ONE, ""), &engine.go("stop"));
    }
}

/// The answer of the real program to lines whose input ends behind them.
fn piped(lines: &str) -> Vec<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    program.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("the program reads");
    let output = program.wait_with_output().expect("an end");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

/// The end of the input cut the search after its first iteration, so a script missed the mate in two.
#[test]
fn searches_with_a_limit_are_finished_at_the_end_of_the_input() {
    const MATE_IN_TWO: &str = "position fen 7k/8/5K2/8/8/8/8/R7 w - - 0 1";
    for go in ["go depth 6", "go mate 2", "go nodes 20000", "go ponder depth 6\nponderhit"] {
        let lines = piped(&format!("setoption name Hash value 1\n{MATE_IN_TWO}\n{go}\n"));
        assert!(last_report(&lines).contains(" score mate 2 "), "{go}: {lines:#?}");
    }
    for go in ["go depth 6", "go nodes 3000", "go movetime 50", "go wtime 300 btime 300"] {
        let lines = piped(&format!("setoption name Hash value 1\n{go}\n"));
        let depth: i32 = value(last_report(&lines), "depth").unwrap().parse().unwrap();
        assert!(depth >= 4, "{go}: {lines:#?}");
    }
    // A search without a limit could not end, and `quit` means that nobody waits.
    for go in ["go", "go infinite", "go ponder depth 3", "go infinite depth 3", "go depth 99\nquit"] {
        assert!(
            piped(&format!("setoption name Hash value 1\n{go}\n"))
                .iter()
                .any(|line| line.starts_with("bestmove "))
        );
    }
}

/// KQkq that was left behind allowed castling that standard chess does not have (Stockfish #2464, lc0 #896).
#[test]
fn castling_rights_of_chess960_are_dropped_in_standard_chess() {
    const NOTE: &str = "info string position: castling rights without king and rook in place were dropped";
    let mut engine = Dialogue::small();
    for (fen, castling) in [
        ("r5k1/ppp2ppp/8/8/8/8/PPP2PPP/R5K1 w Qq - 0 1", "-"),
        ("4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1", "-"),
        ("4k2r/8/8/8/8/8/8/1R2K2R w KQk - 0 1", "Kk"),
        ("r5k1/8/8/8/8/8/8/R5K1 w Aa - 0 1", "-"),
    ] {
        assert_eq!(engine.ask(&format!("position fen {fen}")), [NOTE], "{fen}");
        assert_eq!(engine.fen().split(' ').nth(2), Some(castling), "{fen}");
        assert!(
            !engine.ask("go perft 1").iter().any(|line| line.starts_with("e1b1") || line.starts_with("g1a1"))
        );
    }
    engine.send("setoption name UCI_Chess960 value true");
    assert_eq!(engine.ask("position fen 4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1"), [""; 0]);
    assert!(engine.ask("go perft 1").iter().any(|line| line.starts_with("e1b1")));
}

/// Such a search never ended.
#[test]
fn a_search_for_a_mate_in_no_move_is_answered_at_once() {
    let mut engine = Dialogue::small();
    for number in ["0", "-1"] {
        let lines = engine.go(&format!("go mate {number}"));
        let note = format!("info string go: mate: expected at least one move, found \"{number}\"");
        assert_eq!(lines[0], note);
        check_search(&game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ""), &lines[1..]);
    }
    // A mate of any length is found and ends the search.
    engine.send(&format!("position fen {MATE_IN_ONE}"));
    assert_eq!(best(&engine.go("go mate 99999999999")), "e1e8");
    // A search needs a move: less than one ply or node counts as one.
    for go in ["go depth 0", "go nodes 0"] {
        let lines = engine.go(go);
        assert!(lines[0].ends_with("\"0\" taken as 1"), "{lines:#?}");
        assert_eq!(best(&lines), "e1e8");
    }
}

/// Clients waited for a line that says why there is no move.
#[test]
fn the_end_of_a_game_is_said_at_once_also_in_an_endless_search() {
    let mut engine = Dialogue::small();
    for (fen, score) in
        [(STALEMATE, "cp 0"), ("rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3", "mate 0")]
    {
        for go in ["go infinite", "go ponder"] {
            engine.send(&format!("position fen {fen}"));
            engine.send(go);
            let lines = engine.until("info depth 0 ");
            assert!(last_report(&lines).contains(&format!(" score {score} ")), "{lines:#?}");
            let rest = engine.go("stop");
            assert_eq!(rest, ["bestmove (none)"], "the line is said once");
        }
    }
}

/// A position with the task of a suite behind it was refused.
#[test]
fn operations_behind_a_position_are_left_out_with_a_note() {
    let mut engine = Dialogue::small();
    let said = engine.ask("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\"; moves e2e4");
    assert_eq!(said, ["info string position: operations of EPD were left out: bm, id"]);
    assert_eq!(engine.fen(), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
    // Anything else is still refused.
    let said = engine.ask("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - what is this");
    assert!(said[0].ends_with("there is no position until one is accepted"), "{said:?}");
}
