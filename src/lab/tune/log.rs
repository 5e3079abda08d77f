//! The files of a tuning: `log.csv`, from which it can be continued; the chart `log.svg`; and the latest values,
//! `params.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::TuneError;
use super::plot;
use super::spsa::Spsa;
use crate::base::file::{FileError, Log, check_writable, replace};
use crate::engine::params::Declaration;
use crate::engine::selfplay::games_log::{self, RecordedSetting};

/// The files of one tuning.
pub struct TuningFiles {
    log: Log,
    params: PathBuf,
    plot: PathBuf,
    /// The pairs and the values of each line.
    history: Vec<(u64, Vec<f64>)>,
    start: Vec<f64>,
}

impl TuningFiles {
    /// Opens the files in `directory`, which is made if it does not exist. `spsa` continues from the last line. The
    /// results depend on `settings`.
    pub fn open(
        directory: &Path,
        spsa: &mut Spsa,
        settings: &[RecordedSetting],
    ) -> Result<TuningFiles, TuneError> {
        let [path, params, plot] = ["log.csv", "params.toml", "log.svg"].map(|name| directory.join(name));
        let start = spsa.values().to_vec();
        fs::create_dir_all(directory).map_err(FileError::because("cannot make the directory", directory))?;
        check_writable(&params)?;
        check_writable(&plot)?;
        let names = spsa.declarations().iter().map(|declaration| format!(",{}", declaration.name));
        let columns = format!("pairs{}", names.collect::<String>());
        let mut last = 0;
        let (log, history) = games_log::open(&path, settings, &columns, |line| {
            let (done, values) = parse(line, spsa.declarations()).filter(|(done, _)| *done > last)?;
            last = done;
            Some((done, values))
        })?;
        if let Some((done, values)) = history.last() {
            spsa.resume(*done, values.clone());
        }
        Ok(TuningFiles { log, params, plot, history, start })
    }

    /// Writes the current state of the tuning to all files.
    pub fn append(&mut self, spsa: &Spsa) -> Result<(), TuneError> {
        let values: String = spsa.values().iter().map(|value| format!(",{value:.3}")).collect();
        self.log.append(&format!("{}{values}\n", spsa.done()))?;
        let mut text = format!("# After {} pairs of games.\n[params]\n", spsa.done());
        let params = spsa.params();
        for declaration in spsa.declarations() {
            let value = params.get(declaration.name);
            text.push_str(&format!("{} = {value} # was {}\n", declaration.name, declaration.default));
        }
        replace(&self.params, text.as_bytes())?;
        self.history.push((spsa.done(), spsa.values().to_vec()));
        let picture = plot::svg(spsa.declarations(), &self.start, &self.history);
        Ok(replace(&self.plot, picture.as_bytes())?)
    }
}

/// Parses a line: the pairs, and the values, each within its range.
fn parse(line: &str, declarations: &[&Declaration]) -> Option<(u64, Vec<f64>)> {
    let (done, values) = line.split_once(',')?;
    let values: Vec<f64> = values.split(',').map(|field| field.parse().ok()).collect::<Option<_>>()?;
    let is_possible = |(value, declaration): (&f64, &&Declaration)| {
        (f64::from(declaration.min)..=f64::from(declaration.max)).contains(value)
    };
    let are_possible = values.len() == declarations.len() && values.iter().zip(declarations).all(is_possible);
    are_possible.then_some((done.parse().ok()?, values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::params::Params;
    use crate::engine::selfplay::games_log::GamesLogError;

    #[test]
    fn a_tuning_continues_from_its_last_whole_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.csv");
        let tuned = &Params::ALL[0];
        let header = format!("# nodes = 30\npairs,{}\n", tuned.name);
        // The complete last line would have been 500,15.250.
        fs::write(&path, format!("{header}250,17.500\n500,1")).unwrap();
        let mut spsa = Spsa::new(vec![tuned], &Params::default(), 1_000, 0.002, 1.0);
        let mut files =
            TuningFiles::open(directory.path(), &mut spsa, &[RecordedSetting::new("nodes", 30)]).unwrap();
        assert_eq!((spsa.done(), spsa.values().to_vec()), (250, vec![17.5]));
        files.append(&spsa).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{header}250,17.500\n250,17.500\n"));
    }

    /// The tuning once continued from such values.
    #[test]
    fn values_out_of_range_are_refused() {
        let tuned = &Params::ALL[0];
        assert_eq!(parse("250,17.500", &[tuned]), Some((250, vec![17.5])));
        for wrong in
            ["NaN", "inf", "-17.5", "1e9", "", "x", "17.5,17.5", "17.5,"].map(|value| format!("250,{value}"))
        {
            assert_eq!(parse(&wrong, &[tuned]), None, "{wrong}");
        }
        assert_eq!(parse("250", &[tuned]), None);
        let directory = tempfile::tempdir().unwrap();
        let header = format!("pairs,{}\n", tuned.name);
        for lines in ["250,17.5\n250,17.5\n", "0,17.5\n", "500,17.5\n250,17.5\n", "250,NaN\n"] {
            fs::write(directory.path().join("log.csv"), format!("{header}{lines}")).unwrap();
            let mut spsa = Spsa::new(vec![tuned], &Params::default(), 1_000, 0.002, 1.0);
            let opened = TuningFiles::open(directory.path(), &mut spsa, &[]);
            assert!(matches!(opened, Err(TuneError::Log(GamesLogError::Line { .. }))), "{lines}");
        }
    }
}
