//! Programs beside the experiments: XGBoost itself in a Python process, and the nets of `neural-policies`.
//!
//! A process reads a request and arrays from a folder of its own, and leaves the scores there.

use off_policy::Log;
use rows::RowMatrix;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use thiserror::Error;

/// The packages, with their versions.
const REQUIREMENTS: &str = include_str!("../../peers/requirements.txt");
const PROGRAM: &str = include_str!("../../peers/brr_xgb.py");

/// The manifest of the nets, a crate with a lock file and a build of its own.
const NEURAL_POLICIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../neural-policies/Cargo.toml");

/// A program beside the experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// XGBoost for Python, in an environment with the pinned packages.
    XgBoost,
    /// The nets of the crate `neural-policies`.
    NeuralPolicies,
}

/// A program that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    program: Program,
    /// The Python interpreter, or the program itself.
    executable: PathBuf,
}

/// Whether a program can be run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// It was not asked for.
    #[default]
    NotAsked,
    /// It could not be installed, for this reason.
    Missing(String),
    /// It is installed.
    Ready(Peer),
}

/// The programs beside the experiments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Peers {
    /// XGBoost.
    pub xgboost: State,
    /// Nets.
    pub neural_policies: State,
}

impl Peers {
    /// Those in [`Peer::folder`] and in the target folder, installed and built if need be.
    #[must_use]
    pub fn install() -> Self {
        let state = |made: Result<Peer, PeerError>| match made {
            Ok(peer) => State::Ready(peer),
            Err(error) => State::Missing(error.to_string()),
        };
        let neural_policies = state(Peer::build_nets(Path::new(NEURAL_POLICIES)));
        Self { xgboost: state(Peer::install(&Peer::folder())), neural_policies }
    }

    /// The programs that could not be installed, with the reason.
    pub fn missing(&self) -> impl Iterator<Item = (Program, &str)> {
        let missing = |program| match self.state(program) {
            State::Missing(reason) => Some((program, reason.as_str())),
            State::NotAsked | State::Ready(_) => None,
        };
        [Program::XgBoost, Program::NeuralPolicies].into_iter().filter_map(missing)
    }

    fn state(&self, program: Program) -> &State {
        match program {
            Program::XgBoost => &self.xgboost,
            Program::NeuralPolicies => &self.neural_policies,
        }
    }

    pub(crate) fn ready(&self, program: Program) -> Option<&Peer> {
        match self.state(program) {
            State::Ready(peer) => Some(peer),
            State::NotAsked | State::Missing(_) => None,
        }
    }

    /// Why there is no row.
    pub(crate) fn reason(&self, program: Program) -> String {
        match self.state(program) {
            State::Missing(reason) => format!("missing: {reason}"),
            State::NotAsked | State::Ready(_) => "missing: needs --peers".to_owned(),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::XgBoost => "XGBoost",
            Self::NeuralPolicies => "neural-policies",
        })
    }
}

/// The reason why a peer could not be asked, or gave no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PeerError {
    /// The peers were not installed.
    #[error("BRR-xgb, DRR and BanditNet need `reproduce bopl --peers`")]
    Absent,
    /// The hyper-parameters of a net are those of another method.
    #[error("a net without its hyper-parameters")]
    NoNet,
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

/// What a program is asked to train.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Request {
    XgBoost(Trees),
    Net { training: Net },
}

/// The hyper-parameters of XGBoost, under its names but for the rounds, and the number of threads.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Trees {
    pub(crate) rounds: u32,
    pub(crate) max_depth: u32,
    pub(crate) min_child_weight: f64,
    pub(crate) reg_lambda: f64,
    pub(crate) learning_rate: f64,
    pub(crate) threads: u32,
}

/// The settings of a net, under the names of `neural-policies`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Net {
    pub(crate) objective: serde_json::Value,
    pub(crate) hidden_layers: u32,
    pub(crate) first_layer_width: u32,
    pub(crate) dropout: f64,
    pub(crate) weight_decay: f64,
    pub(crate) learning_rate: f64,
    pub(crate) epochs: u32,
    pub(crate) batch_size: u32,
    pub(crate) scaling: serde_json::Value,
    pub(crate) seed: u32,
}

/// What the program reads.
#[derive(Serialize)]
struct Whole<'a> {
    inputs: usize,
    actions: usize,
    #[serde(flatten)]
    request: &'a Request,
}

#[derive(Deserialize)]
struct Answer {
    seconds: f64,
    /// Of a net.
    epochs: Option<u32>,
    /// The largest memory of the process, in bytes.
    memory: Option<u64>,
}

/// A peer's scores of all pairs, and what its training took.
pub(crate) struct Predicted {
    pub(crate) scores: Vec<f64>,
    pub(crate) seconds: f64,
    pub(crate) epochs: Option<u32>,
    pub(crate) memory: Option<u64>,
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
        let executable = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let peer = Self { program: Program::XgBoost, executable };
        let installed = folder.join("requirements.txt");
        if std::fs::read_to_string(&installed).is_ok_and(|found| found == REQUIREMENTS) {
            return Ok(peer);
        }
        run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        let asked = folder.join("asked.txt");
        write(&asked, REQUIREMENTS.as_bytes())?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        run(Command::new(&peer.executable).args(pip).arg(&asked))?;
        // Last, and whole or not at all, so that an interrupted installation is made again.
        let written: io::Result<()> =
            atomic_files::write(&installed, |file| file.write_all(REQUIREMENTS.as_bytes()));
        written.map_err(|source| PeerError::File { path: installed, source })?;
        Ok(peer)
    }

    /// The program of this manifest, built if it is not up to date.
    ///
    /// # Errors
    /// [`PeerError`] where cargo, its packages or a compiler are missing.
    pub fn build_nets(manifest: &Path) -> Result<Self, PeerError> {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/neural-policies");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--release", "--locked", "--manifest-path"]).arg(manifest);
        run(build.arg("--target-dir").arg(&target))?;
        let executable =
            target.join("release").join(format!("neural-policies{}", std::env::consts::EXE_SUFFIX));
        Ok(Self { program: Program::NeuralPolicies, executable })
    }

    /// The scores of all pairs of these rows, at i·|A| + a, as the program learns them from a log.
    pub(crate) fn ask(&self, log: &Log, request: &Request, rows: &RowMatrix) -> Result<Predicted, PeerError> {
        let folder = tempfile::tempdir().map_err(|source| PeerError::File { path: "".into(), source })?;
        let at = |name: &str| folder.path().join(name);
        let whole = Whole { inputs: log.inputs(), actions: log.actions(), request };
        let path = at("request.json");
        let text = serde_json::to_vec(&whole);
        let text = text.map_err(|error| PeerError::File { path: path.clone(), source: error.into() })?;
        write(&path, &text)?;
        write(&at("log.f32"), &single(log.contexts().iter().flat_map(|x| x.to_dense())))?;
        let actions = log.logged_actions().iter().flat_map(|a| a.to_le_bytes());
        write(&at("actions.u32"), &actions.collect::<Vec<u8>>())?;
        let propensities = log.propensities().iter().flat_map(|p| p.to_le_bytes());
        write(&at("propensities.f64"), &propensities.collect::<Vec<u8>>())?;
        write(&at("rewards.f32"), &single(log.rewards().iter().copied()))?;
        write(&at("rows.f32"), &single(rows.iter().flat_map(|x| x.to_dense())))?;
        let mut command = Command::new(&self.executable);
        if self.program == Program::XgBoost {
            write(&at("brr_xgb.py"), PROGRAM.as_bytes())?;
            command.arg(at("brr_xgb.py"));
        }
        run(command.arg(folder.path()).env("RAYON_NUM_THREADS", "1"))?;
        let expected = rows.len() * log.actions();
        let scores = read(&at("scores.f32"))?;
        let scores = scores.as_chunks::<4>().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
        let scores: Vec<f64> = scores.filter(|score| score.is_finite()).collect();
        if scores.len() != expected {
            return Err(PeerError::Scores { expected, got: scores.len() });
        }
        let path = at("answer.json");
        let answer = serde_json::from_slice(&read(&path)?);
        let Answer { seconds, epochs, memory } =
            answer.map_err(|error| PeerError::File { path, source: error.into() })?;
        Ok(Predicted { scores, seconds, epochs, memory })
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
