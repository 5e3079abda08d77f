//! Requests to one server. Each has a limit of time, and each answer a limit of size.

use std::error::Error;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::address::ServerAddress;
use super::secret::{ApiToken, ProviderSecret};
use crate::base::text::one_line;

/// The time for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// The time for a short request, with its whole answer.
pub(super) const SHORT: Duration = Duration::from_secs(20);
/// How long a connection without a request is kept. Servers usually close it after a minute, and a request that meets
/// the closing would be lost.
const IDLE: Duration = Duration::from_secs(25);
/// The longest answer, in bytes. A work with 600 moves has 5,000.
const MAX_ANSWER: usize = 1 << 20;
/// The longest text of an error in a message, in characters.
const MAX_REASON: usize = 200;
/// The pause that the site asks for when a provider has asked too often.
const TOO_OFTEN: Duration = Duration::from_secs(60);
/// The longest pause that a server may ask for.
const MAX_PAUSE: Duration = Duration::from_secs(600);

/// A request has failed.
#[derive(Debug, Error)]
pub enum RemoteError {
    /// The client cannot be made, for example without any root certificates.
    #[error("cannot prepare connections: {0}")]
    Setup(String),
    /// There was no whole answer.
    #[error("{0}")]
    Connection(String),
    /// The server has refused the request.
    #[error("the server answered {status}{reason}")]
    Status {
        /// The status of HTTP.
        status: StatusCode,
        /// What the server said, after a colon, or nothing.
        reason: String,
        /// How long the server wants to be left alone.
        pause: Duration,
    },
    /// The answer is longer than any that the protocol knows.
    #[error("the answer is longer than {} KiB", MAX_ANSWER >> 10)]
    TooLong,
    /// The answer is not what the protocol says.
    #[error("the answer is not understood: {0}")]
    Content(String),
}

impl RemoteError {
    /// The status, if the server has answered.
    pub(super) fn status(&self) -> Option<StatusCode> {
        match self {
            RemoteError::Status { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// How long the server wants to be left alone.
    pub(super) fn pause(&self) -> Duration {
        match self {
            RemoteError::Status { pause, .. } => *pause,
            _ => Duration::ZERO,
        }
    }

    /// A failure of the client, without the address: it is in the message already, or has no meaning for the user.
    pub(super) fn of_client(error: &reqwest::Error) -> RemoteError {
        if error.is_timeout() {
            return RemoteError::Connection("no answer in time".to_owned());
        }
        // The cause says more than the errors around it, such as "error sending request".
        let mut cause: &dyn Error = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        RemoteError::Connection(one_line(&cause.to_string(), MAX_REASON))
    }
}

/// A server.
pub(super) struct Remote {
    address: ServerAddress,
    client: Client,
    /// Texts that must not appear in messages, even if the server repeats them.
    hidden: Vec<String>,
}

impl Remote {
    /// A server that gets `token` with each request. Nothing is sent yet.
    pub fn new(
        address: &ServerAddress,
        token: Option<&ApiToken>,
        secret: &ProviderSecret,
    ) -> Result<Remote, RemoteError> {
        // Another part of the program may have chosen the same one before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            let value = HeaderValue::try_from(format!("Bearer {}", token.text()));
            let mut value = value.map_err(|error| RemoteError::Setup(error.to_string()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let builder = Client::builder()
            .user_agent(concat!("enfilade/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT)
            .pool_idle_timeout(IDLE)
            .tcp_keepalive(Duration::from_secs(15));
        let builder = if address.is_encrypted() {
            builder.https_only(true)
        } else {
            // Secrets without encryption stay on this machine. Such a server needs no certificates of authorities.
            builder.no_proxy().tls_certs_only([])
        };
        let client = builder.build().map_err(|error| match RemoteError::of_client(&error) {
            RemoteError::Connection(cause) => RemoteError::Setup(cause),
            other => other,
        })?;
        let hidden = token.map(|token| token.text().to_owned()).into_iter();
        let hidden = hidden.chain([secret.text().to_owned()]).collect();
        Ok(Remote { address: address.clone(), client, hidden })
    }

    /// The server's name and port, for messages.
    pub fn name(&self) -> String {
        self.address.to_string()
    }

    /// Asks for a value.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, RemoteError> {
        self.exchange(self.request(Method::GET, path), SHORT).await?.value()
    }

    /// Replaces a value. What the server says about it is not needed.
    pub async fn put(&self, path: &str, value: &impl Serialize) -> Result<(), RemoteError> {
        self.exchange(self.request_with(Method::PUT, path, value), SHORT).await.map(drop)
    }

    /// Adds a value. What the server says about it is not needed.
    pub async fn post(&self, path: &str, value: &impl Serialize) -> Result<(), RemoteError> {
        self.ask(path, value, SHORT).await.map(drop)
    }

    /// Sends a value and waits for the answer.
    pub async fn ask(
        &self,
        path: &str,
        value: &impl Serialize,
        limit: Duration,
    ) -> Result<RemoteAnswer, RemoteError> {
        self.exchange(self.request_with(Method::POST, path, value), limit).await
    }

    /// A request without a body, which can still get one.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.address.with_path(path))
    }

    fn request_with(&self, method: Method, path: &str, value: &impl Serialize) -> RequestBuilder {
        // The values are structs of texts and numbers, so this cannot fail.
        let body = serde_json::to_vec(value).unwrap_or_default();
        self.request(method, path).header(CONTENT_TYPE, "application/json").body(body)
    }

    async fn exchange(&self, request: RequestBuilder, limit: Duration) -> Result<RemoteAnswer, RemoteError> {
        let response = request.timeout(limit).send().await.map_err(|error| RemoteError::of_client(&error))?;
        self.read(response).await
    }

    /// Reads the whole answer. A status other than success is an error.
    pub async fn read(&self, mut response: Response) -> Result<RemoteAnswer, RemoteError> {
        let status = response.status();
        let pause = pause(&response);
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > MAX_ANSWER => return Err(RemoteError::TooLong),
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) => return Err(RemoteError::of_client(&error)),
            }
        }
        if status.is_success() {
            Ok(RemoteAnswer { status, body })
        } else {
            Err(RemoteError::Status { status, reason: self.reason(&body), pause })
        }
    }

    /// What the server says about an error, without secrets. The site answers with JSON.
    fn reason(&self, body: &[u8]) -> String {
        let json: Option<serde_json::Value> = serde_json::from_slice(body).ok();
        let error = json.and_then(|json| json.get("error").map(ToString::to_string));
        let mut text = error.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
        for hidden in &self.hidden {
            text = text.replace(hidden, "***");
        }
        let text = one_line(&text, MAX_REASON);
        if text.is_empty() { text } else { format!(": {text}") }
    }
}

/// A whole answer of success.
pub(super) struct RemoteAnswer {
    pub status: StatusCode,
    body: Vec<u8>,
}

impl RemoteAnswer {
    /// The value in the answer.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, RemoteError> {
        serde_json::from_slice(&self.body).map_err(|error| RemoteError::Content(error.to_string()))
    }
}

/// How long the server wants to be left alone.
fn pause(response: &Response) -> Duration {
    let least = if response.status() == StatusCode::TOO_MANY_REQUESTS { TOO_OFTEN } else { Duration::ZERO };
    let asked = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    least.max(asked.map_or(Duration::ZERO, Duration::from_secs)).min(MAX_PAUSE)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// Sends one request to a server that answers with `answer`, and then keeps the connection open for as long as the
    /// test runs.
    fn ask(answer: &str, limit: Duration) -> Result<serde_json::Value, RemoteError> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address: ServerAddress = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let answer = answer.to_owned();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let server = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            let _ = connection.read(&mut [0; 4096]);
            let _ = connection.write_all(answer.as_bytes());
            let _ = ended.recv();
        });
        let secret = ProviderSecret::new().unwrap();
        let remote = Remote::new(&address, None, &secret).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answered = runtime
            .block_on(async { remote.exchange(remote.request(Method::GET, "/x"), limit).await?.value() });
        drop(end);
        server.join().unwrap();
        answered
    }

    fn refusal(answer: &str) -> RemoteError {
        ask(answer, SHORT).unwrap_err()
    }

    #[test]
    fn answers_are_read_and_refusals_have_a_reason() {
        let value = ask("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}", SHORT).unwrap();
        assert_eq!(value["a"], 1);
        let body = "{\"error\":\"no\\nsuch\"}";
        let error = refusal(&format!("HTTP/1.1 400 X\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        assert_eq!(error.to_string(), "the server answered 400 Bad Request: \"no\\nsuch\"");
        assert_eq!(error.status(), Some(StatusCode::BAD_REQUEST));
        let error = refusal("HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(error.to_string(), "the server answered 302 Found");
        let error = refusal("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{]}");
        assert!(matches!(error, RemoteError::Content(_)), "{error}");
        let error = refusal("nonsense\r\n\r\n");
        assert!(matches!(error, RemoteError::Connection(_)), "{error}");
    }

    #[test]
    fn a_server_may_ask_for_a_pause() {
        let error = refusal("HTTP/1.1 429 X\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(error.pause(), Duration::from_secs(60));
        let error = refusal("HTTP/1.1 503 X\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(error.pause(), Duration::from_secs(7));
        let error = refusal("HTTP/1.1 503 X\r\nRetry-After: 99999999\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(error.pause(), MAX_PAUSE);
    }

    #[test]
    fn an_answer_is_limited_in_size_and_time() {
        let body = "x".repeat(MAX_ANSWER + 1);
        let error = refusal(&format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        assert!(matches!(error, RemoteError::TooLong), "{error}");
        // The rest of the body never comes.
        let error =
            ask("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1,", Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.to_string(), "no answer in time");
    }

    #[test]
    fn secrets_that_the_server_repeats_are_not_shown() {
        let secret = ProviderSecret::new().unwrap();
        let remote = Remote::new(&"http://127.0.0.1:1".parse().unwrap(), None, &secret).unwrap();
        assert_eq!(remote.reason(format!("bad {}\n", secret.text()).as_bytes()), ": bad ***");
        assert_eq!(remote.reason(b""), "");
        assert_eq!(remote.reason("é".repeat(500).as_bytes()).chars().count(), 2 + MAX_REASON + 3);
    }
}
