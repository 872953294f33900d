//! The commands on the pages that no test runs, because they take too long or install something, name things
//! that exist: packages, programs, files, and the commands of this program.

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

/// The commands in the blocks of a shell, each with the number of its first line.
fn commands(file: &File) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut is_shell, mut begun): (bool, Option<(usize, String)>) = (false, None);
    for (number, line) in file.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            is_shell = ["sh", "bash"].contains(&language);
        } else if is_shell {
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
    let after = |option: &str| {
        let place = words.iter().position(|word| *word == option);
        place.and_then(|place| words.get(place + 1)).copied()
    };
    let mut found = Vec::new();
    for option in ["--manifest-path", "--path"] {
        found
            .extend(after(option).filter(|path| !tree.has(path)).map(|path| format!("there is no `{path}`")));
    }
    let named = after("-p").or_else(|| after("--package"));
    let Some(folder) = named.map(|name| folder(name, tree)) else { return found };
    let Some(folder) = folder else {
        found.extend(named.map(|name| format!("there is no package `{name}`")));
        return found;
    };
    let manifest = tree.file(&format!("{folder}/Cargo.toml")).map_or("", |file| file.text.as_str());
    for (option, kind, targets) in TARGETS {
        let Some(name) = after(option) else { continue };
        let has_line = manifest.split(&format!("[[{kind}]]")).skip(1).any(|rest| {
            rest.lines()
                .take_while(|line| !line.starts_with('['))
                .any(|line| line == format!("name = \"{name}\""))
        });
        let of_path =
            ["{}.rs", "{}/main.rs"].map(|form| format!("{folder}/{targets}/{}", form.replace("{}", name)));
        if !has_line && !of_path.iter().any(|path| tree.has(path)) {
            found.push(format!("`{folder}` has no {kind} `{name}`"));
        }
    }
    for feature in after("--features").into_iter().flat_map(|names| names.split(',')) {
        if !manifest.lines().any(|line| line.starts_with(&format!("{feature} = "))) {
            found.push(format!("`{folder}` has no feature `{feature}`"));
        }
    }
    found
}

/// The folder of a package.
fn folder<'a>(name: &str, tree: &'a Tree) -> Option<&'a str> {
    let line = format!("name = \"{name}\"");
    let manifest = tree.files.iter().find(|file| {
        file.path.ends_with("/Cargo.toml")
            && file.text.lines().take_while(|line| *line != "[dependencies]").any(|found| found == line)
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
                    cargo install --path crates/a; cargo install ocoboost-a\n\
                    mpirun -n 8 \\\n  program --threads 2";
        assert_eq!(complaints(text), Vec::<String>::new());
        assert!(complaints("```\n```text\ncargo xtask gone").is_empty());
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
        assert_eq!(of("cargo install --path crates/b"), "there is no `crates/b`");
        assert_eq!(
            of("cargo build --manifest-path crates/b/Cargo.toml"),
            "there is no `crates/b/Cargo.toml`"
        );
        assert_eq!(of("pip install x && python benches/peers/y.py"), "there is no `benches/peers/y.py`");
        assert_eq!(of("cargo xtask ci now"), "`cargo xtask ci now`: `ci` takes no more arguments, got `now`");
    }
}
