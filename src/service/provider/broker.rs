//! The two requests to the broker: a long poll for work, and the upload of a search.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Body, Method, StatusCode};
use serde::{Deserialize, Serialize};

use super::line_queue::LineQueue;
use super::registration::check_id;
use super::remote::{Remote, RemoteError, SHORT};
use super::secret::ProviderSecret;
use super::upload::{HEARTBEAT, UploadBody};

const PATH: &str = "/api/external-engine/work";
/// The time for a long poll. The broker ends a poll without work after ten seconds.
const POLL: Duration = Duration::from_secs(30);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Credentials<'a> {
    provider_secret: &'a str,
}

/// Work for the engine. What it asks for is read later, so that a work that is not understood can be answered.
#[derive(Debug, Deserialize)]
pub(super) struct Acquired {
    pub id: String,
    pub work: serde_json::Value,
}

/// The broker between users and providers.
pub(super) struct Broker {
    pub remote: Remote,
    pub secret: ProviderSecret,
}

impl Broker {
    /// Waits for work. `None` if there was none for some seconds.
    pub async fn acquire(&self) -> Result<Option<Acquired>, RemoteError> {
        let credentials = Credentials { provider_secret: self.secret.text() };
        let answer = self.remote.ask(PATH, &credentials, POLL).await?;
        if answer.status != StatusCode::OK {
            return Ok(None);
        }
        let acquired: Acquired = answer.value()?;
        check_id(&acquired.id)?;
        Ok(Some(acquired))
    }

    /// Uploads the lines of a search until the search or the broker ends it.
    pub async fn submit(&self, id: &str, lines: &Arc<LineQueue>) -> Result<(), RemoteError> {
        let body = UploadBody::new(Arc::clone(lines), HEARTBEAT);
        let request = self
            .remote
            .request(Method::POST, &format!("{PATH}/{id}"))
            .header(CONTENT_TYPE, "text/plain; charset=utf-8")
            .body(Body::wrap(body));
        let answered = async {
            let response = request.send().await.map_err(|error| RemoteError::of_client(&error))?;
            // A broker that answers has heard enough, even if it goes on with its answer.
            match tokio::time::timeout(SHORT, self.remote.read(response)).await {
                Ok(answer) => answer.map(drop),
                Err(_) => Ok(()),
            }
        };
        tokio::select! {
            answer = answered => answer,
            () = overdue(lines) => Err(RemoteError::Connection("no answer in time".to_owned())),
        }
    }
}

/// Ends some time after the last line, when the broker should have answered.
async fn overdue(lines: &LineQueue) {
    while !lines.is_finished() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    tokio::time::sleep(SHORT).await;
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use super::*;

    /// Uploads a search that says nothing. The broker reads the head of the request, and then answers and closes the
    /// connection.
    fn silent_upload(answer: &'static str) -> Result<(), RemoteError> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let server = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            let head = BufReader::new(connection.try_clone().unwrap()).lines();
            let head: Vec<String> = head.map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
            connection.write_all(answer.as_bytes()).unwrap();
            head
        });
        let secret = ProviderSecret::new().unwrap();
        let broker = Broker { remote: Remote::new(&address, None, &secret).unwrap(), secret };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let lines = Arc::new(LineQueue::default());
        let answered = runtime.block_on(broker.submit("a", &lines));
        let head = server.join().unwrap();
        assert_eq!(head[0], "POST /api/external-engine/work/a HTTP/1.1");
        assert!(head.iter().any(|line| line.eq_ignore_ascii_case("transfer-encoding: chunked")), "{head:?}");
        assert!(!lines.is_finished());
        answered
    }

    #[test]
    fn an_upload_without_lines_notices_an_early_answer() {
        silent_upload("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
        let error = silent_upload("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").unwrap_err();
        assert_eq!(error.status(), Some(StatusCode::NOT_FOUND));
    }

    #[test]
    fn an_upload_without_lines_notices_a_lost_connection() {
        let error = silent_upload("").unwrap_err();
        assert!(matches!(error, RemoteError::Connection(_)), "{error}");
    }
}
