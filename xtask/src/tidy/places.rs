//! Files must not name the author's machine: neither its folders nor its registries.

use super::Finding;
use super::tree::File;

/// Top folders for checkouts; a path below one is meaningless on other machines.
const FOLDERS: [&str; 4] = ["mnt", "root", "tmp", "work"];

/// Hosts that only a lock file may name.
const WORDS: [&str; 5] = [
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("files.python", "hosted"),
    concat!("registry.", "npmjs"),
    concat!("deb.", "debian"),
];

pub(super) fn check(file: &File) -> Vec<Finding> {
    if file.has_extension("lock") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line) in file.lines() {
        let word = WORDS.iter().find(|word| line.contains(**word));
        let folder = FOLDERS.iter().find(|folder| names_folder(line, folder));
        if let Some(place) = word.or(folder) {
            findings.push(Finding::new(file, number, format!("names a place of one machine: `{place}`")));
        }
    }
    findings
}

/// Whether an absolute path below `/folder/` occurs; `target/folder/` and `../folder/` are relative, and
/// fine.
fn names_folder(line: &str, folder: &str) -> bool {
    let pattern = format!("/{folder}/");
    line.match_indices(&pattern).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|letter| !(letter.is_alphanumeric() || "._-}".contains(letter)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&File { path: path.into(), text: text.into() }).len()
    }

    #[test]
    fn every_machine_place_is_found_in_any_text_file() {
        for folder in FOLDERS {
            for text in [format!("cd /{folder}/main"), format!("/{folder}/x"), format!("\"/{folder}/x\"")] {
                assert_eq!(count("docs/page.md", &text), 1, "{text}");
            }
        }
        for word in WORDS {
            assert_eq!(count("crates/a/src/lib.rs", &format!("// from https://{word}/x\n")), 1, "{word}");
        }
    }

    #[test]
    fn relative_paths_and_lock_files_pass() {
        assert_eq!(count("docs/page.md", &format!("target/{}/x and ../{}/y", FOLDERS[0], FOLDERS[3])), 0);
        assert_eq!(
            count("Cargo.lock", &format!("registry+https://github.com/rust-lang/{}-index", WORDS[0])),
            0
        );
    }
}
