//! Places that are no ordinary files in an ordinary folder.

use crate::jobs::{inputs, left_over};
use crate::reduced::announce;
use crate::running::command;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const BAD_DATA: i32 = 65;
const NO_INPUT: i32 = 66;
const CANNOT_WRITE: i32 = 73;

/// Commands that write a file each, whose name is the last word.
const WRITERS: [&str; 6] = [
    "train old.csv --budget 1h --candidates 1 --rounds 2 -o",
    "boost half.csv --label class --ignore id --rounds 2 --max-depth 1 --algorithm adaboost -o",
    "stream half.csv --label class --ignore id -o",
    "stream half.csv --label class --ignore id -p",
    "evaluate uniform old.csv --html",
    "convert old.csv --output-format csv",
];

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    inputs(folder.path());
    folder
}

fn program(folder: &Path, line: &str, target: impl AsRef<OsStr>) -> Command {
    let mut program = command(&line.split_whitespace().collect::<Vec<_>>());
    program.arg(target).arg("--quiet").current_dir(folder).stdin(Stdio::null());
    program
}

fn run(folder: &Path, line: &str, target: impl AsRef<OsStr>) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = program(folder, line, target).output().unwrap();
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

fn is_done((code, error): &(Option<i32>, String)) -> bool {
    matches!(code, Some(0 | 3)) && error.is_empty()
}

#[test]
fn a_link_is_replaced_and_what_it_points_to_stays() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    for line in WRITERS {
        fs::write(at("target"), "old").unwrap();
        symlink("target", at("link")).unwrap();
        let said = run(folder.path(), line, "link");
        assert!(is_done(&said), "{line}: {said:?}");
        assert!(fs::symlink_metadata(at("link")).unwrap().is_file(), "{line}");
        assert_eq!(fs::read(at("target")).unwrap(), b"old", "{line}");
        fs::remove_file(at("link")).unwrap();
    }
}

/// As a shell's redirection does.
#[test]
fn a_pipe_is_written_to_and_stays_a_pipe() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    for line in WRITERS {
        let said = run(folder.path(), line, "file");
        assert!(is_done(&said), "{line}: {said:?}");
        let pipe = at("pipe");
        let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
        let said = run(folder.path(), line, "pipe");
        assert!(is_done(&said), "{line}: {said:?}");
        assert!(fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo(), "{line}");
        let (read, whole) = (reader.join().unwrap(), fs::read(at("file")).unwrap());
        assert!(read == whole, "{line}");
    }
}

#[test]
fn a_folder_a_full_device_and_a_missing_folder_are_refused_by_name() {
    let folder = folder();
    fs::create_dir(folder.path().join("d")).unwrap();
    let before = left_over(folder.path());
    for line in WRITERS {
        for (target, reason) in [
            ("d", "directory"),
            ("/dev/full", "No space left on device"),
            ("none/file", "No such file or directory"),
            ("old.csv/file", "irectory"),
        ] {
            let (code, error) = run(folder.path(), line, target);
            assert_eq!(code, Some(CANNOT_WRITE), "{line} {target}: {error}");
            assert!(error.starts_with(&format!("ocoboost: {target}: ")), "{line} {target}: {error}");
            assert!(error.contains(reason) && error.lines().count() == 1, "{line} {target}: {error}");
        }
    }
    assert_eq!(left_over(folder.path()), before);
}

/// A superuser may write into any folder but those of the kernel.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_file_is_known_before_the_work() {
    let folder = folder();
    // What is converted is written while it is read: that is early enough.
    for line in WRITERS.iter().filter(|line| !line.starts_with("convert")) {
        let line = line.replace("old.csv", "missing.csv").replace("half.csv", "missing.csv");
        let (code, error) = run(folder.path(), &line, "/proc/ocoboost-output");
        assert_eq!(code, Some(CANNOT_WRITE), "{line}: {error}");
        let is_named = error.starts_with("ocoboost: /proc/ocoboost-output: ") && error.lines().count() == 1;
        assert!(is_named, "{line}: {error}");
    }
    let long = "m".repeat(300);
    for name in [long.as_str(), "new/"] {
        let (code, error) = run(folder.path(), "train missing.csv -o", name);
        assert!(code == Some(CANNOT_WRITE) && error.starts_with(&format!("ocoboost: {name}: ")), "{error}");
    }
    let checkpoint = "train missing.csv -o m.ocob --checkpoint";
    let (code, error) = run(folder.path(), checkpoint, "/proc/ocoboost-checkpoint");
    assert_eq!(code, Some(CANNOT_WRITE), "{error}");
}

/// The scores of 400 actions are 448 MB.
#[cfg(target_os = "linux")]
#[test]
fn a_training_that_cannot_fit_is_refused_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = "action,reward,propensity,x\n".to_owned();
    for i in 0..200_000 {
        log.push_str(&format!("{},{},0.5,{}\n", i % 400, i % 2, i % 7));
    }
    fs::write(folder.path().join("log.csv"), log).unwrap();
    let program = command(&["train", "log.csv", "-o", "m.ocob", "--quiet", "--threads", "2"]);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "ulimit -v 400000; exec \"$@\"", "sh"])
        .arg(program.get_program())
        .args(program.get_args());
    let output = shell.current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(71), "{error}");
    let says = "ocoboost: log.csv: a training on 200000 rows and 400 actions takes 448 MB at least, and ";
    assert!(
        error.starts_with(says) && error.ends_with(" MB of memory are left; fewer rows take less\n"),
        "{error}"
    );
    assert!(error.lines().count() == 1 && !folder.path().join("m.ocob").exists(), "{error}");
}

/// A training of hours says it while there is time to make room, and does not end for it.
#[test]
fn a_checkpoint_that_is_not_saved_is_said_at_once_and_the_training_goes_on() {
    let folder = folder();
    let line = "train old.csv -o m.ocob --budget 1h --candidates 1 --rounds 2 --checkpoint";
    let (code, error) = run(folder.path(), line, "/dev/full");
    assert!(matches!(code, Some(0 | 3)) && folder.path().join("m.ocob").is_file(), "{error}");
    let said: Vec<&str> = error.lines().collect();
    let full = "/dev/full: No space left on device";
    assert_eq!(said.len(), 2, "{error}");
    let at_once = format!("a checkpoint was not saved, and the training goes on: {full}");
    assert!(said[0].starts_with(&at_once), "{error}");
    assert!(said[1].starts_with(&format!("the run was not saved: {full}")), "{error}");
}

#[test]
fn a_name_that_is_no_text_names_a_file_like_any_other() {
    let folder = folder();
    let name = OsStr::from_bytes(b"caf\xe9 \xff.csv");
    for line in WRITERS {
        let said = run(folder.path(), line, name);
        assert!(is_done(&said), "{line}: {said:?}");
        assert!(folder.path().join(name).metadata().unwrap().len() > 0, "{line}");
    }
    // The last of them has written a log.
    let mut again = command(&["convert"]);
    let again = again.arg(name).args(["again.csv", "--quiet"]).current_dir(folder.path()).output().unwrap();
    assert!(again.status.success(), "{again:?}");
    let absent = OsStr::from_bytes(b"\xff.csv");
    let (code, error) = run(folder.path(), "evaluate uniform", absent);
    assert_eq!((code, error.lines().count()), (Some(NO_INPUT), 1), "{error}");
    assert!(error.starts_with("ocoboost: \u{fffd}.csv: No such file"), "{error}");
}

/// The folder is there when the work begins, and not when it ends.
#[test]
fn a_folder_that_vanishes_is_named_at_the_end() {
    for line in
        ["train - --budget 1h --candidates 1 --rounds 2 -o", "stream - --label action -p", "convert -"]
    {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("d")).unwrap();
        let mut child = program(folder.path(), line, "d/m.csv");
        child
            .args(["--input-format", "csv"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let text = fs::read_to_string(at("old.csv")).unwrap();
        // More than a pipe holds: when it is written, the program reads, and has looked at the folder.
        let rows = text.split_once('\n').unwrap().1.replace("tools", "music");
        std::io::Write::write_all(&mut input, (text + &rows.repeat(20)).as_bytes()).unwrap();
        fs::remove_dir_all(at("d")).unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        if line.starts_with("stream") {
            // It has three classes in its first rows.
            assert!(matches!(output.status.code(), Some(BAD_DATA | CANNOT_WRITE)), "{error}");
            continue;
        }
        assert_eq!(output.status.code(), Some(CANNOT_WRITE), "{line}: {error}");
        assert!(error.starts_with("ocoboost: d/m.csv: No such file or directory"), "{line}: {error}");
    }
}

/// The log grows, shrinks and is another one while it is read. What is written is whole, of whichever rows.
#[test]
fn a_log_that_changes_while_it_is_read_is_read_or_refused() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    for end in ["csv", "parquet", "arrow", "jsonl.gz", "vw.zst"] {
        let file = format!("log.{end}");
        assert_eq!(run(folder.path(), "convert new.csv", &file).0, Some(0));
        let bytes = fs::read(at(&file)).unwrap();
        for turn in 0..6_usize {
            fs::write(at(&file), &bytes).unwrap();
            let mut child = program(folder.path(), &format!("convert {file}"), "out.jsonl");
            let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(turn as u64));
            let log = fs::OpenOptions::new().write(true).open(at(&file)).unwrap();
            match turn % 3 {
                0 => log.set_len(bytes.len() as u64 / 2).unwrap(),
                1 => log.set_len(0).unwrap(),
                _ => fs::write(at(&file), [&bytes[..bytes.len() / 3], &bytes[..]].concat()).unwrap(),
            }
            let output = child.wait_with_output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            assert!(matches!(code, Some(0 | BAD_DATA | NO_INPUT)), "{file}, {turn}: {code:?}: {error}");
            assert!(
                code == Some(0) || error.starts_with(&format!("ocoboost: {file}")),
                "{file}, {turn}: {error}"
            );
            if at("out.jsonl").exists() {
                let said = run(folder.path(), "convert out.jsonl", "checked.csv");
                assert!(
                    is_done(&said) || said.0 == Some(BAD_DATA) && code == Some(0),
                    "{file}, {turn}: {said:?}"
                );
                fs::remove_file(at("out.jsonl")).unwrap();
            }
            assert_eq!(left_over(folder.path()), [""; 0], "{file}, {turn}");
        }
    }
}

#[test]
fn of_two_programs_that_write_one_file_one_wins_whole() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    for input in ["old", "new"] {
        assert!(is_done(&run(folder.path(), &format!("convert {input}.csv"), format!("{input}.parquet"))));
    }
    let whole = ["old", "new"].map(|input| fs::read(at(&format!("{input}.parquet"))).unwrap());
    for _ in 0..10 {
        let both = ["old", "new"].map(|input| {
            let mut program = program(folder.path(), &format!("convert {input}.csv"), "out.parquet");
            program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        });
        for child in both {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert!(whole.contains(&fs::read(at("out.parquet")).unwrap()));
        assert_eq!(left_over(folder.path()), [""; 0]);
    }
}

/// A disk of so many kilobytes, on which there is an older file.
#[test]
fn a_full_disk_is_named_and_the_old_file_stays() {
    let folder = folder();
    let script = "mount -t tmpfs -o size=16k none disk && echo old > disk/f && \"$@\"; code=$?; \
                  test \"$(ls -A disk)\" = f && test \"$(cat disk/f)\" = old && exit $code";
    let within = |program: &Command| {
        let mut unshare = Command::new("unshare");
        unshare.args(["-rm", "sh", "-c", script, "sh"]).arg(program.get_program()).args(program.get_args());
        unshare.current_dir(folder.path()).stdin(Stdio::null()).output()
    };
    fs::create_dir(folder.path().join("disk")).unwrap();
    if !within(&Command::new("true")).is_ok_and(|output| output.status.success()) {
        announce("no user namespace: no disk was full");
        return;
    }
    for line in [
        "train new.csv --budget 1h --candidates 1 --rounds 40 -o",
        "convert new.csv --output-format csv",
        "convert new.csv --output-format json-lines",
        "evaluate uniform new.csv --html",
    ] {
        let output = within(&program(folder.path(), line, "disk/f")).unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(CANNOT_WRITE), "{line}: {error}");
        assert!(error.starts_with("ocoboost: disk/f: No space left on device"), "{line}: {error}");
    }
}
