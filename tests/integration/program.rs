//! Runs the real binary with arguments to its end. Tests look at its output and its exit status.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the binary without input.
pub fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

/// Runs the binary, which must succeed. Returns standard output.
#[track_caller]
pub fn stdout(arguments: &[&str]) -> String {
    succeeded(&run(arguments))
}

/// Runs the binary, which must end with the status `code`. Returns standard error.
#[track_caller]
pub fn stderr(arguments: &[&str], code: i32) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// Checks that the run succeeded. Returns standard output.
#[track_caller]
pub fn succeeded(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}\n{text}");
    text
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The lines of standard error that do not show progress. Progress begins with a number.
#[cfg(feature = "laboratory")]
pub fn messages(errors: &str) -> Vec<&str> {
    errors.lines().filter(|line| !line.starts_with(|first: char| first.is_ascii_digit())).collect()
}
