//! Fuzzing guided by coverage: libFuzzer mutates, and keeps what reaches new code.
//!
//! One program has all targets. With a target's name in `TARGET` it is libFuzzer on that target; else it is
//! `session`, which starts itself so for every target in turn. The package `guided` beside this crate links
//! it.

mod session;

use crate::finding::{Failure, Kind};
use crate::mutate::mutated;
use crate::target::{Format, Prepared, Target};
use crate::verdict::AnyError;
use crate::worker::{MARK, Outcome, keep, run};
use std::cell::RefCell;
use std::panic;
use std::process;

/// The variable with the name of libFuzzer's target.
const TARGET: &str = "FUZZ_TARGET";

thread_local! {
    /// The target under attack. libFuzzer calls from one thread alone.
    static ATTACKED: RefCell<Option<(Target, Prepared)>> = const { RefCell::new(None) };
}

/// Prepares the target, or runs the session and ends the process.
pub fn begin() {
    let Some(name) = std::env::var_os(TARGET) else { process::exit(session::main().into()) };
    let prepared = || -> Result<(Target, Prepared), AnyError> {
        let target = super::targets().into_iter().find(|target| name == target.name());
        let target = target.ok_or_else(|| format!("there is no target {}", name.display()))?;
        let prepared = target.prepare()?;
        Ok((target, prepared))
    };
    // In place of libFuzzer's hook, which ends the process at a panic that its own code catches.
    panic::set_hook(Box::new(keep));
    match prepared() {
        Ok(prepared) => ATTACKED.set(Some(prepared)),
        Err(error) => {
            report::output::warn(&format!("error: {error}"));
            process::exit(2);
        }
    }
}

/// Judges an input. A failure is reported on a line of its own, and ends the process: libFuzzer then writes
/// the input.
pub fn attack(input: &[u8]) {
    let failure = ATTACKED.with_borrow_mut(|attacked| {
        let (target, prepared) = attacked.as_mut()?;
        match run(target, prepared, input) {
            Outcome::Failed(failure) => Some(failure),
            _ => None,
        }
    });
    let Some(failure) = failure else { return };
    report::output::warn(&format!("\n{MARK}{}", serde_json::to_string(&failure).unwrap_or_default()));
    process::abort();
}

/// Changes an input by the structure of the target's format; `None` where the bytes are changed by libFuzzer.
///
/// It is asked for two of three inputs of JSON, and one of three of text. A result that is too long is none.
#[must_use]
pub fn structured(input: &[u8], most: usize, seed: u32) -> Option<Vec<u8>> {
    ATTACKED.with_borrow(|attacked| {
        let (target, prepared) = attacked.as_ref()?;
        let share = match target.format() {
            Format::Json => 2,
            Format::Text => 1,
            Format::Binary => 0,
        };
        if seed % 3 >= share {
            return None;
        }
        let bytes = mutated(target.format(), input, &prepared.seeds, u64::from(seed)).bytes;
        (bytes.len() <= most).then_some(bytes)
    })
}

/// The failure on the marked line of a process, if it has one.
fn stated(line: &str) -> Option<Failure> {
    serde_json::from_str(line.strip_prefix(MARK)?).ok()
}

/// The kind of a failure by the name of the file that libFuzzer writes.
fn kind_of(file: &str) -> Kind {
    match file.split('-').next() {
        Some("timeout" | "slow") => Kind::Hang,
        Some("oom") => Kind::Memory,
        _ => Kind::Abort,
    }
}
