//! The program as a whole: reads the arguments, carries out the command, and closes standard output.

use std::ffi::OsString;

use crate::base::console;
use crate::engine::command::error::CliError;
use crate::program::args;

/// Carries out the command in the arguments. The first argument is the program's name.
///
/// Wrong arguments end the process with status 2, as usual with clap.
///
/// # Errors
///
/// If the command fails, or if standard output cannot be written. The text is one line for the user. A reader that
/// closes the pipe early, such as `head`, is not an error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), CliError> {
    let result = match args::read(arguments) {
        Ok(invocation) => invocation(),
        Err(misuse) if misuse.exit_code() != 0 => misuse.exit(),
        Err(help) => {
            console::note(help.print());
            Ok(())
        }
    };
    match (result, console::close()) {
        (Ok(()) | Err(CliError::Output(_)), written) => Ok(written?),
        (Err(error), Ok(())) => Err(error),
        (Err(error), Err(lost)) => {
            console::warn(format_args!("enfilade: {}", CliError::Output(lost)));
            Err(error)
        }
    }
}
