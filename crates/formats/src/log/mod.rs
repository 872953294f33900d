//! Logs: contexts, actions, propensities and rewards.

mod finish;
mod of_rows;
mod own_rows;
mod records;

pub(crate) use of_rows::weights_where_they_differ;

use crate::FormatError;
use crate::agreement::Agreement;
use crate::columns::Dictionary;
use crate::facts::{Progress, ReadFacts, ReadFile};
use crate::options::LogOptions;
use crate::parts;
use crate::pass::{Files, Sources};
use crate::readers::Wanted;
use crate::source::Source;
use off_policy::{ActionSets, Log, Rewards, Schema};
use ranks::Ranks;
use records::records;
use rows::RowMatrix;
use std::ops::ControlFlow;

/// A log that was read.
///
/// *Shapes:* n rows each; actions in 0, …, |A|−1, propensities in (0, 1], rewards finite.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReadLog {
    /// x_1, …; dense where no column holds labels and at least half of the cells are not 0.
    pub contexts: RowMatrix,
    /// What the numbers stand for.
    pub schema: Schema,
    /// a_1, …
    pub actions: Vec<u32>,
    /// p_1, …; `None` where the file has none.
    pub propensities: Option<Vec<f64>>,
    /// r_1, …; of a file with costs, −cost.
    pub rewards: Vec<f64>,
    /// The actions on offer, where not every action was in every row.
    pub on_offer: Option<ActionSets>,
    /// What orders the rows, where a column was named: its numbers, or the days since 1970.
    pub time: Option<Vec<f64>>,
    /// The labels of the column that splits the rows, where one was named.
    pub split: Option<RowLabels>,
    /// The weights of the rows, where they differ: 1/(1 − pdrop) of a file that was thinned.
    pub weights: Option<Vec<f64>>,
    /// What else was found.
    pub facts: ReadFacts,
    /// The files that were read.
    pub files: Vec<ReadFile>,
}

/// A label a row, of a column that is none of the contexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowLabels {
    /// The labels in an order that does not depend on that of the rows; a missing one is the empty one.
    pub labels: Vec<String>,
    /// The place of each row's label among them.
    pub codes: Vec<u32>,
}

impl RowLabels {
    pub(crate) fn of((mut codes, labels): (Vec<u32>, Dictionary)) -> Self {
        let (labels, places) = labels.sorted();
        codes.iter_mut().for_each(|code| *code = places.get(*code as usize).copied().unwrap_or_default());
        Self { labels, codes }
    }
}

impl ReadLog {
    /// The log, with its schema and the actions on offer.
    ///
    /// # Errors
    /// [`FormatError::NoPropensities`]; [`FormatError::Weights`] where rows have different weights.
    pub fn into_log(self) -> Result<Log, FormatError> {
        if self.weights.is_some() {
            return Err(FormatError::Weights);
        }
        let propensities = self.propensities.ok_or(FormatError::NoPropensities)?;
        let actions = self.schema.actions();
        let mut log = Log::new(self.contexts, actions, self.actions, propensities, Rewards(self.rewards))?;
        if let Some(sets) = self.on_offer {
            log = log.with_action_sets(sets)?;
        }
        Ok(log.with_schema(self.schema)?)
    }
}

/// Reads a log. What its columns hold is inferred of all rows: numbers, dates or labels, and which values are
/// missing.
///
/// A column of numbers is one coordinate, and one more where numbers are missing. A cell is missing where it
/// is empty or null, and in a column of numbers or dates also where it is NaN, NA or the like. A column of
/// dates counts days since 1970. A column of labels is one coordinate a label; a missing label is the empty
/// one. Labels and actions are sorted, so that the order of the rows does not matter. A column with more
/// labels than [`most_labels`](LogOptions::most_labels) is left out, with a note. In CSV a text that looks
/// like a number is one; the other formats have numbers besides texts, and their texts are labels.
///
/// *Cost:* one pass. Until the end of the file a number takes 12 bytes (8 once its column has too many values
/// to be labels) and a label 4; then the log is made of them, 8 bytes a number in a dense log and 12 a value
/// that is not 0 in a sparse one.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_log};
/// let text = "age,device,since,shown,p,price\n4,phone,2026-01-31,news,0.5,1\n,tablet,2026-02-01,tv,1,0\n";
/// let options = LogOptions::default().action("shown").propensity("p").cost("price");
/// let read = read_log(Source::bytes("log.csv", text), &options, &mut quiet)?;
/// assert_eq!(
///     read.schema.feature_names(),
///     ["age", "age is missing", "device=phone", "device=tablet", "since"],
/// );
/// assert_eq!((read.facts.missing["age"], &read.rewards[..]), (1, &[-1.0, 0.0][..]));
/// assert_eq!(read.into_log()?.len(), 2);
///
/// let refused = read_log(Source::bytes("log.csv", text), &LogOptions::default(), &mut quiet);
/// assert_eq!(
///     refused.unwrap_err().to_string(),
///     "log.csv: there is no column \"action\"; there are \"age\", \"device\", \"since\", \"shown\", \"p\", \
///      \"price\"",
/// );
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// [`FormatError`] says which; every message names the file, and the line where there are lines.
pub fn read_log(
    source: Source,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadLog, FormatError> {
    read_alone(&mut std::iter::once(Ok(source)), None, options, progress)
}

/// Reads a log that lies in several files, as if they were one: what a column holds is inferred of all rows.
///
/// The files have the same columns, in any order; formats may differ, but for those of decisions. A file is
/// opened when the one before it has been read. Messages name the file.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_logs};
/// let monday = Source::bytes("mo.csv", "age,action,propensity,reward\n41,news,0.5,1\n");
/// let tuesday = Source::bytes("tu.csv", "reward,action,propensity,age\n0,sport,0.25,7\n1,news,2,8\n");
/// let refused = read_logs([Ok(monday), Ok(tuesday)], &LogOptions::default(), &mut quiet);
/// assert_eq!(
///     refused.unwrap_err().to_string(),
///     "tu.csv, line 3, column \"propensity\": \"2\" is not a propensity in (0, 1]",
/// );
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// As [`read_log`]; [`FormatError::NoFile`], [`FormatError::OtherFormat`], and
/// [`FormatError::ColumnOfFirst`] or [`FormatError::ColumnNotOfFirst`] for a file with other columns than the
/// first.
pub fn read_logs(
    sources: impl IntoIterator<Item = Result<Source, FormatError>>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadLog, FormatError> {
    read_alone(&mut sources.into_iter(), None, options, progress)
}

/// Reads the part of a log that is this rank's: the rows of the ranks, one behind the other, are those that
/// [`read_logs`] reads in one process, to the bit, and what is inferred is inferred of all rows.
///
/// Every rank calls it with the same files. A rank reads a run of them; of a Parquet file it may read a run
/// of row groups. Runs are of about as many rows each where all files are of Parquet, and of as many bytes
/// otherwise; a rank may have none, as where there are fewer files than ranks. Then rows change their rank,
/// so that those of every rank begin at a multiple of [`Shard::BLOCK`](ranks::Shard::BLOCK): about half a
/// block for every two ranks, and what is behind the last block goes to the last rank. Where a rank would
/// have none, all rows are dealt out evenly in whole [blocks](ranks::Shard::rows); where there are fewer
/// blocks than ranks, row by row, and only fewer rows than ranks leave a rank without any. The schema, the
/// facts and the list of files are those of all rows, on every rank. With [`Ranks::alone`] this is
/// [`read_logs`].
///
/// *Cost:* that of reading the part. Between the ranks go the names of the columns, the labels and the
/// actions, and the rows that change their rank. One rank hashes a file of which several read row groups, and
/// one holds all rows of a single text file while it reads them.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_logs_of_rank};
/// use std::time::Duration;
/// let monday = "age,device,action,propensity,reward\n41,phone,news,0.5,1\n";
/// let tuesday = "age,device,action,propensity,reward\n,tablet,sport,0.25,0\n";
/// let logs = ranks::on_threads(2, Duration::from_secs(60), |ranks| {
///     let files = [Source::bytes("mo.csv", monday), Source::bytes("tu.csv", tuesday)];
///     read_logs_of_rank(files.map(Ok), &LogOptions::default(), &mut quiet, &ranks)
/// });
/// let logs: Vec<_> = logs.into_iter().flatten().collect::<Result<_, _>>()?;
/// let names = ["age", "age is missing", "device=phone", "device=tablet"];
/// assert!(logs.iter().all(|log| log.schema.feature_names() == names && log.facts.rows == 2));
/// assert_eq!((&logs[0].rewards[..], &logs[1].rewards[..]), (&[1.0][..], &[0.0][..]));
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// As [`read_logs`], but [`FormatError::FeaturesOfRanks`] for actions with features of their own;
/// [`FormatError::StreamOfRanks`]; [`FormatError::OtherFiles`] and [`FormatError::OtherCopy`] where ranks
/// have other files or files of other lengths; [`FormatError::Ranks`]. An error that one rank meets
/// ends the reading of all: the others return [`FormatError::OtherRank`] with what it says.
pub fn read_logs_of_rank(
    sources: impl IntoIterator<Item = Result<Source, FormatError>>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ranks: &Ranks,
) -> Result<ReadLog, FormatError> {
    if !ranks.are_several() {
        return read_logs(sources, options, progress);
    }
    let parts = parts::of_rank(sources, options, ranks)?;
    let agreement = Agreement::new(ranks);
    let files = Files::of_rank(parts, options, progress, Wanted::Decisions);
    let read = files.and_then(|files| records(files, None, options, progress, &agreement));
    // The others are told what there is to do about it.
    let read = read.map_err(|error| match error {
        FormatError::ActionFeatures { place, feature } => FormatError::FeaturesOfRanks { place, feature },
        other => other,
    });
    agreement.end(read)?.finish(None, ranks)
}

/// Reads a log by the columns, labels and actions of a schema, such as that of a model which is to be judged.
///
/// Columns may come in any order, and others may be there. A label outside the schema is 0 in all coordinates
/// and counted.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_log, read_log_coded};
/// let first = "age,device,action,propensity,reward\n41,phone,news,0.5,1\n7,tablet,sport,0.25,0\n";
/// let options = LogOptions::default();
/// let first = read_log(Source::bytes("first.csv", first), &options, &mut quiet)?;
/// let second = "reward,action,propensity,device,age\n1,sport,0.5,watch,20\n";
/// let second = read_log_coded(Source::bytes("second.csv", second), &first.schema, &options, &mut quiet)?;
/// assert_eq!((&second.schema, second.facts.unknown_labels["device"]), (&first.schema, 1));
/// assert_eq!(second.contexts.row(0).map(|x| x.to_dense()), Some(vec![20.0, 0.0, 0.0]));
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// As [`read_log`]; [`FormatError::MissingColumn`], [`FormatError::UnknownAction`] with the line, and
/// [`FormatError::MissingCell`] for a missing number in a column that had none when the model was learnt.
pub fn read_log_coded(
    source: Source,
    schema: &Schema,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadLog, FormatError> {
    read_alone(&mut std::iter::once(Ok(source)), Some(schema), options, progress)
}

fn read_alone(
    sources: Sources<'_>,
    schema: Option<&Schema>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadLog, FormatError> {
    let (files, ranks) = (Files::open(sources, options, progress, Wanted::Decisions)?, Ranks::alone());
    records(files, schema, options, progress, &Agreement::new(&ranks))?.finish(schema, &ranks)
}
