//! `enfilade suite`: solves a file of positions with known solutions.
//!
//! The positions are independent of each other. Each job has an engine with its own threads and table. The engine is
//! cleared before each position, so that the order does not matter.

mod problem;
mod report;
mod solve;

use std::ops::ControlFlow;
use std::path::Path;

use super::progress;
use super::resolve::SuiteTask;
use crate::board::epd::{EpdError, EpdRecord};
use crate::cli::error::CliError;
use crate::console;
use crate::crew;
use crate::engine::Engine;
use crate::file::{self, Limit};
use problem::Problem;
use solve::Solution;

/// The largest file: about half a million positions.
const LIMIT: Limit = Limit { mebibytes: 64, of: "a suite" };
/// The longest line in bytes. The error message of a longer line would fill the screen.
const LINE_LIMIT: usize = 16 << 10;

/// Solves and reports.
pub(super) fn run(task: &SuiteTask) -> Result<(), CliError> {
    let problems = read(&task.file)?;
    if problems.is_empty() {
        return Err(CliError::EmptySuite(task.file.clone()));
    }
    task.settings.tablebases.notes().iter().for_each(console::warn);
    let jobs = task.jobs.min(problems.len());
    let engines = (0..jobs).map(|_| Engine::new(task.settings.clone())).collect::<Result<Vec<_>, _>>()?;
    // The prefix counts solutions.
    let template = "{bar:40} {pos}/{len}, {prefix} solved, {eta} to go";
    let bar = progress::bar(problems.len() as u64, template).with_prefix("0");
    let mut solutions: Vec<Option<Solution>> = vec![None; problems.len()];
    let mut solved = 0;
    crew::share_out(
        engines,
        0..problems.len() as u64,
        |engine, number| solve::solve(engine, &problems[number as usize], &task.limits),
        |number, solution| {
            bar.inc(1);
            solved += usize::from(solution.solved);
            bar.set_prefix(solved.to_string());
            solutions[number as usize] = Some(solution);
            ControlFlow::Continue(())
        },
    )?;
    bar.finish_and_clear();
    let solutions: Vec<Solution> =
        solutions.into_iter().map(|solution| solution.expect("every position was searched")).collect();
    report::print(task, jobs, &problems, &solutions)
}

/// Reads a suite. Leaves out lines that cannot be used, and names them on standard error.
fn read(path: &Path) -> Result<Vec<Problem>, CliError> {
    let bytes = file::read(path, LIMIT)?;
    let mut problems = Vec::new();
    for (index, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.len() > LINE_LIMIT {
            let limit = LINE_LIMIT >> 10;
            console::warn(format_args!(
                "{}, line {}: it has more than {limit} KiB; skipped",
                path.display(),
                index + 1
            ));
            continue;
        }
        match problem(index + 1, line) {
            Ok(problem) => problems.push(problem),
            Err(error) => {
                console::warn(format_args!("{}, line {}: {error}; skipped", path.display(), index + 1));
            }
        }
    }
    Ok(problems)
}

fn problem(line: usize, text: &str) -> Result<Problem, EpdError> {
    let record = EpdRecord::parse(text)?;
    let goal = record.goal()?;
    Ok(Problem { line, record, goal })
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
        let long = format!("6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#; c0 \"{}\";\n", "x".repeat(LINE_LIMIT));
        file.write_all(long.as_bytes()).unwrap();
        let problems = read(file.path()).unwrap();
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [3, 7]);
    }
}
