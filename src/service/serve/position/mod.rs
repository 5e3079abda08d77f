//! Answers the page's questions about positions and games, so that the page need not know the rules of chess.
//!
//! A question is JSON, and so is its answer. A question that cannot be answered gets a message of one line. Nothing is
//! kept between two questions.
//!
//! | topic | question | answer |
//! |---|---|---|
//! | `position` | a start position, moves, lines to be spelled | the position, its legal moves, the spelled lines, what
//! the endgame tables and the engine's table know |
//! | `game` | what a user has pasted: a FEN, a PGN, moves | the games of the text, and one of them as a tree |
//! | `review` | positions with scores | judgments of the moves between them, accuracies |

mod known;
mod openings;
mod pasted;
mod place;
mod review;
mod sources;
mod tables;
mod tree;
mod typed;
mod written;

pub use sources::Sources;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::text::one_line;

/// The greatest length of a question in bytes.
pub const MAX_QUESTION_BYTES: usize = 1 << 18;
/// The greatest length of a message in characters. A message may quote the question.
const MAX_MESSAGE: usize = 200;

/// Answers a question about a topic. Returns a status of HTTP and JSON: 200 and the answer, or 400 and
/// `{"error": "..."}`. `None` if there is no such topic.
pub fn answer(topic: &str, json: &str, sources: &Sources) -> Option<(u16, String)> {
    match topic {
        "position" => Some(respond(json, |question| place::answer(question, sources))),
        "game" => Some(respond(json, pasted::answer)),
        "review" => Some(respond(json, review::answer)),
        _ => None,
    }
}

fn respond<Q: DeserializeOwned, A: Serialize>(
    json: &str,
    answer: impl FnOnce(Q) -> Result<A, String>,
) -> (u16, String) {
    match read(json).and_then(answer) {
        Ok(answer) => (200, serde_json::to_string(&answer).expect("an answer has only strings for keys")),
        Err(message) => (400, serde_json::json!({ "error": one_line(&message, MAX_MESSAGE) }).to_string()),
    }
}

fn read<Q: DeserializeOwned>(json: &str) -> Result<Q, String> {
    if json.len() > MAX_QUESTION_BYTES {
        return Err(format!("the question has more than {MAX_QUESTION_BYTES} bytes"));
    }
    serde_json::from_str(json).map_err(|error| format!("the question is not understood: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The answer to a question that can be answered.
    pub fn good(topic: &str, question: &Value) -> Value {
        let (status, text) = answer(topic, &question.to_string(), &Sources::default()).expect("a topic");
        assert_eq!(status, 200, "{question}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// The message about a question that cannot be answered.
    pub fn bad(topic: &str, question: &str) -> String {
        let (status, text) = answer(topic, question, &Sources::default()).expect("a topic");
        assert_eq!(status, 400, "{question}: {text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let message = answer["error"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains('\n') && message.chars().count() <= MAX_MESSAGE + 3);
        message.to_owned()
    }

    /// The values of a field of each move.
    pub fn words<'a>(moves: &'a Value, field: &str) -> Vec<&'a str> {
        moves.as_array().unwrap().iter().map(|mv| mv[field].as_str().unwrap()).collect()
    }

    #[test]
    fn questions_that_are_not_understood_have_messages_of_one_line() {
        for topic in ["position", "game", "review"] {
            for (question, message) in [
                ("", "the question is not understood"),
                ("[1, 2]", "the question is not understood"),
                ("{\"fenn\": \"x\"}", "unknown field `fenn`"),
            ] {
                let found = bad(topic, question);
                assert!(found.contains(message), "{topic} {question}: {found}");
            }
            let long = format!("{{\"fen\": \"{}\"}}", "x".repeat(MAX_QUESTION_BYTES));
            assert!(bad(topic, &long).contains("bytes"));
            bad(topic, &"[".repeat(100_000));
        }
        assert_eq!(answer("weather", "{}", &Sources::default()), None);
    }

    /// Whatever is cut from a good question, or put into it, there is an answer.
    #[test]
    fn damaged_questions_are_answered() {
        let scores = json!([{ "fen": "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "cp": 500 }, null]);
        for (topic, question) in [
            ("position", json!({ "moves": ["Nf3"], "typed": "1... e5", "lines": [["b8c6"]] })),
            ("game", json!({ "text": "[A \"b\"]\n\n1. e4 {c} (1. d4 d5 $2 (1... c5)) e5 *", "game": 0 })),
            ("review", json!({ "positions": scores })),
        ] {
            let question = question.to_string();
            for place in 0..question.len() {
                for part in ["", "\\u0000", "\"", "{", "é", "(", ")"] {
                    let damaged = format!("{}{part}{}", &question[..place], &question[place + 1..]);
                    let (status, text) = answer(topic, &damaged, &Sources::default()).unwrap();
                    assert!(status == 200 || status == 400, "{damaged}");
                    assert!(serde_json::from_str::<Value>(&text).is_ok());
                }
            }
        }
    }
}
