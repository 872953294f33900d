//! Cargo as a child process, always from the workspace root.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::{env, fmt, io};

/// The reason why a command could not run; a command that ran and failed has an exit code instead.
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
    // Cargo sets the variable for `cargo xtask` too; the build-time value serves a binary called by path.
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let mut root = PathBuf::from(package);
    root.pop();
    root
}

/// The folder of cargo's output.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

/// The cargo that runs this program, as a [`tool`].
pub(crate) fn cargo(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = tool(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// A program with its working directory at the workspace root and the environment of a shell.
///
/// `cargo run` sets variables about the program's own package. Some build scripts (such as ring's) are run
/// again when such a variable changes. A child with these variables would therefore rebuild the output of a
/// shell's cargo, and the shell's cargo would rebuild it in turn.
pub(crate) fn tool(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    for (name, _) in env::vars_os().filter(|(name, _)| is_of_a_package(name)) {
        command.env_remove(name);
    }
    command
}

/// Whether cargo sets this variable only for a program or a test of a package.
fn is_of_a_package(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let starts = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"];
    starts.iter().any(|start| name.starts_with(start)) || ["CARGO_CRATE_NAME", "OUT_DIR"].contains(&&*name)
}

/// Runs to the end with this process's own streams; returns the exit code.
pub(crate) fn finish(command: &mut Command) -> Result<u8, Failure> {
    match command.status() {
        Ok(status) => Ok(exit_code(status)),
        Err(source) => Err(Failure::Process { command: line(command), source }),
    }
}

/// Runs steps up to the first one that ends with another code than 0, and returns that code.
pub(crate) fn in_order(steps: &mut [&mut dyn FnMut() -> Result<u8, Failure>]) -> Result<u8, Failure> {
    for step in steps {
        let code = step()?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

/// Replaces this process by the command if the system supports that, so that an interruption reaches only the
/// command and the caller sees its exit code; otherwise as [`finish`].
pub(crate) fn hand_over(command: &mut Command) -> Result<u8, Failure> {
    #[cfg(unix)]
    {
        let source = std::os::unix::process::CommandExt::exec(command);
        Err(Failure::Process { command: line(command), source })
    }
    #[cfg(not(unix))]
    finish(command)
}

/// The exit code to return: 1 for a program ended by a signal.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// A command as typed in a shell.
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

    /// A package whose build script depends on package variables, like ring's, is built from a shell and then
    /// from here: the second build has no work.
    #[test]
    fn the_build_of_a_shell_is_reused() {
        let folder = root().join("target").join("xtask-fresh");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("src")).unwrap();
        let script = "fn main() {\n    for name in [\"CARGO_PKG_NAME\", \"CARGO_PKG_VERSION_PRE\", \"CARGO_MANIFEST_DIR\", \
                      \"CARGO_MANIFEST_LINKS\"] {\n        println!(\"cargo:rerun-if-env-changed={name}\");\n    }\n}\n";
        let manifest = "[package]\nname = \"probe\"\nedition = \"2024\"\n[workspace]\n";
        for (name, text) in [("Cargo.toml", manifest), ("build.rs", script), ("src/lib.rs", "//! Nothing.\n")]
        {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let build = |command: &mut Command| {
            let command = command.args(["-v", "--offline"]).current_dir(&folder);
            let output =
                command.env("CARGO_TERM_COLOR", "never").env_remove("CARGO_TARGET_DIR").output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{text}");
            text.lines().any(|line| line.trim_start().starts_with("Fresh probe"))
        };
        // A shell has only those of cargo's variables that cargo reads, and none that it sets.
        let is_read = |name: &str| {
            let read = ["HOME", "BUILD_", "TARGET_", "PROFILE_", "NET_", "HTTP_", "INCREMENTAL", "REGISTR"];
            name.strip_prefix("CARGO_").is_none_or(|rest| read.iter().any(|start| rest.starts_with(start)))
        };
        let shell = || {
            let mut shell = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            shell.arg("build").env_clear();
            shell.envs(env::vars_os().filter(|(name, _)| is_read(&name.to_string_lossy())));
            shell
        };
        assert!(!build(&mut shell()), "the first build has something to do");
        assert!(build(&mut cargo(["build"])), "built again by xtask");
        assert!(build(&mut shell()), "built again by the shell");
        let _ = std::fs::remove_dir_all(&folder);
    }

    #[test]
    fn exit_codes_are_handed_on() {
        let code = |argument| finish(cargo([argument]).stdout(Stdio::null()).stderr(Stdio::null())).ok();
        assert_eq!(code("--version"), Some(0));
        assert!(code("--no-such-flag").is_some_and(|code| code > 0));
    }
}
