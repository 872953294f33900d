//! Whether the version of the packages allows what has changed since the last release, as cargo-semver-checks
//! judges it where it is installed. The kept interfaces show every change; this says which of them break.

use std::process::Stdio;

use crate::cargo::{Failure, cargo, finish, tool};
use crate::package::public;

/// Without a promise: two are there for the program, and the third is its library (docs/releasing.md).
const LEFT_OUT: [&str; 3] = ["ocoboost-report", "ocoboost-mpi-ranks", "ocoboost-cli"];

pub(crate) fn run() -> Result<u8, Failure> {
    let Some(release) = last_release() else {
        println!("left out: semver, for git knows no tag `v…` before this commit");
        return Ok(0);
    };
    let mut ask = cargo(["semver-checks", "--version"]);
    let asked = ask.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !asked.is_ok_and(|status| status.success()) {
        println!("left out: semver (`cargo install cargo-semver-checks --locked`)");
        return Ok(0);
    }
    let names = public()?.into_iter().map(|package| package.name);
    let names = names.filter(|name| !LEFT_OUT.contains(&name.as_str()));
    let mut check = cargo(["semver-checks", "--all-features", "--baseline-rev", &release]);
    finish(check.args(names.flat_map(|name| ["-p".to_owned(), name])))
}

/// The tag of the newest release that this commit comes after.
fn last_release() -> Option<String> {
    let mut ask = tool("git");
    ask.args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]).stderr(Stdio::null());
    let output = ask.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
