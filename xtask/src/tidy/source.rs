//! Rules for Rust files: a module doc first, a bounded length, no stubs, no test that cannot fail, and no
//! empty names.

use super::Finding;
use super::tree::File;

const WARN_ABOVE: usize = 400;

/// The longest line of comment, in characters.
const COMMENT_WIDTH: usize = 110;

/// Names that do not describe the content.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "manager", "common", "misc"];

/// Text that marks unfinished work, or a test that does not test.
const UNFINISHED: [&str; 6] = [
    concat!("to", "do!("),
    concat!("un", "implemented!("),
    concat!("#[", "ignore"),
    concat!("no_", "run"),
    concat!("assert!(", "true)"),
    concat!("assert!(", "true,"),
];

/// Markers of unfinished work, as whole words.
const MARKERS: [&str; 3] = [concat!("FIX", "ME"), concat!("XX", "X"), concat!("TO", "DO")];

pub(super) fn check(file: &File) -> Vec<Finding> {
    if !file.is_rust() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if !file.text.starts_with("//!") {
        findings.push(Finding::new(file, 1, "a file opens with its module doc (`//!`)"));
    }
    findings.extend(length(file));
    if let Some(name) = file.path.split(['/', '.']).find(|part| EMPTY_NAMES.contains(part)) {
        findings.push(Finding::new(file, 1, format!("`{name}` does not say what is inside")));
    }
    for (number, line) in file.lines() {
        let found = UNFINISHED.iter().find(|text| line.contains(**text)).or_else(|| marker(line));
        if let Some(text) = found {
            findings.push(Finding::new(file, number, format!("`{text}` may not stay")));
        }
        if is_long_comment(line) {
            findings.push(Finding::new(file, number, format!("a comment line over {COMMENT_WIDTH} columns")));
        }
        if is_ignored_example(line) {
            findings.push(Finding::new(file, number, "an example that does not run shows nothing"));
        }
        if let Some(name) = module_name(line).filter(|name| EMPTY_NAMES.contains(name)) {
            findings.push(Finding::new(file, number, format!("`{name}` does not say what is inside")));
        }
    }
    findings
}

/// Warns of long files of a library crate: a file should be one idea.
fn length(file: &File) -> Option<Finding> {
    let in_crate = file.path.starts_with("crates/") && file.path.contains("/src/");
    let lines = file.text.lines().count();
    if !in_crate || lines <= WARN_ABOVE {
        return None;
    }
    let message = format!("{lines} lines, more than {WARN_ABOVE}: is this one idea?");
    Some(Finding { warning: true, ..Finding::new(file, lines, message) })
}

fn marker(line: &str) -> Option<&'static &'static str> {
    let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.find_map(|word| MARKERS.iter().find(|marker| **marker == word))
}

fn is_long_comment(line: &str) -> bool {
    line.trim_start().starts_with("//") && line.chars().count() > COMMENT_WIDTH
}

/// Whether a documentation fence keeps the example from being compiled.
fn is_ignored_example(line: &str) -> bool {
    let doc = line.trim_start();
    let text = doc.strip_prefix("//!").or_else(|| doc.strip_prefix("///"));
    let fence = text.and_then(|text| text.trim_start().strip_prefix("```"));
    fence.is_some_and(|attributes| attributes.split([',', ' ']).any(|word| word.starts_with("ignore")))
}

/// `name` in `mod name;`, `pub(crate) mod name {` and the like.
fn module_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("mod ")?;
    let visibility = before.trim();
    if !(visibility.is_empty() || visibility.starts_with("pub")) {
        return None;
    }
    after.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        let file = File { path: path.into(), text: text.into() };
        check(&file).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_good_file_passes() {
        let good =
            "//! Docs.\n\nmod ogd;\n/// ```\n/// assert_eq!(1, 1);\n/// ```\npub fn f() {}\n// ignore ties\n";
        assert_eq!(messages("crates/a/src/lib.rs", good), Vec::<String>::new());
        assert_eq!(messages("notes.md", "no module doc"), Vec::<String>::new());
    }

    #[test]
    fn a_missing_module_doc_is_found() {
        assert_eq!(messages("crates/a/src/lib.rs", "mod ogd;\n").len(), 1);
        assert_eq!(messages("crates/a/src/lib.rs", "").len(), 1);
    }

    #[test]
    fn every_stub_and_marker_is_found_at_its_line() {
        for text in UNFINISHED.iter().chain(&MARKERS) {
            let found = messages("crates/a/src/f.rs", &format!("//! Docs.\nfn f() {{}} // {text} later\n"));
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].starts_with("crates/a/src/f.rs:2: "), "{found:?}");
        }
        let part_of_a_word = format!("//! Docs.\nconst A{}: u8 = 1;\n", MARKERS[1]);
        assert!(messages("crates/a/src/f.rs", &part_of_a_word).is_empty());
    }

    #[test]
    fn an_example_that_is_not_compiled_is_found() {
        for fence in ["ignore", "rust,ignore", "ignore-windows"] {
            let text = format!("//! Docs.\n/// ```{fence}\n/// f();\n/// ```\nfn f() {{}}\n");
            assert_eq!(messages("crates/a/src/f.rs", &text).len(), 1, "{fence}");
        }
    }

    #[test]
    fn long_comment_lines_are_found_where_comments_are_wrapped() {
        let of = |width: usize| format!("//! Docs.\n    // {}\n", "ü".repeat(width - 7));
        assert!(messages("crates/a/src/f.rs", &of(COMMENT_WIDTH)).is_empty());
        let found = messages("crates/a/src/f.rs", &of(COMMENT_WIDTH + 1));
        assert!(found.len() == 1 && found[0].starts_with("crates/a/src/f.rs:2: "), "{found:?}");
        assert_eq!(messages("benches/src/lib.rs", &of(COMMENT_WIDTH + 1)).len(), 1);
    }

    #[test]
    fn empty_names_are_found_in_paths_and_declarations() {
        for name in EMPTY_NAMES {
            assert_eq!(messages(&format!("crates/a/src/{name}.rs"), "//! Docs.\n").len(), 1);
            assert_eq!(messages(&format!("crates/a/tests/{name}/mod.rs"), "//! Docs.\n").len(), 1);
            for declaration in [format!("mod {name};"), format!("    pub(crate) mod {name} {{")] {
                assert_eq!(messages("crates/a/src/lib.rs", &format!("//! Docs.\n{declaration}\n")).len(), 1);
            }
        }
        assert!(messages("crates/a/src/lib.rs", "//! Docs.\nmod common_noise;\n").is_empty());
    }

    #[test]
    fn long_files_of_the_crates_warn() {
        let lines = |count: usize| "//! Docs.\n".repeat(count);
        let at = |path: &str, count| check(&File { path: path.into(), text: lines(count) });
        assert!(at("crates/a/src/f.rs", WARN_ABOVE).is_empty());
        assert!(matches!(at("crates/a/src/f.rs", WARN_ABOVE + 1)[..], [Finding { warning: true, .. }]));
        assert!(at("crates/a/tests/f.rs", WARN_ABOVE + 1).is_empty());
    }
}
