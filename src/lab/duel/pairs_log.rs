//! The log of a match or of several: a line for each pair of games. A later run takes from it what has been played
//! already, and so continues after a kill.
//!
//! The columns are the name of the match, the number of the pair, its start position, and the moves and the result of
//! both games, each move with its score. The counts of A's and of B's searches follow.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use super::contender::SearchTotals;
use super::pair::GamePair;
use super::{DuelError, DuelPlan, DuelSide, MatchRules};
use crate::base::file::Log;
use crate::chess::board::{Board, Game};
use crate::engine::selfplay::games_log::{self, GamesLogError, RecordedSetting};
use crate::engine::selfplay::record::{GameRecord, GameResult, Ply};

const COLUMNS: &str = "match,pair,start,moves 1,result 1,moves 2,result 2,counts of A,counts of B";

/// Pairs of games by the name of their match and their number.
type KnownPairs = HashMap<String, BTreeMap<u64, GamePair>>;

/// The log, or nothing if none is kept.
#[derive(Debug, Default)]
pub struct PairsLog {
    log: Option<Log>,
    known: KnownPairs,
}

impl PairsLog {
    /// Opens the log at `path`, and reads the pairs of earlier runs. Makes the file if there is none. Without a path,
    /// no log is kept.
    ///
    /// # Errors
    /// If the file cannot be read or written, was begun with other `settings` or holds lines that make no sense.
    pub fn open(path: Option<&Path>, settings: &[RecordedSetting]) -> Result<PairsLog, DuelError> {
        let Some(path) = path else { return Ok(PairsLog::default()) };
        let mut known = KnownPairs::new();
        let (log, _) = games_log::open(path, settings, COLUMNS, |line| {
            let (name, number, pair) = parsed(line)?;
            // No pair counts twice.
            known.entry(name.to_owned()).or_default().insert(number, pair).is_none().then_some(())
        })?;
        Ok(PairsLog { log: Some(log), known })
    }

    /// The number of pairs that earlier runs have played.
    pub fn count(&self) -> u64 {
        self.known.values().map(|pairs| pairs.len() as u64).sum()
    }

    /// The pairs of a match with these numbers that earlier runs have played.
    pub(super) fn known(&self, name: &str, numbers: Range<u64>) -> impl Iterator<Item = (u64, GamePair)> {
        let pairs = self.known.get(name).into_iter().flat_map(move |pairs| pairs.range(numbers.clone()));
        pairs.map(|(number, pair)| (*number, pair.clone()))
    }

    /// Adds a pair of a match.
    pub(super) fn append(&mut self, name: &str, number: u64, pair: &GamePair) -> Result<(), DuelError> {
        if let Some(log) = &mut self.log {
            log.append(&line(name, number, pair)).map_err(GamesLogError::File)?;
        }
        Ok(())
    }
}

/// The settings on which the pairs of a duel depend. The number of pairs is not among them, so that a later run may
/// play more.
pub fn of_duel(plan: &DuelPlan) -> Vec<RecordedSetting> {
    let mut all = of_match(&plan.rules);
    for (name, side) in ["a", "b"].into_iter().zip(&plan.sides) {
        all.extend(of_side(side).into_iter().map(|setting| setting.of_player(name)));
    }
    all
}

/// The settings on which the games of a side depend.
pub(super) fn of_side(side: &DuelSide) -> Vec<RecordedSetting> {
    let DuelSide { settings, allowance } = side;
    let mut all = vec![RecordedSetting::of_allowance(*allowance)];
    all.extend(RecordedSetting::of_games(settings));
    all.push(RecordedSetting::new("hash", settings.hash));
    all.push(RecordedSetting::new("counters", settings.telemetry.is_on()));
    all
}

/// The settings that all matches have: openings and turns.
pub(super) fn of_match(rules: &MatchRules) -> Vec<RecordedSetting> {
    let book = match rules.starts.book_checksum() {
        Some(checksum) => format!("{checksum:016x}"),
        None => "random".to_owned(),
    };
    vec![
        RecordedSetting::new("openings", book),
        RecordedSetting::new("turn", rules.turn),
        RecordedSetting::new("seed", rules.seed),
    ]
}

fn line(name: &str, number: u64, pair: &GamePair) -> String {
    let [first, second] = &pair.games;
    let start = first.start.fen(first.start.has_chess960_castling());
    let [a, b] = &pair.totals;
    let game = |game: &GameRecord| format!("{},{}", moves(game), game.result.text());
    format!("{name},{number},{start},{},{},{},{}\n", game(first), game(second), counts(a), counts(b))
}

fn parsed(line: &str) -> Option<(&str, u64, GamePair)> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[name, number, start, moves_1, result_1, moves_2, result_2, a, b] = &fields[..] else { return None };
    let start = Board::from_fen(start).ok()?.0;
    let game = |moves, result| {
        let plies = parsed_moves(&start, moves)?;
        Some(GameRecord::new(start.clone(), plies, parsed_result(result)?))
    };
    let games = [game(moves_1, result_1)?, game(moves_2, result_2)?];
    Some((name, number.parse().ok()?, GamePair { games, totals: [parsed_counts(a)?, parsed_counts(b)?] }))
}

/// The moves with their scores, as in `e2e4:31 e7e5:-18`.
fn moves(game: &GameRecord) -> String {
    let words = game.plies.iter().map(|ply| format!("{}:{}", ply.mv.to_uci(true), ply.score));
    words.collect::<Vec<_>>().join(" ")
}

fn parsed_moves(start: &Board, text: &str) -> Option<Vec<Ply>> {
    let mut game = Game::new(start.clone());
    let plies = text.split_ascii_whitespace().map(|word| {
        let (mv, score) = word.split_once(':')?;
        Some(Ply::new(game.play_uci(mv).ok()?, score.parse().ok()?))
    });
    plies.collect()
}

fn parsed_result(text: &str) -> Option<GameResult> {
    [GameResult::White, GameResult::Draw, GameResult::Black].into_iter().find(|result| result.text() == text)
}

/// The counts in the order of their declaration. The time is in nanoseconds.
fn counts(totals: &SearchTotals) -> String {
    let SearchTotals { searches, nodes, time, hits, stores, unfinished, depth, deviation, range } = totals;
    let whole = [&[*searches, *nodes][..], hits, stores, &[*unfinished]].concat();
    let whole = whole.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    format!("{} {whole} {depth} {deviation} {range}", time.as_nanos())
}

fn parsed_counts(text: &str) -> Option<SearchTotals> {
    let words: Vec<&str> = text.split(' ').collect();
    let &[time, searches, nodes, own, foreign, s0, s1, s2, s3, unfinished, depth, deviation, range] =
        &words[..]
    else {
        return None;
    };
    let whole = |word: &str| word.parse::<u64>().ok();
    let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite());
    Some(SearchTotals {
        searches: whole(searches)?,
        nodes: whole(nodes)?,
        time: Duration::from_nanos(whole(time)?),
        hits: [whole(own)?, whole(foreign)?],
        stores: [whole(s0)?, whole(s1)?, whole(s2)?, whole(s3)?],
        unfinished: whole(unfinished)?,
        depth: number(depth)?,
        deviation: number(deviation)?,
        range: number(range)?,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::ControlFlow;

    use super::super::contest::{self, tests::plan};
    use super::*;

    /// A game that a promotion ends with mate.
    fn game() -> GameRecord {
        let start = Board::from_fen("k7/7P/1K6/8/8/8/8/8 w - - 0 1").unwrap().0;
        let plies = parsed_moves(&start, "h7h8q:31987").unwrap();
        GameRecord::new(start, plies, GameResult::White)
    }

    fn pair() -> GamePair {
        let totals = SearchTotals {
            searches: 1,
            nodes: 2,
            time: Duration::new(3, 4),
            hits: [5, 6],
            stores: [7, 8, 9, 10],
            unfinished: 11,
            depth: 0.1,
            deviation: 1e-9,
            range: 14.0 / 3.0,
        };
        GamePair { games: [game(), game()], totals: [totals, SearchTotals::default()] }
    }

    #[test]
    fn a_line_gives_the_pair_back() {
        let castling = Board::from_fen("1k6/8/8/8/8/8/8/RK5R w HA - 0 1").unwrap().0;
        let plies = parsed_moves(&castling, "b1h1:-20 b8b7:0").unwrap();
        let castled = GameRecord::new(castling, plies, GameResult::Draw);
        for pair in [pair(), GamePair { games: [castled.clone(), castled], ..pair() }] {
            let text = line("16 against 1", 7, &pair);
            assert_eq!(text.matches(',').count(), COLUMNS.matches(',').count());
            let (name, number, found) = parsed(text.strip_suffix('\n').unwrap()).unwrap();
            assert_eq!((name, number, found), ("16 against 1", 7, pair));
        }
    }

    #[test]
    fn a_line_that_makes_no_sense_is_refused() {
        let good = line("a", 7, &pair());
        let good = good.trim_end();
        assert!(parsed(good).is_some());
        for (old, new) in [
            ("a,7,", "a,x,"),
            ("a,7,", "7,"),
            ("k7/", "x7/"),
            ("h7h8q", "h7h9q"),
            (":31987", ":99999"),
            ("1-0", "2-0"),
            (" 0.1 ", " NaN "),
            (" 0.1 ", " "),
        ] {
            let wrong = good.replacen(old, new, 1);
            assert!(wrong != good && parsed(&wrong).is_none(), "{wrong}");
        }
    }

    /// The games and counts are the same as in a match that was not killed.
    #[test]
    fn a_killed_match_goes_on() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        let mut plan = plan([2, 1], [400, 300]);
        plan.rules = MatchRules { jobs: 2, ..MatchRules::random(4) };
        let play = |plan: &DuelPlan| {
            let mut log = PairsLog::open(Some(&path), &of_duel(plan))?;
            let (before, mut count) = (log.count(), 0);
            let played = contest::run(plan, "a", &mut log, |_| {
                count += 1;
                ControlFlow::Continue(())
            })?;
            Ok::<_, DuelError>((before, count, played.pairs))
        };
        let (before, count, whole) = play(&plan).unwrap();
        assert_eq!((before, count), (0, 4));
        // The kill comes in the middle of a line.
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let kept = lines.len() - 2;
        fs::write(&path, lines[..kept].concat() + &lines[kept][..90]).unwrap();
        let (before, count, continued) = play(&plan).unwrap();
        assert_eq!((before, count), (2, 2));
        let without_times = |pairs: &BTreeMap<u64, GamePair>| {
            let mut pairs = pairs.clone();
            pairs.values_mut().flat_map(|pair| &mut pair.totals).for_each(|side| side.time = Duration::ZERO);
            pairs
        };
        assert_eq!(without_times(&continued), without_times(&whole));
        assert_eq!(play(&plan).unwrap(), (4, 0, continued.clone()), "nothing is left to play");
        let mut fewer = plan.clone();
        fewer.rules.pairs = 3;
        assert_eq!(play(&fewer).unwrap().2.len(), 3);

        let mut other = plan.clone();
        other.sides[0].settings.hash = 2;
        let error = play(&other).unwrap_err().to_string();
        assert!(error.ends_with("other settings: a.hash 1 (now 2)"), "{error}");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{}\n", text.lines().last().unwrap())).unwrap();
        let error = play(&plan).unwrap_err().to_string();
        assert!(error.ends_with("this is not a line of such a log"), "a pair counts twice: {error}");
    }
}
