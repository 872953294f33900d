//! The commands that only call cargo: `reproduce`, `conform`, `data` and `fuzz`.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::cargo::{Failure, cargo, exit_code, finish, line};

/// A longer silent build is announced.
const PATIENCE: Duration = Duration::from_secs(1);

/// The way to run a command: [`finish`], or [`hand_over`](crate::cargo::hand_over) if no work remains after
/// it.
pub(crate) type Run = fn(&mut Command) -> Result<u8, Failure>;

/// A table or figure of the papers; the quick tour if none is named.
pub(crate) fn reproduce(arguments: &[OsString], run: Run) -> Result<u8, Failure> {
    let name = OsString::from("reproduce");
    let arguments: Vec<OsString> = [name].into_iter().chain(named(arguments)).collect();
    program("experiments", &arguments, run)
}

/// The state of the data sets.
pub(crate) fn data(arguments: &[OsString], run: Run) -> Result<u8, Failure> {
    let name = OsString::from("data");
    let arguments: Vec<OsString> = [name].into_iter().chain(arguments.iter().cloned()).collect();
    program("experiments", &arguments, run)
}

/// Builds and runs the program of a package.
pub(crate) fn program(package: &str, arguments: &[OsString], run: Run) -> Result<u8, Failure> {
    match build(package)? {
        0 => run(&mut program_command(package, arguments)),
        code => Ok(code),
    }
}

/// The profile of a program: timings of a debug build would be meaningless, and fuzzing wants the checks of
/// one.
fn profile(package: &str) -> [&str; 2] {
    ["--profile", if package == "fuzzing" { "fuzz" } else { "release" }]
}

fn program_command(package: &str, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = cargo(["run", "--quiet"]);
    command.args(profile(package)).args(["-p", package, "--"]).args(arguments);
    command
}

/// Builds a program. Cargo shows its own progress on a terminal; elsewhere it is silent, and one line
/// announces the build.
fn build(package: &str) -> Result<u8, Failure> {
    let mut command = cargo(["build"]);
    command.args(profile(package)).args(["-p", package]);
    if io::stderr().is_terminal() {
        return finish(&mut command);
    }
    wait_aloud(command.arg("--quiet"), PATIENCE, || {
        eprintln!("xtask: building the `{package}` program; the first build takes some minutes");
    })
}

/// Runs to the end, with an announcement if that takes longer than `patience`.
fn wait_aloud(command: &mut Command, patience: Duration, say: impl FnOnce()) -> Result<u8, Failure> {
    let typed = line(command);
    let process = |source| Failure::Process { command: typed.clone(), source };
    let (begun, mut say) = (Instant::now(), Some(say));
    let mut child = command.spawn().map_err(process)?;
    loop {
        if begun.elapsed() >= patience
            && let Some(say) = say.take()
        {
            say();
        }
        if let Some(status) = child.try_wait().map_err(process)? {
            return Ok(exit_code(status));
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The arguments with the tour as the default name; help without a name is that of all experiments.
fn named(arguments: &[OsString]) -> Vec<OsString> {
    let is_option = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-");
    if arguments.first().is_some_and(|first| !is_option(first)) {
        return arguments.to_vec();
    }
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return vec!["--help".into()];
    }
    [OsString::from("tour")].into_iter().chain(arguments.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    #[test]
    fn the_tour_is_the_default_only_for_a_missing_name() {
        let with = |words: &[&str]| named(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(with(&[]), ["tour"]);
        assert_eq!(with(&["--out", "target/tour"]), ["tour", "--out", "target/tour"]);
        assert_eq!(with(&["bh20-table2", "--runs", "2"]), ["bh20-table2", "--runs", "2"]);
    }

    #[test]
    fn help_without_a_name_is_that_of_all_experiments() {
        let with = |words: &[&str]| named(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(with(&["--help"]), ["--help"]);
        assert_eq!(with(&["-h"]), ["--help"]);
        assert_eq!(with(&["--quiet", "--help"]), ["--help"]);
        assert_eq!(with(&["help", "agnostic"]), ["help", "agnostic"]);
        assert_eq!(with(&["agnostic", "--help"]), ["agnostic", "--help"]);
    }

    #[test]
    fn arguments_reach_the_program_after_the_dashes() {
        let command = program_command("experiments", &["data", "verify"]);
        assert_eq!(line(&command), "cargo run --quiet --profile release -p experiments -- data verify");
    }

    #[test]
    fn fuzzing_is_fast_and_checks_what_tests_do() {
        let command = program_command("fuzzing", &["--list"]);
        assert_eq!(line(&command), "cargo run --quiet --profile fuzz -p fuzzing -- --list");
    }

    #[test]
    fn a_long_run_is_announced_once() {
        let announced = |patience, argument| {
            let mut said = 0;
            let mut command = cargo([argument]);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let code = wait_aloud(&mut command, patience, || said += 1);
            (code.ok().map(|code| code == 0), said)
        };
        assert_eq!(announced(Duration::ZERO, "--version"), (Some(true), 1));
        assert_eq!(announced(Duration::from_secs(60), "--version"), (Some(true), 0));
        assert_eq!(announced(Duration::from_secs(60), "--no-such-flag"), (Some(false), 0));
    }
}
