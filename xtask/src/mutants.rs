//! `mutants`: cargo-mutants on a sample of the mutants of five crates.
//!
//! All of them would take days, so shards are tried: every Nth mutant of a list whose order is fixed. What
//! became of a mutant is kept in `docs/reliability/mutants.json`, and no mutant is tried twice unless it was
//! missed. Mutants are written into a copy of the working tree, which keeps its place and its build: one more
//! mutant costs the compilation of what it changed.

mod copy;
mod planted;
mod record;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cargo::{Failure, cargo, finish, line, root, target};
use record::{Mutant, Outcome, Record};

/// The crates with mathematics of their own, from the lowest to the highest. Packages are called
/// `ocoboost-` and this.
const CRATES: [&str; 5] = ["projections", "oco-core", "off-policy", "weak-learners", "boosters"];
/// The number of shards where none is asked for: one has 20 to 50 mutants.
const SHARDS: usize = 120;
/// The mutants of a crate before the next crate has its turn.
const CHUNK: usize = 8;
/// A mutant that takes this many times the time of the tests is in an endless loop.
const PATIENCE: u32 = 4;
/// The least patience: tests of a moment are late on a busy machine.
const LEAST: Duration = Duration::from_secs(60);

/// The program's own options.
const HELP: &str = "\
cargo xtask mutants [PACKAGE] [--shard K/N] [--minutes M] [--own] [--missed] [--table] [--planted]

  PACKAGE        projections, oco-core, off-policy, weak-learners or boosters; default: all, in turn
  --shard K/N    the mutants K, K + N, K + 2N, ... of a crate; default: those of 0/120, then 1/120, ...
  --minutes M    stop after M minutes of mutants, when the last is done; default: 10
  --own          only the tests of a mutant's own folder: what survives them counts as missed until it is tried again
  --missed       try again what was missed
  --table        only the figures so far
  --planted      only a few that are known to be caught, without cargo-mutants: a step of CI";

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    crates: Vec<&'static str>,
    shard: Option<(usize, usize)>,
    minutes: u64,
    own: bool,
    missed: bool,
    table: bool,
    planted: bool,
}

impl Wish {
    /// The options, or the word that is none.
    fn parse(arguments: &[OsString]) -> Result<Self, String> {
        let mut wish = Self {
            crates: CRATES.to_vec(),
            shard: None,
            minutes: 10,
            own: false,
            missed: false,
            table: false,
            planted: false,
        };
        let mut words = arguments.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            let refused = || format!("`{word}` is none of the options, or lacks its value");
            match &*word {
                "--own" => wish.own = true,
                "--missed" => wish.missed = true,
                "--table" => wish.table = true,
                "--planted" => wish.planted = true,
                "--minutes" => {
                    wish.minutes =
                        words.next().and_then(|minutes| minutes.parse().ok()).ok_or_else(refused)?;
                }
                "--shard" => {
                    let value = words.next().ok_or_else(refused)?;
                    let shard =
                        value.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
                    wish.shard = Some(shard.filter(|(k, n)| k < n).ok_or_else(refused)?);
                }
                name => {
                    let name = name.trim_start_matches("ocoboost-");
                    let known = CRATES.into_iter().find(|known| *known == name).ok_or_else(refused)?;
                    wish.crates = vec![known];
                }
            }
        }
        if wish.planted && arguments.len() > 1 {
            return Err("`--planted` takes no other option".to_owned());
        }
        Ok(wish)
    }
}

pub(crate) fn run(arguments: &[OsString]) -> Result<u8, Failure> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{HELP}");
        return Ok(0);
    }
    let wish = match Wish::parse(arguments) {
        Ok(wish) => wish,
        Err(refusal) => {
            eprintln!("xtask: {refusal}\n\n{HELP}");
            return Ok(2);
        }
    };
    if wish.planted {
        let _alone = alone()?;
        return planted::run();
    }
    let mut version = cargo(["mutants", "--version"]);
    let quiet = version.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !quiet.status().is_ok_and(|status| status.success()) {
        eprintln!(
            "missing: cargo-mutants, which writes and tests the mutants: `cargo install cargo-mutants --locked`"
        );
        return Ok(1);
    }
    let mut record = Record::read()?;
    let mut listed = BTreeMap::new();
    for package in wish.crates.iter().copied() {
        listed.insert(package, list(package)?);
    }
    if !wish.table {
        try_for(&wish, &listed, &mut record)?;
    }
    for package in CRATES {
        if !listed.contains_key(package) {
            listed.insert(package, list(package)?);
        }
    }
    print!("{}", record.table(&CRATES, &listed));
    for mutant in record.unexplained(&listed) {
        println!("missed: {mutant}");
    }
    Ok(0)
}

/// The mutants of a crate, in the order of cargo-mutants.
fn list(package: &str) -> Result<Vec<Mutant>, Failure> {
    let mut command = cargo(["mutants", "--list", "--no-config", "--colors", "never", "-p"]);
    command.arg(format!("ocoboost-{package}")).stderr(Stdio::inherit());
    let output = command.output().map_err(|source| Failure::Process { command: line(&command), source })?;
    let mutants = Mutant::all(&String::from_utf8_lossy(&output.stdout));
    if !output.status.success() || mutants.is_empty() {
        return Err(failed(&line(&command), "it lists no mutants"));
    }
    Ok(mutants)
}

/// Tries mutants, a chunk of each crate in turn, until the time is over.
fn try_for(wish: &Wish, listed: &BTreeMap<&str, Vec<Mutant>>, record: &mut Record) -> Result<(), Failure> {
    let _alone = alone()?;
    copy::write()?;
    let mut queues: Vec<_> =
        wish.crates.iter().map(|package| (*package, queue(wish, &listed[package], record))).collect();
    queues.retain(|(_, queue)| !queue.is_empty());
    let mut times = BTreeMap::new();
    for (package, _) in &queues {
        times.insert(*package, baseline(package)?);
    }
    let begun = Instant::now();
    while queues.iter().any(|(_, queue)| !queue.is_empty()) {
        for (package, queue) in &mut queues {
            let rest = queue.split_off(queue.len().min(CHUNK));
            for wanted in std::mem::replace(queue, rest) {
                if begun.elapsed() >= Duration::from_secs(wish.minutes.saturating_mul(60)) {
                    return Ok(());
                }
                let begun = Instant::now();
                let outcome = try_one(package, &wanted, times[*package], wish.own)?;
                println!("{} after {} s: {}", outcome.word(), begun.elapsed().as_secs(), wanted.mutant);
                record.add(wanted, outcome);
                record.write()?;
            }
        }
    }
    Ok(())
}

/// A mutant to be tried, and the shard that it is of.
#[derive(Debug, Clone)]
struct Wanted {
    mutant: Mutant,
    shard: String,
    /// The shard that holds nothing else.
    alone: String,
}

/// The mutants still to be tried, by shards.
fn queue(wish: &Wish, listed: &[Mutant], record: &Record) -> Vec<Wanted> {
    let shards = wish.shard.map_or_else(|| (0..SHARDS).map(|k| (k, SHARDS)).collect(), |shard| vec![shard]);
    let mut queue = Vec::new();
    for (k, n) in shards {
        for (place, mutant) in listed.iter().enumerate().skip(k).step_by(n) {
            let is_wanted = match record.outcome(mutant) {
                None => !wish.missed,
                Some(outcome) => wish.missed && outcome == Outcome::Missed && !record.is_explained(mutant),
            };
            if is_wanted {
                let alone = format!("{place}/{}", listed.len());
                queue.push(Wanted { mutant: mutant.clone(), shard: format!("{k}/{n}"), alone });
            }
        }
    }
    queue
}

/// The tests of a crate without a mutant have to pass; returns their time. What passed once is
/// not run again before a file changes.
fn baseline(package: &str) -> Result<Duration, Failure> {
    let passed = folder().join(format!("{package}.passed"));
    let state = copy::state()?;
    let kept = fs::read_to_string(&passed).unwrap_or_default();
    let kept = kept.split_once(' ').filter(|(of, _)| *of == state).and_then(|(_, time)| time.parse().ok());
    let elapsed = match kept {
        Some(seconds) => Duration::from_secs(seconds),
        None => {
            let mut elapsed = Duration::ZERO;
            for last in [&["--lib", "--tests", "--no-run"][..], &["--lib", "--tests"]] {
                let mut test = in_copy(cargo(["test", "--quiet", "-p"]));
                test.arg(format!("ocoboost-{package}")).args(last).stdout(Stdio::null());
                let begun = Instant::now();
                if finish(&mut test)? != 0 {
                    return Err(failed(&line(&test), "tests fail without any mutant"));
                }
                elapsed = begun.elapsed();
            }
            let text = format!("{state} {}", elapsed.as_secs());
            fs::write(&passed, text).map_err(|source| Failure::Write { source })?;
            elapsed
        }
    };
    eprintln!("{package}: the tests take {} s", elapsed.as_secs());
    Ok(elapsed)
}

/// Tries a mutant: first with the tests of its folder, if it survives with all tests, and if it survives them
/// with the examples of the documentation too.
fn try_one(package: &str, wanted: &Wanted, time: Duration, own: bool) -> Result<Outcome, Failure> {
    let first = first_tests(&wanted.mutant.file);
    // All tests come next, and are enough where none are known to be better.
    let few = (first != ["--lib"]).then_some((first, 1));
    let stages = few.into_iter().chain([(vec!["--lib", "--tests"], PATIENCE), (vec![], PATIENCE)]);
    for (tests, patience) in stages {
        let outcome = mutate(package, wanted, &tests, (time * patience).max(LEAST))?;
        if outcome != Outcome::Missed || own {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Missed)
}

/// The test programs that know a folder or a file best; the first row that fits counts. Most of the time of a
/// mutant goes into linking test programs, and none of these is needed where a test of the few fails.
const KNOWN_BY: [(&str, &[&str]); 27] = [
    ("oco-core/src/bandit/", &["multi_point", "spherical"]),
    ("oco-core/src/games/", &["games", "matrix_games"]),
    ("oco-core/src/learners/doubling.rs", &["doubling"]),
    ("oco-core/src/learners/gradient_descent/", &["composite_and_adaptive", "regret_bounds"]),
    ("oco-core/src/learners/leader/", &["fpl", "mirror_descent"]),
    ("oco-core/src/learners/mirror/", &["mirror_descent"]),
    ("oco-core/src/learners/mistake_bound/", &["mistake_bounds"]),
    ("oco-core/src/losses/", &["accounts", "regret_bounds"]),
    ("oco-core/src/projection_free/", &["projection_free"]),
    ("oco-core/src/regret/", &["accounts", "projection_free"]),
    ("oco-core/src/", &["regret_bounds", "beyond_range", "mirror_descent"]),
    ("weak-learners/src/batch/binned_tree/", &["binned_tree"]),
    ("weak-learners/src/batch/", &["batch", "binned", "binned_tree", "weighted_tree"]),
    ("weak-learners/src/online/hoeffding_tree.rs", &["hoeffding_tree", "contract"]),
    ("weak-learners/src/online/naive_bayes.rs", &["naive_bayes", "contract"]),
    ("weak-learners/src/online/", &["hedge", "linear_classifiers", "contract"]),
    ("weak-learners/src/pairs/", &["pairs"]),
    ("weak-learners/src/", &["ogd_linear", "contract", "magnitudes"]),
    ("boosters/src/agnostic/", &["agnostic", "statistical"]),
    ("boosters/src/auto_policy/", &["auto_policy"]),
    ("boosters/src/bopl/", &["bopl"]),
    ("boosters/src/gradient/", &["theorems", "refusals", "allocation"]),
    ("boosters/src/maboost/", &["maboost", "maboost_use"]),
    ("boosters/src/mistake_bound/", &["mistake_bound"]),
    ("boosters/src/feedback.rs", &["theorems", "refusals"]),
    ("boosters/src/saved.rs", &["refusals", "mistake_bound"]),
    ("boosters/src/", &["mistake_bound", "agnostic", "maboost_use"]),
];

/// The tests of the file itself, and those of [`KNOWN_BY`].
fn first_tests(file: &str) -> Vec<&'static str> {
    let below = file.strip_prefix("crates/").unwrap_or(file);
    let tests =
        KNOWN_BY.iter().find(|(start, _)| below.starts_with(start)).map_or(&[][..], |(_, tests)| tests);
    ["--lib"].into_iter().chain(tests.iter().flat_map(|test| ["--test", test])).collect()
}

/// cargo-mutants on one mutant, with these tests. The mutant is a shard of its own: a filter of names lets
/// some others through.
fn mutate(package: &str, wanted: &Wanted, tests: &[&str], limit: Duration) -> Result<Outcome, Failure> {
    let mut command =
        in_copy(cargo(["mutants", "--in-place", "--no-config", "--baseline=skip", "--no-shuffle"]));
    // The lints of rustc are no errors here, and a cap on them would build all dependencies again.
    command.args(["--cap-lints=false", "--colors=never", "-v", "-V", "--build-timeout=600"]);
    command.args(["-p", &format!("ocoboost-{package}"), &format!("--timeout={}", limit.as_secs()), "-o"]);
    command.arg(folder()).args(["--sharding=round-robin", &format!("--shard={}", wanted.alone)]);
    let code = finish(command.arg("--").args(tests).stdout(Stdio::null()))?;
    // Caught, missed, or late.
    if ![0, 2, 3].contains(&code) {
        return Err(failed(&line(&command), &format!("exit code {code}")));
    }
    for outcome in Outcome::ALL {
        let path = folder().join("mutants.out").join(format!("{}.txt", outcome.word()));
        let text = fs::read_to_string(&path).map_err(|source| Failure::Read { path, source })?;
        if text.lines().any(|name| name == wanted.mutant.name()) {
            return Ok(outcome);
        }
    }
    Err(failed(&line(&command), &format!("{} was not tried", wanted.mutant)))
}

/// The folder of the copy, its build, and the output of cargo-mutants.
fn folder() -> PathBuf {
    target().join("mutants")
}

/// The lock of the copy, which has one mutant at a time.
fn alone() -> Result<fs::File, Failure> {
    let write = |source| Failure::Write { source };
    fs::create_dir_all(folder()).map_err(write)?;
    let lock = fs::File::create(folder().join("lock")).map_err(write)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(_) => {
            let reason = format!("another run writes mutants into {}", folder().display());
            Err(failed("cargo xtask mutants", &reason))
        }
    }
}

/// A command in the copy. Its builds are incremental, and property tests draw the same cases every time and
/// remember none.
fn in_copy(mut command: Command) -> Command {
    command.current_dir(folder().join("tree"));
    command.env("CARGO_TARGET_DIR", folder().join("build"));
    command.env("CARGO_INCREMENTAL", "1").env("CARGO_PROFILE_DEV_DEBUG", "false");
    command.env("PROPTEST_RNG_SEED", "20260701").env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1");
    let data =
        ["data", "../shared/data"].map(|folder| root().join(folder)).into_iter().find(|data| data.is_dir());
    if let (Some(data), None) = (data, std::env::var_os("OCO_DATA")) {
        command.env("OCO_DATA", data);
    }
    command
}

fn failed(command: &str, reason: &str) -> Failure {
    Failure::Process { command: command.to_owned(), source: std::io::Error::other(reason.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(line: &str) -> Result<Wish, String> {
        Wish::parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_shard_is_below_the_number_of_shards() {
        let asked = wish("ocoboost-oco-core --shard 3/40 --minutes 5").unwrap();
        assert_eq!((asked.crates, asked.shard, asked.minutes), (vec!["oco-core"], Some((3, 40)), 5));
        assert_eq!(wish("").unwrap().crates, CRATES);
        assert!(wish("--planted").unwrap().planted);
        for refused in
            ["--planted --own", "--shard 40/40", "--shard 3", "--shard", "--minutes x", "nobody", "--missing"]
        {
            assert!(wish(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn every_crate_and_every_test_named_is_there() {
        let crates = root().join("crates");
        for name in CRATES {
            assert!(crates.join(name).is_dir(), "{name}");
        }
        for (start, tests) in KNOWN_BY {
            assert!(crates.join(start).exists(), "{start}");
            let (package, _) = start.split_once('/').unwrap();
            let folder = crates.join(package).join("tests");
            for test in tests {
                let one = folder.join(format!("{test}.rs")).exists();
                assert!(one || folder.join(test).join("main.rs").exists(), "{start} is tested by {test}");
            }
        }
        let of = |file| first_tests(file).join(" ");
        assert_eq!(of("crates/oco-core/src/learners/doubling.rs"), "--lib --test doubling");
        assert_eq!(of("crates/projections/src/traits.rs"), "--lib");
    }
}
