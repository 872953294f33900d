//! Mutated inputs for every saved type and every reader.
//!
//! A target is a saved type or a reader, with valid inputs as seeds. Cases are mutated seeds. They run in
//! worker processes, so that an abort, a memory fault, a hang or a decompression bomb is a finding and does
//! not end the run. An accepted value is used as in an application, saved and loaded again.
//!
//! Reading order: [`run`]; [`Target`] and [`Checks`], the laws of a target; `mutate`, the cases; [`Launch`]
//! and [`work`], the two ends of a worker; `targets`, the list; [`guided`], the same targets under libFuzzer;
//! [`corpora`], what it found, for the tests.

mod checks;
pub mod corpora;
mod draw;
mod finding;
pub mod guided;
mod hours;
mod memory;
mod mutate;
mod play;
mod summary;
mod supervise;
mod target;
mod targets;
mod verdict;
mod worker;

pub use checks::Checks;
pub use finding::{Failure, Finding, Kind};
pub use memory::{Counting, Memory, measured};
pub use mutate::{Case, Cases, mutated};
pub use summary::{Summary, Tally};
pub use supervise::{Account, Launch};
pub use target::{Format, Judge, Prepared, Target};
pub use targets::{all as targets, doors};
pub use verdict::{AnyError, Complaint, Verdict};
pub use worker::{Inputs, Job, Report, work};

use report::progress::{Progress, Stage};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The limits of a run, and the folder of its findings.
#[derive(Debug)]
pub struct Options {
    /// The time of the whole run.
    pub time: Duration,
    /// The number of cases per target, instead of a time.
    pub cases: Option<u64>,
    /// The seed of all cases.
    pub seed: u64,
    /// The number of parallel workers.
    pub threads: usize,
    /// Only targets whose names contain this.
    pub only: Option<String>,
    /// The folder of the findings.
    pub out: PathBuf,
    /// No progress output.
    pub quiet: bool,
}

/// After this many ended workers, a target waits for its next turn: a hang costs the whole time limit of a
/// case.
const ENDS_A_TURN: usize = 4;
/// After this many ended workers in all, a target is skipped.
const MOST_ENDS: u64 = 40;

/// Runs cases of every target in turns, until the time is over or `stop` is set.
///
/// Case `n` of a target depends only on the seed and the target's name; the number of cases depends on the
/// time.
///
/// # Errors
/// A worker cannot be started, or a finding cannot be written.
pub fn run(targets: &[Target], options: &Options, launch: &Launch, stop: &AtomicBool) -> io::Result<Summary> {
    let wanted =
        |target: &&Target| options.only.as_ref().is_none_or(|part| target.name().contains(part.as_str()));
    let targets: Vec<&Target> = targets.iter().filter(wanted).collect();
    let progress = Progress::new(options.quiet);
    let seconds = if options.cases.is_some() { targets.len() as u64 } else { options.time.as_secs() };
    let run = Run {
        options,
        launch,
        stop,
        start: Instant::now(),
        stage: progress.stage("fuzz", seconds),
        progress: &progress,
        next: AtomicUsize::new(0),
        tallies: targets
            .iter()
            .map(|target| Tally { is_of_any_bytes: target.is_of_any_bytes(), ..Tally::default() }.into())
            .collect(),
        findings: Mutex::default(),
        targets,
    };
    if !run.targets.is_empty() {
        thread::scope(|scope| {
            let workers: Vec<_> = (0..options.threads.clamp(1, run.targets.len()))
                .map(|_| scope.spawn(|| run.turns()))
                .collect();
            workers.into_iter().try_for_each(|worker| {
                worker.join().unwrap_or_else(|_| Err(io::Error::other("a supervisor panicked")))
            })
        })?;
    }
    Ok(run.summary())
}

/// Whether the figures of a file have the cases of a seed.
///
/// # Errors
/// The file cannot be read.
pub fn is_counted(path: &Path, seed: u64) -> io::Result<bool> {
    Ok(hours::Hours::read(path)?.has(seed))
}

/// Adds a run with this seed to the figures of a file; the figures of all runs as a table.
///
/// # Errors
/// The file cannot be read or written.
pub fn add_up(path: &Path, run: &Summary, seed: u64) -> io::Result<String> {
    Ok(hours::Hours::update(path, |hours| hours.add(run, seed))?.to_string())
}

/// Runs the single input of a file written by [`run`]. `None` if it does not fail any more.
///
/// # Errors
/// The file cannot be read, or a worker cannot be started.
pub fn replay(path: &Path, launch: &Launch) -> io::Result<(Finding, Option<Failure>)> {
    let (finding, input) = Finding::read(path)?;
    let failure = alone(launch, &finding.target, input)?;
    Ok((finding, failure))
}

fn alone(launch: &Launch, target: &str, input: Vec<u8>) -> io::Result<Option<Failure>> {
    let job = Job { target: target.to_owned(), seed: 0, inputs: Inputs::Given(vec![input]) };
    Ok(launch.run(&job)?.failures.pop().map(|(_, failure)| failure))
}

type Findings = BTreeMap<(String, Kind, String), (Finding, u64)>;

struct Run<'a> {
    targets: Vec<&'a Target>,
    options: &'a Options,
    launch: &'a Launch,
    stop: &'a AtomicBool,
    start: Instant,
    stage: Stage,
    progress: &'a Progress,
    /// The number of turns begun.
    next: AtomicUsize,
    tallies: Vec<Mutex<Tally>>,
    findings: Mutex<Findings>,
}

impl Run<'_> {
    fn turns(&self) -> io::Result<()> {
        while !self.stop.load(Ordering::Relaxed) && self.start.elapsed() < self.options.time {
            let turn = self.next.fetch_add(1, Ordering::Relaxed);
            let k = turn % self.targets.len();
            if self.options.cases.is_some() && turn >= self.targets.len() {
                break;
            }
            // The next worker of a target continues after the last one.
            let Ok(mut tally) = self.tallies[k].try_lock() else { continue };
            self.turn(self.targets[k], &mut tally)?;
            drop(tally);
            self.show();
        }
        Ok(())
    }

    /// The time of a turn: every target gets two turns within the run, and no turn exceeds ten seconds.
    fn slice(&self) -> Duration {
        let threads = u32::try_from(self.options.threads.max(1)).unwrap_or(u32::MAX);
        let targets = u32::try_from(self.targets.len()).unwrap_or(u32::MAX).max(1);
        (self.options.time * threads / targets / 2).clamp(Duration::from_millis(100), Duration::from_secs(10))
    }

    fn turn(&self, target: &Target, tally: &mut Tally) -> io::Result<()> {
        if tally.ends >= MOST_ENDS {
            thread::sleep(Duration::from_millis(10));
            return Ok(());
        }
        let (begin, slice) = (Instant::now(), self.slice());
        let last = self.options.cases.map(|cases| tally.next + cases);
        for _ in 0..ENDS_A_TURN {
            let most = last.map_or(u64::MAX, |last| last.saturating_sub(tally.next));
            let left = if last.is_some() { self.options.time } else { slice.saturating_sub(begin.elapsed()) };
            if most == 0 || left.is_zero() {
                break;
            }
            let milliseconds = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            let inputs = Inputs::Cases { from: tally.next, most, milliseconds };
            let job = Job { target: target.name().to_owned(), seed: self.options.seed, inputs };
            let started = Instant::now();
            let account = self.launch.run(&job)?;
            tally.time += started.elapsed();
            tally.cases += account.next - tally.next;
            tally.accepted += account.accepted;
            tally.refused += account.refused;
            tally.failed += account.failures.len() as u64;
            tally.next = account.next;
            for (case, failure) in account.failures {
                self.found(target, case, failure)?;
            }
            if account.done {
                break;
            }
            tally.ends += 1;
        }
        Ok(())
    }

    fn found(&self, target: &Target, number: u64, failure: Failure) -> io::Result<()> {
        let key = (target.name().to_owned(), failure.kind, failure.place.clone());
        if let Some((_, count)) = self.findings().get_mut(&key) {
            *count += 1;
            return Ok(());
        }
        let seeds = target.prepare().map_err(|error| io::Error::other(error.to_string()))?.seeds;
        let cases = Cases::new(target.name(), target.format(), &seeds, self.options.seed);
        let Case { bytes, changes } = cases.case(number);
        let again = alone(self.launch, target.name(), bytes.clone())?;
        if failure.kind == Kind::Hang && again.is_none() {
            // Caused by a busy machine, not a hang.
            return Ok(());
        }
        let is_same = |again: Failure| again.kind == failure.kind;
        let alone = failure.kind == Kind::Refusal || again.is_some_and(is_same);
        let (target, seed) = (key.0.clone(), self.options.seed);
        let finding = Finding { target, failure, seed, case: number, changes, alone };
        let mut findings = self.findings();
        let path = finding.write(&self.options.out, findings.len() + 1, &bytes)?;
        let Failure { kind, place, message } = &finding.failure;
        let message: String = message.chars().take(200).collect();
        self.progress.note(&format!(
            "{kind} in {}: {place}: {message}\n  after {}\n  replay: cargo xtask fuzz --replay {}",
            finding.target,
            finding.changes.join("; "),
            path.display()
        ));
        findings.insert(key, (finding, 1));
        Ok(())
    }

    fn findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self) {
        let elapsed = self.start.elapsed();
        let units = if self.options.cases.is_some() {
            self.next.load(Ordering::Relaxed) as u64
        } else {
            elapsed.as_secs()
        };
        let cases: u64 =
            self.tallies.iter().filter_map(|tally| tally.try_lock().ok()).map(|tally| tally.cases).sum();
        let rate = cases.checked_div(elapsed.as_secs().max(1)).unwrap_or_default();
        self.stage.message(&format!("{cases} cases, {rate} a second, {} findings", self.findings().len()));
        self.stage.done(units.saturating_sub(self.stage.position()));
    }

    fn summary(self) -> Summary {
        let tally = |tally: Mutex<Tally>| tally.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.stage.finish();
        Summary {
            targets: self
                .targets
                .iter()
                .map(|target| target.name().to_owned())
                .zip(self.tallies.into_iter().map(tally))
                .collect(),
            findings: self
                .findings
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
                .into_values()
                .collect(),
            elapsed: self.start.elapsed(),
        }
    }
}
