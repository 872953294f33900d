//! The record and the page.

use super::figures::plots;
use super::measured::{ENDS, Measured};
use super::parts::Part;
use super::{Options, Outcome, rounds, tables};
use crate::runner::{ExperimentError, Output, Report};
use report::record::{Record, Trial};

pub(super) fn write(
    record: &Record,
    measured: &[Measured],
    options: &Options,
) -> Result<Report, ExperimentError> {
    let title = format!(
        "The MABoost family, measured: {}, {} trials, seed {}",
        options.kind(),
        options.trials,
        record.seed
    );
    let mut output = Output::of(record, options, &title)?;
    output.section("Every algorithm after its last round", &tables::histories(measured)?);
    output.section("Test error where training labels are turned, in %", &tables::noise(measured)?);
    output.section("Against AdaBoost, in points of test error", &[tables::against_adaboost(measured)?]);
    output.section("The k that was chosen", &[tables::chosen(measured)?]);
    output.section("A clean set and a noisy one", &tables::combined(measured)?);
    output.line(format_args!(
        "Means over the trials, ± their standard deviation; in brackets 95% intervals of the mean of paired differences. \
         The means round by round: [maboost-rounds.csv](maboost-rounds.csv); the distributions of margins after 10, 100 and all \
         rounds: [maboost-margins.csv](maboost-margins.csv). The trials took {:.0} s on all threads together, commit {}.",
        record.seconds, record.commit
    ));
    output.file("-rounds.csv", rounds::rounds(measured));
    output.file("-margins.csv", rounds::margins(measured));
    for (ending, plot) in plots(measured) {
        output.file(&format!("-{ending}.svg"), plot.to_svg()?);
    }
    output.write()
}

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
            Outcome::Histories(histories) => {
                for (history, end) in histories.iter().filter_map(|history| Some((history, history.last()?)))
                {
                    for (metric, read) in ENDS {
                        if let Some(value) = read(history, end) {
                            push(one.name(), &history.method, metric, trial, value);
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

#[cfg(test)]
mod tests;
