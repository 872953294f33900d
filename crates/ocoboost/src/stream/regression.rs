//! A regressor of a stream, boosted online with full information.

use super::MOST_LEARNERS;
use super::linear_rows::LinearRows;
use crate::error::JobError;
use crate::numerals::thousands;
use boosters::gradient::{OgdBaseline, OnlineGradientBoosting, SpanBoosting};
use oco_core::StepSchedule;
use oco_core::losses::{AbsoluteLoss, HuberLoss, Loss, SquaredLoss};
use off_policy::Value;
use projections::BoxSet;
use rows::Row;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};
use weak_learners::{FullInformationPredictor, LearnerError, OgdLinear, OnlinePredictor, Shape};

/// A booster of regression over linear learners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RegressionBooster {
    /// [`OnlineGradientBoosting`]: competes with the convex hull of the learners, divided by the advantage.
    #[default]
    GradientBoosting,
    /// [`SpanBoosting`]: competes with their span.
    SpanBoosting,
    /// [`OgdBaseline`]: one linear model alone.
    Alone,
}

/// What an error costs, in the unit of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RegressionLoss {
    /// (ŷ − y)².
    #[default]
    Squared,
    /// |ŷ − y|: not smooth, so no theorem of boosting holds.
    Absolute,
    /// ½(ŷ − y)² up to 1, linear beyond.
    Huber,
}

/// How the values of a stream are learnt: the settings of a [`StreamRegressor`].
///
/// ```
/// use ocoboost::RegressionSettings;
/// use off_policy::Value;
/// let mut model = RegressionSettings::default().begin(1)?;
/// for t in 0..2000 {
///     let x = f64::from(t * 37 % 100);
///     model.round([("x", Value::Number(x))], 3.0 * x + 5.0)?;
/// }
/// assert!((model.predict([("x", Value::Number(50.0))])? - 155.0).abs() < 15.0);
/// # Ok::<(), ocoboost::JobError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegressionSettings {
    /// The booster.
    pub booster: RegressionBooster,
    /// The loss.
    pub loss: RegressionLoss,
    /// N, 1 to 1,000.
    pub learners: usize,
    /// The step of a weak learner in round t is this times t^(−`decay`).
    pub learning_rate: f64,
    /// c ≥ 0 of the steps.
    pub decay: f64,
    /// The largest norm of a weak learner's weights, for numbers and targets in units of their deviations.
    pub radius: f64,
    /// γ > 0 of gradient boosting: the weak learners' predictions are divided by it.
    pub advantage: f64,
    /// η of span boosting, in (0, 1].
    pub span_step: f64,
    /// The interval that every target lies in, known beforehand. Without one, targets are in units of their
    /// deviation from their mean so far.
    pub target_range: Option<[f64; 2]>,
    /// b: there are 2^b coordinates, 1 to 18; by the first row where it is not given.
    pub bits: Option<u32>,
}

impl Default for RegressionSettings {
    fn default() -> Self {
        Self {
            booster: RegressionBooster::default(),
            loss: RegressionLoss::default(),
            learners: 20,
            learning_rate: 0.5,
            decay: 0.5,
            radius: 1.0,
            advantage: 1.0,
            span_step: 0.1,
            target_range: None,
            bits: None,
        }
    }
}

impl RegressionSettings {
    /// The regressor before its first row, which has so many cells.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] or [`JobError::Learner`] for a setting outside its domain.
    pub fn begin(&self, cells: usize) -> Result<StreamRegressor, JobError> {
        self.check()?;
        let rows = LinearRows::begin(self.bits, cells)?;
        let target = match self.target_range {
            Some([low, high]) => Target::Range { low, high },
            None => Target::Running { count: 0, mean: 0.0, variance: 0.0 },
        };
        let boosted = self.boosted(&rows, &target).map_err(JobError::Learner)?;
        let (settings, examples, mean_error) = (self.clone(), 0, 0.0);
        State { settings, rows, target, boosted, examples, mean_error }.try_into()
    }

    fn boosted(&self, rows: &LinearRows, target: &Target) -> Result<Boosted, LearnerError> {
        let shape = Shape { inputs: rows.inputs(), outputs: 1 };
        let steps = StepSchedule::power(self.learning_rate, self.decay)?;
        let y = BoxSet::interval(-target.reach(), target.reach())?;
        // Rows are divided by the root of the cells, so weights are multiplied by it.
        let weak = OgdLinear::new(shape, steps, self.radius / rows.unit())?;
        let team = || vec![weak.clone(); self.learners];
        Ok(match self.booster {
            RegressionBooster::GradientBoosting => {
                Boosted::GradientBoosting(OnlineGradientBoosting::new(team(), y, self.advantage)?)
            }
            RegressionBooster::SpanBoosting => {
                let shrinkage = StepSchedule::power(0.1, 0.5)?;
                Boosted::SpanBoosting(SpanBoosting::new(team(), y, self.span_step, shrinkage)?)
            }
            RegressionBooster::Alone => {
                Boosted::Alone(OgdBaseline::new(shape, y, steps, self.radius / rows.unit())?)
            }
        })
    }

    fn check(&self) -> Result<(), JobError> {
        #[allow(clippy::cast_precision_loss, reason = "for a message")]
        let count = self.learners as f64;
        if !(1..=MOST_LEARNERS).contains(&self.learners) {
            return Err(JobError::BadSetting { name: "learners", value: count, domain: "1, …, 1000" });
        }
        let above_0 = "(0, 1e100]";
        for (name, value, domain, is_in) in [
            ("advantage", self.advantage, above_0, self.advantage > 0.0 && self.advantage <= FAR),
            ("radius", self.radius, above_0, self.radius > 0.0 && self.radius <= FAR),
            ("span_step", self.span_step, "(0, 1]", self.span_step > 0.0 && self.span_step <= 1.0),
        ] {
            if !is_in {
                return Err(JobError::BadSetting { name, value, domain });
            }
        }
        Ok(())
    }
}

/// An online booster of regression with the coding of its rows, and its mean absolute error so far.
///
/// *Rows* are as those of a [`StreamLearner`](super::StreamLearner); its weak learners are linear, so numbers
/// are in units of their deviations over the rows so far, and a constant is added.
/// *State:* a regressor that is [saved](Self::save), loaded and continued is bit for bit the one that was not
/// stopped.
/// *Cost:* N predictions and updates of linear learners a round.
/// [`RegressionSettings`] has an example.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct StreamRegressor {
    state: State,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    settings: RegressionSettings,
    rows: LinearRows,
    target: Target,
    boosted: Boosted,
    examples: u64,
    /// The mean of |ŷ − y|.
    mean_error: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a regressor holds one of them")]
enum Boosted {
    GradientBoosting(OnlineGradientBoosting<OgdLinear, BoxSet>),
    SpanBoosting(SpanBoosting<OgdLinear, BoxSet>),
    Alone(OgdBaseline<BoxSet>),
}

impl Boosted {
    fn predict(&mut self, x: Row<'_>) -> Result<f64, LearnerError> {
        let mut y = [0.0];
        match self {
            Self::GradientBoosting(booster) => booster.predict(x, &mut y)?,
            Self::SpanBoosting(booster) => booster.predict(x, &mut y)?,
            Self::Alone(model) => model.predict(x, &mut y)?,
        }
        Ok(y[0])
    }

    fn round(&mut self, x: Row<'_>, loss: &dyn Loss) -> Result<f64, LearnerError> {
        let played = match self {
            Self::GradientBoosting(booster) => booster.round(x, loss)?,
            Self::SpanBoosting(booster) => booster.round(x, loss)?,
            Self::Alone(model) => model.round(x, loss)?,
        };
        Ok(played[0])
    }

    fn inputs(&self) -> usize {
        match self {
            Self::GradientBoosting(booster) => booster.learners()[0].shape().inputs,
            Self::SpanBoosting(booster) => booster.learners()[0].shape().inputs,
            Self::Alone(model) => model.model().shape().inputs,
        }
    }
}

/// Targets beyond this are cut off, so that no square leaves the range.
const FAR: f64 = 1e100;
/// The largest number of deviations.
const DEVIATIONS: f64 = 10.0;
/// Below 2^53 every count is a double.
const MOST_ROWS: u64 = 1 << 52;

/// The unit of the target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Target {
    /// \[low, high\] is \[−1, 1\].
    Range { low: f64, high: f64 },
    /// Deviations from the mean so far.
    Running { count: u64, mean: f64, variance: f64 },
}

impl Target {
    /// The largest magnitude of a target in its unit.
    fn reach(&self) -> f64 {
        if let Self::Range { .. } = self { 1.0 } else { DEVIATIONS }
    }

    fn in_unit(&self, y: f64) -> f64 {
        match *self {
            Self::Range { low, high } => (2.0 * ((y - low) / (high - low)) - 1.0).clamp(-1.0, 1.0),
            Self::Running { variance, .. } if variance <= 0.0 => 0.0,
            Self::Running { mean, variance, .. } => {
                ((y.clamp(-FAR, FAR) - mean) / variance.sqrt()).clamp(-DEVIATIONS, DEVIATIONS)
            }
        }
    }

    fn of_unit(&self, u: f64) -> f64 {
        match *self {
            Self::Range { low, high } => low + 0.5 * (u + 1.0) * (high - low),
            Self::Running { mean, variance, .. } => mean + variance.sqrt() * u,
        }
    }

    fn include(&mut self, y: f64) {
        if let Self::Running { count, mean, variance } = self
            && *count < MOST_ROWS
        {
            *count += 1;
            #[allow(clippy::cast_precision_loss, reason = "below 2^53")]
            let share = 1.0 / *count as f64;
            let gap = y.clamp(-FAR, FAR) - *mean;
            *mean += share * gap;
            *variance = (1.0 - share) * (*variance + share * gap * gap);
        }
    }

    fn check(&self) -> Result<(), JobError> {
        let (name, domain) = ("target_range", "two numbers up to 1e100, the first below the second");
        match *self {
            Self::Range { low, high } if low < high && low.abs() <= FAR && high.abs() <= FAR => Ok(()),
            Self::Range { low, .. } => Err(JobError::BadSetting { name, value: low, domain }),
            Self::Running { count, mean, variance }
                if count <= MOST_ROWS && mean.abs() <= 2.0 * FAR && (0.0..=8e200).contains(&variance) =>
            {
                Ok(())
            }
            Self::Running { variance, .. } => {
                let (name, domain) = ("moments", "those of at most 2^52 numbers up to 1e100");
                Err(JobError::BadSetting { name, value: variance, domain })
            }
        }
    }
}

impl StreamRegressor {
    /// Predicts the value of a row, and then learns it; what was predicted.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] for a y outside the range of the targets; [`JobError::Learner`] for a number
    /// that is not finite or above 1e140 in magnitude. The regressor is then unchanged.
    pub fn round<'a>(
        &mut self,
        cells: impl IntoIterator<Item = (&'a str, Value<'a>)>,
        y: f64,
    ) -> Result<f64, JobError> {
        let State { settings, rows, target, boosted, examples, mean_error } = &mut self.state;
        if !y.is_finite() {
            return Err(LearnerError::NotFinite { argument: "y", index: 0, value: y }.into());
        }
        if y.abs() > LARGEST {
            return Err(LearnerError::TooLarge { argument: "y", index: 0, value: y }.into());
        }
        if let Target::Range { low, high } = target
            && !(*low..=*high).contains(&y)
        {
            return Err(JobError::BadSetting { name: "y", value: y, domain: "the range of the targets" });
        }
        let x = rows.code(cells)?;
        let u = [target.in_unit(y)];
        let refused = |error| JobError::Learner(LearnerError::Oco(error));
        let played = match settings.loss {
            RegressionLoss::Squared => boosted.round(x, &SquaredLoss::new(&u).map_err(refused)?),
            RegressionLoss::Absolute => boosted.round(x, &AbsoluteLoss::new(&[1.0], u[0]).map_err(refused)?),
            RegressionLoss::Huber => boosted.round(x, &HuberLoss::new(&[1.0], u[0], 1.0).map_err(refused)?),
        };
        let predicted = target.of_unit(played?);
        rows.keep();
        target.include(y);
        if *examples < MOST_ROWS {
            *examples += 1;
            #[allow(clippy::cast_precision_loss, reason = "below 2^53")]
            let share = 1.0 / *examples as f64;
            *mean_error += share * ((predicted - y).abs() - *mean_error);
        }
        Ok(predicted)
    }

    /// The value of a row, which is not learnt from; 0, or the middle of the range, before any row.
    ///
    /// # Errors
    /// [`JobError::Learner`] for a number that is not finite or above 1e140 in magnitude.
    pub fn predict<'a>(
        &mut self,
        cells: impl IntoIterator<Item = (&'a str, Value<'a>)>,
    ) -> Result<f64, JobError> {
        let State { rows, target, boosted, .. } = &mut self.state;
        let x = rows.code(cells)?;
        Ok(target.of_unit(boosted.predict(x)?))
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &RegressionSettings {
        &self.state.settings
    }

    /// The examples so far.
    #[must_use]
    pub fn examples(&self) -> u64 {
        self.state.examples
    }

    /// The mean of |ŷ − y| over predictions that were made before they were learnt from; 0 without examples.
    #[must_use]
    pub fn mean_absolute_error(&self) -> f64 {
        self.state.mean_error
    }

    /// What the predictions so far show, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self.examples() {
            0 => "No row so far.".to_owned(),
            examples => format!(
                "Of {} examples, each predicted before it was learnt from, the mean absolute error was {:.4}.",
                thousands(examples),
                self.mean_absolute_error(),
            ),
        }
    }
}

/// Compares the states as they are saved.
impl PartialEq for StreamRegressor {
    fn eq(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|one| serde_json::to_string(&one.state).ok());
        own.is_some() && own == others
    }
}

impl From<StreamRegressor> for State {
    fn from(regressor: StreamRegressor) -> Self {
        regressor.state
    }
}

impl TryFrom<State> for StreamRegressor {
    type Error = JobError;

    fn try_from(state: State) -> Result<Self, JobError> {
        state.settings.check()?;
        state.target.check()?;
        let (expected, got) = (state.rows.inputs(), state.boosted.inputs());
        if got != expected {
            return Err(JobError::Length { column: "the booster's rows", expected, got });
        }
        if !(state.mean_error >= 0.0 && state.mean_error.is_finite()) || state.examples > MOST_ROWS {
            let (name, domain) = ("mean_error", "[0, ∞), of at most 2^52 rows");
            return Err(JobError::BadSetting { name, value: state.mean_error, domain });
        }
        Ok(Self { state })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    const BOOSTERS: [RegressionBooster; 3] =
        [RegressionBooster::GradientBoosting, RegressionBooster::SpanBoosting, RegressionBooster::Alone];
    const LOSSES: [RegressionLoss; 3] =
        [RegressionLoss::Squared, RegressionLoss::Absolute, RegressionLoss::Huber];

    fn cells(t: u32) -> [(&'static str, Value<'static>); 2] {
        let colour = if t.is_multiple_of(3) { "red" } else { "blue" };
        [("x", Value::Number(f64::from(t * 37 % 100))), ("colour", Value::Text(colour))]
    }

    /// 20 a red one, and ½ for every x.
    fn y(t: u32) -> f64 {
        0.5 * f64::from(t * 37 % 100) + if t.is_multiple_of(3) { 20.0 } else { 0.0 }
    }

    #[test]
    fn every_booster_learns_and_a_prediction_is_that_of_the_round() {
        for booster in BOOSTERS {
            for (loss, target_range) in LOSSES.into_iter().zip([None, None, Some([0.0, 80.0])]) {
                let settings = RegressionSettings { booster, loss, target_range, ..Default::default() };
                let (mut model, mut late, mut total) = (settings.begin(2).unwrap(), 0.0, 0.0);
                for t in 0..3000 {
                    let predicted = model.predict(cells(t)).unwrap();
                    assert_eq!(model.round(cells(t), y(t)).unwrap().to_bits(), predicted.to_bits());
                    late += if t < 2000 { 0.0 } else { (predicted - y(t)).abs() / 1000.0 };
                    total += (predicted - y(t)).abs() / 3000.0;
                }
                // The targets' own mean absolute deviation is 14.
                assert!(late < 5.0, "{booster:?} {loss:?}: {late}");
                assert!(model.examples() == 3000 && (model.mean_absolute_error() - total).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_saved_regressor_goes_on_bit_for_bit() {
        for booster in BOOSTERS {
            let settings = RegressionSettings { booster, learners: 5, ..Default::default() };
            let mut model = settings.begin(2).unwrap();
            for t in 0..200 {
                model.round(cells(t), y(t)).unwrap();
            }
            let text = serde_json::to_string(&model).unwrap();
            let mut loaded: StreamRegressor = serde_json::from_str(&text).unwrap();
            for t in 200..400 {
                let found = loaded.round(cells(t), y(t)).unwrap();
                assert_eq!(model.round(cells(t), y(t)).unwrap().to_bits(), found.to_bits());
            }
            assert_eq!(serde_json::to_string(&model).unwrap(), serde_json::to_string(&loaded).unwrap());
            for (from, to) in [("\"unit\":", "\"unit\":-"), ("\"variance\":", "\"variance\":-")] {
                let bad = text.replace(from, to);
                assert!(bad != text && serde_json::from_str::<StreamRegressor>(&bad).is_err(), "{from}");
            }
        }
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let range = RegressionSettings { target_range: Some([0.0, 80.0]), ..Default::default() };
        for settings in [RegressionSettings::default(), range.clone()] {
            let mut model = settings.begin(2).unwrap();
            for t in 0..50 {
                model.round(cells(t), y(t)).unwrap();
            }
            let before = serde_json::to_string(&model).unwrap();
            for bad in [f64::NAN, f64::INFINITY, 1e141] {
                assert!(model.round(cells(1), bad).is_err());
                // NaN is a missing cell.
                assert!(bad.is_nan() || model.round([("x", Value::Number(bad))], 1.0).is_err());
            }
            assert_eq!(model.round(cells(1), 81.0).is_err(), settings.target_range.is_some());
            if settings.target_range.is_some() {
                assert_eq!(serde_json::to_string(&model).unwrap(), before);
            }
        }
        let change = |change: fn(&mut RegressionSettings)| {
            let mut settings = range.clone();
            change(&mut settings);
            settings.begin(2)
        };
        for bad in [
            change(|s| s.learners = 0),
            change(|s| s.learners = 1001),
            change(|s| s.learning_rate = 0.0),
            change(|s| s.decay = -1.0),
            change(|s| s.radius = f64::NAN),
            change(|s| s.advantage = 0.0),
            change(|s| s.span_step = 2.0),
            change(|s| s.bits = Some(19)),
            change(|s| s.target_range = Some([1.0, 1.0])),
            change(|s| s.target_range = Some([0.0, f64::INFINITY])),
        ] {
            assert!(bad.is_err());
        }
    }
}
