//! Enfilade, a UCI chess engine for machines with many cores.
//!
//! The modules are declared from the bottom layer upward; imports run strictly downward (see `docs/architecture.md`).
//!
//! Programs use the engine through [`engine`], which has examples. `examples/best_move.rs` is a whole program.

#[cfg(all(feature = "laboratory", windows, target_arch = "aarch64"))]
compile_error!(
    "Windows on ARM has no virtual threads: build with `--no-default-features --features analysis`, without the laboratory"
);

pub mod types;

pub mod board;
#[cfg(feature = "laboratory")]
pub(crate) mod confidence;
pub mod console;
pub(crate) mod crew;
#[cfg(any(feature = "fleet", feature = "server"))]
pub(crate) mod ending;
pub mod file;
pub mod instructions;
pub mod machine;
pub mod numa;
pub mod params;
#[cfg(feature = "laboratory")]
pub mod plot;
#[cfg(feature = "laboratory")]
pub mod processor;
pub mod random;

#[cfg(feature = "analysis")]
pub mod drawing;
pub mod eval;
pub mod history;
pub mod tablebase;
pub mod time;
pub mod tt;

pub mod run;

pub mod search;

pub mod classic;

pub mod pool;

pub mod config;
pub mod engine;

pub mod selfplay;

#[cfg(feature = "analysis")]
pub mod analyse;
#[cfg(feature = "laboratory")]
pub mod datagen;
#[cfg(feature = "laboratory")]
pub mod doctor;
#[cfg(feature = "laboratory")]
pub mod duel;
#[cfg(feature = "fleet")]
pub mod fleet;
#[cfg(feature = "laboratory")]
pub mod scaling;
#[cfg(feature = "laboratory")]
pub mod train;
#[cfg(feature = "laboratory")]
pub mod tune;

pub mod uci;

#[cfg(feature = "server")]
pub mod provider;
#[cfg(feature = "server")]
pub mod serve;

pub mod cli;
