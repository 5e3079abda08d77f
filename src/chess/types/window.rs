//! The scores that a search still has to distinguish.

use std::ops::Neg;

use super::{Bound, Score};

/// The scores between alpha and beta, without these two. Within its window, a search returns an exact score. Outside of
/// it, the score is a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The side to move already has this score, by another move.
    pub alpha: Score,
    /// The opponent does not allow this score.
    pub beta: Score,
}

impl Window {
    /// Every score.
    pub const FULL: Window = Window { alpha: Score::new(-Score::INFINITE.value()), beta: Score::INFINITE };

    /// The scores between `alpha` and `beta`.
    #[inline]
    pub const fn new(alpha: Score, beta: Score) -> Window {
        Window { alpha, beta }
    }

    /// The null window that asks whether a score is above `alpha`.
    #[inline]
    pub fn null_above(alpha: Score) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    /// The null window that asks whether a score reaches `beta`.
    #[inline]
    pub fn null_below(beta: Score) -> Window {
        Window { alpha: beta - 1, beta }
    }

    /// Whether no score lies within. The search can then only say on which side of the window its score is.
    #[inline]
    pub fn is_null(self) -> bool {
        self.beta - self.alpha <= 1
    }

    /// Whether the window is closed, so that nothing is left to search.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.alpha >= self.beta
    }

    /// Whether `score` lies within the window, so that it is exact.
    #[inline]
    pub fn contains(self, score: Score) -> bool {
        self.alpha < score && score < self.beta
    }

    /// The bound that a fail-soft `score` is after a search with this window.
    #[inline]
    pub fn bound(self, score: Score) -> Bound {
        if score >= self.beta {
            Bound::Lower
        } else if score > self.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// Whether a `score` with this bound settles a search with this window.
    #[inline]
    pub fn is_decided_by(self, score: Score, bound: Bound) -> bool {
        match bound {
            Bound::Exact => true,
            Bound::Lower => score >= self.beta,
            Bound::Upper => score <= self.alpha,
        }
    }
}

/// The same window as the opponent sees it.
impl Neg for Window {
    type Output = Window;

    #[inline]
    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window::new(Score::new(10), Score::new(20));

    #[test]
    fn scores_are_exact_inside_a_window_and_bounds_outside() {
        for (value, expected) in
            [(5, Bound::Upper), (10, Bound::Upper), (15, Bound::Exact), (20, Bound::Lower)]
        {
            let score = Score::new(value);
            assert_eq!(WINDOW.bound(score), expected);
            assert_eq!(WINDOW.contains(score), expected == Bound::Exact);
            assert!(WINDOW.is_decided_by(score, expected));
        }
        assert!(!WINDOW.is_decided_by(Score::new(15), Bound::Lower));
        assert!(!WINDOW.is_decided_by(Score::new(15), Bound::Upper));
    }

    #[test]
    fn negating_a_window_exchanges_and_negates_its_bounds() {
        assert_eq!(-WINDOW, Window::new(Score::new(-20), Score::new(-10)));
        assert_eq!(-Window::FULL, Window::FULL);
        assert!(Window::FULL.contains(Score::MATE) && Window::FULL.contains(-Score::MATE));
    }

    #[test]
    fn a_null_window_contains_no_score_and_every_bound_decides_it() {
        let score = Score::new(7);
        for window in [Window::null_above(score), Window::null_below(score)] {
            assert!(window.is_null() && !window.is_empty() && (-window).is_null());
            assert!(!window.contains(window.alpha) && !window.contains(window.beta));
        }
        assert!(Window::null_above(score).is_decided_by(score, Bound::Upper));
        assert!(Window::null_below(score).is_decided_by(score, Bound::Lower));
        assert!(!WINDOW.is_null() && !WINDOW.is_empty());
        assert!(Window::new(score, score).is_empty());
    }
}
