//! Defects that were mended, here or in other engines, and that must not come back. The name of a test says what was
//! wrong or what must hold. Its comment, or that of its file, says what went wrong.

mod bad_input;
mod cli;
mod console;
#[cfg(unix)]
mod files;
mod jobs;
mod search;
mod uci;
