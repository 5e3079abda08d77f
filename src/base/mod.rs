//! What knows no chess: the machine, files, output, and arithmetic.

#[cfg(feature = "laboratory")]
pub(crate) mod confidence;
pub mod console;
pub(crate) mod crew;
pub(crate) mod ending;
pub mod file;
pub mod instructions;
pub mod machine;
pub mod numa;
#[cfg(feature = "laboratory")]
pub mod plot;
pub(crate) mod prefetch;
#[cfg(feature = "laboratory")]
pub mod processor;
pub mod random;
pub mod text;
