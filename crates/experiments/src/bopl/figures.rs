//! The figures: [L23, Figure 1] for every task, and the rewards of all methods.

use super::course::Place;
use super::methods::Method;
use super::paper::Printed;
use super::report::by_task;
use super::{BoplRunError, Measured};
use crate::plot::{Axis, Bar, BarGroup, BarPanel, BarPlot, LinePanel, LinePlot, Series, Stroke};
use datasets::ClassificationName;

/// Whose courses are drawn.
const DRAWN: [Method; 5] =
    [Method::BoplRegr, Method::BoplSRegr, Method::BoplCsRegr, Method::SharpSteps, Method::VectorLeaves];

/// With fewer trials an interval is wider than the picture.
const FOR_A_BAND: usize = 5;

type Read = fn(&Place) -> Option<f64>;
/// The panels of [L23, Figure 1].
const PANELS: [(&str, Read); 3] = [
    ("norm of the gradient", |place| Some(place.gradient_norm)),
    ("reward on the log, SNIPS", |place| place.snips),
    ("reward on test rows, argmax", |place| Some(place.reward)),
];

/// Every figure, drawn, with the ending of its file's name.
pub(super) fn plots(measured: &[Measured]) -> Result<Vec<(String, String)>, BoplRunError> {
    let mut plots = vec![("rewards".to_owned(), rewards(measured).to_svg()?)];
    for (task, methods) in by_task(measured) {
        plots.push((format!("course-{task}"), course(task, &methods).to_svg()?));
    }
    Ok(plots)
}

/// Gradient norm, training SNIPS and test reward by round: means over the trials, with their 95% intervals.
fn course(task: ClassificationName, methods: &[&Measured]) -> LinePlot {
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
            provenance: methods.first().map_or(crate::record::Provenance::StandIn, |one| one.provenance),
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
    let panel = |(task, methods): (ClassificationName, Vec<&Measured>)| {
        let group = |one: &&Measured| {
            let found = one.interval(|course| Some(course.reward))?;
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
            provenance: methods.first().map_or(crate::record::Provenance::StandIn, |one| one.provenance),
            groups: methods.iter().filter_map(group).collect(),
        }
    };
    BarPlot {
        title: Some("Reward on test rows of policies learnt from logs".to_owned()),
        y: "mean reward".to_owned(),
        panels: by_task(measured).into_iter().map(panel).collect(),
    }
}
