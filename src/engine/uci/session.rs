//! The UCI dialogue: it reads commands and prints the engine's answers.
//!
//! The thread that reads lines owns the engine. The search runs beside it and reports through `Reporter`. Some commands
//! first end the search: those that change its position, its settings or its table, and those that answer with lines
//! that a search does not allow. So a `bestmove` always belongs to the position of its `go`. A wrong line does not end
//! the search: the line, its position and its values are checked first. Only an option that names a file ends the
//! search before the check, because the check may read the file.
//!
//! At the end of the input a search with a limit is finished, because scripts send their lines and wait for the answer.
//! A search without a limit could not end. A `position`, `go` or `ucinewgame` ends any search at once: a client that
//! sends them does not want its result.
//!
//! Invariant: every answer is about the client's last `position`. If that was refused, there is no position, and `go`
//! gets no move.

use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::backend::Backend;
use super::command::{self, Command};
use super::cores::CoreWarning;
use super::error::{InputError, MAX_LINE, PositionFault};
use super::evaluation;
use super::go::Go;
use super::output::Output;
use super::reporter::{Reporter, Style};
use crate::base::machine::granted_cores;
use crate::chess::board::setup;
use crate::chess::board::{Board, CastlingRules, Game};
use crate::chess::types::{Bound, Score};
use crate::engine::config::Setup;
use crate::engine::facade::{Engine, NAME};
use crate::engine::run::{Line, Observer};

/// How the last `go` is answered.
enum PendingAnswer {
    /// It has been answered, or there was none.
    Given,
    /// The search with this reporter answers it. It ends by itself if it is limited and does not ponder.
    Search { reporter: Arc<Reporter>, is_limited: bool, is_pondering: bool },
    /// The answer will be no move, because there is no position. It waits for a `stop` or, if `at_ponder_hit` is true,
    /// for a `ponderhit`.
    NoMove { at_ponder_hit: bool },
}

/// A dialogue about one game at a time. `B` carries out its searches: an engine of its own, or a share of a server.
pub struct Session<B = Engine> {
    pub(super) engine: B,
    pub(super) output: Arc<Output>,
    /// The values of the options. The engine keeps its own settings, because a loaded table changes the table size.
    pub(super) setup: Setup,
    /// The `option` lines. Their defaults are the values at the start of the session.
    options: Vec<String>,
    answer: PendingAnswer,
    /// Whether the last `position` was refused.
    is_without_position: bool,
    has_refused: bool,
    /// Whether a `go` with a fault is refused.
    is_strict: bool,
    cores: CoreWarning,
}

/// A [`Backend`] with the commands that reach into its session.
pub trait SessionBackend: Backend {
    /// Carries out a `setoption`.
    ///
    /// # Errors
    /// If there is no such option, or the value is wrong. The old value stays.
    fn set_option(session: &mut Session<Self>, name: &str, value: Option<&str>) -> Result<(), InputError>;

    /// Carries out a command that takes time and threads: [`Command::Perft`], [`Command::Bench`] or
    /// [`Command::GenFens`].
    fn work(session: &mut Session<Self>, command: &Command);
}

impl<B: SessionBackend> Session<B> {
    /// A dialogue that answers on `output`. `options` are the lines that declare the options.
    pub fn with_backend(backend: B, setup: Setup, options: Vec<String>, output: Arc<Output>) -> Session<B> {
        Session {
            engine: backend,
            output,
            options,
            setup,
            answer: PendingAnswer::Given,
            is_without_position: false,
            has_refused: false,
            is_strict: false,
            cores: CoreWarning::default(),
        }
    }

    /// Makes the session refuse a `go` with a fault. In a dialogue the readable part of a `go` counts, because a client
    /// that asks for a move must get one. A user who types a single `go` should not wait for a search that misses one
    /// of its limits.
    pub fn strict(self) -> Session<B> {
        Session { is_strict: true, ..self }
    }

    /// Answers lines until `quit`, until the end of the input, or until nobody reads the output. Each of these ends a
    /// running search, but at the end of the input a search with a limit is finished first.
    pub fn run(&mut self, mut input: impl BufRead) {
        let mut bytes = Vec::new();
        let is_over = loop {
            // A read error counts as the end of the input, because it would only come again.
            let Ok(Some(is_whole)) = read_line(&mut input, &mut bytes) else { break true };
            let line = String::from_utf8_lossy(&bytes);
            let next = if is_whole { self.line(&line) } else { self.part_of_line(&line) };
            if next.is_break() || self.output.is_broken() {
                break false;
            }
        };
        if is_over
            && matches!(self.answer, PendingAnswer::Search { is_limited: true, is_pondering: false, .. })
        {
            self.engine.wait();
        }
        self.halt();
    }

    /// Answers one line. Breaks at `quit`.
    pub fn line(&mut self, line: &str) -> ControlFlow<()> {
        self.carry_out(line, command::parse(line))
    }

    /// Answers the beginning of a line that is too long.
    pub fn part_of_line(&mut self, line: &str) -> ControlFlow<()> {
        self.carry_out(line, command::parse_part(line))
    }

    fn carry_out(&mut self, line: &str, command: Result<Command, InputError>) -> ControlFlow<()> {
        self.output.log_input(line.trim_end_matches(['\r', '\n']));
        match command {
            Ok(command) => self.execute(command),
            Err(error) => {
                self.complain(&error);
                ControlFlow::Continue(())
            }
        }
    }

    /// Whether any line so far was wrong or could not be carried out. The reason has been printed.
    pub fn has_refused(&self) -> bool {
        self.has_refused
    }

    /// Waits until a running search ends by itself.
    pub fn wait(&self) {
        self.engine.wait();
    }

    fn execute(&mut self, command: Command) -> ControlFlow<()> {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.output.print("readyok"),
            Command::SetOption { name, value } => {
                if let Err(error) = B::set_option(self, &name, value.as_deref()) {
                    self.complain(&error);
                }
            }
            Command::NewGame => {
                self.halt();
                self.engine.new_game();
            }
            Command::Position { fen, moves } => self.position(fen.as_deref(), &moves),
            Command::Go(go) => self.go(&go),
            Command::Stop => self.order_to_stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Display => {
                if self.require_position("d") {
                    self.show(&self.engine.game().board().to_string());
                }
            }
            Command::Eval => {
                if self.require_position("eval") {
                    let board = self.engine.game().board();
                    self.show(&evaluation::text(self.engine.network(), board));
                }
            }
            Command::Flip => self.flip(),
            Command::Perft(_) | Command::Bench(_) | Command::GenFens(_) => B::work(self, &command),
            Command::Help => self.show(&command::help()),
            Command::Nothing => {}
            Command::Quit => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    fn is_searching(&self) -> bool {
        match &self.answer {
            PendingAnswer::Given => false,
            PendingAnswer::Search { reporter, .. } => !reporter.is_finished(),
            PendingAnswer::NoMove { .. } => true,
        }
    }

    /// Returns whether there is a position for `command`, and refuses the command otherwise.
    pub(super) fn require_position(&mut self, command: &str) -> bool {
        if self.is_without_position {
            self.refuse(&format!("{command}: there is no position, the last one was refused"));
        }
        !self.is_without_position
    }

    fn order_to_stop(&mut self) {
        match self.answer {
            PendingAnswer::Search { .. } if self.is_searching() => self.engine.stop(),
            PendingAnswer::NoMove { .. } => self.answer_no_move(),
            // The client sent `stop` before it had read the `bestmove`.
            PendingAnswer::Search { .. } | PendingAnswer::Given => {}
        }
    }

    fn ponder_hit(&mut self) {
        let is_searching = self.is_searching();
        match &mut self.answer {
            PendingAnswer::Search { is_pondering, .. } if is_searching => {
                *is_pondering = false;
                self.engine.ponder_hit();
            }
            PendingAnswer::NoMove { at_ponder_hit: true } => self.answer_no_move(),
            PendingAnswer::NoMove { .. } | PendingAnswer::Search { .. } | PendingAnswer::Given => {}
        }
    }

    fn answer_no_move(&mut self) {
        self.answer = PendingAnswer::Given;
        self.output.print("bestmove (none)");
    }

    /// Ends the search. On return its `bestmove` has been printed, and all threads sleep.
    pub fn halt(&mut self) {
        self.stop();
        self.engine.wait();
    }

    /// Ends the search. On return its `bestmove` has been printed. Threads may still need a moment to leave the search.
    /// If the next search has to wait for them, this counts as its own time, because its time begins with the `go`.
    fn stop(&mut self) {
        match self.answer {
            PendingAnswer::Given => {}
            PendingAnswer::Search { .. } => {
                self.engine.stop();
                self.engine.wait_for_report();
                self.answer = PendingAnswer::Given;
            }
            PendingAnswer::NoMove { .. } => self.answer_no_move(),
        }
    }

    fn complain(&mut self, error: &InputError) {
        self.is_without_position |= matches!(error, InputError::Position(_));
        self.refuse(&error.to_string());
    }

    /// Whether the last `position` was accepted.
    pub(super) fn has_position(&self) -> bool {
        !self.is_without_position
    }

    /// What carries out the searches.
    pub fn backend(&mut self) -> &mut B {
        &mut self.engine
    }

    /// The values of the options.
    pub fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    /// Prints an `info string`.
    pub fn say(&self, text: &str) {
        self.output.info_string(text);
    }

    /// Prints why a line is not carried out.
    pub fn refuse(&mut self, reason: &str) {
        self.has_refused = true;
        self.output.info_string(reason);
    }

    /// Prints text that is not part of UCI. While a search runs, prints it as `info string` lines, which clients skip.
    fn show(&self, text: &str) {
        if self.is_searching() {
            for line in text.lines() {
                self.output.info_string(line);
            }
        } else {
            self.output.print(text);
        }
    }

    fn introduce(&self) {
        let mut lines = vec![format!("id name {NAME}"), "id author the Enfilade developers".to_owned()];
        lines.extend_from_slice(&self.options);
        lines.push("uciok".to_owned());
        self.output.print(&lines.join("\n"));
    }

    fn position(&mut self, fen: Option<&str>, moves: &[String]) {
        let rules = if self.setup.chess960 { CastlingRules::Chess960 } else { CastlingRules::Standard };
        match game(fen, moves, rules) {
            Ok((game, repairs)) => {
                self.stop();
                self.engine.set_game(game);
                self.is_without_position = false;
                if !repairs.is_empty() {
                    self.output.info_string(&format!("position: {}", repairs.join("; ")));
                }
            }
            Err(fault) => self.complain(&fault.into()),
        }
    }

    fn go(&mut self, go: &Go) {
        self.stop();
        if !self.require_position("go") {
            match (go.infinite, go.ponder) {
                (false, false) => self.answer_no_move(),
                (infinite, _) => self.answer = PendingAnswer::NoMove { at_ponder_hit: !infinite },
            }
            return;
        }
        let (limits, wrong_moves) = go.limits(self.engine.game());
        let problems: Vec<String> = go.problems.iter().chain(&wrong_moves).map(ToString::to_string).collect();
        if !problems.is_empty() {
            let text = problems.join("; ");
            // A number that is raised to the least one limits the search as far as it can.
            let is_raised = |problem: &InputError| matches!(problem, InputError::Clamped { .. });
            if self.is_strict && !go.problems.iter().chain(&wrong_moves).all(is_raised) {
                // Nothing of this `go` is carried out, so no word of it is "ignored".
                return self.refuse(&text.replace(", ignored", ""));
            }
            self.output.info_string(&text);
        }
        if let Some(threads) = self.engine.own_threads()
            && let Some(warning) = self.cores.before_search(threads, granted_cores)
        {
            self.output.info_string(&warning);
        }
        let style = Style { chess960: self.setup.chess960, show_wdl: self.setup.show_wdl };
        let reporter = Arc::new(Reporter::new(Arc::clone(&self.output), style, self.engine.game()));
        // Clients show the result of a game at once, although the answer to `go infinite` has to wait.
        if let Some(line) =
            final_line(self.engine.game().board()).filter(|_| limits.infinite || limits.ponder)
        {
            reporter.line(&line);
        }
        let (is_limited, is_pondering) = (limits.ends(), limits.ponder);
        self.answer = PendingAnswer::Search { reporter: Arc::clone(&reporter), is_limited, is_pondering };
        self.engine.go(limits, reporter);
    }

    fn flip(&mut self) {
        self.halt();
        if !self.require_position("flip") {
            return;
        }
        let flipped = Game::new(self.engine.game().board().flip());
        self.engine.set_game(flipped);
    }
}

/// Reads a line into `bytes`. Of a longer line it keeps the first [`MAX_LINE`] bytes and skips the rest. Returns
/// whether the line is complete; `None` at the end of the input.
fn read_line(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Option<bool>> {
    bytes.clear();
    if input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', bytes)? == 0 {
        return Ok(None);
    }
    let is_whole = bytes.len() <= MAX_LINE || bytes.ends_with(b"\n");
    if !is_whole {
        bytes.truncate(MAX_LINE);
        input.skip_until(b'\n')?;
    }
    Ok(Some(is_whole))
}

/// The line of a position without legal moves; `None` for all others.
fn final_line(board: &Board) -> Option<Line> {
    board.legal_moves().is_empty().then(|| Line {
        multi_pv: 1,
        depth: 0,
        seldepth: 0,
        score: if board.in_check() { Score::mated_in(0) } else { Score::ZERO },
        bound: Bound::Exact,
        nodes: 0,
        tablebase_hits: 0,
        hashfull: 0,
        time: Duration::ZERO,
        searched: 0,
        pv: Vec::new(),
    })
}

/// The game that a `position` describes, and what was changed in its FEN.
fn game(
    fen: Option<&str>,
    moves: &[String],
    rules: CastlingRules,
) -> Result<(Game, Vec<String>), PositionFault> {
    let (mut game, repairs) = match fen {
        Some(fen) => setup::position(fen, rules).map_err(PositionFault::Fen)?,
        None => (Game::startpos(), Vec::new()),
    };
    for (index, text) in moves.iter().enumerate() {
        game.play_uci(text).map_err(|error| PositionFault::Move { number: index + 1, error })?;
    }
    Ok((game, repairs))
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use parking_lot::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// All lines that a new session answers to `input`.
    fn answers(input: &str) -> Vec<String> {
        let shared = Shared::default();
        let mut setup = Setup::default();
        setup.settings.hash = 1;
        let mut session = Session::new(setup, Arc::new(Output::new(shared.clone()))).unwrap();
        session.run(input.as_bytes());
        let text = String::from_utf8(shared.0.lock().clone()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn bestmoves(lines: &[String]) -> usize {
        lines.iter().filter(|line| line.starts_with("bestmove ")).count()
    }

    #[test]
    fn uci_prints_name_author_options_and_uciok() {
        let lines = answers("uci\nquit\n");
        assert!(lines[0].starts_with("id name Enfilade "));
        assert!(lines[1].starts_with("id author "));
        assert_eq!(lines.last().unwrap(), "uciok");
        assert!(lines[2..lines.len() - 1].iter().all(|line| line.starts_with("option name ")));
    }

    /// A client that sends `uci` again must not take the current values for defaults.
    #[test]
    fn options_are_declared_with_the_values_of_the_start() {
        let lines = answers("uci\nsetoption name MultiPV value 2\nsetoption name HashFile value a\nuci\n");
        let (first, second) = lines.split_at(lines.len() / 2);
        assert_eq!(first, second);
        assert!(
            first.contains(&"option name Hash type spin default 1 min 1 max 33554432".to_owned()),
            "{first:#?}"
        );
    }

    #[test]
    fn end_of_input_ends_a_search() {
        assert_eq!(bestmoves(&answers("go infinite\n")), 1);
        assert_eq!(bestmoves(&answers("go infinite\nquit\nnever read")), 1);
    }

    #[test]
    fn each_go_gets_its_own_bestmove() {
        let input = "go infinite\ngo infinite\nposition startpos moves e2e4\ngo infinite\nucinewgame\n\
                     go infinite\nsetoption name MultiPV value 2\nstop\nstop\n";
        assert_eq!(bestmoves(&answers(input)), 4);
    }

    #[test]
    fn after_a_refused_position_there_is_no_position() {
        for wrong in
            ["startpos moves e2e4 e7e5 e1e3", "fen 8/8/8/8/8/8/8/8 w - -", "nonsense", "startpos e2e4", "fen"]
        {
            let lines = answers(&format!("position startpos moves e2e4\nposition {wrong}\nd\neval\nflip\n"));
            assert!(lines[0].starts_with("info string position"), "{lines:#?}");
            assert!(lines[0].ends_with("; there is no position until one is accepted"), "{lines:#?}");
            let none =
                |command| format!("info string {command}: there is no position, the last one was refused");
            assert_eq!(lines[1..], ["d", "eval", "flip"].map(none));
        }
        let lines = answers("position startpos moves e2e4 e7e5 e1e3\nposition startpos moves e2e4\nd\n");
        assert!(lines[0].contains("move 3: "), "{}", lines[0]);
        assert!(
            lines.iter().any(|line| line.starts_with("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"))
        );
    }

    #[test]
    fn a_line_is_read_whole_or_truncated_at_the_limit() {
        let bound = vec![b'x'; MAX_LINE];
        let longer = vec![b'x'; MAX_LINE + 5];
        let input = [&bound[..], b"\n", &longer, b"\nisready\n", &longer].concat();
        let mut input = &input[..];
        let mut bytes = Vec::new();
        let mut next = || (read_line(&mut input, &mut bytes).unwrap(), bytes.len());
        assert_eq!(next(), (Some(true), MAX_LINE + 1));
        assert_eq!(next(), (Some(false), MAX_LINE));
        assert_eq!(next(), (Some(true), 8));
        assert_eq!(next(), (Some(false), MAX_LINE));
        assert_eq!(next(), (None, 0));
    }

    #[test]
    fn repairs_of_a_position_are_reported() {
        let lines = answers("position fen 4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1\nd\n");
        assert!(lines[0].starts_with("info string position: castling rights"), "{}", lines[0]);
        assert!(lines.iter().any(|line| line == "Fen: 4k3/8/8/8/8/8/8/4K3 w - - 0 1"));
    }

    #[test]
    fn perft_prints_the_count_of_each_move() {
        let lines = answers("go perft 3\n");
        assert!(lines.contains(&"e2e4: 600".to_owned()));
        assert!(lines.contains(&"Nodes searched: 8902".to_owned()));
        assert!(answers("go perft 0\n").contains(&"Nodes searched: 1".to_owned()));
    }

    #[test]
    fn flip_mirrors_the_position() {
        let lines = answers("position startpos moves e2e4\nflip\nd\n");
        let fen = lines.iter().find(|line| line.starts_with("Fen: ")).unwrap();
        assert!(fen.starts_with("Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w"), "{fen}");
    }

    #[test]
    fn text_is_printed_as_info_strings_during_a_search() {
        let lines = answers("go infinite\nd\neval\nhelp\n");
        assert!(
            lines.iter().all(|line| line.starts_with("info ") || line.starts_with("bestmove ")),
            "{lines:#?}"
        );
        assert!(lines.iter().any(|line| line.starts_with("info string Fen: ")));
    }

    #[test]
    fn the_errors_of_a_go_are_reported_once() {
        let lines = answers("go depth x nodes y blah\n");
        // Another line may say that this process has less than a core.
        let is_said = |line: &&String| line.starts_with("info string") && !line.contains("may use");
        let said: Vec<&String> = lines.iter().filter(is_said).collect();
        assert_eq!(said.len(), 1, "{lines:#?}");
        assert!(said[0].contains("depth: expected a whole number, found \"x\""), "{}", said[0]);
        assert_eq!(bestmoves(&lines), 1);
    }
}
