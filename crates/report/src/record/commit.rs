//! The commit of the code that produced a record.

use std::path::Path;
use std::process::Command;

/// The commit of the working tree: `git rev-parse HEAD`, with `-dirty` if a tracked file differs from it;
/// `unknown` without a repository or git.
#[must_use]
pub fn commit() -> String {
    commit_of(Path::new("."))
}

fn commit_of(folder: &Path) -> String {
    let Some(head) = git(folder, &["rev-parse", "--verify", "HEAD"]) else { return "unknown".to_owned() };
    match git(folder, &["status", "--porcelain", "--untracked-files=no"]) {
        Some(changes) if changes.is_empty() => head,
        // An unreadable status counts as a change.
        _ => head + "-dirty",
    }
}

/// The trimmed output of a git command; `None` if it fails.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_tree_a_changed_tree_and_no_tree() {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| git(folder.path(), arguments);
        if git(&["init", "--quiet"]).is_none() {
            eprintln!("reduced: no git here, so only the answer without a repository is tested");
            assert_eq!(commit_of(folder.path()), "unknown");
            return;
        }
        assert_eq!(commit_of(folder.path()), "unknown", "a repository without a commit");
        std::fs::write(folder.path().join("a"), "1").unwrap();
        git(&["add", "a"]).unwrap();
        let who = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
        git(&[&who[..], &["commit", "--quiet", "-m", "first"]].concat()).unwrap();
        let clean = commit_of(folder.path());
        assert!(clean.len() >= 40 && clean.bytes().all(|b| b.is_ascii_hexdigit()), "{clean}");
        std::fs::write(folder.path().join("b"), "an untracked file changes nothing").unwrap();
        assert_eq!(commit_of(folder.path()), clean);
        std::fs::write(folder.path().join("a"), "2").unwrap();
        assert_eq!(commit_of(folder.path()), format!("{clean}-dirty"));
        assert_eq!(commit_of(&folder.path().join("absent")), "unknown");
    }
}
