//! Aspiration windows: each iteration first searches a window around the score of the previous iteration.

use super::node::Root;
use super::worker::Worker;
use crate::chess::types::{Score, Window};

impl Worker {
    /// Searches the root to `depth` for the line of rank `line`. Widens the window until the score lies within it.
    /// Sorts the root moves from `line` on.
    pub(super) fn aspirate(&mut self, depth: i32, line: usize) {
        let params = self.params();
        let best = &self.root.as_slice()[line];
        let guess = best.previous_score;
        let mut delta = params.aspiration_delta + self.variation.width;
        // A mate needs it most: with a full window, a node without a table move would first search some other move, at
        // depths of 200 plies after a few milliseconds. Within the window, lines longer than the mate end.
        let mut window = Window::FULL;
        let has_guess = guess > -Score::INFINITE;
        if depth >= params.aspiration_depth && self.job.rules.selectivity.pruning && has_guess {
            window = around(guess, delta);
        }
        let mut fail_highs = 0;
        self.root_line = line;
        self.root_depth = depth;
        loop {
            // Each fail high in a row takes a ply off the depth: a score that keeps rising can be trusted at a lower
            // depth.
            let root = self.job.task.game.board().clone();
            let score = self.search::<Root>(&root, window, (depth - fail_highs).max(1), 0, false);
            self.root.sort_from(line);
            if self.stopped {
                return;
            }
            let params = self.params();
            if score <= window.alpha {
                let middle = Score::new((window.alpha.value() + window.beta.value()) / 2);
                window = Window::new(around(score, delta).alpha, middle);
                fail_highs = 0;
            } else if score >= window.beta {
                window.beta = around(score, delta).beta;
                fail_highs = (fail_highs + 1).min(params.aspiration_reduction_limit);
            } else {
                return;
            }
            delta += delta * params.aspiration_growth / 100 + params.aspiration_growth_base;
            if delta > params.aspiration_limit {
                window = Window::FULL;
            }
            self.report_bound(depth, line);
        }
    }
}

/// The window that reaches `delta` centipawns below and above `score`.
fn around(score: Score, delta: i32) -> Window {
    Window::new((score - delta).max(-Score::INFINITE), (score + delta).min(Score::INFINITE))
}
