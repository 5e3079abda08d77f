//! Progress bars and spinners on standard error.

use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The time between two drawings of a bar.
const INTERVAL: Duration = Duration::from_millis(200);

/// A progress bar on standard error, drawn by an indicatif `template`; hidden if standard error is not a terminal.
pub(crate) fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    let bar = ProgressBar::new(length).with_style(style);
    keep_drawn(&bar);
    bar
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
