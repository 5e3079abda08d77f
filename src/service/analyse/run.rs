//! Turns games into reports. A game is divided into chunks, the chunks are searched in parallel, and the results are
//! put together again in the order of the games.
//!
//! Everything except the searches happens on the calling thread. So the order of the output cannot depend on the order
//! of the searches.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::answer::{Answer, AnswerError, Found};
use super::assessment::{Assessment, span};
use super::games::{GameInput, Games};
use super::in_flight::{ChunkInFlight, GameInFlight, InFlight};
use super::job::{AnalysisJob, Basis, Effort, JobError, jobs};
use super::journal::{Journal, JournalError, WINDOW};
use super::report::{Places, Reports, Setting};
use super::workers::{Done, JobRequest, Workers, Workforce, WorkforceError};
use crate::base::file::FileError;
use crate::chess::pgn::{GameNote, GameTree};
use crate::engine::facade::{EngineError, Settings};

/// The greatest number of notes about one game. Old files can have a fault in every variation.
const SHOWN_NOTES: usize = 3;

/// Which games to analyze, how, and where to write the reports.
#[derive(Clone, Debug)]
pub struct AnalysisPlan {
    /// The places of the reports.
    pub places: Places,
    /// The limits and the settings of the search of each position.
    pub effort: Effort,
    /// The number of positions that are searched at the same time.
    pub threads: usize,
    /// Analyze only games of players whose name contains this text. Upper and lower case are equal.
    pub player: Option<String>,
    /// The number of the first move to analyze.
    pub from: Option<u32>,
    /// The number of the last move to analyze.
    pub to: Option<u32>,
    /// The network, the parameters and the tablebases.
    pub settings: Settings,
}

/// An analysis failed.
#[derive(Debug, Error)]
pub enum AnalyseError {
    /// The games cannot be read, or the reports cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The journal of earlier runs cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The system refused memory or threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The workers cannot go on.
    #[error(transparent)]
    Workforce(#[from] WorkforceError),
    /// No place for reports was given.
    #[error("nothing to write: --out, --json or --html is needed")]
    NoPlace,
    /// A report would replace the games.
    #[error("{}: the reports must not take the place of the games", .0.display())]
    SameFile(PathBuf),
    /// No position was searched. The text says why.
    #[error("nothing was analyzed: {0}; earlier reports stay as they are")]
    Nothing(String),
    /// The listener has ended the analysis.
    #[error("the analysis was interrupted")]
    Interrupted,
    /// Two reports have the same place.
    #[error("{}: two reports cannot have the same place", .0.display())]
    SamePlace(PathBuf),
}

/// The progress of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The number of games in the reports.
    pub games: u64,
    /// The number of games that could not be read or searched.
    pub failed: u64,
    /// The number of games of other players.
    pub others: u64,
    /// The number of positions with a result.
    pub positions: u64,
    /// The number of these that an earlier run had searched.
    pub restored: u64,
    /// The number of all positions. It is an estimate until the last game has been read; `None` if the length of the
    /// input is unknown.
    pub expected: Option<u64>,
}

/// Receives the events of an analysis.
pub trait Listener {
    /// The analysis has made progress.
    fn progress(&mut self, progress: &Progress);
    /// A game is left out for this reason. `number` is its number in the input, from 1.
    fn left_out(&mut self, number: u64, reason: &str);
    /// Something in a game was not understood or was read in an unusual way. `number` is the game's number in the
    /// input, from 1.
    fn game_note(&mut self, number: u64, text: &str);
    /// A message for the user.
    fn note(&mut self, text: &str);
    /// Whether the analysis has to end before it is complete. It then leaves its journal.
    fn is_over(&self) -> bool {
        false
    }
}

/// Analyzes games with threads of this machine, see [`run_with`].
///
/// # Errors
///
/// [`AnalyseError`]. The reports of earlier runs then stay.
pub fn run(plan: &AnalysisPlan, games: Games, listener: &mut dyn Listener) -> Result<Progress, AnalyseError> {
    let start = |basis: &Basis| Ok(Workers::start(plan.threads, &plan.settings, basis)?);
    run_with(plan, games, listener, start)
}

/// Analyzes games with the workforce that `start` starts, and writes the reports. A journal beside the first report
/// keeps all answers until the reports are in place. So a run that was killed can be continued.
///
/// # Errors
///
/// [`AnalyseError`]. The reports of earlier runs then stay.
pub fn run_with<W: Workforce>(
    plan: &AnalysisPlan,
    games: Games,
    listener: &mut dyn Listener,
    start: impl FnOnce(&Basis) -> Result<W, AnalyseError>,
) -> Result<Progress, AnalyseError> {
    plan.places.given().next().ok_or(AnalyseError::NoPlace)?;
    check_places(plan, &games)?;
    plan.places.check()?;
    let basis = Basis::of(&plan.settings, plan.effort);
    let mut journal = match plan.places.first_file() {
        Some(report) => Journal::open(&journal_path(report), &basis)?,
        None => Journal::without_file(),
    };
    let workers = start(&basis)?;
    let setting = Setting::new(&basis, plan.places.board.clone());
    let written = plan.places.write(&setting, |reports| {
        let mut run = Run {
            basis: &basis,
            inputs: GameInputs::new(plan, games),
            workers,
            in_flight: InFlight::default(),
            written: Written { journal: &mut journal, reports },
            held: Vec::new(),
            progress: ProgressReport { listener, progress: Progress::default() },
        };
        run.analyze_all()?;
        match run.progress.progress {
            progress if progress.positions == 0 => Err(AnalyseError::Nothing(emptiness(&progress))),
            progress => Ok(progress),
        }
    });
    // The journal is not needed any more if the reports are in place, or if it has nothing to keep.
    if matches!(written, Ok(_) | Err(AnalyseError::Nothing(_))) {
        journal.remove()?;
    }
    written
}

/// Why there is no position.
fn emptiness(progress: &Progress) -> String {
    let counts = [
        (progress.failed, "left out"),
        (progress.others, "of other players"),
        (progress.games, "without the moves asked for"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if parts.is_empty() { "there is no game".to_owned() } else { format!("games: {}", parts.join(", ")) }
}

/// The path of the journal beside a report.
pub fn journal_path(report: &Path) -> PathBuf {
    // The path of a directory may end in a slash.
    let name = report.components().as_path().as_os_str();
    let mut path = name.to_owned();
    path.push(".journal");
    PathBuf::from(path)
}

/// The games are read while the reports are written. So the games and all reports must be different files.
fn check_places(plan: &AnalysisPlan, games: &Games) -> Result<(), AnalyseError> {
    let places: Vec<&Path> = plan.places.given().collect();
    if let Some((_, same)) = places.iter().enumerate().find(|(index, path)| places[..*index].contains(path)) {
        return Err(AnalyseError::SamePlace(same.to_path_buf()));
    }
    let Some(Ok(input)) = games.path().map(Path::canonicalize) else { return Ok(()) };
    match places.into_iter().find(|path| path.canonicalize().is_ok_and(|path| path == input)) {
        Some(path) => Err(AnalyseError::SameFile(path.to_owned())),
        None => Ok(()),
    }
}

/// The games to analyze.
struct GameInputs<'a> {
    plan: &'a AnalysisPlan,
    games: Games,
    /// The name of the file of games, for messages.
    name: String,
    /// Whether all games have been read.
    is_over: bool,
    /// The number of positions to analyze in the games that were read.
    positions: u64,
}

impl<'a> GameInputs<'a> {
    fn new(plan: &'a AnalysisPlan, games: Games) -> GameInputs<'a> {
        let name = games.name().file_name().unwrap_or_default().to_string_lossy().into_owned();
        GameInputs { plan, games, name, is_over: false, positions: 0 }
    }

    /// Reads the next game, or the reason why it cannot be read.
    fn next_game(&mut self) -> Result<Option<GameInput>, FileError> {
        let read = self.games.next_game().map_err(FileError::because("cannot read", self.games.name()))?;
        self.is_over = read.is_none();
        Ok(read)
    }

    /// Whether one of the players is the one that the plan asks for.
    fn is_chosen(&self, game: &GameTree) -> bool {
        let Some(player) = &self.plan.player else { return true };
        let player = player.to_lowercase();
        let names = ["White", "Black"].into_iter().filter_map(|side| game.tag(side));
        names.into_iter().any(|name| name.to_lowercase().contains(&player))
    }

    /// The number of positions in all games, estimated from the part of the input that has been read.
    fn expected_positions(&self) -> Option<u64> {
        let part = if self.is_over { Some(1.0) } else { self.games.part_read() };
        part.map(|part| (self.positions as f64 / part.max(1e-9)) as u64)
    }
}

/// The files that are written.
struct Written<'a, 'r> {
    journal: &'a mut Journal,
    reports: &'a mut Reports<'r>,
}

/// The progress and its listener.
struct ProgressReport<'a> {
    listener: &'a mut dyn Listener,
    progress: Progress,
}

impl ProgressReport<'_> {
    fn leave_out(&mut self, number: u64, reason: &str) {
        self.progress.failed += 1;
        self.listener.left_out(number, reason);
    }

    /// Tells what was not understood in a game: the first notes, and the number of the others.
    fn note(&mut self, number: u64, notes: &[GameNote]) {
        for note in notes.iter().take(SHOWN_NOTES) {
            self.listener.game_note(number, &note.to_string());
        }
        if notes.len() > SHOWN_NOTES {
            let more = notes.len() - SHOWN_NOTES;
            self.listener.game_note(number, &format!("{more} more notes of this kind"));
        }
    }

    fn report(&mut self, expected: Option<u64>) {
        self.progress.expected = expected;
        self.listener.progress(&self.progress);
    }
}

/// An answer as received and its checked results, or the error.
type Checked = Result<(Answer, Vec<Found>), JobError>;

/// An analysis in progress.
struct Run<'a, 'r, W> {
    basis: &'a Basis,
    inputs: GameInputs<'a>,
    workers: W,
    in_flight: InFlight,
    written: Written<'a, 'r>,
    /// Finished games before the first position with a result, at most [`WINDOW`].
    held: Vec<Assessment>,
    progress: ProgressReport<'a>,
}

impl<W: Workforce> Run<'_, '_, W> {
    fn analyze_all(&mut self) -> Result<(), AnalyseError> {
        loop {
            while !self.inputs.is_over && self.has_room() {
                self.start_next_game()?;
                self.write_finished_games()?;
            }
            self.progress.report(self.inputs.expected_positions());
            if self.in_flight.chunks.is_empty() {
                return Ok(());
            }
            self.receive_answers()?;
            self.write_finished_games()?;
            if self.progress.listener.is_over() {
                return Err(AnalyseError::Interrupted);
            }
        }
    }

    /// Whether another game can begin.
    fn has_room(&self) -> bool {
        self.in_flight.chunks.len() < self.workers.lookahead() && self.in_flight.games.len() < WINDOW
    }

    /// Begins the next game of the input, if there is one.
    fn start_next_game(&mut self) -> Result<(), AnalyseError> {
        let read = self.inputs.next_game()?;
        let number = self.inputs.games.number();
        let Some(GameInput { game, notes }) = read else { return Ok(()) };
        match game {
            Err(error) => self.progress.leave_out(number, &error.to_string()),
            Ok(game) if !self.inputs.is_chosen(&game) => self.progress.progress.others += 1,
            Ok(game) => {
                self.progress.note(number, &notes);
                self.start_game(number, game)?;
            }
        }
        Ok(())
    }

    /// Divides a game into chunks, and submits those whose answers are not known.
    fn start_game(&mut self, number: u64, game: GameTree) -> Result<(), AnalyseError> {
        self.written.journal.reach(self.in_flight.next_game())?;
        let mut game = GameInFlight::new(number, game);
        let span = span(&game.game, &game.boards, self.inputs.plan.from, self.inputs.plan.to);
        self.inputs.positions += span.clone().map_or(0, Iterator::count) as u64;
        let chunks = span.map(|span| jobs(&game.game, &game.boards, span, self.basis).collect::<Vec<_>>());
        for (span, job) in chunks.unwrap_or_default() {
            self.start_chunk(&mut game, span, job);
        }
        self.in_flight.games.push_back(game);
        Ok(())
    }

    /// Submits a chunk of the next game, unless the journal has its answer.
    fn start_chunk(&mut self, game: &mut GameInFlight, span: RangeInclusive<usize>, job: AnalysisJob) {
        let name = job.name();
        // Somebody may have changed the journal. A chunk whose answer is wrong is searched again.
        let known = self.written.journal.answer(&name).and_then(|answer| answer.check(&job).ok());
        if let Some(found) = known {
            let progress = &mut self.progress.progress;
            progress.positions += found.len() as u64;
            progress.restored += found.len() as u64;
            game.fill(span, found);
            return;
        }
        game.missing += 1;
        let label = format!("{}, game {}", self.inputs.name, game.number);
        let chunk =
            ChunkInFlight { game: self.in_flight.next_game(), span, job: job.clone(), name: name.clone() };
        let ticket = self.in_flight.add_chunk(chunk);
        self.workers.submit(JobRequest { ticket, name, label, job });
    }

    /// Waits for answers. They are in the journal before they are used.
    fn receive_answers(&mut self) -> Result<(), AnalyseError> {
        let mut answers: Vec<(ChunkInFlight, Checked)> = Vec::new();
        let listener = &mut *self.progress.listener;
        for Done { ticket, answer, notes } in self.workers.wait(&mut |text| listener.note(text))? {
            notes.iter().for_each(|note| listener.note(note));
            let chunk = self.in_flight.chunks.remove(&ticket).expect("an answer for each job");
            let answer = checked(answer, &chunk.job);
            answers.push((chunk, answer));
        }
        let found = answers.iter().filter_map(|(chunk, answer)| {
            let (answer, _) = answer.as_ref().ok()?;
            Some((chunk.game, chunk.name.as_str(), answer))
        });
        self.written.journal.append(found)?;
        for (chunk, answer) in answers {
            let game = self.in_flight.game(chunk.game);
            game.missing -= 1;
            match answer {
                Ok((_, found)) => {
                    self.progress.progress.positions += found.len() as u64;
                    game.fill(chunk.span, found);
                }
                Err(error) => game.fault = Some(error),
            }
        }
        Ok(())
    }

    /// Writes the finished games in their order.
    fn write_finished_games(&mut self) -> Result<(), AnalyseError> {
        while let Some(GameInFlight { number, game, boards, found, fault, .. }) =
            self.in_flight.take_finished()
        {
            if let Some(fault) = fault {
                self.progress.leave_out(number, &fault.to_string());
            } else {
                self.held.push(Assessment::new(number, game, boards, found));
                self.progress.progress.games += 1;
            }
        }
        // A run that analyzes nothing must not replace the pages of an earlier run.
        if self.progress.progress.positions > 0 || self.held.len() > WINDOW {
            self.held.drain(..).try_for_each(|game| self.written.reports.add(&game))?;
        }
        Ok(())
    }
}

/// Checks an answer to a job.
fn checked(answer: Result<Answer, JobError>, job: &AnalysisJob) -> Checked {
    let answer = answer?;
    match answer.check(job) {
        Ok(found) => Ok((answer, found)),
        Err(AnswerError::Job(error)) => Err(error),
        Err(_) => Err(JobError::Failed),
    }
}
