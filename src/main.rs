//! The binary. It only maps the outcome of the command line to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    match enfilade::cli::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            enfilade::console::warn(format_args!("enfilade: {error}"));
            ExitCode::FAILURE
        }
    }
}
