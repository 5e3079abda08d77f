//! The unit of work: a few consecutive positions of a game. They are searched from the last one back to the first, with
//! a table that is empty at first. So the search of a position profits from the searches of the positions after it.
//!
//! An [`AnalysisJob`] holds everything that its answer ([`super::answer`]) depends on, as plain values. It names no
//! file and no option. Any process with the same build, network, parameters and tablebases gives the same answer,
//! unless a time limit ends the searches. The name of a job is a hash of all its values. Jobs and answers may come from
//! outside (a journal, another machine). So both are checked before they are used: every move is replayed.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

use crate::base::file::json;
use crate::base::numa::Policy;
use crate::chess::board::{Board, FenError, Game, Move, MoveError};
use crate::chess::pgn::GameTree;
use crate::engine::config::range::{HASH, MULTI_PV};
use crate::engine::facade::{Fingerprint, Settings};
use crate::engine::run::Limits;

/// The version of the format of jobs. It must increase with any change of the fields or of their meaning.
pub const VERSION: u32 = 2;

/// The number of positions of a job. Larger jobs lose less of the table's contents between two jobs. With smaller jobs
/// more threads can search one game, and a kill loses less work.
pub const CHUNK: usize = 8;

/// The greatest number of positions that a job may have.
const MAX_POSITIONS: usize = 64;

/// The greatest number of moves before a job's first position. A job has them for repetitions, so only the moves since
/// the last capture or pawn move count. The rules allow at most 150 plies without one.
const MAX_HISTORY: usize = 200;

/// The limits and the settings of the search of each position. All given limits apply at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// The node limit.
    pub nodes: Option<u64>,
    /// The depth in plies.
    pub depth: Option<i32>,
    /// The time limit in milliseconds. With it, answers depend on the machine.
    pub movetime: Option<u64>,
    /// The number of lines.
    pub lines: usize,
    /// The size of the table in MiB.
    pub hash: usize,
}

/// Everything besides the positions that the answers of an analysis depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basis {
    /// The fingerprint of the engine.
    pub fingerprint: Fingerprint,
    /// The limits and the settings of the search of each position.
    pub effort: Effort,
}

impl Basis {
    /// The basis of an engine with these settings.
    pub fn of(settings: &Settings, effort: Effort) -> Basis {
        Basis { fingerprint: Fingerprint::of(settings), effort }
    }
}

impl Effort {
    /// The limits of each search.
    pub fn limits(&self) -> Limits {
        Limits {
            nodes: self.nodes,
            depth: self.depth,
            move_time: self.movetime.map(std::time::Duration::from_millis),
            ..Limits::default()
        }
    }

    /// The settings of the searches: `settings` with one thread, full strength, and a table that each job clears.
    pub fn settings(&self, settings: &Settings) -> Settings {
        Settings {
            threads: 1,
            hash: self.hash,
            multi_pv: self.lines,
            // Each searcher has one thread. With a list, all of them would be bound to its first node.
            numa: Policy::None,
            move_overhead: std::time::Duration::ZERO,
            deterministic: false,
            ..settings.for_measuring()
        }
    }

    /// A text with the limits, the number of lines and the table size.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.nodes.map(|nodes| format!("{nodes} nodes")));
        parts.extend(self.depth.map(|depth| format!("depth {depth}")));
        parts.extend(self.movetime.map(|time| format!("{time} ms")));
        if self.lines > 1 {
            parts.push(format!("{} lines", self.lines));
        }
        parts.push(format!("table of {} MiB", self.hash));
        parts.join(", ")
    }

    fn is_valid(&self) -> bool {
        let is_limited = self.nodes.is_some() || self.depth.is_some() || self.movetime.is_some();
        is_limited
            && self.nodes != Some(0)
            && self.movetime != Some(0)
            && self.depth.is_none_or(|depth| depth > 0)
            && MULTI_PV.check(self.lines as i64).is_ok()
            && HASH.check(self.hash as i64).is_ok()
    }
}

/// How castling moves are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Castling is written as the king's move.
    Standard,
    /// Castling is written as the king taking its rook.
    Chess960,
}

/// Positions to search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisJob {
    version: u32,
    /// Everything besides the positions that the answer depends on.
    pub basis: Basis,
    variant: Variant,
    /// A position at or before the first one, as FEN. Repetitions count from there on.
    start: String,
    /// The moves from there to the last position.
    moves: String,
    /// The number of these moves before the first position. The last position comes after all of them.
    first: usize,
}

/// A job cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JobError {
    /// The job has another version of the format.
    #[error("it is a job of version {0}, and this program knows version {VERSION}")]
    Version(u32),
    /// The limits do not end a search, or a size is out of range.
    #[error("its limits are not valid")]
    Effort,
    /// The job has too many positions or moves, or no position.
    #[error("it has no positions or too many")]
    Span,
    /// The start position is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move is wrong.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The engine has another basis, so its answer would differ.
    #[error("it asks for another build, network, parameters or tablebases")]
    Basis,
    /// A position needs more nodes than the worker allows.
    #[error("a position takes more than {0} nodes")]
    Ceiling(u64),
    /// The search failed because of a defect.
    #[error("the search failed")]
    Failed,
    /// The queue does not try the job any more.
    #[error("the queue has set it aside: {0}")]
    SetAside(String),
}

impl AnalysisJob {
    /// A 128-bit hash of everything that the answer depends on, as 32 hexadecimal digits.
    pub fn name(&self) -> String {
        format!("{:032x}", xxh3_128(json(self).as_bytes()))
    }

    /// The positions to search in the order of the game, each with the positions before it.
    ///
    /// # Errors
    ///
    /// [`JobError`] if the job is not of the form that [`jobs`] makes.
    pub fn positions(&self) -> Result<Vec<Game>, JobError> {
        if self.version != VERSION {
            return Err(JobError::Version(self.version));
        }
        if !self.basis.effort.is_valid() {
            return Err(JobError::Effort);
        }
        let moves = self.moves.split_whitespace();
        let count = moves.clone().take(MAX_HISTORY + MAX_POSITIONS).count();
        if self.first > count || count - self.first >= MAX_POSITIONS || self.first > MAX_HISTORY {
            return Err(JobError::Span);
        }
        let (mut game, _) = Game::from_fen(&self.start)?;
        let mut positions = Vec::with_capacity(count + 1 - self.first);
        for (index, mv) in moves.enumerate() {
            if index >= self.first {
                positions.push(game.clone());
            }
            game.play_uci(mv)?;
        }
        positions.push(game);
        Ok(positions)
    }

    /// How the moves of the job and of its answer are written.
    pub fn variant(&self) -> Variant {
        self.variant
    }
}

impl Variant {
    /// The variant of a game.
    pub fn of(game: &GameTree) -> Variant {
        if game.is_chess960 { Variant::Chess960 } else { Variant::Standard }
    }

    /// The move in UCI notation.
    pub fn uci(self, mv: Move) -> String {
        mv.to_uci(self == Variant::Chess960).to_string()
    }
}

/// The jobs for the positions of a game in `span`. A position is named by the number of moves before it. `boards` holds
/// all positions of the game.
pub fn jobs<'a>(
    game: &'a GameTree,
    boards: &'a [Board],
    span: RangeInclusive<usize>,
    basis: &'a Basis,
) -> impl Iterator<Item = (RangeInclusive<usize>, AnalysisJob)> + 'a {
    let end = *span.end();
    span.step_by(CHUNK).map(move |first| {
        let last = (first + CHUNK - 1).min(end);
        // A position before the last capture or pawn move cannot be repeated.
        let clock = boards[first].halfmove_clock() as usize;
        let start = first - clock.min(first).min(MAX_HISTORY);
        let variant = Variant::of(game);
        let moves: Vec<String> =
            game.moves[start..last].iter().map(|played| variant.uci(played.mv)).collect();
        let job = AnalysisJob {
            version: VERSION,
            basis: basis.clone(),
            variant,
            start: boards[start].fen(game.is_chess960),
            moves: moves.join(" "),
            first: first - start,
        };
        (first..=last, job)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::chess::pgn::PgnReader;

    /// The first game of a text.
    pub fn game(text: &str) -> GameTree {
        PgnReader::new(text.as_bytes()).next_game().unwrap().unwrap().whole().unwrap()
    }

    pub fn basis(nodes: u64) -> Basis {
        // A fingerprint takes some milliseconds, and tests ask for the basis hundreds of times.
        static FINGERPRINT: LazyLock<Fingerprint> = LazyLock::new(|| Fingerprint::of(&Settings::default()));
        let effort = Effort { nodes: Some(nodes), depth: None, movetime: None, lines: 1, hash: 1 };
        Basis { fingerprint: FINGERPRINT.clone(), effort }
    }

    const RUY_LOPEZ: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 5. Re1 Nd6 6. Nxe5 Be7 *";

    pub fn all(game: &GameTree, span: RangeInclusive<usize>) -> Vec<(RangeInclusive<usize>, AnalysisJob)> {
        jobs(game, &game.boards(), span, &basis(10)).collect()
    }

    #[test]
    fn jobs_cover_the_span_and_lead_to_its_positions() {
        let game = game(RUY_LOPEZ);
        let boards = game.boards();
        for span in [0..=12, 3..=12, 5..=5, 0..=7, 0..=8, 12..=12] {
            let mut covered = Vec::new();
            for (part, job) in all(&game, span.clone()) {
                let positions = job.positions().unwrap();
                assert_eq!(positions.len(), part.clone().count());
                for (index, position) in part.zip(&positions) {
                    assert_eq!(*position.board(), boards[index], "{index} of {span:?}");
                    covered.push(index);
                }
            }
            assert_eq!(covered, span.collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_job_begins_after_the_last_irreversible_move() {
        let text = "1. e4 e5 2. Nf3 Nf6 3. Ng1 Ng8 4. Nf3 Nf6 5. Ng1 Ng8 6. Nf3 Nf6 7. d4 *";
        let game = game(text);
        let (_, job) = all(&game, 8..=12).remove(0);
        assert_eq!(job.positions().unwrap()[0].keys().len(), 6, "back to 1... e5");
        let (_, job) = all(&game, 13..=13).remove(0);
        assert_eq!((job.moves.as_str(), job.first), ("", 0));
    }

    #[test]
    fn the_text_of_an_effort_has_all_its_limits() {
        let effort = Effort { nodes: Some(200_000), depth: Some(9), movetime: Some(50), lines: 3, hash: 16 };
        assert_eq!(effort.text(), "200000 nodes, depth 9, 50 ms, 3 lines, table of 16 MiB");
    }

    #[test]
    fn the_name_depends_on_everything() {
        let game = game(RUY_LOPEZ);
        let (_, job) = all(&game, 0..=12).remove(1);
        let basis = || job.basis.clone();
        let other_engine =
            |fingerprint| AnalysisJob { basis: Basis { fingerprint, ..basis() }, ..job.clone() };
        let fingerprint = || basis().fingerprint;
        let effort = job.basis.effort;
        let others = [
            AnalysisJob { version: VERSION + 1, ..job.clone() },
            AnalysisJob { variant: Variant::Chess960, ..job.clone() },
            AnalysisJob { first: job.first + 1, ..job.clone() },
            AnalysisJob { moves: format!("{} a2a3", job.moves), ..job.clone() },
            AnalysisJob { start: Board::startpos().fen(false), ..job.clone() },
            other_engine(Fingerprint { build: "x".into(), ..fingerprint() }),
            other_engine(Fingerprint { network: "x".into(), ..fingerprint() }),
            other_engine(Fingerprint { parameters: "x".into(), ..fingerprint() }),
            other_engine(Fingerprint { tablebases: "x".into(), ..fingerprint() }),
            AnalysisJob {
                basis: Basis { effort: Effort { nodes: None, ..effort }, ..basis() },
                ..job.clone()
            },
            AnalysisJob {
                basis: Basis { effort: Effort { depth: Some(3), ..effort }, ..basis() },
                ..job.clone()
            },
            AnalysisJob {
                basis: Basis { effort: Effort { movetime: Some(3), ..effort }, ..basis() },
                ..job.clone()
            },
            AnalysisJob { basis: Basis { effort: Effort { lines: 2, ..effort }, ..basis() }, ..job.clone() },
            AnalysisJob { basis: Basis { effort: Effort { hash: 2, ..effort }, ..basis() }, ..job.clone() },
        ];
        let names: std::collections::BTreeSet<String> =
            others.iter().chain([&job]).map(AnalysisJob::name).collect();
        assert_eq!(names.len(), others.len() + 1);
        assert!(names.iter().all(|name| name.len() == 32));
        let again: AnalysisJob = serde_json::from_str(&serde_json::to_string(&job).unwrap()).unwrap();
        assert_eq!((again.name(), &again), (job.name(), &job));
    }

    #[test]
    fn settings_that_change_answers_change_the_basis() {
        let effort = basis(10).effort;
        let settings = Settings::default();
        let mut others = settings.clone();
        others.params.razor_depth = 0;
        assert_ne!(Basis::of(&settings, effort), Basis::of(&others, effort));
        let others = Settings { threads: 7, hash: 999, keep_hash: true, ..settings.clone() };
        assert_eq!(Basis::of(&settings, effort), Basis::of(&others, effort), "each search has its own");
    }

    #[test]
    fn forged_jobs_are_refused() {
        let game = game(RUY_LOPEZ);
        let (_, job) = all(&game, 0..=7).remove(0);
        let effort = |effort| AnalysisJob { basis: Basis { effort, ..basis(10) }, ..job.clone() };
        let valid = basis(10).effort;
        for (forged, error) in [
            (AnalysisJob { version: 99, ..job.clone() }, JobError::Version(99)),
            (AnalysisJob { first: 8, ..job.clone() }, JobError::Span),
            (AnalysisJob { moves: "a2a3 ".repeat(1000), ..job.clone() }, JobError::Span),
            (effort(Effort { nodes: None, ..valid }), JobError::Effort),
            (effort(Effort { nodes: Some(0), ..valid }), JobError::Effort),
            (effort(Effort { hash: 0, ..valid }), JobError::Effort),
            (effort(Effort { lines: 1000, ..valid }), JobError::Effort),
            (
                AnalysisJob { start: "no fen".into(), ..job.clone() },
                JobError::Fen(FenError::Placement("no".into())),
            ),
        ] {
            assert_eq!(forged.positions().unwrap_err(), error);
        }
        assert!(matches!(AnalysisJob { moves: "e2e5".into(), ..job }.positions(), Err(JobError::Move(_))));
        assert!(serde_json::from_str::<AnalysisJob>("{\"option\":\"EvalFile\"}").is_err());
    }
}
