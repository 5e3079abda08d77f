//! Fuzzes presets. An accepted preset must start an engine.

#![no_main]

use std::path::Path;

use enfilade::engine::config::{Preset, Setup};
use enfilade::engine::Engine;
use enfilade::engine::run::Limits;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // A preset may name files to read and to write. The fuzzer must not touch the files of this machine.
    if text.contains("file") || text.contains("path") {
        return;
    }
    let Ok(preset) = Preset::parse(text, Path::new("fuzz.toml")) else { return };
    let mut setup = Setup::default();
    preset.apply(&mut setup);
    setup.settings.hash = setup.settings.hash.min(4);
    setup.settings.threads = setup.settings.threads.min(2);
    let mut engine = Engine::new(setup.settings).expect("a small engine");
    assert!(engine.search(Limits::nodes(300)).best_move.is_some());
});
