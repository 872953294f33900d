//! The process that runs cases, one after the other, and reports its position on standard output.
//!
//! A case may end the process. A line before every case would say which one, and takes longer than most
//! cases do. So a job has a line every few milliseconds, and the supervisor runs the cases after the last
//! line again, with a line before each.

use super::finding::{Failure, Kind, crate_place};
use super::mutate::Cases;
use super::target::{Prepared, Target};
use super::verdict::{AnyError, Verdict};
use serde::{Deserialize, Serialize};
use std::backtrace::Backtrace;
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
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
        /// A report before every case, in place of one every few milliseconds.
        stepwise: bool,
    },
    /// This input only.
    Given(Vec<u8>),
}

/// The reports of a worker: one line each, after `@fuzz `.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// The position, before its next case.
    At(Position),
    /// This case failed.
    Failed(u64, Failure),
    /// The job is done.
    Done(Position),
}

/// What a worker has done of its job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The next case.
    pub next: u64,
    /// The number of accepted cases.
    pub accepted: u64,
    /// The number of refused cases.
    pub refused: u64,
}

/// The time between two reports. Cases after the last one are run twice if the process ends.
const BETWEEN_REPORTS: Duration = Duration::from_millis(20);

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
    let mut at = Position::default();
    match &job.inputs {
        Inputs::Given(input) => {
            say(&Report::At(at))?;
            count(&mut at, run(target, &mut prepared, input))?;
        }
        Inputs::Cases { from, most, milliseconds, stepwise } => {
            let cases = Cases::new(target.name(), target.format(), &prepared.seeds, job.seed);
            at.next = *from;
            say(&Report::At(at))?;
            let (start, budget) = (Instant::now(), Duration::from_millis(*milliseconds));
            let (last, mut said) = (from.saturating_add(*most), start);
            while at.next < last {
                let now = Instant::now();
                if now - start >= budget {
                    break;
                }
                let input = cases.case(at.next).bytes;
                if *stepwise || now - said >= BETWEEN_REPORTS {
                    say(&Report::At(at))?;
                    said = now;
                }
                let is_seed = usize::try_from(at.next).is_ok_and(|k| k < cases.seeds());
                let outcome = run(target, &mut prepared, &input);
                let is_refused_seed = is_seed && outcome == Outcome::Refused;
                count(&mut at, if is_refused_seed { refused_seed(&input) } else { outcome })?;
            }
        }
    }
    say(&Report::Done(at))?;
    Ok(())
}

/// Takes a case into the position. A failure is reported at once.
fn count(at: &mut Position, outcome: Outcome) -> io::Result<()> {
    match outcome {
        Outcome::Accepted => at.accepted += 1,
        Outcome::Refused => at.refused += 1,
        Outcome::Failed(failure) => say(&Report::Failed(at.next, failure))?,
    }
    at.next += 1;
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
    let message = panic.payload_as_str().unwrap_or_default().chars().take(500).collect();
    last_panic().replace((place, message));
}
