//! Lines of a text in any encoding and with any line ends, of bounded length.
//!
//! Old chess databases are no UTF-8, and editors on Windows save UTF-16. A line that is not valid UTF-8 is taken for
//! Windows-1252, which contains ISO 8859-1. So files in different encodings may be joined. UTF-16 is recognized by its
//! byte-order mark, or by the zeros in its first characters, and holds for the whole text.

use std::io::{self, BufRead};

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextLine {
    /// The text without the line's end.
    pub text: String,
    /// The number, from 1.
    pub number: u64,
    /// Whether the line is longer than the limit. Then the rest of it is missing.
    pub is_cut: bool,
}

/// How the bytes of a text become characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// UTF-8 or Windows-1252, line by line.
    Bytes,
    Utf16 {
        is_big_endian: bool,
    },
}

/// Reads lines one by one.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    /// The greatest length of a line in bytes.
    limit: usize,
    encoding: Option<Encoding>,
    /// The number of the last line.
    number: u64,
    bytes: u64,
    /// Whether the last line ended with a carriage return. A line feed after it belongs to it.
    is_after_return: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `input`. A line longer than `limit` bytes is cut.
    pub fn new(input: R, limit: usize) -> Lines<R> {
        Lines { input, limit, encoding: None, number: 0, bytes: 0, is_after_return: false }
    }

    /// The number of bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<TextLine>> {
        let encoding = match self.encoding {
            Some(encoding) => encoding,
            None => *self.encoding.insert(encoding(self.input.fill_buf()?)),
        };
        let mut bytes = Vec::new();
        let mut is_cut = false;
        let is_there = match encoding {
            Encoding::Bytes => self.read_bytes(&mut bytes, &mut is_cut)?,
            Encoding::Utf16 { is_big_endian } => self.read_units(is_big_endian, &mut bytes, &mut is_cut)?,
        };
        self.number += u64::from(is_there);
        Ok(is_there.then(|| TextLine { text: decoded(bytes), number: self.number, is_cut }))
    }

    /// Reads the bytes of a line. Returns whether there was one.
    fn read_bytes(&mut self, line: &mut Vec<u8>, is_cut: &mut bool) -> io::Result<bool> {
        let mut is_there = false;
        loop {
            let mut buffer = self.input.fill_buf()?;
            if std::mem::take(&mut self.is_after_return) && buffer.first() == Some(&b'\n') {
                self.input.consume(1);
                self.bytes += 1;
                buffer = self.input.fill_buf()?;
            }
            if buffer.is_empty() {
                return Ok(is_there);
            }
            is_there = true;
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let room = self.limit - line.len();
            *is_cut |= part.len() > room;
            line.extend_from_slice(&part[..part.len().min(room)]);
            self.is_after_return = end.is_some_and(|end| buffer[end] == b'\r');
            let read = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(read);
            self.bytes += read as u64;
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Reads a line of UTF-16 as UTF-8. Returns whether there was one.
    fn read_units(&mut self, is_big_endian: bool, line: &mut Vec<u8>, is_cut: &mut bool) -> io::Result<bool> {
        let mut units = Vec::new();
        let mut is_there = false;
        while let Some(unit) = self.unit(is_big_endian)? {
            let is_second = std::mem::take(&mut self.is_after_return) && unit == u16::from(b'\n');
            if is_second {
                continue;
            }
            is_there = true;
            if unit == u16::from(b'\n') || unit == u16::from(b'\r') {
                self.is_after_return = unit == u16::from(b'\r');
                break;
            }
            if units.len() * 2 < self.limit { units.push(unit) } else { *is_cut = true }
        }
        let text: String =
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        line.extend_from_slice(text.as_bytes());
        Ok(is_there)
    }

    fn unit(&mut self, is_big_endian: bool) -> io::Result<Option<u16>> {
        let mut pair = [0; 2];
        for (index, byte) in pair.iter_mut().enumerate() {
            let Some(first) = self.input.fill_buf()?.first().copied() else {
                // A text that ends within a unit is damaged there.
                return Ok((index == 1).then_some(0xfffd));
            };
            *byte = first;
            self.input.consume(1);
            self.bytes += 1;
        }
        Ok(Some(if is_big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }))
    }
}

/// The encoding of a text with this beginning.
fn encoding(beginning: &[u8]) -> Encoding {
    match beginning {
        [0xff, 0xfe, ..] => Encoding::Utf16 { is_big_endian: false },
        [0xfe, 0xff, ..] => Encoding::Utf16 { is_big_endian: true },
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => Encoding::Utf16 { is_big_endian: false },
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => Encoding::Utf16 { is_big_endian: true },
        _ => Encoding::Bytes,
    }
}

/// The characters 0x80 to 0x9f of Windows-1252. Those without a meaning stay controls.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of a line without its byte-order mark.
fn decoded(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        let character = |byte: &u8| match byte {
            0x80..=0x9f => WINDOWS_1252[usize::from(*byte - 0x80)],
            byte => char::from(*byte),
        };
        error.as_bytes().iter().map(character).collect()
    });
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], limit: usize) -> Vec<String> {
        let mut lines = Lines::new(bytes, limit);
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            assert_eq!(line.number as usize, found.len() + 1);
            found.push(line.text + if line.is_cut { "..." } else { "" });
        }
        assert_eq!(lines.bytes(), bytes.len() as u64);
        found
    }

    #[test]
    fn lines_may_end_in_any_way() {
        assert_eq!(lines(b"a\nb\r\nc\rd\n\r\n\r\re", 100), ["a", "b", "c", "d", "", "", "", "e"]);
        assert!(lines(b"", 100).is_empty());
        assert_eq!(lines(b"\n", 100), [""]);
    }

    #[test]
    fn long_lines_are_cut_and_the_next_one_is_whole() {
        assert_eq!(lines(b"12345\n123456\n1\n", 5), ["12345", "12345...", "1"]);
    }

    #[test]
    fn each_line_has_its_encoding() {
        let text = b"\xef\xbb\xbfM\xc3\xbcller\nM\xfcller \x96 \xb1\n\xef\xbb\xbfx\n";
        assert_eq!(lines(text, 100), ["Müller", "Müller – ±", "x"]);
    }

    #[test]
    fn utf_16_is_read_in_both_orders_with_and_without_a_mark() {
        for mark in ["", "\u{feff}"] {
            let units: Vec<u16> = format!("{mark}[A \"ü♘\"]\r\nb\n\nlast").encode_utf16().collect();
            let expected = ["[A \"ü♘\"]", "b", "", "last"];
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            assert_eq!(lines(&little, 100), expected);
            assert_eq!(lines(&big, 100), expected);
        }
        assert_eq!(lines(&[0xff, 0xfe, b'a', 0, b'b'], 100), ["a\u{fffd}"]);
    }
}
