//! Tests of the fleet with real processes: `enfilade worker`, `enfilade queue` and `analyse --queue` with a server of
//! their own. Whichever process dies, the reports equal those of an analysis without a queue, and no answered job is
//! searched twice.
//!
//! Without `redis-server` these tests are skipped, unless the environment variable ENFILADE_REQUIRE_REDIS is set.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::folder::contents;
use crate::program::{run, stderr, text};
use enfilade::analyse::job::Job;
use redis::{Connection, Value};
use serde_json::Value as Json;

/// Two games with four jobs.
const GAMES: &str = r#"[White "Legal"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0

[White "Queen's gambit"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 Nbd7 7. Rc1 c6 1/2-1/2
"#;
const JOBS: u64 = 4;
/// One job with one position.
const ONE: &str = "[FEN \"r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 9\"]\n\n*\n";
/// A number of nodes for that position whose search takes long enough to do something meanwhile.
const LONG: &str = "400000";

/// The longest wait for an event. After this time it would never come.
const FOREVER: Duration = Duration::from_secs(240);

/// A process that is killed at the end of its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().expect("kill").success());
    }

    /// Waits until the process ends by itself. Returns its output.
    fn end(mut self) -> Output {
        let process = &mut self.0;
        until("the process ends", || process.try_wait().expect("a process").is_some());
        let mut said = String::new();
        if let Some(pipe) = &mut process.stderr {
            std::io::Read::read_to_string(pipe, &mut said).expect("UTF-8");
        }
        let status = process.wait().expect("an end");
        Output { status, stdout: Vec::new(), stderr: said.into_bytes() }
    }

    #[track_caller]
    fn succeeds(self) -> String {
        let output = self.end();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        said
    }
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < FOREVER, "{what}: it never comes");
        sleep(Duration::from_millis(10));
    }
}

/// A server on a free port, and a directory for its data, games and reports.
struct Fleet {
    directory: tempfile::TempDir,
    program: String,
    port: u16,
    password: Option<&'static str>,
    /// Another configuration instead of the usual one, and further arguments.
    configuration: Vec<String>,
    server: Option<Process>,
}

/// A running server for a test. `None` if there is no server program; the test is then skipped.
fn fleet(games: &str, password: Option<&'static str>) -> Option<Fleet> {
    let mut fleet = ready(games, password)?;
    fleet.start();
    Some(fleet)
}

/// Like [`fleet`], but the server does not run yet.
fn ready(games: &str, password: Option<&'static str>) -> Option<Fleet> {
    let is_there = |program: &&&str| Command::new(program).arg("--version").output().is_ok();
    let Some(program) = ["redis-server", "valkey-server"].iter().find(is_there) else {
        let is_required = std::env::var_os("ENFILADE_REQUIRE_REDIS").is_some();
        assert!(!is_required, "redis-server is missing, and ENFILADE_REQUIRE_REDIS is set");
        eprintln!("skipped: there is no redis-server");
        return None;
    };
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("games.pgn"), games).expect("the games");
    let (program, configuration) = ((*program).to_owned(), Vec::new());
    Some(Fleet { directory, program, port, password, configuration, server: None })
}

impl Fleet {
    fn start(&mut self) {
        let mut command = Command::new(&self.program);
        command.args(&self.configuration);
        if self.configuration.is_empty() {
            command.args(["--save", "", "--appendonly", "yes", "--appendfsync", "always"]);
            command.args(self.password.iter().flat_map(|password| ["--requirepass", password]));
        }
        command.args(["--bind", "127.0.0.1", "--port", &self.port.to_string()]);
        command.arg("--dir").arg(self.directory.path());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a server");
        self.server = Some(Process(child));
        until("the server answers", || {
            let connection = self.client().get_connection();
            connection.is_ok_and(|mut connection| redis::cmd("PING").query::<String>(&mut connection).is_ok())
        });
    }

    /// Kills the server, like a power failure.
    fn kill(&mut self) {
        self.server = None;
    }

    fn client(&self) -> redis::Client {
        let password = self.password.map(|password| format!(":{password}@")).unwrap_or_default();
        redis::Client::open(format!("redis://{password}127.0.0.1:{}/0", self.port)).expect("an address")
    }

    fn connection(&self) -> Connection {
        self.client().get_connection().expect("a connection")
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The arguments of an analysis with reports in the directory `out`.
    fn arguments(&self, out: &str, more: &[&str]) -> Vec<String> {
        let out = self.path(out);
        fs::create_dir_all(&out).expect("a directory");
        let mut arguments = vec!["analyse".to_owned(), text(&self.path("games.pgn")).to_owned()];
        for (option, name) in [("--out", "a.pgn"), ("--json", "a.jsonl"), ("--html", "pages")] {
            arguments.extend([option.to_owned(), text(&out.join(name)).to_owned()]);
        }
        arguments.extend(["--hash".to_owned(), "1".to_owned()]);
        arguments.extend(more.iter().map(|word| (*word).to_owned()));
        arguments
    }

    /// The reports of an analysis without a queue.
    fn expected(&self, nodes: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let arguments = self.arguments("alone", &["--nodes", nodes, "--threads", "1"]);
        let output = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self.files("alone")
    }

    /// An analysis that uses the queue.
    fn analysis(&self, out: &str, nodes: &str) -> Process {
        let queue = self.url();
        self.process(&self.arguments(out, &["--nodes", nodes, "--queue", &queue]))
    }

    /// A worker. Its jobs are taken away after `lease` milliseconds without a sign of life.
    fn worker(&self, lease: &str) -> Process {
        self.process(&["worker", "--threads", "1", "--lease", lease, "--queue", &self.url()])
    }

    fn process<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_enfilade"));
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Process(command.spawn().expect("the binary runs"))
    }

    /// All files below the directory `out`, by their names.
    fn files(&self, out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        contents(&self.path(out))
    }

    /// The output of `queue status` about the only identity.
    fn status(&self) -> Json {
        let shown = crate::program::stdout(&["queue", "status", "--json", "--queue", &self.url()]);
        let all: Json = serde_json::from_str(&shown).expect("JSON");
        all[0].clone()
    }

    fn counts(&self) -> (u64, u64) {
        let status = self.status();
        (status["searches"].as_u64().expect("a number"), status["answers"].as_u64().expect("a number"))
    }

    fn jobs(&self) -> String {
        let ids: Vec<String> =
            redis::cmd("HKEYS").arg("enfilade:identities").query(&mut self.connection()).expect("a hash");
        format!("enfilade:jobs:{}", ids.first().expect("an identity"))
    }

    /// The jobs that were given out: place, consumer, and how often.
    fn pending(&self) -> Vec<(String, String, u64)> {
        let mut pending = redis::cmd("XPENDING");
        let reply: Vec<(String, String, u64, u64)> = pending
            .arg(self.jobs())
            .arg(("workers", "-", "+", 100))
            .query(&mut self.connection())
            .unwrap_or_default();
        reply.into_iter().map(|(place, consumer, _, times)| (place, consumer, times)).collect()
    }

    fn until_identity(&self) {
        let mut connection = self.connection();
        until("somebody comes", || {
            redis::cmd("EXISTS").arg("enfilade:identities").query(&mut connection).expect("a number")
        });
    }

    /// Waits until a worker has taken a job.
    fn until_busy(&self) {
        self.until_identity();
        until("a worker takes a job", || !self.pending().is_empty());
    }

    /// Waits until `jobs` jobs are in the stream.
    fn until_submitted(&self, jobs: u64) {
        self.until_identity();
        let mut connection = self.connection();
        let stream = self.jobs();
        until("the jobs are there", || {
            redis::cmd("XLEN").arg(&stream).query::<u64>(&mut connection).expect("a number") == jobs
        });
    }

    /// The names and texts of the jobs in the stream.
    fn waiting(&self) -> Vec<(String, String)> {
        let entries: Vec<(String, BTreeMap<String, String>)> = redis::cmd("XRANGE")
            .arg(self.jobs())
            .arg(("-", "+"))
            .query(&mut self.connection())
            .expect("entries");
        entries.into_iter().map(|(_, fields)| (fields["name"].clone(), fields["job"].clone())).collect()
    }
}

#[test]
fn two_workers_give_the_same_bytes_as_none_and_answers_are_kept() {
    let Some(fleet) = fleet(GAMES, None) else { return };
    let expected = fleet.expected("2000");
    let workers = [fleet.worker("60000"), fleet.worker("60000")];
    let said = fleet.analysis("queue", "2000").succeeds();
    assert!(said.contains("2 games analysed, 29 positions"), "{said}");
    assert_eq!(fleet.files("queue"), expected);
    assert_eq!(fleet.counts(), (JOBS, JOBS));
    fleet.analysis("again", "2000").succeeds();
    assert_eq!(fleet.files("again"), expected);
    assert_eq!(fleet.counts(), (JOBS, JOBS), "nothing is searched again");
    for worker in workers {
        worker.signal("TERM");
        assert!(worker.succeeds().contains("jobs done"));
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
    let stopped = fleet.worker("400");
    fleet.until_busy();
    stopped.signal("STOP");
    let second = fleet.worker("400");
    client.succeeds();
    stopped.signal("CONT");
    until("the other one is ready too", || fleet.counts().0 == 2);
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
    until("another one takes it before any lease has run out", || {
        fleet.pending().iter().any(|(_, consumer, times)| consumer != "returned" && *times == 1)
    });
    drop((client, worker));
}

#[test]
fn a_job_that_three_workers_were_lost_at_is_set_aside_with_its_game() {
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
    let reason = "3 workers have ended or were lost while they were at it";
    let said = client.succeeds();
    assert!(said.contains("game 1: the queue has set it aside: ") && said.contains(reason), "{said}");
    let status = crate::program::stdout(&["queue", "status", "--queue", &fleet.url()]);
    assert!(status.contains("1 set aside") && status.contains(reason), "{status}");
    let said = fleet.analysis("again", "2000").succeeds();
    assert!(said.contains(reason), "nobody tries again by himself: {said}");
    crate::program::stdout(&["queue", "clear", "--failed", "--queue", &fleet.url()]);
    let said = fleet.analysis("third", "2000").succeeds();
    assert!(said.contains("1 games analysed"), "{said}");
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
    redis::cmd("FLUSHALL").query::<()>(&mut fleet.connection()).expect("nothing left");
    let worker = fleet.worker("60000");
    client.succeeds();
    assert_eq!(fleet.files("queue"), expected);
    worker.signal("TERM");
    worker.succeeds();
}

#[test]
fn a_killed_client_goes_on() {
    let Some(fleet) = fleet(GAMES, None) else { return };
    let expected = fleet.expected("2000");
    let client = fleet.analysis("queue", "2000");
    fleet.until_submitted(JOBS);
    drop(client);
    let _worker = fleet.worker("60000");
    until("the worker has done everything", || fleet.counts().1 == JOBS);
    fleet.analysis("queue", "2000").succeeds();
    assert_eq!(fleet.files("queue"), expected);
    assert_eq!(fleet.counts(), (JOBS, JOBS));
}

#[test]
fn forged_jobs_are_refused_and_stop_nobody() {
    let Some(fleet) = fleet(ONE, None) else { return };
    let client = fleet.analysis("queue", "2000");
    fleet.until_submitted(1);
    let (name, honest) = fleet.waiting().remove(0);
    let changed = |change: &dyn Fn(&mut Json)| {
        let mut json: Json = serde_json::from_str(&honest).expect("JSON");
        change(&mut json);
        let job: Job = serde_json::from_value(json).expect("a job");
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
        changed(&|job| job["basis"]["network"] = "../../etc/passwd".into()),
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
    assert!(said.contains("1 games analysed"), "{said}");
    let refused = forged.len() as u64 + 1;
    until("all of them have been looked at", || fleet.status()["refused"] == refused);
    assert_eq!(fleet.counts(), (1, 1));
    assert_eq!(fleet.status()["failed"], serde_json::json!({}), "no forged job speaks for another");
    worker.signal("TERM");
    let said = worker.succeeds();
    assert_eq!(said.matches("the job is set aside").count() as u64, refused, "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    assert!(said.ends_with("1 jobs done\n"), "{said}");
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
    until("the job waits", || {
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
        assert!(said.contains("refuses: ") && said.contains("ENFILADE_QUEUE_PASSWORD"), "{said}");
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
    assert!(said.contains("refuses: "), "{said}");
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
    fleet.configuration = vec![config("redis.conf"), "--aclfile".to_owned(), config("redis-roles.acl")];
    fleet.start();
    let user = |name: &str| fleet.url().replace("//", &format!("//{name}:replace-the-{name}s-password@"));
    let worker = fleet.process(&["worker", "--threads", "1", "--queue", &user("worker")]);
    let queue = user("client");
    let client = fleet.process(&fleet.arguments("queue", &["--nodes", "2000", "--queue", &queue]));
    let said = client.succeeds();
    assert!(said.contains("1 games analysed"), "{said}");
    worker.signal("TERM");
    let said = worker.succeeds();
    assert!(said.ends_with("1 jobs done\n"), "{said}");
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
    let said = stderr(&["queue", "status", "--queue", "http://:secret@host"], 1);
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
