//! Time for one move. A clock gives a soft limit, after which no new iteration begins, and a hard limit, at which the
//! search is cut off.

mod nodes;

use std::time::Duration;

use crate::engine::params::Params;

pub use nodes::{NodeBudget, NodeClock};

/// The part of an increment that is kept for the way to the clock, in move overheads. Most moves cost less than one
/// overhead. Without this, a clock of 1+0.01 seconds ran down to 40 ms, and a machine that stood still for a moment
/// lost the game.
const OVERHEAD_SHARE: f64 = 0.3;
/// The time that is always left on the clock, in move overheads. A thread of the highest priority that only sleeps saw
/// both cores of a virtual machine stand still for up to 36 ms within four minutes. Moves that came 80 ms late lost
/// games that had 95 ms left. So did wake-ups that came 60 to 110 ms late on cores with twice their load.
const RESERVE: f64 = 12.0;
/// The part of a clock that is left if the clock has less than that reserve. With half of it, moves that were cut off
/// at the hard limit, such as those with several lines, took a clock of 0.5+0.005 seconds down to 12 ms and held it
/// there.
const RESERVE_SHARE: f64 = 0.9;
/// The part of a clock that is left in any case.
const LEAST_RESERVE_SHARE: f64 = 0.05;
/// The greatest part of the available time that the last move before a time control may take.
const LAST_MOVE_SHARE: f64 = 0.9;
/// The least hard limit, in seconds.
const LEAST_HARD: f64 = 0.0005;
/// From this move of the game on, [`Params::time_opening_moves`] has no effect.
const OPENING_END: u32 = 40;

/// How long a search may take, from the moment its clock started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// After this time no new iteration begins. [`Stability::scale`] scales it.
    pub soft: Duration,
    /// At this time the search is stopped.
    pub hard: Duration,
    /// At this time a move is due, considered or not, or the game may be lost; `None` if no clock runs out.
    pub deadline: Option<Duration>,
    /// Whether the soft limit may be scaled. It may not if the time for the move is fixed.
    pub flexible: bool,
}

impl Budget {
    /// The budget of a fixed time: all of it but the `overhead` is used.
    pub fn fixed(time: Duration, overhead: Duration) -> Budget {
        // Half of the time is used at least, even if the overhead is longer than the other half.
        let usable = time.saturating_sub(overhead).max(time / 2);
        Budget { soft: usable, hard: usable, deadline: None, flexible: false }
    }

    /// The budget from a clock at a move of the game. The `overhead` is the time that passes for each move outside of
    /// the engine. `params` say how the clock is spread over the moves.
    pub fn clock(
        remaining: Duration,
        increment: Duration,
        moves_to_go: Option<u32>,
        overhead: Duration,
        move_number: u32,
        params: &Params,
    ) -> Budget {
        let remaining = remaining.as_secs_f64();
        let increment = increment.as_secs_f64();
        let overhead = overhead.as_secs_f64();
        let opening = f64::from(OPENING_END.saturating_sub(move_number)) / f64::from(OPENING_END);
        let horizon = f64::from(params.time_horizon) + opening * f64::from(params.time_opening_moves);
        let moves = moves_to_go.map_or(horizon, |moves| f64::from(moves.max(1)).min(horizon));

        // What can be spent now at all. The reserve is never spent, because a late wake-up on a loaded machine may cost
        // as much. Little is spent of a clock that has less than the reserve, so that the increments fill it again.
        let reserve =
            (overhead * RESERVE).min(remaining * RESERVE_SHARE).max(remaining * LEAST_RESERVE_SHARE);
        let available = (remaining - reserve).max(0.0);
        let net_increment = (increment - overhead * OVERHEAD_SHARE).max(0.0);
        let share = available / moves + net_increment * f64::from(params.time_increment_share) / 100.0;
        let last_move = moves_to_go == Some(1);
        let hard_share = if last_move { LAST_MOVE_SHARE } else { f64::from(params.time_hard_share) / 100.0 };
        let hard =
            (share * f64::from(params.time_hard_ratio) / 100.0).min(available * hard_share).max(LEAST_HARD);
        let soft = share.min(hard);
        // A search that has nothing at its hard limit was kept from its core. Half of what the clock has left may go
        // into waiting for the core. The other half is for the way of the move. If the clock is at its end already,
        // waiting loses nothing.
        let deadline = ((remaining + hard) / 2.0).max(overhead);
        let [soft, hard, deadline] = [soft, hard, deadline].map(Duration::from_secs_f64);
        Budget { soft, hard, deadline: Some(deadline), flexible: true }
    }
}

/// How settled the choice of a move is. It scales the soft limit between iterations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stability {
    /// Iterations since the best move changed.
    pub steady_iterations: u32,
    /// The share of this thread's nodes that went into the best move, 0 to 1.
    pub node_share: f64,
    /// How far the score has fallen since earlier iterations, in centipawns.
    pub score_drop: i32,
}

impl Stability {
    /// The factor for the soft limit.
    pub fn scale(&self, params: &Params) -> f64 {
        let iterations = self.steady_iterations.min(params.time_steady_limit as u32) as i32;
        let steady = params.time_steady_base - params.time_steady_slope * iterations;
        let nodes =
            f64::from(params.time_nodes_base) + (1.0 - self.node_share) * f64::from(params.time_nodes_slope);
        let drop = 100 + self.score_drop.clamp(-params.time_rise_limit, params.time_drop_limit);
        f64::from(steady.max(0)) * nodes * f64::from(drop) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_hard_limit_leaves_time_on_every_clock() {
        for remaining in [1, 5, 20, 50, 100, 500, 1_000, 60_000, 10_000_000] {
            for increment in [0, 5, 100, 10_000] {
                for moves in [None, Some(1), Some(2), Some(40), Some(1000)] {
                    let budget =
                        Budget::clock(ms(remaining), ms(increment), moves, OVERHEAD, 1, &Params::default());
                    assert!(budget.soft <= budget.hard);
                    assert!(budget.hard < ms(remaining), "{remaining} {increment} {moves:?} {budget:?}");
                    assert!(
                        budget.hard + OVERHEAD < ms(remaining).max(2 * OVERHEAD),
                        "{remaining} {budget:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_deadline_leaves_time_on_the_clock() {
        for remaining in [25, 50, 85, 100, 500, 60_000] {
            let budget = Budget::clock(ms(remaining), ms(5), None, OVERHEAD, 1, &Params::default());
            let deadline = budget.deadline.unwrap();
            assert!(budget.hard < deadline && 5 * deadline < 4 * ms(remaining), "{remaining} {budget:?}");
        }
        assert_eq!(
            Budget::clock(ms(1), ms(0), None, OVERHEAD, 1, &Params::default()).deadline,
            Some(OVERHEAD)
        );
        assert_eq!(Budget::fixed(ms(1), OVERHEAD).deadline, None);
    }

    #[test]
    fn increments_fill_a_short_clock_again() {
        for increment in [5, 10, 100] {
            let mut remaining = 2 * OVERHEAD;
            for _ in 0..200 {
                remaining += ms(increment);
                remaining -=
                    Budget::clock(remaining, ms(increment), None, OVERHEAD, 1, &Params::default()).hard;
            }
            assert!(remaining >= 8 * OVERHEAD, "{remaining:?} with an increment of {increment} ms");
        }
    }

    #[test]
    fn a_clock_at_zero_gives_a_positive_hard_limit() {
        let budget = Budget::clock(Duration::ZERO, Duration::ZERO, None, OVERHEAD, 1, &Params::default());
        assert!(budget.hard > Duration::ZERO && budget.hard <= ms(1));
    }

    #[test]
    fn the_soft_limit_grows_with_time_and_with_fewer_moves_to_go() {
        let soft = |remaining, moves| {
            Budget::clock(ms(remaining), ms(0), moves, OVERHEAD, 1, &Params::default()).soft
        };
        assert!(soft(60_000, None) > soft(30_000, None));
        assert!(soft(60_000, Some(5)) > soft(60_000, Some(20)));
    }

    #[test]
    fn the_first_moves_may_get_less() {
        let params = Params { time_horizon: 20, time_opening_moves: 20, ..Params::default() };
        let soft = |moves, number| Budget::clock(ms(60_000), ms(0), moves, OVERHEAD, number, &params).soft;
        let late = soft(None, 40);
        assert_eq!(soft(None, 90), late);
        assert!(19 * soft(None, 20) < 13 * late && 39 * soft(None, 1) > 19 * late);
        assert_eq!(soft(Some(5), 1), soft(Some(5), 90));
    }

    #[test]
    fn a_fixed_time_is_used_except_for_the_overhead() {
        assert_eq!(Budget::fixed(ms(1000), OVERHEAD).hard, ms(990));
        assert_eq!(Budget::fixed(ms(10), OVERHEAD).hard, ms(5));
    }

    #[test]
    fn a_stable_best_move_lowers_the_soft_limit() {
        let params = Params::default();
        let settled = Stability { steady_iterations: 9, node_share: 0.9, score_drop: 0 };
        let open = Stability { steady_iterations: 0, node_share: 0.3, score_drop: 40 };
        assert!(settled.scale(&params) < 0.7 && open.scale(&params) > 1.5);
    }
}
