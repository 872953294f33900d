//! `package`: what a release would upload, and its use from a fresh folder that has nothing else.
//!
//! The packages of Rust, the program installed from its package, and the source distribution for Python train
//! a policy from the same log. The three files have to be equal byte for byte.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{Failure, cargo, finish, in_order, root, target, tool};
use crate::python::{is_python, only_file};

/// The log that every door trains from, among the examples.
const LOG: &str = "offers.csv";
/// The models that they write.
const MODELS: [&str; 3] = ["rust.ocob", "shell.ocob", "python.ocob"];

/// The training of the program. The clock cuts nothing off.
const TRAIN: [&str; 15] = [
    "train",
    LOG,
    "-o",
    MODELS[1],
    "--action",
    "action",
    "--reward",
    "reward",
    "--propensity",
    "propensity",
    "--budget",
    "1h",
    "--candidates",
    "2",
    "--rounds=40",
];

/// The same training by a user's crate.
const RUST: &str = r#"use ocoboost::formats::{self, LogOptions, quiet, read_log};
use ocoboost::{Source, TrainJob};
use std::{ops::ControlFlow, time::Duration};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let columns = LogOptions::default().action("action").reward("reward").propensity("propensity");
    let mut read = read_log(formats::Source::path("offers.csv")?, &columns, &mut quiet)?;
    let mut job = TrainJob::builder().budget(Duration::from_secs(3600)).candidates(2).rounds(40);
    for file in read.files.drain(..) {
        job = job.source(Source { name: file.file, sha256: file.sha256 });
    }
    let job = job.format(columns.kept()?).build()?;
    job.fit(&read.into_log()?, |_| ControlFlow::Continue(()))?.save("rust.ocob")?;
    Ok(())
}
"#;

/// The manifest of a user's crate.
const MANIFEST: &str = r#"[package]
name = "user"
version = "0.1.0"
edition = "2024"
default-run = "user"

[dependencies]
ocoboost = { version = "VERSION", features = ["formats"] }
rand = { version = "0.10", default-features = false }
rand_chacha = "0.10"
"#;

/// The same training from Python.
const PYTHON: &str = r#"from ocoboost.offpolicy import PolicyBooster

policy = PolicyBooster(time_budget=3600, n_candidates=2, n_estimators=40)
policy.fit("offers.csv", action="action", reward="reward", pscore="propensity").save("python.ocob")
"#;

pub(crate) fn run() -> Result<u8, Failure> {
    if !is_python() {
        eprintln!("missing: python3 of version 3.10 or later, which the source distribution is tested with");
        return Ok(1);
    }
    let packages = public()?;
    let place = Place {
        fresh: std::env::temp_dir().join(format!("ocoboost-packages-{}", std::process::id())),
        unpacked: target().join("packages"),
    };
    let outcome = in_order(&mut [
        &mut || pack(&packages),
        &mut || place.unpack(&packages),
        &mut || place.prepare(&packages).map(|()| 0),
        &mut || rust(&place, &packages),
        &mut || shell(&place, &packages),
        &mut || python(&place),
        &mut || compare(&place.fresh),
    ]);
    remove(&place.fresh)?;
    outcome
}

/// A public package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    version: String,
}

impl Package {
    /// The name of its folder, once it is unpacked.
    fn folder(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

/// The packages whose manifests say `publish = true`, in the order of their names.
pub(crate) fn public() -> Result<Vec<Package>, Failure> {
    let version = value(&read(&root().join("Cargo.toml"))?, "version").unwrap_or_default();
    let crates = root().join("crates");
    let failed = |source| Failure::Read { path: crates.clone(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(&crates).map_err(failed)? {
        let manifest = entry.map_err(failed)?.path().join("Cargo.toml");
        if manifest.is_file() {
            let text = read(&manifest)?;
            let is_public = text.lines().any(|line| line == "publish = true");
            let name = value(&text, "name").filter(|_| is_public);
            found.extend(name.map(|name| Package { name, version: version.clone() }));
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The first `key = "value"` of a manifest.
fn value(manifest: &str, key: &str) -> Option<String> {
    let found =
        manifest.lines().filter_map(|line| line.split_once(" = ")).find(|(found, _)| *found == key)?;
    Some(found.1.trim_matches('"').to_owned())
}

/// Makes every package. Those who use them below build all of them; `cargo publish` builds each alone.
fn pack(packages: &[Package]) -> Result<u8, Failure> {
    let mut command = cargo(["package", "--quiet", "--allow-dirty", "--no-verify"]);
    command.args(packages.iter().flat_map(|package| ["-p", package.name.as_str()]));
    finish(&mut command)
}

/// Where the packages are tried.
struct Place {
    /// A folder outside the repository, which nothing is in but what a user would put there.
    fresh: PathBuf,
    unpacked: PathBuf,
}

impl Place {
    fn unpack(&self, packages: &[Package]) -> Result<u8, Failure> {
        remove(&self.unpacked)?;
        create(&self.unpacked)?;
        for package in packages {
            let file = target().join("package").join(format!("{}.crate", package.folder()));
            // The files of a package have one time for ever, by which cargo would take them for built.
            let code = finish(tool("tar").arg("-xzmf").arg(file).arg("-C").arg(&self.unpacked))?;
            if code != 0 {
                return Ok(code);
            }
        }
        Ok(0)
    }

    /// The log, and the packages in the place of a registry's.
    fn prepare(&self, packages: &[Package]) -> Result<(), Failure> {
        remove(&self.fresh)?;
        let lines = packages.iter().map(|package| {
            format!("{} = {{ path = {:?} }}\n", package.name, self.unpacked.join(package.folder()))
        });
        let config = format!("[patch.crates-io]\n{}", lines.collect::<String>());
        write(&self.fresh.join(".cargo/config.toml"), &config)?;
        copy(&root().join("examples").join(LOG), &self.fresh.join(LOG))
    }

    /// Cargo in the fresh folder.
    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = optimised(cargo(arguments));
        command.current_dir(&self.fresh).env("CARGO_TARGET_DIR", target());
        command
    }
}

/// A package has no profile. With that of the workspace, what is not ours is built already.
fn optimised(mut command: Command) -> Command {
    command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1").env("CARGO_PROFILE_DEV_DEBUG", "false");
    command
}

/// The README's program and the training, by a crate that depends on packages alone.
fn rust(place: &Place, packages: &[Package]) -> Result<u8, Failure> {
    let user = place.fresh.join("user");
    let readme = read(&root().join("README.md"))?;
    write(&user.join("src/main.rs"), &block(&readme, "rust").replace("../ocoboost/examples/", ""))?;
    write(&user.join("src/bin/train.rs"), RUST)?;
    let version = packages.first().map_or("*", |package| &package.version);
    write(&user.join("Cargo.toml"), &MANIFEST.replace("VERSION", version))?;
    // The tested versions of what is not ours.
    copy(&root().join("Cargo.lock"), &user.join("Cargo.lock"))?;
    let cargo = |bin| place.cargo(&["run", "--quiet", "--manifest-path", "user/Cargo.toml", "--bin", bin]);
    in_order(&mut [&mut || finish(&mut cargo("user")), &mut || finish(&mut cargo("train"))])
}

/// The training by the program, which is installed from its package.
fn shell(place: &Place, packages: &[Package]) -> Result<u8, Failure> {
    let Some(program) = packages.iter().find(|package| package.name == "ocoboost-cli") else {
        eprintln!("xtask: the program is no public package");
        return Ok(1);
    };
    // Cargo reads the settings of the folder that it installs from, unless it is told of others.
    let mut install = place.cargo(&["install", "--config", ".cargo/config.toml", "--quiet", "--debug"]);
    install.args(["--root", "installed", "--path"]).arg(place.unpacked.join(program.folder()));
    let installed = format!("installed/bin/ocoboost{}", std::env::consts::EXE_SUFFIX);
    let mut train = tool(place.fresh.join(installed));
    train.current_dir(&place.fresh).args(TRAIN);
    in_order(&mut [&mut || finish(&mut install), &mut || finish(&mut train)])
}

/// The training from Python, with the package installed from its source distribution.
fn python(place: &Place) -> Result<u8, Failure> {
    let environment = place.fresh.join("environment");
    let python = environment.join(if cfg!(windows) { "Scripts/python" } else { "bin/python" });
    let in_environment = |arguments: &[&str]| {
        let mut command = tool(&python);
        command.current_dir(&place.fresh).args(arguments);
        command
    };
    let (distribution, manifest) =
        (place.fresh.join("distribution"), root().join("crates/python/Cargo.toml"));
    write(&place.fresh.join("train.py"), PYTHON)?;
    in_order(&mut [
        &mut || finish(tool("python3").args(["-m", "venv"]).arg(&environment)),
        &mut || finish(&mut in_environment(&["-m", "pip", "install", "--quiet", "maturin>=1.16,<2"])),
        &mut || {
            let mut make = in_environment(&["-m", "maturin", "sdist", "--out"]);
            // In the fresh folder cargo would note its settings in the lock file of the repository.
            finish(make.arg(&distribution).arg("--manifest-path").arg(&manifest).current_dir(root()))
        },
        &mut || {
            // Optimised across crates it takes minutes longer. Nothing that is built already is of use: the
            // files of a source distribution have one time for ever, too.
            let mut install = in_environment(&["-m", "pip", "install", "--quiet", "--config-settings"]);
            install.arg("build-args=--profile dev").arg(only_file(&distribution)?);
            finish(install.env("CARGO_TARGET_DIR", place.fresh.join("target")))
        },
        &mut || finish(&mut in_environment(&["train.py"])),
    ])
}

/// Whether all of them have written the same bytes.
fn compare(folder: &Path) -> Result<u8, Failure> {
    let mut files = Vec::new();
    for name in MODELS {
        let path = folder.join(name);
        files.push(fs::read(&path).map_err(|source| Failure::Read { path, source })?);
    }
    for (name, file) in MODELS.iter().zip(&files).skip(1) {
        if *file != files[0] {
            eprintln!("xtask: {name} has other bytes than {}", MODELS[0]);
            return Ok(1);
        }
    }
    println!("{} have the same {} bytes", MODELS.join(", "), files[0].len());
    Ok(0)
}

/// The first block of a language on a page.
fn block<'a>(page: &'a str, language: &str) -> &'a str {
    let rest = page.split(&format!("\n```{language}\n")).nth(1).unwrap_or_default();
    rest.split("\n```").next().unwrap_or_default()
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|source| Failure::Read { path: path.to_owned(), source })
}

/// Writes a file, and makes its folder.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    path.parent().map_or(Ok(()), create)?;
    fs::write(path, text).map_err(|source| Failure::Write { source })
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let failed = |source| Failure::Read { path: from.to_owned(), source };
    fs::copy(from, to).map(|_| ()).map_err(failed)
}

fn create(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|source| Failure::Write { source })
}

/// Removes a folder, if it is there.
fn remove(folder: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(Failure::Read { path: folder.to_owned(), source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_packages_are_those_of_the_manifests() {
        let names: Vec<String> = public().unwrap().into_iter().map(|package| package.name).collect();
        assert!(names.iter().all(|name| name == "ocoboost" || name.starts_with("ocoboost-")), "{names:?}");
        for name in ["ocoboost", "ocoboost-cli", "ocoboost-projections"] {
            assert!(names.iter().any(|found| found == name), "{name}");
        }
    }

    #[test]
    fn other_bytes_are_found() {
        let folder = target().join(format!("tmp/compared-{}", std::process::id()));
        for (last, code) in [("a", 0), ("b", 1)] {
            for (name, text) in MODELS.iter().zip(["a", "a", last]) {
                write(&folder.join(name), text).unwrap();
            }
            assert_eq!(compare(&folder).unwrap(), code);
        }
        fs::remove_file(folder.join(MODELS[1])).unwrap();
        assert!(compare(&folder).is_err());
        remove(&folder).unwrap();
    }

    #[test]
    fn a_block_is_that_of_its_language() {
        assert_eq!(block("x\n```sh\na\n```\n```rust\nb\nc\n```\n", "rust"), "b\nc");
        assert_eq!(block("x\n```sh\na\n```\n", "rust"), "");
    }
}
