//! What the pages of the guide say of dependencies, of which a reader who pastes them has a package that can
//! be built; and what they show of an example. `cargo xtask package` runs the program of
//! `first-program.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The contents of the fenced blocks of one language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    page.split(&*fence).skip(1).map(|rest| rest.split("\n```").next().unwrap_or_default()).collect()
}

/// The text between quotes after a key.
fn quoted<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_once(key)?.1.split('"').nth(1)
}

/// The name by which sources say a package.
fn library(package: &str) -> String {
    package.strip_prefix("ocoboost-").unwrap_or(package).replace('-', "_")
}

/// What is wrong with the dependencies that a page names.
fn complaints(page: &str, root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    let mut names = BTreeSet::from(["std".to_owned()]);
    // A table of packages, the first column of which a reader chooses from.
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    names.extend(rows.filter_map(|row| row.split('`').next()).map(library));
    let lines = blocks(page, "toml").into_iter().flat_map(str::lines).filter(|line| line.contains(" = "));
    for line in lines {
        let name = line.split(" = ").next().unwrap_or_default();
        names.insert(library(name));
        if let Some(path) = quoted(line, "path") {
            let path = root.join(path.trim_start_matches("../ocoboost/")).join("Cargo.toml");
            let own = fs::read_to_string(path).unwrap_or_default();
            if !own.contains(&format!("\nname = \"{name}\"\n")) {
                found.push(format!("`{line}`: there is no such package"));
            }
        } else {
            let version = quoted(line, " = ").unwrap_or_default();
            let here =
                manifest.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap_or_default();
            if quoted(here, " = ") != Some(version) {
                found.push(format!("`{line}`: the workspace has `{here}`"));
            }
        }
    }
    for line in blocks(page, "rust").into_iter().flat_map(str::lines) {
        let line = line.trim_start_matches("# ").trim_start();
        let first =
            line.strip_prefix("use ").map(|rest| rest.split([':', ';', ' ']).next().unwrap_or_default());
        if let Some(first) = first.filter(|first| !names.contains(*first)) {
            found.push(format!("`{line}`: `{first}` is no dependency of the page"));
        }
    }
    found
}

#[test]
fn the_dependencies_that_a_page_names_exist_and_suffice() {
    let root = workspace();
    let mut pages = 0;
    for entry in fs::read_dir(root.join("docs/guide")).unwrap() {
        let path = entry.unwrap().path();
        let page = fs::read_to_string(&path).unwrap();
        if !blocks(&page, "toml").is_empty() {
            pages += 1;
            assert_eq!(complaints(&page, &root), Vec::<String>::new(), "{}", path.display());
        }
    }
    assert!(pages >= 5, "{pages}");
}

#[test]
fn the_example_prints_what_the_guide_shows() {
    let page = fs::read_to_string(workspace().join("docs/guide/policy-from-a-log.md")).unwrap();
    let shown = blocks(&page, "text").into_iter().filter(|text| text.contains("the policy is worth"));
    let [shown] = shown.collect::<Vec<_>>()[..] else { panic!("one output of the example") };
    // `cargo test` builds the examples beside the folder of this test; with `--tests` it does not.
    let here = std::env::current_exe().unwrap();
    let program = here.parent().and_then(Path::parent).unwrap().join("examples/policy_from_a_log");
    assert!(program.exists(), "`cargo build -p examples --examples` comes first: {}", program.display());
    let output = Command::new(program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains(shown), "{said}");
}

#[test]
fn what_is_missing_is_named() {
    let of = |text: &str| complaints(text, &workspace()).len();
    let page = "\n```toml\n[dependencies]\nocoboost-rows = { path = \"../ocoboost/crates/rows\" }\nrand = \"0.10\"\n```\n";
    assert_eq!(of(&format!("{page}\n```rust\nuse rows::Row;\nuse std::fs;\n```\n")), 0);
    assert_eq!(of(&format!("{page}\n```rust\n# use ranks::Ranks;\n```\n")), 1);
    assert_eq!(of(&page.replace("crates/rows", "crates/row")), 1);
    assert_eq!(of(&page.replace("0.10", "0.9")), 1);
}
