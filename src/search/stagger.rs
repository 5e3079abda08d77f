//! The stagger policy: how the helper threads' searches differ from the main thread's.
//!
//! Helpers that all search the same mostly repeat each other. When they differ, they spread over several depths or take
//! different paths, and fill the common table with results that the main thread does not have yet. Every policy is a
//! pure function of the thread's index and leaves thread 0 as it is, so that a search of one thread is the same under
//! all of them. `docs/journal/threads.md` compares them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Greatest depth at which a helper may be made to start, less one: from a deeper one it would not come back in a fast
/// game.
const MAX_PLIES: i32 = 30;
/// Greatest addition to the half-width of a window, in centipawns.
const MAX_WIDTH: i32 = 500;
/// Greatest change of a reduction, in 1024ths of a ply.
const MAX_REDUCTION: i32 = 2048;

/// How helpers differ. In each table helper `i` (counted from 1) belongs to row `(i - 1) % rows`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Stagger {
    /// Not at all: only their timing makes threads differ.
    None,
    /// A helper skips depth `d` when `(d + phases[row]) / sizes[row]` is odd, as Stockfish's threads did from 2015 to
    /// 2019 (Lazy SMP, after Daniel Homan's idea).
    Blocks {
        /// Depths in a block, at least 1.
        sizes: Vec<u32>,
        /// Where in its block a helper begins.
        phases: Vec<u32>,
    },
    /// A helper's first iteration is deeper than 1, as in Viridithas until 2025.
    Offset {
        /// Iterations left out at the beginning, 0 to 30.
        #[serde(deserialize_with = "within::<_, 0, MAX_PLIES>")]
        plies: Vec<i32>,
    },
    /// A helper's aspiration windows are wider, as in Stockfish since 2025.
    Aspiration {
        /// What is added to the half-width of the first window, 0 to 500 centipawns.
        #[serde(deserialize_with = "within::<_, 0, MAX_WIDTH>")]
        widths: Vec<i32>,
    },
    /// A helper reduces late moves more or less, as in Reckless in 2026; in Stockfish since 2025 always less.
    Reduction {
        /// What is added to each reduction, -2048 to 2048 in 1024ths of a ply.
        #[serde(deserialize_with = "within::<_, { -MAX_REDUCTION }, MAX_REDUCTION>")]
        amounts: Vec<i32>,
    },
}

impl Default for Stagger {
    fn default() -> Stagger {
        Stagger::blocks()
    }
}

impl Stagger {
    /// One of each policy, with the numbers that are compared.
    pub fn all() -> [Stagger; 5] {
        [
            Stagger::None,
            Stagger::blocks(),
            Stagger::Offset { plies: (1..=9).collect() },
            Stagger::Aspiration { widths: (1..=7).collect() },
            // Of both signs, so that two helpers look in both directions; Reckless found half a ply too much.
            Stagger::Reduction { amounts: vec![-100, 100, -50, 50, -150, 150] },
        ]
    }

    /// Twenty rows: each block size `s` from 1 up with its `2 s` phases, until the rows are full.
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
            Stagger::Aspiration { .. } => "aspiration",
            Stagger::Reduction { .. } => "reduction",
        }
    }

    /// Whether the thread of this index skips `depth`.
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

    /// What the thread of this index adds to the half-width of its aspiration windows, in centipawns.
    pub fn extra_width(&self, index: usize) -> i32 {
        match self {
            Stagger::Aspiration { widths } => row(widths, index).unwrap_or(0),
            _ => 0,
        }
    }

    /// What the thread of this index adds to reductions, in 1024ths of a ply.
    pub fn extra_reduction(&self, index: usize) -> i32 {
        match self {
            Stagger::Reduction { amounts } => row(amounts, index).unwrap_or(0),
            _ => 0,
        }
    }
}

/// The table's entry for a thread; none for the main thread.
fn row<T: Copy>(table: &[T], index: usize) -> Option<T> {
    let helper = index.checked_sub(1)?;
    table.get(helper.checked_rem(table.len())?).copied()
}

/// Reads a table of numbers from `MIN` to `MAX`.
fn within<'de, D: Deserializer<'de>, const MIN: i32, const MAX: i32>(
    deserializer: D,
) -> Result<Vec<i32>, D::Error> {
    let table = Vec::<i32>::deserialize(deserializer)?;
    match table.iter().find(|number| !(MIN..=MAX).contains(*number)) {
        Some(number) => Err(D::Error::custom(format!("{number} is not within {MIN} to {MAX}"))),
        None => Ok(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_policy_touches_the_main_thread() {
        for stagger in Stagger::all() {
            assert!((1..100).all(|depth| !stagger.skips(0, depth)), "{stagger:?}");
            assert_eq!((stagger.extra_width(0), stagger.extra_reduction(0)), (0, 0), "{stagger:?}");
        }
    }

    #[test]
    fn every_policy_but_none_makes_the_first_helper_differ_in_one_way() {
        for stagger in Stagger::all() {
            let differences = [
                (1..100).any(|depth| stagger.skips(1, depth)),
                stagger.extra_width(1) != 0,
                stagger.extra_reduction(1) != 0,
            ];
            let count = differences.iter().filter(|differs| **differs).count();
            assert_eq!(count, usize::from(stagger != Stagger::None), "{stagger:?}");
        }
    }

    #[test]
    fn the_blocks_follow_their_table() {
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

    #[test]
    fn widths_and_reductions_follow_their_tables() {
        let stagger = Stagger::Aspiration { widths: vec![3, 9] };
        assert_eq!([1, 2, 3].map(|helper| stagger.extra_width(helper)), [3, 9, 3]);
        let stagger = Stagger::Reduction { amounts: vec![-100, 50] };
        assert_eq!([1, 2, 3].map(|helper| stagger.extra_reduction(helper)), [-100, 50, -100]);
    }

    #[test]
    fn an_empty_or_degenerate_table_changes_nothing_or_survives() {
        assert!(!Stagger::Blocks { sizes: vec![], phases: vec![] }.skips(3, 5));
        assert!(!Stagger::Offset { plies: vec![] }.skips(3, 1));
        assert_eq!(Stagger::Reduction { amounts: vec![] }.extra_reduction(3), 0);
        let _ = Stagger::Blocks { sizes: vec![0], phases: vec![u32::MAX] }.skips(1, i32::MAX);
    }

    #[test]
    fn every_policy_reads_back_as_it_was_written() {
        for stagger in Stagger::all() {
            let text = toml::to_string(&stagger).unwrap();
            assert!(text.starts_with(&format!("policy = \"{}\"\n", stagger.name())), "{text}");
            assert_eq!(toml::from_str::<Stagger>(&text).unwrap(), stagger);
        }
    }

    #[test]
    fn numbers_out_of_range_and_unknown_words_are_errors() {
        for (text, expected) in [
            ("policy = \"offset\"\nplies = [1, 31]\n", "31 is not within 0 to 30"),
            ("policy = \"aspiration\"\nwidths = [-1]\n", "-1 is not within 0 to 500"),
            ("policy = \"reduction\"\namounts = [2049]\n", "2049 is not within -2048 to 2048"),
            ("policy = \"random\"\n", "unknown variant `random`"),
            ("policy = \"offset\"\nwidths = [1]\n", "unknown field `widths`"),
        ] {
            let error = toml::from_str::<Stagger>(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
