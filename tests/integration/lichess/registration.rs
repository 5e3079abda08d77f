//! What the site is told, and what the provider does when the site refuses it.

use serde_json::{Value as Json, json};

use super::broker::{Broker, ENGINES, TOKEN, answer};
use super::{Provider, work};
use crate::program::{stderr, text};

/// The header with the token.
fn has_token(request: &super::broker::Request) -> bool {
    request.headers.iter().any(|line| line.contains(TOKEN))
}

#[test]
fn a_new_engine_is_registered_under_the_token_and_the_broker_never_sees_the_token() {
    let broker = Broker::start();
    let provider =
        Provider::start(&broker, &["--name", "Big machine", "--max-threads", "3", "--max-hash", "64"]);
    broker.polled();
    let created = broker.requests("POST", ENGINES);
    assert_eq!(created.len(), 1);
    let secret = created[0].body["providerSecret"].as_str().expect("a secret").to_owned();
    assert_eq!(
        created[0].body,
        json!({
            "name": "Big machine", "maxThreads": 3, "maxHash": 64, "variants": ["chess"], "providerSecret": secret,
        })
    );
    assert!(has_token(&created[0]));
    let polls = broker.requests("POST", &format!("{ENGINES}/work"));
    assert!(polls.iter().all(|poll| poll.body == json!({"providerSecret": secret}) && !has_token(poll)));
    provider.says("Big machine is registered");
    let said = provider.stop();
    assert!(!said.contains(&secret), "{said}");
}

#[test]
fn an_engine_of_the_same_name_is_replaced_and_others_are_kept() {
    let broker = Broker::start();
    let engine = |id: &str, name: &str| json!({"id": id, "name": name, "maxThreads": 1});
    broker.state().engines = vec![engine("eei_a", "Stockfish"), engine("eei_b", "Enfilade")];
    let preset = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(preset.path(), "threads = 2\nhash = 32\n").expect("a preset");
    let provider = Provider::start(&broker, &["--config", text(preset.path())]);
    broker.polled();
    assert!(broker.requests("POST", ENGINES).is_empty());
    let engines = broker.state().engines.clone();
    let shown = |engine: &Json| (engine["id"].clone(), engine["name"].clone(), engine["maxThreads"].clone());
    assert_eq!(
        engines.iter().map(shown).collect::<Vec<_>>(),
        [(json!("eei_a"), json!("Stockfish"), json!(1)), (json!("eei_b"), json!("Enfilade"), json!(2))]
    );
    assert_eq!(engines[1]["maxHash"], 32);
    provider.stop();
}

#[test]
fn a_token_that_the_site_refuses_ends_the_provider() {
    let broker = Broker::start();
    let address = format!("http://{}", broker.address);
    let servers = ["--url", &address, "--broker-url", &address];
    let (status, said) = Provider::with("lip_wrong", 0o600, &servers, &[]).end();
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("refuses the token (401 Unauthorized)") && said.contains("engine:write"), "{said}");
    assert!(!said.contains("lip_wrong"), "{said}");
    broker.state().site.push_back(answer("403 Forbidden", Some(&json!({"error": "Missing scope"}))));
    let (status, said) = Provider::start(&broker, &[]).end();
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("refuses the token (403 Forbidden)"), "{said}");
}

#[test]
fn a_registration_that_the_site_refuses_ends_the_provider() {
    let broker = Broker::start();
    let list = answer("200 OK", Some(&json!([])));
    // The site repeats what it was sent. The token must not be shown.
    let refusal = json!({"error": format!("bad name for {TOKEN}")});
    broker.state().site.extend([list, answer("400 Bad Request", Some(&refusal))]);
    let (status, said) = Provider::start(&broker, &[]).end();
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("refuses the registration") && said.contains("bad name for ***"), "{said}");
}

#[test]
fn a_site_that_fails_is_asked_again() {
    let broker = Broker::start();
    let html = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>".to_owned();
    broker.state().site.extend([
        answer("502 Bad Gateway", None),
        html,
        answer("500 Internal Server Error", None),
    ]);
    broker.give("a", work(3));
    let provider = Provider::start(&broker, &[]);
    broker.ended("a");
    let said = provider.stop();
    assert!(said.contains("502 Bad Gateway; trying again") && said.contains("answers again"), "{said}");
}

#[test]
fn a_broker_that_does_not_know_the_provider_makes_it_register_again() {
    let broker = Broker::start();
    let unknown =
        super::broker::Poll::Raw(answer("404 Not Found", None).into_bytes(), std::time::Duration::ZERO);
    broker.state().polls.push_back(unknown);
    broker.give("a", work(3));
    let provider = Provider::start(&broker, &[]);
    broker.ended("a");
    assert_eq!(broker.requests("POST", ENGINES).len(), 1);
    assert_eq!(broker.requests("PUT", &format!("{ENGINES}/eei_0")).len(), 1);
    provider.stop();
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_sent() {
    let token = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(token.path(), "two words").expect("a token");
    let token = text(token.path());
    for (arguments, code, reason) in [
        (vec!["lichess"], 2, "--token-file"),
        (vec!["lichess", "--token-file", "/no/such/file"], 1, "cannot read /no/such/file"),
        (vec!["lichess", "--token-file", token], 1, "one line with the token"),
        (vec!["lichess", "--token-file", token, "--url", "http://lichess.org"], 2, "https:// is needed"),
        (vec!["lichess", "--token-file", token, "--broker-url", "lichess.org"], 2, "not a valid address"),
        (vec!["lichess", "--token-file", token, "--name", "ab"], 2, "3 to 200 characters"),
        (vec!["lichess", "--token-file", token, "--max-threads", "0"], 2, "Threads must lie between"),
    ] {
        let said = stderr(&arguments, code);
        assert!(said.contains(reason) && !said.contains("two words"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_token_that_others_can_read_is_pointed_out() {
    let broker = Broker::start();
    let address = format!("http://{}", broker.address);
    let servers = ["--url", &address, "--broker-url", &address];
    let provider = Provider::with(TOKEN, 0o644, &servers, &[]);
    broker.polled();
    assert!(provider.stop().contains("other users of this machine may read the token: chmod 600"));
    let provider = Provider::start(&broker, &[]);
    provider.says("is registered");
    assert!(!provider.stop().contains("chmod"));
}
