//! Time for one move: from a clock to a soft limit, after which no new iteration begins,
//! and a hard limit, at which the search is cut off.

mod nodes;

use std::time::Duration;

pub use nodes::{NodeBudget, NodeClock};

/// Moves that a sudden-death clock is spread over. 42 left a quarter of a clock of 2+0.02 seconds unused at move 60.
const HORIZON: f64 = 24.0;
/// The part of an increment that is spent with each move, after what the way to the clock takes of it.
const INCREMENT_SHARE: f64 = 0.75;
/// What the way to the clock takes of an increment, in move overheads: most moves cost less than that, and without it
/// a clock of 1+0.01 seconds ran down to 40 ms, where a machine that stood still for a moment lost the game.
const OVERHEAD_SHARE: f64 = 0.3;
/// The greatest part of the clock that one move may take.
const HARD_SHARE: f64 = 0.55;
/// What is always left on the clock, in move overheads. A thread of the highest priority that only sleeps saw both
/// cores of a virtual machine stand still for up to 36 ms within four minutes, and moves 80 ms late lost games that had
/// 95 ms left; so did wake-ups 60 to 110 ms late on cores with twice their load.
const RESERVE: f64 = 12.0;
/// The part of a clock that is left where it has not got that much. With half of it, moves that were cut off at the
/// hard limit, such as those with several lines, took a clock of 0.5+0.005 seconds down to 12 ms and held it there.
const RESERVE_SHARE: f64 = 0.9;
/// How far the hard limit may exceed the soft one.
const HARD_RATIO: f64 = 4.5;

/// How long a search may take, from the moment its clock started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No new iteration begins after this, once scaled by [`Stability::scale`].
    pub soft: Duration,
    /// The search is stopped at this.
    pub hard: Duration,
    /// A move is due at this, considered or not, lest the game be lost: `None` where no clock runs out.
    pub last: Option<Duration>,
    /// Whether the soft limit may be scaled: not for a fixed time per move.
    pub flexible: bool,
}

impl Budget {
    /// For a fixed time, all of it is used but for the `overhead`.
    pub fn fixed(time: Duration, overhead: Duration) -> Budget {
        // A time shorter than twice the overhead is halved rather than refused.
        let usable = time.saturating_sub(overhead).max(time / 2);
        Budget { soft: usable, hard: usable, last: None, flexible: false }
    }

    /// From a clock. The `overhead` is the time that passes for each move outside of the
    /// engine.
    pub fn clock(
        remaining: Duration,
        increment: Duration,
        moves_to_go: Option<u32>,
        overhead: Duration,
    ) -> Budget {
        let remaining = remaining.as_secs_f64();
        let increment = increment.as_secs_f64();
        let overhead = overhead.as_secs_f64();
        let moves = moves_to_go.map_or(HORIZON, |moves| f64::from(moves.max(1)).min(HORIZON));

        // What can be spent now at all: never what a late wake-up on a loaded machine may cost, and little
        // of a clock that has not got that much, so that the increments fill it again.
        let reserve = (overhead * RESERVE).min(remaining * RESERVE_SHARE).max(remaining * 0.05);
        let available = (remaining - reserve).max(0.0);
        let net_increment = (increment - overhead * OVERHEAD_SHARE).max(0.0);
        let share = available / moves + net_increment * INCREMENT_SHARE;
        let last_move = moves_to_go == Some(1);
        let hard_share = if last_move { 0.9 } else { HARD_SHARE };
        let hard = (share * HARD_RATIO).min(available * hard_share).max(0.0005);
        let soft = share.min(hard);
        // A search that has nothing at its hard limit was kept from its core: half of what the clock has left may go
        // into waiting for it, and the other half is for the way of the move. Nobody minds a clock that is at its end
        // already.
        let last = ((remaining + hard) / 2.0).max(overhead);
        let [soft, hard, last] = [soft, hard, last].map(Duration::from_secs_f64);
        Budget { soft, hard, last: Some(last), flexible: true }
    }
}

/// How settled the choice of a move is: scales the soft limit between iterations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stability {
    /// Iterations since the best move changed.
    pub steady_iterations: u32,
    /// The share of this thread's nodes that went into the best move, 0 to 1.
    pub node_share: f64,
    /// How far the score fell since earlier iterations, in centipawns.
    pub score_drop: i32,
}

impl Stability {
    /// The factor for the soft limit.
    pub fn scale(&self) -> f64 {
        let steady = 1.35 - 0.09 * f64::from(self.steady_iterations.min(7));
        let nodes = (1.0 - self.node_share) * 1.7 + 0.5;
        let drop = 1.0 + f64::from(self.score_drop.clamp(-10, 60)) / 100.0;
        steady * nodes * drop
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
    fn the_hard_limit_leaves_something_on_every_clock() {
        for remaining in [1, 5, 20, 50, 100, 500, 1_000, 60_000, 10_000_000] {
            for increment in [0, 5, 100, 10_000] {
                for moves in [None, Some(1), Some(2), Some(40), Some(1000)] {
                    let budget = Budget::clock(ms(remaining), ms(increment), moves, OVERHEAD);
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
    fn what_is_waited_for_beyond_the_hard_limit_leaves_something_too() {
        for remaining in [25, 50, 85, 100, 500, 60_000] {
            let budget = Budget::clock(ms(remaining), ms(5), None, OVERHEAD);
            let last = budget.last.unwrap();
            assert!(budget.hard < last && 5 * last < 4 * ms(remaining), "{remaining} {budget:?}");
        }
        assert_eq!(Budget::clock(ms(1), ms(0), None, OVERHEAD).last, Some(OVERHEAD));
        assert_eq!(Budget::fixed(ms(1), OVERHEAD).last, None);
    }

    #[test]
    fn increments_fill_a_short_clock_again() {
        for increment in [5, 10, 100] {
            let mut remaining = 2 * OVERHEAD;
            for _ in 0..200 {
                remaining += ms(increment);
                remaining -= Budget::clock(remaining, ms(increment), None, OVERHEAD).hard;
            }
            assert!(remaining >= 8 * OVERHEAD, "{remaining:?} with an increment of {increment} ms");
        }
    }

    #[test]
    fn a_clock_at_zero_still_gives_a_moment() {
        let budget = Budget::clock(Duration::ZERO, Duration::ZERO, None, OVERHEAD);
        assert!(budget.hard > Duration::ZERO && budget.hard <= ms(1));
    }

    #[test]
    fn more_time_and_fewer_moves_mean_longer_thought() {
        let soft = |remaining, moves| Budget::clock(ms(remaining), ms(0), moves, OVERHEAD).soft;
        assert!(soft(60_000, None) > soft(30_000, None));
        assert!(soft(60_000, Some(5)) > soft(60_000, Some(20)));
    }

    #[test]
    fn a_fixed_time_is_used_but_for_the_overhead() {
        assert_eq!(Budget::fixed(ms(1000), OVERHEAD).hard, ms(990));
        assert_eq!(Budget::fixed(ms(10), OVERHEAD).hard, ms(5));
    }

    #[test]
    fn a_settled_choice_takes_less_time() {
        let settled = Stability { steady_iterations: 9, node_share: 0.9, score_drop: 0 };
        let open = Stability { steady_iterations: 0, node_share: 0.3, score_drop: 40 };
        assert!(settled.scale() < 0.7 && open.scale() > 1.5);
    }
}
