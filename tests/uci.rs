//! Dialogues with the real binary, typed as chess programs and testers type them. Each test
//! holds some lines of what public clients rely on.

mod dialogue;

use std::thread;
use std::time::Duration;

use dialogue::{Dialogue, best, check_search, game, reports, value};
use enfilade::board::Game;
use enfilade::search::quiescence::Kind;

const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1";
const CHECKMATE: &str = "rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const ONE_MOVE: &str = "7k/8/8/8/8/8/r7/1r5K w - - 0 1";
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

/// Lichess's workers never say `uci`, set the variant first, and castle onto the rook.
#[test]
fn no_uci_is_needed_and_chess960_castling_is_king_takes_rook() {
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
fn castling_is_spelled_either_way_on_input_and_by_the_option_on_output() {
    let mut engine = Dialogue::small();
    engine.send(&format!("position fen {CASTLING}"));
    assert_eq!(best(&engine.go("go depth 1 searchmoves e1g1")), "e1g1");
    assert_eq!(best(&engine.go("go depth 1 searchmoves e1a1")), "e1c1");
    engine.send("setoption name uci_chess960 value TRUE");
    assert_eq!(best(&engine.go("go depth 1 searchmoves e1c1")), "e1a1");
}

#[test]
fn every_form_of_go_gets_one_sound_answer() {
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
fn what_is_wrong_with_a_go_is_said_in_one_line() {
    let mut engine = Dialogue::small();
    let lines = engine.go("go depth abc nodes 100 hello");
    let said: Vec<&String> = lines.iter().filter(|line| line.starts_with("info string")).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("\"abc\"") && said[0].contains("\"hello\""), "{said:?}");
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
fn stop_at_once_still_gives_a_move() {
    let mut engine = Dialogue::small();
    for _ in 0..20 {
        let lines = engine.go("go infinite\nstop");
        check_search(&Game::startpos(), &lines);
    }
    assert_eq!(engine.ask("stop\nponderhit\nstop"), [""; 0]);
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
        // A miss: the search is stopped and its move thrown away.
        check_search(&game(fen, ""), &engine.go(&format!("{line}\nstop")));
    }
    engine.send("position startpos");
    let lines = engine.go("go depth 5");
    assert!(lines.last().is_some_and(|line| line.contains(" ponder ")), "{lines:#?}");
}

/// A search that had used up its nodes before the order to stop came was never reported.
#[test]
fn a_stop_is_heard_after_a_limit_was_reached() {
    let mut engine = Dialogue::small();
    for line in ["go ponder nodes 20", "go infinite nodes 20", "go ponder depth 1", "go infinite mate 1"] {
        engine.send(&format!("position fen {MATE_IN_ONE}\n{line}"));
        thread::sleep(Duration::from_millis(50));
        check_search(&game(MATE_IN_ONE, ""), &engine.go("stop"));
    }
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
        "uci",
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
fn without_a_legal_move_there_is_none_to_play() {
    let mut engine = Dialogue::small();
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

#[test]
fn games_of_many_moves_are_taken() {
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
fn a_new_game_forgets_the_old_one() {
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
    for input in ["", "uci", "go infinite", "go movetime 100000", "setoption name Threads value 3\ngo ponder"]
    {
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
fn people_get_what_they_know_from_stockfish() {
    let mut engine = Dialogue::small();
    let board = engine.ask("position startpos moves e2e4\nd");
    assert!(board.contains(&"Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".to_owned()));
    assert!(board.iter().any(|line| line.starts_with("Key: ")));
    let eval = engine.ask("eval");
    assert!(eval.iter().any(|line| line.starts_with("Final evaluation")), "{eval:#?}");
    let perft = engine.ask("go perft 3");
    assert!(perft.contains(&"Nodes searched: 13160".to_owned()), "{perft:#?}");
    assert!(perft.contains(&"g8f6: 628".to_owned()) || perft.iter().any(|line| line.starts_with("g8f6: ")));
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
    assert!(log.contains("\n>> go depth 1\n<< info depth 1 "), "{log}");
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
fn a_table_outlives_its_engine_in_a_file() {
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

    let mut engine = Dialogue::small();
    engine.send(&set_file);
    engine.send("setoption name NeverClearHash value true");
    let said = engine.ask("setoption name LoadHashfromFile");
    assert!(said[0].contains("MiB loaded from"), "{said:?}");
    engine.send("ucinewgame");
    let second = engine.go("go depth 9");
    let nodes =
        |lines: &[String]| value(reports(lines).last().unwrap(), "nodes").unwrap().parse::<u64>().unwrap();
    assert!(nodes(&second) < nodes(&first), "{} after {}", nodes(&second), nodes(&first));

    engine.send("setoption name Quiescence value captures");
    let said = engine.ask("setoption name LoadHashfromFile");
    assert!(
        said[0].contains("another leaf search or another Syzygy50MoveRule; the old table stays"),
        "{said:?}"
    );
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

/// In whatever order hit and stop arrive, before the search has begun or after it is done, there is one answer.
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

/// Several lines are as many as wanted or as there are moves, each with a move of its own, all of the same finished
/// iteration, exact and in order; and stop changes nothing of that.
#[test]
fn several_lines_are_whole_with_any_number_of_threads() {
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

/// The last line before the move is the one that the search ended with: its score does not jump at `stop`.
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
                assert_ne!((said(before), value(before, "pv")), (said(last), value(last, "pv")), "{all:#?}");
            }
        }
    }
}

#[test]
fn a_mate_search_says_the_mate_and_ends_by_itself() {
    let mut engine = Dialogue::small();
    for threads in [1, 4] {
        engine.send(&format!("setoption name Threads value {threads}\nposition fen {MATE_IN_ONE}"));
        for wanted in [1, 2, 5, 4_000_000_000_u64] {
            let lines = engine.go(&format!("go mate {wanted}"));
            assert_eq!(best(&lines), "e1e8");
            assert!(reports(&lines).last().unwrap().contains("score mate 1 "), "{lines:#?}");
        }
        // A mate in two is none in one: the search goes on until something else ends it.
        engine.send("position fen 7k/8/5K2/8/8/8/8/6R1 w - - 0 1");
        let lines = engine.go("go mate 2");
        assert!(reports(&lines).last().unwrap().contains("score mate "), "{lines:#?}");
        check_search(&game("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", ""), &engine.go("go mate 1 nodes 3000"));
    }
}

#[test]
fn limited_strength_is_quick_waits_when_told_to_and_is_off_in_analysis() {
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
    // In analysis it searches as without a limit. The last report is as old as the last news, which need not come with the
    // last node.
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
