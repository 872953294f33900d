//! The program behind `cargo xtask fuzz`: a run until its time limit or Ctrl-C, with a table at the end in
//! both cases.

use boosters::Threads;
use clap::Parser;
use fuzzing::{Launch, Options};
use report::output::{say, warn};
use std::error::Error;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: fuzzing::Counting = fuzzing::Counting;

/// The time limit with --cases: a day.
const UNLIMITED: Duration = Duration::from_secs(86_400);

/// Fuzz every saved type and every reader with mutated inputs
#[derive(Parser)]
#[command(name = "cargo xtask fuzz", bin_name = "cargo xtask fuzz", version, about)]
struct Arguments {
    /// Duration of the run, in minutes
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Cases per target, instead of a duration
    #[arg(long, conflicts_with = "minutes")]
    cases: Option<u64>,
    /// Seed of all cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Parallel workers; default: one per core
    #[arg(long)]
    threads: Option<usize>,
    /// Part of a target's name; default: all targets
    #[arg(long)]
    only: Option<String>,
    /// Folder for the findings
    #[arg(long, default_value = "out/fuzz")]
    out: PathBuf,
    /// File that adds up the figures of all runs, each with another seed
    #[arg(long)]
    figures: Option<PathBuf>,
    /// Time limit of a case, in seconds
    #[arg(long, default_value_t = 5.0)]
    case_seconds: f64,
    /// Memory limit of a worker, in MiB
    #[arg(long, default_value_t = 256)]
    memory: u64,
    /// File of a finding: run only its input
    #[arg(long)]
    replay: Option<PathBuf>,
    /// List the names of the targets
    #[arg(long)]
    list: bool,
    /// No progress output
    #[arg(long)]
    quiet: bool,
    /// Internal: end when standard input ends
    #[arg(long, hide = true)]
    ends_with_input: bool,
    /// Internal: run the job given on standard input
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            warn(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    if options.worker {
        fuzzing::work(&fuzzing::targets())?;
        return Ok(ExitCode::SUCCESS);
    }
    if options.list {
        for target in fuzzing::targets() {
            say(target.name())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let launch = Launch {
        command: vec![std::env::current_exe()?.into_os_string(), "--worker".into()],
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
    let (finding, failure) = fuzzing::replay(path, launch)?;
    say(&format!("{} after {}", finding.target, finding.changes.join("; ")))?;
    let Some(failure) = failure else {
        say("does no harm")?;
        return Ok(ExitCode::SUCCESS);
    };
    say(&format!("{}: {}: {}", failure.kind, failure.place, failure.message))?;
    Ok(ExitCode::FAILURE)
}

/// Runs the fuzzing in its own process group, which Ctrl-C does not reach. When this process ends, its input
/// ends, and it prints its table.
fn apart() -> Result<ExitCode, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).arg("--ends-with-input").stdin(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    // The pipe stays open until this process ends.
    let input = child.stdin.take();
    let status = child.wait()?;
    drop(input);
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn attack(options: &Arguments, launch: &Launch) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    // Not joined: the thread only waits for the end of the input.
    drop(thread::spawn(move || {
        let ended = std::io::stdin().lock().read_to_end(&mut Vec::new());
        seen.store(ended.is_ok(), Ordering::Relaxed);
    }));
    if let Some(path) = &options.figures
        && fuzzing::is_counted(path, options.seed)?
    {
        let (seed, path) = (options.seed, path.display());
        return Err(format!("{path} has the cases of seed {seed}; --seed names another").into());
    }
    let threads = options.threads.map_or(Ok(Threads::all()), Threads::exactly)?.count()?;
    let minutes = Duration::try_from_secs_f64(options.minutes * 60.0)?;
    let found = fuzzing::run(
        &fuzzing::targets(),
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
    if let Some(path) = &options.figures {
        say(&fuzzing::add_up(path, &found, options.seed)?)?;
    }
    Ok(if found.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
