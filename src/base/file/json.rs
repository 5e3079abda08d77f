//! JSON text for files and messages.

use serde::Serialize;

/// The value as JSON on one line.
///
/// # Panics
///
/// If the value is not plain: a map whose keys are not texts, or an error of its own serialization.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain values become JSON")
}
