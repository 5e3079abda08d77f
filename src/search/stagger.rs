//! The stagger schedule: which helper thread leaves out which iteration.
//!
//! Helpers that all search the same depth mostly repeat each other. When some of them skip
//! blocks of depths, the threads spread over several depths at once and fill the common table
//! with results that are ahead of the main thread. The scheme of block sizes and phases is that
//! of Stockfish's threads from 2015 to 2019 (Lazy SMP, after Daniel Homan's idea).

use serde::{Deserialize, Serialize};

/// Which helper skips which depth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Stagger {
    /// Every thread searches every depth.
    None,
    /// Helper `i` (counted from 1) belongs to row `(i - 1) % rows` and skips depth `d` when
    /// `(d + phases[row]) / sizes[row]` is odd.
    Blocks {
        /// Depths in a block, at least 1.
        sizes: Vec<u32>,
        /// Where in its block a helper begins.
        phases: Vec<u32>,
    },
}

impl Default for Stagger {
    /// Twenty rows: each block size `s` from 1 up with its `2 s` phases, until the rows are full.
    fn default() -> Stagger {
        let rows = (1u32..).flat_map(|size| (0..2 * size).map(move |phase| (size, phase)));
        let (sizes, phases) = rows.take(20).unzip();
        Stagger::Blocks { sizes, phases }
    }
}

impl Stagger {
    /// Whether `helper` (0 is the main thread, which skips nothing) skips `depth`.
    pub fn skips(&self, helper: usize, depth: i32) -> bool {
        match self {
            Stagger::None => false,
            Stagger::Blocks { sizes, phases } => {
                let rows = sizes.len().min(phases.len());
                if helper == 0 || rows == 0 || depth < 1 {
                    return false;
                }
                let row = (helper - 1) % rows;
                let size = sizes[row].max(1);
                ((depth as u32 + phases[row]) / size) % 2 == 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_thread_searches_every_depth() {
        let stagger = Stagger::default();
        assert!((1..100).all(|depth| !stagger.skips(0, depth)));
    }

    #[test]
    fn the_schedule_follows_its_table() {
        let stagger = Stagger::Blocks { sizes: vec![1, 1, 2], phases: vec![0, 1, 2] };
        let searched = |helper| (1..=8).filter(|&d| !stagger.skips(helper, d)).collect::<Vec<_>>();
        assert_eq!(searched(1), [2, 4, 6, 8]);
        assert_eq!(searched(2), [1, 3, 5, 7]);
        assert_eq!(searched(3), [2, 3, 6, 7]);
        assert_eq!(searched(4), searched(1), "rows repeat");
    }

    #[test]
    fn every_depth_is_searched_by_about_half_of_the_helpers() {
        let stagger = Stagger::default();
        for depth in 1..60 {
            let skipping = (1..=20).filter(|&helper| stagger.skips(helper, depth)).count();
            assert!((8..=12).contains(&skipping), "{skipping} skip depth {depth}");
        }
    }

    #[test]
    fn an_empty_or_degenerate_table_skips_nothing_or_survives() {
        assert!(!Stagger::Blocks { sizes: vec![], phases: vec![] }.skips(3, 5));
        let _ = Stagger::Blocks { sizes: vec![0], phases: vec![0] }.skips(1, 7);
    }
}
