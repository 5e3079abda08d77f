//! The end of a search: which move is played, and what is reported.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::vote::vote;
use crate::base::random::Random;
use crate::engine::run::job::{Job, ThreadResult};
use crate::engine::run::{Failure, Line, Outcome};

/// Chooses the move and reports it, after the lines that it comes from.
pub(super) fn conclude(job: &Job) {
    // As in a worker, a defect in the choice must not lose the game.
    let lines = catch_unwind(AssertUnwindSafe(|| final_lines(job))).unwrap_or_else(|_| {
        job.run.reporter.failed(Failure::Choice);
        vec![job.unsearched()]
    });
    job.run.reporter.close(&lines, |observer, lines, is_news| {
        if is_news {
            lines.iter().for_each(|line| observer.line(line));
        }
        observer.finished(&Outcome {
            best_move: lines[0].pv.first().copied(),
            ponder_move: lines[0].pv.get(1).copied(),
            lines: lines.to_vec(),
            nodes: lines[0].nodes,
            time: job.run.launch.started.elapsed(),
        });
    });
}

/// The lines with which the search ends, at least one. The line to play comes first.
fn final_lines(job: &Job) -> Vec<Line> {
    let results: Vec<ThreadResult> = job.run.results.iter().map(|result| result.lock().clone()).collect();
    // The main thread answers if the depth is fixed. Several lines must come from one thread. The requested mate also
    // comes from the main thread, because helpers that have not seen it may still expect another result.
    let limits = &job.task.limits;
    let mate = results[0].moves.first().is_some_and(|root| limits.is_mate_found(root.score));
    let winner = if job.lines() > 1 || limits.depth.is_some() || mate { 0 } else { vote(&results) };
    let mut result = results[winner].clone();
    if result.depth == 0 || result.moves.is_empty() {
        return vec![job.unsearched()];
    }
    if let Some(level) = job.task.level {
        let board = job.task.game.board();
        let mut random = Random::stream(job.task.seed, board.key());
        let choice = level.choose(&result.moves, board.material(), &mut random);
        result.moves[..=choice].rotate_right(1);
    }
    let line_at = |(rank, root)| {
        let mut line = job.line_of(root, rank, result.depth);
        line.seldepth = line.seldepth.max(result.seldepth);
        line
    };
    result.moves.iter().take(job.task.multi_pv).enumerate().map(line_at).collect()
}
