//! Learners of a stream, boosted online: every row is predicted, and then learnt from. A classifier, a
//! regressor, and a regressor that sees losses alone.

mod bandit;
mod coding;
mod learner;
mod learners;
mod linear_rows;
mod progressive;
mod regression;
mod scaling;

pub use bandit::{BanditBooster, BanditSettings, StreamBandit};
pub use coding::StreamFeature;
pub(crate) use learner::StreamParts;
pub use learner::{StreamLearner, StreamRound};
pub use learners::{StreamBooster, StreamWeakLearner};
pub use progressive::{ProgressLine, ProgressiveError};
pub use regression::{RegressionBooster, RegressionLoss, RegressionSettings, StreamRegressor};

use crate::error::JobError;
use coding::{MOST_BITS, StreamCoding};
use learner::{StreamState, inputs};
use scaling::Scaling;

/// How a stream is learnt from: the settings of a [`StreamLearner`].
///
/// ```
/// use ocoboost::{StreamBooster, StreamJob};
/// use off_policy::Value;
/// let job = StreamJob::builder().booster(StreamBooster::OsBoost).learners(10).seed(7).build()?;
/// let mut learner = job.begin(2)?;
/// for t in 0..500 {
///     let x = f64::from(t * 37 % 100);
///     let colour = if t % 2 == 0 { "red" } else { "blue" };
///     let cells = [("x", Value::Number(x)), ("colour", Value::Text(colour))];
///     learner.round(Some(if x > 30.0 { "high" } else { "low" }), cells)?;
/// }
/// assert!(learner.error().average() < 0.2, "{:?}", learner.error());
/// let predicted = learner.predict([("x", Value::Number(90.0))])?;
/// assert_eq!(predicted.and_then(|class| learner.class_name(class)), Some("high"));
/// # Ok::<(), ocoboost::JobError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StreamJob {
    booster: StreamBooster,
    weak_learner: StreamWeakLearner,
    learners: usize,
    advantage: Option<f64>,
    bits: Option<u32>,
    seed: u64,
    format: serde_json::Value,
}

/// Builds a [`StreamJob`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct StreamJobBuilder {
    job: StreamJob,
}

/// The fewest and the most bits of a table that is sized by the first row.
const BITS: [u32; 2] = [8, 12];
const MOST_LEARNERS: usize = 1_000;

/// b as it is given, or by the cells of the first row.
fn bits(given: Option<u32>, cells: usize) -> u32 {
    let wanted = (4 * cells.clamp(1, 1 << MOST_BITS)).next_power_of_two().trailing_zeros();
    given.unwrap_or(wanted.clamp(BITS[0], BITS[1]))
}

impl StreamJob {
    /// Online BBM over 20 naive Bayes with the advantage chosen, seed 0: to be changed by name.
    pub fn builder() -> StreamJobBuilder {
        StreamJobBuilder {
            job: Self {
                booster: StreamBooster::default(),
                weak_learner: StreamWeakLearner::default(),
                learners: 20,
                advantage: None,
                bits: None,
                seed: 0,
                format: serde_json::Value::Null,
            },
        }
    }

    /// The learner before its first row, which has so many cells. The number of coordinates is fixed by this:
    /// four times the cells, between 2^8 and 2^12, unless the job says otherwise.
    ///
    /// # Errors
    /// [`JobError::Learner`] for an advantage that the booster does not take.
    pub fn begin(&self, cells: usize) -> Result<StreamLearner, JobError> {
        let coding = StreamCoding::new(bits(self.bits, cells))?;
        let Self { booster, weak_learner, learners, advantage, seed, .. } = *self;
        let inputs = inputs(weak_learner, &coding);
        let boosted = booster.begin(weak_learner, learners, advantage, inputs, seed)?;
        StreamLearner::new(StreamParts {
            state: StreamState {
                weak_learner,
                learners,
                seed,
                given_bits: self.bits,
                coding,
                scaling: Scaling::default(),
                classes: Vec::new(),
                boosted,
                error: ProgressiveError::default(),
            },
            sources: Vec::new(),
            format: self.format.clone(),
            program: concat!("ocoboost ", env!("CARGO_PKG_VERSION")).to_owned(),
        })
    }
}

impl StreamJobBuilder {
    /// The booster.
    pub fn booster(mut self, booster: StreamBooster) -> Self {
        self.job.booster = booster;
        self
    }

    /// What is boosted.
    pub fn weak_learner(mut self, learner: StreamWeakLearner) -> Self {
        self.job.weak_learner = learner;
        self
    }

    /// N, 1 to 1,000.
    pub fn learners(mut self, learners: usize) -> Self {
        self.job.learners = learners;
        self
    }

    /// γ, instead of a choice by progressive validation \[BKL99\] among 1, ½, ⅕ and ⅒ (below 1 where the
    /// booster takes no 1). AdaBoost.OL has none, and one learner alone neither.
    pub fn advantage(mut self, advantage: f64) -> Self {
        self.job.advantage = Some(advantage);
        self
    }

    /// b: there are 2^b coordinates, 1 to 18. The default is by the first row.
    pub fn bits(mut self, bits: u32) -> Self {
        self.job.bits = Some(bits);
        self
    }

    /// The seed of everything.
    pub fn seed(mut self, seed: u64) -> Self {
        self.job.seed = seed;
        self
    }

    /// The options by which rows are read, kept with the learner.
    pub fn format(mut self, format: serde_json::Value) -> Self {
        self.job.format = format;
        self
    }

    /// The job.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] for a setting outside its range, or an advantage for a booster without one;
    /// [`JobError::Learner`] for one that the booster does not take.
    pub fn build(self) -> Result<StreamJob, JobError> {
        let StreamJob { booster, learners, advantage, bits, .. } = self.job;
        #[allow(clippy::cast_precision_loss, reason = "for a comparison with bounds far below 2^53")]
        let count = learners as f64;
        if !(1..=MOST_LEARNERS).contains(&learners) {
            return Err(JobError::BadSetting { name: "learners", value: count, domain: "1, …, 1000" });
        }
        if let Some(bits) = bits.filter(|bits| !(1..=MOST_BITS).contains(bits)) {
            let value = f64::from(bits);
            return Err(JobError::BadSetting { name: "bits", value, domain: "1, …, 18" });
        }
        if let Some(value) = advantage {
            if matches!(booster, StreamBooster::AdaBoostOl | StreamBooster::Alone) {
                let domain = "the settings of a booster that has an advantage";
                return Err(JobError::BadSetting { name: "advantage", value, domain });
            }
            // The smallest booster says whether it takes it.
            booster.begin(StreamWeakLearner::NaiveBayes, 1, advantage, 1, 0)?;
        }
        Ok(self.job)
    }
}

#[cfg(test)]
mod tests;
