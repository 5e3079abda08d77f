//! Win% of scores and the accuracy of moves, by lichess's published formulas.
//!
//! Sources: lichess, "Lichess Accuracy metric" (<https://lichess.org/page/accuracy>), and its source code,
//! `AccuracyPercent.scala`, `AccuracyCP.scala` and `Advice.scala` of <https://github.com/lichess-org/lila>. Only facts
//! were taken from there.
//!
//! These formulas use lichess's own scale of centipawns. 100 of lichess's centipawns are a Win% of 59. 100 of ours are
//! an even chance to win. Expected points exist on both scales, so [`lichess_centipawns`] converts by them:
//!
//! 1. our [`WinModel`] gives the chances to win and to lose, `w` and `l`, and so the odds `(1 + w - l) / (1 - w + l)`
//!    of a point;
//! 2. these are the odds between two equal engines. People convert the same advantage less often: the logarithm of
//!    their odds is [`PEOPLE`] times as large;
//! 3. the odds of lichess's Win% are `exp(0.00368208 cp)`, which gives `cp`.

use crate::chess::board::Color;
use crate::chess::types::{Score, Wdl, WinModel};

/// The logarithm of people's odds for an advantage, divided by that of two equal engines.
///
/// The value was fitted to a sample of the lichess database: the 37 games, 2,216 positions, that lichess had analyzed
/// itself. Each position was searched with 20,000 nodes. With 0.4, Win% differs from lichess's by 3.6 points on
/// average, 84% of the moves get the same judgment, and players' accuracies are 0.3 points above lichess's on average.
/// With 1, as if people played like engines, Win% differs by 8.2 points, 78% of the moves get the same judgment, and
/// accuracies are 7.6 points below. `docs/analysis.md` has the table.
pub const PEOPLE: f64 = 0.4;

/// The logarithm of the odds of Win% per centipawn.
const STEEPNESS: f64 = 0.00368208;

/// Centipawns are limited to this value for Win%. A mate counts as this value.
pub const CEILING: f64 = 1000.0;

/// The greatest score in lichess's centipawns.
const CERTAIN: f64 = 10_000.0;

/// Converts a score to lichess's centipawns. The sign stays the same. A mate counts as [`CEILING`]. Tablebase results
/// and other certain results are far beyond it.
pub fn lichess_centipawns(score: Score, material: i32) -> f64 {
    if score.is_mate() {
        return CEILING.copysign(f64::from(score.value()));
    }
    if score.is_decisive() {
        return CERTAIN.copysign(f64::from(score.value()));
    }
    let model = WinModel::FITTED;
    let (center, width, value) = (model.center(material), model.width(material), f64::from(score.value()));
    // A chance and its complement each have a logistic curve of their own. Near certainty, subtracting from 1 would
    // lose all digits.
    let curve = |x: f64| 1.0 / (1.0 + (-x / width).exp());
    let (win, no_win) = (curve(value - center), curve(center - value));
    let (loss, no_loss) = (curve(-value - center), curve(center + value));
    let odds = ((win + no_loss) / (no_win + loss)).ln();
    (PEOPLE * odds / STEEPNESS).clamp(-CERTAIN, CERTAIN)
}

/// The Win% (0 to 100) of a side with this score in lichess's centipawns.
pub fn win_percent(centipawns: f64) -> f64 {
    let centipawns = centipawns.clamp(-CEILING, CEILING);
    50.0 + 50.0 * (2.0 / (1.0 + (-STEEPNESS * centipawns).exp()) - 1.0)
}

/// The accuracy of a move, 0 to 100, from the mover's Win% before and after it.
pub fn move_accuracy(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    // The last summand is lichess's allowance for imperfect analysis.
    let raw = 103.1668100711649 * (-0.04354415386753951 * (before - after)).exp() - 3.166924740191411 + 1.0;
    raw.clamp(0.0, 100.0)
}

/// The accuracies of White and Black in a game. `wins` is White's Win% before the first move and after each move.
/// `first` makes the first move. `None` for a side without a move.
pub fn game_accuracy(wins: &[f64], first: Color) -> [Option<f64>; 2] {
    let weights = weights(wins);
    let mut sides = [(); 2].map(|()| Sums::default());
    let mut mover = first;
    for (pair, weight) in wins.windows(2).zip(weights) {
        let (before, after) = match mover {
            Color::White => (pair[0], pair[1]),
            Color::Black => (100.0 - pair[0], 100.0 - pair[1]),
        };
        sides[mover.fold_wb(0, 1)].add(move_accuracy(before, after), weight);
        mover = mover.other();
    }
    sides.map(|sums| sums.accuracy())
}

/// The weights of the moves. A move has more weight if Win% changed more around it.
fn weights(wins: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let moves = wins.len().saturating_sub(1);
    let size = (moves / 10).clamp(2, 8).min(wins.len());
    // The first window is also used for the first moves, so that each move has a window.
    let starts = std::iter::repeat_n(0, size.saturating_sub(2)).chain(0..);
    starts.take(moves).map(move |start| {
        let window = &wins[start..(start + size).min(wins.len())];
        deviation(window).clamp(0.5, 12.0)
    })
}

/// The population standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// The sums from which a side's accuracy is computed.
#[derive(Default)]
struct Sums {
    moves: f64,
    weight: f64,
    weighted: f64,
    inverse: f64,
}

impl Sums {
    fn add(&mut self, accuracy: f64, weight: f64) {
        self.moves += 1.0;
        self.weight += weight;
        self.weighted += weight * accuracy;
        // Lichess counts an accuracy below 1 as 1 here. Otherwise a single move of accuracy 0 would make the harmonic
        // mean 0.
        self.inverse += 1.0 / accuracy.max(1.0);
    }

    fn accuracy(&self) -> Option<f64> {
        (self.moves > 0.0).then(|| (self.weighted / self.weight + self.moves / self.inverse) / 2.0)
    }
}

/// A score as users see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Centipawns from White's point of view. 100 is an even chance to win.
    Centipawns(i32),
    /// A proven mate.
    Mate {
        /// The side that mates.
        winner: Color,
        /// The number of moves to the mate; 0 if the mate is on the board.
        moves: u32,
    },
}

/// The evaluation of a position from White's point of view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evaluation {
    /// The score as users see it.
    pub value: Value,
    /// The chances of win, draw and loss between two equal engines, in permille.
    pub wdl: [u32; 3],
    /// The score in lichess's centipawns, without the limit [`CEILING`].
    pub lichess: f64,
}

impl Evaluation {
    /// The evaluation of a score for the side `turn`. `material` is the material on the board.
    pub fn new(score: Score, turn: Color, material: i32) -> Evaluation {
        let sign = turn.fold_wb(1, -1);
        let value = match WinModel::FITTED.normalized(score, material) {
            mate if mate.is_mate() => Value::Mate {
                winner: if mate.is_win() { turn } else { turn.other() },
                moves: mate.mate_moves().unwrap_or(0).unsigned_abs(),
            },
            score => Value::Centipawns(sign * score.value()),
        };
        let Wdl { win, draw, loss } = Wdl::of(score, material);
        let wdl = turn.fold_wb([win, draw, loss], [loss, draw, win]);
        Evaluation { value, wdl, lichess: f64::from(sign) * lichess_centipawns(score, material) }
    }

    /// White's Win%.
    pub fn win(&self) -> f64 {
        win_percent(self.lichess)
    }

    /// The Win% of `side`.
    pub fn win_of(&self, side: Color) -> f64 {
        side.fold_wb(self.win(), 100.0 - self.win())
    }

    fn lichess_of(&self, side: Color) -> f64 {
        side.fold_wb(self.lichess, -self.lichess)
    }

    /// The side that has a proven mate.
    fn mates(&self) -> Option<Color> {
        match self.value {
            Value::Mate { winner, .. } => Some(winner),
            Value::Centipawns(_) => None,
        }
    }
}

/// The judgment of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Judgment {
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Judgment {
    /// The numeric annotation glyph.
    pub fn nag(self) -> u8 {
        match self {
            Judgment::Inaccuracy => 6,
            Judgment::Mistake => 2,
            Judgment::Blunder => 4,
        }
    }

    /// The sign after a move.
    pub fn sign(self) -> &'static str {
        match self {
            Judgment::Inaccuracy => "?!",
            Judgment::Mistake => "?",
            Judgment::Blunder => "??",
        }
    }

    /// The name of the judgment.
    pub fn name(self) -> &'static str {
        match self {
            Judgment::Inaccuracy => "inaccuracy",
            Judgment::Mistake => "mistake",
            Judgment::Blunder => "blunder",
        }
    }
}

/// Judges a move of `mover` by the evaluations before and after it.
///
/// Without a mate the loss of Win% decides. Mates have rules of their own. To allow a mate is a smaller fault if the
/// position was already lost. To lose a mate is a smaller fault if the position is still won. A mate that only takes
/// longer is no fault.
pub fn judge(before: &Evaluation, after: &Evaluation, mover: Color) -> Option<Judgment> {
    let by_size = |centipawns: f64| {
        if centipawns > 999.0 {
            Judgment::Inaccuracy
        } else if centipawns > 700.0 {
            Judgment::Mistake
        } else {
            Judgment::Blunder
        }
    };
    match (before.mates(), after.mates()) {
        (None, None) => match before.win_of(mover) - after.win_of(mover) {
            loss if loss >= 15.0 => Some(Judgment::Blunder),
            loss if loss >= 10.0 => Some(Judgment::Mistake),
            loss if loss >= 5.0 => Some(Judgment::Inaccuracy),
            _ => None,
        },
        (None, Some(winner)) if winner != mover => Some(by_size(-before.lichess_of(mover))),
        (Some(winner), None) if winner == mover => Some(by_size(after.lichess_of(mover))),
        (Some(winner), Some(next)) if winner == mover && next != mover => Some(Judgment::Blunder),
        _ => None,
    }
}

/// The loss of a move of `mover` in lichess's centipawns, each evaluation limited to [`CEILING`].
pub fn loss(before: &Evaluation, after: &Evaluation, mover: Color) -> f64 {
    let limited = |evaluation: &Evaluation| evaluation.lichess_of(mover).clamp(-CEILING, CEILING);
    (limited(before) - limited(after)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} and not {expected}");
    }

    fn centipawns(lichess: f64) -> Evaluation {
        Evaluation { value: Value::Centipawns(lichess as i32), wdl: [0, 1000, 0], lichess }
    }

    fn mate(winner: Color) -> Evaluation {
        let lichess = winner.fold_wb(CEILING, -CEILING);
        Evaluation { value: Value::Mate { winner, moves: 3 }, wdl: [1000, 0, 0], lichess }
    }

    /// The values were calculated by hand from the formulas.
    #[test]
    fn win_percent_and_accuracy_of_moves() {
        near(win_percent(0.0), 50.0);
        near(win_percent(100.0), 100.0 / (1.0 + (-0.368208f64).exp()));
        assert!((win_percent(100.0) - 59.1025897).abs() < 1e-6);
        near(win_percent(1000.0), win_percent(9999.0));
        near(win_percent(-300.0), 100.0 - win_percent(300.0));
        near(move_accuracy(50.0, 50.0), 100.0);
        near(move_accuracy(40.0, 60.0), 100.0);
        // 103.1668100711649 exp(-0.4354415386753951) - 2.166924740191411
        assert!((move_accuracy(60.0, 50.0) - 64.5798285).abs() < 1e-6, "{}", move_accuracy(60.0, 50.0));
        near(move_accuracy(100.0, 0.0), 0.0);
        near(move_accuracy(50.0, 49.9999999), 100.0);
    }

    /// Three moves have windows of two. Each weight is half of the distance between its two values, limited to 0.5 to
    /// 12.
    #[test]
    fn accuracy_of_a_short_game_by_hand() {
        let wins = [50.0, 50.0, 80.0, 70.0];
        let [white, black] = game_accuracy(&wins, Color::White);
        // White has an accuracy of 100 with weight 0.5, and a loss of 10 with weight 5. Black has a loss of 30.
        let (lost_10, lost_30) = (move_accuracy(60.0, 50.0), move_accuracy(60.0, 30.0));
        let weighted = (0.5 * 100.0 + 5.0 * lost_10) / 5.5;
        let harmonic = 2.0 / (0.01 + 1.0 / lost_10);
        near(white.unwrap(), (weighted + harmonic) / 2.0);
        near(black.unwrap(), lost_30);
        let [white, black] = game_accuracy(&wins[..2], Color::Black);
        assert_eq!((white, black), (None, Some(100.0)));
        assert_eq!(game_accuracy(&wins[..1], Color::White), [None, None]);
        assert_eq!(game_accuracy(&[], Color::White), [None, None]);
    }

    /// Forty moves have windows of four. The first window counts three times.
    #[test]
    fn the_first_window_counts_for_the_first_moves_too() {
        let wins: Vec<f64> = (0..41).map(|index| f64::from(index * index % 17)).collect();
        let found: Vec<f64> = weights(&wins).collect();
        assert_eq!(found.len(), 40);
        let window = |start: usize| deviation(&wins[start..start + 4]).clamp(0.5, 12.0);
        for (index, weight) in found.iter().enumerate() {
            near(*weight, window(index.saturating_sub(2)));
        }
        near(deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), 2.0);
        assert_eq!(weights(&[50.0; 200]).collect::<Vec<_>>(), vec![0.5; 199]);
    }

    #[test]
    fn thresholds_of_judgments() {
        // These are losses of 5, 10 and 15 points of Win% from an even position.
        let at = |win: f64| -(100.0 / win - 1.0).ln() / STEEPNESS;
        for (win, judgment) in [
            (45.1, None),
            (44.9, Some(Judgment::Inaccuracy)),
            (40.1, Some(Judgment::Inaccuracy)),
            (39.9, Some(Judgment::Mistake)),
            (35.1, Some(Judgment::Mistake)),
            (34.9, Some(Judgment::Blunder)),
            (60.0, None),
        ] {
            assert_eq!(judge(&centipawns(0.0), &centipawns(at(win)), Color::White), judgment, "{win}");
            assert_eq!(judge(&centipawns(0.0), &centipawns(-at(win)), Color::Black), judgment, "{win}");
        }
        assert_eq!(judge(&centipawns(3000.0), &centipawns(1000.0), Color::White), None);
    }

    #[test]
    fn mates_allowed_and_lost() {
        use Judgment::{Blunder, Inaccuracy, Mistake};
        let (ours, theirs) = (mate(Color::White), mate(Color::Black));
        for (before, after, judgment) in [
            (centipawns(0.0), theirs, Some(Blunder)),
            (centipawns(-700.0), theirs, Some(Blunder)),
            (centipawns(-701.0), theirs, Some(Mistake)),
            (centipawns(-999.0), theirs, Some(Mistake)),
            (centipawns(-1000.0), theirs, Some(Inaccuracy)),
            (ours, centipawns(1000.0), Some(Inaccuracy)),
            (ours, centipawns(800.0), Some(Mistake)),
            (ours, centipawns(0.0), Some(Blunder)),
            (ours, theirs, Some(Blunder)),
            (ours, ours, None),
            (theirs, theirs, None),
            (theirs, centipawns(0.0), None),
            (centipawns(0.0), ours, None),
        ] {
            assert_eq!(judge(&before, &after, Color::White), judgment, "{before:?} {after:?}");
            let mirrored = |evaluation: &Evaluation| match evaluation.value {
                Value::Mate { winner, .. } => mate(winner.other()),
                Value::Centipawns(_) => centipawns(-evaluation.lichess),
            };
            assert_eq!(judge(&mirrored(&before), &mirrored(&after), Color::Black), judgment);
        }
    }

    #[test]
    fn loss_is_limited() {
        near(loss(&centipawns(1500.0), &centipawns(900.0), Color::White), 100.0);
        near(loss(&centipawns(50.0), &mate(Color::White), Color::Black), 950.0);
        near(loss(&centipawns(50.0), &centipawns(90.0), Color::White), 0.0);
    }

    #[test]
    fn evaluations_are_whites() {
        let score = Score::new(WinModel::FITTED.center(60).round() as i32);
        let white = Evaluation::new(score, Color::White, 60);
        let black = Evaluation::new(score, Color::Black, 60);
        assert_eq!((white.value, black.value), (Value::Centipawns(100), Value::Centipawns(-100)));
        assert_eq!(white.wdl, [black.wdl[2], black.wdl[1], black.wdl[0]]);
        near(white.lichess, -black.lichess);
        for (score, turn, winner, moves) in [
            (Score::mate_in(5), Color::Black, Color::Black, 3),
            (Score::mated_in(4), Color::Black, Color::White, 2),
            (Score::mated_in(0), Color::White, Color::Black, 0),
        ] {
            let found = Evaluation::new(score, turn, 60);
            assert_eq!(found.value, Value::Mate { winner, moves });
            near(found.lichess, winner.fold_wb(1000.0, -1000.0));
        }
        let tablebase = Evaluation::new(-Score::TABLEBASE_WIN, Color::White, 20);
        near(tablebase.win(), win_percent(-1000.0));
    }

    /// The test computes the conversion step by step in another way.
    #[test]
    fn lichess_centipawns_go_by_way_of_expected_points() {
        for material in [12, 30, 58, 78] {
            for value in [-900, -200, -35, 0, 20, 133, 400, 700] {
                let wdl = |value: f64| WinModel::FITTED.win(value, material);
                let (win, loss) = (wdl(f64::from(value)), wdl(f64::from(-value)));
                let points = win + (1.0 - win - loss) / 2.0;
                let people = 1.0 / (1.0 + (1.0 / points - 1.0).powf(PEOPLE));
                let found = lichess_centipawns(Score::new(value), material);
                assert!(
                    (100.0 / (1.0 + (-STEEPNESS * found).exp()) - 100.0 * people).abs() < 1e-6,
                    "{value}"
                );
                near(found, -lichess_centipawns(Score::new(-value), material));
            }
            let scores = (-30_000..=30_000).step_by(50).map(Score::new);
            assert!(scores.map(|score| lichess_centipawns(score, material)).is_sorted());
        }
        near(lichess_centipawns(Score::MAX_EVAL, 40), CERTAIN);
    }
}
