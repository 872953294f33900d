//! The supervisor of a worker: bounded memory, a time limit per case, and the classification of the worker's
//! end.

use super::finding::{Failure, Kind, crate_place};
use super::worker::{Job, MARK, POSITION, Position, Report};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use tempfile::NamedTempFile;

/// The command and the limits of a worker.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Environment variables besides those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// The time limit of a case.
    pub case: Duration,
    /// The limit of a worker's address space. An input has at most a quarter of a mebibyte, so a constant
    /// limit suffices.
    pub memory_mib: u64,
}

/// The time limit of a worker's first line, which comes after its seeds are built.
const START: Duration = Duration::from_secs(120);

/// A worker's report on its job.
#[derive(Debug, Default)]
pub struct Account {
    /// The number of accepted cases.
    pub accepted: u64,
    /// The number of refused cases.
    pub refused: u64,
    /// The failed cases, by number.
    pub failures: Vec<(u64, Failure)>,
    /// The next case.
    pub next: u64,
    /// Whether the worker finished its job.
    pub done: bool,
}

impl Launch {
    /// Runs a job. The end of the worker within a case is a failure of that case, whatever the cases before
    /// it have left.
    ///
    /// # Errors
    /// The worker cannot be started, or ends before its first case.
    pub fn run(&self, job: &Job) -> io::Result<Account> {
        let position = NamedTempFile::new()?;
        let mut child = self.start(job, position.path())?;
        let (Some(out), Some(complaints)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::Error::other("a worker without its streams"));
        };
        let (send, reports) = channel();
        let reader = thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let report = line.strip_prefix(MARK).and_then(|text| serde_json::from_str(text).ok());
                if report.is_some_and(|report: Report| send.send(report).is_err()) {
                    return;
                }
            }
        });
        let words = thread::spawn(move || {
            let mut text = Vec::new();
            // A worker may print anything; only the beginning is kept.
            let _ = complaints.take(1 << 16).read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut account = Account::default();
        let silent = self.listen(&reports, &mut account);
        if silent || account.done {
            // The worker has answered, or timed out.
            let _ = child.kill();
        }
        let status = child.wait()?;
        drop(reports);
        let words = words.join().unwrap_or_default();
        let _ = reader.join();
        let Some(at) = Position::read(position.path())? else {
            return Err(io::Error::other(format!("{}: no case was run: {status}, {words}", job.target)));
        };
        (account.next, account.accepted, account.refused) = (at.case, at.accepted, at.refused);
        if !account.done {
            account.failures.push((at.case, end(silent.then_some(self.case), status, &words)));
            account.next += 1;
        }
        Ok(account)
    }

    /// Whether the worker timed out.
    fn listen(&self, reports: &Receiver<Report>, account: &mut Account) -> bool {
        let mut limit = START;
        loop {
            match reports.recv_timeout(limit) {
                Ok(Report::Running) => {}
                Ok(Report::Failed(case, failure)) => account.failures.push((case, failure)),
                Ok(Report::Done) => {
                    account.done = true;
                    return false;
                }
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
            limit = self.case;
        }
    }

    fn start(&self, job: &Job, position: &Path) -> io::Result<Child> {
        // A shell sets the limits without unsafe code. It also limits the time of an orphaned worker.
        let limits = format!("ulimit -c 0; ulimit -t 600; ulimit -v {}; exec \"$@\"", self.memory_mib * 1024);
        let mut command = Command::new("sh");
        command.args(["-c", &limits, "sh"]).args(&self.command);
        command.envs(self.environment.iter().cloned()).env(POSITION, position);
        // Threads and their arenas reserve unused address space.
        command.envs([("MALLOC_ARENA_MAX", "1"), ("RAYON_NUM_THREADS", "1"), ("RUST_BACKTRACE", "1")]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(&serde_json::to_vec(job)?)?;
            input.write_all(b"\n")?;
        }
        Ok(child)
    }
}

/// The failure of a case whose worker ended.
pub(super) fn end(silence: Option<Duration>, status: ExitStatus, words: &str) -> Failure {
    let said = |text: &str| words.contains(text);
    // A process that has said why it ends may take long for the names in its backtrace.
    let is_ending = said("memory allocation of") || said("overflowed its stack");
    if let Some(limit) = silence.filter(|_| !is_ending) {
        let message = format!("no answer within {} s", limit.as_secs_f64());
        return Failure { kind: Kind::Hang, place: "no answer".to_owned(), message };
    }
    let kind = if said("memory allocation of") || said("capacity overflow") {
        Kind::Memory
    } else if said("overflowed its stack") {
        Kind::Abort
    } else if matches!(signal(status), Some(7 | 11)) {
        Kind::Segfault
    } else {
        Kind::Abort
    };
    let line = |text: &str| words.lines().find(|line| line.contains(text));
    let stated = ["memory allocation of", "overflowed its stack", "panicked"].into_iter().find_map(line);
    let last = stated.or_else(|| words.lines().rfind(|line| !line.trim().is_empty())).unwrap_or_default();
    if let Some(place) = crate_place(words) {
        return Failure { kind, place, message: format!("{status}: {last}") };
    }
    // Sizes and addresses differ from case to case.
    let place: String =
        last.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect();
    let place = if place.is_empty() { status.to_string() } else { place };
    Failure { kind, place: squeezed(&place), message: format!("{status}: {last}") }
}

/// Replaces runs of `#` by one.
fn squeezed(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if letter != '#' || !out.ends_with('#') {
            out.push(letter);
        }
    }
    out
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn who_has_said_why_it_ends_does_not_hang() {
        let killed = ExitStatus::from_raw(9);
        let of = |words: &str| end(Some(Duration::from_secs(3)), killed, words);
        let out_of_memory =
            of("memory allocation of 8 bytes failed\nstack backtrace:\n   0: std::alloc::rust_oom\n");
        assert_eq!(out_of_memory.kind, Kind::Memory);
        assert!(out_of_memory.place.starts_with("memory allocation of"), "{out_of_memory:?}");
        assert_eq!(of("thread 'worker' has overflowed its stack\n").kind, Kind::Abort);
        assert_eq!((of("").kind, of("a word").kind), (Kind::Hang, Kind::Hang));
    }
}
