//! Levels: play of limited strength, as `UCI_LimitStrength` and `UCI_Elo` ask for.
//!
//! A level sees less and judges worse. It sees less because the number of nodes for a move is limited, which also makes
//! it fast. It judges worse because a random error is added to the score of each of the best [`LINES`] lines, which
//! also makes games differ. Together they lead to mistakes in tactics and in position that fit each other; neither does
//! this alone (R. Houdart's Houdini; lucasart on noise in place of blunders, in Viridithas' issue 89). The choice among
//! several lines is that of Stockfish's skill levels. The logistic noise, which gets narrower as pieces leave the
//! board, is also in Stockfish's pull request 7036.
//!
//! A level avoids two things that only annoy people. It always plays a mate that it has found. In an ending of few
//! pieces, its noise is too small to prevent it from mating with a rook (Stockfish's issue 6356).
//!
//! `docs/journal/levels.md` describes how the levels were calibrated.

use super::root::RootMove;
use crate::base::random::Random;

/// Lines among which a level chooses.
pub const LINES: usize = 5;
/// Material at the start of a game, at which the noise has its full size.
const FULL_MATERIAL: f64 = 78.0;
/// How many points of material an empty board counts as in the noise. The levels were calibrated with the unit of
/// network 16, whose factor has the same number.
const BASE_MATERIAL: f64 = 40.0;

/// The measured strength of a level.
struct Calibration {
    elo: f64,
    nodes: f64,
    /// Scale of the logistic noise, in centipawns.
    noise: f64,
}

const fn calibration(elo: u32, nodes: u32, noise: u32) -> Calibration {
    Calibration { elo: elo as f64, nodes: nodes as f64, noise: noise as f64 }
}

/// The calibrated levels, from the weakest to the strongest.
const CALIBRATIONS: [Calibration; 11] = [
    calibration(1000, 250, 790),
    calibration(1120, 250, 520),
    calibration(1170, 250, 400),
    calibration(1380, 250, 200),
    calibration(1680, 250, 100),
    calibration(1930, 500, 50),
    calibration(2090, 1_000, 30),
    calibration(2210, 2_000, 20),
    calibration(2350, 4_000, 12),
    calibration(2530, 10_000, 8),
    calibration(2700, 30_000, 5),
];

/// How far the engine's strength is limited.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// Nodes for one move. A first iteration of up to 10,000 nodes is finished in any case.
    pub nodes: u64,
    /// Scale of the logistic error in the score of a line, in centipawns, with all pieces on the board.
    pub noise: f64,
}

impl Level {
    /// The weakest level, in Elo.
    pub const MIN: u32 = CALIBRATIONS[0].elo as u32;
    /// The strongest one.
    pub const MAX: u32 = CALIBRATIONS[CALIBRATIONS.len() - 1].elo as u32;

    /// The level of an Elo rating, or the nearest one if the rating is out of range. Between the calibrated levels, the
    /// noise and the logarithm of the nodes are interpolated linearly.
    pub fn of(elo: u32) -> Level {
        let elo = f64::from(elo.clamp(Level::MIN, Level::MAX));
        let above =
            CALIBRATIONS.iter().position(|known| known.elo >= elo).unwrap_or(CALIBRATIONS.len() - 1).max(1);
        let (low, high) = (&CALIBRATIONS[above - 1], &CALIBRATIONS[above]);
        let part = (elo - low.elo) / (high.elo - low.elo);
        let between = |low: f64, high: f64| low + (high - low) * part;
        Level {
            nodes: between(low.nodes.ln(), high.nodes.ln()).exp().round() as u64,
            noise: between(low.noise, high.noise),
        }
    }

    /// Index of the root move to play. `moves` come best first, each with a score; `material` is what is on the board.
    pub fn choose(&self, moves: &[RootMove], material: i32, random: &mut Random) -> usize {
        if moves.first().is_none_or(|best| best.score.is_win()) {
            return 0;
        }
        let material = f64::from(material);
        let share = (BASE_MATERIAL + material.min(FULL_MATERIAL)) / (BASE_MATERIAL + FULL_MATERIAL);
        let noise = self.noise * material / FULL_MATERIAL * share;
        let noisy_scores = moves.iter().take(LINES).map(|root| {
            // The quantile function of the logistic distribution.
            let chance = random.unit().clamp(1e-6, 1.0 - 1e-6);
            f64::from(root.score.value()) + noise * (chance / (1.0 - chance)).ln()
        });
        let mut best = (0, f64::NEG_INFINITY);
        for (index, noisy_score) in noisy_scores.enumerate() {
            if noisy_score > best.1 {
                best = (index, noisy_score);
            }
        }
        best.0
    }
}

/// How strong the user wants the engine to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// Whether the strength is limited.
    pub limited: bool,
    /// The limit, in Elo.
    pub elo: u32,
    /// Whether positions are analyzed. Analysis is never limited.
    pub analysis: bool,
}

impl Default for Strength {
    fn default() -> Strength {
        Strength { limited: false, elo: Level::MAX, analysis: false }
    }
}

impl Strength {
    /// The level in force; `None` for full strength.
    pub fn level(&self) -> Option<Level> {
        (self.limited && !self.analysis).then(|| Level::of(self.elo))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::chess::types::Score;
    use crate::engine::run::root::RootMoves;

    fn moves(scores: &[i32]) -> Vec<RootMove> {
        let mut moves = RootMoves::new(&Board::startpos(), &[]).as_slice()[..scores.len()].to_vec();
        moves.iter_mut().zip(scores).for_each(|(root, &score)| root.score = Score::new(score));
        moves
    }

    #[test]
    fn a_higher_level_has_more_nodes_and_less_noise() {
        let levels: Vec<Level> = (Level::MIN..=Level::MAX).map(Level::of).collect();
        assert!(levels.windows(2).all(|two| two[0].nodes <= two[1].nodes && two[0].noise >= two[1].noise));
        assert!(levels[0].nodes < levels[levels.len() - 1].nodes);
        for known in &CALIBRATIONS {
            let level = Level::of(known.elo as u32);
            assert_eq!((level.nodes as f64, level.noise), (known.nodes, known.noise));
        }
        assert_eq!(Level::of(0), Level::of(Level::MIN));
        assert_eq!(Level::of(u32::MAX), Level::of(Level::MAX));
    }

    #[test]
    fn a_level_plays_equal_moves_equally_often_and_bad_moves_rarely() {
        let level = Level { nodes: 1, noise: 30.0 };
        let played = |scores: &[i32], material| {
            let moves = moves(scores);
            let mut counts = vec![0; scores.len()];
            for game in 0..3_000 {
                counts[level.choose(&moves, material, &mut Random::stream(1, game))] += 1;
            }
            counts
        };
        let counts = played(&[10, 10, 10], 78);
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
        let counts = played(&[10, -20, -300], 78);
        assert!(counts[0] > 2 * counts[1] && counts[1] > 300 && counts[2] < 30, "{counts:?}");
        let counts = played(&[500, 480], 5);
        assert_eq!(counts[1], 0, "with a rook left the noise is nearly gone");
        let mut many = [0; 20];
        many[LINES] = 500;
        assert_eq!(played(&many, 78)[LINES], 0, "only the first lines count");
    }

    #[test]
    fn a_level_plays_a_found_mate_and_repeats_its_choice_with_the_same_seed() {
        let mate = Score::mate_in(3).value();
        let level = Level { nodes: 1, noise: 100_000.0 };
        let choice = |scores: &[i32], game| level.choose(&moves(scores), 78, &mut Random::stream(5, game));
        assert!((0..100).all(|game| choice(&[mate, 0, 0], game) == 0));
        assert!((0..100).all(|game| choice(&[0; 5], game) == choice(&[0; 5], game)));
        assert_eq!(level.choose(&[], 78, &mut Random::stream(5, 0)), 0);
    }
}
