//! Tests of the command lines in the documents for users, in the presets and in the help: the program must know each of
//! them. Nothing is carried out here; `tests/integration/readme.rs` does that for README.md.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use super::args::{definition, read};
use crate::engine::config::BuiltInPreset;

/// What stands for something else in a command line. A word in capitals is a placeholder for the user.
const PLACEHOLDERS: [(&str, &str); 4] =
    [("COMMAND", "search"), ("NAME", "laptop"), ("URL", "redis://127.0.0.1:6379/0"), ("SHELL", "bash")];
/// Options in the documents that belong to other programs: fastchess and `scripts/cores`.
const OPTIONS_OF_OTHERS: [&str; 4] = ["--compliance", "--match", "--minutes", "--tc"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The documents for users.
fn documents() -> Vec<(PathBuf, String)> {
    let pages = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let single = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    single.into_iter().chain(pages).map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// The lines of a Markdown text in fences, or indented like code, and the rest of the text.
fn code_and_prose(text: &str) -> (Vec<&str>, String) {
    let (mut code, mut prose, mut is_fenced) = (Vec::new(), String::new(), false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if is_fenced || line.starts_with("    ") {
            code.push(line.trim());
        } else {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    (code, prose)
}

/// The pieces of inline code in a text. Each may go on in the next line.
fn inline_code(prose: &str) -> impl Iterator<Item = String> + '_ {
    let words = |code: &str| code.split_whitespace().collect::<Vec<_>>().join(" ");
    prose.split('`').skip(1).step_by(2).map(words)
}

/// The commands of this program in a line for a shell, as words. A comment, or an explanation behind several blanks,
/// ends the line.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut rest = line.trim();
    while !rest.is_empty() && !rest.starts_with(['#', ' ']) {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').expect("a quotation mark at the end"),
            None => rest.split_at(rest.find(' ').unwrap_or(rest.len())),
        };
        // The shell's own signs are never quoted.
        if rest.starts_with('"') || !["|", "&&", "<", ">", ">>"].contains(&word) {
            commands.last_mut().expect("a command").push(word.to_owned());
        } else {
            // What stands behind `<` or `>` looks like a command of another program, and is left out like one.
            commands.push(Vec::new());
        }
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    commands.retain(|words| words.first().is_some_and(|word| word == "enfilade"));
    commands
}

/// Whether a word shows that the line goes on in the reader's mind.
fn is_ellipsis(word: &str) -> bool {
    word == "..."
}

/// Why the program does not know the command; `None` if it does. A `mention` in prose may lack arguments.
fn fault(words: &[String], is_mention: bool) -> Option<String> {
    let named = |word: &String| {
        let meant = PLACEHOLDERS.iter().find(|(name, _)| word == name);
        meant.map_or(word.clone(), |(_, value)| (*value).to_owned())
    };
    let words: Vec<String> = words.iter().filter(|word| !is_ellipsis(word)).map(named).collect();
    let preset = words.iter().skip_while(|word| *word != "--config").nth(1);
    if preset.is_some_and(|name| !name.ends_with(".toml") && BuiltInPreset::find(name).is_none()) {
        return Some(format!("there is no preset {preset:?}"));
    }
    let error = read(words.into_iter().map(Into::into)).err().filter(|error| error.exit_code() != 0)?;
    let lacks_arguments = matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) || error.to_string().contains("a value is required for");
    (!is_mention || !lacks_arguments).then(|| error.to_string())
}

/// Checks each command in the lines, and returns their number.
#[track_caller]
fn check<'a>(place: &str, lines: impl IntoIterator<Item = &'a str>, is_mention: bool) -> usize {
    let found: Vec<Vec<String>> = lines.into_iter().flat_map(commands).collect();
    for words in &found {
        assert_eq!(fault(words, is_mention), None, "{place}: {}", words.join(" "));
    }
    found.len()
}

#[test]
fn documents_have_commands_that_the_program_knows() {
    let mut seen = [0; 2];
    for (path, text) in documents() {
        let place = path.display().to_string();
        let (code, prose) = code_and_prose(&text);
        let mentions: Vec<String> = inline_code(&prose).collect();
        let counts = [check(&place, code, false), check(&place, mentions.iter().map(String::as_str), true)];
        if path.ends_with("README.md") {
            assert!(counts[0] >= 10 && counts[1] >= 5, "{counts:?} in README.md");
        }
        seen = [seen[0] + counts[0], seen[1] + counts[1]];
    }
    assert!(seen[0] >= 24 && seen[1] >= 50, "{seen:?}");
}

#[test]
fn presets_and_units_have_commands_that_the_program_knows() {
    let mut seen = 0;
    for entry in fs::read_dir(root().join("configs")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().map(|line| line.trim_start_matches(['#', ' ']));
        let lines = lines.map(|line| line.strip_prefix("ExecStart=/usr/local/bin/").unwrap_or(line));
        let lines = lines.filter(|line| line.starts_with("enfilade "));
        seen += check(&path.display().to_string(), lines, false);
    }
    assert!(seen >= 8, "{seen}");
}

/// The Python example of README.md starts the program by a list of words.
#[test]
fn the_python_example_starts_the_program() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let call = text.split_once("popen_uci(").expect("the example").1;
    let words: Vec<String> = serde_json::from_str(call.split_once(')').unwrap().0).unwrap();
    assert_eq!(words[0], "enfilade");
    assert_eq!(fault(&words, false), None, "{words:?}");
}

#[test]
fn the_help_has_commands_that_the_program_knows() {
    fn visit(command: &mut clap::Command, seen: &mut usize) {
        let help = command.render_long_help().to_string();
        *seen += check(command.get_name(), help.lines().map(str::trim), false);
        command.get_subcommands_mut().for_each(|inner| visit(inner, seen));
    }
    let mut seen = 0;
    visit(&mut definition(), &mut seen);
    assert!(seen >= 15, "{seen}");
}

/// All options of the program and its commands.
fn options(command: &clap::Command) -> Vec<String> {
    let own = command.get_arguments().filter_map(|argument| argument.get_long());
    let own = own.map(|name| format!("--{name}"));
    own.chain(command.get_subcommands().flat_map(options)).collect()
}

#[test]
fn documents_name_options_that_exist() {
    let mut program = definition();
    program.build();
    let known = options(&program);
    let mut seen = 0;
    for (path, text) in documents() {
        for code in inline_code(&code_and_prose(&text).1) {
            let name = code.split([' ', '=']).next().unwrap_or_default();
            // Two hyphens alone are a null move in PGN.
            if !name.starts_with("--") || name == "--" {
                continue;
            }
            let is_known = known.iter().any(|known| known == name) || OPTIONS_OF_OTHERS.contains(&name);
            assert!(is_known, "{}: there is no option {name}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 100, "{seen}");
}

/// docs/commands.md lists the commands that report.
#[test]
fn the_list_of_reporting_commands_is_complete() {
    fn reporting(command: &clap::Command, names: &str) -> Vec<String> {
        let has_json = command.get_arguments().any(|argument| argument.get_long() == Some("json"));
        let inner = command.get_subcommands().flat_map(|inner| {
            let names = format!("{names} {}", inner.get_name());
            reporting(inner, names.trim_start())
        });
        has_json.then(|| names.to_owned()).into_iter().chain(inner).collect()
    }
    let text = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    let list = text.split_once("Commands that report have `--json`:").expect("the list").1;
    let mut listed: Vec<String> = inline_code(list.split_once('.').unwrap().0).collect();
    let mut known = reporting(&definition(), "");
    listed.sort();
    known.sort();
    assert_eq!(listed, known);
}

#[test]
fn the_checks_find_what_they_look_for() {
    let of = |line: &str| commands(line).concat().join(" ");
    assert_eq!(of("enfilade search    # a comment"), "enfilade search");
    assert_eq!(of("enfilade eval \"8/8 w - -\" # a comment"), "enfilade eval 8/8 w - -");
    assert_eq!(of("enfilade go depth 10   any command"), "enfilade go depth 10");
    assert_eq!(of("cat a | enfilade uci > b && ls"), "enfilade uci");
    assert!(of("docker run -i enfilade uci").is_empty() && of("# enfilade").is_empty());
    let refused = |line: &str| fault(&commands(line)[0], false).is_some();
    let mention = |line: &str| fault(&commands(line)[0], true).is_some();
    for wrong in ["serch", "search --dept 3", "perft x", "--config no-such", "serve --listen foo"] {
        let line = format!("enfilade {wrong}");
        assert!(refused(&line) && mention(&line), "{wrong}");
    }
    assert!(refused("enfilade analyse") && !mention("enfilade analyse"));
    assert!(!refused("enfilade help COMMAND") && !refused("enfilade --version"));
    let (code, prose) = code_and_prose("a `b\nc` d\n```sh\ne\n```\n    f\n");
    assert_eq!((code, inline_code(&prose).collect::<Vec<_>>()), (vec!["e", "f"], vec!["b c".to_owned()]));
}
