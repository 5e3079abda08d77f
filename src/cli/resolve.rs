//! Resolves the arguments: a preset overrides the defaults, and the arguments override the preset.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::args::{
    Arguments, BenchArguments, CompareArguments, DataVerb, EvalArguments, PerftArguments, SearchArguments,
    SpeedtestArguments, SuiteArguments, Verb,
};
#[cfg(feature = "fleet")]
use super::fleet;
use super::number::cores;
use super::{analyse, datagen, duel, oneshot, screen, speedup, train, tune, tune_threads};
use crate::board::Game;
use crate::cli::error::CliError;
use crate::config::{Preset, Setup};
use crate::engine::Settings;
use crate::eval::network::Network;
use crate::pool::MAX_THREADS;
use crate::run::Limits;
use crate::scaling::speedtest::SpeedtestPlan;
use crate::search::oracle::OracleBasis;
use crate::train::TrainingPlan;
use crate::tune::TuningPlan;
use crate::tune::main_effects::MainEffectsPlan;
use crate::uci::bench::{BenchPlan, BenchWork};

/// A Sicilian middle game with several good moves (Bratko and Kopec, position 5).
const EXAMPLE: &str = "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 15";

/// The size of each side's table in MiB, if neither a preset nor an argument sets it. Each game has two tables.
const DUEL_HASH: usize = 32;

/// A command with its resolved arguments.
#[derive(Debug)]
pub(super) enum Task {
    /// Speak UCI.
    Uci(Setup),
    /// Carry out UCI commands and end.
    OneShot { setup: Setup, lines: Vec<String> },
    /// Run the benchmark.
    Bench { setup: Setup, plan: BenchPlan },
    /// Count the leaves of the legal move tree.
    Perft(Box<PerftTask>),
    /// Think about a position.
    Search(Box<SearchTask>),
    /// Compare searches.
    Compare(Box<CompareTask>),
    /// Show an evaluation.
    Eval(Box<EvalTask>),
    /// Solve a suite.
    Suite(SuiteTask),
    /// Analyze games.
    Analyse(Box<analyse::AnalyseTask>),
    /// Do the jobs of a queue.
    #[cfg(feature = "fleet")]
    Worker(Box<fleet::QueueWorkerTask>),
    /// Show the state of a queue, or clear parts of it.
    #[cfg(feature = "fleet")]
    Queue(fleet::QueueVerb),
    /// Play games of the engine against itself.
    Datagen(Box<datagen::DatagenTask>),
    /// Count, verify or export training games.
    Data(DataVerb),
    /// Train the evaluation.
    Train(Box<TrainingPlan>),
    /// Tune the search's parameters.
    Tune(Box<TuningPlan>),
    /// Measure the effect of changes of the search's parameters on the playing strength.
    Screen(Box<MainEffectsPlan>),
    /// Measure how much the search gains from more threads.
    Speedtest(Box<SpeedtestTask>),
    /// Compare the stagger policies.
    TuneThreads(Box<tune_threads::TuneThreadsTask>),
    /// Play one setting against another.
    Duel(Box<duel::DuelTask>),
    /// Measure the effective speed-up of threads.
    Speedup(Box<speedup::SpeedupTask>),
}

/// The resolved arguments of `perft`.
#[derive(Debug)]
pub(super) struct PerftTask {
    pub game: Game,
    /// The repairs of the FEN.
    pub repairs: Vec<String>,
    pub depth: u32,
    pub threads: usize,
    pub divide: bool,
    pub chess960: bool,
}

/// The resolved arguments of `search`.
#[derive(Debug)]
pub(super) struct SearchTask {
    pub settings: Settings,
    pub game: Game,
    /// The repairs of the FEN.
    pub repairs: Vec<String>,
    pub limits: Limits,
    pub chess960: bool,
}

/// The resolved arguments of `compare`.
#[derive(Debug)]
pub(super) struct CompareTask {
    pub game: Game,
    /// The repairs of the FEN.
    pub repairs: Vec<String>,
    pub basis: OracleBasis,
    pub depth: i32,
    /// The node limit of each search.
    pub nodes: u64,
}

/// The resolved arguments of `eval`.
#[derive(Debug)]
pub(super) struct EvalTask {
    pub game: Game,
    /// The repairs of the FEN.
    pub repairs: Vec<String>,
    pub network: Arc<Network>,
}

/// The resolved arguments of `suite`.
#[derive(Debug)]
pub(super) struct SuiteTask {
    pub file: PathBuf,
    pub settings: Settings,
    pub limits: Limits,
    /// The number of positions searched at the same time.
    pub jobs: usize,
    pub json: bool,
}

/// The resolved arguments of `speedtest`.
#[derive(Debug)]
pub(super) struct SpeedtestTask {
    pub plan: SpeedtestPlan,
    pub plot: Option<PathBuf>,
    pub json: bool,
}

/// Resolves the arguments as typed.
pub(super) fn resolve(arguments: Arguments) -> Result<Task, CliError> {
    let preset = match (&arguments.verb, &arguments.config) {
        // The configuration file of a training is not a preset, because the engine does not run.
        (Some(Verb::Train(_) | Verb::Data(DataVerb::Loss(_))), _) | (_, None) => Preset::default(),
        (_, Some(path)) => Preset::load(path)?,
    };
    let mut setup = Setup::default();
    match arguments.verb {
        Some(Verb::Search(_) | Verb::Analyse(_)) => setup.settings.threads = cores(),
        #[cfg(feature = "fleet")]
        Some(Verb::Worker(_)) => setup.settings.threads = cores(),
        Some(Verb::Duel(_) | Verb::Speedup(_) | Verb::TuneThreads(_)) => setup.settings.hash = DUEL_HASH,
        _ => {}
    }
    preset.apply(&mut setup);
    Ok(match arguments.verb {
        None | Some(Verb::Uci) => Task::Uci(setup),
        Some(Verb::Line(words)) => Task::OneShot { setup, lines: oneshot::lines(&words)? },
        Some(Verb::Bench(typed)) => bench(setup, &typed)?,
        Some(Verb::Perft(typed)) => Task::Perft(Box::new(perft(&setup, &typed)?)),
        Some(Verb::Search(typed)) => Task::Search(Box::new(search(setup, &typed)?)),
        Some(Verb::Compare(typed)) => Task::Compare(Box::new(compare(setup.settings, &typed)?)),
        Some(Verb::Eval(typed)) => Task::Eval(Box::new(eval(&setup, &typed)?)),
        Some(Verb::Suite(typed)) => Task::Suite(suite(setup, typed)),
        Some(Verb::Analyse(typed)) => Task::Analyse(Box::new(analyse::task(setup, *typed)?)),
        #[cfg(feature = "fleet")]
        Some(Verb::Worker(typed)) => Task::Worker(Box::new(fleet::worker_task(setup, typed)?)),
        #[cfg(feature = "fleet")]
        Some(Verb::Queue(verb)) => Task::Queue(verb),
        Some(Verb::Datagen(typed)) => Task::Datagen(Box::new(datagen::task(typed, setup.settings)?)),
        Some(Verb::Data(verb)) => Task::Data(verb),
        Some(Verb::Train(typed)) => Task::Train(Box::new(train::plan(typed)?)),
        Some(Verb::Tune(typed)) => Task::Tune(Box::new(tune::plan(typed, setup.settings))),
        Some(Verb::Screen(typed)) => Task::Screen(Box::new(screen::plan(typed, setup.settings))),
        Some(Verb::Speedtest(typed)) => Task::Speedtest(Box::new(speedtest(setup, typed))),
        Some(Verb::TuneThreads(typed)) => Task::TuneThreads(Box::new(tune_threads::task(setup, typed)?)),
        Some(Verb::Duel(typed)) => Task::Duel(Box::new(duel::task(&setup, typed)?)),
        Some(Verb::Speedup(typed)) => Task::Speedup(Box::new(speedup::task(setup, typed)?)),
    })
}

/// People compare the node count of `bench` between machines. So only typed arguments set its threads and its table,
/// and a preset's values for these have no effect.
fn bench(setup: Setup, typed: &BenchArguments) -> Result<Task, CliError> {
    let words = BenchPlan::parse(typed.words.iter().map(String::as_str))?;
    let plan = BenchPlan {
        hash: typed.hash.unwrap_or(words.hash),
        threads: typed.threads.unwrap_or(words.threads),
        work: typed.depth.map_or(words.work, |depth| BenchWork::Search(Limits::depth(depth))),
        ..words
    };
    Ok(Task::Bench { setup, plan })
}

fn perft(setup: &Setup, typed: &PerftArguments) -> Result<PerftTask, CliError> {
    let (game, repairs) =
        typed.fen.as_deref().map_or_else(|| Ok((Game::startpos(), Vec::new())), repaired)?;
    Ok(PerftTask {
        game,
        repairs,
        depth: typed.depth,
        threads: typed.threads.unwrap_or(setup.settings.threads),
        divide: typed.divide,
        chess960: typed.chess960 || setup.chess960,
    })
}

/// The position whose FEN consists of `words`, or the example if there are none; and the repairs of the FEN.
fn position(words: &[String]) -> Result<(Game, Vec<String>), CliError> {
    let fen = if words.is_empty() { EXAMPLE.to_owned() } else { words.join(" ") };
    repaired(&fen)
}

/// The position of a FEN, and the repairs of the FEN.
fn repaired(fen: &str) -> Result<(Game, Vec<String>), CliError> {
    let (game, repairs) = Game::from_fen(fen)?;
    Ok((game, repairs.iter().map(ToString::to_string).collect()))
}

fn eval(setup: &Setup, typed: &EvalArguments) -> Result<EvalTask, CliError> {
    let (game, repairs) =
        if typed.fen.is_empty() { (Game::startpos(), Vec::new()) } else { position(&typed.fen)? };
    let network = match &typed.eval_file {
        Some(path) => Arc::new(Network::load(path)?),
        None => Arc::clone(&setup.settings.network),
    };
    Ok(EvalTask { game, repairs, network })
}

fn compare(settings: Settings, typed: &CompareArguments) -> Result<CompareTask, CliError> {
    let (game, repairs) = position(&typed.fen)?;
    let Settings { network, params, quiescence, .. } = settings;
    let basis = OracleBasis { network, params: Arc::new(params), quiescence };
    Ok(CompareTask { game, repairs, basis, depth: typed.depth, nodes: typed.nodes })
}

fn search(mut setup: Setup, typed: &SearchArguments) -> Result<SearchTask, CliError> {
    let (game, repairs) = position(&typed.fen)?;
    overlay(&mut setup.settings, typed.threads, typed.hash);
    if let Some(lines) = typed.multipv {
        setup.settings.multi_pv = lines;
    }
    Ok(SearchTask {
        settings: setup.settings,
        game,
        repairs,
        limits: typed.limits.or_time(Duration::from_secs(5)),
        chess960: setup.chess960,
    })
}

fn suite(mut setup: Setup, typed: SuiteArguments) -> SuiteTask {
    overlay(&mut setup.settings, typed.threads, typed.hash);
    let jobs = typed.jobs.unwrap_or_else(|| (cores() / setup.settings.threads).max(1));
    SuiteTask {
        file: typed.file,
        limits: typed.limits.or_time(Duration::from_secs(1)),
        jobs,
        settings: setup.settings.for_measuring(),
        json: typed.json,
    }
}

fn speedtest(mut setup: Setup, typed: SpeedtestArguments) -> SpeedtestTask {
    overlay(&mut setup.settings, None, typed.hash);
    let cores = cores();
    let mut counts = if typed.threads.is_empty() { default_counts(cores) } else { typed.threads };
    counts.sort_unstable();
    counts.dedup();
    let plan = SpeedtestPlan { settings: setup.settings, counts, time: typed.seconds, cores };
    SpeedtestTask { plan, plot: typed.plot, json: typed.json }
}

/// The powers of two below the number of cores, and that number itself.
fn default_counts(cores: usize) -> Vec<usize> {
    let cores = cores.min(MAX_THREADS);
    let powers = (0..).map(|exponent| 1 << exponent).take_while(|count| *count < cores);
    powers.chain([cores]).collect()
}

fn overlay(settings: &mut Settings, threads: Option<usize>, hash: Option<usize>) {
    settings.threads = threads.unwrap_or(settings.threads);
    settings.hash = hash.unwrap_or(settings.hash);
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::eval::network::Shape;
    use crate::run::leaf::Kind;

    fn task(line: &str) -> Result<Task, CliError> {
        resolve(Arguments::read(line.split_whitespace().map(Into::into)).unwrap())
    }

    #[test]
    fn without_a_subcommand_it_speaks_uci() {
        assert!(matches!(task("enfilade"), Ok(Task::Uci(setup)) if setup == Setup::default()));
        assert!(matches!(task("enfilade uci"), Ok(Task::Uci(_))));
    }

    #[test]
    fn what_is_typed_goes_over_the_preset_and_that_over_the_defaults() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "threads = 3\nhash = 7").unwrap();
        let path = file.path().display();
        let Ok(Task::Search(search)) = task(&format!("enfilade search --config {path} --hash 9")) else {
            panic!("not a search");
        };
        assert_eq!((search.settings.threads, search.settings.hash), (3, 9));
        let Ok(Task::Suite(suite)) = task(&format!("enfilade --config {path} suite x.epd --nodes 5")) else {
            panic!("not a suite");
        };
        assert_eq!((suite.settings.threads, suite.settings.hash), (3, 7));
        assert_eq!(suite.limits, Limits::nodes(5));
    }

    /// Both commands once ignored the preset.
    #[test]
    fn counting_and_comparing_go_by_the_preset_too() {
        let folder = tempfile::tempdir().unwrap();
        let (network, path) = (folder.path().join("a.nnue"), folder.path().join("a.toml"));
        let other =
            Network::random(Shape { hidden: 32, zones: 1, hanging: false, buckets: 1, deep: false }, 1);
        std::fs::write(&network, other.to_bytes()).unwrap();
        let text = "threads = 3\nquiescence = \"captures\"\n[params]\nrazor_depth = 0\n";
        std::fs::write(&path, format!("eval-file = {network:?}\n{text}")).unwrap();
        let task = |words: &str| task(&format!("enfilade --config {} {words}", path.display()));
        for (words, threads) in [("perft 1", 3), ("perft 1 --threads 2", 2)] {
            let Ok(Task::Perft(perft)) = task(words) else { panic!("no perft") };
            assert_eq!(perft.threads, threads);
        }
        let Ok(Task::Compare(compare)) = task("compare") else { panic!("no comparison") };
        assert_eq!((&*compare.basis.network, compare.basis.quiescence), (&other, Kind::Captures));
        assert_eq!(compare.basis.params.razor_depth, 0);
    }

    /// The table size of a preset is for one engine. An analysis has a table for each thread, so it ignores that size.
    #[test]
    fn an_analysis_has_a_table_of_its_own_and_a_limit() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "threads = 3\nhash = 4096\nmultipv = 2").unwrap();
        let line = format!("enfilade --config {} analyse a.pgn --out b.pgn", file.path().display());
        let Ok(Task::Analyse(analysis)) = task(&line) else { panic!("not an analysis") };
        let (plan, effort) = (&analysis.plan, analysis.plan.effort);
        assert_eq!((plan.threads, effort.hash, effort.lines, effort.nodes), (3, 16, 2, Some(200_000)));
        let Ok(Task::Analyse(analysis)) = task("enfilade analyse - --json b --depth 9 --hash 1 --multipv 4")
        else {
            panic!("not an analysis");
        };
        let effort = analysis.plan.effort;
        assert_eq!((effort.hash, effort.lines, effort.nodes, effort.depth), (1, 4, None, Some(9)));
        assert_eq!(analysis.input, None, "standard input");
    }

    #[test]
    fn without_limits_the_default_time_holds() {
        let Ok(Task::Search(search)) = task("enfilade search") else { panic!("not a search") };
        assert_eq!(search.limits, Limits::move_time(Duration::from_secs(5)));
        assert!(search.repairs.is_empty());
    }

    #[test]
    fn the_signature_does_not_depend_on_a_preset() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "threads = 3\nhash = 7").unwrap();
        let line = format!("enfilade --config {} bench", file.path().display());
        assert!(matches!(task(&line), Ok(Task::Bench { plan, .. }) if plan == BenchPlan::default()));
    }

    #[test]
    fn a_benchmark_may_be_planned_by_words_as_in_uci() {
        let line = "enfilade bench 2 3 4";
        let Ok(Task::Bench { plan, .. }) = task(line) else { panic!("no benchmark") };
        assert_eq!((plan.hash, plan.threads, &plan.work), (2, 3, &BenchWork::Search(Limits::depth(4))));
        let Ok(Task::Bench { plan: flags, .. }) = task("enfilade bench --hash 2 --threads 3 --depth 4")
        else {
            panic!("no benchmark");
        };
        assert_eq!(flags, plan);
        assert!(matches!(task("enfilade bench 2 3 4 default plies"), Err(CliError::Input(_))));
    }

    #[test]
    fn numbers_of_threads_are_ascending_and_come_once() {
        let Ok(Task::Speedtest(task)) = task("enfilade speedtest --threads 4,1,4 --hash 3 --seconds 1.5")
        else {
            panic!("not a speed test");
        };
        assert_eq!((&task.plan.counts[..], task.plan.settings.hash), (&[1, 4][..], 3));
        assert_eq!(task.plan.time, Duration::from_millis(1500));
        assert_eq!(default_counts(1), [1]);
        assert_eq!(default_counts(2), [1, 2]);
        assert_eq!(default_counts(12), [1, 2, 4, 8, 12]);
        assert_eq!(default_counts(16), [1, 2, 4, 8, 16]);
        assert_eq!(default_counts(5000).last(), Some(&MAX_THREADS));
    }

    #[test]
    fn sides_are_typed_over_their_presets_and_those_over_the_common_one() {
        let folder = tempfile::tempdir().unwrap();
        let preset = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let common = preset("common.toml", "threads = 2\nmultipv = 3\n[params]\nrazor_depth = 1\n");
        let own = preset("own.toml", "threads = 5\nhash = 7\n[stagger]\npolicy = \"none\"\n");
        let line = format!(
            "enfilade duel --config {common} --config-a {own} --a nodes=900,threads=6 --b nodes=800,stagger=offset --games 7 \
             --sprt -5,0 --jobs 3 --counters"
        );
        let Ok(Task::Duel(task)) = task(&line) else { panic!("not a duel") };
        let [a, b] = &task.plan.sides;
        assert_eq!((a.settings.threads, a.settings.hash, a.nodes), (6, 7, 900));
        assert_eq!((b.settings.threads, b.settings.hash, b.nodes), (2, DUEL_HASH, 800));
        assert_eq!(
            [&a.settings.stagger, &b.settings.stagger].map(|policy| policy.name()),
            ["none", "offset"]
        );
        assert!(
            [a, b].iter().all(|side| side.settings.params.razor_depth == 1 && side.settings.counts_sharing)
        );
        assert_eq!((task.plan.pairs, task.plan.jobs, task.plan.turn), (4, 3, 96));
        assert_eq!(task.plan.sprt.unwrap().elo0, -5.0);
        assert_eq!(
            task.names,
            [format!("{own}, nodes=900,threads=6"), "nodes=800,stagger=offset".to_owned()]
        );
        assert_eq!(task.openings, "random openings");
    }

    #[test]
    fn what_is_wrong_with_a_side_is_said_of_it() {
        let error = |line: &str| task(&format!("enfilade {line}")).unwrap_err().to_string();
        assert_eq!(
            error("duel --a nodes=5 --b threads=2"),
            "--b: nodes=N is missing; N is the number of nodes of all threads for each move"
        );
        assert_eq!(error("duel --a nodes=0 --b nodes=1"), "--a: nodes=0: a whole number from 1 is needed");
        let unknown = error("duel --a nodes=5,thread=2 --b nodes=5");
        assert!(unknown.starts_with("--a: thread=2: unknown field `thread`"), "{unknown}");
        assert!(
            error("speedup --threads 2 --nodes 5 --set hash=0").starts_with("--set: hash=0: Hash must lie")
        );
        assert!(
            error("duel --a nodes=5 --b nodes=5 --book no-such.epd").starts_with("cannot read no-such.epd: ")
        );
    }

    #[test]
    fn a_survey_has_each_number_of_threads_once() {
        let Ok(Task::Speedup(task)) =
            task("enfilade speedup --threads 8,2,8 --nodes 4000 --set stagger=none --games 9")
        else {
            panic!("not a survey");
        };
        assert_eq!((&task.plan.counts[..], task.plan.nodes, task.plan.pairs), (&[2, 8][..], 4_000, 5));
        assert_eq!((task.plan.settings.stagger.name(), task.name.as_str()), ("none", "stagger=none"));
    }

    #[test]
    fn a_wrong_position_is_an_error() {
        assert!(matches!(task("enfilade search 8/8/8/8/8/8/8/8 w - -"), Err(CliError::Fen(_))));
        assert!(matches!(task("enfilade serch"), Err(CliError::UnknownCommand(_))));
    }
}
