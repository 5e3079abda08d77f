//! The units in which a network's numbers are kept, and the blocks that they come in.

/// The greatest activation of a hidden unit. It stands for 1.
pub const QA: i32 = 255;
/// The output weight that stands for 1.
pub const QB: i32 = 64;
/// The centipawns that an output of 1 stands for.
pub const SCALE: i32 = 400;
/// The greatest absolute value of a quantized output weight. Its product with [`QA`] fits 16 bits.
pub const OUTPUT_LIMIT: i16 = 127;
/// Hidden units come in blocks of this size, one cache line of weights.
pub const LANES: usize = 32;

/// A cache line of weights or sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Lanes(pub [i16; LANES]);

impl Lanes {
    /// The size of a block, in bytes.
    pub const BYTES: usize = size_of::<Lanes>();
    /// A block of zeros.
    pub const ZERO: Lanes = Lanes([0; LANES]);
}
