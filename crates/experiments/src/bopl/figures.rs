//! The figures: [L23, Figure 1] for every task, and the rewards of all methods.

use super::history::Snapshot;
use super::measured::{Measured, by_task};
use super::methods::Method;
use super::paper::Printed;
use super::task_name::TaskName;
use crate::runner::ExperimentError;
use report::plot::{Axis, Bar, BarGroup, BarPanel, BarPlot, LinePanel, LinePlot, Series, Stroke};

/// The methods whose training histories are drawn.
const DRAWN: [Method; 5] =
    [Method::BoplRegr, Method::BoplSRegr, Method::BoplCsRegr, Method::SharpSteps, Method::VectorLeaves];

/// With fewer trials an interval is wider than the figure.
const FOR_A_BAND: usize = 5;

type Read = fn(&Snapshot) -> Option<f64>;
/// The panels of [L23, Figure 1].
const PANELS: [(&str, Read); 3] = [
    ("norm of the gradient", |snapshot| Some(snapshot.gradient_norm)),
    ("reward on the log, SNIPS", |snapshot| snapshot.snips),
    ("reward on test rows, argmax", |snapshot| Some(snapshot.reward)),
];

/// Every figure as SVG, and the ending of its file name. A task without a method whose course is drawn has
/// no such figure.
pub(super) fn plots(measured: &[Measured]) -> Result<Vec<(String, String)>, ExperimentError> {
    let mut plots = vec![("rewards".to_owned(), rewards(measured).to_svg()?)];
    for (task, methods) in by_task(measured) {
        let course = history(task, &methods);
        if course.panels.iter().all(|panel| !panel.series.is_empty()) {
            plots.push((format!("course-{task}"), course.to_svg()?));
        }
    }
    Ok(plots)
}

/// Gradient norm, training SNIPS and test reward by round: means over the trials, with their 95% intervals.
fn history(task: TaskName, methods: &[&Measured]) -> LinePlot {
    let panels = PANELS.map(|(title, read)| {
        let curve = |method: Method| {
            let one = methods.iter().find(|one| one.method == method)?;
            let found: Vec<_> =
                one.rounds().into_iter().filter_map(|t| Some((f64::from(t), one.at(t, read)?))).collect();
            let has_band = one.trials.len() >= FOR_A_BAND;
            Some(Series {
                name: method.to_string(),
                x: found.iter().map(|(t, _)| *t).collect(),
                y: found.iter().map(|(_, found)| found.mean).collect(),
                band: has_band.then(|| found.iter().map(|(_, found)| found.ends()).collect()),
                stroke: Stroke::Solid,
            })
        };
        LinePanel {
            title: title.to_owned(),
            provenance: methods.first().map_or(report::record::Provenance::StandIn, |one| one.provenance),
            series: DRAWN.into_iter().filter_map(curve).filter(|series| !series.x.is_empty()).collect(),
        }
    });
    LinePlot {
        title: Some(format!("{task}: the course of the optimisation")),
        x: Axis::linear("round"),
        y: Axis::linear("mean over the trials"),
        panels: panels.into(),
    }
}

/// Test reward by method, with 95% intervals and the paper's means.
fn rewards(measured: &[Measured]) -> BarPlot {
    let panel = |(task, methods): (TaskName, Vec<&Measured>)| {
        let group = |one: &&Measured| {
            let found = one.interval(|history| Some(history.reward))?;
            let bar = Bar {
                series: "test reward, 95% interval".to_owned(),
                value: found.mean,
                error: found.half_width,
                reported: Printed::table_1(one.method, task).map(|printed| printed.mean),
            };
            Some(BarGroup { label: one.method.name().replace("ours: ", ""), bars: vec![bar] })
        };
        BarPanel {
            title: task.to_string(),
            provenance: methods.first().map_or(report::record::Provenance::StandIn, |one| one.provenance),
            groups: methods.iter().filter_map(group).collect(),
        }
    };
    BarPlot {
        title: Some("Reward on test rows of policies learnt from logs".to_owned()),
        y: "mean reward".to_owned(),
        panels: by_task(measured).into_iter().map(panel).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{history as of_reward, measured, snapshot};
    use super::*;
    use TaskName::{Scene, Tmc};

    /// A panel per number, a curve per method, and no band with few trials.
    #[test]
    fn curves_are_in_their_panels() {
        let run = |method, of: f64, trials: usize| {
            let mut trials = vec![of_reward(0.0); trials];
            trials
                .iter_mut()
                .for_each(|trial| trial.snapshots = vec![snapshot(1, of), snapshot(3, of + 0.5)]);
            trials[0].snapshots[0].reward += trials.len() as f64;
            measured(Tmc, method, trials)
        };
        let runs =
            [run(Method::BrrGb, 8.0, 2), run(Method::BoplSRegr, 1.0, 5), run(Method::BoplRegr, 2.0, 4)];
        let plot = history(Tmc, &runs.iter().collect::<Vec<_>>());
        let curves = |panel: usize| -> Vec<(String, Vec<f64>)> {
            plot.panels[panel].series.iter().map(|one| (one.name.clone(), one.y.clone())).collect()
        };
        let names = ["BOPL-regr", "BOPL-S-regr"].map(str::to_owned);
        let expected = |regr: [f64; 2], s_regr: [f64; 2]| {
            names.iter().cloned().zip([regr.to_vec(), s_regr.to_vec()]).collect::<Vec<_>>()
        };
        assert_eq!(curves(0), expected([3.0, 3.5], [2.0, 2.5]), "norm of the gradient");
        assert_eq!(curves(1), expected([4.0, 4.5], [3.0, 3.5]), "SNIPS");
        assert_eq!(curves(2), expected([3.0, 2.5], [2.0, 1.5]), "test reward");
        assert_eq!(
            plot.panels.iter().map(|panel| &panel.title[..4]).collect::<Vec<_>>(),
            ["norm", "rewa", "rewa"]
        );
        let regr = &plot.panels[2].series[0];
        assert_eq!((&regr.x[..], &regr.band), (&[1.0, 3.0][..], &None));
        // Four rewards of 1 and one of 6: s = √5, and the quantile of four degrees of freedom is 2.77645.
        let bands = plot.panels[2].series[1].band.clone().unwrap();
        assert!((bands[0].0 - (2.0 - 2.77645)).abs() < 1e-12 && (bands[0].1 - (2.0 + 2.77645)).abs() < 1e-12);
        assert_eq!(bands[1], (1.5, 1.5));
    }

    #[test]
    fn a_bar_is_the_test_reward_beside_the_papers() {
        let of = |task, method, rewards: [f64; 2]| measured(task, method, rewards.map(of_reward).to_vec());
        let plot = rewards(&[
            of(Scene, Method::BoplRegr, [0.75, 0.25]),
            of(Scene, Method::SharpSteps, [0.5, 1.0]),
            of(Tmc, Method::BoplRegr, [0.5, 0.5]),
        ]);
        let bars = |panel: usize| {
            let groups = plot.panels[panel].groups.iter();
            let of = |group: &BarGroup| (group.label.clone(), group.bars[0].value, group.bars[0].reported);
            groups.map(of).collect::<Vec<_>>()
        };
        let regr = |value, reported| ("BOPL-regr".to_owned(), value, Some(reported));
        assert_eq!(bars(0), [regr(0.5, 0.7778), ("S-regr, sharp".to_owned(), 0.75, None)]);
        assert_eq!(bars(1), [regr(0.5, 0.7361)]);
        // s = √⅛, n = 2, and the quantile of one degree of freedom is 12.7062.
        assert!((plot.panels[0].groups[0].bars[0].error.unwrap() - 12.7062 / 4.0).abs() < 1e-12);
        assert_eq!(plot.panels.iter().map(|panel| &panel.title[..]).collect::<Vec<_>>(), ["scene", "tmc"]);
    }
}
