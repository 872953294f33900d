//! Several policies on one log.

use super::observations::Observed;
use super::{Circumstances, JudgeJob, Judgement, Target, Verdict, deviation};
use crate::error::JobError;
use crate::numerals::thousands;
use crate::propensities::{EstimatedPropensities, Watch};
use off_policy::Log;
use off_policy::estimators::{Estimate, Moments, normal_interval};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// Several policies, judged on the same rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The judgements, in the order of the policies.
    pub judgements: Vec<Judgement>,
    /// The difference of every two policies.
    pub differences: Vec<Difference>,
    /// δ of all differences together: all intervals hold at once with probability about 1 − δ.
    pub delta: f64,
}

/// V(π_first) − V(π_second), estimated on the same rows: noise that both share cancels.
///
/// *How.* The mean of the differences of the two policies' terms: doubly robust ones with a model of rewards,
/// else those of SNIPS, w_i(r_i − V̂)/w̄. The interval is normal, at the level δ over the number of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// A place among the policies.
    pub first: usize,
    /// A later place.
    pub second: usize,
    /// The estimate.
    pub value: f64,
    /// Its standard error; `None` for one row.
    pub standard_error: Option<f64>,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// Whether the log can answer for both policies. The interval of a policy that it cannot answer for is
    /// too narrow, or about another mean: the terms of a few rows, or of wrong propensities.
    pub is_answered: bool,
}

impl Difference {
    /// Whether the interval leaves 0 out, and the log can answer for both policies.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.is_answered && (self.lower > 0.0 || self.upper < 0.0)
    }
}

impl Comparison {
    /// The place of the policy that no other one has a larger value than, by the differences, among those
    /// that the log can answer for; among all where it can answer for none.
    #[must_use]
    pub fn best(&self) -> usize {
        let answers_for_none = !(0..self.judgements.len()).any(|k| self.answers_for(k));
        let is_beaten = |k: usize| {
            self.differences
                .iter()
                .filter(|d| answers_for_none || d.is_answered)
                .any(|d| (d.first == k && d.value < 0.0) || (d.second == k && d.value > 0.0))
        };
        let mut places = (0..self.judgements.len()).filter(|k| answers_for_none || self.answers_for(*k));
        places.find(|k| !is_beaten(*k)).unwrap_or_default()
    }

    fn answers_for(&self, k: usize) -> bool {
        self.judgements.get(k).is_some_and(answers)
    }

    /// The outcome in a sentence, by the names of the policies.
    #[must_use]
    pub fn sentence(&self, names: &[&str]) -> String {
        let name =
            |k: usize| names.get(k).copied().map_or_else(|| format!("policy {}", k + 1), str::to_owned);
        let best = self.best();
        let rows = thousands(self.judgements.first().map_or(0, |judgement| judgement.rows));
        let (answered, unanswered): (Vec<usize>, Vec<usize>) =
            (0..self.judgements.len()).partition(|k| self.answers_for(*k));
        let unanswered = listed(&unanswered.into_iter().map(name).collect::<Vec<_>>());
        if answered.is_empty() {
            return format!("On {rows} rows the log can answer for none of {unanswered}.");
        }
        let of_best =
            self.differences.iter().filter(|d| d.is_answered && (d.first == best || d.second == best));
        let (beaten, others): (Vec<&Difference>, Vec<_>) = of_best.partition(|d| d.is_shown());
        let [beaten, others] = [beaten, others].map(|differences| {
            let other = |d: &&Difference| name(if d.first == best { d.second } else { d.first });
            differences.iter().map(other).collect::<Vec<_>>()
        });
        let best = name(best);
        if answered.len() == 1 {
            return format!("On {rows} rows the log can answer for {best} alone, and not for {unanswered}.");
        }
        let mut text = match (beaten.len(), others.len()) {
            (0, _) => format!("On {rows} rows {best} earns most, but no difference is shown."),
            (_, 0) if unanswered.is_empty() => format!("On {rows} rows {best} earns more than all others."),
            (_, 0) => format!("On {rows} rows {best} earns more than {}.", listed(&beaten)),
            _ => format!(
                "On {rows} rows {best} earns most: more than {}, but it is not shown to earn more than {}.",
                listed(&beaten),
                listed(&others)
            ),
        };
        if !unanswered.is_empty() {
            let _ = write!(text, " The log cannot answer for {unanswered}.");
        }
        text
    }
}

/// Whether the log can answer for the policy of a judgement.
fn answers(judgement: &Judgement) -> bool {
    !matches!(judgement.verdict, Verdict::CannotAnswer(_))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

impl JudgeJob {
    /// The judgements of several policies on one log, and their differences.
    ///
    /// ```
    /// use ocoboost::{JudgeJob, Target};
    /// use off_policy::{Log, Rewards, policies::{Argmax, Tabular}};
    /// let contexts = rows::RowMatrix::dense(1, vec![0.0; 400])?;
    /// let actions = (0..400).map(|i| i % 2).collect();
    /// let rewards = Rewards((0..400).map(|i| f64::from(i % 2)).collect());
    /// let log = Log::new(contexts, 2, actions, vec![0.5; 400], rewards)?;
    /// let [first, second] = [[1.0, 0.0], [0.0, 1.0]].map(|s| Tabular::new(1, s.to_vec()).map(Argmax::new));
    /// let (first, second) = (first?, second?);
    /// let job = JudgeJob::builder().build()?;
    /// let found = job.compare(&log, &[Target::Policy(&first), Target::Policy(&second), Target::Logged])?;
    /// assert_eq!(found.best(), 1);
    /// assert!(found.differences.iter().all(|difference| difference.is_shown()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JobError::TooFewPolicies`]; as [`evaluate`](Self::evaluate).
    pub fn compare(&self, log: &Log, targets: &[Target<'_>]) -> Result<Comparison, JobError> {
        self.compare_watched(log, targets, &mut || ControlFlow::Continue(()))
    }

    /// The same, with a watcher that is asked after every tree of the models of rewards whether to go on.
    ///
    /// # Errors
    /// As [`compare`](Self::compare); [`JobError::Interrupted`] where `watch` said `Break`.
    pub fn compare_watched(
        &self,
        log: &Log,
        targets: &[Target<'_>],
        watch: Watch<'_>,
    ) -> Result<Comparison, JobError> {
        if targets.len() < 2 {
            return Err(JobError::TooFewPolicies { policies: targets.len() });
        }
        let observed = self.observe(log, targets, watch)?;
        self.of_all_ranks()?.compare_observed(&*self.decisions(log, None)?, &observed)
    }

    /// The same of rows that are known already.
    pub(crate) fn compare_observations(
        &self,
        log: &Log,
        observed: &[Observed],
    ) -> Result<Comparison, JobError> {
        if observed.len() < 2 {
            return Err(JobError::TooFewPolicies { policies: observed.len() });
        }
        self.check_propensities(log.propensities())?;
        self.compare_observed(log, observed)
    }

    fn compare_observed(&self, log: &Log, observed: &[Observed]) -> Result<Comparison, JobError> {
        let judge = |observed: &Observed| self.judge_one(log, observed, None, &Circumstances::GIVEN);
        let judgements = observed.iter().map(judge).collect::<Result<Vec<_>, _>>()?;
        let k = observed.len();
        let delta = self.delta / (k * (k - 1) / 2) as f64;
        let mut differences = Vec::new();
        for first in 0..k {
            for second in first + 1..k {
                let found = difference(&observed[first], &observed[second])?;
                let mut of_refits = Vec::new();
                for p in self.estimated.iter().flat_map(EstimatedPropensities::refits) {
                    let refit = |k: usize| observed[k].with_propensities(p);
                    of_refits.push(difference(&refit(first), &refit(second))?.value);
                }
                let spread = deviation(of_refits.into_iter())?;
                let standard_error = found.standard_error.map(|error| error.hypot(spread));
                let value = found.value;
                let interval = normal_interval(Estimate { value, standard_error }, delta)?;
                let (lower, upper) = interval.map_or((f64::MIN, f64::MAX), |i| (i.lower, i.upper));
                let is_answered = answers(&judgements[first]) && answers(&judgements[second]);
                differences.push(Difference {
                    first,
                    second,
                    value,
                    standard_error,
                    lower,
                    upper,
                    is_answered,
                });
            }
        }
        Ok(Comparison { judgements, differences, delta: self.delta })
    }
}

/// The mean of the differences of the terms.
fn difference(first: &Observed, second: &Observed) -> Result<Estimate, JobError> {
    let (a, b) = (first.terms()?, second.terms()?);
    let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
    Ok(Moments::of(&differences)?.estimate()?)
}
