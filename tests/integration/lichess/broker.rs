//! A site and a broker for the tests, on one port. They follow the published protocol of lichess. A test can make them
//! answer wrongly, late or not at all.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::patience::wait_until;

/// The path of the engines, which is also the beginning of all other paths.
pub const ENGINES: &str = "/api/external-engine";
/// How long a poll waits for work. The broker of lichess waits for ten seconds.
const POLL: Duration = Duration::from_millis(500);
/// The token that the site accepts.
pub const TOKEN: &str = "lip_tokenOfTheTests";

/// A request that has been read, but for the body of an upload.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// The lines of the head after the first, in lower case.
    pub headers: Vec<String>,
    pub body: Json,
}

/// What a poll gets.
pub enum Poll {
    /// A work with its identifier.
    Work(String, Json),
    /// These bytes, each after a pause.
    Raw(Vec<u8>, Duration),
    /// The end of the connection.
    Nothing,
}

/// What the broker does with an upload.
#[derive(Clone, Copy, Debug, Default)]
pub enum Hearing {
    /// It reads to the end and then answers.
    #[default]
    Whole,
    /// It answers after this many lines, as for a user who has gone, and then only reads.
    AnswersAfter(usize),
    /// It closes the connection after this many lines.
    BreaksAfter(usize),
    /// It does not know the work.
    Unknown,
}

/// How an upload has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadEnd {
    /// With the end of the body.
    Whole,
    /// By the provider, which closed the connection in the middle.
    Gone,
    /// By the broker.
    Broken,
}

/// What has arrived for a work.
#[derive(Clone, Debug, Default)]
pub struct Upload {
    pub lines: Vec<String>,
    pub end: Option<UploadEnd>,
    /// The lines at the time of an early answer.
    pub answered: bool,
}

#[derive(Default)]
pub struct State {
    pub engines: Vec<Json>,
    pub requests: Vec<Request>,
    /// Whole answers of the site, for its next requests. After them it follows the protocol.
    pub site: VecDeque<String>,
    pub polls: VecDeque<Poll>,
    pub hearings: BTreeMap<String, Hearing>,
    pub uploads: BTreeMap<String, Upload>,
}

/// The running servers. They end when this value is dropped.
pub struct Broker {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Broker {
    pub fn start() -> Broker {
        Broker::at("127.0.0.1:0".parse().expect("an address"), State::default())
    }

    /// Starts servers at an address with the state of earlier ones.
    pub fn at(address: SocketAddr, state: State) -> Broker {
        let mut listener = None;
        wait_until("the port is free", || {
            listener = TcpListener::bind(address).ok();
            listener.is_some()
        });
        let listener = listener.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (state, is_over) = (Arc::new(Mutex::new(state)), Arc::new(AtomicBool::new(false)));
        let (shared, over) = (Arc::clone(&state), Arc::clone(&is_over));
        let thread = thread::spawn(move || accept(&listener, &shared, &over));
        Broker { address, state, is_over, thread: Some(thread) }
    }

    /// Ends the servers and all their connections. Returns their state.
    pub fn end(mut self) -> State {
        self.close();
        std::mem::take(&mut *self.state())
    }

    fn close(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // The listener waits for a connection.
            let _ = TcpStream::connect(self.address);
            let _ = thread.join();
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no connection has panicked")
    }

    /// Hands out a work.
    pub fn give(&self, id: &str, work: Json) {
        self.state().polls.push_back(Poll::Work(id.to_owned(), work));
    }

    /// Hands out a work whose upload is heard in a special way.
    pub fn give_heard(&self, id: &str, work: Json, hearing: Hearing) {
        self.state().hearings.insert(id.to_owned(), hearing);
        self.give(id, work);
    }

    pub fn upload(&self, id: &str) -> Upload {
        self.state().uploads.get(id).cloned().unwrap_or_default()
    }

    /// Waits until an upload has ended, and returns it.
    #[track_caller]
    pub fn ended(&self, id: &str) -> Upload {
        wait_until(&format!("the upload of {id} ends"), || self.upload(id).end.is_some());
        self.upload(id)
    }

    /// Waits until a work's search has reported.
    #[track_caller]
    pub fn reported(&self, id: &str) {
        wait_until(&format!("lines of {id} come"), || !self.upload(id).lines.is_empty());
    }

    /// The requests with a method to a path.
    pub fn requests(&self, method: &str, path: &str) -> Vec<Request> {
        let state = self.state();
        let fits = |request: &&Request| request.method == method && request.path == path;
        state.requests.iter().filter(fits).cloned().collect()
    }

    /// Waits until the provider has asked for work.
    #[track_caller]
    pub fn polled(&self) {
        let path = format!("{ENGINES}/work");
        wait_until("the provider asks for work", || !self.requests("POST", &path).is_empty());
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.close();
    }
}

/// Serves each connection by a thread, until the servers end. Then all connections are closed.
fn accept(listener: &TcpListener, state: &Arc<Mutex<State>>, is_over: &Arc<AtomicBool>) {
    let mut connections = Vec::new();
    while let Ok((connection, _)) = listener.accept() {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        connections.push(connection.try_clone().expect("a connection"));
        let (state, is_over) = (Arc::clone(state), Arc::clone(is_over));
        thread::spawn(move || Connection::serve(connection, &state, &is_over));
    }
    for connection in connections {
        let _ = connection.shutdown(Shutdown::Both);
    }
}

/// An answer without a body, or with JSON.
pub fn answer(status: &str, body: Option<&Json>) -> String {
    let body = body.map_or_else(String::new, Json::to_string);
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

struct Connection<'a> {
    reader: BufReader<TcpStream>,
    state: &'a Mutex<State>,
    is_over: &'a AtomicBool,
}

impl Connection<'_> {
    fn serve(connection: TcpStream, state: &Mutex<State>, is_over: &AtomicBool) {
        let mut connection = Connection { reader: BufReader::new(connection), state, is_over };
        while connection.serve_one().is_some() {}
        let _ = connection.reader.get_ref().shutdown(Shutdown::Both);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no connection has panicked")
    }

    fn write(&mut self, text: &[u8]) -> Option<()> {
        self.reader.get_mut().write_all(text).ok()
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        Some(line.trim_end().to_owned())
    }

    /// Reads and answers a request. `None` at the end of the connection.
    fn serve_one(&mut self) -> Option<()> {
        let first = self.line()?;
        let mut words = first.split(' ').map(str::to_owned);
        let (method, path) = (words.next()?, words.next()?);
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            headers.push(line);
        }
        let length = headers.iter().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok())?
        });
        let mut body = vec![0; length.unwrap_or(0)];
        self.reader.read_exact(&mut body).ok()?;
        let body = serde_json::from_slice(&body).unwrap_or(Json::Null);
        let request = Request { method, path, headers, body };
        self.state().requests.push(request.clone());
        let work = format!("{ENGINES}/work");
        match request.path.strip_prefix(&work) {
            Some("") => self.poll(&request),
            Some(id) => self.hear(id.trim_start_matches('/')),
            None => self.keep_engines(&request),
        }
    }

    /// The site.
    fn keep_engines(&mut self, request: &Request) -> Option<()> {
        let scripted = self.state().site.pop_front();
        let is_known = request.headers.iter().any(|line| {
            line.split_once(": ").is_some_and(|(name, value)| {
                name.eq_ignore_ascii_case("authorization") && value == format!("Bearer {TOKEN}")
            })
        });
        let text = match scripted {
            Some(text) => text,
            None if !is_known => answer("401 Unauthorized", Some(&json!({"error": "No such token"}))),
            None => self.change_engines(request),
        };
        self.write(text.as_bytes())
    }

    fn change_engines(&mut self, request: &Request) -> String {
        let mut state = self.state();
        let mut stored = request.body.clone();
        if request.method != "GET" {
            let secret = stored["providerSecret"].take();
            assert!(secret.as_str().is_some_and(|secret| (16..=1024).contains(&secret.len())));
        }
        match (request.method.as_str(), request.path.strip_prefix(ENGINES)) {
            ("GET", Some("")) => answer("200 OK", Some(&Json::Array(state.engines.clone()))),
            ("POST", Some("")) => {
                stored["id"] = json!(format!("eei_{}", state.engines.len()));
                stored["clientSecret"] = json!("ees_secretOfTheClient");
                state.engines.push(stored.clone());
                answer("200 OK", Some(&stored))
            }
            ("PUT", Some(path)) => {
                let id = json!(path.trim_start_matches('/'));
                match state.engines.iter_mut().find(|engine| engine["id"] == id) {
                    Some(engine) => {
                        stored["id"] = id;
                        *engine = stored.clone();
                        answer("200 OK", Some(&stored))
                    }
                    None => answer("404 Not Found", None),
                }
            }
            _ => answer("404 Not Found", None),
        }
    }

    /// A poll for work.
    fn poll(&mut self, request: &Request) -> Option<()> {
        assert!(request.body["providerSecret"].is_string(), "{request:?}");
        let end = Instant::now() + POLL;
        let given = loop {
            let given = self.state().polls.pop_front();
            if given.is_some() || Instant::now() > end || self.is_over.load(Ordering::SeqCst) {
                break given;
            }
            thread::sleep(Duration::from_millis(5));
        };
        match given {
            None => self.write(b"HTTP/1.1 204 No Content\r\n\r\n"),
            Some(Poll::Work(id, work)) => {
                let engine = self.state().engines.first().cloned().unwrap_or_default();
                let given = json!({"id": id, "work": work, "engine": engine});
                self.write(answer("200 OK", Some(&given)).as_bytes())
            }
            Some(Poll::Raw(bytes, pause)) => {
                for byte in bytes.chunks(if pause.is_zero() { bytes.len() } else { 1 }) {
                    self.write(byte)?;
                    thread::sleep(pause);
                }
                Some(())
            }
            Some(Poll::Nothing) => None,
        }
    }

    /// An upload, in chunks.
    fn hear(&mut self, id: &str) -> Option<()> {
        let hearing = self.state().hearings.get(id).copied().unwrap_or_default();
        self.state().uploads.entry(id.to_owned()).or_default();
        if matches!(hearing, Hearing::Unknown) {
            let body = "work not found or cancelled or expired";
            self.write(
                format!("HTTP/1.1 404 Not Found\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes(),
            )?;
        }
        let mut text = String::new();
        let end = loop {
            match self.chunk() {
                None => break UploadEnd::Gone,
                Some(chunk) if chunk.is_empty() => break UploadEnd::Whole,
                Some(chunk) => text.push_str(&chunk),
            }
            let mut state = self.state();
            let upload = state.uploads.entry(id.to_owned()).or_default();
            while let Some((line, rest)) = text.split_once('\n') {
                upload.lines.push(line.to_owned());
                text = rest.to_owned();
            }
            let count = upload.lines.len();
            match hearing {
                Hearing::AnswersAfter(lines) if count >= lines && !upload.answered => {
                    upload.answered = true;
                    drop(state);
                    self.write(answer("200 OK", None).as_bytes())?;
                }
                Hearing::BreaksAfter(lines) if count >= lines => break UploadEnd::Broken,
                _ => {}
            }
        };
        let mut state = self.state();
        let upload = state.uploads.entry(id.to_owned()).or_default();
        upload.end = Some(end);
        let has_answered = upload.answered || matches!(hearing, Hearing::Unknown);
        drop(state);
        match end {
            UploadEnd::Whole if has_answered => Some(()),
            UploadEnd::Whole => self.write(answer("200 OK", None).as_bytes()),
            UploadEnd::Gone | UploadEnd::Broken => None,
        }
    }

    /// The next chunk of a body; empty at its end, and `None` at the end of the connection.
    fn chunk(&mut self) -> Option<String> {
        let size = usize::from_str_radix(&self.line()?, 16).ok()?;
        let mut bytes = vec![0; size + 2];
        self.reader.read_exact(&mut bytes).ok()?;
        bytes.truncate(size);
        String::from_utf8(bytes).ok()
    }
}
