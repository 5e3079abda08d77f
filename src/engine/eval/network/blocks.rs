//! Blocks of a network's numbers, in memory of their own or in the program itself.
//!
//! Data of the program lies in pages that all processes of the same file share and that the system may drop and read
//! again. So twenty engines on a server keep the embedded network in memory once.

use std::borrow::Cow;
use std::ops::Deref;

use super::units::{LANES, Lanes};

/// Blocks of numbers that do not change. A clone has memory of its own, so that a thread can bring them to its NUMA
/// node.
#[derive(PartialEq, Eq)]
pub struct Blocks<B: Copy + 'static>(Cow<'static, [B]>);

impl Blocks<Lanes> {
    /// Copies these numbers into memory of their own.
    ///
    /// # Panics
    /// If they do not fill whole blocks.
    pub fn of_words(numbers: impl IntoIterator<Item = i16>) -> Blocks<Lanes> {
        let numbers: Vec<i16> = numbers.into_iter().collect();
        let (blocks, rest) = numbers.as_chunks();
        assert!(rest.is_empty(), "numbers fill blocks");
        Blocks(Cow::Owned(blocks.iter().copied().map(Lanes).collect()))
    }
}

impl<B: Copy> Blocks<B> {
    /// Blocks that are part of the program itself.
    pub const fn embedded(blocks: &'static [B]) -> Blocks<B> {
        Blocks(Cow::Borrowed(blocks))
    }

    /// Whether the blocks are part of the program itself.
    #[cfg(test)]
    pub fn are_embedded(&self) -> bool {
        matches!(self.0, Cow::Borrowed(_))
    }

    /// The blocks, to change them.
    #[cfg(test)]
    pub fn to_mut(&mut self) -> &mut [B] {
        self.0.to_mut()
    }
}

impl<B: Copy> Clone for Blocks<B> {
    fn clone(&self) -> Blocks<B> {
        Blocks(Cow::Owned(self.0.to_vec()))
    }
}

impl<B: Copy> Deref for Blocks<B> {
    type Target = [B];

    #[inline]
    fn deref(&self) -> &[B] {
        &self.0
    }
}

/// `N` blocks of 16-bit little-endian numbers that begin at byte `start` of `bytes`.
///
/// The compiler runs this for the embedded network. Block by block it needs a fraction of a second; number by number it
/// needed seconds, in each build.
pub const fn parse<const N: usize>(bytes: &[u8], start: usize) -> [Lanes; N] {
    let (chunks, _) = bytes.split_at(start).1.as_chunks::<{ 2 * LANES }>();
    let mut blocks = [Lanes::ZERO; N];
    let mut index = 0;
    while index < N {
        blocks[index] = Lanes(little_endian(chunks[index]));
        index += 1;
    }
    blocks
}

/// The 16-bit little-endian numbers in `bytes`.
#[cfg(target_endian = "little")]
const fn little_endian(bytes: [u8; 2 * LANES]) -> [i16; LANES] {
    // SAFETY: both arrays have the same size, and each pattern of bits is a number. It saves seconds of each build.
    unsafe { std::mem::transmute::<[u8; 2 * LANES], [i16; LANES]>(bytes) }
}

/// The 16-bit little-endian numbers in `bytes`.
#[cfg(target_endian = "big")]
const fn little_endian(bytes: [u8; 2 * LANES]) -> [i16; LANES] {
    let mut numbers = [0; LANES];
    let mut index = 0;
    while index < LANES {
        numbers[index] = i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]);
        index += 1;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_parsed_in_their_order() {
        let bytes: Vec<u8> = (0..=255).collect();
        let [first, second]: [Lanes; 2] = parse(&bytes, 3);
        assert_eq!((first.0[0], first.0[1]), (0x0403, 0x0605));
        assert_eq!((first.0[31], second.0[0]), (0x4241, 0x4443));
        let numbers = bytes[3..131].chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        assert_eq!(&*Blocks::of_words(numbers), &[first, second]);
    }

    #[test]
    fn a_clone_has_memory_of_its_own() {
        static EMBEDDED: [Lanes; 1] = [Lanes([7; LANES])];
        let blocks = Blocks::embedded(&EMBEDDED);
        let copy = blocks.clone();
        assert!(blocks.are_embedded() && !copy.are_embedded() && blocks == copy);
        assert!(std::ptr::eq(&*blocks, &EMBEDDED[..]) && !std::ptr::eq(&*blocks, &*copy));
    }

    #[test]
    #[should_panic(expected = "numbers fill blocks")]
    fn a_partly_filled_block_panics() {
        Blocks::of_words([1; LANES + 1]);
    }
}
