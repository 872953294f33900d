//! BRR-xgb: XGBoost itself, in a Python process.
//!
//! The process reads a request and arrays from a folder of its own, and leaves the scores there.

use off_policy::Log;
use rows::RowMatrix;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use thiserror::Error;

/// The packages, with their versions.
const REQUIREMENTS: &str = include_str!("../../peers/requirements.txt");
const PROGRAM: &str = include_str!("../../peers/brr_xgb.py");

/// A Python interpreter with the pinned packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    python: PathBuf,
}

/// Whether BRR-xgb can be run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Peers {
    /// They were not asked for.
    #[default]
    NotAsked,
    /// They could not be installed, for this reason.
    Missing(String),
    /// They are installed.
    Ready(Peer),
}

impl Peers {
    /// Those in [`Peer::folder`], installed if need be.
    #[must_use]
    pub fn install() -> Self {
        Peer::install(&Peer::folder()).map_or_else(|error| Self::Missing(error.to_string()), Self::Ready)
    }

    pub(crate) fn ready(&self) -> Option<&Peer> {
        match self {
            Self::Ready(peer) => Some(peer),
            Self::NotAsked | Self::Missing(_) => None,
        }
    }

    /// Why there is no row.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Missing(reason) => format!("missing: {reason}"),
            Self::NotAsked | Self::Ready(_) => "missing: needs --peers".to_owned(),
        }
    }
}

/// The reason why a peer could not be asked, or gave no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PeerError {
    /// The peers were not installed.
    #[error("BRR-xgb needs the peers of `reproduce bopl --peers`")]
    Absent,
    /// A program could not be started.
    #[error("{program}: {source}")]
    Start {
        /// What was started.
        program: String,
        /// The cause.
        source: io::Error,
    },
    /// A program failed.
    #[error("{program} failed: {message}")]
    Failed {
        /// What was started.
        program: String,
        /// The last line of its error output.
        message: String,
    },
    /// A file for the peer or by it.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// An answer of another size, or with a score that is not finite.
    #[error("the peer's scores: expected {expected} finite numbers, got {got}")]
    Scores {
        /// N·|A|.
        expected: usize,
        /// The number of finite numbers.
        got: usize,
    },
}

/// The hyper-parameters of XGBoost, under its names but for the rounds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Request {
    pub(crate) rounds: u32,
    pub(crate) max_depth: u32,
    pub(crate) min_child_weight: f64,
    pub(crate) reg_lambda: f64,
    pub(crate) learning_rate: f64,
}

/// What the program reads.
#[derive(Serialize)]
struct Whole {
    inputs: usize,
    actions: usize,
    /// A thread works on one unit at a time.
    threads: u32,
    #[serde(flatten)]
    request: Request,
}

/// A peer's predicted rewards, and the seconds of its training.
pub(crate) struct Predicted {
    pub(crate) scores: Vec<f64>,
    pub(crate) seconds: f64,
}

impl Peer {
    /// The folder of the environment that `reproduce bopl --peers` makes.
    #[must_use]
    pub fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers")
    }

    /// The environment in a folder: the one that is there, if it has the pinned packages, or a new one, whose
    /// packages are fetched.
    ///
    /// # Errors
    /// [`PeerError`] where there is no Python 3, or where its packages cannot be installed.
    pub fn install(folder: &Path) -> Result<Self, PeerError> {
        let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let installed = folder.join("requirements.txt");
        if std::fs::read_to_string(&installed).is_ok_and(|found| found == REQUIREMENTS) {
            return Ok(Self { python });
        }
        run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        let asked = folder.join("asked.txt");
        write(&asked, REQUIREMENTS.as_bytes())?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        run(Command::new(&python).args(pip).arg(&asked))?;
        // Last, so that an interrupted installation is made again.
        write(&installed, REQUIREMENTS.as_bytes())?;
        Ok(Self { python })
    }

    /// The rewards of all pairs of these rows, at i·|A| + a, as XGBoost predicts them from a log.
    pub(crate) fn brr_xgb(
        &self,
        log: &Log,
        request: Request,
        rows: &RowMatrix,
    ) -> Result<Predicted, PeerError> {
        let folder = tempfile::tempdir().map_err(|source| PeerError::File { path: "".into(), source })?;
        let at = |name: &str| folder.path().join(name);
        let whole = Whole { inputs: log.inputs(), actions: log.actions(), threads: 1, request };
        let path = at("request.json");
        let text = serde_json::to_vec(&whole);
        let text = text.map_err(|error| PeerError::File { path: path.clone(), source: error.into() })?;
        write(&path, &text)?;
        write(&at("log.f32"), &single(log.contexts().iter().flat_map(|x| x.to_dense())))?;
        let actions = log.logged_actions().iter().flat_map(|a| a.to_le_bytes());
        write(&at("actions.u32"), &actions.collect::<Vec<u8>>())?;
        write(&at("rewards.f32"), &single(log.rewards().iter().copied()))?;
        write(&at("rows.f32"), &single(rows.iter().flat_map(|x| x.to_dense())))?;
        write(&at("brr_xgb.py"), PROGRAM.as_bytes())?;
        run(Command::new(&self.python).arg(at("brr_xgb.py")).arg(folder.path()))?;
        let expected = rows.len() * log.actions();
        let scores = read(&at("scores.f32"))?;
        let scores = scores.as_chunks::<4>().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
        let scores: Vec<f64> = scores.filter(|score| score.is_finite()).collect();
        if scores.len() != expected {
            return Err(PeerError::Scores { expected, got: scores.len() });
        }
        let seconds = String::from_utf8_lossy(&read(&at("seconds.json"))?).trim().parse().unwrap_or(0.0);
        Ok(Predicted { scores, seconds })
    }
}

/// Numbers in single precision, as XGBoost has them.
#[allow(clippy::cast_possible_truncation, reason = "the precision of the peer")]
fn single(numbers: impl Iterator<Item = f64>) -> Vec<u8> {
    numbers.flat_map(|number| (number as f32).to_le_bytes()).collect()
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), PeerError> {
    std::fs::write(path, bytes).map_err(|source| PeerError::File { path: path.to_owned(), source })
}

fn read(path: &Path) -> Result<Vec<u8>, PeerError> {
    std::fs::read(path).map_err(|source| PeerError::File { path: path.to_owned(), source })
}

fn run(command: &mut Command) -> Result<(), PeerError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).output();
    let Output { status, stderr, .. } =
        ended.map_err(|source| PeerError::Start { program: program.clone(), source })?;
    if status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&stderr);
    let message = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing").to_owned();
    Err(PeerError::Failed { program, message })
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
