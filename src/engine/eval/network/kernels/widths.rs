//! The instructions of SSSE3, AVX2 and AVX-512 by what they do, so that one text serves all widths of registers.

/// The instructions for registers of 512 bits.
pub(super) mod width512 {
    use std::arch::x86_64::*;
    pub use std::arch::x86_64::{
        __m512i as Register, _mm512_add_epi16 as add_i16, _mm512_add_epi32 as add_i32,
        _mm512_load_si512 as load_aligned, _mm512_madd_epi16 as multiply_add_i16,
        _mm512_maddubs_epi16 as multiply_add_u8, _mm512_max_epi16 as max_i16, _mm512_min_epi16 as min_i16,
        _mm512_mulhi_epi16 as high_product, _mm512_mullo_epi16 as multiply_i16,
        _mm512_set1_epi16 as splat_i16, _mm512_set1_epi32 as splat_i32, _mm512_setzero_si512 as zeros,
        _mm512_slli_epi16 as shift_left_i16, _mm512_srai_epi32 as shift_right_i32,
        _mm512_store_si512 as store_aligned, _mm512_sub_epi16 as sub_i16,
    };

    /// Words as bytes, those of `low` first. Those below 0 become 0.
    #[inline]
    #[target_feature(enable = "avx512bw")]
    pub fn pack_bytes(low: Register, high: Register) -> Register {
        in_order(_mm512_packus_epi16(low, high))
    }

    /// Double words as words, those of `low` first. Those beyond 16 bits become the nearest word.
    #[inline]
    #[target_feature(enable = "avx512bw")]
    pub fn pack_words(low: Register, high: Register) -> Register {
        in_order(_mm512_packs_epi32(low, high))
    }

    /// The eighths of a packed register in their order.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn in_order(packed: Register) -> Register {
        _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed)
    }
}

/// The instructions for registers of 256 bits.
pub(super) mod width256 {
    use std::arch::x86_64::*;
    pub use std::arch::x86_64::{
        __m256i as Register, _mm256_add_epi16 as add_i16, _mm256_add_epi32 as add_i32,
        _mm256_load_si256 as load_aligned, _mm256_madd_epi16 as multiply_add_i16,
        _mm256_maddubs_epi16 as multiply_add_u8, _mm256_max_epi16 as max_i16, _mm256_min_epi16 as min_i16,
        _mm256_mulhi_epi16 as high_product, _mm256_mullo_epi16 as multiply_i16,
        _mm256_set1_epi16 as splat_i16, _mm256_set1_epi32 as splat_i32, _mm256_setzero_si256 as zeros,
        _mm256_slli_epi16 as shift_left_i16, _mm256_srai_epi32 as shift_right_i32,
        _mm256_store_si256 as store_aligned, _mm256_sub_epi16 as sub_i16,
    };

    /// Words as bytes, those of `low` first. Those below 0 become 0.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn pack_bytes(low: Register, high: Register) -> Register {
        in_order(_mm256_packus_epi16(low, high))
    }

    /// Double words as words, those of `low` first. Those beyond 16 bits become the nearest word.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn pack_words(low: Register, high: Register) -> Register {
        in_order(_mm256_packs_epi32(low, high))
    }

    /// The quarters of a packed register in their order.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn in_order(packed: Register) -> Register {
        _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
    }
}

/// The instructions for registers of 128 bits.
pub(super) mod width128 {
    pub use std::arch::x86_64::{
        __m128i as Register, _mm_add_epi16 as add_i16, _mm_add_epi32 as add_i32,
        _mm_load_si128 as load_aligned, _mm_madd_epi16 as multiply_add_i16,
        _mm_maddubs_epi16 as multiply_add_u8, _mm_max_epi16 as max_i16, _mm_min_epi16 as min_i16,
        _mm_mulhi_epi16 as high_product, _mm_mullo_epi16 as multiply_i16, _mm_packs_epi32 as pack_words,
        _mm_packus_epi16 as pack_bytes, _mm_set1_epi16 as splat_i16, _mm_set1_epi32 as splat_i32,
        _mm_setzero_si128 as zeros, _mm_slli_epi16 as shift_left_i16, _mm_srai_epi32 as shift_right_i32,
        _mm_store_si128 as store_aligned, _mm_sub_epi16 as sub_i16,
    };
}
