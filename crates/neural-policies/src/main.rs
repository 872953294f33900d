//! Trains a net for another program, which leaves a request and arrays in a folder.
//!
//! `neural-policies FOLDER` reads `request.json` (inputs, actions, and the settings of training),
//! `log.f32`, `actions.u32`, `propensities.f64`, `rewards.f32` and `rows.f32`. It writes `scores.f32`, the
//! score of every row and action, and `answer.json`. Numbers are little-endian, tables row by row.

use neural_policies::NetTraining;
use off_policy::{Log, Rewards};
use rows::RowMatrix;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    inputs: usize,
    actions: usize,
    training: NetTraining,
}

#[derive(Serialize)]
struct Answer {
    /// Of training.
    seconds: f64,
    epochs: usize,
    best_epoch: usize,
    /// The largest memory of the process at the end of training, in bytes, where the system tells it.
    memory: Option<u64>,
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: neural-policies FOLDER");
        return ExitCode::from(2);
    };
    match answer(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("neural-policies: {error}");
            ExitCode::FAILURE
        }
    }
}

fn answer(folder: &Path) -> Result<(), Box<dyn Error>> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let Request { inputs, actions, training } = serde_json::from_slice(&read("request.json")?)?;
    let contexts = RowMatrix::dense(inputs, single(&read("log.f32")?))?;
    let played = read("actions.u32")?.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let propensities = read("propensities.f64")?;
    let propensities = propensities.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let rewards = Rewards(single(&read("rewards.f32")?));
    let log = Log::new(contexts, actions, played, propensities, rewards)?;
    let rows = RowMatrix::dense(inputs, single(&read("rows.f32")?))?;
    let is_watched = std::env::var_os("NEURAL_POLICIES_EPOCHS").is_some();
    let begun = Instant::now();
    let fit = training.fit(&log, |epoch| {
        if is_watched {
            eprintln!("{:.1} s {epoch:?}", begun.elapsed().as_secs_f64());
        }
        ControlFlow::Continue(())
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    let memory = peak();
    let scores = fit.net.scores_of_rows(&rows)?;
    #[allow(clippy::cast_possible_truncation, reason = "they were in single precision")]
    let scores: Vec<u8> = scores.into_iter().flat_map(|score| (score as f32).to_le_bytes()).collect();
    std::fs::write(folder.join("scores.f32"), scores)?;
    let answer = Answer { seconds, epochs: fit.epochs.len(), best_epoch: fit.best_epoch, memory };
    std::fs::write(folder.join("answer.json"), serde_json::to_vec(&answer)?)?;
    Ok(())
}

/// The line `VmHWM:    1234 kB` of Linux.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn single(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect()
}
