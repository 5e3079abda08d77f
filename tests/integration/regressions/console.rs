//! The state of standard output and standard error has no effect on the work of a command.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::program::{messages, stdout, text};

const SUITE: &str = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#; id \"one\";\nthis is no position\n";

fn enfilade(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_enfilade"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A device without free space.
#[cfg(target_os = "linux")]
fn full() -> File {
    File::options().write(true).open("/dev/full").expect("Linux has it")
}

/// Runs the binary as with `| head`: after `lines` lines nobody reads any more.
fn run_for_lines(arguments: &[&str], lines: usize) -> Output {
    let mut child = enfilade(arguments).spawn().expect("the binary runs");
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    for _ in 0..lines {
        reader.read_line(&mut String::new()).expect("a line");
    }
    drop(reader);
    child.wait_with_output().expect("the binary ends")
}

/// A directory with small files for all commands.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        stdout(&["datagen", "--out", &place.path("games"), "--games", "8", "--nodes", "40"]);
        let settings = "hidden = 32\nepochs = 3\nbatch = 64\n";
        fs::write(place.path("train.toml"), settings).unwrap();
        fs::write(place.path("suite.epd"), SUITE).unwrap();
        place
    }

    fn path(&self, name: &str) -> String {
        text(&self.0.path().join(name)).to_owned()
    }

    /// The arguments of a training that writes to `out`.
    fn training(&self, out: &str) -> Vec<String> {
        let [games, settings, out] = ["games", "train.toml", out].map(|name| self.path(name));
        ["train", "--data", &games, "--config", &settings, "--out", &out, "--threads", "1"]
            .map(str::to_owned)
            .into()
    }

    /// The only shard.
    fn shard(&self) -> PathBuf {
        fs::read_dir(self.path("games")).unwrap().next().unwrap().unwrap().path()
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// The training panicked twice and was aborted. There was no network.
#[test]
fn a_training_with_a_closed_output_pipe_writes_its_network() {
    let place = Place::new();
    stdout(&strs(&place.training("whole.bin")));
    let output = run_for_lines(&strs(&place.training("net.bin")), 2);
    assert_eq!((output.status.code(), errors(&output).as_str()), (Some(0), ""));
    assert!(fs::read(place.path("net.bin")).unwrap() == fs::read(place.path("whole.bin")).unwrap());
}

/// The training panicked (status 101).
#[cfg(target_os = "linux")]
#[test]
fn a_training_with_a_full_output_device_writes_its_network() {
    let place = Place::new();
    let output = enfilade(&strs(&place.training("net.bin"))).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = errors(&output);
    assert!(error.starts_with("enfilade: cannot write to standard output: No space left"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(Path::new(&place.path("net.bin")).exists());
}

/// `enfilade go` returned 0.
#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_reported_once_and_is_a_failure() {
    let place = Place::new();
    let [games, suite, plot, preset] =
        ["games", "suite.epd", "ratios.svg", "threads.toml"].map(|name| place.path(name));
    fs::write(&suite, SUITE.lines().next().unwrap()).unwrap();
    for arguments in [
        &["go", "depth", "3"][..],
        &["position startpos", "d"],
        &["bench", "--depth", "2", "--hash", "1"],
        &["perft", "2", "--divide"],
        &["search", "--depth", "3", "--hash", "1"],
        &["eval"],
        &["compare", "4k3/8/8/8/8/8/4P3/4K3 w - -", "--depth", "2"],
        &["suite", &suite, "--depth", "2", "--hash", "1"],
        &["suite", &suite, "--depth", "2", "--hash", "1", "--json"],
        &["data", "info", &games],
        &["data", "verify", &games],
        &["data", "export", &games],
        &["speedtest", "--threads", "1", "--seconds", "0.1", "--hash", "1", "--plot", &plot],
        &["tune-threads", "--threads", "2", "--games", "2", "--nodes", "50", "--hash", "1", "--out", &preset],
        &["--help"],
        &["data", "--help"],
        &["--version"],
    ] {
        let output = enfilade(arguments).stdout(full()).output().unwrap();
        let error = messages(&errors(&output)).join("\n");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert_eq!(error.matches("cannot write to standard output").count(), 1, "{arguments:?}: {error}");
        assert!(error.lines().all(|line| line.starts_with("enfilade: ")), "{arguments:?}: {error}");
    }
    assert!(Path::new(&plot).exists() && Path::new(&preset).exists(), "what goes to a file is not lost");

    let mut child = enfilade(&[]).stdin(Stdio::piped()).stdout(full()).spawn().unwrap();
    // The dialogue may have ended after the first command.
    let _ = child.stdin.take().unwrap().write_all(b"uci\nisready\ngo depth 3\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), errors(&output).lines().count()), (Some(1), 1));
}

/// The command ended at the first line and reported no damage.
#[test]
fn verification_finds_damage_after_the_output_pipe_closes() {
    let place = Place::new();
    let mut bytes = fs::read(place.shard()).unwrap();
    bytes.pop();
    fs::write(place.0.path().join("games/cut.viriformat"), &bytes).unwrap();
    let output = run_for_lines(&["data", "verify", &place.path("games")], 0);
    assert_eq!(
        (output.status.code(), errors(&output).as_str()),
        (Some(1), "enfilade: 1 of 2 shards are damaged\n")
    );
}

/// The search was cut short when the reader of its output left.
#[test]
fn a_search_is_not_cut_short_when_the_output_pipe_closes() {
    let place = Place::new();
    let saved = |name: &str, lines: Option<usize>| {
        let path = place.path(name);
        let file = format!("setoption name HashFile value {path}");
        let arguments = ["setoption name Hash value 1", &file, "go depth 9", "setoption name SaveHashtoFile"];
        match lines {
            Some(lines) => assert_eq!(run_for_lines(&arguments, lines).status.code(), Some(0)),
            None => assert!(stdout(&arguments).contains("bestmove")),
        }
        fs::read(path).unwrap()
    };
    let whole = saved("whole.hash", None);
    assert!(whole == saved("cut.hash", Some(0)), "the search was cut short");
    // A user who only wants the first lines need not wait for the rest.
    assert_eq!(run_for_lines(&["go", "infinite"], 1).status.code(), Some(0));
}

/// Printing to standard error panicked (status 101).
#[cfg(target_os = "linux")]
#[test]
fn unwritable_warnings_are_no_error() {
    let place = Place::new();
    let [games, suite, out] = ["games", "suite.epd", "out"].map(|name| place.path(name));
    let mut bytes = fs::read(place.shard()).unwrap();
    bytes.pop();
    fs::write(place.0.path().join("games/cut.viriformat"), &bytes).unwrap();
    let training = place.training("net.bin");
    for (arguments, code) in [
        (&["datagen", "--out", &out, "--games", "2", "--nodes", "40"][..], 0),
        (&["tune", "--out", &out, "--pairs", "1", "--nodes", "30", "--only", "razor_base"], 0),
        (&["suite", &suite, "--depth", "2", "--hash", "1"], 0),
        (&["data", "export", &games], 0),
        (&strs(&training), 0),
        (&["data", "verify", &games], 1),
        (&["serch"], 2),
        (&["bench", "--depth", "none"], 2),
    ] {
        let output = enfilade(arguments).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
    assert!(Path::new(&place.path("net.bin")).exists());
}
