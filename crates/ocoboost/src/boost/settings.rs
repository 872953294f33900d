//! The settings of a job, and the candidates that they leave to be chosen.

use super::algorithm::{BoostAlgorithm, Trees};
use super::folds::Sample;
use super::lockstep::Lockstep;
use crate::error::JobError;
use boosters::maboost::OutputCode;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BoostSettings {
    pub(super) algorithm: Option<BoostAlgorithm>,
    pub(super) smoothness: Option<f64>,
    pub(super) rounds: usize,
    pub(super) early_stopping_rounds: usize,
    pub(super) max_depth: Option<u16>,
    pub(super) min_weight_fraction_leaf: f64,
    pub(super) holdout_share: f64,
    pub(super) delta: f64,
    pub(super) seed: u64,
}

/// The k that are tried where none is given: those of docs/results/maboost.
pub(super) const SMOOTHNESS: [f64; 6] = [1.5, 2.0, 3.0, 5.0, 10.0, 30.0];
/// The depths that are tried where none is given: of one, letter would err twice as often as of the other,
/// and adult the other way round.
const DEPTHS: [u16; 2] = [3, 6];
impl BoostSettings {
    /// The algorithms with their k, in the order in which they are tried.
    pub(super) fn candidates(&self, has_secondary: bool) -> Vec<(BoostAlgorithm, Option<f64>)> {
        let Self { algorithm, smoothness, .. } = *self;
        let with_k = |algorithm| match smoothness {
            None => SMOOTHNESS.map(|k| (algorithm, Some(k))).to_vec(),
            given => vec![(algorithm, given)],
        };
        match algorithm {
            Some(own) if own.is_smooth() => with_k(own),
            Some(own) => vec![(own, None)],
            None if has_secondary => with_k(BoostAlgorithm::Combined),
            // Whoever gives a k wants the algorithm that has one.
            None if smoothness.is_some() => with_k(BoostAlgorithm::Smooth),
            None => [with_k(BoostAlgorithm::Smooth), vec![(BoostAlgorithm::AdaBoost, None)]].concat(),
        }
    }

    /// The first depth to try, and deeper ones.
    pub(super) fn depths(&self) -> (u16, &'static [u16]) {
        match self.max_depth {
            None => (DEPTHS[0], &DEPTHS[1..]),
            Some(given) => (given, &[]),
        }
    }

    /// Runs of a candidate before their first round.
    pub(super) fn lockstep(
        &self,
        (algorithm, smoothness): (BoostAlgorithm, Option<f64>),
        max_depth: u16,
        code: &OutputCode,
        sample: &Sample,
    ) -> Result<Lockstep, JobError> {
        let min_weight_fraction_leaf = self.min_weight_fraction_leaf;
        let trees = Trees { max_depth, min_weight_fraction_leaf };
        let runs = algorithm.runs(smoothness, trees, code.clone(), &sample.classes, &sample.secondary)?;
        Ok(Lockstep::new(runs))
    }

    /// Refuses a setting outside its range, and a k that the algorithm does not have.
    pub(super) fn check(&self) -> Result<(), JobError> {
        let Self { algorithm, smoothness, rounds, early_stopping_rounds, max_depth, .. } = *self;
        let Self { min_weight_fraction_leaf, holdout_share, delta, .. } = *self;
        #[allow(clippy::cast_precision_loss, reason = "for a comparison with bounds far below 2^53")]
        let count = |rounds: usize| rounds as f64;
        let least = f64::from_bits(1);
        for (name, value, range, domain) in [
            ("rounds", count(rounds), 1.0..=1e5, "1, …, 100000"),
            ("early_stopping_rounds", count(early_stopping_rounds), 1.0..=f64::MAX, "1, 2, …"),
            ("max_depth", f64::from(max_depth.unwrap_or(1)), 1.0..=32.0, "1, …, 32"),
            ("min_weight_fraction_leaf", min_weight_fraction_leaf, 0.0..=0.5, "[0, 1/2]"),
            ("holdout_share", holdout_share, 0.05..=0.8, "[0.05, 0.8]"),
            ("delta", delta, least..=0.5, "(0, 0.5]"),
            ("smoothness", smoothness.unwrap_or(1.0), 1.0..=rows::numeric::LARGEST, "[1, 1e140]"),
        ] {
            if !range.contains(&value) {
                return Err(JobError::BadSetting { name, value, domain });
            }
        }
        match smoothness {
            Some(value) if algorithm.is_some_and(|algorithm| !algorithm.is_smooth()) => {
                let domain = "the settings of smooth and combined boosting, which alone have a k";
                Err(JobError::BadSetting { name: "smoothness", value, domain })
            }
            _ => Ok(()),
        }
    }
}
