//! The evaluation's terms as one vector: what the fit moves.
//!
//! A piece on a square is worth its material plus its square's deviation. The two are
//! redundant on purpose: the fit holds the deviations near a prior and leaves the material
//! free, so that a square that hardly occurs still follows what its piece turns out to be worth.

use crate::board::Role;
use crate::eval::frame::{RELATIONS, role_index};
use crate::eval::tables;

/// The side to move's bonus.
pub const TEMPO: usize = 0;
/// The bonus for two bishops.
pub const BISHOP_PAIR: usize = 1;
/// How many terms there are.
pub const TERMS: usize = SQUARES + PLACES;
/// How many deviations there are: by relation of the wings, role and square.
pub const PLACES: usize = RELATIONS * 6 * 64;

const MATERIAL: usize = 2;
const SQUARES: usize = MATERIAL + 6;

/// The term of a role's material; the king's exists but counts for nothing.
pub fn material(role: Role) -> usize {
    MATERIAL + role_index(role)
}

/// The deviation of a role on a square, which counts from a1 in the color's frame.
pub fn deviation(relation: usize, role: Role, square: usize) -> usize {
    SQUARES + (relation * 6 + role_index(role)) * 64 + square
}

/// A midgame and an endgame value for each term, in centipawns.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameters {
    values: Vec<[f64; 2]>,
}

impl Parameters {
    /// All terms zero.
    pub fn zero() -> Parameters {
        Parameters { values: vec![[0.0; 2]; TERMS] }
    }

    /// The values that the engine plays with.
    pub fn of_the_engine() -> Parameters {
        let wide = |pair: [i32; 2]| pair.map(f64::from);
        let mut parameters = Parameters::zero();
        *parameters.get_mut(TEMPO) = wide(tables::TEMPO);
        *parameters.get_mut(BISHOP_PAIR) = wide(tables::BISHOP_PAIR);
        for role in Role::ALL {
            *parameters.get_mut(material(role)) = wide(tables::MATERIAL[role_index(role)]);
            for (relation, set) in tables::SQUARES.iter().enumerate() {
                let [midgame, endgame] = set[role_index(role)];
                for square in 0..64 {
                    let pair = [midgame[square ^ 56], endgame[square ^ 56]].map(f64::from);
                    *parameters.get_mut(deviation(relation, role, square)) = pair;
                }
            }
        }
        parameters
    }

    /// The midgame and endgame value of a term.
    pub fn get(&self, term: usize) -> [f64; 2] {
        self.values[term]
    }

    /// The midgame and endgame value of a term, to change.
    pub fn get_mut(&mut self, term: usize) -> &mut [f64; 2] {
        &mut self.values[term]
    }

    /// All values, two for each term.
    pub fn flat(&self) -> &[f64] {
        self.values.as_flattened()
    }

    /// All values, two for each term, to change.
    pub fn flat_mut(&mut self) -> &mut [f64] {
        self.values.as_flattened_mut()
    }
}

/// The index of the first deviation among the terms; those before are never held to a prior.
pub const FIRST_DEVIATION: usize = SQUARES;

/// Every place of a deviation: relation, role, square in the frame.
pub fn places() -> impl Iterator<Item = (usize, Role, usize)> {
    (0..RELATIONS).flat_map(|relation| {
        Role::ALL.into_iter().flat_map(move |role| (0..64).map(move |square| (relation, role, square)))
    })
}
