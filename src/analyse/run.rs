//! From the games to the reports: a game is cut into chunks, the chunks are searched side by side, and what was found
//! is put together again in the games' order.
//!
//! Everything but the searches happens on the thread that asks, so that the order of the output cannot depend on
//! theirs.

use std::collections::{HashMap, VecDeque};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::assessment::{Assessment, span};
use super::games::{Games, SourceGame};
use super::job::{Answer, AnswerError, Basis, Effort, Found, Job, JobError, jobs};
use super::journal::{Journal, JournalError, WINDOW};
use super::report::{Places, Reports, Setting};
use super::workers::{Done, JobRequest, Workers, Workforce, WorkforceError};
use crate::board::Board;
use crate::engine::{EngineError, Settings};
use crate::file::FileError;

/// How games are to be analysed, which of them, and where the reports go.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The reports.
    pub places: Places,
    /// How much is done for each position.
    pub effort: Effort,
    /// Positions searched side by side.
    pub threads: usize,
    /// Analyse only games of players whose name contains this text, in small letters or capitals.
    pub player: Option<String>,
    /// The number of the first move to analyse.
    pub from: Option<u32>,
    /// The number of the last move to analyse.
    pub to: Option<u32>,
    /// Network, parameters and tablebases.
    pub settings: Settings,
}

/// Why an analysis was given up.
#[derive(Debug, Error)]
pub enum AnalyseError {
    /// The games or the reports.
    #[error(transparent)]
    File(#[from] FileError),
    /// What earlier runs have found.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Memory or threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Those who search.
    #[error(transparent)]
    Workforce(#[from] WorkforceError),
    /// There is no place for reports.
    #[error("nothing to write: --out, --json or --html is needed")]
    NoPlace,
    /// A report would take the place of the games.
    #[error("{}: the reports must not take the place of the games", .0.display())]
    SameFile(PathBuf),
    /// One report would take the place of another.
    #[error("{}: two reports cannot have the same place", .0.display())]
    SamePlace(PathBuf),
}

/// How far an analysis is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Games in the reports.
    pub games: u64,
    /// Games that could not be read or searched.
    pub failed: u64,
    /// Games of other players.
    pub others: u64,
    /// Positions that are known.
    pub positions: u64,
    /// Those of them that an earlier run had searched.
    pub restored: u64,
    /// Positions in all, as far as can be told: estimated until the last game has been read, unknown where the length
    /// of the input is.
    pub expected: Option<u64>,
}

/// Hears of an analysis.
pub trait Listener {
    /// It has come so far.
    fn progress(&mut self, progress: &Progress);
    /// A game that is left out, by its place in the input from 1, and why.
    fn left_out(&mut self, number: u64, reason: &str);
    /// Something else that the user should know.
    fn note(&mut self, text: &str);
}

/// Analyses games by threads of this machine, see [`run_by`].
///
/// # Errors
///
/// [`AnalyseError`]; the reports of earlier runs stay then.
pub fn run(plan: &Plan, games: Games, listener: &mut dyn Listener) -> Result<Progress, AnalyseError> {
    let start = |basis: &Basis| Ok(Workers::start(plan.threads, &plan.settings, basis)?);
    run_by(plan, games, listener, start)
}

/// Analyses games by the workforce that `start` has ready, and writes the reports. What was found is kept in a journal
/// beside the first of them until they are all in place, so that the same run goes on where it was killed.
///
/// # Errors
///
/// [`AnalyseError`]; the reports of earlier runs stay then.
pub fn run_by<W: Workforce>(
    plan: &Plan,
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
    // The reports are in place: what it holds is not needed any more.
    journal.remove()?;
    Ok(progress)
}

/// The journal beside a report.
pub fn journal_path(report: &Path) -> PathBuf {
    // A directory may be given with a slash at its end.
    let name = report.components().as_path().as_os_str();
    let mut path = name.to_owned();
    path.push(".journal");
    PathBuf::from(path)
}

/// The games are read while reports are written, and several of them: those must not be the same file.
fn check_places(plan: &Plan, games: &Games) -> Result<(), AnalyseError> {
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

/// A game that is being searched.
struct UnderWay {
    /// Its place in the input, from 1.
    number: u64,
    game: SourceGame,
    boards: Vec<Board>,
    found: Vec<Option<Found>>,
    /// Chunks without an answer.
    missing: usize,
    fault: Option<JobError>,
}

/// A chunk that is being searched.
struct Ticket {
    /// The place of its game among those analysed.
    game: u64,
    span: RangeInclusive<usize>,
    job: Job,
    name: String,
}

/// An answer as it came and as it was understood, if it was any.
type Checked = Result<(Answer, Vec<Found>), JobError>;

struct Run<'a, W> {
    plan: &'a Plan,
    basis: &'a Basis,
    /// Name of the file of games.
    input: String,
    workers: W,
    journal: &'a mut Journal,
    listener: &'a mut dyn Listener,
    /// Games in their order, from the first one that is not in the reports.
    under_way: VecDeque<UnderWay>,
    tickets: HashMap<u64, Ticket>,
    next_ticket: u64,
    /// Games that were taken up, and those of them that are finished.
    taken_up: u64,
    finished: u64,
    progress: Progress,
    /// Positions of the games that were read.
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

    /// Takes up the next game of the input; whether there was one.
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

    /// Cuts a game into chunks, and has those searched that are not known.
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
            // What the journal holds may have been tampered with: then it is searched again.
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

    /// Waits for answers, and has them safe before anything is made of them.
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

    /// Writes the games that are finished, in their order.
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

    /// Tells how far it is, with an estimate of the whole from what has been read.
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
