//! Algorithms 1 and 2 of [L23].

use super::ensemble::{check_predictions, check_predictor};
use super::line_search::line_search;
use super::pass::{DirectionalDerivative, Evaluation, Gradient};
use super::policy_log::PolicyLog;
use super::weighted_log::{WeightedLog, zeros, zeros_of};
use super::{BoplError, PolicyEnsemble, PolicyObjective, Smoothness};
use off_policy::Log;
use off_policy::policies::Scores;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::RankError;
use weak_learners::pairs::{PairLearner, PairRound, PairWeights};

/// BOPL \[L23, Algorithm 1\] with the objective [`Bopl`](super::Bopl), BOPL-S \[L23, Algorithm 2\] with
/// [`BoplS`](super::BoplS): F_t as an ensemble, its values on the log, and the gradient there.
///
/// The two algorithms differ only in the c_i of the gradient and the s_i of its curvature. The log says where
/// a pair stands: (i, a) at a·n + i, where the actions are the same in every row.
#[derive(Debug, Clone)]
pub(super) struct Boosting<O, L, H, W = WeightedLog> {
    log: W,
    learner: L,
    step: Step,
    /// λ.
    ridge: f64,
    ensemble: PolicyEnsemble<H>,
    /// F(x_i, a).
    scores: Vec<f64>,
    gradient: Gradient,
    /// f_t(x_i, a).
    values: Vec<f64>,
    /// w: one a row, or one a pair where some actions are not on offer or the weights are local.
    weights: Vec<f64>,
    evaluation: Evaluation,
    objective: O,
}

impl<O: PolicyObjective, L: PairLearner, W: PolicyLog> Boosting<O, L, L::Hypothesis, W> {
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
        // The gradient: u_i = c_i(𝐚_i − π_{t−1}(x_i)), which line 5 of the round before has found.
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
        let weight = self.weight(self.step, &self.values)?;
        if weight.alpha.abs() < NEGLIGIBLE {
            return Ok(ControlFlow::Break(Vanished::Alpha));
        }
        self.check_advance(weight.alpha, largest)?;
        // Line 5: F_t ← F_{t−1} + α_t f_t, on the log, where the same pass finds the next u, and in the
        // ensemble.
        let sums = self.log.advance(
            self.objective,
            weight.alpha,
            &self.values,
            &mut self.scores,
            &mut self.gradient,
        )?;
        self.evaluation = self.log.evaluate(sums);
        self.find_local_weights();
        self.ensemble.push(weight.alpha, f);
        Ok(ControlFlow::Continue(weight))
    }

    /// f_t with its values on the log, and max|f_t|: Algorithm 3 by a learner of weighted least squares,
    /// Algorithm 4 by [`Classification`](super::Classification).
    fn base_learner(&mut self, contexts: &L::Contexts) -> Result<(L::Hypothesis, f64), BoplError> {
        let (n, actions) = self.log.shape();
        let weights = match self.weights.len() == n {
            true => PairWeights::OfExamples(&self.weights),
            false => PairWeights::OfPairs(&self.weights),
        };
        let round = match self.log.shard() {
            None => PairRound::new(n, actions, &self.gradient.u, weights)?,
            Some(shard) => {
                let round = PairRound::of_rank(n, actions, &self.gradient.u, weights);
                shard.ranks().agree(round)?
            }
        };
        let f = self.learner.train(contexts, &round, &mut self.values)?;
        check_predictor(&f, self.ensemble.inputs(), actions)?;
        let largest = self.log.largest(&self.values)?;
        if !(largest <= LARGEST) {
            self.agreed(check_predictions(&self.values))?;
        }
        Ok((f, largest))
    }

    /// α of a predictor with values f, by a closed form or a search that starts there.
    ///
    /// # Errors
    /// [`BoplError::NotFinite`] where U or S is beyond the range.
    pub(super) fn weight(&self, step: Step, f: &[f64]) -> Result<Weight, BoplError> {
        match step {
            Step::Closed(smoothness) => self.closed_form(smoothness, f),
            // The search ends at |α| ≥ |α| of the closed form, where objective + λα² is no larger: the
            // objective has fallen by the decrease of the closed form at least.
            Step::LineSearch => {
                let closed = self.closed_form(Smoothness::Sharp, f)?;
                let alpha =
                    line_search(&self.log, self.objective, closed.alpha, self.ridge, (&self.scores, f))?;
                Ok(Weight { alpha, ..closed })
            }
            Step::SecondOrder { learning_rate } => {
                let along = self.log.local_derivative(self.objective, &self.gradient, f, learning_rate)?;
                self.minimum(along, learning_rate)
            }
        }
    }

    /// α = U/(S + 2nλ) \[L23, Equations 12 and 69; Appendix E\], with U = Σ⟨u_i, f(x_i)⟩ and S = Σ
    /// s_i‖f(x_i)‖²: the minimum of the upper bound −αU/n + α²S/2n + λα².
    fn closed_form(&self, smoothness: Smoothness, f: &[f64]) -> Result<Weight, BoplError> {
        let along = self.log.directional_derivative(self.objective, &self.gradient.u, f, smoothness)?;
        self.minimum(along, f64::INFINITY)
    }

    /// The α with |α| ≤ `most` of the least upper bound.
    fn minimum(&self, along: DirectionalDerivative, most: f64) -> Result<Weight, BoplError> {
        let DirectionalDerivative { gain, curvature } = along;
        for (argument, value) in [("the slope along f", gain), ("the curvature along f", curvature)] {
            if !value.is_finite() {
                return Err(BoplError::NotFinite { argument, index: 0, value });
            }
        }
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = self.log.n() as f64;
        let denominator = curvature + 2.0 * n * self.ridge;
        let alpha = if denominator > 0.0 { (gain / denominator).clamp(-most, most) } else { 0.0 };
        Ok(Weight { alpha, decrease: alpha * (gain - 0.5 * alpha * curvature) / n })
    }

    /// The outcome of a check that every rank comes to, and of which one at least has an error.
    fn agreed(&self, own: Result<(), BoplError>) -> Result<(), BoplError> {
        match self.log.shard() {
            None => own,
            Some(shard) => shard.ranks().agree(own),
        }
    }

    /// Whether F + αf is in range, where `largest_value` is max|f|.
    fn check_advance(&self, alpha: f64, largest_value: f64) -> Result<(), BoplError> {
        if self.log.largest(&self.scores)? + alpha.abs() * largest_value <= LARGEST {
            return Ok(());
        }
        let mut moved = self.scores.iter().zip(&self.values).map(|(score, f)| score + alpha * f).enumerate();
        self.agreed(match moved.find(|(_, score)| !(score.abs() <= LARGEST)) {
            Some((index, value)) => Err(BoplError::NotFinite { argument: "a score", index, value }),
            None => Ok(()),
        })
    }

    /// Line 1: F_0 as an ensemble and its values on the log; \[L23\] has F_0 = 0.
    ///
    /// # Errors
    /// Those of the ranks.
    pub(super) fn at(
        log: W,
        learner: L,
        (objective, step, ridge): (O, Step, f64),
        (ensemble, scores): (PolicyEnsemble<L::Hypothesis>, Vec<f64>),
        Room { u, values, weights, pi }: Room,
    ) -> Result<Self, BoplError> {
        let gradient = Gradient { u, logged: vec![0.0; log.len()], pi };
        let evaluation = Evaluation::default();
        let mut boosting = Self {
            log,
            learner,
            step,
            ridge,
            ensemble,
            scores,
            gradient,
            values,
            weights,
            evaluation,
            objective,
        };
        boosting.find_gradient()?;
        Ok(boosting)
    }

    /// u, the evaluation and local weights at F, whose values on the log the caller has set.
    fn find_gradient(&mut self) -> Result<(), RankError> {
        let sums = self.log.gradient(self.objective, &self.scores, &mut self.gradient)?;
        self.evaluation = self.log.evaluate(sums);
        self.find_local_weights();
        Ok(())
    }

    fn find_local_weights(&mut self) {
        if self.step.is_local() {
            self.log.local_weights(self.objective, &self.gradient, &mut self.weights);
        }
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
        Ok(self.find_gradient()?)
    }
}

/// The memory of a run.
#[derive(Debug)]
pub(super) struct Room {
    /// A number a pair each.
    pub(super) u: Vec<f64>,
    pub(super) values: Vec<f64>,
    /// The weights of the rows or of the pairs, or room for local ones.
    pub(super) weights: Vec<f64>,
    /// Room for a number a pair, or none.
    pub(super) pi: Vec<f64>,
}

impl<O: PolicyObjective, L: PairLearner> Boosting<O, L, L::Hypothesis> {
    /// A run on a log with a fixed set of actions.
    ///
    /// # Errors
    /// [`BoplError::TooManyPairs`], and those of the ranks.
    pub(super) fn start(
        log: &Log,
        learner: L,
        weighted: WeightedLog,
        how: (O, Step, f64),
        ensemble: PolicyEnsemble<L::Hypothesis>,
        scores: Vec<f64>,
    ) -> Result<Self, BoplError> {
        let (objective, step, _) = how;
        let (u, values) = (zeros(log)?, zeros(log)?);
        let mut weights = if step.is_local() { zeros(log)? } else { Vec::new() };
        if let Some(smoothness) = step.smoothness() {
            weights.extend(weighted.spans().iter().map(|v| objective.weight(*v, smoothness)));
        }
        if !weighted.absent.is_empty() && !step.is_local() {
            let rows = weighted.absent.chunks_exact(weighted.len());
            let present = rows.flat_map(|absent| absent.iter().zip(&weights));
            weights = present.map(|(absent, w)| if *absent { 0.0 } else { *w }).collect();
        }
        let pi = if step.is_local() && weighted.predicted.is_some() { zeros(log)? } else { Vec::new() };
        Self::at(weighted, learner, how, (ensemble, scores), Room { u, values, weights, pi })
    }

    /// The weight by any step, whatever the step of the run: one of the second order needs the π of every
    /// pair where rewards were predicted, which the rounds of other steps do not keep.
    ///
    /// # Errors
    /// As [`weight`](Self::weight), and [`BoplError::TooManyPairs`].
    pub(super) fn weight_by_any(&self, step: Step, f: &[f64]) -> Result<Weight, BoplError> {
        let lacks_pi = self.log.predicted.is_some() && self.gradient.pi.is_empty();
        let Some(learning_rate) = step.learning_rate().filter(|_| lacks_pi) else {
            return self.weight(step, f);
        };
        let zeros = || zeros_of(self.log.len(), self.log.actions);
        let room = zeros().and_then(|u| Ok(Gradient { u, pi: zeros()?, logged: vec![0.0; self.log.len()] }));
        let mut gradient = self.log.shard.ranks().agree(room)?;
        self.log.gradient(self.objective, &self.scores, &mut gradient)?;
        let along = self.log.local_derivative(self.objective, &gradient, f, learning_rate)?;
        self.minimum(along, learning_rate)
    }
}

impl<O, L, H, W> Boosting<O, L, H, W> {
    pub(super) fn log(&self) -> &W {
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
        &self.gradient.u
    }

    pub(super) fn evaluation(&self) -> Evaluation {
        self.evaluation
    }
}

/// How long a step along a predictor is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// α = U/(S + 2nλ), which minimises the bound that the smoothness gives: line 4 of Algorithms 1 and 2 of
    /// \[L23\] with `Paper`.
    Closed(Smoothness),
    /// The least objective that a search along f finds, at least as low as the closed form with `Sharp` gets.
    /// Beyond that form the search moves no score by more than 4.
    LineSearch,
    /// Second order: the base learner fits u/w with the weights w = |c_i|π_a(1 − π_a), the diagonal of the
    /// curvature at π_{t−1}, and α = U/(S + 2nλ) is at most the learning rate η, with the S of
    /// [`local_curvature`](PolicyObjective::local_curvature).
    ///
    /// An extension of \[L23\], whose weights and S hold for every policy and are therefore larger where π is
    /// near 0 or 1. Theorem 1 holds with the realised decreases, as for every step. `min_child_weight` and
    /// `reg_lambda` refer to w: 1 is a usual value of either. *Cost:* 8 bytes a pair more, and one pass.
    SecondOrder {
        /// η in (0, 1]; 0.1 to 0.3 generalises well.
        learning_rate: f64,
    },
}

impl Step {
    /// The constants of the closed form that the step is or starts from; `None` for the second order, which
    /// has none.
    #[must_use]
    pub fn smoothness(self) -> Option<Smoothness> {
        match self {
            Self::Closed(smoothness) => Some(smoothness),
            Self::LineSearch => Some(Smoothness::Sharp),
            Self::SecondOrder { .. } => None,
        }
    }

    /// # Errors
    /// [`BoplError::BadParameter`] for a learning rate outside (0, 1].
    pub(super) fn check(self) -> Result<(), BoplError> {
        match self {
            Self::SecondOrder { learning_rate: value } if !(value > 0.0 && value <= 1.0) => {
                Err(BoplError::BadParameter { name: "learning_rate", value, domain: "(0, 1]" })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn is_local(self) -> bool {
        self.learning_rate().is_some()
    }

    /// η of the second order.
    fn learning_rate(self) -> Option<f64> {
        match self {
            Self::SecondOrder { learning_rate } => Some(learning_rate),
            _ => None,
        }
    }
}

/// The weight of a predictor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight {
    /// α.
    pub alpha: f64,
    /// A lower bound on the fall of the objective: αU/n − α²S/2n at the α of the closed form, also where a
    /// line search goes further. It holds for F + αf as it is rounded where αf is as exact as F: an f whose
    /// values of a row are large and nearly equal loses their difference.
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
