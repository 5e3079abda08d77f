//! The arguments of `suite`, and how they are carried out.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::problem::{Problem, read};
use super::report;
use super::solve::{self, Solution};
use super::task::SuiteTask;
use crate::base::console;
use crate::base::crew;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::interrupt::Interrupt;
use crate::engine::command::job_progress::JobProgress;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::command::limits::LimitArguments;
use crate::engine::command::number::{JOBS, cores, within};
use crate::engine::config::Setup;
use crate::engine::config::range::{HASH, THREADS};
use crate::engine::facade::Engine;
use crate::engine::uci::cores;

/// Solve the test positions of an EPD file: best moves, moves to avoid, mates, points
#[derive(Debug, Args)]
#[command(after_help = "Without --movetime, --nodes and --depth, the search of a position takes one second.")]
pub(crate) struct SuiteArguments {
    /// The positions, one a line, with bm, am, dm or c8 and c9 operations
    #[arg(value_name = "FILE.epd")]
    pub file: PathBuf,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Number of threads of each search. Without it, the preset's number or one
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Number of positions searched at the same time. Without it, as many as keep all cores busy
    #[arg(long, value_name = "N", value_parser = within(JOBS))]
    pub jobs: Option<usize>,
    /// Size of each search's hash table in MiB. Without it, the preset's size or 64
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub hash: Option<usize>,
    #[command(flatten)]
    pub json: JsonArguments,
}

impl CommandArguments for SuiteArguments {
    type Task = SuiteTask;

    fn resolve(self, setup: Setup) -> Result<SuiteTask, CliError> {
        let mut settings = setup.settings;
        settings.threads = self.threads.unwrap_or(settings.threads);
        settings.hash = self.hash.unwrap_or(settings.hash);
        Ok(SuiteTask {
            file: self.file,
            limits: self.limits.or_time(Duration::from_secs(1)),
            jobs: self.jobs.unwrap_or_else(|| (cores() / settings.threads).max(1)),
            settings: settings.for_measuring(),
            json: self.json,
        })
    }

    /// Solves and reports.
    fn run(task: SuiteTask) -> Result<(), CliError> {
        let problems = read(&task.file)?;
        if problems.is_empty() {
            let file = task.file.display();
            return Err(format!("{file}: no position has a task (bm, am, dm, or c8 and c9)").into());
        }
        task.json.check()?;
        task.settings.tablebases.notes().iter().for_each(console::warn);
        let jobs = task.jobs.min(problems.len());
        cores::too_many_threads(jobs * task.settings.threads).iter().for_each(console::warn);
        let interrupt = Interrupt::listen(None);
        let engines = (0..jobs).map(|_| Engine::new(task.settings.clone())).collect::<Result<Vec<_>, _>>()?;
        let progress = JobProgress::new("positions", 0, problems.len() as u64);
        let mut solutions: Vec<Option<Solution>> = vec![None; problems.len()];
        let mut solved = 0;
        crew::share_out(
            engines,
            0..problems.len() as u64,
            |engine, number| {
                let solution = solve::solve(engine, &problems[number as usize], &task.limits, &interrupt);
                // A search that was cut off says nothing about the position.
                (!interrupt.is_over()).then_some(solution)
            },
            |number, solution| {
                let Some(solution) = solution else { return ControlFlow::Break(()) };
                solved += usize::from(solution.solved);
                progress.advance(format_args!("{solved} solved"));
                solutions[number as usize] = Some(solution);
                ControlFlow::Continue(())
            },
        )?;
        progress.clear();
        let all = problems.len();
        let (problems, solutions): (Vec<Problem>, Vec<Solution>) = problems
            .into_iter()
            .zip(solutions)
            .filter_map(|(problem, found)| Some((problem, found?)))
            .unzip();
        report::print(&task, jobs, &problems, &solutions)?;
        interrupt.end(&format!("{} of {all} positions were searched", solutions.len()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::engine::command::arguments::resolved;
    use crate::engine::run::Limits;

    #[test]
    fn the_preset_sets_threads_and_table() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "threads = 3\nhash = 7").unwrap();
        let line = format!("enfilade --config {} suite x.epd --nodes 5", file.path().display());
        let task = resolved::<SuiteArguments>(&line).unwrap();
        assert_eq!((task.settings.threads, task.settings.hash), (3, 7));
        assert_eq!(task.limits, Limits::nodes(5));
    }
}
