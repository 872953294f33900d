//! `python`: the wheel of the package, installed in a fresh environment, and its tests there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo::{Failure, cargo, finish, in_order, root, target, tool};

/// The package, from the workspace root.
const PACKAGE: &str = "crates/python";
/// A program that ends with 0 where the version will do.
const VERSION: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// The interpreter of an environment, from its folder.
pub(crate) const INTERPRETER: &str = if cfg!(windows) { "Scripts/python" } else { "bin/python" };

fn folder() -> PathBuf {
    root().join("target/python")
}

fn new_environment() -> Command {
    let mut make = tool("python3");
    make.args(["-m", "venv"]).arg(folder().join("environment"));
    make
}

/// The interpreter of the environment with the tools and what the tests need.
pub(crate) fn in_environment(arguments: &[&str]) -> Command {
    let mut command = tool(folder().join("environment").join(INTERPRETER));
    command.args(arguments);
    command
}

/// The search path of programs, with those of the environment first.
pub(crate) fn path_of_tools() -> OsString {
    let tools = folder().join("environment").join(INTERPRETER).parent().map(Path::to_owned);
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all: Vec<PathBuf> = tools.into_iter().chain(std::env::split_paths(&rest)).collect();
    std::env::join_paths(all).unwrap_or(rest)
}

/// The wheel of the tests, written into a folder. It has the code that cargo's own tests have, so nothing but
/// the bindings is built.
pub(crate) fn build_wheel(folder: &Path) -> Command {
    let mut build = in_environment(&["-m", "maturin", "build", "--profile", "dev", "--quiet", "--out"]);
    build.arg(folder).args(["--manifest-path", "crates/python/Cargo.toml", "--features", "as-tests"]);
    build
}

/// Sees to an environment with maturin: that of the tests, or one without their packages.
pub(crate) fn maturin() -> Result<u8, Failure> {
    let mut ask = in_environment(&["-m", "maturin", "--version"]);
    if ask.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return Ok(0);
    }
    let requirements = root().join(PACKAGE).join("requirements.txt");
    let text = std::fs::read_to_string(&requirements)
        .map_err(|source| Failure::Read { path: requirements, source })?;
    let tested = text.lines().find(|line| line.starts_with("maturin==")).unwrap_or("maturin");
    in_order(&mut [&mut || finish(&mut new_environment()), &mut || {
        finish(&mut in_environment(&["-m", "pip", "install", "--quiet", tested]))
    }])
}

pub(crate) fn run() -> Result<u8, Failure> {
    if !is_python() {
        eprintln!("missing: python3 of version 3.11 or later, which the wheel is tested with");
        return Ok(1);
    }
    let folder = folder();
    for old in ["environment", "wheel"] {
        let old = folder.join(old);
        if let Err(source) = std::fs::remove_dir_all(&old)
            && source.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Failure::Read { path: old, source });
        }
    }
    let wheel = folder.join("wheel");
    // The program of cargo is of the same build, so that both can be held against each other.
    let mut program = cargo(["build", "--quiet", "-p", "ocoboost-cli", "-p", "python", "--bin", "ocoboost"]);
    program.args(["--features", "python/as-tests"]);
    let requirements = format!("{PACKAGE}/requirements.txt");
    let code = in_order(&mut [
        &mut || finish(&mut new_environment()),
        &mut || finish(&mut in_environment(&["-m", "pip", "install", "--quiet", "-r", &requirements])),
        &mut || finish(&mut build_wheel(&wheel)),
        &mut || finish(&mut program),
        &mut || {
            let mut install = in_environment(&["-m", "pip", "install", "--quiet", "--no-deps"]);
            finish(install.arg(only_file(&wheel)?))
        },
    ])?;
    if code != 0 {
        return Ok(code);
    }
    // From another folder, so that the package is the installed one; its docstrings are tests too.
    let tests = root().join(PACKAGE).join("tests");
    let mut pytest = in_environment(&["-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules"]);
    pytest.args(["--numprocesses", "auto"]);
    let program = target().join("debug").join(format!("ocoboost{}", std::env::consts::EXE_SUFFIX));
    pytest.env("CARGO_BIN_EXE_ocoboost", program);
    finish(pytest.args(["--pyargs", "ocoboost"]).arg(&tests).current_dir(&folder))
}

/// Whether there is an interpreter that is new enough.
pub(crate) fn is_python() -> bool {
    let mut ask = tool("python3");
    ask.args(["-c", VERSION]).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok_and(|status| status.success())
}

/// What was built into a folder.
pub(crate) fn only_file(folder: &Path) -> Result<PathBuf, Failure> {
    let failed = |source| Failure::Read { path: folder.to_owned(), source };
    let first = std::fs::read_dir(folder).map_err(failed)?.next();
    let none = || failed(std::io::Error::from(std::io::ErrorKind::NotFound));
    Ok(first.ok_or_else(none)?.map_err(failed)?.path())
}
