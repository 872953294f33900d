//! Judging policies on a log.

mod bound;
mod breakdown;
mod compare;
mod judgement;
mod observations;
#[cfg(test)]
mod tests;
mod verdict;

pub(crate) use bound::Tuning;
pub use bound::{Bound, BoundMethod, BoundTerms};
pub use breakdown::{
    ActionChange, Bin, Breakdown, BreakdownSettings, Changes, LargeWeight, Part, Segment, SegmentMean,
    SegmentedColumn, Segments, WeightsOfRows,
};
pub use compare::{Comparison, Difference};
pub use judgement::{Caveat, JudgedRows, Judgement, RangeSource, RewardRange, ValueEstimate};
pub use verdict::{Reason, Verdict};

use crate::error::JobError;
use crate::propensities::{EstimatedPropensities, PropensitySource, Watch};
use observations::Observed;
pub(crate) use observations::Observed as JudgedObservations;
pub use observations::cross_fitted_rewards;
use off_policy::estimators::{
    Accumulator, Bootstrap, Estimate, EstimateError, Estimator, EstimatorSettings, Interval, Moments,
    Observation, Observations, OffPolicyEvaluation, Resampling, RewardModel, StatedRanges, normal_interval,
};
use off_policy::policies::Policy;
use off_policy::{Log, Rewards};
use ranks::{Ranks, Shard};
use rows::RowMatrix;
use std::borrow::Cow;
use std::ops::ControlFlow;
use weak_learners::LearnerError;

/// A policy to judge.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// Any policy; [`Uniform`](off_policy::policies::Uniform) is the even one.
    Policy(&'a dyn Policy),
    /// The logging policy itself, whose value is the mean reward.
    Logged,
    /// A policy that is known by its probabilities in the rows of the log alone: π(a|x_i) at i·|A| + a.
    Table(&'a [f64]),
}

impl std::fmt::Debug for Target<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Policy(_) => "Policy(..)",
            Self::Logged => "Logged",
            Self::Table(_) => "Table(..)",
        })
    }
}

/// How policies are judged on a log.
///
/// Estimates are IPS, clipped IPS (M = 20), SNIPS and, with a model of rewards, DM, DR and SWITCH-DR (τ =
/// 20), with intervals of the [`Bootstrap`]. The model is cross-fitted on the log: a row is predicted by
/// trees of the other folds. The bounds are those of [`Bound`].
///
/// *With estimated propensities* every estimate is computed with those of each refit too, and the deviation
/// of the refits is added to the half widths in quadrature, and to the distance of a bound from the estimate.
/// No verdict is then certain.
///
/// ```
/// use ocoboost::{JudgeJob, Reason, Target, Verdict};
/// use off_policy::{Log, Rewards, policies::{Argmax, Tabular, Uniform}};
/// // Two actions, played evenly; the second pays.
/// let contexts = rows::RowMatrix::dense(1, vec![0.0; 400])?;
/// let actions = (0..400).map(|i| i % 2).collect();
/// let rewards = Rewards((0..400).map(|i| f64::from(i % 2)).collect());
/// let log = Log::new(contexts, 2, actions, vec![0.5; 400], rewards)?;
/// let job = JudgeJob::builder().reward_range([0.0, 1.0]).build()?;
/// let second = Argmax::new(Tabular::new(1, vec![0.0, 1.0])?);
/// let found = job.evaluate(&log, Target::Policy(&second))?;
/// assert!(matches!(found.verdict, Verdict::Better { at_least, is_certain: true } if at_least > 0.35));
/// assert!(found.sentence().contains("with 95% certainty it earns at least 0.4"));
/// let even = job.evaluate(&log, Target::Policy(&Uniform::new(2)?))?;
/// assert!(matches!(even.verdict, Verdict::NotShown { at_least } if at_least > -0.1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct JudgeJob {
    delta: f64,
    range: Option<[f64; 2]>,
    estimated: Option<EstimatedPropensities>,
    has_model: bool,
    is_own_log: bool,
    clip: f64,
    seed: u64,
    ranks: Ranks,
}

/// Builds a [`JudgeJob`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct JudgeJobBuilder {
    job: JudgeJob,
}

/// What a judgement rests on beside the rows.
pub(crate) struct Circumstances<'a> {
    pub(crate) judged: JudgedRows,
    /// The range of the rewards of other rows.
    pub(crate) other_range: Option<[f64; 2]>,
    pub(crate) tuning_rows: Option<&'a Log>,
    pub(crate) model: Option<&'a dyn RewardModel>,
    pub(crate) are_grouped: bool,
    /// How often every row is in the log.
    pub(crate) times: u64,
}

impl Circumstances<'_> {
    /// Those of rows that were handed in.
    pub(super) const GIVEN: Self = Self {
        judged: JudgedRows::Given,
        other_range: None,
        tuning_rows: None,
        model: None,
        are_grouped: false,
        times: 1,
    };
}

impl JudgeJob {
    /// δ = 0.05, rewards in the range of the judged rows, a model of rewards, seed 0: to be changed by name.
    pub fn builder() -> JudgeJobBuilder {
        let job = Self {
            delta: 0.05,
            range: None,
            estimated: None,
            has_model: true,
            is_own_log: false,
            clip: 20.0,
            seed: 0,
            ranks: Ranks::alone(),
        };
        JudgeJobBuilder { job }
    }

    /// The judgement of one policy.
    ///
    /// # Errors
    /// [`JobError::Estimate`] for a policy of other actions or another coding than the log's, and for a
    /// reward outside the stated range; [`JobError::Length`] and [`JobError::OtherPropensities`] for
    /// estimated propensities of another log.
    pub fn evaluate(&self, log: &Log, target: Target<'_>) -> Result<Judgement, JobError> {
        self.evaluate_watched(log, target, &mut || ControlFlow::Continue(()))
    }

    /// The same, with a watcher that is asked after every tree of the models of rewards whether to go on.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); [`JobError::Interrupted`] where `watch` said `Break`.
    pub fn evaluate_watched(
        &self,
        log: &Log,
        target: Target<'_>,
        watch: Watch<'_>,
    ) -> Result<Judgement, JobError> {
        let observed = self.observe(log, &[target], watch)?;
        let (job, log) = (self.of_all_ranks()?, self.decisions(log, None)?);
        job.judge_one(&log, &observed[0], None, &Circumstances::GIVEN)
    }

    /// The rows of every policy, with a cross-fitted model of rewards if it is wanted and can be fitted;
    /// those of all ranks.
    fn observe(
        &self,
        log: &Log,
        targets: &[Target<'_>],
        watch: Watch<'_>,
    ) -> Result<Vec<Observed>, JobError> {
        let (ranks, shard) = (&self.ranks, Shard::of(self.ranks.clone(), log.len())?);
        ranks.agree(self.check_propensities(log.propensities()))?;
        let observed = if self.has_model && shard.total() >= LEAST_ROWS_OF_MODEL {
            Observed::cross_fitted((log, &shard), targets, self.seed, watch)?
        } else {
            ranks.agree(targets.iter().map(|target| Observed::of(log, *target, None)).collect())?
        };
        if !ranks.are_several() {
            return Ok(observed);
        }
        observed.iter().map(|observed| Ok(observed.gathered(ranks)?)).collect()
    }

    /// The same job with the estimates of all ranks.
    fn of_all_ranks(&self) -> Result<Cow<'_, Self>, JobError> {
        if !self.ranks.are_several() {
            return Ok(Cow::Borrowed(self));
        }
        let estimated = self.estimated.as_ref();
        let estimated = estimated.map(|estimated| estimated.gathered(&self.ranks)).transpose()?;
        Ok(Cow::Owned(Self { estimated, ranks: Ranks::alone(), ..self.clone() }))
    }

    /// What a judgement asks of all rows, or of the chosen ones of every rank: all but the contexts.
    fn decisions<'l>(&self, log: &'l Log, chosen: Option<&[usize]>) -> Result<Cow<'l, Log>, JobError> {
        match (self.ranks.are_several(), chosen) {
            (false, None) => Ok(Cow::Borrowed(log)),
            (false, Some(chosen)) => Ok(Cow::Owned(log.select(chosen.iter().copied())?)),
            (true, chosen) => {
                let all: Vec<usize> = (0..log.len()).collect();
                let blank = RowMatrix::dense(1, vec![0.0; log.len()]).map_err(LearnerError::from)?;
                let (actions, rewards) = (log.logged_actions().to_vec(), Rewards(log.rewards().to_vec()));
                let mut bare = Log::new(blank, log.actions(), actions, log.propensities().to_vec(), rewards)?;
                if let Some(sets) = log.action_sets() {
                    bare = bare.with_action_sets(sets.clone())?;
                }
                Ok(Cow::Owned(bare.gathered(chosen.unwrap_or(&all), &self.ranks)?))
            }
        }
    }

    /// The judgement on the rows kept apart, of which these are those of this rank's log.
    pub(crate) fn judge_apart(
        &self,
        log: &Log,
        rows: &[usize],
        target: Target<'_>,
        circumstances: &Circumstances<'_>,
    ) -> Result<Judgement, JobError> {
        let job = self.on_rows(rows)?;
        let see = || {
            if rows.is_empty() {
                let is_logged = matches!(target, Target::Logged);
                return Ok(Observed {
                    rows: Vec::new(),
                    has_model: circumstances.model.is_some(),
                    is_logged,
                });
            }
            let judged = log.select(rows.iter().copied())?;
            job.check_propensities(judged.propensities())?;
            Observed::of(&judged, target, circumstances.model)
        };
        let observed = self.ranks.agree(see())?.gathered(&self.ranks)?;
        let (job, log) = (job.of_all_ranks()?, self.decisions(log, Some(rows))?);
        let range = job.reward_range(&log, circumstances);
        let tuning = match circumstances.tuning_rows {
            Some(others) => {
                let others = Observed::of(others, target, None)?.rows;
                Tuning::on(&others, log.len(), [range.lower, range.upper], self.delta)?
            }
            None => None,
        };
        job.judge_one(&log, &observed, tuning, circumstances)
    }

    /// The judgement of rows that are known already. `log` has what the log did; M and λ are chosen on the
    /// `tuning` rows, if there are some.
    pub(crate) fn judge_observations(
        &self,
        log: &Log,
        observed: &JudgedObservations,
        tuning: Option<&[Observation]>,
        circumstances: &Circumstances<'_>,
    ) -> Result<Judgement, JobError> {
        self.check_propensities(log.propensities())?;
        let range = self.reward_range(log, circumstances);
        let tuning = match tuning {
            Some(others) => Tuning::on(others, log.len(), [range.lower, range.upper], self.delta)?,
            None => None,
        };
        self.judge_one(log, observed, tuning, circumstances)
    }

    fn reward_range(&self, log: &Log, circumstances: &Circumstances<'_>) -> RewardRange {
        let own = log.rewards().iter().fold([f64::MAX, f64::MIN], |[l, u], r| [l.min(*r), u.max(*r)]);
        let ([lower, upper], source) = match (self.range, circumstances.other_range) {
            (Some(stated), _) => (stated, RangeSource::Given),
            (None, Some([l, u])) if l <= own[0] && own[1] <= u => ([l, u], RangeSource::OtherRows),
            (None, Some([l, u])) => ([l.min(own[0]), u.max(own[1])], RangeSource::JudgedRows),
            (None, None) => (own, RangeSource::JudgedRows),
        };
        RewardRange { lower, upper, source }
    }

    /// The same job on some rows of the log.
    pub(crate) fn on_rows(&self, rows: &[usize]) -> Result<Self, JobError> {
        let estimated = self.estimated.as_ref().map(|estimated| estimated.select(rows)).transpose()?;
        Ok(Self { estimated, ..self.clone() })
    }

    pub(crate) fn check_propensities(&self, of_log: &[f64]) -> Result<(), JobError> {
        let Some(estimated) = &self.estimated else { return Ok(()) };
        let (expected, got) = (of_log.len(), estimated.propensities().len());
        if got != expected {
            return Err(JobError::Length { column: "the estimated propensities", expected, got });
        }
        let pairs = of_log.iter().zip(estimated.propensities()).enumerate();
        match pairs.into_iter().find(|(_, (own, estimated))| own != estimated) {
            Some((row, (in_log, estimated))) => {
                Err(JobError::OtherPropensities { row, in_log: *in_log, estimated: *estimated })
            }
            None => Ok(()),
        }
    }

    fn settings(&self) -> Result<EstimatorSettings, JobError> {
        let settings = EstimatorSettings::default().clipped_at(self.clip)?.switched_at(self.clip)?;
        Ok(settings)
    }

    fn judge_one(
        &self,
        log: &Log,
        observed: &Observed,
        tuning: Option<Tuning>,
        circumstances: &Circumstances<'_>,
    ) -> Result<Judgement, JobError> {
        let settings = self.settings()?;
        let range = self.reward_range(log, circumstances);
        let ends = [range.lower, range.upper];
        check_range(log.rewards(), ends)?;
        let found = evaluation(observed, settings)?;
        let refits = self.refits(observed, settings)?;
        let bootstrap = Bootstrap::of(observed, settings, self.resampling(log.len()))?;
        let mut estimates = Vec::new();
        for (estimator, estimate) in found.estimates() {
            let interval = match bootstrap.interval(estimator, self.delta)? {
                Some(interval) => interval,
                None => no_interval(estimate.value),
            };
            let values = refits.iter().filter_map(|refit| refit.estimate(estimator)).map(|e| e.value);
            estimates.push(self.widened(estimator, estimate, interval, deviation(values)?)?);
        }
        let mean = Moments::of(log.rewards())?.estimate()?;
        let interval = normal_interval(mean, self.delta)?.unwrap_or(no_interval(mean.value));
        let logged = self.widened(Estimator::Ips, mean, interval, 0.0)?;
        let source = self.source();
        let bounds = if log.len() >= 2 && range.upper > range.lower {
            let bounds = bound::bounds(&observed.rows, ends, self.delta, tuning)?;
            let values = refits.iter().map(|refit| refit.ips.value);
            let (difference, spread) = (found.ips.value - mean.value, deviation(values)?);
            let z = normal_interval(Estimate { value: 0.0, standard_error: Some(1.0) }, 2.0 * self.delta)?;
            let widen = |bound: Bound| {
                let reach = (difference - bound.lower).hypot(z.map_or(0.0, |z| z.upper) * spread);
                let lower = if spread > 0.0 { bound.lower.min(difference - reach) } else { bound.lower };
                let propensities = bound.lower - lower;
                let terms = bound.terms.map(|terms| BoundTerms { propensities, ..terms });
                Bound { lower, terms, ..bound }
            };
            Some(bounds.map(widen))
        } else {
            None
        };
        let caveats = [
            (source == PropensitySource::Estimated, Caveat::EstimatedPropensities),
            (range.source == RangeSource::JudgedRows, Caveat::RangeOfJudgedRows),
            (circumstances.are_grouped, Caveat::GroupedRows),
        ];
        let caveats: Vec<Caveat> = caveats.into_iter().filter(|(is, _)| *is).map(|(_, it)| it).collect();
        let mut hard = verdict::hard_reasons(log, observed, &found.support, source)?;
        if self.is_own_log {
            hard.insert(0, Reason::OwnLog);
        }
        if circumstances.times > 1 {
            hard.push(Reason::CopiedRows { times: circumstances.times });
        }
        let first_bound = bounds.as_ref().map(|bounds| &bounds[0]);
        let verdict = verdict::verdict(log, observed, &found.support, hard, first_bound, caveats.is_empty());
        let headline = [Estimator::Dr, Estimator::Snips, Estimator::Ips];
        let has = |estimator: &Estimator| found.estimate(*estimator).is_some();
        Ok(Judgement {
            rows: found.support.rows,
            judged: circumstances.judged,
            delta: self.delta,
            logged,
            estimates,
            headline: headline.into_iter().find(has).unwrap_or(Estimator::Ips),
            bounds,
            range,
            propensities: source,
            support: found.support,
            warnings: found.warnings_within(ends),
            caveats,
            verdict,
        })
    }

    fn source(&self) -> PropensitySource {
        if self.estimated.is_some() { PropensitySource::Estimated } else { PropensitySource::Logged }
    }

    /// Fewer replicates of a log of many rows, at least 200.
    fn resampling(&self, rows: usize) -> Resampling {
        let replicates = u32::try_from(100_000_000 / rows.max(1)).unwrap_or(u32::MAX).clamp(200, 999);
        let least = (2.0 / self.delta).ceil().min(1_048_576.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^20")]
        let least = least as u32;
        Resampling { replicates: replicates.max(least), seed: self.seed }
    }

    /// Refuses rewards outside the range that the caller states, of all rows before any training.
    pub(crate) fn check_rewards(&self, rewards: &[f64]) -> Result<(), JobError> {
        self.range.map_or(Ok(()), |range| check_range(rewards, range))
    }

    /// The estimates by the propensities of every refit; none with logged ones.
    fn refits(
        &self,
        observed: &Observed,
        settings: EstimatorSettings,
    ) -> Result<Vec<OffPolicyEvaluation>, JobError> {
        let refits = self.estimated.iter().flat_map(EstimatedPropensities::refits);
        refits.map(|p| evaluation(&observed.with_propensities(p), settings)).collect()
    }

    /// An interval with the spread of the refits added in quadrature on either side.
    fn widened(
        &self,
        estimator: Estimator,
        estimate: Estimate,
        interval: Interval,
        spread: f64,
    ) -> Result<ValueEstimate, JobError> {
        let value = estimate.value;
        let of_spread = normal_interval(Estimate { value: 0.0, standard_error: Some(spread) }, self.delta)?;
        let of_spread = of_spread.map_or(0.0, |interval| interval.upper);
        let (mut lower, mut upper) = (interval.lower, interval.upper);
        if spread > 0.0 {
            lower = value - (value - lower).hypot(of_spread);
            upper = value + (upper - value).hypot(of_spread);
        }
        let standard_error = estimate.standard_error.map(|error| error.hypot(spread));
        Ok(ValueEstimate { estimator, value, standard_error, lower, upper })
    }
}

/// Refuses rewards outside a range.
fn check_range(rewards: &[f64], [lower, upper]: [f64; 2]) -> Result<(), JobError> {
    match rewards.iter().enumerate().find(|(_, r)| !(lower..=upper).contains(*r)) {
        Some((row, value)) => {
            let (column, value) = ("reward", *value);
            Err(EstimateError::OutsideStated { row, column, value, lower, upper }.into())
        }
        None => Ok(()),
    }
}

/// Rows below which no model of rewards is fitted.
const LEAST_ROWS_OF_MODEL: usize = 50;

fn evaluation(observed: &Observed, settings: EstimatorSettings) -> Result<OffPolicyEvaluation, JobError> {
    let mut accumulator = Accumulator::new(settings, observed.has_model);
    observed.visit(|row| accumulator.observe(row))?;
    Ok(accumulator.finish()?)
}

/// Where too few replicates are defined.
fn no_interval(value: f64) -> Interval {
    Interval { lower: value, upper: value }
}

/// The standard deviation of the values of the refits; 0 for fewer than two.
fn deviation(values: impl Iterator<Item = f64>) -> Result<f64, JobError> {
    let values: Vec<f64> = values.collect();
    if values.len() < 2 {
        return Ok(0.0);
    }
    Ok(Moments::of(&values)?.variance()?.unwrap_or(0.0).sqrt())
}

/// δ of a confidence: 1 less it, without the rounding of that difference.
///
/// ```
/// assert_eq!(ocoboost::delta_of(0.95), 0.05);
/// assert!(1.0 - 0.95 > 0.05);
/// ```
#[must_use]
pub fn delta_of(confidence: f64) -> f64 {
    ((1.0 - confidence) * 1e12).round() / 1e12
}

impl JudgeJobBuilder {
    /// δ: 0.05 for intervals and bounds of 95%.
    pub fn delta(mut self, delta: f64) -> Self {
        self.job.delta = delta;
        self
    }

    /// The range that every reward lies in, known beforehand. A log with another reward is refused.
    pub fn reward_range(mut self, range: [f64; 2]) -> Self {
        self.job.range = Some(range);
        self
    }

    /// The propensities of the log are these estimates.
    pub fn estimated(mut self, estimated: EstimatedPropensities) -> Self {
        self.job.estimated = Some(estimated);
        self
    }

    /// Whether a model of rewards is fitted, for DM, DR and SWITCH-DR.
    pub fn reward_model(mut self, is_wanted: bool) -> Self {
        self.job.has_model = is_wanted;
        self
    }

    /// M of clipped IPS and τ of SWITCH-DR.
    pub fn clip(mut self, clip: f64) -> Self {
        self.job.clip = clip;
        self
    }

    /// Whether the policy was trained on these rows: then nothing is shown by them.
    pub fn own_log(mut self, is_own: bool) -> Self {
        self.job.is_own_log = is_own;
        self
    }

    /// The ranks that judge together. Each hands in a log of its own rows, which follow those of the ranks
    /// before; [estimated](Self::estimated) propensities and [tables](Target::Table) are of the same rows.
    /// Every rank gets the judgement that one process makes of all rows.
    pub fn ranks(mut self, ranks: Ranks) -> Self {
        self.job.ranks = ranks;
        self
    }

    /// The seed of the bootstrap and of the model of rewards.
    pub fn seed(mut self, seed: u64) -> Self {
        self.job.seed = seed;
        self
    }

    /// The job.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] for a δ outside [10⁻⁵, 0.5]; [`JobError::Estimate`] for a clip that is not
    /// positive, and for a range whose ends are not finite numbers in their order.
    pub fn build(self) -> Result<JudgeJob, JobError> {
        let job = self.job;
        if !(1e-5..=0.5).contains(&job.delta) {
            return Err(JobError::BadSetting { name: "delta", value: job.delta, domain: "[1e-5, 0.5]" });
        }
        job.settings()?;
        if let Some(range) = job.range {
            StatedRanges::new(range)?;
        }
        Ok(job)
    }
}
