//! What the table stores about a node, and its form in one 64-bit word.
//!
//! A record is read and written as one word, so it is whole or absent: no field can come from another record. The
//! signature beside it tells which key it belongs to (see `cluster`). From the lowest bit on, the word has: move 16
//! bits, score 16, static evaluation 16, draft 8, bound 2, PV flag 1, age 5. No bound is zero, so the word zero is an
//! empty slot.

use super::draft::Draft;
use crate::chess::board::Move;
use crate::chess::types::{Bound, Score};

/// What a search found out about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The best move, or the one that reached beta. It may come from another position with the same signature, so check
    /// that it is legal before playing it.
    pub mv: Option<Move>,
    /// The score in centipawns from the side to move's point of view, within +-[`Score::INFINITE`]. Mates and tablebase
    /// results are counted from this node ([`Score::to_table`]).
    pub score: Score,
    /// The static evaluation in centipawns, within +-[`Score::INFINITE`]; `None` in check.
    pub static_eval: Option<Score>,
    /// How deep the search was.
    pub draft: Draft,
    /// What `score` says about the true value.
    pub bound: Bound,
    /// Whether the node is or was on a principal variation.
    pub pv: bool,
}

/// The number of ages before they repeat.
pub(super) const AGES: u8 = 32;

const SCORE_SHIFT: u32 = 16;
const EVAL_SHIFT: u32 = 32;
const DRAFT_SHIFT: u32 = 48;
const BOUND_SHIFT: u32 = 56;
const PV_SHIFT: u32 = 58;
const AGE_SHIFT: u32 = 59;

/// No score has this value, so it can stand for "no static evaluation".
const NO_EVAL: i16 = i16::MIN;

/// A record and its age in 64 bits.
///
/// Public for tests and tools that examine the table's protocol. A search does not need it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Word(u64);

impl Word {
    /// The number of bits of a signature.
    pub const SIGNATURE_BITS: u32 = 21;
    const SIGNATURE_MASK: u64 = (1 << Self::SIGNATURE_BITS) - 1;

    /// An odd multiplier whose bits have no long runs (2^64 over the golden ratio, Knuth, TAOCP 3, 6.4), so that every
    /// single bit of the word reaches the product's high bits.
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

    /// The word of `record`, stored in the search of this age (0 to 31).
    #[inline]
    pub fn new(record: &Record, age: u8) -> Word {
        let eval = record.static_eval.map_or(NO_EVAL, to_i16);
        Word(
            u64::from(record.mv.map_or(0, Move::bits))
                | u64::from(to_i16(record.score) as u16) << SCORE_SHIFT
                | u64::from(eval as u16) << EVAL_SHIFT
                | u64::from(record.draft.code()) << DRAFT_SHIFT
                | (record.bound as u64) << BOUND_SHIFT
                | u64::from(record.pv) << PV_SHIFT
                | u64::from(age % AGES) << AGE_SHIFT,
        )
    }

    /// The record; `None` for an empty slot.
    #[inline]
    pub fn record(self) -> Option<Record> {
        // A match would become a jump that is hard to predict.
        const BOUNDS: [Option<Bound>; 4] = [None, Some(Bound::Upper), Some(Bound::Lower), Some(Bound::Exact)];
        let bound = BOUNDS[(self.0 >> BOUND_SHIFT) as usize & 3]?;
        let eval = (self.0 >> EVAL_SHIFT) as i16;
        Some(Record {
            mv: Move::from_bits(self.0 as u16),
            score: Score::new(i32::from((self.0 >> SCORE_SHIFT) as i16)),
            static_eval: (eval != NO_EVAL).then(|| Score::new(i32::from(eval))),
            draft: self.draft(),
            bound,
            pv: (self.0 >> PV_SHIFT) & 1 != 0,
        })
    }

    /// The signature of this word under `key`, 21 bits: the key's low bits combined with a fold of the whole word. A
    /// signature that was made for another word or another key fits with a chance of 2^-21, and never if the two words
    /// differ in one bit only.
    #[inline]
    pub fn signature(self, key: u64) -> u64 {
        let fold = self.0.wrapping_mul(Self::MULTIPLIER) >> (u64::BITS - Self::SIGNATURE_BITS);
        (key & Self::SIGNATURE_MASK) ^ fold
    }

    /// Whether the slot holds nothing.
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        (self.0 >> BOUND_SHIFT) & 3 == 0
    }

    #[inline]
    pub(super) fn draft(self) -> Draft {
        Draft::from_code((self.0 >> DRAFT_SHIFT) as u8)
    }

    #[inline]
    pub(super) fn age(self) -> u8 {
        (self.0 >> AGE_SHIFT) as u8
    }

    /// The same record, as if it was stored in the search of this age.
    #[inline]
    pub(super) fn with_age(self, age: u8) -> Word {
        Word(self.0 & !(u64::MAX << AGE_SHIFT) | u64::from(age % AGES) << AGE_SHIFT)
    }

    /// This word, with the move of `other` if it has none.
    #[inline]
    pub(super) fn or_move_of(self, other: Word) -> Word {
        let move_mask = u64::from(u16::MAX);
        if self.0 & move_mask == 0 { Word(self.0 | other.0 & move_mask) } else { self }
    }

    #[inline]
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(super) fn from_bits(bits: u64) -> Word {
        Word(bits)
    }
}

#[inline]
fn to_i16(score: Score) -> i16 {
    debug_assert!(score.value().abs() <= Score::INFINITE.value());
    score.value() as i16
}
