//! Cargo as a child process, always from the workspace root.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::{env, fmt, io};

/// Why a command could not do its work at all; a command that ran and failed has an exit code instead.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A program could not be started or waited for.
    Process { command: String, source: io::Error },
    /// A file or folder could not be read.
    Read { path: PathBuf, source: io::Error },
    /// The output could not be passed on.
    Write { source: io::Error },
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process { command, source } => write!(out, "`{command}` did not run: {source}"),
            Self::Read { path, source } => write!(out, "{} cannot be read: {source}", path.display()),
            Self::Write { source } => write!(out, "the output cannot be written: {source}"),
        }
    }
}

/// The workspace root: the parent of this package's folder.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable for `cargo xtask` too; the value from build time is for a binary that is called by path.
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let mut root = PathBuf::from(package);
    root.pop();
    root
}

/// The cargo that runs this program, with its working directory at the workspace root.
pub(crate) fn cargo(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs to the end with this process's own streams; the exit code is the answer.
pub(crate) fn finish(command: &mut Command) -> Result<u8, Failure> {
    match command.status() {
        Ok(status) => Ok(exit_code(status)),
        Err(source) => Err(Failure::Process { command: line(command), source }),
    }
}

/// The code to hand on: 1 for a program that a signal ended.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// A command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program.file_stem().unwrap_or_else(|| command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.display().to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn the_root_holds_the_workspace_manifest() {
        assert!(root().join("Cargo.toml").is_file());
        assert!(root().join("xtask").is_dir());
    }

    #[test]
    fn exit_codes_are_handed_on() {
        let code = |argument| finish(cargo([argument]).stdout(Stdio::null()).stderr(Stdio::null())).ok();
        assert_eq!(code("--version"), Some(0));
        assert!(code("--no-such-flag").is_some_and(|code| code > 0));
    }
}
