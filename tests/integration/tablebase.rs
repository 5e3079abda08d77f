//! Tests of tablebases with the tables of three men in `data/syzygy`: known answers, probes in the search and at the
//! root, and damaged tables. `data/syzygy.tsv` has won, drawn and lost positions with their values. python-chess finds
//! the same values.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use enfilade::base::random::Random;
use enfilade::chess::board::{Game, Move};
use enfilade::chess::types::Score;
use enfilade::engine::run::Limits;
use enfilade::engine::tablebase::{Probing, Rank, Tablebases, Wdl};
use enfilade::engine::{Engine, Settings};

use crate::dialogue::{Dialogue, best, board, check_search, game, reports, value};

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
const KRK: &str = "8/8/8/8/8/2k5/8/K2R4 w - - 0 1";
const KQK: &str = "8/8/3k4/8/6Q1/8/8/7K w - - 0 1";
const KPK: &str = "8/1k6/8/8/8/K7/5P2/8 w - - 0 1";
/// White captures the pawn and keeps the rook.
const TAKES_AND_WINS: &str = "8/8/8/3k4/8/8/6p1/K5R1 w - - 0 1";
/// Black captures the rook. White keeps a rook pawn that cannot promote.
const TAKES_AND_DRAWS: &str = "1k6/1R6/8/P7/8/8/8/4K3 b - - 0 1";

fn engine(tablebases: &Arc<Tablebases>, change: impl FnOnce(&mut Settings)) -> Engine {
    let mut settings = Settings { hash: 1, tablebases: Arc::clone(tablebases), ..Settings::default() };
    change(&mut settings);
    Engine::new(settings).expect("a small engine")
}

fn tables() -> Arc<Tablebases> {
    Arc::new(Tablebases::load(TABLES))
}

/// For tables without faults: fails at any complaint.
fn content(text: &str) {
    panic!("{text}");
}

#[test]
fn wdl_and_dtz_agree_with_the_test_vectors() {
    let tables = tables();
    assert_eq!(tables.notes(), ["Syzygy: 5 WDL and 5 DTZ tables found, up to 3 men"]);
    let mut rows = 0;
    for row in include_str!("../data/syzygy.tsv").lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let board = board(fields[0]);
        let wdl = tables.wdl(&board, &content).expect("a WDL value");
        let dtz = tables.dtz(&board, &content).expect("a DTZ value");
        assert_eq!([(wdl as i32).to_string(), dtz.to_string()], fields[1..], "{row}");
        rows += 1;
    }
    assert_eq!(rows, 75);
}

#[test]
fn the_search_probes_the_tablebases_after_a_capture() {
    let tables = tables();
    let mut engine = engine(&tables, |_| {});
    for (fen, expected) in [(TAKES_AND_WINS, Score::TABLEBASE_WIN - 1), (TAKES_AND_DRAWS, Score::ZERO)] {
        engine.set_game(game(fen, ""));
        let outcome = engine.search(Limits::depth(6));
        assert_eq!(outcome.lines[0].score, expected, "{fen}");
        assert!(outcome.lines[0].tablebase_hits > 0, "{fen}");
    }
    // The tables are not probed if the limit of men is too low or the required depth is too great.
    for (limit, depth) in [(0, 1), (2, 1), (3, 100)] {
        engine.update(|settings| settings.probing = Probing { limit, depth, ..Probing::default() });
        engine.new_game();
        let outcome = engine.search(Limits::depth(6));
        assert_eq!(outcome.lines[0].tablebase_hits, 0, "limit {limit}, depth {depth}");
        assert!(!outcome.lines[0].score.is_decisive(), "limit {limit}, depth {depth}");
    }
}

/// The search finds a mate that begins with a capture into the tables, although the tables already report a win.
#[test]
fn the_search_prefers_a_mate_to_a_tablebase_win() {
    let mut engine = engine(&tables(), |_| {});
    for fen in ["8/8/5Q2/8/8/4K3/5p2/5k2 w - - 0 1", "8/p4Q2/8/8/8/8/8/k1K5 w - - 0 1"] {
        engine.set_game(game(fen, ""));
        let outcome = engine.search(Limits::depth(6));
        assert_eq!(outcome.lines[0].score, Score::mate_in(1), "{fen}");
        assert!(outcome.lines[0].tablebase_hits > 0, "{fen}");
    }
}

#[test]
fn tablebases_leave_other_searches_unchanged() {
    let nodes = |tablebases: Arc<Tablebases>, fen: &str| {
        let mut engine = engine(&tablebases, |_| {});
        engine.set_game(game(fen, ""));
        let outcome = engine.search(Limits::depth(9));
        assert_eq!(outcome.lines[0].tablebase_hits, 0);
        (outcome.nodes, outcome.best_move, outcome.lines[0].score)
    };
    let middle_game = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    assert_eq!(nodes(tables(), middle_game), nodes(Arc::default(), middle_game));
    assert!(!nodes(Arc::default(), KRK).2.is_decisive() || nodes(Arc::default(), KRK).2.is_mate());
}

#[test]
fn multi_pv_lines_are_sorted_by_tablebase_result() {
    // Two moves are stalemate, some lose the queen, and the others win.
    let fen = "k7/8/2K5/8/8/8/1Q6/8 w - - 0 1";
    let moves = board(fen).legal_moves().len();
    for threads in [1, 3] {
        let mut engine = engine(&tables(), |settings| {
            settings.multi_pv = 256;
            settings.threads = threads;
        });
        engine.set_game(game(fen, ""));
        let outcome = engine.search(Limits::depth(5));
        assert_eq!(outcome.lines.len(), moves);
        let scores: Vec<Score> = outcome.lines.iter().map(|line| line.score).collect();
        assert!(scores.iter().all(|score| score.is_win() || *score == Score::ZERO), "{scores:?}");
        assert!(scores.is_sorted_by(|a, b| a.is_win() >= b.is_win()), "{scores:?}");
        assert!(scores[0].is_win() && *scores.last().unwrap() == Score::ZERO, "{scores:?}");
        assert_eq!(outcome.lines[0].tablebase_hits, moves as u64);
    }
}

#[test]
fn the_tablebases_rank_only_search_moves() {
    let mut engine = engine(&tables(), |_| {});
    let game = game(KQK, "");
    engine.set_game(game.clone());
    let gives_away = game.parse_uci("g4g7").unwrap();
    let offers = game.parse_uci("g4e6").unwrap();
    let outcome = engine.search(Limits { search_moves: vec![offers], ..Limits::depth(4) });
    assert_eq!((outcome.best_move, outcome.lines[0].score), (Some(offers), Score::ZERO));
    let outcome = engine.search(Limits { search_moves: vec![offers, gives_away], ..Limits::depth(4) });
    assert_eq!(outcome.best_move, Some(gives_away));
    assert!(outcome.lines[0].score.is_win());
}

/// The fifty-move clock may be too far advanced for a win. Then the position is a draw, unless the rule is off.
#[test]
fn the_root_score_respects_the_fifty_move_rule_if_it_is_on() {
    let late = KRK.replace(" 0 1", " 90 80");
    for (fen, fifty_moves, expected) in [
        (KRK, true, Score::TABLEBASE_WIN),
        (late.as_str(), true, Score::new(1)),
        (late.as_str(), false, Score::TABLEBASE_WIN),
    ] {
        let mut engine = engine(&tables(), |settings| settings.probing.fifty_moves = fifty_moves);
        engine.set_game(game(fen, ""));
        assert_eq!(engine.search(Limits::nodes(50)).lines[0].score, expected, "{fen} {fifty_moves}");
    }
}

#[test]
fn after_a_repetition_or_late_in_the_clock_only_the_fastest_win_ranks_first() {
    let tables = tables();
    let ranks = |game: &Game| {
        let moves: Vec<Move> = game.board().legal_moves().into_iter().collect();
        let ranking = tables.rank(game, &moves, true, &content).expect("a ranking");
        assert!(ranking.by_distance);
        moves.into_iter().zip(ranking.ranks.into_iter().map(|(rank, _)| rank)).collect::<Vec<_>>()
    };
    let fresh = ranks(&game(KRK, ""));
    assert!(fresh.iter().filter(|(_, rank)| *rank == Rank::Won).count() > 5);

    // The moves go back and forth, so the start position is on the board again.
    let shuffle = "d1d8 c3c4 d8d1 c4c3";
    let once = ranks(&game(KRK, shuffle));
    assert!(once.iter().all(|(_, rank)| *rank != Rank::Won));
    let best = once.iter().max_by_key(|(_, rank)| *rank).unwrap();
    assert!(matches!(best.1, Rank::Pressing(Reverse(plies)) if plies == 25 + 4), "{best:?}");

    // A move that makes a position occur for the third time draws.
    let again = game(KRK, &format!("{shuffle} d1d8 c3c4 d8d1 c4c3"));
    let back = again.parse_uci("d1d8").unwrap();
    assert!(ranks(&again).contains(&(back, Rank::Drawn)));

    let late = ranks(&game(&KRK.replace(" 0 1", " 60 80"), ""));
    assert!(late.iter().all(|(_, rank)| *rank != Rank::Won));
}

/// Plays a won ending against the defense that delays mate and conversion longest.
fn convert(engine: &mut Engine, tables: &Tablebases, fen: &str) {
    let mut game = game(fen, "");
    let winner = game.board().turn();
    engine.new_game();
    loop {
        let moves = game.board().legal_moves();
        if moves.is_empty() {
            assert!(game.board().in_check() && game.board().turn() != winner, "stalemate from {fen}");
            return;
        }
        assert!(game.board().halfmove_clock() < 100, "fifty moves from {fen}");
        let mv = if game.board().turn() == winner {
            engine.set_game(game.clone());
            engine.search(Limits::nodes(400)).best_move.expect("a move")
        } else {
            let resistance = |mv: &Move| tables.dtz(&game.board().after(*mv), &content).expect("a DTZ value");
            *moves.iter().max_by_key(|mv| resistance(mv)).expect("a move")
        };
        game.play(mv);
        let result = tables.wdl(game.board(), &content).expect("a WDL value");
        let expected = if game.board().turn() == winner { Wdl::Win } else { Wdl::Loss };
        assert_eq!(result, expected, "{mv:?} from {fen}");
    }
}

#[test]
fn won_tablebase_endings_are_mated_within_the_fifty_move_rule() {
    let tables = tables();
    let mut engine = engine(&tables, |_| {});
    for fen in [
        KQK,
        "8/8/8/2k5/8/7K/7Q/8 w - - 0 1",
        "1K6/8/8/6q1/8/8/5k2/8 b - - 3 9",
        KRK,
        "6K1/8/2R5/3k4/8/8/8/8 w - - 0 1",
        "8/8/8/8/4K3/2r5/8/6k1 b - - 0 1",
        KPK,
        "1k6/8/8/8/8/3P4/3K4/8 w - - 0 1",
        "8/8/8/4p3/8/4k3/8/4K3 b - - 0 1",
    ] {
        convert(&mut engine, &tables, fen);
    }
    // Here the fifty-move clock leaves hardly enough moves.
    convert(&mut engine, &tables, &KRK.replace(" 0 1", " 74 80"));
}

/// Without DTZ tables the search must find the way to the win itself. Draws are still kept.
#[test]
fn wdl_tables_without_dtz_keep_the_result() {
    let folder = tempfile::tempdir().unwrap();
    for material in ["KQvK", "KRvK", "KPvK", "KBvK", "KNvK"] {
        let name = format!("{material}.rtbw");
        fs::copy(Path::new(TABLES).join(&name), folder.path().join(&name)).unwrap();
    }
    let wdl_only = Arc::new(Tablebases::load(folder.path().to_str().unwrap()));
    let mut engine = engine(&wdl_only, |_| {});
    // Three moves keep the win here.
    engine.set_game(game("8/8/8/8/8/4k3/1p6/3K4 b - - 0 1", ""));
    assert!(engine.search(Limits::nodes(100)).lines[0].score.is_win());
    // Only two moves draw here.
    let drawn = game("4k3/8/8/3KP3/8/8/8/8 b - - 0 1", "");
    engine.set_game(drawn.clone());
    let outcome = engine.search(Limits::nodes(100));
    let kept = tables().wdl(&drawn.board().after(outcome.best_move.unwrap()), &content);
    assert_eq!((outcome.lines[0].score, kept), (Score::ZERO, Some(Wdl::Draw)));
}

/// A copy of the tables in which one table is changed.
fn damaged(name: &str, change: impl FnOnce(&mut Vec<u8>)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(TABLES).unwrap() {
        let file = entry.unwrap().path();
        fs::copy(&file, folder.path().join(file.file_name().unwrap())).unwrap();
    }
    let file = folder.path().join(name);
    let mut bytes = fs::read(&file).unwrap();
    change(&mut bytes);
    fs::write(file, bytes).unwrap();
    folder
}

/// Loads the folder's tables and searches some positions. Returns all messages about tables.
fn complaints(folder: &Path) -> Vec<String> {
    let mut engine = Dialogue::small();
    let mut said = engine.ask(&format!("setoption name SyzygyPath value {}", folder.display()));
    for fen in [KQK, TAKES_AND_WINS, KPK, "8/1k1P4/8/8/8/K7/7p/8 w - - 0 1", KQK] {
        engine.send(&format!("position fen {fen}"));
        let lines = engine.go("go depth 8");
        check_search(&game(fen, ""), &lines);
        said.extend(lines.into_iter().filter(|line| line.starts_with("info string Syzygy")));
    }
    let (rest, status) = engine.close();
    assert!(rest.is_empty() && status.success(), "{rest:?}");
    said
}

#[test]
fn a_damaged_tablebase_is_reported_once_and_the_search_continues() {
    let five = "info string Syzygy: 5 WDL and 5 DTZ tables found, up to 3 men";
    assert_eq!(complaints(Path::new(TABLES)), [five]);

    let truncated = damaged("KQvK.rtbw", |bytes| bytes.truncate(100));
    let said = complaints(truncated.path());
    assert_eq!(said[1], "info string Syzygy: cannot be used: KQvK.rtbw (unexpected file size)");
    assert_eq!(said.len(), 3, "{said:#?}");
    assert!(said[2].starts_with("info string Syzygy: there is no WDL table of KQvK; "), "{said:#?}");

    // The file has a valid size and a valid beginning.
    let cut = damaged("KQvK.rtbw", |bytes| bytes.truncate(64 + 16));
    assert_eq!(
        complaints(cut.path()),
        [
            five,
            "info string Syzygy: the WDL table of KQvK cannot be used: damaged; the search goes on without it"
        ]
    );

    let garbage = damaged("KQvK.rtbz", |bytes| bytes.fill(0xa5));
    assert_eq!(
        complaints(garbage.path()),
        [
            five,
            "info string Syzygy: the DTZ table of KQvK cannot be used: not a Syzygy table of this kind; \
             the search goes on without it"
        ]
    );
}

/// A file may hold anything after its first bytes. No content may end the engine, and each fault is reported once.
#[test]
fn garbage_in_a_tablebase_does_not_end_the_engine() {
    let mut random = Random::of_state(60);
    let mut complained = 0;
    for round in 0..60 {
        let folder = damaged(["KQvK.rtbw", "KQvK.rtbz", "KPvK.rtbw"][round % 3], |bytes| {
            let from = 4 + random.below(40);
            let to = (from + 1 + random.below(60)).min(bytes.len());
            bytes[from..to].fill_with(|| random.bits() as u8);
        });
        let tables = Arc::new(Tablebases::load(folder.path().to_str().unwrap()));
        let said = RefCell::new(Vec::new());
        let complain = |text: &str| said.borrow_mut().push(text.to_owned());
        for fen in [KQK, KPK, "8/1k3P2/8/8/8/K7/8/8 b - - 0 1"] {
            let board = board(fen);
            for mv in board.legal_moves() {
                tables.wdl(&board.after(mv), &complain);
                tables.dtz(&board.after(mv), &complain);
            }
        }
        let mut said = said.into_inner();
        complained += usize::from(!said.is_empty());
        let count = said.len();
        said.sort();
        said.dedup();
        assert_eq!(said.len(), count, "{said:#?}");
        let mut engine = engine(&tables, |_| {});
        engine.set_game(game(KPK, ""));
        assert!(engine.search(Limits::nodes(200)).best_move.is_some());
    }
    assert!(complained > 10, "only {complained} of 60 did any harm");
}

#[test]
fn an_unreadable_tablebase_directory_is_named() {
    let mut engine = Dialogue::small();
    let file = format!("{TABLES}/KQvK.rtbw");
    for (path, expected) in [("does-not-exist", "does-not-exist: "), (file.as_str(), "KQvK.rtbw: ")] {
        let said = engine.ask(&format!("setoption name SyzygyPath value {path}"));
        assert_eq!(said[0], "info string Syzygy: no tables found");
        assert!(said[1].contains(expected) && said.len() == 2, "{said:?}");
    }
    let both = std::env::join_paths(["does-not-exist", TABLES]).unwrap();
    let said = engine.ask(&format!("setoption name SyzygyPath value {}", both.display()));
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("5 WDL and 5 DTZ"), "{said:?}");
    for none in ["<empty>", ""] {
        assert_eq!(engine.ask(&format!("setoption name SyzygyPath value {none}")), [""; 0]);
    }
}

#[test]
fn syzygy_options_are_declared_and_validated() {
    let mut engine = Dialogue::small();
    engine.send("uci");
    let lines = engine.until("uciok");
    for option in [
        "SyzygyPath type string default <empty>",
        "SyzygyProbeDepth type spin default 1 min 1 max 100",
        "Syzygy50MoveRule type check default true",
        "SyzygyProbeLimit type spin default 7 min 0 max 7",
    ] {
        assert!(lines.contains(&format!("option name {option}")), "{option}");
    }
    for (change, problem) in [
        ("SyzygyProbeDepth value 0", "SyzygyProbeDepth must lie between 1 and 100"),
        ("SyzygyProbeLimit value 8", "SyzygyProbeLimit must lie between 0 and 7"),
        ("Syzygy50MoveRule value perhaps", "Syzygy50MoveRule needs true or false"),
    ] {
        let said = engine.ask(&format!("setoption name {change}"));
        assert!(said.len() == 1 && said[0].contains(problem), "{said:?}");
    }
}

#[test]
fn setting_syzygy_path_ends_a_running_search_and_changes_the_next() {
    let mut engine = Dialogue::small();
    engine.send(&format!("position fen {KRK}"));
    engine.send("go infinite");
    engine.send(&format!("setoption name SyzygyPath value {TABLES}"));
    let before = engine.until("bestmove");
    assert!(reports(&before).iter().all(|line| value(line, "tbhits") == Some("0")));
    assert!(engine.until("info string")[0].contains("5 WDL"));
    let with = engine.go("go nodes 100");
    let last = *reports(&with).last().unwrap();
    assert!(last.contains(" score cp 31000 ") && value(last, "tbhits") != Some("0"), "{last}");
    assert!(Game::from_fen(KRK).unwrap().0.parse_uci(best(&with)).is_ok());
    assert_eq!(engine.ask("setoption name SyzygyPath value <empty>"), [""; 0]);
    assert_eq!(engine.fen(), KRK);
    let without = engine.go("go nodes 100");
    assert_eq!(value(reports(&without).last().unwrap(), "tbhits"), Some("0"));
}
