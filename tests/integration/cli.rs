//! Tests of the command line with the real binary: what it prints, and its exit status.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use enfilade::engine::config::Preset;

use crate::program::{run, stderr, stdout};

/// The binary's answers to the lines of `input`.
fn answers(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the binary listens");
    let output = child.wait_with_output().expect("the binary ends");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn help_and_version_print_what_a_newcomer_needs() {
    let help = stdout(&["--help"]);
    for word in ["uci", "bench", "perft", "search", "suite", "--config", "Examples:", "Check and measure:"] {
        assert!(help.contains(word), "{word} in {help}");
    }
    assert!(stdout(&["--version"]).starts_with("enfilade "));
    for verb in ["bench", "perft", "search", "suite"] {
        assert!(stdout(&[verb, "--help"]).contains("Usage: enfilade"));
    }
}

#[test]
fn uci_commands_can_be_given_as_arguments() {
    let text = stdout(&["go", "depth", "3"]);
    assert!(text.lines().last().is_some_and(|line| line.starts_with("bestmove ")), "{text}");
    let text = stdout(&["position", "fen", "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "go", "depth", "3"]);
    assert!(text.ends_with("bestmove e1e8\n"), "{text}");
    let text = stdout(&["setoption name Hash value 1", "position startpos moves e2e4", "d"]);
    assert!(text.contains("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"), "{text}");
    assert!(stdout(&["go", "perft", "3"]).contains("Nodes searched: 8902"));
    assert!(stdout(&["eval"]).contains("Final evaluation"));
}

#[test]
fn bench_prints_the_format_of_test_frameworks() {
    let arguments = ["bench", "--depth", "2", "--hash", "1"];
    let text = stdout(&arguments);
    let nodes = |text: &str| -> u64 {
        let line =
            text.lines().find_map(|line| line.strip_prefix("Nodes searched  : ")).expect("a node count");
        line.parse().expect("a number")
    };
    assert!(text.contains("\nNodes/second    : "), "{text}");
    let last: Vec<&str> = text.lines().last().unwrap().split(' ').collect();
    assert!(matches!(last[..], [_, "nodes", _, "nps"]), "{last:?}");
    assert_eq!(last[0].parse(), Ok(nodes(&text)));
    assert_eq!(nodes(&text), nodes(&stdout(&arguments)), "the signature is reproducible");
}

#[test]
fn perft_counts_with_any_number_of_threads() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    for threads in ["1", "3"] {
        let text = stdout(&["perft", "3", "--fen", fen, "--threads", threads]);
        assert!(text.starts_with("Nodes searched: 97862\n"), "{text}");
    }
    let text = stdout(&["perft", "1", "--fen", fen, "--divide"]);
    assert!(text.contains("e1g1: 1\n"), "{text}");
    let text = stdout(&["perft", "1", "--fen", fen, "--divide", "--chess960"]);
    assert!(text.contains("e1h1: 1\n"), "{text}");
    assert!(stdout(&["perft", "0"]).starts_with("Nodes searched: 1\n"));
}

#[test]
fn search_explains_itself() {
    let text = stdout(&["search", "--depth", "4", "--threads", "1", "--hash", "1"]);
    for part in ["+---+---+", "to move. Thinking to depth 4 with 1 thread", "Best move:", "Main line:"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let text = stdout(&["search", "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "--depth", "2", "--multipv", "2"]);
    assert!(text.contains("Best move:  Re8# (e1e8)"), "{text}");
    let error = stderr(&["search", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], 1);
    assert!(error.contains("stalemate, the game is drawn"), "{error}");
}

pub const SUITE: &str = "\
6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#; id \"easy.1\";
this is no position
6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm #1; id \"easy.2\";
6k1/5ppp/8/8/8/8/8/4R1K1 w - - am Re8#; id \"hard.1\";
6k1/5ppp/8/8/8/8/8/4R1K1 w - - c8 \"100 20\"; c9 \"e1e8 e1e7\"; id \"hard.2\";
";

#[test]
fn a_suite_is_solved_counted_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suite.epd");
    fs::write(&path, SUITE).unwrap();
    let path = path.to_str().unwrap();
    let output = run(&["suite", path, "--depth", "3", "--hash", "1", "--jobs", "2"]);
    assert!(output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("suite.epd, line 2: "), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("not Re8#"), "{text}");
    assert!(text.contains("100/100"), "{text}");
    let all = text.lines().find(|line| line.starts_with("all ")).expect("a row for all");
    assert_eq!(all.split_whitespace().nth(2), Some("3"), "{all}");
}

#[test]
fn a_suite_is_reported_to_programs_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suite.epd");
    fs::write(&path, SUITE).unwrap();
    let text = stdout(&["suite", path.to_str().unwrap(), "--nodes", "500", "--hash", "1", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["positions"], 4);
    assert_eq!(report["solved"], 3);
    assert_eq!(report["limits"], serde_json::json!({"nodes": 500}));
    assert_eq!(report["results"][0]["best"], "e1e8");
    assert_eq!(report["results"][1]["eval"], serde_json::json!({"mate": 1}));
    assert_eq!(report["results"][3]["points"], 100);
}

#[test]
fn unusable_suites_are_errors() {
    assert!(stderr(&["suite", "does-not-exist.epd"], 1).contains("does-not-exist.epd"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.epd");
    fs::write(&path, "\n# nothing\n").unwrap();
    assert!(stderr(&["suite", path.to_str().unwrap()], 1).contains("no position"));
}

#[test]
fn every_preset_of_the_repository_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // train.rs tests the files of the training, and fleet.rs tests those of the queue's server. The unit of systemd
        // is no preset.
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("train-") || name.starts_with("redis") || name.ends_with(".service") {
            continue;
        }
        let preset = Preset::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let keys = preset.keys();
        assert!(keys.contains("threads") && keys.contains("hash"), "{}", path.display());
        let text = fs::read_to_string(&path).unwrap();
        let comments = text.lines().filter(|line| line.starts_with('#')).count();
        assert!(comments * 3 > text.lines().count(), "{} is commented", path.display());
        count += 1;
    }
    assert!(count >= 5);
}

/// Programs that were installed by cargo or pip have no folder of presets.
#[test]
fn each_preset_is_built_in_and_can_be_copied() {
    let list = stdout(&["presets"]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some(name) = name.strip_suffix(".toml").filter(|name| !name.starts_with("train-")) else {
            continue;
        };
        assert!(list.lines().any(|line| line.starts_with(&format!("{name} "))), "{name} in {list}");
        assert_eq!(stdout(&["presets", name]), fs::read_to_string(&path).unwrap());
        count += 1;
    }
    assert_eq!(list.lines().count(), count);
    let text = answers(&["--config", "laptop"], "uci\n");
    assert!(text.contains("\noption name Threads type spin default 4 "), "{text}");
}

/// Each report has its keys in one style, and scores from White's point of view.
#[test]
fn every_report_has_one_style_of_json() {
    fn check(value: &serde_json::Value, place: &str) {
        match value {
            serde_json::Value::Object(fields) => {
                for (key, value) in fields {
                    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                    // The keys of this object are moves.
                    assert!(key.chars().all(is_plain) || place.ends_with("moves"), "{place}: {key}");
                    check(value, &format!("{place}/{key}"));
                }
            }
            serde_json::Value::Array(values) => values.iter().for_each(|value| check(value, place)),
            _ => {}
        }
    }
    let report = |arguments: &[&str]| {
        let text = stdout(&[arguments, &["--json"]].concat());
        let report: serde_json::Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        check(&report, arguments[0]);
        report
    };
    let black = "4k2q/8/8/8/8/8/8/4K3 b - - 0 1";
    let found = report(&["search", black, "--depth", "4", "--threads", "1", "--hash", "1"]);
    assert!(found["eval"]["cp"].as_i64().unwrap() < -100 && found["nodes"].is_u64(), "{found}");
    assert_eq!(found["line"][0], found["best"]);
    let wdl: Vec<u64> = found["wdl"].as_array().unwrap().iter().map(|part| part.as_u64().unwrap()).collect();
    assert!(wdl[2] > wdl[0], "Black wins: {found}");
    let found = report(&["eval", black]);
    assert!(found["eval"]["cp"].as_i64().unwrap() < -100, "{found}");
    assert_eq!((&found["pieces"][0]["square"], &found["pieces"][0]["piece"]), (&"h8".into(), &"q".into()));
    assert!(found["pieces"][0]["cp"].as_i64().unwrap() < -100, "{found}");
    let found = report(&["compare", black, "--depth", "2"]);
    let searches = found["searches"].as_array().unwrap();
    assert!(
        searches.len() > 5 && searches.iter().all(|search| search["eval"]["cp"].as_i64() < Some(0)),
        "{found}"
    );
    let found = report(&["perft", "2", "--divide"]);
    assert_eq!((&found["nodes"], &found["moves"]["e2e4"]), (&400.into(), &20.into()));
    let found = report(&["bench", "--depth", "1", "--hash", "1"]);
    assert!(found["nodes"].as_u64() > Some(0) && found["nps"].is_u64(), "{found}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let text = stdout(&["perft", "1", &format!("--json={}", path.display())]);
    assert!(text.starts_with("Nodes searched: 20\n"), "{text}");
    let written: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(written["nodes"], 20);
}

#[test]
fn a_preset_sets_the_defaults_that_uci_declares() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("preset.toml");
    fs::write(&path, "threads = 2\nhash = 3\nmultipv = 4\n[uci]\nshow-wdl = true\n").unwrap();
    let path = path.to_str().unwrap();
    let text = answers(&["--config", path], "uci\n");
    for option in [
        "Threads type spin default 2 min 1 max 1024",
        "Hash type spin default 3 min 1 max 33554432",
        "MultiPV type spin default 4 min 1 max 256",
        "UCI_ShowWDL type check default true",
        "UCI_Chess960 type check default false",
    ] {
        assert!(text.contains(&format!("\noption name {option}\n")), "{option} in {text}");
    }
    let text = stdout(&["--config", path, "go", "depth", "2"]);
    assert!(text.contains(" multipv 4 ") && text.contains(" wdl "), "{text}");
    assert_eq!(stdout(&["isready"]), "readyok\n");
    assert_eq!(answers(&["--config", path, "uci"], ""), "", "the subcommand speaks UCI on its input");
}

/// A reader that closes the pipe early, as in `enfilade bench | head -1`, is no reason to fail.
#[test]
fn a_closed_pipe_ends_every_command_without_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("suite.epd");
    fs::write(&suite, SUITE).unwrap();
    let suite = suite.to_str().unwrap();
    for arguments in [
        &["bench", "--depth", "2"][..],
        &["perft", "3"],
        &["search", "--depth", "3"],
        &["suite", suite, "--depth", "2"],
        &["compare", "4k3/8/8/8/8/8/4P3/4K3 w - -", "--depth", "2"],
        &["eval"],
        &["go", "depth", "3"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !errors.contains("panicked"), "{arguments:?}: {errors}");
    }
}

#[test]
fn mistakes_are_errors_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.toml");
    fs::write(&path, "hash = 16\nthread = 4\n").unwrap();
    let error = stderr(&["--config", path.to_str().unwrap()], 1);
    assert!(error.contains("wrong.toml, line 2: unknown field `thread`"), "{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    assert!(stderr(&["serch"], 2).contains("'search'"));
    assert!(stderr(&["perft", "abc"], 2).contains("a whole number from 0 to 20 is needed"));
    assert!(stderr(&["--config", "no-preset"], 1).contains("\"enfilade presets\" lists them"));
    assert!(stderr(&["bench", "--threads", "0"], 2).contains("Threads must lie between 1 and 1024"));
    assert!(stderr(&["perft", "3", "--fen", "8/8/8/8/8/8/8/8 w - -"], 1).contains("king"));
    let error = stderr(&["search", "4k3/8/8/8/8/8/8/4K3"], 1);
    assert!(error.contains("the side to move is missing (w or b)"), "{error}");
}

/// The image listened on another port than all documents, and its table had 64 MiB.
#[cfg(feature = "server")]
#[test]
fn the_image_starts_a_server_on_the_usual_port() {
    let file = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Dockerfile")).unwrap();
    let line = |start: &str| file.lines().find_map(|line| line.strip_prefix(start)).expect(start);
    let words: Vec<String> = serde_json::from_str(line("CMD ")).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert!(words.contains(&"--state") && !words.contains(&"--hash"), "{words:?}");
    assert!(words.contains(&format!("0.0.0.0:{}", line("EXPOSE ")).as_str()), "{words:?}");
    assert!(stdout(&["serve", "--help"]).contains(&format!("127.0.0.1:{}", line("EXPOSE "))));
    // The arguments are right, and only the file of tokens is missing.
    assert!(stderr(&words, 1).contains("cannot read /tokens.toml"));
}

/// The first stage of the image ends with this check.
#[cfg(unix)]
#[test]
fn the_image_looks_for_the_signature_as_bench_prints_it() {
    let file = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Dockerfile")).unwrap();
    let check = file.split_once("bench 2>/dev/null | ").expect("the check").1;
    let check = check.split_once(" \\\n").expect("a further line").0;
    let printed = stdout(&["bench", "--depth", "1", "--hash", "1"]);
    let line = printed.lines().find(|line| line.starts_with("Nodes searched")).expect("the signature");
    let nodes: u64 = line.split_whitespace().next_back().unwrap().parse().expect("a number");
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".ci")).unwrap();
    for (expected, is_right) in [(nodes, true), (nodes + 1, false), (nodes / 10, false)] {
        fs::write(folder.path().join(".ci/bench-signature"), format!("{expected}\n")).unwrap();
        let mut shell = Command::new("sh")
            .args(["-c", check])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        shell.stdin.take().expect("a pipe").write_all(printed.as_bytes()).expect("the shell listens");
        assert_eq!(shell.wait().unwrap().success(), is_right, "{check} with {expected}");
    }
}

/// Reports of defects named a version that many commits have.
#[test]
fn the_long_version_names_the_build_and_the_short_one_is_a_line() {
    let text = stdout(&["--version"]);
    for name in ["commit:", "signature:", "network:", "features:", "platform:", "instructions:"] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name} in {text}");
    }
    assert_eq!(stdout(&["-V"]), format!("enfilade {}\n", env!("CARGO_PKG_VERSION")));
}

#[cfg(feature = "completions")]
#[test]
fn shells_and_man_know_the_program() {
    assert!(stdout(&["completions", "bash"]).contains("complete -F _enfilade"));
    assert!(stderr(&["completions", "tcl"], 2).contains("powershell"));
    let folder = tempfile::tempdir().unwrap();
    stdout(&["manual", folder.path().to_str().unwrap()]);
    let page = fs::read_to_string(folder.path().join("enfilade-search.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("Think about one position"), "{page}");
}
