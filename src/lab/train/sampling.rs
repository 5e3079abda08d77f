//! Which positions each epoch uses: a random share of all, with a wanted distribution of the number of pieces.
//!
//! Endings are most of a game's positions, but a network needs openings and middle games as well. So each epoch draws
//! positions whose numbers of pieces are as frequent as configured. No position is drawn twice in an epoch. If there
//! are too few positions with some number of pieces, all of them are used, and more of the others.

use serde::{Deserialize, Deserializer, Serialize};

use super::range::share;

/// The greatest number of pieces.
pub const PIECES: usize = 32;

/// How many positions there are for each number of pieces.
pub type PieceCounts = [u64; PIECES + 1];

/// The table `[sampling]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Sampling {
    /// The share of the positions that an epoch uses, from 0 to 1.
    #[serde(deserialize_with = "share")]
    pub share: f64,
    /// Points of a line: numbers of pieces, and how frequent such positions shall be compared with others. Without
    /// points, all positions have the same chance.
    #[serde(deserialize_with = "points")]
    pub pieces: Vec<(u8, f64)>,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { share: 1.0, pieces: Vec::new() }
    }
}

/// The chance of a position to be used in an epoch, by its number of pieces.
#[derive(Clone, PartialEq, Debug)]
pub struct Chances([f64; PIECES + 1]);

impl Chances {
    /// The chance of a position with so many pieces.
    #[inline]
    pub fn of(&self, pieces: usize) -> f64 {
        self.0[pieces]
    }

    /// Whether an epoch uses all positions.
    pub fn are_certain(&self) -> bool {
        self.0.iter().all(|&chance| chance >= 1.0)
    }

    /// The expected number of positions in an epoch.
    pub fn expected(&self, counts: &PieceCounts) -> f64 {
        counts.iter().zip(self.0).map(|(&count, chance)| count as f64 * chance).sum()
    }
}

impl Sampling {
    /// The chances of positions if there are so many of them.
    pub fn chances(&self, counts: &PieceCounts) -> Chances {
        if self.pieces.is_empty() || self.share >= 1.0 {
            return Chances([self.share; PIECES + 1]);
        }
        let total: u64 = counts.iter().sum();
        let wanted = self.share * total as f64;
        let frequencies: [f64; PIECES + 1] = std::array::from_fn(|pieces| self.frequency(pieces as f64));
        let at = |level: f64| {
            Chances(std::array::from_fn(|pieces| match counts[pieces] {
                0 => 1.0,
                count => (level * frequencies[pieces] / count as f64).min(1.0),
            }))
        };
        // The level is between 0 and one at which all positions are used.
        let (mut low, mut high) = (0.0, total as f64 / frequencies.into_iter().fold(f64::INFINITY, f64::min));
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if at(middle).expected(counts) < wanted { low = middle } else { high = middle }
        }
        at(high)
    }

    /// The wanted frequency of a number of pieces, on the line through the points.
    fn frequency(&self, pieces: f64) -> f64 {
        let next = self.pieces.iter().position(|&(number, _)| f64::from(number) >= pieces);
        match next {
            None => self.pieces[self.pieces.len() - 1].1,
            Some(0) => self.pieces[0].1,
            Some(next) => {
                let ((left, low), (right, high)) = (self.pieces[next - 1], self.pieces[next]);
                low + (high - low) * (pieces - f64::from(left)) / f64::from(right - left)
            }
        }
    }
}

/// Points with rising numbers of pieces from 0 to 32 and frequencies above 0.
fn points<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(u8, f64)>, D::Error> {
    let points = Vec::<(u8, f64)>::deserialize(deserializer)?;
    let rise = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let are_valid = points.iter().all(|&(pieces, frequency)| {
        usize::from(pieces) <= PIECES && frequency > 0.0 && frequency.is_finite()
    });
    let expected = "pairs of a rising number of pieces, up to 32, and a number above 0 are needed";
    if rise && are_valid { Ok(points) } else { Err(serde::de::Error::custom(expected)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(of: impl Fn(usize) -> u64) -> PieceCounts {
        std::array::from_fn(of)
    }

    #[test]
    fn without_points_all_positions_have_the_same_chance() {
        let counts = counts(|pieces| pieces as u64);
        let chances = Sampling { share: 0.5, pieces: Vec::new() }.chances(&counts);
        assert!((0..=PIECES).all(|pieces| chances.of(pieces) == 0.5));
        assert!(Sampling::default().chances(&counts).are_certain() && !chances.are_certain());
    }

    #[test]
    fn numbers_of_pieces_are_as_frequent_as_wanted() {
        let sampling = Sampling { share: 0.5, pieces: vec![(8, 0.4), (16, 1.0), (24, 1.0), (32, 0.75)] };
        let frequencies = [(0, 0.4), (8, 0.4), (12, 0.7), (20, 1.0), (28, 0.875), (32, 0.75)];
        for (pieces, expected) in frequencies {
            assert!((sampling.frequency(f64::from(pieces)) - expected).abs() < 1e-12, "{pieces} pieces");
        }
        // The more pieces, the fewer positions, and too few of them at the end.
        let counts = counts(|pieces| if pieces < 30 { 100_000 - 1_000 * pieces as u64 } else { 10 });
        let chances = sampling.chances(&counts);
        let drawn = |pieces: usize| counts[pieces] as f64 * chances.of(pieces);
        assert!((drawn(8) / drawn(20) - 0.4).abs() < 1e-6);
        assert!((drawn(28) / drawn(16) - 0.875).abs() < 1e-6);
        assert_eq!(chances.of(31), 1.0);
        let total: u64 = counts.iter().sum();
        assert!((chances.expected(&counts) - 0.5 * total as f64).abs() < 1.0);
    }
}
