//! The figures: by round in [`histories`]; label noise and combined sets here.

mod histories;

use super::combined::{A_ALONE, CAPPED, CAPS, NO_CAPS, PARTS};
use super::measured::{Measured, of_part};
use super::noise::{ADABOOST, SMOOTH, SMOOTH_STOPPED, TEST_ERROR};
use super::parts::Part;
use report::paired::Interval;
use report::plot::{Axis, LinePanel, LinePlot, Series, Stroke};

/// The methods drawn beside AdaBoost under label noise.
const COMPARED: [&str; 4] = ["AdaBoost, T chosen", "MadaBoost", SMOOTH, SMOOTH_STOPPED];

/// Every figure with data, and the ending of its file name.
pub(super) fn plots(measured: &[Measured]) -> Vec<(String, LinePlot)> {
    let mut plots = histories::plots(measured);
    let others = [
        ("noise", noise(measured)),
        ("combined", combined_test(measured)),
        ("combined-parts", combined_parts(measured)),
    ];
    plots.extend(others.map(|(ending, plot)| (ending.to_owned(), plot)));
    plots.retain(|(_, plot)| !plot.panels.is_empty());
    plots
}

/// Test error minus that of AdaBoost in the same trial.
fn noise(measured: &[Measured]) -> LinePlot {
    let panels = of_part(measured, Part::Noise).map(|one| {
        let curve = |method: &&str| {
            let at = |(case, x): (&str, f64)| {
                let errors = |method: &str| one.values(case, method, TEST_ERROR, x);
                Some((x, Interval::of_differences(&errors(method), &errors(ADABOOST))?.scaled(100.0)))
            };
            series(method, one.cases().into_iter().filter_map(at), false)
        };
        panel(one, COMPARED.iter().filter_map(curve))
    });
    let x = Axis::linear("training labels turned, %");
    let title = "Test error where training labels are turned, less that of AdaBoost";
    plot(title, x, Axis::linear("points of test error"), panels)
}

/// A panel per learner, set and noise of B: test error against k, beside A alone and no caps.
fn combined_test(measured: &[Measured]) -> LinePlot {
    let panels = of_part(measured, Part::Combined).flat_map(|one| {
        one.cases().into_iter().map(move |(case, _)| {
            let at = |method: &'static str, k: f64, x: f64| {
                Some((x, Interval::of(&one.values(case, method, TEST_ERROR, k))?.scaled(100.0)))
            };
            let capped = series(CAPPED, CAPS.iter().filter_map(|&k| at(CAPPED, k, k)), false);
            let flat = [A_ALONE, NO_CAPS]
                .into_iter()
                .filter_map(|method| series(method, CAPS.iter().filter_map(|&k| at(method, 0.0, k)), true));
            LinePanel {
                title: format!("{}, {case}", one.name()),
                provenance: one.provenance,
                series: capped.into_iter().chain(flat).collect(),
            }
        })
    });
    let title = "Combined sets: test error as the cap on B moves";
    plot(title, Axis::log("k"), Axis::linear("test error, %"), panels)
}

/// Training errors in A and in B, and their bounds.
fn combined_parts(measured: &[Measured]) -> LinePlot {
    let panels = of_part(measured, Part::Combined).flat_map(|one| {
        one.cases().into_iter().map(move |(case, _)| {
            let curve = |metric: &&str| {
                let at =
                    |&k: &f64| Some((k, Interval::of(&one.values(case, CAPPED, metric, k))?.scaled(100.0)));
                series(metric, CAPS.iter().filter_map(at), metric.starts_with("bound"))
            };
            LinePanel {
                title: format!("{}, {case}", one.name()),
                provenance: one.provenance,
                series: PARTS.iter().filter_map(curve).collect(),
            }
        })
    });
    let title = "Combined sets: training errors in A and in B, in shares of both together";
    plot(title, Axis::log("k"), Axis::linear("% of all training rows"), panels)
}

/// A number without a band.
fn certain(mean: f64) -> Interval {
    Interval { mean, std: 0.0, half_width: None }
}

fn panel(one: &Measured, series: impl Iterator<Item = Series>) -> LinePanel {
    LinePanel { title: one.name(), provenance: one.provenance, series: series.collect() }
}

fn plot(title: &str, x: Axis, y: Axis, panels: impl Iterator<Item = LinePanel>) -> LinePlot {
    let panels = panels.filter(|panel| !panel.series.is_empty()).collect();
    LinePlot { title: Some(title.to_owned()), x, y, panels }
}

/// `None` without points; a band if it has a width.
fn series(name: &str, points: impl Iterator<Item = (f64, Interval)>, theory: bool) -> Option<Series> {
    let (mut x, mut y, mut band) = (Vec::new(), Vec::new(), Vec::new());
    for (at, found) in points {
        x.push(at);
        y.push(found.mean);
        band.push(found.ends());
    }
    let has_band = !theory && band.iter().zip(&y).any(|(band, y)| band.1 > *y);
    let stroke = if theory { Stroke::Dashed } else { Stroke::Solid };
    (!x.is_empty()).then(|| Series { name: name.to_owned(), x, y, band: has_band.then_some(band), stroke })
}

#[cfg(test)]
mod tests;
