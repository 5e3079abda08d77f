//! Iterative deepening: the outermost loop of every thread.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::mate::MateSearch;
use super::worker::Worker;
use crate::chess::types::Score;
use crate::engine::run::job::ThreadResult;
use crate::engine::run::limits::MAX_DEPTH;
use crate::engine::run::report::Line;
use crate::engine::time::{Budget, Stability};

/// What time management remembers between iterations.
#[derive(Default)]
struct IterationHistory {
    steady_iterations: u32,
    scores: Vec<Score>,
}

impl Worker {
    /// Searches the prepared job until something ends it. The job's results always hold the latest finished result.
    pub fn run(&mut self) {
        if !self.root.is_empty() {
            self.deepen();
        }
        self.conclude();
    }

    fn deepen(&mut self) {
        let limit = self.job.task.limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let lines = self.job.lines().min(self.root.len());
        let mut history = IterationHistory::default();
        let mut mate_search = MateSearch::of(self);
        // The vote needs a legal move even if no iteration is finished.
        self.publish_result(0);

        for depth in 1..=limit {
            if self.job.rules.stagger.skips(self.index, depth) && depth < limit {
                continue;
            }
            if mate_search.as_mut().is_some_and(|mate_search| self.search_mate(mate_search, depth)) {
                self.publish_result(depth);
                self.report(depth, lines);
                break;
            }
            if self.stopped {
                break;
            }
            let last_best = self.root.as_slice()[0].mv;
            self.root.begin_iteration();
            self.job.run.counters[self.index].depth.store(depth, Ordering::Relaxed);
            for line in 0..lines {
                self.seldepth = 0;
                self.aspirate(depth, line);
                if self.stopped {
                    break;
                }
                self.root.sort_first(line + 1);
            }
            if self.stopped {
                self.publish_interrupted(depth, lines);
                break;
            }
            self.publish_result(depth);
            if self.index == 0 {
                if depth == 1 {
                    self.job.run.signals.begin();
                }
                self.report(depth, lines);
            }
            let best = &self.root.as_slice()[0];
            history.steady_iterations = if best.mv == last_best { history.steady_iterations + 1 } else { 0 };
            history.scores.push(best.score);
            if self.decide_end(depth, &history) {
                break;
            }
        }
    }

    /// Publishes the result of an iteration that was cut off, if it counts. It counts if the iteration has searched the
    /// best move of the previous one, because its own best move is then that move or a better one. It does not count if
    /// this move loses: a move that was not searched yet may save the game, and the previous iteration has searched all
    /// of them.
    fn publish_interrupted(&mut self, depth: i32, lines: usize) {
        let score = self.root.as_slice()[0].score;
        if lines == 1 && score != -Score::INFINITE && !score.is_loss() {
            self.publish_result(depth);
        }
    }

    /// Stores the root moves where the vote reads them.
    pub(super) fn publish_result(&self, depth: i32) {
        let moves = self.root.as_slice().iter().take(self.job.lines()).cloned().collect();
        // The result is built before the lock is taken: where threads wait for cores, the thread that holds the lock
        // may be interrupted.
        let result = ThreadResult { depth, seldepth: self.seldepth, moves };
        *self.job.run.results[self.index].lock() = result;
        if depth > 0 {
            self.job.run.counters[self.index].resulted.store(self.nodes, Ordering::Relaxed);
        }
    }

    /// Reports the lines of a finished iteration.
    fn report(&self, depth: i32, lines: usize) {
        self.publish_counts();
        if self.job.run.reporter.is_silent() {
            return;
        }
        let lines: Vec<Line> = (0..lines.min(self.job.task.multi_pv))
            .map(|rank| self.job.line_of(&self.root.as_slice()[rank], rank, depth))
            .collect();
        self.job.run.reporter.lines(&lines);
        if self.job.run.reporter.is_lost() {
            self.job.run.signals.stop();
        }
    }

    /// Reports the bound of a failed window, if the search has already taken some time.
    pub(super) fn report_bound(&self, depth: i32, rank: usize) {
        if self.index == 0 && self.job.lines() == 1 && self.is_long() {
            let line = self.job.line_of(&self.root.as_slice()[rank], rank, depth);
            self.job.run.reporter.lines(&[line]);
        }
    }

    /// Decides whether the main thread ends the search after this iteration. Helpers never do.
    fn decide_end(&self, depth: i32, history: &IterationHistory) -> bool {
        if self.index > 0 {
            return false;
        }
        let best = &self.root.as_slice()[0];
        if self.job.task.limits.is_mate_found(best.score) {
            return true;
        }
        if self.job.task.limits.soft_nodes.is_some_and(|soft| self.job.total_nodes() >= soft) {
            return true;
        }
        let Some((budget, elapsed)) = self.job.time_spent() else { return false };
        self.job.run.signals.finish_iteration(self.has_used_its_time(&budget, elapsed, depth, history))
    }

    /// Whether another iteration is not worth its time.
    fn has_used_its_time(
        &self,
        budget: &Budget,
        elapsed: Duration,
        depth: i32,
        history: &IterationHistory,
    ) -> bool {
        if !budget.flexible {
            return elapsed >= budget.soft;
        }
        let params = self.params();
        let best = &self.root.as_slice()[0];
        // With one move to choose from, or with a mate that cannot be shortened, more thinking is pointless.
        let settled = self.root.choices() == 1 && depth >= params.time_only_move_depth
            || best.score.mate_moves().is_some_and(|m| m > 0 && 2 * m + 2 <= depth);
        let before = history.scores.len().saturating_sub(params.time_drop_iterations as usize);
        let stability = Stability {
            steady_iterations: history.steady_iterations,
            node_share: best.nodes as f64 / self.nodes.max(1) as f64,
            score_drop: history.scores[before] - best.score,
        };
        settled || elapsed >= budget.soft.mul_f64(stability.scale(params)).min(budget.hard)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::base::numa::Replicated;
    use crate::chess::board::Game;
    use crate::engine::eval::network::Network;
    use crate::engine::params::Params;
    use crate::engine::run::Limits;
    use crate::engine::run::job::{Assignment, Job, Launch, SearchRules, SharedState};
    use crate::engine::time::NodeBudget;

    /// Nodes that count as a millisecond.
    const RATE: u64 = 1_000;
    const SOFT: u64 = 20_000;
    const HARD: u64 = 80_000;

    /// A search of two threads, by a clock of nodes that no stability scales much.
    fn job() -> Arc<Job> {
        let time = |nodes: u64| Duration::from_millis(nodes / RATE);
        let budget = Budget { soft: time(SOFT), hard: time(HARD), deadline: None, flexible: true };
        let task = Assignment {
            node_budget: Some(NodeBudget { budget, rate: RATE }),
            ..Assignment::new(Game::startpos(), Limits::default())
        };
        let params = Params {
            time_steady_base: 100,
            time_steady_slope: 0,
            time_nodes_base: 100,
            time_nodes_slope: 0,
            time_rise_limit: 0,
            time_drop_limit: 0,
            ..Params::default()
        };
        let rules = SearchRules { params: Arc::new(params), deterministic: false, ..SearchRules::default() };
        let network = Arc::new(Replicated::shared(Network::embedded()));
        let shared = SharedState::new(network, 1).expect("a small table");
        Arc::new(Job::new(task, rules, shared, Launch::silent(2)))
    }

    /// The nodes of the thread `index`, and whether the whole search was stopped. The other thread never begins.
    fn nodes_of(index: usize) -> (u64, bool) {
        let job = job();
        let mut worker = Worker::new(index, Arc::clone(&job));
        worker.prepare(Arc::clone(&job));
        worker.run();
        (worker.nodes(), job.run.signals.is_stopped())
    }

    #[test]
    fn the_main_thread_ends_at_the_soft_limit_and_a_helper_at_the_hard_one() {
        let (nodes, _) = nodes_of(0);
        assert!((SOFT..HARD).contains(&nodes), "{nodes}");
        let (nodes, is_stopped) = nodes_of(1);
        assert!(is_stopped && nodes >= HARD, "{nodes}");
    }
}
