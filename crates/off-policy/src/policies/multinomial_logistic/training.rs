//! The fit of multinomial logistic regression.

use super::lbfgs::Lbfgs;
use super::objective::{Objective, origin};
use super::scales::{Columns, Scales};
use super::{LogisticRecord, LogisticStop, MultinomialLogistic, TrainedLogistic};
use crate::{LabelError, LabelSets, LogError, PolicyError};
use rand::{Rng, RngExt};
use rows::{RowMatrix, dot};
use serde::{Deserialize, Serialize};

/// Minimises the ridge-penalised cross-entropy
///
/// J(θ) = (1/n)Σ_i (ln Σ_a exp(s_a(x_i)) − mean of s_a(x_i) over the labels of i) + (λ/2)‖θ‖²,  s_a(x) =
/// ⟨v_a, z⟩ + c_a,
///
/// where z is x with its [`Columns`] standardised, or x. An example of several labels teaches each with an
/// equal share, and weighs no more than others. The ridge is on the intercepts too, so that J is λ-strongly
/// convex and a class without examples keeps a finite score.
///
/// *Method.* Full batches: limited-memory BFGS \[LN89\] from θ = 0, backtracking to J(θ + td) ≤ J(θ) +
/// 10⁻⁴·t⟨∇J, d⟩; an epoch is an accepted step. The first step is −∇J/L, which lowers J by at least ‖∇J‖²/2L.
///
/// *To keep a policy mediocre* \[L23, Appendix F.3\]: a larger ridge, fewer epochs, early stopping, and the β
/// of the softmax.
///
/// *Ranges:* λ ≥ 0; λ = 0 promises no minimiser, only descent. Without [early
/// stopping](Self::with_early_stopping) nothing is drawn. *Cost:* an epoch is two passes over the stored
/// values, O(|A|) each, more where a step is cut back; memory is that of ten pairs of vectors as long as θ
/// and a few more, and no copy of the contexts.
///
/// ```
/// use off_policy::LabelSets;
/// use off_policy::policies::{LogisticStop, LogisticTraining, Scores};
/// use rand::SeedableRng;
/// let contexts = rows::RowMatrix::dense(1, vec![1000.0, 2000.0, 3000.0, 4000.0])?;
/// let labels = LabelSets::single(2, &[0, 0, 1, 1])?;
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
/// let training = LogisticTraining::builder().ridge(0.01).max_epochs(100).build()?;
/// let trained = training.fit(&contexts, &labels, &mut rng)?;
/// let mut scores = [0.0; 2];
/// trained.model.scores(rows::Row::dense(&[2600.0])?, &mut scores)?;
/// assert!(scores[0] < scores[1] && trained.record.stop == LogisticStop::Gradient);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct LogisticTraining {
    parameters: Unchecked,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Unchecked {
    ridge: f64,
    max_epochs: usize,
    tolerance: f64,
    held_out: f64,
    patience: usize,
    columns: Columns,
}

/// A [`LogisticTraining`] that is not checked yet.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct LogisticTrainingBuilder {
    unchecked: Unchecked,
}

impl LogisticTrainingBuilder {
    /// λ.
    pub fn ridge(mut self, ridge: f64) -> Self {
        self.unchecked.ridge = ridge;
        self
    }

    /// The epochs, at most.
    pub fn max_epochs(mut self, epochs: usize) -> Self {
        self.unchecked.max_epochs = epochs;
        self
    }

    /// The training.
    ///
    /// # Errors
    /// [`PolicyError::BadParameter`] for a λ that is not a finite number of at least 0.
    pub fn build(self) -> Result<LogisticTraining, PolicyError> {
        self.unchecked.try_into()
    }
}

impl LogisticTraining {
    /// A ridge of 0.01 and at most 100 epochs, on standardised columns, until ‖∇J‖ ≤ 10⁻⁶; to be changed by
    /// name.
    pub fn builder() -> LogisticTrainingBuilder {
        let (ridge, max_epochs, tolerance, columns) = (0.01, 100, 1e-6, Columns::Standardised);
        let unchecked = Unchecked { ridge, max_epochs, tolerance, held_out: 0.0, patience: 0, columns };
        LogisticTrainingBuilder { unchecked }
    }

    /// Holds ⌊`share`·n⌋ rows out, drawn without replacement, and stops when their cross-entropy has not
    /// improved for `patience` epochs; the model is that of the best epoch.
    ///
    /// # Errors
    /// [`PolicyError::BadParameter`] for a share outside \[0, 1).
    pub fn with_early_stopping(self, share: f64, patience: usize) -> Result<Self, PolicyError> {
        Unchecked { held_out: share, patience, ..self.parameters }.try_into()
    }

    /// Stops at ‖∇J‖ ≤ `tolerance`.
    ///
    /// # Errors
    /// [`PolicyError::BadParameter`] for a tolerance that is not a finite number of at least 0.
    pub fn with_tolerance(self, tolerance: f64) -> Result<Self, PolicyError> {
        Unchecked { tolerance, ..self.parameters }.try_into()
    }

    /// On columns of this scale.
    #[must_use]
    pub fn with_columns(mut self, columns: Columns) -> Self {
        self.parameters.columns = columns;
        self
    }

    /// Learns from these labels.
    ///
    /// # Errors
    /// [`LogError::Empty`], [`LabelError::RowCount`], [`LabelError::NoLabel`];
    /// [`PolicyError::GradientOverflow`]; [`PolicyError::TooManyWeights`] where θ has 2³² numbers or more, or
    /// there is no memory for it.
    pub fn fit(
        &self,
        contexts: &RowMatrix,
        labels: &LabelSets,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<TrainedLogistic, PolicyError> {
        if labels.len() != contexts.len() {
            return Err(LabelError::RowCount { expected: contexts.len(), got: labels.len() }.into());
        }
        if contexts.is_empty() {
            return Err(LogError::Empty.into());
        }
        if let Some(row) = labels.iter().position(<[u32]>::is_empty) {
            return Err(LabelError::NoLabel { row }.into());
        }
        let theta = origin(contexts.dimension(), labels.classes())?;
        let (held_out, rows) = self.split(contexts.len(), rng);
        let scales = Scales::fit(contexts, &rows, self.parameters.columns);
        let ridge = self.parameters.ridge;
        let objective = Objective { contexts, labels, rows: &rows, scales: &scales, ridge };
        let held_out = Objective { rows: &held_out, ..objective };
        self.minimise(theta, &objective, &held_out)
    }

    /// The rows held out and the others, of which there is one at least, each in order.
    fn split(&self, n: usize, rng: &mut (impl Rng + ?Sized)) -> (Vec<usize>, Vec<usize>) {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of n lies in 0, …, n"
        )]
        let k = ((self.parameters.held_out * n as f64).floor() as usize).min(n - 1);
        let mut order: Vec<usize> = (0..n).collect();
        for i in 0..k {
            let drawn = rng.random_range(i..n);
            order.swap(i, drawn);
        }
        let mut rest = order.split_off(k);
        order.sort_unstable();
        rest.sort_unstable();
        (order, rest)
    }

    /// The best model on the way from θ.
    fn minimise(
        &self,
        mut theta: Vec<f64>,
        objective: &Objective<'_>,
        held_out: &Objective<'_>,
    ) -> Result<TrainedLogistic, PolicyError> {
        let parameters = &self.parameters;
        let validates = !held_out.rows.is_empty();
        let smoothness = objective.smoothness();
        let mut gradient = theta.clone();
        let (mut memory, mut best) = (Lbfgs::default(), theta.clone());
        let mut value = objective.evaluate(&theta, &mut gradient);
        let mut record = LogisticRecord {
            objective: vec![value],
            gradient_norm: vec![dot(&gradient, &gradient).sqrt()],
            held_out: if validates { vec![held_out.cross_entropy(&theta, None)] } else { Vec::new() },
            epoch: 0,
            smoothness,
            stop: LogisticStop::Epochs,
        };
        for epoch in 1..=parameters.max_epochs {
            let norm = dot(&gradient, &gradient).sqrt();
            if !norm.is_finite() {
                return Err(PolicyError::GradientOverflow);
            }
            if norm <= parameters.tolerance {
                record.stop = LogisticStop::Gradient;
                break;
            }
            let Some(step) = descend(objective, &theta, &gradient, value, &mut memory) else {
                record.stop = LogisticStop::Rounding;
                break;
            };
            (theta, gradient, value) = (step.theta, step.gradient, step.value);
            record.objective.push(value);
            record.gradient_norm.push(dot(&gradient, &gradient).sqrt());
            if validates {
                let loss = held_out.cross_entropy(&theta, None);
                record.held_out.push(loss);
                if loss < record.held_out[record.epoch] {
                    record.epoch = epoch;
                    best.clone_from(&theta);
                } else if epoch - record.epoch >= parameters.patience {
                    record.stop = LogisticStop::HeldOut;
                    break;
                }
            } else {
                record.epoch = epoch;
            }
        }
        let (weights, intercepts) = objective.raw(if validates { &best } else { &theta });
        let model = MultinomialLogistic::new(objective.contexts.dimension(), weights, intercepts)?;
        Ok(TrainedLogistic { model, record })
    }
}

/// An accepted step.
struct Step {
    theta: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

const SUFFICIENT: f64 = 1e-4;
const SMALLEST: f64 = 1e-12;
const ROUNDING: f64 = f64::EPSILON / 8.0;

/// A step of sufficient decrease, or `None` where there is none even along the gradient.
fn descend(
    objective: &Objective<'_>,
    theta: &[f64],
    gradient: &[f64],
    value: f64,
    memory: &mut Lbfgs,
) -> Option<Step> {
    loop {
        let direction = memory.direction(gradient, 1.0 / objective.smoothness());
        let slope = dot(gradient, &direction);
        let mut t = 1.0;
        // A decrease below the rounding of J cannot be seen.
        while t >= SMALLEST && -t * slope > ROUNDING * value {
            let next: Vec<f64> = theta.iter().zip(&direction).map(|(x, d)| x + t * d).collect();
            let mut next_gradient = vec![0.0; next.len()];
            let next_value = objective.evaluate(&next, &mut next_gradient);
            let descends = next_value < value && next_value <= value + SUFFICIENT * t * slope;
            if descends && next_gradient.iter().all(|g| g.is_finite()) {
                let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
                memory.remember(difference(&next, theta), difference(&next_gradient, gradient));
                return Some(Step { theta: next, gradient: next_gradient, value: next_value });
            }
            t *= 0.5;
        }
        if memory.is_empty() {
            return None;
        }
        memory.forget();
    }
}

impl From<LogisticTraining> for Unchecked {
    fn from(training: LogisticTraining) -> Self {
        training.parameters
    }
}

impl TryFrom<Unchecked> for LogisticTraining {
    type Error = PolicyError;

    fn try_from(parameters: Unchecked) -> Result<Self, PolicyError> {
        for (name, value) in [("ridge", parameters.ridge), ("tolerance", parameters.tolerance)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(PolicyError::BadParameter { name, value, domain: "[0, ∞)" });
            }
        }
        if !(0.0..1.0).contains(&parameters.held_out) {
            let value = parameters.held_out;
            return Err(PolicyError::BadParameter { name: "held_out", value, domain: "[0, 1)" });
        }
        Ok(Self { parameters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// ⌊share·n⌋ of them, every set of so many equally often: within five standard errors of 6000 draws of 3
    /// rows of 7.
    #[test]
    fn held_out_rows_are_drawn_without_replacement() {
        let training = LogisticTraining::builder()
            .ridge(0.1)
            .max_epochs(5)
            .build()
            .unwrap()
            .with_early_stopping(0.5, 2)
            .unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut times = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let (held_out, rest) = training.split(7, &mut rng);
            assert_eq!((held_out.len(), rest.len()), (3, 4));
            assert!(held_out.is_sorted() && rest.is_sorted());
            let mut all = [held_out.clone(), rest].concat();
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
            *times.entry(held_out).or_insert(0_u32) += 1;
        }
        assert_eq!(times.len(), 35, "all sets of 3 of 7 rows");
        let expected: f64 = 6000.0 / 35.0;
        let error = (expected * (1.0 - 1.0 / 35.0)).sqrt();
        for (rows, count) in times {
            assert!((f64::from(count) - expected).abs() < 5.0 * error, "{rows:?}: {count} times");
        }
    }

    /// Near a minimum a quasi-Newton step lowers J by half of what its slope promises: that is enough, and
    /// none is cut back.
    #[test]
    fn steps_of_a_half_of_the_promised_decrease_are_taken_whole() {
        let contexts = RowMatrix::dense(1, vec![-2.0, -1.0, 0.5, 1.0, 1.5, 3.0]).unwrap();
        let labels = LabelSets::single(2, &[0, 0, 1, 0, 1, 1]).unwrap();
        let rows = [0, 1, 2, 3, 4, 5];
        let scales = Scales::fit(&contexts, &rows, Columns::Raw);
        let objective =
            Objective { contexts: &contexts, labels: &labels, rows: &rows, scales: &scales, ridge: 0.1 };
        let (mut theta, mut memory, mut halves) = (origin(1, 2).unwrap(), Lbfgs::default(), 0);
        let mut gradient = theta.clone();
        let mut value = objective.evaluate(&theta, &mut gradient);
        for epoch in 0..8 {
            let direction = memory.direction(&gradient, 1.0 / objective.smoothness());
            let slope = dot(&gradient, &direction);
            let step = descend(&objective, &theta, &gradient, value, &mut memory).unwrap();
            let whole: Vec<f64> = theta.iter().zip(&direction).map(|(x, d)| x + d).collect();
            assert_eq!(step.theta, whole, "epoch {epoch}");
            halves += u32::from((0.3..0.7).contains(&((step.value - value) / slope)));
            (theta, gradient, value) = (step.theta, step.gradient, step.value);
        }
        assert!(halves >= 4, "{halves} of 8 steps");
    }

    /// One row stays to learn from, and without early stopping nothing is drawn.
    #[test]
    fn the_ends_of_the_share() {
        let plain = LogisticTraining::builder().ridge(0.1).max_epochs(5).build().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let untouched = rng.clone();
        assert_eq!(plain.split(3, &mut rng), (vec![], vec![0, 1, 2]));
        assert_eq!(rng, untouched);
        let most = plain.with_early_stopping(1.0_f64.next_down(), 1).unwrap();
        assert_eq!(most.split(1, &mut rng), (vec![], vec![0]));
        let (held_out, rest) = most.split(1000, &mut rng);
        assert_eq!((held_out.len(), rest.len()), (999, 1));
    }
}
