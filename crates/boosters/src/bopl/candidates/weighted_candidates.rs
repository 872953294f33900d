//! The passes of a round over the pairs of a log of candidates.
//!
//! The pairs of a choice stand together. A pass goes block by block of choices; the sums of blocks are added
//! in their order, so that the number of threads changes nothing.

use crate::bopl::pass::{
    DirectionalDerivative, Done, Gradient, LEAST_REST, PolicySums, Probe, along_factor, in_pool, total,
    total_in,
};
use crate::bopl::policy_log::PolicyLog;
use crate::bopl::weighted_log::{ImportanceWeights, Predicted, check_predicted, mean, ratios};
use crate::bopl::{Along, BoplError, PolicyObjective, Smoothness};
use off_policy::candidates::CandidateLog;
use std::ops::Range;
use weak_learners::RankError;

/// The choices of a block.
const BLOCK: usize = 128;

/// The pairs of every choice, the one that was chosen, and v_i = (r_i + b)/p_i.
#[derive(Debug, Clone)]
pub(super) struct WeightedCandidates {
    offsets: Vec<usize>,
    /// The pair a_i.
    logged: Vec<usize>,
    propensities: Vec<f64>,
    /// r_i/p_i.
    untranslated: Vec<f64>,
    /// v_i; with predicted rewards δ_i = (r_i − q̂(x_i, a_i))/p_i.
    ratios: Vec<f64>,
    /// The predicted rewards of the doubly robust objective.
    predicted: Option<Predicted>,
}

impl WeightedCandidates {
    /// With v_i = (r_i + b)·w_i for these weights.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a translation beyond 1e140, [`BoplError::Importance`] for such a v_i,
    /// r_i/p_i or 1/p_i.
    pub(super) fn new(
        log: &CandidateLog,
        translation: f64,
        weights: ImportanceWeights,
    ) -> Result<Self, BoplError> {
        let (ratios, untranslated) = ratios(log.rewards(), log.propensities(), translation, weights)?;
        Ok(Self {
            offsets: log.candidates().offsets().to_vec(),
            logged: (0..log.len()).filter_map(|i| log.logged_pair(i)).collect(),
            propensities: log.propensities().to_vec(),
            untranslated,
            ratios,
            predicted: None,
        })
    }

    /// The log with q̂ of every pair.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] for another number of predictions, [`BoplError::NotFinite`] for one beyond
    /// 1e140, [`BoplError::Importance`] for such a δ_i.
    pub(super) fn with_predictions(
        self,
        log: &CandidateLog,
        predictions: &[f64],
        (translation, weights): (f64, ImportanceWeights),
    ) -> Result<Self, BoplError> {
        let (expected, got) = (self.pairs(), predictions.len());
        if got != expected {
            return Err(BoplError::Mismatch { argument: "predictions", unit: "pairs", expected, got });
        }
        check_predicted(predictions)?;
        let rewards = predictions.iter().map(|q| q + translation).collect();
        let (mut ratios, mut predicted) = (Vec::new(), Predicted::with_rewards(rewards, self.len()));
        for (i, (logged, p)) in self.logged.iter().zip(&self.propensities).enumerate() {
            let delta = weights.residual(i, (log.rewards()[i], predictions[*logged]), *p)?;
            ratios.push(delta);
            let pairs = self.of(i).map(|pair| (pair == *logged, predictions[pair]));
            predicted.include_row(pairs, (translation, delta));
        }
        Ok(Self { ratios, predicted: Some(predicted), ..self })
    }

    /// v_i.
    pub(super) fn ratios(&self) -> &[f64] {
        &self.ratios
    }

    /// max_a r̃ − min_a r̃ of every choice, up to its sign: v_i unless rewards were predicted.
    pub(super) fn spans(&self) -> &[f64] {
        self.predicted.as_ref().map_or(&self.ratios, |predicted| &predicted.spans)
    }

    pub(super) fn pairs(&self) -> usize {
        self.offsets[self.len()]
    }

    /// The mean of the least losses: below the risk of every policy.
    pub(super) fn optimal_risk<O: PolicyObjective>(&self, objective: O) -> f64 {
        let least = |v: &f64| if *v > 0.0 { objective.loss(*v, 1.0, 0.0) } else { 0.0 };
        match &self.predicted {
            None => mean(self.len(), self.ratios.iter().map(least)),
            Some(predicted) => -mean(self.len(), predicted.most.iter().copied()),
        }
    }

    /// The choices of every block.
    fn blocks(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (0..self.len()).step_by(BLOCK).map(|from| from..self.len().min(from + BLOCK))
    }

    /// The pairs of a choice.
    fn of(&self, i: usize) -> Range<usize> {
        self.offsets[i]..self.offsets[i + 1]
    }

    /// Cuts numbers of pairs, or none, into those of blocks.
    fn cut<'v>(&self, mut pairs: &'v mut [f64]) -> Vec<&'v mut [f64]> {
        let is_empty = pairs.is_empty();
        let of_block = |choices: Range<usize>| {
            let count = self.offsets[choices.end] - self.offsets[choices.start];
            let (own, rest) = std::mem::take(&mut pairs).split_at_mut(if is_empty { 0 } else { count });
            pairs = rest;
            own
        };
        self.blocks().map(of_block).collect()
    }

    /// Sums over blocks in their order.
    fn sum<S: std::ops::AddAssign + Default + Send>(
        &self,
        of: impl Fn(Range<usize>) -> S + Sync + Send,
    ) -> S {
        total(in_pool(self.pairs()), self.blocks().collect(), |(_, choices)| of(choices))
    }

    /// u, π(a_i|x_i), and unless it is empty π, of choice i at these scores of its pairs.
    fn gradient_of<O: PolicyObjective>(
        &self,
        objective: O,
        i: usize,
        scores: &[f64],
        (u, all): (&mut [f64], &mut [f64]),
        sums: &mut PolicySums,
    ) -> f64 {
        let (chosen, v) = (self.logged[i] - self.offsets[i], self.ratios[i]);
        let top = scores.iter().fold(f64::MIN, |top: f64, score| top.max(*score));
        let (mut total, mut rest) = (0.0, 0.0);
        for (k, (e, score)) in u.iter_mut().zip(scores).enumerate() {
            *e = (score - top).exp();
            total += *e;
            rest += if k == chosen { 0.0 } else { *e };
        }
        let pi = u[chosen] / total;
        sums.reward += self.untranslated[i] * pi;
        sums.importance += pi / self.propensities[i];
        if let Some(predicted) = &self.predicted {
            self.doubly_robust_gradient(predicted, i, (scores, top, total), (u, all), sums);
            return pi;
        }
        let ln_pi = if O::USES_LOGARITHM { scores[chosen] - top - total.ln() } else { 0.0 };
        let factor = objective.factor(v, pi) / total;
        let mut gradient_squared = 0.0;
        for (k, u) in u.iter_mut().enumerate() {
            // 1 − π(a_i) is the sum of the others, which does not cancel.
            *u = factor * if k == chosen { rest } else { -*u };
            gradient_squared += *u * *u;
        }
        sums.objective += objective.loss(v, pi, ln_pi);
        sums.gradient_squared += gradient_squared;
        pi
    }

    /// r̃ of a pair of choice i.
    fn reward(&self, predicted: &Predicted, i: usize, pair: usize) -> f64 {
        predicted.rewards[pair] + if pair == self.logged[i] { self.ratios[i] } else { 0.0 }
    }

    /// The objective, u_a = π_a(r̃_a − r̄), and unless it is empty π, from the numerators of the softmax in
    /// `u`.
    fn doubly_robust_gradient(
        &self,
        predicted: &Predicted,
        i: usize,
        (scores, top, total): (&[f64], f64, f64),
        (u, all): (&mut [f64], &mut [f64]),
        sums: &mut PolicySums,
    ) {
        let reward = |k: usize| self.reward(predicted, i, self.offsets[i] + k);
        // Rewards are measured from that of a most probable candidate: where π is nearly 1, r̄ differs from
        // it by less than a rounding.
        let origin = scores.iter().rposition(|score| *score == top).map_or(0.0, reward);
        let mean: f64 = u.iter().enumerate().map(|(k, e)| e / total * (reward(k) - origin)).sum();
        let mut gradient_squared = 0.0;
        for (k, u) in u.iter_mut().enumerate() {
            let probability = *u / total;
            if let Some(pi) = all.get_mut(k) {
                *pi = probability;
            }
            *u = probability * ((reward(k) - origin) - mean);
            gradient_squared += *u * *u;
        }
        sums.objective -= origin + mean;
        sums.gradient_squared += gradient_squared;
    }

    /// The same of the choices of a block.
    fn gradient_of_block<O: PolicyObjective>(
        &self,
        objective: O,
        block: usize,
        scores: &[f64],
        (u, all): (&mut [f64], &mut [f64]),
        logged: &mut [f64],
    ) -> PolicySums {
        let first = self.offsets[block * BLOCK];
        let mut sums = PolicySums::default();
        for (i, pi) in (block * BLOCK..).zip(logged) {
            let own = self.offsets[i] - first..self.offsets[i + 1] - first;
            let (scores, all) = (&scores[own.clone()], all.get_mut(own.clone()).unwrap_or_default());
            *pi = self.gradient_of(objective, i, scores, (&mut u[own], all), &mut sums);
        }
        sums
    }

    /// w_a = (r̄ − min_a r̃)π_a(1 − π_a), as for fixed actions.
    fn doubly_robust_weights(
        &self,
        predicted: &Predicted,
        i: usize,
        gradient: &Gradient,
        weights: &mut [f64],
    ) {
        let above = |pair: usize| gradient.pi[pair] * (self.reward(predicted, i, pair) - predicted.least[i]);
        let scale = self.of(i).map(above).sum::<f64>().max(LEAST_REST * predicted.spans[i]);
        for (pair, w) in self.of(i).zip(weights) {
            let pi = gradient.pi[pair];
            *w = scale * pi * (1.0 - pi).max(LEAST_REST);
            // A pair with a gradient has a weight, also where the product underflows.
            *w = if gradient.u[pair] == 0.0 { 0.0 } else { w.max(f64::from_bits(1)) };
        }
    }

    /// U and S of choice i along f: the curvatures of Σ_a q̂_aπ_a and of δ_iπ(a_i|x_i) add.
    fn doubly_robust_derivative(
        &self,
        predicted: &Predicted,
        i: usize,
        gradient: &Gradient,
        f: &[f64],
        eta: f64,
    ) -> DirectionalDerivative {
        let of_logged = f[self.logged[i]];
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        let (mut gain, mut mean, mut rest, mut variance) = (0.0, 0.0, 0.0, 0.0);
        for p in self.of(i) {
            let (deviation, pi) = (f[p] - of_logged, gradient.pi[p]);
            (low, high) = (low.min(deviation), high.max(deviation));
            gain += gradient.u[p] * deviation;
            mean += pi * deviation;
            rest += if p == self.logged[i] { 0.0 } else { pi };
        }
        for p in self.of(i) {
            let deviation = (f[p] - of_logged) - mean;
            variance += gradient.pi[p] * (deviation * deviation);
        }
        let along = Along { pi: gradient.logged[i], rest, variance, range: high - low, eta };
        let curvature = predicted.spans_of_model[i] * along.of_expectation()
            + self.ratios[i].abs() * along.of_probability();
        DirectionalDerivative { gain, curvature }
    }
}

impl PolicyLog for WeightedCandidates {
    fn len(&self) -> usize {
        self.ratios.len()
    }

    fn has_choice(&self) -> bool {
        self.pairs() > self.len()
    }

    /// A pair is an example of the base learner, with one action.
    fn shape(&self) -> (usize, usize) {
        (self.pairs(), 1)
    }

    fn advance<O: PolicyObjective>(
        &self,
        objective: O,
        alpha: f64,
        f: &[f64],
        scores: &mut [f64],
        Gradient { u, logged, pi }: &mut Gradient,
    ) -> Result<PolicySums, RankError> {
        let blocks = self.cut(scores).into_iter().zip(self.cut(u)).zip(self.cut(pi));
        let blocks = blocks.zip(logged.chunks_mut(BLOCK)).collect();
        Ok(total(in_pool(self.pairs()), blocks, |(b, (((scores, u), pi), logged))| {
            let first = self.offsets[b * BLOCK];
            let f = &f[first..][..scores.len()];
            scores.iter_mut().zip(f).for_each(|(score, f)| *score += alpha * f);
            self.gradient_of_block(objective, b, scores, (u, pi), logged)
        }))
    }

    fn gradient<O: PolicyObjective>(
        &self,
        objective: O,
        scores: &[f64],
        Gradient { u, logged, pi }: &mut Gradient,
    ) -> Result<PolicySums, RankError> {
        let blocks = self.cut(u).into_iter().zip(self.cut(pi)).zip(logged.chunks_mut(BLOCK)).collect();
        Ok(total(in_pool(self.pairs()), blocks, |(b, ((u, pi), logged))| {
            let scores = &scores[self.offsets[b * BLOCK]..][..u.len()];
            self.gradient_of_block(objective, b, scores, (u, pi), logged)
        }))
    }

    fn local_weights<O: PolicyObjective>(&self, objective: O, gradient: &Gradient, weights: &mut [f64]) {
        let blocks = self.blocks().zip(self.cut(weights)).collect();
        total(in_pool(self.pairs()), blocks, |(_, (choices, weights))| {
            let first = self.offsets[choices.start];
            for i in choices {
                if let Some(predicted) = &self.predicted {
                    let own = self.offsets[i] - first..self.offsets[i + 1] - first;
                    self.doubly_robust_weights(predicted, i, gradient, &mut weights[own]);
                    continue;
                }
                let (v, pi) = (self.ratios[i], gradient.logged[i]);
                let size = objective.factor(v, pi).abs();
                for p in self.of(i) {
                    let u = gradient.u[p];
                    // |u| is |c|(1 − π) of the logged candidate, and |c|π of the others.
                    let other = if p == self.logged[i] { pi } else { 1.0 - u.abs() / size };
                    let w = u.abs() * other.max(LEAST_REST);
                    // A pair with a gradient has a weight, also where the product underflows.
                    weights[p - first] = if u == 0.0 { 0.0 } else { w.max(f64::from_bits(1)) };
                }
            }
            Done
        });
    }

    fn local_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        gradient: &Gradient,
        f: &[f64],
        eta: f64,
    ) -> Result<DirectionalDerivative, RankError> {
        Ok(self.sum(|choices| {
            let mut sums = DirectionalDerivative::default();
            for i in choices {
                if let Some(predicted) = &self.predicted {
                    sums += self.doubly_robust_derivative(predicted, i, gradient, f, eta);
                    continue;
                }
                // f is measured from its value at the logged candidate, as for fixed actions.
                let of_logged = f[self.logged[i]];
                let (mut low, mut high, mut gain) = (0.0_f64, 0.0_f64, 0.0);
                for (u, f) in gradient.u[self.of(i)].iter().zip(&f[self.of(i)]) {
                    let deviation = f - of_logged;
                    (low, high) = (low.min(deviation), high.max(deviation));
                    gain += u * deviation;
                }
                let (v, pi) = (self.ratios[i], gradient.logged[i]);
                let c = objective.factor(v, pi);
                let mean = if c == 0.0 { 0.0 } else { -gain / c };
                // |c|Var_π(f) by deviations from the mean.
                let mut square = c.abs() * pi * (mean * mean);
                for p in self.of(i).filter(|p| *p != self.logged[i]) {
                    let deviation = (f[p] - of_logged) - mean;
                    square += gradient.u[p].abs() * (deviation * deviation);
                }
                let of_row = (c.abs(), gradient.u[self.logged[i]]);
                let along = along_factor(of_row, (pi, square), high - low, eta);
                sums += DirectionalDerivative { gain, curvature: objective.local_curvature(v, along) };
            }
            sums
        }))
    }

    fn directional_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        u: &[f64],
        f: &[f64],
        smoothness: Smoothness,
    ) -> Result<DirectionalDerivative, RankError> {
        Ok(self.sum(|choices| {
            let mut sums = DirectionalDerivative::default();
            for i in choices {
                let (u, f) = (&u[self.of(i)], &f[self.of(i)]);
                let curvature = objective.curvature(self.spans()[i], smoothness) * rows::dot(f, f);
                sums += DirectionalDerivative { gain: rows::dot(u, f), curvature };
            }
            sums
        }))
    }

    fn probe<O: PolicyObjective>(
        &self,
        objective: O,
        alpha: f64,
        scores: &[f64],
        f: &[f64],
    ) -> Result<(f64, f64), RankError> {
        let blocks = self.blocks().collect();
        // F + αf and u of a choice.
        let room = || [(); 2].map(|()| Vec::new());
        let sums = total_in(in_pool(self.pairs()), blocks, room, |[moved, u], (_, choices)| {
            let mut all = Probe::default();
            for i in choices {
                let f = &f[self.of(i)];
                moved.clear();
                moved.extend(scores[self.of(i)].iter().zip(f).map(|(score, f)| score + alpha * f));
                u.resize(f.len(), 0.0);
                let mut sums = PolicySums::default();
                self.gradient_of(objective, i, moved, (&mut *u, &mut []), &mut sums);
                all += Probe { objective: sums.objective, gain: rows::dot(u, f) };
            }
            all
        });
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = self.len() as f64;
        Ok((sums.objective / n, -sums.gain / n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bopl::weighted_log::WeightedLog;
    use crate::bopl::{Bopl, BoplLs, BoplS};
    use off_policy::{Log, Rewards};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rows::{Candidates, RowMatrix};

    const N: usize = 300;
    const ACTIONS: usize = 3;

    /// U and S at these scores.
    fn line<O: PolicyObjective>(
        log: &impl PolicyLog,
        objective: O,
        (scores, f): (&[f64], &[f64]),
        eta: f64,
    ) -> [f64; 2] {
        let zeros = || vec![0.0; scores.len()];
        let mut gradient = Gradient { u: zeros(), logged: vec![0.0; N], pi: zeros() };
        log.gradient(objective, scores, &mut gradient).unwrap();
        let found = log.local_derivative(objective, &gradient, f, eta).unwrap();
        [found.gain, found.curvature]
    }

    /// Three candidates in every choice are a fixed set of actions: U and S are the same, also where the
    /// policy is nearly certain, which `tests/bopl/second_order.rs` holds to the loss for fixed actions.
    #[test]
    fn curvatures_are_those_of_fixed_actions() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut pick = |of: &[f64]| of[rng.random_range(0..of.len())];
        let rewards: Vec<f64> = (0..N).map(|_| pick(&[1.0, 0.2, 0.0, 1e-280])).collect();
        let propensities: Vec<f64> = (0..N).map(|_| pick(&[1.0, 0.3, 0.01])).collect();
        let logged: Vec<u32> = (0..N).map(|i| u32::try_from(i * 7 % ACTIONS).unwrap()).collect();
        // By rows; a pair of fixed actions stands at a·n + i.
        let gaps = [0.0, -1.0, -20.0, -39.0, -50.0, -300.0, -760.0];
        let scores: Vec<f64> = (0..N * ACTIONS).map(|_| pick(&gaps)).collect();
        let f: Vec<f64> = (0..N * ACTIONS).map(|_| pick(&[0.0, 0.1, -3.0, 45.0, -60.0, 800.0])).collect();
        let q: Vec<f64> = (0..N * ACTIONS).map(|_| pick(&[0.0, 0.5, 1.0])).collect();
        let columns = |of: &[f64]| {
            (0..ACTIONS).flat_map(|a| (0..N).map(move |i| of[i * ACTIONS + a])).collect::<Vec<_>>()
        };
        let contexts = RowMatrix::dense(1, vec![0.0; N]).unwrap();
        let log = Log::new(contexts, ACTIONS, logged.clone(), propensities.clone(), Rewards(rewards.clone()));
        let log = log.unwrap();
        let features = RowMatrix::dense(1, vec![0.0; N * ACTIONS]).unwrap();
        let offsets = (0..=N).map(|i| i * ACTIONS).collect();
        let candidates = Candidates::builder(offsets).features(features).build().unwrap();
        let of_candidates = CandidateLog::new(candidates, logged, propensities, Rewards(rewards)).unwrap();
        let weights = ImportanceWeights::default();
        let fixed = WeightedLog::new(&log, 0.0, weights).unwrap();
        let own = WeightedCandidates::new(&of_candidates, 0.0, weights).unwrap();
        let (scores_of_columns, f_of_columns) = (columns(&scores), columns(&f));
        let (by_rows, by_columns) = ((&scores[..], &f[..]), (&scores_of_columns[..], &f_of_columns[..]));
        let same = |own: [f64; 2], fixed: [f64; 2]| {
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs();
            assert!(own.iter().zip(&fixed).all(near) && fixed[1] > 0.0, "{own:?}, {fixed:?}");
        };
        for eta in [0.05, 1.0] {
            same(line(&own, Bopl, by_rows, eta), line(&fixed, Bopl, by_columns, eta));
            same(line(&own, BoplS, by_rows, eta), line(&fixed, BoplS, by_columns, eta));
            let smoothed = BoplLs::of(Some(2.0), N);
            same(line(&own, smoothed, by_rows, eta), line(&fixed, smoothed, by_columns, eta));
        }
        let fixed = fixed.with_predictions(&log, &q, (0.0, weights)).unwrap();
        let own = own.with_predictions(&of_candidates, &q, (0.0, weights)).unwrap();
        for eta in [0.05, 1.0] {
            same(line(&own, Bopl, by_rows, eta), line(&fixed, Bopl, by_columns, eta));
        }
    }
}
