//! The binary. It only maps the outcome of the command line to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    // What runs before this check must do without those instructions: scripts/release shows that it does.
    if let Err(missing) = enfilade::base::instructions::check() {
        enfilade::base::console::warn(format_args!("enfilade: {missing}"));
        return ExitCode::FAILURE;
    }
    match enfilade::program::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            enfilade::base::console::warn(format_args!("enfilade: {error}"));
            error.status().into()
        }
    }
}
