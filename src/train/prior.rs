//! What the evaluation believes before it has seen a game: schoolbook material, and squares by
//! smooth formulas of our own.
//!
//! The formulas say that pieces belong near the center, pawns forward, and kings behind their
//! pawns until the endgame. They need not be good: they decide only what happens on squares of
//! which the games say nothing, and how the first games are played.

use super::parameters::{BISHOP_PAIR, Parameters, TEMPO, deviation, material, places};
use crate::board::Role;

/// The values before the first fit, in centipawns.
pub fn prior() -> Parameters {
    let mut prior = Parameters::zero();
    *prior.get_mut(TEMPO) = [12.0, 6.0];
    *prior.get_mut(BISHOP_PAIR) = [25.0, 40.0];
    let worths = [
        (Role::Pawn, 100.0),
        (Role::Knight, 320.0),
        (Role::Bishop, 330.0),
        (Role::Rook, 500.0),
        (Role::Queen, 950.0),
    ];
    for (role, worth) in worths {
        *prior.get_mut(material(role)) = [worth; 2];
    }
    for (relation, role, square) in places() {
        *prior.get_mut(deviation(relation, role, square)) = on_square(relation, role, square);
    }
    prior
}

fn on_square(relation: usize, role: Role, square: usize) -> [f64; 2] {
    let (file, rank) = ((square % 8) as f64, (square / 8) as f64);
    // 0 on the rim, 1 on the middle files or squares.
    let middle_file = (3.5 - (file - 3.5).abs()) / 3.0;
    let center = (7.0 - (file - 3.5).abs() - (rank - 3.5).abs()) / 6.0;
    match role {
        Role::Pawn if !(1..7).contains(&(square / 8)) => [0.0, 0.0],
        Role::Pawn => {
            let advance = rank - 1.0;
            // The own king stands on files e to h; f to h shelter it, and where the enemy king
            // stands on the other wing, pawns there attack it.
            let shelter = if file >= 5.0 { 12.0 - 8.0 * advance.min(3.0) } else { 0.0 };
            let storm = if relation == 1 && file <= 2.0 { 4.0 * advance } else { 0.0 };
            let midgame = 2.0 * advance * advance + 8.0 * middle_file * advance.min(2.0);
            [midgame + shelter + storm - 8.0, 5.0 * advance * advance - 15.0]
        }
        Role::Knight => [55.0 * center - 30.0, 45.0 * center - 25.0],
        Role::Bishop => [28.0 * center - 14.0, 20.0 * center - 10.0],
        Role::Rook => {
            let seventh = if rank == 6.0 { 18.0 } else { 0.0 };
            [8.0 * middle_file - 4.0 + seventh, seventh / 2.0]
        }
        Role::Queen => [8.0 * center - 4.0, 36.0 * center - 18.0],
        Role::King => {
            let home = if rank == 0.0 && file >= 6.0 { 30.0 } else { 0.0 };
            [home - 22.0 * rank.min(4.0), 54.0 * center - 27.0]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prior_knows_its_first_lesson() {
        let prior = prior();
        let at = |role, square| prior.get(deviation(0, role, square));
        let (a1, d4, g1, e5, a7, a2) = (0, 27, 6, 36, 48, 8);
        assert!(at(Role::Knight, d4)[0] > at(Role::Knight, a1)[0] + 40.0);
        assert!(at(Role::King, g1)[0] > at(Role::King, e5)[0]);
        assert!(at(Role::King, g1)[1] < at(Role::King, e5)[1]);
        assert!(at(Role::Pawn, a7)[1] > at(Role::Pawn, a2)[1] + 80.0);
        assert_eq!(at(Role::Pawn, a1), [0.0, 0.0]);
    }
}
