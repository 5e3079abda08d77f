//! Fuzzes files of games. Each game has an end, and a main line of legal moves up to its fault.

#![no_main]

use enfilade::chess::pgn::PgnReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut reader = PgnReader::new(bytes);
    while let Some(read) = reader.next_game().expect("bytes in memory") {
        let mut board = read.tree.start.clone();
        for played in &read.tree.moves {
            assert!(board.legal_moves().contains(&played.mv), "{board:?}");
            board = board.after(played.mv);
        }
        let _ = read.fault.map(|fault| fault.to_string());
    }
});
