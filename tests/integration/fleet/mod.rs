//! Tests of the fleet with real processes: `enfilade worker`, `enfilade queue`, `analyse --queue` and `datagen
//! --queue`. Each test has a server of its own. After any failure, the files must be the same as without a queue, and
//! no job that has an answer may be done again.
//!
//! The server is `redis-server` or `valkey-server`. The environment variable ENFILADE_REDIS_SERVER can name another
//! program. If there is no server, these tests are skipped. If the variable ENFILADE_REQUIRE_REDIS is set, they fail
//! instead.

mod analysis;
mod datagen;
mod room;
mod tls;

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use crate::analyse;
use crate::folder::contents;
use crate::patience::wait_until;
use crate::program::run;
use redis::Connection;
use serde_json::Value as Json;

/// Two games. Together they have four jobs.
const GAMES: &str = r#"[White "Legal"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0

[White "Queen's gambit"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 Nbd7 7. Rc1 c6 1/2-1/2
"#;
const JOBS: u64 = 4;
/// One game of one position. It has one job.
const ONE: &str = "[FEN \"r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 9\"]\n\n*\n";
/// A node limit for that position. The search takes long enough for a test to do something in the meantime.
const LONG: &str = "2000000";

/// A process that ends with its test.
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

    /// Waits until the process has used 50 ms of processor time, so that it must be searching: waiting for a job takes
    /// next to none. A worker that is stopped before it has read its job gets an interrupted system call in its place.
    fn until_searching(&self) {
        let path = format!("/proc/{}/stat", self.0.id());
        let ticks = || {
            let stat = std::fs::read_to_string(&path).expect("a process");
            let (_, fields) = stat.rsplit_once(") ").expect("a name");
            let user_time = fields.split(' ').nth(11).expect("fourteen fields");
            user_time.parse::<u64>().expect("hundredths of a second")
        };
        let before = ticks();
        wait_until("the process searches", || ticks() >= before + 5);
    }

    /// Waits until the process ends. Returns its exit status and what it wrote to standard error.
    fn end(mut self) -> Output {
        let process = &mut self.0;
        wait_until("the process ends", || process.try_wait().expect("a process").is_some());
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

    /// The process must end with status 1.
    #[track_caller]
    fn fails(self) -> String {
        let output = self.end();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        said
    }
}

/// A server on a free port, with a directory for the server's data, the games and the reports.
struct Fleet {
    directory: tempfile::TempDir,
    program: String,
    port: u16,
    password: Option<&'static str>,
    /// The server's arguments. If they are empty, the server gets the usual arguments.
    configuration: Vec<String>,
    /// Environment variables for clients and workers.
    environment: Vec<(&'static str, String)>,
    server: Option<Process>,
}

/// A running server for a test. If there is no server program, returns `None`, and the test is skipped.
fn fleet(games: &str, password: Option<&'static str>) -> Option<Fleet> {
    let mut fleet = ready(games, password)?;
    fleet.start();
    Some(fleet)
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

/// The same as [`fleet`], but the server is not yet running.
fn ready(games: &str, password: Option<&'static str>) -> Option<Fleet> {
    let named = std::env::var("ENFILADE_REDIS_SERVER").ok();
    let programs =
        named.map_or_else(|| vec!["redis-server".to_owned(), "valkey-server".to_owned()], |name| vec![name]);
    let is_there = |program: &String| Command::new(program).arg("--version").output().is_ok();
    let Some(program) = programs.into_iter().find(is_there) else {
        let is_required = std::env::var_os("ENFILADE_REQUIRE_REDIS").is_some();
        assert!(!is_required, "redis-server is missing, and ENFILADE_REQUIRE_REDIS is set");
        eprintln!("skipped: there is no redis-server");
        return None;
    };
    let port = free_port();
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("games.pgn"), games).expect("the games");
    let (configuration, environment) = (Vec::new(), Vec::new());
    Some(Fleet { directory, program, port, password, configuration, environment, server: None })
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
        wait_until("the server answers", || {
            let connection = self.client().get_connection();
            connection.is_ok_and(|mut connection| redis::cmd("PING").query::<String>(&mut connection).is_ok())
        });
    }

    /// The version text of the server's program.
    fn version(&self) -> String {
        let output = Command::new(&self.program).arg("--version").output().expect("the server's program");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Kills the server with SIGKILL.
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
        analyse::arguments(self.directory.path(), out, more)
    }

    /// The reports of an analysis without a queue.
    fn expected(&self, nodes: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let arguments = self.arguments("alone", &["--nodes", nodes, "--threads", "1"]);
        let output = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self.files("alone")
    }

    /// Starts an analysis with the queue.
    fn analysis(&self, out: &str, nodes: &str) -> Process {
        let queue = self.url();
        self.process(&self.arguments(out, &["--nodes", nodes, "--queue", &queue]))
    }

    /// Starts a worker with a lease of so many milliseconds. Other workers take its jobs if it gives no sign of life
    /// for this time.
    fn worker(&self, lease: &str) -> Process {
        self.process(&["worker", "--threads", "1", "--lease", lease, "--queue", &self.url()])
    }

    fn process<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_enfilade"));
        command.envs(self.environment.iter().cloned());
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Process(command.spawn().expect("the binary runs"))
    }

    /// The contents of all files below the directory `out`, by their paths.
    fn files(&self, out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        contents(&self.path(out))
    }

    /// The status of the first identity, as `queue status` shows it. Most tests have only one.
    fn status(&self) -> Json {
        let shown = crate::program::stdout(&["queue", "status", "--json", "--queue", &self.url()]);
        let all: Json = serde_json::from_str(&shown).expect("JSON");
        all[0].clone()
    }

    /// The number of finished jobs and the number of stored answers.
    fn counts(&self) -> (u64, u64) {
        let status = self.status();
        (status["searches"].as_u64().expect("a number"), status["answers"].as_u64().expect("a number"))
    }

    /// The key of the stream of jobs of the first identity.
    fn jobs(&self) -> String {
        let ids: Vec<String> =
            redis::cmd("HKEYS").arg("enfilade:identities").query(&mut self.connection()).expect("a hash");
        format!("enfilade:jobs:{}", ids.first().expect("an identity"))
    }

    /// The jobs that were given out: the place, the consumer, and how often the job was given out.
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
        wait_until("a client or a worker connects", || {
            redis::cmd("EXISTS").arg("enfilade:identities").query(&mut connection).expect("a number")
        });
    }

    /// Waits until a worker has taken a job.
    fn until_busy(&self) {
        self.until_identity();
        wait_until("a worker takes a job", || !self.pending().is_empty());
    }

    /// Waits until there are `jobs` jobs in the stream.
    fn until_submitted(&self, jobs: u64) {
        self.until_identity();
        let mut connection = self.connection();
        let stream = self.jobs();
        wait_until("the jobs are there", || {
            redis::cmd("XLEN").arg(&stream).query::<u64>(&mut connection).expect("a number") == jobs
        });
    }

    /// The jobs in the stream, as names and texts.
    fn waiting(&self) -> Vec<(String, String)> {
        let entries: Vec<(String, BTreeMap<String, String>)> = redis::cmd("XRANGE")
            .arg(self.jobs())
            .arg(("-", "+"))
            .query(&mut self.connection())
            .expect("entries");
        entries.into_iter().map(|(_, fields)| (fields["name"].clone(), fields["job"].clone())).collect()
    }
}
