//! The units in which a network's numbers are kept, and the blocks that they come in.

/// A hidden unit's greatest activation, which stands for 1.
pub const QA: i32 = 255;
/// What stands for 1 in the output weights.
pub const QB: i32 = 64;
/// Centipawns that an output of 1 stands for.
pub const SCALE: i32 = 400;
/// The greatest absolute value of a quantized output weight: with [`QA`] it stays within 16 bits.
pub const OUTPUT_LIMIT: i16 = 127;
/// Hidden units come in blocks of this size, one cache line of weights.
pub const LANES: usize = 32;

/// A cache line of weights or sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Lanes(pub [i16; LANES]);

impl Lanes {
    /// The size of a block.
    pub const BYTES: usize = size_of::<Lanes>();
    /// Sums of nothing.
    pub const ZERO: Lanes = Lanes([0; LANES]);
}
