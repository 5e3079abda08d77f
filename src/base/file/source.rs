//! Reading within limits: `/dev/zero`, or a file named by mistake, must not fill the memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::{FileError, not_regular};

/// How much of a file is read at most.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The limit, in MiB.
    pub mebibytes: u64,
    /// What the file should be, with its article, for the error message.
    pub of: &'static str,
}

impl Limit {
    fn bytes(self) -> u64 {
        self.mebibytes << 20
    }

    /// Refuses a file that is longer, in bytes.
    pub(super) fn check(self, length: u64) -> io::Result<()> {
        if length > self.bytes() { Err(self.exceeded()) } else { Ok(()) }
    }

    fn exceeded(self) -> io::Error {
        let Limit { mebibytes, of } = self;
        io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {mebibytes} MiB, the limit for {of}"),
        )
    }
}

/// A file. Reading more than the limit from it is an error.
#[derive(Debug)]
pub struct Bounded {
    file: File,
    limit: Limit,
    /// Bytes that may still be read.
    left: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| self.limit.exceeded())?;
        Ok(read)
    }
}

/// Opens a file of any kind, because a configuration may also come from a pipe. A regular file that is too long is an
/// error at once.
pub fn open(path: &Path, limit: Limit) -> Result<Bounded, FileError> {
    let open = || {
        let file = File::open(path)?;
        // Devices and pipes have no length.
        limit.check(file.metadata()?.len())?;
        Ok(Bounded { file, limit, left: limit.bytes() })
    };
    open().map_err(FileError::because("cannot read", path))
}

/// Reads a whole file. It is also an error if there is not enough memory.
pub fn read(path: &Path, limit: Limit) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    open(path, limit)?.read_to_end(&mut bytes).map_err(FileError::because("cannot read", path))?;
    Ok(bytes)
}

/// Reads a whole text in UTF-8, or in UTF-16 if it begins with a byte-order mark: programs on Windows write both. The
/// mark is left out.
pub fn read_text(path: &Path, limit: Limit) -> Result<String, FileError> {
    decoded(&read(path, limit)?).map_err(FileError::because("cannot read", path))
}

fn decoded(bytes: &[u8]) -> io::Result<String> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => from_utf_16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => from_utf_16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, text @ ..] | text => std::str::from_utf8(text).ok().map(str::to_owned),
    };
    text.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is no text in UTF-8"))
}

fn from_utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks();
    let units: Vec<u16> = pairs.iter().copied().map(unit).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

/// Returns an error if `path` is not a regular file. Call this before a file is opened where nobody may have to wait:
/// opening a pipe waits for a writer, perhaps for ever.
pub fn check_regular(path: &Path) -> Result<(), FileError> {
    fs::metadata(path)
        .and_then(|found| if found.is_file() { Ok(()) } else { Err(not_regular()) })
        .map_err(FileError::because("cannot read", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit { mebibytes: 1, of: "a test" };

    #[test]
    fn a_file_as_long_as_the_limit_is_read_and_a_longer_one_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.bin");
        fs::write(&path, vec![b'x'; 1 << 20]).unwrap();
        assert_eq!(read(&path, LIMIT).unwrap().len(), 1 << 20);
        assert_eq!(read_text(&path, LIMIT).unwrap().len(), 1 << 20);
        fs::write(&path, vec![b'x'; (1 << 20) + 1]).unwrap();
        let expected =
            format!("cannot read {}: it has more than 1 MiB, the limit for a test", path.display());
        assert_eq!(read(&path, LIMIT).unwrap_err().to_string(), expected);
        assert_eq!(read_text(&path, LIMIT).unwrap_err().to_string(), expected);
        assert!(check_regular(&path).is_ok());
        assert!(check_regular(directory.path()).unwrap_err().to_string().ends_with("not a regular file"));
        let missing = read(&directory.path().join("missing"), LIMIT).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    /// PowerShell writes UTF-16 with a mark, older editors of Windows UTF-8 with one.
    #[test]
    fn a_text_may_have_a_byte_order_mark() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        let text = "\u{feff}name = \"M\u{fc}ller\"\r\n";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for bytes in [text.into(), text[3..].into(), little, big] {
            fs::write(&path, &bytes).unwrap();
            assert_eq!(read_text(&path, LIMIT).unwrap(), text[3..], "{bytes:?}");
        }
        for bytes in [&b"M\xfcller"[..], b"\xff\xfea", b"\xff\xfe\x00\xd8"] {
            fs::write(&path, bytes).unwrap();
            assert!(read_text(&path, LIMIT).unwrap_err().to_string().ends_with("it is no text in UTF-8"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_an_end_is_read_up_to_the_limit() {
        let error = read(Path::new("/dev/zero"), LIMIT).unwrap_err().to_string();
        assert_eq!(error, "cannot read /dev/zero: it has more than 1 MiB, the limit for a test");
    }

    /// For example `enfilade suite <(head -20 wac.epd)`.
    #[cfg(all(unix, not(miri)))]
    #[test]
    fn a_pipe_can_be_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = super::super::pipe(directory.path());
        assert!(check_regular(&path).is_err());
        std::thread::scope(|scope| {
            scope.spawn(|| fs::write(&path, "threads = 2\n").unwrap());
            assert_eq!(read_text(&path, LIMIT).unwrap(), "threads = 2\n");
        });
    }
}
