//! `enfilade bench`: searches fixed positions and prints the totals last.

use clap::Args;
use serde::Serialize;

use crate::base::console;
use crate::chess::board::Game;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::command::number::{self, within};
use crate::engine::config::Setup;
use crate::engine::config::range::{HASH, THREADS};
use crate::engine::facade::{NAME, Settings};
use crate::engine::run::Limits;
use crate::engine::uci::bench::{self, BenchPlan, BenchWork, Total};
use crate::engine::uci::nodes_per_second;

/// Search fixed positions, and print the node count (a version's signature) and the speed
#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Number of threads. Without it, one; a preset's number is ignored. With several threads the node count repeats
    /// only if a preset has `deterministic = true`
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Size of the hash table in MiB. Without it, 16; a preset's size is ignored
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub hash: Option<usize>,
    /// Depth of each search in plies. Without it, 13
    #[arg(long, value_name = "PLIES", value_parser = number::from(1i32))]
    pub depth: Option<i32>,
    /// The arguments of UCI's `bench`: MIB THREADS LIMIT, then default, current or a file with a FEN on each line, then
    /// what the limit counts: depth, nodes, movetime (in milliseconds), perft or eval
    #[arg(value_name = "WORD", conflicts_with_all = ["threads", "hash", "depth"])]
    pub words: Vec<String>,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// What `bench` needs.
#[derive(Debug)]
pub(crate) struct BenchTask {
    settings: Settings,
    plan: BenchPlan,
    json: JsonArguments,
}

/// The report as JSON.
#[derive(Serialize)]
struct BenchReport {
    engine: &'static str,
    threads: usize,
    hash: usize,
    nodes: u64,
    time_ms: u64,
    nps: u64,
}

impl CommandArguments for BenchArguments {
    type Task = BenchTask;

    /// People compare the node count of `bench` between machines. So only typed arguments set its threads and its
    /// table, and a preset's values for these have no effect.
    fn resolve(self, setup: Setup) -> Result<BenchTask, CliError> {
        let words = BenchPlan::parse(self.words.iter().map(String::as_str))?;
        let plan = BenchPlan {
            hash: self.hash.unwrap_or(words.hash),
            threads: self.threads.unwrap_or(words.threads),
            work: self.depth.map_or(words.work, |depth| BenchWork::Search(Limits::depth(depth))),
            ..words
        };
        Ok(BenchTask { settings: setup.settings, plan, json: self.json })
    }

    /// The plan's values and `Settings::for_measuring` override the settings.
    fn run(BenchTask { settings, plan, json }: BenchTask) -> Result<(), CliError> {
        json.check()?;
        let is_told = !json.is_printed();
        let tell = |line: &str| {
            if is_told {
                console::say(line);
            }
        };
        let total = bench::run(&settings, &plan, Some(&Game::startpos()), tell)?;
        tell(&total.to_string());
        let Total { nodes, time } = total;
        json.write(&BenchReport {
            engine: NAME,
            threads: plan.threads,
            hash: plan.hash,
            nodes,
            time_ms: time.as_millis() as u64,
            nps: nodes_per_second(nodes, time),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::engine::command::arguments::resolved;
    use crate::engine::uci::InputError;

    #[test]
    fn the_signature_does_not_depend_on_a_preset() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "threads = 3\nhash = 7").unwrap();
        let line = format!("enfilade --config {} bench", file.path().display());
        assert_eq!(resolved::<BenchArguments>(&line).unwrap().plan, BenchPlan::default());
    }

    #[test]
    fn words_have_the_same_meaning_as_in_uci() {
        let plan = |line| resolved::<BenchArguments>(line).map(|task| task.plan);
        let words = plan("enfilade bench 2 3 4").unwrap();
        assert_eq!((words.hash, words.threads, &words.work), (2, 3, &BenchWork::Search(Limits::depth(4))));
        assert_eq!(plan("enfilade bench --hash 2 --threads 3 --depth 4").unwrap(), words);
        let wrong = plan("enfilade bench 2 3 4 default plies");
        assert!(matches!(wrong, Err(CliError::Failed(error)) if error.is::<InputError>()));
    }
}
