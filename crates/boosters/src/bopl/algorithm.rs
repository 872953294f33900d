//! Algorithms 1 and 2 of [L23].

use super::ensemble::{check_predictions, check_predictor};
use super::pass::{Evaluation, largest};
use super::weighted_log::{WeightedLog, exponent_of, times_power, zeros};
use super::{BoplError, PolicyEnsemble, PolicyObjective, Smoothness};
use off_policy::Log;
use off_policy::policies::Scores;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::ops::ControlFlow;
use weak_learners::pairs::{PairLearner, PairRound, PairWeights};

/// BOPL \[L23, Algorithm 1\] with the objective [`Bopl`](super::Bopl), BOPL-S \[L23, Algorithm 2\] with
/// [`BoplS`](super::BoplS): F_t as an ensemble, its values on the log, and the gradient there.
///
/// The two algorithms differ only in the c_i of the gradient and the s_i of its curvature. Pair (i, a) stands
/// at a·n + i.
#[derive(Debug, Clone)]
pub(super) struct Boosting<O, L, H> {
    log: WeightedLog,
    learner: L,
    step: Step,
    /// λ.
    ridge: f64,
    ensemble: PolicyEnsemble<H>,
    /// F(x_i, a).
    scores: Vec<f64>,
    /// u.
    gradients: Vec<f64>,
    /// f_t(x_i, a).
    values: Vec<f64>,
    /// w: one a row, or one a pair where some actions are not on offer.
    weights: Vec<f64>,
    evaluation: Evaluation,
    objective: PhantomData<O>,
}

impl<O: PolicyObjective, L: PairLearner> Boosting<O, L, L::Hypothesis> {
    /// Round t: lines 3 to 5 of both algorithms, as the paper's text refers to them. They are 4, 6 and 7 if
    /// the inputs and the constraint on f_t are counted as lines too.
    ///
    /// # Errors
    /// The errors of the base learner; a predictor of other contexts or actions; predictions that are not
    /// finite, or that take a score beyond the range of numbers. F stays as it was.
    pub(super) fn round(
        &mut self,
        contexts: &L::Contexts,
    ) -> Result<ControlFlow<Vanished, Weight>, BoplError> {
        // The gradient: u_i = c_i(𝐚_i − π_{t−1}(x_i)), which line 5 of the round before left in `gradients`.
        if self.evaluation.gradient_norm < NEGLIGIBLE {
            return Ok(ControlFlow::Break(Vanished::Gradient));
        }
        // Line 3: f_t, an argmax of |Σ⟨u_i, f(x_i)⟩|, by the base learner. Z is the one that f_t has: α_t
        // makes up for it.
        let (f, largest) = self.base_learner(contexts)?;
        if largest < NEGLIGIBLE {
            return Ok(ControlFlow::Break(Vanished::Predictions));
        }
        // Line 4: α_t.
        let weight = self.weight(self.step, &self.values);
        if weight.alpha.abs() < NEGLIGIBLE {
            return Ok(ControlFlow::Break(Vanished::Alpha));
        }
        self.check_advance(weight.alpha, largest)?;
        // Line 5: F_t ← F_{t−1} + α_t f_t, on the log, where the same pass finds the next u, and in the
        // ensemble.
        let sums = self.log.advance::<O>(weight.alpha, &self.values, &mut self.scores, &mut self.gradients);
        self.evaluation = self.log.evaluate::<O>(sums, &self.scores);
        self.ensemble.push(weight.alpha, f);
        Ok(ControlFlow::Continue(weight))
    }

    /// f_t with its values on the log, and max|f_t|: Algorithm 3 by a learner of weighted least squares,
    /// Algorithm 4 by [`Classification`](super::Classification).
    fn base_learner(&mut self, contexts: &L::Contexts) -> Result<(L::Hypothesis, f64), BoplError> {
        let (n, actions) = (self.log.len(), self.log.actions);
        let weights = match self.log.absent.is_empty() {
            true => PairWeights::OfExamples(&self.weights),
            false => PairWeights::OfPairs(&self.weights),
        };
        let round = PairRound::new(n, actions, &self.gradients, weights)?;
        let f = self.learner.train(contexts, &round, &mut self.values)?;
        check_predictor(&f, self.ensemble.inputs(), actions)?;
        let largest = largest(&self.values);
        if !largest.is_finite() {
            check_predictions(&self.values)?;
        }
        Ok((f, largest))
    }

    /// α of a predictor with values f, by the closed form or a search that starts there.
    pub(super) fn weight(&self, step: Step, f: &[f64]) -> Weight {
        let closed = self.closed_form(step.smoothness(), f);
        match step {
            Step::Closed(_) => closed,
            // The search ends at |α| ≥ |α| of the closed form, where objective + λα² is no larger: the
            // objective has fallen by the decrease of the closed form at least.
            Step::LineSearch => Weight {
                alpha: self.log.line_search::<O>(closed.alpha, self.ridge, &self.scores, f),
                ..closed
            },
        }
    }

    /// α = U/(S + 2nλ) \[L23, Equations 12 and 69; Appendix E\], with U = Σ⟨u_i, f(x_i)⟩ and S = Σ
    /// s_i‖f(x_i)‖²: the minimum of the upper bound −αU/n + α²S/2n + λα².
    fn closed_form(&self, smoothness: Smoothness, f: &[f64]) -> Weight {
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = self.log.len() as f64;
        let minimum = |gain: f64, curvature: f64, ridge: f64| {
            let denominator = curvature + 2.0 * n * ridge;
            let alpha = if denominator > 0.0 { gain / denominator } else { 0.0 };
            Weight { alpha, decrease: alpha * (gain - 0.5 * alpha * curvature) / n }
        };
        let along = self.log.directional_derivative::<O>(&self.gradients, f, smoothness);
        let found = minimum(along.gain, along.curvature, self.ridge);
        let is_plain = |v: f64| v == 0.0 || (1e-200..1e200).contains(&v.abs());
        if [along.gain, along.curvature, found.alpha, found.decrease].into_iter().all(is_plain)
            && along.curvature > 0.0
        {
            return found;
        }
        // Products near the ends of the range: in units of the largest u, f and v. With U = Û·2^(e_u + e_f)
        // and S = Ŝ·2^(e_v + 2e_f), α is α̂·2^(e_u − e_v − e_f).
        let (e_u, e_f, e_v) = (exponent_of(&self.gradients), exponent_of(f), exponent_of(&self.log.ratios));
        let scaled = |values: &[f64], e: i32| values.iter().map(|v| times_power(*v, -e)).collect::<Vec<_>>();
        let (u, f) = (scaled(&self.gradients, e_u), scaled(f, e_f));
        let along = self.log.scaled_down(e_v).directional_derivative::<O>(&u, &f, smoothness);
        let found = minimum(along.gain, along.curvature, times_power(self.ridge, -(e_v + 2 * e_f)));
        Weight {
            alpha: times_power(found.alpha, e_u - e_v - e_f),
            decrease: times_power(found.decrease, 2 * e_u - e_v),
        }
    }

    /// Whether F + αf is finite, where `largest` is max|f|.
    fn check_advance(&self, alpha: f64, largest_value: f64) -> Result<(), BoplError> {
        if (largest(&self.scores) + alpha.abs() * largest_value).is_finite() {
            return Ok(());
        }
        let mut moved = self.scores.iter().zip(&self.values).map(|(score, f)| score + alpha * f).enumerate();
        match moved.find(|(_, score)| !score.is_finite()) {
            Some((index, value)) => Err(BoplError::NotFinite { argument: "a score", index, value }),
            None => Ok(()),
        }
    }

    /// Line 1: F_0 as an ensemble and its values on the log; \[L23\] has F_0 = 0. Training is on r_i +
    /// `translation`.
    ///
    /// # Errors
    /// [`BoplError::TooManyPairs`]; the errors of [`WeightedLog::new`].
    pub(super) fn start(
        log: &Log,
        learner: L,
        (translation, step, ridge): (f64, Step, f64),
        ensemble: PolicyEnsemble<L::Hypothesis>,
        scores: Vec<f64>,
    ) -> Result<Self, BoplError> {
        let (gradients, values) = (zeros(log)?, zeros(log)?);
        let log = WeightedLog::new(log, translation)?;
        let weight = |v: &f64| O::weight(*v, step.smoothness());
        let mut weights: Vec<f64> = log.ratios.iter().map(weight).collect();
        if !log.absent.is_empty() {
            let rows = log.absent.chunks_exact(log.len());
            let present = rows.flat_map(|absent| absent.iter().zip(&weights));
            weights = present.map(|(absent, w)| if *absent { 0.0 } else { *w }).collect();
        }
        let (evaluation, objective) = (Evaluation::default(), PhantomData);
        let mut boosting = Self {
            log,
            learner,
            step,
            ridge,
            ensemble,
            scores,
            gradients,
            values,
            weights,
            evaluation,
            objective,
        };
        boosting.find_gradient();
        Ok(boosting)
    }

    /// u and the evaluation at F, whose values on the log the caller has set.
    fn find_gradient(&mut self) {
        let sums = self.log.gradient::<O>(&self.scores, &mut self.gradients);
        self.evaluation = self.log.evaluate::<O>(sums, &self.scores);
    }

    /// F, moved to an ensemble by `replay`, which moves its values on the log.
    ///
    /// # Errors
    /// Those of `replay`; values that are not finite.
    pub(super) fn move_to(
        &mut self,
        ensemble: PolicyEnsemble<L::Hypothesis>,
        replay: impl FnOnce(&PolicyEnsemble<L::Hypothesis>, &mut [f64]) -> Result<(), BoplError>,
    ) -> Result<(), BoplError> {
        replay(&ensemble, &mut self.scores)?;
        check_predictions(&self.scores)?;
        self.ensemble = ensemble;
        self.find_gradient();
        Ok(())
    }
}

impl<O, L, H> Boosting<O, L, H> {
    pub(super) fn log(&self) -> &WeightedLog {
        &self.log
    }

    pub(super) fn learner(&self) -> &L {
        &self.learner
    }

    pub(super) fn ensemble(&self) -> &PolicyEnsemble<H> {
        &self.ensemble
    }

    pub(super) fn into_ensemble(self) -> PolicyEnsemble<H> {
        self.ensemble
    }

    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }

    pub(super) fn gradients(&self) -> &[f64] {
        &self.gradients
    }

    pub(super) fn evaluation(&self) -> Evaluation {
        self.evaluation
    }
}

/// How long a step along a predictor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// α = U/(S + 2nλ), which minimises the bound that the smoothness gives: line 4 of Algorithms 1 and 2 of
    /// \[L23\] with `Paper`.
    Closed(Smoothness),
    /// The least objective that a search along f finds, at least as low as the closed form with `Sharp` gets.
    /// Beyond that form the search moves no score by more than 4.
    LineSearch,
}

impl Step {
    /// The constants of the closed form that the step is or starts from.
    #[must_use]
    pub fn smoothness(self) -> Smoothness {
        match self {
            Self::Closed(smoothness) => smoothness,
            Self::LineSearch => Smoothness::Sharp,
        }
    }
}

/// The weight of a predictor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight {
    /// α.
    pub alpha: f64,
    /// A lower bound on the fall of the objective: αU/n − α²S/2n at the α of the closed form, also where a
    /// line search goes further.
    pub decrease: f64,
}

/// Below this a gradient, a prediction or a weight counts as 0. \[L23, Appendix G\]
pub(super) const NEGLIGIBLE: f64 = 1e-10;

/// The quantity below [`NEGLIGIBLE`] that ends the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vanished {
    /// ‖u‖_F.
    Gradient,
    /// max|f_t|.
    Predictions,
    /// |α_t|.
    Alpha,
}
