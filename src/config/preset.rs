//! The preset file: typed by serde, so that the struct below is the whole format.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Setup;
use super::file::{self, ConfigError, Fault};
use super::overrides::Overrides;
use super::range::{
    HASH, MOVE_OVERHEAD, MULTI_PV, NODES_TIME, SYZYGY_PROBE_DEPTH, SYZYGY_PROBE_LIMIT, Spin, THREADS,
};
use super::stagger::StaggerTable;
use crate::eval::network::Network;
use crate::history::Sharing;
use crate::numa::Policy;
use crate::search::quiescence::Kind;
use crate::tablebase::Tablebases;

/// A configuration file as typed. A key that is absent leaves the setting as it was.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Preset {
    /// Search threads, 1 to 1024.
    #[serde(deserialize_with = "threads")]
    pub threads: Option<usize>,
    /// How threads are bound to the machine's nodes: `auto`, `none`, `system`, `hardware`, or a list of nodes.
    #[serde(rename = "numa-policy", deserialize_with = "numa")]
    pub numa: Option<Policy>,
    /// Table size in MiB.
    #[serde(deserialize_with = "hash")]
    pub hash: Option<usize>,
    /// Whether the table outlives a game.
    pub keep_hash: Option<bool>,
    /// Lines reported, 1 to 256.
    #[serde(rename = "multipv", deserialize_with = "multi_pv")]
    pub multi_pv: Option<usize>,
    /// Milliseconds set aside for the way of a move to the clock, 0 to 5000.
    #[serde(deserialize_with = "move_overhead")]
    pub move_overhead: Option<usize>,
    /// Nodes that count as a millisecond, 0 to 10000; 0 where time is time.
    #[serde(rename = "nodestime", deserialize_with = "nodes_time")]
    pub node_rate: Option<usize>,
    /// What histories the threads of a node have in common: `none`, `corrections` or `all`.
    #[serde(deserialize_with = "histories")]
    pub shared_histories: Option<Sharing>,
    /// Whether a search with a node or depth limit goes the same way on every run, with several threads too.
    pub deterministic: Option<bool>,
    /// Name of the quiescence search.
    #[serde(deserialize_with = "quiescence")]
    pub quiescence: Option<Kind>,
    /// Statistics of the quiescence search after each search.
    pub statistics: Option<bool>,
    /// How helper threads differ from the main one.
    pub stagger: Option<StaggerTable>,
    /// A network file to evaluate by, in place of the embedded one.
    #[serde(rename = "eval-file", deserialize_with = "network")]
    pub network: Option<(PathBuf, Arc<Network>)>,
    /// Directories with Syzygy tablebases, separated as paths are. What is missing or damaged there is said when the
    /// engine starts; it is no error.
    pub syzygy_path: Option<String>,
    /// The least depth at which tablebases are asked about positions of the most men, 1 to 100.
    #[serde(deserialize_with = "syzygy_probe_depth")]
    pub syzygy_probe_depth: Option<usize>,
    /// The most men of a position that tablebases are asked about, 0 to 7.
    #[serde(deserialize_with = "syzygy_probe_limit")]
    pub syzygy_probe_limit: Option<usize>,
    /// Whether tablebase wins that the fifty-move rule prevents count as draws.
    #[serde(rename = "syzygy-50-move-rule")]
    pub syzygy_fifty_move_rule: Option<bool>,
    /// Parameters of the search by name.
    pub params: Overrides,
    /// The manners of the UCI side.
    pub uci: UciPreset,
}

/// The table `[uci]` of a configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct UciPreset {
    /// Castling moves as king takes rook.
    pub chess960: Option<bool>,
    /// Win, draw and loss chances after each score.
    pub show_wdl: Option<bool>,
    /// Whether the GUI is told that it may ponder.
    pub ponder: Option<bool>,
    /// A copy of both directions of the dialogue.
    pub log_file: Option<PathBuf>,
}

impl Preset {
    /// Reads a file. The error names the file, the line and the key.
    pub fn load(path: &Path) -> Result<Preset, ConfigError> {
        file::load_checked(path, Preset::check)
    }

    /// Reads a text; `path` is only for the errors.
    pub fn parse(text: &str, path: &Path) -> Result<Preset, ConfigError> {
        file::parse(text, path, Preset::check)
    }

    fn check(&self) -> Result<(), Fault> {
        self.stagger.as_ref().map_or(Ok(()), |table| table.policy().map(drop).map_err(Clone::clone))
    }

    /// Lays what the file says over `setup`.
    pub fn apply(&self, setup: &mut Setup) {
        fn lay<T: Clone>(over: &mut T, value: &Option<T>) {
            if let Some(value) = value {
                over.clone_from(value);
            }
        }
        let settings = &mut setup.settings;
        lay(&mut settings.threads, &self.threads);
        lay(&mut settings.numa, &self.numa);
        lay(&mut settings.hash, &self.hash);
        lay(&mut settings.multi_pv, &self.multi_pv);
        lay(&mut settings.deterministic, &self.deterministic);
        lay(&mut settings.histories, &self.shared_histories);
        lay(&mut settings.quiescence, &self.quiescence);
        lay(&mut settings.keep_hash, &self.keep_hash);
        lay(&mut settings.statistics, &self.statistics);
        if let Some(Ok(stagger)) = self.stagger.as_ref().map(StaggerTable::policy) {
            settings.stagger.clone_from(stagger);
        }
        if let Some((path, network)) = &self.network {
            settings.network = Arc::clone(network);
            setup.eval_file = Some(path.clone());
        }
        if let Some(path) = &self.syzygy_path {
            settings.tablebases = Arc::new(Tablebases::load(path));
        }
        if let Some(depth) = self.syzygy_probe_depth {
            settings.probing.depth = depth as i32;
        }
        lay(&mut settings.probing.limit, &self.syzygy_probe_limit);
        lay(&mut settings.probing.fifty_moves, &self.syzygy_fifty_move_rule);
        self.params.apply(&mut settings.params);
        if let Some(milliseconds) = self.move_overhead {
            settings.move_overhead = Duration::from_millis(milliseconds as u64);
        }
        if let Some(nodes) = self.node_rate {
            settings.node_rate = nodes as u64;
        }
        lay(&mut setup.chess960, &self.uci.chess960);
        lay(&mut setup.show_wdl, &self.uci.show_wdl);
        lay(&mut setup.ponder, &self.uci.ponder);
        if self.uci.log_file.is_some() {
            setup.log_file.clone_from(&self.uci.log_file);
        }
    }
}

fn spin<'de, D: Deserializer<'de>>(deserializer: D, range: Spin) -> Result<Option<usize>, D::Error> {
    let value = i64::deserialize(deserializer)?;
    range.check(value).map(Some).map_err(D::Error::custom)
}

fn threads<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    spin(deserializer, THREADS)
}

fn numa<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Policy>, D::Error> {
    String::deserialize(deserializer)?.parse().map(Some).map_err(D::Error::custom)
}

fn hash<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    spin(deserializer, HASH)
}

fn multi_pv<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    spin(deserializer, MULTI_PV)
}

fn move_overhead<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    spin(deserializer, MOVE_OVERHEAD)
}

fn nodes_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    spin(deserializer, NODES_TIME)
}

fn syzygy_probe_depth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    spin(deserializer, SYZYGY_PROBE_DEPTH)
}

fn syzygy_probe_limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    spin(deserializer, SYZYGY_PROBE_LIMIT)
}

fn histories<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Sharing>, D::Error> {
    String::deserialize(deserializer)?.parse().map(Some).map_err(D::Error::custom)
}

fn quiescence<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Kind>, D::Error> {
    let name = String::deserialize(deserializer)?;
    Kind::from_str(&name).map(Some).map_err(|_| {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        D::Error::custom(format!(
            "unknown quiescence search \"{name}\", expected one of {}",
            names.join(", ")
        ))
    })
}

fn network<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<(PathBuf, Arc<Network>)>, D::Error> {
    let path = PathBuf::deserialize(deserializer)?;
    let network = Network::load(&path).map_err(D::Error::custom)?;
    Ok(Some((path, Arc::new(network))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::Stagger;
    use crate::tablebase::Probing;

    fn parse(text: &str) -> Result<Preset, String> {
        Preset::parse(text, Path::new("test.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_empty_file_changes_nothing() {
        let mut setup = Setup::default();
        parse("").unwrap().apply(&mut setup);
        assert_eq!(setup, Setup::default());
    }

    #[test]
    fn what_is_given_is_laid_over_the_defaults() {
        let text = "threads = 3\nhash = 17\nmove-overhead = 250\nnodestime = 300\ndeterministic = true\nquiescence = \"Captures\"\n\
                    shared-histories = \"all\"\n\
                    [stagger]\npolicy = \"none\"\n[uci]\nshow-wdl = true\nlog-file = \"a b.log\"\n";
        let mut setup = Setup::default();
        parse(text).unwrap().apply(&mut setup);
        assert_eq!(setup.settings.threads, 3);
        assert_eq!(setup.settings.hash, 17);
        assert_eq!(setup.settings.move_overhead, Duration::from_millis(250));
        assert_eq!(setup.settings.node_rate, 300);
        assert!(setup.settings.deterministic);
        assert_eq!(setup.settings.quiescence, Kind::Captures);
        assert_eq!(setup.settings.histories, Sharing::All);
        assert_eq!(setup.settings.stagger, Stagger::None);
        assert_eq!(setup.log_file.as_deref(), Some(Path::new("a b.log")));
        assert!(setup.show_wdl && !setup.chess960);
        assert_eq!(setup.settings.multi_pv, Setup::default().settings.multi_pv);
    }

    #[test]
    fn unknown_keys_are_named_with_their_line() {
        let error = parse("# a comment\n\nthread = 3\n").unwrap_err();
        assert!(error.starts_with("test.toml, line 3: unknown field `thread`"), "{error}");
        let error = parse("threads = 3\n[uci]\nwdl = true\n").unwrap_err();
        assert!(error.starts_with("test.toml, line 3: unknown field `wdl`"), "{error}");
        assert!(!error.contains('\n'));
    }

    #[test]
    fn values_out_of_range_are_named_with_key_and_line() {
        let error = parse("hash = 16\nthreads = 0\n").unwrap_err();
        assert_eq!(error, "test.toml, line 2: threads: Threads must lie between 1 and 1024, not 0");
        let error = parse("quiescence = \"best\"\n").unwrap_err();
        assert!(
            error.starts_with("test.toml, line 1: quiescence: unknown quiescence search \"best\""),
            "{error}"
        );
        let error = parse("\nhash = \"16\"\n").unwrap_err();
        assert!(error.starts_with("test.toml, line 2: hash: invalid type"), "{error}");
    }

    /// Keys beside a known policy, empty lists and lists of unequal length were accepted, and what was refused was said of
    /// line 1 without its key.
    #[test]
    fn a_wrong_stagger_table_is_refused_with_key_and_line() {
        for (table, expected) in [
            ("policy = \"none\"\nsizes = [1]", "3: `sizes` is not a key of the policy `none`"),
            ("policy = \"none\"\nsize = 1", "3: unknown field `size`, expected one of `policy`, `sizes`"),
            (
                "policy = \"offset\"\nplies = [1]\nwidths = [1]",
                "4: `widths` is not a key of the policy `offset`",
            ),
            ("policy = \"offset\"\nplies = [1]\nwidth = [1]", "4: unknown field `width`"),
            ("policy = \"blocks\"\nsizes = []\nphases = [0]", "3: sizes: a list without a number"),
            ("policy = \"blocks\"\nphases = [0]\nsizes = [0]", "4: sizes: 0 is not within 1 to 245"),
            (
                "sizes = [1, 2]\nphases = [0]\npolicy = \"blocks\"",
                "3: `phases` is a list of 1, and `sizes` of 2",
            ),
            ("policy = \"blocks\"\nphases = [0]", "2: policy: `blocks` needs `sizes`"),
            ("policy = \"reduction\"", "2: policy: `reduction` needs `amounts`"),
            ("policy = \"offset\"\nplies = [1, 31]", "3: plies: 31 is not within 0 to 30"),
            ("policy = \"aspiration\"\nwidths = [-1]", "3: widths: -1 is not within 0 to 500"),
            ("policy = \"reduction\"\namounts = [2049]", "3: amounts: 2049 is not within -2048 to 2048"),
            ("policy = \"reduction\"\namounts = 5", "3: amounts: invalid type: integer `5`"),
            ("policy = \"random\"", "2: policy: unknown variant `random`, expected one of `none`, `blocks`"),
            ("plies = [1]", "1: missing field `policy`"),
        ] {
            let error = parse(&format!("[stagger]\n{table}\n[uci]\nponder = true\n")).unwrap_err();
            assert!(error.starts_with(&format!("test.toml, line {expected}")), "{table}: {error}");
        }
        let error = parse("hash = 1\nstagger = { policy = \"none\", plies = [3] }\n").unwrap_err();
        assert_eq!(error, "test.toml, line 2: stagger: `plies` is not a key of the policy `none`");
    }

    #[test]
    fn threads_are_bound_as_the_file_says() {
        let mut setup = Setup::default();
        parse("numa-policy = \"0-1:2\"\n").unwrap().apply(&mut setup);
        assert_eq!(setup.settings.numa, "0-1:2".parse().unwrap());
        let error = parse("threads = 2\nnuma-policy = \"0:\"\n").unwrap_err();
        assert_eq!(error, "test.toml, line 2: numa-policy: node 2 of the list has no processors");
    }

    #[test]
    fn what_is_not_toml_is_located() {
        let error = parse("threads = 4\nhash 16\n").unwrap_err();
        assert!(error.starts_with("test.toml, line 2: "), "{error}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Preset::load(Path::new("does-not-exist.toml")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read does-not-exist.toml: "), "{error}");
    }

    #[test]
    fn parameters_are_known_and_within_their_range() {
        let mut setup = Setup::default();
        parse("[params]\niir_depth = 5\nrazor_depth = 0 # was 4\n").unwrap().apply(&mut setup);
        assert_eq!((setup.settings.params.iir_depth, setup.settings.params.razor_depth), (5, 0));
        for (text, expected) in [
            (
                "[params]\niir_depth = 5\niir_debth = 5\n",
                "test.toml, line 3: no parameter of the search is called `iir_debth`",
            ),
            ("[params]\niir_depth = 99\n", "test.toml, line 2: iir_depth: 99 is not within 2 to 8"),
            (
                "[params]\niir_depth = 99999999999\n",
                "test.toml, line 2: iir_depth: 99999999999 is not within 2 to 8",
            ),
            (
                "[params]\niir_depth = \"a\"\n",
                "test.toml, line 2: iir_depth: invalid type: string \"a\", expected i64",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected);
        }
    }

    #[test]
    fn tablebases_are_loaded_and_their_faults_are_no_error() {
        let text = "syzygy-path = \"does-not-exist\"\nsyzygy-probe-depth = 3\nsyzygy-probe-limit = 5\n\
                    syzygy-50-move-rule = false\n";
        let mut setup = Setup::default();
        parse(text).unwrap().apply(&mut setup);
        let settings = setup.settings;
        assert_eq!(settings.tablebases.path(), "does-not-exist");
        assert!(
            settings.tablebases.notes()[1].contains("does-not-exist: "),
            "{:?}",
            settings.tablebases.notes()
        );
        assert_eq!(settings.probing, Probing { depth: 3, limit: 5, fifty_moves: false });
        let error = parse("hash = 1\nsyzygy-probe-limit = 8\n").unwrap_err();
        assert_eq!(
            error,
            "test.toml, line 2: syzygy-probe-limit: SyzygyProbeLimit must lie between 0 and 7, not 8"
        );
    }

    #[test]
    fn a_network_is_loaded_or_its_file_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.bin");
        std::fs::write(&path, Network::embedded().to_bytes()).unwrap();
        let text = format!("eval-file = {path:?}\n");
        let mut setup = Setup::default();
        parse(&text).unwrap().apply(&mut setup);
        assert_eq!((setup.settings.network, setup.eval_file), (Network::embedded(), Some(path.clone())));
        std::fs::write(&path, b"something else").unwrap();
        let error = parse(&text).unwrap_err();
        assert!(
            error.starts_with("test.toml, line 1: eval-file: ") && error.contains("other.bin"),
            "{error}"
        );
    }
}
