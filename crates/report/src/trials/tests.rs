//! A store opened again after kills, with other settings, and on other files.

use super::*;
use rayon::prelude::*;
use tempfile::TempDir;

fn store(folder: &TempDir, key: &str) -> Result<Trials<Vec<f64>>, TrialsError> {
    Trials::open(&path(folder), &serde_json::json!({ "rounds": 10, "name": key }))
}

fn path(folder: &TempDir) -> PathBuf {
    folder.path().join("deep/trials.jsonl")
}

fn unit(i: u32) -> (String, Vec<f64>) {
    (format!("abalone/{i}"), vec![f64::from(i) / 3.0, 5e-324, -0.0])
}

#[test]
fn a_file_cut_off_at_any_byte_resumes_to_the_same_set() {
    let folder = tempfile::tempdir().unwrap();
    let trials = store(&folder, "a").unwrap();
    for (name, value) in (0..4).map(unit) {
        trials.put(&name, value).unwrap();
    }
    drop(trials);
    let whole = std::fs::read(path(&folder)).unwrap();
    for cut in 0..=whole.len() {
        std::fs::write(path(&folder), &whole[..cut]).unwrap();
        let trials = store(&folder, "a").unwrap();
        let complete = whole[..cut].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(trials.len(), complete.saturating_sub(1), "cut at {cut}");
        for (name, value) in (0..4).map(unit) {
            let found = trials.get_or_try_run(&name, || Ok::<_, io::Error>(value.clone())).unwrap();
            assert_eq!(*found, value);
        }
        drop(trials);
        assert_eq!(std::fs::read(path(&folder)).unwrap(), whole, "cut at {cut}");
    }
}

#[test]
fn finished_work_is_not_repeated_and_failed_work_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let trials = store(&folder, "a").unwrap();
    let failed = trials.get_or_try_run("x", || Err::<Vec<f64>, _>("no data"));
    assert!(matches!(failed, Err(WorkError::Work("no data"))));
    assert!(trials.is_empty());
    trials.put("x", vec![1.0]).unwrap();
    let again = trials.get_or_try_run("x", || -> Result<_, &str> { panic!("the work is repeated") });
    assert_eq!(*again.unwrap(), [1.0]);
    assert!(matches!(trials.put("x", vec![2.0]), Err(TrialsError::Duplicate { unit }) if unit == "x"));
    assert_eq!(trials.get("x").as_deref(), Some(&vec![1.0]));
}

#[test]
fn other_settings_start_afresh_and_keep_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    store(&folder, "a").unwrap().put("x", vec![1.0]).unwrap();
    let before = std::fs::read(path(&folder)).unwrap();
    let trials = store(&folder, "b").unwrap();
    assert_eq!(trials.get("x"), None);
    let old = |ending| std::fs::read(format!("{}{ending}", path(&folder).display())).unwrap();
    assert_eq!(old(".old"), before);
    trials.put("x", vec![2.0]).unwrap();
    drop(trials);
    assert_eq!(store(&folder, "b").unwrap().get("x").as_deref(), Some(&vec![2.0]));
    // A second one does not displace the first.
    let second = std::fs::read(path(&folder)).unwrap();
    assert_eq!(store(&folder, "c").unwrap().get("x"), None);
    assert_eq!([old(".old"), old(".old2")], [before, second]);
}

#[test]
fn two_lines_of_one_unit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    store(&folder, "a").unwrap().put("x", vec![1.0]).unwrap();
    let twice = std::fs::read_to_string(path(&folder)).unwrap() + "{\"unit\":\"x\",\"value\":[2.0]}\n";
    std::fs::write(path(&folder), &twice).unwrap();
    let refused = store(&folder, "a").unwrap_err();
    assert!(matches!(&refused, TrialsError::Repeated { line: 3, unit, .. } if unit == "x"), "{refused}");
    assert_eq!(std::fs::read_to_string(path(&folder)).unwrap(), twice, "the file is as it was");
}

#[test]
fn the_order_of_the_settings_does_not_matter_but_every_value_does() {
    #[derive(Serialize)]
    struct A {
        x: u8,
        y: [f64; 2],
    }
    #[derive(Serialize)]
    struct B {
        y: [f64; 2],
        x: u8,
    }
    let of = |x, y| fingerprint(&A { x, y }).unwrap();
    assert_eq!(of(1, [2.0, 3.0]), fingerprint(&B { y: [2.0, 3.0], x: 1 }).unwrap());
    assert_ne!(of(1, [2.0, 3.0]), of(2, [2.0, 3.0]));
    assert_ne!(of(1, [2.0, 3.0]), of(1, [3.0, 2.0]));
    assert_ne!(fingerprint(&("ab", "c")).unwrap(), fingerprint(&("a", "bc")).unwrap());
    assert_ne!(fingerprint(&"1").unwrap(), fingerprint(&1).unwrap());
}

#[test]
fn workers_share_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let trials = store(&folder, "a").unwrap();
    (0..64).into_par_iter().for_each(|i| {
        let (name, value) = unit(i);
        trials.put(&name, value).unwrap();
    });
    drop(trials);
    let trials = store(&folder, "a").unwrap();
    assert_eq!(trials.len(), 64);
    for (name, value) in (0..64).map(unit) {
        assert_eq!(*trials.get(&name).unwrap(), value);
    }
}

#[test]
fn a_value_that_would_not_read_back_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let trials = store(&folder, "a").unwrap();
    let before = std::fs::read(path(&folder)).unwrap();
    let refused = trials.put("x", vec![f64::NAN]).unwrap_err();
    assert!(matches!(refused, TrialsError::Json { what, .. } if what == "x"));
    assert!(trials.is_empty());
    assert_eq!(std::fs::read(path(&folder)).unwrap(), before);
}

#[test]
fn two_stores_on_one_file_and_files_of_something_else_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let trials = store(&folder, "a").unwrap();
    assert!(matches!(store(&folder, "a"), Err(TrialsError::InUse { .. })));
    assert!(matches!(store(&folder, "b"), Err(TrialsError::InUse { .. })));
    trials.put("x", vec![1.0]).unwrap();
    drop(trials);
    let damaged = std::fs::read_to_string(path(&folder)).unwrap() + "{}\n";
    std::fs::write(path(&folder), &damaged).unwrap();
    let refused = store(&folder, "a").unwrap_err();
    let expected = format!("{}:3:2: missing field `unit`", path(&folder).display());
    assert!(matches!(refused, TrialsError::Damaged { line: 3, column: 2, .. }));
    assert_eq!(refused.to_string(), expected);
    // A text of the file may look like the place that the parser names.
    let other = damaged.replace("{}\n", "{\"unit\":\"y\",\"value\":\"at line 1 column 2\"}\n");
    std::fs::write(path(&folder), &other).unwrap();
    let refused = store(&folder, "a").unwrap_err().to_string();
    assert!(refused.contains(":3:") && refused.ends_with("expected a sequence"), "{refused}");
    std::fs::write(path(&folder), &damaged).unwrap();
    for text in ["a poem", "a poem\n", "{\"format\":\"model\",\"fingerprint\":\"\"}\n"] {
        std::fs::write(path(&folder), text).unwrap();
        assert!(matches!(store(&folder, "a"), Err(TrialsError::NotTrials { .. })), "{text}");
        assert_eq!(std::fs::read_to_string(path(&folder)).unwrap(), text, "the file is as it was");
    }
    let without_ends = damaged.replace('\n', "");
    std::fs::write(path(&folder), &without_ends).unwrap();
    assert!(matches!(store(&folder, "a"), Err(TrialsError::NotTrials { .. })));
    assert_eq!(std::fs::read_to_string(path(&folder)).unwrap(), without_ends);
}

#[test]
fn other_settings_of_an_experiment_have_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let open = |rounds: u32| {
        let settings = serde_json::json!({ "rounds": rounds });
        Trials::<f64>::of_experiment(folder.path(), "test", &settings).unwrap()
    };
    open(1).put("x", 1.0).unwrap();
    open(2).put("x", 2.0).unwrap();
    let (one, two) = (open(1), open(2));
    assert_eq!([one.get("x"), two.get("x")].map(|value| *value.unwrap()), [1.0, 2.0]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_unit_of_a_stage_runs_once() {
    let folder = tempfile::tempdir().unwrap();
    let trials = store(&folder, "a").unwrap();
    let stage = crate::progress::Progress::new(true).stage("test", 3);
    let run = |name: &str, value: f64| {
        trials.kept_or_run::<TrialsError>(name, &stage, || Ok(vec![value])).unwrap().as_ref().clone()
    };
    assert_eq!([run("x", 1.0), run("y", 2.0), run("x", 3.0)], [[1.0], [2.0], [1.0]]);
    assert_eq!(trials.len(), 2);
}

/// Two that open a file of other settings at once: one moves it aside, and the other finds it in use.
#[test]
fn a_file_is_moved_aside_by_one_of_two() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        drop(store(&folder, "a").unwrap());
        let both = std::sync::Barrier::new(2);
        let open = || {
            both.wait();
            let found = store(&folder, "b");
            // A store that was opened stays open until the other has been refused.
            std::thread::sleep(2 * ATTEMPTS * PAUSE);
            found.is_ok()
        };
        let opened = std::thread::scope(|scope| {
            let threads = [scope.spawn(open), scope.spawn(open)];
            threads.map(|thread| thread.join().unwrap())
        });
        assert_eq!(opened.into_iter().filter(|is_open| *is_open).count(), 1);
    }
}
