//! The numbers of one stream in one part, as tables, figures and the record read them.

use super::Point;
use super::methods::ALONE;
use super::parts::Part;
use super::streams::{LabelFlips, Source};
use report::paired::Interval;
use report::record::{Provenance, Trial};

/// The points of one stream in one part, trial by trial.
pub(super) struct Measured {
    pub(super) part: Part,
    pub(super) source: Source,
    pub(super) label_flips: LabelFlips,
    pub(super) provenance: Provenance,
    pub(super) trials: Vec<Vec<Point>>,
}

impl Measured {
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.source, self.label_flips)
    }

    /// Every number as a trial of the record.
    pub(super) fn recorded(&self, seed: u64) -> impl Iterator<Item = Trial> {
        let of_trial = move |(trial, points): (u64, &'_ Vec<Point>)| -> Vec<Trial> {
            let of_point = |point: &Point| Trial {
                dataset: self.name(),
                method: point.series.clone(),
                metric: self.part.metric(point.x),
                trial,
                seed,
                value: point.value,
                settings: serde_json::Value::Null,
                provenance: self.provenance,
            };
            points.iter().map(of_point).collect()
        };
        (0..).zip(&self.trials).flat_map(of_trial)
    }
}

impl Measured {
    /// The values of a series at x, one per trial.
    pub(super) fn values(&self, series: &str, x: u64) -> Vec<f64> {
        let of = |point: &&Point| point.series == series && point.x == x;
        self.trials.iter().filter_map(|points| points.iter().find(of)).map(|point| point.value).collect()
    }

    /// The mean of a series at x.
    pub(super) fn interval(&self, series: &str, x: u64) -> Option<Interval> {
        Interval::of(&self.values(series, x))
    }

    /// The series of the first trial, in its order.
    pub(super) fn series(&self) -> Vec<&str> {
        distinct(self.trials.iter().take(1).flatten().map(|point| point.series.as_str()))
    }

    /// The x values of the first trial, in its order.
    pub(super) fn places(&self) -> Vec<u64> {
        distinct(self.trials.iter().take(1).flatten().map(|point| point.x))
    }
}

/// The different items, in order of first appearance.
pub(super) fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    items.for_each(|item| {
        if !seen.contains(&item) {
            seen.push(item);
        }
    });
    seen
}

/// The streams of a part.
pub(super) fn of_part(measured: &[Measured], part: Part) -> impl Iterator<Item = &Measured> {
    measured.iter().filter(move |one| one.part == part)
}

/// The sources of a part.
pub(super) fn sources(measured: &[Measured], part: Part) -> Vec<Source> {
    distinct(of_part(measured, part).map(|one| one.source))
}

/// A method minus the learner alone, paired by trial.
pub(super) fn difference(one: &Measured, method: &str) -> Option<Interval> {
    Interval::of_differences(&one.values(method, 0), &one.values(ALONE, 0))
}
