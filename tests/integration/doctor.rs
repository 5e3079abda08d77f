//! Tests of `enfilade doctor` with the real binary, on the machine at hand.

use enfilade::engine::config::{Preset, Setup};

use crate::program::{messages, run, stderr, stdout, succeeded, text};

/// The subjects of the findings without a measurement.
const SUBJECTS: [&str; 8] =
    ["cores", "multithreading", "nodes", "caches", "memory", "large pages", "load", "frequency"];

#[test]
fn each_finding_is_one_line_and_the_preset_can_be_used() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("machine.toml");
    let shown = stdout(&["doctor", "--quick", "--write", text(&path)]);
    let lines: Vec<&str> = shown.lines().collect();
    for (line, subject) in lines.iter().zip(SUBJECTS) {
        let (verdict, rest) = line.split_once(' ').expect("a verdict");
        assert!(["good", "advice", "bad", "unknown"].contains(&verdict), "{line}");
        assert!(rest.trim_start().starts_with(&format!("{subject}: ")) && line.ends_with('.'), "{line}");
    }
    assert_eq!(lines.len(), SUBJECTS.len() + 2, "{shown}");
    let mut setup = Setup::default();
    Preset::load(&path).expect("a preset").apply(&mut setup);
    let (threads, hash) = (setup.settings.threads, setup.settings.hash);
    // Other programs may disturb this test.
    let last = lines[8].replace(" once the other programs have ended", "");
    assert_eq!(last, format!("Recommended: threads = {threads}, hash = {hash}"));
    assert!(threads <= std::thread::available_parallelism().expect("a number of cores").get());
    let used = stdout(&["--config", text(&path), "uci"]);
    assert_eq!(used, "", "the preset is accepted");
}

#[test]
fn the_measurement_is_part_of_the_findings() {
    let output = run(&["doctor", "--seconds", "0.1", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&succeeded(&output)).expect("JSON");
    let findings = shown["findings"].as_array().expect("a list");
    let subjects: Vec<&str> = findings.iter().filter_map(|finding| finding["subject"].as_str()).collect();
    assert_eq!(subjects, [&SUBJECTS[..], &["speed"]].concat());
    let rows = shown["speed"]["rows"].as_array().expect("rows");
    assert_eq!(rows.last().expect("a row")["threads"], shown["recommended"]["threads"]);
    assert!(rows.iter().all(|row| row["nps"].as_f64().is_some_and(|speed| speed > 0.0)));
    assert_eq!(messages(&String::from_utf8_lossy(&output.stderr)), [""; 0]);
}

#[test]
fn a_preset_that_cannot_be_written_is_refused_first() {
    let errors = stderr(&["doctor", "--write", "/no/such/folder/machine.toml"], 1);
    assert!(errors.contains("/no/such/folder"), "{errors}");
    assert!(stderr(&["doctor", "--quick", "--seconds", "3"], 2).contains("cannot be used with"));
}
