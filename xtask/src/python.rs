//! `python`: the wheel of the package, installed in a fresh environment, and its tests there.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::cargo::{Failure, cargo, finish, in_order, root, target, tool};

/// The package, from the workspace root.
const PACKAGE: &str = "crates/python";
/// A program that ends with 0 where the version will do.
const VERSION: &str = "import sys; sys.exit(sys.version_info < (3, 10))";

pub(crate) fn run() -> Result<u8, Failure> {
    if !is_python() {
        eprintln!("missing: python3 of version 3.10 or later, which the wheel is tested with");
        return Ok(1);
    }
    let folder = root().join("target/python");
    for old in ["environment", "wheel"] {
        let old = folder.join(old);
        if let Err(source) = std::fs::remove_dir_all(&old)
            && source.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Failure::Read { path: old, source });
        }
    }
    let (environment, wheel) = (folder.join("environment"), folder.join("wheel"));
    let python = environment.join(if cfg!(windows) { "Scripts/python" } else { "bin/python" });
    let in_environment = |arguments: &[&str]| {
        let mut command = tool(&python);
        command.args(arguments);
        command
    };
    // The wheel of the tests has the code that cargo's own tests have, so nothing but the bindings is built.
    let mut build = in_environment(&["-m", "maturin", "build", "--profile", "dev", "--quiet", "--out"]);
    build.arg(&wheel).args(["--manifest-path", "crates/python/Cargo.toml", "--features", "as-tests"]);
    // The program of cargo is of the same build, so that both can be held against each other.
    let mut program = cargo(["build", "--quiet", "-p", "ocoboost-cli", "-p", "python", "--bin", "ocoboost"]);
    program.args(["--features", "python/as-tests"]);
    let requirements = format!("{PACKAGE}/requirements.txt");
    let code = in_order(&mut [
        &mut || finish(tool("python3").args(["-m", "venv"]).arg(&environment)),
        &mut || finish(&mut in_environment(&["-m", "pip", "install", "--quiet", "-r", &requirements])),
        &mut || finish(&mut build),
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
