//! The tests of the library's public interface and of the real binary. They are one program, because each test program
//! is linked with the whole library. `cargo test --test integration search::` runs one module.
//!
//! The tests share one process and run at the same time. So a test does not change the directory, the environment, the
//! limits or the signals of the process. A test that needs such a change starts a child process.

mod dialogue;
mod folder;
mod patience;
mod program;
mod remembered;
mod walk;

#[cfg(feature = "analysis")]
mod analyse;
mod board;
mod classic;
mod cli;
#[cfg(feature = "laboratory")]
mod data;
mod deterministic;
#[cfg(feature = "laboratory")]
mod doctor;
mod documents;
#[cfg(all(feature = "fleet", unix))]
mod fleet;
mod games;
#[cfg(unix)]
mod interruption;
#[cfg(feature = "laboratory")]
mod laboratory;
mod layers;
#[cfg(all(feature = "server", unix))]
mod lichess;
mod mates;
mod mutated_input;
mod names;
#[cfg(feature = "laboratory")]
mod network;
#[cfg(target_os = "linux")]
mod numa;
mod openbench;
mod perft;
#[cfg(feature = "laboratory")]
mod readme;
mod regressions;
mod search;
#[cfg(all(feature = "server", unix))]
mod serve;
mod soundness;
#[cfg(not(loom))]
mod table;
mod tablebase;
#[cfg(all(feature = "laboratory", target_os = "linux"))]
mod terminal;
#[cfg(feature = "laboratory")]
mod train;
mod uci;
mod uci_analysis;
