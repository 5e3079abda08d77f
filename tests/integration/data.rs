//! Tests of `enfilade data` on complete and damaged shards of a small `datagen`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::program::{run, stderr, stdout, text};

/// A directory with one shard of six short games.
pub fn games() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    stdout(&["datagen", "--out", path, "--games", "6", "--nodes", "40", "--seed", "3"]);
    let shard = fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
    (directory, shard)
}

#[test]
fn info_counts_what_export_writes() {
    let (directory, _) = games();
    let path = text(directory.path());
    let json = stdout(&["data", "info", path, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["games"], 6);
    let sum = |key: &str| -> u64 {
        let classes = report[key].as_array().unwrap().iter();
        classes.map(|class| class["count"].as_u64().unwrap_or_else(|| panic!("{class}"))).sum()
    };
    let positions = report["positions"].as_u64().unwrap();
    assert_eq!((sum("pieces"), sum("scores"), sum("lengths")), (positions, positions, 6));
    assert_eq!([&report["labels"], &report["with_result"]], [&report["positions"]; 2]);
    assert_eq!(report["faded"], 0);
    let results: u64 = report["results"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(results, 6);

    let all = stdout(&["data", "export", path]);
    assert_eq!(all.lines().count() as u64, positions);
    let filtered = stdout(&["data", "export", path, "--filtered"]);
    assert_eq!(filtered.lines().count() as u64, report["filtered"].as_u64().unwrap());
    assert!(filtered.lines().count() < all.lines().count());
    for line in all.lines() {
        let fields: Vec<&str> = line.split(" | ").collect();
        assert_eq!(fields.len(), 3, "{line}");
        assert!(enfilade::chess::board::Board::from_fen(fields[0]).is_ok(), "{line}");
        assert!(fields[1].parse::<i16>().is_ok(), "{line}");
        assert!(["1", "0.5", "0"].contains(&fields[2]), "{line}");
    }

    let table = stdout(&["data", "info", path]);
    for part in ["Games                   6\n", "Results", "White wins", "Absolute score", "28 to 32"] {
        assert!(table.contains(part), "{part} in {table}");
    }
}

#[test]
fn info_and_export_tell_labels_and_results_of_varied_games() {
    let directory = tempfile::tempdir().unwrap();
    let path = text(directory.path());
    let plan = ["--games", "6", "--nodes", "40", "--fast-nodes", "10", "--random-moves", "8"];
    stdout(&[&["datagen", "--out", path][..], &plan].concat());
    let report: serde_json::Value = serde_json::from_str(&stdout(&["data", "info", path, "--json"])).unwrap();
    let count = |key: &str| report[key].as_u64().unwrap() as usize;
    let [positions, labels, with_result, filtered] =
        ["positions", "labels", "with_result", "filtered"].map(count);
    assert!(positions > labels && labels > with_result && labels > filtered && with_result > 0, "{report}");
    let all = stdout(&["data", "export", path]);
    let unknown = all.lines().filter(|line| line.ends_with(" | *")).count();
    assert_eq!((all.lines().count(), unknown), (labels, labels - with_result));
    assert!(!all.contains("-32768"));
    assert_eq!(stdout(&["data", "export", path, "--filtered"]).lines().count(), filtered);
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/src/engine/eval/network/enfilade.nnue");
    let table = stdout(&["data", "loss", path, "--networks", network, network]);
    assert!(table.contains(&format!("{filtered} positions")), "{table}");
}

#[test]
fn games_of_older_versions_are_counted() {
    let (_directory, shard) = games();
    let mut bytes = fs::read(&shard).unwrap();
    assert_eq!(bytes[31], 1);
    // The first game gets the version of scores with fades.
    bytes[31] = 0;
    fs::write(&shard, &bytes).unwrap();
    let report: serde_json::Value =
        serde_json::from_str(&stdout(&["data", "info", text(&shard), "--json"])).unwrap();
    assert_eq!((&report["games"], &report["faded"]), (&6.into(), &1.into()));
}

#[test]
fn loss_compares_networks_on_the_positions_that_pass_the_filter() {
    let (directory, shard) = games();
    let info: serde_json::Value =
        serde_json::from_str(&stdout(&["data", "info", text(&shard), "--json"])).unwrap();
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/src/engine/eval/network/enfilade.nnue");
    // A network that one epoch on a handful of games with a huge rate has spoiled.
    let (config, other) = (directory.path().join("config.toml"), directory.path().join("other.bin"));
    fs::write(&config, "hidden = 32\nepochs = 1\n[rate]\nstart = 0.5\nend = 0.5\n").unwrap();
    let files = ["--config", text(&config), "--out", text(&other)];
    stdout(&[["train", "--data", text(&shard)].as_slice(), files.as_slice()].concat());

    let table = stdout(&["data", "loss", text(&shard), "--networks", network, text(&other), network]);
    let json = stdout(&["data", "loss", text(&shard), "--networks", network, text(&other), "--json"]);
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON alone");
    assert_eq!(report["positions"], info["filtered"]);
    let shown = format!("{:.6}", report["networks"][1]["difference"].as_f64().expect("a number"));
    assert!(table.contains(&shown), "{table} {report}");
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0][..3], ["6", "games,", &info["filtered"].to_string()], "{table}");
    let loss = |line: usize| lines[line][0].parse::<f64>().unwrap();
    assert!(0.0 < loss(3) && loss(3) < loss(4) && loss(4) < 1.0, "{table}");
    assert_eq!(lines[5][..4], lines[3][..4], "{table}");
    assert_eq!(lines[3][1..4], ["+0.000000", "±", "0.000000"], "{table}");
    let difference: f64 = lines[4][1].parse().unwrap();
    assert!((difference - (loss(4) - loss(3))).abs() < 2e-6, "{table}");

    fs::write(&config, "[filter]\nmin-pieces = 33\n").unwrap();
    let error = stderr(&["data", "loss", text(&shard), "--networks", network, "--config", text(&config)], 1);
    assert!(error.contains("none of their positions passes the filter"), "{error}");
    let error = stderr(&["data", "loss", text(&shard), "--networks", text(&config)], 1);
    assert!(error.contains("config.toml"), "{error}");
    let foreign = directory.path().join("foreign.viriformat");
    fs::write(&foreign, "no games").unwrap();
    let error = stderr(&["data", "loss", text(&shard), text(&foreign), "--networks", network], 1);
    assert!(error.contains("foreign.viriformat: this is not a file of games"), "{error}");
}

#[test]
fn export_respects_its_limit_and_writes_to_a_file() {
    let (directory, shard) = games();
    let all = stdout(&["data", "export", text(&shard)]);
    let out = directory.path().join("positions.txt");
    assert_eq!(stdout(&["data", "export", text(&shard), "--limit", "5", "--out", text(&out)]), "");
    let first: Vec<&str> = all.lines().take(5).collect();
    assert_eq!(fs::read_to_string(&out).unwrap().lines().collect::<Vec<_>>(), first);
    assert_eq!(stdout(&["data", "export", text(&shard), "--limit", "0"]), "");
    let out = directory.path().join("missing/positions.txt");
    let error = stderr(&["data", "export", text(&shard), "--out", text(&out)], 1);
    assert!(error.contains("missing/positions.txt"), "{error}");
}

#[test]
fn a_closed_pipe_ends_an_export_without_an_error() {
    let (_directory, shard) = games();
    // The output is larger than a pipe's buffer, so that the writer notices the closed end.
    let mut arguments = vec!["data", "export"];
    arguments.extend(std::iter::repeat_n(text(&shard), 40));
    let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains(" | "), "{line}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn undamaged_shards_pass_verification() {
    let (directory, _) = games();
    let verdict = stdout(&["data", "verify", text(directory.path())]);
    assert_eq!(verdict.lines().count(), 1);
    assert!(verdict.contains(": 6 games, ") && verdict.ends_with(" positions, sound\n"), "{verdict}");
}

#[test]
fn damage_is_located_and_the_rest_is_read() {
    let (directory, shard) = games();
    let mut bytes = fs::read(&shard).unwrap();
    bytes.pop();
    let cut = directory.path().join("cut.viriformat");
    fs::write(&cut, &bytes).unwrap();
    // This is the result byte of the first game.
    bytes[30] = 9;
    let altered = directory.path().join("altered.viriformat");
    fs::write(&altered, &bytes).unwrap();
    let foreign = directory.path().join("foreign.viriformat");
    fs::write(&foreign, b"this is a text about chess and not a file of games at all").unwrap();

    let output = run(&["data", "verify", text(directory.path())]);
    assert_eq!(output.status.code(), Some(1));
    let verdict = String::from_utf8(output.stdout).unwrap();
    for part in [
        "cut.viriformat: 5 games, ",
        "the data ends within a game",
        "altered.viriformat: 4 games, ",
        "from byte 0: the result byte must be 0, 1 or 2, not 9",
        "foreign.viriformat: 0 games, 0 positions, DAMAGED",
    ] {
        assert!(verdict.contains(part), "{part} in {verdict}");
    }
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("3 of 4 shards are damaged"), "{errors}");

    fs::remove_file(foreign).unwrap();
    let output = run(&["data", "verify", text(directory.path()), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let games: Vec<_> = report["shards"].as_array().unwrap().iter().map(|shard| &shard["games"]).collect();
    assert_eq!((&report["damaged"], games.len()), (&2.into(), 3));
    assert!(games.contains(&&5.into()) && games.contains(&&4.into()), "{report}");

    let json = stdout(&["data", "info", text(directory.path()), "--json"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["games"], 6 + 5 + 4);
    assert_eq!(report["damages"].as_array().unwrap().len(), 3);
}

#[test]
fn rescoring_makes_each_file_once() {
    let (directory, shard) = games();
    let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let rescore = |out: &TempDir, threads| {
        let [from, out] = [&directory, out].map(|directory| text(directory.path()));
        let options = ["--nodes", "100", "--one-in", "2", "--threads", threads];
        stdout(&[&["data", "rescore", from, "--out", out][..], &options].concat());
    };
    rescore(&first, "1");
    let info = |directory: &TempDir| -> serde_json::Value {
        let json = stdout(&["data", "info", text(directory.path()), "--json"]);
        serde_json::from_str(&json).unwrap()
    };
    let (old, new) = (info(&directory), info(&first));
    assert_eq!((&new["games"], &new["positions"]), (&old["games"], &old["positions"]));
    let filtered = old["filtered"].as_u64().unwrap();
    assert!((filtered / 5..=filtered * 3 / 4).contains(&new["labels"].as_u64().unwrap()), "{new}");

    let made = |out: &TempDir| out.path().join(shard.file_name().unwrap());
    rescore(&second, "3");
    assert_eq!(fs::read(made(&first)).unwrap(), fs::read(made(&second)).unwrap());
    fs::write(made(&first), b"").unwrap();
    rescore(&first, "1");
    assert_eq!(fs::read(made(&first)).unwrap(), b"", "a file that is there is not made again");

    let twice = ["data", "rescore", text(directory.path()), text(&shard), "--out", text(first.path())];
    assert!(stderr(&twice, 2).contains("two files would become"));
}

#[test]
fn paths_without_games_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    for verb in ["info", "verify", "export"] {
        let error = stderr(&["data", verb, text(directory.path())], 1);
        assert!(error.contains("no games in this directory"), "{error}");
        let error = stderr(&["data", verb, "does-not-exist"], 1);
        assert!(error.contains("does-not-exist"), "{error}");
        assert!(stderr(&["data", verb], 2).contains("PATH"));
    }
}
