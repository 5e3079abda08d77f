//! Dialogues of analysis boards and servers: several lines, pondering, infinite searches, mates, limited strength, and
//! tables in files.

use std::thread;
use std::time::Duration;

use enfilade::chess::board::Game;

use crate::dialogue::{Dialogue, best, check_search, game, reports, value};

const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1";
const CHECKMATE: &str = "rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const ONE_MOVE: &str = "7k/8/8/8/8/8/r7/1r5K w - - 0 1";
const CASTLING: &str = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 8";

#[test]
fn several_lines_are_reported_each_with_its_own_move() {
    let mut engine = Dialogue::small();
    engine.send("setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true");
    let lines = engine.go("go depth 4");
    check_search(&Game::startpos(), &lines);
    let last: Vec<&str> = reports(&lines).into_iter().rev().take(3).collect();
    let mut firsts: Vec<_> = last.iter().map(|line| value(line, "pv")).collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 3, "{last:#?}");
    assert!(last.iter().all(|line| line.contains(" wdl ")), "{last:#?}");
    engine.send("setoption name MultiPV value 256");
    let lines = engine.go("go depth 2");
    assert!(reports(&lines).iter().any(|line| line.contains(" multipv 20 ")));
    assert!(!reports(&lines).iter().any(|line| line.contains(" multipv 21 ")));
}

#[test]
fn root_moves_can_be_restricted() {
    let mut engine = Dialogue::small();
    for mv in ["a2a3", "h2h4"] {
        let lines = engine.go(&format!("go searchmoves {mv} depth 4"));
        assert_eq!(best(&lines), mv);
        check_search(&Game::startpos(), &lines);
    }
    let lines = engine.go("go nodes 300 searchmoves g1f3 b1c3");
    assert!(["g1f3", "b1c3"].contains(&best(&lines)));
}

#[test]
fn an_infinite_search_waits_for_stop_whatever_it_finds() {
    let mut engine = Dialogue::small();
    for fen in [MATE_IN_ONE, ONE_MOVE, CHECKMATE, STALEMATE] {
        engine.send(&format!("position fen {fen}\ngo infinite"));
        thread::sleep(Duration::from_millis(100));
        let early = engine.ask("");
        assert!(!early.iter().any(|line| line.starts_with("bestmove")), "{fen}: {early:#?}");
        engine.send("stop");
        let lines = engine.until("bestmove ");
        let all: Vec<String> = early.into_iter().chain(lines).collect();
        check_search(&game(fen, ""), &all);
    }
}

#[test]
fn pondering_waits_for_the_hit() {
    let mut engine = Dialogue::small();
    let line = "go ponder wtime 200 btime 200 winc 0 binc 0";
    for fen in [CASTLING, MATE_IN_ONE] {
        engine.send(&format!("position fen {fen}\n{line}"));
        thread::sleep(Duration::from_millis(100));
        let early = engine.ask("");
        assert!(!early.iter().any(|line| line.starts_with("bestmove")), "{early:#?}");
        engine.send("ponderhit");
        engine.until("bestmove ");
        // After a ponder miss the client stops the search and ignores its move.
        check_search(&game(fen, ""), &engine.go(&format!("{line}\nstop")));
    }
    engine.send("position startpos");
    let lines = engine.go("go depth 5");
    assert!(lines.last().is_some_and(|line| line.contains(" ponder ")), "{lines:#?}");
}

#[test]
fn a_saved_table_is_loaded_by_another_engine() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a table.hash");
    let set_file = format!("setoption name HashFile value {}", file.display());
    let mut engine = Dialogue::small();
    let said = engine.ask("setoption name SaveHashtoFile");
    assert_eq!(said, ["info string SaveHashtoFile: set HashFile first"]);
    engine.send(&set_file);
    let first = engine.go("go depth 9");
    let said = engine.ask("setoption name SaveHashtoFile");
    assert_eq!(said, [format!("info string hash table saved to {}", file.display())]);
    engine.send("setoption name NeverClearHash value true\nucinewgame");
    let kept = engine.go("go depth 9");

    let mut engine = Dialogue::small();
    engine.send(&set_file);
    engine.send("setoption name NeverClearHash value true");
    let said = engine.ask("setoption name LoadHashfromFile");
    assert!(said[0].contains("MiB loaded from"), "{said:?}");
    engine.send("ucinewgame");
    let loaded = engine.go("go depth 9");
    let nodes =
        |lines: &[String]| value(reports(lines).last().unwrap(), "nodes").unwrap().parse::<u64>().unwrap();
    assert_eq!(nodes(&loaded), nodes(&kept), "a loaded table serves as well as one that was kept");
    assert_ne!(nodes(&loaded), nodes(&first), "it is used");

    engine.send("setoption name Quiescence value captures");
    let said = engine.ask("setoption name LoadHashfromFile");
    assert!(
        said[0].contains("another leaf search or another Syzygy50MoveRule; the old table stays"),
        "{said:?}"
    );
}

/// `ponderhit` and `stop` may arrive in any order, before the search has begun or after it has ended. There is always
/// one answer.
#[test]
fn ponderhit_and_stop_may_come_in_any_order_and_at_any_time() {
    let mut engine = Dialogue::small();
    for threads in [1, 4] {
        engine.send(&format!("setoption name Threads value {threads}\nposition fen {CASTLING}"));
        for limit in ["wtime 60000 btime 60000", "depth 2", "nodes 50", "movetime 1", "infinite"] {
            for orders in ["stop", "ponderhit\nstop", "stop\nponderhit", "ponderhit\nponderhit\nstop\nstop"] {
                for pause in [0, 30] {
                    engine.send(&format!("go ponder {limit}"));
                    thread::sleep(Duration::from_millis(pause));
                    check_search(&game(CASTLING, ""), &engine.go(orders));
                    assert_eq!(engine.ask(orders), [""; 0], "{limit}, {orders:?} after the answer");
                }
            }
        }
        for limit in ["wtime 20 btime 20", "depth 2", "nodes 50", "movetime 1"] {
            check_search(&game(CASTLING, ""), &engine.go(&format!("go ponder {limit}\nponderhit")));
        }
    }
}

/// There are as many lines as requested, or as many as there are moves. Each has another first move. All of them are
/// from the same finished iteration, exact and in order. `stop` does not change this.
#[test]
fn multipv_reports_all_lines_with_any_number_of_threads() {
    let mut engine = Dialogue::small();
    engine.send(&format!("position fen {CASTLING}"));
    for threads in [1, 2, 16] {
        engine.send(&format!("setoption name Threads value {threads}"));
        for (wanted, restricted, expected) in [
            (3, "", 3),
            (256, "", 43),
            (5, " searchmoves e1g1 a2a3 e1g1 e1e5", 2),
            (2, " searchmoves xyz", 2),
        ] {
            engine.send(&format!("setoption name MultiPV value {wanted}"));
            for go in ["go depth 3", "go nodes 9000", "go infinite"] {
                engine.send(&format!("{go}{restricted}"));
                let mut lines = Vec::new();
                if go == "go infinite" {
                    lines = engine.until("info depth 2 ");
                    engine.send("stop");
                }
                lines.extend(engine.until("bestmove "));
                let all = reports(&lines);
                let last: Vec<&str> = all[all.len() - expected..].to_vec();
                let column = |key| last.iter().map(|line| value(line, key).unwrap()).collect::<Vec<_>>();
                let ranks: Vec<String> = (1..=expected).map(|rank| rank.to_string()).collect();
                assert_eq!(column("multipv"), ranks, "{go}, {threads} threads: {last:#?}");
                assert!(column("depth").iter().all(|depth| *depth == column("depth")[0]), "{last:#?}");
                assert!(last.iter().all(|line| !line.contains("bound")), "{last:#?}");
                let mut moves = column("pv");
                assert_eq!(moves[0], best(&lines));
                moves.sort_unstable();
                moves.dedup();
                assert_eq!(moves.len(), expected, "{last:#?}");
                let scores: Vec<i32> = last
                    .iter()
                    .filter(|line| line.contains(" score cp "))
                    .map(|line| value(line, "cp").unwrap().parse().unwrap())
                    .collect();
                assert!(scores.is_sorted_by(|a, b| a >= b), "{last:#?}");
            }
        }
    }
}

/// The last line before the `bestmove` is the line with which the search ended, so the score does not jump at `stop`. A
/// line is repeated only to report the nodes that were searched since.
#[test]
fn stop_repeats_no_line_and_ends_with_the_best_one() {
    let mut engine = Dialogue::small();
    for threads in [1, 4] {
        engine.send(&format!("setoption name Threads value {threads}\nposition fen {CASTLING}"));
        for pause in [5, 40, 90] {
            engine.send("ucinewgame\ngo infinite");
            thread::sleep(Duration::from_millis(pause));
            let lines = engine.go("stop");
            check_search(&game(CASTLING, ""), &lines);
            let all = reports(&lines);
            let said = |line: &str| {
                let words: Vec<&str> = line.split(' ').collect();
                let at = |key| words.iter().position(|word| *word == key).unwrap();
                (words[at("depth") + 1].to_owned(), words[at("score")..at("nodes")].join(" "))
            };
            if let [.., before, last] = all[..] {
                let is_repeated = (said(before), value(before, "pv")) == (said(last), value(last, "pv"));
                let nodes = |line| value(line, "nodes").unwrap().parse::<u64>().unwrap();
                assert!(!is_repeated || nodes(last) > nodes(before), "{all:#?}");
            }
        }
    }
}

#[test]
fn a_mate_search_reports_the_mate_and_ends_by_itself() {
    let mut engine = Dialogue::small();
    for threads in [1, 4] {
        engine.send(&format!("setoption name Threads value {threads}\nposition fen {MATE_IN_ONE}"));
        for wanted in [1, 2, 5, 4_000_000_000_u64] {
            let lines = engine.go(&format!("go mate {wanted}"));
            assert_eq!(best(&lines), "e1e8");
            assert!(reports(&lines).last().unwrap().contains("score mate 1 "), "{lines:#?}");
        }
        // There is a mate in two but no mate in one. So `go mate 1` goes on until another limit ends it.
        engine.send("position fen 7k/8/5K2/8/8/8/8/6R1 w - - 0 1");
        let lines = engine.go("go mate 2");
        assert!(reports(&lines).last().unwrap().contains("score mate "), "{lines:#?}");
        check_search(&game("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", ""), &engine.go("go mate 1 nodes 3000"));
    }
}

#[test]
fn limited_strength_is_quick_waits_for_stop_and_is_off_in_analysis() {
    let mut engine = Dialogue::small();
    engine.send("uci");
    let declared = engine.until("uciok");
    let elo =
        declared.iter().find(|line| line.starts_with("option name UCI_Elo type spin ")).expect("the level");
    let (least, most) = (value(elo, "min").unwrap(), value(elo, "max").unwrap());
    assert!(declared.contains(&"option name UCI_LimitStrength type check default false".to_owned()));
    assert!(declared.contains(&"option name UCI_AnalyseMode type check default false".to_owned()));
    let nodes = |lines: &[String]| {
        reports(lines).iter().map(|line| value(line, "nodes").unwrap().parse::<u64>().unwrap()).max().unwrap()
    };
    engine.send("setoption name UCI_LimitStrength value true\nsetoption name Deterministic value true");
    engine.send(&format!("position fen {CASTLING}"));
    for elo in [least, most] {
        engine.send(&format!("setoption name UCI_Elo value {elo}"));
        for threads in [1, 4] {
            engine.send(&format!("setoption name Threads value {threads}"));
            let mut answers = Vec::new();
            for go in ["go wtime 600000 btime 600000", "go movetime 600000", "go"] {
                engine.send("ucinewgame");
                let lines = engine.go(go);
                check_search(&game(CASTLING, ""), &lines);
                assert!(lines.iter().all(|line| !line.contains("multipv 2")), "{lines:#?}");
                answers.push(best(&lines).to_owned());
            }
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
            for go in ["go infinite", "go ponder wtime 1000 btime 1000"] {
                engine.send(go);
                thread::sleep(Duration::from_millis(50));
                assert!(!engine.ask("").iter().any(|line| line.starts_with("bestmove")));
                let lines = engine.go("stop");
                assert!(lines.last().unwrap().starts_with("bestmove "));
            }
        }
    }
    engine.send(&format!("setoption name UCI_Elo value {least}\nsetoption name Threads value 1"));
    let limited = nodes(&engine.go("go nodes 20000"));
    // In analysis the engine searches as without limited strength. The last report may be older than the last node,
    // because there is a report only if something has changed.
    let unlimited = ["UCI_AnalyseMode value true", "UCI_LimitStrength value false"].map(|option| {
        engine.send(&format!("setoption name {option}\nucinewgame"));
        engine.go("go nodes 20000")
    });
    for lines in &unlimited {
        assert!(limited < 10_000 && (10_000..=20_000).contains(&nodes(lines)), "{limited}, {lines:#?}");
    }
    assert_eq!(nodes(&unlimited[0]), nodes(&unlimited[1]));
    assert_eq!(best(&unlimited[0]), best(&unlimited[1]));
    engine.send("setoption name UCI_AnalyseMode value false\nsetoption name UCI_LimitStrength value true");
    assert_eq!(nodes(&engine.go("go nodes 20000")), limited);
}

/// After a reduction of the number of threads, their memory must be free again: about 0.7 MiB each, without the
/// histories that they share.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn ended_threads_leave_no_memory_behind() {
    let mut engine = Dialogue::small();
    let mut resident_after = |threads: usize| {
        engine.send(&format!("setoption name Threads value {threads}\nposition fen {CASTLING}"));
        engine.go(&format!("go nodes {}", 2_000 * threads));
        engine.resident()
    };
    resident_after(2);
    let before = resident_after(1);
    // On a loaded machine some threads may find all nodes searched before they have begun.
    crate::patience::wait_until("the threads' memory", || resident_after(96) > before + 50_000);
    let after = resident_after(1);
    assert!(after < before + 20_000, "{after} KiB, {before} before");
}
