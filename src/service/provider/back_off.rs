//! How long the provider waits after a failure: twice as long after each one, up to a limit, and never exactly as long
//! as the other providers that lost the same server.

use std::time::Duration;

/// The first pause, before its random part is taken away.
const FIRST: Duration = Duration::from_millis(250);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(30);

/// The pauses of a series of failures.
#[derive(Clone, Debug)]
pub(super) struct BackOff {
    next: Duration,
}

impl Default for BackOff {
    fn default() -> BackOff {
        BackOff { next: FIRST }
    }
}

impl BackOff {
    /// The pause after one more failure. It lies between half of the limit for this failure and that limit.
    pub fn pause(&mut self) -> Duration {
        let limit = self.next;
        self.next = (limit * 2).min(LONGEST);
        limit.mul_f64(0.5 + 0.5 * chance())
    }

    /// Notes a success.
    pub fn reset(&mut self) {
        *self = BackOff::default();
    }
}

/// A random number in `0.0..1.0`. Without the system's random numbers there is no jitter.
fn chance() -> f64 {
    f64::from(getrandom::u32().unwrap_or_default()) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit_and_vary() {
        let mut back_off = BackOff::default();
        let mut limit = FIRST;
        for _ in 0..12 {
            let pause = back_off.pause();
            assert!((limit / 2..=limit).contains(&pause), "{pause:?} of {limit:?}");
            limit = (limit * 2).min(LONGEST);
        }
        let longest: Vec<Duration> = (0..8).map(|_| back_off.pause()).collect();
        assert!(longest.iter().any(|pause| *pause != longest[0]), "{longest:?}");
        back_off.reset();
        assert!(back_off.pause() <= FIRST);
    }
}
