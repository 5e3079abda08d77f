//! Fuzzes opening books, as EPD and as PGN. Every position of an accepted book must have a legal move.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use enfilade::engine::selfplay::book;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a directory"));

fuzz_target!(|bytes: &[u8]| {
    for name in ["book.epd", "book.pgn"] {
        let path: PathBuf = DIRECTORY.path().join(name);
        fs::write(&path, bytes).expect("a file");
        for board in book::read(&path).unwrap_or_default() {
            assert!(!board.legal_moves().is_empty(), "{}", board.fen(true));
        }
    }
});
