//! Tests of a client whose disk is full. It must end with an error that names the file, and leave no incomplete report.
//! With room on the disk, the same command must continue.
//!
//! A limit of the file size stands for the full disk: a write beyond some kilobytes fails, as it does on a full disk.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{GAMES, fleet};
use crate::folder::contents;
use crate::program::{self, text};

/// Runs the binary. No file of it may have more than `blocks` blocks. A block has 512 or 1024 bytes, depending on the
/// shell.
fn run_without_room(blocks: u32, arguments: &[String]) -> Output {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""));
    shell.arg(env!("CARGO_BIN_EXE_enfilade")).args(arguments).output().expect("a shell")
}

/// Runs the binary with the limit. It must fail. Returns its error message.
#[track_caller]
fn refused(blocks: u32, arguments: &[String]) -> String {
    let output = run_without_room(blocks, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("File too large"), "{said}");
    said
}

fn succeeded(arguments: &[String]) -> String {
    let output = program::run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Games whose answers need more room than the limit. Each game begins with another move, so no two games have the same
/// jobs.
fn many_games() -> String {
    let first = ["a3", "a4", "b3", "b4", "c3", "c4", "d3", "d4", "e3", "e4", "f4", "g3", "g4", "h3", "h4"];
    let game = |first: &str| {
        format!("[White \"{first}\"]\n\n1. {first} Nf6 2. Nf3 Ng8 3. Ng1 Nf6 4. Nf3 Ng8 5. Ng1 *\n\n")
    };
    first.map(game).concat()
}

/// The paths of the files in a directory, at any depth.
fn names(directory: &Path) -> Vec<String> {
    contents(directory).into_keys().map(|path| path.display().to_string()).collect()
}

#[test]
fn an_analysis_on_a_full_disk_leaves_only_its_journal_and_goes_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| text(&directory.path().join(name)).to_owned();
    fs::write(path("games.pgn"), many_games()).expect("the games");
    let arguments = |out: &str| {
        fs::create_dir_all(path(out)).expect("a directory");
        let pgn = format!("{}/a.pgn", path(out));
        words(&["analyse", &path("games.pgn"), "--nodes", "300", "--hash", "1", "--out", &pgn])
    };
    let said = refused(8, &arguments("full"));
    assert!(said.contains("cannot write ") && said.contains("a.pgn.journal: "), "{said}");
    assert_eq!(names(Path::new(&path("full"))), ["a.pgn.journal"]);
    let said = succeeded(&arguments("full"));
    assert!(said.contains("by an earlier run"), "the jobs in the journal are not searched again: {said}");
    succeeded(&arguments("room"));
    assert_eq!(contents(Path::new(&path("full"))), contents(Path::new(&path("room"))));
}

#[test]
fn a_shard_on_a_full_disk_ends_with_a_whole_game() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = text(&directory.path().join("games")).to_owned();
    let arguments = words(&["datagen", "--games", "40", "--nodes", "30", "--out", &out]);
    let said = refused(8, &arguments);
    assert!(
        said.contains("cannot write to ") && said.contains("seed1-run0-thread0-part0.viriformat: "),
        "{said}"
    );
    let verdict = program::stdout(&["data", "verify", &out]);
    assert!(verdict.contains("sound"), "{verdict}");
    // If there is no room for a single game, no file is left.
    let out = text(&directory.path().join("nothing")).to_owned();
    refused(0, &words(&["datagen", "--games", "2", "--nodes", "30", "--out", &out]));
    assert_eq!(names(Path::new(&out)), Vec::<String>::new());
}

#[test]
fn clients_of_a_queue_on_a_full_disk_go_on_when_there_is_room() {
    let Some(fleet) = fleet(GAMES, None) else { return };
    fs::write(fleet.path("games.pgn"), many_games()).expect("the games");
    let _worker = fleet.worker("60000");
    fleet.until_identity();
    let queue = fleet.url();
    fs::create_dir(fleet.path("queue")).expect("a directory");
    fs::create_dir(fleet.path("alone")).expect("a directory");
    let (games, report, other) =
        (fleet.path("games.pgn"), fleet.path("queue/a.pgn"), fleet.path("alone/a.pgn"));
    let analyse = ["analyse", text(&games), "--nodes", "300", "--out"];
    let analysis = words(&[&analyse[..], &[text(&report), "--queue", &queue]].concat());
    let said = refused(8, &analysis);
    assert!(said.contains("a.pgn.journal: "), "{said}");
    assert_eq!(names(&fleet.path("queue")), ["a.pgn.journal"]);
    succeeded(&analysis);
    succeeded(&words(&[&analyse[..], &[text(&other)]].concat()));
    assert_eq!(fleet.files("queue"), fleet.files("alone"));
    let counts = fleet.counts();
    assert_eq!(counts.0, counts.1, "nothing is searched twice");

    let out = fleet.path("games");
    let plan = ["datagen", "--games", "40", "--nodes", "30", "--seed", "2", "--out"];
    let by_queue = words(&[&plan[..], &[text(&out), "--queue", &queue]].concat());
    let said = refused(8, &by_queue);
    assert!(said.contains("seed2-run0-thread0-part0.viriformat: "), "{said}");
    assert!(program::stdout(&["data", "verify", text(&out)]).contains("sound"));
    succeeded(&by_queue);
    succeeded(&words(&[&plan[..], &[text(&fleet.path("alone-games"))]].concat()));
    assert_eq!(fleet.files("games"), fleet.files("alone-games"));
}
