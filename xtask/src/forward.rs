//! The commands that are a cargo command line and nothing else: `bench`, `reproduce`, `conform`, `data` and `fuzz`.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use crate::cargo::{Failure, cargo, finish};

/// `cargo bench` of the benchmark package.
pub(crate) fn bench(arguments: &[OsString]) -> Result<u8, Failure> {
    finish(cargo(["bench", "-p", "benches"]).args(arguments))
}

/// A table or figure of the papers; the quick tour where none is named.
pub(crate) fn reproduce(arguments: &[OsString]) -> Result<u8, Failure> {
    finish(&mut experiments_command("reproduce", &named(arguments)))
}

/// One command of the `experiments` program.
pub(crate) fn experiments(name: &str, arguments: &[OsString]) -> Result<u8, Failure> {
    finish(&mut experiments_command(name, arguments))
}

/// The release build of `experiments`: timings in its tables would mean nothing otherwise.
pub(crate) fn experiments_command(name: &str, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = cargo(["run", "--quiet", "--release", "-p", "experiments", "--", name]);
    command.args(arguments);
    command
}

fn named(arguments: &[OsString]) -> Vec<OsString> {
    let has_name = arguments.first().is_some_and(|first| !first.as_encoded_bytes().starts_with(b"-"));
    let tour = (!has_name).then(|| OsString::from("tour"));
    tour.into_iter().chain(arguments.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::line;

    #[test]
    fn the_tour_stands_in_for_a_missing_name_only() {
        let with = |words: &[&str]| named(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(with(&[]), ["tour"]);
        assert_eq!(with(&["--out", "target/tour"]), ["tour", "--out", "target/tour"]);
        assert_eq!(with(&["bh20-table2", "--runs", "2"]), ["bh20-table2", "--runs", "2"]);
    }

    #[test]
    fn arguments_reach_the_program_after_the_dashes() {
        let command = experiments_command("data", &["verify"]);
        assert_eq!(line(&command), "cargo run --quiet --release -p experiments -- data verify");
    }
}
