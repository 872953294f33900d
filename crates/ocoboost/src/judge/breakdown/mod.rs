//! What lies behind a judgement.

mod changes;
mod segments;
#[cfg(test)]
mod tests;
mod weights;

pub use changes::{ActionChange, Changes};
pub use segments::{Part, Segment, SegmentMean, SegmentedColumn, Segments};
pub use weights::{Bin, LargeWeight, WeightsOfRows};

use super::observations::Observed;
use super::{Circumstances, JudgeJob, JudgedRows, Judgement, Target};
use crate::error::JobError;
use crate::of_ranks::doubles;
use off_policy::Log;
use serde::Serialize;
use std::ops::ControlFlow;

/// What lies behind a judgement: the weights, the reward by segment, and what the policy does otherwise than
/// the log did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Breakdown {
    /// How weights and propensities are spread.
    pub weights: WeightsOfRows,
    /// The reward by levels and quantiles of columns.
    pub segments: Segments,
    /// The actions of the policy against those of the log; `None` for the logging policy, and where actions
    /// are not the same from row to row.
    pub changes: Option<Changes>,
}

/// How much a [`Breakdown`] shows. What is beyond is counted together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakdownSettings {
    /// Columns that come first, by their places in the schema; then the others in their order.
    pub columns_first: Vec<usize>,
    /// The most columns.
    pub most_columns: usize,
    /// The most labels of a column, the commonest ones.
    pub most_labels: usize,
    /// The most quantile bins of a column of numbers, at least 1.
    pub most_bins: usize,
    /// The most actions, those with the largest shares.
    pub most_actions: usize,
}

impl Default for BreakdownSettings {
    /// 12 columns of 8 labels or 5 bins, and 10 actions.
    fn default() -> Self {
        Self { columns_first: Vec::new(), most_columns: 12, most_labels: 8, most_bins: 5, most_actions: 10 }
    }
}

impl JudgeJob {
    /// The judgement of [`evaluate`](Self::evaluate), and what lies behind it.
    ///
    /// *Cost:* that of `evaluate`, a pass over the rows a column, and one or two more of the policy. Of
    /// several ranks each gets all rows, contexts included.
    ///
    /// ```
    /// use ocoboost::{BreakdownSettings, JudgeJob, Part, Target};
    /// use off_policy::{Log, Rewards, policies::{Argmax, Tabular}};
    /// // Two actions, played evenly. The second pays where x = 1, and nothing pays else.
    /// let contexts = rows::RowMatrix::dense(1, (0..400).map(|i| f64::from(i / 2 % 2)).collect())?;
    /// let actions = (0..400).map(|i| i % 2).collect();
    /// let rewards = Rewards((0..400).map(|i| f64::from(u8::from(i % 4 == 3))).collect());
    /// let log = Log::new(contexts, 2, actions, vec![0.5; 400], rewards)?;
    /// let second = Argmax::new(Tabular::new(1, vec![0.0, 1.0])?);
    /// let job = JudgeJob::builder().build()?;
    /// let target = Target::Policy(&second);
    /// let (judgement, found) = job.break_down(&log, target, &BreakdownSettings::default())?;
    /// assert_eq!(judgement, job.evaluate(&log, target)?);
    /// let [zero, one] = &found.segments.columns[0].segments[..] else { return Err("two segments".into()) };
    /// assert_eq!((one.part.words(), one.rows, one.logged.value), ("1".to_owned(), 200, 0.5));
    /// assert!(one.change.is_some_and(|change| (change.value - 0.5).abs() < 0.1));
    /// // Without rewards there is nothing to estimate from.
    /// assert!(zero.change.is_none());
    /// assert_eq!(found.changes.map(|changes| changes.agreement), Some(0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn break_down(
        &self,
        log: &Log,
        target: Target<'_>,
        settings: &BreakdownSettings,
    ) -> Result<(Judgement, Breakdown), JobError> {
        if self.ranks.are_several() {
            let all = log.gathered(&(0..log.len()).collect::<Vec<_>>(), &self.ranks)?;
            let table: Vec<f64>;
            let target = match target {
                Target::Table(own) => {
                    table = doubles(&self.ranks, own)?;
                    Target::Table(&table)
                }
                target => target,
            };
            return self.of_all_ranks()?.break_down(&all, target, settings);
        }
        let observed = self.observe(log, &[target], &mut || ControlFlow::Continue(()))?;
        let circumstances = Circumstances {
            judged: JudgedRows::Given,
            other_range: None,
            tuning_rows: None,
            model: None,
            are_grouped: false,
            times: 1,
        };
        let judgement = self.judge_one(log, &observed[0], None, &circumstances)?;
        let weights = WeightsOfRows::of(&observed[0].rows)?;
        let is_policy = !matches!(target, Target::Logged);
        let segments = Segments::of(log, is_policy, &observed[0], self, settings)?;
        let changes = match target {
            Target::Policy(policy) => Some(Changes::of(log, policy, settings.most_actions)?),
            Target::Logged | Target::Table(_) => None,
        };
        Ok((judgement, Breakdown { weights, segments, changes }))
    }

    /// What lies behind a judgement of rows that are known already, but for the actions.
    pub(crate) fn break_down_rows(
        &self,
        log: &Log,
        observed: &Observed,
        settings: &BreakdownSettings,
    ) -> Result<Breakdown, JobError> {
        let weights = WeightsOfRows::of(&observed.rows)?;
        let segments = Segments::of(log, !observed.is_logged, observed, self, settings)?;
        Ok(Breakdown { weights, segments, changes: None })
    }
}
