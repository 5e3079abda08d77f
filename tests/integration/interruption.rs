//! Ctrl-C: what a command says, and what it leaves.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

#[cfg(feature = "laboratory")]
use crate::patience::wait_until;
use crate::program::text;

/// A command may not be ready after the first of these times on a busy machine. Then the test tries the next one.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(200), Duration::from_secs(2), Duration::from_secs(20), Duration::from_secs(100)];

fn begin(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs")
}

fn tell(child: &Child, signal: &str) {
    let told = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
    assert!(told.success());
}

/// Ctrl-C for a command that is ready for it.
fn interrupt(child: &Child) {
    tell(child, "-INT");
}

/// The same for a command that may not be ready. SIGTERM is handled like Ctrl-C, and ends a command that is not ready.
/// SIGINT may be lost there: shells let programs in the background ignore it until these ask for it.
fn interrupt_early(child: &Child) {
    tell(child, "-TERM");
}

/// The end of a command that was interrupted.
struct End {
    /// The status; `None` if the signal ended the command: it came before the command had asked for it, or it was the
    /// second one.
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

fn end(child: Child) -> End {
    let output = child.wait_with_output().expect("the binary ends");
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    End { status: output.status.code(), stdout, stderr }
}

/// It ended without a word about what it had found.
#[test]
fn ctrl_c_ends_a_search_with_what_it_has() {
    let mut child = begin(&["search", "--movetime", "1000000", "--threads", "1", "--hash", "1"]);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut shown = String::new();
    while !shown.contains(" 1. ") {
        shown += &lines.next().unwrap_or_else(|| panic!("no line in {shown}")).unwrap();
    }
    interrupt(&child);
    lines.for_each(|line| shown += &line.unwrap());
    let End { status, stderr, .. } = end(child);
    assert_eq!(status, Some(130), "{shown}\n{stderr}");
    assert!(shown.contains("Best move:") && shown.contains("Main line:"), "{shown}");
    assert_eq!(stderr, "enfilade: interrupted; the result is that of the search so far\n");
}

/// It ended without its results. A search that was cut off is no result.
#[test]
fn ctrl_c_ends_a_suite_with_a_report_of_what_was_searched() {
    let folder = tempfile::tempdir().unwrap();
    let [suite, json] = ["suite.epd", "report.json"].map(|name| folder.path().join(name));
    // The search of the first position ends with the mate. That of the second one would take days.
    let positions = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - dm 1; id \"short\";\n\
                     rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"long\";\n";
    fs::write(&suite, positions).unwrap();
    let place = format!("--json={}", text(&json));
    let limits = ["--movetime", "1000000000", "--jobs", "1", "--threads", "1", "--hash", "1"];
    let arguments = [&["suite", text(&suite), &place], &limits[..]].concat();
    let found = PAUSES.into_iter().find_map(|pause| {
        let child = begin(&arguments);
        thread::sleep(pause);
        interrupt_early(&child);
        let End { status, stdout, stderr } = end(child);
        assert!(matches!(status, None | Some(130)), "{status:?}: {stderr}");
        (status.is_some() && !stderr.contains("; 0 of 2 positions")).then_some((stdout, stderr))
    });
    let (stdout, stderr) = found.expect("the first position is searched before the interruption");
    assert_eq!(stderr, "enfilade: interrupted; 1 of 2 positions were searched\n");
    let all = stdout.lines().find(|line| line.starts_with("all ")).expect("a row for all");
    assert_eq!(all.split_whitespace().collect::<Vec<_>>(), ["all", "1", "1", "100.0%"]);
    let report: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!((&report["positions"], &report["results"][0]["id"]), (&1.into(), &"short".into()));
}

/// The pairs of games in the log of a duel.
#[cfg(feature = "laboratory")]
fn pairs(log: &std::path::Path) -> Vec<String> {
    let text = fs::read_to_string(log).unwrap_or_default();
    // The last line may be written just now.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter(|line| line.starts_with("duel,")).map(str::to_owned).collect()
}

/// It ended without its results.
#[cfg(feature = "laboratory")]
#[test]
fn ctrl_c_ends_a_duel_with_a_report_and_the_same_command_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.csv");
    let sides = ["--a", "threads=2,nodes=400,hash=1", "--b", "nodes=200,hash=1", "--jobs", "2"];
    let arguments = |games| [&["duel", "--games", games, "--log", text(&log), "--json"], &sides[..]].concat();
    let report = |text: &str| -> serde_json::Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    let child = begin(&arguments("1000000"));
    wait_until("a pair is played", || !pairs(&log).is_empty());
    interrupt(&child);
    let End { status, stdout, stderr } = end(child);
    assert_eq!(status, Some(130), "{stderr}");
    // The line about the games in progress comes only if they last some milliseconds. The next test checks it.
    let last = "enfilade: interrupted; the same command goes on with the pairs in its --log\n";
    assert!(stderr.ends_with(last), "{stderr}");
    let played = pairs(&log);
    assert_eq!(report(&stdout)["games"], 2 * played.len());
    let games = (2 * played.len() + 2).to_string();
    let End { status, stdout, stderr } = end(begin(&arguments(&games)));
    assert_eq!((status, report(&stdout)["games"].to_string()), (Some(0), games), "{stderr}");
    let all = pairs(&log);
    assert!(all.len() == played.len() + 1 && all.starts_with(&played), "no pair is played twice");
}

/// The first Ctrl-C waits for games that take hours.
#[cfg(feature = "laboratory")]
#[test]
fn the_second_ctrl_c_ends_a_duel_at_once() {
    let ends_at_once = |pause| {
        let side = "nodes=1000000000,hash=1";
        let mut child = begin(&["duel", "--a", side, "--b", side, "--games", "2", "--jobs", "1"]);
        thread::sleep(pause);
        interrupt_early(&child);
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let is_said = lines.any(|line| line.unwrap().contains("(Ctrl-C again ends at once)"));
        if is_said {
            interrupt(&child);
        }
        let End { status, stdout, .. } = end(child);
        assert_eq!(status, None, "the signal ends it");
        assert_eq!(stdout, "", "there is no report");
        is_said
    };
    assert!(PAUSES.into_iter().any(ends_at_once), "the first Ctrl-C ends it");
}
