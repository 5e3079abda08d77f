//! The results of a suite: a table for people, or JSON for programs.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::problem::Problem;
use super::solve::{Solution, max_points};
use super::task::SuiteTask;
use crate::base::console;
use crate::base::text::grouped;
use crate::engine::command::error::CliError;
use crate::engine::command::format::score;
use crate::engine::command::json_arguments::{JsonLimits, JsonScore};
use crate::engine::uci::nodes_per_second;

/// A suite's results as JSON.
#[derive(Serialize)]
struct SuiteReport<'a> {
    file: &'a Path,
    threads: usize,
    hash: usize,
    jobs: usize,
    quiescence: &'static str,
    limits: JsonLimits,
    positions: usize,
    solved: usize,
    points: u32,
    max_points: u32,
    nodes: u64,
    time_ms: u64,
    results: Vec<SuiteRow>,
}

/// One position as JSON.
#[derive(Serialize)]
struct SuiteRow {
    line: usize,
    id: String,
    fen: String,
    best: Option<String>,
    /// White's point of view.
    eval: JsonScore,
    depth: i32,
    solved: bool,
    /// The time after which the best move was a solution until the end.
    found_ms: Option<u64>,
    points: u32,
    max_points: u32,
    nodes: u64,
    time_ms: u64,
}

/// Sums over the positions of one theme.
#[derive(Clone, Copy, Default)]
struct Sum {
    positions: usize,
    solved: usize,
    points: u32,
    max_points: u32,
}

impl Sum {
    fn add(&mut self, problem: &Problem, solution: &Solution) {
        self.positions += 1;
        self.solved += usize::from(solution.solved);
        self.points += solution.points;
        self.max_points += max_points(&problem.goal);
    }
}

/// Prints the results of all positions.
pub(super) fn print(
    task: &SuiteTask,
    jobs: usize,
    problems: &[Problem],
    solutions: &[Solution],
) -> Result<(), CliError> {
    let mut out = console::stdout();
    let mut total = Sum::default();
    for (problem, solution) in problems.iter().zip(solutions) {
        total.add(problem, solution);
    }
    let nodes = solutions.iter().map(|solution| solution.nodes).sum();
    let time = solutions.iter().map(|solution| solution.time).sum();
    task.json.write(&json(task, jobs, problems, solutions, total, nodes, time))?;
    if !task.json.is_printed() {
        unsolved(&mut out, problems, solutions)?;
        themes(&mut out, problems, solutions, total)?;
        writeln!(
            out,
            "\n{} nodes in {:.1} s of searching: {} nodes a second for each of {jobs} at a time",
            grouped(nodes),
            time.as_secs_f64(),
            grouped(nodes_per_second(nodes, time))
        )?;
    }
    Ok(())
}

fn json<'a>(
    task: &'a SuiteTask,
    jobs: usize,
    problems: &[Problem],
    solutions: &[Solution],
    total: Sum,
    nodes: u64,
    time: Duration,
) -> SuiteReport<'a> {
    let row = |(problem, solution): (&Problem, &Solution)| SuiteRow {
        line: problem.line,
        id: problem.record.id(),
        fen: problem.record.game.board().fen(false),
        best: solution.best_move.map(|mv| mv.to_uci(false).to_string()),
        eval: JsonScore::of(solution.score, problem.record.game.board()),
        depth: solution.depth,
        solved: solution.solved,
        found_ms: solution.found.map(|time| time.as_millis() as u64),
        points: solution.points,
        max_points: max_points(&problem.goal),
        nodes: solution.nodes,
        time_ms: solution.time.as_millis() as u64,
    };
    SuiteReport {
        file: &task.file,
        threads: task.settings.threads,
        hash: task.settings.hash,
        jobs,
        quiescence: task.settings.quiescence.name(),
        limits: (&task.limits).into(),
        positions: total.positions,
        solved: total.solved,
        points: total.points,
        max_points: total.max_points,
        nodes,
        time_ms: time.as_millis() as u64,
        results: problems.iter().zip(solutions).map(row).collect(),
    }
}

/// Prints the positions that were not solved.
fn unsolved(out: &mut impl Write, problems: &[Problem], solutions: &[Solution]) -> io::Result<()> {
    let mut heading = true;
    for (problem, solution) in problems.iter().zip(solutions).filter(|(_, solution)| !solution.solved) {
        if std::mem::take(&mut heading) {
            writeln!(
                out,
                "{:<28} {:<8} {:<16} {:>7} {:>5}",
                "not solved", "chosen", "wanted", "score", "depth"
            )?;
        }
        let game = &problem.record.game;
        let id = problem.record.id();
        let name = if id.is_empty() { format!("line {}", problem.line) } else { id };
        let chosen = solution.best_move.map_or_else(|| "none".to_owned(), |mv| game.to_san(mv));
        writeln!(
            out,
            "{name:<28} {chosen:<8} {:<16} {:>7} {:>5}",
            wanted(problem),
            score(solution.score, game.board()),
            solution.depth
        )?;
    }
    if !heading {
        writeln!(out)?;
    }
    Ok(())
}

fn wanted(problem: &Problem) -> String {
    let goal = &problem.goal;
    let names =
        |moves: &[_]| -> Vec<String> { moves.iter().map(|mv| problem.record.game.to_san(*mv)).collect() };
    let mut parts = names(&goal.best);
    parts.extend(names(&goal.avoid).iter().map(|mv| format!("not {mv}")));
    if parts.is_empty() {
        parts.extend(goal.mate.map(|moves| format!("#{moves}")));
    }
    parts.join(" ")
}

/// Prints a row for each theme and a row for all positions. A theme is a position's name without its number.
fn themes(out: &mut impl Write, problems: &[Problem], solutions: &[Solution], total: Sum) -> io::Result<()> {
    let mut themes: BTreeMap<String, Sum> = BTreeMap::new();
    for (problem, solution) in problems.iter().zip(solutions) {
        themes.entry(theme(&problem.record.id())).or_default().add(problem, solution);
    }
    writeln!(out, "{:<36} {:>9} {:>7} {:>6} {:>15}", "theme", "positions", "solved", "", "points")?;
    if themes.len() > 1 && themes.len() < problems.len() {
        for (name, sum) in &themes {
            row(out, name, *sum)?;
        }
    }
    row(out, "all", total)
}

fn row(out: &mut impl Write, name: &str, sum: Sum) -> io::Result<()> {
    // A suite that is interrupted may have no position.
    let share = 100.0 * sum.solved as f64 / sum.positions.max(1) as f64;
    let points =
        if sum.max_points > 0 { format!("{}/{}", sum.points, sum.max_points) } else { String::new() };
    writeln!(out, "{name:<36} {:>9} {:>7} {share:>5.1}% {points:>15}", sum.positions, sum.solved)
}

/// The name of a position without the number at its end.
fn theme(id: &str) -> String {
    let name = id.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['.', '-', '#', ' ']);
    if name.is_empty() { "no name".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_theme_is_a_name_without_its_number() {
        assert_eq!(theme("STS(v1.0) Undermine.001"), "STS(v1.0) Undermine");
        assert_eq!(theme("position-07"), "position");
        assert_eq!(theme(""), "no name");
        assert_eq!(theme("12"), "no name");
    }

    #[test]
    fn rows_have_percentages_and_points() {
        let mut text = Vec::new();
        row(&mut text, "all", Sum { positions: 4, solved: 3, points: 250, max_points: 400 }).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(" 75.0%") && text.contains("250/400"), "{text}");
        let mut text = Vec::new();
        row(&mut text, "all", Sum::default()).unwrap();
        assert!(String::from_utf8(text).unwrap().contains(" 0.0%"), "interrupted before the first position");
    }
}
