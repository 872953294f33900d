//! `api`: the public interface of every public package as kept text, so that a change of it is seen in a
//! diff.
//!
//! Rustdoc tells an interface as JSON, which is no stable output of it. So cargo is told that this program is
//! rustdoc, and it calls the one of the toolchain so that it does. Nothing else is built in another way than
//! for the documentation.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::cargo::{Failure, cargo, exit_code, finish, in_order, line, root, target, tool};
use crate::package::public;
use crate::semver;

/// The kept interfaces, from the workspace root.
const KEPT: &str = "docs/api";
/// The program that reads the JSON of rustdoc, of one version of Rust. It is not of the workspace.
const MANIFEST: &str = "xtask/interfaces/Cargo.toml";
/// The variable with which this program is rustdoc: the crates whose interfaces are wanted.
const CRATES: &str = "XTASK_INTERFACES";
/// What the stable rustdoc refuses.
const FLAGS: &str = "-Z unstable-options --output-format json";
/// The parts that are left out unless asked for, but those that need an MPI library.
const FEATURES: &str = "ocoboost/datasets,ocoboost/formats";

/// Compares the interfaces with the kept ones and with those of the last release, or keeps the new ones.
pub(crate) fn run(check: bool) -> Result<u8, Failure> {
    match texts(check)? {
        0 if check => semver::run(),
        code => Ok(code),
    }
}

fn texts(check: bool) -> Result<u8, Failure> {
    let (told, here) = (rust_version(&read(&root().join(MANIFEST))?), compiler()?);
    if !is_of(&here, &told) {
        println!("left out: interfaces, which are as rustdoc {told} tells them; here is {here}");
        return Ok(u8::from(!check));
    }
    let names: Vec<String> = public()?.into_iter().map(|package| package.name).collect();
    let crates: Vec<String> = names.iter().map(|name| library(name)).collect();
    let found = target().join("api");
    let wrapper = std::env::current_exe()
        .map_err(|source| Failure::Process { command: "the wrapper of rustdoc".to_owned(), source })?;
    let program = target().join("interfaces");
    let code = in_order(&mut [
        &mut || {
            let mut build = cargo(["build", "--quiet", "--locked", "--manifest-path", MANIFEST]);
            finish(build.arg("--target-dir").arg(&program))
        },
        &mut || {
            let mut doc = cargo(["doc", "--quiet", "--workspace", "--no-deps", "--features", FEATURES]);
            doc.env("RUSTDOC", &wrapper).env("RUSTDOCFLAGS", FLAGS);
            finish(doc.env(CRATES, crates.join(",")))
        },
        &mut || {
            let mut list = tool(program.join("debug/interfaces"));
            let json = crates.iter().map(|name| target().join("doc").join(format!("{name}.json")));
            finish(list.arg(&found).args(json))
        },
    ])?;
    if code != 0 {
        return Ok(code);
    }
    let mut changed = 0_usize;
    for (name, library) in names.iter().zip(&crates) {
        let new = read(&found.join(format!("{library}.txt")))?;
        let path = root().join(KEPT).join(format!("{name}.txt"));
        let lines = differences(&read(&path).unwrap_or_default(), &new);
        changed += usize::from(!lines.is_empty());
        if check {
            lines.iter().for_each(|line| println!("{name}: {line}"));
        } else {
            let failed = |source| Failure::Write { source };
            fs::create_dir_all(root().join(KEPT)).map_err(failed)?;
            fs::write(&path, new).map_err(failed)?;
        }
    }
    println!("{changed} of {} interfaces changed", names.len());
    if changed > 0 && check {
        println!("if that is intended: `cargo xtask api`, and a line in CHANGELOG.md where something breaks");
    }
    Ok(u8::from(changed > 0 && check))
}

/// The version of Rust that a manifest asks for.
fn rust_version(manifest: &str) -> String {
    let value = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    value.unwrap_or_default().trim_matches('"').to_owned()
}

/// What the compiler says that it is.
fn compiler() -> Result<String, Failure> {
    let mut ask = tool("rustc");
    let output = ask.arg("--version").output();
    let output = output.map_err(|source| Failure::Process { command: line(&ask), source })?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether that is a compiler of the version: another one names the items of std otherwise, and has another
/// JSON.
fn is_of(compiler: &str, version: &str) -> bool {
    compiler
        .strip_prefix("rustc ")
        .and_then(|rest| rest.strip_prefix(version))
        .is_some_and(|rest| rest.starts_with('.'))
}

/// The library of a public package.
fn library(package: &str) -> String {
    package.strip_prefix("ocoboost-").unwrap_or(package).replace('-', "_")
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|source| Failure::Read { path: path.to_owned(), source })
}

/// The lines that are gone, and the new ones.
fn differences(kept: &str, found: &str) -> Vec<String> {
    let (kept, found): (BTreeSet<&str>, BTreeSet<&str>) = (kept.lines().collect(), found.lines().collect());
    let gone = kept.difference(&found).map(|line| format!("- {line}"));
    gone.chain(found.difference(&kept).map(|line| format!("+ {line}"))).collect()
}

/// Rustdoc itself where cargo calls this program as such. Other crates than those it passes over.
pub(crate) fn rustdoc() -> Option<ExitCode> {
    let crates = std::env::var(CRATES).ok()?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if !is_wanted(&arguments, &crates) {
        return Some(ExitCode::SUCCESS);
    }
    // The one beside the cargo that calls.
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    let beside = cargo.map(|cargo| cargo.with_file_name(format!("rustdoc{}", std::env::consts::EXE_SUFFIX)));
    let rustdoc = beside.filter(|path| path.is_file()).unwrap_or_else(|| "rustdoc".into());
    match Command::new(&rustdoc).args(arguments).env("RUSTC_BOOTSTRAP", "1").status() {
        Ok(status) => Some(exit_code(status).into()),
        Err(error) => {
            eprintln!("xtask: {} did not run: {error}", rustdoc.display());
            Some(ExitCode::FAILURE)
        }
    }
}

/// Whether the crate is one of those, or the question is of no crate.
fn is_wanted(arguments: &[OsString], crates: &str) -> bool {
    let named = arguments.windows(2).find(|pair| pair[0] == OsStr::new("--crate-name"));
    named.is_none_or(|pair| crates.split(',').any(|name| pair[1] == OsStr::new(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_what_is_gone_and_what_is_new() {
        assert_eq!(differences("a\nb\n", "b\na\n"), Vec::<String>::new());
        assert_eq!(differences("a\nb\n", "b\nc\n"), ["- a", "+ c"]);
        assert_eq!(differences("", "a\n"), ["+ a"]);
    }

    #[test]
    fn the_compiler_is_that_of_the_manifest() {
        assert_eq!(rust_version("[package]\nedition = \"2024\"\nrust-version = \"1.95\"\n"), "1.95");
        assert!(is_of("rustc 1.95.0 (59807616e 2026-04-14)", "1.95"));
        assert!(!is_of("rustc 1.96.0 (1 2026-05-28)", "1.95"));
        assert!(!is_of("rustc 1.950.0 (1 2026-05-28)", "1.95"));
        assert!(!is_of("", "1.95"));
    }

    #[test]
    fn rustdoc_is_called_for_the_wanted_crates_and_for_questions() {
        let of = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            is_wanted(&words, "rows,oco_core")
        };
        assert!(of("--crate-type lib --crate-name oco_core crates/oco-core/src/lib.rs"));
        assert!(of("-vV"));
        assert!(!of("--crate-name core crates/core/src/lib.rs"));
        assert!(!of("--crate-name xtask"));
    }

    #[test]
    fn every_public_package_has_a_kept_interface_and_no_other() {
        let folder = root().join(KEPT);
        let kept = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        let kept: BTreeSet<OsString> = kept.collect();
        let files = public().unwrap().into_iter().map(|package| format!("{}.txt", package.name).into());
        assert_eq!(kept, files.collect());
        for package in public().unwrap() {
            let text = read(&folder.join(format!("{}.txt", package.name))).unwrap();
            let first = format!("pub mod {}\n", library(&package.name));
            assert!(text.contains(&first), "{}", package.name);
        }
    }
}
