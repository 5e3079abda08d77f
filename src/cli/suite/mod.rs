//! `enfilade suite`: a file of positions, each with something to find.
//!
//! Positions are independent: rayon hands them to as many engines as there are jobs, each with
//! its own threads and table, cleared before each position so that the order does not matter.

mod report;
mod solve;

use std::fs;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use rayon::prelude::*;

use super::CliError;
use super::resolve::SuiteTask;
use crate::board::epd::{EpdError, Goal, Record};
use crate::engine::Engine;
use solve::Solution;

/// A position of the suite.
struct Problem {
    /// Line in the file, from 1.
    line: usize,
    record: Record,
    goal: Goal,
}

/// Solves and reports.
pub(super) fn run(task: &SuiteTask) -> Result<(), CliError> {
    let problems = read(&task.file)?;
    if problems.is_empty() {
        return Err(CliError::EmptySuite(task.file.clone()));
    }
    task.settings.tablebases.notes().iter().for_each(|note| eprintln!("{note}"));
    let jobs = task.jobs.min(problems.len());
    let engines = (0..jobs).map(|_| Engine::new(task.settings.clone())).collect::<Result<Vec<_>, _>>()?;
    // As many engines as threads of the pool: one is always free for a thread that asks.
    let engines = Mutex::new(engines);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    let bar = progress_bar(problems.len());
    let solutions: Vec<Solution> = pool.install(|| {
        problems
            .par_iter()
            // One position at a time: a chunk of slow ones must not be left to one thread.
            .with_max_len(1)
            .map(|problem| {
                let mut engine = engines.lock().pop().expect("an engine for each job");
                let solution = solve::solve(&mut engine, problem, &task.limits);
                engines.lock().push(engine);
                bar.inc(1);
                if solution.solved {
                    bar.set_prefix((solved_so_far(&bar) + 1).to_string());
                }
                solution
            })
            .collect()
    });
    bar.finish_and_clear();
    report::print(task, jobs, &problems, &solutions)
}

/// Reads a suite; lines that cannot be used are named on standard error and left out.
fn read(path: &Path) -> Result<Vec<Problem>, CliError> {
    let bytes = fs::read(path).map_err(|source| CliError::Suite { path: path.to_owned(), source })?;
    let mut problems = Vec::new();
    for (index, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match problem(index + 1, line) {
            Ok(problem) => problems.push(problem),
            Err(error) => eprintln!("{}, line {}: {error}; skipped", path.display(), index + 1),
        }
    }
    Ok(problems)
}

fn problem(line: usize, text: &str) -> Result<Problem, EpdError> {
    let record = Record::parse(text)?;
    let goal = record.goal()?;
    Ok(Problem { line, record, goal })
}

/// On standard error, and hidden where that is not a terminal. The prefix counts solutions.
fn progress_bar(length: usize) -> ProgressBar {
    let template = "{bar:40} {pos}/{len}, {prefix} solved, {eta} to go";
    let bar = ProgressBar::new(length as u64)
        .with_style(ProgressStyle::with_template(template).expect("a sound template"))
        .with_prefix("0");
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn solved_so_far(bar: &ProgressBar) -> usize {
    bar.prefix().parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_that_cannot_be_used_are_left_out() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(
            b"# a comment\n\n6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#; id \"one\";\nnonsense\n\xff\xfe\n\
              6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Qh5;\n6k1/5ppp/8/8/8/8/8/4R1K1 w - - dm 1;\n",
        )
        .unwrap();
        let problems = read(file.path()).unwrap();
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [3, 7]);
    }
}
