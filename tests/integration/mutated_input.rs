//! Ten thousand mutations of valid dialogues. The engine survives all of them and answers each `go` once.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, LazyLock};

use enfilade::chess::board::Game;
use enfilade::engine::config::Setup;
use enfilade::engine::uci::Session;
use enfilade::engine::uci::command::{Command, parse};
use enfilade::engine::uci::output::Output;
use parking_lot::Mutex;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Typical dialogues of clients, one entry for each line. All limits are small.
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
        "setoption name UCI_LimitStrength value true",
        "position fen rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "go nodes 50",
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "go infinite",
        "setoption name UCI_LimitStrength value false",
        "position startpos",
        "go btime 10 nodes 50",
        "uci",
        "isready",
    ],
];

/// Words that are difficult for parsers.
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

/// A change of a dialogue. Numbers are taken modulo the number of lines or words.
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

/// Both directions of the dialogue in one buffer, in the order of events.
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

/// Delivers one line at a time, and notes it in the transcript at that moment.
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
            // The line is written in one piece, because the engine writes at the same time.
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

/// The kind of command as which the engine will read a line.
fn kind(line: &[u8]) -> &'static str {
    match parse(&String::from_utf8_lossy(line)) {
        Ok(Command::Go(_)) => "go",
        Ok(Command::IsReady) => "isready",
        Ok(Command::Uci) => "uci",
        Ok(_) => "other",
        Err(_) => "wrong",
    }
}

/// Whether the test can afford to execute a line. Some lines would take too much time or memory.
fn is_affordable(line: &[u8]) -> bool {
    match parse(&String::from_utf8_lossy(line)) {
        Ok(Command::Perft(depth)) => depth <= 2,
        Ok(Command::Bench { .. }) => false,
        Ok(Command::SetOption { name, value }) => {
            let number = value.and_then(|value| value.parse::<i64>().ok()).unwrap_or(0);
            match name.to_ascii_lowercase().as_str() {
                "threads" => number <= 4,
                // A number out of range is wrong input, which the test wants.
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
    let (mut answers_due, mut introductions_due) = (0, 0);
    let (mut searches, mut moves) = (0, 0);
    for line in text.lines() {
        match line.strip_prefix("<< ") {
            Some("go") => {
                searches += 1;
                searching = true;
            }
            Some("isready") => answers_due += 1,
            Some("uci") => introductions_due += 1,
            Some(_) => {}
            None if line == "readyok" => answers_due -= 1,
            None if line == "uciok" => introductions_due -= 1,
            None if line.starts_with("id ") || line.starts_with("option ") => {
                assert!(introductions_due > 0, "{line:?} unasked in\n{text}");
            }
            None if line.starts_with("bestmove ") => {
                moves += 1;
                searching = moves < searches;
            }
            None => assert!(!searching || line.starts_with("info "), "{line:?} during a search in\n{text}"),
        }
    }
    assert_eq!(moves, searches, "one bestmove for each go in\n{text}");
    assert_eq!((answers_due, introductions_due), (0, 0), "a readyok for each isready and so on in\n{text}");
}

/// Dialogues with mutations, the same on each run, as lines without their ends.
#[cfg(all(feature = "server", unix))]
pub fn mutated_dialogues(count: usize) -> Vec<Vec<Vec<u8>>> {
    use proptest::strategy::ValueTree;

    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = (0..SESSIONS.len(), prop::collection::vec(mutation(), 1..8));
    let dialogue = |_| {
        let (session, mutations) = strategy.new_tree(&mut runner).expect("a dialogue").current();
        let mut lines: Vec<Vec<u8>> = SESSIONS[session].iter().map(|line| line.as_bytes().to_vec()).collect();
        mutations.iter().for_each(|mutation| apply(&mut lines, mutation));
        lines
    };
    (0..count).map(dialogue).collect()
}

#[test]
fn mutated_dialogues_do_not_crash_the_engine() {
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
            // A limit may have become very large, and at the end of the input a limited search would be finished.
            lines.push(b"quit".to_vec());
            // The previous case may have left no position.
            lines.insert(0, b"position startpos".to_vec());
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
    // After all mutations the engine still plays.
    let (session, transcript) = &*SESSION;
    transcript.0.lock().clear();
    let lines = ["setoption name MultiPV value 1", "position startpos", "go depth 2"];
    let lines = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    session.lock().run(Typist { lines, current: Vec::new(), transcript: transcript.clone() });
    let text = String::from_utf8(transcript.0.lock().clone()).unwrap();
    let mv = text.lines().find_map(|line| line.strip_prefix("bestmove ")).expect("a move");
    Game::startpos().parse_uci(mv.split(' ').next().unwrap()).unwrap();
}
