//! Boosting of k classes, a binary run a column of a code.

use super::{BoostError, BoostingRun, ClassExamples, Examples, MulticlassVote, OutputCode, Reweighting};
use super::{BoostStop, Stopping};
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;
use weak_learners::batch::WeakLearner;

/// One [`BoostingRun`] for every column of an [`OutputCode`] \[ASS00\]: any weak learner, any algorithm of
/// this module.
///
/// Every column has its own record, bound and reason to stop. The columns share nothing but the sample, so
/// they may run one after the other, or on the caller's threads over [`columns_mut`](Self::columns_mut), with
/// the same result.
///
/// ```
/// use boosters::maboost::{AdaBoost, BoostStop, BoostingRun, ClassExamples, Decoding, Multiclass};
/// use boosters::maboost::{OutputCode, Stopping};
/// use rows::{Row, RowMatrix};
/// use weak_learners::batch::{ExactStump, SortedColumns};
/// // Three intervals of the line.
/// let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?)?;
/// let examples = ClassExamples::uniform(vec![0, 0, 1, 1, 2, 2])?;
/// let mut boosting = Multiclass::new(OutputCode::one_vs_rest(3)?, &examples, |_, column| {
///     let ada = AdaBoost::new(&column)?;
///     BoostingRun::new(column, ExactStump::default(), ada)
/// })?;
/// let stops = boosting.run(&sample, &Stopping::after(50).at_error(0.0)?)?;
/// assert_eq!(stops, [BoostStop::TargetError; 3]);
/// let vote = boosting.into_vote();
/// assert_eq!(vote.class(Row::dense(&[3.5])?, Decoding::Hamming)?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<R>", bound(deserialize = "R: Deserialize<'de>"))]
pub struct Multiclass<R> {
    code: OutputCode,
    columns: Vec<R>,
}

#[derive(Deserialize)]
struct Unchecked<R> {
    code: OutputCode,
    columns: Vec<R>,
}

impl<W: WeakLearner, A: Reweighting> Multiclass<BoostingRun<W, A>> {
    /// Runs every column until it has a reason to stop, and returns the reasons.
    ///
    /// # Errors
    /// As [`BoostingRun::run`], at the first column that fails; the columns before it are run.
    pub fn run(&mut self, sample: &W::Sample, stopping: &Stopping) -> Result<Vec<BoostStop>, BoostError> {
        self.columns.iter_mut().map(|column| column.run(sample, stopping)).collect()
    }

    /// The runs of all columns before their first round; `run` makes that of column l from its examples.
    ///
    /// # Errors
    /// As [`ClassExamples::column`], and the errors of `run`.
    pub fn new(
        code: OutputCode,
        examples: &ClassExamples,
        mut run: impl FnMut(usize, Examples) -> Result<BoostingRun<W, A>, BoostError>,
    ) -> Result<Self, BoostError> {
        let columns = (0..code.columns()).map(|l| run(l, examples.column(&code, l)?));
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Self { code, columns })
    }
}

impl<W: WeakLearner, A> Multiclass<BoostingRun<W, A>> {
    /// The code.
    pub fn code(&self) -> &OutputCode {
        &self.code
    }

    /// The runs of the columns, with their records.
    pub fn columns(&self) -> &[BoostingRun<W, A>] {
        &self.columns
    }

    /// The runs of the columns, for the caller's threads, stopping rules or watchers.
    pub fn columns_mut(&mut self) -> &mut [BoostingRun<W, A>] {
        &mut self.columns
    }

    /// The vote of all columns.
    pub fn into_vote(self) -> MulticlassVote<W::Hypothesis> {
        MulticlassVote::of(self.code, self.columns.into_iter().map(BoostingRun::into_ensemble).collect())
    }
}

impl<R> TryFrom<Unchecked<R>> for Multiclass<R> {
    type Error = LearnerError;

    fn try_from(Unchecked { code, columns }: Unchecked<R>) -> Result<Self, LearnerError> {
        let (argument, expected, got) = ("columns", code.columns(), columns.len());
        if got != expected {
            return Err(LearnerError::LengthMismatch { argument, expected, got });
        }
        Ok(Self { code, columns })
    }
}
