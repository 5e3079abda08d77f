//! Fuzzes whole dialogues. There must be one `bestmove` for each `go` and one `readyok` for each `isready`. Between a
//! `go` and its `bestmove` there may only be `info` lines besides.

#![no_main]

use std::io::{self, Write};
use std::sync::{Arc, LazyLock};

use enfilade::engine::config::Setup;
use enfilade::engine::uci::Session;
use enfilade::engine::uci::command::{Command, parse};
use enfilade::engine::uci::output::Output;
use libfuzzer_sys::fuzz_target;
use parking_lot::Mutex;

/// The output of the engine.
#[derive(Clone, Default)]
struct Transcript(Arc<Mutex<Vec<u8>>>);

impl Write for Transcript {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

static SESSION: LazyLock<(Mutex<Session>, Transcript)> = LazyLock::new(|| {
    let transcript = Transcript::default();
    let mut setup = Setup::default();
    setup.settings.hash = 1;
    let session = Session::new(setup, Arc::new(Output::new(transcript.clone()))).expect("a small engine");
    (Mutex::new(session), transcript)
});

/// The kinds of commands that this target distinguishes.
enum Kind {
    Go,
    IsReady,
    Other,
    /// The line takes too much time or memory, names a file of this machine, or ends the session.
    Unaffordable,
}

fn kind(line: &str) -> Kind {
    match parse(line) {
        Ok(Command::Go(_)) => Kind::Go,
        Ok(Command::IsReady) => Kind::IsReady,
        Ok(Command::Perft(depth)) if depth > 2 => Kind::Unaffordable,
        Ok(Command::Bench(_) | Command::GenFens(_) | Command::Quit) => Kind::Unaffordable,
        Ok(Command::SetOption { name, value }) => {
            let name = name.to_ascii_lowercase();
            let number = value.and_then(|value| value.parse::<i64>().ok()).unwrap_or(0);
            let is_file = ["file", "path"].iter().any(|word| name.contains(word));
            let is_large = name == "threads" && number > 2 || name == "hash" && number > 4;
            if is_file || is_large { Kind::Unaffordable } else { Kind::Other }
        }
        _ => Kind::Other,
    }
}

fuzz_target!(|text: &str| {
    let (session, transcript) = &*SESSION;
    let mut session = session.lock();
    transcript.0.lock().clear();
    let (mut searches, mut questions) = (0, 0);
    for line in text.lines() {
        let kind = kind(line);
        match kind {
            Kind::Unaffordable => continue,
            Kind::Go => searches += 1,
            Kind::IsReady => questions += 1,
            Kind::Other => {}
        }
        let _ = session.line(line);
        // No search may take long, whatever its limits are.
        if matches!(kind, Kind::Go) {
            let _ = session.line("stop");
        }
    }
    let _ = session.line("stop");
    session.wait();
    let said = String::from_utf8(transcript.0.lock().clone()).expect("the engine prints UTF-8");
    let count = |word: &str| said.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!(count("bestmove "), searches, "{said}");
    assert_eq!(count("readyok"), questions, "{said}");
});
