//! Every citation key, as in `[Z03, Theorem 1]`, is an entry of `docs/references.md`.

use std::collections::BTreeSet;

use super::Finding;
use super::tree::{File, Tree};

const REFERENCES: &str = "docs/references.md";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let entries = tree.file(REFERENCES).map(entries).unwrap_or_default();
    let mut findings = Vec::new();
    for file in &tree.files {
        for (number, line) in file.lines() {
            for key in keys(prose(file, line)).filter(|key| !entries.contains(key)) {
                findings.push(Finding::new(file, number, format!("`{key}` is not in {REFERENCES}")));
            }
        }
    }
    findings
}

/// The keys in bold at the start of a bullet: `- **Z03** …`.
fn entries(references: &File) -> BTreeSet<&str> {
    let bullets = references.text.lines().filter_map(|line| line.strip_prefix("- **"));
    bullets.filter_map(|rest| Some(rest.split_once("**")?.0)).collect()
}

/// The prose of a line: a comment in Rust, the whole line in Markdown.
fn prose<'a>(file: &File, line: &'a str) -> &'a str {
    if file.is_rust() {
        line.find("//").map_or("", |start| &line[start..])
    } else if file.has_extension("md") {
        line
    } else {
        ""
    }
}

/// The keys of all citations in a line; `[Z03, Theorem 1; W13]` has two.
fn keys(line: &str) -> impl Iterator<Item = &str> {
    let brackets = line.split('[').skip(1);
    let citations = brackets.map(|rest| rest.split(']').next().unwrap_or(rest));
    citations.flat_map(|inside| {
        // A bracket is a citation when it opens with a key; `\[Z03\]` keeps rustdoc from seeing a link.
        let parts = inside
            .split(';')
            .map(|part| part.split(',').next().unwrap_or(part).trim().trim_end_matches('\\'));
        parts.take_while(|part| is_key(part))
    })
}

/// Initials and a year of two digits.
fn is_key(text: &str) -> bool {
    let Some((initials, year)) = text.len().checked_sub(2).and_then(|split| text.split_at_checked(split))
    else {
        return false;
    };
    initials.starts_with(|letter: char| letter.is_ascii_uppercase())
        && initials.bytes().all(|letter| letter.is_ascii_alphabetic())
        && year.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: (&str, &str) = (REFERENCES, "# References\n\n- **Z03** Zinkevich.\n- **W13** Worrell.\n");

    /// `?` stands for an unknown key, which may not occur literally in these lines.
    fn unknown(path: &str, text: &str) -> Vec<String> {
        let text = text.replace('?', "Q99");
        let tree = Tree::of(&[KNOWN, (path, &text)]);
        check(&tree).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn known_keys_and_other_brackets_pass() {
        let text = "//! [Z03, Theorem 1], \\[W13\\], [`Row`], [0, 1], [T], x[N12a]\nlet a = b[?];\n";
        assert_eq!(unknown("crates/a/src/lib.rs", text), Vec::<String>::new());
    }

    #[test]
    fn an_unknown_key_is_found_at_every_position() {
        for text in
            ["/// [?, Lemma 2]", "// line 3 of \\[?\\]", "//! [Z03, Theorem 1; ?, Lemma 2]", "x(); // [?"]
        {
            assert_eq!(
                unknown("crates/a/src/lib.rs", text),
                [format!("`Q99` is not in {REFERENCES}")],
                "{text}"
            );
        }
        assert_eq!(unknown("docs/errata.md", "As [?, §2] has it").len(), 1);
    }

    #[test]
    fn without_the_list_every_key_is_unknown() {
        let tree = Tree::of(&[("crates/a/src/lib.rs", "//! [Z03, Theorem 1]")]);
        assert_eq!(check(&tree).len(), 1);
    }
}
