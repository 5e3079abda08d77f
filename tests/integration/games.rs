//! Games that were changed as people, programs and damaged files do.
//!
//! `scripts/games-python-chess` made the stored cases and compared them with python-chess: both libraries read the same
//! moves, or docs/formats.md decides the difference.

use enfilade::chess::pgn::PgnReader;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde::Deserialize;

/// A text, and the moves of its games in UCI's notation.
#[derive(Deserialize)]
struct Case {
    text: String,
    games: Vec<Vec<String>>,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("../data/games.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).expect("a case")).collect()
}

#[test]
fn stored_games_are_read_as_they_were_compared() {
    let cases = cases();
    assert!(cases.len() >= 100);
    for Case { text, games } in cases {
        let mut reader = PgnReader::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some(read) = reader.next_game().unwrap() {
            assert_eq!(read.fault, None, "{text}");
            let moves = read.tree.moves.iter().map(|played| played.mv.to_uci(true).to_string());
            found.push(moves.collect::<Vec<_>>());
        }
        assert_eq!(found, games, "{text}");
    }
}

/// Whatever the bytes are, each game has an end, and each message has a place within the text.
#[test]
fn damaged_games_are_read_or_refused_with_a_place() {
    let texts: Vec<Vec<u8>> = cases().into_iter().map(|case| case.text.into_bytes()).collect();
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 2000, failure_persistence: None, ..Config::default() },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let change = (0..10_000_usize, prop::option::of(any::<u8>()));
    let strategy = (0..texts.len(), prop::collection::vec(change, 1..12));
    runner
        .run(&strategy, |(index, changes)| {
            let mut text = texts[index].clone();
            for (place, byte) in changes {
                let place = place % (text.len() + 1);
                match byte {
                    Some(byte) => text.insert(place, byte),
                    None => text.truncate(place.max(1)),
                }
            }
            let lines = 1 + text.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
            let mut reader = PgnReader::new(&text[..]);
            while let Some(read) = reader.next_game().expect("bytes in memory") {
                let places =
                    read.notes.iter().map(|note| note.place).chain(read.fault.map(|fault| fault.place));
                for place in places {
                    prop_assert!(place.column >= 1 && (1..=lines).contains(&place.line), "{place:?}");
                }
                prop_assert_eq!(read.tree.boards().len(), read.tree.moves.len() + 1);
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}
