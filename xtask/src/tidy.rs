//! `tidy`: the automatic house rules, reported as `file:line: message`.
//!
//! A rule is a function from one file (or the whole tree) to its findings. Forbidden words are assembled from
//! pieces here, so that the checker passes its own check.

mod citations;
mod commands;
mod links;
mod manifests;
mod places;
mod source;
mod tree;

use std::fmt;

use crate::cargo::{Failure, root};
use tree::{File, Tree};

/// One violation of a house rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    line: usize,
    message: String,
    /// A warning is printed, but does not fail the check.
    warning: bool,
}

impl Finding {
    fn new(file: &File, line: usize, message: impl Into<String>) -> Self {
        Self { path: file.path.clone(), line, message: message.into(), warning: false }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.warning { "warning: " } else { "" };
        write!(out, "{}:{}: {kind}{}", self.path, self.line, self.message)
    }
}

/// Checks the working tree; returns 1 if a rule is violated.
pub(crate) fn run() -> Result<u8, Failure> {
    let tree = Tree::read(&root())?;
    let findings = check(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    let errors = findings.iter().filter(|finding| !finding.warning).count();
    println!("tidy: {} files, {errors} findings, {} warnings", tree.files.len(), findings.len() - errors);
    Ok(u8::from(errors > 0))
}

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        findings.extend(source::check(file));
        findings.extend(places::check(file));
    }
    findings.extend(citations::check(tree));
    findings.extend(commands::check(tree));
    findings.extend(links::check(tree));
    findings.extend(manifests::check(tree));
    findings.sort_by(|a, b| (a.warning, &a.path, a.line).cmp(&(b.warning, &b.path, b.line)));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_of_rules_is_run_and_errors_come_before_warnings() {
        let long = format!("//! Docs.\n{}", "// line\n".repeat(410));
        let files = [
            ("crates/a/src/lib.rs", long.as_str()),
            ("crates/a/src/bare.rs", "fn f() {}\n"),
            ("crates/a/src/cites.rs", concat!("//! [Q", "99, Theorem 1]\n")),
            ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
            ("docs/references.md", "- **Z03** Zinkevich.\n"),
            ("README.md", "[gone](docs/gone.md)\n"),
            ("notes.txt", concat!("see /wo", "rk/main\n")),
        ];
        let findings = check(&Tree::of(&files));
        for path in
            ["crates/a/src/bare.rs", "crates/a/src/cites.rs", "crates/a/Cargo.toml", "README.md", "notes.txt"]
        {
            assert!(findings.iter().any(|finding| finding.path == path), "{path}: {findings:?}");
        }
        let last = findings.last().map(ToString::to_string);
        assert!(
            last.is_some_and(|last| last.starts_with("crates/a/src/lib.rs:411: warning: ")),
            "{findings:?}"
        );
    }
}
