//! UCI commands as arguments: carries them out, waits for each search, and ends.

use std::sync::Arc;

use crate::base::console;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::config::Setup;
use crate::engine::uci::Session;
use crate::engine::uci::command::is_command;
use crate::engine::uci::output::Output;

/// UCI commands as arguments.
#[derive(Debug)]
pub(crate) struct LineArguments(pub Vec<String>);

/// The lines, and the settings with which they begin.
#[derive(Debug)]
pub(crate) struct LineTask {
    setup: Setup,
    lines: Vec<String>,
}

impl CommandArguments for LineArguments {
    type Task = LineTask;

    fn resolve(self, setup: Setup) -> Result<LineTask, CliError> {
        Ok(LineTask { setup, lines: lines(&self.0)? })
    }

    /// Carries out the lines up to the first refused one. Waits for the end of each search before the next line.
    fn run(LineTask { setup, lines }: LineTask) -> Result<(), CliError> {
        // If nobody reads the output any more, a search ends early, unless a later line uses what it found.
        let stdout = if is_for_listeners(&lines) { console::stdout().telling() } else { console::stdout() };
        let mut session = Session::new(setup, Arc::new(Output::new(stdout)))?.strict();
        for line in &lines {
            if session.line(line).is_break() {
                break;
            }
            session.wait();
            if session.has_refused() {
                return Err(CliError::Refused(first_word(line).to_owned()));
            }
        }
        Ok(())
    }
}

/// Turns the arguments into lines of UCI. All arguments together are one command, as with Stockfish, except that a `go`
/// after a `position` begins another command. If an argument with several words begins with a command, each argument is
/// a line of its own: `enfilade "setoption name Threads value 4" "go depth 20"`.
fn lines(words: &[String]) -> Result<Vec<String>, CliError> {
    let lines =
        if words.iter().any(|word| word.trim().contains(char::is_whitespace) && begins_with_command(word)) {
            words.to_vec()
        } else if words.first().is_some_and(|word| word == "position")
            && let Some(at) = words.iter().position(|word| word == "go")
        {
            vec![words[..at].join(" "), words[at..].join(" ")]
        } else {
            vec![words.join(" ")]
        };
    match lines.iter().find(|line| !begins_with_command(line)) {
        Some(line) => {
            let word = first_word(line);
            Err(CliError::Usage(format!(
                "\"{word}\" is no command of UCI; \"enfilade help\" lists what there is"
            )))
        }
        None => Ok(lines),
    }
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or("")
}

/// Whether a line begins with a command of UCI.
pub(crate) fn begins_with_command(line: &str) -> bool {
    is_command(first_word(line))
}

/// Whether the results of searches only go to standard output. That is so if nothing but `quit` follows the first
/// search.
fn is_for_listeners(lines: &[String]) -> bool {
    let after = lines.iter().skip_while(|line| first_word(line) != "go").skip(1);
    after.map(|line| first_word(line)).all(|word| ["quit", "exit"].contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(words: &[&str]) -> Vec<String> {
        lines(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn words_without_spaces_are_one_command() {
        assert_eq!(lines_of(&["go", "depth", "10"]), ["go depth 10"]);
        assert_eq!(lines_of(&["eval"]), ["eval"]);
    }

    #[test]
    fn a_go_may_follow_a_position() {
        assert_eq!(
            lines_of(&["position", "startpos", "moves", "e2e4", "go", "depth", "5"]),
            ["position startpos moves e2e4", "go depth 5"]
        );
        assert_eq!(
            lines_of(&["position", "fen", "8/8/8/8/8/8/8/k1K5 w - - 0 1", "go", "depth", "5"]),
            ["position fen 8/8/8/8/8/8/8/k1K5 w - - 0 1", "go depth 5"]
        );
    }

    #[test]
    fn quoted_commands_are_lines() {
        assert_eq!(
            lines_of(&["position startpos", "d", "go depth 3"]),
            ["position startpos", "d", "go depth 3"]
        );
    }

    #[test]
    fn an_unknown_word_is_an_error() {
        assert!(matches!(lines(&["serch".to_owned()]), Err(CliError::Usage(_))));
        assert!(lines(&["go depth 3".to_owned(), "nonsense".to_owned()]).is_err());
    }
}
