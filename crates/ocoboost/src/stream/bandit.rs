//! A regressor of a stream that sees only what its values cost.

use super::MOST_LEARNERS;
use super::learners::generator;
use super::linear_rows::LinearRows;
use crate::error::JobError;
use boosters::gradient::{BanditGradientBoosting, Queries};
use oco_core::StepSchedule;
use oco_core::bandit::SphericalEstimator;
use off_policy::Value;
use projections::BoxSet;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{BanditPredictor, FkmLinear, LearnerError, OgdLinear, OnlinePredictor, Shape};

/// How values are learnt from what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BanditBooster {
    /// [`BanditGradientBoosting`]: N linear learners, and as many queries a round.
    #[default]
    GradientBoosting,
    /// [`FkmLinear`]: one linear model, and N queries a round. With N = 1 the play itself is the query, so
    /// that its loss is all that a round needs.
    Fkm,
}

/// How values are learnt from what they cost: the settings of a [`StreamBandit`].
///
/// ```
/// use ocoboost::BanditSettings;
/// use off_policy::Value;
/// let settings = BanditSettings { range: [-2.0, 2.0], ..BanditSettings::default() };
/// let mut model = settings.begin(1)?;
/// let mut late = 0.0;
/// for t in 0..4000 {
///     let x = f64::from(t % 7);
///     let best = x / 3.0 - 1.0; // never shown, only the loss of the points that are asked about
///     let played = model.round([("x", Value::Number(x))], &mut |y| (y[0] - best).powi(2))?;
///     late += if t < 3000 { 0.0 } else { (played[0] - best).powi(2) / 1000.0 };
/// }
/// assert!(late < 0.25, "always 0 would lose 0.44 a round, the booster lost {late}");
/// # Ok::<(), ocoboost::JobError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BanditSettings {
    /// The learner.
    pub booster: BanditBooster,
    /// N, 1 to 1,000: queries a round, and learners of the booster.
    pub queries: usize,
    /// d, 1 to 1,000: the numbers of a play.
    pub outputs: usize,
    /// The interval of every number of a play.
    pub range: [f64; 2],
    /// δ: how far a query is from the point that is asked about, in halves of the range.
    pub delta: f64,
    /// Whether every query stays in the range. δ is then below 1, and plays are at least so far from its
    /// ends.
    pub stay_inside: bool,
    /// The step of a learner in round t is this times t^(−`decay`).
    pub learning_rate: f64,
    /// c ≥ 0 of the steps.
    pub decay: f64,
    /// The largest norm of a learner's weights, for numbers in units of their deviations, and plays in halves
    /// of the range.
    pub radius: f64,
    /// γ > 0: the learners' predictions are divided by it.
    pub advantage: f64,
    /// b: there are 2^b coordinates, 1 to 18; by the first row where it is not given.
    pub bits: Option<u32>,
    /// The seed of the directions.
    pub seed: u64,
}

impl Default for BanditSettings {
    fn default() -> Self {
        Self {
            booster: BanditBooster::default(),
            queries: 10,
            outputs: 1,
            range: [-1.0, 1.0],
            delta: 0.5,
            stay_inside: false,
            learning_rate: 0.05,
            decay: 0.25,
            radius: 0.5,
            advantage: 1.0,
            bits: None,
            seed: 0,
        }
    }
}

/// The largest magnitude of an end of the range.
const FAR: f64 = 1e100;

impl BanditSettings {
    /// The learner before its first row, which has so many cells.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] or [`JobError::Learner`] for a setting outside its domain.
    pub fn begin(&self, cells: usize) -> Result<StreamBandit, JobError> {
        self.check()?;
        let rows = LinearRows::begin(self.bits, cells)?;
        let learner = self.learner(&rows)?;
        let state = State { settings: self.clone(), rows, learner, rounds: 0 };
        state.try_into()
    }

    fn learner(&self, rows: &LinearRows) -> Result<Learner, LearnerError> {
        let shape = Shape { inputs: rows.inputs(), outputs: self.outputs };
        let steps = StepSchedule::power(self.learning_rate, self.decay)?;
        // Rows are divided by the root of the cells, so weights are multiplied by it.
        let radius = self.radius / rows.unit();
        let y = |reach: f64| BoxSet::new(vec![-reach; self.outputs], vec![reach; self.outputs]);
        let rng = generator(self.seed, 0);
        Ok(match self.booster {
            BanditBooster::GradientBoosting => {
                let weak = OgdLinear::new(shape, steps, radius)?;
                let queries = Queries { delta: self.delta, rng };
                let team = vec![weak; self.queries];
                let booster = BanditGradientBoosting::new(team, y(1.0)?, self.advantage, queries)?;
                let booster = if self.stay_inside { booster.querying_inside(1.0)? } else { booster };
                Learner::GradientBoosting(Box::new(booster))
            }
            BanditBooster::Fkm => {
                let reach = if self.stay_inside { 1.0 - self.delta } else { 1.0 };
                // At most 1,000.
                let queries = u32::try_from(self.queries).unwrap_or(u32::MAX);
                let model = FkmLinear::new(shape, y(reach)?, steps, radius, self.delta, queries, rng)?;
                let mut explored =
                    Explored { direction: vec![0.0; self.outputs], rng: generator(self.seed, 1) };
                explored.draw(self.delta)?;
                Learner::Fkm(Box::new(model), Box::new(explored))
            }
        })
    }

    fn check(&self) -> Result<(), JobError> {
        let counts = [("queries", self.queries), ("outputs", self.outputs)];
        if let Some((name, value)) = counts.into_iter().find(|(_, n)| !(1..=MOST_LEARNERS).contains(n)) {
            #[allow(clippy::cast_precision_loss, reason = "for a message")]
            let value = value as f64;
            return Err(JobError::BadSetting { name, value, domain: "1, …, 1000" });
        }
        let [low, high] = self.range;
        if !(low < high && low.abs() <= FAR && high.abs() <= FAR) {
            let domain = "two numbers up to 1e100, the first below the second";
            return Err(JobError::BadSetting { name: "range", value: low, domain });
        }
        let most = if self.stay_inside { 1.0 } else { FAR };
        let above_0 = "(0, 1e100]";
        let of_delta = if self.stay_inside { "(0, 1)" } else { above_0 };
        for (name, value, domain, is_in) in [
            ("delta", self.delta, of_delta, self.delta > 0.0 && self.delta < most),
            ("advantage", self.advantage, above_0, self.advantage > 0.0 && self.advantage <= FAR),
            ("radius", self.radius, above_0, self.radius > 0.0 && self.radius <= FAR),
        ] {
            if !is_in {
                return Err(JobError::BadSetting { name, value, domain });
            }
        }
        Ok(())
    }
}

/// An online learner of values by bandit feedback, with the coding of its rows: online gradient boosting with
/// noisy bandit feedback \[BH20, Algorithm 2\], or linear FKM \[FKM05\].
///
/// It never sees a target, only losses of points. *Rows* are as those of a
/// [`StreamRegressor`](super::StreamRegressor). What is drawn for a round is drawn before it, so predicting
/// changes nothing. *State:* a learner that is [saved](Self::save), loaded and continued is bit for bit the
/// one that was not stopped. *Cost:* N queries, predictions and updates a round. [`BanditSettings`] has an
/// example.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct StreamBandit {
    state: State,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    settings: BanditSettings,
    rows: LinearRows,
    learner: Learner,
    rounds: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Learner {
    GradientBoosting(Box<BanditGradientBoosting<OgdLinear, BoxSet>>),
    Fkm(Box<FkmLinear<BoxSet>>, Box<Explored>),
}

/// The direction of the query of the coming round, where the play is the query.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Explored {
    direction: Vec<f64>,
    rng: ChaCha8Rng,
}

impl Explored {
    fn draw(&mut self, delta: f64) -> Result<(), LearnerError> {
        SphericalEstimator::new(delta)?.draw(&mut self.rng, &mut self.direction);
        Ok(())
    }
}

impl Learner {
    fn shape(&self) -> Shape {
        match self {
            Self::GradientBoosting(booster) => booster.learners()[0].shape(),
            Self::Fkm(model, _) => model.model().shape(),
        }
    }
}

/// Plays in numbers of the range.
impl BanditSettings {
    /// A number in halves of the range, in the range.
    fn of_unit(&self, u: f64) -> f64 {
        let [low, high] = self.range;
        low + 0.5 * (u + 1.0) * (high - low)
    }

    /// Whether the play is the one query.
    fn plays_its_query(&self) -> bool {
        self.booster == BanditBooster::Fkm && self.queries == 1
    }
}

impl StreamBandit {
    /// A round: asks for the losses of points near those that the learners predict, and learns. What was
    /// played: Π_Y(y^N), or the query where it is the only one.
    ///
    /// # Errors
    /// [`JobError::Learner`] for an answer or a number that is not finite or above 1e140 in magnitude. The
    /// learner and its random stream are then unchanged.
    pub fn round<'a>(
        &mut self,
        cells: impl IntoIterator<Item = (&'a str, Value<'a>)>,
        query: &mut dyn FnMut(&[f64]) -> f64,
    ) -> Result<Vec<f64>, JobError> {
        let State { settings, rows, learner, rounds } = &mut self.state;
        let x = rows.code(cells)?;
        let mut point = vec![0.0; settings.outputs];
        let mut ask = |u: &[f64]| {
            point.iter_mut().zip(u).for_each(|(y, u)| *y = settings.of_unit(*u));
            query(&point)
        };
        let played: Vec<f64> = match learner {
            Learner::GradientBoosting(booster) => booster.round(x, &mut ask)?.to_vec(),
            Learner::Fkm(model, explored) if settings.plays_its_query() => {
                model.round_with(x, &mut ask, |_, v| v.copy_from_slice(&explored.direction))?;
                let mut played = model.played().to_vec();
                explore(&mut played, explored, settings.delta);
                explored.draw(settings.delta)?;
                played
            }
            Learner::Fkm(model, _) => model.round(x, &mut ask)?.to_vec(),
        };
        rows.keep();
        *rounds = rounds.saturating_add(1);
        Ok(played.into_iter().map(|u| settings.of_unit(u)).collect())
    }

    /// Learns from the loss of the play alone.
    ///
    /// # Errors
    /// As [`round`](Self::round); also [`JobError::LossOfPlayAlone`] where a round asks for several losses.
    pub fn observe<'a>(
        &mut self,
        cells: impl IntoIterator<Item = (&'a str, Value<'a>)>,
        loss: f64,
    ) -> Result<Vec<f64>, JobError> {
        if !self.state.settings.plays_its_query() {
            return Err(JobError::LossOfPlayAlone { queries: self.state.settings.queries });
        }
        self.round(cells, &mut |_| loss)
    }

    /// What the coming round would play for a row.
    ///
    /// # Errors
    /// [`JobError::Learner`] for a number that is not finite or above 1e140 in magnitude.
    pub fn predict<'a>(
        &mut self,
        cells: impl IntoIterator<Item = (&'a str, Value<'a>)>,
    ) -> Result<Vec<f64>, JobError> {
        let State { settings, rows, learner, .. } = &mut self.state;
        let x: Row<'_> = rows.code(cells)?;
        let mut y = vec![0.0; settings.outputs];
        match learner {
            Learner::GradientBoosting(booster) => booster.predict(x, &mut y)?,
            Learner::Fkm(model, explored) => {
                model.predict(x, &mut y)?;
                if settings.plays_its_query() {
                    explore(&mut y, explored, settings.delta);
                }
            }
        }
        Ok(y.into_iter().map(|u| settings.of_unit(u)).collect())
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &BanditSettings {
        &self.state.settings
    }

    /// The rounds so far.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.state.rounds
    }
}

/// y ← y + δv.
fn explore(y: &mut [f64], explored: &Explored, delta: f64) {
    y.iter_mut().zip(&explored.direction).for_each(|(y, v)| *y += delta * v);
}

/// Compares the states as they are saved.
impl PartialEq for StreamBandit {
    fn eq(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|one| serde_json::to_string(&one.state).ok());
        own.is_some() && own == others
    }
}

impl From<StreamBandit> for State {
    fn from(bandit: StreamBandit) -> Self {
        bandit.state
    }
}

impl TryFrom<State> for StreamBandit {
    type Error = JobError;

    fn try_from(state: State) -> Result<Self, JobError> {
        state.settings.check()?;
        let Shape { inputs, outputs } = state.learner.shape();
        let (expected, got) = (state.rows.inputs(), inputs);
        if got != expected {
            return Err(JobError::Length { column: "the booster's rows", expected, got });
        }
        let mut lengths = vec![outputs];
        if let Learner::Fkm(_, explored) = &state.learner {
            lengths.push(explored.direction.len());
        }
        let expected = state.settings.outputs;
        if let Some(got) = lengths.into_iter().find(|got| *got != expected) {
            return Err(JobError::Length { column: "the plays", expected, got });
        }
        Ok(Self { state })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    fn settings(booster: BanditBooster, queries: usize) -> BanditSettings {
        BanditSettings { booster, queries, outputs: 2, range: [0.0, 4.0], seed: 3, ..Default::default() }
    }

    const ALL: [(BanditBooster, usize); 3] =
        [(BanditBooster::GradientBoosting, 6), (BanditBooster::Fkm, 6), (BanditBooster::Fkm, 1)];

    fn cells(t: u32) -> [(&'static str, Value<'static>); 1] {
        [("x", Value::Number(f64::from(t % 5)))]
    }

    /// The squared distance from (1 + x/2, 3 − x/2), in halves of the range.
    fn loss(t: u32, y: &[f64]) -> f64 {
        let half = 0.5 * f64::from(t % 5);
        ((y[0] - 1.0 - half).powi(2) + (y[1] - 3.0 + half).powi(2)) / 4.0
    }

    #[test]
    fn losses_alone_are_enough_and_a_prediction_is_the_play() {
        for (booster, queries) in ALL {
            let mut settings = settings(booster, queries);
            // One query of a distance of 0.5 would cost as much as the target's own spread.
            settings.delta = if queries == 1 { 0.2 } else { 0.5 };
            let (mut model, mut late) = (settings.begin(1).unwrap(), 0.0);
            for t in 0..6000 {
                let (predicted, mut asked) = (model.predict(cells(t)).unwrap(), Vec::new());
                let played = model
                    .round(cells(t), &mut |y| {
                        asked.push(y.to_vec());
                        loss(t, y)
                    })
                    .unwrap();
                assert_eq!(played, predicted, "{booster:?}");
                assert_eq!(asked.len(), queries);
                assert!(queries > 1 || asked[0] == played);
                late += if t < 5000 { 0.0 } else { loss(t, &played) / 1000.0 };
            }
            // The middle of the range loses 0.25.
            assert!(late < 0.15, "{booster:?} with {queries}: {late}");
        }
    }

    #[test]
    fn queries_stay_inside_where_that_is_asked_for() {
        for (booster, queries) in ALL {
            let settings = BanditSettings { stay_inside: true, ..settings(booster, queries) };
            let mut model = settings.begin(1).unwrap();
            for t in 0..500 {
                model
                    .round(cells(t), &mut |y| {
                        assert!(y.iter().all(|y| (-1e-12..=4.0 + 1e-12).contains(y)), "{y:?}");
                        loss(t, y)
                    })
                    .unwrap();
            }
            assert!(BanditSettings { delta: 1.0, ..settings }.begin(1).is_err());
        }
    }

    #[test]
    fn a_saved_learner_goes_on_bit_for_bit_and_what_is_refused_changes_nothing() {
        for (booster, queries) in ALL {
            let mut model = settings(booster, queries).begin(1).unwrap();
            for t in 0..100 {
                model.round(cells(t), &mut |y| loss(t, y)).unwrap();
            }
            let text = serde_json::to_string(&model).unwrap();
            let mut loaded: StreamBandit = serde_json::from_str(&text).unwrap();
            for bad in [f64::NAN, f64::INFINITY, 1e141] {
                let mut count = 0;
                let refused = model.round(cells(1), &mut |_| {
                    count += 1;
                    if count == queries { bad } else { 0.5 }
                });
                assert!(refused.is_err());
            }
            assert!(model.round([("x", Value::Number(f64::INFINITY))], &mut |_| 0.5).is_err());
            assert_eq!(serde_json::to_string(&model).unwrap(), text);
            for t in 100..200 {
                let found = loaded.round(cells(t), &mut |y| loss(t, y)).unwrap();
                assert_eq!(model.round(cells(t), &mut |y| loss(t, y)).unwrap(), found);
            }
            assert_eq!(serde_json::to_string(&model).unwrap(), serde_json::to_string(&loaded).unwrap());
            assert_eq!(model.observe(cells(0), 0.5).is_ok(), (booster, queries) == (BanditBooster::Fkm, 1));
        }
        for bad in [
            BanditSettings { queries: 0, ..Default::default() },
            BanditSettings { outputs: 1001, ..Default::default() },
            BanditSettings { range: [1.0, 0.0], ..Default::default() },
            BanditSettings { delta: 0.0, ..Default::default() },
            BanditSettings { radius: -1.0, ..Default::default() },
            BanditSettings { advantage: f64::NAN, ..Default::default() },
            BanditSettings { learning_rate: f64::INFINITY, ..Default::default() },
        ] {
            assert!(bad.begin(1).is_err(), "{bad:?}");
        }
    }
}
