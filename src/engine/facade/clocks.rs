//! The clocks of a game in which nodes count as time (`nodestime`), and the search that is charged to one of them.

use std::time::Duration;

use crate::chess::board::Color;
use crate::engine::run::Clock;
use crate::engine::time::NodeClock;

/// The clocks of both sides, because one process may play both.
#[derive(Default)]
pub(super) struct Clocks {
    sides: [NodeClock; 2],
    charged: Option<ChargedSearch>,
}

/// A search that is charged to a clock.
struct ChargedSearch {
    color: Color,
    increment: Duration,
    rate: u64,
    /// Nodes that do not count, because they were searched on the opponent's time.
    free: u64,
}

impl Clocks {
    /// Begins to charge a search to the clock of `color`. `rate` nodes count as a millisecond. `clock` holds the time
    /// that the GUI sent. Its remaining time is replaced by the time that is left when nodes are counted.
    pub fn start(&mut self, color: Color, clock: &mut Clock, rate: u64) {
        let Clock { remaining, increment, moves_to_go } = *clock;
        clock.remaining = self.sides[color as usize].remaining(remaining, increment, moves_to_go, rate);
        self.charged = Some(ChargedSearch { color, increment, rate, free: 0 });
    }

    /// The opponent played the expected move after `nodes` nodes. Only later nodes count.
    pub fn ponder_hit(&mut self, nodes: u64) {
        if let Some(search) = &mut self.charged {
            search.free = nodes;
        }
    }

    /// The search has ended after `nodes` nodes. If it was still pondering, the opponent played another move, and the
    /// search costs nothing.
    pub fn stop(&mut self, nodes: u64, is_pondering: bool) {
        if let Some(ChargedSearch { color, increment, rate, free }) = self.charged.take()
            && !is_pondering
        {
            self.sides[color as usize].spend(nodes.saturating_sub(free), increment, rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// The time that `color` has left at the start of a search.
    fn left(clocks: &mut Clocks, color: Color) -> Duration {
        let mut clock = Clock { remaining: ms(1_000), increment: ms(10), moves_to_go: None };
        clocks.start(color, &mut clock, 100);
        clock.remaining
    }

    #[test]
    fn each_side_pays_for_its_own_nodes() {
        let mut clocks = Clocks::default();
        assert_eq!(left(&mut clocks, Color::White), ms(1_000));
        clocks.stop(30_000, false);
        assert_eq!(left(&mut clocks, Color::Black), ms(1_000));
        clocks.stop(0, false);
        assert_eq!(left(&mut clocks, Color::White), ms(1_000 - 300 + 10));
    }

    #[test]
    fn nodes_searched_on_the_opponents_time_are_not_charged() {
        let mut clocks = Clocks::default();
        left(&mut clocks, Color::White);
        clocks.stop(50_000, true);
        assert_eq!(left(&mut clocks, Color::White), ms(1_000), "a move that was not played");
        clocks.ponder_hit(50_000);
        clocks.stop(60_000, false);
        assert_eq!(left(&mut clocks, Color::White), ms(1_000 - 100 + 10), "what followed the hit");
    }
}
