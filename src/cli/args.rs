//! The arguments as typed, and the help texts.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::analyse::AnalyseArguments;
use super::datagen::DatagenArguments;
use super::duel::DuelArguments;
#[cfg(feature = "fleet")]
use super::fleet::{QueueVerb, WorkerArguments};
use super::limits::LimitArguments;
use super::number::{self, JOBS, within};
use super::screen::ScreenArguments;
use super::speedup::SpeedupArguments;
use super::train::TrainArguments;
use super::tune::TuneArguments;
use super::tune_threads::TuneThreadsArguments;
use crate::config::range::{HASH, MULTI_PV, THREADS};

const EXAMPLES: &str = "\
Examples:
  enfilade                                   speak UCI: what a chess program expects
  enfilade search                            think about a position and show how
  enfilade search --movetime 10000 \"FEN\"     ten seconds on a position of your own
  enfilade bench                             node count and speed on fixed positions
  enfilade compare --depth 5                 what each kind of search finds, and its cost
  enfilade suite wac.epd --movetime 1000     solve a file of test positions
  enfilade analyse games.pgn --out new.pgn   evaluate and judge the moves of whole games
  enfilade go depth 10                       any UCI command, without a dialogue
  enfilade position startpos moves e2e4 go nodes 100000
  enfilade --config configs/laptop.toml      start with the settings of a file";

/// A chess engine for machines with many cores.
///
/// Without a subcommand it speaks UCI on standard input and output: give the binary to a chess program (a GUI such as
/// En Croissant, Cutechess or Arena) as an engine. The words of any UCI command may also be given as arguments.
#[derive(Debug, Parser)]
#[command(name = "enfilade", version, after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Read settings from a preset, such as those in configs/
    #[arg(long, global = true, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Speak UCI (the default)
    Uci,
    /// Search fixed positions, and print the node count (a version's signature) and the speed
    Bench(BenchArguments),
    /// Count the positions that legal moves lead to: the test of a move generator
    Perft(PerftArguments),
    /// Think about one position and show the thinking
    Search(SearchArguments),
    /// Show the evaluation of a position and what each piece is worth in it
    Eval(EvalArguments),
    /// Run the classic searches, each quiescence search and Enfilade's own search on one position
    Compare(CompareArguments),
    /// Solve the positions of an EPD file (bm, am, dm, and STS points)
    Suite(SuiteArguments),
    /// Analyse the games of a PGN file: annotated PGN, JSON, pages of HTML
    Analyse(Box<AnalyseArguments>),
    /// Do the jobs that analyse --queue and datagen --queue have put into a queue
    #[cfg(feature = "fleet")]
    Worker(WorkerArguments),
    /// Look at a queue of jobs, or clear it
    #[cfg(feature = "fleet")]
    #[command(subcommand)]
    Queue(QueueVerb),
    /// Play games of the engine against itself to train its evaluation
    Datagen(DatagenArguments),
    /// Train the evaluation's network on the games of datagen
    Train(TrainArguments),
    /// Count, verify or export the games of datagen
    #[command(subcommand)]
    Data(DataVerb),
    /// Tune the search's parameters by games of the engine against itself
    Tune(TuneArguments),
    /// Measure what many changes of the search's parameters are worth at once, by games of the engine against itself
    Screen(ScreenArguments),
    /// Measure what more threads gain
    Speedtest(SpeedtestArguments),
    /// Compare the policies by which threads differ, and write a preset with the best one
    TuneThreads(TuneThreadsArguments),
    /// Play one setting against another with virtual threads, such as 64 threads against 32 on two cores
    Duel(DuelArguments),
    /// Measure the effective speed-up of several threads: how many times more nodes one thread needs to be as strong
    Speedup(SpeedupArguments),
    #[command(external_subcommand)]
    Line(Vec<String>),
}

#[derive(Debug, Args)]
pub(super) struct BenchArguments {
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
}

#[derive(Debug, Args)]
pub(super) struct PerftArguments {
    /// Plies to look ahead
    #[arg(value_parser = clap::value_parser!(u32).range(..=20))]
    pub depth: u32,
    /// The position as a FEN. Without it, the initial position is used
    #[arg(long)]
    pub fen: Option<String>,
    /// Print castling as the king taking its rook
    #[arg(long)]
    pub chess960: bool,
    /// Number of threads. Without it, the preset's number or one
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Print the count of each first move
    #[arg(long)]
    pub divide: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Without --movetime, --nodes and --depth, the search takes five seconds.")]
pub(super) struct SearchArguments {
    /// The position as a FEN, quoted or not. Without it, a well-known middle game is searched
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Number of threads. Without it, the preset's number or the number of cores
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Size of the hash table in MiB. Without it, the preset's size or 64
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub hash: Option<usize>,
    /// Show this many best lines
    #[arg(long, value_name = "N", value_parser = within(MULTI_PV))]
    pub multipv: Option<usize>,
}

#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// The position as a FEN, quoted or not. Without it, the starting position is evaluated
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    /// Network file to use in place of the embedded network
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct CompareArguments {
    /// The position as a FEN, quoted or not. Without it, a well-known middle game is searched
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    /// Depth of each search in plies
    #[arg(long, value_name = "PLIES", default_value = "4", value_parser = clap::value_parser!(i32).range(1..=60))]
    pub depth: i32,
    /// Stop each search after this many nodes, and mark such a search
    #[arg(long, value_name = "N", default_value = "10000000", value_parser = number::from(1u64))]
    pub nodes: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "Without --movetime, --nodes and --depth, the search of a position takes one second.")]
pub(super) struct SuiteArguments {
    /// The positions, one a line, with bm, am, dm or c8 and c9 operations
    #[arg(value_name = "FILE.epd")]
    pub file: PathBuf,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Number of threads of each search. Without it, the preset's number or one
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Number of positions searched at the same time. Without it, as many as keep all cores busy
    #[arg(long, value_name = "N", value_parser = within(JOBS))]
    pub jobs: Option<usize>,
    /// Size of each search's hash table in MiB. Without it, the preset's size or 64
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub hash: Option<usize>,
    /// Print the results as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct SpeedtestArguments {
    /// Numbers of threads, as in 1,2,4. Without it, the powers of two up to the number of cores, and that number
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = within(THREADS))]
    pub threads: Vec<usize>,
    /// Size of the hash table in MiB. Without it, the preset's size or 64
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub hash: Option<usize>,
    /// Seconds of searching for each number of threads, shared by 40 positions
    #[arg(long, value_name = "S", default_value = "20", value_parser = seconds)]
    pub seconds: Duration,
    /// Draw the ratios into an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Print the results as JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum DataVerb {
    /// Count games, positions, results, pieces, scores and lengths
    Info(InfoArguments),
    /// Read every game; damage makes the exit code 1
    Verify(ShardArguments),
    /// Write positions as lines of text: FEN | White's score in centipawns | White's result
    Export(ExportArguments),
    /// Fit the chances of win and draw to the scores and results
    Wdl(WdlArguments),
    /// Compare networks: how well each predicts the scores and results
    Loss(LossArguments),
}

#[derive(Debug, Args)]
pub(super) struct ShardArguments {
    /// Directories of games, or single files, as `datagen` writes them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct InfoArguments {
    #[command(flatten)]
    pub shards: ShardArguments,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct WdlArguments {
    #[command(flatten)]
    pub shards: ShardArguments,
    /// Draw results and model into an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct LossArguments {
    #[command(flatten)]
    pub shards: ShardArguments,
    /// Network files to compare with the first one
    #[arg(long, required = true, num_args = 1.., value_name = "NETWORK")]
    pub networks: Vec<PathBuf>,
    /// Configuration of a training. Only its tables "filter" and "target" are used. Without it, the defaults of
    /// configs/train-128.toml
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// Directories of games, or single files, as `datagen` writes them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// File or pipe for the lines; without it, standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write at most this many lines
    #[arg(long, value_name = "N", value_parser = number::from(0u64))]
    pub limit: Option<u64>,
    /// Write only positions that training uses by default; the table "filter" of configs/train-128.toml names them
    #[arg(long)]
    pub filtered: bool,
}

impl Arguments {
    /// Reads the arguments, the first of which is the program's name.
    ///
    /// # Errors
    /// If the arguments are wrong, or if they ask for help or for the version.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
        let matches = with_negative_numbers(Arguments::command()).try_get_matches_from(arguments)?;
        Arguments::from_arg_matches(&matches)
    }
}

/// Makes options accept `-5` as their value, so that each option's own parser refuses it with its own message. By
/// default clap takes `-5` for an unknown option and advises to write `-- -5`. That would then be read as a part of a
/// FEN.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| {
            let takes_value = argument.get_action().takes_values();
            argument.allow_negative_numbers(takes_value)
        })
        .mut_subcommands(with_negative_numbers)
}

/// Parses the duration of a measurement, from 0.1 seconds to a day.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) if (0.1..=86_400.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a number of seconds from 0.1 to 86400 is needed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        with_negative_numbers(Arguments::command()).debug_assert();
    }

    #[test]
    fn numbers_are_checked_against_their_range() {
        let parse = |line: &str| Arguments::try_parse_from(line.split(' '));
        assert!(parse("enfilade bench --threads 4").is_ok());
        assert!(parse("enfilade bench --threads 0").is_err());
        assert!(parse("enfilade search --multipv 257").is_err());
        assert!(parse("enfilade perft 21").is_err());
        assert!(parse("enfilade suite a.epd --nodes 0").is_err());
        assert!(parse("enfilade speedtest --threads 1,2,64 --seconds 0.5").is_ok());
        for wrong in
            ["--threads 1,0", "--threads 2000", "--threads 1;2", "--seconds 0", "--seconds NaN", "--hash 0"]
        {
            assert!(parse(&format!("enfilade speedtest {wrong}")).is_err(), "{wrong}");
        }
        assert!(parse("enfilade tune-threads --threads 2 --out a.toml").is_ok());
        assert!(parse("enfilade tune-threads --threads 1 --out a.toml").is_err());
        assert!(parse("enfilade tune-threads --threads 2").is_err());
    }

    /// clap did not take `--nodes -5` for a number. It advised to write `--nodes -- -5`, which was read as a FEN.
    #[test]
    fn a_negative_number_is_a_number_that_is_not_in_range() {
        for (line, reason) in [
            ("search --nodes -5", "a whole number from 1 is needed"),
            ("search --movetime -5", "a whole number from 0 is needed"),
            ("suite a.epd --depth -5", "a whole number from 1 is needed"),
            ("datagen --out a --games 1 --seed -5", "a whole number from 0 is needed"),
            ("bench --hash -5", "Hash must lie between 1 and"),
            ("perft -5", "-5 is not in 0..=20"),
            ("data export a --limit -5", "a whole number from 0 is needed"),
        ] {
            let words = format!("enfilade {line}");
            let error = Arguments::read(words.split(' ').map(OsString::from)).unwrap_err().to_string();
            assert!(error.contains("invalid value '-5'") && error.contains(reason), "{error}");
            assert!(!error.contains("tip:"), "{error}");
        }
    }

    #[test]
    fn a_fen_needs_no_quotes() {
        let line = "enfilade search 4k3/8/8/8/8/8/8/4K2R w K - 0 1 --depth 3";
        let arguments = Arguments::read(line.split(' ').map(OsString::from)).unwrap();
        let Some(Verb::Search(search)) = arguments.verb else {
            panic!("not a search");
        };
        assert_eq!(search.fen.join(" "), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert_eq!(search.limits.depth, Some(3));
    }
}
