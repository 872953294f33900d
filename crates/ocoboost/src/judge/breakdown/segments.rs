//! The reward by segment.

use super::BreakdownSettings;
use crate::error::JobError;
use crate::judge::observations::{Observed, terms, weights};
use crate::judge::verdict::{FEW, reward_of_nothing};
use crate::judge::{JudgeJob, deviation};
use crate::propensities::EstimatedPropensities;
use off_policy::dates::date_of_days;
use off_policy::estimators::{Estimate, Moments, Observation, normal_interval};
use off_policy::{ContextColumn, Log};
use serde::Serialize;
use std::collections::BTreeMap;

/// The reward of the log, and the policy's, in parts of the rows.
///
/// *Many comparisons.* The intervals of means hold one by one with probability about 1 − δ: of many, some are
/// wrong. Those of the changes hold all at once, each at the level δ over their number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Segments {
    /// The columns.
    pub columns: Vec<SegmentedColumn>,
    /// The number of columns that are left out.
    pub others: usize,
    /// How many segments have an estimate of the policy.
    pub compared: usize,
}

/// One column: its segments hold every row once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SegmentedColumn {
    /// The name; x0, x1, … where columns have none.
    pub column: String,
    /// Labels, the commonest first, or bins in their order.
    pub segments: Vec<Segment>,
}

/// Rows with this in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Segment {
    /// What it is.
    pub part: Part,
    /// How many.
    pub rows: u64,
    /// The effective sample size of the policy's weights, (Σw)²/Σw².
    pub effective_rows: f64,
    /// The mean reward of the log.
    pub logged: SegmentMean,
    /// The value of the policy: the mean of doubly robust terms with a model of rewards, else SNIPS within
    /// the segment. `None` for the logging policy, and where the effective rows, or those in which the policy
    /// may do what the log did and something was earned, are fewer than 30.
    pub policy: Option<SegmentMean>,
    /// The policy's value less the log's mean reward, on the same rows.
    pub change: Option<SegmentMean>,
}

/// A mean with a normal interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SegmentMean {
    /// The mean.
    pub value: f64,
    /// The ends; `None` where fewer than 30 rows earned something.
    pub interval: Option<[f64; 2]>,
}

/// What rows of a segment have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A label.
    Label(String),
    /// So many labels, each rarer than those that are shown.
    OtherLabels(usize),
    /// No label that the log's coding knows.
    NoLabel,
    /// Numbers from the first to the second, both of which occur.
    Numbers(f64, f64),
    /// Dates in the same way, in days since 1970.
    Dates(f64, f64),
    /// No number.
    Missing,
}

impl Part {
    /// The part in words: `phone`, `18 to 30`, `3 other labels`.
    #[must_use]
    pub fn words(&self) -> String {
        let date = |days: f64| date_of_days(days).unwrap_or_else(|| short(days));
        match self {
            Self::Label(label) if label.is_empty() => "(empty)".to_owned(),
            Self::Label(label) => label.clone(),
            Self::OtherLabels(1) => "1 other label".to_owned(),
            Self::OtherLabels(count) => format!("{count} other labels"),
            Self::NoLabel => "no known label".to_owned(),
            Self::Numbers(from, to) => range(&short(*from), &short(*to)),
            Self::Dates(from, to) => range(&date(*from), &date(*to)),
            Self::Missing => "missing".to_owned(),
        }
    }
}

fn range(from: &str, to: &str) -> String {
    if from == to { from.to_owned() } else { format!("{from} to {to}") }
}

/// Six significant digits.
fn short(number: f64) -> String {
    let rounded = format!("{number:.5e}").parse().unwrap_or(number) + 0.0;
    if rounded != 0.0 && !(1e-6..1e12).contains(&rounded.abs()) {
        return format!("{rounded:e}");
    }
    rounded.to_string()
}

/// A column and its coordinates.
struct Coordinates<'a> {
    name: String,
    first: usize,
    column: Option<&'a ContextColumn>,
}

/// A part, and its rows.
type Group = (Part, Vec<usize>);

impl Segments {
    pub(super) fn of(
        log: &Log,
        is_policy: bool,
        observed: &Observed,
        job: &JudgeJob,
        settings: &BreakdownSettings,
    ) -> Result<Self, JobError> {
        let all = coordinates(log);
        let mut order: Vec<usize> = Vec::new();
        for column in settings.columns_first.iter().copied().chain(0..all.len()) {
            if order.len() < settings.most_columns && column < all.len() && !order.contains(&column) {
                order.push(column);
            }
        }
        let others = all.len() - order.len();
        let mut columns = Vec::new();
        let mut groups: Vec<(usize, Group)> = Vec::new();
        for column in order {
            let name = all[column].name.clone();
            groups.extend(
                groups_of(log, &all[column], settings).into_iter().map(|group| (columns.len(), group)),
            );
            columns.push(SegmentedColumn { column: name, segments: Vec::new() });
        }
        let nothing = reward_of_nothing(log);
        let mut estimated = Vec::with_capacity(groups.len());
        for (_, (_, rows)) in &groups {
            let own: Vec<Observation> = rows.iter().map(|row| observed.rows[*row]).collect();
            let effective = effective_rows(&own)?;
            let rewarded =
                own.iter().filter(|seen| seen.target > 0.0 && Some(seen.reward) != nothing).count();
            let is_enough = is_policy && effective >= FEW as f64 && rewarded as u64 >= FEW;
            let means = if is_enough { Some(means(&own, observed.has_model)?) } else { None };
            estimated.push((effective, means));
        }
        let spreads = spreads(&groups, &estimated, observed, job)?;
        let compared = estimated.iter().filter(|(_, means)| means.is_some()).count();
        let joint = job.delta / compared.max(1) as f64;
        for (((column, (part, rows)), (effective_rows, means)), spread) in
            groups.into_iter().zip(estimated).zip(spreads)
        {
            let rewards: Vec<f64> = rows.iter().map(|row| log.rewards()[*row]).collect();
            let rewarded = rewards.iter().filter(|reward| Some(**reward) != nothing).count() as u64;
            let with = |(estimate, spread): (Estimate, f64), delta: f64| -> Result<SegmentMean, JobError> {
                let value = estimate.value;
                let standard_error = estimate.standard_error.map(|error| error.hypot(spread));
                let interval = normal_interval(Estimate { value, standard_error }, delta)?;
                let interval = interval.filter(|_| rewarded >= FEW);
                Ok(SegmentMean { value, interval: interval.map(|ends| [ends.lower, ends.upper]) })
            };
            let logged = with((Moments::of(&rewards)?.estimate()?, 0.0), job.delta)?;
            let policy = means.map(|means| with((means[0], spread), job.delta)).transpose()?;
            let change = means.map(|means| with((means[1], spread), joint)).transpose()?;
            let rows = rows.len() as u64;
            columns[column].segments.push(Segment { part, rows, effective_rows, logged, policy, change });
        }
        Ok(Self { columns, others, compared })
    }
}

/// The means of the terms, and of the terms less the rewards.
fn means(rows: &[Observation], has_model: bool) -> Result<[Estimate; 2], JobError> {
    let terms = terms(rows, has_model)?;
    let differences: Vec<f64> = terms.iter().zip(rows).map(|(term, seen)| term - seen.reward).collect();
    Ok([Moments::of(&terms)?.estimate()?, Moments::of(&differences)?.estimate()?])
}

fn effective_rows(rows: &[Observation]) -> Result<f64, JobError> {
    let weights = weights(rows)?;
    let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
    Ok(if squares > 0.0 { sum / squares * sum } else { 0.0 })
}

/// How far the values of the refits of estimated propensities are from each other; 0 with logged ones.
fn spreads(
    groups: &[(usize, Group)],
    estimated: &[(f64, Option<[Estimate; 2]>)],
    observed: &Observed,
    job: &JudgeJob,
) -> Result<Vec<f64>, JobError> {
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); groups.len()];
    for p in job.estimated.iter().flat_map(EstimatedPropensities::refits) {
        for (((_, (_, rows)), (_, means_of)), values) in groups.iter().zip(estimated).zip(&mut values) {
            if means_of.is_some() {
                let seen = |row: &usize| Observation { propensity: p[*row], ..observed.rows[*row] };
                let own: Vec<Observation> = rows.iter().map(seen).collect();
                values.push(means(&own, observed.has_model)?[0].value);
            }
        }
    }
    values.into_iter().map(|values| deviation(values.into_iter())).collect()
}

/// The columns of a log; its coordinates where it has no schema.
fn coordinates(log: &Log) -> Vec<Coordinates<'_>> {
    let Some(schema) = log.schema() else {
        let bare = |first: usize| Coordinates { name: format!("x{first}"), first, column: None };
        return (0..log.inputs()).map(bare).collect();
    };
    let mut first = 0;
    let mut all = Vec::with_capacity(schema.contexts().len());
    for column in schema.contexts() {
        all.push(Coordinates { name: column.name().to_owned(), first, column: Some(column) });
        first += column.width();
    }
    all
}

fn groups_of(log: &Log, of: &Coordinates<'_>, settings: &BreakdownSettings) -> Vec<Group> {
    match of.column {
        Some(ContextColumn::Labels { labels, .. }) => by_label(log, of.first, labels, settings.most_labels),
        column => {
            let may_be_missing = column.is_some_and(ContextColumn::may_be_missing);
            let is_date = column.is_some_and(ContextColumn::is_date);
            by_number(log, of.first, may_be_missing, is_date, settings.most_bins)
        }
    }
}

fn by_label(log: &Log, first: usize, labels: &[String], most: usize) -> Vec<Group> {
    let mut groups: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (row, x) in log.contexts().iter().enumerate() {
        let mut label = None;
        x.for_each(|j, value| {
            if value != 0.0 && (first..first + labels.len()).contains(&j) {
                label = Some(j - first);
            }
        });
        groups.entry(label).or_default().push(row);
    }
    let none = groups.remove(&None);
    let mut known: Vec<(usize, Vec<usize>)> =
        groups.into_iter().filter_map(|(label, rows)| Some((label?, rows))).collect();
    known.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
    let others = known.split_off(most.min(known.len()));
    let mut all: Vec<Group> =
        known.into_iter().map(|(label, rows)| (Part::Label(labels[label].clone()), rows)).collect();
    if !others.is_empty() {
        let count = others.len();
        let mut rows: Vec<usize> = others.into_iter().flat_map(|(_, rows)| rows).collect();
        rows.sort_unstable();
        all.push((Part::OtherLabels(count), rows));
    }
    all.extend(none.map(|rows| (Part::NoLabel, rows)));
    all
}

fn by_number(log: &Log, j: usize, may_be_missing: bool, is_date: bool, most: usize) -> Vec<Group> {
    let (mut known, mut missing) = (Vec::new(), Vec::new());
    for (row, x) in log.contexts().iter().enumerate() {
        if may_be_missing && x.get(j + 1).is_some_and(|is| is != 0.0) {
            missing.push(row);
        } else {
            known.push((x.get(j).unwrap_or_default() + 0.0, row));
        }
    }
    known.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut groups: Vec<Group> = Vec::new();
    for values in bins(&known, most) {
        let (from, to) = (values[0].0, values[values.len() - 1].0);
        let part = if is_date { Part::Dates(from, to) } else { Part::Numbers(from, to) };
        let mut rows: Vec<usize> = values.iter().map(|(_, row)| *row).collect();
        rows.sort_unstable();
        groups.push((part, rows));
    }
    if !missing.is_empty() {
        groups.push((Part::Missing, missing));
    }
    groups
}

/// Sorted values in bins of about as many rows each; equal values are in one bin.
fn bins(values: &[(f64, usize)], most: usize) -> Vec<&[(f64, usize)]> {
    let runs: Vec<&[(f64, usize)]> = values.chunk_by(|a, b| a.0 == b.0).collect();
    if runs.len() <= most {
        return runs;
    }
    let (mut bins, mut from, mut at) = (Vec::new(), 0, 0);
    for run in runs {
        let end = at + run.len();
        let left = most.saturating_sub(bins.len());
        // A bin ends with the run that is the first to fill it.
        let wanted = (values.len() - from).div_ceil(left.max(1));
        if left > 1 && end - from >= wanted {
            bins.push(&values[from..end]);
            from = end;
        }
        at = end;
    }
    if from < values.len() {
        bins.push(&values[from..]);
    }
    bins
}
