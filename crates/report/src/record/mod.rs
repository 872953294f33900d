//! The record of an experiment: one JSON file with the settings, every trial, and the rows of its table.
//!
//! The format is the same for all experiments and is described in `docs/records.md`.

mod commit;
mod error;
mod file;
mod summary;

pub use commit::commit;
pub use error::RecordError;
pub use file::write_atomically;
pub use summary::mean_and_std;

use serde::{Deserialize, Serialize};

/// One run of one experiment.
///
/// ```
/// use report::record::{Provenance, Record, Trial};
/// let mut record = Record::new("bandit-boosting", 7, serde_json::json!({ "rounds": 100 }));
/// for (trial, value) in [0.5, 0.7].into_iter().enumerate() {
///     record.trials.push(Trial {
///         dataset: "abalone".into(),
///         method: "bandit boosting".into(),
///         metric: "average loss".into(),
///         trial: trial as u64,
///         seed: 7,
///         value,
///         settings: serde_json::Value::Null,
///         provenance: Provenance::StandIn,
///     });
/// }
/// record.summarise();
/// assert_eq!((record.rows[0].mean, record.rows[0].n), (0.6, 2));
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("results/bandit-boosting.json");
/// record.save(&path)?;
/// assert_eq!(Record::load(&path)?, record);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The experiment's name, equal to its command.
    pub experiment: String,
    /// The commit of the code, as [`commit`] states it.
    pub commit: String,
    /// The seed that every trial's seed is derived from.
    pub seed: u64,
    /// All other inputs that determine the numbers.
    pub settings: serde_json::Value,
    /// Wall-clock time of the whole run in seconds.
    pub seconds: f64,
    /// The summary of the trials: a row per data set, method and metric.
    pub rows: Vec<Row>,
    /// Every trial.
    pub trials: Vec<Trial>,
    /// The paper's numbers for the same cells.
    pub paper: Vec<PaperRow>,
}

impl Record {
    /// An empty record, with the commit of the code that runs.
    #[must_use]
    pub fn new(experiment: &str, seed: u64, settings: serde_json::Value) -> Self {
        let (experiment, commit) = (experiment.to_owned(), commit());
        let (rows, trials, paper) = (Vec::new(), Vec::new(), Vec::new());
        Self { experiment, commit, seed, settings, seconds: 0.0, rows, trials, paper }
    }
}

/// The mean of one metric over the trials of one method on one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The data set.
    pub dataset: String,
    /// The method.
    pub method: String,
    /// The metric.
    pub metric: String,
    /// The mean over the trials.
    pub mean: f64,
    /// The standard deviation over the trials, with divisor n − 1; 0 for a single trial.
    pub std: f64,
    /// The number of trials, at least 1.
    pub n: usize,
    /// The provenance of the data.
    pub provenance: Provenance,
}

/// One measured number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// The data set.
    pub dataset: String,
    /// The method.
    pub method: String,
    /// The metric.
    pub metric: String,
    /// The number of the trial, from 0.
    pub trial: u64,
    /// The trial's own seed.
    pub seed: u64,
    /// The number.
    pub value: f64,
    /// The settings of this trial besides the record's, such as tuned parameters; null if none.
    #[serde(default)]
    pub settings: serde_json::Value,
    /// The provenance of the data.
    pub provenance: Provenance,
}

/// One number of the paper's table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperRow {
    /// The data set, named as in the rows.
    pub dataset: String,
    /// The method, named as in the rows.
    pub method: String,
    /// The metric, named as in the rows.
    pub metric: String,
    /// The paper's mean.
    pub mean: f64,
    /// The paper's standard deviation, if stated.
    #[serde(default)]
    pub std: Option<f64>,
}

/// The provenance of a number's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// The official files, verified by their sums.
    Official,
    /// Rows of official files, some moved to another part, left out or repeated. They support no claim about
    /// the official data.
    Altered,
    /// Files whose sums were not compared.
    Unverified,
    /// Generated data of the same shape. They support no claim about the official data.
    StandIn,
    /// Data that are synthetic by design.
    Synthetic,
}

impl Provenance {
    /// The note beside the name of the data set wherever a number is shown; `None` for official data.
    #[must_use]
    pub fn label(self) -> Option<&'static str> {
        match self {
            Self::Official => None,
            Self::Altered => Some("altered rows"),
            Self::Unverified => Some("unverified files"),
            Self::StandIn => Some("synthetic stand-in"),
            Self::Synthetic => Some("synthetic"),
        }
    }
}

impl From<&datasets::Provenance> for Provenance {
    fn from(provenance: &datasets::Provenance) -> Self {
        match provenance {
            datasets::Provenance::Official { .. } => Self::Official,
            datasets::Provenance::Unverified { .. } => Self::Unverified,
            datasets::Provenance::StandIn { .. } => Self::StandIn,
            datasets::Provenance::Synthetic { .. } => Self::Synthetic,
        }
    }
}
