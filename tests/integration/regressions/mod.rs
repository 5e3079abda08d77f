//! Defects that were mended, here or in other engines, and that must not come back. Each test is named after what was
//! wrong or after what holds instead, and its comment, or that of its file, says what went wrong.

mod bad_input;
mod cli;
mod console;
#[cfg(unix)]
mod files;
mod jobs;
mod search;
mod uci;
