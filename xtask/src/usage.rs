//! The commands and their arguments, in one place.

use crate::bench::Bench;
use crate::package::Python;
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
  python                   the wheel of the Python package in a fresh environment, and its tests there
  package [--source]       what a release would upload, used in a fresh folder that has nothing else: Rust,
                           the program and Python train a policy there, and write the same bytes;
                           --source: Python's is built from its source distribution, not from this tree
  api [--check]            writes the public interface of every public package into docs/api, an item a
                           line; --check: compares, and prints what is gone and what is new; and
                           cargo-semver-checks, where it is installed, with the last tagged version
  book                     all pages, the reference of Rust and that of Python as a site of plain files,
                           target/book/index.html; a link that leads nowhere fails
  mpi [--faults N]         ranks under mpirun: lints and tests of the feature `mpi`; or a training in
                           which N times a rank is killed
  faults [--kills N]       files are whole after N kills of the programs that write them, by default 1000,
                           and after calls of the system that fail, which takes strace
  mutants [PACKAGE] [ARGS] does a test fail if the code is changed? cargo-mutants on a sample of five crates;
                           outcomes add up in docs/reliability; options: mutants --help
  supply                   licences and sources of all dependencies, by deny.toml; advisories where
                           cargo-deny is installed
  bench [ARGS]             cargo bench -p benches ARGS
  bench --peers [ARGS]     every speed claim beside its peers, as one table and a picture; options:
                           bench --peers --help
  bench --instructions     the instructions of small fixed rounds, compared with the kept counts;
                           [--write] keeps the new ones
  reproduce [NAME] [ARGS]  a table or figure of the papers; default: the quick tour; names: --help
  conform [DIR] [ARGS]     the conformance vectors in DIR; default: those of the repository
  data list|verify|fetch   the official data files
  fuzz [ARGS]              mutated inputs for every target; default: one minute
  fuzz --guided [ARGS]     the same targets under libFuzzer, guided by coverage; corpora stay in target/,
                           and the figures add up in docs/reliability; options: fuzz --guided --help
  help                     this text

reproduce, conform and data run release builds, fuzz one with the checks of tests; their options: --help.";

/// A command with its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Help,
    Test(Vec<OsString>),
    Tidy,
    Ci,
    Python,
    Package { python: Python },
    Api { check: bool },
    Book,
    Mpi { faults: Option<OsString> },
    Faults { kills: Option<OsString> },
    Mutants(Vec<OsString>),
    Supply,
    Bench(Bench),
    Reproduce(Vec<OsString>),
    Conform(Vec<OsString>),
    Data(Vec<OsString>),
    Fuzz(Fuzz),
}

/// The two ways to fuzz, each with its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fuzz {
    Mutated(Vec<OsString>),
    Guided(Vec<OsString>),
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
                write!(out, "`{command}` takes no more arguments, got `{}`", argument.display())
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
        Some("python") => bare("python", Task::Python, arguments),
        Some("package") => package(arguments),
        Some("api") => api(arguments),
        Some("book") => bare("book", Task::Book, arguments),
        Some("mpi") => mpi(arguments),
        Some("faults") => faults(arguments),
        Some("mutants") => Ok(Task::Mutants(arguments)),
        Some("supply") => bare("supply", Task::Supply, arguments),
        Some("bench") => bench(arguments).map(Task::Bench),
        Some("reproduce") => Ok(Task::Reproduce(arguments)),
        Some("conform") => Ok(Task::Conform(arguments)),
        Some("data") => Ok(Task::Data(arguments)),
        Some("fuzz") => Ok(Task::Fuzz(fuzz(arguments))),
        _ => Err(UsageError::UnknownCommand { name }),
    }
}

/// With the wheel, or `--source`.
fn package(mut arguments: Vec<OsString>) -> Result<Task, UsageError> {
    let is_source = arguments.first().is_some_and(|argument| argument == "--source");
    arguments.drain(..usize::from(is_source));
    let python = if is_source { Python::Source } else { Python::Wheel };
    bare("package [--source]", Task::Package { python }, arguments)
}

/// New ones are kept, or compared by `--check`.
fn api(mut arguments: Vec<OsString>) -> Result<Task, UsageError> {
    let check = arguments.first().is_some_and(|argument| argument == "--check");
    arguments.drain(..usize::from(check));
    bare("api [--check]", Task::Api { check }, arguments)
}

/// All of it, or `--faults N`.
fn mpi(mut arguments: Vec<OsString>) -> Result<Task, UsageError> {
    let is_faults = arguments.len() > 1 && arguments[0] == "--faults";
    let faults = is_faults.then(|| arguments.drain(..2).next_back()).flatten();
    bare("mpi [--faults N]", Task::Mpi { faults }, arguments)
}

fn fuzz(mut arguments: Vec<OsString>) -> Fuzz {
    match arguments.iter().position(|argument| argument == "--guided") {
        Some(place) => {
            arguments.remove(place);
            Fuzz::Guided(arguments)
        }
        None => Fuzz::Mutated(arguments),
    }
}

/// As often as by default, or `--kills N`.
fn faults(mut arguments: Vec<OsString>) -> Result<Task, UsageError> {
    let is_counted = arguments.len() > 1 && arguments[0] == "--kills";
    let kills = is_counted.then(|| arguments.drain(..2).next_back()).flatten();
    bare("faults [--kills N]", Task::Faults { kills }, arguments)
}

/// The first argument names the kind of benchmark.
fn bench(mut arguments: Vec<OsString>) -> Result<Bench, UsageError> {
    let first = arguments.first().and_then(|first| first.to_str());
    if first == Some("--peers") {
        arguments.remove(0);
        return Ok(Bench::Peers(arguments));
    }
    if first != Some("--instructions") {
        return Ok(Bench::Cargo(arguments));
    }
    arguments.remove(0);
    let write = arguments.first().is_some_and(|argument| argument == "--write");
    let rest = arguments.into_iter().skip(usize::from(write)).collect();
    bare("bench --instructions [--write]", Bench::Instructions { write }, rest)
}

fn bare<T>(command: &'static str, task: T, arguments: Vec<OsString>) -> Result<T, UsageError> {
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
    fn the_first_argument_of_bench_names_its_kind() {
        let of = |line: &str| parse(words(line));
        let bench = |of| Ok(Task::Bench(of));
        assert_eq!(of("bench rounds -- --quick"), bench(Bench::Cargo(words("rounds -- --quick"))));
        assert_eq!(of("bench --peers --only stumps"), bench(Bench::Peers(words("--only stumps"))));
        assert_eq!(of("bench --instructions"), bench(Bench::Instructions { write: false }));
        assert_eq!(of("bench --instructions --write"), bench(Bench::Instructions { write: true }));
        let command = "bench --instructions [--write]";
        for (line, argument) in [("--quick", "--quick"), ("--write --peers", "--peers")] {
            let refused = UsageError::UnexpectedArgument { command, argument: argument.into() };
            assert_eq!(of(&format!("bench --instructions {line}")), Err(refused));
        }
    }

    #[test]
    fn package_takes_the_wheel_or_the_source_distribution() {
        let of = |line: &str| parse(words(line));
        assert_eq!(of("package"), Ok(Task::Package { python: Python::Wheel }));
        assert_eq!(of("package --source"), Ok(Task::Package { python: Python::Source }));
        for (line, argument) in [("package source", "source"), ("package --source --all", "--all")] {
            let command = "package [--source]";
            assert_eq!(of(line), Err(UsageError::UnexpectedArgument { command, argument: argument.into() }));
        }
    }

    #[test]
    fn interfaces_are_kept_or_compared() {
        let of = |line: &str| parse(words(line));
        assert_eq!(of("api"), Ok(Task::Api { check: false }));
        assert_eq!(of("api --check"), Ok(Task::Api { check: true }));
        let (command, argument) = ("api [--check]", "--all".into());
        assert_eq!(of("api --all"), Err(UsageError::UnexpectedArgument { command, argument }));
    }

    #[test]
    fn guided_fuzzing_may_be_asked_for_anywhere() {
        let of = |line: &str| parse(words(line));
        assert_eq!(of("fuzz --cases 5"), Ok(Task::Fuzz(Fuzz::Mutated(words("--cases 5")))));
        for line in ["fuzz --guided --minutes 5 x", "fuzz --minutes 5 --guided x"] {
            assert_eq!(of(line), Ok(Task::Fuzz(Fuzz::Guided(words("--minutes 5 x")))));
        }
    }

    #[test]
    fn mpi_takes_a_number_of_faults() {
        let of = |line: &str| parse(words(line));
        assert_eq!(of("mpi"), Ok(Task::Mpi { faults: None }));
        assert_eq!(of("mpi --faults 50"), Ok(Task::Mpi { faults: Some("50".into()) }));
        for (line, argument) in [("mpi --faults", "--faults"), ("mpi 50", "50"), ("mpi --faults 5 6", "6")] {
            let command = "mpi [--faults N]";
            assert_eq!(of(line), Err(UsageError::UnexpectedArgument { command, argument: argument.into() }));
        }
    }

    #[test]
    fn faults_takes_a_number_of_kills() {
        let of = |line: &str| parse(words(line));
        assert_eq!(of("faults"), Ok(Task::Faults { kills: None }));
        assert_eq!(of("faults --kills 50"), Ok(Task::Faults { kills: Some("50".into()) }));
        for (line, argument) in
            [("faults --kills", "--kills"), ("faults 50", "50"), ("faults --kills 5 6", "6")]
        {
            let command = "faults [--kills N]";
            assert_eq!(of(line), Err(UsageError::UnexpectedArgument { command, argument: argument.into() }));
        }
    }

    /// Of the pages' commands, what no test runs is at least known.
    #[test]
    fn the_pages_name_commands_that_there_are() {
        let mut found = 0;
        for page in ["README.md", "docs/contributing.md", "docs/benchmarks.md", "docs/releasing.md"] {
            let text = std::fs::read_to_string(crate::cargo::root().join(page)).unwrap();
            for line in text.lines().filter_map(|line| line.strip_prefix("cargo xtask ")) {
                let line = line.split('#').next().unwrap_or_default();
                assert!(parse(words(line)).is_ok(), "{page}: cargo xtask {line}");
                found += 1;
            }
        }
        assert!(found >= 14, "{found}");
    }

    #[test]
    fn the_usage_names_every_command() {
        let commands = "test tidy ci python package api book mpi faults mutants supply bench reproduce conform data fuzz help";
        for command in commands.split(' ') {
            assert!(TEXT.contains(&format!("\n  {command} ")), "{command}");
            assert!(parse(words(command)).is_ok(), "{command}");
        }
    }
}
