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
pub struct Blocks(Cow<'static, [Lanes]>);

impl Blocks {
    /// Copies these numbers into memory of their own.
    ///
    /// # Panics
    /// If they do not fill whole blocks.
    pub fn of(numbers: impl IntoIterator<Item = i16>) -> Blocks {
        let numbers: Vec<i16> = numbers.into_iter().collect();
        let (blocks, rest) = numbers.as_chunks();
        assert!(rest.is_empty(), "numbers fill blocks");
        Blocks(Cow::Owned(blocks.iter().copied().map(Lanes).collect()))
    }

    /// Blocks that are part of the program itself.
    pub const fn embedded(blocks: &'static [Lanes]) -> Blocks {
        Blocks(Cow::Borrowed(blocks))
    }

    /// Whether the blocks are part of the program itself.
    #[cfg(test)]
    pub fn are_embedded(&self) -> bool {
        matches!(self.0, Cow::Borrowed(_))
    }

    /// The blocks, to change them.
    #[cfg(test)]
    pub fn to_mut(&mut self) -> &mut [Lanes] {
        self.0.to_mut()
    }
}

impl Clone for Blocks {
    fn clone(&self) -> Blocks {
        Blocks(Cow::Owned(self.0.to_vec()))
    }
}

impl Deref for Blocks {
    type Target = [Lanes];

    #[inline]
    fn deref(&self) -> &[Lanes] {
        &self.0
    }
}

/// `N` blocks of 16-bit little-endian numbers that begin at byte `start` of `bytes`.
pub const fn parse<const N: usize>(bytes: &[u8], start: usize) -> [Lanes; N] {
    let mut blocks = [Lanes::ZERO; N];
    let mut number = 0;
    while number < N * LANES {
        let byte = start + 2 * number;
        blocks[number / LANES].0[number % LANES] = i16::from_le_bytes([bytes[byte], bytes[byte + 1]]);
        number += 1;
    }
    blocks
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
        assert_eq!(&*Blocks::of(numbers), &[first, second]);
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
        Blocks::of([1; LANES + 1]);
    }
}
