//! Defects that were mended, here or in other engines, and that must not come back. The name of a test says what was
//! wrong or what must hold. Its comment, or that of its file, says what went wrong.

mod bad_input;
#[cfg(feature = "laboratory")]
mod cli;
#[cfg(feature = "laboratory")]
mod console;
#[cfg(all(feature = "laboratory", unix))]
mod files;
mod games;
#[cfg(feature = "laboratory")]
mod jobs;
mod search;
mod uci;
