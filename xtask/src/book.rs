//! `book`: the pages of the repository, the reference of Rust and that of Python as one site of plain files.
//!
//! The pages are written last: their navigation has the references that are there, and no link may lead
//! nowhere.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::cargo::{Failure, cargo, finish, in_order, root, target, tool};
use crate::python::in_environment;

pub(crate) fn run() -> Result<u8, Failure> {
    let out = target().join("book");
    match fs::remove_dir_all(&out) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::Read { path: out, source });
        }
        _ => {}
    }
    in_order(&mut [
        &mut documentation,
        &mut || copy(&target().join("doc"), &out.join("rust")).map(|()| 0),
        &mut || python(&out.join("python")),
        &mut || {
            // With the features of the whole workspace, nothing is built but the program.
            let mut program = cargo(["build", "--quiet", "--workspace", "--bin", "book"]);
            finish(&mut program)
        },
        &mut || {
            let name = format!("book{}", std::env::consts::EXE_SUFFIX);
            finish(tool(target().join("debug").join(name)).arg(root()).arg(&out))
        },
    ])
}

/// The reference of every crate, without a warning.
pub(crate) fn documentation() -> Result<u8, Failure> {
    finish(cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}

/// The reference of the Python package, of its docstrings, where `cargo xtask python` has installed the
/// package.
fn python(out: &Path) -> Result<u8, Failure> {
    let mut ask = in_environment(&["-c", "import ocoboost, pdoc"]);
    if !ask.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        println!("left out: the reference of Python, whose package `cargo xtask python` installs");
        return Ok(0);
    }
    let mut write =
        in_environment(&["-m", "pdoc", "--no-show-source", "--docformat", "numpy", "--output-directory"]);
    write.arg(out).arg("--template-directory").arg(root().join("crates/book/python"));
    finish(write.arg("ocoboost"))
}

/// Copies a folder, but for the interfaces that `api` has written beside the pages.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let failed = |source| Failure::Read { path: from.to_owned(), source };
    fs::create_dir_all(to).map_err(|source| Failure::Write { source })?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &copied)?;
        } else if path.extension().is_none_or(|extension| extension != "json") {
            fs::copy(&path, &copied).map_err(|source| Failure::Read { path, source })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_copied_without_json() {
        let folder = target().join(format!("tmp/copied-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        fs::create_dir_all(from.join("a")).unwrap();
        for name in ["a/b.html", "c.js", "d.json"] {
            fs::write(from.join(name), name).unwrap();
        }
        copy(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("a/b.html")).unwrap(), "a/b.html");
        assert!(to.join("c.js").is_file() && !to.join("d.json").exists());
        assert!(copy(&from.join("gone"), &to).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
