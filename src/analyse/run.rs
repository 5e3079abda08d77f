//! Turns games into reports. A game is divided into chunks, the chunks are searched in parallel, and the results are
//! put together again in the order of the games.
//!
//! Everything except the searches happens on the calling thread. So the order of the output cannot depend on the order
//! of the searches.

use std::collections::{HashMap, VecDeque};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::answer::{Answer, AnswerError, Found};
use super::assessment::{Assessment, span};
use super::games::{Games, SourceGame};
use super::job::{AnalysisJob, Basis, Effort, JobError, jobs};
use super::journal::{Journal, JournalError, WINDOW};
use super::report::{Places, Reports, Setting};
use super::workers::{Done, JobRequest, Workers, Workforce, WorkforceError};
use crate::board::Board;
use crate::engine::{EngineError, Settings};
use crate::file::FileError;

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
    /// A message for the user.
    fn note(&mut self, text: &str);
}

/// Analyzes games with threads of this machine, see [`run_by`].
///
/// # Errors
///
/// [`AnalyseError`]. The reports of earlier runs then stay.
pub fn run(plan: &AnalysisPlan, games: Games, listener: &mut dyn Listener) -> Result<Progress, AnalyseError> {
    let start = |basis: &Basis| Ok(Workers::start(plan.threads, &plan.settings, basis)?);
    run_by(plan, games, listener, start)
}

/// Analyzes games with the workforce that `start` starts, and writes the reports. A journal beside the first report
/// keeps all answers until the reports are in place. So a run that was killed can be continued.
///
/// # Errors
///
/// [`AnalyseError`]. The reports of earlier runs then stay.
pub fn run_by<W: Workforce>(
    plan: &AnalysisPlan,
    mut games: Games,
    listener: &mut dyn Listener,
    start: impl FnOnce(&Basis) -> Result<W, AnalyseError>,
) -> Result<Progress, AnalyseError> {
    let journal_path = journal_path(plan.places.first().ok_or(AnalyseError::NoPlace)?);
    check_places(plan, &games)?;
    plan.places.check()?;
    let basis = Basis::of(&plan.settings, plan.effort);
    let mut journal = Journal::open(&journal_path, &basis)?;
    let workers = start(&basis)?;
    let setting = Setting::new(&basis);
    let progress = plan.places.write(&setting, |reports| {
        let mut run = Run {
            plan,
            basis: &basis,
            input: games.name().file_name().unwrap_or_default().to_string_lossy().into_owned(),
            workers,
            journal: &mut journal,
            listener,
            under_way: VecDeque::new(),
            tickets: HashMap::new(),
            next_ticket: 0,
            taken_up: 0,
            finished: 0,
            progress: Progress::default(),
            positions_read: 0,
        };
        run.all(&mut games, reports)?;
        Ok::<_, AnalyseError>(run.progress)
    })?;
    // The reports are in place, so the journal is not needed any more.
    journal.remove()?;
    Ok(progress)
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
    let Places { pgn, json, html } = &plan.places;
    let places: Vec<&PathBuf> = [pgn, json, html].into_iter().flatten().collect();
    if let Some((_, same)) = places.iter().enumerate().find(|(index, path)| places[..*index].contains(path)) {
        return Err(AnalyseError::SamePlace((*same).clone()));
    }
    let Some(Ok(input)) = games.path().map(Path::canonicalize) else { return Ok(()) };
    match places.into_iter().find(|path| path.canonicalize().is_ok_and(|path| path == input)) {
        Some(path) => Err(AnalyseError::SameFile(path.clone())),
        None => Ok(()),
    }
}

/// A game whose chunks are being searched.
struct UnderWay {
    /// The game's number in the input, from 1.
    number: u64,
    game: SourceGame,
    boards: Vec<Board>,
    found: Vec<Option<Found>>,
    /// The number of chunks without an answer.
    missing: usize,
    fault: Option<JobError>,
}

/// A chunk that is being searched.
struct Ticket {
    /// The number of its game among the analyzed games.
    game: u64,
    span: RangeInclusive<usize>,
    job: AnalysisJob,
    name: String,
}

/// An answer as received and its checked results, or the error.
type Checked = Result<(Answer, Vec<Found>), JobError>;

struct Run<'a, W> {
    plan: &'a AnalysisPlan,
    basis: &'a Basis,
    /// The name of the file of games.
    input: String,
    workers: W,
    journal: &'a mut Journal,
    listener: &'a mut dyn Listener,
    /// The games in their order, from the first one that is not in the reports yet.
    under_way: VecDeque<UnderWay>,
    tickets: HashMap<u64, Ticket>,
    next_ticket: u64,
    /// The number of games that were begun, and the number of these that are finished.
    taken_up: u64,
    finished: u64,
    progress: Progress,
    /// The number of positions in the games that were read.
    positions_read: u64,
}

impl<W: Workforce> Run<'_, W> {
    fn all(&mut self, games: &mut Games, reports: &mut Reports<'_>) -> Result<(), AnalyseError> {
        let mut is_over = false;
        loop {
            while !is_over && self.tickets.len() < self.workers.appetite() && self.under_way.len() < WINDOW {
                is_over = !self.take_up(games)?;
                self.put_out(reports)?;
            }
            self.expect(games, is_over);
            if self.tickets.is_empty() {
                return Ok(());
            }
            self.receive()?;
            self.put_out(reports)?;
        }
    }

    /// Begins the next game of the input. Returns whether there was one.
    fn take_up(&mut self, games: &mut Games) -> Result<bool, AnalyseError> {
        let read = games.next_game().map_err(FileError::because("cannot read", games.name()))?;
        let number = games.number();
        match read {
            None => return Ok(false),
            Some(Err(error)) => self.leave_out(number, &error.to_string()),
            Some(Ok(game)) if !self.is_chosen(&game) => self.progress.others += 1,
            Some(Ok(game)) => self.begin(number, game)?,
        }
        Ok(true)
    }

    fn is_chosen(&self, game: &SourceGame) -> bool {
        let Some(player) = &self.plan.player else { return true };
        let player = player.to_lowercase();
        let names = ["White", "Black"].into_iter().filter_map(|side| game.tag(side));
        names.into_iter().any(|name| name.to_lowercase().contains(&player))
    }

    fn leave_out(&mut self, number: u64, reason: &str) {
        self.progress.failed += 1;
        self.listener.left_out(number, reason);
    }

    /// Divides a game into chunks, and submits those whose answers are not known.
    fn begin(&mut self, number: u64, game: SourceGame) -> Result<(), AnalyseError> {
        let place = self.taken_up;
        self.taken_up += 1;
        self.journal.reach(place)?;
        let boards = game.boards();
        let mut under_way =
            UnderWay { number, found: vec![None; boards.len()], boards, game, missing: 0, fault: None };
        let span = span(&under_way.game, &under_way.boards, self.plan.from, self.plan.to);
        self.positions_read += span.clone().map_or(0, Iterator::count) as u64;
        let chunks =
            span.map(|span| jobs(&under_way.game, &under_way.boards, span, self.basis).collect::<Vec<_>>());
        for (span, job) in chunks.unwrap_or_default() {
            let name = job.name();
            // Somebody may have changed the journal. A chunk whose answer is wrong is searched again.
            let known = self.journal.answer(&name).and_then(|answer| answer.check(&job).ok());
            if let Some(found) = known {
                self.progress.positions += found.len() as u64;
                self.progress.restored += found.len() as u64;
                under_way.fill(span, found);
                continue;
            }
            under_way.missing += 1;
            let label = format!("{}, game {number}", self.input);
            let request =
                JobRequest { ticket: self.next_ticket, name: name.clone(), label, job: job.clone() };
            self.workers.submit(request);
            self.tickets.insert(self.next_ticket, Ticket { game: place, span, job, name });
            self.next_ticket += 1;
        }
        self.under_way.push_back(under_way);
        Ok(())
    }

    /// Waits for answers. They are in the journal before they are used.
    fn receive(&mut self) -> Result<(), AnalyseError> {
        let mut answers: Vec<(Ticket, Checked)> = Vec::new();
        let done = self.workers.wait(&mut |text| self.listener.note(text))?;
        for Done { ticket, answer, notes } in done {
            notes.iter().for_each(|note| self.listener.note(note));
            let ticket = self.tickets.remove(&ticket).expect("an answer for each job");
            let answer = answer.and_then(|answer| match answer.check(&ticket.job) {
                Ok(found) => Ok((answer, found)),
                Err(AnswerError::Job(error)) => Err(error),
                Err(_) => Err(JobError::Failed),
            });
            answers.push((ticket, answer));
        }
        let found = answers.iter().filter_map(|(ticket, answer)| {
            let (answer, _) = answer.as_ref().ok()?;
            Some((ticket.game, ticket.name.as_str(), answer))
        });
        self.journal.append(found)?;
        for (ticket, answer) in answers {
            let under_way = &mut self.under_way[(ticket.game - self.finished) as usize];
            under_way.missing -= 1;
            match answer {
                Ok((_, found)) => {
                    self.progress.positions += found.len() as u64;
                    under_way.fill(ticket.span, found);
                }
                Err(error) => under_way.fault = Some(error),
            }
        }
        Ok(())
    }

    /// Writes the finished games in their order.
    fn put_out(&mut self, reports: &mut Reports<'_>) -> Result<(), AnalyseError> {
        while self.under_way.front().is_some_and(|game| game.missing == 0) {
            let UnderWay { number, game, boards, found, fault, .. } =
                self.under_way.pop_front().expect("a game");
            self.finished += 1;
            if let Some(fault) = fault {
                self.leave_out(number, &fault.to_string());
            } else {
                reports.add(&Assessment::new(number, game, boards, found))?;
                self.progress.games += 1;
            }
        }
        Ok(())
    }

    /// Reports the progress. The number of all positions is estimated from the part of the input that has been read.
    fn expect(&mut self, games: &Games, is_over: bool) {
        let part = if is_over { Some(1.0) } else { games.part_read() };
        self.progress.expected = part.map(|part| (self.positions_read as f64 / part.max(1e-9)) as u64);
        self.listener.progress(&self.progress);
    }
}

impl UnderWay {
    fn fill(&mut self, span: RangeInclusive<usize>, found: Vec<Found>) {
        for (index, found) in span.zip(found) {
            self.found[index] = Some(found);
        }
    }
}
