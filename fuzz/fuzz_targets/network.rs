//! Fuzzes network files. An accepted network must evaluate like its oracle and must be equal after writing and reading
//! its bytes.

#![no_main]

use enfilade::chess::board::Board;
use enfilade::engine::eval::evaluate_with;
use enfilade::engine::eval::network::Network;
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

/// The length of the header in bytes, and the place of the hash of what follows it.
const HEADER: usize = 64;
const HASH: std::ops::Range<usize> = 16..24;

/// The most hidden units and inputs of a network that the target fills with numbers: larger ones take too much time.
const MAX_HIDDEN: usize = 64;
const MAX_INPUTS: usize = 5 * 768;

fuzz_target!(|bytes: &[u8]| {
    let _ = Network::from_bytes(bytes);
    // The fuzzer can hardly guess the hash or write thousands of numbers, so the target makes them.
    let Some((header, seed)) = bytes.split_at_checked(HEADER) else { return };
    let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes")) as usize;
    let (inputs, hidden) = (word(8), word(12));
    if hidden > MAX_HIDDEN || inputs > MAX_INPUTS {
        return;
    }
    let numbers = 2 * inputs * hidden + 64_000;
    for length in [bytes.len(), HEADER + numbers.min(1 << 20)] {
        let mut whole: Vec<u8> = header.to_vec();
        whole.extend(seed.iter().copied().chain(std::iter::once(1)).cycle().take(length - HEADER));
        // An error about the length tells the expected length.
        if let Err(enfilade::engine::eval::network::NetworkError::Length { expected, .. }) = Network::from_bytes(&whole) {
            whole.resize(expected.min(1 << 21), 0);
        }
        let sum = xxh3_64(&whole[HASH.end..]);
        whole[HASH].copy_from_slice(&sum.to_le_bytes());
        if let Ok(network) = Network::from_bytes(&whole) {
            assert_eq!(network.to_bytes(), whole);
            let board = Board::startpos();
            let score = evaluate_with(&network, &board);
            assert!(!score.is_decisive());
        }
    }
});
