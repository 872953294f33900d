//! Ctrl-C.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may")]

mod running;

use running::{command, said};
use std::io::Write;
use std::process::{Child, Command, Stdio};

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// Reading ends, and no model is left.
#[test]
fn a_run_is_interrupted_while_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.ocob").display().to_string();
    let mut train = command(&["train", "-", "-o", &model, "--input-format", "csv"]);
    let mut child =
        train.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"x,action,propensity,reward\n").unwrap();
    // More than a pipe holds: when it is written, the program reads, and listens since before.
    let rows = "1,a,0.5,1\n2,b,0.5,0\n".repeat(20_000);
    input.write_all(rows.as_bytes()).unwrap();
    interrupt(&child);
    // The program may have ended before all of it is written.
    let is_read = (0..1000).all(|_| input.write_all(rows.as_bytes()).is_ok());
    assert!(!is_read, "it reads on");
    drop(input);
    let (code, out, error) = said(&child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (Some(130), ""), "{error}");
    assert!(error.starts_with("ocoboost: stopped after ") && error.lines().count() == 1, "{error}");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}
