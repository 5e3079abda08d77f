//! `enfilade doctor`: checks what the system lets the engine use, measures its speed, and writes a preset for it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use crate::base::console;
use crate::base::file::{check_writable, replace};
use crate::base::machine::{Load, Machine, ROOT, Ticks};
use crate::base::text::counted;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::job_progress::JobProgress;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::config::{Recommendation, Setup};
use crate::engine::facade::Settings;
use crate::lab::doctor::{self, Finding};
use crate::lab::scaling;
use crate::lab::scaling::command::seconds;
use crate::lab::scaling::speedtest::{self, SpeedtestPlan, SpeedtestReport};

/// How long the load of others is watched.
const WATCH: Duration = Duration::from_secs(1);
/// The largest table in MiB for a measurement. Each of its searches begins with an empty table, and one thread would
/// take seconds to clear a large one.
const MEASURED_HASH: usize = 256;

/// Check what the system lets the engine use, and recommend settings
#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Seconds of searching with the recommended settings, half of them with one thread
    #[arg(long, value_name = "S", default_value = "20", value_parser = seconds)]
    pub seconds: Duration,
    /// Measure no speed
    #[arg(long, conflicts_with = "seconds")]
    pub quick: bool,
    #[command(flatten)]
    pub json: JsonArguments,
    /// Write the recommended settings to a preset. An existing file is replaced
    #[arg(long, value_name = "FILE.toml")]
    pub write: Option<PathBuf>,
}

/// What `doctor` needs.
#[derive(Debug)]
pub(crate) struct DoctorTask {
    settings: Settings,
    /// The time to measure; `None` for no measurement.
    time: Option<Duration>,
    json: JsonArguments,
    preset: Option<PathBuf>,
}

/// All that is found.
#[derive(Serialize)]
struct Diagnosis {
    findings: Vec<Finding>,
    recommended: Recommendation,
    /// The cores that this process may use; `None` if the system does not say.
    granted: Option<f64>,
    load: Option<Load>,
    speed: Option<SpeedtestReport>,
}

impl Diagnosis {
    /// Whether other programs take so much that fewer threads than the recommended ones are free.
    fn is_disturbed(&self) -> bool {
        self.load
            .as_ref()
            .is_some_and(|load| doctor::free_threads(load, &self.recommended) < self.recommended.threads)
    }
}

impl CommandArguments for DoctorArguments {
    type Task = DoctorTask;

    fn resolve(self, setup: Setup) -> Result<DoctorTask, CliError> {
        let DoctorArguments { seconds, quick, json, write } = self;
        let time = (!quick).then_some(seconds);
        Ok(DoctorTask { settings: setup.settings, time, json, preset: write })
    }

    /// Prints the findings before it writes the preset, so that they are not lost if the disk is full. Writes the
    /// preset even if the output is closed.
    fn run(task: DoctorTask) -> Result<(), CliError> {
        task.json.check()?;
        if let Some(path) = &task.preset {
            check_writable(path)?;
        }
        let diagnosis = diagnose(&task)?;
        let mut out = console::stdout();
        task.json.write(&diagnosis)?;
        if !task.json.is_printed() {
            show(&mut out, &diagnosis)?;
        }
        if let Some(path) = &task.preset {
            replace(path, preset(&diagnosis).as_bytes())?;
            if !task.json.is_printed() {
                writeln!(out, "Written to {}", path.display())?;
            }
        }
        Ok(())
    }
}

/// Looks at the machine, and measures the recommended settings.
fn diagnose(task: &DoctorTask) -> Result<Diagnosis, CliError> {
    let root = Path::new(ROOT);
    let machine = Machine::read(root);
    let load = watch(root, &machine);
    let (mut findings, recommended) = doctor::examine(&machine, load.as_ref());
    let granted = machine.granted();
    let speed = task.time.map(|time| measure(task, recommended, time)).transpose()?;
    if let Some(row) = speed.as_ref().and_then(|speed| speed.rows.last()) {
        findings.push(doctor::judge(row, granted.unwrap_or(recommended.threads as f64)));
    }
    Ok(Diagnosis { findings, recommended, granted, load, speed })
}

/// The load of others, while this process sleeps.
fn watch(root: &Path, machine: &Machine) -> Option<Load> {
    let processors = machine.usable();
    let before = Ticks::read(root, &processors)?;
    thread::sleep(WATCH);
    Ticks::read(root, &processors)?.since(&before)
}

/// Measures one thread and the recommended number of threads. The table is not larger than [`MEASURED_HASH`].
fn measure(
    task: &DoctorTask,
    recommended: Recommendation,
    time: Duration,
) -> Result<SpeedtestReport, CliError> {
    let Recommendation { threads, hash } = recommended;
    let counts = if threads == 1 { vec![1] } else { vec![1, threads] };
    let searches = counts.len() * scaling::positions().len();
    let progress = JobProgress::new("searches", 0, searches as u64);
    let time = time / counts.len() as u32;
    let settings = Settings { hash: hash.min(MEASURED_HASH), ..task.settings.clone() };
    let plan = SpeedtestPlan { settings, counts, time, cores: threads };
    let report = speedtest::run(&plan, |count| progress.advance(counted(count as u64, "thread")))?;
    progress.clear();
    Ok(report)
}

fn show(out: &mut impl Write, diagnosis: &Diagnosis) -> io::Result<()> {
    for finding in &diagnosis.findings {
        writeln!(out, "{finding}")?;
    }
    let Recommendation { threads, hash } = diagnosis.recommended;
    // The load of others may pass, so it changes nothing here. Its finding says what to do meanwhile.
    let when = if diagnosis.is_disturbed() { " once the other programs have ended" } else { "" };
    writeln!(out, "Recommended{when}: threads = {threads}, hash = {hash}")
}

/// The settings of the preset that is written.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct MachineProfile {
    threads: usize,
    hash: usize,
    numa_policy: String,
}

/// The text of the preset. Its comments hold the findings.
fn preset(diagnosis: &Diagnosis) -> String {
    let Recommendation { threads, hash } = diagnosis.recommended;
    let mut text = "# Written by enfilade doctor, for use with --config.\n#\n".to_owned();
    for finding in &diagnosis.findings {
        text.push_str(&format!("# {finding}\n"));
    }
    let profile = MachineProfile { threads, hash, numa_policy: "auto".to_owned() };
    text.push('\n');
    text.push_str(&toml::to_string(&profile).expect("a profile is a table"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::command::arguments::resolved;
    use crate::engine::config::Preset;

    #[test]
    fn the_time_of_the_measurement_can_be_chosen() {
        let time = |line: &str| resolved::<DoctorArguments>(&format!("enfilade doctor {line}")).unwrap().time;
        assert_eq!(time(""), Some(Duration::from_secs(20)));
        assert_eq!(time("--seconds 0.5"), Some(Duration::from_millis(500)));
        assert_eq!(time("--quick"), None);
    }

    #[test]
    fn the_preset_holds_the_recommended_settings() {
        let machine = Machine::default();
        let (findings, _) = doctor::examine(&machine, None);
        let recommended = Recommendation { threads: 12, hash: 8192 };
        let diagnosis = Diagnosis { findings, recommended, granted: None, load: None, speed: None };
        let mut setup = Setup::default();
        let text = preset(&diagnosis);
        Preset::parse(&text, Path::new("x.toml")).unwrap().apply(&mut setup);
        assert_eq!((setup.settings.threads, setup.settings.hash), (12, 8192), "{text}");
        assert_eq!(setup.settings.numa, Settings::default().numa);
        assert!(text.contains("# unknown   memory: "), "{text}");
    }
}
