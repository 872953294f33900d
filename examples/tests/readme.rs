//! The README's program, pasted into a fresh crate: it must compile and run unchanged.

use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap_or_default()
}

/// The contents of the fenced blocks of one language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    let parts = page.split(&*fence).skip(1);
    parts.map(|rest| rest.split("\n```").next().unwrap_or_default()).collect()
}

#[test]
fn the_program_of_the_readme_runs_when_it_is_pasted() {
    let root = workspace();
    let page = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (manifests, programs) = (blocks(&page, "toml"), blocks(&page, "rust"));
    assert_eq!((manifests.len(), programs.len()), (1, 1), "one program and what it depends on");
    assert!(!programs[0].lines().any(|line| line.starts_with("# ")), "a line that only rustdoc hides");

    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("first");
    std::fs::create_dir_all(package.join("src")).unwrap();
    // The manifest of `cargo new first`, then the page's dependencies on a checkout beside it.
    let in_this_checkout = |text: &str| text.replace("../ocoboost/", &format!("{}/", root.display()));
    let dependencies = in_this_checkout(manifests[0]);
    assert_ne!(dependencies, manifests[0], "the page depends on a checkout called ocoboost");
    let new = "[package]\nname = \"first\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n";
    std::fs::write(package.join("Cargo.toml"), format!("{new}{dependencies}\n")).unwrap();
    std::fs::write(package.join("src/main.rs"), in_this_checkout(programs[0])).unwrap();
    // The tested versions of the workspace, which are already downloaded.
    std::fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();

    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--offline"]).current_dir(&package);
    // A separate folder, kept between runs: the workspace's may be locked by the running test command.
    cargo.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme"));
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
        cargo.env_remove(name);
    }
    let output = cargo.output().unwrap();
    let said = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{}", said.0, said.1);
    assert!(said.0.starts_with("the log earned 0.306 a row, the policy 0.688 on rows apart"), "{}", said.0);
}

#[test]
fn the_example_prints_what_the_guide_shows() {
    let page = std::fs::read_to_string(workspace().join("docs/guide/policy-from-a-log.md")).unwrap();
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
