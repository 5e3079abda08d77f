//! Compares the stagger policies by matches of virtual threads: `enfilade tune-threads`.
//!
//! Each policy plays the default policy with the same threads and nodes. All matches have the same openings.

use std::ops::ControlFlow;

use super::contest::{self, MatchResults};
use super::pairs_log::{self, PairsLog};
use super::report::DuelReport;
use super::{DuelError, DuelPlan, DuelSide, MatchRules};
use crate::base::confidence::ERRORS;
use crate::engine::facade::Settings;
use crate::engine::pool::Stagger;
use crate::engine::selfplay::allowance::Allowance;
use crate::engine::selfplay::games_log::RecordedSetting;

/// The number of standard errors by which a policy must be better than the default. If two other policies are as good
/// as the default, the chance is below 1.5% that one of them seems better by so much.
pub const SURE_ERRORS: f64 = 2.5;

/// The plan of a comparison.
#[derive(Clone, Debug)]
pub struct PoliciesPlan {
    /// The settings of both sides. The stagger policy is replaced.
    pub settings: Settings,
    /// The nodes of each thread for each move.
    pub nodes: u64,
    /// How the games are played. It has the number of pairs of each match.
    pub rules: MatchRules,
}

/// A policy and its match against the default policy.
#[derive(Clone, Debug)]
pub struct PolicyRow {
    /// The policy, which is A in the match.
    pub stagger: Stagger,
    /// The match.
    pub report: DuelReport,
}

/// The policies to compare with the default.
pub fn rivals() -> Vec<Stagger> {
    Stagger::all().into_iter().filter(|stagger| *stagger != Stagger::default()).collect()
}

/// Plays all matches. Pairs that the log has are not played again. After each played pair of games it calls
/// `on_progress` with the policy and its match so far.
///
/// # Errors
/// If the system refuses memory or threads, or if the log cannot be written.
pub fn run(
    plan: &PoliciesPlan,
    log: &mut PairsLog,
    mut on_progress: impl FnMut(&Stagger, &MatchResults) + Send,
) -> Result<Vec<PolicyRow>, DuelError> {
    let mut rows = Vec::new();
    for stagger in rivals() {
        let plan = plan.duel(&stagger);
        let played = contest::run(&plan, stagger.name(), log, |played| {
            on_progress(&stagger, played);
            ControlFlow::Continue(())
        })?;
        rows.push(PolicyRow { stagger, report: DuelReport::of(&plan, &played) });
    }
    Ok(rows)
}

/// The policy to use: the best of those that are better than the default beyond their error; otherwise the default.
pub fn choice(rows: &[PolicyRow]) -> Stagger {
    let score = |row: &PolicyRow| row.report.pentanomial.score();
    let is_better = |row: &&PolicyRow| {
        let score = score(row);
        score.value - score.error * SURE_ERRORS / ERRORS > 0.5
    };
    let best = rows.iter().filter(is_better).max_by(|a, b| score(a).value.total_cmp(&score(b).value));
    best.map_or_else(Stagger::default, |row| row.stagger.clone())
}

impl PoliciesPlan {
    /// The number of all pairs of games.
    pub fn all_pairs(&self) -> u64 {
        self.rules.pairs * rivals().len() as u64
    }

    /// The settings on which the pairs in a log depend.
    pub fn recorded(&self) -> Vec<RecordedSetting> {
        let mut all = pairs_log::of_match(&self.rules);
        all.extend(pairs_log::of_side(&self.duel(&Stagger::default()).sides[1]));
        all
    }

    /// The match of `stagger` against the default policy.
    fn duel(&self, stagger: &Stagger) -> DuelPlan {
        let side = |stagger: Stagger| DuelSide {
            allowance: Allowance::Move(self.nodes.saturating_mul(self.settings.threads as u64)),
            settings: Settings { stagger, ..self.settings.clone() },
        };
        DuelPlan {
            sides: [side(stagger.clone()), side(Stagger::default())],
            rules: self.rules.clone(),
            first: 0,
            sprt: None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::lab::duel::statistics::Pentanomial;

    /// A plan of two pairs for each policy, with two threads.
    fn plan() -> PoliciesPlan {
        PoliciesPlan {
            settings: Settings { hash: 1, threads: 2, ..Settings::default() },
            nodes: 60,
            rules: MatchRules { turn: 16, jobs: 2, ..MatchRules::random(2) },
        }
    }

    /// Rows in which each policy has these pairs of games; policies beyond the list have even pairs.
    pub(crate) fn rows(results: &[[u64; 5]]) -> Vec<PolicyRow> {
        let mut rows = run(&plan(), &mut PairsLog::default(), |_, _| {}).unwrap();
        for (index, row) in rows.iter_mut().enumerate() {
            let pentanomial = Pentanomial(results.get(index).copied().unwrap_or([0, 20, 60, 20, 0]));
            row.report.pentanomial = pentanomial;
            row.report.elo = pentanomial.elo();
        }
        rows
    }

    #[test]
    fn only_a_significantly_better_policy_replaces_the_default() {
        assert_eq!(choice(&rows(&[])), Stagger::default());
        let (unsure, sure, better) = ([2, 18, 55, 23, 2], [0, 10, 50, 38, 2], [0, 5, 45, 45, 5]);
        assert_eq!(choice(&rows(&[unsure])), Stagger::default());
        assert_eq!(choice(&rows(&[unsure, sure])), rivals()[1]);
        assert_eq!(choice(&rows(&[better, sure])), rivals()[0]);
        assert_eq!(choice(&rows(&[sure, better])), rivals()[1]);
    }

    #[test]
    fn every_other_policy_plays_the_default_with_the_same_threads() {
        let mut on_progress = 0;
        let rows = run(&plan(), &mut PairsLog::default(), |_, _| on_progress += 1).unwrap();
        assert_eq!(on_progress, plan().all_pairs());
        assert_eq!(rows.iter().map(|row| row.stagger.clone()).collect::<Vec<_>>(), rivals());
        for PolicyRow { stagger, report } in &rows {
            assert_eq!(report.games, 4);
            assert!(
                report
                    .sides
                    .iter()
                    .all(|side| side.threads == 2 && side.nodes_allowed == Allowance::Move(120))
            );
            let sides = plan().duel(stagger).sides.map(|side| side.settings.stagger);
            assert_eq!(sides, [stagger.clone(), Stagger::default()]);
        }
    }
}
