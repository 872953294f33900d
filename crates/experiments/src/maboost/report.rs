//! The record, the page, and the numbers that tables and figures are made of.

use super::course::{Course, Place};
use super::figures::plots;
use super::parts::Part;
use super::{MaboostError, Measured, Options, Outcome, Point, rounds, tables};
use crate::paired::Interval;
use crate::record::{Record, Trial, write_atomically};
use crate::table::Table;
use std::fmt::Write as _;
use std::path::PathBuf;

/// What the run leaves behind.
#[derive(Debug)]
pub struct Report {
    /// The tables for a terminal.
    pub terminal: String,
    /// The files written.
    pub files: Vec<PathBuf>,
}

pub(super) fn write(
    record: &Record,
    measured: &[Measured],
    options: &Options,
) -> Result<Report, MaboostError> {
    let file = |ending: &str| options.out.join(format!("maboost{ending}"));
    let mut files = [".json", ".md", "-rounds.csv", "-margins.csv"].map(file).to_vec();
    record.save(&files[0])?;
    let kind = if options.quick { "a quick look" } else { "the full run" };
    let mut page =
        format!("# The MABoost family, measured: {kind}, {} trials, seed {}\n", options.trials, record.seed);
    let mut terminal = String::new();
    let mut show = |heading: &str, tables: Vec<Table>| {
        let _ = writeln!(page, "\n## {heading}\n");
        for table in tables {
            let _ = writeln!(page, "{}", table.to_markdown());
            let _ = writeln!(terminal, "{}\n", table.to_terminal());
        }
    };
    show("Every algorithm after its last round", tables::courses(measured)?);
    show("Test error where training labels are turned, in %", tables::noise(measured)?);
    show("Against AdaBoost, in points of test error", vec![tables::against_adaboost(measured)?]);
    show("The k that was chosen", vec![tables::chosen(measured)?]);
    show("A clean set and a noisy one", tables::combined(measured)?);
    let _ = writeln!(
        page,
        "Means over the trials, ± their standard deviation; in brackets 95% intervals of the mean of paired differences. \
         The means round by round: [maboost-rounds.csv](maboost-rounds.csv); the distributions of margins after 10, 100 and all \
         rounds: [maboost-margins.csv](maboost-margins.csv). The trials took {:.0} s on all threads together, commit {}.",
        record.seconds, record.commit
    );
    write_atomically(&files[1], page.as_bytes())?;
    write_atomically(&files[2], rounds::rounds(measured).as_bytes())?;
    write_atomically(&files[3], rounds::margins(measured).as_bytes())?;
    for (ending, plot) in plots(measured) {
        let path = file(&format!("-{ending}.svg"));
        write_atomically(&path, plot.to_svg()?.as_bytes())?;
        files.push(path);
    }
    Ok(Report { terminal, files })
}

/// What is kept of the end of a course.
type Read = fn(&Course, &Place) -> Option<f64>;
const ENDS: [(&str, Read); 12] = [
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
    ("rounds above a bound", |course, _| Some(f64::from(course.broken))),
];

/// The record's trials of one part over one learner on one set.
pub(super) fn trials(one: &Measured, seed: u64) -> Vec<Trial> {
    let mut all = Vec::new();
    let mut push = |dataset: String, method: &str, metric: &str, trial: u64, value: f64| {
        all.push(Trial {
            dataset,
            method: method.to_owned(),
            metric: metric.to_owned(),
            trial,
            seed,
            value,
            settings: serde_json::Value::Null,
            provenance: one.provenance,
        });
    };
    for (trial, kept) in (0..).zip(&one.trials) {
        match &kept.1 {
            Outcome::Courses(courses) => {
                for (course, end) in courses.iter().filter_map(|course| Some((course, course.last()?))) {
                    for (metric, read) in ENDS {
                        if let Some(value) = read(course, end) {
                            push(one.name(), &course.method, metric, trial, value);
                        }
                    }
                }
            }
            Outcome::Points(points) => {
                for point in points {
                    let k = if point.x > 0.0 && one.part == Part::Combined {
                        format!(", k = {}", point.x)
                    } else {
                        String::new()
                    };
                    let dataset = format!("{}, {}{k}", one.name(), point.case);
                    push(dataset, &point.method, &point.metric, trial, point.value);
                }
            }
        }
    }
    all
}

impl Measured {
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.set, self.learner)
    }

    /// The course of a method in each trial.
    fn courses(&self, method: &str) -> impl Iterator<Item = &Course> {
        let of = |trial: &'_ (f64, Outcome)| matches!(trial.1, Outcome::Courses(_));
        self.trials.iter().filter(move |trial| of(trial)).filter_map(move |trial| match &trial.1 {
            Outcome::Courses(courses) => courses.iter().find(|course| course.method == method),
            Outcome::Points(_) => None,
        })
    }

    /// The rounds that some trial of a method kept, rising.
    pub(super) fn rounds(&self, method: &str) -> Vec<u32> {
        let places = self.courses(method).flat_map(|course| &course.places);
        places.map(|place| place.round).collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// A number of a method after a round; trials that had stopped count as they were.
    pub(super) fn at(&self, method: &str, round: u32, read: fn(&Place) -> Option<f64>) -> Option<Interval> {
        let found = self.courses(method).filter_map(|course| read(course.at(round)?));
        Interval::of(&found.collect::<Vec<_>>())
    }

    /// A number of the end of a method's courses, by its name.
    pub(super) fn end(&self, method: &str, metric: &str) -> Option<Interval> {
        let (_, read) = ENDS.iter().find(|(name, _)| *name == metric)?;
        let found = self.courses(method).filter_map(|course| read(course, course.last()?));
        Interval::of(&found.collect::<Vec<_>>())
    }

    /// The distribution of margins after this round, if some trial came so far, or after the last; the mean over the trials,
    /// of which those that had stopped count as they were.
    pub(super) fn margins(&self, method: &str, after: Option<u32>) -> Option<Vec<f64>> {
        let mut sum: Vec<f64> = Vec::new();
        let mut trials = 0.0;
        let round = after.unwrap_or(u32::MAX);
        if after.is_some_and(|round| {
            self.courses(method).all(|course| course.last().is_none_or(|end| end.round < round))
        }) {
            return None;
        }
        for course in self.courses(method) {
            let Some(found) = course.margins.iter().rfind(|(kept, _)| *kept <= round) else { continue };
            sum.resize(found.1.len(), 0.0);
            sum.iter_mut().zip(&found.1).for_each(|(sum, share)| *sum += share);
            trials += 1.0;
        }
        (trials > 0.0).then(|| sum.into_iter().map(|sum| sum / trials).collect())
    }

    /// What was done to labels, in the order of the first trial.
    pub(super) fn cases(&self) -> Vec<(&str, f64)> {
        let mut cases: Vec<(&str, f64)> = Vec::new();
        for point in self.points(0) {
            if cases.iter().all(|(case, _)| *case != point.case) {
                cases.push((&point.case, point.x));
            }
        }
        cases
    }

    fn points(&self, trial: usize) -> &[Point] {
        match self.trials.get(trial).map(|kept| &kept.1) {
            Some(Outcome::Points(points)) => points,
            _ => &[],
        }
    }

    /// A number in each trial.
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

pub(super) fn of_part(measured: &[Measured], part: Part) -> impl Iterator<Item = &Measured> {
    measured.iter().filter(move |one| one.part == part)
}

#[cfg(test)]
mod tests;
