//! `test`: cargo's tests with their output passed through, and the totals as the last line.
//!
//! A test without its data prints a line on standard error that [`reduced`] reads. The test is counted as
//! skipped, even if parts of it ran, and listed with its reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::ops::AddAssign;
use std::process::{Command, Stdio};
use std::{env, fmt};

use crate::cargo::{Failure, cargo, exit_code, finish, in_order, line};

/// The variable with proptest's seed.
const SEED: &str = "PROPTEST_RNG_SEED";

/// The tests of the workspace, without the benchmarks' programs: no test runs these, and the lints compile
/// them.
const TESTS: [&str; 4] = ["--workspace", "--lib", "--bins", "--tests"];

/// What the tests need: themselves, and the one example that a test runs.
pub(crate) fn build() -> Result<u8, Failure> {
    in_order(&mut [
        &mut || finish(cargo(["test", "--no-run"]).args(TESTS)),
        // With the features of the whole workspace, so that nothing is built but the example.
        &mut || finish(&mut cargo(["build", "--workspace", "--example", "policy_from_a_log"])),
    ])
}

pub(crate) fn run(arguments: &[OsString]) -> Result<u8, Failure> {
    if arguments.is_empty() {
        match build()? {
            0 => {}
            code => {
                let mut summary = Summary::default();
                summary.close(code, 0);
                println!("\n{summary}");
                return Ok(code);
            }
        }
    }
    let (mut summary, mut last) = (Summary::default(), 0);
    for mut command in tests(arguments, env::var_os(SEED)) {
        let code = read(&mut command, &mut summary)?;
        last = if last == 0 { code } else { last };
    }
    println!("\n{summary}");
    Ok(last)
}

/// Runs a command to its end, with its output passed through.
fn read(command: &mut Command, summary: &mut Summary) -> Result<u8, Failure> {
    let typed = line(command);
    let process = |source| Failure::Process { command: typed.clone(), source };

    // One pipe for both streams keeps cargo's "Running …" lines in order with the results of the programs.
    let (reader, writer) = io::pipe().map_err(process)?;
    command.stdout(writer.try_clone().map_err(process)?).stderr(writer);
    let mut child = command.spawn().map_err(process)?;
    // The command holds this side of the pipe; the loop below ends when its last copy is closed.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    let failed = summary.total().failed;
    let mut output = BufReader::new(reader);
    let mut bytes = Vec::new();
    while output.read_until(b'\n', &mut bytes).map_err(process)? > 0 {
        io::stdout().write_all(&bytes).map_err(|source| Failure::Write { source })?;
        summary.read(String::from_utf8_lossy(&bytes).trim_end());
        bytes.clear();
    }
    let code = exit_code(child.wait().map_err(process)?);
    summary.close(code, failed);
    Ok(code)
}

/// Cargo's tests: those of programs, then those of documentation; or what the arguments say. Property tests
/// draw the same cases in every run, so that results depend only on the code. For new cases, set a seed or
/// use plain `cargo test`, which draws fresh ones.
fn tests(arguments: &[OsString], seed: Option<OsString>) -> Vec<Command> {
    let seed = seed.unwrap_or_else(|| "20260701".into());
    let test = |chosen: &[&str], arguments: &[OsString]| {
        let mut command = cargo(["test", "--no-fail-fast"]);
        // The summary reads cargo's plain lines.
        command.args(chosen).args(arguments).env("CARGO_TERM_COLOR", "never").env(SEED, &seed);
        command
    };
    match arguments {
        [] => vec![test(&TESTS, &[]), test(&["--workspace", "--doc"], &[])],
        named if names_packages(named) => vec![test(&[], named)],
        others => vec![test(&["--workspace"], others)],
    }
}

/// Whether the arguments for cargo (those before `--`) choose packages themselves.
fn names_packages(arguments: &[OsString]) -> bool {
    let texts = arguments.iter().map(|argument| argument.to_string_lossy());
    let flags = ["-p", "--package", "--workspace"];
    texts.take_while(|text| text != "--").any(|text| flags.iter().any(|flag| text.starts_with(flag)))
}

/// The counts of one test program, or of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Totals {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// One test program.
#[derive(Debug, Default)]
struct Run {
    name: String,
    totals: Totals,
    /// The reduced tests, with their reasons.
    reduced: BTreeMap<String, BTreeSet<String>>,
    /// The failed tests: libtest lists them after the last line `failures:`.
    failed: Option<BTreeSet<String>>,
}

impl Run {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Adds the counts of a result line, with reduced tests that passed counted as skipped.
    fn add(&mut self, mut totals: Totals) {
        let failed = self.failed.take().unwrap_or_default();
        self.reduced.retain(|test, _| !failed.contains(test));
        let reduced = self.reduced.len().min(totals.passed);
        totals.passed -= reduced;
        totals.skipped += reduced;
        self.totals += totals;
    }
}

/// The test programs in order.
#[derive(Debug, Default)]
struct Summary {
    runs: Vec<Run>,
}

impl Summary {
    /// Reads one line of the output.
    fn read(&mut self, line: &str) {
        if let Some(name) = run_name(line) {
            self.runs.push(Run::new(name));
        }
        if let Some(totals) = result_line(line) {
            // Doctests may report twice under one heading: the merged ones, and the rest.
            self.last().add(totals);
        } else if let Some((test, why)) = reduced(line) {
            self.last().reduced.entry(test.to_owned()).or_default().insert(why.to_owned());
        } else if line == "failures:" {
            self.last().failed = Some(BTreeSet::new());
        } else if let Some(test) = line.strip_prefix("    ")
            && let Some(failed) = &mut self.last().failed
        {
            failed.insert(test.to_owned());
        }
    }

    /// The current program; a default name if cargo announced none.
    fn last(&mut self) -> &mut Run {
        if self.runs.is_empty() {
            self.runs.push(Run::new("tests"));
        }
        let last = self.runs.len() - 1;
        &mut self.runs[last]
    }

    /// A broken build or a crashed test program reports no failed test, and must not look like a success.
    fn close(&mut self, code: u8, failed_before: usize) {
        if code != 0 && self.total().failed == failed_before {
            let totals = Totals { failed: 1, ..Totals::default() };
            self.runs.push(Run { totals, ..Run::new(&format!("cargo (exit code {code})")) });
        }
    }

    fn total(&self) -> Totals {
        let mut total = Totals::default();
        for run in &self.runs {
            total += run.totals;
        }
        total
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for run in self.runs.iter().filter(|run| run.totals != Totals::default()) {
            writeln!(out, "  {}: {}", run.name, run.totals)?;
        }
        let reduced = self.runs.iter().flat_map(|run| run.reduced.iter().map(move |reduced| (run, reduced)));
        for (place, (run, (test, reasons))) in reduced.enumerate() {
            if place == 0 {
                writeln!(out, "\nCounted as skipped, because they ran in reduced form:")?;
            }
            let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
            writeln!(out, "  {} {test}: {}", run.name, reasons.join("; "))?;
        }
        write!(out, "{}", self.total())
    }
}

/// `rows-0123456789abcdef (src/lib.rs)` from cargo's announcement of a test program; the package of doctests.
fn run_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let unit = line.strip_prefix("Running ").filter(|rest| rest.ends_with(')'));
    unit.and_then(|rest| rest.rsplit(['/', '\\']).next()?.strip_suffix(')'))
        .and_then(|program| Some(program.rsplit_once('-')?.0))
        .or_else(|| line.starts_with("Doc-tests ").then_some(line))
}

/// Parses `REDUCED name::of::test: why`, also after the beginning of a libtest line, since the two streams
/// mix.
fn reduced(line: &str) -> Option<(&str, &str)> {
    let (before, said) = line.split_once("REDUCED ")?;
    let (test, why) = said.split_once(": ")?;
    let is_name = !test.is_empty() && !test.contains(char::is_whitespace);
    (is_name && (before.is_empty() || before.starts_with("test "))).then_some((test, why))
}

/// `test result: ok. 5 passed; 0 failed; 1 ignored; …`
fn result_line(line: &str) -> Option<Totals> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut totals = Totals::default();
    for count in counts.split("; ") {
        match count.split_once(' ') {
            Some((number, "passed")) => totals.passed = number.parse().ok()?,
            Some((number, "failed")) => totals.failed = number.parse().ok()?,
            Some((number, "ignored")) => totals.skipped = number.parse().ok()?,
            _ => {}
        }
    }
    Some(totals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_tests_draw_the_same_cases_unless_a_seed_is_set() {
        let seed = |chosen: Option<&str>| {
            let commands = tests(&[], chosen.map(Into::into));
            let of = |command: &Command| {
                let found = command.get_envs().find(|(name, _)| *name == SEED);
                found.and_then(|(_, seed)| seed?.to_str()?.parse::<u64>().ok())
            };
            commands.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!((seed(None), seed(Some("7"))), (vec![Some(20_260_701); 2], vec![Some(7); 2]));
    }

    #[test]
    fn the_workspace_is_tested_unless_a_package_is_named() {
        let lines = |typed: &str| -> Vec<String> {
            let arguments: Vec<OsString> = typed.split_whitespace().map(OsString::from).collect();
            tests(&arguments, None).iter().map(line).collect()
        };
        let all = lines("");
        assert!(all.len() == 2 && all.iter().all(|line| line.contains("--workspace")), "{all:?}");
        assert!(all[0].contains("--lib --bins --tests") && all[1].ends_with("--doc"), "{all:?}");
        assert!(
            lines("-p rows").iter().all(|line| line.ends_with("-p rows") && !line.contains("--workspace"))
        );
        assert!(lines("laws").iter().all(|line| line.ends_with("--workspace laws")));
    }

    const OUTPUT: &str = "
     Running unittests src/lib.rs (target/debug/deps/rows-0011223344556677)
running 2 tests
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
     Running tests/laws.rs (target/debug/deps/some_laws-0011223344556677)
test result: FAILED. 3 passed; 1 failed; 4 ignored; 0 measured; 7 filtered out; finished in 1.25s
   Doc-tests rows
test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
all doctests ran in 0.20s
";

    fn summary(output: &str, code: u8) -> Summary {
        let mut summary = Summary::default();
        output.lines().for_each(|line| summary.read(line));
        summary.close(code, 0);
        summary
    }

    #[test]
    fn a_second_command_that_breaks_counts_as_failed_too() {
        let mut summary = summary(OUTPUT, 101);
        let failed = summary.total().failed;
        summary.close(101, failed);
        assert_eq!((failed, summary.total().failed), (1, 2));
    }

    #[test]
    fn every_result_line_is_counted_under_its_program() {
        let summary = summary(OUTPUT, 101);
        let names: Vec<_> = summary.runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["rows", "some_laws", "Doc-tests rows"]);
        assert_eq!(summary.runs[2].totals, Totals { passed: 6, failed: 0, skipped: 0 });
        assert_eq!(summary.to_string().lines().last(), Some("11 passed, 1 failed, 4 skipped"));
    }

    /// Two tests of three lack their data, and one of these fails; the lines of both streams are mixed as by
    /// libtest and its threads.
    const REDUCED: &str = "
     Running tests/laws.rs (target/debug/deps/some_laws-0011223344556677)
running 5 tests
test plain ... ok
REDUCED inner::with_data: letter is not here
test slow ... REDUCED broken: adult is not here
ok
REDUCED inner::with_data: adult is not here
REDUCED inner::with_data: letter is not here
test inner::with_data ... ok
test broken ... FAILED
test other ... FAILED

failures:

---- broken stdout ----
    inner::with_data

---- other stdout ----
it said: REDUCED slow: no line of a test's own

failures:
    broken
    other

test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.25s
     Running tests/others.rs (target/debug/deps/others-0011223344556677)
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.25s
";

    #[test]
    fn a_test_that_lacks_its_data_is_skipped_unless_it_fails() {
        let summary = summary(REDUCED, 101);
        assert_eq!(summary.runs[0].totals, Totals { passed: 2, failed: 2, skipped: 1 });
        assert_eq!(summary.runs[1].totals, Totals { passed: 3, failed: 0, skipped: 1 });
        let text = summary.to_string();
        let last: Vec<&str> = text.lines().rev().take(3).collect();
        assert_eq!(last[0], "5 passed, 2 failed, 2 skipped");
        assert_eq!(last[1], "  some_laws inner::with_data: adult is not here; letter is not here");
        assert!(last[2].starts_with("Counted as skipped"), "{text}");
    }

    #[test]
    fn lines_similar_to_a_reduced_test_are_ignored() {
        assert_eq!(reduced("REDUCED a::b: c: d"), Some(("a::b", "c: d")));
        assert_eq!(reduced("test x ... REDUCED a::b: c"), Some(("a::b", "c")));
        for line in
            ["REDUCED: no name", "REDUCED two words: c", "NOT REDUCED a: b", "REDUCED a", "reduced a: b"]
        {
            assert_eq!(reduced(line), None, "{line}");
        }
    }

    #[test]
    fn a_run_that_dies_without_a_result_counts_as_failed() {
        let died =
            "     Running unittests src/lib.rs (target/debug/deps/rows-0011223344556677)\nrunning 2 tests";
        assert_eq!(summary(died, 101).total(), Totals { passed: 0, failed: 1, skipped: 0 });
        assert_eq!(summary(died, 0).total(), Totals::default());
        assert_eq!(summary("", 101).to_string().lines().last(), Some("0 passed, 1 failed, 0 skipped"));
    }

    #[test]
    fn lines_similar_to_a_result_are_not_counted() {
        assert_eq!(result_line("the test result: ok. 5 passed; 0 failed"), None);
        assert_eq!(result_line("test result: ok. many passed; 0 failed"), None);
    }

    #[test]
    fn packages_chosen_by_the_caller_are_left_alone() {
        let names = |line: &str| names_packages(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(names("-p rows") && names("--package=rows") && names("-prows"));
        assert!(!names("--release") && !names("regret -- -p") && !names(""));
    }
}
