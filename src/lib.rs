//! Enfilade, a UCI chess engine for machines with many cores.
//!
//! The library has six wings, declared from the bottom upward; imports run strictly downward (see
//! `docs/architecture.md`).
//!
//! Programs use the engine through [`engine`], which has examples. `examples/best_move.rs` is a whole program.

#[cfg(all(feature = "laboratory", windows, target_arch = "aarch64"))]
compile_error!(
    "Windows on ARM has no virtual threads: build with `--no-default-features --features analysis`, without the laboratory"
);

pub mod base;

pub mod chess;

pub mod engine;

#[cfg(feature = "laboratory")]
pub mod lab;

#[cfg(feature = "analysis")]
pub mod service;

pub mod program;
