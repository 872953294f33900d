//! `mutants --planted`: a few mutants that need no other program, and a minute. A test caught each of them
//! once, and has to do so still.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{copy, failed, folder, in_copy};
use crate::cargo::{Failure, cargo, finish, line};

/// A change of the code, and the tests that catch it.
struct Planted {
    package: &'static str,
    file: &'static str,
    /// A text that the file has once.
    code: &'static str,
    mutant: &'static str,
    /// Arguments of `cargo test`.
    tests: &'static [&'static str],
}

const PLANTED: [Planted; 6] = [
    Planted {
        package: "projections",
        file: "src/mirror/maps.rs",
        code: "v * (ln(v) - 1.0)",
        mutant: "v * (ln(v) + 1.0)",
        tests: &["--test", "theorems"],
    },
    Planted {
        package: "projections",
        file: "src/sets/shrunk.rs",
        code: "self.xi * a + (1.0 - self.xi) * *v",
        mutant: "self.xi * a - (1.0 - self.xi) * *v",
        tests: &["--test", "theorems"],
    },
    Planted {
        package: "projections",
        file: "src/simplex/threshold.rs",
        code: "if top - p > cut {",
        mutant: "if top + p > cut {",
        tests: &["--lib"],
    },
    Planted {
        package: "projections",
        file: "src/matrix/trace_norm_ball.rs",
        code: "*x += sigma * (u * v)",
        mutant: "*x -= sigma * (u * v)",
        tests: &["--test", "theorems"],
    },
    Planted {
        package: "oco-core",
        file: "src/losses/huber.rs",
        code: "if r <= delta { (0.5 * r) * r }",
        mutant: "if r <= delta { (0.5 + r) * r }",
        tests: &["--test", "accounts"],
    },
    Planted {
        package: "oco-core",
        file: "src/learners/doubling.rs",
        code: "state.rounds >= 1 << state.epoch",
        mutant: "state.rounds < 1 << state.epoch",
        tests: &["--test", "doubling"],
    },
];

/// The time limit of tests that take seconds.
const LIMIT: Duration = Duration::from_secs(300);

/// Whether every mutant is caught: its code compiles, and the tests, which pass without it, fail.
pub(super) fn run() -> Result<u8, Failure> {
    copy::write()?;
    let mut tried: Vec<(&str, &[&str])> = PLANTED.iter().map(|one| (one.package, one.tests)).collect();
    tried.sort_unstable();
    tried.dedup();
    for (package, tests) in tried {
        if !passes(package, tests, false)? {
            let command = format!("cargo test -p ocoboost-{package} {}", tests.join(" "));
            return Err(failed(&command, "tests fail without any mutant"));
        }
    }
    let mut missed = 0;
    for planted in &PLANTED {
        let path = folder().join("tree/crates").join(planted.package).join(planted.file);
        let read = |source| Failure::Read { path: path.clone(), source };
        let code = fs::read_to_string(&path).map_err(read)?;
        write(&path, &changed(planted, &code)?)?;
        let begun = Instant::now();
        let caught = passes(planted.package, planted.tests, true).map(|passed| !passed);
        // Also after an error. Where this program is killed, the mutant stays until the copy is next written.
        write(&path, &code)?;
        let caught = caught?;
        missed += u8::from(!caught);
        let word = if caught { "caught" } else { "MISSED" };
        let Planted { package, file, mutant, .. } = planted;
        println!("{word} after {} s: {package}/{file}: {mutant}", begun.elapsed().as_secs());
    }
    Ok(missed.min(1))
}

/// The code of a file with the mutant in it.
fn changed(planted: &Planted, code: &str) -> Result<String, Failure> {
    if code.matches(planted.code).count() != 1 {
        let reason = format!("it does not have `{}` once: choose another mutant", planted.code);
        return Err(failed(&format!("{}/{}", planted.package, planted.file), &reason));
    }
    Ok(code.replace(planted.code, planted.mutant))
}

/// Whether tests pass that compile. What they say of a mutant is of no interest.
fn passes(package: &str, tests: &[&str], is_mutant: bool) -> Result<bool, Failure> {
    let test = |last: &[&str]| {
        let mut command = in_copy(cargo(["test", "--quiet", "-p", &format!("ocoboost-{package}")]));
        command.args(tests).args(last).stdout(Stdio::null());
        command
    };
    let mut build = test(&["--no-run"]);
    if finish(&mut build)? != 0 {
        return Err(failed(&line(&build), "it does not compile"));
    }
    let mut run = test(&[]);
    if is_mutant {
        run.stderr(Stdio::null());
    }
    in_time(&mut run)
}

/// Whether a command succeeds. A mutant whose tests do not end is no longer one of these.
fn in_time(command: &mut Command) -> Result<bool, Failure> {
    let typed = line(command);
    let process = |source| Failure::Process { command: typed.clone(), source };
    let (mut child, begun) = (command.spawn().map_err(process)?, Instant::now());
    while begun.elapsed() < LIMIT {
        if let Some(status) = child.try_wait().map_err(process)? {
            return Ok(status.success());
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().map_err(process)?;
    Err(failed(&typed, &format!("no end within {} s", LIMIT.as_secs())))
}

fn write(path: &Path, code: &str) -> Result<(), Failure> {
    fs::write(path, code).map_err(|source| Failure::Write { source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::root;

    #[test]
    fn every_planted_mutant_has_its_place() {
        for planted in &PLANTED {
            let path = root().join("crates").join(planted.package).join(planted.file);
            let code = fs::read_to_string(&path).unwrap();
            assert_ne!(changed(planted, &code).unwrap(), code);
            assert!(changed(planted, &code.repeat(2)).is_err());
        }
    }
}
