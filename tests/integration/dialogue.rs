//! The client's side of a dialogue with the real binary, and a strict parser of its lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use enfilade::chess::board::{Board, Game};
use enfilade::engine::{Engine, Settings};

use crate::patience::{PATIENCE, wait_until};

/// The engine as a process. The test sends and receives lines.
pub struct Dialogue {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Dialogue {
    /// Starts the binary without arguments.
    pub fn start() -> Dialogue {
        Dialogue::of(&mut Command::new(env!("CARGO_BIN_EXE_enfilade")))
    }

    /// Starts the binary with a limited address space, in KiB.
    #[cfg(unix)]
    pub fn with_address_space(kibibytes: u64) -> Dialogue {
        let script = format!("ulimit -v {kibibytes} && exec \"$0\"");
        Dialogue::of(Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_enfilade")]))
    }

    fn of(command: &mut Command) -> Dialogue {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.expect("UTF-8 lines")).is_err() {
                    break;
                }
            }
        });
        Dialogue { stdin: child.stdin.take(), child, lines }
    }

    /// Starts the binary with a table that is quick to clear.
    pub fn small() -> Dialogue {
        let mut dialogue = Dialogue::start();
        let said = dialogue.ask("setoption name Hash value 1");
        assert!(
            matches!(&said[..], [line] if line.starts_with("info string hash table of 1 MiB")),
            "{said:?}"
        );
        dialogue
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The resident memory of the process, in KiB.
    #[cfg(target_os = "linux")]
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Sends one or more lines.
    pub fn send(&mut self, lines: &str) {
        self.send_bytes(lines.as_bytes());
        self.send_bytes(b"\n");
    }

    /// Sends raw bytes.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the engine listens");
    }

    /// All lines up to the first one that begins with `prefix`, including it.
    pub fn until(&mut self, prefix: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    seen.push(line);
                    if seen.last().is_some_and(|line| line.starts_with(prefix)) {
                        return seen;
                    }
                }
                Err(error) => panic!("no {prefix:?} ({error}); got {seen:#?}"),
            }
        }
    }

    /// Sends lines and waits until they are processed. Returns the answers.
    pub fn ask(&mut self, lines: &str) -> Vec<String> {
        self.send(lines);
        self.send("isready");
        let mut answer = self.until("readyok");
        answer.pop();
        answer
    }

    /// Sends a `go` and returns all lines up to its `bestmove`.
    pub fn go(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.until("bestmove ")
    }

    /// The FEN of the current position.
    pub fn fen(&mut self) -> String {
        let lines = self.ask("d");
        let fen = lines.iter().find_map(|line| line.strip_prefix("Fen: "));
        fen.expect("d shows the FEN").to_owned()
    }

    /// Closes the input. Returns the remaining output and the exit status of the process.
    pub fn close(mut self) -> (Vec<String>, ExitStatus) {
        self.stdin = None;
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("still running; got {rest:#?}"),
            }
        }
        let mut status = None;
        wait_until("end of the process, though it has closed its output", || {
            status = self.child.try_wait().expect("a process to wait for");
            status.is_some()
        });
        (rest, status.expect("the process has ended"))
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The move of a `bestmove` line.
pub fn best(lines: &[String]) -> &str {
    let line = lines.last().expect("a last line");
    line.strip_prefix("bestmove ").expect("the last line is the bestmove").split(' ').next().expect("a move")
}

/// The word after `key` on a line.
pub fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let mut words = line.split(' ');
    words.find(|word| *word == key)?;
    words.next()
}

/// The lines that report a principal variation.
pub fn reports(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).filter(|line| line.contains(" score ")).collect()
}

/// Whether a line warns that there are more threads than cores. This depends on the machine, and is said once.
pub fn is_core_warning(line: &str) -> bool {
    line.starts_with("info string Threads is ") && line.contains(", but this process may use ")
}

/// The last line before the `bestmove` that reports a principal variation.
pub fn last_report(lines: &[String]) -> &str {
    reports(lines).last().unwrap_or_else(|| panic!("no score in {lines:#?}"))
}

/// Checks all lines between a `go` and its `bestmove` as the strictest clients do. There are only `info` lines, with
/// their parts in order, whole numbers and legal moves. There is a score before the move, and the last line begins with
/// the played move.
pub fn check_search(game: &Game, lines: &[String]) {
    let (bestmove, infos) = lines.split_last().expect("a bestmove");
    for line in infos {
        assert!(line.starts_with("info "), "{line:?} during a search");
        if line.contains(" score ") {
            check_report(game, line);
        }
    }
    // A search that was stopped after a fail high plays that move. Its last line is then a lower bound. After a fail
    // low it plays the move of the line before, or of a helper that was stopped there, whose line comes last.
    let best: Vec<&str> =
        reports(infos).into_iter().filter(|line| value(line, "multipv") == Some("1")).collect();
    let exact = best.iter().rfind(|line| !line.contains("upperbound"));
    let mut last = *exact.unwrap_or_else(|| panic!("no score before {bestmove}"));
    let mut words = bestmove.split(' ').skip(1);
    let played = words.next().expect("a move");
    if played == "(none)" {
        assert!(game.board().legal_moves().is_empty(), "{bestmove}");
        assert!(last.contains("score mate 0") || last.contains("score cp 0"), "{last}");
        return;
    }
    if value(last, "pv") != Some(played) {
        last = best[best.len() - 1];
    }
    assert_eq!(value(last, "pv"), Some(played), "{:?}", &infos[infos.len().saturating_sub(4)..]);
    let mut game = game.clone();
    game.play_uci(played).unwrap_or_else(|error| panic!("{bestmove}: {error}"));
    if words.next() == Some("ponder") {
        let ponder = words.next().expect("a ponder move");
        game.parse_uci(ponder).unwrap_or_else(|error| panic!("{bestmove}: {error}"));
    }
    assert_eq!(words.next(), None, "{bestmove}");
}

fn check_report(game: &Game, line: &str) {
    let mut words = line.split(' ').peekable();
    let mut next = || words.next().unwrap_or("");
    let number = |word: &str| {
        word.parse::<u64>().unwrap_or_else(|_| panic!("{word:?} is not a whole number in {line}"))
    };
    assert_eq!(next(), "info");
    for key in ["depth", "seldepth", "multipv"] {
        assert_eq!(next(), key, "{line}");
        number(next());
    }
    assert_eq!(next(), "score", "{line}");
    assert!(matches!(next(), "cp" | "mate"), "{line}");
    next().parse::<i32>().unwrap_or_else(|_| panic!("{line}"));
    let mut word = next();
    if matches!(word, "lowerbound" | "upperbound") {
        word = next();
    }
    if word == "wdl" {
        let sum: u64 = (0..3).map(|_| number(next())).sum();
        assert_eq!(sum, 1000, "{line}");
        word = next();
    }
    for key in ["nodes", "nps", "hashfull", "tbhits", "time"] {
        assert_eq!(word, key, "{line}");
        let figure = number(next());
        assert!(key != "hashfull" || figure <= 1000, "{line}");
        word = next();
    }
    if word.is_empty() {
        assert!(game.board().legal_moves().is_empty(), "no pv in {line}");
        return;
    }
    assert_eq!(word, "pv", "{line}");
    let mut game = game.clone();
    loop {
        let mv = next();
        if mv.is_empty() {
            break;
        }
        game.play_uci(mv).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

/// An engine of the library whose searches are the same on every run.
pub fn deterministic_engine(threads: usize) -> Engine {
    let settings = Settings { hash: 4, threads, deterministic: true, ..Settings::default() };
    Engine::new(settings).expect("an engine of this size")
}

/// The board of a FEN.
pub fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")).0
}

/// The game that a `position` command describes.
pub fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::from_fen(fen).expect("a sound position").0;
    for mv in moves.split_whitespace() {
        game.play_uci(mv).expect("a legal move");
    }
    game
}
