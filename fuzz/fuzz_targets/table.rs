//! Fuzzes table files. A search must run with an accepted table.

#![no_main]

use std::fs;
use std::sync::LazyLock;

use enfilade::engine::{Engine, Settings};
use enfilade::engine::run::Limits;
use libfuzzer_sys::fuzz_target;
use parking_lot::Mutex;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// The size of the hash at the end of a file, in bytes.
const TRAILER: usize = 8;

/// An engine, a directory, and a file that the engine saved after a search.
static STATE: LazyLock<(Mutex<Engine>, TempDir, Vec<u8>)> = LazyLock::new(|| {
    let settings = Settings { hash: 1, ..Settings::default() };
    let mut engine = Engine::new(settings).expect("a small engine");
    engine.search(Limits::nodes(50_000));
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("saved");
    engine.save_hash(&path).expect("a file");
    let saved = fs::read(&path).expect("the file");
    (Mutex::new(engine), directory, saved)
});

// Every eight bytes of the input change four bytes of the file, so that the search finds damaged entries.
fuzz_target!(|bytes: &[u8]| {
    let (engine, directory, saved) = &*STATE;
    let mut file = saved.clone();
    for change in bytes.chunks_exact(8) {
        let at = u32::from_le_bytes(change[..4].try_into().expect("four bytes")) as usize % (file.len() - 4);
        file[at..at + 4].copy_from_slice(&change[4..]);
    }
    let end = file.len() - TRAILER;
    let sum = xxh3_64(&file[..end]);
    file[end..].copy_from_slice(&sum.to_le_bytes());
    let path = directory.path().join("changed");
    fs::write(&path, &file).expect("a file");
    let mut engine = engine.lock();
    if engine.load_hash(&path).is_ok() {
        assert!(engine.search(Limits::nodes(200)).best_move.is_some());
    }
});
