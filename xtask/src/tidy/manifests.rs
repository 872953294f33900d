//! Every package inherits its lints, its metadata and its dependencies' versions from the workspace. A public
//! package says what it is, and has the files that a registry shows.
//!
//! The architecture test checks which package may depend on which.

use super::Finding;
use super::tree::{File, Tree};

const INHERITED: [&str; 4] = ["version", "edition", "rust-version", "license"];
/// What a registry shows of a public package, besides `documentation`.
const SHOWN: [&str; 4] = ["description", "keywords", "categories", "readme"];
/// The files that a public package has beside its manifest.
const FILES: [&str; 3] = ["README.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// The start of the names of public packages: the short names are taken.
const PREFIX: &str = "ocoboost-";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    // The peers of the benchmarks and the neural policies are workspaces of their own, which inherit nothing.
    let is_package = |file: &&File| {
        file.path.ends_with("/Cargo.toml") && !file.text.lines().any(|line| line.trim_end() == "[workspace]")
    };
    tree.files.iter().filter(is_package).flat_map(|file| check_package(tree, file)).collect()
}

fn check_package(tree: &Tree, file: &File) -> Vec<Finding> {
    let entries = entries(file);
    let mut findings = Vec::new();
    match entries.iter().find(|entry| entry.section == "package" && entry.key == "publish") {
        Some(publish) if publish.from_workspace => {}
        Some(publish) if publish.value == "true" => findings.extend(check_public(tree, file, &entries)),
        _ => findings.push(Finding::new(
            file,
            1,
            "`publish.workspace = true` (no) or `publish = true` is missing",
        )),
    }
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

/// The names of a public package follow from its folder, and nothing is missing that a registry shows.
fn check_public(tree: &Tree, file: &File, entries: &[Entry<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut missing = |what: String| findings.push(Finding::new(file, 1, format!("{what} is missing")));
    let has = |section: &str, key: &str, value: &str| {
        let same = |entry: &&Entry<'_>| entry.section == section && entry.key == key;
        entries.iter().find(same).is_some_and(|entry| value.is_empty() || entry.value == value)
    };
    let folder = file.path.trim_end_matches("/Cargo.toml");
    let short = folder.rsplit('/').next().unwrap_or_default();
    let is_facade = format!("{short}-") == PREFIX;
    let name = if is_facade { short.to_owned() } else { format!("{PREFIX}{short}") };
    let mut named = vec![
        ("package", "name", format!("\"{name}\"")),
        ("package", "documentation", format!("\"https://docs.rs/{name}\"")),
        ("package", "include", "true".to_owned()),
    ];
    if !is_facade {
        named.push(("lib", "name", format!("\"{}\"", short.replace('-', "_"))));
    }
    for (section, key, value) in named.iter().filter(|(section, key, value)| !has(section, key, value)) {
        missing(format!("`{key} = {value}` of [{section}]"));
    }
    for key in SHOWN.iter().filter(|key| !has("package", key, "")) {
        missing(format!("`{key}` of a public package"));
    }
    for name in FILES.iter().filter(|name| !tree.has(&format!("{folder}/{name}"))) {
        missing(format!("{name} of a public package"));
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
    value: &'a str,
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
            entries.push(Entry { line, section, key: key.unwrap_or(left), value, from_workspace });
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
    fn a_package_is_public_or_not() {
        let publish = "publish.workspace = true";
        for neither in ["", "publish = false", "publish = [\"somewhere\"]"] {
            assert_eq!(messages(&GOOD.replace(publish, neither)).len(), 1, "{neither}");
        }
    }

    #[test]
    fn what_a_public_package_lacks_is_found() {
        let shown = "name = \"ocoboost-a-b\"\npublish = true\ndocumentation = \"https://docs.rs/ocoboost-a-b\"\n\
            include.workspace = true\ndescription = \"d\"\nkeywords = []\ncategories = []\nreadme = \"README.md\"";
        let good = GOOD.replace("publish.workspace = true", shown).replace("name = \"a\"\n", "")
            + "[lib]\nname = \"a_b\"\n";
        let found = |manifest: &str, without: &str| {
            let files: Vec<(String, &str)> =
                FILES.iter().map(|name| (format!("crates/a-b/{name}"), "")).collect();
            let files = files.iter().map(|(path, text)| (path.as_str(), *text));
            let files = files.chain([("crates/a-b/Cargo.toml", manifest)]);
            let files: Vec<(&str, &str)> = files.filter(|(path, _)| !path.ends_with(without)).collect();
            check(&Tree::of(&files)).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(found(&good, "none"), Vec::<String>::new());
        for line in shown.lines().filter(|line| !line.starts_with("publish")).chain(["name = \"a_b\"\n"]) {
            assert_eq!(found(&good.replace(line, ""), "none").len(), 1, "{line}");
        }
        for name in FILES {
            assert_eq!(found(&good, name).len(), 1, "{name}");
        }
        let short = good.replace("name = \"ocoboost-a-b\"", "name = \"a-b\"");
        assert_eq!(
            found(&short, "none"),
            ["crates/a-b/Cargo.toml:1: `name = \"ocoboost-a-b\"` of [package] is missing"]
        );
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
