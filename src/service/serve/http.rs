//! HTTP: the page, the answers about positions, health and metrics, and the way to the WebSocket.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName,
    HeaderValue, ORIGIN, REFERRER_POLICY, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode, Uri, Version};
use axum::middleware::{Next, from_fn_with_state, map_request};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{sleep, timeout};

use super::deadlines::HANDSHAKE;
use super::lobby::LobbyPlace;
use super::metrics::Metrics;
use super::position::Sources;
use super::server::{Refusal, Server};
use super::{page as board, position, websocket};

/// The largest question about a position, in bytes: a long game in PGN.
const LARGEST_BODY: usize = 256 << 10;
/// The largest message of a WebSocket, in bytes. It may hold many lines.
const LARGEST_MESSAGE: usize = 1 << 20;

/// How long a request may take to arrive and to be answered.
const REQUEST: Duration = Duration::from_secs(30);
/// After this time a connection is closed, even if its client takes an answer byte by byte. Browsers make a new one.
/// A WebSocket has left its connection by then.
const LONGEST_CONNECTION: Duration = Duration::from_secs(600);

/// Serves the requests of a connection.
pub(super) async fn serve<S>(server: &Arc<Server>, stream: S, place: LobbyPlace) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let place = Arc::new(place);
    let service = TowerToHyperService::new(router(server, &place));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HANDSHAKE).max_buf_size(64 << 10);
    let connection = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let connection = place.keep(async { connection.await.map_err(io::Error::other) });
    tokio::select! {
        served = connection => served,
        () = sleep(LONGEST_CONNECTION) => Ok(()),
        () = server.closing() => Ok(()),
    }
}

fn router(server: &Arc<Server>, place: &Arc<LobbyPlace>) -> Router {
    let place = Arc::clone(place);
    let speak = move |request: Request| {
        place.speak();
        std::future::ready(request)
    };
    Router::new()
        .route("/", get(page))
        .route("/page/{*name}", get(page))
        .route("/api/{topic}", post(answer))
        .route("/uci", get(uci))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(from_fn_with_state(Arc::clone(server), guard))
        .layer(map_request(speak))
        .with_state(Arc::clone(server))
}

/// Refuses requests that pages of other sites make, and adds the headers by which browsers protect the page.
async fn guard(State(server): State<Arc<Server>>, mut request: Request, next: Next) -> Response {
    join(request.headers_mut(), CONNECTION);
    let mut response = if let Some(reason) = flaw(&request) {
        (StatusCode::BAD_REQUEST, reason).into_response()
    } else if is_from_here(request.headers(), &server.origins) {
        let late = |_| (StatusCode::REQUEST_TIMEOUT, "the request took too long\n").into_response();
        timeout(REQUEST, next.run(request)).await.unwrap_or_else(late)
    } else {
        Metrics::add(&server.metrics.refused);
        (StatusCode::FORBIDDEN, refusal(request.headers())).into_response()
    };
    let headers = response.headers_mut();
    let policy =
        "default-src 'self'; img-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'none'";
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, policy),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-cache"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Makes one header of several with the same name. For a list this means the same (RFC 9110, 5.3), but not all readers
/// look at the second one.
fn join(headers: &mut HeaderMap, name: HeaderName) {
    let values: Vec<&[u8]> = headers.get_all(&name).iter().map(HeaderValue::as_bytes).collect();
    if values.len() > 1
        && let Ok(value) = HeaderValue::from_bytes(&values.join(&b", "[..]))
    {
        headers.insert(name, value);
    }
}

/// Why a request is none of HTTP/1.1: it has to say once which host it means (RFC 9112, 3.2).
fn flaw(request: &Request) -> Option<&'static str> {
    let hosts = request.headers().get_all(HOST).iter().count();
    let is_right = hosts == 1 || (hosts == 0 && request.version() == Version::HTTP_10);
    (!is_right).then_some("a request has one header Host\n")
}

/// Whether a request does not come from another site's page. Programs send no `Origin`. A browser's page may talk to
/// the host that it comes from, and that host must have a number or be `localhost` or an allowed origin: else another
/// site could have its own name point to this machine.
fn is_from_here(headers: &HeaderMap, origins: &[String]) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let is_allowed_host = |host: &str| {
        origins.iter().any(|origin| origin.split("://").nth(1).is_some_and(|other| other == host))
    };
    let host = text(HOST);
    if host.is_some_and(|host| !is_plain_host(host) && !is_allowed_host(host)) {
        return false;
    }
    match headers.get(ORIGIN).map(HeaderValue::to_str) {
        None => true,
        Some(Err(_)) => false,
        Some(Ok(origin)) => {
            let own = origin.split_once("://").map(|(_, rest)| rest);
            origins.iter().any(|allowed| allowed == origin) || (own.is_some() && own == host)
        }
    }
}

/// Why a request is refused, and what would allow it. The page of another site gets no more than that it may not.
fn refusal(headers: &HeaderMap) -> String {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    match text(HOST) {
        Some(host) if !is_plain_host(host) && text(ORIGIN).is_none() => {
            format!("the server does not know the name {host}; start it with --origin http://{host}\n")
        }
        _ => "this origin may not use the server; --origin allows it\n".to_owned(),
    }
}

/// Whether a host is a number or `localhost`, which nobody can have point elsewhere.
fn is_plain_host(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<std::net::IpAddr>().is_ok()
}

async fn page(uri: Uri) -> Response {
    match board::asset(uri.path()) {
        Some(asset) => ([(CONTENT_TYPE, asset.content_type)], asset.bytes.into_owned()).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such page\n").into_response(),
    }
}

/// Answers a question. Only those who may search are told what the table knows of others' searches.
async fn answer(
    State(server): State<Arc<Server>>,
    Path(topic): Path<String>,
    headers: HeaderMap,
    Query(query): Query<TokenQuery>,
    body: Bytes,
) -> Response {
    let Ok(text) = String::from_utf8(body.into()) else {
        return (StatusCode::BAD_REQUEST, "the question is not UTF-8\n").into_response();
    };
    let grant = server.access.grant(token(&headers, query).as_deref());
    let sources = Sources {
        tablebases: Arc::clone(&server.settings.tablebases),
        table: grant.map(|grant| server.knowledge.of(&grant)),
    };
    let work = move || position::answer(&topic, &text, &sources);
    let answer = tokio::task::spawn_blocking(work).await;
    let (status, json) = match answer {
        Ok(Some(answer)) => answer,
        Ok(None) => return (StatusCode::NOT_FOUND, "there is no such question\n").into_response(),
        Err(_) => {
            return (StatusCode::INTERNAL_SERVER_ERROR, "the question could not be answered\n")
                .into_response();
        }
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(CONTENT_TYPE, "application/json")], json).into_response()
}

async fn health(State(server): State<Arc<Server>>) -> Response {
    if server.is_ending() {
        (StatusCode::SERVICE_UNAVAILABLE, "ending\n").into_response()
    } else {
        "ok\n".into_response()
    }
}

#[derive(Deserialize)]
struct TokenQuery {
    token: Option<String>,
}

/// The token of a request, from the header or from the address.
fn token(headers: &HeaderMap, query: TokenQuery) -> Option<String> {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    });
    bearer.or(query.token)
}

fn unauthorized(server: &Server) -> Response {
    Metrics::add(&server.metrics.refused);
    (StatusCode::UNAUTHORIZED, format!("{}\n", Refusal::Token.reason())).into_response()
}

async fn metrics(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    Query(query): Query<TokenQuery>,
) -> Response {
    if server.access.grant(token(&headers, query).as_deref()).is_none() {
        return unauthorized(&server);
    }
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], server.metrics.text()).into_response()
}

/// Begins a WebSocket. The token may also come as the first line, because pages cannot set headers.
async fn uci(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    Query(query): Query<TokenQuery>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let token = token(&headers, query);
    let grant = server.access.grant(token.as_deref());
    if grant.is_none() && (token.is_some() || upgrade.is_err()) {
        return unauthorized(&server);
    }
    if headers.get(SEC_WEBSOCKET_VERSION).is_some_and(|version| version != "13") {
        let version = [(SEC_WEBSOCKET_VERSION, "13")];
        return (StatusCode::UPGRADE_REQUIRED, version, "WebSocket has version 13\n").into_response();
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    if !headers.get(SEC_WEBSOCKET_KEY).is_some_and(|key| is_websocket_key(key.as_bytes())) {
        return (StatusCode::BAD_REQUEST, "Sec-WebSocket-Key has to be 16 bytes in base64\n").into_response();
    }
    let upgrade = upgrade.max_message_size(LARGEST_MESSAGE).max_frame_size(LARGEST_MESSAGE);
    upgrade.on_upgrade(move |socket| websocket::serve(server, socket, grant))
}

/// Whether a key is 16 bytes in base64 (RFC 6455, 4.1).
fn is_websocket_key(key: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
    key.len() == 24 && key[..22].iter().all(is_digit) && &key[22..] == b"=="
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_accepted(host: &str, origin: Option<&str>, origins: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        is_from_here(&headers, &origins.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        for (host, origin) in [
            ("127.0.0.1:8080", None),
            ("127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            ("localhost:8080", Some("http://localhost:8080")),
            ("[::1]:8080", Some("http://[::1]:8080")),
        ] {
            assert!(is_accepted(host, origin, &[]), "{host} {origin:?}");
        }
        for (host, origin) in [
            ("127.0.0.1:8080", Some("https://evil.example")),
            ("127.0.0.1:8080", Some("null")),
            ("127.0.0.1:8080", Some("http://127.0.0.1:9999")),
            // A name that its owner has made point to this machine.
            ("evil.example:8080", Some("http://evil.example:8080")),
            ("evil.example:8080", None),
        ] {
            assert!(!is_accepted(host, origin, &[]), "{host} {origin:?}");
        }
    }

    #[test]
    fn a_refusal_says_what_would_help() {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, "myserver:7643".parse().unwrap());
        assert!(refusal(&headers).contains("--origin http://myserver:7643"));
        headers.insert(ORIGIN, "https://evil.example".parse().unwrap());
        assert!(!refusal(&headers).contains("myserver"));
    }

    #[test]
    fn an_allowed_origin_is_accepted() {
        let allowed = ["https://chess.example"];
        assert!(is_accepted("chess.example", Some("https://chess.example"), &allowed));
        assert!(is_accepted("127.0.0.1:80", Some("https://chess.example"), &allowed));
        assert!(is_accepted("chess.example", None, &allowed));
        assert!(!is_accepted("chess.example", Some("https://other.example"), &allowed));
    }
}
