//! Late move reductions in 1024ths of a ply, by depth and move number: `base + ln(depth) ln(number) / divisor`. Most
//! engines since Fruit use this formula.

use crate::engine::params::Params;

/// The reduction tables of quiet moves and of captures.
pub(super) struct Reductions {
    /// The parameters from which the tables were computed.
    basis: [i32; 4],
    quiet: Box<[[i32; 64]; 64]>,
    noisy: Box<[[i32; 64]; 64]>,
}

impl Reductions {
    pub fn new(params: &Params) -> Reductions {
        let basis = Reductions::basis(params);
        let [quiet_base, quiet_divisor, noisy_base, noisy_divisor] = basis;
        let table = |base: i32, divisor: i32| {
            let mut table = Box::new([[0; 64]; 64]);
            for (depth, row) in table.iter_mut().enumerate().skip(1) {
                for (number, entry) in row.iter_mut().enumerate().skip(1) {
                    let product = (depth as f64).ln() * (number as f64).ln();
                    *entry = base + (product * 102_400.0 / f64::from(divisor)) as i32;
                }
            }
            table
        };
        Reductions { basis, quiet: table(quiet_base, quiet_divisor), noisy: table(noisy_base, noisy_divisor) }
    }

    fn basis(params: &Params) -> [i32; 4] {
        [
            params.reduction_quiet_base,
            params.reduction_quiet_divisor,
            params.reduction_noisy_base,
            params.reduction_noisy_divisor,
        ]
    }

    /// Recomputes the tables if the parameters have changed, and only then: 8,000 logarithms took 12% of the time of
    /// searches of 500 nodes.
    pub fn follow(&mut self, params: &Params) {
        if self.basis != Reductions::basis(params) {
            *self = Reductions::new(params);
        }
    }

    /// The base reduction of a move, before anything else about the move and its node is considered.
    #[inline]
    pub fn get(&self, is_noisy: bool, depth: i32, number: usize) -> i32 {
        let table = if is_noisy { &self.noisy } else { &self.quiet };
        table[depth.clamp(0, 63) as usize][number.min(63)]
    }
}
