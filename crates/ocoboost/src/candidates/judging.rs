//! Policies over candidates, judged and compared on a log.

use crate::error::JobError;
use crate::judge::{
    Breakdown, BreakdownSettings, Circumstances, Comparison, JudgeJob, JudgedObservations, JudgedRows,
    Judgement,
};
use boosters::bopl::CandidateEnsemble;
use off_policy::candidates::{CandidateLog, CandidatePolicy, OnCandidates};
use off_policy::estimators::{Observation, Observations};
use off_policy::{ActionNames, ActionSets, ContextColumn, Log, Rewards, Schema};
use rows::RowMatrix;

/// A policy on the choices of a log, as a judgement needs it: the probability of what was logged, for every
/// choice. Policies that are compared may have read the log by columns of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateRows {
    rows: Vec<Observation>,
    is_policy: bool,
}

impl CandidateRows {
    /// Of a policy.
    ///
    /// # Errors
    /// [`JobError::Estimate`] for a policy of other columns.
    pub fn of(log: &CandidateLog, policy: &impl CandidatePolicy) -> Result<Self, JobError> {
        Ok(Self { rows: observations(log, policy, None)?, is_policy: true })
    }

    fn observed(&self) -> JudgedObservations {
        JudgedObservations { rows: self.rows.clone(), has_model: false, is_logged: !self.is_policy }
    }

    /// Of the policy that wrote the log, whose weights are 1.
    #[must_use]
    pub fn of_logging_policy(log: &CandidateLog) -> Self {
        let row = |(p, r): (&f64, &f64)| Observation {
            target: *p,
            propensity: *p,
            reward: *r,
            direct: 0.0,
            predicted: 0.0,
        };
        let rows = log.propensities().iter().zip(log.rewards()).map(row).collect();
        Self { rows, is_policy: false }
    }

    /// Refuses rows of another log.
    fn check(&self, log: &CandidateLog) -> Result<(), JobError> {
        let (expected, got) = (log.len(), self.rows.len());
        if got != expected {
            return Err(JobError::Length { column: "a policy", expected, got });
        }
        let of_log = log.propensities().iter().zip(log.rewards());
        let is_other =
            |(seen, (p, r)): (&Observation, (&f64, &f64))| seen.propensity != *p || seen.reward != *r;
        match self.rows.iter().zip(of_log).position(is_other) {
            Some(row) => Err(JobError::OtherRows { row }),
            None => Ok(()),
        }
    }
}

impl JudgeJob {
    /// The judgement of a policy over candidates, by a log of choices that had no part in its training.
    /// Without a model of rewards there is no DM, DR and SWITCH-DR.
    ///
    /// # Errors
    /// [`JobError::Estimate`] for a policy of other columns, and for a reward outside the stated range.
    pub fn evaluate_candidates(
        &self,
        log: &CandidateLog,
        policy: &impl CandidatePolicy,
        model: Option<&CandidateEnsemble>,
    ) -> Result<Judgement, JobError> {
        let (rows, has_model) = (observations(log, policy, model)?, model.is_some());
        let observed = JudgedObservations { rows, has_model, is_logged: false };
        self.judge_observations(&with_numbered_actions(log)?, &observed, None, &given())
    }

    /// The same of rows that are known already, without a model of rewards.
    ///
    /// # Errors
    /// [`JobError::Length`] and [`JobError::OtherRows`] for those of another log; [`JobError::Estimate`] for
    /// a reward outside the stated range.
    pub fn evaluate_candidate_rows(
        &self,
        log: &CandidateLog,
        rows: &CandidateRows,
    ) -> Result<Judgement, JobError> {
        rows.check(log)?;
        self.judge_observations(&with_numbered_actions(log)?, &rows.observed(), None, &given())
    }

    /// The judgement, and what lies behind it: weights, and the reward by columns of the context. Candidates
    /// are not the same from row to row, so there is nothing on which ones a policy plays more often.
    ///
    /// # Errors
    /// As [`evaluate_candidate_rows`](Self::evaluate_candidate_rows).
    pub fn break_down_candidates(
        &self,
        log: &CandidateLog,
        rows: &CandidateRows,
        settings: &BreakdownSettings,
    ) -> Result<(Judgement, Breakdown), JobError> {
        rows.check(log)?;
        let numbered = with_numbered_actions(log)?;
        let judgement = self.judge_observations(&numbered, &rows.observed(), None, &given())?;
        let has_contexts = log.candidates().contexts().is_some();
        let settings = if has_contexts {
            settings.clone()
        } else {
            BreakdownSettings { most_columns: 0, ..settings.clone() }
        };
        let breakdown = self.break_down_rows(&numbered, &rows.observed(), &settings)?;
        Ok((judgement, breakdown))
    }

    /// The judgements of several policies on one log, and their differences.
    ///
    /// ```
    /// use ocoboost::{CandidateRows, JudgeJob};
    /// use off_policy::Rewards;
    /// use off_policy::candidates::{AmongCandidates, CandidateLog};
    /// use rows::{Candidates, RowMatrix};
    /// // Two prices on offer; the first of them sells.
    /// let prices = RowMatrix::dense(1, (0..400).map(|p| f64::from(p % 2)).collect())?;
    /// let candidates = Candidates::builder((0..=200).map(|i| 2 * i).collect()).features(prices).build()?;
    /// let chosen: Vec<u32> = (0..200).map(|i| i / 2 % 2).collect();
    /// let sold = chosen.iter().map(|place| f64::from(1 - place)).collect();
    /// let log = CandidateLog::new(candidates, chosen, vec![0.5; 200], Rewards(sold))?;
    /// let uniform = CandidateRows::of(&log, &AmongCandidates)?;
    /// let logged = CandidateRows::of_logging_policy(&log);
    /// let found = JudgeJob::builder().build()?.compare_candidates(&log, &[uniform, logged])?;
    /// assert_eq!((found.differences.len(), found.differences[0].value), (1, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JobError::TooFewPolicies`]; as [`evaluate_candidate_rows`](Self::evaluate_candidate_rows).
    pub fn compare_candidates(
        &self,
        log: &CandidateLog,
        policies: &[CandidateRows],
    ) -> Result<Comparison, JobError> {
        policies.iter().try_for_each(|rows| rows.check(log))?;
        let observed: Vec<_> = policies.iter().map(CandidateRows::observed).collect();
        self.compare_observations(&with_numbered_actions(log)?, &observed)
    }
}

/// A log that was handed in, and nothing else.
fn given() -> Circumstances<'static> {
    Circumstances {
        judged: JudgedRows::Given,
        other_range: None,
        tuning_rows: None,
        model: None,
        are_grouped: false,
        times: 1,
    }
}

/// The rows of a log as the estimators see them.
pub(super) fn observations(
    log: &CandidateLog,
    policy: &impl CandidatePolicy,
    model: Option<&CandidateEnsemble>,
) -> Result<Vec<Observation>, JobError> {
    let mut seen = OnCandidates::new(log, policy);
    if let Some(model) = model {
        seen = seen.with_model(model);
    }
    let mut rows = Vec::with_capacity(log.len());
    seen.visit(|row| {
        rows.push(*row);
        Ok(())
    })?;
    Ok(rows)
}

/// The log with its contexts and with numbers for its candidates, as a judgement asks for: what was on offer
/// and what was taken.
///
/// A place in a list means nothing, so the numbers of a choice are turned: what was taken of the j-th choice
/// among several is candidate j mod K. A log that takes one number in every row then had no other to take.
pub(super) fn with_numbered_actions(log: &CandidateLog) -> Result<Log, JobError> {
    let n = log.len();
    let counts: Vec<usize> = (0..n).map(|i| log.candidates().pairs_of(i).len()).collect();
    let most = counts.iter().copied().max().unwrap_or(1).max(2);
    let number = |v: usize| u32::try_from(v).unwrap_or(u32::MAX);
    let mut choices = 0;
    let mut turned = |count: &usize| {
        choices += usize::from(*count > 1);
        number(choices % count)
    };
    let chosen = counts.iter().map(&mut turned).collect();
    let contexts = match log.candidates().contexts() {
        Some(contexts) => contexts.clone(),
        None => RowMatrix::dense(1, vec![0.0; n]).map_err(weak_learners::LearnerError::from)?,
    };
    let rewards = Rewards(log.rewards().to_vec());
    let mut numbered = Log::new(contexts, most, chosen, log.propensities().to_vec(), rewards)?;
    if let Some(schema) = log.schema().filter(|schema| !schema.contexts.is_empty()) {
        let number = |name: &String| ContextColumn::Number { name: name.clone() };
        let columns = schema.contexts.iter().map(number).collect();
        numbered = numbered.with_schema(Schema::new(columns, ActionNames::Numbered(most))?)?;
    }
    let sets = counts.iter().map(|count| (0..number(*count)).collect::<Vec<u32>>());
    Ok(numbered.with_action_sets(ActionSets::new(most, sets)?)?)
}
