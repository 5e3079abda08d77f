//! The list of the commands, and the help of the whole program.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgMatches, CommandFactory, Parser};

use crate::engine;
use crate::engine::command::arguments::PresetArguments;
use crate::engine::command::entry::{CommandEntry, Invocation, invocation};
use crate::engine::command::line::LineArguments;
use crate::engine::command::uci::UciArguments;
#[cfg(feature = "laboratory")]
use crate::lab;
#[cfg(feature = "analysis")]
use crate::service;

/// The commands of all wings in the order of the help. Of two commands with the same name the first counts: the fleet's
/// `datagen` can use a queue, the laboratory's cannot.
fn commands() -> impl Iterator<Item = &'static CommandEntry> {
    let wings = [
        engine::COMMANDS,
        #[cfg(feature = "analysis")]
        service::COMMANDS,
        #[cfg(feature = "laboratory")]
        lab::COMMANDS,
    ];
    let mut names = HashSet::new();
    wings.into_iter().flatten().filter(move |entry| names.insert(entry.name))
}

/// The line of the examples about games; empty without the command.
#[cfg(feature = "analysis")]
const ANALYSIS_EXAMPLE: &str = "
  enfilade analyse games.pgn --out new.pgn   evaluate and judge the moves of whole games";
#[cfg(not(feature = "analysis"))]
const ANALYSIS_EXAMPLE: &str = "";

fn examples() -> String {
    format!(
        "\
Examples:
  enfilade                                   speak UCI: what a chess program expects
  enfilade search                            think about a position and show how
  enfilade search --movetime 10000 \"FEN\"     ten seconds on a position of your own
  enfilade bench                             node count and speed on fixed positions
  enfilade compare --depth 5                 what each kind of search finds, and its cost
  enfilade suite wac.epd --movetime 1000     solve a file of test positions{ANALYSIS_EXAMPLE}
  enfilade go depth 10                       any UCI command, without a dialogue
  enfilade position startpos moves e2e4 go nodes 100000
  enfilade --config configs/laptop.toml      start with the settings of a file"
    )
}

/// A chess engine for machines with many cores.
///
/// Without a subcommand it speaks UCI on standard input and output: give the binary to a chess program (a GUI such as
/// En Croissant, Cutechess or Arena) as an engine. The words of any UCI command may also be given as arguments.
#[derive(Debug, Parser)]
#[command(name = "enfilade", version, after_help = examples())]
struct Arguments {
    #[command(flatten)]
    preset: PresetArguments,
}

/// Reads the arguments, the first of which is the program's name.
///
/// # Errors
/// If the arguments are wrong, or if they ask for help or for the version.
pub(super) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Invocation, clap::Error> {
    let matches = definition().try_get_matches_from(arguments)?;
    let config = config(&matches);
    let Some((name, typed)) = matches.subcommand() else {
        return Ok(invocation(UciArguments {}, config));
    };
    match commands().find(|entry| entry.name == name) {
        Some(entry) => (entry.read)(typed, config),
        None => Ok(invocation(LineArguments(words(name, typed)), config)),
    }
}

/// The file of `--config`.
fn config(matches: &ArgMatches) -> Option<PathBuf> {
    matches.get_one("config").cloned()
}

/// All words of a line that begins with no command of the list.
fn words(first: &str, others: &ArgMatches) -> Vec<String> {
    let others = others.get_many::<String>("").into_iter().flatten();
    [first.to_owned()].into_iter().chain(others.cloned()).collect()
}

/// The program for clap: the commands, and words that begin with no command.
fn definition() -> clap::Command {
    let program = Arguments::command()
        .allow_external_subcommands(true)
        .external_subcommand_value_parser(clap::value_parser!(String));
    let commands = commands().map(|entry| (entry.define)(clap::Command::new(entry.name)));
    with_negative_numbers(program.subcommands(commands))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn refusal(line: &str) -> Option<clap::Error> {
        read(line.split(' ').map(OsString::from)).err()
    }

    #[test]
    fn the_definition_is_consistent() {
        definition().debug_assert();
    }

    #[cfg(feature = "analysis")]
    #[test]
    fn both_spellings_of_analyse_name_the_command() {
        for name in ["analyse", "analyze"] {
            let typed = ["enfilade", name, "a.pgn", "--out", "b.pgn"];
            let matches = definition().try_get_matches_from(typed).unwrap();
            assert_eq!(matches.subcommand_name(), Some("analyse"));
        }
    }

    /// A doc comment on flattened arguments would become the help of each command that has them.
    #[test]
    fn each_command_has_its_own_help() {
        let program = definition();
        let texts = program.get_subcommands().map(|command| command.get_about().unwrap().to_string());
        assert_eq!(texts.collect::<BTreeSet<_>>().len(), commands().count());
    }

    #[test]
    fn numbers_are_checked_against_their_range() {
        let is_accepted = |line: &str| refusal(line).is_none();
        assert!(is_accepted("enfilade bench --threads 4"));
        assert!(!is_accepted("enfilade bench --threads 0"));
        assert!(!is_accepted("enfilade search --multipv 257"));
        assert!(!is_accepted("enfilade perft 21"));
    }

    #[cfg(feature = "laboratory")]
    #[test]
    fn numbers_of_the_laboratory_are_checked_against_their_range() {
        let is_accepted = |line: &str| refusal(line).is_none();
        assert!(!is_accepted("enfilade suite a.epd --nodes 0"));
        assert!(is_accepted("enfilade speedtest --threads 1,2,64 --seconds 0.5"));
        for wrong in
            ["--threads 1,0", "--threads 2000", "--threads 1;2", "--seconds 0", "--seconds NaN", "--hash 0"]
        {
            assert!(!is_accepted(&format!("enfilade speedtest {wrong}")), "{wrong}");
        }
        assert!(is_accepted("enfilade tune-threads --threads 2 --out a.toml"));
        assert!(!is_accepted("enfilade tune-threads --threads 1 --out a.toml"));
        assert!(!is_accepted("enfilade tune-threads --threads 2"));
    }

    /// clap did not take `--nodes -5` for a number. It advised to write `--nodes -- -5`, which was read as a FEN.
    #[test]
    fn a_negative_number_is_out_of_range() {
        let engine = [
            ("search --nodes -5", "a whole number from 1 is needed"),
            ("search --movetime -5", "a whole number from 0 is needed"),
            ("bench --hash -5", "Hash must lie between 1 and"),
            ("perft -5", "-5 is not in 0..=20"),
        ];
        let laboratory = [
            ("suite a.epd --depth -5", "a whole number from 1 is needed"),
            ("datagen --out a --games 1 --seed -5", "a whole number from 0 is needed"),
            ("data export a --limit -5", "a whole number from 0 is needed"),
        ];
        let further = if cfg!(feature = "laboratory") { &laboratory[..] } else { &[] };
        for (line, reason) in engine.iter().chain(further) {
            let error = refusal(&format!("enfilade {line}")).unwrap().to_string();
            assert!(error.contains("invalid value '-5'") && error.contains(reason), "{error}");
            assert!(!error.contains("tip:"), "{error}");
        }
    }
}
