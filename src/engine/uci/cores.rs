//! The warning that there are more threads than cores.
//!
//! Users of containers often do not know that a control group grants them fewer cores than the machine has.

use crate::base::machine::granted_cores;

/// Warns once in a dialogue.
#[derive(Debug, Default)]
pub(super) struct CoreWarning {
    /// The number of cores that this process was granted at the first `go`; `None` before, or if it is not known.
    granted: Option<f64>,
    is_given: bool,
}

impl CoreWarning {
    /// The warning before a search with `threads` threads, if there is cause for it and it was not given before.
    /// `granted` looks up the number of cores. The first search asks for it.
    pub fn before_search(&mut self, threads: usize, granted: impl FnOnce() -> Option<f64>) -> Option<String> {
        if self.is_given {
            return None;
        }
        let cores = match self.granted {
            Some(cores) => cores,
            None => *self.granted.insert(granted()?),
        };
        self.is_given = cores < threads as f64;
        self.is_given.then(|| text(threads, cores))
    }
}

/// The warning for a command whose searches have `threads` threads together, if there is cause for it.
pub fn too_many_threads(threads: usize) -> Option<String> {
    let cores = granted_cores()?;
    (cores < threads as f64).then(|| text(threads, cores))
}

fn text(threads: usize, cores: f64) -> String {
    let cores = (cores * 1000.0).round() / 1000.0;
    let unit = if cores == 1.0 { "core" } else { "cores" };
    let advice = if cfg!(feature = "laboratory") { ": \"enfilade doctor\" says why" } else { "" };
    format!("Threads is {threads}, but this process may use {cores} {unit}{advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_cores_are_reported_once() {
        let mut warning = CoreWarning::default();
        assert_eq!(warning.before_search(2, || Some(2.0)), None, "as many as cores");
        let said = warning.before_search(4, || panic!("it was looked up before")).expect("a warning");
        assert!(said.starts_with("Threads is 4, but this process may use 2 cores"), "{said}");
        assert_eq!(warning.before_search(8, || panic!("it was looked up before")), None);
    }

    #[test]
    fn half_a_core_is_too_little_for_one_thread() {
        let mut warning = CoreWarning::default();
        let said = warning.before_search(1, || Some(0.5)).expect("a warning");
        assert!(said.starts_with("Threads is 1, but this process may use 0.5 cores"), "{said}");
        assert!(text(2, 1.0).contains("may use 1 core"), "{}", text(2, 1.0));
    }

    #[test]
    fn nothing_is_said_where_nothing_is_known() {
        assert_eq!(CoreWarning::default().before_search(1024, || None), None);
    }
}
