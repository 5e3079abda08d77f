//! Progress bars and spinners on standard error.

use std::fmt::Write;
use std::thread;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

/// The time between two drawings of a bar.
const INTERVAL: Duration = Duration::from_millis(200);

/// A progress bar on standard error, drawn by an indicatif `template`; hidden if standard error is not a terminal. The
/// key `{rest}` is the time that the rest may take, as far as it is known.
pub(crate) fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    let style = style.with_key("rest", |state: &ProgressState, text: &mut dyn Write| {
        let is_over = state.len().is_some_and(|length| state.pos() >= length);
        let _ = text.write_str(&rest(is_over, state.eta()));
    });
    let bar = ProgressBar::new(length).with_style(style);
    keep_drawn(&bar);
    bar
}

/// The time to go. An estimate of indicatif is zero as long as nothing is known.
pub(crate) fn rest(is_over: bool, estimate: Duration) -> String {
    if estimate.is_zero() && !is_over {
        "some time".to_owned()
    } else {
        format!("{:#}", HumanDuration(estimate))
    }
}

/// A progress line without a known end on standard error, drawn by an indicatif `template`; hidden if standard error is
/// not a terminal.
pub(crate) fn spinner(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    let spinner = ProgressBar::new_spinner().with_style(style);
    keep_drawn(&spinner);
    spinner
}

/// Redraws a bar regularly as long as it is in use. indicatif could do so itself, but panics if the system has no
/// thread for it. Here the bar is then drawn only when it advances.
fn keep_drawn(bar: &ProgressBar) {
    if bar.is_hidden() {
        return;
    }
    let bar = bar.downgrade();
    let draw = move || {
        while let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) {
            bar.tick();
            drop(bar);
            thread::sleep(INTERVAL);
        }
    };
    let _ = thread::Builder::new().name("progress".to_owned()).spawn(draw);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bars began with "0s to go", and again after the first step.
    #[test]
    fn nothing_is_promised_before_it_is_known() {
        assert_eq!(rest(false, Duration::ZERO), "some time");
        assert_eq!(rest(false, Duration::from_secs(30)), "30s");
        assert_eq!(rest(true, Duration::ZERO), "0s");
    }
}
