//! Writers side by side, what killed ones leave, and places that are no files.
#![allow(clippy::unwrap_used, reason = "a test may")]
#![cfg(unix)]

use super::*;
use std::fs;
use std::os::unix::fs::symlink;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn written(path: &Path, text: &str) -> io::Result<()> {
    write(path, |file| file.write_all(text.as_bytes()))
}

#[test]
fn a_file_that_is_not_committed_leaves_the_old_one_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    written(&path, "old").unwrap();
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(&vec![b'x'; 3 * BUFFER]).unwrap();
    assert_eq!(names(folder.path()).len(), 2);
    drop(file);
    assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["a".to_owned()], b"old".to_vec()));
}

/// What a killed program leaves has no lock. What a living one writes has, and so has what this one writes.
#[test]
fn what_a_killed_program_leaves_is_removed_by_the_next_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let of_this_start = prefix();
    let own = |random: &str| format!("{of_this_start}{random}.part");
    fs::write(at(&own("Dead00")), "half").unwrap();
    let kept = [
        own("link00"),
        own("tooLong"),
        own("short"),
        own("da.h.s"),
        // Of another machine, or of an earlier start.
        ".ocoboost-00000000-dead00.part".to_owned(),
        ".ocoboost-notes.part".to_owned(),
        "kept.part".to_owned(),
    ];
    for name in &kept[1..] {
        fs::write(at(name), "half").unwrap();
    }
    symlink(at("kept.part"), at(&kept[0])).unwrap();
    let mut living = AtomicFile::create(&at("slow")).unwrap();
    living.write_all(b"slow").unwrap();
    written(&at("quick"), "quick").unwrap();
    living.commit().unwrap();
    let mut expected = [&kept[..], &["quick".to_owned(), "slow".to_owned()]].concat();
    expected.sort();
    assert_eq!(names(folder.path()), expected);
    assert_eq!(fs::read(at("slow")).unwrap(), b"slow");
}

/// Each of them removes what it takes for abandoned, at the same time.
#[test]
fn writers_at_the_same_time_do_not_take_each_other_for_dead() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                for round in 0..200 {
                    let text = format!("{writer} {round}");
                    written(&folder.join("shared"), &text).unwrap();
                    let own = folder.join(writer.to_string());
                    written(&own, &text).unwrap();
                    assert_eq!(fs::read(&own).unwrap(), text.as_bytes());
                }
            });
        }
    });
    assert_eq!(names(folder.path()), ["0", "1", "2", "3", "shared"]);
    assert!(fs::read_to_string(folder.path().join("shared")).unwrap().ends_with(" 199"));
}

#[test]
fn a_link_is_replaced_and_its_target_stays() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("target"), "old").unwrap();
    symlink("target", at("link")).unwrap();
    symlink("nothing", at("dangling")).unwrap();
    for link in ["link", "dangling"] {
        written(&at(link), "new").unwrap();
        assert!(fs::symlink_metadata(at(link)).unwrap().is_file());
        assert_eq!(fs::read(at(link)).unwrap(), b"new");
    }
    assert_eq!(fs::read(at("target")).unwrap(), b"old");
    symlink("/dev/null", at("device")).unwrap();
    written(&at("device"), "nowhere").unwrap();
    assert!(fs::symlink_metadata(at("device")).unwrap().is_symlink());
    assert!(fs::metadata("/dev/null").unwrap().len() == 0);
}

#[test]
fn a_reason_does_not_name_the_temporary_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "a file").unwrap();
    for (target, kind) in [
        (path.join("below a file"), io::ErrorKind::NotADirectory),
        (folder.path().join("none/a"), io::ErrorKind::NotFound),
        (folder.path().to_owned(), io::ErrorKind::IsADirectory),
        ("/proc/a".into(), io::ErrorKind::NotFound),
        (folder.path().join("n".repeat(300)), io::ErrorKind::InvalidFilename),
    ] {
        let error = written(&target, "x").unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(!error.to_string().contains(abandoned::PREFIX) && error.raw_os_error().is_some(), "{error}");
    }
    let full = written(Path::new("/dev/full"), "x").unwrap_err();
    assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    assert_eq!(names(folder.path()), ["a"]);
}

/// The longest name that a file may have.
#[test]
fn a_long_name_leaves_room_for_the_temporary_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("n".repeat(255));
    written(&path, "x").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"x");
}
