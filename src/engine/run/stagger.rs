//! The stagger policy: how the helper threads' searches differ from the main thread's.
//!
//! Helpers that all search the same mostly repeat each other's work. When they differ, they spread over several depths,
//! and fill the shared table with results that the main thread does not have yet. Every policy is a pure function of
//! the thread's index and does not change thread 0, so a search of one thread is the same under all policies.
//! `docs/journal/threads.md` compares them.
//!
//! If a table has fewer rows than there are helpers, several helpers share a row, and only timing makes them differ.
//! Under the policy `none` only timing makes any threads differ. A search in rounds has no such timing:
//! [`Stagger::variations`] takes its place.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use serde::Serialize;

use super::limits::MAX_DEPTH;

/// How helpers differ from the main thread. In each table helper `i` (counted from 1) belongs to row `(i - 1) % rows`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "policy", rename_all = "kebab-case")]
pub enum Stagger {
    /// Helpers do not differ by rule: only timing makes their searches different.
    None,
    /// A helper skips depth `d` when `(d + phases[row]) / sizes[row]` is odd, as Stockfish's threads did from 2015 to
    /// 2019 (Lazy SMP, after Daniel Homan's idea).
    Blocks {
        /// Number of depths in a block, within [`Stagger::SIZES`].
        sizes: Vec<u32>,
        /// Depths by which a helper's blocks are shifted, within [`Stagger::PHASES`].
        phases: Vec<u32>,
    },
    /// A helper's first iteration is deeper than 1, as in Viridithas until 2025.
    Offset {
        /// Iterations that a helper leaves out at the beginning, within [`Stagger::PLIES`].
        plies: Vec<i32>,
    },
}

impl Default for Stagger {
    fn default() -> Stagger {
        Stagger::blocks()
    }
}

impl Stagger {
    /// Range of the number of depths in a block. A block that is longer than the deepest search would never end.
    pub const SIZES: RangeInclusive<i64> = 1..=MAX_DEPTH as i64;
    /// Range of the shift of a helper's blocks, in depths. Shifts repeat after two blocks.
    pub const PHASES: RangeInclusive<i64> = 0..=2 * MAX_DEPTH as i64;
    /// Range of the number of iterations that a helper may leave out. A helper that began deeper would not finish its
    /// iteration in a fast game.
    pub const PLIES: RangeInclusive<i64> = 0..=30;

    /// One of each policy, with the values that the comparisons use.
    pub fn all() -> [Stagger; 3] {
        [Stagger::None, Stagger::blocks(), Stagger::Offset { plies: (1..=9).collect() }]
    }

    /// Twenty rows: block size 1 with its 2 phases, block size 2 with its 4 phases, and so on, until there are twenty.
    fn blocks() -> Stagger {
        let rows = (1u32..).flat_map(|size| (0..2 * size).map(move |phase| (size, phase)));
        let (sizes, phases) = rows.take(20).unzip();
        Stagger::Blocks { sizes, phases }
    }

    /// The name in configuration files.
    pub fn name(&self) -> &'static str {
        match self {
            Stagger::None => "none",
            Stagger::Blocks { .. } => "blocks",
            Stagger::Offset { .. } => "offset",
        }
    }

    /// Whether the thread of this index skips the iteration of `depth`.
    pub fn skips(&self, index: usize, depth: i32) -> bool {
        match self {
            Stagger::Blocks { sizes, phases } if depth >= 1 => {
                let rows = sizes.len().min(phases.len());
                row(&sizes[..rows], index).zip(row(&phases[..rows], index)).is_some_and(|(size, phase)| {
                    (u64::from(depth.unsigned_abs()) + u64::from(phase)) / u64::from(size.max(1)) % 2 == 1
                })
            }
            Stagger::Offset { plies } => row(plies, index).is_some_and(|plies| depth <= plies),
            _ => false,
        }
    }

    /// Small changes for the first `threads` threads of a search in rounds to `depth`. There no thread is faster than
    /// another, so two threads with the same rules would search the same nodes. A thread gets no change if the policy
    /// gives it depths that no earlier thread has.
    pub fn variations(&self, threads: usize, depth: i32) -> Box<[Variation]> {
        // How many earlier threads skip the same depths.
        let mut copies: HashMap<Vec<i32>, u32> = HashMap::new();
        let variation = |index| {
            let skipped = (1..depth).filter(|&depth| self.skips(index, depth)).collect();
            let copies = copies.entry(skipped).or_default();
            let variation = Variation::numbered(*copies);
            *copies += 1;
            variation
        };
        (0..threads).map(variation).collect()
    }
}

/// A small change of a thread's search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// Addition to the half-width of the thread's aspiration windows, in centipawns.
    pub width: i32,
    /// Addition to the thread's reductions, in 1024ths of a ply.
    pub reduction: i32,
}

impl Variation {
    /// All variations are different, and number 0 is no change. Reductions come first, of both signs and up to an
    /// eighth of a ply. A wider window comes last: it changes nothing as long as no score falls between it and the
    /// narrower one.
    fn numbered(number: u32) -> Variation {
        const REDUCTIONS: u32 = 256;
        // The step is odd, so that each reduction comes once. It is near the golden section of their number, so that
        // consecutive ones lie far apart.
        const STEP: u32 = 159;
        let place = (number % REDUCTIONS * STEP + REDUCTIONS / 2) % REDUCTIONS;
        Variation { width: (number / REDUCTIONS) as i32, reduction: place as i32 - REDUCTIONS as i32 / 2 }
    }
}

/// The table's entry for a thread; `None` for the main thread.
fn row<T: Copy>(table: &[T], index: usize) -> Option<T> {
    let helper = index.checked_sub(1)?;
    table.get(helper.checked_rem(table.len())?).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_policy_changes_the_main_thread() {
        for stagger in Stagger::all() {
            assert!((1..100).all(|depth| !stagger.skips(0, depth)), "{stagger:?}");
        }
    }

    #[test]
    fn every_policy_but_none_makes_the_first_helper_differ() {
        for stagger in Stagger::all() {
            let differs = (1..100).any(|depth| stagger.skips(1, depth));
            assert_eq!(differs, stagger != Stagger::None, "{stagger:?}");
        }
    }

    #[test]
    fn blocks_skip_the_depths_of_their_sizes_and_phases() {
        let stagger = Stagger::Blocks { sizes: vec![1, 1, 2], phases: vec![0, 1, 2] };
        let searched = |helper| (1..=8).filter(|&d| !stagger.skips(helper, d)).collect::<Vec<_>>();
        assert_eq!(searched(1), [2, 4, 6, 8]);
        assert_eq!(searched(2), [1, 3, 5, 7]);
        assert_eq!(searched(3), [2, 3, 6, 7]);
        assert_eq!(searched(4), searched(1), "rows repeat");
    }

    #[test]
    fn every_depth_is_searched_by_about_half_of_the_helpers() {
        let stagger = Stagger::blocks();
        for depth in 1..60 {
            let skipping = (1..=20).filter(|&helper| stagger.skips(helper, depth)).count();
            assert!((8..=12).contains(&skipping), "{skipping} skip depth {depth}");
        }
    }

    #[test]
    fn an_offset_leaves_out_the_first_iterations_only() {
        let stagger = Stagger::Offset { plies: vec![2, 0] };
        let skipped = |helper| (1..=8).filter(|&d| stagger.skips(helper, d)).collect::<Vec<_>>();
        assert_eq!(skipped(1), [1, 2]);
        assert!(skipped(2).is_empty());
        assert_eq!(skipped(3), skipped(1), "rows repeat");
    }

    /// With the policy `none`, all threads of a search in rounds used to do the same work.
    #[test]
    fn variations_make_all_threads_of_a_search_in_rounds_differ() {
        let degenerate = [
            Stagger::Blocks { sizes: vec![1, 1], phases: vec![1, 3] },
            Stagger::Blocks { sizes: vec![200, 245], phases: vec![0, 0] },
            Stagger::Offset { plies: vec![0] },
        ];
        for stagger in Stagger::all().into_iter().chain(degenerate) {
            for (threads, depth) in [(1024, MAX_DEPTH), (40, 2)] {
                let variations = stagger.variations(threads, depth);
                let ways: HashSet<_> = (0..threads)
                    .map(|index| {
                        let Variation { width, reduction } = variations[index];
                        let skipped: Vec<i32> =
                            (1..depth).filter(|&depth| stagger.skips(index, depth)).collect();
                        (skipped, reduction, width)
                    })
                    .collect();
                assert_eq!(ways.len(), threads, "{stagger:?}");
                assert_eq!(variations[0], Variation::default(), "{stagger:?}");
            }
        }
        let blocks = Stagger::blocks().variations(21, MAX_DEPTH);
        assert!(blocks.iter().all(|variation| *variation == Variation::default()), "{blocks:?}");
    }

    #[test]
    fn an_empty_table_changes_nothing_and_a_degenerate_one_does_not_panic() {
        assert!(!Stagger::Blocks { sizes: vec![], phases: vec![] }.skips(3, 5));
        assert!(!Stagger::Offset { plies: vec![] }.skips(3, 1));
        let _ = Stagger::Blocks { sizes: vec![0], phases: vec![u32::MAX] }.skips(1, i32::MAX);
    }
}
