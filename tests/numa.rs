//! Threads bound to nodes: the option `NumaPolicy` with the real binary and real searches, judged by what the
//! system says about the process's threads.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The engine as a process, spoken to line by line.
struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start() -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Engine { child, input, output }
    }

    /// Sends lines, and gives what is said up to a line that begins with `last`, without that one.
    fn say(&mut self, lines: &str, last: &str) -> Vec<String> {
        writeln!(self.input, "{lines}").expect("the engine listens");
        let mut said = Vec::new();
        for line in (&mut self.output).lines() {
            let line = line.expect("UTF-8 lines");
            if line.starts_with(last) {
                return said;
            }
            said.push(line);
        }
        panic!("no {last}; got {said:#?}");
    }

    fn ask(&mut self, lines: &str) -> Vec<String> {
        self.say(&format!("{lines}\nisready"), "readyok")
    }

    /// The processors of the coordinator and of each worker, by the thread's name.
    fn masks(&self) -> BTreeMap<String, String> {
        let tasks = Path::new("/proc").join(self.child.id().to_string()).join("task");
        let tasks = fs::read_dir(tasks).expect("the process runs").map(|task| task.expect("an entry").path());
        let is_lasting = |name: &String| name.starts_with("worker ") || name == "coordinator";
        // Others, which clear the table, come and go.
        let named = tasks.filter_map(|task| Some((name(&task).filter(is_lasting)?, mask(&task)?)));
        named.collect()
    }

    /// Waits until the coordinator and so many workers run on the processors that `expected` gives for each name. A
    /// thread takes its name and its place with its first turn, and on a busy machine that may be late.
    fn wait_for(&self, workers: usize, expected: impl Fn(&str) -> String) {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let masks = self.masks();
            let are_right = masks.iter().all(|(name, mask)| *mask == expected(name));
            if masks.len() == workers + 1 && are_right {
                return;
            }
            assert!(Instant::now() < deadline, "{workers} workers, {masks:#?}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn name(task: &Path) -> Option<String> {
    fs::read_to_string(task.join("comm")).ok().map(|name| name.trim().to_owned())
}

/// The processors that a thread may run on, as the kernel lists them.
fn mask(task: &Path) -> Option<String> {
    let status = fs::read_to_string(task.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(line.trim().to_owned())
}

fn own_mask() -> String {
    mask(Path::new("/proc/self")).expect("a mask")
}

/// The processors that this process has.
fn given() -> Vec<usize> {
    let text = own_mask();
    let ranges = text.split(',').map(|part| part.split_once('-').unwrap_or((part, part)));
    let number = |text: &str| text.parse::<usize>().expect("a number");
    ranges.flat_map(|(first, last)| number(first)..=number(last)).collect()
}

/// One node for each of two processors, or for the only one.
#[test]
fn threads_run_on_the_nodes_of_a_list() {
    let nodes: Vec<String> = given().iter().take(2).map(usize::to_string).collect();
    let mut engine = Engine::start();
    let unbound = own_mask();
    engine.wait_for(1, |_| unbound.clone());

    engine.ask("setoption name Threads value 4\nsetoption name Hash value 8");
    let said = engine.ask(&format!("setoption name NumaPolicy value {}", nodes.join(":")));
    let expected = match &nodes[..] {
        [a, b] => format!("threads are bound to 2 nodes: 2 to processors {a}, 2 to processors {b}"),
        [a] => format!("threads are bound to 1 node: 4 to processors {a}"),
        other => panic!("{other:?}"),
    };
    assert_eq!(said, [format!("info string {expected}")]);
    for position in ["startpos", "startpos moves e2e4"] {
        let lines = engine.say(&format!("position {position}\ngo nodes 40000"), "bestmove ");
        assert!(lines.iter().any(|line| line.contains(" score ")), "{lines:#?}");
        engine.wait_for(4, |name| match name.strip_prefix("worker ") {
            Some(thread) => nodes[thread.parse::<usize>().expect("a number") % nodes.len()].clone(),
            None => unbound.clone(),
        });
    }

    // What is wrong is said once and changes nothing.
    for (wrong, reason) in [
        ("0:0", "processors 0 are in two nodes of the list"),
        ("0:x", "\"x\" is neither a processor's number nor a range like 0-7"),
        ("", "node 1 of the list has no processors"),
        ("0-1023", "are not to be had; those that are: "),
    ] {
        let said = engine.ask(&format!("setoption name NumaPolicy value {wrong}"));
        let [line] = &said[..] else { panic!("{wrong}: {said:#?}") };
        assert!(line.starts_with("info string setoption: NumaPolicy: ") && line.contains(reason), "{line}");
        assert!(line.ends_with("; the old value stays"), "{line}");
    }
    let said = engine.ask("setoption name Threads value 1");
    assert!(matches!(&said[..], [line] if line.contains(": 1 to processors ")), "{said:?}");
    engine.wait_for(1, |name| if name == "worker 0" { nodes[0].clone() } else { unbound.clone() });

    let said = engine.ask("setoption name NumaPolicy value none");
    assert_eq!(said, ["info string threads are not bound to nodes"]);
    assert_eq!(engine.ask("setoption name Threads value 3"), [""; 0]);
    engine.wait_for(3, |_| unbound.clone());
}

/// One thread does the same, node for node, wherever its network lies.
#[test]
fn a_bound_thread_searches_as_a_free_one() {
    let searched = |policy: &str| {
        let mut engine = Engine::start();
        // Reports then do not depend on the time either.
        engine.ask("setoption name Hash value 4\nsetoption name Deterministic value true");
        engine.ask(&format!("setoption name NumaPolicy value {policy}"));
        let mut lines = engine.say("go nodes 30000", "bestmove ");
        let last = lines.pop().expect("a report");
        let (before, after) = last.split_once(" nps ").expect("a speed");
        let (_, pv) = after.split_once(" pv ").expect("a line");
        (before.to_owned(), pv.to_owned())
    };
    assert_eq!(searched(&given()[0].to_string()), searched("none"));
}
