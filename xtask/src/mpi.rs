//! `mpi`: ranks under a real mpirun, which the other commands do without.

use std::ffi::OsString;
use std::process::Stdio;

use crate::cargo::{Failure, cargo, finish, root, target, tool};

/// Programs of an MPI library: one starts ranks, the other knows where its headers are.
const PROGRAMS: [&str; 2] = ["mpirun", "mpicc"];
/// The whole workspace, so that everything below is that of the other steps.
pub(crate) const FEATURES: [&str; 3] =
    ["--workspace", "--features", "ocoboost-mpi-ranks/mpi,ocoboost-cli/mpi,benches/mpi"];

/// Lints and tests of what only the feature `mpi` has; or with a number, that many killed ranks.
pub(crate) fn run(faults: Option<&OsString>) -> Result<u8, Failure> {
    let missing: Vec<&str> = PROGRAMS.into_iter().filter(|program| !is_there(program)).collect();
    if !missing.is_empty() {
        eprintln!(
            "missing: {}, which ranks are started and built with; Debian has them in openmpi-bin and \
             libopenmpi-dev, and libclang, for the bindings, in libclang-dev",
            missing.join(" and ")
        );
        return Ok(1);
    }
    let mut test = cargo(["test"]);
    test.args(FEATURES).args(["--test", "mpirun"]);
    if let Some(faults) = faults {
        return finish(test.args(["--", "killed_ranks", "--nocapture"]).env("FAULTS", faults));
    }
    let mut lints = cargo(["clippy"]);
    match finish(lints.args(FEATURES).args(["--all-targets", "--", "-D", "warnings"]))? {
        // Ranks wait for each other, so one launch at a time is enough for few cores.
        0 => {}
        code => return Ok(code),
    }
    match finish(test.args(["--test", "mpi", "--quiet", "--", "--test-threads", "1"]))? {
        0 => from_python(),
        code => Ok(code),
    }
}

/// The example of the guide, where `cargo xtask python` has made an environment before.
fn from_python() -> Result<u8, Failure> {
    let folder = root().join("target/python");
    let python = folder.join("environment/bin/python");
    if !python.exists() {
        println!("left out: the example from Python, for which `cargo xtask python` installs the package");
        return Ok(0);
    }
    let mut pytest = tool(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    pytest.arg(root().join("crates/python/tests/test_machines.py"));
    // The tests of the program have built it.
    finish(pytest.env("OCOBOOST_MPI", target().join("debug/ocoboost")).current_dir(&folder))
}

fn is_there(program: &str) -> bool {
    let mut ask = tool(program);
    ask.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_there_or_not() {
        assert!(is_there("rustc"));
        assert!(!is_there("mpirun-of-nobody"));
    }
}
