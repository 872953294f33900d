//! The command `fuzz`: a run that ends with its time or with Ctrl-C, and always with its table.

use crate::arguments::Fuzz;
use crate::say;
use experiments::fuzz::{self, Launch, Options};
use std::error::Error;
use std::io::Read;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// A run of a day, if only cases are counted.
const UNLIMITED: Duration = Duration::from_secs(86_400);

pub(crate) fn run(options: &Fuzz) -> Result<ExitCode, Box<dyn Error>> {
    if options.list {
        for target in fuzz::targets() {
            say(target.name())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let launch = Launch {
        command: vec![std::env::current_exe()?.into_os_string(), "fuzz-worker".into()],
        environment: Vec::new(),
        case: Duration::try_from_secs_f64(options.case_seconds)?,
        memory_mib: options.memory,
    };
    match &options.replay {
        Some(path) => replay(path, &launch),
        None if options.ends_with_input => attack(options, &launch),
        None => apart(),
    }
}

fn replay(path: &std::path::Path, launch: &Launch) -> Result<ExitCode, Box<dyn Error>> {
    let (finding, failure) = fuzz::replay(path, launch)?;
    say(&format!("{} after {}", finding.target, finding.changes.join("; ")))?;
    let Some(failure) = failure else {
        say("does no harm")?;
        return Ok(ExitCode::SUCCESS);
    };
    say(&format!("{}: {}: {}", failure.kind, failure.place, failure.message))?;
    Ok(ExitCode::FAILURE)
}

/// Runs the attack in a process group of its own, which Ctrl-C does not reach; it sees the end of its input when this
/// process is gone, and prints what it has.
fn apart() -> Result<ExitCode, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).arg("--ends-with-input").stdin(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    // The pipe stays open as long as this process lives.
    let input = child.stdin.take();
    let status = child.wait()?;
    drop(input);
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn attack(options: &Fuzz, launch: &Launch) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    // Left behind at the end: it waits for an input that says nothing but that it has ended.
    drop(thread::spawn(move || {
        let ended = std::io::stdin().lock().read_to_end(&mut Vec::new());
        seen.store(ended.is_ok(), Ordering::Relaxed);
    }));
    let threads = experiments::threads::count(options.threads)?;
    let minutes = Duration::try_from_secs_f64(options.minutes * 60.0)?;
    let found = fuzz::run(
        &fuzz::targets(),
        &Options {
            time: if options.cases.is_some() { UNLIMITED } else { minutes },
            cases: options.cases,
            seed: options.seed,
            threads,
            only: options.only.clone(),
            out: options.out.clone(),
            quiet: options.quiet,
        },
        launch,
        &stop,
    )?;
    say(&found.to_string())?;
    Ok(if found.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
