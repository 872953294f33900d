//! The commands and their arguments, in one place.

use std::ffi::OsString;
use std::fmt;

/// The output of `cargo xtask help`.
pub(crate) const TEXT: &str = "\
cargo xtask <command>

  test [ARGS]              cargo test ARGS, by default of the whole workspace, then the totals. Last line:
                           N passed, N failed, N skipped. A test without its data counts as skipped,
                           and is listed. Property tests use a fixed seed, or PROPTEST_RNG_SEED;
                           plain `cargo test` uses a fresh seed
  tidy                     check of the house rules
  ci                       all required checks of a change; tests come last
  bench [ARGS]             cargo bench -p benches ARGS
  reproduce [NAME] [ARGS]  a table or figure of the papers; default: the quick tour; names: --help
  conform [DIR] [ARGS]     the conformance vectors in DIR; default: those of the repository
  data list|verify|fetch   the official data files
  fuzz [ARGS]              mutated inputs for every saved type and every reader; default: one minute
  help                     this text

reproduce, conform, data and fuzz run release builds; their options: --help.";

/// A command with its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Help,
    Test(Vec<OsString>),
    Tidy,
    Ci,
    Bench(Vec<OsString>),
    Reproduce(Vec<OsString>),
    Conform(Vec<OsString>),
    Data(Vec<OsString>),
    Fuzz(Vec<OsString>),
}

/// The reason why a command line is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UsageError {
    UnknownCommand { name: OsString },
    UnexpectedArgument { command: &'static str, argument: OsString },
}

impl fmt::Display for UsageError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCommand { name } => write!(out, "unknown command `{}`", name.display()),
            Self::UnexpectedArgument { command, argument } => {
                write!(out, "`{command}` takes no arguments, got `{}`", argument.display())
            }
        }
    }
}

/// Reads the arguments that follow `cargo xtask`.
pub(crate) fn parse(mut arguments: Vec<OsString>) -> Result<Task, UsageError> {
    if arguments.is_empty() {
        return Ok(Task::Help);
    }
    let name = arguments.remove(0);
    match name.to_str() {
        Some("help" | "--help" | "-h") => Ok(Task::Help),
        Some("test") => Ok(Task::Test(arguments)),
        Some("tidy") => bare("tidy", Task::Tidy, arguments),
        Some("ci") => bare("ci", Task::Ci, arguments),
        Some("bench") => Ok(Task::Bench(arguments)),
        Some("reproduce") => Ok(Task::Reproduce(arguments)),
        Some("conform") => Ok(Task::Conform(arguments)),
        Some("data") => Ok(Task::Data(arguments)),
        Some("fuzz") => Ok(Task::Fuzz(arguments)),
        _ => Err(UsageError::UnknownCommand { name }),
    }
}

fn bare(command: &'static str, task: Task, arguments: Vec<OsString>) -> Result<Task, UsageError> {
    match arguments.into_iter().next() {
        None => Ok(task),
        Some(argument) => Err(UsageError::UnexpectedArgument { command, argument }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn arguments_after_the_command_pass_through_untouched() {
        assert_eq!(
            parse(words("test -p rows -- --nocapture")),
            Ok(Task::Test(words("-p rows -- --nocapture")))
        );
        assert_eq!(parse(words("reproduce")), Ok(Task::Reproduce(vec![])));
    }

    #[test]
    fn a_misspelt_command_or_a_stray_argument_is_refused() {
        assert_eq!(parse(words("tets")), Err(UsageError::UnknownCommand { name: "tets".into() }));
        let stray = UsageError::UnexpectedArgument { command: "ci", argument: "--fast".into() };
        assert_eq!(parse(words("ci --fast")), Err(stray));
    }

    #[test]
    fn the_usage_names_every_command() {
        for command in ["test", "tidy", "ci", "bench", "reproduce", "conform", "data", "fuzz", "help"] {
            assert!(TEXT.contains(&format!("\n  {command} ")), "{command}");
            assert!(parse(words(command)).is_ok(), "{command}");
        }
    }
}
