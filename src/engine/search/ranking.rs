//! Moves with scores, of which the best remaining one is taken again and again. They are not sorted, because most nodes
//! end after a few moves.

use arrayvec::ArrayVec;

use crate::chess::board::{MAX_MOVES, Move, MoveList};

/// Number of keys that are compared at once. Compilers turn such a group into vectors. With groups of 8 they make one
/// vector of the first keys of eight groups, which takes four times as many instructions.
const GROUP: usize = 16;
/// Number of the lowest bits of a key, which say where the move is.
const PLACE_BITS: u32 = 9;
/// The bits of the place.
const PLACES: i32 = (1 << PLACE_BITS) - 1;
/// Lower than any key.
const NOTHING: i32 = i32::MIN;

const _: () = assert!(MAX_MOVES <= 1 << PLACE_BITS);

/// A move and what is remembered with it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ranked {
    /// The move.
    pub mv: Move,
    /// The part of a quiet move's score that comes from its history.
    pub history: i32,
}

/// Moves to choose from.
#[derive(Default)]
pub struct MoveRanking {
    moves: MoveList,
    /// For each place, the history of its move.
    histories: ArrayVec<i32, MAX_MOVES>,
    /// For each place, the score of its move, above the bits that say the place. A group of [`NOTHING`] follows, so
    /// that the last group is full.
    keys: ArrayVec<i32, { MAX_MOVES + GROUP }>,
    /// The first place that has a move.
    next: usize,
}

impl MoveRanking {
    /// Replaces all moves by those that `generate` lists. `rank` gives the history and the score of each.
    #[inline(always)]
    pub fn refill(&mut self, generate: impl FnOnce(&mut MoveList), mut rank: impl FnMut(Move) -> (i32, i32)) {
        self.moves.clear();
        generate(&mut self.moves);
        self.next = 0;
        // Lists that are as long as they will be need no check for each move.
        set_len(&mut self.histories, self.moves.len());
        set_len(&mut self.keys, self.moves.len() + GROUP);
        let lists = self.moves.iter().zip(&mut self.histories).zip(&mut self.keys);
        for (place, ((&mv, history), key)) in lists.enumerate() {
            let score;
            (*history, score) = rank(mv);
            // Scores that have no room count as the nearest one that has. A clamp would become two branches.
            *key = moved(score.saturating_mul(1 << PLACE_BITS), place);
        }
    }

    /// Takes the move with the highest score, and gives the score too. Among equal moves, it is the first one.
    #[inline]
    pub fn take_best(&mut self) -> Option<(Ranked, i32)> {
        let groups = &self.keys.as_chunks::<GROUP>().0[self.next / GROUP..];
        let highest = |keys: &[i32; GROUP]| keys.iter().copied().fold(NOTHING, i32::max);
        let highest = groups.iter().map(highest).fold(NOTHING, i32::max);
        if highest == NOTHING {
            return None;
        }
        let place = place(highest);
        let best = Ranked { mv: self.moves[place], history: self.histories[place] };
        // The first move takes the place of the best one.
        self.moves[place] = self.moves[self.next];
        self.histories[place] = self.histories[self.next];
        self.keys[place] = moved(self.keys[self.next], place);
        self.keys[self.next] = NOTHING;
        self.next += 1;
        Some((best, highest >> PLACE_BITS))
    }
}

/// Makes a list this long and fills it with [`NOTHING`].
#[inline(always)]
fn set_len<const CAPACITY: usize>(list: &mut ArrayVec<i32, CAPACITY>, len: usize) {
    static NOTHINGS: [i32; MAX_MOVES + GROUP] = [NOTHING; MAX_MOVES + GROUP];
    list.clear();
    let has_room = list.try_extend_from_slice(&NOTHINGS[..len]);
    debug_assert!(has_room.is_ok(), "there are no more than MAX_MOVES");
}

/// A key, for another place. An earlier place makes it higher.
#[inline(always)]
fn moved(key: i32, place: usize) -> i32 {
    key & !PLACES | (PLACES - place as i32)
}

/// The place of a key.
#[inline(always)]
fn place(key: i32) -> usize {
    (PLACES - (key & PLACES)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::chess::board::Board;

    /// Takes all moves from a ranking of these scores, which are the histories too.
    fn taken(scores: &[i32]) -> Vec<(Ranked, i32)> {
        let mut ranking = MoveRanking::default();
        let moves = Board::startpos().legal_moves();
        ranking.refill(|list| list.extend((0..scores.len()).map(|number| moves[number % moves.len()])), {
            let mut rest = scores.iter();
            move |_| rest.next().map(|&score| (score, score)).unwrap()
        });
        std::iter::from_fn(|| ranking.take_best()).collect()
    }

    /// The order is that of a search for the highest score that exchanges it with the first one.
    #[test]
    fn moves_come_in_the_order_of_a_selection_sort() {
        let moves = Board::startpos().legal_moves();
        let mut random = Random::stream(8, 0);
        for count in (0..40).chain([MAX_MOVES - 1, MAX_MOVES]) {
            for kinds in [2, 7, 100_000] {
                let scores: Vec<i32> =
                    (0..count).map(|_| random.below(kinds) as i32 - kinds as i32 / 2).collect();
                let mut rest: Vec<(Ranked, i32)> = scores
                    .iter()
                    .enumerate()
                    .map(|(number, &score)| {
                        (Ranked { mv: moves[number % moves.len()], history: score }, score)
                    })
                    .collect();
                for first in 0..count {
                    let highest = rest[first..].iter().map(|&(_, score)| score).max().unwrap();
                    let best = first + rest[first..].iter().position(|&(_, score)| score == highest).unwrap();
                    rest.swap(first, best);
                }
                assert_eq!(taken(&scores), rest, "{count} {kinds}");
            }
        }
    }

    #[test]
    fn a_score_out_of_range_comes_first_or_last() {
        let scores = [i32::MIN, 5, i32::MAX, -5, i32::MIN];
        let found: Vec<i32> = taken(&scores).into_iter().map(|(ranked, _)| ranked.history).collect();
        assert_eq!(found, [i32::MAX, 5, -5, i32::MIN, i32::MIN]);
    }

    #[test]
    fn a_refilled_ranking_has_only_new_moves() {
        let mv = Board::startpos().legal_moves()[0];
        let mut ranking = MoveRanking::default();
        for history in [1, 2] {
            ranking.refill(|list| list.extend([mv; 2]), |_| (history, history));
            assert_eq!(ranking.take_best().map(|(best, _)| best.history), Some(history));
        }
    }
}
