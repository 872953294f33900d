//! The vote of a multi-class run, and the decoding of its scores.

use super::class_examples::check_classes;
use super::{BoostError, ClassExamples, CodeError, Ensemble, OutputCode};
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;
use weak_learners::batch::{Hypothesis, Sample, WeakLearner};

/// An [`Ensemble`] for every column of an [`OutputCode`], with the decoding of their scores to a class
/// \[ASS00\].
///
/// *Cost:* the predictions of all columns and O(kL) a row. *Errors:* a row of another dimension than the
/// hypotheses'. [`Multiclass`](super::Multiclass) has an example.
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

/// The errors and losses of a vote on a sample, as shares of its D.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The share of D decoded to another class.
    pub error: f64,
    /// Σ_i D_i L(M_(y_i)l f_l(x_i)) of each column l; for Hamming decoding the share of wrong bits, a 0 for
    /// half a bit.
    pub column_losses: Vec<f64>,
    /// Their sum over ρL(0), a bound on the error \[ASS00, Theorem 1\]; `None` for linear decoding.
    pub bound: Option<f64>,
}

impl<H: Hypothesis> MulticlassVote<H> {
    /// The class of a row. It allocates L scores; [`scores`](Self::scores) and [`OutputCode::decode`]
    /// allocate nothing.
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
    /// As [`classes`](Self::classes); another number of classes than of examples; a class outside the code.
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
            // An example of weight 0 counts 0, even if its loss is infinite.
            column_losses.iter_mut().zip(bits).filter(|_| d > 0.0).for_each(|(loss, (bit, f))| {
                *loss += d * by.loss(*bit, *f);
            });
        })?;
        let total: f64 = column_losses.iter().sum();
        let bound = by.at_zero().map(|at_zero| total / (self.code.least_distance() * at_zero));
        Ok(Assessment { error, column_losses, bound })
    }

    /// Visits (i, class, scores of the columns) for every example in order.
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
    /// Checks for one ensemble a column, and rows of one dimension.
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

    /// The vote after t rounds of every column, or after all rounds of a shorter column.
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

/// The loss L(z) of a bit: class r has the charge Σ_l L(M_rl f_l) for scores f_1, …, f_L of the columns. The
/// answer is the class of least charge, the first of equals.
///
/// *Guarantee* \[ASS00, Theorem 1\]. For L ≥ 0 with L(z) + L(−z) ≥ 2L(0) > 0, an example of class y that is
/// decoded to another class has the charge Σ_l L(M_yl f_l) ≥ ρL(0). *Proof.* The wrong word's charge is at
/// most the right one's, so twice the right charge is at least their sum. A column where the words have
/// opposite signs adds L(z) + L(−z) ≥ 2L(0) to it, and a column with a 0 at least L(0). So under any D the
/// share of wrong answers is at most Σ_i D_i Σ_l L(M_(y_i)l f_l(x_i)) / (ρL(0)). For Hamming decoding, with
/// e_l the share of wrong bits in column l and a 0 for half a bit, the bound is (2/ρ)Σ_l e_l.
///
/// ```
/// use boosters::maboost::{Decoding, OutputCode};
/// let code = OutputCode::one_vs_rest(3)?;
/// let scores = [-0.25, -0.125, -2.0];
/// assert_eq!(code.decode(&scores, Decoding::Linear)?, 1);
/// assert_eq!(code.decode(&scores, Decoding::Exponential)?, 1);
/// // Every bit says no: all classes are one bit away.
/// assert_eq!(code.decode(&scores, Decoding::Hamming)?, 0);
/// assert_eq!(Decoding::Hamming.charge(code.row(1), &scores), 1.0);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decoding {
    /// Signs only, a score of 0 for +1: L = (1 − z)/2 of the sign, L(0) = ½ \[DB95\].
    Hamming,
    /// L(z) = −z, the largest agreement; for one against the rest the largest score. No guarantee.
    Linear,
    /// L(z) = e^(−z), AdaBoost's loss; L(0) = 1.
    Exponential,
}

impl OutputCode {
    /// The class of least charge for these scores, one a column.
    ///
    /// # Errors
    /// [`CodeError::ScoreCount`]; a score that is not finite.
    pub fn decode(&self, scores: &[f64], by: Decoding) -> Result<u32, BoostError> {
        let (expected, got) = (self.columns(), scores.len());
        if got != expected {
            return Err(CodeError::ScoreCount { expected, got }.into());
        }
        if let Some(index) = scores.iter().position(|f| !f.is_finite()) {
            let value = scores[index];
            return Err(LearnerError::NotFinite { argument: "score", index, value }.into());
        }
        // A common unit in which no sum overflows.
        let unit = if scores.iter().all(|f| f.abs() < 1e280) { 1.0 } else { 2_f64.powi(-64) };
        let mut least = (0, f64::INFINITY);
        for (class, word) in (0..).zip(self.rows()) {
            let charge = by.comparable_charge(word, scores, unit);
            if charge < least.1 {
                least = (class, charge);
            }
        }
        Ok(least.0)
    }
}

impl Decoding {
    /// Σ_l L(M_l f_l) for a code word M and as many scores f; infinite where it is too large for an f64.
    pub fn charge(self, word: &[i8], scores: &[f64]) -> f64 {
        word.iter().zip(scores).map(|(bit, f)| self.loss(*bit, *f)).sum()
    }

    /// L(M f).
    pub(super) fn loss(self, bit: i8, f: f64) -> f64 {
        let bit = f64::from(bit);
        match self {
            Self::Hamming => 0.5 * (1.0 - bit * if f < 0.0 { -1.0 } else { 1.0 }),
            Self::Linear => -bit * f,
            Self::Exponential => (-bit * f).exp(),
        }
    }

    /// L(0), where the guarantee holds.
    pub(super) fn at_zero(self) -> Option<f64> {
        match self {
            Self::Hamming => Some(0.5),
            Self::Linear => None,
            Self::Exponential => Some(1.0),
        }
    }

    /// An increasing function of the charge, finite for all finite scores: the charge, a multiple or its
    /// logarithm.
    fn comparable_charge(self, word: &[i8], scores: &[f64], unit: f64) -> f64 {
        let exponents = || word.iter().zip(scores).map(|(bit, f)| -f64::from(*bit) * f);
        match self {
            Self::Hamming => self.charge(word, scores),
            Self::Linear => exponents().map(|z| z * unit).sum(),
            Self::Exponential => {
                let largest = exponents().fold(f64::NEG_INFINITY, f64::max);
                largest + exponents().map(|z| (z - largest).exp()).sum::<f64>().ln()
            }
        }
    }
}
