//! The loop of Algorithms 1 and 2 of [L23].

mod checks;
mod shown;

pub(super) use checks::{LogContexts, check_predictor, check_reproduced, check_values};

use super::fingerprint::Fingerprint;
use super::pass::{Look, largest as largest_of};
use super::replay::zeros;
use super::weighted_log::{WeightedLog, exponent_of, times_power};
use super::{BoplError, PolicyEnsemble, PolicyObjective, Settings, Step, Stop, Weight};
use checks::within_range;
use off_policy::Log;
use off_policy::policies::Scores;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::ops::ControlFlow;
use weak_learners::pairs::{PairLearner, PairRound, PairWeights};

/// Below this a gradient, a prediction or a weight is nothing. \[L23, Appendix G\]
pub(super) const NOTHING: f64 = 1e-10;

/// Boosted off-policy learning \[L23, Algorithms 1 and 2\]: a run with the objective `O`, [`Bopl`](super::Bopl) or
/// [`BoplS`](super::BoplS), and the base learner `L`.
///
/// With π_t the softmax of F_t, each round fits f_t to the gradient u of −n times the objective and adds α_t f_t. *Guarantee:*
/// whatever the base learner finds, the objective falls by at least `decrease`, and stays below
/// [`bound`](Round::bound). *Shapes:* pair (i, a) stands at a·n + i. *Cost:* one training, and two passes over the n·|A|
/// pairs; 24 bytes a pair, and 9 more where some actions are not on offer.
#[derive(Debug, Clone)]
pub struct PolicyBoosting<O, L: PairLearner> {
    fingerprint: Fingerprint,
    contexts: LogContexts,
    log: WeightedLog,
    settings: Settings,
    learner: L,
    ensemble: PolicyEnsemble<L::Hypothesis>,
    /// F_t(x_i, a).
    scores: Vec<f64>,
    /// u.
    gradients: Vec<f64>,
    /// f_t(x_i, a).
    values: Vec<f64>,
    /// w: one a row, or one a pair where some actions are not on offer.
    weights: Vec<f64>,
    state: State,
    record: Vec<Round>,
    objective: PhantomData<O>,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct State {
    /// The objective, and the norm of its gradient.
    objective: f64,
    gradient_norm: f64,
    /// IPS and SNIPS of the softmax policy on the log.
    ips: f64,
    snips: f64,
    /// L̂*.
    optimal: f64,
    /// Δ_0.
    delta_0: f64,
    /// Σ decrease.
    decreased: f64,
}

/// What happened in round t. A number beyond the range is ±[`f64::MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// ‖u‖_F before the round.
    pub gradient_norm: f64,
    /// α_t.
    pub alpha: f64,
    /// By how much the objective had to fall: αU/n − α²S/2n at the α of the closed form, which a line search may exceed.
    pub decrease: f64,
    /// The objective after the round, on the translated rewards.
    pub objective: f64,
    /// What Theorem 1 says of it: L̂* + Δ_0 exp(−Σ decrease/Δ_0).
    pub bound: f64,
    /// The IPS estimate of the value of the softmax policy after the round, on the training log and its rewards as they
    /// were.
    pub ips: f64,
    /// The SNIPS estimate of it; 0 where no logged action has a probability.
    pub snips: f64,
}

impl<O: PolicyObjective, L: PairLearner> PolicyBoosting<O, L> {
    /// One round on the contexts of the log.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] and [`BoplError::OtherContexts`] for contexts that are not the log's; what the base learner
    /// refuses; a predictor of others; predictions that are not finite, or move a score beyond the range of numbers. The
    /// round is then not booked.
    pub fn round(&mut self, contexts: &L::Contexts) -> Result<ControlFlow<Stop, Round>, BoplError> {
        self.contexts.check(contexts)?;
        if !self.log.has_choice {
            return Ok(ControlFlow::Break(Stop::NoChoice));
        }
        if self.state.gradient_norm < NOTHING {
            return Ok(ControlFlow::Break(Stop::Gradient));
        }
        // Line 3: f_t, by the base learner.
        let (f, largest) = self.fit(contexts)?;
        if largest < NOTHING {
            return Ok(ControlFlow::Break(Stop::Predictions));
        }
        // Line 6 of Algorithm 1, line 7 of Algorithm 2: α_t.
        let (step, ridge) = (self.settings.step(), self.settings.ridge());
        let weight = self.log.step::<O>(step, ridge, (&self.scores, &self.gradients, &self.values));
        if weight.alpha.abs() < NOTHING {
            return Ok(ControlFlow::Break(Stop::Alpha));
        }
        self.check_move(weight.alpha, largest)?;
        // The line behind: F_t = F_{t−1} + α_t f_t.
        let gradient_norm = self.state.gradient_norm;
        let moved = Some((weight.alpha, &*self.values));
        let look = self.log.look::<O>(moved, &mut self.scores, &mut self.gradients);
        self.ensemble.push(weight.alpha, f);
        self.see(look);
        self.state.decreased += weight.decrease;
        let State { objective, ips, snips, .. } = self.state;
        let (alpha, decrease, bound) = (weight.alpha, within_range(weight.decrease), self.bound());
        let round = Round { gradient_norm, alpha, decrease, objective, bound, ips, snips };
        self.record.push(round);
        Ok(ControlFlow::Continue(round))
    }

    /// A run that starts at the uniform policy, F_0 = 0.
    ///
    /// # Errors
    /// [`BoplError::TooManyPairs`] for a log of more pairs than memory holds, [`BoplError::Importance`] where a reward or a
    /// translated one over its propensity is no number.
    pub fn new(log: &Log, learner: L, settings: Settings) -> Result<Self, BoplError> {
        let ensemble = PolicyEnsemble::start(log)?;
        let scores = zeros(log)?;
        Self::at(log, learner, settings, ensemble, scores)
    }

    /// A run at an ensemble and its scores.
    pub(super) fn at(
        log: &Log,
        learner: L,
        settings: Settings,
        ensemble: PolicyEnsemble<L::Hypothesis>,
        mut scores: Vec<f64>,
    ) -> Result<Self, BoplError> {
        let (mut gradients, values) = (zeros(log)?, zeros(log)?);
        let (fingerprint, contexts) = (Fingerprint::of(log), LogContexts::of(log));
        let log = WeightedLog::new(log, settings.translation())?;
        let look = log.look::<O>(None, &mut scores, &mut gradients);
        let weight = |v: &f64| O::weight(*v, settings.step().smoothness());
        let mut weights: Vec<f64> = log.ratios.iter().map(weight).collect();
        if !log.absent.is_empty() {
            let rows = log.absent.chunks_exact(log.len());
            let present = rows.flat_map(|absent| absent.iter().zip(&weights));
            weights = present.map(|(absent, w)| if *absent { 0.0 } else { *w }).collect();
        }
        let optimal = log.optimal_risk();
        let mut run = Self {
            fingerprint,
            contexts,
            log,
            settings,
            learner,
            ensemble,
            scores,
            gradients,
            values,
            weights,
            state: State { optimal, ..State::default() },
            record: Vec::new(),
            objective: PhantomData,
        };
        run.see(look);
        run.state.delta_0 = within_range(run.state.objective - optimal);
        Ok(run)
    }

    /// Where F_t is to be replayed.
    pub(super) fn scores_mut(&mut self) -> &mut [f64] {
        &mut self.scores
    }

    /// A run that is at its start, but for its scores, books the rounds that led to them.
    ///
    /// # Errors
    /// [`BoplError::NotReproduced`] where the record says something else of them.
    pub(super) fn catch_up(
        &mut self,
        ensemble: PolicyEnsemble<L::Hypothesis>,
        record: Vec<Round>,
    ) -> Result<(), BoplError> {
        check_values(&self.scores)?;
        let look = self.log.look::<O>(None, &mut self.scores, &mut self.gradients);
        self.see(look);
        for round in &record {
            self.state.decreased += round.decrease;
            check_reproduced("bound", round.bound, self.bound())?;
        }
        if let Some(last) = record.last() {
            let State { objective, ips, snips, .. } = self.state;
            for (quantity, recorded, found) in [
                ("objective", last.objective, objective),
                ("ips", last.ips, ips),
                ("snips", last.snips, snips),
            ] {
                check_reproduced(quantity, recorded, found)?;
            }
        }
        (self.ensemble, self.record) = (ensemble, record);
        Ok(())
    }

    /// The weight that a predictor of these values would get now, and the decrease of the objective that goes with it;
    /// the run stays as it is. Pair (i, a) stands at a·n + i.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] and [`BoplError::NotFinite`] for values that are no predictor's, and for a weight beyond the
    /// range of numbers.
    pub fn weigh(&self, values: &[f64], step: Step) -> Result<Weight, BoplError> {
        let (expected, got) = (self.scores.len(), values.len());
        if got != expected {
            return Err(BoplError::Mismatch { argument: "values", unit: "pairs", expected, got });
        }
        check_values(values)?;
        let at = (&*self.scores, &*self.gradients, values);
        let weight = self.log.step::<O>(step, self.settings.ridge(), at);
        if !weight.alpha.is_finite() {
            return Err(BoplError::NotFinite { argument: "alpha", index: 0, value: weight.alpha });
        }
        Ok(Weight { decrease: within_range(weight.decrease), ..weight })
    }

    /// Whether F + αf is finite, where `largest` is max|f|.
    fn check_move(&self, alpha: f64, largest: f64) -> Result<(), BoplError> {
        if (largest_of(&self.scores) + alpha.abs() * largest).is_finite() {
            return Ok(());
        }
        let mut moved = self.scores.iter().zip(&self.values).map(|(score, f)| score + alpha * f).enumerate();
        match moved.find(|(_, score)| !score.is_finite()) {
            Some((index, value)) => Err(BoplError::NotFinite { argument: "a score", index, value }),
            None => Ok(()),
        }
    }

    /// A predictor, and its largest magnitude.
    fn fit(&mut self, contexts: &L::Contexts) -> Result<(L::Hypothesis, f64), BoplError> {
        let (n, actions) = (self.log.len(), self.log.actions);
        let weights = match self.log.absent.is_empty() {
            true => PairWeights::OfExamples(&self.weights),
            false => PairWeights::OfPairs(&self.weights),
        };
        let round = PairRound::new(n, actions, &self.gradients, weights)?;
        let f = self.learner.train(contexts, &round, &mut self.values)?;
        check_predictor(&f, self.ensemble.inputs(), actions)?;
        let largest = largest_of(&self.values);
        if !largest.is_finite() {
            check_values(&self.values)?;
        }
        Ok((f, largest))
    }

    /// Books what a look at the scores shows; where sums are beyond the range of numbers, in units of the largest v.
    fn see(&mut self, look: Look) {
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = self.log.len() as f64;
        let (mut objective, mut ips, mut norm) =
            (look.objective / n, look.reward / n, look.gradient_squared.sqrt());
        let mut snips = snips_of(&look);
        if ![objective, ips, norm, look.importance].into_iter().all(f64::is_finite) {
            let e = exponent_of(&self.log.ratios).max(exponent_of(&self.log.untranslated));
            let (mut scores, mut gradients) = (self.scores.clone(), vec![0.0; self.scores.len()]);
            // Σπ/p of fewer than 2^64 rows is finite in units of 2^128, whatever p.
            let shift = if look.importance.is_finite() { 0 } else { 128 };
            let mut scaled = self.log.scaled_down(e);
            scaled.propensities.iter_mut().for_each(|p| *p = times_power(*p, shift));
            let look = scaled.look::<O>(None, &mut scores, &mut gradients);
            (objective, ips) = (times_power(look.objective / n, e), times_power(look.reward / n, e));
            norm = times_power(look.gradient_squared.sqrt(), e);
            snips = times_power(snips_of(&look), e - shift);
        }
        let [objective, gradient_norm, ips, snips] = [objective, norm, ips, snips].map(within_range);
        self.state = State { objective, gradient_norm, ips, snips, ..self.state };
    }

    /// Theorem 1, with the decreases that were realised: L̂* + Δ_0 exp(−Σ decrease/Δ_0).
    fn bound(&self) -> f64 {
        let State { optimal, delta_0, decreased, .. } = self.state;
        let rest = if delta_0 > 0.0 { delta_0 * (-decreased / delta_0).exp() } else { delta_0 };
        within_range(optimal + rest)
    }

    /// Which log it is trained on.
    pub(super) fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }
}

/// SNIPS; 0 where no logged action has a probability.
fn snips_of(look: &Look) -> f64 {
    if look.importance > 0.0 { look.reward / look.importance } else { 0.0 }
}
