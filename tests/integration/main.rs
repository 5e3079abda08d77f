//! The tests of the library's public face and of the real binary. They are one program, because each program is linked
//! with the whole library by itself. `cargo test --test integration search::` runs one module of it.
//!
//! The tests share one process and run at the same time. So a test changes nothing that belongs to the process: a
//! directory, an environment, limits and signals are those of a child process of its own.

mod dialogue;
mod folder;
mod patience;
mod program;
mod walk;

mod analyse;
mod board;
mod classic;
mod cli;
mod data;
mod deterministic;
mod documents;
#[cfg(all(feature = "fleet", unix))]
mod fleet;
mod layers;
mod mates;
mod mutated_input;
mod names;
mod network;
#[cfg(target_os = "linux")]
mod numa;
mod openbench;
mod perft;
mod regressions;
mod search;
mod soundness;
#[cfg(not(loom))]
mod table;
mod tablebase;
mod train;
mod uci;
mod uci_analysis;
