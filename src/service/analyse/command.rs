//! `enfilade analyse`: makes a plan from the arguments, runs it and shows its progress.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgGroup, Args};
use indicatif::{HumanDuration, ProgressBar};

use crate::base::console::{self, LineTimer};
use crate::base::file::{FileError, is_standard_output};
use crate::base::text::{counted, grouped};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::interrupt::Interrupt;
use crate::engine::command::limits::LimitArguments;
use crate::engine::command::number::{self, cores, within};
use crate::engine::command::progress;
use crate::engine::config::Setup;
use crate::engine::config::range::{HASH, MULTI_PV, THREADS};
use crate::engine::facade::Settings;
use crate::engine::tablebase::Tablebases;
use crate::engine::uci;
use crate::service::analyse::{self, AnalyseError, AnalysisPlan, Effort, Games, Listener, Places, Progress};

/// Nodes for each position, if the user sets no limit.
const NODES: u64 = 200_000;
/// Size of each search's table in MiB. It is enough for the positions of a chunk, and it can be cleared quickly.
const TABLE_MEBIBYTES: usize = 16;

/// Analyze the games of a PGN file: annotated PGN, JSON, pages of HTML
#[derive(Debug, Args)]
#[command(
    visible_alias = "analyze",
    after_help = "Without --movetime, --nodes and --depth, the search of a position takes 200,000 nodes."
)]
#[command(group(ArgGroup::new("reports").required(true).multiple(true).args(["out", "json", "html"])))]
pub(crate) struct AnalyseArguments {
    /// The games as PGN, or positions as EPD; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write the games as PGN with evaluations, glyphs and better lines; - for standard output
    #[arg(long, value_name = "FILE.pgn")]
    pub out: Option<PathBuf>,
    /// Write the games as JSON, one line for each. Without FILE, to standard output
    #[arg(long, value_name = "FILE.jsonl", num_args = 0..=1, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Write an index and a page for each game into this directory
    #[arg(long, value_name = "DIR")]
    pub html: Option<PathBuf>,
    /// The address of the analysis board of `serve`, such as http://myserver:7643/. Each page gets a link that opens
    /// its game there
    #[arg(long, value_name = "URL", requires = "html", value_parser = board_address)]
    pub board: Option<String>,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Report this many best lines
    #[arg(long, value_name = "N", value_parser = within(MULTI_PV))]
    pub multipv: Option<usize>,
    /// Number of positions searched at the same time, by one thread each. Without it, the preset's threads or the
    /// number of cores
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Size of each search's hash table in MiB, whatever a preset says
    #[arg(long, value_name = "MIB", default_value_t = TABLE_MEBIBYTES, value_parser = within(HASH))]
    pub hash: usize,
    /// Directories with Syzygy tablebases
    #[arg(long, value_name = "PATHS")]
    pub syzygy_path: Option<String>,
    /// Analyze only games of players whose name contains this text
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,
    /// The number of the first move to analyze in each game
    #[arg(long, value_name = "MOVE", value_parser = number::from(0u32))]
    pub from: Option<u32>,
    /// The number of the last move to analyze in each game
    #[arg(long, value_name = "MOVE", value_parser = number::from(0u32))]
    pub to: Option<u32>,
}

/// The address of a board: `http` or `https`, without the part behind `#`, which names a game.
fn board_address(text: &str) -> Result<String, String> {
    let is_address = text.starts_with("http://") || text.starts_with("https://");
    if !is_address || text.contains(['#', ' ', '"']) {
        return Err("an address such as http://myserver:7643/ is needed".to_owned());
    }
    Ok(text.to_owned())
}

/// What `analyse` needs.
#[derive(Debug)]
pub(crate) struct AnalyseTask {
    /// The games; `None` for standard input.
    pub input: Option<PathBuf>,
    pub plan: AnalysisPlan,
}

impl CommandArguments for AnalyseArguments {
    type Task = AnalyseTask;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.threads = cores();
    }

    fn resolve(self, mut setup: Setup) -> Result<AnalyseTask, CliError> {
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from > to
        {
            return Err(CliError::Usage(format!(
                "--from {from} --to {to}: there is no move from {from} to {to}"
            )));
        }
        if self.html.as_deref().is_some_and(is_standard_output) {
            return Err(CliError::Usage(
                "--html: a directory is needed, and - is standard output".to_owned(),
            ));
        }
        let is_limited =
            self.limits.nodes.is_some() || self.limits.depth.is_some() || self.limits.movetime.is_some();
        if let Some(path) = &self.syzygy_path {
            setup.settings.tablebases = Arc::new(Tablebases::load(path));
        }
        let plan = AnalysisPlan {
            places: Places { pgn: self.out, json: self.json, html: self.html, board: self.board },
            effort: Effort {
                nodes: self.limits.nodes.or((!is_limited).then_some(NODES)),
                depth: self.limits.depth,
                movetime: self.limits.movetime.map(|time| time.max(1)),
                lines: self.multipv.unwrap_or(setup.settings.multi_pv),
                hash: self.hash,
            },
            threads: self.threads.unwrap_or(setup.settings.threads),
            player: self.player,
            from: self.from,
            to: self.to,
            settings: setup.settings,
        };
        let input = (self.file != Path::new("-")).then_some(self.file);
        Ok(AnalyseTask { input, plan })
    }

    /// Analyzes the games in this process.
    fn run(task: AnalyseTask) -> Result<(), CliError> {
        uci::cores::too_many_threads(task.plan.threads).iter().for_each(console::warn);
        analyze(&task, |games, progress| analyse::run(&task.plan, games, progress))
    }
}

/// Analyzes the games by `search` and shows progress on standard error.
pub(crate) fn analyze(
    task: &AnalyseTask,
    search: impl FnOnce(Games, &mut AnalysisProgress) -> Result<Progress, AnalyseError>,
) -> Result<(), CliError> {
    let games = match &task.input {
        Some(path) => Games::open(path)?,
        None => standard_input()?,
    };
    task.plan.settings.tablebases.notes().iter().for_each(console::warn);
    let mut progress = AnalysisProgress::new(games.name(), Interrupt::listen(None));
    let result = search(games, &mut progress);
    progress.finish(result.as_ref().ok());
    match result {
        Err(AnalyseError::Interrupted) => Err(CliError::Interrupted(match task.plan.places.first_file() {
            Some(_) => "interrupted; the same command goes on where this one stopped".to_owned(),
            None => "interrupted".to_owned(),
        })),
        result => Ok(result.map(drop)?),
    }
}

fn standard_input() -> Result<Games, FileError> {
    let name = Path::new("standard input");
    Games::read(name, Box::new(io::stdin()), None).map_err(FileError::because("cannot read", name))
}

/// Shows progress: a bar on a terminal, elsewhere a line now and then.
pub(crate) struct AnalysisProgress {
    bar: ProgressBar,
    input: String,
    timer: LineTimer,
    interrupt: Interrupt,
}

impl AnalysisProgress {
    fn new(input: &Path, interrupt: Interrupt) -> AnalysisProgress {
        let bar = progress::bar(0, "{wide_bar} {msg}");
        let input = input.display().to_string();
        AnalysisProgress { bar, input, timer: LineTimer::of_log(), interrupt }
    }

    fn text(&self, progress: &Progress) -> String {
        text(progress, self.timer.elapsed())
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| console::warn(text));
    }

    /// Removes the bar and prints a last line, on a terminal or not.
    fn finish(&self, progress: Option<&Progress>) {
        self.bar.finish_and_clear();
        let Some(progress) = progress else { return };
        let mut text = format!(
            "{} analyzed, {}",
            counted(progress.games, "game"),
            counted(progress.positions, "position")
        );
        if progress.restored > 0 {
            text.push_str(&format!(" ({} of them by an earlier run)", grouped(progress.restored)));
        }
        text.push_str(&format!(", {:.1} a second", speed(progress, self.timer.elapsed())));
        for (count, what) in [(progress.failed, "left out"), (progress.others, "of other players")] {
            if count > 0 {
                text.push_str(&format!("; {} {what}", grouped(count)));
            }
        }
        console::warn(text);
    }
}

/// Positions searched per second, after `elapsed`.
fn speed(progress: &Progress, elapsed: Duration) -> f64 {
    let searched = progress.positions - progress.restored;
    searched as f64 / elapsed.as_secs_f64().max(1e-3)
}

/// The line of progress: the work done after `elapsed`, and the time that the rest may take. It fits into the 80
/// columns of a terminal, because a bar of two lines is not removed whole when Ctrl-C is typed into it.
fn text(progress: &Progress, elapsed: Duration) -> String {
    let speed = speed(progress, elapsed);
    let positions = match progress.expected {
        Some(expected) => {
            let all = counted(expected.max(progress.positions), "position");
            format!("{} of {all}", grouped(progress.positions))
        }
        None => counted(progress.positions, "position"),
    };
    let mut text = format!("{}, {positions}, {speed:.1} a second", counted(progress.games, "game"));
    if let Some(expected) = progress.expected.filter(|_| speed > 0.0) {
        let left = expected.saturating_sub(progress.positions) as f64 / speed;
        // After the first positions the estimate may have any value. This limit is longer than anybody waits.
        let left = Duration::from_secs_f64(left.min(1e9));
        text.push_str(&format!(", {:#} left", HumanDuration(left)));
    }
    text
}

impl Listener for AnalysisProgress {
    fn progress(&mut self, progress: &Progress) {
        if let Some(expected) = progress.expected {
            self.bar.set_length(expected);
        }
        self.bar.set_position(progress.positions);
        if !self.bar.is_hidden() {
            self.bar.set_message(self.text(progress));
        } else if self.timer.is_due() {
            console::warn(self.text(progress));
        }
    }

    fn left_out(&mut self, number: u64, reason: &str) {
        self.say(&format!("{}, game {number}: {reason}; left out", self.input));
    }

    fn game_note(&mut self, number: u64, text: &str) {
        self.say(&format!("{}, game {number}: {text}", self.input));
    }

    fn note(&mut self, text: &str) {
        self.say(text);
    }

    fn is_over(&self) -> bool {
        self.interrupt.is_over()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::engine::command::arguments::resolved;

    /// The table size of a preset is for one engine. An analysis has a table for each thread, so it ignores that size.
    #[test]
    fn an_analysis_has_its_own_table_size_and_limit() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "threads = 3\nhash = 4096\nmultipv = 2").unwrap();
        let line = format!("enfilade --config {} analyse a.pgn --out b.pgn", file.path().display());
        let plan = resolved::<AnalyseArguments>(&line).unwrap().plan;
        let effort = plan.effort;
        assert_eq!((plan.threads, effort.hash, effort.lines, effort.nodes), (3, 16, 2, Some(200_000)));
        let line = "enfilade analyse - --json b --depth 9 --hash 1 --multipv 4";
        let task = resolved::<AnalyseArguments>(line).unwrap();
        let effort = task.plan.effort;
        assert_eq!((effort.hash, effort.lines, effort.nodes, effort.depth), (1, 4, None, Some(9)));
        assert_eq!(task.input, None, "standard input");
    }

    #[test]
    fn a_range_without_a_move_is_wrong() {
        let error = |line: &str| resolved::<AnalyseArguments>(&format!("enfilade analyse {line}")).map(drop);
        let wrong = error("a.pgn --out b.pgn --from 50 --to 3").unwrap_err();
        assert_eq!(
            (wrong.status(), wrong.to_string().as_str()),
            (2, "--from 50 --to 3: there is no move from 50 to 3")
        );
        assert!(error("a.pgn --out b.pgn --from 3 --to 3").is_ok());
        assert_eq!(error("a.pgn --html -").unwrap_err().status(), 2);
    }

    #[test]
    fn the_time_left_is_estimated_from_searched_positions() {
        let after = Duration::from_secs(10);
        let progress = Progress {
            games: 1_234,
            positions: 3_000,
            restored: 2_000,
            expected: Some(9_000),
            ..Progress::default()
        };
        let shown = text(&progress, after);
        assert!(
            shown.starts_with("1,234 games, 3,000 of 9,000 positions, ")
                && shown.ends_with(" a second, 60s left"),
            "{shown}"
        );
        let (positions, expected) = (12_345_678, Some(98_765_432));
        let long = text(&Progress { positions, expected, ..progress }, Duration::from_secs(100_000));
        assert!(long.len() < 80, "{long}");
        let unknown = text(&Progress { expected: None, ..progress }, after);
        assert!(unknown.ends_with(" a second"), "{unknown}");
        let nothing = text(&Progress::default(), after);
        assert_eq!(nothing, "0 games, 0 positions, 0.0 a second");
    }
}
