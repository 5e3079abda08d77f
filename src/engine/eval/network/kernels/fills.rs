//! Finds all attacks without tables, by the instructions of AVX-512. Each of eight directions has a word of a
//! register.
//!
//! A turn of a word moves every square in one direction. A mask removes the squares that have left the board. The
//! squares that sliders reach are found by a parallel prefix fill (Kogge and Stone), in all directions at once.

use std::arch::x86_64::*;

use crate::chess::board::{AttackMap, Bitboard, Color, Men, Role};

/// Number of directions, a word for each.
const LANES: usize = 8;

/// The directions of sliders, in files and ranks: four straight ones, then four diagonal ones.
const LINES: [(i32, i32); LANES] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (-1, -1), (1, -1)];
/// The words of the diagonal directions.
const DIAGONALS: __mmask8 = 0b1111_0000;
/// The moves of a knight, in files and ranks.
const LEAPS: [(i32, i32); LANES] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (-1, -2), (-2, -1), (1, -2), (2, -1)];

/// How far a step turns a word to the left, for each direction.
const fn turns(directions: [(i32, i32); LANES], steps: i32) -> [u64; LANES] {
    let mut turns = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        let (files, ranks) = directions[lane];
        turns[lane] = (steps * (files + 8 * ranks)).rem_euclid(64) as u64;
        lane += 1;
    }
    turns
}

/// The squares where a step from within the board can end, for each direction.
const fn ends(directions: [(i32, i32); LANES]) -> [u64; LANES] {
    let mut ends = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        let (files, ranks) = directions[lane];
        let mut square = 0;
        while square < 64 {
            let (file, rank) = (square % 8 - files, square / 8 - ranks);
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                ends[lane] |= 1 << square;
            }
            square += 1;
        }
        lane += 1;
    }
    ends
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &[u64; LANES]) -> __m512i {
    let [a, b, c, d, e, f, g, h] = words.map(u64::cast_signed);
    _mm512_setr_epi64(a, b, c, d, e, f, g, h)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(squares: Bitboard) -> __m512i {
    _mm512_set1_epi64(squares.0.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f")]
fn union(words: __m512i) -> Bitboard {
    Bitboard(_mm512_reduce_or_epi64(words).cast_unsigned())
}

/// See [`Men::look`].
#[target_feature(enable = "avx512f")]
pub(super) fn look(men: &Men, attacks: &mut AttackMap) -> Bitboard {
    let found = attack_map(men);
    // The hanging pieces are found before the map is in memory: reading it back at once would take longer.
    let hanging = men.hanging_under(&found);
    *attacks = found;
    hanging
}

/// All attacks; see [`Men::attack_map`].
#[inline]
#[target_feature(enable = "avx512f")]
fn attack_map(men: &Men) -> AttackMap {
    const OR_AND: i32 = 0b1111_1000;
    let [once, twice, four_times] = const { [turns(LINES, 1), turns(LINES, 2), turns(LINES, 4)] };
    let (once, twice, four_times) = (load(&once), load(&twice), load(&four_times));
    let line_ends = load(&const { ends(LINES) });
    let leap_turns = load(&const { turns(LEAPS, 1) });
    let leap_ends = load(&const { ends(LEAPS) });
    // Squares that a slider may come to and leave again, with one, two and four of them in a row.
    let open = _mm512_andnot_si512(splat(men.colors[0] | men.colors[1]), line_ends);
    let open_twice = _mm512_and_si512(open, _mm512_rolv_epi64(open, once));
    let open_four_times = _mm512_and_si512(open_twice, _mm512_rolv_epi64(open_twice, twice));
    let fill = |sliders: __m512i| {
        let reached = _mm512_ternarylogic_epi64::<OR_AND>(sliders, open, _mm512_rolv_epi64(sliders, once));
        let reached =
            _mm512_ternarylogic_epi64::<OR_AND>(reached, open_twice, _mm512_rolv_epi64(reached, twice));
        let turned = _mm512_rolv_epi64(reached, four_times);
        let reached = _mm512_ternarylogic_epi64::<OR_AND>(reached, open_four_times, turned);
        _mm512_and_si512(_mm512_rolv_epi64(reached, once), line_ends)
    };
    let attacks_of = |color: Color| {
        let squares = |role| splat(men.of(color, role));
        let leaps = _mm512_rolv_epi64(squares(Role::Knight), leap_turns);
        let leaps = _mm512_and_si512(leaps, leap_ends);
        // Rooks move along the straight lines and bishops along the diagonals, so one fill is enough for both.
        let lines = fill(_mm512_mask_mov_epi64(squares(Role::Rook), DIAGONALS, squares(Role::Bishop)));
        let steps = _mm512_and_si512(_mm512_rolv_epi64(squares(Role::King), once), line_ends);
        [
            men.pawn_attacks(color),
            union(leaps),
            union(_mm512_maskz_mov_epi64(DIAGONALS, lines)),
            union(_mm512_maskz_mov_epi64(!DIAGONALS, lines)),
            union(fill(squares(Role::Queen))),
            union(steps),
        ]
    };
    AttackMap([attacks_of(Color::Black), attacks_of(Color::White)])
}
