//! A problem of two contexts and three actions, and logs of it.

use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation, Tables};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) const ACTIONS: usize = 3;
/// π_L(a|x), π(a|x), r(x, a) and a model that is wrong about it; contexts have probability ½ each.
pub(crate) const LOGGING: [[f64; 3]; 2] = [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]];
pub(crate) const TARGET: [[f64; 3]; 2] = [[0.25, 0.25, 0.5], [0.5, 0.5, 0.0]];
pub(crate) const REWARD: [[f64; 3]; 2] = [[1.0, 0.0, 0.5], [0.25, 0.75, 1.0]];
pub(crate) const MODEL: [[f64; 3]; 2] = [[0.5, -1.0, 2.0], [3.0, 0.0, 0.25]];
/// The largest weight there is.
pub(crate) const LARGEST_WEIGHT: f64 = 2.0;

/// V(π).
pub(crate) fn value() -> f64 {
    let of = |x: usize| TARGET[x].iter().zip(REWARD[x]).map(|(p, r)| p * r).sum::<f64>();
    0.5 * (of(0) + of(1))
}

/// A log and its tables.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    pub(crate) actions: Vec<u32>,
    pub(crate) propensities: Vec<f64>,
    pub(crate) rewards: Vec<f64>,
    pub(crate) target: Vec<f64>,
    pub(crate) q: Vec<f64>,
}

impl Columns {
    pub(crate) fn push(&mut self, x: usize, action: usize) {
        self.actions.push(u32::try_from(action).unwrap());
        self.propensities.push(LOGGING[x][action]);
        self.rewards.push(REWARD[x][action]);
        self.target.extend(TARGET[x]);
        self.q.extend(MODEL[x]);
    }

    /// n rows; a reward is 1 with probability r(x, a), else 0.
    pub(crate) fn drawn(n: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut log = Self::default();
        for _ in 0..n {
            let x = usize::from(rng.random::<f64>() < 0.5);
            let u: f64 = rng.random();
            let action = usize::from(u >= LOGGING[x][0]) + usize::from(u >= LOGGING[x][0] + LOGGING[x][1]);
            log.push(x, action);
            *log.rewards.last_mut().unwrap() = f64::from(rng.random::<f64>() < REWARD[x][action]);
        }
        log
    }

    pub(crate) fn tables(&self) -> Tables<'_> {
        let (actions, p, r) = (&self.actions, &self.propensities, &self.rewards);
        Tables::new(ACTIONS, actions, p, r, &self.target, Some(&self.q)).unwrap()
    }

    pub(crate) fn evaluate(&self, settings: EstimatorSettings) -> OffPolicyEvaluation {
        OffPolicyEvaluation::of_tables(&self.tables(), settings).unwrap()
    }
}

pub(crate) fn settings(clip: f64, tau: f64) -> EstimatorSettings {
    EstimatorSettings::default().clipped_at(clip).unwrap().switched_at(tau).unwrap()
}

#[track_caller]
pub(crate) fn close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-12 * (1.0 + want.abs()), "{got}, not {want}");
}
