//! Plays a game: a random opening, and then moves until the rules or the [`Referee`] end the game.

use super::adjudication::{Adjudication, MAX_START, Referee};
use super::opening::Openings;
use super::pace::Pace;
use super::record::{GameRecord, GameResult, Ply};
use super::variety::{TrainingRules, Variety, can_win_material};
use crate::base::random::Random;
use crate::chess::board::{Board, Color, FIFTY_MOVES, Game, Move};
use crate::chess::types::Score;

/// How many positions are tried for a game. If one in a hundred positions is balanced, one game in 20,000 finds none.
/// Without this limit, a book of decided positions would lead to an endless loop.
const TRIES: usize = 1_000;

/// Finds the moves of both sides.
pub trait Player {
    /// Forgets all earlier games.
    fn new_game(&mut self);

    /// The best move and its score for the side to move, in the unit of the search
    /// ([`unit`](crate::engine::eval::unit)). The game is not over.
    fn choose(&mut self, game: &Game, pace: Pace) -> (Move, Score);
}

/// Two players that play each other, each with its color.
struct Versus<'a, P> {
    white: &'a mut P,
    black: &'a mut P,
}

impl<P: Player> Player for Versus<'_, P> {
    fn new_game(&mut self) {
        self.white.new_game();
        self.black.new_game();
    }

    fn choose(&mut self, game: &Game, pace: Pace) -> (Move, Score) {
        match game.board().turn() {
            Color::White => self.white.choose(game, pace),
            Color::Black => self.black.choose(game, pace),
        }
    }
}

/// Plays a training game. Its opening and its choices follow from `random`. `None` if no balanced opening was found.
pub fn play(
    player: &mut impl Player,
    openings: &Openings,
    rules: TrainingRules,
    random: Random,
) -> Option<GameRecord> {
    let seed = choices_seed(&random);
    play_first(player, starts(openings, random), rules, seed).map(|(_, record)| record)
}

/// The seed of a game's choices ([`TrainingRules::variety`]). It does not depend on how many openings were tried.
pub fn choices_seed(random: &Random) -> u64 {
    random.clone().bits()
}

/// Plays a training game from the first balanced one of the positions. Returns the index of this position and the game;
/// `None` if no position is balanced.
pub fn play_first(
    player: &mut impl Player,
    starts: impl IntoIterator<Item = Board>,
    rules: TrainingRules,
    seed: u64,
) -> Option<(usize, GameRecord)> {
    starts.into_iter().enumerate().find_map(|(index, start)| {
        player.new_game();
        Some((index, play_from(player, start, Adjudication::TRAINING, rules.variety(seed))?))
    })
}

/// The positions from which a game may begin, in the order in which they are tried. They follow from `random`.
pub fn starts(openings: &Openings, mut random: Random) -> impl Iterator<Item = Board> {
    (0..TRIES).filter_map(move |_| start(openings, &mut random))
}

/// A position from which a game can begin; `None` if the game is over there.
pub fn start(openings: &Openings, random: &mut Random) -> Option<Board> {
    let board = openings.draw(random)?;
    result_by_rule(&Game::new(board.clone())).is_none().then_some(board)
}

/// Whether a game may begin in a position with this score.
pub fn is_balanced(score: Score) -> bool {
    score.value().abs() <= MAX_START
}

/// Plays a game from `start`; `None` if one side is too far ahead there.
pub fn play_from(
    player: &mut impl Player,
    start: Board,
    adjudication: Adjudication,
    mut variety: Variety,
) -> Option<GameRecord> {
    let mut game = Game::new(start.clone());
    let mut record = GameRecord::new(start, Vec::new(), GameResult::Draw);
    let mut referee = Referee::new(adjudication);
    loop {
        if let Some(result) = result_by_rule(&game) {
            return Some(GameRecord { result, ..record });
        }
        // The first search also decides whether the game is played. So it is always a full one.
        let pace = if record.plies.is_empty() { Pace::Full } else { variety.pace() };
        let (mv, score) = player.choose(&game, pace);
        if record.plies.is_empty() && score.value().abs() > adjudication.max_start {
            return None;
        }
        let board = game.board();
        let for_white = board.turn().fold_wb(score.value(), -score.value()) as i16;
        let ply = Ply { mv, score: for_white, is_label: pace == Pace::Full };
        if let Some(result) = referee.hear(board, score) {
            record.plies.push(ply);
            return Some(GameRecord { result, ..record });
        }
        let ply = match variety.random_move(board, score) {
            Some(mv) => {
                record.result_from = record.plies.len() + 1;
                Ply { mv, is_label: ply.is_label && !can_win_material(board), ..ply }
            }
            None => ply,
        };
        record.plies.push(ply);
        game.play(ply.mv);
    }
}

/// Plays two games from `start`. The first player has White in the first game, the second player in the second game.
/// `None` if a player finds one side too far ahead at `start`.
pub fn play_pair<P: Player>(
    [first, second]: &mut [P; 2],
    start: &Board,
    adjudication: Adjudication,
) -> Option<[GameRecord; 2]> {
    let play = |mut players: Versus<'_, P>| {
        players.new_game();
        play_from(&mut players, start.clone(), adjudication, Variety::none())
    };
    let one = play(Versus { white: first, black: second })?;
    let other = play(Versus { white: second, black: first })?;
    Some([one, other])
}

/// The result of a game that is over: mate, stalemate, threefold repetition, the fifty-move rule, or insufficient
/// material.
pub fn result_by_rule(game: &Game) -> Option<GameResult> {
    let board = game.board();
    if board.legal_moves().is_empty() {
        return Some(if board.in_check() {
            GameResult::win_of(board.turn().other())
        } else {
            GameResult::Draw
        });
    }
    let before = game.keys().iter().filter(|&&key| key == board.key()).count();
    let is_draw = board.halfmove_clock() >= FIFTY_MOVES || before >= 2 || board.is_insufficient_material();
    is_draw.then_some(GameResult::Draw)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::adjudication::{DECIDED, DECIDED_PLIES, DrawRule};
    use super::super::pace::SoftNodes;
    use super::*;
    use crate::engine::eval;

    fn best() -> TrainingRules {
        TrainingRules::best(SoftNodes::all(1))
    }

    /// A player that looks one ply ahead. That is enough to give mate and to capture hanging pieces.
    #[derive(Clone, Debug, Default)]
    pub struct OnePly;

    impl Player for OnePly {
        fn new_game(&mut self) {}

        fn choose(&mut self, game: &Game, _: Pace) -> (Move, Score) {
            let worth = |&mv: &Move| {
                let next = game.board().after(mv);
                match (next.legal_moves().is_empty(), next.in_check()) {
                    (true, true) => Score::mate_in(1),
                    (true, false) => Score::ZERO,
                    _ => -eval::evaluate(&next),
                }
            };
            let moves = game.board().legal_moves();
            let best = moves.iter().max_by_key(|mv| worth(mv)).copied().unwrap();
            (best, worth(&best))
        }
    }

    #[test]
    fn games_are_legal_and_end_with_their_result() {
        let mut results = Vec::new();
        let is_varied = |results: &[GameResult]| {
            results.contains(&GameResult::Draw) && results.iter().any(|&result| result != GameResult::Draw)
        };
        // A draw is rare between players that look one ply ahead. How rare depends on the network.
        for index in 0..1_000 {
            if index >= 60 && is_varied(&results) {
                break;
            }
            let record = play(&mut OnePly, &Openings::Standard, best(), Random::stream(1, index)).unwrap();
            let mut game = Game::new(record.start.clone());
            for (number, ply) in record.plies.iter().enumerate() {
                assert_eq!(result_by_rule(&game), None, "ply {number}");
                assert!(game.board().can_play(ply.mv));
                game.play(ply.mv);
            }
            // A search of one ply never proves a mate for two searches in a row. So a game that did not end under the
            // rules ended by a decisive lead.
            let last = &record.plies[record.plies.len().saturating_sub(DECIDED_PLIES as usize)..];
            let is_decided = |sign: i32| last.iter().all(|ply| sign * i32::from(ply.score) >= DECIDED);
            match (result_by_rule(&game), record.result) {
                (Some(result), expected) => assert_eq!(result, expected),
                (None, GameResult::White) => assert!(is_decided(1)),
                (None, GameResult::Black) => assert!(is_decided(-1)),
                (None, GameResult::Draw) => {
                    let even = &record.plies[record.plies.len() - 10..];
                    assert!(even.iter().all(|ply| ply.score.abs() <= 10));
                }
            }
            assert!((8..=9).contains(&plies_played(&record.start)));
            results.push(record.result);
        }
        assert!(is_varied(&results));
    }

    fn plies_played(board: &Board) -> u32 {
        2 * (board.fullmove() - 1) + u32::from(board.turn().is_black())
    }

    #[test]
    fn the_seed_determines_the_game() {
        let game = |index| play(&mut OnePly, &Openings::Standard, best(), Random::stream(6, index)).unwrap();
        assert_eq!(game(3), game(3));
        assert_ne!(game(3), game(4));
    }

    /// A player that returns given scores from White's point of view.
    struct Scripted(Vec<i32>);

    impl Player for Scripted {
        fn new_game(&mut self) {}

        fn choose(&mut self, game: &Game, _: Pace) -> (Move, Score) {
            let for_white = self.0.remove(0);
            let score = Score::new(game.board().turn().fold_wb(for_white, -for_white));
            (game.board().legal_moves()[0], score)
        }
    }

    fn play_script(script: &[i32]) -> Option<GameRecord> {
        play_from(&mut Scripted(script.to_vec()), Board::startpos(), Adjudication::TRAINING, Variety::none())
    }

    #[test]
    fn a_mate_is_adjudicated_only_if_both_sides_see_it() {
        let mate = Score::mate_in(9).value();
        let play = play_script;
        let record = play(&[0, mate, 900, -mate, mate, mate]).unwrap();
        assert_eq!((record.plies.len(), record.result), (6, GameResult::White));
        let record = play(&[0, -mate, -mate]).unwrap();
        assert_eq!(record.result, GameResult::Black);
        assert_eq!(i32::from(record.plies[1].score), -mate);
        assert_eq!(play(&[1_200]), None);
    }

    #[test]
    fn a_lasting_lead_is_adjudicated_as_a_win() {
        let play = play_script;
        let mut script = vec![0, 3_000, 3_000, -3_000, DECIDED - 1];
        script.extend([-DECIDED; DECIDED_PLIES as usize]);
        let record = play(&script).unwrap();
        assert_eq!((record.plies.len(), record.result), (script.len(), GameResult::Black));
    }

    #[test]
    fn an_even_game_is_adjudicated_as_a_draw_if_enabled() {
        let draw = Some(DrawRule { first_move: 3, few_pieces: 0, limit: 10, plies: 4 });
        let play = |script: &[i32], draw| {
            let adjudication = Adjudication { max_start: 1_000, draw };
            play_from(&mut Scripted(script.to_vec()), Board::startpos(), adjudication, Variety::none())
        };
        // Each side makes two moves before the rule applies.
        let script = [900, 0, 0, 0, 0, -10, 11, 10, -10, 0, 0];
        let record = play(&script, draw).unwrap();
        assert_eq!((record.plies.len(), record.result), (script.len(), GameResult::Draw));
        assert_eq!(play(&[1_001], draw), None);
        let decided = [&script[..], &[DECIDED; DECIDED_PLIES as usize]].concat();
        let record = play(&decided, None).unwrap();
        assert_eq!((record.plies.len(), record.result), (decided.len(), GameResult::White));
    }

    /// The game's seed chooses random moves. Each position keeps the score of its search.
    #[test]
    fn the_result_counts_after_the_last_random_move() {
        let rules = TrainingRules { random_moves: 30, ..best() };
        let mut script: Vec<i32> = (1..=40).collect();
        script.extend([DECIDED; DECIDED_PLIES as usize]);
        let record = play_from(
            &mut Scripted(script.clone()),
            Board::startpos(),
            Adjudication::TRAINING,
            rules.variety(5),
        )
        .unwrap();
        let scores: Vec<i32> = record.plies.iter().map(|ply| i32::from(ply.score)).collect();
        assert_eq!((scores, record.result), (script, GameResult::White));
        // The player always plays the first move of the list.
        let mut last = 0;
        let mut number = 0;
        record.for_each(|board, ply| {
            number += 1;
            if board.legal_moves()[0] != ply.mv {
                last = number;
                assert!(board.see_ge(ply.mv, 0));
                assert_eq!(ply.is_label, !can_win_material(board));
            } else {
                assert!(ply.is_label || number <= record.result_from);
            }
        });
        assert!((20..=40).contains(&last), "{last}");
        assert!((last..=40).contains(&record.result_from), "{last} {}", record.result_from);
        assert_eq!(record.result_at(record.result_from - 1), None);
        assert_eq!(record.result_at(record.result_from), Some(GameResult::White));
    }

    /// The first search decides whether the game is played at all.
    #[test]
    fn fast_plies_have_no_label() {
        struct Even(Vec<Pace>);

        impl Player for Even {
            fn new_game(&mut self) {}

            fn choose(&mut self, game: &Game, pace: Pace) -> (Move, Score) {
                self.0.push(pace);
                (game.board().legal_moves()[0], Score::ZERO)
            }
        }
        let rules = TrainingRules::best(SoftNodes { fast: Some(1), ..SoftNodes::all(9) });
        for seed in 0..10 {
            let mut player = Even(Vec::new());
            let start = Board::startpos();
            let record = play_from(&mut player, start, Adjudication::TRAINING, rules.variety(seed)).unwrap();
            let full: Vec<bool> = player.0.iter().map(|&pace| pace == Pace::Full).collect();
            assert_eq!(record.plies.iter().map(|ply| ply.is_label).collect::<Vec<_>>(), full);
            assert!(full[0] && (1..full.len()).contains(&record.labels()));
        }
    }

    #[test]
    fn each_player_of_a_pair_has_white_once() {
        let play = |scripts: [&[i32]; 2]| {
            let mut players = scripts.map(|script| Scripted(script.to_vec()));
            play_pair(&mut players, &Board::startpos(), Adjudication::TRAINING)
        };
        let mate = Score::mate_in(9).value();
        let [first, second] = play([&[0, mate, -mate], &[mate, 0, -mate]]).unwrap();
        assert_eq!((first.plies.len(), first.result), (3, GameResult::White));
        assert_eq!(first.plies.iter().map(|ply| i32::from(ply.score)).collect::<Vec<_>>(), [0, mate, mate]);
        assert_eq!((second.plies.len(), second.result), (3, GameResult::Black));
        assert_eq!(play([&[500], &[0]]), None);
        assert_eq!(play([&[0, mate, mate], &[mate, 500]]), None, "the second finds it half decided");
    }

    #[test]
    fn every_kind_of_game_end_is_recognized() {
        for (fen, result) in [
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Some(GameResult::White)),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some(GameResult::Draw)),
            ("7k/8/6K1/8/8/8/8/1Q6 w - - 100 90", Some(GameResult::Draw)),
            ("7k/8/6K1/8/8/8/8/N7 w - - 0 90", Some(GameResult::Draw)),
            ("7k/8/6K1/8/8/8/8/1Q6 w - - 99 90", None),
        ] {
            assert_eq!(result_by_rule(&Game::from_fen(fen).unwrap().0), result, "{fen}");
        }
        let mut game = Game::startpos();
        for text in ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(8) {
            assert_eq!(result_by_rule(&game), None);
            game.play_uci(text).unwrap();
        }
        assert_eq!(result_by_rule(&game), Some(GameResult::Draw));
    }
}
