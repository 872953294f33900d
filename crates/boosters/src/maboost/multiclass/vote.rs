//! What a multi-class run ends with.

use super::class_examples::check_classes;
use super::{BoostError, ClassExamples, CodeError, Decoding, Ensemble, OutputCode};
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;
use weak_learners::batch::{Hypothesis, Sample, WeakLearner};

/// An [`Ensemble`] for every column of an [`OutputCode`], and the class that their scores are decoded to \[ASS00\].
///
/// *Cost:* the predictions of all columns and O(kL) a row. *Errors:* a row of another dimension than the hypotheses'.
/// [`Multiclass`](super::Multiclass) has an example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<H>", bound(deserialize = "H: Deserialize<'de> + Hypothesis"))]
pub struct MulticlassVote<H> {
    code: OutputCode,
    ensembles: Vec<Ensemble<H>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "H: Deserialize<'de> + Hypothesis"))]
struct Unchecked<H> {
    code: OutputCode,
    ensembles: Vec<Ensemble<H>>,
}

/// How a vote decodes the examples of a sample, as shares of their D.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The share that is decoded to another class.
    pub error: f64,
    /// Σ_i D_i L(M_(y_i)l f_l(x_i)) of each column l; for Hamming decoding the share of wrong bits, a 0 for half a bit.
    pub column_losses: Vec<f64>,
    /// Their sum over ρL(0), which the error is at most \[ASS00, Theorem 1\]; none for linear decoding.
    pub bound: Option<f64>,
}

impl<H: Hypothesis> MulticlassVote<H> {
    /// The class of a row. It allocates room for L scores; [`scores`](Self::scores) and [`OutputCode::decode`] do not.
    ///
    /// # Errors
    /// A row of another dimension; a score that is not finite.
    pub fn class(&self, x: Row<'_>, by: Decoding) -> Result<u32, BoostError> {
        let mut scores = vec![0.0; self.code.columns()];
        self.scores(x, &mut scores)?;
        self.code.decode(&scores, by)
    }

    /// Writes the scores of the columns.
    ///
    /// # Errors
    /// A row of another dimension; [`CodeError::ScoreCount`].
    pub fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), BoostError> {
        let (expected, got) = (self.ensembles.len(), scores.len());
        if got != expected {
            return Err(CodeError::ScoreCount { expected, got }.into());
        }
        for (score, ensemble) in scores.iter_mut().zip(&self.ensembles) {
            *score = ensemble.score(x)?;
        }
        Ok(())
    }

    /// The classes of a whole sample, column by column.
    ///
    /// # Errors
    /// As [`Ensemble::scores`]; a score that is not finite.
    pub fn classes<W>(&self, learner: &W, sample: &W::Sample, by: Decoding) -> Result<Vec<u32>, BoostError>
    where
        W: WeakLearner<Hypothesis = H>,
    {
        let mut classes = Vec::with_capacity(sample.size());
        self.decode_all(learner, sample, by, |_, class, _| classes.push(class))?;
        Ok(classes)
    }

    /// The error on a sample whose classes are known, and the bound on it.
    ///
    /// # Errors
    /// As [`classes`](Self::classes); another number of classes than of examples; a class that the code has not.
    pub fn assess<W: WeakLearner<Hypothesis = H>>(
        &self,
        learner: &W,
        sample: &W::Sample,
        examples: &ClassExamples,
        by: Decoding,
    ) -> Result<Assessment, BoostError> {
        let (argument, expected, got) = ("classes", sample.size(), examples.classes().len());
        if got != expected {
            return Err(LearnerError::LengthMismatch { argument, expected, got }.into());
        }
        check_classes(examples.classes(), self.code.classes())?;
        let (mut error, mut column_losses) = (0.0, vec![0.0; self.code.columns()]);
        self.decode_all(learner, sample, by, |i, class, scores| {
            let (truth, d) = (examples.classes()[i], examples.shares()[i]);
            error += if class == truth { 0.0 } else { d };
            let bits = self.code.row(truth as usize).iter().zip(scores);
            // An example of weight 0 counts for nothing, also where its loss is infinite.
            column_losses.iter_mut().zip(bits).filter(|_| d > 0.0).for_each(|(loss, (bit, f))| {
                *loss += d * by.loss(*bit, *f);
            });
        })?;
        let total: f64 = column_losses.iter().sum();
        let bound = by.at_zero().map(|at_zero| total / (self.code.least_distance() * at_zero));
        Ok(Assessment { error, column_losses, bound })
    }

    /// Shows (i, class, scores of the columns) for every example in order.
    fn decode_all<W: WeakLearner<Hypothesis = H>>(
        &self,
        learner: &W,
        sample: &W::Sample,
        by: Decoding,
        mut visit: impl FnMut(usize, u32, &[f64]),
    ) -> Result<(), BoostError> {
        let of_column = |ensemble: &Ensemble<H>| ensemble.scores(learner, sample);
        let by_column = self.ensembles.iter().map(of_column).collect::<Result<Vec<_>, _>>()?;
        let mut scores = vec![0.0; by_column.len()];
        for i in 0..sample.size() {
            scores.iter_mut().zip(&by_column).for_each(|(score, column)| *score = column[i]);
            visit(i, self.code.decode(&scores, by)?, &scores);
        }
        Ok(())
    }

    /// The vote of these ensembles, one a column.
    ///
    /// # Errors
    /// Another number of ensembles than of columns; hypotheses for rows of different dimensions.
    pub fn new(code: OutputCode, ensembles: Vec<Ensemble<H>>) -> Result<Self, LearnerError> {
        Unchecked { code, ensembles }.try_into()
    }
}

impl<H> MulticlassVote<H> {
    /// One ensemble a column, for rows of one dimension.
    pub(super) fn of(code: OutputCode, ensembles: Vec<Ensemble<H>>) -> Self {
        Self { code, ensembles }
    }

    /// The code.
    pub fn code(&self) -> &OutputCode {
        &self.code
    }

    /// The ensembles of the columns.
    pub fn ensembles(&self) -> &[Ensemble<H>] {
        &self.ensembles
    }

    /// The vote after t rounds of every column, or all of a column that has no more.
    #[must_use]
    pub fn truncated(self, rounds: usize) -> Self {
        let ensembles = self.ensembles.into_iter().map(|ensemble| ensemble.truncated(rounds)).collect();
        Self { ensembles, ..self }
    }
}

impl<H: Hypothesis> TryFrom<Unchecked<H>> for MulticlassVote<H> {
    type Error = LearnerError;

    fn try_from(Unchecked { code, ensembles }: Unchecked<H>) -> Result<Self, LearnerError> {
        let (argument, expected, got) = ("ensembles", code.columns(), ensembles.len());
        if got != expected {
            return Err(LearnerError::LengthMismatch { argument, expected, got });
        }
        // All hypotheses of an ensemble are for the same rows.
        let mut inputs = ensembles.iter().filter_map(|ensemble| ensemble.hypotheses().first()).map(H::inputs);
        if let Some(inputs) = inputs.next() {
            ensembles.iter().try_for_each(|ensemble| ensemble.check_inputs(inputs))?;
        }
        Ok(Self::of(code, ensembles))
    }
}
