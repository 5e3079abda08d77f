//! `enfilade search`: searches one position and shows the search to a person.
//!
//! Finished lines go to standard output. indicatif draws the live line on standard error, and only if that is a
//! terminal.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;
use parking_lot::Mutex;
use serde::Serialize;

use crate::base::console;
use crate::base::text::{counted, grouped};
use crate::chess::board::{Game, Move};
use crate::chess::types::{Bound, Wdl};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::format::{san_line, score};
use crate::engine::command::interrupt::Interrupt;
use crate::engine::command::json_arguments::{JsonArguments, JsonLimits, JsonScore};
use crate::engine::command::limits::LimitArguments;
use crate::engine::command::number::{cores, within};
use crate::engine::command::position;
use crate::engine::command::progress;
use crate::engine::config::Setup;
use crate::engine::config::range::{HASH, MULTI_PV, THREADS};
use crate::engine::facade::{Engine, NAME, Settings};
use crate::engine::run::{Limits, Line, Observer, Outcome};
use crate::engine::uci::{Outlook, cores, nodes_per_second};

/// The number of plies of a principal variation that fit beside the numbers.
const SHOWN_PLIES: usize = 10;

/// Think about one position and show the thinking
#[derive(Debug, Args)]
#[command(after_help = "Without --movetime, --nodes and --depth, the search takes five seconds.")]
pub(crate) struct SearchArguments {
    /// The position as a FEN, quoted or not. Without it, the initial position is searched
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Number of threads. Without it, the preset's number or the number of cores
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Size of the hash table in MiB. Without it, the preset's size or 64
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub hash: Option<usize>,
    /// Show this many best lines
    #[arg(long, value_name = "N", value_parser = within(MULTI_PV))]
    pub multipv: Option<usize>,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// What `search` needs.
#[derive(Debug)]
pub(crate) struct SearchTask {
    settings: Settings,
    game: Game,
    /// The repairs of the FEN.
    repairs: Vec<String>,
    limits: Limits,
    chess960: bool,
    json: JsonArguments,
}

impl CommandArguments for SearchArguments {
    type Task = SearchTask;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.threads = cores();
    }

    fn resolve(self, setup: Setup) -> Result<SearchTask, CliError> {
        let (game, repairs) = position::read_or_start(&self.fen)?;
        let Setup { mut settings, chess960, .. } = setup;
        settings.threads = self.threads.unwrap_or(settings.threads);
        settings.hash = self.hash.unwrap_or(settings.hash);
        settings.multi_pv = self.multipv.unwrap_or(settings.multi_pv);
        let limits = self.limits.or_time(Duration::from_secs(5));
        position::check_goes_on(game.board())?;
        let chess960 = chess960 || game.board().has_chess960_castling();
        Ok(SearchTask { settings, game, repairs, limits, chess960, json: self.json })
    }

    fn run(task: SearchTask) -> Result<(), CliError> {
        let SearchTask { settings, game, repairs, limits, chess960, json } = task;
        json.check()?;
        let interrupt = Interrupt::listen(None);
        let mut engine = Engine::new(settings)?;
        let settings = engine.settings().clone();
        if !json.is_printed() {
            introduce(&mut console::stdout(), &game, &repairs, &engine, &limits)?;
        }
        let lines = settings.multi_pv;
        engine.set_game(game.clone());
        let view = Arc::new(View::new(game.clone(), lines, json.is_printed()));
        let outcome = interrupt.search(&mut engine, limits.clone(), Arc::clone(&view) as Arc<dyn Observer>);
        view.live.finish_and_clear();
        let best = view.best_line(&outcome);
        if !json.is_printed() {
            print_result(&mut console::stdout(), &game, &outcome, best.as_ref(), chess960)?;
        }
        json.write(&SearchReport::of(&game, &outcome, best.as_ref(), &settings, &limits, chess960))?;
        interrupt.end("the result is that of the search so far")
    }
}

/// Shows the position, and says how it will be searched.
fn introduce(
    out: &mut impl Write,
    game: &Game,
    repairs: &[String],
    engine: &Engine,
    limits: &Limits,
) -> io::Result<()> {
    let settings = engine.settings();
    writeln!(out, "{}\n", game.board().diagram())?;
    for repair in repairs {
        writeln!(out, "Note: {repair}")?;
    }
    for note in settings.tablebases.notes().iter().cloned().chain(cores::too_many_threads(settings.threads)) {
        writeln!(out, "Note: {note}")?;
    }
    writeln!(
        out,
        "{} to move. Thinking {} with {} and a table of {} MiB ({}).\nScores are in pawns, positive when White is \
             better.\n",
        game.board().turn().fold_wb("White", "Black"),
        describe_limits(limits),
        counted(settings.threads as u64, "thread"),
        settings.hash,
        engine.table_pages()
    )?;
    writeln!(out, "{:>5}  {:>7}  {:>14}  {:>8}  line", "depth", "score", "nodes", "time")
}

/// Describes the limits of the search.
fn describe_limits(limits: &Limits) -> String {
    let mut parts = Vec::new();
    if let Some(time) = limits.move_time {
        parts.push(format!("for {} s", time.as_secs_f64()));
    }
    if let Some(depth) = limits.depth {
        parts.push(format!("to depth {depth}"));
    }
    if let Some(nodes) = limits.nodes {
        parts.push(format!("for {} nodes", grouped(nodes)));
    }
    parts.join(" or ")
}

/// Prints the result: the move, its score, and the nodes and time of the search. `best` is the line of the move.
fn print_result(
    out: &mut impl Write,
    game: &Game,
    outcome: &Outcome,
    best: Option<&Line>,
    chess960: bool,
) -> io::Result<()> {
    let (Some(mv), Some(best)) = (outcome.best_move, best) else {
        return Ok(());
    };
    let mover = game.board().turn().fold_wb("White", "Black");
    let limit = match best.bound {
        Bound::Lower => " or better",
        Bound::Upper => " or worse",
        _ => "",
    };
    let Wdl { win, draw, loss } = Outlook::of(game).wdl(best.score);
    writeln!(out)?;
    writeln!(out, "Best move:  {} ({})", game.to_san(mv), mv.to_uci(chess960))?;
    writeln!(
        out,
        "Score:      {}{limit} (for {mover} about {}% wins, {}% draws, {}% losses)",
        score(best.score, game.board()),
        (win + 5) / 10,
        (draw + 5) / 10,
        (loss + 5) / 10
    )?;
    writeln!(out, "Main line:  {}", san_line(game, &best.pv, best.pv.len()))?;
    writeln!(
        out,
        "Searched:   {} nodes in {:.2} s, {} a second",
        grouped(outcome.nodes),
        outcome.time.as_secs_f64(),
        grouped(nodes_per_second(outcome.nodes, outcome.time))
    )
}

/// The report as JSON.
#[derive(Serialize)]
struct SearchReport {
    engine: &'static str,
    fen: String,
    limits: JsonLimits,
    threads: usize,
    hash: usize,
    best: Option<String>,
    #[serde(flatten)]
    line: Option<SearchedLine>,
    nodes: u64,
    time_ms: u64,
    nps: u64,
    /// The second line and all further ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<SearchedLine>,
}

/// A line as JSON, from White's point of view.
#[derive(Serialize)]
struct SearchedLine {
    eval: JsonScore,
    /// Permille.
    wdl: [u32; 3],
    depth: i32,
    seldepth: usize,
    line: Vec<String>,
}

impl SearchReport {
    fn of(
        game: &Game,
        outcome: &Outcome,
        best: Option<&Line>,
        settings: &Settings,
        limits: &Limits,
        chess960: bool,
    ) -> SearchReport {
        let board = game.board();
        let uci = |mv: &Move| mv.to_uci(chess960).to_string();
        let searched = |line: &Line| {
            let Wdl { win, draw, loss } = Outlook::of(game).wdl(line.score);
            SearchedLine {
                eval: JsonScore::of(line.score, board),
                wdl: board.turn().fold_wb([win, draw, loss], [loss, draw, win]),
                depth: line.depth,
                seldepth: line.seldepth,
                line: line.pv.iter().map(uci).collect(),
            }
        };
        SearchReport {
            engine: NAME,
            fen: board.fen(chess960),
            limits: limits.into(),
            threads: settings.threads,
            hash: settings.hash,
            best: outcome.best_move.as_ref().map(uci),
            line: best.map(searched),
            nodes: outcome.nodes,
            time_ms: outcome.time.as_millis() as u64,
            nps: nodes_per_second(outcome.nodes, outcome.time),
            lines: outcome.lines.iter().skip(1).map(searched).collect(),
        }
    }
}

/// Shows a search while it runs.
struct View {
    game: Game,
    lines: usize,
    /// Whether no rows are printed.
    is_quiet: bool,
    live: ProgressBar,
    latest: Mutex<String>,
    /// The last exact line of the first rank.
    best: Mutex<Option<Line>>,
}

impl View {
    fn new(game: Game, lines: usize, is_quiet: bool) -> View {
        let live = progress::spinner("{spinner} {elapsed}  {msg}");
        View { game, lines, is_quiet, live, latest: Mutex::default(), best: Mutex::default() }
    }

    /// The line of the move that is played. The last iteration may have been cut off, and then it has only a bound and
    /// the beginning of a line. The last exact line of the same move says more.
    fn best_line(&self, outcome: &Outcome) -> Option<Line> {
        let exact = self.best.lock().clone();
        exact
            .filter(|line| line.pv.first().copied() == outcome.best_move)
            .or_else(|| outcome.lines.first().cloned())
    }

    fn row(&self, line: &Line) -> String {
        let depth = format!("{}/{}", line.depth, line.seldepth);
        format!(
            "{depth:>5}  {:>7}  {:>14}  {:>6.2} s  {}",
            score(line.score, self.game.board()),
            grouped(line.nodes),
            line.time.as_secs_f64(),
            san_line(&self.game, &line.pv, SHOWN_PLIES)
        )
    }
}

impl Observer for View {
    fn line(&self, line: &Line) {
        let speed = grouped(nodes_per_second(line.nodes, line.time));
        let latest = format!("depth {}, {speed} nodes a second", line.depth);
        self.live.set_message(latest.clone());
        *self.latest.lock() = latest;
        // Users would not understand the bounds of aspiration searches.
        if line.bound == Bound::Exact {
            if line.multi_pv == 1 {
                *self.best.lock() = Some(line.clone());
            }
            if self.is_quiet {
                return;
            }
            let end = if self.lines > 1 && line.multi_pv == self.lines { "\n" } else { "" };
            let row = self.row(line);
            self.live.suspend(|| console::say(format_args!("{row}{end}")));
        }
    }

    fn current_move(&self, depth: i32, mv: Move, number: usize) {
        let mv = self.game.to_san(mv);
        self.live.set_message(format!("{}; at depth {depth} move {number}: {mv}", self.latest.lock()));
    }

    fn message(&self, text: &str) {
        if !self.is_quiet {
            self.live.suspend(|| console::say(format_args!("       {text}")));
        }
    }

    fn finished(&self, _outcome: &Outcome) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::FenError;
    use crate::chess::types::Score;
    use crate::engine::command::arguments::resolved;

    #[test]
    fn arguments_override_the_preset_and_the_preset_overrides_the_defaults() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "threads = 3\nhash = 7").unwrap();
        let line = format!("enfilade search --config {} --hash 9", file.path().display());
        let settings = resolved::<SearchArguments>(&line).unwrap().settings;
        assert_eq!((settings.threads, settings.hash), (3, 9));
    }

    #[test]
    fn without_limits_the_default_time_holds() {
        let task = resolved::<SearchArguments>("enfilade search").unwrap();
        assert_eq!(task.limits, Limits::move_time(Duration::from_secs(5)));
        assert!(task.repairs.is_empty());
    }

    #[test]
    fn a_fen_needs_no_quotes() {
        let line = "enfilade search 4k3/8/8/8/8/8/8/4K2R w K - 0 1 --depth 3";
        let task = resolved::<SearchArguments>(line).unwrap();
        assert_eq!(task.game.board().fen(false), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert_eq!(task.limits.depth, Some(3));
    }

    #[test]
    fn a_wrong_position_is_an_error() {
        let wrong = resolved::<SearchArguments>("enfilade search 8/8/8/8/8/8/8/8 w - -");
        assert!(matches!(wrong, Err(CliError::Failed(error)) if error.is::<FenError>()));
    }

    #[test]
    fn limits_are_described() {
        assert_eq!(describe_limits(&Limits::move_time(Duration::from_millis(1500))), "for 1.5 s");
        let limits = Limits { nodes: Some(1_000_000), ..Limits::depth(9) };
        assert_eq!(describe_limits(&limits), "to depth 9 or for 1,000,000 nodes");
    }

    /// The summary had a score that no row showed, and a line of two moves.
    #[test]
    fn the_summary_shows_the_last_exact_line_of_the_move() {
        let game = Game::startpos();
        let [e4, d4, e5] = ["e2e4", "d2d4", "e7e5"].map(|text| {
            let board = if text == "e7e5" {
                game.board().after(game.board().parse_uci("e2e4").unwrap())
            } else {
                game.board().clone()
            };
            board.parse_uci(text).unwrap()
        });
        let line = |bound, score, pv: &[Move]| Line {
            multi_pv: 1,
            depth: 5,
            seldepth: 9,
            score: Score::new(score),
            bound,
            nodes: 1,
            tablebase_hits: 0,
            hashfull: 0,
            time: Duration::ZERO,
            pv: pv.to_vec(),
            searched: pv.len(),
        };
        let view = View::new(game, 1, true);
        let exact = line(Bound::Exact, 20, &[e4, e5]);
        view.line(&exact);
        view.line(&line(Bound::Lower, 40, &[e4]));
        let outcome = |lines: Vec<Line>| Outcome {
            best_move: lines[0].pv.first().copied(),
            ponder_move: None,
            lines,
            nodes: 1,
            time: Duration::ZERO,
        };
        assert_eq!(view.best_line(&outcome(vec![line(Bound::Lower, 40, &[e4])])), Some(exact));
        let other = line(Bound::Lower, 40, &[d4]);
        assert_eq!(view.best_line(&outcome(vec![other.clone()])), Some(other));
    }

    #[test]
    fn the_result_has_move_score_and_main_line() {
        let mut engine =
            Engine::new(crate::engine::facade::Settings { hash: 1, ..Default::default() }).unwrap();
        let (game, _) = Game::from_fen("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1").unwrap();
        engine.set_game(game.clone());
        let outcome = engine.search(Limits::depth(3));
        let mut text = Vec::new();
        print_result(&mut text, &game, &outcome, outcome.lines.first(), false).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("Best move:  Re8# (e1e8)"), "{text}");
        assert!(text.contains("Score:      #1 (for White about 100% wins"), "{text}");
        assert!(text.contains("Main line:  1. Re8#"), "{text}");
    }
}
