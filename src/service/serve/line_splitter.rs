//! Splits what comes from a connection into lines, and keeps no more of a line than the longest one may have.

use super::session::{Input, LONGEST_LINE};

/// The beginning of a line whose end has not come yet.
#[derive(Default)]
pub(super) struct LineSplitter {
    line: Vec<u8>,
}

impl LineSplitter {
    /// Takes the next bytes. Calls `take` for each line that ends in them.
    pub fn push(&mut self, mut bytes: &[u8], mut take: impl FnMut(Input)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.keep(&bytes[..end]);
            take(Input::of(&self.line));
            self.line.clear();
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes);
    }

    /// One byte more than the longest line shows that a line is too long.
    fn keep(&mut self, bytes: &[u8]) {
        let room = (LONGEST_LINE + 1).saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(parts: &[&[u8]]) -> Vec<(bool, usize, String)> {
        let mut splitter = LineSplitter::default();
        let mut found = Vec::new();
        for part in parts {
            splitter.push(part, |input| {
                let (is_whole, text) = match input {
                    Input::Line(text) => (true, text),
                    Input::Part(text) => (false, text),
                };
                found.push((is_whole, text.len(), text.chars().take(9).collect()));
            });
        }
        found
    }

    #[test]
    fn lines_may_come_in_any_pieces() {
        let expected =
            [(true, 3, "uci".to_owned()), (true, 0, String::new()), (true, 5, "stop\r".to_owned())];
        assert_eq!(split(&[b"uci\n\nstop\r\n"]), expected);
        assert_eq!(split(&[b"u", b"ci\n", b"\nst", b"op\r", b"\n", b"quit"]), expected);
    }

    #[test]
    fn the_rest_of_a_line_that_is_too_long_is_not_kept() {
        let long = vec![b'x'; 3 * LONGEST_LINE];
        let found = split(&[b"go ", &long, &long, b"\nuci\n"]);
        assert_eq!(found, [(false, LONGEST_LINE, "go xxxxxx".to_owned()), (true, 3, "uci".to_owned())]);
    }
}
