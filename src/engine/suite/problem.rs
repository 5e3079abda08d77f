//! The positions that the engine has to solve.

use std::path::Path;

use crate::base::console;
use crate::base::file::{self, FileError, Limit, Lines, TextLine};
use crate::chess::board::epd::{EpdError, EpdRecord, Goal};
use crate::engine::command::error::CliError;

/// The largest file: about half a million positions.
const LIMIT: Limit = Limit { mebibytes: 64, of: "a suite" };
/// The longest line in bytes. The error message of a longer line would fill the screen.
const LINE_LIMIT: usize = 16 << 10;

/// A position of the suite.
pub(super) struct Problem {
    /// Line in the file, from 1.
    pub line: usize,
    pub record: EpdRecord,
    pub goal: Goal,
}

/// Reads a suite. Leaves out lines that cannot be used, and names them on standard error.
pub(super) fn read(path: &Path) -> Result<Vec<Problem>, CliError> {
    let bytes = file::read(path, LIMIT)?;
    let mut lines = Lines::new(&bytes[..], LINE_LIMIT);
    let mut problems = Vec::new();
    while let Some(line) = lines.next_line().map_err(FileError::because("cannot read", path))? {
        let TextLine { text, number, is_cut } = line;
        let text = text.trim();
        if text.is_empty() || text.starts_with(['#', ';', '%']) {
            continue;
        }
        let warn = |reason: &str| {
            console::warn(format_args!("{}, line {number}: {reason}; skipped", path.display()));
        };
        if is_cut {
            warn(&format!("it has more than {} KiB", LINE_LIMIT >> 10));
            continue;
        }
        match problem(number as usize, text) {
            Ok(problem) => problems.push(problem),
            Err(error) => warn(&error.to_string()),
        }
    }
    Ok(problems)
}

fn problem(line: usize, text: &str) -> Result<Problem, EpdError> {
    let record = EpdRecord::parse(text)?;
    let goal = record.goal()?;
    Ok(Problem { line, record, goal })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn unusable_lines_are_skipped() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(
            b"# a comment\n; another\n6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#; id \"one\";\nnonsense\n\xff\xfe\n\
              6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Qh5;\n6k1/5ppp/8/8/8/8/8/4R1K1 w - - dm 1;\n",
        )
        .unwrap();
        let long = format!("6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#; c0 \"{}\";\n", "x".repeat(LINE_LIMIT));
        file.write_all(long.as_bytes()).unwrap();
        let problems = read(file.path()).unwrap();
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [3, 7]);
    }
}
