//! The command line: failures that were reported as successes, and searches of the wrong position.

use std::fs;

use crate::cli::SUITE;
use crate::data::games;
use crate::program::{run, stderr, stdout, text};

/// The number was raised, as the note said, and then the line was refused.
#[test]
fn a_number_that_is_raised_is_not_refused() {
    let text = stdout(&["go", "nodes", "0"]);
    assert!(text.contains("\"0\" taken as 1") && text.contains("\nbestmove "), "{text}");
}

/// Other arguments of the wrong form have this status too.
#[cfg(feature = "fleet")]
#[test]
fn a_malformed_address_of_a_queue_is_a_wrong_argument() {
    for arguments in [&["queue", "status"][..], &["worker"], &["analyse", "a.pgn", "--json"]] {
        let error = stderr(&[arguments, &["--queue", "foo"]].concat(), 2);
        assert!(error.contains("--queue: ") && error.contains("redis://host:6379/0"), "{error}");
    }
}

/// After a refused position the program once searched the starting position and reported success.
#[test]
fn a_refused_line_ends_the_run_with_an_error() {
    let refused = |arguments: &[&str], reason: &str| {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(text.contains(&format!("info string {reason}")) && !text.contains("bestmove"), "{text}");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(error.contains(" was refused") && error.lines().count() == 1, "{error}");
    };
    refused(&["position", "fen", "garbage", "go", "depth", "1"], "position: ");
    refused(&["position startpos moves e2e5", "go depth 1"], "position: move 1: ");
    refused(&["setoption name Hash value 0", "go depth 1"], "setoption: Hash must lie between 1 and ");
    refused(&["setoption name EvalFile value no-such-file", "go depth 1"], "setoption: EvalFile: cannot ");
    refused(&["setoption name LoadHashfromFile", "go depth 1"], "LoadHashfromFile: set HashFile first");
    refused(&["go perft x", "go depth 1"], "go perft: expected ");
    refused(&["go", "dephth", "1"], "go: ");
    refused(&["go depth 1 searchmoves e2e5"], "go: ");
}

/// While a table was cleared by several threads, the suite's thread once began another position, for which it had no
/// engine.
#[test]
fn a_suite_is_solved_with_several_threads_and_a_larger_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suite.epd");
    fs::write(&path, SUITE).unwrap();
    let arguments = ["--depth", "3", "--hash", "8", "--jobs", "1", "--threads", "2"];
    let text = stdout(&[&["suite", path.to_str().unwrap()], &arguments[..]].concat());
    assert!(text.contains("100/100"), "{text}");
}

/// The command once reported success although it had counted nothing.
#[test]
fn files_of_another_format_are_a_failure() {
    let (directory, shard) = games();
    let foreign = directory.path().join("letter.txt");
    fs::write(&foreign, b"this is a text about chess and not a file of games at all").unwrap();
    for verb in ["info", "export"] {
        // The results of the other files are still printed.
        let output = run(&["data", verb, text(&foreign), text(&shard)]);
        assert_eq!(output.status.code(), Some(1), "{verb}");
        assert!(output.stdout.len() > 100, "{verb}");
        let error = String::from_utf8(output.stderr).unwrap();
        let said = format!(
            "enfilade: {}: this is not a file of games in the format of datagen\n",
            foreign.display()
        );
        assert!(error.ends_with(&said), "{error}");
    }
    assert!(stderr(&["data", "wdl", text(&foreign)], 1).contains("letter.txt"));
    fs::write(&foreign, "").unwrap();
    assert!(stdout(&["data", "info", text(&foreign)]).contains("Games                   0\n"));
}

/// The error was once noticed only after the games had been read.
#[test]
fn a_plot_that_cannot_be_written_is_refused_at_once() {
    let error = stderr(&["data", "wdl", "does-not-exist", "--plot", "no-such-folder/a.svg"], 1);
    assert!(error.contains("cannot write no-such-folder"), "{error}");
}

/// Its messages said that the word was ignored, and then that the line was refused.
#[test]
fn a_refused_word_of_go_is_not_said_to_be_ignored() {
    let output = run(&["go", "infinte"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("go: unknown word \"infinte\"") && !text.contains("ignored"), "{text}");
}
