//! The nth call of the system that fails or kills, by strace.

#![allow(dead_code, reason = "no test program needs all of it")]

use crate::reduced::announce;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// Whether processes can be traced here; what it takes is said where not.
pub(crate) fn is_possible() -> bool {
    static IS_POSSIBLE: OnceLock<bool> = OnceLock::new();
    let possible = *IS_POSSIBLE.get_or_init(|| {
        let mut strace = Command::new("strace");
        strace.args(["-f", "--seccomp-bpf", "-qq", "-e", "trace=write", "true"]);
        strace.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        strace.status().is_ok_and(|status| status.success())
    });
    if !possible {
        announce("strace is not here, or may not trace: no call of the system was made to fail");
    }
    possible
}

/// The calls that met their fault: strace counts the calls of every thread by themselves.
#[derive(Debug)]
pub(crate) struct Met {
    /// Calls as strace prints them, such as `fsync(3) = -1 EIO (Input/output error) (INJECTED)`.
    pub(crate) calls: Vec<String>,
}

impl Met {
    /// Whether one of them wrote to a standard stream.
    pub(crate) fn is_of(&self, stream: u32) -> bool {
        self.calls.iter().any(|call| call.contains(&format!("({stream},")))
    }

    /// Whether all of them wrote to a standard stream.
    pub(crate) fn is_only_of(&self, stream: u32) -> bool {
        self.calls.iter().all(|call| call.contains(&format!("({stream},")))
    }
}

/// Runs a program, the nth of whose calls in every thread meets a fault, such as `error=EIO` or
/// `signal=KILL`. `None`: no thread made so many calls.
pub(crate) fn run(
    command: &Command,
    calls: &str,
    fault: &str,
    nth: usize,
    trace: &Path,
) -> (Output, Option<Met>) {
    let mut strace = Command::new("strace");
    // It is quicker with the filter, which loses signals of the first thread.
    strace.args(if fault.starts_with("error") { &["-f", "--seccomp-bpf"][..] } else { &["-f"] });
    strace.args(["-qq", "-s", "0", "-o"]).arg(trace);
    strace.args(["-e", &format!("trace={calls}"), "-e", &format!("inject={calls}:{fault}:when={nth}"), "--"]);
    strace.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        strace.current_dir(folder);
    }
    let output = strace.stdin(Stdio::null()).output().unwrap();
    let text = std::fs::read_to_string(trace).unwrap();
    // A call that is killed never returns.
    let is_met = |line: &&str| line.contains("(INJECTED)") || line.contains("killed by SIGKILL");
    let calls: Vec<String> = text.lines().filter(is_met).filter_map(call).collect();
    (output, (!calls.is_empty()).then_some(Met { calls }))
}

fn call(line: &str) -> Option<String> {
    line.split_once(' ').map(|(_, call)| call.trim().to_owned())
}

/// The calls that a program makes of some kinds, in their order, whichever thread makes them.
pub(crate) fn calls(command: &Command, calls: &str, trace: &Path) -> Vec<String> {
    // A number that no thread comes to.
    let _ = run(command, calls, "error=EIO", 60_000, trace);
    let text = std::fs::read_to_string(trace).unwrap();
    // Neither the end of a process, nor a thread whose call strace could not read because the process ended.
    let is_call = |call: &String| !call.starts_with("+++") && !call.starts_with("???");
    text.lines().filter_map(call).filter(is_call).collect()
}
