//! What is asked of a file: which column is what, in which format.

use crate::FormatError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a header, quoted as RFC 4180 says.
    Csv,
    /// The same with tabs.
    Tsv,
    /// An object a line.
    JsonLines,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow's files and streams (IPC), Feather version 2 among them.
    Arrow,
    /// Vowpal Wabbit's text: `cb`, a line a decision, and `cb_adf`, a line an action.
    Vw,
    /// The same of `cb_eval`: a line begins with the action to evaluate, which is left out.
    VwEval,
    /// Vowpal Wabbit's decision service JSON, a decision a line.
    Dsjson,
    /// A file of the Open Bandit Dataset: CSV with its columns.
    OpenBandit,
}

impl Format {
    const ALL: [Self; 9] = [
        Self::Csv,
        Self::Tsv,
        Self::JsonLines,
        Self::Parquet,
        Self::Arrow,
        Self::Vw,
        Self::VwEval,
        Self::Dsjson,
        Self::OpenBandit,
    ];

    /// `csv`, `json-lines` and so on: what [`FromStr`] reads.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::JsonLines => "json-lines",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Vw => "vw",
            Self::VwEval => "vw-eval",
            Self::Dsjson => "dsjson",
            Self::OpenBandit => "open-bandit",
        }
    }

    /// The formats by the ends of names of files.
    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "jsonl" | "ndjson" | "jsonlines" => Self::JsonLines,
            "parquet" | "pq" => Self::Parquet,
            "arrow" | "arrows" | "feather" | "ipc" => Self::Arrow,
            "vw" | "ldf" | "dat" => Self::Vw,
            "dsjson" => Self::Dsjson,
            _ => return None,
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, FormatError> {
        let found = Self::ALL.into_iter().find(|format| format.name() == text.trim().to_ascii_lowercase());
        found.ok_or_else(|| FormatError::BadOption {
            name: "format",
            value: text.to_owned(),
            expected: "csv, tsv, json-lines, parquet, arrow, vw, vw-eval, dsjson or open-bandit",
        })
    }
}

/// The column of the outcomes, and its sign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// More is better.
    Reward(String),
    /// Less is better; the reward is −cost.
    Cost(String),
}

/// What becomes of a row without a propensity, where the others have one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingPropensities {
    /// The file is refused, with the line.
    #[default]
    Refuse,
    /// The row is skipped and counted.
    Skip,
}

/// What becomes of features that the actions have of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionFeatures {
    /// The file is refused, with the line.
    #[default]
    Refuse,
    /// They are left out: the policy learns from the contexts alone.
    Drop,
}

/// What becomes of the weights of rows, 1/(1 − pdrop) where a share pdrop of the events was not logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowWeights {
    /// They are returned where they differ.
    #[default]
    Keep,
    /// Every row counts once, and a note says so.
    Drop,
}

/// Which column of a log is what. The default: `action`, `propensity` and `reward`, and all other columns are
/// the contexts.
///
/// Vowpal Wabbit's formats have no columns for these: their names are not looked for there.
///
/// ```
/// use formats::{Format, LogOptions};
/// let options = LogOptions::default().action("shown").cost("price").labels(["zip"]).ignore(["session"]);
/// let text = serde_json::to_string(&options).unwrap();
/// assert_eq!(serde_json::from_str::<LogOptions>(&text).unwrap(), options);
/// assert_eq!("json-lines".parse::<Format>()?, Format::JsonLines);
/// # Ok::<(), formats::FormatError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogOptions {
    pub(crate) action: Option<String>,
    pub(crate) propensity: Option<String>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) available: Option<String>,
    pub(crate) separator: char,
    pub(crate) time: Option<String>,
    pub(crate) split: Option<String>,
    pub(crate) ignore: Vec<String>,
    pub(crate) labels: Vec<String>,
    pub(crate) format: Option<Format>,
    pub(crate) delimiter: Option<char>,
    pub(crate) missing_propensities: MissingPropensities,
    pub(crate) action_features: ActionFeatures,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) pair_features: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) identities: bool,
    pub(crate) weights: RowWeights,
    pub(crate) most_labels: usize,
    pub(crate) may_lack: bool,
    pub(crate) limits: Limits,
}

/// Bounds on what a file may ask for. They keep a damaged or hostile file from taking all memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The longest line, and the longest record of CSV, in bytes; default 64 MiB.
    pub line_bytes: u64,
    /// The most bytes that a file decompresses to; default 1 TiB.
    pub decompressed_bytes: u64,
    /// The most bytes that a byte decompresses to, beyond the first 64 MiB; default 1000.
    pub ratio: u64,
    /// The most bytes of a temporary file, for Parquet from a stream or compressed once more; default 64 GiB.
    pub spooled_bytes: u64,
    /// The most columns; default 1,000,000.
    pub columns: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_bytes: 64 << 20,
            decompressed_bytes: 1 << 40,
            ratio: 1000,
            spooled_bytes: 64 << 30,
            columns: 1_000_000,
        }
    }
}

impl Default for LogOptions {
    fn default() -> Self {
        Self {
            action: None,
            propensity: None,
            outcome: None,
            available: None,
            separator: '|',
            time: None,
            split: None,
            ignore: Vec::new(),
            labels: Vec::new(),
            format: None,
            delimiter: None,
            missing_propensities: MissingPropensities::default(),
            action_features: ActionFeatures::default(),
            pair_features: Vec::new(),
            identities: false,
            weights: RowWeights::default(),
            most_labels: 1000,
            may_lack: false,
            limits: Limits::default(),
        }
    }
}

impl LogOptions {
    /// The column of the actions that were taken; default `action`.
    #[must_use]
    pub fn action(mut self, column: impl Into<String>) -> Self {
        self.action = Some(column.into());
        self
    }

    /// The column of the propensities, in (0, 1]; default `propensity`, where there is such a column.
    #[must_use]
    pub fn propensity(mut self, column: impl Into<String>) -> Self {
        self.propensity = Some(column.into());
        self
    }

    /// The column of the rewards, more is better; default `reward`.
    #[must_use]
    pub fn reward(mut self, column: impl Into<String>) -> Self {
        self.outcome = Some(Outcome::Reward(column.into()));
        self
    }

    /// The column of the costs, less is better, in place of rewards. There is no default: the sign is never
    /// guessed.
    #[must_use]
    pub fn cost(mut self, column: impl Into<String>) -> Self {
        self.outcome = Some(Outcome::Cost(column.into()));
        self
    }

    /// The column of the actions on offer, where not all of them always were: a list, or a text with
    /// [`separator`](Self::separator) between two actions.
    #[must_use]
    pub fn available(mut self, column: impl Into<String>) -> Self {
        self.available = Some(column.into());
        self
    }

    /// What stands between two actions of a text that lists them; default `|`.
    #[must_use]
    pub fn separator(mut self, separator: char) -> Self {
        self.separator = separator;
        self
    }

    /// A column that orders the rows, of numbers or dates. It is returned and is none of the contexts.
    #[must_use]
    pub fn time(mut self, column: impl Into<String>) -> Self {
        self.time = Some(column.into());
        self
    }

    /// A column that says which rows belong together or to which part, by its labels. It is returned and is
    /// none of the contexts.
    #[must_use]
    pub fn split(mut self, column: impl Into<String>) -> Self {
        self.split = Some(column.into());
        self
    }

    /// Columns that are left out of the contexts.
    #[must_use]
    pub fn ignore(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.ignore = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Columns of labels, though they look like numbers or have many labels.
    #[must_use]
    pub fn labels(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.labels = columns.into_iter().map(Into::into).collect();
        self
    }

    /// The format, where neither name nor content says it.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// What stands between two cells of CSV, an ASCII character; default `,`, and a tab in TSV.
    #[must_use]
    pub fn delimiter(mut self, delimiter: char) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// What becomes of rows without a propensity.
    #[must_use]
    pub fn missing_propensities(mut self, choice: MissingPropensities) -> Self {
        self.missing_propensities = choice;
        self
    }

    /// What becomes of features of the actions.
    #[must_use]
    pub fn action_features(mut self, choice: ActionFeatures) -> Self {
        self.action_features = choice;
        self
    }

    /// Features of a choice and a candidate together, such as an affinity, for
    /// [`read_candidates`](crate::read_candidates): a namespace (`fit` for `fit.affinity`) or the name of a
    /// feature. All other features of an action's line are those of an item.
    #[must_use]
    pub fn pair_features(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.pair_features = names.into_iter().map(Into::into).collect();
        self
    }

    /// Whether items have an identity besides their features, for
    /// [`read_candidates`](crate::read_candidates); default no.
    #[must_use]
    pub fn identities(mut self, has_some: bool) -> Self {
        self.identities = has_some;
        self
    }

    /// What becomes of the weights of rows.
    #[must_use]
    pub fn weights(mut self, choice: RowWeights) -> Self {
        self.weights = choice;
        self
    }

    /// The most labels of a column that nobody named in [`labels`](Self::labels); default 1000. A column with
    /// more, or with more than 50 that are distinct in over half of the rows, is left out and noted: it is
    /// taken for an identifier.
    #[must_use]
    pub fn most_labels(mut self, count: usize) -> Self {
        self.most_labels = count;
        self
    }

    /// Files may lack columns of [`ignore`](Self::ignore) and [`labels`](Self::labels), as those may that are
    /// read later for a model. Otherwise a name that is not there is refused: it is written wrongly.
    #[must_use]
    pub fn may_lack_columns(mut self) -> Self {
        self.may_lack = true;
        self
    }

    /// The options that a model keeps, for files that are read for it later, in whichever format. Which
    /// columns are contexts, and of what kind, is in its schema then; and rows are not split again.
    ///
    /// ```
    /// use formats::LogOptions;
    /// let kept = LogOptions::default().action("shown").ignore(["session"]).kept()?;
    /// assert_eq!(kept["action"], "shown");
    /// assert!(kept.get("ignore").is_none());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// None on a machine with memory left.
    pub fn kept(&self) -> Result<serde_json::Value, serde_json::Error> {
        let mut kept = serde_json::to_value(self)?;
        if let Some(fields) = kept.as_object_mut() {
            for name in ["format", "ignore", "labels", "time", "split"] {
                fields.remove(name);
            }
        }
        Ok(kept)
    }

    /// Bounds on lines, decompression and temporary files.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The columns that the caller named.
    pub(crate) fn asked_columns(&self) -> Vec<&str> {
        let outcome = self.outcome.as_ref().map(|outcome| match outcome {
            Outcome::Reward(name) | Outcome::Cost(name) => name.as_str(),
        });
        let roles = [&self.action, &self.propensity, &self.available, &self.time, &self.split];
        let roles = roles.into_iter().filter_map(Option::as_deref);
        roles.chain(outcome).chain(self.labels.iter().map(String::as_str)).collect()
    }

    /// What stands between two cells.
    pub(crate) fn delimiter_byte(&self, format: Format) -> Result<u8, FormatError> {
        let own = self.delimiter.unwrap_or(if format == Format::Tsv { '\t' } else { ',' });
        let byte = u8::try_from(own).ok().filter(|byte| byte.is_ascii() && !b"\"\r\n\0".contains(byte));
        byte.ok_or_else(|| FormatError::BadOption {
            name: "delimiter",
            value: own.to_string(),
            expected: "an ASCII character other than a quotation mark or the end of a line",
        })
    }
}
