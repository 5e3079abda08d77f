//! Tests of threads that are bound to NUMA nodes: the option `NumaPolicy` with the real binary and real searches. The
//! system's data about the process's threads show the binding.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::dialogue::{Dialogue, reports};
use crate::patience::wait_until;

/// The allowed processors of the coordinator and of each worker, by the thread's name.
fn masks(engine: &Dialogue) -> BTreeMap<String, String> {
    let tasks = Path::new("/proc").join(engine.pid().to_string()).join("task");
    let tasks = fs::read_dir(tasks).expect("the process runs").map(|task| task.expect("an entry").path());
    let is_lasting = |name: &String| name.starts_with("worker ") || name == "coordinator";
    // Other threads clear the table and end again.
    let named = tasks.filter_map(|task| Some((name(&task).filter(is_lasting)?, mask(&task)?)));
    named.collect()
}

/// Waits until the coordinator and `workers` workers run on the processors that `expected` gives for each name. A
/// thread sets its name and its binding when it first runs. On a busy machine that may be late.
fn wait_for(engine: &Dialogue, workers: usize, expected: impl Fn(&str) -> String) {
    wait_until(&format!("{workers} workers are bound as expected"), || {
        let masks = masks(engine);
        masks.len() == workers + 1 && masks.iter().all(|(name, mask)| *mask == expected(name))
    });
}

fn name(task: &Path) -> Option<String> {
    fs::read_to_string(task.join("comm")).ok().map(|name| name.trim().to_owned())
}

/// The processors on which a thread may run, in the kernel's notation.
fn mask(task: &Path) -> Option<String> {
    let status = fs::read_to_string(task.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(line.trim().to_owned())
}

fn own_mask() -> String {
    mask(Path::new("/proc/self")).expect("a mask")
}

/// The processors on which this process may run.
fn given() -> Vec<usize> {
    let text = own_mask();
    let ranges = text.split(',').map(|part| part.split_once('-').unwrap_or((part, part)));
    let number = |text: &str| text.parse::<usize>().expect("a number");
    ranges.flat_map(|(first, last)| number(first)..=number(last)).collect()
}

/// The list has a node for each of two processors, or one node if there is only one processor.
#[test]
fn threads_run_on_the_nodes_of_a_list() {
    let nodes: Vec<String> = given().iter().take(2).map(usize::to_string).collect();
    let mut engine = Dialogue::start();
    let unbound = own_mask();
    wait_for(&engine, 1, |_| unbound.clone());

    engine.ask("setoption name Threads value 4\nsetoption name Hash value 8");
    let said = engine.ask(&format!("setoption name NumaPolicy value {}", nodes.join(":")));
    let expected = match &nodes[..] {
        [a, b] => format!("threads are bound to 2 nodes: 2 to processors {a}, 2 to processors {b}"),
        [a] => format!("threads are bound to 1 node: 4 to processors {a}"),
        other => panic!("{other:?}"),
    };
    assert_eq!(said, [format!("info string {expected}")]);
    for position in ["startpos", "startpos moves e2e4"] {
        let lines = engine.go(&format!("position {position}\ngo nodes 40000"));
        assert!(!reports(&lines).is_empty(), "{lines:#?}");
        wait_for(&engine, 4, |name| match name.strip_prefix("worker ") {
            Some(thread) => nodes[thread.parse::<usize>().expect("a number") % nodes.len()].clone(),
            None => unbound.clone(),
        });
    }

    // A wrong list is reported once and changes nothing.
    for (wrong, reason) in [
        ("0:0", "processors 0 are in two nodes of the list"),
        ("0:x", "\"x\" is neither a processor's number nor a range like 0-7"),
        ("", "expected auto, none, system, hardware or nodes like 0-15,32-47:16-31,48-63; the text is empty"),
        ("0-1023", "are not available; available are "),
    ] {
        let said = engine.ask(&format!("setoption name NumaPolicy value {wrong}"));
        let [line] = &said[..] else { panic!("{wrong}: {said:#?}") };
        assert!(line.starts_with("info string setoption: NumaPolicy: ") && line.contains(reason), "{line}");
        assert!(line.ends_with("; the old value stays"), "{line}");
    }
    let said = engine.ask("setoption name Threads value 1");
    assert!(matches!(&said[..], [line] if line.contains(": 1 to processors ")), "{said:?}");
    wait_for(&engine, 1, |name| if name == "worker 0" { nodes[0].clone() } else { unbound.clone() });

    let said = engine.ask("setoption name NumaPolicy value none");
    assert_eq!(said, ["info string threads are not bound to nodes"]);
    assert_eq!(engine.ask("setoption name Threads value 3"), [""; 0]);
    wait_for(&engine, 3, |_| unbound.clone());
}

/// A single thread searches the same nodes, wherever its network lies in memory.
#[test]
fn a_bound_thread_searches_the_same_tree_as_an_unbound_one() {
    let searched = |policy: &str| {
        let mut engine = Dialogue::start();
        // With `Deterministic` the reports do not depend on the time either.
        engine.ask("setoption name Hash value 4\nsetoption name Deterministic value true");
        engine.ask(&format!("setoption name NumaPolicy value {policy}"));
        let lines = engine.go("go nodes 30000");
        let last = *reports(&lines).last().expect("a report");
        let (before, after) = last.split_once(" nps ").expect("a speed");
        let (_, pv) = after.split_once(" pv ").expect("a line");
        (before.to_owned(), pv.to_owned())
    };
    assert_eq!(searched(&given()[0].to_string()), searched("none"));
}
