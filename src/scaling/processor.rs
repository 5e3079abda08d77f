//! How much of the processor this process has had: on a machine with other things to do, fewer nodes a second need not
//! be the search's fault.

use std::time::Duration;

/// Time on all cores that the process has used so far, to 10 ms; `None` where the system does not say.
pub(super) fn time() -> Option<Duration> {
    parse(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Reads proc(5)'s `stat`: user and system time are the 14th and 15th field, in hundredths of a second. The second field, a name in parentheses, may hold anything.
fn parse(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time_are_added() {
        let stat = "71 (a) b 9) R 1 71 71 0 -1 4194304 98 0 0 0 120 34 7 7 20 0 1 0 3000 10 1 2";
        assert_eq!(parse(stat), Some(Duration::from_millis(1540)));
        assert_eq!(parse("71 (name) R 1 2"), None);
        assert_eq!(parse(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_says_it() {
        assert!(time().is_some());
    }
}
