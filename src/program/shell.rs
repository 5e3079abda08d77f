//! `enfilade completions` and `enfilade manual`: what shells and `man` know about the program, made from the definition
//! of its arguments.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::base::console;
use crate::base::file::{self, FileError};
use crate::engine::command::error::CliError;

/// Print the completions of this program for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  enfilade completions bash > ~/.local/share/bash-completion/completions/enfilade
  enfilade completions zsh > ~/.zfunc/_enfilade          with ~/.zfunc in fpath
  enfilade completions fish > ~/.config/fish/completions/enfilade.fish
  enfilade completions powershell >> $PROFILE")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

impl CompletionsArguments {
    /// Prints the completions of `program`.
    pub(super) fn run(&self, mut program: clap::Command) -> Result<(), CliError> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut program, "enfilade", &mut text);
        Ok(console::stdout().write_all(&text)?)
    }
}

/// Write the manual pages of this program, one for each command
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  enfilade manual ~/.local/share/man/man1 && man enfilade-search")]
pub(crate) struct ManualArguments {
    /// The folder of the pages. It is made if it does not exist
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

impl ManualArguments {
    /// Writes the pages of `program`.
    pub(super) fn run(&self, mut program: clap::Command) -> Result<(), CliError> {
        let folder = &self.folder;
        fs::create_dir_all(folder).map_err(FileError::because("cannot make the directory", folder))?;
        program.build();
        let count = write_pages(&program, "enfilade", folder)?;
        console::say(format_args!("{count} pages written to {}", folder.display()));
        Ok(())
    }
}

/// Writes the page of a command with this name, and those of its own commands. Returns their number.
fn write_pages(command: &clap::Command, name: &str, folder: &Path) -> Result<usize, CliError> {
    file::replace(&folder.join(format!("{name}.1")), &page(command, name)?)?;
    let mut count = 1;
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        count += write_pages(inner, &format!("{name}-{}", inner.get_name()), folder)?;
    }
    Ok(count)
}

fn page(command: &clap::Command, name: &str) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    // The grouped list of the help is for terminals; a page has a section of its own for commands.
    let command = command.clone().display_name(name.to_owned());
    Man::new(command).source(concat!("enfilade ", env!("CARGO_PKG_VERSION"))).render(&mut page)?;
    Ok(page)
}
