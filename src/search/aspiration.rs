//! Aspiration windows: each iteration first searches around the score of the one before.

use super::node::Root;
use super::worker::Worker;
use crate::types::Score;

impl Worker {
    /// Searches the root to `depth` for the line of rank `line`, widening the window until
    /// the score lies within it. Leaves the root moves from `line` on sorted.
    pub(super) fn aspirate(&mut self, depth: i32, line: usize) {
        let params = self.params();
        let guess = self.root.as_slice()[line].previous_score;
        let mut delta = params.aspiration_delta + self.job.stagger.extra_width(self.index);
        let growth = params.aspiration_growth;
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        if depth >= params.aspiration_depth
            && self.job.selectivity.pruning
            && guess.value().abs() < Score::MAX_EVAL.value()
        {
            alpha = (guess - delta).max(-Score::INFINITE);
            beta = (guess + delta).min(Score::INFINITE);
        }
        let mut fail_highs = 0;
        self.root_line = line;
        self.root_depth = depth;
        loop {
            // A score that keeps rising needs no exact depth to be believed.
            let root = self.job.game.board().clone();
            let score = self.search::<Root>(&root, alpha, beta, (depth - fail_highs).max(1), 0, false);
            self.root.sort_from(line);
            if self.stopped {
                return;
            }
            if score <= alpha {
                self.report_bound(depth, line);
                beta = Score::new((alpha.value() + beta.value()) / 2);
                alpha = (score - delta).max(-Score::INFINITE);
                fail_highs = 0;
            } else if score >= beta {
                self.report_bound(depth, line);
                beta = (score + delta).min(Score::INFINITE);
                fail_highs = (fail_highs + 1).min(3);
            } else {
                return;
            }
            delta += delta * growth / 100 + 2;
            if delta > 1_000 {
                alpha = -Score::INFINITE;
                beta = Score::INFINITE;
            }
        }
    }
}
