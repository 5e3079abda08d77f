//! The list of the commands, and the help of the whole program.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgMatches, CommandFactory, Parser};

use super::version;
use crate::engine::command::arguments::PresetArguments;
use crate::engine::command::entry::{CommandEntry, CommandGroup, Invocation, invocation};
use crate::engine::command::line::{LineArguments, begins_with_command};
use crate::engine::command::uci::UciArguments;

/// The commands of all wings in the order of the help: by their groups. Of two commands with the same name the first
/// counts: the fleet's `analyse` and `datagen` can use a queue.
fn commands() -> Vec<&'static CommandEntry> {
    let lists = [
        &[crate::engine::COMMANDS][..],
        #[cfg(feature = "analysis")]
        crate::service::COMMANDS,
        #[cfg(feature = "laboratory")]
        &[crate::lab::COMMANDS],
        #[cfg(feature = "completions")]
        &[PROGRAM],
    ];
    let mut names = HashSet::new();
    let lists = lists.into_iter().flatten().copied();
    let commands: Vec<_> = lists.flatten().filter(|entry| names.insert(entry.name)).collect();
    let of = |group| commands.iter().copied().filter(move |entry| entry.group == group);
    CommandGroup::ALL.into_iter().flat_map(of).collect()
}

/// The commands that show the definition of all commands.
#[cfg(feature = "completions")]
const PROGRAM: &[CommandEntry] = {
    use clap::{Args, FromArgMatches};

    use super::shell::{CompletionsArguments, ManualArguments};

    &[
        CommandEntry {
            group: CommandGroup::Program,
            name: "completions",
            define: CompletionsArguments::augment_args,
            read: |matches, _| {
                let typed = CompletionsArguments::from_arg_matches(matches)?;
                Ok(Box::new(move || typed.run(definition())))
            },
        },
        CommandEntry {
            group: CommandGroup::Program,
            name: "manual",
            define: ManualArguments::augment_args,
            read: |matches, _| {
                let typed = ManualArguments::from_arg_matches(matches)?;
                Ok(Box::new(move || typed.run(definition())))
            },
        },
    ]
};

/// The line of the examples about games; empty without the command.
const ANALYSIS_EXAMPLE: &str = if cfg!(feature = "analysis") {
    "
  enfilade analyse games.pgn --out new.pgn   evaluate and judge the moves of whole games"
} else {
    ""
};

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
  enfilade --config laptop                   start with the settings of a preset

Status at the end: 0 success, 1 failure, 2 wrong arguments, 130 interrupted by Ctrl-C"
    )
}

/// A chess engine for machines with many cores.
///
/// Without a subcommand it speaks UCI on standard input and output: give the binary to a chess program (a GUI such as
/// En Croissant, Cutechess or Arena) as an engine. The words of any UCI command may also be given as arguments.
#[derive(Debug, Parser)]
#[command(name = "enfilade", version, long_version = version::long(), after_help = examples())]
struct Arguments {
    #[command(flatten)]
    preset: PresetArguments,
}

/// Reads the arguments, the first of which is the program's name.
///
/// # Errors
/// If the arguments are wrong, or if they ask for help or for the version.
pub(super) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Invocation, clap::Error> {
    let typed: Vec<OsString> = arguments.into_iter().collect();
    // A parser for words that begin with no command makes clap accept them.
    let with_words = definition().external_subcommand_value_parser(clap::value_parser!(String));
    let matches = with_words.try_get_matches_from(&typed)?;
    let config = config(&matches);
    let Some((name, found)) = matches.subcommand() else {
        return Ok(invocation(UciArguments {}, config));
    };
    if let Some(entry) = commands().into_iter().find(|entry| entry.name == name) {
        return (entry.read)(found, config);
    }
    if !begins_with_command(name) {
        // Without room for words of UCI, clap refuses the word and suggests a similar command.
        definition().try_get_matches_from(typed)?;
    }
    Ok(invocation(LineArguments(words(name, found)), config))
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

/// The program for clap, with all its commands.
pub(super) fn definition() -> clap::Command {
    let program = Arguments::command();
    let commands = commands().into_iter().map(|entry| (entry.define)(clap::Command::new(entry.name)));
    let program = with_negative_numbers(program.subcommands(commands));
    let list = grouped_list(&program);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{list}\n{heading}Options:{heading:#}\n{{options}}{{after-help}}",
        heading = program.get_styles().get_header(),
    );
    program.help_template(template)
}

/// The commands for the help of the program, below the headings of their groups. clap itself knows no groups.
fn grouped_list(program: &clap::Command) -> String {
    let whole = program.clone().help_template("{subcommands}").render_help().ansi().to_string();
    let heading = program.get_styles().get_header();
    let groups: Vec<CommandGroup> = commands().iter().map(|entry| entry.group).collect();
    // The last command is clap's `help`.
    let mut groups = groups.into_iter().chain([CommandGroup::Program]);
    let mut text = String::new();
    let mut open = None;
    for line in whole.lines() {
        // A command has two blanks before its name. Further lines of its description have more.
        if line.starts_with("  ") && !line.starts_with("   ") {
            let group = groups.next();
            if group != open {
                let name = group.map_or("", CommandGroup::heading);
                text.push_str(&format!("\n{heading}{name}:{heading:#}\n"));
                open = group;
            }
        }
        text.push_str(line);
        text.push('\n');
    }
    text
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
        assert_eq!(texts.collect::<BTreeSet<_>>().len(), commands().len());
    }

    /// The list was one of 22 commands, in which a player had to look for the four that matter.
    #[test]
    fn the_help_has_each_command_below_the_heading_of_its_group() {
        let help = definition().render_help().to_string();
        let place = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text} in {help}"));
        let mut last = 0;
        for entry in commands() {
            let heading = place(&format!("\n{}:\n", entry.group.heading()));
            let command = place(&format!("\n  {} ", entry.name));
            assert!(heading < command && last < command, "{} in {help}", entry.name);
            last = command;
        }
        assert!(place("\n  help ") > place("\nThis program:\n"), "{help}");
    }

    #[cfg(feature = "completions")]
    #[test]
    fn every_shell_gets_the_commands_and_their_options() {
        use clap_complete::Shell;

        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut definition(), "enfilade", &mut text);
            let text = String::from_utf8(text).unwrap();
            for word in ["search", "perft", "presets", "movetime"] {
                assert!(text.contains(word), "{word} for {shell}");
            }
        }
    }

    #[cfg(feature = "completions")]
    #[test]
    fn there_is_a_page_of_the_manual_for_each_command() {
        use crate::program::shell::ManualArguments;

        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("man1");
        ManualArguments { folder: folder.clone() }.run(definition()).unwrap();
        let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(page("enfilade.1").contains("search"), "{}", page("enfilade.1"));
        assert!(page("enfilade-search.1").contains("movetime"));
        if cfg!(feature = "laboratory") {
            assert!(page("enfilade-data-info.1").contains("json"));
        }
        for command in commands() {
            page(&format!("enfilade-{}.1", command.name));
        }
    }

    #[test]
    fn a_mistyped_command_gets_a_suggestion() {
        for (typed, meant) in
            [("serch", "search"), ("analize a.pgn", "analyze"), ("--config laptop sarve", "serve")]
        {
            if definition().find_subcommand(meant).is_none() {
                continue;
            }
            let error = refusal(&format!("enfilade {typed}")).unwrap();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(&format!("'{meant}'")), "{error}");
        }
        assert!(refusal("enfilade go depth 3").is_none());
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
            ("perft -5", "a whole number from 0 to 20 is needed"),
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
