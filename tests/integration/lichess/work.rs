//! Works and their lines: what is searched, and what the user sees.

use enfilade::chess::board::Game;
use serde_json::{Value as Json, json};

use super::broker::{Broker, Hearing, UploadEnd};
use super::lines::{Info, checked, read};
use super::{Provider, START, endless, work};

/// Gives a work and returns the lines with a score, which are legal in its position.
#[track_caller]
fn answered(broker: &Broker, id: &str, work: &Json) -> Vec<Info> {
    broker.give(id, work.clone());
    let upload = broker.ended(id);
    assert_eq!(upload.end, Some(UploadEnd::Whole));
    checked(&upload.lines, &game(work))
}

fn game(work: &Json) -> Game {
    let (mut game, _) = Game::from_fen(work["initialFen"].as_str().expect("a FEN")).expect("a position");
    for mv in work["moves"].as_array().expect("moves") {
        game.play_uci(mv.as_str().expect("a move")).expect("a legal move");
    }
    game
}

#[test]
fn a_work_gets_the_lines_of_each_iteration() {
    let broker = Broker::start();
    let provider = Provider::start(&broker, &[]);
    let mut wanted = work(8);
    wanted["multiPv"] = json!(3);
    wanted["moves"] = json!(["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"]);
    let infos = answered(&broker, "a", &wanted);
    for depth in 1..=8 {
        let lines: Vec<&Info> = infos.iter().filter(|info| info.depth == depth).collect();
        let ranks: Vec<usize> = lines.iter().take(3).map(|info| info.multi_pv).collect();
        assert_eq!(ranks, [1, 2, 3], "depth {depth}");
        assert!(lines[0].pv[0] != lines[1].pv[0] && lines[1].pv[0] != lines[2].pv[0]);
    }
    assert_eq!(infos.iter().map(|info| info.depth).max(), Some(8));
    // The next work has no wish for more lines, and another limit.
    let mut wanted = work(1);
    wanted.as_object_mut().expect("a work").remove("depth");
    wanted["nodes"] = json!(3000);
    let infos = answered(&broker, "b", &wanted);
    assert!(infos.iter().all(|info| info.multi_pv == 1));
    assert!(infos.last().expect("lines").nodes >= 3000);
    wanted.as_object_mut().expect("a work").remove("nodes");
    wanted["movetime"] = json!(100);
    answered(&broker, "c", &wanted);
    assert!(provider.stop().contains("3 positions analyzed"));
}

#[test]
fn castling_is_the_king_taking_its_rook_also_in_chess960() {
    let broker = Broker::start();
    let provider = Provider::start(&broker, &[]);
    // White has five moves, and each gets a line.
    let mut wanted = work(3);
    wanted["initialFen"] = json!("4k3/8/8/8/7p/3p1p1p/3P1P1P/4K2R w K - 0 1");
    wanted["multiPv"] = json!(5);
    let infos = answered(&broker, "a", &wanted);
    let mut moves: Vec<&str> = infos.iter().map(|info| info.pv[0].as_str()).collect();
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves, ["e1d1", "e1f1", "e1h1", "h1f1", "h1g1"]);
    let mut wanted = work(4);
    wanted["initialFen"] = json!("1k6/8/8/8/8/8/8/RK5R w KQ - 0 1");
    wanted["moves"] = json!(["b1h1"]);
    answered(&broker, "b", &wanted);
    provider.stop();
}

#[test]
fn a_position_without_moves_is_answered() {
    let broker = Broker::start();
    let provider = Provider::start(&broker, &[]);
    let mut wanted = work(5);
    wanted["moves"] = json!(["f2f3", "e7e5", "g2g4", "d8h4"]);
    let infos = answered(&broker, "a", &wanted);
    assert!(infos.iter().all(|info| info.score == "mate 0" && info.pv.is_empty()), "{infos:?}");
    provider.stop();
}

/// With one thread, a search repeats node for node from an empty table.
#[test]
fn the_table_stays_warm_within_a_session_and_is_cleared_between_sessions() {
    let broker = Broker::start();
    let provider = Provider::start(&broker, &[]);
    let nodes = |id: &str, session: &str| {
        let mut wanted = work(9);
        wanted["sessionId"] = json!(session);
        answered(&broker, id, &wanted).last().expect("lines").nodes
    };
    let cold = nodes("a", "1");
    let warm = nodes("b", "1");
    assert!(warm < cold, "{warm} of {cold} nodes");
    assert_eq!(nodes("c", "2"), cold);
    assert_eq!(nodes("d", "1"), cold);
    provider.stop();
}

#[test]
fn a_work_cannot_ask_for_more_than_the_limits() {
    let broker = Broker::start();
    let provider = Provider::start(&broker, &["--max-threads", "2", "--max-hash", "8"]);
    let mut wanted = work(6);
    wanted["threads"] = json!(1000);
    // A table of 30 TiB could not be had.
    wanted["hash"] = json!(30_000_000);
    wanted["multiPv"] = json!(200);
    let infos = answered(&broker, "a", &wanted);
    assert_eq!(infos.iter().map(|info| info.multi_pv).max(), Some(5));
    let said = provider.stop();
    assert!(!said.contains("the table has") && !said.contains("the search has"), "{said}");
}

#[test]
fn works_that_cannot_be_done_get_an_answer_without_lines() {
    let broker = Broker::start();
    let provider = Provider::start(&broker, &[]);
    let changed = |key: &str, value: Json| {
        let mut work = work(3);
        work[key] = value;
        work
    };
    let refused = [
        changed("variant", json!("atomic")),
        changed("initialFen", json!("no position\n")),
        changed("initialFen", json!("8/8/8/8/8/8/8/8 w - - 0 1")),
        changed("moves", json!(["e2e4", "e2e4"])),
        changed("depth", Json::Null),
        changed("threads", json!("many")),
        json!({}),
        json!([1, 2]),
    ];
    for (number, work) in refused.iter().enumerate() {
        let id = number.to_string();
        broker.give(&id, work.clone());
        let upload = broker.ended(&id);
        assert_eq!(upload.end, Some(UploadEnd::Whole), "{work}");
        assert!(upload.lines.iter().all(|line| read(line).is_none()), "{upload:?}");
        assert_eq!(upload.lines.last().map(String::as_str), Some("bestmove (none)"), "{work}");
    }
    answered(&broker, "last", &work(3));
    let said = provider.stop();
    assert!(said.contains("the variant \"atomic\" is not supported"), "{said}");
}

#[test]
fn a_user_who_goes_away_ends_the_search() {
    let broker = Broker::start();
    let provider = Provider::start(&broker, &[]);
    for (id, hearing) in [("answered", Hearing::AnswersAfter(2)), ("broken", Hearing::BreaksAfter(2))] {
        broker.give_heard(id, endless(), hearing);
        let upload = broker.ended(id);
        if upload.answered {
            // No other work has come, so the answer alone has ended the search.
            assert!(upload.lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{upload:?}");
        }
        answered(&broker, &format!("after {id}").replace(' ', "-"), &work(5));
    }
    broker.give_heard("unknown", endless(), Hearing::Unknown);
    broker.ended("unknown");
    answered(&broker, "last", &work(5));
    let said = provider.stop();
    assert!(!said.contains("refused"), "{said}");
}

#[test]
fn a_newer_work_takes_the_place_of_the_search_that_runs() {
    let broker = Broker::start();
    let provider = Provider::start(&broker, &[]);
    broker.give("old", endless());
    broker.reported("old");
    answered(&broker, "new", &work(5));
    // The older upload ends as every search does.
    let upload = broker.ended("old");
    assert_eq!(upload.end, Some(UploadEnd::Whole));
    checked(&upload.lines, &Game::from_fen(START).expect("a position").0);
    provider.stop();
}

#[test]
fn the_order_to_end_ends_the_search_and_its_upload() {
    for signal in ["TERM", "INT"] {
        let broker = Broker::start();
        let provider = Provider::start(&broker, &[]);
        broker.give("a", endless());
        broker.reported("a");
        provider.signal(signal);
        let (status, said) = provider.end();
        assert!(status.success() && said.contains("1 position analyzed"), "{said}");
        let upload = broker.ended("a");
        assert_eq!(upload.end, Some(UploadEnd::Whole));
        checked(&upload.lines, &Game::startpos());
    }
}
