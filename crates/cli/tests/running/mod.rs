//! The program, run as its users run it.
#![allow(dead_code, reason = "no test program needs all of it")]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program with these arguments, and with no settings of the caller's environment.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ocoboost"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("OCOBOOST_")) {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}

/// Exit code, standard output, standard error.
pub(crate) fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

pub(crate) fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    said(&command(arguments).output().unwrap())
}

/// What a run prints that ends well and has nothing to say beside it.
pub(crate) fn output(arguments: &[&str]) -> String {
    let (code, out, error) = run(arguments);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{arguments:?}: {out}");
    out
}

/// Asserts that a run is refused with an exit code, and that one line says why.
pub(crate) fn refused(arguments: &[&str], code: i32, words: &str) {
    let (found, out, error) = run(arguments);
    assert_eq!((found, out.as_str()), (Some(code), ""), "{arguments:?}: {error}");
    assert!(error.lines().count() == 1 && error.contains(words), "{arguments:?}: {error}");
}

/// The synthetic log of the repository.
pub(crate) fn offers() -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/offers.csv");
    path.display().to_string()
}

/// The synthetic log whose actions have features.
pub(crate) fn articles() -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/articles.vw.gz");
    path.display().to_string()
}

/// Trains a small model of it, in few rounds so that no budget cuts anything off.
pub(crate) fn trained(folder: &Path) -> String {
    let model = folder.join("policy.ocob").display().to_string();
    let short = ["--budget", "10m", "--candidates", "1", "--rounds", "30", "--quiet", "--seed", "1"];
    output(&[&["train", &offers(), "-o", &model], &short[..]].concat());
    model
}
