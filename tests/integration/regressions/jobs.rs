//! Tests of long jobs with the real binary: `datagen`, `tune` and `screen`. They test jobs that cannot begin, and the
//! progress messages.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::program::{run, stderr, text};

/// The stacks of threads are larger than any address space. So the system refuses every thread except the first.
fn run_without_threads(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_enfilade"));
    command.args(arguments).env("RUST_MIN_STACK", (1u64 << 60).to_string()).output().expect("the binary runs")
}

fn count(directory: &Path) -> usize {
    fs::read_dir(directory).map_or(0, Iterator::count)
}

/// The jobs panicked, and `datagen` left empty shards.
#[test]
fn threads_refused_by_the_system_are_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let [games, tuning, screening] = ["games", "tuning", "a.csv"].map(|name| directory.path().join(name));
    for (job, out) in [
        (&["datagen", "--games", "9"][..], &games),
        (&["tune", "--only", "razor_base", "--pairs", "9"], &tuning),
        (&["screen", "iir_depth=5", "--pairs", "9"], &screening),
    ] {
        let arguments = [job, &["--threads", "3", "--nodes", "30", "--out", text(out)]].concat();
        let output = run_without_threads(&arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.starts_with("enfilade: cannot start 3 threads: "), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        // A job that has not begun may begin with other settings.
        let arguments = [job, &["--threads", "3", "--nodes", "31", "--out", text(out)]].concat();
        if job[0] == "datagen" {
            assert!(!out.exists(), "a trace of games is left");
        } else {
            assert!(run(&arguments).status.success(), "{arguments:?}");
        }
    }
}

/// The command left an empty shard and reported success.
#[test]
fn a_job_of_zero_games_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let error = stderr(&["datagen", "--out", text(directory.path()), "--games", "0"], 2);
    assert!(error.contains("a whole number from 1 is needed"), "{error}");
    assert_eq!(count(directory.path()), 0);
}

/// The run never ended. After a kill it left an empty shard.
#[test]
fn a_book_of_decided_positions_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let (book, games) = (directory.path().join("book.epd"), directory.path().join("games"));
    fs::write(&book, "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\n").unwrap();
    let datagen = ["datagen", "--games", "3", "--threads", "2", "--nodes", "1"];
    let arguments = [&datagen[..], &["--book", text(&book), "--out", text(&games)]].concat();
    let error = stderr(&arguments, 1);
    assert!(error.contains("no game can begin from the positions of the book: they are decided"), "{error}");
    assert_eq!(count(&games), 0, "an empty shard is left");
}

/// The second run continued with a mixture of both settings and reported success.
#[test]
fn a_tuning_with_other_settings_is_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let tune = |more: &[&str]| {
        let base = ["tune", "--only", "razor_base", "--out", text(directory.path())];
        run(&[&base, more].concat())
    };
    assert!(tune(&["--pairs", "4", "--nodes", "30"]).status.success());
    let output = tune(&["--pairs", "8", "--nodes", "3000", "--seed", "99", "--rate", "0.9"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.ends_with("nodes 30 (now 3000), seed 1 (now 99), rate 0.002 (now 0.9)\n"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    // A run with the same settings and more pairs may continue.
    assert!(tune(&["--pairs", "5", "--nodes", "30"]).status.success());

    let log = directory.path().join("log.csv");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, format!("{text}6,NaN\n")).unwrap();
    let error = String::from_utf8(tune(&["--pairs", "7", "--nodes", "30"]).stderr).unwrap();
    assert!(
        error.contains("log.csv, line ") && error.ends_with("this is not a line of such a log\n"),
        "{error}"
    );
}

/// Without a terminal `tune` and `screen` printed nothing for hours. A line of `datagen` was longer than the 80 columns
/// of a terminal.
#[test]
fn progress_without_a_terminal_is_written_in_lines_of_80_columns() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    for (arguments, beginning) in [
        (&["datagen", "--games", "3", "--nodes", "40"][..], "3/3 games, "),
        (&["tune", "--pairs", "2", "--nodes", "30", "--only", "razor_base"], "2/2 pairs, "),
        (&["screen", "iir_depth=5", "--pairs", "2", "--nodes", "30"], "2/2 pairs, "),
    ] {
        let output = run(&[arguments, &["--out", text(&out.join(arguments[0]))]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with(beginning) && said.lines().count() == 1, "{said}");
        assert!(said.trim_end().len() <= 80, "{said}");
        fs::create_dir_all(&out).unwrap();
    }
}
