//! `package`: what a release would upload, and its use from a fresh folder that has nothing else.
//!
//! A user's crate and the program, both built from the packages of Rust, and the package for Python train a
//! policy from the same log. The three files have to be equal byte for byte.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::cargo::{Failure, cargo, exit_code, finish, in_order, line, root, target, tool};
use crate::python::{INTERPRETER, build_wheel, in_environment, is_python, maturin, only_file, path_of_tools};

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
    "1",
    "--rounds=10",
];

/// The same training by a user's crate.
const RUST: &str = r#"use ocoboost::formats::{self, LogOptions, quiet, read_log};
use ocoboost::{Source, TrainJob};
use std::{ops::ControlFlow, time::Duration};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let columns = LogOptions::default().action("action").reward("reward").propensity("propensity");
    let mut read = read_log(formats::Source::path("offers.csv")?, &columns, &mut quiet)?;
    let mut job = TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(10);
    for file in read.files.drain(..) {
        job = job.source(Source { name: file.file, sha256: file.sha256 });
    }
    let job = job.format(columns.kept()?).build()?;
    job.fit(&read.into_log()?, |_| ControlFlow::Continue(()))?.save("rust.ocob")?;
    Ok(())
}
"#;

/// The page of the user's program: its dependencies, its source, and what it prints.
const PROGRAM: &str = "docs/guide/first-program.md";
/// The head of the manifest of a user's crate. The page of its program has the dependencies.
const MANIFEST: &str = r#"[package]
name = "user"
version = "0.1.0"
edition = "2024"

"#;

/// The manifest of a crate with the dependencies of the Python module that are not ours.
const MODULE: &str = r#"[package]
name = "module"
version = "0.1.0"
edition = "2024"

[dependencies]
"#;

/// The manifest above the packages.
const WORKSPACE: &str = r#"[workspace]
resolver = "3"
members = [MEMBERS]

[profile.dev]
opt-level = 1
debug = "line-tables-only"
[profile.dev.package."*"]
debug = false
PROFILES
[patch.crates-io]
"#;

/// The same training from Python.
const PYTHON: &str = r#"from ocoboost.offpolicy import PolicyBooster

policy = PolicyBooster(time_budget=3600, n_candidates=1, n_estimators=10)
policy.fit("offers.csv", action="action", reward="reward", pscore="propensity").save("python.ocob")
"#;

/// From what the package for Python is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Python {
    /// The wheel of this tree, which `cargo xtask python` has built but for a moment.
    Wheel,
    /// The source distribution: everything of ours is built once more.
    Source,
}

pub(crate) fn run(python: Python) -> Result<u8, Failure> {
    if !is_python() {
        eprintln!("missing: python3 of version 3.11 or later, which the package for Python is tested with");
        return Ok(1);
    }
    let packages = public()?;
    let place = Place {
        fresh: std::env::temp_dir().join(format!("ocoboost-packages-{}", std::process::id())),
        unpacked: target().join("packages"),
    };
    let outcome = in_order(&mut [
        &mut || timed("packages made", || pack(&packages)),
        &mut || place.unpack(&packages),
        &mut || place.prepare(&packages).map(|()| 0),
        &mut || timed("packages built", || build(&place)),
        &mut || timed("policies of Rust and of the program", || rust_and_shell(&place)),
        &mut || timed("package for Python made", || wheel(&place, python, &packages)),
        &mut || timed("policy of Python", || of_python(&place)),
        &mut || compare(&place.fresh),
    ]);
    remove(&place.fresh)?;
    outcome
}

/// A part with its seconds.
fn timed(name: &str, part: impl FnOnce() -> Result<u8, Failure>) -> Result<u8, Failure> {
    let begin = Instant::now();
    let code = part()?;
    if code == 0 {
        println!("{name}: {:.1} s", begin.elapsed().as_secs_f64());
    }
    Ok(code)
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

/// The profiles of single packages in the workspace's manifest, without those of its own packages.
fn of_others(manifest: &str) -> String {
    let sections = manifest.split("\n[").filter_map(|section| section.strip_prefix("profile.dev.package."));
    let others = sections.filter_map(|section| {
        let (name, lines) = section.split_once("]\n")?;
        let has = |folder: &str| root().join(folder).join(name).join("Cargo.toml").is_file();
        let is_other =
            !name.starts_with(['"']) && !name.starts_with("ocoboost") && !has("crates") && !has("");
        let settings = lines.lines().take_while(|line| line.contains(" = "));
        is_other
            .then(|| format!("[profile.dev.package.{name}]\n{}\n", settings.collect::<Vec<_>>().join("\n")))
    });
    others.collect()
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
    /// The packages, and a user's crate beside them. Always the same folder: cargo builds into the same
    /// files.
    unpacked: PathBuf,
}

impl Place {
    fn unpack(&self, packages: &[Package]) -> Result<u8, Failure> {
        remove(&self.unpacked)?;
        for package in packages {
            let file = target().join("package").join(format!("{}.crate", package.folder()));
            let code = unpack(&file, &self.unpacked)?;
            if code != 0 {
                return Ok(code);
            }
        }
        Ok(0)
    }

    /// A workspace of the packages, in the place of a registry's, and of a user's crate; and the log.
    ///
    /// What is not ours is built with the profile and with the features that `cargo xtask python` has built
    /// it with. A third crate asks for the features of the Python module. What is ours is not optimised:
    /// that is faster to build, and computes the same numbers.
    fn prepare(&self, packages: &[Package]) -> Result<(), Failure> {
        let version = packages.first().map_or("*", |package| &package.version);
        let (mut members, mut patches) = (String::from("\"user\", \"module\""), String::new());
        let ours = read(&root().join("Cargo.toml"))?;
        let mut profiles = of_others(&ours);
        for package in packages {
            let folder = package.folder();
            members.push_str(&format!(", \"{folder}\""));
            profiles.push_str(&format!("[profile.dev.package.{}]\nopt-level = 0\n", package.name));
            patches.push_str(&format!("{} = {{ path = \"{folder}\" }}\n", package.name));
        }
        let workspace = WORKSPACE.replace("MEMBERS", &members).replace("PROFILES", &profiles) + &patches;
        write(&self.unpacked.join("Cargo.toml"), &workspace)?;
        // The tested versions of what is not ours.
        copy(&root().join("Cargo.lock"), &self.unpacked.join("Cargo.lock"))?;

        let page = read(&root().join(PROGRAM))?;
        let user = self.unpacked.join("user");
        let dependencies = from_registry(block(&page, "toml"), version);
        write(&user.join("Cargo.toml"), &(MANIFEST.to_owned() + &dependencies))?;
        write(&user.join("src/main.rs"), &block(&page, "rust").replace("../ocoboost/examples/", ""))?;
        write(&user.join("src/bin/train.rs"), RUST)?;
        let python = read(&root().join("crates/python/Cargo.toml"))?;
        let module = self.unpacked.join("module");
        write(&module.join("Cargo.toml"), &module_manifest(&python, &ours))?;
        write(&module.join("src/lib.rs"), "")?;

        remove(&self.fresh)?;
        create(&self.fresh)?;
        copy(&root().join("examples").join(LOG), &self.fresh.join(LOG))
    }

    /// A program in the fresh folder.
    fn tool(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = tool(program);
        command.current_dir(&self.fresh);
        command
    }
}

/// Unpacks an archive. Its files have one time for ever, by which cargo would take them for built, so they
/// get the time of now.
fn unpack(archive: &Path, folder: &Path) -> Result<u8, Failure> {
    create(folder)?;
    finish(tool("tar").arg("-xzmf").arg(archive).arg("-C").arg(folder))
}

/// The manifest of a crate that asks for what the Python module asks for, in the build of the tests.
fn module_manifest(python: &str, workspace: &str) -> String {
    let features = python.lines().find_map(|line| line.strip_prefix("as-tests = ")).unwrap_or("[]");
    let part = |name| foreign(python, workspace, name);
    let build = part("build-dependencies");
    let dependencies = part("dependencies");
    format!("{MODULE}{dependencies}\n[build-dependencies]\n{build}\n[features]\ndefault = {features}\n")
}

/// The dependencies of a manifest that are not ours: those of the workspace without a path, and the features
/// that the manifest adds.
fn foreign(manifest: &str, workspace: &str, part: &str) -> String {
    let versions = workspace.split("[workspace.dependencies]\n").nth(1).unwrap_or_default();
    let versions = versions.split("\n[").next().unwrap_or_default();
    let version = |name: &str| {
        let line = versions.lines().find(|line| line.split(" = ").next() == Some(name));
        line.filter(|line| !line.contains(" path = "))
    };
    let named = manifest.split(&format!("\n[{part}]\n")).nth(1).unwrap_or_default();
    let mut found = String::new();
    for line in named.split("\n\n").next().unwrap_or_default().lines() {
        let name = line.split(['.', ' ']).next().unwrap_or_default();
        let Some(version) = version(name) else { continue };
        let added = line.split_once("workspace = true, ").map(|(_, added)| added);
        let version = match added {
            Some(added) => version.replace(" }", &format!(", {added}")),
            None => version.to_owned(),
        };
        found.push_str(&version);
        found.push('\n');
    }
    found
}

/// The page's dependencies, where a checkout beside the reader's crate stands for the registry; with the
/// feature that the training needs.
fn from_registry(dependencies: &str, version: &str) -> String {
    let checkout = r#"{ path = "../ocoboost/crates/ocoboost" }"#;
    dependencies.replace(checkout, &format!(r#"{{ version = "{version}", features = ["formats"] }}"#)) + "\n"
}

/// What a page says that its program prints, up to what it leaves out.
fn promised(page: &str) -> &str {
    page.split("It prints `").nth(1).and_then(|rest| rest.split('…').next()).unwrap_or_default()
}

/// Runs the page's program, and holds what it prints against what the page says.
fn program_of_page(mut program: Command) -> Result<u8, Failure> {
    let page = read(&root().join(PROGRAM))?;
    let output = program.stderr(Stdio::inherit()).output();
    let output = output.map_err(|source| Failure::Process { command: line(&program), source })?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    if !output.status.success() {
        return Ok(exit_code(output.status));
    }
    let promised = promised(&page);
    if promised.is_empty() || !text.starts_with(promised) {
        eprintln!("xtask: {PROGRAM} says that its program prints `{promised}…`");
        return Ok(1);
    }
    Ok(0)
}

/// Builds the programs of the user's crate and `ocoboost`, all from packages.
fn build(place: &Place) -> Result<u8, Failure> {
    let mut build = cargo(["build", "--quiet", "-p", "user", "-p", "module", "-p", "ocoboost-cli", "--bins"]);
    finish(build.current_dir(&place.unpacked).env("CARGO_TARGET_DIR", target()))
}

/// The page's program, and the training by the user's crate and by `ocoboost`.
fn rust_and_shell(place: &Place) -> Result<u8, Failure> {
    let built = |name: &str| {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        place.tool(target().join("debug").join(file))
    };
    in_order(&mut [&mut || program_of_page(built("user")), &mut || finish(&mut built("train")), &mut || {
        finish(built("ocoboost").args(TRAIN))
    }])
}

/// Makes the package for Python.
fn wheel(place: &Place, python: Python, packages: &[Package]) -> Result<u8, Failure> {
    let (sources, wheels) = (place.unpacked.join("python"), place.unpacked.join("wheel"));
    in_order(&mut [&mut maturin, &mut || match python {
        Python::Wheel => finish(&mut build_wheel(&wheels)),
        Python::Source => {
            let mut make = in_environment(&["-m", "maturin", "sdist", "--out"]);
            make.arg(&sources).args(["--manifest-path", "crates/python/Cargo.toml"]);
            // What is not ours has the profile of the tests, and is built. What is ours is not optimised:
            // across crates it takes minutes, and without them half of one.
            let mut settings = "build-args=--profile dev --features as-tests".to_owned();
            for package in packages {
                settings.push_str(&format!(" --config profile.dev.package.{}.opt-level=0", package.name));
            }
            let mut build =
                in_environment(&["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]);
            build.args(["--config-settings", &settings, "--wheel-dir"]).arg(&wheels);
            build.env("PATH", path_of_tools()).env("CARGO_TARGET_DIR", target());
            in_order(&mut [
                &mut || finish(&mut make),
                &mut || unpack(&only_file(&sources)?, &sources.join("unpacked")),
                &mut || finish(build.arg(only_file(&sources.join("unpacked"))?)),
            ])
        }
    }])
}

/// The training from Python, with the package installed in a new environment.
fn of_python(place: &Place) -> Result<u8, Failure> {
    let environment = place.fresh.join("environment");
    let python = environment.join(INTERPRETER);
    write(&place.fresh.join("train.py"), PYTHON)?;
    in_order(&mut [
        &mut || finish(tool("python3").args(["-m", "venv"]).arg(&environment)),
        &mut || {
            // The tested versions of what is not ours.
            let mut install = place.tool(&python);
            install.args(["-m", "pip", "install", "--quiet", "--constraint"]);
            install.arg(root().join("crates/python/requirements.txt"));
            finish(install.arg(only_file(&place.unpacked.join("wheel"))?))
        },
        &mut || finish(place.tool(&python).arg("train.py")),
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
    fn what_is_not_ours_has_the_profiles_of_the_workspace() {
        let manifest = "[profile.dev]\nopt-level = 1\n[profile.dev.package.\"*\"]\ndebug = false\n\
                        # Slow.\n[profile.dev.package.arrow]\nopt-level = 0\n[profile.dev.package.xtask]\n\
                        opt-level = 0\n[profile.dev.package.ocoboost-rows]\nopt-level = 3\n\
                        [profile.dev.package.experiments]\nopt-level = 0\n[profile.release.package.gone]\na = 1\n";
        assert_eq!(of_others(manifest), "[profile.dev.package.arrow]\nopt-level = 0\n");
        let own = of_others(&read(&root().join("Cargo.toml")).unwrap());
        assert!(own.contains("[profile.dev.package.parquet]\nopt-level = 0\n"), "{own}");
    }

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
    fn foreign_dependencies_are_those_without_a_path() {
        let workspace = "[workspace.dependencies]\nrows = { path = \"crates/rows\" }\nserde = \"1\"\n\
                         arrow = { version = \"6\", default-features = false }\nother = \"2\"\n\n[profile.dev]\n";
        let manifest = "[package]\n\n[dependencies]\nrows.workspace = true\nserde.workspace = true\n\
                        arrow = { workspace = true, features = [\"ffi\"] }\n\n[dev-dependencies]\nother.workspace = true\n";
        let arrow = "arrow = { version = \"6\", default-features = false, features = [\"ffi\"] }\n";
        assert_eq!(foreign(manifest, workspace, "dependencies"), format!("serde = \"1\"\n{arrow}"));
        let read = |path: &str| read(&root().join(path)).unwrap();
        let found = module_manifest(&read("crates/python/Cargo.toml"), &read("Cargo.toml"));
        assert!(found.contains("pyo3 = ") && found.contains("\"ffi\""), "{found}");
        let (build, features) =
            found.split_once("[build-dependencies]").unwrap().1.split_once("[features]").unwrap();
        assert!(build.contains("syn = ") && features.contains("default = [\"dep:either\""), "{found}");
        assert!(!found.contains("path"), "{found}");
    }

    #[test]
    fn the_page_names_what_its_program_needs_and_prints() {
        let page = read(&root().join(PROGRAM)).unwrap();
        let dependencies = from_registry(block(&page, "toml"), "1.2.3");
        assert!(
            dependencies.starts_with(
                "[dependencies]\nocoboost = { version = \"1.2.3\", features = [\"formats\"] }\n"
            )
        );
        assert!(dependencies.ends_with('\n') && !dependencies.contains("path"), "{dependencies}");
        assert_eq!(promised("x. It prints `the log earned 1 (…)`. y"), "the log earned 1 (");
        assert_eq!(promised("nothing"), "");
        assert!(promised(&page).starts_with("the log earned 0."), "{}", promised(&page));
        assert_eq!(page.matches("\n```rust\n").count(), 1, "one program");
    }

    #[test]
    fn a_block_is_that_of_its_language() {
        assert_eq!(block("x\n```sh\na\n```\n```rust\nb\nc\n```\n", "rust"), "b\nc");
        assert_eq!(block("x\n```sh\na\n```\n", "rust"), "");
    }
}
