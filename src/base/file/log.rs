//! Logs: files to which lines are appended, perhaps by one run after another.
//!
//! A [`Log`] begins with a header that says what its lines depend on. A kill may leave an incomplete last line. The
//! next run cuts it off and goes on. What a header means and which one fits a run is up to the callers.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::FileError;
use super::lock::lock;
use super::source::Limit;

/// Opens the file or device at `path` to append lines, and makes the file if there is none. A pipe is refused, because
/// opening it would wait for a reader.
pub fn append(path: &Path) -> Result<File, FileError> {
    let open = || {
        if is_pipe(path) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe"));
        }
        OpenOptions::new().create(true).append(true).open(path)
    };
    open().map_err(FileError::because("cannot write", path))
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_path: &Path) -> bool {
    false
}

/// A log cannot be opened.
#[derive(Debug, Error)]
pub enum LogError {
    /// The system refuses it.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is something other than a regular file.
    #[error("{}: this is not a regular file", .0.display())]
    Irregular(PathBuf),
    /// Another process works on the log.
    #[error("{}: another process is working on this file", .0.display())]
    Locked(PathBuf),
}

/// A log that belongs to this process until it is dropped.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    /// The file, open for reading and appending. It holds the lock.
    file: File,
}

impl Log {
    /// Opens the log at `path`. Makes an empty file if there is none.
    pub fn open(path: &Path) -> Result<Log, LogError> {
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(LogError::Irregular(path.to_owned()));
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(FileError::because("cannot write", path))?;
        if !lock(&file) {
            return Err(LogError::Locked(path.to_owned()));
        }
        Ok(Log { path: path.to_owned(), file })
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The length of the file, in bytes.
    pub fn length(&self) -> Result<u64, FileError> {
        let length = self.file.metadata().map(|found| found.len());
        length.map_err(FileError::because("cannot read", &self.path))
    }

    /// Reads what the file holds now, from the byte `start` on. What is appended later is not read.
    pub fn reader(&self, start: u64) -> Result<BufReader<LogReader>, FileError> {
        let end = self.length()?;
        let file = self.file.try_clone().map_err(FileError::because("cannot read", &self.path))?;
        Ok(BufReader::new(LogReader { file, place: start, end }))
    }

    /// The whole text of a log that is not too long.
    pub fn text(&self, limit: Limit) -> Result<String, FileError> {
        let because = || FileError::because("cannot read", &self.path);
        limit.check(self.length()?).map_err(because())?;
        let mut text = String::new();
        self.reader(0)?.read_to_string(&mut text).map_err(because())?;
        Ok(text)
    }

    /// Replaces everything that the log holds by a header, one or more whole lines. It is on the disk when this
    /// returns.
    pub fn begin(&mut self, header: &str) -> Result<(), FileError> {
        let mut write = || {
            self.file.set_len(0)?;
            self.file.write_all(header.as_bytes())?;
            self.file.sync_all()
        };
        write().map_err(FileError::because("cannot write", &self.path))?;
        // The name of the file must also survive a power failure.
        sync_directory(&self.path);
        Ok(())
    }

    /// Removes what a kill has left of an incomplete last line.
    pub fn cut(&mut self) -> Result<(), FileError> {
        let length = self.length()?;
        let end = self.end_of_last_line(length).map_err(FileError::because("cannot read", &self.path))?;
        if end < length {
            self.file.set_len(end).map_err(FileError::because("cannot write", &self.path))?;
        }
        Ok(())
    }

    /// Appends whole lines.
    pub fn append(&mut self, lines: &str) -> Result<(), FileError> {
        self.file.write_all(lines.as_bytes()).map_err(FileError::because("cannot write", &self.path))
    }

    /// Waits until all lines are on the disk.
    pub fn sync(&mut self) -> Result<(), FileError> {
        self.file.sync_data().map_err(FileError::because("cannot write", &self.path))
    }

    /// Removes the file.
    pub fn remove(self) -> Result<(), FileError> {
        fs::remove_file(&self.path).map_err(FileError::because("cannot remove", &self.path))
    }

    fn end_of_last_line(&mut self, length: u64) -> io::Result<u64> {
        let mut end = length;
        let mut block = [0; 4096];
        while end > 0 {
            let start = end.saturating_sub(block.len() as u64);
            let part = &mut block[..(end - start) as usize];
            self.file.seek(SeekFrom::Start(start))?;
            self.file.read_exact(part)?;
            if let Some(newline) = part.iter().rposition(|byte| *byte == b'\n') {
                return Ok(start + newline as u64 + 1);
            }
            end = start;
        }
        Ok(0)
    }
}

/// Reads a log up to its length at the start, while the same handle appends to it. On some systems the lock would keep
/// another handle out.
#[derive(Debug)]
pub struct LogReader {
    file: File,
    place: u64,
    end: u64,
}

impl Read for LogReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(self.end.saturating_sub(self.place) as usize);
        self.file.seek(SeekFrom::Start(self.place))?;
        let read = self.file.read(&mut buffer[..length])?;
        self.place += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn sync_directory(path: &Path) {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Some file systems cannot do this.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
}

#[cfg(not(unix))]
fn sync_directory(_path: &Path) {}

#[cfg(test)]
mod tests {
    use std::io::BufRead;

    use super::*;

    const LIMIT: Limit = Limit { mebibytes: 1, of: "a test" };

    #[test]
    fn lines_stay_and_what_a_kill_left_of_another_is_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.log");
        let mut log = Log::open(&path).unwrap();
        assert_eq!((log.text(LIMIT).unwrap().as_str(), log.length().unwrap()), ("", 0));
        log.begin("# a header\n").unwrap();
        log.append("one\ntwo\n").unwrap();
        log.sync().unwrap();
        drop(log);
        let whole = fs::read_to_string(&path).unwrap();
        assert_eq!(whole, "# a header\none\ntwo\n");
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut log = Log::open(&path).unwrap();
            assert_eq!(log.text(LIMIT).unwrap(), whole[..length]);
            log.cut().unwrap();
            let kept = whole[..length].rfind('\n').map_or(0, |newline| newline + 1);
            log.append("next\n").unwrap();
            drop(log);
            assert_eq!(fs::read_to_string(&path).unwrap(), format!("{}next\n", &whole[..kept]));
        }
        let long = "x".repeat(10_000);
        fs::write(&path, format!("one\n{long}")).unwrap();
        Log::open(&path).unwrap().cut().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
        Log::open(&path).unwrap().remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_reader_sees_only_what_was_there() {
        let directory = tempfile::tempdir().unwrap();
        let mut log = Log::open(&directory.path().join("a.log")).unwrap();
        log.begin("header\n").unwrap();
        log.append("one\ntwo\n").unwrap();
        let mut lines = log.reader(7).unwrap().lines();
        assert_eq!(lines.next().unwrap().unwrap(), "one");
        log.append("three\n").unwrap();
        assert_eq!(lines.map(Result::unwrap).collect::<Vec<_>>(), ["two"]);
        assert_eq!(log.text(LIMIT).unwrap(), "header\none\ntwo\nthree\n");
    }

    #[test]
    fn what_is_no_log_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(Log::open(directory.path()), Err(LogError::Irregular(_))));
        assert!(matches!(Log::open(&directory.path().join("missing/a.log")), Err(LogError::File(_))));
        let path = directory.path().join("a.log");
        fs::write(&path, vec![b'x'; (1 << 20) + 1]).unwrap();
        let error = Log::open(&path).unwrap().text(LIMIT).unwrap_err().to_string();
        assert!(error.ends_with("it has more than 1 MiB, the limit for a test"), "{error}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri knows no locks of files")]
    fn one_process_at_a_time_works_on_a_log() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.log");
        let log = Log::open(&path).unwrap();
        assert!(matches!(Log::open(&path), Err(LogError::Locked(_))));
        drop(log);
        Log::open(&path).unwrap();
    }
}
