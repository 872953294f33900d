//! `fuzz --guided`: the fuzzing targets under libFuzzer.
//!
//! The crates of this repository are compiled with coverage, and their dependencies without: libFuzzer
//! looks at
//! every counter after every execution. Cargo has no stable setting for that, so this program is also the
//! wrapper that cargo calls instead of the compiler.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

use crate::cargo::{Failure, cargo, exit_code, finish, hand_over, target, tool};

/// The variable with which this program is a compiler.
const COVERED: &str = "XTASK_COVERED";
/// The crates whose edges are counted.
const CRATES: [&str; 16] = [
    "atomic_files",
    "boosters",
    "cli",
    "conformance",
    "datasets",
    "formats",
    "fuzzing",
    "guided",
    "oco_core",
    "ocoboost",
    "off_policy",
    "projections",
    "ranks",
    "report",
    "rows",
    "weak_learners",
];
/// The counters of libFuzzer: one for each edge, and calls at comparisons.
const COUNTERS: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=16",
];

/// Builds the program outside the workspace, and runs it.
pub(crate) fn run(arguments: &[OsString]) -> Result<u8, Failure> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    if finish(tool(&compiler).arg("--version").stdout(std::process::Stdio::null())).is_err() {
        eprintln!(
            "missing: `{}`, the C++ compiler that libFuzzer is built with; Debian has it in g++. CXX names another",
            compiler.display()
        );
        return Ok(1);
    }
    let folder = target().join("guided");
    let wrapper = std::env::current_exe()
        .map_err(|source| Failure::Process { command: "the wrapper of the compiler".to_owned(), source })?;
    let mut build = cargo(["build", "--release", "--locked"]);
    build.args(["--manifest-path", "crates/fuzzing/guided/Cargo.toml", "--target-dir"]).arg(&folder);
    eprintln!("xtask: building the targets under libFuzzer; the first build takes some minutes");
    match finish(build.env("RUSTC_WRAPPER", wrapper).env(COVERED, "1"))? {
        0 => hand_over(tool(folder.join("release/guided")).args(arguments)),
        code => Ok(code),
    }
}

/// The compiler itself where cargo calls this program as its wrapper: the first argument is the compiler.
pub(crate) fn compiler() -> Option<ExitCode> {
    std::env::var_os(COVERED)?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (compiler, arguments) = arguments.split_first()?;
    let mut command = Command::new(compiler);
    command.args(arguments);
    if is_covered(arguments) {
        command.args(COUNTERS);
    }
    match command.status() {
        Ok(status) => Some(exit_code(status).into()),
        Err(error) => {
            eprintln!("xtask: {} did not run: {error}", compiler.display());
            Some(ExitCode::FAILURE)
        }
    }
}

fn is_covered(arguments: &[OsString]) -> bool {
    let named = |pair: &[OsString]| {
        pair[0] == OsStr::new("--crate-name") && pair[1].to_str().is_some_and(|name| CRATES.contains(&name))
    };
    arguments.windows(2).any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_crates_of_the_repository_are_covered() {
        let of = |line: &str| is_covered(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>());
        assert!(of("--crate-name oco_core --edition=2024 crates/oco-core/src/lib.rs"));
        assert!(!of("--crate-name serde_json --edition=2021 src/lib.rs"));
        assert!(!of("--crate-name build_script_build build.rs"));
        assert!(!of("-vV"));
    }

    #[test]
    fn every_crate_behind_the_targets_is_named() {
        let manifest =
            std::fs::read_to_string(crate::cargo::root().join("crates/fuzzing/Cargo.toml")).unwrap();
        let (_, dependencies) = manifest.split_once("[dependencies]").unwrap();
        let folders = crate::cargo::root().join("crates");
        for line in dependencies.lines() {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if !name.is_empty() && folders.join(name).is_dir() {
                assert!(CRATES.contains(&name.replace('-', "_").as_str()), "{name} is without coverage");
            }
        }
    }
}
