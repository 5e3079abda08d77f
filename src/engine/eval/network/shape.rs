//! The size of a network.

use std::fmt;

use super::features::{FEATURES, ZONE_LIMIT};
use super::units::LANES;
use crate::base::text::counted;

/// The greatest number of units in the hidden layer. With more, a kernel's 32-bit sums could overflow.
pub const HIDDEN_LIMIT: usize = 1_024;
/// The greatest number of output buckets. One bucket for every four pieces has proven enough elsewhere.
pub const BUCKET_LIMIT: usize = 8;
/// Number of units in the second layer, behind the products.
pub const SECOND: usize = 16;
/// Number of units in the third layer.
pub const THIRD: usize = 32;
/// The most pieces on a board, including kings and pawns.
const PIECES: usize = 32;

/// The size of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Hidden units of one perspective: a multiple of [`LANES`] up to [`HIDDEN_LIMIT`], and an even one with products.
    pub hidden: usize,
    /// Number of king zones, 1 to [`ZONE_LIMIT`]. Each zone has its own weights from the inputs to the hidden units.
    pub zones: usize,
    /// Whether each kind of piece on each square has a second input, which all zones share: the piece hangs
    /// ([`Men::hanging`](crate::chess::board::Men::hanging)).
    pub hanging: bool,
    /// Number of sets of output weights, 1 to [`BUCKET_LIMIT`]. The number of pieces on the board chooses the set.
    pub buckets: usize,
    /// Whether the first half of the hidden units is multiplied by the second half. The products lead to the output by
    /// layers of [`SECOND`] and [`THIRD`] units, of which each bucket has its own. Otherwise the squares of the hidden
    /// units lead to the output directly.
    pub products: bool,
}

impl Shape {
    /// Whether the code can run a network of this size.
    pub fn is_valid(self) -> bool {
        (1..=HIDDEN_LIMIT / LANES).any(|blocks| blocks * LANES == self.hidden)
            && (1..=ZONE_LIMIT).contains(&self.zones)
            && (1..=BUCKET_LIMIT).contains(&self.buckets)
            && (!self.products || self.hidden.is_multiple_of(2 * LANES))
    }

    /// Number of inputs of one perspective: those of all zones, then those of hanging pieces.
    #[inline]
    pub const fn inputs(self) -> usize {
        (self.zones + self.hanging as usize) * FEATURES
    }

    /// Number of weights and biases of the hidden units.
    pub const fn hidden_numbers(self) -> usize {
        (self.inputs() + 1) * self.hidden
    }

    /// Number of weights from the squares of the hidden units to the output, of all buckets.
    pub const fn output_weights(self) -> usize {
        if self.products { 0 } else { 2 * self.hidden * self.buckets }
    }

    /// Number of weights from the products to the second layer, of all buckets.
    pub const fn second_weights(self) -> usize {
        if self.products { self.hidden * self.buckets * SECOND } else { 0 }
    }

    /// The bucket of a position with `pieces` pieces, including kings and pawns.
    #[inline]
    pub fn bucket(self, pieces: usize) -> usize {
        pieces.saturating_sub(1).min(PIECES - 1) * self.buckets / PIECES
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hidden units", self.hidden)?;
        if self.zones > 1 {
            write!(f, ", {} king zones", self.zones)?;
        }
        if self.hanging {
            f.write_str(", inputs for hanging pieces")?;
        }
        write!(f, " and {}", counted(self.buckets as u64, "output bucket"))?;
        f.write_str(if self.products { ", with products" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_share_the_pieces_evenly() {
        let shape = Shape { hidden: 32, zones: 1, hanging: false, buckets: 8, products: false };
        let mut counts = [0; 8];
        for pieces in 1..=PIECES {
            counts[shape.bucket(pieces)] += 1;
        }
        assert_eq!(counts, [4; 8]);
        assert!((1..=PIECES).is_sorted_by_key(|pieces| shape.bucket(pieces)));
        assert_eq!((shape.bucket(0), shape.bucket(64)), (0, 7));
        let single = Shape { buckets: 1, ..shape };
        assert!((0..=64).all(|pieces| single.bucket(pieces) == 0));
    }

    #[test]
    fn only_shapes_that_the_code_can_run_are_valid() {
        let is_valid =
            |hidden, buckets| Shape { hidden, zones: 1, hanging: false, buckets, products: true }.is_valid();
        assert!(is_valid(64, 1) && is_valid(HIDDEN_LIMIT, BUCKET_LIMIT));
        assert!(!is_valid(0, 1) && !is_valid(33, 1) && !is_valid(HIDDEN_LIMIT + 2 * LANES, 1));
        assert!(!is_valid(64, 0) && !is_valid(64, BUCKET_LIMIT + 1));
        // The halves of 96 units have no whole blocks.
        let odd = Shape { hidden: 96, zones: 1, hanging: false, buckets: 1, products: true };
        assert!(!odd.is_valid() && Shape { products: false, ..odd }.is_valid());
        let is_valid =
            |zones| Shape { hidden: 64, zones, hanging: false, buckets: 1, products: true }.is_valid();
        assert!(!is_valid(0) && (1..=ZONE_LIMIT).all(is_valid) && !is_valid(ZONE_LIMIT + 1));
    }

    #[test]
    fn the_text_of_a_shape_names_only_its_parts() {
        let shape = Shape { hidden: 32, zones: 1, hanging: false, buckets: 1, products: true };
        assert_eq!(shape.to_string(), "32 hidden units and 1 output bucket, with products");
        let shape = Shape { zones: 4, buckets: 8, products: false, ..shape };
        assert_eq!(shape.to_string(), "32 hidden units, 4 king zones and 8 output buckets");
        let shape = Shape { zones: 1, hanging: true, ..shape };
        assert_eq!(shape.to_string(), "32 hidden units, inputs for hanging pieces and 8 output buckets");
    }
}
