//! Files to which a line is added now and then for hours, and which the next run continues.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::TuneError;
use crate::file::{FileError, Limit, check_place, read_text};

/// A line of a screening has some 50 bytes.
const LIMIT: Limit = Limit { mebibytes: 256, of: "a log" };

/// Opens the file at `path` for further lines, and returns those that stand in it behind `header`; one that is
/// not there yet is made. What a kill left of the last line is cut off: it may look like a whole one.
///
/// # Errors
/// If the file cannot be read or written, or begins with another header; it stays as it is then.
pub fn open(path: &Path, header: &str) -> Result<(File, String), TuneError> {
    let failed = |source| FileError::because("cannot write", path)(source);
    check_place(path)?;
    let text = match read_text(path, LIMIT) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.into()),
    };
    let whole = if text.starts_with(header) {
        text.rfind('\n').map_or(0, |newline| newline + 1)
    } else if header.starts_with(&text) {
        // Nothing yet, or what a kill left of the header.
        0
    } else {
        return Err(TuneError::ForeignLog(path.to_owned()));
    };
    if whole < text.len() {
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| file.set_len(whole as u64))
            .map_err(failed)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
    if whole == 0 {
        file.write_all(header.as_bytes()).map_err(failed)?;
    }
    Ok((file, text.get(header.len()..whole).unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const HEADER: &str = "number,value\n";

    #[test]
    fn a_line_that_was_cut_off_is_gone_and_the_next_begins_a_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        for (left, lines) in [
            ("", ""),
            ("number,va", ""),
            ("number,value\n", ""),
            ("number,value\n1,15", ""),
            ("number,value\n1,15.250\n2,1", "1,15.250\n"),
            ("number,value\n1,15.250\n2,16.500\n", "1,15.250\n2,16.500\n"),
        ] {
            fs::write(&path, left).unwrap();
            let (mut file, found) = open(&path, HEADER).unwrap();
            assert_eq!(found, lines, "{left:?}");
            file.write_all(b"3,4\n").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), format!("{HEADER}{lines}3,4\n"), "{left:?}");
        }
    }

    #[test]
    fn a_file_of_others_is_refused_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        for text in ["number,values\n1,2\n", "a letter", "number,value"] {
            fs::write(&path, text).unwrap();
            assert!(matches!(open(&path, "number,val\n"), Err(TuneError::ForeignLog(_))), "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let missing = directory.path().join("missing/a.csv");
        assert!(matches!(open(&missing, HEADER), Err(TuneError::File(_))));
    }
}
