//! Fuzzes files of games. An accepted game must be legal and must be equal after writing and reading its bytes.

#![no_main]

use enfilade::lab::datagen::viriformat::{GameReader, decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for game in GameReader::new(bytes).flatten() {
        game.for_each(|board, ply| assert!(board.can_play(ply.mv)));
        let mut written = Vec::new();
        encode(&game, &mut written);
        let (again, length) = decode(&written).expect("a game that was written is read");
        assert_eq!((again, length), (game, written.len()));
    }
});
