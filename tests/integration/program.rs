//! The real binary as a command line runs it: to its end, judged by what it printed and how it ended.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What comes of running it without any input.
pub fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

/// What a run printed that has to succeed.
#[track_caller]
pub fn stdout(arguments: &[&str]) -> String {
    succeeded(&run(arguments))
}

/// What a run complained of that has to end with `code`.
#[track_caller]
pub fn stderr(arguments: &[&str], code: i32) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// What was printed, after success.
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
