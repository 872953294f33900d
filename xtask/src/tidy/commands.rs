//! The commands on the pages that no test runs, because they take too long or install something, name things
//! that exist: packages, their targets and features, files, and the commands of this program. The arguments
//! that such a command hands on are not read here; a test of `experiments` reads its own.

use super::Finding;
use super::tree::{File, Tree};
use crate::usage;

/// The kinds of targets that a command of cargo names, and the folder of a package with those that need no
/// line in its manifest.
const TARGETS: [(&str, &str, &str); 4] = [
    ("--example", "example", "examples"),
    ("--bench", "bench", "benches"),
    ("--test", "test", "tests"),
    ("--bin", "bin", "src/bin"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.has_extension("md")) {
        for (number, command) in commands(file) {
            let words: Vec<&str> = command.split_whitespace().collect();
            findings
                .extend(missing(&words, tree).into_iter().map(|message| Finding::new(file, number, message)));
        }
    }
    findings
}

/// The commands in the blocks of a shell, and the lines of plain blocks that begin as commands; each with the
/// number of its first line.
fn commands(file: &File) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut language, mut begun): (Option<&str>, Option<(usize, String)>) = (None, None);
    for (number, line) in file.lines() {
        if let Some(named) = line.trim_start().strip_prefix("```") {
            language = if language.is_some() { None } else { Some(named.trim()) };
            begun = None;
            continue;
        }
        let is_command = match language {
            Some("sh" | "bash") => true,
            Some("text" | "") => {
                begun.is_some() || ["cargo ", "python "].iter().any(|begin| line.starts_with(begin))
            }
            _ => false,
        };
        if !is_command {
            continue;
        }
        let line = line.split(" #").next().unwrap_or_default().trim();
        let (first, mut text) = begun.take().unwrap_or((number, String::new()));
        if let Some(part) = line.strip_suffix('\\') {
            text.push_str(part);
            begun = Some((first, text));
        } else {
            text.push_str(line);
            let parts = text.split(['|', ';', '&']).filter(|part| !part.trim().is_empty());
            found.extend(parts.map(|part| (first, part.to_owned())));
        }
    }
    found
}

/// What a command names, and is not there.
fn missing(words: &[&str], tree: &Tree) -> Vec<String> {
    let settings = words.iter().take_while(|word| word.contains('=') && !word.starts_with('-')).count();
    let words = &words[settings..];
    match words {
        ["cargo", "xtask", rest @ ..] => {
            let given = rest.iter().map(Into::into).collect();
            usage::parse(given)
                .err()
                .map(|error| format!("`{}`: {error}", words.join(" ")))
                .into_iter()
                .collect()
        }
        ["cargo", rest @ ..] => of_cargo(rest, tree),
        ["python" | "python3" | "bash", path, ..] if path.contains('/') && !tree.has(path) => {
            vec![format!("there is no `{path}`")]
        }
        _ => Vec::new(),
    }
}

fn of_cargo(words: &[&str], tree: &Tree) -> Vec<String> {
    // What follows is the program's.
    let words = words.split(|word| *word == "--").next().unwrap_or_default();
    // `--option value` and `--option=value`, as often as it stands there.
    let all = |option: &str| {
        let spaced = words.windows(2).filter(|pair| pair[0] == option).map(|pair| pair[1]);
        let joined = words.iter().filter_map(|word| word.strip_prefix(option)?.strip_prefix('='));
        spaced.chain(joined).collect::<Vec<_>>()
    };
    let (mut found, mut folders) = (Vec::new(), Vec::new());
    for option in ["--manifest-path", "--path"] {
        for path in all(option) {
            match tree.has(path) {
                true => folders.push(path.trim_end_matches("Cargo.toml").trim_end_matches('/')),
                false => found.push(format!("there is no `{path}`")),
            }
        }
    }
    for name in [all("-p"), all("--package")].concat() {
        match folder(name, tree) {
            Some(folder) => folders.push(folder),
            None => found.push(format!("there is no package `{name}`")),
        }
    }
    let manifests = folders.iter().filter_map(|folder| tree.file(&format!("{folder}/Cargo.toml")));
    let manifests: Vec<&str> = manifests.map(|file| file.text.as_str()).collect();
    if folders.is_empty() {
        return found;
    }
    let place = folders.join("` and `");
    for (option, kind, targets) in TARGETS {
        for name in all(option) {
            let line = format!("name = \"{name}\"");
            let is_named =
                |manifest: &&str| sections(manifest, &format!("[[{kind}]]")).any(|found| found == line);
            let is_file = |folder: &&str| {
                let at = format!("{folder}/{targets}/{name}");
                tree.has(&format!("{at}.rs")) || tree.has(&format!("{at}/main.rs"))
            };
            if !manifests.iter().any(is_named) && !folders.iter().any(is_file) {
                found.push(format!("`{place}` has no {kind} `{name}`"));
            }
        }
    }
    for feature in all("--features").into_iter().flat_map(|names| names.split(',')) {
        let begin = format!("{feature} = ");
        let has = |manifest: &&str| sections(manifest, "[features]").any(|line| line.starts_with(&begin));
        if !manifests.iter().any(has) {
            found.push(format!("`{place}` has no feature `{feature}`"));
        }
    }
    found
}

/// The lines of the sections of a manifest with this heading.
fn sections<'a>(manifest: &'a str, heading: &str) -> impl Iterator<Item = &'a str> {
    let lines = manifest.lines().scan(false, move |is_within, line| {
        if line.starts_with('[') {
            *is_within = line.trim_end() == heading;
        }
        Some(is_within.then_some(line))
    });
    lines.flatten()
}

/// The folder of a package.
fn folder<'a>(name: &str, tree: &'a Tree) -> Option<&'a str> {
    let line = format!("name = \"{name}\"");
    let manifest = tree.files.iter().find(|file| {
        file.path.ends_with("/Cargo.toml") && sections(&file.text, "[package]").any(|found| found == line)
    })?;
    manifest.path.strip_suffix("/Cargo.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let manifest =
            "[package]\nname = \"ocoboost-a\"\n\n[[bench]]\nname = \"rounds\"\n\n[features]\nmpi = []\n";
        let page = format!("# Page\n\n```sh\n{text}\n```\n");
        let tree = Tree::of(&[
            // A program with the name of another's package.
            ("crates/0/Cargo.toml", "[package]\nname = \"z\"\n\n[[bin]]\nname = \"ocoboost-a\"\n"),
            ("crates/a/Cargo.toml", manifest),
            ("crates/a/examples/offers.rs", "//! Docs."),
            ("crates/a/tests/ranks/main.rs", "//! Docs."),
            ("benches/peers/x.py", ""),
            ("docs/page.md", &page),
        ]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn commands_that_name_what_exists_pass() {
        let text = "cargo build --release -p ocoboost-a --features mpi && cargo xtask ci   # all\n\
                    A=1 cargo run -p ocoboost-a --example offers -- --example none | python benches/peers/x.py --check\n\
                    cargo test -p ocoboost-a --test ranks theorem_1\n\
                    cargo bench -p ocoboost-a --bench rounds\n\
                    cargo install --path crates/a --features=mpi; cargo install ocoboost-a\n\
                    mpirun -n 8 \\\n  program --threads 2";
        assert_eq!(complaints(text), Vec::<String>::new());
        assert!(complaints("```\n```rust\ncargo xtask gone").is_empty());
        assert!(complaints("```\n```text\nwith cargo xtask gone").is_empty());
    }

    #[test]
    fn what_is_not_there_is_named_with_the_line_where_its_command_begins() {
        assert_eq!(
            complaints("\ncargo xtask gone"),
            ["docs/page.md:5: `cargo xtask gone`: unknown command `gone`"]
        );
        let of = |text: &str| complaints(text).concat().replace("docs/page.md:4: ", "");
        assert_eq!(of("cargo build \\\n  -p gone"), "there is no package `gone`");
        assert_eq!(of("cargo run -p ocoboost-a --example gone"), "`crates/a` has no example `gone`");
        assert_eq!(of("cargo bench -p ocoboost-a --bench offers"), "`crates/a` has no bench `offers`");
        assert_eq!(of("cargo test -p ocoboost-a --test rank"), "`crates/a` has no test `rank`");
        assert_eq!(of("cargo build -p ocoboost-a --features mpi,fast"), "`crates/a` has no feature `fast`");
        assert_eq!(of("cargo build -p ocoboost-a --features serde"), "`crates/a` has no feature `serde`");
        assert_eq!(of("cargo install --path crates/a --features fast"), "`crates/a` has no feature `fast`");
        assert_eq!(of("cargo build -p a"), "there is no package `a`");
        assert_eq!(of("cargo build -p ocoboost-a --package=b"), "there is no package `b`");
        assert_eq!(complaints("```\n```text\ncargo build -p b"), ["docs/page.md:6: there is no package `b`"]);
        assert_eq!(of("cargo install --path crates/b"), "there is no `crates/b`");
        assert_eq!(
            of("cargo build --manifest-path crates/b/Cargo.toml"),
            "there is no `crates/b/Cargo.toml`"
        );
        assert_eq!(of("pip install x && python benches/peers/y.py"), "there is no `benches/peers/y.py`");
        assert_eq!(of("cargo xtask ci now"), "`cargo xtask ci now`: `ci` takes no more arguments, got `now`");
    }
}
