//! Reads an argument that must lie in an option's range.

use crate::config::range::Spin;

/// A parser for numbers of a range.
pub(super) fn within(range: Spin) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number: i64 = text.parse().map_err(|_| "a whole number is needed".to_owned())?;
        range.check(number).map_err(|error| error.to_string())
    }
}
