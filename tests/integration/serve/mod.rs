//! `enfilade serve`, driven from outside: sessions over TCP and WebSocket, tokens, faults of clients, and the end.

mod clients;
mod edge;
mod endings;
mod faults;
mod page;
mod security;
mod sessions;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use parking_lot::Mutex;
use tungstenite::protocol::WebSocket;
use tungstenite::{Error, Message};

use crate::patience::{PATIENCE, wait_until};

/// A server as a process.
pub struct Server {
    child: Child,
    /// What it writes to standard error.
    notes: Mutex<Receiver<String>>,
    pub port: u16,
}

impl Server {
    /// Starts a server with two threads on a free port.
    pub fn start(arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
            .args(["serve", "--listen", "127.0.0.1:0", "--threads", "2", "--hash", "4"])
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let (sender, notes) = channel();
        thread::spawn(move || stderr.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line))));
        let mut server = Server { child, notes: Mutex::new(notes), port: 0 };
        let listening = server.note("listening on ");
        let address = listening.split_whitespace().find(|word| word.contains("://")).expect("an address");
        server.port = address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        server
    }

    /// Waits for a note that contains `text`.
    pub fn note(&self, text: &str) -> String {
        loop {
            let note = self.notes.lock().recv_timeout(PATIENCE).expect("a note in time");
            if note.contains(text) {
                return note;
            }
        }
    }

    fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream
    }

    /// A connection for lines of UCI.
    pub fn lines(&self) -> LineClient {
        let stream = self.stream();
        LineClient { reader: BufReader::new(stream.try_clone().expect("a copy")), stream }
    }

    /// A WebSocket with a path such as `/uci?token=...`, and further headers.
    pub fn socket(&self, path: &str, headers: &[(&'static str, &str)]) -> Result<SocketClient, u16> {
        let mut request = tungstenite::http::Request::builder()
            .uri(format!("ws://127.0.0.1:{}{path}", self.port))
            .header("Host", format!("127.0.0.1:{}", self.port))
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).expect("a request");
        match tungstenite::client(request, self.stream()) {
            Ok((socket, _)) => Ok(SocketClient { socket }),
            Err(tungstenite::HandshakeError::Failure(Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The status and the text of the answer to a request.
    pub fn http(&self, request: &str) -> (u16, String) {
        let mut stream = self.stream();
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer)
    }

    /// The status and the answer to `GET path`.
    pub fn get(&self, path: &str) -> (u16, String) {
        self.http(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    /// The value of a metric.
    pub fn metric(&self, name: &str) -> f64 {
        let (_, text) = self.get("/metrics");
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
        value.unwrap_or_else(|| panic!("{name} in {text}"))
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        let status = Command::new("kill").arg(self.child.id().to_string()).status().expect("kill runs");
        assert!(status.success());
    }

    /// Waits for the end of the server, which must succeed.
    pub fn join(mut self) {
        wait_until("the end of the server", || self.child.try_wait().expect("a child").is_some());
        assert!(self.child.wait().expect("a child").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client, whatever its connection is.
pub trait Client {
    fn send(&mut self, line: &str);

    /// The next line; `None` at the end of the connection.
    fn line(&mut self) -> Option<String>;

    /// All lines up to one that begins with `last`, and that one.
    fn until(&mut self, last: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line().unwrap_or_else(|| panic!("{last} before the end, after {lines:?}"));
            lines.push(line);
            if lines.last().is_some_and(|line| line.starts_with(last)) {
                return lines;
            }
        }
    }

    /// Sends a line and returns the lines up to the answer to a following `isready`.
    fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }
}

/// A client that sends lines.
pub struct LineClient {
    pub stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl LineClient {
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
    }

    /// Says that nothing more is sent.
    pub fn end_input(&self) {
        self.stream.shutdown(Shutdown::Write).expect("an open connection");
    }
}

impl Client for LineClient {
    fn send(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).expect("a line in time");
        (read > 0).then(|| line.trim_end().to_owned())
    }
}

/// A client with a WebSocket.
pub struct SocketClient {
    pub socket: WebSocket<TcpStream>,
}

impl SocketClient {
    /// The code with which the server closes.
    pub fn close_code(&mut self) -> u16 {
        loop {
            match self.socket.read() {
                Ok(Message::Close(frame)) => return frame.map_or(0, |frame| frame.code.into()),
                Ok(_) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

impl Client for SocketClient {
    fn send(&mut self, line: &str) {
        self.socket.send(Message::text(line)).expect("the server reads");
    }

    fn line(&mut self) -> Option<String> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(text.to_string()),
                Ok(Message::Close(_)) | Err(Error::ConnectionClosed) => return None,
                Ok(_) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}
