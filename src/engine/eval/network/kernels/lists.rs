//! Lists the inputs that differ between two scenes, by the instructions of AVX-512 for bytes and words (VBMI2).
//!
//! A loop over the squares of a set has an end that processors predict badly. Here the input of the man on each square
//! is computed for all squares at once, and one instruction writes those of a set next to each other.

use std::arch::x86_64::*;

use super::super::features::{ManInput, SQUARE_BITS};
use super::super::scene::{Changes, Kinds, MAN_MARKS, ManList, Scene};
use crate::chess::board::Bitboard;

/// Number of squares whose inputs fill a register.
const WORDS: usize = 32;
/// The inputs of the men on all squares, 16 bits each.
type InputsBySquare = [__m512i; 64 / WORDS];

/// The numbers of all squares.
const SQUARES: [u8; 64] = {
    let mut squares = [0; 64];
    let mut square = 0;
    while square < 64 {
        squares[square] = square as u8;
        square += 1;
    }
    squares
};

/// See [`Changes::set`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
pub(super) fn set_changes(changes: &mut Changes, now: &Scene, before: &Scene) {
    let Changes { added, removed } = changes;
    let (new_men, old_men) = (inputs_by_square(now.kinds()), inputs_by_square(before.kinds()));
    list(added, now.new_men(before), &new_men);
    list(removed, before.new_men(now), &old_men);
}

/// The inputs of the men on all squares.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn inputs_by_square(kinds: Kinds) -> InputsBySquare {
    let Kinds { role_bits: [low, middle, high], black } = kinds;
    let bit = |bit: u8| _mm512_set1_epi8(bit.cast_signed());
    // The bits above those of the square fit a byte.
    let kinds = _mm512_maskz_mov_epi8(low.0, bit(1));
    let kinds = _mm512_mask_add_epi8(kinds, middle.0, kinds, bit(2));
    let kinds = _mm512_mask_add_epi8(kinds, high.0, kinds, bit(4));
    let kinds = _mm512_mask_add_epi8(kinds, black.0, kinds, bit(ManInput::BLACK_MARK));
    // SAFETY: the array has 64 bytes.
    let squares = unsafe { _mm512_loadu_si512(SQUARES.as_ptr().cast()) };
    let inputs = |kinds: __m256i, squares: __m256i| {
        let high = _mm512_slli_epi16::<SQUARE_BITS>(_mm512_cvtepu8_epi16(kinds));
        _mm512_add_epi16(high, _mm512_cvtepu8_epi16(squares))
    };
    [
        inputs(_mm512_castsi512_si256(kinds), _mm512_castsi512_si256(squares)),
        inputs(_mm512_extracti64x4_epi64::<1>(kinds), _mm512_extracti64x4_epi64::<1>(squares)),
    ]
}

/// Replaces `inputs` by those of the men on the squares of each set of [`MAN_MARKS`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn list(inputs: &mut ManList, sets: [Bitboard; MAN_MARKS.len()], men: &InputsBySquare) {
    const { assert!(size_of::<ManInput>() == size_of::<u16>()) };
    let words = inputs.as_mut_ptr().cast::<i16>();
    let mut count = 0;
    for (set, mark) in sets.into_iter().zip(MAN_MARKS) {
        let mark = _mm512_set1_epi16(i16::from(mark) << SQUARE_BITS);
        for (half, &men) in men.iter().enumerate() {
            let half = (set.0 >> (WORDS * half)) as u32;
            let listed = _mm512_maskz_compress_epi16(half, _mm512_add_epi16(men, mark));
            // SAFETY: there were at most 32 squares in each half before this one, and there is room for all squares.
            unsafe { _mm512_storeu_si512(words.add(count).cast(), listed) };
            count += half.count_ones() as usize;
        }
    }
    // SAFETY: so many words have been written, and any word is an input.
    unsafe { inputs.set_len(count) };
}
