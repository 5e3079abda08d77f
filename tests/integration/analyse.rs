//! Tests of `enfilade analyse` with the real binary. Its output is the same with any number of threads and after any
//! interruption. A fault in one game does not affect another game.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use enfilade::chess::board::Game;
use serde_json::Value;

use crate::folder::contents;
use crate::patience::wait_until;
use crate::program::{run, stderr, text};

/// Games of all kinds: from the usual start position, from another one, of Chess960, with comments and variations, and
/// without moves.
const GAMES: &str = r#"[Event "Paris"]
[Date "1858.??.??"]
[White "Morphy, Paul"]
[Black "Duke Karl & Count <Isouard>"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 {A weak move. [%clk 0:05:00]} (3... exd4 4. Qxd4 (4. Nxd4 Nf6) 4... a6 $14) 4. dxe5 Bxf3 5. Qxf3
dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6
15. Bxd7+ Nxd7 16. Qb8+! Nxb8 17. Rd8# 1-0

[Event "Chess960"]
[White "Nakamura, Hikaru"]
[Black "Aronian, Levon"]
[Result "0-1"]
[Variant "chess 960"]
[SetUp "1"]
[FEN "nnrbkrbq/pppppppp/8/8/8/8/PPPPPPPP/NNRBKRBQ w FCfc - 0 1"]

1. g3 c6 2. c4 g6 3. Nc3 f5 4. d3 e5 5. f4 exf4 6. Bc5 Rf7 7. Rxf4 Bg5 8. Bd4 Bxf4 9. Bxh8 Bxc1 10. Qg1 Bxb2 0-1

[Event "An ending"]
[White "A"]
[Black "B"]
[FEN "4k3/8/8/8/8/8/4P3/4K2R b K - 0 30"]

30... Kd7 31. O-O Ke6 32. e4 1/2-1/2

[Event "No move"]
[Result "1-0"]

1-0

[Event "Mate"]
[White "Legal"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5#
"#;

/// The number of positions in these games.
const POSITIONS: usize = 34 + 21 + 5 + 1 + 14;

/// The arguments of an analysis of `games.pgn` in `directory`, into reports of all kinds in its directory `out`.
pub fn arguments(directory: &Path, out: &str, more: &[&str]) -> Vec<String> {
    let (games, out) = (directory.join("games.pgn"), directory.join(out));
    fs::create_dir_all(&out).expect("a directory");
    let mut arguments = vec!["analyse".to_owned(), text(&games).to_owned()];
    for (option, name) in [("--out", "a.pgn"), ("--json", "a.jsonl"), ("--html", "pages")] {
        arguments.extend([option.to_owned(), text(&out.join(name)).to_owned()]);
    }
    arguments.extend(["--hash".to_owned(), "1".to_owned()]);
    arguments.extend(more.iter().map(|word| (*word).to_owned()));
    arguments
}

/// A directory with the games and room for reports.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new(games: &str) -> Desk {
        let desk = Desk(tempfile::tempdir().expect("a directory"));
        fs::write(desk.path("games.pgn"), games).expect("the games");
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn arguments(&self, out: &str, more: &[&str]) -> Vec<String> {
        arguments(self.0.path(), out, more)
    }

    /// Analyzes the games into the directory `out`. Returns standard error.
    fn analyse(&self, out: &str, more: &[&str]) -> String {
        let arguments = self.arguments(out, more);
        let output = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(output.status.success() && output.stdout.is_empty(), "{said}");
        said
    }

    /// All files below the directory `out`, by their names.
    fn files(&self, out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        contents(&self.path(out))
    }

    fn pgn(&self, out: &str) -> String {
        fs::read_to_string(self.path(out).join("a.pgn")).expect("the report")
    }

    fn json(&self, out: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(out).join("a.jsonl")).expect("the report");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let desk = Desk::new(GAMES);
    for threads in ["1", "2", "5"] {
        let said = desk.analyse(threads, &["--nodes", "300", "--threads", threads]);
        let last = said.lines().last().expect("a summary");
        assert!(last.starts_with(&format!("5 games analyzed, {POSITIONS} positions, ")), "{said}");
    }
    let files = desk.files("1");
    let names: Vec<&str> = files.keys().map(|path| text(path)).collect();
    assert_eq!(names.len(), 8, "no journal is left: {names:?}");
    assert_eq!(desk.files("2"), files);
    assert_eq!(desk.files("5"), files);
}

#[test]
fn every_move_has_its_evaluation_and_what_was_there_is_kept() {
    let desk = Desk::new(GAMES);
    desk.analyse("out", &["--nodes", "300"]);
    let pgn = desk.pgn("out");
    assert_eq!(pgn.matches("[%eval ").count(), POSITIONS);
    let flat = pgn.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("A weak move. [%clk 0:05:00] } ( 3... exd4 4. Qxd4 ( 4. Nxd4 Nf6 ) 4... a6 $14 ) "),
        "{flat}"
    );
    assert!(
        flat.contains("16. Qb8+ $1 { [%eval #1] } 16... Nxb8 { [%eval #1] } 17. Rd8# { [%eval #0] } 1-0"),
        "{flat}"
    );
    assert!(flat.contains("[Variant \"chess 960\"]") && flat.contains("31. O-O "), "{flat}");
    assert!(flat.contains("[Annotator \"Enfilade "), "{flat}");
    // In Légal's mate the fault is Black's blunder.
    assert!(flat.contains("5... Bxd1 $4 { [%eval #2] } ( 5... "), "{flat}");
    // A second analysis of the report gives the same text. Nothing is written twice.
    fs::write(desk.path("games.pgn"), &pgn).expect("the games");
    desk.analyse("again", &["--nodes", "300"]);
    assert_eq!(desk.pgn("again"), pgn);
}

#[test]
fn the_moves_of_the_json_report_are_legal() {
    let desk = Desk::new(GAMES);
    desk.analyse("out", &["--nodes", "3000", "--multipv", "2"]);
    let games = desk.json("out");
    assert_eq!(games.len(), 5);
    for game in &games {
        let (mut board, _) =
            Game::from_fen(game["start"]["fen"].as_str().expect("a FEN")).expect("a position");
        let mut known = &game["start"];
        for played in game["moves"].as_array().expect("moves") {
            let lines = [&known["line"]]
                .into_iter()
                .chain(known["lines"].as_array().into_iter().flatten().map(|line| &line["line"]));
            for line in lines {
                let mut ahead = board.clone();
                for mv in line.as_array().expect("a line") {
                    ahead.play_uci(mv.as_str().expect("a move")).expect("a legal move");
                }
            }
            assert!(known["nodes"].as_u64().is_some_and(|nodes| (1..20_000).contains(&nodes)), "{known}");
            assert_eq!(
                known["wdl"].as_array().expect("chances").iter().filter_map(Value::as_u64).sum::<u64>(),
                1000
            );
            board.play_uci(played["uci"].as_str().expect("a move")).expect("a legal move");
            known = played;
        }
    }
    let mate = &games[0]["moves"][32];
    assert_eq!(
        (&mate["eval"]["mate"], &mate["best"], &mate["judgment"]),
        (&Value::from(0), &Value::Null, &Value::Null)
    );
    assert_eq!(games[1]["variant"], "chess960");
    assert_eq!(games[3]["moves"].as_array().map(Vec::len), Some(0));
    let fault =
        games[4]["moves"].as_array().expect("moves").iter().find(|mv| mv["san"] == "Bxd1").expect("the move");
    assert_eq!(fault["judgment"], "blunder");
    assert!(fault["better"].is_array() && fault["loss"].as_f64().is_some_and(|loss| loss > 300.0), "{fault}");
    assert!(games[4]["players"]["black"]["blunders"].as_u64() >= Some(1));
}

/// The journal's lines of an unfinished run into `out`.
fn journal(desk: &Desk, out: &str) -> Vec<String> {
    let text = fs::read_to_string(desk.path(out).join("a.pgn.journal")).unwrap_or_default();
    // The last line may be incomplete while it is written.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_killed_run_continues_and_searches_no_position_twice() {
    let desk = Desk::new(&GAMES.repeat(4));
    desk.analyse("whole", &["--nodes", "4000", "--threads", "2"]);
    let arguments = desk.arguments("killed", &["--nodes", "4000", "--threads", "2"]);
    for finished in [2, 5, 9, 14] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
            .args(&arguments)
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        wait_until("result in the journal", || {
            journal(&desk, "killed").len() >= finished || child.try_wait().expect("a child").is_some()
        });
        child.kill().expect("a kill");
        child.wait().expect("an end");
        assert!(!desk.path("killed").join("a.pgn").exists() && !desk.path("killed").join("a.jsonl").exists());
    }
    let lines = journal(&desk, "killed");
    let jobs: BTreeSet<&str> =
        lines.iter().map(|line| line.split("\"job\":").nth(1).expect("a job")).collect();
    // The same game occurs four times, and so do its jobs.
    let games: BTreeSet<&str> = lines.iter().map(String::as_str).collect();
    assert!(jobs.len() >= 5 && games.len() == lines.len(), "a chunk was searched twice: {lines:#?}");
    let said = desk.analyse("killed", &["--nodes", "4000", "--threads", "1"]);
    let restored: usize = said
        .split(" (")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .expect(&said)
        .parse()
        .expect("a number");
    let known: usize = lines.iter().map(|line| line.matches("\"nodes\":").count()).sum();
    assert!(restored >= known && restored <= 4 * POSITIONS, "{said}");
    let unfinished = |files: BTreeMap<PathBuf, Vec<u8>>| -> BTreeMap<PathBuf, Vec<u8>> {
        files.into_iter().filter(|(path, _)| !text(path).ends_with(".unfinished")).collect()
    };
    assert_eq!(unfinished(desk.files("killed")), unfinished(desk.files("whole")));
}

#[test]
fn a_journal_of_other_settings_is_refused_and_kept() {
    let desk = Desk::new(GAMES);
    let arguments = desk.arguments("out", &["--nodes", "20000000"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(&arguments)
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let journal = desk.path("out").join("a.pgn.journal");
    wait_until("journal", || fs::metadata(&journal).is_ok_and(|file| file.len() > 0));
    // While the first run works, a second one is refused.
    let second = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(
        String::from_utf8_lossy(&second.stderr).contains("another process is using this journal"),
        "{second:?}"
    );
    child.kill().expect("a kill");
    child.wait().expect("an end");
    let before = fs::read(&journal).expect("the journal");
    let other = desk.arguments("out", &["--nodes", "300"]);
    let complaint = stderr(&other.iter().map(String::as_str).collect::<Vec<_>>(), 1);
    assert!(
        complaint.contains(
            "a.pgn.journal: the journal belongs to an analysis with another effort (20000000 nodes, table of 1 MiB \
             there, 300 nodes, table of 1 MiB here)"
        ),
        "{complaint}"
    );
    assert_eq!(fs::read(&journal).expect("the journal"), before);
}

#[test]
fn an_unreadable_game_is_reported_and_the_others_are_analysed() {
    let huge = "x".repeat(5 << 20);
    let text = format!(
        "[Event \"1\"]\n\n1. e4 e4 *\n\n[Event \"2\"]\n\n1. d4 *\n\n[Event \"3\"]\n[FEN \"9/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n\n\
         [Event \"4\"]\n\n1. e4 {{no end\n\n[Event \"5\"]\n[Site \"{huge}\"]\n\n1. e4 *\n\n\
         [Event \"6\"]\n[White \"\\\"><script>alert(1)</script>\"]\n[Black \"\u{1b}[31m\"]\n\n1. c4 c5 *\n\n\
         [Event \"7\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"8\"]\n\n1. e4 (1. d4\n\n[Event \"9\"]\n\n1. Nf3 Nf6 2. Ng"
    );
    let desk = Desk::new(&text);
    let said = desk.analyse("out", &["--nodes", "100"]);
    let complaints: Vec<&str> = said.lines().filter_map(|line| line.split(", game ").nth(1)).collect();
    assert_eq!(
        complaints,
        [
            "1: line 3, ply 2: move e4 is not legal in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1; left out",
            "3: line 9, column 1: FEN: piece placement \"9/8/8/8/8/8/8/8\" is not eight ranks of eight squares; left out",
            "4: line 16, ply 2: a comment does not end; left out",
            "5: line 18, column 1: its text is longer than 4 MiB; left out",
            "7: line 29, column 1: the variant \"Atomic\" is not chess; left out",
            "8: line 36, column 7: a variation does not end; left out",
            "9: line 40, ply 3: \"Ng\" is not a move; left out",
        ]
    );
    assert!(
        said.lines().last().is_some_and(
            |line| line.starts_with("2 games analyzed, 5 positions, ") && line.ends_with("; 7 left out")
        ),
        "{said}"
    );
    let events: Vec<Value> = desk.json("out").iter().map(|game| game["tags"]["Event"].clone()).collect();
    assert_eq!(events, ["2", "6"]);
    for (name, file) in desk.files("out") {
        let file = String::from_utf8(file).expect("UTF-8");
        let is_page = name.extension().is_some_and(|extension| extension == "html");
        assert!(!is_page || !file.contains("<script>alert"), "{}", name.display());
        assert!(!file.contains('\u{1b}'), "{}", name.display());
    }
}

#[test]
fn positions_and_standard_input_are_read() {
    let desk = Desk::new("");
    let epd =
        "6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#; id \"back rank\";\nno position\n8/8/8/8/8/8/8/K1k5 b - -\n";
    for (name, input) in [("epd", epd), ("pgn", GAMES)] {
        let json = desk.path(&format!("{name}.jsonl"));
        let output = piped(&["analyse", "-", "--nodes", "200", "--json", text(&json)], input);
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(output.status.success(), "{said}");
        let lines = fs::read_to_string(&json).expect("the report");
        let games: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        if name == "epd" {
            assert!(said.contains("standard input, game 2: line 2: "), "{said}");
            assert_eq!(
                (&games[0]["tags"]["Event"], &games[0]["start"]["best"]),
                (&"back rank".into(), &"e1e8".into())
            );
            assert_eq!(
                (&games[0]["start"]["eval"]["mate"], &games[1]["start"]["eval"]["cp"]),
                (&1.into(), &0.into())
            );
        } else {
            assert_eq!(games.len(), 5);
        }
    }
}

fn piped(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the binary listens");
    child.wait_with_output().expect("the binary ends")
}

#[test]
fn players_and_moves_can_be_chosen() {
    let desk = Desk::new(GAMES);
    let said = desk.analyse("player", &["--nodes", "100", "--player", "aronian"]);
    assert!(
        said.contains("1 game analyzed, 21 positions, ") && said.contains("; 4 of other players"),
        "{said}"
    );
    assert_eq!(desk.json("player")[0]["game"], 2);
    desk.analyse("part", &["--nodes", "100", "--from", "5", "--to", "6"]);
    for game in desk.json("part") {
        let moves = game["moves"].as_array().expect("moves");
        let judged: Vec<u64> = moves
            .iter()
            .filter(|mv| mv["accuracy"].is_number())
            .filter_map(|mv| mv["number"].as_u64())
            .collect();
        let expected: &[u64] = if moves.len() > 10 { &[5, 5, 6, 6] } else { &[] };
        assert_eq!(judged, expected);
    }
    assert_eq!(desk.pgn("part").matches("[%eval ").count(), 3 * 5);
}

#[test]
fn wrong_arguments_are_refused_before_any_work() {
    let desk = Desk::new(GAMES);
    let (games, missing) = (desk.path("games.pgn"), desk.path("missing/a.pgn"));
    let before = fs::read(&games).expect("the games");
    let complaint = stderr(&["analyse", text(&games)], 2);
    assert!(complaint.contains("--out") && complaint.contains("--html"), "{complaint}");
    let complaint = stderr(&["analyse", text(&games), "--out", text(&games)], 1);
    assert!(complaint.contains("the reports must not take the place of the games"), "{complaint}");
    let place = desk.path("a");
    let complaint = stderr(&["analyse", text(&games), "--out", text(&place), "--json", text(&place)], 1);
    assert!(complaint.contains("two reports cannot have the same place"), "{complaint}");
    let complaint = stderr(&["analyse", text(&games), "--out", text(&missing)], 1);
    assert!(complaint.contains("cannot write") && complaint.contains("missing/a.pgn"), "{complaint}");
    let complaint = stderr(&["analyse", text(&missing), "--out", text(&desk.path("b.pgn"))], 1);
    assert!(complaint.contains("cannot read") && complaint.contains("missing/a.pgn"), "{complaint}");
    assert_eq!(
        stderr(&["analyse", text(&games), "--out", "a.pgn", "--nodes", "0"], 2)
            .lines()
            .next()
            .map(|line| line.contains("--nodes")),
        Some(true)
    );
    let names: Vec<_> = fs::read_dir(desk.0.path())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["games.pgn"], "nothing is left behind");
    assert_eq!(fs::read(&games).expect("the games"), before);
}

#[test]
fn an_old_report_stays_until_the_new_one_is_complete() {
    let desk = Desk::new(GAMES);
    let out = desk.path("out.pgn");
    fs::write(&out, "old").expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(["analyse", text(&desk.path("games.pgn")), "--nodes", "50000000", "--out", text(&out)])
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let journal = desk.path("out.pgn.journal");
    wait_until("journal", || journal.exists());
    child.kill().expect("a kill");
    child.wait().expect("an end");
    assert_eq!(fs::read_to_string(&out).expect("the report"), "old");
}

/// The old report became an empty file, and the status was that of a success.
#[test]
fn a_run_that_analyzes_nothing_fails_and_keeps_the_old_report() {
    let desk = Desk::new("1. e4 e5 *\n");
    desk.analyse("out", &["--nodes", "100"]);
    let before = desk.files("out");
    let refused = |more: &[&str], reason: &str| {
        let arguments = desk.arguments("out", &[&["--nodes", "100"], more].concat());
        let said = stderr(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), 1);
        assert!(said.contains("nothing was analyzed: ") && said.contains(reason), "{said}");
        assert!(desk.files("out") == before, "the reports are others, or a journal is left: {said}");
    };
    refused(&["--player", "Nobody"], "1 of other players");
    refused(&["--from", "50"], "1 without the moves asked for");
    fs::write(desk.path("games.pgn"), "these are words\n").expect("the games");
    refused(&[], "1 left out");
    fs::write(desk.path("games.pgn"), "").expect("the games");
    refused(&[], "there is no game");
    let arguments = desk.arguments("out", &["--from", "50", "--to", "3"]);
    stderr(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), 2);
}

/// `--json -` made a file with this name.
#[test]
fn a_hyphen_is_standard_output() {
    let desk = Desk::new("1. e4 e5 *\n");
    let games = desk.path("games.pgn");
    let written = |more: &[&str]| {
        let output = run(&[&["analyse", text(&games), "--nodes", "100", "--hash", "1"], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let pgn = written(&["--out", "-"]);
    assert!(pgn.contains("1. e4") && pgn.contains("[%eval "), "{pgn}");
    for more in [&["--json", "-"][..], &["--json"]] {
        let json: Value = serde_json::from_str(&written(more)).expect("one line of JSON");
        assert_eq!(json["moves"].as_array().map(Vec::len), Some(2));
    }
    assert!(!Path::new("-").exists());
    let names: Vec<_> = fs::read_dir(desk.0.path()).expect("a directory").collect();
    assert_eq!(names.len(), 1, "no journal: {names:?}");
    let twice = ["analyse", text(&games), "--json", "-", "--out", "-"];
    assert!(stderr(&twice, 1).contains("two reports cannot have the same place"));
}

/// The second line was in no page.
#[test]
fn a_page_shows_further_lines() {
    let desk = Desk::new("1. e4 e5 *\n");
    desk.analyse("out", &["--nodes", "500", "--multipv", "3"]);
    let page = fs::read_to_string(desk.path("out/pages/game-000001.html")).expect("a page");
    let lines = page.split("id=\"l0\"").nth(1).expect("the lines of the first position");
    let lines = lines.split("</td>").next().expect("an end");
    assert_eq!(lines.matches("<div><b>").count(), 3, "{lines}");
}

/// A file that was not finished was left beside the report, and nothing was said.
#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_journal_alone_and_says_how_to_go_on() {
    let desk = Desk::new(GAMES);
    let arguments = desk.arguments("out", &["--nodes", "20000", "--threads", "1"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(&arguments)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    wait_until("the journal has an answer", || journal(&desk, "out").len() > 1);
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(told.success());
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().expect("a pipe"), &mut said).expect("UTF-8");
    assert_eq!(child.wait().expect("an end").code(), Some(130), "{said}");
    assert!(said.ends_with("interrupted; the same command goes on where this one stopped\n"), "{said}");
    let names: Vec<PathBuf> = desk.files("out").into_keys().collect();
    assert!(names.iter().all(|name| !text(name).ends_with(".unfinished")), "{names:?}");
    let said = desk.analyse("out", &["--nodes", "20000", "--threads", "1"]);
    assert!(said.contains(" of them by an earlier run)"), "{said}");
}
