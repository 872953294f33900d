//! Links in Markdown files have existing targets, and every row of the README's table of algorithms names a
//! file.

use super::Finding;
use super::tree::{File, Tree};

const README: &str = "README.md";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.has_extension("md")) {
        for (number, line) in file.lines() {
            let targets = links(line).map(|target| resolve(&file.path, target));
            let named = named_files(file, line).map(str::to_owned);
            for path in targets.chain(named).filter(|path| !tree.has(path)) {
                findings.push(Finding::new(file, number, format!("there is no `{path}`")));
            }
        }
    }
    findings
}

/// The relative targets of `[text](target)`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    targets.filter(|target| !target.contains("://") && !target.starts_with(['#', '<']))
}

/// The Rust files in backticks in a row of the README's tables, relative to the workspace root.
fn named_files<'a>(file: &File, line: &'a str) -> impl Iterator<Item = &'a str> {
    let is_row = file.path == README && line.starts_with('|');
    let code = line.split('`').skip(1).step_by(2);
    code.filter(move |word| is_row && word.contains('/') && word.ends_with(".rs"))
}

/// A link's target as a path relative to the workspace root.
fn resolve(from: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or(target);
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            // A target outside the repository keeps its dots, so it is never found.
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(path: &str, text: &str) -> Vec<String> {
        let known = [("crates/boosters/src/bandit.rs", "//! Docs."), ("docs/errata.md", "# Errata")];
        let tree = Tree::of(&[known[0], known[1], (path, text)]);
        check(&tree).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn links_with_existing_targets_pass() {
        let text = "[a](docs/errata.md#bh20) [b](https://example.org/x) [c](#here) [d](crates/boosters)\n\
                    | BH20 | `crates/boosters/src/bandit.rs` | `boosters::Bandit` |\n";
        assert_eq!(missing(README, text), Vec::<String>::new());
        assert_eq!(
            missing("docs/other.md", "[a](errata.md) [b](../crates/boosters/src/bandit.rs)"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn links_without_targets_are_found() {
        assert_eq!(missing(README, "see [a](docs/gone.md)"), ["there is no `docs/gone.md`"]);
        assert_eq!(missing("docs/other.md", "[a](docs/errata.md)"), ["there is no `docs/docs/errata.md`"]);
        assert_eq!(missing("docs/other.md", "[a](../../shared/x.md)"), ["there is no `../shared/x.md`"]);
        assert_eq!(missing("docs/other.md", "[a](../../../x.md)"), ["there is no `../../x.md`"]);
    }

    #[test]
    fn a_readme_row_with_a_missing_file_is_found() {
        let row = "| BH20 | `boosters::Gone` | `crates/boosters/src/gone.rs` |";
        assert_eq!(missing(README, row), ["there is no `crates/boosters/src/gone.rs`"]);
        assert_eq!(missing("docs/other.md", row), Vec::<String>::new());
    }
}
