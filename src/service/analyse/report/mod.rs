//! The reports of the games. A file is written completely or not at all.

pub mod html;
pub mod json;
pub mod pgn;
mod setting;

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::assessment::Assessment;
use crate::base::console;
use crate::base::file::{self, FileError};
use html::Totals;
pub use setting::Setting;

/// The places of the reports. At least one is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The PGN file.
    pub pgn: Option<PathBuf>,
    /// The JSON file with one line for each game.
    pub json: Option<PathBuf>,
    /// The directory of the HTML pages.
    pub html: Option<PathBuf>,
    /// The address of an analysis board to which the HTML pages link.
    pub board: Option<String>,
}

impl Places {
    /// The places that are given.
    pub fn given(&self) -> impl Iterator<Item = &Path> {
        [&self.pgn, &self.json, &self.html].into_iter().flatten().map(PathBuf::as_path)
    }

    /// The first of the files and directories. The journal lies beside it. There is none if all goes to standard
    /// output.
    pub fn first_file(&self) -> Option<&Path> {
        self.given().find(|path| !file::is_standard_output(path))
    }

    /// Makes the HTML directory if necessary, and checks before hours of work whether all reports can be written.
    ///
    /// # Errors
    ///
    /// If a report cannot be written.
    pub fn check(&self) -> Result<(), FileError> {
        let files = [&self.pgn, &self.json].into_iter().flatten();
        for path in files.filter(|path| !file::is_standard_output(path)) {
            file::check_writable(path)?;
        }
        if let Some(directory) = &self.html {
            fs::create_dir_all(directory)
                .map_err(FileError::because("cannot make the directory", directory))?;
            let index = html::index_path(directory);
            file::check_writable(&index)?;
            html::check_own_index(&index).map_err(FileError::because("cannot replace", &index))?;
        }
        Ok(())
    }

    /// Lets `work` write the reports. If it succeeds, the files are put in place. Otherwise the old files stay. The
    /// HTML pages of single games are put in place one by one.
    ///
    /// # Errors
    ///
    /// The errors of `work` and of the files.
    pub fn write<T, E: From<FileError>>(
        &self,
        setting: &Setting,
        work: impl FnOnce(&mut Reports<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let index = self.html.as_deref().map(html::index_path);
        with_file(self.pgn.as_deref(), |pgn| {
            with_file(self.json.as_deref(), |json| {
                with_file(index.as_deref(), |index| {
                    let [pgn, json, index] = [narrowed(pgn), narrowed(json), narrowed(index)];
                    let totals = Totals::default();
                    let mut reports = Reports { pgn, json, index, setting, places: self, totals };
                    reports.begin()?;
                    let value = work(&mut reports)?;
                    reports.end()?;
                    Ok(value)
                })
            })
        })
    }
}

/// Lets `work` write the file at `path`, if there is one, and puts it in place if `work` succeeds. Standard output has
/// no such care: a reader gets each game when it is finished.
fn with_file<T, E: From<FileError>>(
    path: Option<&Path>,
    work: impl FnOnce(Out<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let Some(path) = path else { return work(None) };
    if file::is_standard_output(path) {
        return work(Some(&mut console::stdout()));
    }
    let mut result = None;
    let replaced = file::replace_with(path, |file| {
        let mut out = BufWriter::new(file);
        let done = work(Some(&mut out));
        let is_done = done.is_ok();
        result = Some(done);
        // Nobody sees this text. The error only keeps the old file.
        if is_done { out.flush() } else { Err(io::Error::other("the work was given up")) }
    });
    match (result, replaced) {
        (Some(Err(cause)), _) => Err(cause),
        (_, Err(error)) => Err(error.into()),
        (result, Ok(())) => result.expect("a file that was put in place has been written"),
    }
}

/// The writer of a report, if this report is wanted.
type Out<'a> = Option<&'a mut (dyn Write + 'a)>;

/// Reborrows a writer for a shorter lifetime.
fn narrowed<'a>(out: Option<&'a mut (dyn Write + '_)>) -> Out<'a> {
    out.map(|out| out as &mut dyn Write)
}

/// The reports of a run.
pub struct Reports<'a> {
    pgn: Out<'a>,
    json: Out<'a>,
    index: Out<'a>,
    setting: &'a Setting,
    places: &'a Places,
    totals: Totals,
}

impl Reports<'_> {
    /// Writes a game into each report.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn add(&mut self, report: &Assessment) -> Result<(), FileError> {
        let Reports { pgn, json, index, setting, places, totals } = self;
        write_to(pgn, &places.pgn, |out| pgn::write(out, report, setting))?;
        write_to(json, &places.json, |out| json::write(out, report, setting))?;
        if let Some(directory) = &places.html {
            file::replace(
                &html::game_path(directory, report.number),
                html::game(report, setting).as_bytes(),
            )?;
            totals.add(report);
        }
        write_to(index, &places.html, |out| out.write_all(html::row(report).as_bytes()))
    }

    fn begin(&mut self) -> Result<(), FileError> {
        let head = html::index_head(self.setting);
        write_to(&mut self.index, &self.places.html, |out| out.write_all(head.as_bytes()))
    }

    fn end(&mut self) -> Result<(), FileError> {
        let foot = html::index_foot(&self.totals);
        write_to(&mut self.index, &self.places.html, |out| out.write_all(foot.as_bytes()))
    }
}

fn write_to(
    out: &mut Out<'_>,
    path: &Option<PathBuf>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    match (out, path) {
        (Some(out), Some(path)) => write(*out).map_err(FileError::because("cannot write", path)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::setting::tests::setting;
    use super::*;

    #[test]
    fn files_are_put_in_place_together_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let places = Places {
            pgn: Some(directory.path().join("a.pgn")),
            json: Some(directory.path().join("a.jsonl")),
            html: Some(directory.path().join("html")),
            board: None,
        };
        places.check().unwrap();
        let names = || {
            let names = fs::read_dir(directory.path()).unwrap();
            let mut names: Vec<_> =
                names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        fs::write(places.pgn.as_ref().unwrap(), "old").unwrap();
        let failed = places.write(&setting(), |_| {
            Err::<(), _>(FileError::because("cannot do", Path::new("it"))(io::Error::other("a reason")))
        });
        assert_eq!(failed.unwrap_err().to_string(), "cannot do it: a reason");
        assert_eq!(names(), ["a.pgn", "html"]);
        assert_eq!(fs::read_to_string(places.pgn.as_ref().unwrap()).unwrap(), "old");
        assert_eq!(places.write(&setting(), |_| Ok::<_, FileError>(7)).unwrap(), 7);
        assert_eq!(names(), ["a.jsonl", "a.pgn", "html"]);
        assert_eq!(fs::read_to_string(places.pgn.as_ref().unwrap()).unwrap(), "");
    }

    #[test]
    fn a_report_that_cannot_be_written_is_an_error_before_any_search() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("missing/a.pgn");
        let error = Places { pgn: Some(path), ..Places::default() }.check().unwrap_err().to_string();
        assert!(error.contains("missing/a.pgn"), "{error}");
    }

    /// The index of another site was replaced by that of the report.
    #[test]
    fn only_an_index_of_a_report_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let places = Places { html: Some(directory.path().to_owned()), ..Places::default() };
        let index = html::index_path(directory.path());
        assert!(places.check().is_ok(), "there is none");
        fs::write(&index, "<title>My games</title>").unwrap();
        let error = places.check().unwrap_err().to_string();
        assert!(error.contains("index.html: it is no report of Enfilade"), "{error}");
        fs::write(&index, html::index_head(&setting::tests::setting())).unwrap();
        assert!(places.check().is_ok());
    }
}
