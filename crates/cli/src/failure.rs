//! Why a command failed, and the exit code that says so.

use formats::FormatError;
use ocoboost::JobError;
use ocoboost::model_file::{ModelFileError, XgboostError};
use off_policy::LogError;
use ranks::RankError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Of `sysexits.h`: bad data, no input, no output.
const BAD_DATA: u8 = 65;
const NO_INPUT: u8 = 66;
const CANNOT_WRITE: u8 = 73;
/// Of `sysexits.h` too: the system has not what it takes, and another try will meet the same.
const TOO_LARGE: u8 = 71;
/// What the parser of the command line ends with too.
pub(crate) const WRONG_ARGUMENTS: u8 = 2;

/// The log does not show that the policy is better.
pub(crate) const NOT_SHOWN: u8 = 3;
/// Of `sysexits.h` too, for what may go well another time.
pub(crate) const LOST: u8 = 75;
/// An error that another process has met, which ends with a code of its own: below all others, as the
/// processes end with the largest one.
pub(crate) const OF_ANOTHER: u8 = 1;
/// What shells report after Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command failed.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error("{error}{hint}", error = .0, hint = flags(.0))]
    Format(#[from] FormatError),
    #[error("{}{source}", prefix(path, source))]
    Model { path: PathBuf, source: ModelFileError },
    #[error("{}{source}", prefix(path, source))]
    Write { path: PathBuf, source: ModelFileError },
    #[error("{}: the model knows no columns: it was trained on bare numbers", path.display())]
    NoColumns { path: PathBuf },
    #[error("{error}{hint}", error = .0, hint = flags(.0))]
    NoOutputFormat(FormatError),
    #[error(transparent)]
    WriteLog(FormatError),
    #[error("{}: the file would be overwritten: it is read, or written a second time", path.display())]
    SameFile { path: PathBuf },
    #[error("-: a model is read from a file, not from the standard input")]
    StandardModel,
    #[error("{second} has the same bytes as {first}: rows would be learnt from and judged on at once")]
    SameLog { first: String, second: String },
    #[error(
        "{} and {} know other actions, or take other columns for the actions and the rewards; `evaluate` judges \
         one at a time", first.display(), second.display()
    )]
    OtherCoding { first: PathBuf, second: PathBuf },
    #[error("{file}: {source}")]
    Job { file: String, source: JobError },
    #[error("{place}: {source}")]
    Row { place: String, source: JobError },
    #[error(transparent)]
    Setting(JobError),
    #[error("{0}")]
    Refused(String),
    #[error("{place}: {why}")]
    Configured { place: String, why: String },
    #[error("{}: {source}", path.display())]
    ReadFile { path: PathBuf, source: std::io::Error },
    #[error("--{name} {value}: {why}")]
    Argument { name: &'static str, value: String, why: String },
    #[error("--{name}: {why}")]
    Flag { name: &'static str, why: &'static str },
    #[error("{error}{hint}", error = .0, hint = of_settings(.0))]
    Ranks(#[from] RankError),
    #[error(
        "{file}: {rows} rows are fewer than the {processes} processes that share them; start fewer processes"
    )]
    FewRows { file: String, rows: u64, processes: usize },
    #[error(
        "{file}: a training on {what} takes {needed} MB at least, and {left} MB of memory are left; fewer rows take less"
    )]
    Memory { file: String, what: String, needed: u64, left: u64 },
    #[error(transparent)]
    Threads(#[from] boosters::ThreadsError),
    #[error(
        "{file}, column {column:?}: no row has {asked}; there are {shown}; \
         --validation {column}=VALUE says which rows judge"
    )]
    NoneJudged { file: String, column: String, asked: String, shown: String },
    #[error("{}: {source}", path.display())]
    NoXgboost { path: PathBuf, source: XgboostError },
    #[error("there is no command {name:?}; there are {commands}")]
    NoCommand { name: String, commands: String },
    #[error("{}: {source}", path.display())]
    WriteFile { path: PathBuf, source: std::io::Error },
    #[error("the page: {0}")]
    Page(#[from] report::plot::PlotError),
    #[error("standard output: {0}")]
    Output(#[from] std::io::Error),
    #[error("the answer as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The name of the file, where the reason does not say it.
fn prefix(path: &Path, source: &ModelFileError) -> String {
    match source {
        ModelFileError::Io { .. } => String::new(),
        _ => format!("{}: ", path.display()),
    }
}

/// The flags that do what the reason asks for.
fn flags(error: &FormatError) -> &'static str {
    match error {
        FormatError::ActionFeatures { .. } => " (--drop-action-features)",
        FormatError::FeaturesOfRanks { .. } => " (without --mpi, or --drop-action-features)",
        FormatError::Weights => " (--drop-weights)",
        FormatError::NoOutcome { .. } => " (--reward COL or --cost COL)",
        FormatError::ColumnNotOfFirst { .. } => " (--ignore COL)",
        FormatError::MixedColumn { .. } => " (--ignore COL, --labels COL)",
        FormatError::UnknownFormat { .. } => " (--input-format NAME)",
        FormatError::UnknownEnding { .. } => " (--output-format NAME)",
        _ => "",
    }
}

/// How the settings of one machine reach the others.
fn of_settings(error: &RankError) -> &'static str {
    match error {
        RankError::Settings(_) => " (variables reach other machines by mpirun -x NAME)",
        _ => "",
    }
}

impl Failure {
    /// What came between ranks, if this is such an error.
    pub(crate) fn of_ranks(&self) -> Option<&RankError> {
        match self {
            Self::Ranks(error) => Some(error),
            Self::Format(FormatError::Ranks(error) | FormatError::Log(LogError::Ranks(error))) => Some(error),
            Self::Job { source, .. } | Self::Setting(source) => source.of_ranks(),
            _ => None,
        }
    }

    /// Whether another process has met the error, and says it or has told it to the first one.
    pub(crate) fn is_of_another(&self) -> bool {
        matches!(self, Self::Format(FormatError::OtherRank { .. }))
            || matches!(self.of_ranks(), Some(RankError::Failed { .. }))
    }

    /// The same with the place of a setting that is not on the command line.
    pub(crate) fn placed(self, origins: &BTreeMap<String, String>) -> Self {
        match self {
            Self::Argument { name, value, why } if origins.contains_key(name) => {
                let place = origins[name].clone();
                Self::Configured { place, why: format!("{name} = {value:?}: {why}") }
            }
            other => other,
        }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        if self.is_of_another() {
            return OF_ANOTHER;
        }
        match self.of_ranks() {
            None => {}
            Some(RankError::Settings(_)) => return WRONG_ARGUMENTS,
            Some(_) => return LOST,
        }
        match self {
            // Said above.
            Self::Ranks(_) => LOST,
            Self::Memory { .. } => TOO_LARGE,
            Self::Format(FormatError::Interrupted { .. }) => INTERRUPTED,
            Self::Format(FormatError::Io { .. })
            | Self::Model { source: ModelFileError::Io { .. }, .. }
            | Self::ReadFile { .. } => NO_INPUT,
            Self::Format(
                FormatError::BadOption { .. }
                | FormatError::StreamOfRanks { .. }
                | FormatError::OtherFiles { .. },
            )
            | Self::NoOutputFormat(_)
            | Self::SameFile { .. }
            | Self::StandardModel
            | Self::Argument { .. }
            | Self::NoCommand { .. }
            | Self::Flag { .. }
            | Self::Setting(_)
            | Self::Configured { .. }
            | Self::Refused(_)
            | Self::Threads(_) => WRONG_ARGUMENTS,
            Self::Job { source: JobError::BadSetting { .. } | JobError::OtherRun { .. }, .. } => {
                WRONG_ARGUMENTS
            }
            Self::Format(_)
            | Self::Model { .. }
            | Self::NoColumns { .. }
            | Self::NoXgboost { .. }
            | Self::NoneJudged { .. }
            | Self::SameLog { .. }
            | Self::FewRows { .. }
            | Self::OtherCoding { .. }
            | Self::Job { .. }
            | Self::Row { .. } => BAD_DATA,
            Self::Write { .. }
            | Self::WriteLog(_)
            | Self::WriteFile { .. }
            | Self::Page(_)
            | Self::Output(_)
            | Self::Json(_) => CANNOT_WRITE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, LOST, OF_ANOTHER, WRONG_ARGUMENTS};
    use boosters::bopl::BoplError;
    use formats::FormatError;
    use ocoboost::JobError;
    use off_policy::LogError;
    use ranks::{OtherSetting, RankError};

    /// The processes end with the largest code, which must not be that of one that was only told.
    #[test]
    fn an_error_of_another_process_has_its_code_wherever_it_was_met() {
        let job = |source: JobError| Failure::Job { file: "log.csv".to_owned(), source };
        let all = |error: RankError| {
            [
                Failure::Ranks(error.clone()),
                Failure::Format(FormatError::Ranks(error.clone())),
                Failure::Format(FormatError::Log(LogError::Ranks(error.clone()))),
                job(JobError::Ranks(error.clone())),
                job(JobError::Log(LogError::Ranks(error.clone()))),
                job(JobError::Training(BoplError::from(error.clone()))),
                Failure::Setting(JobError::Training(BoplError::Log(LogError::Ranks(error)))),
            ]
        };
        let codes = |error: RankError| all(error).map(|failure| failure.code());
        let failed = RankError::Failed { rank: 1, reason: "its own".to_owned() };
        assert_eq!(codes(failed), [OF_ANOTHER; 7]);
        assert_eq!(codes(RankError::Gone { rank: 1 }), [LOST; 7]);
        let [name, first, found] = ["--seed", "0", "1"].map(str::to_owned);
        assert_eq!(
            codes(RankError::Settings(Box::new(OtherSetting { rank: 1, name, first, found }))),
            [WRONG_ARGUMENTS; 7]
        );
        assert_eq!(
            Failure::Format(FormatError::OtherRank { rank: 1, message: String::new() }).code(),
            OF_ANOTHER
        );
    }
}
