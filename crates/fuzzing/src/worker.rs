//! The process that runs cases, one after the other, and reports its position on standard output.
//!
//! A case may end the process, so a line is printed before every case.

use super::finding::{Failure, Kind, crate_place};
use super::mutate::case;
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
    },
    /// This input only.
    Given(Vec<u8>),
}

/// The reports of a worker: one line each, after `@fuzz `.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// A case begins.
    Begins(u64),
    /// The current case was accepted.
    Accepted,
    /// The current case was refused.
    Refused,
    /// The current case failed.
    Failed(Failure),
    /// The job is done.
    Done,
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
    match &job.inputs {
        Inputs::Given(input) => {
            say(&Report::Begins(0))?;
            say(&run(target, &mut prepared, input))?;
        }
        Inputs::Cases { from, most, milliseconds } => {
            let (start, budget) = (Instant::now(), Duration::from_millis(*milliseconds));
            let cases = *from..from.saturating_add(*most);
            for number in cases.take_while(|_| start.elapsed() < budget) {
                let input = case(target.name(), target.format(), &prepared.seeds, job.seed, number).bytes;
                say(&Report::Begins(number))?;
                let report = run(target, &mut prepared, &input);
                let is_seed = usize::try_from(number).is_ok_and(|k| k < prepared.seeds.len());
                say(&if is_seed && report == Report::Refused { refused_seed(&input) } else { report })?;
            }
        }
    }
    say(&Report::Done)?;
    Ok(())
}

fn refused_seed(input: &[u8]) -> Report {
    let message = String::from_utf8_lossy(input).chars().take(200).collect();
    Report::Failed(Failure { kind: Kind::Refusal, place: "a seed is refused".to_owned(), message })
}

fn say(report: &Report) -> io::Result<()> {
    // A separate line, even after an unfinished one.
    let line = format!("\n{MARK}{}\n", serde_json::to_string(report)?);
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}

/// One case; [`keep`] is the panic hook.
pub(super) fn run(target: &Target, prepared: &mut Prepared, input: &[u8]) -> Report {
    last_panic().take();
    match panic::catch_unwind(AssertUnwindSafe(|| target.judge(prepared, input))) {
        Ok(Verdict::Accepted) => Report::Accepted,
        Ok(Verdict::Refused) => Report::Refused,
        Ok(Verdict::Faulty(complaint)) => Report::Failed(Failure {
            kind: Kind::Law,
            place: complaint.law.to_owned(),
            message: complaint.detail.chars().take(2000).collect(),
        }),
        Err(_) => {
            let (place, message) = last_panic().take().unwrap_or_default();
            Report::Failed(Failure { kind: Kind::Panic, place, message })
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
