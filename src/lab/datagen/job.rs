//! The unit of work of `datagen --queue`: some games of a run. Any process with the same engine plays the same games.
//!
//! A [`GamesJob`] holds everything that its [`GamesAnswer`] depends on, as plain values. It names no file and no
//! option. It has no book. Instead it lists positions for each game in the order in which they are tried. The game
//! begins from the first of them that is balanced. If none is balanced, the game gets another job with further
//! positions. Each game has a seed for its choices.
//!
//! Jobs and answers may come from strangers, so both are checked before they are used. To check an answer, its moves
//! and scores are played again under the rules of the original game. So every move is legal, and each game ends where
//! the rules and its scores end it.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

use crate::base::file::json;
use crate::base::random::Random;
use crate::chess::board::{Board, FenError, Game, Move, MoveError};
use crate::chess::types::Score;
use crate::engine::facade::Fingerprint;
use crate::engine::selfplay::adjudication::Adjudication;
use crate::engine::selfplay::opening::Openings;
use crate::engine::selfplay::pace::Pace;
use crate::engine::selfplay::play::{Player, choices_seed, play_first, play_from, starts};
use crate::engine::selfplay::record::GameRecord;
use crate::engine::selfplay::solo_player::TABLE_MEBIBYTES;
use crate::engine::selfplay::variety::TrainingRules;

/// The version of the format of jobs. It must increase with any change of the fields, of their meaning, or of the way
/// in which games are played.
pub const VERSION: u32 = 4;

/// The number of games of a job. With smaller jobs the server has more work. With larger jobs more games must be played
/// again when a worker dies.
pub const GAMES: usize = 8;

/// The number of positions for each game of a job. With random openings, about one game in 10,000 has no balanced
/// position among them.
pub const STARTS: usize = 8;

/// The number of further positions for a game that had no balanced position in its earlier jobs.
pub const MORE_STARTS: usize = 64;

/// An answer may have this many bytes for each game, and as many once more. A game usually takes about a kilobyte.
const GAME_BYTES: usize = 64 << 10;

/// The value of the field `kind`. Other kinds of jobs do not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GamesKind {
    Datagen,
}

/// The names of these jobs begin with this text.
pub const NAME_PREFIX: &str = "datagen-";

/// Games to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesJob {
    kind: GamesKind,
    version: u32,
    /// The fingerprint of the engine that plays.
    pub fingerprint: Fingerprint,
    /// How the games are played.
    pub rules: TrainingRules,
    /// The size of the table in MiB.
    pub hash: usize,
    games: Vec<GameTask>,
}

/// What a game needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameTask {
    /// The positions from which the game may begin, as FEN.
    starts: Vec<String>,
    /// The seed of the game's choices.
    seed: u64,
}

/// The positions from which a game may begin, in the order in which they are tried, and the seed of its choices.
#[derive(Clone, Debug, PartialEq)]
pub struct GameStarts {
    /// The positions.
    pub starts: Vec<Board>,
    /// The seed.
    pub seed: u64,
}

impl GameStarts {
    /// What [`crate::engine::selfplay::play::play`] would try, from position `tried` on, at most `count` positions.
    pub fn draw(openings: &Openings, random: Random, tried: usize, count: usize) -> GameStarts {
        let seed = choices_seed(&random);
        GameStarts { starts: starts(openings, random).skip(tried).take(count).collect(), seed }
    }
}

/// A job cannot be done, or an answer cannot belong to its job.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GamesError {
    /// The job has another version of the format.
    #[error("it is a job of version {0}, and this program knows version {VERSION}")]
    Version(u32),
    /// The job has a number or a size that is out of range.
    #[error("its limits are not valid")]
    Limits,
    /// A position from which a game may begin is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The answer does not have as many games as the job.
    #[error("the answer has {0} games, and the job has {1}")]
    Games(usize, usize),
    /// A game begins from a position that is not in the job or is not balanced.
    #[error("a game does not begin from a balanced position of the job")]
    Start,
    /// A move is wrong.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A score is out of range, or the number of scores is not the number of moves.
    #[error("a game does not have one valid score for each move")]
    Numbers,
    /// A move is not the random one that the game's seed chooses.
    #[error("a game does not have the random moves of its seed")]
    Choice,
    /// A game has too many or too few moves.
    #[error("a game does not end where the rules and its scores end it")]
    End,
}

impl GamesJob {
    /// Makes a job for these games.
    pub fn new(fingerprint: Fingerprint, rules: TrainingRules, games: &[GameStarts]) -> GamesJob {
        let task = |game: &GameStarts| GameTask {
            starts: game.starts.iter().map(|start| start.fen(true)).collect(),
            seed: game.seed,
        };
        let games = games.iter().map(task).collect();
        GamesJob {
            kind: GamesKind::Datagen,
            version: VERSION,
            fingerprint,
            rules,
            hash: TABLE_MEBIBYTES,
            games,
        }
    }

    /// The kind of job and a 128-bit hash of everything that the answer depends on.
    pub fn name(&self) -> String {
        let text = json(self);
        format!("{NAME_PREFIX}{:032x}", xxh3_128(text.as_bytes()))
    }

    /// The greatest number of nodes of a move.
    pub fn most_nodes(&self) -> u64 {
        self.rules.nodes.most()
    }

    /// The greatest length of the answer in bytes.
    pub fn answer_bytes(&self) -> usize {
        GAME_BYTES * (1 + self.games.len())
    }

    /// The positions and the seed of each game.
    ///
    /// # Errors
    ///
    /// [`GamesError`] if the job is not of the form that [`GamesJob::new`] makes.
    pub fn starts(&self) -> Result<Vec<GameStarts>, GamesError> {
        if self.version != VERSION {
            return Err(GamesError::Version(self.version));
        }
        let is_few = |game: &GameTask| (1..=MORE_STARTS).contains(&game.starts.len());
        let is_valid = self.rules.are_valid() && self.hash > 0 && (1..=GAMES).contains(&self.games.len());
        if !is_valid || !self.games.iter().all(is_few) {
            return Err(GamesError::Limits);
        }
        let board = |fen: &String| Board::from_fen(fen).map(|(board, _)| board);
        let boards = |game: &GameTask| {
            let starts = game.starts.iter().map(board).collect::<Result<_, FenError>>()?;
            Ok(GameStarts { starts, seed: game.seed })
        };
        Ok(self.games.iter().map(boards).collect::<Result<_, FenError>>()?)
    }

    /// Lets a player play the games.
    ///
    /// # Errors
    ///
    /// The errors of [`GamesJob::starts`].
    pub fn play(&self, player: &mut impl Player) -> Result<GamesAnswer, GamesError> {
        let games = self.starts()?.into_iter().map(|GameStarts { starts, seed }| {
            let (start, record) = play_first(player, starts, self.rules, seed)?;
            let moves: Vec<String> = record.plies.iter().map(|ply| ply.mv.to_uci(true).to_string()).collect();
            let scores = record.plies.iter().map(|ply| ply.score).collect();
            Some(GameAnswer { start, moves: moves.join(" "), scores })
        });
        Ok(GamesAnswer { games: games.collect() })
    }
}

/// The games of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesAnswer {
    /// The answer for each game; `None` if no position was balanced.
    pub games: Vec<Option<GameAnswer>>,
}

/// A game of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameAnswer {
    /// The index of the game's first position in the job's list for this game, from 0.
    pub start: usize,
    /// The moves in UCI notation. Castling is written as the king taking its rook.
    pub moves: String,
    /// The score of each move from White's point of view, in centipawns.
    pub scores: Vec<i16>,
}

impl GamesAnswer {
    /// Checks the answer and returns its games.
    ///
    /// # Errors
    ///
    /// [`GamesError`] if this cannot be the answer to `job`.
    pub fn check(&self, job: &GamesJob) -> Result<Vec<Option<GameRecord>>, GamesError> {
        let games = job.starts()?;
        if games.len() != self.games.len() {
            return Err(GamesError::Games(self.games.len(), games.len()));
        }
        let check = |(starts, game): (GameStarts, &Option<GameAnswer>)| {
            game.as_ref().map(|game| game.check(starts, job.rules)).transpose()
        };
        games.into_iter().zip(&self.games).map(check).collect()
    }
}

impl GameAnswer {
    fn check(
        &self,
        GameStarts { mut starts, seed }: GameStarts,
        rules: TrainingRules,
    ) -> Result<GameRecord, GamesError> {
        if self.start >= starts.len() {
            return Err(GamesError::Start);
        }
        let start = starts.swap_remove(self.start);
        let moves: Vec<&str> = self.moves.split_whitespace().collect();
        let range = -Score::MATE.value()..=Score::MATE.value();
        if moves.len() != self.scores.len()
            || !self.scores.iter().all(|score| range.contains(&i32::from(*score)))
        {
            return Err(GamesError::Numbers);
        }
        let mut replay = Replay {
            plies: moves.into_iter().zip(self.scores.iter().copied()),
            moves: Vec::new(),
            fault: None,
        };
        let record = play_from(&mut replay, start, Adjudication::TRAINING, rules.variety(seed));
        let is_replayed =
            |record: &GameRecord| record.plies.iter().map(|ply| ply.mv).eq(replay.moves.iter().copied());
        match replay.fault {
            Some(fault) => Err(fault),
            None if record.as_ref().is_some_and(|record| !is_replayed(record)) => Err(GamesError::Choice),
            None if replay.plies.next().is_some() && record.is_some() => Err(GamesError::End),
            None => record.ok_or(GamesError::Start),
        }
    }
}

/// A player that repeats given moves and scores.
struct Replay<I> {
    plies: I,
    /// The moves so far.
    moves: Vec<Move>,
    fault: Option<GamesError>,
}

impl<'a, I: Iterator<Item = (&'a str, i16)>> Player for Replay<I> {
    fn new_game(&mut self) {}

    fn choose(&mut self, game: &Game, _: Pace) -> (Move, Score) {
        let turn = game.board().turn();
        let (mv, for_white) = match self.plies.next() {
            Some((text, score)) => (game.parse_uci(text).map_err(GamesError::from), i32::from(score)),
            None => (Err(GamesError::End), 0),
        };
        match mv {
            Ok(mv) => {
                self.moves.push(mv);
                (mv, Score::new(turn.fold_wb(for_white, -for_white)))
            }
            Err(fault) => {
                self.fault.get_or_insert(fault);
                // This and the next call score a mate for White. Two such scores in a row end the game.
                let won = Score::mate_in(1);
                (game.board().legal_moves()[0], turn.fold_wb(won, -won))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::facade::Settings;
    use crate::engine::selfplay::pace::SoftNodes;
    use crate::engine::selfplay::play::play;
    use crate::engine::selfplay::play::tests::OnePly;

    /// The choices of a game must not depend on how its positions are drawn.
    fn varied() -> TrainingRules {
        let nodes = SoftNodes { fast: Some(5), ..SoftNodes::all(10) };
        TrainingRules { nodes, random_moves: 10 }
    }

    fn job(openings: &Openings, numbers: std::ops::Range<u64>, count: usize) -> GamesJob {
        let starts = |number| GameStarts::draw(openings, Random::stream(3, number), 0, count);
        let games: Vec<GameStarts> = numbers.map(starts).collect();
        GamesJob::new(Fingerprint::of(&Settings::default()), varied(), &games)
    }

    #[test]
    fn starting_positions_survive_their_text_form() {
        let odd = Board::from_fen("1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 7 41").unwrap().0;
        let fingerprint = Fingerprint::of(&Settings::default());
        for openings in [Openings::Standard, Openings::Chess960, Openings::Book(vec![odd])] {
            for number in 0..200 {
                let game = GameStarts::draw(&openings, Random::stream(3, number), 0, STARTS);
                let job = GamesJob::new(fingerprint.clone(), varied(), std::slice::from_ref(&game));
                assert_eq!(job.starts().unwrap(), [game]);
            }
        }
    }

    #[test]
    fn jobs_play_the_same_games_as_a_local_run() {
        for openings in [Openings::Standard, Openings::Chess960] {
            for numbers in [0..8, 8..13] {
                let job = job(&openings, numbers.clone(), STARTS);
                let found = job.play(&mut OnePly).unwrap().check(&job).unwrap();
                for (number, game) in numbers.zip(found) {
                    let local = play(&mut OnePly, &openings, varied(), Random::stream(3, number));
                    assert_eq!(game, local, "{number}");
                }
            }
        }
    }

    #[test]
    fn a_game_without_a_balanced_position_has_no_record() {
        let won = Board::from_fen("4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1").unwrap().0;
        let job = job(&Openings::Book(vec![won]), 0..2, 3);
        let answer = job.play(&mut OnePly).unwrap();
        assert_eq!(answer.games, [None, None]);
        assert_eq!(answer.check(&job), Ok(vec![None, None]));
    }

    #[test]
    fn the_name_depends_on_every_setting() {
        let job = job(&Openings::Standard, 0..2, 2);
        let fingerprint = || job.fingerprint.clone();
        let mut other_start = job.clone();
        other_start.games[1].starts[1] = Board::startpos().fen(true);
        let mut other_seed = job.clone();
        other_seed.games[1].seed += 1;
        let nodes = job.rules.nodes;
        let with = |nodes| GamesJob { rules: TrainingRules { nodes, ..job.rules }, ..job.clone() };
        let others = [
            GamesJob { version: VERSION + 1, ..job.clone() },
            with(SoftNodes { usual: 11, ..nodes }),
            with(SoftNodes { endgame: 11, ..nodes }),
            with(SoftNodes { endgame_pieces: 9, ..nodes }),
            with(SoftNodes { fast: None, ..nodes }),
            GamesJob { rules: TrainingRules { random_moves: 9, ..job.rules }, ..job.clone() },
            GamesJob { hash: 3, ..job.clone() },
            GamesJob { games: job.games[..1].to_vec(), ..job.clone() },
            other_start,
            other_seed,
            GamesJob { fingerprint: Fingerprint { build: "x".into(), ..fingerprint() }, ..job.clone() },
            GamesJob { fingerprint: Fingerprint { network: "x".into(), ..fingerprint() }, ..job.clone() },
            GamesJob { fingerprint: Fingerprint { parameters: "x".into(), ..fingerprint() }, ..job.clone() },
            GamesJob { fingerprint: Fingerprint { tablebases: "x".into(), ..fingerprint() }, ..job.clone() },
        ];
        let names: std::collections::BTreeSet<String> =
            others.iter().chain([&job]).map(GamesJob::name).collect();
        assert_eq!(names.len(), others.len() + 1);
        let again: GamesJob = serde_json::from_str(&serde_json::to_string(&job).unwrap()).unwrap();
        assert_eq!((again.name(), &again), (job.name(), &job));
    }

    #[test]
    fn forged_jobs_are_refused() {
        let job = job(&Openings::Standard, 0..2, 2);
        let game = job.games[0].clone();
        let many = GameTask { starts: vec![game.starts[0].clone(); MORE_STARTS + 1], ..game.clone() };
        let with = |rules| GamesJob { rules, ..job.clone() };
        let nodes = SoftNodes { usual: 0, ..job.rules.nodes };
        for (forged, error) in [
            (GamesJob { version: 99, ..job.clone() }, GamesError::Version(99)),
            (with(TrainingRules { nodes, ..job.rules }), GamesError::Limits),
            (with(TrainingRules { random_moves: 101, ..job.rules }), GamesError::Limits),
            (GamesJob { hash: 0, ..job.clone() }, GamesError::Limits),
            (GamesJob { games: Vec::new(), ..job.clone() }, GamesError::Limits),
            (
                GamesJob { games: vec![GameTask { starts: Vec::new(), seed: 1 }], ..job.clone() },
                GamesError::Limits,
            ),
            (GamesJob { games: vec![game; GAMES + 1], ..job.clone() }, GamesError::Limits),
            (GamesJob { games: vec![many], ..job.clone() }, GamesError::Limits),
        ] {
            assert_eq!(forged.starts().unwrap_err(), error);
        }
        let forged =
            GamesJob { games: vec![GameTask { starts: vec!["no position".to_owned()], seed: 1 }], ..job };
        assert!(matches!(forged.starts(), Err(GamesError::Fen(_))));
        assert!(serde_json::from_str::<GamesJob>("{\"kind\":\"datagen\",\"option\":\"EvalFile\"}").is_err());
    }

    #[test]
    fn forged_answers_are_refused() {
        let job = job(&Openings::Standard, 0..1, 4);
        let answer = job.play(&mut OnePly).unwrap();
        let game = answer.games[0].clone().unwrap();
        let checked = |game: GameAnswer| GamesAnswer { games: vec![Some(game)] }.check(&job);
        assert!(checked(game.clone()).is_ok());
        let two = GamesAnswer { games: vec![None, None] };
        assert_eq!(two.check(&job), Err(GamesError::Games(2, 1)));
        let mut moves: Vec<&str> = game.moves.split(' ').collect();
        let mut scores = game.scores.clone();
        moves.pop();
        scores.pop();
        let short = GameAnswer { moves: moves.join(" "), scores: scores.clone(), ..game.clone() };
        assert_eq!(checked(short), Err(GamesError::End));
        let long = GameAnswer {
            moves: format!("{} a2a3", game.moves),
            scores: [&game.scores[..], &[0]].concat(),
            ..game.clone()
        };
        assert_eq!(checked(long), Err(GamesError::End));
        assert_eq!(checked(GameAnswer { scores, ..game.clone() }), Err(GamesError::Numbers));
        assert_eq!(checked(GameAnswer { start: 4, ..game.clone() }), Err(GamesError::Start));
        let mut scores = game.scores.clone();
        scores[0] = i16::MIN;
        assert_eq!(checked(GameAnswer { scores: scores.clone(), ..game.clone() }), Err(GamesError::Numbers));
        scores[0] = 301;
        assert_eq!(checked(GameAnswer { scores, ..game.clone() }), Err(GamesError::Start));
        let mut other = job.clone();
        other.games[0].seed += 1;
        let fault = answer.check(&other).unwrap_err();
        assert!(matches!(fault, GamesError::Choice | GamesError::Move(_)), "{fault}");
        let illegal = GameAnswer { moves: game.moves.replacen(' ', " a1a8 ", 1), ..game.clone() };
        let illegal = GameAnswer { scores: [&game.scores[..], &[0]].concat(), ..illegal };
        assert!(matches!(checked(illegal), Err(GamesError::Move(_))));
    }
}
