//! `ci`: the required checks of a change, in order, up to the first failure.
//!
//! The tests come last, so that their summary is the last line of the output.

use std::time::Instant;

use crate::cargo::{Failure, cargo, finish, target, tool};
use crate::{api, book, mpi, mutants, package, python, supply, test, tidy};

struct Step {
    name: &'static str,
    run: fn() -> Result<u8, Failure>,
}

const STEPS: [Step; 17] = [
    Step { name: "format", run: || finish(&mut cargo(["fmt", "--all", "--check"])) },
    Step { name: "lints", run: lints },
    Step { name: "documentation", run: book::documentation },
    Step { name: "interfaces", run: || api::run(true) },
    Step { name: "house rules", run: tidy::run },
    Step { name: "supply chain", run: supply::run },
    Step { name: "build", run: test::build },
    Step {
        name: "quick tour",
        run: || program("experiments", &["reproduce", "tour", "--out", "target/tour"]),
    },
    // Every vector of the repository; unknown kernels fail.
    Step { name: "conformance", run: || program("conformance", &[]) },
    // With the mutants of the next step, and the kills and failing calls among the tests, it is a slice of
    // what docs/reliability.md has of hours. So many cases, and not so many minutes: they are the same on
    // every machine.
    Step { name: "fuzzing", run: || program("fuzzing", &["--cases", "3000", "--quiet"]) },
    Step { name: "mutants", run: || mutants::run(&["--planted".into()]) },
    Step { name: "neural policies", run: neural_policies },
    Step { name: "python", run: python::run },
    Step { name: "packages", run: || package::run(package::Python::Source) },
    Step { name: "site", run: book::run },
    Step { name: "mpi", run: || mpi::run(None) },
    Step { name: "tests", run: || test::run(&[]) },
];

pub(crate) fn run() -> Result<u8, Failure> {
    run_steps(&STEPS)
}

fn run_steps(steps: &[Step]) -> Result<u8, Failure> {
    let start = Instant::now();
    for (number, step) in (1..).zip(steps) {
        let elapsed = start.elapsed().as_secs_f64();
        println!("==> {number}/{} {} (at {elapsed:.1} s)", steps.len(), step.name);
        let begin = Instant::now();
        let code = (step.run)()?;
        let seconds = begin.elapsed().as_secs_f64();
        // No line may follow the summary of the last step.
        if number == steps.len() {
            return Ok(code);
        }
        if code != 0 {
            eprintln!(
                "ci stopped: step {number}, {}, ended with exit code {code} after {seconds:.1} s",
                step.name
            );
            return Ok(code);
        }
        println!("    {}: {seconds:.1} s", step.name);
    }
    Ok(0)
}

/// With the features that the step `mpi` asks for, so that it has nothing left to lint.
fn lints() -> Result<u8, Failure> {
    finish(cargo(["clippy"]).args(mpi::FEATURES).args(["--all-targets", "--", "-D", "warnings"]))
}

/// A program that the step `build` has made. The commands of the same names build it with optimisation, which
/// takes longer than the run of the program as it is.
fn program(name: &str, arguments: &[&str]) -> Result<u8, Failure> {
    let path = target().join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    finish(tool(path).args(arguments))
}

/// The crate outside the workspace, with a lock file and a build of its own: format, lints, documentation and
/// tests. `--examples`, of which there are none, has the documentation use the features of the dependencies
/// that tests add: without it burn is checked a second time.
fn neural_policies() -> Result<u8, Failure> {
    let manifest = ["--manifest-path", "crates/neural-policies/Cargo.toml"];
    let code = finish(cargo(["fmt"]).args(manifest).arg("--check"))?;
    if code != 0 {
        return Ok(code);
    }
    let checks: [(&[&str], &[&str]); 3] = [
        (&["clippy", "--all-targets"], &["--", "-D", "warnings"]),
        (&["doc", "--no-deps", "--lib", "--bins", "--examples"], &[]),
        (&["test", "--quiet", "--no-fail-fast"], &[]),
    ];
    for (command, last) in checks {
        let mut command = cargo(command);
        command.args(manifest).args(["--locked", "--target-dir", "target/neural-policies"]).args(last);
        let code = finish(command.env("RUSTDOCFLAGS", "-D warnings"))?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failing_step_ends_the_run_with_its_code() {
        let unreachable = Step { name: "unreachable", run: || Ok(9) };
        let steps =
            [Step { name: "fine", run: || Ok(0) }, Step { name: "broken", run: || Ok(3) }, unreachable];
        assert!(matches!(run_steps(&steps), Ok(3)));
        assert!(matches!(run_steps(&steps[..1]), Ok(0)));
    }

    #[test]
    fn the_tests_come_last() {
        assert_eq!(STEPS.last().map(|step| step.name), Some("tests"));
    }
}
