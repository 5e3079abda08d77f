//! A set of processors as text: the kernel's list format, `0-3,8`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Processors by the system's numbers, which may have gaps.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Processors(BTreeSet<usize>);

/// Why a text is not a list of processors.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProcessorsError {
    /// A part of the list is neither a number nor two numbers with a `-` between them.
    #[error("{0} is neither a processor's number nor a range like 0-7")]
    Malformed(String),
    /// The end of a range lies before its beginning.
    #[error("the range {0}-{1} ends before it begins")]
    Backward(usize, usize),
    /// A number is larger than an affinity mask can hold.
    #[error("{0} is not below {limit}, where the numbers of processors end", limit = Processors::LIMIT)]
    TooLarge(usize),
}

impl Processors {
    /// The numbers of processors lie below this. A mask of the C library has room for as many.
    pub const LIMIT: usize = 1024;

    /// Every number that a processor can have.
    pub fn all() -> Processors {
        (0..Processors::LIMIT).collect()
    }

    /// Number of processors.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no processors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The numbers of the processors, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().copied()
    }

    /// The processors that are among `others` too.
    pub fn common(&self, others: &Processors) -> Processors {
        Processors(&self.0 & &others.0)
    }

    /// The processors that are not among `others`.
    pub fn without(&self, others: &Processors) -> Processors {
        Processors(&self.0 - &others.0)
    }
}

impl FromIterator<usize> for Processors {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Processors {
        Processors(numbers.into_iter().collect())
    }
}

impl FromStr for Processors {
    type Err = ProcessorsError;

    /// Reads numbers and ranges with commas between them. An empty text is the empty list.
    fn from_str(text: &str) -> Result<Processors, ProcessorsError> {
        let mut found = BTreeSet::new();
        if text.trim().is_empty() {
            return Ok(Processors(found));
        }
        for part in text.split(',').map(str::trim) {
            let number = |text: &str| {
                let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                // If all characters are digits, the only possible fault is that there are too many of them.
                is_number.then(|| text.parse().unwrap_or(usize::MAX))
            };
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (Some(first), Some(last)) = (number(first), number(last)) else {
                // Only a short part is quoted, whatever it contains.
                let excerpt: String = part.chars().take(20).collect();
                return Err(ProcessorsError::Malformed(format!("{excerpt:?}")));
            };
            if first > last {
                return Err(ProcessorsError::Backward(first, last));
            }
            if last >= Processors::LIMIT {
                return Err(ProcessorsError::TooLarge(last));
            }
            found.extend(first..=last);
        }
        Ok(Processors(found))
    }
}

impl fmt::Display for Processors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut numbers = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = numbers.next() {
            let mut last = first;
            while let Some(next) = numbers.next_if_eq(&(last + 1)) {
                last = next;
            }
            write!(f, "{separator}{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written_in_the_kernels_format() {
        for (text, count, written) in [
            ("0", 1, "0"),
            ("0-3\n", 4, "0-3"),
            ("0-3,8-11", 8, "0-3,8-11"),
            ("7, 1,2,3-3, 5", 5, "1-3,5,7"),
            ("0-1023", 1024, "0-1023"),
            ("4,4,3-5", 3, "3-5"),
            ("\n", 0, ""),
            ("", 0, ""),
        ] {
            let found: Processors = text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!((found.count(), found.to_string()), (count, written.to_owned()), "{text:?}");
            assert_eq!(found.to_string().parse(), Ok(found));
        }
    }

    #[test]
    fn malformed_lists_are_refused_in_one_line() {
        for text in ["a", "1,", ",1", "1--2", "-1", "1-", "+1", "0x1", "1 2", "1-2-3", "1;2", "\u{1b}", "é-3"]
        {
            let error = text.parse::<Processors>().expect_err(text);
            assert!(matches!(error, ProcessorsError::Malformed(_)), "{text:?}: {error}");
            assert!(!error.to_string().contains(char::is_control));
        }
        assert_eq!("3-1".parse::<Processors>(), Err(ProcessorsError::Backward(3, 1)));
        assert_eq!("0-1024".parse::<Processors>(), Err(ProcessorsError::TooLarge(1024)));
        let huge = "9".repeat(100_000);
        assert_eq!(huge.parse::<Processors>(), Err(ProcessorsError::TooLarge(usize::MAX)));
        let long = "x".repeat(100_000).parse::<Processors>().expect_err("no number");
        assert!(long.to_string().len() < 100);
    }
}
