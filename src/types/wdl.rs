//! Chances of a win, a draw and a loss that a score stands for.
//!
//! First stage: a logistic curve of the score alone, one for the win and its mirror image for
//! the loss, and the draw is what they leave. It knows neither the material nor the move
//! number, and its two parameters are round figures for a hand-made evaluation, not a fit;
//! they stand here and nowhere else. The shape is the one that testing frameworks fit to the
//! results of games.

use super::Score;

/// The score, in centipawns, at which a win is as likely as not.
const EVEN_CHANCE: f64 = 180.0;
/// How slowly the chance changes around that score, in centipawns.
const SPREAD: f64 = 80.0;

/// Chances in permille, for the side to move; they sum to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// Chance of a win.
    pub win: u32,
    /// Chance of a draw.
    pub draw: u32,
    /// Chance of a loss.
    pub loss: u32,
}

impl Wdl {
    /// The chances that a score stands for; proven mates and tablebase results are certain.
    pub fn of(score: Score) -> Wdl {
        if score.is_win() {
            return Wdl { win: 1000, draw: 0, loss: 0 };
        }
        if score.is_loss() {
            return Wdl { win: 0, draw: 0, loss: 1000 };
        }
        let chance = |centipawns: i32| {
            // The two curves add up to at most one; rounding may add one permille, which `min`
            // below takes back from the loss.
            (1000.0 / (1.0 + ((EVEN_CHANCE - f64::from(centipawns)) / SPREAD).exp())).round() as u32
        };
        let win = chance(score.value());
        let loss = chance(-score.value()).min(1000 - win);
        Wdl { win, draw: 1000 - win - loss, loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_sum_to_one_thousand_and_mirror() {
        for value in -30_000..=30_000 {
            let wdl = Wdl::of(Score::new(value));
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000, "at {value}");
            let mirrored = Wdl::of(Score::new(-value));
            assert_eq!((wdl.win, wdl.loss), (mirrored.loss, mirrored.win), "at {value}");
        }
    }

    #[test]
    fn a_better_score_never_wins_less() {
        let wins: Vec<u32> = (-3000..=3000).map(|value| Wdl::of(Score::new(value)).win).collect();
        assert!(wins.is_sorted());
        assert_eq!(Wdl::of(Score::new(EVEN_CHANCE as i32)).win, 500);
    }

    #[test]
    fn what_is_proven_is_certain() {
        assert_eq!(Wdl::of(Score::mate_in(5)), Wdl { win: 1000, draw: 0, loss: 0 });
        assert_eq!(Wdl::of(Score::mated_in(4)), Wdl { win: 0, draw: 0, loss: 1000 });
        assert_eq!(Wdl::of(-Score::TABLEBASE_WIN), Wdl { win: 0, draw: 0, loss: 1000 });
        assert_eq!(Wdl::of(Score::ZERO).win, Wdl::of(Score::ZERO).loss);
    }
}
