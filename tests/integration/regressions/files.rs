//! Tests of files with the real binary. Files are put in place when they are complete, and they replace neither devices
//! nor pipes nor links. Results are printed before files are written. Each read has a limit. Files that killed
//! processes left are removed.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::dialogue::Dialogue;
use crate::program::{messages, run, stderr, stdout, text};

/// Special files that must not be replaced by a regular file: a pipe, and a device like `/dev/null` if the system
/// allows the test to make one.
#[derive(Clone, Copy, Debug)]
enum Special {
    Pipe,
    Device,
}

impl Special {
    /// The kinds of special files that the test can make on this system.
    fn all() -> Vec<Special> {
        let directory = tempfile::tempdir().unwrap();
        if Special::Device.make(&directory.path().join("device")) {
            vec![Special::Pipe, Special::Device]
        } else {
            eprintln!("pipes alone: mknod is refused, which takes an administrator's rights");
            vec![Special::Pipe]
        }
    }

    /// Makes a special file at `path`. Returns whether that was allowed.
    fn make(self, path: &Path) -> bool {
        let mut command = match self {
            Special::Pipe => Command::new("mkfifo"),
            Special::Device => Command::new("mknod"),
        };
        command.arg(path).stderr(Stdio::null());
        if let Special::Device = self {
            command.args(["c", "1", "3"]);
        }
        command.status().is_ok_and(|status| status.success())
    }

    #[track_caller]
    fn check(self, path: &Path) {
        let kind = fs::symlink_metadata(path).unwrap().file_type();
        let is_there = match self {
            Special::Pipe => kind.is_fifo(),
            Special::Device => kind.is_char_device(),
        };
        assert!(is_there, "{} has become a file", path.display());
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs the binary after some shell commands.
fn run_behind(shell: &str, arguments: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", &format!("{shell}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_enfilade")])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("a shell")
}

/// The error message of a run that fails. It must be one line, apart from progress.
#[track_caller]
fn complaint(output: &Output) -> String {
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let lines = messages(&errors);
    assert_eq!(lines.len(), 1, "{errors}");
    lines[0].to_owned()
}

/// Games from which `data wdl` makes a model.
fn games(directory: &Path) -> PathBuf {
    let path = directory.join("games");
    stdout(&["datagen", "--out", text(&path), "--games", "150", "--nodes", "20"]);
    path
}

fn save(engine: &mut Dialogue, path: &Path) -> Vec<String> {
    engine.send(&format!("setoption name HashFile value {}", path.display()));
    engine.ask("setoption name SaveHashtoFile")
}

/// If `HashFile` named a device, the device node became a regular file. For root and `/dev/null` this breaks a system.
#[test]
fn saving_a_table_replaces_no_device_and_no_pipe() {
    for special in Special::all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.hash");
        assert!(special.make(&path));
        let link = directory.path().join("link");
        symlink("a.hash", &link).unwrap();
        let mut engine = Dialogue::small();
        for path in [&path, &link] {
            let said = save(&mut engine, path);
            assert!(said.len() == 1 && said[0].ends_with("it is not a regular file"), "{said:?}");
        }
        special.check(&path);
        assert_eq!(names(directory.path()), ["a.hash", "link"]);
    }
}

/// The link was replaced, and its target kept the old table.
#[test]
fn saving_a_table_through_a_link_writes_its_target() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("disk")).unwrap();
    let link = directory.path().join("a.hash");
    symlink("disk/b.hash", &link).unwrap();
    let mut engine = Dialogue::small();
    for _ in 0..2 {
        let said = save(&mut engine, &link);
        assert!(said.len() == 1 && said[0].contains("saved"), "{said:?}");
        assert!(link.is_symlink());
        assert!(fs::symlink_metadata(directory.path().join("disk/b.hash")).unwrap().len() > 1 << 20);
        assert_eq!(names(directory.path()), ["a.hash", "disk"]);
        assert_eq!(names(&directory.path().join("disk")), ["b.hash"]);
    }
}

/// Each special file was replaced by a regular file, in some commands after minutes of measuring.
#[test]
fn no_command_replaces_a_device_or_a_pipe() {
    for special in Special::all() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("train.toml"), "").unwrap();
        let (settings, network, tuning) = (path("train.toml"), path("net.bin"), path("tuning"));
        fs::create_dir(&tuning).unwrap();
        let train =
            ["train", "--data", "does-not-exist", "--config", text(&settings), "--out", text(&network)];
        let tune = ["tune", "--pairs", "1", "--out", text(&tuning)];
        let plot = path("plot.svg");
        for (name, arguments) in [
            ("plot.svg", &["speedtest", "--plot", text(&plot)][..]),
            ("plot.svg", &["tune-threads", "--threads", "2", "--out", text(&plot)]),
            ("plot.svg", &["data", "wdl", "does-not-exist", "--plot", text(&plot)]),
            ("plot.svg", &["screen", "--pairs", "1", "--out", text(&plot), "razor_depth=2"]),
            ("net.bin", &train),
            ("net.csv", &train),
            ("net.svg", &train),
            ("net.checkpoint", &train),
            ("tuning/log.csv", &tune),
            ("tuning/params.toml", &tune),
            ("tuning/log.svg", &tune),
        ] {
            let path = path(name);
            assert!(special.make(&path));
            let error = stderr(arguments, 1);
            let expected = format!("enfilade: cannot write {}: it is not a regular file\n", path.display());
            assert_eq!(error, expected, "{arguments:?}");
            special.check(&path);
            fs::remove_file(path).unwrap();
        }
        assert_eq!(names(directory.path()), ["train.toml", "tuning"]);
        assert_eq!(names(&tuning), [""; 0]);
    }
}

/// The files were truncated and then written, so a kill or a full disk left an incomplete file. The test gives each old
/// file a second name. This name still shows the old content, unless the old file itself was written to.
#[test]
fn tune_replaces_its_files_whole() {
    let directory = tempfile::tempdir().unwrap();
    let tuning = directory.path().join("tuning");
    fs::create_dir(&tuning).unwrap();
    let files = ["params.toml", "log.svg"];
    for name in files {
        fs::write(tuning.join(name), "old").unwrap();
        fs::hard_link(tuning.join(name), directory.path().join(name)).unwrap();
    }
    let arguments = ["tune", "--out", text(&tuning), "--pairs", "1", "--nodes", "20", "--only", "razor_base"];
    assert!(run(&arguments).status.success());
    for (name, part) in files.into_iter().zip(["razor_base = ", "<svg "]) {
        assert_eq!(fs::read_to_string(directory.path().join(name)).unwrap(), "old");
        assert!(fs::read_to_string(tuning.join(name)).unwrap().contains(part));
    }
    assert_eq!(names(&tuning), ["log.csv", "log.svg", "params.toml"]);
}

/// An export cut the old file short before it had anything to write. Now a file is put in place when it is complete. A
/// pipe or a device is still a valid target.
#[test]
fn an_export_streams_into_pipes_and_devices_and_replaces_files_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let games = path("games");
    stdout(&["datagen", "--out", text(&games), "--games", "3", "--nodes", "20"]);
    let expected = stdout(&["data", "export", text(&games)]);
    for special in Special::all() {
        let out = path("special");
        assert!(special.make(&out));
        let reader = match special {
            Special::Pipe => {
                let out = out.clone();
                Some(std::thread::spawn(move || fs::read_to_string(out).unwrap()))
            }
            Special::Device => None,
        };
        stdout(&["data", "export", text(&games), "--out", text(&out)]);
        if let Some(reader) = reader {
            assert!(reader.join().unwrap() == expected);
        }
        special.check(&out);
        fs::remove_file(out).unwrap();
    }
    assert!(stdout(&["data", "export", text(&games), "--out", "/dev/stdout"]) == expected);
    symlink("lines.txt", path("link")).unwrap();
    stdout(&["data", "export", text(&games), "--out", text(&path("link"))]);
    assert!(path("link").is_symlink() && fs::read_to_string(path("lines.txt")).unwrap() == expected);
    // For the process this looks like a full disk.
    let lines = path("lines.txt");
    let arguments = ["data", "export", text(&games), "--out", text(&lines)];
    let error = complaint(&run_behind("trap '' XFSZ; ulimit -f 0", &arguments));
    assert!(error.contains("cannot write") && error.contains("lines.txt"), "{error}");
    assert!(fs::read_to_string(path("lines.txt")).unwrap() == expected, "the old file stays");
    assert_eq!(names(directory.path()), ["games", "lines.txt", "link"]);
}

/// The file was written first. If that failed, minutes of measuring were lost. A closed output must not prevent the
/// file either.
#[test]
fn results_are_printed_before_the_file_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let games = games(directory.path());
    let out = directory.path().join("out");
    let quick = ["--seconds", "0.2", "--hash", "1"];
    let speedtest = [&["speedtest", "--threads", "1", "--plot", text(&out)], &quick[..]].concat();
    let json = [&speedtest[..], &["--json"]].concat();
    let short = ["--games", "2", "--nodes", "50", "--hash", "1"];
    let tune_threads = [&["tune-threads", "--threads", "2", "--out", text(&out)], &short[..]].concat();
    let wdl = ["data", "wdl", text(&games), "--plot", text(&out)];
    let wdl_json = [&wdl[..], &["--json"]].concat();
    for (arguments, result) in [
        (&speedtest[..], "1.00 +- 0.00"),
        (&json, "\"speed_ratio\""),
        (&tune_threads, "standard errors: "),
        (&wdl, "even chance at"),
        (&wdl_json, "\"log_likelihood\""),
    ] {
        // The process may still create a file but not write to it.
        let output = run_behind("trap '' XFSZ; ulimit -f 0", arguments);
        let error = complaint(&output);
        assert!(error.contains("cannot write") && error.contains(text(&out)), "{error}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains(result) && !printed.contains("Written to"), "{printed}");
        assert_eq!(names(directory.path()), ["games"]);
        if cfg!(target_os = "linux") {
            run_behind("exec > /dev/full", arguments);
            assert!(fs::metadata(&out).unwrap().len() > 0, "{arguments:?}");
            fs::remove_file(&out).unwrap();
        }
    }
}

/// Each command read until the memory was used up; `datagen` was aborted (134). The shell's limit protects the machine
/// if that happens again.
#[test]
fn no_file_is_read_without_a_bound() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let (zero, huge, pgn, out) = (path("zero"), path("huge"), path("huge.pgn"), path("out"));
    symlink("/dev/zero", &zero).unwrap();
    // The file is sparse and takes no space on the disk.
    File::create(&huge).unwrap().set_len(5 << 30).unwrap();
    symlink("huge", &pgn).unwrap();
    fs::create_dir(path("tuning")).unwrap();
    symlink(&huge, path("tuning/log.csv")).unwrap();
    fs::write(path("train.toml"), "").unwrap();
    for (name, file) in [("zero.toml", &zero), ("huge.toml", &huge)] {
        fs::write(path(name), format!("eval-file = {:?}\n", text(file))).unwrap();
    }
    let before = names(directory.path());
    let refused = |arguments: &[&str], expected: &str| {
        let error = complaint(&run_behind("ulimit -v 2000000", arguments));
        assert!(error.contains(text(directory.path())) && error.trim_end().ends_with(expected), "{error}");
    };
    let settings = path("train.toml");
    for (file, preset, network, book) in [
        (&zero, path("zero.toml"), "not a regular file", "1024 MiB, the limit for a book"),
        (&huge, path("huge.toml"), "14 MiB, the limit for a network", "1024 MiB, the limit for a book"),
    ] {
        let (file, settings, out) = (text(file), text(&settings), text(&out));
        let train = |config, option| {
            ["train", "--data", "does-not-exist", "--out", out, "--config", config, option, file]
        };
        refused(&["bench", "--config", file], "1 MiB, the limit for a configuration file");
        refused(&train(file, "--resume"), "1 MiB, the limit for a configuration file");
        refused(&train(settings, "--resume"), "512 MiB, the limit for a checkpoint");
        refused(&train(settings, "--from"), network);
        refused(&["bench", "--config", text(&preset)], network);
        refused(&["eval", "--eval-file", file], network);
        refused(&["suite", file], "64 MiB, the limit for a suite");
        refused(&["datagen", "--games", "1", "--out", out, "--book", file], book);
    }
    let book = "1024 MiB, the limit for a book";
    refused(&["datagen", "--games", "1", "--out", text(&out), "--book", text(&pgn)], book);
    let log = "256 MiB, the limit for a log";
    refused(&["screen", "--pairs", "1", "--out", text(&huge), "razor_depth=2"], log);
    refused(&["tune", "--pairs", "1", "--out", text(&path("tuning"))], log);
    refused(&["data", "info", text(&huge)], "2048 MiB, the limit for a file of games");
    assert_eq!(names(directory.path()), before);

    let mut engine = Dialogue::small();
    for (file, network, table) in
        [(&zero, "not a regular file", "not a regular file"), (&huge, "more than 14 MiB", "not a table")]
    {
        let said = engine.ask(&format!("setoption name EvalFile value {}", file.display()));
        assert!(said.len() == 1 && said[0].contains(network), "{said:?}");
        engine.send(&format!("setoption name HashFile value {}", file.display()));
        let said = engine.ask("setoption name LoadHashfromFile");
        assert!(said.len() == 1 && said[0].contains(table), "{said:?}");
    }
}

/// Files were read whole, so one that is larger than the memory ended the process.
#[test]
fn a_file_too_large_for_the_memory_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.viriformat");
    File::create(&path).unwrap().set_len(1 << 30).unwrap();
    let error = complaint(&run_behind("ulimit -v 700000", &["data", "verify", text(&path)]));
    assert!(error.contains("a.viriformat: ") && error.contains("memory"), "{error}");
}

/// An engine that `catch` has killed or stopped in the middle of a save.
#[cfg(target_os = "linux")]
fn caught_saving(path: &Path, mut catch: impl FnMut(&Dialogue)) -> Dialogue {
    let directory = path.parent().unwrap();
    for _ in 0..100 {
        let before = names(directory);
        let mut engine = Dialogue::start();
        engine.ask("setoption name Hash value 64");
        engine.send(&format!("setoption name HashFile value {}", path.display()));
        engine.send("setoption name SaveHashtoFile");
        while names(directory) == before {
            std::thread::yield_now();
        }
        catch(&engine);
        if names(directory).iter().any(|name| name.ends_with(".unfinished")) {
            return engine;
        }
    }
    panic!("each save ended before it could be caught");
}

#[cfg(target_os = "linux")]
fn signal(engine: &Dialogue, name: &str) {
    let pid = engine.pid().to_string();
    assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
}

/// Three killed saves of 512 MiB left 920 MB forever.
#[cfg(target_os = "linux")]
#[test]
fn a_save_removes_the_unfinished_file_of_a_killed_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.hash");
    // Dropping the value kills the engine.
    drop(caught_saving(&path, |engine| signal(engine, "KILL")));
    assert_eq!(names(directory.path()).len(), 1);
    save(&mut Dialogue::small(), &path);
    assert_eq!(names(directory.path()), ["a.hash"]);
}

/// What killed processes had left was never removed. Now others remove it. They must not take a living process for a
/// killed one, even if it is stopped.
#[cfg(target_os = "linux")]
#[test]
fn unfinished_files_of_live_processes_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.hash");
    let stop = |engine: &Dialogue| {
        signal(engine, "STOP");
        let status = format!("/proc/{}/status", engine.pid());
        while !fs::read_to_string(&status).unwrap().contains("State:\tT") {
            std::thread::yield_now();
        }
    };
    let mut stopped = caught_saving(&path, stop);
    let before = names(directory.path());
    save(&mut Dialogue::small(), &path);
    let length = fs::metadata(&path).unwrap().len();
    assert!(before.iter().all(|name| names(directory.path()).contains(name)));
    signal(&stopped, "CONT");
    let said = stopped.ask("");
    assert!(said.iter().any(|line| line.contains("saved")), "{said:?}");
    assert!(fs::metadata(&path).unwrap().len() > length, "the larger table came last");
    assert_eq!(names(directory.path()), ["a.hash"]);
}

/// What a killed training had left beside its network was never removed. Now the next training removes it at its start,
/// even if it fails afterwards.
#[test]
fn a_start_removes_unfinished_files_of_killed_runs() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("train.toml"), "").unwrap();
    for name in
        ["net.bin.7.unfinished", "net.checkpoint.7.unfinished", "net.svg.7.unfinished", "x.7.unfinished"]
    {
        fs::write(path(name), "left").unwrap();
    }
    let (settings, network) = (path("train.toml"), path("net.bin"));
    stderr(&["train", "--data", "does-not-exist", "--config", text(&settings), "--out", text(&network)], 1);
    assert_eq!(names(directory.path()), ["train.toml", "x.7.unfinished"]);
}
