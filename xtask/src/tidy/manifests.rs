//! Every package inherits its lints, its metadata and its dependencies' versions from the workspace.
//!
//! The architecture test checks which package may depend on which.

use super::Finding;
use super::tree::{File, Tree};

const INHERITED: [&str; 5] = ["version", "edition", "rust-version", "license", "publish"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    // The peers of the benchmarks and the neural policies are workspaces of their own, which inherit nothing.
    let is_package = |file: &&File| {
        file.path.ends_with("/Cargo.toml") && !file.text.lines().any(|line| line.trim_end() == "[workspace]")
    };
    tree.files.iter().filter(is_package).flat_map(check_package).collect()
}

fn check_package(file: &File) -> Vec<Finding> {
    let entries = entries(file);
    let mut findings = Vec::new();
    for key in INHERITED {
        let inherited =
            |entry: &Entry<'_>| entry.section == "package" && entry.key == key && entry.from_workspace;
        if !entries.iter().any(inherited) {
            findings.push(Finding::new(file, 1, format!("`{key}.workspace = true` is missing")));
        }
    }
    let lints = |entry: &Entry<'_>| entry.section == "lints" && entry.key.is_empty() && entry.from_workspace;
    if !entries.iter().any(lints) {
        findings.push(Finding::new(file, 1, "`[lints] workspace = true` is missing"));
    }
    for entry in entries.iter().filter(|entry| is_dependency(entry) && !entry.from_workspace) {
        let message = format!("`{}` takes its version from the workspace: `.workspace = true`", entry.key);
        findings.push(Finding::new(file, entry.line, message));
    }
    findings
}

fn is_dependency(entry: &Entry<'_>) -> bool {
    entry.section.ends_with("dependencies") && !entry.key.is_empty()
}

/// `key.workspace = true`, `key = { workspace = true }` or anything else of the form `key = value`; the key
/// is empty if the section itself has `workspace = true`.
struct Entry<'a> {
    line: usize,
    section: &'a str,
    key: &'a str,
    from_workspace: bool,
}

/// The entries of a manifest, which uses a small part of TOML.
fn entries(file: &File) -> Vec<Entry<'_>> {
    let mut section = "";
    let mut entries = Vec::new();
    for (line, text) in file.lines() {
        let text = text.trim();
        if let Some(header) = text.strip_prefix('[') {
            section = header.trim_end_matches(']');
        } else if let Some((left, value)) = text.split_once('=').filter(|_| !text.starts_with('#')) {
            let (left, value) = (left.trim(), value.trim());
            let key = left.strip_suffix("workspace").map(|key| key.trim_end_matches('.'));
            let from_workspace = match key {
                Some(_) => value.starts_with("true"),
                None => value.replace(' ', "").contains("workspace=true"),
            };
            entries.push(Entry { line, section, key: key.unwrap_or(left), from_workspace });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\nversion.workspace = true\nedition.workspace = true\n\
        rust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n\n\
        [dependencies]\nserde.workspace = true\nrand = { workspace = true, features = [\"std\"] }\n";

    fn messages(manifest: &str) -> Vec<String> {
        let tree = Tree::of(&[("crates/a/Cargo.toml", manifest), ("Cargo.toml", "[workspace]\n")]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_package_that_inherits_everything_passes() {
        assert_eq!(messages(GOOD), Vec::<String>::new());
    }

    #[test]
    fn a_workspace_of_its_own_is_not_checked() {
        let found = |manifest: &str| messages(manifest).len();
        assert_eq!(found("[package]\nname = \"peer\"\n[workspace]\n"), 0);
        assert!(found("[package]\nname = \"peer\"\n[workspace.lints]\n") > 0);
    }

    #[test]
    fn every_missing_line_is_found() {
        for key in INHERITED {
            let line = format!("\n{key}.workspace = true");
            assert_eq!(
                messages(&GOOD.replace(&line, "")),
                [format!("crates/a/Cargo.toml:1: `{key}.workspace = true` is missing")]
            );
            let own = GOOD.replace(&line, &format!("\n{key} = \"2\""));
            assert_eq!(messages(&own).len(), 1, "{key}");
        }
        for lints in ["[lints]\nworkspace = false", "[lints.rust]\nworkspace = true", ""] {
            assert_eq!(messages(&GOOD.replace("[lints]\nworkspace = true", lints)).len(), 1, "{lints}");
        }
    }

    #[test]
    fn an_own_version_is_found_in_every_kind_of_dependency() {
        for kind in
            ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"]
        {
            for own in ["csv = \"1.4\"", "csv = { version = \"1.4\" }", "csv = { path = \"../csv\" }"] {
                let found = messages(&format!("{GOOD}\n[{kind}]\n{own}\n"));
                assert_eq!(found.len(), 1, "{kind} {own}");
                assert!(found[0].contains("`csv`"), "{found:?}");
            }
        }
    }
}
