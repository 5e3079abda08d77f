//! Input that is wrong: the lines that crashed, hung or misled public engines, and ten
//! thousand mutations of sound dialogues. The engine lives, keeps its position, and answers
//! each `go` once.

mod dialogue;

use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, LazyLock};

use dialogue::{Dialogue, best, check_search, game};
use enfilade::board::Game;
use enfilade::config::Setup;
use enfilade::uci::Session;
use enfilade::uci::command::{Command, parse};
use enfilade::uci::output::Output;
use parking_lot::Mutex;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const KNOWN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
const KNOWN_LINE: &str = "position startpos moves e2e4 e7e5 g1f3 b8c6";

/// The lines of the answer to `line` that are not about a search.
fn complaints(engine: &mut Dialogue, line: &str) -> Vec<String> {
    engine.ask(line)
}

#[test]
fn hostile_fens_are_refused_or_played() {
    let mut engine = Dialogue::small();
    for row in include_str!("data/fens.tsv").lines() {
        let (fen, verdict) = row.split_once('\t').expect("a FEN and its verdict");
        if fen.contains(" moves ") {
            // Part of the FEN to the board's reader, a list of moves to UCI.
            continue;
        }
        engine.send(KNOWN_LINE);
        let said = complaints(&mut engine, &format!("position fen {fen}"));
        assert!(
            said.len() <= 1 && said.iter().all(|line| line.starts_with("info string position: ")),
            "{said:?}"
        );
        if let Some(error) = verdict.strip_prefix("error: ") {
            assert_eq!(said.len(), 1, "{fen}");
            // Long quotations are cut.
            let start: String = error.chars().take(60).collect();
            assert!(said[0].contains(&start), "{fen}: {said:?}");
            assert_eq!(engine.fen(), KNOWN, "{fen}");
        } else {
            let accepted = verdict.split_once(' ').expect("a FEN").1;
            assert!(verdict.ends_with(&engine.fen()), "{fen}: {accepted}");
        }
        let now = engine.fen();
        let lines = engine.go("go nodes 200");
        check_search(&game(&now, ""), &lines);
    }
}

/// Each of these once crashed, hung or misled an engine.
#[test]
fn hostile_lines_change_nothing() {
    let mut engine = Dialogue::small();
    engine.send(KNOWN_LINE);
    let long = format!("position startpos moves {}", "e2e4 ".repeat(100_000));
    let deep = format!("position fen {}", "8/".repeat(50_000));
    for line in [
        "position",
        "position fen",
        "position fen 1",
        "position fen jsdhfksdjfhl",
        "position fen position fen rnbq1bnr/pp2p1p1/3p4/kPpP2pB/N3P2p/5Q2/P1P2PPP/R3K1NR w KQ c6 0 1",
        "position fen r4rk1/1R5p/3p1q2/p1pP4/P7/7P/6P1/1R1Q3K b - - 0 24 moves b8e8",
        "position startpos moves e2e5",
        "position startpos moves e2e4 e2e4",
        "position startpos moves e2e4 e7e5 O-O",
        "position startpos moves 0000",
        "position startpos moves (none)",
        "position startpos move e2e4",
        "position startpos e2e4",
        "position middlegame",
        "setoption",
        "setoption name",
        "setoption name Hash",
        "setoption name Hash value",
        "setoption name Hash value -1",
        "setoption name Hash value 0",
        "setoption name Hash value 33554433",
        "setoption name Hash value 99999999999999999999999999999999999999999999",
        "setoption name Threads value 999999999999",
        "setoption name Threads value 1025",
        "setoption name Threads value two",
        "setoption name Quiescence value best",
        "setoption name No Such Option value 1",
        "setoption Hash 16",
        "go perft",
        "go perft x",
        "go perft -1",
        "bench x",
        "debug",
        "debug maybe",
        "joho debug on",
        "quitt",
        "UCI",
        "\u{0}\u{1}\u{7f}",
        "\u{1b}[2J",
        "ąęć ♔♕♖",
        &"x".repeat(1 << 20),
        &long,
        &deep,
    ] {
        let said = complaints(&mut engine, line);
        let shown: String = line.chars().take(60).collect();
        assert_eq!(said.len(), 1, "{shown:?}: {said:#?}");
        assert!(said[0].starts_with("info string ") && said[0].len() < 600, "{shown:?}: {said:#?}");
        assert_eq!(engine.fen(), KNOWN, "{shown:?}");
    }
    engine.send_bytes(
        b"position startpos moves \xff\xfe\x80\n\xf0\x28\x8c\x28\nsetoption name Hash value \xc3\x28\n",
    );
    assert_eq!(engine.ask("").len(), 3);
    assert_eq!(engine.fen(), KNOWN);
    assert_eq!(engine.ask("\n\r\n   \t \n# comment\ndebug on\nregister later\nstop\nponderhit"), [""; 0]);
    check_search(&game(KNOWN, ""), &engine.go("go nodes 300"));
    assert_eq!(engine.close().1.code(), Some(0));
}

#[test]
fn an_empty_move_list_is_none() {
    let mut engine = Dialogue::small();
    assert_eq!(engine.ask("position fen 2k5/8/3K4/1p6/p7/P7/1B6/8 b - - 0 1 moves "), [""; 0]);
    assert_eq!(engine.fen(), "2k5/8/3K4/1p6/p7/P7/1B6/8 b - - 0 1");
}

/// Engines have ignored commands that came during a search, and answered for the old game.
#[test]
fn a_search_that_is_not_stopped_does_not_answer_for_the_next_game() {
    let mut engine = Dialogue::small();
    engine.send(KNOWN_LINE);
    engine.send("go infinite");
    engine.send("ucinewgame");
    check_search(&game(KNOWN, ""), &engine.until("bestmove "));
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1");
    assert_eq!(best(&engine.go("go depth 3")), "e1e8");
}

/// Roots at which the game is over by rule, though there are moves, still get one.
#[test]
fn drawn_roots_get_a_legal_move() {
    let mut engine = Dialogue::small();
    for fen in [
        "4k3/8/8/8/8/8/8/4KR2 w - - 100 90",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KR2 w - - 500 50",
    ] {
        engine.send(&format!("position fen {fen}"));
        check_search(&game(fen, ""), &engine.go("go depth 4"));
    }
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(3);
    engine.send(&format!("position startpos moves {moves}"));
    check_search(
        &game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &moves),
        &engine.go("go depth 4"),
    );
}

/// Dialogues as clients hold them, a line to an entry; every limit is small.
const SESSIONS: [&[&str]; 6] = [
    &[
        "uci",
        "setoption name Hash value 1",
        "isready",
        "ucinewgame",
        "position startpos",
        "go depth 1",
        "quit",
    ],
    &[
        "setoption name UCI_Chess960 value true",
        "isready",
        "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9 moves",
        "go nodes 50 searchmoves g1h1 f1e1",
        "stop",
        "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        "go movetime 1 depth 1",
    ],
    &[
        "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8",
        "go wtime 10 btime 10 winc 0 binc 0 movestogo 40 nodes 50",
        "setoption name MultiPV value 3",
        "go infinite",
        "isready",
        "stop",
        "d",
        "eval",
    ],
    &[
        "go ponder wtime 10 btime 10 nodes 50",
        "ponderhit",
        "position startpos moves d2d4",
        "go ponder nodes 20",
        "isready",
        "stop",
        "setoption name Clear Hash",
        "ucinewgame",
    ],
    &[
        "setoption name Quiescence value captures",
        "setoption name UCI_ShowWDL value true",
        "position fen 8/8/1k6/8/4Q3/7K/8/8 w - -",
        "go mate 1 nodes 50",
        "flip",
        "go depth 1",
        "go perft 1",
        "debug on",
        "help",
    ],
    &[
        "position fen rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "go nodes 50",
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "go infinite",
        "position startpos",
        "go btime 10 nodes 50",
        "uci",
        "isready",
    ],
];

/// Words that upset parsers.
const WORDS: [&str; 28] = [
    "",
    "-1",
    "0",
    "1",
    "999999999999999999999",
    "-99999999999999999999",
    "1e9",
    "0x10",
    "2.5",
    "NaN",
    "value",
    "name",
    "fen",
    "moves",
    "startpos",
    "go",
    "infinite",
    "ponder",
    "searchmoves",
    "depth",
    "nodes",
    "e1g1",
    "e7e8q",
    "a1a1",
    "0000",
    "\u{0}",
    "\u{fffd}",
    "KQkq",
];

/// One change to a dialogue; numbers are taken modulo what is there.
#[derive(Clone, Debug)]
enum Mutation {
    ReplaceWord(usize, usize, usize),
    InsertWord(usize, usize, usize),
    DropWord(usize, usize),
    SwapWords(usize, usize),
    Cut(usize, usize),
    ChangeByte(usize, usize, u8),
    DropLine(usize),
    RepeatLine(usize),
    SwapLines(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let n = || 0..1000_usize;
    prop_oneof![
        (n(), n(), n()).prop_map(|(line, at, word)| Mutation::ReplaceWord(line, at, word)),
        (n(), n(), n()).prop_map(|(line, at, word)| Mutation::InsertWord(line, at, word)),
        (n(), n()).prop_map(|(line, at)| Mutation::DropWord(line, at)),
        (n(), n()).prop_map(|(line, at)| Mutation::SwapWords(line, at)),
        (n(), n()).prop_map(|(line, at)| Mutation::Cut(line, at)),
        (n(), n(), any::<u8>()).prop_map(|(line, at, byte)| Mutation::ChangeByte(line, at, byte)),
        n().prop_map(Mutation::DropLine),
        n().prop_map(Mutation::RepeatLine),
        (n(), n()).prop_map(|(one, other)| Mutation::SwapLines(one, other)),
    ]
}

fn edit_words(line: &mut Vec<u8>, edit: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let mut words: Vec<Vec<u8>> = line.split(|byte| *byte == b' ').map(<[u8]>::to_vec).collect();
    edit(&mut words);
    *line = words.join(&b' ');
}

fn apply(lines: &mut Vec<Vec<u8>>, mutation: &Mutation) {
    if lines.is_empty() {
        return;
    }
    let count = lines.len();
    match *mutation {
        Mutation::ReplaceWord(line, at, word) => edit_words(&mut lines[line % count], |words| {
            let at = at % words.len();
            words[at] = WORDS[word % WORDS.len()].into();
        }),
        Mutation::InsertWord(line, at, word) => edit_words(&mut lines[line % count], |words| {
            words.insert(at % (words.len() + 1), WORDS[word % WORDS.len()].into());
        }),
        Mutation::DropWord(line, at) => edit_words(&mut lines[line % count], |words| {
            words.remove(at % words.len());
        }),
        Mutation::SwapWords(line, at) => edit_words(&mut lines[line % count], |words| {
            let length = words.len();
            words.swap(at % length, (at / length) % length);
        }),
        Mutation::Cut(line, at) => {
            let line = &mut lines[line % count];
            line.truncate(at % (line.len() + 1));
        }
        Mutation::ChangeByte(line, at, byte) => {
            let line = &mut lines[line % count];
            if !line.is_empty() {
                let at = at % line.len();
                line[at] = byte;
            }
        }
        Mutation::DropLine(line) => drop(lines.remove(line % count)),
        Mutation::RepeatLine(line) => lines.insert(line % count, lines[line % count].clone()),
        Mutation::SwapLines(one, other) => lines.swap(one % count, other % count),
    }
}

/// Both directions in one buffer, in the order in which they happened.
#[derive(Clone, Default)]
struct Transcript(Arc<Mutex<Vec<u8>>>);

impl Write for Transcript {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Hands out one line at a time, and notes in the transcript when it does.
struct Typist {
    lines: VecDeque<Vec<u8>>,
    current: Vec<u8>,
    transcript: Transcript,
}

impl Read for Typist {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        buffer[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Typist {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.current.is_empty()
            && let Some(mut line) = self.lines.pop_front()
        {
            let kind = kind(&line);
            // In one piece: the engine writes at the same time.
            self.transcript.write_all(format!("<< {kind}\n").as_bytes())?;
            line.push(b'\n');
            self.current = line;
        }
        Ok(&self.current)
    }
    fn consume(&mut self, length: usize) {
        self.current.drain(..length);
    }
}

/// What the engine will take a line for.
fn kind(line: &[u8]) -> &'static str {
    match parse(&String::from_utf8_lossy(line)) {
        Ok(Command::Go(_)) => "go",
        Ok(Command::IsReady) => "isready",
        Ok(_) => "other",
        Err(_) => "wrong",
    }
}

/// Lines whose honest execution would take too long or too much memory for a test.
fn is_affordable(line: &[u8]) -> bool {
    match parse(&String::from_utf8_lossy(line)) {
        Ok(Command::Perft(depth)) => depth <= 2,
        Ok(Command::Bench { .. }) => false,
        Ok(Command::SetOption { name, value }) => {
            let number = value.and_then(|value| value.parse::<i64>().ok()).unwrap_or(0);
            match name.to_ascii_lowercase().as_str() {
                "threads" => number <= 4,
                // Beyond the range is wrong input, which is welcome.
                "hash" => number <= 16 || number > 33_554_432,
                "debug log file" => false,
                _ => true,
            }
        }
        _ => true,
    }
}

static SESSION: LazyLock<(Mutex<Session>, Transcript)> = LazyLock::new(|| {
    let transcript = Transcript::default();
    let mut setup = Setup::default();
    setup.settings.hash = 1;
    let session = Session::new(setup, Arc::new(Output::new(transcript.clone()))).expect("a small engine");
    (Mutex::new(session), transcript)
});

fn check_transcript(text: &str) {
    let mut searching = false;
    let mut answers_due = 0;
    let (mut searches, mut moves) = (0, 0);
    for line in text.lines() {
        match line.strip_prefix("<< ") {
            Some("go") => {
                searches += 1;
                searching = true;
            }
            Some("isready") => answers_due += 1,
            Some(_) => {}
            None if line == "readyok" => answers_due -= 1,
            None if line.starts_with("bestmove ") => {
                moves += 1;
                searching = moves < searches;
            }
            None => assert!(!searching || line.starts_with("info "), "{line:?} during a search in\n{text}"),
        }
    }
    assert_eq!(moves, searches, "one bestmove for each go in\n{text}");
    assert_eq!(answers_due, 0, "a readyok for each isready in\n{text}");
}

#[test]
fn mutated_dialogues_are_survived() {
    let cases = 10_000;
    let mut runner = TestRunner::new_with_rng(
        Config { cases, failure_persistence: None, max_shrink_iters: 200, ..Config::default() },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let strategy = (0..SESSIONS.len(), prop::collection::vec(mutation(), 1..8));
    runner
        .run(&strategy, |(session, mutations)| {
            let mut lines: Vec<Vec<u8>> =
                SESSIONS[session].iter().map(|line| line.as_bytes().to_vec()).collect();
            for mutation in &mutations {
                apply(&mut lines, mutation);
            }
            // A mutated byte may have ended a line.
            let mut lines: Vec<Vec<u8>> =
                lines.join(&b'\n').split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            lines.retain(|line| is_affordable(line));
            let (session, transcript) = &*SESSION;
            transcript.0.lock().clear();
            let typist = Typist { lines: lines.into(), current: Vec::new(), transcript: transcript.clone() };
            let mut session = session.lock();
            session.run(typist);
            let text = String::from_utf8(transcript.0.lock().clone()).expect("the engine prints UTF-8");
            check_transcript(&text);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    // After all that the engine still plays.
    let (session, transcript) = &*SESSION;
    transcript.0.lock().clear();
    let lines = ["setoption name MultiPV value 1", "position startpos", "go depth 2"];
    let lines = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    session.lock().run(Typist { lines, current: Vec::new(), transcript: transcript.clone() });
    let text = String::from_utf8(transcript.0.lock().clone()).unwrap();
    let mv = text.lines().find_map(|line| line.strip_prefix("bestmove ")).expect("a move");
    Game::startpos().parse_uci(mv.split(' ').next().unwrap()).unwrap();
}
