//! Tests of `datagen --queue`: after any failure, the files are the same as without a queue.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::{Fleet, ONE, Process, fleet};
use crate::patience::wait_until;
use crate::program::{self, text};
use redis::Value;

/// A run of three jobs. The last job has fewer games.
const PLAN: &[&str] = &["--games", "19", "--nodes", "40", "--endgame-nodes", "9", "--seed", "7"];
const JOBS: u64 = 3;
/// A run that takes long enough for a test to do something in the meantime.
const LONG: &[&str] = &["--games", "41", "--nodes", "500", "--seed", "7"];
const LONG_JOBS: u64 = 6;
const SHARD: &str = "seed7-run0-thread0-part0.viriformat";

impl Fleet {
    fn datagen_arguments(&self, out: &str, more: &[&str]) -> Vec<String> {
        let start = ["datagen", "--out", text(&self.path(out))].map(str::to_owned);
        start.into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect()
    }

    /// The files of a run without a queue.
    fn games(&self, plan: &[&str]) -> BTreeMap<PathBuf, Vec<u8>> {
        let arguments = self.datagen_arguments("alone", plan);
        program::stdout(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        self.files("alone")
    }

    /// Starts a run with the queue.
    fn datagen(&self, out: &str, plan: &[&str]) -> Process {
        let queue = self.url();
        self.process(&self.datagen_arguments(out, &[plan, &["--queue", &queue]].concat()))
    }

    /// Waits until the run has stored a game.
    fn until_stored(&self, out: &str) {
        let shard = self.path(out).join(SHARD);
        wait_until("a game is stored", || fs::metadata(&shard).is_ok_and(|shard| shard.len() > 0));
    }
}

#[test]
fn two_workers_write_the_bytes_of_one_thread() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let _workers = [fleet.worker("60000"), fleet.worker("60000")];
    fleet.datagen("queue", PLAN).succeeds();
    assert_eq!(fleet.files("queue"), fleet.games(PLAN));
    assert_eq!(fleet.counts(), (JOBS, JOBS));
    fleet.datagen("again", PLAN).succeeds();
    assert_eq!(fleet.files("again"), fleet.files("queue"));
    assert_eq!(fleet.counts(), (JOBS, JOBS), "nothing is played again");
    // A second run in the same directory plays other games, as without a queue.
    fleet.datagen("queue", PLAN).succeeds();
    let both = fleet.games(PLAN);
    assert_eq!(both.len(), 2);
    assert_eq!(fleet.files("queue"), both);
    let other = [PLAN, &["--chess960"]].concat();
    fleet.datagen("960", &other).succeeds();
    fs::remove_dir_all(fleet.path("alone")).expect("a directory");
    assert_eq!(fleet.files("960"), fleet.games(&other));
}

/// One position of forty is balanced. So more than half of the games have no balanced position in their first job.
#[test]
fn games_without_a_balanced_position_get_further_ones() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let book = fleet.path("book.epd");
    let won = "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\n".repeat(39);
    fs::write(&book, format!("{won}rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"))
        .expect("a book");
    let plan = ["--games", "9", "--nodes", "20", "--seed", "3", "--book", text(&book)];
    let _worker = fleet.worker("60000");
    fleet.datagen("queue", &plan).succeeds();
    assert_eq!(fleet.files("queue"), fleet.games(&plan));
    assert!(fleet.counts().1 > 2, "{:?}", fleet.counts());
}

#[test]
fn a_book_of_decided_positions_is_an_error_and_leaves_nothing() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let book = fleet.path("book.epd");
    fs::write(&book, "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\n").expect("a book");
    let _worker = fleet.worker("60000");
    let plan = ["--games", "2", "--nodes", "1", "--book", text(&book)];
    let output = fleet.datagen("queue", &plan).end();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("no game can begin from the positions"), "{said}");
    assert_eq!(fleet.files("queue").len(), 0);
}

#[test]
fn a_killed_generation_continues_after_its_stored_games() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let client = fleet.datagen("queue", LONG);
    let _worker = fleet.worker("60000");
    fleet.until_stored("queue");
    drop(client);
    assert!(fleet.path("queue").join("seed7.unfinished.json").exists(), "it was killed before its end");
    let said = fleet.datagen("queue", LONG).succeeds();
    assert!(said.contains("41/41 games"), "{said}");
    assert_eq!(fleet.files("queue"), fleet.games(LONG));
    assert_eq!(fleet.counts(), (LONG_JOBS, LONG_JOBS), "nothing is played twice");
}

#[test]
fn killed_workers_and_a_killed_server_do_not_change_the_games() {
    let Some(mut fleet) = fleet(ONE, None) else { return };
    let client = fleet.datagen("queue", LONG);
    let [first, second] = [fleet.worker("400"), fleet.worker("400")];
    fleet.until_identity();
    wait_until("both workers are there", || fleet.status()["threads"] == 2);
    drop(first);
    fleet.until_stored("queue");
    fleet.kill();
    fleet.start();
    client.succeeds();
    assert_eq!(fleet.files("queue"), fleet.games(LONG));
    assert_eq!(fleet.counts().1, LONG_JOBS);
    second.signal("TERM");
    second.succeeds();
    assert_eq!(fleet.pending(), []);
}

#[test]
fn jobs_of_both_kinds_wait_in_one_queue() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let datagen = fleet.datagen("games", PLAN);
    fleet.until_submitted(JOBS);
    let analysis = fleet.analysis("reports", "2000");
    fleet.until_submitted(JOBS + 1);
    let shown = program::stdout(&["queue", "status", "--queue", &fleet.url()]);
    assert!(shown.contains("jobs: 4 waiting") && shown.contains("1 of analyse, 3 of datagen"), "{shown}");
    let _worker = fleet.worker("60000");
    datagen.succeeds();
    analysis.succeeds();
    assert_eq!(fleet.files("games"), fleet.games(PLAN));
    fs::remove_dir_all(fleet.path("alone")).expect("a directory");
    assert_eq!(fleet.files("reports"), fleet.expected("2000"));
    let status = fleet.status();
    assert_eq!((&status["analyse"], &status["datagen"]), (&0.into(), &0.into()), "{status}");
}

#[test]
fn forged_games_are_played_again_and_forged_jobs_refused() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let client = fleet.datagen("queue", PLAN);
    fleet.until_submitted(JOBS);
    drop(client);
    let jobs = fleet.waiting();
    let illegal = r#"{"games":[{"start":0,"moves":"e2e5","scores":[0]}]}"#;
    let mut connection = fleet.connection();
    for ((name, _), text) in jobs.iter().zip(["{}", illegal, &"x".repeat(1_000_000)]) {
        let mut set = redis::cmd("SET");
        set.arg(format!("enfilade:answer:{name}")).arg(text).query::<()>(&mut connection).expect("an answer");
    }
    let (name, text) = &jobs[0];
    let forged = [
        (name.clone(), text.replacen("\"usual\":40", "\"usual\":41", 1)),
        (name.clone(), text.replacen("\"hash\":2", "\"hash\":200000", 1)),
        (name.clone(), r#"{"kind":"datagen","out":"/etc"}"#.to_owned()),
        (name.clone(), r#"{"kind":"else"}"#.to_owned()),
    ];
    for (name, text) in &forged {
        assert_ne!(text, &jobs[0].1);
        let mut add = redis::cmd("XADD");
        add.arg(fleet.jobs()).arg("*").arg(("name", name)).arg(("job", text)).arg(("label", "forged"));
        add.query::<String>(&mut connection).expect("an entry");
    }
    let _worker = fleet.worker("60000");
    let said = fleet.datagen("queue", PLAN).succeeds();
    assert_eq!(said.matches("its answer is not valid").count() as u64, JOBS, "{said}");
    assert_eq!(fleet.files("queue"), fleet.games(PLAN));
    wait_until("the forged jobs have been checked", || fleet.status()["refused"] == forged.len() as u64);
}

#[test]
fn a_job_that_was_set_aside_is_an_error_that_names_its_games() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let client = fleet.datagen("queue", PLAN);
    fleet.until_submitted(JOBS);
    let mut connection = fleet.connection();
    let mut read = redis::cmd("XREADGROUP");
    read.arg(("GROUP", "workers", "dead", "COUNT", 1, "STREAMS")).arg(fleet.jobs()).arg(">");
    read.query::<Value>(&mut connection).expect("a job");
    let place = fleet.pending()[0].0.clone();
    let mut claim = redis::cmd("XCLAIM");
    claim.arg(fleet.jobs()).arg(("workers", "dead", 0, place)).arg(("IDLE", 1000, "RETRYCOUNT", 3));
    claim.query::<Value>(&mut connection).expect("the job");
    let _worker = fleet.worker("400");
    let output = client.end();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("seed 7, run 0, games 1 to 8: the queue has set the job aside"), "{said}");
    program::stdout(&["queue", "clear", "--failed", "--queue", &fleet.url()]);
    fleet.datagen("queue", PLAN).succeeds();
    assert_eq!(fleet.files("queue"), fleet.games(PLAN));
}
