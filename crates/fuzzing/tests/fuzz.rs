//! Fuzzing of saved types and readers: every type has a target, every kind of fault is found, and a short run
//! finds none.

use fuzzing::{Format, Inputs, Job, Kind, Launch, Options, Prepared, Summary, Target, Verdict};
use std::collections::BTreeSet;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The variable set for processes that run [`worker_of_the_faulty_targets`].
const WORKER: &str = "FUZZ_WORKER_OF_FAULTY_TARGETS";

fn faulty(name: &str, judge: fn(&[u8]) -> Verdict) -> Target {
    let prepare = move || Ok(Prepared { seeds: vec![b"[1,2,3]".to_vec()], judge: Box::new(judge) });
    Target::new(name, Format::Text, prepare)
}

/// Whether an input is the seed; a faulty target fails on every other input.
fn is_seed(input: &[u8]) -> bool {
    input == b"[1,2,3]"
}

#[allow(clippy::panic, reason = "a fault that has to be found")]
fn panics(input: &[u8]) -> Verdict {
    if is_seed(input) { Verdict::Accepted } else { panic!("on purpose: {}", input.len()) }
}

fn hangs(input: &[u8]) -> Verdict {
    // One of the first cases is enough: every hang takes the whole time limit of a case.
    while input.contains(&b'"') {
        thread::sleep(Duration::from_millis(10));
    }
    Verdict::Accepted
}

fn asks_for_memory(input: &[u8]) -> Verdict {
    if !is_seed(input) {
        black_box(vec![1_u8; 1 << 40]);
    }
    Verdict::Accepted
}

fn aborts(input: &[u8]) -> Verdict {
    if is_seed(input) { Verdict::Accepted } else { std::process::abort() }
}

/// Sends the signal of an invalid memory access. The first signal only removes the handler that detects stack
/// overflows.
fn faults(input: &[u8]) -> Verdict {
    let process = std::process::id().to_string();
    for _ in 0..if is_seed(input) { 0 } else { 10 } {
        if Command::new("kill").args(["-s", "SEGV", process.as_str()]).status().is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
    }
    Verdict::Accepted
}

#[allow(unconditional_recursion, clippy::only_used_in_recursion, reason = "a fault that has to be found")]
fn endless(depth: u64) -> u64 {
    black_box(endless(black_box(depth + 1))) + 1
}

fn overflows_the_stack(input: &[u8]) -> Verdict {
    if !is_seed(input) {
        black_box(endless(0));
    }
    Verdict::Accepted
}

/// The ninth case ends the process, whatever it is: a state that the others left. Others fail, or are
/// refused.
#[allow(clippy::panic, reason = "a fault that has to be found")]
fn ends_with_the_ninth(_: &[u8]) -> Verdict {
    static CASES: AtomicU64 = AtomicU64::new(0);
    match CASES.fetch_add(1, Ordering::Relaxed) {
        8 => std::process::abort(),
        7 => panic!("on purpose"),
        3 | 4 => Verdict::Refused,
        _ => Verdict::Accepted,
    }
}

fn refuses_its_seed(_: &[u8]) -> Verdict {
    Verdict::Refused
}

fn is_sound(input: &[u8]) -> Verdict {
    if input.starts_with(b"[") { Verdict::Accepted } else { Verdict::Refused }
}

/// A type that is saved as a wrong number, and a type that loads values it should refuse.
fn unlawful() -> Vec<Target> {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Finite(f64);
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(from = "f64", into = "f64")]
    struct Halved(f64);
    impl From<f64> for Halved {
        fn from(x: f64) -> Self {
            Self(x / 2.0)
        }
    }
    impl From<Halved> for f64 {
        fn from(x: Halved) -> Self {
            x.0
        }
    }
    impl Clone for Halved {
        fn clone(&self) -> Self {
            Self(self.0)
        }
    }
    vec![
        Target::saved(
            || Ok(vec![Finite(1.0)]),
            |x: &mut Finite, checks| {
                checks.number("its product", x.0 * 1e200);
                Ok(())
            },
        ),
        Target::saved(|| Ok(vec![Halved(1.0)]), |_: &mut Halved, _| Ok(())),
    ]
}

fn faulty_targets() -> Vec<Target> {
    let mut list = vec![
        faulty("panics", panics),
        faulty("hangs", hangs),
        faulty("asks for memory", asks_for_memory),
        faulty("aborts", aborts),
        faulty("faults", faults),
        faulty("overflows the stack", overflows_the_stack),
        faulty("ends with the ninth", ends_with_the_ninth),
        faulty("refuses its seed", refuses_its_seed),
        faulty("is sound", is_sound),
    ];
    list.extend(unlawful());
    list
}

/// The worker of the tests below, run by this program itself; without the variable it does nothing.
#[test]
fn worker_of_the_faulty_targets() {
    if std::env::var_os(WORKER).is_some() {
        fuzzing::work(&faulty_targets()).unwrap();
    }
}

#[allow(clippy::unwrap_used, reason = "a test helper: a test that does not know itself fails")]
fn launch() -> Launch {
    let test = ["--exact", "worker_of_the_faulty_targets", "--nocapture", "--test-threads=1"];
    let program = std::env::current_exe().unwrap().into_os_string();
    Launch {
        command: std::iter::once(program).chain(test.map(Into::into)).collect(),
        environment: vec![(WORKER.into(), "1".into())],
        case: Duration::from_secs(6),
        memory_mib: 512,
    }
}

#[allow(clippy::unwrap_used, reason = "a test helper: an attack that cannot be run fails the test")]
fn attack(out: &Path, seed: u64) -> Summary {
    let (time, cases) = (Duration::from_secs(3600), Some(12));
    let options = Options { time, cases, seed, threads: 2, only: None, out: out.to_owned(), quiet: true };
    fuzzing::run(&faulty_targets(), &options, &launch(), &AtomicBool::new(false)).unwrap()
}

#[test]
fn every_kind_of_fault_is_found_and_can_be_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let summary = attack(folder.path(), 1);
    let found: BTreeSet<(&str, Kind)> = summary
        .findings
        .iter()
        .map(|(finding, _)| (finding.target.rsplit("::").next().unwrap_or_default(), finding.failure.kind))
        .collect();
    let expected = [
        ("panics", Kind::Panic),
        ("hangs", Kind::Hang),
        ("asks for memory", Kind::Memory),
        ("aborts", Kind::Abort),
        ("faults", Kind::Segfault),
        ("overflows the stack", Kind::Abort),
        ("ends with the ninth", Kind::Abort),
        ("ends with the ninth", Kind::Panic),
        ("refuses its seed", Kind::Refusal),
        ("Finite", Kind::Law),
        ("Halved", Kind::Law),
    ];
    assert_eq!(found, BTreeSet::from(expected), "{summary}");
    // All panics at one place are one finding.
    let of_panics = summary.findings.iter().find(|(finding, _)| finding.target == "panics").unwrap();
    assert!(of_panics.1 > 5 && of_panics.0.failure.place.contains("tests/fuzz.rs"), "{:?}", of_panics.0);
    // What a state ends does so at its own case, and not alone.
    let together = summary.findings.iter().map(|(finding, _)| finding).filter(|finding| !finding.alone);
    let together: Vec<_> = together.map(|finding| (finding.target.as_str(), finding.case)).collect();
    assert_eq!(together, [("ends with the ninth", 7), ("ends with the ninth", 8)], "{summary}");
    // Each of the twelve cases is counted once, also where a worker ended and another went on.
    let counts = |wanted: &str| {
        let (_, tally) = summary.targets.iter().find(|(name, _)| name == wanted).unwrap();
        (tally.cases, tally.accepted, tally.refused, tally.failed, tally.ends)
    };
    let sound = counts("is sound");
    assert_eq!((sound.0, sound.1 + sound.2, sound.3, sound.4), (12, 12, 0, 0), "{summary}");
    assert_eq!(counts("ends with the ninth"), (12, 8, 2, 2, 1), "{summary}");

    let vacuous: Vec<&str> = summary
        .targets
        .iter()
        .filter(|(_, tally)| tally.is_vacuous())
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(vacuous.contains(&"panics") && !vacuous.contains(&"is sound"), "{summary}");
    assert!(summary.to_string().contains("11 findings"), "{summary}");

    // A file per finding, whose input fails again.
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 11);
    for file in files {
        let (finding, failure) = fuzzing::replay(&file, &launch()).unwrap();
        if finding.alone && finding.failure.kind != Kind::Refusal {
            assert_eq!(failure.map(|failure| failure.kind), Some(finding.failure.kind), "{finding:?}");
        }
    }
}

/// The paths of public types with `Deserialize`, from the sources.
#[allow(clippy::unwrap_used, reason = "a test helper: sources that are not there fail the test")]
fn saved_types() -> BTreeSet<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let names = ["rows", "projections", "oco-core", "datasets", "weak-learners", "off-policy", "boosters"];
    let mut types = BTreeSet::new();
    for name in names {
        visit(&crates.join(name).join("src"), &name.replace('-', "_"), &mut types);
    }
    types
}

#[allow(clippy::unwrap_used, reason = "a test helper: sources that cannot be read fail the test")]
fn visit(folder: &Path, module: &str, types: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            visit(&path, &format!("{module}::{stem}"), types);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let inner = matches!(stem.as_str(), "lib" | "mod");
            let module = if inner { module.to_owned() } else { format!("{module}::{stem}") };
            types.extend(
                declared(&fs::read_to_string(&path).unwrap()).map(|name| format!("{module}::{name}")),
            );
        }
    }
}

/// The `pub` types of a source that derive or implement `Deserialize`.
fn declared(source: &str) -> impl Iterator<Item = String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let name = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
    };
    let derived = source.split("#[derive(").skip(1).filter_map(move |rest| {
        let (traits, rest) = rest.split_once(")]")?;
        let end = ["\nstruct ", "\nenum ", "\npub struct ", "\npub enum ", "\npub("];
        let (at, start) = end.iter().filter_map(|end| Some((rest.find(end)?, *end))).min()?;
        let is_saved = traits.split(',').any(|one| one.trim().rsplit("::").next() == Some("Deserialize"));
        (is_saved && matches!(start, "\npub struct " | "\npub enum "))
            .then(|| name(&rest[at + start.len()..]))
    });
    let by_hand = source.lines().filter_map(move |line| {
        let (head, of) = line.strip_prefix("impl")?.split_once(" for ")?;
        head.contains("Deserialize<").then(|| name(of))
    });
    derived.collect::<Vec<_>>().into_iter().chain(by_hand.collect::<Vec<_>>())
}

#[test]
fn every_saved_type_has_a_target_and_target_names_are_unique() {
    let targets = fuzzing::targets();
    let names: BTreeSet<&str> = targets.iter().map(Target::name).collect();
    assert_eq!(names.len(), targets.len());
    let attacked: BTreeSet<&str> =
        names.iter().map(|name| name.split(['<', ',']).next().unwrap_or_default()).collect();
    let types = saved_types();
    assert!(types.len() > 150, "{}", types.len());
    let missing: Vec<&String> = types.iter().filter(|path| !attacked.contains(path.as_str())).collect();
    assert!(
        missing.is_empty(),
        "types that are saved, without a target in fuzzing/src/targets: {missing:#?}"
    );
}

#[test]
fn all_forms_of_declarations_are_found() {
    let source = "#[derive(Debug, Deserialize)]\n#[serde(try_from = \"A\")]\npub struct One<K> {\n\
                  #[derive(Deserialize)]\nstruct Private;\n#[derive(Debug)]\npub struct NotSaved;\n\
                  #[derive(serde::Serialize, serde::Deserialize)]\n/// Doc.\npub enum Two {}\n\
                  #[derive(Deserialize)]\npub(crate) struct Inner;\nimpl<'de> Deserialize<'de> for Three {\n\
                  #[cfg(test)]\nmod tests {\n#[derive(Deserialize)]\npub struct OfATest;\n}";
    assert_eq!(declared(source).collect::<Vec<_>>(), ["One", "Two", "Three"]);
}

/// A number in a short file that requests more than the worker's 256 MiB.
#[test]
fn sizes_beyond_memory_are_refused() {
    let launch = Launch {
        command: vec![env!("CARGO_BIN_EXE_fuzzing").into(), "--worker".into()],
        environment: Vec::new(),
        case: Duration::from_secs(20),
        memory_mib: 256,
    };
    let columns = r#"{"Sparse":{"dimension":33554432,"offsets":[0,1],"indices":[7],"values":[1.0]}}"#;
    for (target, input) in [
        ("weak_learners::batch::sorted_columns::SortedColumns", columns),
        (
            "weak_learners::pairs::binned_contexts::BinnedContexts",
            &format!(r#"{{"bins":9,"matrix":{columns}}}"#),
        ),
    ] {
        let inputs = Inputs::Given(vec![input.as_bytes().to_vec()]);
        let account = launch.run(&Job { target: target.to_owned(), seed: 0, inputs }).unwrap();
        assert_eq!((account.refused, account.failures.len()), (1, 0), "{target}: {account:?}");
    }
}

/// The program on every target: the unchanged seeds, and some mutated cases.
#[test]
fn a_short_run_on_every_target_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_fuzzing"))
        .args(["--cases", "40", "--seed", "7", "--quiet", "--out"])
        .arg(folder.path())
        .output()
        .unwrap();
    let (table, complaints) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{table}\n{complaints}");
    assert!(table.trim_end().ends_with(" 0 findings"), "{table}");
    assert_eq!(table.matches("vacuous").count(), 1, "only in the last line: {table}");
}
