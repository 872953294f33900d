//! The program is killed, and nothing is lost.
//!
//! KILLS in the environment is how often, by default a few times; SEED draws the moments.

use crate::jobs::{self, Job, ends_well, left_over};
use crate::running::command;
use crate::traced;
use ocoboost::{CandidateTrainCheckpoint, TrainCheckpoint};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().expect(name))
}

/// Numbers in [0, 1): a generator of Lehmer's. Moments need no better one.
struct Moments(u64);

impl Moments {
    fn new() -> Self {
        Self(2 * setting("SEED", 1) + 1)
    }

    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0xda94_2042_e4dd_58b5);
        f64::from(u32::try_from(self.0 >> 32).unwrap()) / f64::from(u32::MAX)
    }
}

fn quiet(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills a program at a moment of its life; false if it had ended.
fn is_killed(command: Command, moment: Duration) -> bool {
    let mut child = quiet(command);
    std::thread::sleep(moment);
    let _ = child.kill();
    let status = child.wait().unwrap();
    assert!(status.code().is_none() || ends_well(status), "{status}");
    status.code().is_none()
}

/// The time of a run, the least of three.
fn time_of(mut run: impl FnMut()) -> Duration {
    let times = (0..3).map(|_| {
        let begun = Instant::now();
        run();
        begun.elapsed()
    });
    times.min().unwrap()
}

/// Random moments of every job that writes over older files.
#[test]
fn killed_at_any_moment_a_job_leaves_the_old_files_or_the_new_ones() {
    let (jobs, mut moments) = (Job::all(), Moments::new());
    let kills = setting("KILLS", 60) / 2;
    let times: Vec<Duration> =
        jobs.iter().map(|job| time_of(|| assert!(ends_well(quiet(job.command()).wait().unwrap())))).collect();
    let (mut killed, mut ended, mut left) = (0, 0, 0);
    for (job, time) in jobs.iter().zip(times).cycle() {
        if killed >= kills {
            break;
        }
        job.reset();
        for _ in 0..3 {
            let is_killed = is_killed(job.command(), time.mul_f64(1.1 * moments.share()));
            killed += u64::from(is_killed);
            ended += u64::from(!is_killed);
            job.assert_whole("killed");
            // The next run has removed what the one before has left.
            let now = left_over(job.folder()).len();
            assert!(now <= job.files().count(), "{}: {now} temporary files", job.name);
            left += usize::from(now > 0);
        }
        job.assert_recovers("killed");
    }
    println!("killed {killed} times, {ended} ended before; {left} left a temporary file");
}

/// The moments of writing, one by one: the nth call is the last.
#[test]
fn killed_at_the_nth_call_a_job_leaves_the_old_files_or_the_new_ones() {
    if !traced::is_possible() {
        return;
    }
    let trace = tempfile::NamedTempFile::new().unwrap();
    let mut killed = 0;
    for job in Job::all() {
        for calls in ["write,pwrite64,writev", "fsync,fdatasync", "rename,renameat,renameat2"] {
            for nth in 1.. {
                job.reset();
                let (output, met) = traced::run(&job.command(), calls, "signal=KILL", nth, trace.path());
                let Some(met) = met else { break };
                assert!(!ends_well(output.status), "{output:?}");
                job.assert_whole(&met.calls.join("; "));
                assert!(left_over(job.folder()).len() <= job.files().count(), "{}", job.name);
                job.assert_recovers(calls);
                killed += 1;
            }
        }
    }
    println!("killed {killed} times at a call");
    assert!(killed > 50);
}

/// A training that is saved every so often: what it reads, its settings, and how its checkpoint loads.
struct Training {
    log: &'static str,
    settings: &'static str,
    loads: fn(&Path) -> Result<(), String>,
}

const TRAININGS: [Training; 4] = [
    Training { log: "new.csv", settings: "--candidates 5 --rounds 40 --seed 2", loads: fixed },
    Training {
        log: "new.csv",
        settings: "--objective doubly-robust --candidates 2 --rounds 150 --subsample 0.5",
        loads: fixed,
    },
    Training {
        log: "new.csv",
        settings: "--objective surrogate --candidates 2 --rounds 150 --max-depth 3",
        loads: fixed,
    },
    Training { log: "articles.vw", settings: "--candidates 4 --rounds 25 --seed 3", loads: of_candidates },
];

fn fixed(path: &Path) -> Result<(), String> {
    TrainCheckpoint::load(path).map(drop).map_err(|error| error.to_string())
}

fn of_candidates(path: &Path) -> Result<(), String> {
    CandidateTrainCheckpoint::load(path).map(drop).map_err(|error| error.to_string())
}

impl Training {
    fn command(&self, folder: &Path, model: &str, saved: &[&str]) -> Command {
        let words: Vec<&str> = self.settings.split(' ').collect();
        let mut train = command(
            &[&["train", self.log, "-o", model, "--quiet", "--budget", "1h"], &words[..], saved].concat(),
        );
        train.current_dir(folder).stdin(Stdio::null());
        train
    }
}

/// However often it is killed, it comes to the end of the run that was not.
#[test]
fn a_training_that_is_killed_again_and_again_comes_to_the_same_end() {
    let kills = setting("KILLS", 60) / 2;
    let (mut moments, mut killed, mut ends) = (Moments::new(), 0, 0);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    jobs::inputs(folder);
    let saved = folder.join("run.ckpt");
    let runs: Vec<_> = TRAININGS
        .iter()
        .map(|training| {
            let whole = || {
                let status = training
                    .command(folder, "whole.ocob", &["--checkpoint", "whole.ckpt"])
                    .stdout(Stdio::null())
                    .status()
                    .unwrap();
                assert!(ends_well(status), "{status}");
            };
            let time = time_of(whole);
            (training, time, fs::read(folder.join("whole.ocob")).unwrap())
        })
        .collect();
    for (training, time, whole) in runs.iter().cycle() {
        if killed >= kills {
            break;
        }
        for file in ["run.ckpt", "m.ocob"] {
            let _ = fs::remove_file(folder.join(file));
        }
        loop {
            let option = if saved.exists() { "--resume" } else { "--checkpoint" };
            let mut train = quiet(training.command(folder, "m.ocob", &[option, "run.ckpt"]));
            std::thread::sleep(time.mul_f64(1.5 * moments.share()));
            let _ = train.kill();
            let status = train.wait().unwrap();
            if saved.exists() {
                (training.loads)(&saved).unwrap_or_else(|error| panic!("{}: {error}", training.settings));
            }
            assert!(left_over(folder).len() <= 1, "{:?}", left_over(folder));
            if status.code().is_some() {
                assert!(ends_well(status), "{}: {status}", training.settings);
                break;
            }
            killed += 1;
        }
        assert!(fs::read(folder.join("m.ocob")).unwrap() == *whole, "{}", training.settings);
        ends += 1;
    }
    println!("killed {killed} times; {ends} trainings came to their end");
}
