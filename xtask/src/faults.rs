//! `faults`: the programs are killed while they write, and calls of the system fail.
//!
//! The same tests run a few times among all tests. Here they run often, and on the release build of
//! `ocoboost`. The program of the experiments writes by the same crate; its release build takes ten minutes.

use std::ffi::OsString;

use crate::cargo::{Failure, cargo, finish};

/// Half of the kills are at random moments of every command that writes, half of trainings that go on.
const KILLS: &str = "1000";

pub(crate) fn run(kills: Option<&OsString>) -> Result<u8, Failure> {
    let kills = kills.cloned().unwrap_or_else(|| KILLS.into());
    for program in [&["--release", "-p", "ocoboost-cli"][..], &["-p", "experiments"]] {
        let mut test = cargo(["test"]);
        test.args(program).args(["--test", "faults", "--", "--nocapture", "--test-threads", "1"]);
        match finish(test.env("KILLS", &kills))? {
            0 => {}
            code => return Ok(code),
        }
    }
    Ok(0)
}
