//! Fits the scale of scores: the number of centipawns that multiply the odds of a game by e.
//!
//! The scale maximizes the likelihood of the games' results, if a score `s` means odds of exp(`s` / scale). The
//! likelihood has one maximum, which Newton's method finds.

use super::range::SCALES;

/// The largest absolute score that is counted.
const LIMIT: i16 = 2_000;
/// The scale that the search for the best one begins with.
const FIRST: f64 = 150.0;
/// The number of steps of Newton's method. It needs about five.
const STEPS: usize = 50;

/// How often each score came with each result.
#[derive(Clone, Debug)]
pub struct ScoreResults {
    /// For each score from -[`LIMIT`] on, the number of positions and twice the sum of White's points.
    counts: Vec<[u64; 2]>,
}

impl Default for ScoreResults {
    fn default() -> ScoreResults {
        ScoreResults { counts: vec![[0; 2]; 2 * LIMIT as usize + 1] }
    }
}

impl ScoreResults {
    /// Counts a position with this score in a game with this share of the points, both from White's point of view.
    pub fn add(&mut self, score: i16, share: f64) {
        if score.unsigned_abs() <= LIMIT as u16 {
            let [positions, points] = &mut self.counts[(score + LIMIT) as usize];
            *positions += 1;
            *points += (2.0 * share) as u64;
        }
    }

    /// Adds the positions of `other`.
    pub fn merge(&mut self, other: &ScoreResults) {
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            count[0] += other[0];
            count[1] += other[1];
        }
    }

    /// The best scale, rounded to a tenth of a centipawn; `None` if results do not depend on scores.
    pub fn fit(&self) -> Option<f64> {
        let (least, greatest) = (1.0 / SCALES.end(), 1.0 / SCALES.start());
        let mut slope = 1.0 / FIRST;
        for _ in 0..STEPS {
            let (mut gradient, mut curvature) = (0.0, 0.0);
            for (index, &[positions, points]) in self.counts.iter().enumerate() {
                let score = index as f64 - f64::from(LIMIT);
                let chance = 1.0 / (1.0 + (-score * slope).exp());
                gradient += score * (positions as f64 * chance - points as f64 / 2.0);
                curvature += score * score * positions as f64 * chance * (1.0 - chance);
            }
            if curvature <= 0.0 {
                return None;
            }
            // A step may not go further than to half or double the slope: far from the maximum it would miss it.
            slope = (slope - gradient / curvature).clamp(slope / 2.0, slope * 2.0).clamp(least, greatest);
        }
        Some((10.0 / slope).round() / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// Results of games that follow the model.
    fn results(scale: f64) -> ScoreResults {
        let mut random = Random::stream(1, 1);
        let mut results = ScoreResults::default();
        for _ in 0..200_000 {
            let score = random.below(1_001) as i16 - 500;
            let chance = 1.0 / (1.0 + (-f64::from(score) / scale).exp());
            results.add(score, f64::from(u8::from(random.unit() < chance)));
        }
        results
    }

    #[test]
    fn the_scale_of_the_results_is_found() {
        for scale in [80.0, 150.0, 600.0] {
            let found = results(scale).fit().unwrap();
            assert!((found / scale - 1.0).abs() < 0.03, "{found}, not {scale}");
        }
        let mut both = results(100.0);
        both.merge(&results(300.0));
        let found = both.fit().unwrap();
        assert!((100.0..300.0).contains(&found), "{found}");
    }

    #[test]
    fn without_scores_there_is_no_scale_and_certain_results_have_the_smallest() {
        let mut results = ScoreResults::default();
        assert_eq!(results.fit(), None);
        results.add(0, 0.5);
        results.add(3_000, 1.0);
        assert_eq!(results.fit(), None);
        results.add(100, 1.0);
        results.add(-100, 0.0);
        assert_eq!(results.fit(), Some(*SCALES.start()));
    }
}
