//! Tests of the commands that measure, with the real binary: what they print and write, and their exit status.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use enfilade::engine::config::{Preset, Setup};
use enfilade::engine::pool::Stagger;

use crate::program::{stderr, stdout, text};

/// The arguments, with options that make the measurement short.
fn quick<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &["--seconds", "0.2", "--hash", "1"]].concat()
}

#[test]
fn the_speed_test_reports_in_three_ways() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("scaling.svg");
    let arguments = quick(&["speedtest", "--threads", "2,1", "--json", "--plot", plot.to_str().unwrap()]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&arguments)).unwrap();
    assert_eq!((&report["hash"], &report["baseline"]), (&1.into(), &1.into()));
    assert!(report["cores"].as_u64() >= Some(1) && report["positions"].as_u64() >= Some(40), "{report}");
    assert!(report["search_ms"].is_f64() && report["stagger"].is_string(), "{report}");
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["threads"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2]);
    for row in rows {
        assert!(row["beyond_cores"].is_boolean() && row["nodes"].is_u64(), "{row}");
        for field in [
            "nps",
            #[cfg(target_os = "linux")]
            "cores_used",
            "speed_ratio",
            "speed_error",
            "depth_ms",
            "depth_ratio",
            "depth_error",
            "hashfull",
            "foreign_hits",
            "depth_mean",
            "depth_deviation",
            "depth_range",
            "stop_median_ms",
            "stop_max_ms",
        ] {
            assert!(row[field].as_f64().is_some_and(|number| number >= 0.0), "{field} in {row}");
        }
    }
    assert!(fs::read_to_string(&plot).unwrap().starts_with("<svg "));

    let text = stdout(&quick(&["speedtest", "--threads", "1"]));
    let row = text.lines().find(|line| line.trim_start().starts_with("1 ")).expect("a row");
    assert!(row.contains("1.00 +- 0.00") && text.contains("usable cores: "), "{text}");
}

#[test]
fn a_speed_test_that_cannot_be_made_is_refused_at_once() {
    assert!(stderr(&["speedtest", "--threads", "1,0"], 2).contains("Threads must lie between 1 and 1024"));
    assert!(stderr(&["speedtest", "--threads", "2000"], 2).contains("not 2000"));
    assert!(stderr(&["speedtest", "--hash", "33554432"], 1).contains("MiB"));
    assert!(
        stderr(&["speedtest", "--plot", "no-such-folder/a.svg"], 1).contains("cannot write no-such-folder")
    );
    assert!(stderr(&["tune-threads", "--threads", "1", "--out", "a.toml"], 2).contains("between 2 and 1024"));
    let wrong = ["tune-threads", "--threads", "2", "--out", "no-such-folder/a.toml"];
    assert!(stderr(&wrong, 1).contains("cannot write no-such-folder"));
}

#[test]
fn a_tuning_that_cannot_be_is_refused_at_once() {
    let tune = |option: &str, value: &str| {
        stderr(&["tune", "--out", "no-such-folder/tuning", "--pairs", "1", option, value], 2)
    };
    assert!(tune("--rate", "0").contains("a number above 0 is needed"));
    assert!(tune("--steps", "inf").contains("a number above 0 is needed"));
    assert!(tune("--steps", "many").contains("a number is needed"));
    assert!(tune("--nodes", "0").contains("--nodes"));
}

#[test]
fn tuned_threads_are_a_preset() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.toml");
    let path = path.to_str().unwrap();
    let games = ["--games", "2", "--nodes", "50", "--hash", "1", "--out", path];
    let text = stdout(&[&["tune-threads", "--threads", "2"][..], &games].concat());
    let preset = Preset::load(Path::new(path)).unwrap();
    assert_eq!(preset.keys(), BTreeSet::from(["stagger", "threads"]));
    let mut setup = Setup::default();
    preset.apply(&mut setup);
    assert_eq!(setup.settings.threads, 2);
    let verdict = text.lines().find(|line| line.contains("standard errors: ")).expect("a verdict");
    assert!(verdict.contains(&format!(": {}", setup.settings.stagger.name())), "{text}");
    for policy in Stagger::all().iter().filter(|policy| **policy != Stagger::default()) {
        assert!(text.contains(&format!(" {}  W-L-D ", policy.name())), "{text}");
    }
    assert!(stdout(&["--config", path, "go", "depth", "3"]).contains("bestmove "));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

/// The report of a small duel and its games. Values that depend on the machine's speed are removed.
fn duel(arguments: &[&str]) -> (serde_json::Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let (json, pgn) = (folder.path().join("a.json"), folder.path().join("a.pgn"));
    let common = ["duel", "--a", "threads=3,nodes=600,hash=1", "--b", "nodes=300,hash=1", "--games", "3"];
    let files = ["--json", text(&json), "--pgn", text(&pgn)];
    let summary = stdout(&[&common[..], &files, arguments].concat());
    let last = summary.lines().last().unwrap();
    assert!(last.starts_with("A against B, 4 games: W-L-D ") && last.contains(", pairs "), "{summary}");
    let mut report: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    for side in report["sides"].as_array_mut().unwrap() {
        let speed = side.as_object_mut().unwrap().remove("nps");
        assert!(speed.is_some_and(|speed| speed.is_null() || speed.as_f64() > Some(0.0)));
    }
    (report, fs::read_to_string(pgn).unwrap())
}

#[test]
fn a_duel_is_the_same_on_any_number_of_cores() {
    let (report, games) = duel(&["--jobs", "1", "--counters"]);
    assert_eq!(
        (&report["a"], &report["b"]),
        (&"threads=3,nodes=600,hash=1".into(), &"nodes=300,hash=1".into())
    );
    assert_eq!((&report["games"], &report["seed"], &report["turn"]), (&4.into(), &1.into(), &96.into()));
    let pairs = report["pentanomial"].as_array().unwrap();
    assert_eq!(pairs.iter().map(|count| count.as_u64().unwrap()).sum::<u64>(), 2);
    let [a, b] = [&report["sides"][0], &report["sides"][1]];
    assert_eq!((&a["threads"], &a["nodes_allowed"], &b["threads"]), (&3.into(), &600.into(), &1.into()));
    for field in
        ["foreign_hits", "repeated", "deepened", "unfinished", "depth_mean", "depth_deviation", "depth_range"]
    {
        assert!(a["threads_together"][field].as_f64() >= Some(0.0), "{field} in {a}");
    }
    assert_eq!(games.matches("[Event ").count(), 4);
    assert_eq!(duel(&["--jobs", "2", "--counters"]), (report, games.clone()));
    let (uncounted, same_games) = duel(&["--jobs", "2"]);
    assert!(uncounted["sides"][0]["threads_together"].is_null());
    assert_eq!(same_games, games);
    assert_ne!(duel(&["--seed", "2"]).1, games);
}

#[test]
fn a_duel_begins_from_a_book_and_ends_with_its_test() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("short.epd");
    let [open, closed] = ["pppp1ppp/8/4p3/4P3/8/PPPP1PPP", "ppp1pppp/8/3p4/3P4/8/PPP1PPPP"];
    let position = |rows| format!("rnbqkbnr/{rows}/RNBQKBNR w KQkq -\n");
    fs::write(&book, position(open) + &position(closed)).unwrap();
    let arguments =
        ["duel", "--a", "threads=2,nodes=900,hash=1", "--b", "nodes=50,hash=1", "--book", text(&book)];
    let summary = stdout(&[&arguments[..], &["--games", "200", "--sprt", "0,100"]].concat());
    assert!(summary.contains("short.epd, seed 1, turns of 96 nodes"), "{summary}");
    assert!(summary.contains("SPRT of +0 and +100 normalized Elo: +100 or more"), "{summary}");
    let games: u64 =
        summary.rsplit_once("A against B, ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    assert!(games < 200, "{summary}");
}

#[test]
fn a_speed_up_is_a_table_a_plot_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let (json, plot) = (folder.path().join("a.json"), folder.path().join("a.svg"));
    let arguments =
        ["speedup", "--threads", "2", "--nodes", "100", "--set", "hash=1,stagger=offset", "--games", "4"];
    let files = ["--doublings", "--json", text(&json), "--plot", text(&plot)];
    let table = stdout(&[&arguments[..], &files].concat());
    let row = table.lines().find(|line| line.trim_start().starts_with("2 ")).expect("a row");
    assert!(row.contains(" to ") && row.contains("Elo "), "{table}");
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(
        (&report["settings"], &report["nodes_of_each_thread"]),
        (&"hash=1,stagger=offset".into(), &100.into())
    );
    let row = &report["rows"][0];
    assert!(row["speedup"]["factor"].as_f64() > Some(0.0) && row["doubling"]["games"] == 4, "{row}");
    assert!(fs::read_to_string(plot).unwrap().starts_with("<svg "));
}

#[test]
fn a_screening_is_a_table_or_json() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("screen.csv");
    let arguments = ["screen", "--out", text(&log), "--pairs", "2", "--nodes", "30", "iir_depth=5"];
    assert!(stdout(&arguments).contains("iir_depth") && log.exists());
    let report = stdout(&[&arguments[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON alone");
    let effect = &report["effects"][0];
    assert_eq!(
        (&report["pairs"], &effect["parameter"], &effect["value"]),
        (&2.into(), &"iir_depth".into(), &5.into())
    );
    assert!(effect["before"].is_i64() && effect["elo"].is_f64(), "{effect}");
}

/// What a command prints, and the number of pairs in its log.
fn logged(arguments: &[&str], log: &Path) -> (String, usize) {
    let printed = stdout(&[arguments, &["--log", text(log)]].concat());
    let text = fs::read_to_string(log).unwrap();
    let lines = text.lines().skip_while(|line| line.starts_with('#'));
    (printed, lines.count() - 1)
}

#[test]
fn killed_matches_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let preset = folder.path().join("threads.toml");
    let duel = ["duel", "--a", "threads=2,nodes=200,hash=1", "--b", "nodes=100,hash=1", "--games", "6"];
    let speedup = ["speedup", "--threads", "2", "--nodes", "100", "--set", "hash=1", "--games", "6"];
    let tune = ["tune-threads", "--threads", "2", "--nodes", "50", "--hash", "1", "--games", "2"];
    let tune = [&tune[..], &["--out", text(&preset)]].concat();
    for (arguments, pairs) in [(&duel[..], 3), (&speedup, 3), (&tune, 2)] {
        let log = folder.path().join(format!("{}.csv", arguments[0]));
        // The speed in the report of a duel differs from run to run. A finished match is only reported again.
        let (first, count) = logged(arguments, &log);
        assert_eq!(count, pairs, "{arguments:?}");
        let whole = fs::read_to_string(&log).unwrap();
        assert_eq!(logged(arguments, &log), (first.clone(), pairs));
        // A kill leaves a part of a line.
        fs::write(&log, &whole[..whole.len() - 30]).unwrap();
        let (again, count) = logged(arguments, &log);
        assert_eq!((again.lines().last(), count), (first.lines().last(), pairs));
        let report = stdout(&[arguments, &["--json", "--log", text(&log)]].concat());
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON alone");
        assert_eq!(report["seed"], 1, "{report}");
        let error = stderr(&[arguments, &["--seed", "2", "--log", text(&log)]].concat(), 1);
        assert!(error.ends_with("begun with other settings: seed 1 (now 2)\n"), "{error}");
    }
}

#[test]
fn a_duel_that_cannot_be_played_is_refused_at_once() {
    let wrong = |arguments: &[&str], code, expected: &str| {
        let error = stderr(&[&["duel", "--games", "2"], arguments].concat(), code);
        assert!(error.contains(expected), "{error}");
    };
    wrong(&["--a", "nodes=5"], 2, "--b");
    wrong(&["--a", "nodes", "--b", "nodes=5"], 2, "not of the form key=value");
    wrong(
        &["--a", "nodes=5,threads=2000", "--b", "nodes=5"],
        2,
        "--a: threads=2000: Threads must lie between",
    );
    wrong(&["--a", "nodes=5", "--b", "hash=1"], 2, "--b: nodes=N is missing");
    wrong(&["--a", "nodes=5", "--b", "nodes=5,hash=33554432"], 1, "MiB");
    wrong(
        &["--a", "nodes=5", "--b", "nodes=5", "--json", "no-such-folder/a.json"],
        1,
        "cannot write no-such-folder",
    );
    wrong(&["--a", "nodes=5", "--b", "nodes=5", "--sprt", "5,0"], 2, "the lesser one first");
    assert!(stderr(&["speedup", "--nodes", "5", "--threads", "1"], 2).contains("between 2 and 1024"));
}
