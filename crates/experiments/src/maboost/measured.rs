//! The trials of one part over one learner on one set, as tables, figures and the record read them.

use super::history::{History, Snapshot};
use super::methods::Learner;
use super::parts::Part;
use super::{Outcome, Point};
use datasets::Name;
use report::paired::Interval;
use report::record::Provenance;
use std::sync::Arc;

/// A number of the end of a history.
pub(super) type Read = fn(&History, &Snapshot) -> Option<f64>;
/// The numbers of the end of a history that the record keeps.
pub(super) const ENDS: [(&str, Read); 12] = [
    ("training error", |_, end| Some(end.error)),
    ("bound", |_, end| Some(end.bound)),
    ("sharper bound", |_, end| end.tight),
    ("test error", |_, end| Some(end.test)),
    ("least margin", |_, end| Some(end.margin)),
    ("bound on the margin", |_, end| end.margin_bound),
    ("sum of squared edges", |_, end| Some(end.squares)),
    ("rounds", |_, end| Some(f64::from(end.round))),
    ("share of zero weights", |_, end| Some(end.zeros)),
    ("share of weights at the cap", |_, end| Some(end.capped)),
    ("share of rows used", |_, end| Some(end.used / f64::from(end.round))),
    ("rounds above a bound", |history, _| Some(f64::from(history.broken))),
];

/// The trials of one part over one learner on one set: the time and the numbers of each.
pub(super) struct Measured {
    pub(super) part: Part,
    pub(super) set: Name,
    pub(super) learner: Learner,
    pub(super) provenance: Provenance,
    pub(super) trials: Vec<Arc<(f64, Outcome)>>,
}

impl Measured {
    /// The set and the learner.
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.set, self.learner)
    }

    /// The history of a method in each trial.
    pub(super) fn histories(&self, method: &str) -> impl Iterator<Item = &History> {
        let of = |trial: &'_ (f64, Outcome)| matches!(trial.1, Outcome::Histories(_));
        self.trials.iter().filter(move |trial| of(trial)).filter_map(move |trial| match &trial.1 {
            Outcome::Histories(histories) => histories.iter().find(|history| history.method == method),
            Outcome::Points(_) => None,
        })
    }

    /// The rounds kept in at least one trial of a method, increasing.
    pub(super) fn rounds(&self, method: &str) -> Vec<u32> {
        let snapshots = self.histories(method).flat_map(|history| &history.snapshots);
        snapshots
            .map(|snapshot| snapshot.round)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// A number of a method after a round; a stopped trial counts with its last value.
    pub(super) fn at(
        &self,
        method: &str,
        round: u32,
        read: fn(&Snapshot) -> Option<f64>,
    ) -> Option<Interval> {
        let found = self.histories(method).filter_map(|history| read(history.at(round)?));
        Interval::of(&found.collect::<Vec<_>>())
    }

    /// A number of the end of a method's histories, by its name.
    pub(super) fn end(&self, method: &str, metric: &str) -> Option<Interval> {
        let (_, read) = ENDS.iter().find(|(name, _)| *name == metric)?;
        let found = self.histories(method).filter_map(|history| read(history, history.last()?));
        Interval::of(&found.collect::<Vec<_>>())
    }

    /// The distribution of margins after this round, if a trial reached it, or after the last round: the mean
    /// over the trials. A stopped trial counts with its last distribution.
    pub(super) fn margins(&self, method: &str, after: Option<u32>) -> Option<Vec<f64>> {
        let mut sum: Vec<f64> = Vec::new();
        let mut trials = 0.0;
        let round = after.unwrap_or(u32::MAX);
        if after.is_some_and(|round| {
            self.histories(method).all(|history| history.last().is_none_or(|end| end.round < round))
        }) {
            return None;
        }
        for history in self.histories(method) {
            let Some(found) = history.margins.iter().rfind(|(kept, _)| *kept <= round) else { continue };
            sum.resize(found.1.len(), 0.0);
            sum.iter_mut().zip(&found.1).for_each(|(sum, share)| *sum += share);
            trials += 1.0;
        }
        (trials > 0.0).then(|| sum.into_iter().map(|sum| sum / trials).collect())
    }

    /// The treatments of the labels, in the order of the first trial.
    pub(super) fn cases(&self) -> Vec<(&str, f64)> {
        let mut cases: Vec<(&str, f64)> = Vec::new();
        for point in self.points(0) {
            if cases.iter().all(|(case, _)| *case != point.case) {
                cases.push((&point.case, point.x));
            }
        }
        cases
    }

    pub(super) fn points(&self, trial: usize) -> &[Point] {
        match self.trials.get(trial).map(|kept| &kept.1) {
            Some(Outcome::Points(points)) => points,
            _ => &[],
        }
    }

    /// One number per trial.
    pub(super) fn values(&self, case: &str, method: &str, metric: &str, x: f64) -> Vec<f64> {
        let of = |point: &&Point| {
            point.case == case
                && point.method == method
                && point.metric == metric
                && point.x.total_cmp(&x).is_eq()
        };
        (0..self.trials.len())
            .filter_map(|trial| self.points(trial).iter().find(of))
            .map(|point| point.value)
            .collect()
    }
}

/// The sets and learners of a part.
pub(super) fn of_part(measured: &[Measured], part: Part) -> impl Iterator<Item = &Measured> {
    measured.iter().filter(move |one| one.part == part)
}
