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

use crate::base::console;
use crate::base::text::counted;
use crate::chess::board::{Game, Move};
use crate::chess::types::{Bound, Wdl};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::format::{grouped, san_line, score};
use crate::engine::command::limits::LimitArguments;
use crate::engine::command::number::{cores, within};
use crate::engine::command::position;
use crate::engine::command::position::no_move;
use crate::engine::command::progress;
use crate::engine::config::Setup;
use crate::engine::config::range::{HASH, MULTI_PV, THREADS};
use crate::engine::facade::{Engine, Settings};
use crate::engine::run::{Limits, Line, Observer, Outcome};
use crate::engine::uci::{Outlook, nodes_per_second};

/// The number of plies of a principal variation that fit beside the numbers.
const SHOWN_PLIES: usize = 10;

/// Think about one position and show the thinking
#[derive(Debug, Args)]
#[command(after_help = "Without --movetime, --nodes and --depth, the search takes five seconds.")]
pub(crate) struct SearchArguments {
    /// The position as a FEN, quoted or not. Without it, a well-known middle game is searched
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
}

impl CommandArguments for SearchArguments {
    type Task = SearchTask;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.threads = cores();
    }

    fn resolve(self, setup: Setup) -> Result<SearchTask, CliError> {
        let (game, repairs) = position::read_or_example(&self.fen)?;
        let Setup { mut settings, chess960, .. } = setup;
        settings.threads = self.threads.unwrap_or(settings.threads);
        settings.hash = self.hash.unwrap_or(settings.hash);
        settings.multi_pv = self.multipv.unwrap_or(settings.multi_pv);
        let limits = self.limits.or_time(Duration::from_secs(5));
        Ok(SearchTask { settings, game, repairs, limits, chess960 })
    }

    fn run(task: SearchTask) -> Result<(), CliError> {
        let SearchTask { settings, game, repairs, limits, chess960 } = task;
        if game.board().legal_moves().is_empty() {
            return Err(no_move(&game.board().fen(chess960)));
        }
        let mut out = console::stdout();
        writeln!(out, "{}\n", game.board())?;
        for repair in repairs {
            writeln!(out, "Note: {repair}")?;
        }
        for note in settings.tablebases.notes() {
            writeln!(out, "{note}")?;
        }
        let mut engine = Engine::new(settings)?;
        let settings = engine.settings();
        writeln!(
            out,
            "{} to move. Thinking {} with {} and a table of {} MiB ({}).\nScores are in pawns, positive when White is \
             better.\n",
            game.board().turn(),
            describe_limits(&limits),
            counted(settings.threads, "thread"),
            settings.hash,
            engine.table_pages()
        )?;
        writeln!(out, "{:>5}  {:>7}  {:>14}  {:>8}  line", "depth", "score", "nodes", "time")?;
        let lines = settings.multi_pv;
        engine.set_game(game.clone());
        let view = Arc::new(View::new(game.clone(), lines));
        let outcome = engine.search_with(limits, Arc::clone(&view) as Arc<dyn Observer>);
        view.live.finish_and_clear();
        print_result(&mut out, &game, &outcome, chess960)?;
        Ok(())
    }
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

/// Prints the result: the move, its score, and the nodes and time of the search.
fn print_result(out: &mut impl Write, game: &Game, outcome: &Outcome, chess960: bool) -> io::Result<()> {
    let (Some(mv), Some(best)) = (outcome.best_move, outcome.lines.first()) else {
        return Ok(());
    };
    let mover = game.board().turn();
    let Wdl { win, draw, loss } = Outlook::of(game).wdl(best.score);
    writeln!(out)?;
    writeln!(out, "Best move:  {} ({})", game.to_san(mv), mv.to_uci(chess960))?;
    writeln!(
        out,
        "Score:      {} (for {mover} about {}% wins, {}% draws, {}% losses)",
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

/// Shows a search while it runs.
struct View {
    game: Game,
    lines: usize,
    live: ProgressBar,
    latest: Mutex<String>,
}

impl View {
    fn new(game: Game, lines: usize) -> View {
        let live = progress::spinner("{spinner} {elapsed}  {msg}");
        View { game, lines, live, latest: Mutex::new(String::new()) }
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
        self.live.suspend(|| console::say(format_args!("       {text}")));
    }

    fn finished(&self, _outcome: &Outcome) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::FenError;
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

    #[test]
    fn the_result_has_move_score_and_main_line() {
        let mut engine =
            Engine::new(crate::engine::facade::Settings { hash: 1, ..Default::default() }).unwrap();
        let (game, _) = Game::from_fen("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1").unwrap();
        engine.set_game(game.clone());
        let outcome = engine.search(Limits::depth(3));
        let mut text = Vec::new();
        print_result(&mut text, &game, &outcome, false).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("Best move:  Re8# (e1e8)"), "{text}");
        assert!(text.contains("Score:      #1 (for white about 100% wins"), "{text}");
        assert!(text.contains("Main line:  1. Re8#"), "{text}");
    }
}
