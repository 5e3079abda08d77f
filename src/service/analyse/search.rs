//! Searches the positions of jobs. It knows neither files nor games.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::answer::{Answer, LineAnswer, PositionAnswer};
use super::job::{AnalysisJob, Basis, JobError, Variant};
use crate::chess::board::Move;
use crate::engine::facade::{Engine, EngineError, Settings};
use crate::engine::run::{Failure, Line, Observer, Outcome};

/// An engine of one thread that answers jobs.
pub struct Searcher {
    engine: Engine,
    /// The basis that every job must have.
    basis: Basis,
    /// The greatest number of nodes that a position may take, if there is such a limit.
    ceiling: Option<u64>,
    watch: Arc<Watch>,
}

impl Searcher {
    /// A searcher with these settings for jobs of this basis.
    ///
    /// # Errors
    ///
    /// If the system refuses memory or threads.
    pub fn new(settings: &Settings, basis: Basis) -> Result<Searcher, EngineError> {
        let engine = Engine::new(basis.effort.settings(settings))?;
        Ok(Searcher { engine, basis, ceiling: None, watch: Arc::default() })
    }

    /// Limits the nodes of each position, whatever the limits of its job are. This is for jobs of strangers.
    pub fn with_ceiling(self, nodes: u64) -> Searcher {
        Searcher { ceiling: Some(nodes), ..self }
    }

    /// Whether the searcher can answer jobs of this basis.
    pub fn is_for(&self, basis: &Basis) -> bool {
        self.basis == *basis
    }

    /// Searches the positions of a job from the last one back to the first. With a limit of nodes or depth the answer
    /// depends only on the job.
    ///
    /// # Errors
    ///
    /// [`JobError`] if the job has another basis or is wrong, or if the search has a defect.
    pub fn answer(&mut self, job: &AnalysisJob) -> Result<Answer, JobError> {
        if job.basis != self.basis {
            return Err(JobError::Basis);
        }
        let games = job.positions()?;
        let mut limits = job.basis.effort.limits();
        // A search that the ceiling ends does not meet the limits of the job.
        let ceiling = self.ceiling.filter(|ceiling| limits.nodes.is_none_or(|nodes| nodes > *ceiling));
        limits.nodes = ceiling.or(limits.nodes);
        self.engine.new_game();
        let mut positions = Vec::with_capacity(games.len());
        for game in games.into_iter().rev() {
            self.engine.set_game(game);
            let observer = Arc::clone(&self.watch) as Arc<dyn Observer>;
            let outcome = self.engine.search_with(limits.clone(), observer);
            if let Some(ceiling) = ceiling.filter(|ceiling| outcome.nodes >= *ceiling) {
                return Err(JobError::Ceiling(ceiling));
            }
            positions.push(position(&outcome, job.variant()));
        }
        positions.reverse();
        // A search that failed has no valid answer.
        if self.watch.has_failed.swap(false, Ordering::SeqCst) {
            return Err(JobError::Failed);
        }
        Ok(Answer { positions })
    }

    /// The engine's messages since the last call, such as that a tablebase is damaged.
    pub fn notes(&self) -> Vec<String> {
        std::mem::take(&mut self.watch.notes.lock())
    }
}

fn position(outcome: &Outcome, variant: Variant) -> PositionAnswer {
    let uci = |mv: &Move| variant.uci(*mv);
    let line = |line: &Line| LineAnswer {
        score: line.score.value(),
        depth: line.depth,
        seldepth: line.seldepth,
        moves: line.pv.iter().map(uci).collect::<Vec<_>>().join(" "),
    };
    PositionAnswer { nodes: outcome.nodes, lines: outcome.lines.iter().map(line).collect() }
}

/// An observer that keeps the engine's messages, and whether a search has failed.
#[derive(Default)]
struct Watch {
    notes: Mutex<Vec<String>>,
    has_failed: AtomicBool,
    /// Whether the next worker that asks about the observer panics.
    #[cfg(test)]
    breaks_worker: AtomicBool,
}

impl Observer for Watch {
    fn line(&self, _line: &Line) {}
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, text: &str) {
        self.notes.lock().push(text.to_owned());
    }
    fn failed(&self, _failure: Failure) {
        self.has_failed.store(true, Ordering::SeqCst);
    }
    fn finished(&self, _outcome: &Outcome) {}
    fn is_silent(&self) -> bool {
        #[cfg(test)]
        assert!(!self.breaks_worker.swap(false, Ordering::SeqCst), "a panic that a test asks for");
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::job::tests::{basis, game};
    use super::super::job::{Effort, jobs};
    use super::*;

    #[test]
    fn an_answer_does_not_depend_on_earlier_jobs() {
        let game = game("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0");
        let boards = game.boards();
        let basis = basis(300);
        let jobs: Vec<AnalysisJob> = jobs(&game, &boards, 0..=7, &basis).map(|(_, job)| job).collect();
        let other = super::super::job::jobs(&game, &boards, 2..=4, &basis).next().unwrap().1;
        let mut searcher = Searcher::new(&Settings::default(), basis.clone()).unwrap();
        let first = searcher.answer(&jobs[0]).unwrap();
        searcher.answer(&other).unwrap();
        assert_eq!(searcher.answer(&jobs[0]).unwrap(), first);
        let found = first.check(&jobs[0]).unwrap();
        assert_eq!(found.len(), 8);
        let mated = &found[7];
        assert_eq!(
            (mated.lines[0].score.mate_moves(), mated.lines[0].moves.len(), mated.nodes),
            (Some(0), 0, 0)
        );
        assert_eq!(found[6].lines[0].score.mate_moves(), Some(1));
        assert!(found[..6].iter().all(|found| (300..1000).contains(&found.nodes)), "{found:?}");
    }

    #[test]
    fn a_position_that_reaches_the_node_ceiling_is_an_error() {
        let game = game("1. e4 *");
        let boards = game.boards();
        let effort = |nodes, depth| Effort { nodes, depth, ..basis(1).effort };
        let asked = |effort, ceiling| {
            let basis = Basis::of(&Settings::default(), effort);
            let (_, job) = jobs(&game, &boards, 0..=1, &basis).next().unwrap();
            let mut searcher = Searcher::new(&Settings::default(), basis).unwrap();
            searcher.ceiling = ceiling;
            searcher.answer(&job)
        };
        assert_eq!(asked(effort(None, Some(60)), Some(5_000)), Err(JobError::Ceiling(5_000)));
        assert_eq!(asked(effort(Some(5_001), None), Some(5_000)), Err(JobError::Ceiling(5_000)));
        assert!(asked(effort(Some(5_000), None), Some(5_000)).is_ok());
        let shallow = effort(None, Some(3));
        assert!(asked(shallow, None).is_ok());
        assert_eq!(asked(shallow, Some(100_000)), asked(shallow, None), "the bound changes no answer");
    }

    #[test]
    fn the_answer_is_an_error_if_a_worker_panics() {
        let game = game("1. e4 *");
        let boards = game.boards();
        let basis = basis(100);
        let (_, job) = jobs(&game, &boards, 0..=1, &basis).next().unwrap();
        let mut searcher = Searcher::new(&Settings::default(), basis.clone()).unwrap();
        searcher.watch.breaks_worker.store(true, Ordering::SeqCst);
        assert_eq!(searcher.answer(&job), Err(JobError::Failed));
        assert_eq!(searcher.notes(), [""; 0], "a failure is no message");
        assert!(searcher.answer(&job).is_ok(), "the next search is valid");
    }

    #[test]
    fn a_job_for_another_engine_is_refused() {
        let game = game("1. e4 *");
        let boards = game.boards();
        let other = basis(200);
        let (_, job) = jobs(&game, &boards, 0..=1, &other).next().unwrap();
        let mut searcher = Searcher::new(&Settings::default(), basis(100)).unwrap();
        assert_eq!(searcher.answer(&job), Err(JobError::Basis));
    }
}
