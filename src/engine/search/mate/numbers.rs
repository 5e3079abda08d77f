//! Proof and disproof numbers: the smallest number of open positions that must be proven, or disproven, to prove or
//! disprove a position.
//!
//! Source: Allis, van der Meulen and van den Herik, "Proof-Number Search", 1994.

/// A side of the mate search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProofSide {
    /// It wants to mate, so one good move is enough.
    Attacker,
    /// It wants to avoid the mate, so the attacker must answer each of its moves.
    Defender,
}

/// The numbers of one position. A solved position has 0 and [`Numbers::INFINITY`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    pub proof: u32,
    pub disproof: u32,
}

impl Numbers {
    /// Larger than any count: sums are capped here.
    pub const INFINITY: u32 = 1 << 28;
    /// The mate is proven.
    pub const PROVEN: Numbers = Numbers { proof: 0, disproof: Numbers::INFINITY };
    /// There is no mate.
    pub const DISPROVEN: Numbers = Numbers { proof: Numbers::INFINITY, disproof: 0 };
    /// Limits that only a solved position reaches.
    pub const UNLIMITED: Numbers = Numbers { proof: Numbers::INFINITY, disproof: Numbers::INFINITY };

    pub fn is_proven(self) -> bool {
        self.proof == 0
    }

    pub fn is_solved(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// Whether one of the numbers has reached its limit.
    pub fn reach(self, limits: Numbers) -> bool {
        self.proof >= limits.proof || self.disproof >= limits.disproof
    }

    /// The numbers from the view of `side`: `proof` is the cost of that side's own aim. A second call turns them
    /// back.
    fn seen_by(self, side: ProofSide) -> Numbers {
        match side {
            ProofSide::Attacker => self,
            ProofSide::Defender => Numbers { proof: self.disproof, disproof: self.proof },
        }
    }
}

/// What follows for a position from its moves, and which move to look at next.
pub(super) struct ChildChoice {
    side: ProofSide,
    /// Index of the move with which the side to move reaches its aim at the least cost.
    pub best: usize,
    least: u32,
    /// The cost of the best of the other moves.
    second: u32,
    /// The cost of refuting all moves.
    sum: u32,
}

impl ChildChoice {
    /// Combines the numbers of all moves of `side`, which is to move.
    pub fn of(side: ProofSide, moves: impl Iterator<Item = Numbers>) -> ChildChoice {
        let mut choice =
            ChildChoice { side, best: 0, least: Numbers::INFINITY, second: Numbers::INFINITY, sum: 0 };
        for (index, numbers) in moves.enumerate() {
            let Numbers { proof, disproof } = numbers.seen_by(side);
            if proof < choice.least {
                choice.second = choice.least;
                choice.least = proof;
                choice.best = index;
            } else {
                choice.second = choice.second.min(proof);
            }
            choice.sum = (choice.sum + disproof).min(Numbers::INFINITY);
        }
        choice
    }

    /// The numbers of the position itself.
    pub fn numbers(&self) -> Numbers {
        Numbers { proof: self.least, disproof: self.sum }.seen_by(self.side)
    }

    /// The limits up to which the best move, which has the numbers `best`, may be searched. There this position's own
    /// `limits` are reached, or the second move is better by a margin. Without the margin, two equal moves would be
    /// left and entered again at every step (Pawlewicz and Lew, "Improving Depth-First PN-Search: 1 + epsilon Trick",
    /// 2006).
    pub fn limits_of_best(&self, limits: Numbers, best: Numbers) -> Numbers {
        let limits = limits.seen_by(self.side);
        let margin = self.second / 4 + 1;
        let rest = self.sum.saturating_sub(best.seen_by(self.side).disproof);
        Numbers {
            proof: limits.proof.min(self.second + margin).min(Numbers::INFINITY),
            disproof: if limits.disproof == Numbers::INFINITY {
                Numbers::INFINITY
            } else {
                limits.disproof.saturating_sub(rest)
            },
        }
        .seen_by(self.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attacker_needs_one_move_and_the_defender_all() {
        let moves = [Numbers { proof: 3, disproof: 2 }, Numbers { proof: 1, disproof: 5 }];
        let of = |side| ChildChoice::of(side, moves.into_iter());
        assert_eq!(
            (of(ProofSide::Attacker).best, of(ProofSide::Attacker).numbers()),
            (1, Numbers { proof: 1, disproof: 7 })
        );
        assert_eq!(
            (of(ProofSide::Defender).best, of(ProofSide::Defender).numbers()),
            (0, Numbers { proof: 4, disproof: 2 })
        );
    }

    #[test]
    fn solved_moves_solve_the_position() {
        let open = Numbers { proof: 1, disproof: 1 };
        let of = |side, moves: [Numbers; 2]| ChildChoice::of(side, moves.into_iter()).numbers();
        assert_eq!(of(ProofSide::Attacker, [open, Numbers::PROVEN]), Numbers::PROVEN);
        assert_eq!(of(ProofSide::Attacker, [Numbers::DISPROVEN; 2]), Numbers::DISPROVEN);
        assert_eq!(of(ProofSide::Defender, [open, Numbers::DISPROVEN]), Numbers::DISPROVEN);
        assert_eq!(of(ProofSide::Defender, [Numbers::PROVEN; 2]), Numbers::PROVEN);
    }

    #[test]
    fn the_limits_of_the_best_move_come_from_the_second_move_and_the_position() {
        let moves = [Numbers { proof: 8, disproof: 2 }, Numbers { proof: 4, disproof: 5 }];
        let choice = ChildChoice::of(ProofSide::Attacker, moves.into_iter());
        let limits = |proof, disproof| choice.limits_of_best(Numbers { proof, disproof }, moves[1]);
        assert_eq!(limits(100, 20), Numbers { proof: 11, disproof: 18 });
        assert_eq!(limits(9, 20), Numbers { proof: 9, disproof: 18 });
        assert_eq!(choice.limits_of_best(Numbers::UNLIMITED, moves[1]).disproof, Numbers::INFINITY);
    }
}
