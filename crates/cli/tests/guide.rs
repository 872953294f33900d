//! The page of the program and the first commands of the README: every command is run, and prints what the
//! page shows.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn page(path: &str) -> String {
    std::fs::read_to_string(workspace().join(path)).unwrap()
}

/// Commands of a page, and the place of what is shown below them, where a block of text follows.
struct Shown<'a> {
    commands: &'a str,
    output: Option<Range<usize>>,
}

/// The commands of a page in their order.
fn shown(page: &str) -> Vec<Shown<'_>> {
    const FENCE: &str = "\n```";
    let fences: Vec<usize> = page.match_indices(FENCE).map(|(at, _)| at).collect();
    let (pairs, rest) = fences.as_chunks::<2>();
    assert!(rest.is_empty(), "a block that is not closed");
    // The language of a block, and the place of its content.
    let block = |[open, close]: &[usize; 2]| {
        let language = page[open + FENCE.len()..].lines().next().unwrap();
        let start = open + FENCE.len() + language.len() + 1;
        (language, start..close + 1)
    };
    let blocks: Vec<(&str, Range<usize>)> = pairs.iter().map(block).collect();
    let mut found = Vec::new();
    for (k, (_, place)) in blocks.iter().enumerate().filter(|(_, (language, _))| *language == "sh") {
        let output = blocks.get(k + 1).filter(|(language, _)| *language == "text");
        let output = output.map(|(_, place)| place.clone());
        found.push(Shown { commands: &page[place.clone()], output });
    }
    found
}

/// A folder with the examples and the data sets in it, and the program on the path.
struct Shell {
    folder: tempfile::TempDir,
    path: OsString,
}

impl Shell {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for of_checkout in ["examples", "crates"] {
            std::os::unix::fs::symlink(workspace().join(of_checkout), folder.path().join(of_checkout))
                .unwrap();
        }
        let program = Path::new(env!("CARGO_BIN_EXE_ocoboost")).parent().unwrap().to_owned();
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths(std::iter::once(program).chain(std::env::split_paths(&rest))).unwrap();
        Self { folder, path }
    }

    /// What a terminal would show.
    fn run(&self, commands: &str) -> String {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec 2>&1\n{commands}")).current_dir(self.folder.path());
        // Settings of the environment would be other settings.
        let ours = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OCOBOOST"));
        ours.for_each(|(name, _)| _ = shell.env_remove(name));
        let output = shell.env("PATH", &self.path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// With `UPDATE_GUIDE=1` the page is written anew, to be read and committed.
#[test]
fn the_commands_of_the_guide_print_what_it_shows() {
    const PAGE: &str = "docs/guide/program.md";
    let page = page(PAGE);
    let (shell, shown) = (Shell::new(), shown(&page));
    assert!(shown.len() >= 8, "{} blocks of commands", shown.len());
    let (mut differences, mut updated, mut at) = (String::new(), String::new(), 0);
    for Shown { commands, output } in shown {
        let found = shell.run(commands);
        let expected = output.clone().map_or("", |place| &page[place]);
        if found != expected {
            differences.push_str(&format!("$ {commands}--- shown\n{expected}--- printed\n{found}\n"));
        }
        if let Some(place) = output {
            updated.push_str(&page[at..place.start]);
            updated.push_str(&found);
            at = place.end;
        }
    }
    updated.push_str(&page[at..]);
    if std::env::var_os("UPDATE_GUIDE").is_some() {
        std::fs::write(workspace().join(PAGE), updated).unwrap();
    }
    assert!(differences.is_empty(), "{PAGE}:\n{differences}");
}

/// The first commands of the README, with as much time as they need: in a minute they end too, on a machine
/// that does nothing else.
#[test]
fn the_first_commands_of_the_readme_print_what_it_shows() {
    let page = page("README.md");
    let shell = Shell::new();
    let first = shown(&page).into_iter().next().unwrap();
    assert!(first.commands.contains("cargo run --release -p ocoboost-cli -- train "), "{}", first.commands);
    let commands = first.commands.replace("cargo run --release -p ocoboost-cli --", "ocoboost");
    let commands = commands.replace("ocoboost train ", "ocoboost train --budget 1h ");
    assert_eq!(shell.run(&commands), page[first.output.unwrap()]);
}

/// The commands at the beginning of two other pages, with small files in the place of the reader's.
#[test]
fn the_commands_of_the_pages_of_tables_and_streams_run() {
    let shell = Shell::new();
    let rows = "head -n 301 examples/offers.csv";
    for (name, rows) in [("table", rows), ("clean", rows), ("noisy", rows), ("rows", rows), ("later", rows)] {
        assert_eq!(shell.run(&format!("{rows} > {name}.csv")), "");
    }
    for (path, column) in [("docs/guide/noisy-labels.md", "device"), ("docs/guide/stream.md", "reward")] {
        let page = page(path);
        let all = shown(&page).into_iter().flat_map(|shown| shown.commands.lines());
        let commands: Vec<&str> = all.filter(|line| line.starts_with("ocoboost ")).collect();
        assert_eq!(commands.len(), 3, "{path}");
        for command in commands {
            // Few rounds: what they find is not shown.
            let few = "ocoboost boost --rounds 5 --max-depth 2";
            let command = command.replace("COLUMN", column).replace("ocoboost boost", few);
            // 3: what was learnt is not known to be better than the commonest class.
            let found = shell.run(&format!("{{ {command}\n}} || [ $? = 3 ] || echo FAILED"));
            assert!(!found.is_empty() && !found.contains("FAILED"), "{command}\n{found}");
        }
    }
}

/// A command that the program has and the page does not show is one that nobody finds.
#[test]
fn the_guide_shows_every_command() {
    let page = page("docs/guide/program.md");
    let commands: String = shown(&page).into_iter().map(|shown| format!("\n{}", shown.commands)).collect();
    let help = Command::new(env!("CARGO_BIN_EXE_ocoboost")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let names = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| {
        let is_name = line.starts_with("  ") && !line.starts_with("   ");
        line.split_whitespace().next().filter(|name| is_name && *name != "help")
    });
    let names: Vec<&str> = names.collect();
    assert!(names.len() >= 6, "{help}");
    for name in names {
        assert!(commands.contains(&format!("\nocoboost {name} ")), "`ocoboost {name}` is not shown");
    }
}
