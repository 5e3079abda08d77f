//! Parsers for numbers on the command line, and their error messages.

use std::fmt::Display;
use std::str::FromStr;

use crate::base::crew::MAX_THREADS;
use crate::base::numa;
use crate::engine::config::range::Spin;

/// The number of positions or games at the same time.
pub(crate) const JOBS: Spin = Spin { name: "the number of jobs", min: 1, max: MAX_THREADS as i64 };

/// A parser for whole numbers from `least`, for clap's `value_parser`.
pub(crate) fn from<T>(least: T) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: Copy + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| match text.parse() {
        Ok(number) if number >= least => Ok(number),
        _ => Err(format!("a whole number from {least} is needed")),
    }
}

/// A parser for whole numbers from `least` to `most`, for clap's `value_parser`.
pub(crate) fn between<T>(
    least: T,
    most: T,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: Copy + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("a whole number from {least} to {most} is needed")),
    }
}

/// A parser for numbers of threads.
#[cfg(feature = "laboratory")]
pub(crate) fn threads() -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync + 'static {
    between(1, MAX_THREADS)
}

/// A parser for numbers of a range.
pub(crate) fn within(range: Spin) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number: i64 = text.parse().map_err(|_| "a whole number is needed".to_owned())?;
        range.check(number).map_err(|error| error.to_string())
    }
}

/// The number of cores that this process may use.
pub(crate) fn cores() -> usize {
    numa::cores()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_is_needed() {
        assert_eq!((from(1u64)("5"), between(1u64, 5)("5")), (Ok(5), Ok(5)));
        for wrong in ["0", "-5", "x", "", "1e3", "99999999999999999999"] {
            assert_eq!(from(1u64)(wrong), Err("a whole number from 1 is needed".to_owned()), "{wrong}");
            let said = between(1u64, 20)(wrong).unwrap_err();
            assert_eq!(said, "a whole number from 1 to 20 is needed", "{wrong}");
        }
    }
}
