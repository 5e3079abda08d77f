//! The binary: maps the outcome of the command line to an exit code, nothing else.
fn main() {}
