//! Tests of `analyse --queue` and its workers.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use super::{GAMES, JOBS, LONG, ONE, fleet, ready};
use crate::patience::wait_until;
use crate::program::{stderr, text};
use enfilade::service::analyse::job::AnalysisJob;
use redis::Value;
use serde_json::Value as Json;

#[test]
fn two_workers_give_the_same_bytes_as_no_queue_and_answers_are_kept() {
    let Some(fleet) = fleet(GAMES, None) else { return };
    let expected = fleet.expected("2000");
    let workers = [fleet.worker("60000"), fleet.worker("60000")];
    let said = fleet.analysis("queue", "2000").succeeds();
    assert!(said.contains("2 games analyzed, 29 positions"), "{said}");
    assert_eq!(fleet.files("queue"), expected);
    assert_eq!(fleet.counts(), (JOBS, JOBS));
    fleet.analysis("again", "2000").succeeds();
    assert_eq!(fleet.files("again"), expected);
    assert_eq!(fleet.counts(), (JOBS, JOBS), "nothing is searched again");
    for worker in workers {
        worker.signal("TERM");
        assert!(worker.succeeds().contains(" done"));
    }
    let status = fleet.status();
    assert_eq!((&status["threads"], &status["waiting"]), (&0.into(), &0.into()), "{status}");
}

#[test]
fn two_clients_of_the_same_games_have_nothing_searched_twice() {
    let Some(fleet) = fleet(GAMES, None) else { return };
    let expected = fleet.expected("2000");
    let clients = [fleet.analysis("a", "2000"), fleet.analysis("b", "2000")];
    fleet.until_submitted(JOBS);
    let _workers = [fleet.worker("60000"), fleet.worker("60000")];
    for client in clients {
        client.succeeds();
    }
    assert_eq!((fleet.files("a"), fleet.files("b")), (expected.clone(), expected));
    assert_eq!(fleet.counts(), (JOBS, JOBS));
}

#[test]
fn the_job_of_a_killed_worker_is_taken_over() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let client = fleet.analysis("queue", LONG);
    let worker = fleet.worker("400");
    fleet.until_busy();
    worker.signal("KILL");
    drop(worker);
    let second = fleet.worker("400");
    client.succeeds();
    assert_eq!(fleet.counts(), (1, 1));
    assert_eq!(fleet.files("queue"), fleet.expected(LONG));
    second.signal("TERM");
    second.succeeds();
}

#[test]
fn the_job_of_a_stopped_worker_is_answered_once() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let client = fleet.analysis("queue", LONG);
    let stopped = fleet.worker("1500");
    fleet.until_busy();
    stopped.until_searching();
    stopped.signal("STOP");
    let second = fleet.worker("1500");
    client.succeeds();
    stopped.signal("CONT");
    wait_until("the stopped worker has finished too", || fleet.counts().0 == 2);
    assert_eq!(fleet.counts(), (2, 1));
    assert_eq!(fleet.files("queue"), fleet.expected(LONG));
    for worker in [stopped, second] {
        worker.signal("TERM");
        worker.succeeds();
    }
    assert_eq!(fleet.pending(), []);
}

#[test]
fn sigterm_gives_a_job_back_as_if_it_had_not_been_given_out() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let client = fleet.analysis("queue", "3000000");
    let worker = fleet.worker("60000");
    fleet.until_busy();
    worker.signal("TERM");
    let said = worker.succeeds();
    assert!(said.ends_with("0 jobs done\n"), "{said}");
    let pending = fleet.pending();
    let [(_, keeper, times)] = pending.as_slice() else { panic!("{pending:?}") };
    assert_eq!((keeper.as_str(), *times), ("returned", 0));
    let worker = fleet.worker("60000");
    wait_until("another worker takes it before any lease has run out", || {
        fleet.pending().iter().any(|(_, consumer, times)| consumer != "returned" && *times == 1)
    });
    drop((client, worker));
}

#[test]
fn a_job_is_set_aside_with_its_game_after_three_lost_workers() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let client = fleet.analysis("queue", "2000");
    fleet.until_submitted(1);
    let mut connection = fleet.connection();
    let mut read = redis::cmd("XREADGROUP");
    read.arg(("GROUP", "workers", "dead", "STREAMS")).arg(fleet.jobs()).arg(">");
    read.query::<Value>(&mut connection).expect("a job");
    let place = fleet.pending()[0].0.clone();
    let mut claim = redis::cmd("XCLAIM");
    claim.arg(fleet.jobs()).arg(("workers", "dead", 0, place)).arg(("IDLE", 1000, "RETRYCOUNT", 3));
    claim.query::<Value>(&mut connection).expect("the job");
    let worker = fleet.worker("400");
    let reason = "3 workers ended or were lost while they did this job";
    let said = client.fails();
    assert!(said.contains("game 1: the queue has set it aside: ") && said.contains(reason), "{said}");
    let status = crate::program::stdout(&["queue", "status", "--queue", &fleet.url()]);
    assert!(status.contains("1 set aside") && status.contains(reason), "{status}");
    let said = fleet.analysis("again", "2000").fails();
    assert!(said.contains(reason), "the job is not tried again: {said}");
    crate::program::stdout(&["queue", "clear", "--failed", "--queue", &fleet.url()]);
    let said = fleet.analysis("third", "2000").succeeds();
    assert!(said.contains("1 game analyzed"), "{said}");
    worker.signal("TERM");
    let said = worker.succeeds();
    assert!(said.contains("games.pgn, game 1, job ") && said.contains(reason), "{said}");
}

#[test]
fn client_and_worker_wait_for_a_server_that_restarts() {
    let Some(mut fleet) = fleet(GAMES, None) else { return };
    let expected = fleet.expected("30000");
    let client = fleet.analysis("queue", "30000");
    let worker = fleet.worker("60000");
    fleet.until_busy();
    fleet.kill();
    sleep(Duration::from_millis(300));
    fleet.start();
    let said = client.succeeds();
    assert!(said.contains("waiting for the queue at redis://127.0.0.1:"), "{said}");
    assert_eq!(fleet.files("queue"), expected);
    worker.signal("TERM");
    worker.succeeds();
    let (searches, answers) = fleet.counts();
    assert_eq!(answers, JOBS, "{searches} searches");
}

#[test]
fn a_server_that_has_lost_everything_gets_the_jobs_again() {
    let Some(fleet) = fleet(GAMES, None) else { return };
    let expected = fleet.expected("2000");
    let client = fleet.analysis("queue", "2000");
    fleet.until_submitted(JOBS);
    redis::cmd("FLUSHALL").query::<()>(&mut fleet.connection()).expect("an empty server");
    let worker = fleet.worker("60000");
    client.succeeds();
    assert_eq!(fleet.files("queue"), expected);
    worker.signal("TERM");
    worker.succeeds();
}

#[test]
fn a_killed_client_continues_after_a_restart() {
    let Some(fleet) = fleet(GAMES, None) else { return };
    let expected = fleet.expected("2000");
    let client = fleet.analysis("queue", "2000");
    fleet.until_submitted(JOBS);
    drop(client);
    let _worker = fleet.worker("60000");
    wait_until("the worker has done everything", || fleet.counts().1 == JOBS);
    fleet.analysis("queue", "2000").succeeds();
    assert_eq!(fleet.files("queue"), expected);
    assert_eq!(fleet.counts(), (JOBS, JOBS));
}

#[test]
fn forged_jobs_are_refused_and_other_jobs_are_still_done() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let client = fleet.analysis("queue", "2000");
    fleet.until_submitted(1);
    let (name, honest) = fleet.waiting().remove(0);
    let changed = |change: &dyn Fn(&mut Json)| {
        let mut json: Json = serde_json::from_str(&honest).expect("JSON");
        change(&mut json);
        let job: AnalysisJob = serde_json::from_value(json).expect("a job");
        (job.name(), serde_json::to_string(&job).expect("JSON"))
    };
    let forged = [
        (String::new(), String::new()),
        (name.clone(), "{\"option\":\"EvalFile\"".to_owned()),
        (name.clone(), changed(&|job| job["basis"]["effort"]["nodes"] = 1.into()).1),
        ("x".repeat(100_000), "[".repeat(300_000)),
        changed(&|job| job["moves"] = "e2e5".into()),
        changed(&|job| job["moves"] = "a2a3 ".repeat(5000).into()),
        changed(&|job| job["start"] = "no position".into()),
        changed(&|job| job["first"] = 1_000_000.into()),
        changed(&|job| job["version"] = 99.into()),
        changed(&|job| job["basis"]["fingerprint"]["network"] = "../../etc/passwd".into()),
        changed(&|job| job["basis"]["effort"]["hash"] = 1_000_000.into()),
        changed(&|job| job["basis"]["effort"]["lines"] = 100_000.into()),
        changed(&|job| job["basis"]["effort"]["nodes"] = u64::MAX.into()),
        changed(&|job| job["basis"]["effort"]["nodes"] = Json::Null),
    ];
    let mut connection = fleet.connection();
    for (name, text) in &forged {
        let mut add = redis::cmd("XADD");
        add.arg(fleet.jobs()).arg("*").arg(("name", name)).arg(("job", text)).arg(("label", "\u{1b}[31mred"));
        add.query::<String>(&mut connection).expect("an entry");
    }
    redis::cmd("XADD")
        .arg(fleet.jobs())
        .arg(("*", b"\xff\xfe", "else"))
        .query::<String>(&mut connection)
        .expect("an entry");
    let worker = fleet.worker("60000");
    let said = client.succeeds();
    assert!(said.contains("1 game analyzed"), "{said}");
    let refused = forged.len() as u64 + 1;
    wait_until("all forged jobs have been checked", || fleet.status()["refused"] == refused);
    assert_eq!(fleet.counts(), (1, 1));
    assert_eq!(fleet.status()["failed"], serde_json::json!({}), "no forged job sets another one aside");
    worker.signal("TERM");
    let said = worker.succeeds();
    assert_eq!(said.matches("the job is set aside").count() as u64, refused, "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    assert!(said.ends_with("1 job done\n"), "{said}");
}

#[test]
fn forged_answers_are_searched_again() {
    let Some(fleet) = fleet(GAMES, None) else { return };
    let expected = fleet.expected("2000");
    let client = fleet.analysis("queue", "2000");
    fleet.until_submitted(JOBS);
    drop(client);
    let illegal =
        r#"{"positions":[{"nodes":1,"lines":[{"score":0,"depth":1,"seldepth":1,"moves":"e2e5"}]}]}"#;
    let texts = ["{}", illegal, &"x".repeat(200_000), "{\"positions\":[]}"];
    for ((name, _), text) in fleet.waiting().iter().zip(texts) {
        let mut set = redis::cmd("SET");
        set.arg(format!("enfilade:answer:{name}")).arg(text);
        set.query::<()>(&mut fleet.connection()).expect("an answer");
    }
    let _worker = fleet.worker("60000");
    let said = fleet.analysis("queue", "2000").succeeds();
    assert_eq!(said.matches("its answer is not valid").count() as u64, JOBS, "{said}");
    assert_eq!(fleet.files("queue"), expected);
}

#[test]
fn a_worker_with_other_parameters_takes_nothing_and_status_says_why() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let preset = fleet.path("other.toml");
    fs::write(&preset, "[params]\nrazor_depth = 0\n").expect("a preset");
    let worker =
        fleet.process(&["worker", "--threads", "1", "--config", text(&preset), "--queue", &fleet.url()]);
    fleet.until_identity();
    let client = fleet.analysis("queue", "2000");
    let queue = fleet.url();
    let mut shown = String::new();
    wait_until("the job waits", || {
        shown = crate::program::stdout(&["queue", "status", "--queue", &queue]);
        shown.contains("1 waiting") && shown.contains("1 threads have another search parameters (")
    });
    assert!(shown.contains("why they wait: no worker has Enfilade "), "{shown}");
    drop(client);
    worker.signal("TERM");
    assert!(worker.succeeds().ends_with("0 jobs done\n"));
}

#[test]
fn a_password_is_needed_and_never_shown() {
    let Some(fleet) = fleet(ONE, Some("the-right-one")) else { return };
    let wrong = fleet.path("wrong");
    fs::write(&wrong, "the-wrong-one\n").expect("a file");
    let queue = fleet.url();
    let with_password = queue.replace("//", "//:the-wrong-one@");
    let games = fleet.path("games.pgn");
    let report = fleet.path("a.pgn");
    for arguments in [
        vec!["queue", "status", "--queue", &queue],
        vec!["queue", "status", "--queue", &with_password],
        vec!["worker", "--queue", &queue, "--queue-password-file", text(&wrong)],
        vec!["analyse", text(&games), "--out", text(&report), "--queue", &with_password],
    ] {
        let said = stderr(&arguments, 1);
        assert!(said.contains("refuses access: ") && said.contains("ENFILADE_QUEUE_PASSWORD"), "{said}");
        assert!(!said.contains("-one"), "{said}");
    }
    let mut status = Command::new(env!("CARGO_BIN_EXE_enfilade"));
    status.args(["queue", "status", "--queue", &queue]).env("ENFILADE_QUEUE_PASSWORD", "the-right-one");
    let shown = crate::program::succeeded(&status.output().expect("the binary runs"));
    assert!(shown.contains("The queue is empty"), "{shown}");
}

#[test]
fn a_full_server_and_a_lost_one_are_errors_that_say_what_to_do() {
    let Some(mut fleet) = fleet(GAMES, None) else { return };
    let worker = fleet.worker("60000");
    fleet.until_identity();
    let mut connection = fleet.connection();
    let mut limit = |bytes: &str| {
        redis::cmd("CONFIG").arg(("SET", "maxmemory", bytes)).query::<()>(&mut connection).expect("a limit");
    };
    limit("1");
    let output = fleet.analysis("queue", "2000").end();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("has no room"), "{said}");
    assert!(said.contains("maxmemory") && said.contains("repeat the command"), "{said}");
    limit("0");
    fleet.analysis("queue", "2000").succeeds();
    worker.signal("TERM");
    worker.succeeds();
    fleet.kill();
    let said = stderr(&["queue", "status", "--queue", &fleet.url()], 1);
    assert!(said.contains("does not answer") && said.contains("start the server"), "{said}");
}

fn config(name: &str) -> String {
    text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("configs").join(name)).to_owned()
}

#[test]
fn the_configuration_in_the_repository_keeps_answers_and_asks_for_a_password() {
    let Some(mut fleet) = ready(GAMES, Some("replace-this-password")) else { return };
    fleet.configuration = vec![config("redis.conf")];
    fleet.start();
    let said = stderr(&["queue", "status", "--queue", &fleet.url()], 1);
    assert!(said.contains("refuses access: "), "{said}");
    let mut connection = fleet.connection();
    let mut setting = |name: &str| -> String {
        let (_, value): (String, String) =
            redis::cmd("CONFIG").arg(("GET", name)).query(&mut connection).expect("a setting");
        value
    };
    assert_eq!(
        ["appendonly", "appendfsync", "maxmemory-policy", "save"].map(&mut setting),
        ["yes", "always", "noeviction", ""]
    );
}

#[test]
fn roles_may_do_what_they_are_for_and_nothing_else() {
    let Some(mut fleet) = ready(ONE, Some("replace-the-operators-password")) else { return };
    if fleet.version().contains(" v=6.") {
        eprintln!("skipped: the roles need Redis 7 or later, or Valkey");
        return;
    }
    fleet.configuration = vec![config("redis.conf"), "--aclfile".to_owned(), config("redis-roles.acl")];
    fleet.start();
    let user = |name: &str| fleet.url().replace("//", &format!("//{name}:replace-the-{name}s-password@"));
    let worker = fleet.process(&["worker", "--threads", "1", "--queue", &user("worker")]);
    let queue = user("client");
    let client = fleet.process(&fleet.arguments("queue", &["--nodes", "2000", "--queue", &queue]));
    let said = client.succeeds();
    assert!(said.contains("1 game analyzed"), "{said}");
    worker.signal("TERM");
    let said = worker.succeeds();
    assert!(said.ends_with("1 job done\n"), "{said}");
    let shown = crate::program::stdout(&["queue", "status", "--queue", &user("viewer")]);
    assert!(shown.contains("1 searches, 1 answers"), "{shown}");
    stderr(&["queue", "clear", "--answers", "--queue", &user("viewer")], 1);
    stderr(&["worker", "--queue", &user("client")], 1);
    let jobs = fleet.jobs();
    for (name, command) in [
        ("client", vec!["SET", "enfilade:answer:x", "forged"]),
        ("worker", vec!["XADD", &jobs, "*", "name", "forged"]),
        ("viewer", vec!["HSET", "enfilade:identities", "x", "forged"]),
        ("client", vec!["CONFIG", "GET", "requirepass"]),
        ("worker", vec!["FLUSHALL"]),
    ] {
        let mut connection = redis::Client::open(user(name)).and_then(|client| client.get_connection());
        let mut forged = redis::cmd(command[0]);
        let refused = forged.arg(&command[1..]).query::<Value>(connection.as_mut().expect("a connection"));
        assert_eq!(refused.expect_err(name).code(), Some("NOPERM"), "{command:?}");
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let said = stderr(&["queue", "status", "--queue", "http://:secret@host"], 2);
    assert!(said.contains("redis://host:6379/0") && !said.contains("secret"), "{said}");
    stderr(&["worker"], 2);
    stderr(&["queue", "clear", "--queue", "redis://host"], 2);
    let said = stderr(
        &["analyse", "a.pgn", "--out", "b.pgn", "--threads", "2", "--queue", "redis://:secret@host"],
        2,
    );
    assert!(said.contains("--threads") && !said.contains("secret"), "{said}");
    let missing = Path::new("/no/such/file");
    let said =
        stderr(&["queue", "status", "--queue", "redis://host", "--queue-password-file", text(missing)], 1);
    assert!(said.contains("cannot read /no/such/file"), "{said}");
}
