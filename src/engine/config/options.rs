//! The table of options. The answer to `uci`, `setoption`, presets, settings in one word (`enfilade duel`) and the
//! tables of `docs/options.md` all use it. So a new option needs one entry only.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::Setup;
use super::entry::{Effect, OptionEntry, OptionKind, OptionScope, Store, TableOption};
use super::range::{HASH, MULTI_PV, THREADS};
use crate::base::numa::Policy;
use crate::engine::eval::network::Network;
use crate::engine::history::Sharing;
use crate::engine::run::leaf::Kind;
use crate::engine::run::{Level, Telemetry};
use crate::engine::tablebase::Tablebases;

/// All options, in the order in which a GUI lists them.
pub static OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: Some("Debug Log File"),
        key: Some("uci.log-file"),
        kind: OptionKind::File {
            get: |setup| setup.log_file.as_deref(),
            read: |path| keep(path, |setup, path| setup.log_file = path),
        },
        effect: Effect::Log,
        scope: OptionScope::Server,
        help: "The file that receives a copy of the dialogue, in both directions.",
    },
    OptionEntry {
        name: Some(THREADS.name),
        key: Some("threads"),
        kind: OptionKind::Spin {
            min: THREADS.min,
            max: THREADS.max,
            get: |setup| setup.settings.threads,
            set: |setup, number| setup.settings.threads = number,
        },
        effect: Effect::Threads,
        scope: OptionScope::Session,
        help: "The number of search threads. It may exceed the number of cores.",
    },
    OptionEntry {
        name: Some("NumaPolicy"),
        key: Some("numa-policy"),
        kind: OptionKind::Text {
            form: "`auto`, `none`, `system`, `hardware` or a list of NUMA nodes",
            get: |setup| setup.settings.numa.to_string(),
            read: |text| {
                let policy: Policy = text.parse().map_err(message)?;
                Ok(Box::new(|setup| setup.settings.numa = policy))
            },
        },
        effect: Effect::Binding,
        scope: OptionScope::Server,
        help: "Which threads run on which NUMA nodes: see [scaling.md](scaling.md#numa-nodes).",
    },
    OptionEntry {
        name: Some(HASH.name),
        key: Some("hash"),
        kind: OptionKind::Spin {
            min: HASH.min,
            max: HASH.max,
            get: |setup| setup.settings.hash,
            set: |setup, number| setup.settings.hash = number,
        },
        effect: Effect::ResizeTable,
        scope: OptionScope::Server,
        help: "The size of the transposition table in MiB. If the system does not have the memory, the old table stays.",
    },
    OptionEntry {
        name: Some("Clear Hash"),
        key: None,
        kind: OptionKind::Button,
        effect: Effect::ClearTable,
        scope: OptionScope::Server,
        help: "Empties the table.",
    },
    OptionEntry {
        name: Some("NeverClearHash"),
        key: Some("keep-hash"),
        kind: OptionKind::Check {
            get: |setup| setup.settings.keep_hash,
            set: |setup, on| setup.settings.keep_hash = on,
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "`ucinewgame` keeps the table.",
    },
    OptionEntry {
        name: Some("HashFile"),
        key: None,
        kind: OptionKind::File {
            get: |setup| setup.hash_file.as_deref(),
            read: |path| keep(path, |setup, path| setup.hash_file = path),
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "The file that the table is saved to and loaded from.",
    },
    OptionEntry {
        name: Some("SaveHashtoFile"),
        key: None,
        kind: OptionKind::Button,
        effect: Effect::SaveTable,
        scope: OptionScope::Server,
        help: "Saves the table. The file is replaced whole or not at all. If a save was interrupted, the next one deletes its unfinished file.",
    },
    OptionEntry {
        name: Some("LoadHashfromFile"),
        key: None,
        kind: OptionKind::Button,
        effect: Effect::LoadTable,
        scope: OptionScope::Server,
        help: "Loads the table, with its size. A file that is damaged, or that was made with another version, network, \
               leaf search or `Syzygy50MoveRule`, is refused.",
    },
    OptionEntry {
        name: Some("Ponder"),
        key: Some("uci.ponder"),
        kind: OptionKind::Check { get: |setup| setup.ponder, set: |setup, on| setup.ponder = on },
        effect: Effect::Next,
        scope: OptionScope::Session,
        help: "Tells the chess program that it may let Enfilade think on the opponent's time. It has no other effect.",
    },
    OptionEntry {
        name: Some(MULTI_PV.name),
        key: Some("multipv"),
        kind: OptionKind::Spin {
            min: MULTI_PV.min,
            max: MULTI_PV.max,
            get: |setup| setup.settings.multi_pv,
            set: |setup, number| setup.settings.multi_pv = number,
        },
        effect: Effect::Next,
        scope: OptionScope::Session,
        help: "The number of lines to report.",
    },
    OptionEntry {
        name: Some("Move Overhead"),
        key: Some("move-overhead"),
        kind: OptionKind::Spin {
            min: 0,
            max: 5000,
            get: |setup| setup.settings.move_overhead.as_millis() as usize,
            set: |setup, number| setup.settings.move_overhead = Duration::from_millis(number as u64),
        },
        effect: Effect::Next,
        scope: OptionScope::Session,
        help: "Milliseconds that pass between a move and the stop of the clock. Enfilade keeps a reserve of 12 \
               times this value, or nine tenths of the remaining time if that is less.",
    },
    OptionEntry {
        name: Some("nodestime"),
        key: Some("nodestime"),
        kind: OptionKind::Spin {
            min: 0,
            max: 10_000,
            get: |setup| setup.settings.node_rate as usize,
            set: |setup, number| setup.settings.node_rate = number as u64,
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "Number of nodes that count as one millisecond. Clocks and `movetime` are then spent in nodes, however long those \
               take: see [below](#a-clock-of-nodes). 0 uses the real time.",
    },
    OptionEntry {
        name: Some("Deterministic"),
        key: Some("deterministic"),
        kind: OptionKind::Check {
            get: |setup| setup.settings.deterministic,
            set: |setup, on| setup.settings.deterministic = on,
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "The same search gives the same answer on every run, with several threads too. This needs a limit of \
               nodes (also those of `nodestime`), depth or mate: see [deterministic.md](deterministic.md).",
    },
    OptionEntry {
        name: Some("UCI_Chess960"),
        key: Some("uci.chess960"),
        kind: OptionKind::Check { get: |setup| setup.chess960, set: |setup, on| setup.chess960 = on },
        effect: Effect::Next,
        scope: OptionScope::Session,
        help: "Castling is written as the king taking its rook.",
    },
    OptionEntry {
        name: Some("UCI_ShowWDL"),
        key: Some("uci.show-wdl"),
        kind: OptionKind::Check { get: |setup| setup.show_wdl, set: |setup, on| setup.show_wdl = on },
        effect: Effect::Next,
        scope: OptionScope::Session,
        help: "Adds the chances of win, draw and loss to each score.",
    },
    OptionEntry {
        name: Some("UCI_LimitStrength"),
        key: None,
        kind: OptionKind::Check {
            get: |setup| setup.settings.strength.limited,
            set: |setup, on| setup.settings.strength.limited = on,
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "Plays at the level of `UCI_Elo`: at once, with one thread and without tablebases.",
    },
    OptionEntry {
        name: Some("UCI_Elo"),
        key: None,
        kind: OptionKind::Spin {
            min: Level::MIN as i64,
            max: Level::MAX as i64,
            get: |setup| setup.settings.strength.elo as usize,
            set: |setup, number| setup.settings.strength.elo = number as u32,
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "The level: see [strength.md](strength.md#levels).",
    },
    OptionEntry {
        name: Some("UCI_AnalyseMode"),
        key: None,
        kind: OptionKind::Check {
            get: |setup| setup.settings.strength.analysis,
            set: |setup, on| setup.settings.strength.analysis = on,
        },
        effect: Effect::Next,
        scope: OptionScope::Session,
        help: "Ignores `UCI_LimitStrength`. It has no other effect.",
    },
    OptionEntry {
        name: Some("EvalFile"),
        key: Some("eval-file"),
        kind: OptionKind::File { get: |setup| setup.eval_file.as_deref(), read: network },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "A network that takes the place of the embedded one. If the file cannot be used, the old network stays.",
    },
    OptionEntry {
        name: Some("SyzygyPath"),
        key: Some("syzygy-path"),
        kind: OptionKind::Text {
            form: "paths",
            get: |setup| setup.settings.tablebases.path().to_owned(),
            read: |text| {
                let tablebases = Arc::new(Tablebases::load(text));
                Ok(Box::new(|setup| setup.settings.tablebases = tablebases))
            },
        },
        effect: Effect::Tablebases,
        scope: OptionScope::Server,
        help: "Directories with Syzygy tablebases, separated by `:` (on Windows by `;`). Missing or damaged files \
               are reported; the engine continues without them.",
    },
    OptionEntry {
        name: Some("SyzygyProbeDepth"),
        key: Some("syzygy-probe-depth"),
        kind: OptionKind::Spin {
            min: 1,
            max: 100,
            get: |setup| setup.settings.probing.depth as usize,
            set: |setup, number| setup.settings.probing.depth = number as i32,
        },
        effect: Effect::Next,
        scope: OptionScope::Session,
        help: "The least depth at which positions of `SyzygyProbeLimit` men are probed. Positions of fewer men are \
               probed at every depth.",
    },
    OptionEntry {
        name: Some("Syzygy50MoveRule"),
        key: Some("syzygy-50-move-rule"),
        kind: OptionKind::Check {
            get: |setup| setup.settings.probing.fifty_moves,
            set: |setup, on| setup.settings.probing.fifty_moves = on,
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "A tablebase win that the fifty-move rule prevents counts as a draw.",
    },
    OptionEntry {
        name: Some("SyzygyProbeLimit"),
        key: Some("syzygy-probe-limit"),
        kind: OptionKind::Spin {
            min: 0,
            max: 7,
            get: |setup| setup.settings.probing.limit,
            set: |setup, number| setup.settings.probing.limit = number,
        },
        effect: Effect::Next,
        scope: OptionScope::Session,
        help: "The largest number of men in a position that is probed. 0 turns the tablebases off.",
    },
    OptionEntry {
        name: Some("Quiescence"),
        key: Some("quiescence"),
        kind: OptionKind::Combo {
            of: "quiescence search",
            names: || Kind::ALL.map(Kind::name).to_vec(),
            get: |setup| setup.settings.quiescence.name(),
            set: |setup, index| setup.settings.quiescence = Kind::ALL[index],
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "The leaf search: see [below](#leaf-searches).",
    },
    OptionEntry {
        name: Some("Quiescence Statistics"),
        key: Some("statistics"),
        kind: OptionKind::Check {
            get: |setup| setup.settings.telemetry == Telemetry::Report,
            set: |setup, on| setup.settings.telemetry = if on { Telemetry::Report } else { Telemetry::Off },
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "Prints an `info string` on the leaf search after each `go`.",
    },
    OptionEntry {
        name: None,
        key: Some("shared-histories"),
        kind: OptionKind::Combo {
            of: "way to share histories",
            names: || Sharing::ALL.map(Sharing::name).to_vec(),
            get: |setup| setup.settings.histories.name(),
            set: |setup, index| setup.settings.histories = Sharing::ALL[index],
        },
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "The histories that the threads of a group share: see [scaling.md](scaling.md#shared-histories).",
    },
    OptionEntry {
        name: None,
        key: Some("stagger"),
        kind: OptionKind::Table(TableOption::Stagger),
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "How helper threads search differently from the main thread. Each policy has its lists of numbers: see \
               [scaling.md](scaling.md#stagger-policies).",
    },
    OptionEntry {
        name: None,
        key: Some("params"),
        kind: OptionKind::Table(TableOption::Params),
        effect: Effect::Next,
        scope: OptionScope::Server,
        help: "Parameters of the search, as `enfilade tune` writes them. `src/engine/params.rs` declares each one.",
    },
];

/// The option with this UCI name. Upper and lower case are equal.
pub fn named(name: &str) -> Option<&'static OptionEntry> {
    OPTIONS.iter().find(|entry| entry.name.is_some_and(|known| known.eq_ignore_ascii_case(name)))
}

/// The option that has this key in a preset.
pub fn keyed(key: &str) -> Option<&'static OptionEntry> {
    OPTIONS.iter().find(|entry| entry.key == Some(key))
}

fn message(error: impl ToString) -> String {
    error.to_string()
}

/// Stores a path without a check.
fn keep(path: Option<&Path>, set: fn(&mut Setup, Option<PathBuf>)) -> Result<Store, String> {
    let path = path.map(Path::to_owned);
    Ok(Box::new(move |setup| set(setup, path)))
}

/// Reads a network file. Without a path it takes the embedded network.
fn network(path: Option<&Path>) -> Result<Store, String> {
    let network = match path {
        Some(path) => Arc::new(Network::load(path).map_err(message)?),
        None => Network::embedded(),
    };
    let path = path.map(Path::to_owned);
    Ok(Box::new(move |setup| {
        setup.settings.network = network;
        setup.eval_file = path;
    }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_and_key_is_unique() {
        let are_unique = |texts: Vec<String>| {
            let unique: BTreeSet<&String> = texts.iter().collect();
            assert!(texts.len() > 10 && unique.len() == texts.len(), "{texts:?}");
        };
        let names = OPTIONS.iter().filter_map(|entry| entry.name).map(str::to_ascii_lowercase);
        are_unique(names.collect());
        let keys = OPTIONS.iter().filter_map(|entry| entry.key).map(str::to_owned);
        are_unique(keys.collect());
    }

    #[test]
    fn every_entry_can_be_set_somewhere_and_is_explained() {
        for entry in OPTIONS {
            assert!(entry.name.is_some() || entry.key.is_some(), "{entry:?}");
            assert!(entry.help.ends_with('.') && !entry.help.contains('|'), "{entry:?}");
            match entry.kind {
                OptionKind::Button => assert_eq!(entry.key, None, "a button has no value for a preset"),
                OptionKind::Table(_) => assert_eq!(entry.name, None, "UCI has no tables"),
                _ => {}
            }
        }
    }

    /// A stored value must be the shown value, and no other value may change.
    #[test]
    fn values_are_read_back_from_where_they_were_stored() {
        let default = Setup::default();
        for entry in OPTIONS {
            let mut setup = default.clone();
            match &entry.kind {
                OptionKind::Check { get, set } => {
                    set(&mut setup, !get(&default));
                    assert_ne!(get(&setup), get(&default), "{}", entry.title());
                    set(&mut setup, get(&default));
                }
                OptionKind::Spin { min, max, get, set } => {
                    for number in [*min as usize, *max as usize] {
                        set(&mut setup, number);
                        assert_eq!(get(&setup), number, "{}", entry.title());
                    }
                    set(&mut setup, get(&default));
                }
                OptionKind::Combo { names, get, set, .. } => {
                    for (index, name) in names().into_iter().enumerate() {
                        set(&mut setup, index);
                        assert_eq!(get(&setup), name, "{}", entry.title());
                    }
                    set(&mut setup, names().iter().position(|name| *name == get(&default)).unwrap());
                }
                OptionKind::Text { get, read, .. } => {
                    let text = get(&default);
                    read(&text).unwrap()(&mut setup);
                    assert_eq!(get(&setup), text, "{}", entry.title());
                }
                OptionKind::File { get, read } => {
                    read(None).unwrap()(&mut setup);
                    assert_eq!(get(&setup), None, "{}", entry.title());
                }
                OptionKind::Button | OptionKind::Table(_) => {}
            }
            assert_eq!(setup, default, "{}", entry.title());
        }
    }
}
