//! A log of choices beside a policy over candidates and a model of rewards.

use super::{CandidateLog, CandidatePolicy, CandidateScores};
use crate::estimators::{EstimateError, Observation, Observations, direct};
use std::fmt;

/// The rows of a [`CandidateLog`] with what a policy says of them, and a model of rewards if there is one:
/// asked block by block as they are visited.
///
/// *Memory:* 4 MB, or two numbers a candidate of the largest choice if that is more.
///
/// ```
/// use off_policy::Rewards;
/// use off_policy::candidates::{AmongCandidates, CandidateLog, OnCandidates};
/// use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation};
/// use rows::{Candidates, RowMatrix};
/// let prices = RowMatrix::dense(1, vec![1.0, 2.0, 1.5, 2.5])?;
/// let candidates = Candidates::builder(vec![0, 2, 4]).features(prices).build()?;
/// let log = CandidateLog::new(candidates, vec![0, 1], vec![0.25, 0.5], Rewards(vec![1.0, 3.0]))?;
/// let rows = OnCandidates::new(&log, &AmongCandidates);
/// let found = OffPolicyEvaluation::of_observations(&rows, EstimatorSettings::default())?;
/// assert_eq!(found.ips.value, (0.5 / 0.25 * 1.0 + 0.5 / 0.5 * 3.0) / 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OnCandidates<'a, P> {
    log: &'a CandidateLog,
    policy: &'a P,
    model: Option<&'a dyn CandidateScores>,
}

impl<P: fmt::Debug> fmt::Debug for OnCandidates<'_, P> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut written = out.debug_struct("OnCandidates");
        written.field("choices", &self.log.len()).field("policy", self.policy);
        written.field("has_model", &self.model.is_some()).finish()
    }
}

impl<'a, P: CandidatePolicy> OnCandidates<'a, P> {
    /// A log and the policy to be evaluated.
    pub fn new(log: &'a CandidateLog, policy: &'a P) -> Self {
        Self { log, policy, model: None }
    }

    /// The same with a model whose scores are rewards, for DM, DR and SWITCH-DR.
    #[must_use]
    pub fn with_model(self, model: &'a dyn CandidateScores) -> Self {
        Self { model: Some(model), ..self }
    }
}

/// Pairs are asked for at once, about so many.
const PAIRS: usize = 1 << 18;

impl<P: CandidatePolicy> Observations for OnCandidates<'_, P> {
    fn has_model(&self) -> bool {
        self.model.is_some()
    }

    fn visit(
        &self,
        mut see: impl FnMut(&Observation) -> Result<(), EstimateError>,
    ) -> Result<(), EstimateError> {
        let candidates = self.log.candidates();
        let offsets = candidates.offsets();
        let (mut target, mut predictions) = (Vec::new(), Vec::new());
        let mut from = 0;
        while from < self.log.len() {
            let first = offsets[from];
            // As many choices as fit, and at least one.
            let fit = offsets[from + 1..].partition_point(|end| end - first <= PAIRS);
            let to = from + fit.max(1);
            target.clear();
            target.resize(offsets[to] - first, 0.0);
            if self.policy.probabilities(candidates, from..to, &mut target).is_err() {
                // The first row that is refused.
                for row in from..to {
                    let refused = |source| EstimateError::Policy { row, source };
                    let own = &mut target[offsets[row] - first..offsets[row + 1] - first];
                    self.policy.probabilities(candidates, row..row + 1, own).map_err(refused)?;
                }
            }
            if let Some(model) = self.model {
                predictions.clear();
                predictions.resize(target.len(), 0.0);
                if model.candidate_scores(candidates, first..offsets[to], &mut predictions).is_err() {
                    for row in from..to {
                        let refused = |source| EstimateError::Model { row, source };
                        let pairs = offsets[row]..offsets[row + 1];
                        let own = &mut predictions[pairs.start - first..pairs.end - first];
                        model.candidate_scores(candidates, pairs, own).map_err(refused)?;
                    }
                }
            }
            for row in from..to {
                let pairs = offsets[row] - first..offsets[row + 1] - first;
                let own = &target[pairs.clone()];
                let predicted = self.model.map(|_| &predictions[pairs]);
                let direct = direct((row, offsets[row]), own, predicted)?;
                let chosen = self.log.chosen()[row] as usize;
                see(&Observation {
                    target: own[chosen],
                    propensity: self.log.propensities()[row],
                    reward: self.log.rewards()[row],
                    direct,
                    predicted: predicted.map_or(0.0, |q| q[chosen]),
                })?;
            }
            from = to;
        }
        Ok(())
    }
}
