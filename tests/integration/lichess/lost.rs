//! Connections that break, servers that are away, and answers that are wrong, slow or endless.

use std::time::Duration;

use super::broker::{Broker, ENGINES, Poll, answer};
use super::{Provider, endless, work};
use crate::patience::wait_until;

#[test]
fn a_broker_that_answers_wrongly_is_asked_again() {
    let broker = Broker::start();
    let raw = |text: String| Poll::Raw(text.into_bytes(), Duration::ZERO);
    let json = |text: &str| raw(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len()));
    broker.state().polls.extend([
        raw(answer("500 Internal Server Error", None)),
        json("{not json"),
        json("{\"id\": \"../../../api/account\", \"work\": {}}"),
        json("[]"),
        Poll::Nothing,
    ]);
    broker.give("a", work(3));
    let provider = Provider::start(&broker, &[]);
    broker.ended("a");
    let said = provider.stop();
    for part in ["500 Internal Server Error", "not understood", "unexpected characters", "answers again"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let paths: Vec<String> = broker.state().requests.iter().map(|request| request.path.clone()).collect();
    assert!(paths.iter().all(|path| path.starts_with(ENGINES) && !path.contains("account")), "{paths:?}");
}

#[test]
fn an_answer_without_an_end_is_cut_off() {
    let broker = Broker::start();
    let mut endless = b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n".to_vec();
    endless.resize(4 << 20, b'[');
    broker.state().polls.push_back(Poll::Raw(endless, Duration::ZERO));
    broker.give("a", work(3));
    let provider = Provider::start(&broker, &[]);
    broker.ended("a");
    assert!(provider.stop().contains("the answer is longer than 1024 KiB"));
}

#[test]
fn a_slow_broker_is_waited_for_and_does_not_keep_the_program() {
    let broker = Broker::start();
    let given = serde_json::json!({"id": "a", "work": work(3)});
    let slowly = answer("200 OK", Some(&given)).into_bytes();
    broker.state().polls.push_back(Poll::Raw(slowly, Duration::from_millis(2)));
    // This one takes an hour.
    broker.state().polls.push_back(Poll::Raw(vec![b'x'; 3600], Duration::from_secs(1)));
    let provider = Provider::start(&broker, &[]);
    broker.ended("a");
    wait_until("the slow answer begins", || broker.state().polls.is_empty());
    provider.stop();
}

#[test]
fn the_provider_survives_servers_that_go_and_come_back() {
    let broker = Broker::start();
    let provider = Provider::start(&broker, &[]);
    broker.give("lost", endless());
    broker.reported("lost");
    let address = broker.address;
    let state = broker.end();
    provider.says("trying again");
    let broker = Broker::at(address, state);
    broker.give("a", work(5));
    broker.ended("a");
    let said = provider.stop();
    assert!(said.contains("answers again"), "{said}");
    // The secret is the same, so the registration still holds.
    assert_eq!(broker.requests("POST", ENGINES).len(), 1);
    assert!(broker.requests("PUT", &format!("{ENGINES}/eei_0")).is_empty());
}

#[test]
fn the_provider_waits_for_servers_that_are_not_there_yet() {
    let broker = Broker::start();
    let address = broker.address;
    let state = broker.end();
    let servers = format!("http://{address}");
    let arguments = ["--url", &servers, "--broker-url", &servers];
    let provider = Provider::with(super::TOKEN, 0o600, &arguments, &[]);
    provider.says("trying again");
    let broker = Broker::at(address, state);
    broker.give("a", work(3));
    broker.ended("a");
    provider.stop();
}
