//! Tests of `enfilade lichess` with a site and a broker of their own, which follow the published protocol.

mod broker;
mod lines;
mod lost;
mod registration;
mod tls;
mod work;

use std::fs::{Permissions, set_permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value as Json, json};

use self::broker::{Broker, TOKEN};
use crate::patience::wait_until;
use crate::program::text;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A work with a depth, from the start of a game.
fn work(depth: u32) -> Json {
    json!({
        "sessionId": "1", "threads": 1, "hash": 16, "depth": depth, "multiPv": 1, "variant": "chess",
        "initialFen": START, "moves": [],
    })
}

/// A work that does not end by itself while a test runs.
fn endless() -> Json {
    let mut work = work(1);
    work.as_object_mut().expect("a work").remove("depth");
    work["movetime"] = json!(86_400_000);
    work
}

/// A running `enfilade lichess`. It ends with its test.
struct Provider {
    process: Child,
    said: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
    _directory: tempfile::TempDir,
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Provider {
    /// Starts a provider for a broker.
    fn start(broker: &Broker, arguments: &[&str]) -> Provider {
        let address = format!("http://{}", broker.address);
        let servers = ["--url", &address, "--broker-url", &address];
        Provider::with(TOKEN, 0o600, &[&servers, arguments].concat(), &[])
    }

    /// Starts a provider with a token, the permissions of its file, and environment variables.
    fn with(token: &str, mode: u32, arguments: &[&str], environment: &[(&str, &str)]) -> Provider {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("token");
        std::fs::write(&file, format!("{token}\n")).expect("a token");
        set_permissions(&file, Permissions::from_mode(mode)).expect("permissions");
        let mut command = Command::new(env!("CARGO_BIN_EXE_enfilade"));
        command.args(["lichess", "--token-file", text(&file)]).args(arguments);
        // A proxy of the machine could not reach the servers of the tests.
        for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env_remove(name);
        }
        command.envs(environment.iter().copied());
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut errors = process.stderr.take().expect("standard error");
        let said = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&said);
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = errors.read(&mut bytes) {
                heard.lock().expect("a text").push_str(&String::from_utf8_lossy(&bytes[..length]));
            }
        });
        Provider { process, said, reader: Some(reader), _directory: directory }
    }

    /// What the provider has written to standard error.
    fn said(&self) -> String {
        self.said.lock().expect("a text").clone()
    }

    /// Waits until the provider has written a text.
    #[track_caller]
    fn says(&self, part: &str) {
        wait_until(&format!("{part:?} is said"), || self.said().contains(part));
    }

    fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().expect("kill").success());
    }

    /// Waits until the provider ends. Returns its status and what it wrote to standard error. It writes nothing to
    /// standard output, and no secret anywhere.
    fn end(mut self) -> (ExitStatus, String) {
        let process = &mut self.process;
        wait_until("the provider ends", || process.try_wait().expect("a process").is_some());
        let status = process.wait().expect("an end");
        let mut output = String::new();
        process.stdout.take().expect("standard output").read_to_string(&mut output).expect("UTF-8");
        assert_eq!(output, "");
        self.reader.take().expect("a reader").join().expect("a text");
        let said = self.said();
        assert!(!said.contains(TOKEN), "{said}");
        (status, said)
    }

    /// Tells the provider to end, which must succeed. Returns what it wrote to standard error.
    #[track_caller]
    fn stop(self) -> String {
        self.signal("TERM");
        let (status, said) = self.end();
        assert!(status.success(), "{said}");
        said
    }
}
