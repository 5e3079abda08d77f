//! Plays a match: pairs of games at the same time, counted in their order.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::contender::Contender;
use super::pair::GamePair;
use super::pairs_log::PairsLog;
use super::statistics::{Pentanomial, SprtVerdict};
use super::{DuelError, DuelPlan};
use crate::base::crew;
use crate::base::random::Random;
use crate::engine::facade::EngineError;
use crate::engine::selfplay::play::play_pair;

/// The pairs that count so far.
#[derive(Clone, Debug, Default)]
pub struct MatchResults {
    /// The played pairs, by number.
    pub pairs: BTreeMap<u64, GamePair>,
    /// Whether the sequential test has ended the match.
    pub is_decided: bool,
    /// The number of pairs without a gap from the first one, and their results.
    settled: u64,
    results: Pentanomial,
}

impl MatchResults {
    /// Adds a pair. The test looks at the pairs in the order of their numbers. So it ends at the same pair, whichever
    /// pair was played first. Later pairs do not count.
    fn add(&mut self, number: u64, pair: GamePair, plan: &DuelPlan) {
        if self.is_decided {
            return;
        }
        self.pairs.insert(number, pair);
        while let Some(next) = self.pairs.get(&(plan.first + self.settled)) {
            self.settled += 1;
            self.results.add(next.half_points().iter().sum());
            if plan.sprt.is_some_and(|sprt| sprt.verdict(&self.results) != SprtVerdict::Open) {
                self.is_decided = true;
                self.pairs.split_off(&(plan.first + self.settled));
            }
        }
    }

    /// The results of all pairs, from A's point of view.
    pub fn results(&self) -> Pentanomial {
        let mut results = Pentanomial::default();
        self.pairs.values().for_each(|pair| results.add(pair.half_points().iter().sum()));
        results
    }

    /// The numbers of games that A won, drew and lost.
    pub fn games(&self) -> [u64; 3] {
        let mut counts = [0; 3];
        self.pairs
            .values()
            .flat_map(GamePair::half_points)
            .for_each(|half_points| counts[2 - half_points] += 1);
        counts
    }
}

/// Plays until all pairs of the plan are played or the test has ended. Pairs that the log has under this `name` are not
/// played again, and the others are added to it. Calls `on_progress` after each played pair. If that breaks off, only
/// the pairs that have begun are played.
///
/// # Errors
/// If the system refuses memory or threads: no game has been played then. If the log cannot be written.
pub fn run(
    plan: &DuelPlan,
    name: &str,
    log: &mut PairsLog,
    mut on_progress: impl FnMut(&MatchResults) -> ControlFlow<()> + Send,
) -> Result<MatchResults, DuelError> {
    let numbers = plan.first..plan.first + plan.rules.pairs;
    let mut played = MatchResults::default();
    let mut known = BTreeSet::new();
    for (number, pair) in log.known(name, numbers.clone()) {
        known.insert(number);
        played.add(number, pair, plan);
    }
    let missing: Vec<u64> = numbers.filter(|number| !known.contains(number)).collect();
    if played.is_decided || missing.is_empty() {
        return Ok(played);
    }
    let [a, b] = &plan.sides;
    let contenders = || Ok([Contender::new(plan, a)?, Contender::new(plan, b)?]);
    let boards = (0..missing.len().min(plan.rules.jobs)).map(|_| contenders());
    let boards = boards.collect::<Result<Vec<_>, EngineError>>()?;
    let mut logged = Ok(());
    crew::share_out(
        boards,
        missing.into_iter(),
        |contenders, number| play(plan, contenders, number),
        |number, pair| {
            if logged.is_ok() {
                logged = log.append(name, number, &pair);
            }
            played.add(number, pair, plan);
            let flow = on_progress(&played);
            // The first error ends the match. Nothing is written after it.
            if played.is_decided || logged.is_err() { ControlFlow::Break(()) } else { flow }
        },
    )?;
    logged.map(|()| played)
}

/// Plays the pair with this number.
fn play(plan: &DuelPlan, contenders: &mut [Contender; 2], number: u64) -> GamePair {
    let mut random = Random::stream(plan.rules.seed, number);
    let starts = &plan.rules.starts;
    loop {
        let start = starts.draw(number, &mut random);
        contenders.iter_mut().for_each(|contender| contender.begin(random.bits()));
        if let Some(games) = play_pair(contenders, &start, starts.adjudication()) {
            return GamePair { games, totals: contenders.each_ref().map(Contender::totals) };
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::engine::facade::Settings;
    use crate::engine::selfplay::allowance::Allowance;
    use crate::engine::selfplay::record::{GameRecord, GameResult};
    use crate::lab::duel::{DuelSide, MatchRules, Sprt, Starts};

    /// A pair in which A has these half points in each game.
    pub fn pair(half_points: [usize; 2]) -> GamePair {
        let game = |half_points| {
            let result = [GameResult::Black, GameResult::Draw, GameResult::White][half_points];
            GameRecord::new(Board::startpos(), Vec::new(), result)
        };
        let [first, second] = half_points;
        GamePair { games: [game(first), game(2 - second)], totals: Default::default() }
    }

    pub fn plan(threads: [usize; 2], nodes: [u64; 2]) -> DuelPlan {
        let side = |index: usize| DuelSide {
            settings: Settings { hash: 1, threads: threads[index], ..Settings::default() },
            allowance: Allowance::Move(nodes[index]),
        };
        DuelPlan { sides: [side(0), side(1)], rules: MatchRules::random(3), first: 0, sprt: None }
    }

    /// The games and all counts except times.
    fn played(plan: &DuelPlan) -> Vec<(u64, GamePair)> {
        let played = run(plan, "", &mut PairsLog::default(), |_| ControlFlow::Continue(())).unwrap();
        let mut pairs: Vec<(u64, GamePair)> = played.pairs.into_iter().collect();
        let totals = pairs.iter_mut().flat_map(|(_, pair)| &mut pair.totals);
        totals.for_each(|totals| totals.time = Default::default());
        pairs
    }

    #[test]
    fn the_same_seed_plays_the_same_games_on_any_number_of_cores() {
        let one = plan([3, 1], [900, 600]);
        let first = played(&one);
        assert_eq!(first.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1, 2]);
        let by = |rules: MatchRules| played(&DuelPlan { rules, ..one.clone() });
        let rules = || one.rules.clone();
        assert_eq!(by(MatchRules { jobs: 2, ..rules() }), first);
        let later = DuelPlan { first: 1, rules: MatchRules { pairs: 2, ..rules() }, ..one.clone() };
        assert_eq!(played(&later), first[1..]);
        assert_ne!(by(MatchRules { seed: 2, ..rules() }), first);
        assert_ne!(
            by(MatchRules { turn: 32, ..rules() }),
            first,
            "what the threads find depends on their turns"
        );
        for (_, GamePair { games, totals }) in &first {
            assert_eq!(games[0].start, games[1].start);
            let [a, b] = totals;
            // A first iteration is always finished, so a few searches take more than they were given.
            assert!(
                (890..910).contains(&(a.nodes / a.searches)) && (590..610).contains(&(b.nodes / b.searches))
            );
            let plies: usize = games.iter().map(|game| game.plies.len()).sum();
            assert_eq!((a.searches + b.searches) as usize, plies);
        }
    }

    /// Each side spreads the nodes of its clock over the game, and its searches stop by themselves.
    #[test]
    fn a_clock_of_nodes_lasts_for_the_game() {
        let mut plan = plan([2, 2], [900, 900]);
        plan.sides[0].allowance = Allowance::Clock("20000+200".parse().unwrap());
        let first = played(&plan);
        plan.rules.jobs = 2;
        assert_eq!(played(&plan), first);
        for (_, GamePair { totals: [a, _], .. }) in first {
            // Two games, and the increments of all moves.
            assert!(a.nodes <= 2 * 20_000 + 200 * a.searches && a.nodes > 20_000, "{a:?}");
        }
    }

    #[test]
    fn a_book_is_played_with_either_color() {
        let start = Board::from_fen("4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1").unwrap().0;
        let mut plan = plan([1, 1], [300, 300]);
        plan.rules = MatchRules { starts: Starts::book(vec![start.clone()], 1), ..MatchRules::random(1) };
        let played = run(&plan, "", &mut PairsLog::default(), |_| ControlFlow::Continue(())).unwrap();
        let pair = &played.pairs[&0];
        assert!(pair.games.iter().all(|game| game.start == start && game.result == GameResult::White));
        assert_eq!((pair.half_points(), played.games()), ([2, 0], [1, 0, 1]));
        assert_eq!(played.results(), Pentanomial([0, 0, 1, 0, 0]));
    }

    #[test]
    fn the_score_counts_the_points_of_side_a() {
        for half_points in [[0, 0], [2, 0], [0, 2], [1, 2], [2, 2]] {
            assert_eq!(pair(half_points).half_points(), half_points);
        }
    }

    #[test]
    fn a_test_ends_at_the_same_pair_in_any_order_of_games() {
        let sprt = Some(Sprt { elo0: 0.0, elo1: 200.0 });
        let plan = DuelPlan { sprt, first: 5, rules: MatchRules::random(40), ..plan([1, 1], [1, 1]) };
        let result = |number: u64| pair([2, if number.is_multiple_of(4) { 1 } else { 2 }]);
        let played = |numbers: &mut dyn Iterator<Item = u64>| {
            let mut played = MatchResults::default();
            numbers.for_each(|number| played.add(number, result(number), &plan));
            (played.is_decided, played.pairs.keys().copied().collect::<Vec<_>>())
        };
        let (is_decided, counted) = played(&mut (5..45));
        assert!(is_decided && (2..40).contains(&counted.len()), "{counted:?}");
        assert_eq!(counted, (5..5 + counted.len() as u64).collect::<Vec<_>>());
        assert_eq!(played(&mut (5..45).rev()), (true, counted.clone()));
        // The last pair that the test needs is played last.
        let needed = *counted.last().unwrap();
        let mut late = (5..45).filter(|number| *number != needed);
        assert!(!played(&mut late).0);
        assert_eq!(played(&mut (5..45).filter(|number| *number != needed).chain([needed])), (true, counted));
    }

    /// Ctrl-C ended a match without its results.
    #[test]
    fn a_match_that_is_broken_off_has_the_pairs_so_far() {
        let plan = DuelPlan { rules: MatchRules::random(50), ..plan([1, 1], [100, 100]) };
        let mut count = 0;
        let played = run(&plan, "", &mut PairsLog::default(), |_| {
            count += 1;
            if count == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(played.unwrap().pairs.len(), 2);
    }
}
