//! The process that runs cases, one after the other.
//!
//! A case may end the process, so its number is written before it runs: into a file, because a line on
//! standard output takes longer than most cases do. Lines say that the worker is alive, and what has failed.

use super::finding::{Failure, Kind, crate_place};
use super::mutate::Cases;
use super::target::{Prepared, Target};
use super::verdict::{AnyError, Verdict};
use serde::{Deserialize, Serialize};
use std::backtrace::Backtrace;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, Seek, SeekFrom, Write};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A worker's job: one line of JSON on its standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The name of the target.
    pub target: String,
    /// The seed of the run.
    pub seed: u64,
    /// The inputs.
    pub inputs: Inputs,
}

/// The inputs of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inputs {
    /// Cases by number, until one of the limits is met.
    Cases {
        /// The first case.
        from: u64,
        /// The most cases.
        most: u64,
        /// The time limit.
        milliseconds: u64,
    },
    /// These inputs, numbered from 0.
    Given(Vec<Vec<u8>>),
}

/// The reports of a worker: one line each, after `@fuzz `.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// Cases are being run.
    Running,
    /// This case failed.
    Failed(u64, Failure),
    /// The job is done.
    Done,
}

/// The time between two reports, far below the time limit of a case.
const BETWEEN_REPORTS: Duration = Duration::from_millis(20);

/// The variable with the path of the file that has the [`Position`].
pub(super) const POSITION: &str = "FUZZ_POSITION";

/// What a worker has done of its job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// The case that runs, or comes next.
    pub(super) case: u64,
    pub(super) accepted: u64,
    pub(super) refused: u64,
}

impl Position {
    const BYTES: usize = 24;

    fn bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let numbers = [self.case, self.accepted, self.refused];
        for (bytes, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// The position in a file; `None` before the first case.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        let bytes = fs::read(path)?;
        let number = |k: usize| Some(u64::from_le_bytes(bytes.get(8 * k..8 * k + 8)?.try_into().ok()?));
        let position = || Some(Self { case: number(0)?, accepted: number(1)?, refused: number(2)? });
        Ok(position())
    }
}

/// A worker between two cases.
struct Progress {
    at: Position,
    file: File,
    said: Instant,
}

impl Progress {
    fn begin(first: u64) -> Result<Self, AnyError> {
        let path = std::env::var_os(POSITION).ok_or("a worker is started by a supervisor")?;
        let file = OpenOptions::new().write(true).open(path)?;
        say(&Report::Running)?;
        Ok(Self { at: Position { case: first, ..Position::default() }, file, said: Instant::now() })
    }

    /// Before the next case.
    fn save(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&self.at.bytes())
    }

    fn end(&mut self, outcome: Outcome, now: Instant) -> io::Result<()> {
        match outcome {
            Outcome::Accepted => self.at.accepted += 1,
            Outcome::Refused => self.at.refused += 1,
            Outcome::Failed(failure) => say(&Report::Failed(self.at.case, failure))?,
        }
        self.at.case += 1;
        if now - self.said >= BETWEEN_REPORTS {
            say(&Report::Running)?;
            self.said = now;
        }
        Ok(())
    }
}

/// The prefix of a worker's lines; other lines are ignored.
pub(super) const MARK: &str = "@fuzz ";

/// Reads a job, runs it, and reports.
///
/// # Errors
/// No job, an unknown target, a target whose seeds cannot be built, or a closed standard output.
pub fn work(targets: &[Target]) -> Result<(), AnyError> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let job: Job = serde_json::from_str(&line)?;
    let target = targets.iter().find(|target| target.name() == job.target);
    let target = target.ok_or_else(|| format!("there is no target {}", job.target))?;
    panic::set_hook(Box::new(keep));
    let mut prepared = target.prepare()?;
    let mut progress;
    match &job.inputs {
        Inputs::Given(inputs) => {
            progress = Progress::begin(0)?;
            for input in inputs {
                progress.save()?;
                let outcome = run(target, &mut prepared, input);
                progress.end(outcome, Instant::now())?;
            }
        }
        Inputs::Cases { from, most, milliseconds } => {
            let cases = Cases::new(target.name(), target.format(), &prepared.seeds, job.seed);
            progress = Progress::begin(*from)?;
            let last = from.saturating_add(*most);
            let (start, budget) = (progress.said, Duration::from_millis(*milliseconds));
            let mut now = start;
            while progress.at.case < last && now - start < budget {
                let number = progress.at.case;
                let input = cases.case(number).bytes;
                progress.save()?;
                let is_seed = usize::try_from(number).is_ok_and(|k| k < cases.seeds());
                let outcome = match run(target, &mut prepared, &input) {
                    Outcome::Refused if is_seed => refused_seed(&input),
                    outcome => outcome,
                };
                now = Instant::now();
                progress.end(outcome, now)?;
            }
        }
    }
    progress.save()?;
    say(&Report::Done)?;
    Ok(())
}

/// What became of a case.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Accepted,
    Refused,
    Failed(Failure),
}

fn refused_seed(input: &[u8]) -> Outcome {
    let message = String::from_utf8_lossy(input).chars().take(200).collect();
    Outcome::Failed(Failure { kind: Kind::Refusal, place: "a seed is refused".to_owned(), message })
}

fn say(report: &Report) -> io::Result<()> {
    // A separate line, even after an unfinished one.
    let line = format!("\n{MARK}{}\n", serde_json::to_string(report)?);
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}

/// One case; [`keep`] is the panic hook.
pub(super) fn run(target: &Target, prepared: &mut Prepared, input: &[u8]) -> Outcome {
    last_panic().take();
    match panic::catch_unwind(AssertUnwindSafe(|| target.judge(prepared, input))) {
        Ok(Verdict::Accepted) => Outcome::Accepted,
        Ok(Verdict::Refused) => Outcome::Refused,
        Ok(Verdict::Faulty(complaint)) => Outcome::Failed(Failure {
            kind: Kind::Law,
            place: complaint.law.to_owned(),
            message: complaint.detail.chars().take(2000).collect(),
        }),
        Err(_) => {
            let (place, message) = last_panic().take().unwrap_or_default();
            Outcome::Failed(Failure { kind: Kind::Panic, place, message })
        }
    }
}

/// Place and message of the last panic in any thread.
static LAST_PANIC: Mutex<Option<(String, String)>> = Mutex::new(None);

fn last_panic() -> std::sync::MutexGuard<'static, Option<(String, String)>> {
    LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn keep(panic: &PanicHookInfo<'_>) {
    if formats::is_decoding() {
        // Caught there: a decoder panics on some damaged bytes.
        return;
    }
    let stated =
        panic.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
    let place = if stated.starts_with("crates/") {
        stated
    } else {
        crate_place(&Backtrace::force_capture().to_string()).unwrap_or(stated)
    };
    let payload = panic.payload();
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    let message = payload.downcast_ref::<&str>().copied().or(owned);
    let message = message.unwrap_or_default().chars().take(500).collect();
    last_panic().replace((place, message));
}
