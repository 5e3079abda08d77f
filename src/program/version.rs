//! What `enfilade --version` says: everything that a report of a defect has to name.

use std::sync::LazyLock;

use crate::base::instructions;
use crate::engine::eval::network::Network;
use crate::engine::eval::network::kernels::Kernels;
use crate::engine::facade::{Fingerprint, Settings};

/// The commit of the source; empty in debug builds, and where there was no repository.
const COMMIT: &str = env!("ENFILADE_COMMIT");
/// The platform that the program was compiled for.
const TARGET: &str = env!("ENFILADE_TARGET");

/// The optional features of this build.
const FEATURES: &[(&str, bool)] = &[
    ("analysis", cfg!(feature = "analysis")),
    ("laboratory", cfg!(feature = "laboratory")),
    ("fleet", cfg!(feature = "fleet")),
    ("server", cfg!(feature = "server")),
    ("completions", cfg!(feature = "completions")),
];

/// The text behind the program's name. The first line is the version alone.
pub(super) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(text);
    &TEXT
}

fn text() -> String {
    let Fingerprint { build, network, .. } = Fingerprint::of(&Settings::default());
    let signature = build.split(' ').next_back().unwrap_or_default();
    let or_none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
    let features = FEATURES.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect::<Vec<_>>();
    format!(
        "{}\n\
         commit:        {}\n\
         signature:     {signature}\n\
         network:       {network}, {}\n\
         features:      {}\n\
         platform:      {TARGET}\n\
         instructions:  {} for the network; compiled for {}",
        env!("CARGO_PKG_VERSION"),
        if COMMIT.is_empty() { "not recorded in this build" } else { COMMIT },
        Network::embedded().shape(),
        or_none(features.join(", ")),
        Kernels::best().name,
        or_none(instructions::compiled_for().join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_says_what_a_report_needs() {
        let lines: Vec<&str> = long().lines().collect();
        assert_eq!(lines[0], env!("CARGO_PKG_VERSION"));
        let value = |name: &str| {
            let line = lines.iter().find_map(|line| line.strip_prefix(&format!("{name}:")));
            line.unwrap_or_else(|| panic!("{name} in {lines:?}")).trim()
        };
        assert_eq!(value("signature"), include_str!("../../.ci/bench-signature").trim());
        assert_eq!(value("features").contains("analysis"), cfg!(feature = "analysis"));
        for name in ["commit", "network", "platform", "instructions"] {
            assert!(!value(name).is_empty());
        }
    }
}
