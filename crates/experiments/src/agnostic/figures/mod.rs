//! The figures.

use super::growth::BEST;
use super::measured::{Measured, difference, of_part, sources};
use super::methods::{ADABOOST, AGNOSTIC, ALONE, BBM, OSBOOST, REALIZABLE, TRUSTING_SIGN};
use super::parts::Part;
use super::streams::{LabelFlips, Source};
use super::{BOUND, statistical};
use report::paired::Interval;
use report::plot::{Axis, LinePanel, LinePlot, Series, Stroke};

/// The curves of the figure of accuracies.
const DRAWN: [&str; 7] = [ALONE, AGNOSTIC, TRUSTING_SIGN, REALIZABLE, OSBOOST, BBM, ADABOOST];
/// In the tables only: with it, a panel would have eight curves, more than there are colours.
const NOT_DRAWN: &str = "bound, γ = 0.2";
/// Bounds below this one are left out, as they would dominate the axis.
const LOWEST: f64 = -0.25;

/// Every figure with data, and the ending of its file name.
pub(super) fn plots(measured: &[Measured]) -> Vec<(&'static str, LinePlot)> {
    let mut plots = vec![("accuracy", accuracy_plot(measured))];
    plots.push(("rounds", gain_plot(measured, Part::Rounds)));
    plots.push(("learners", gain_plot(measured, Part::Learners)));
    plots.push(("correlation", gain_plot(measured, Part::Statistical)));
    plots.retain(|(_, plot)| !plot.panels.is_empty());
    plots
}

/// A panel per source: progressive accuracy minus that of the learner alone in the same trial, against the
/// label noise. The accuracies themselves fall so steeply that differences would be invisible.
fn accuracy_plot(measured: &[Measured]) -> LinePlot {
    let panel = |source: Source| {
        let noisy: Vec<(f64, &Measured)> = of_part(measured, Part::Accuracy)
            .filter(|one| one.source == source)
            .filter_map(|one| match one.label_flips {
                LabelFlips::Noise(p) => Some((100.0 * p, one)),
                _ => None,
            })
            .collect();
        let curve = |method: &&str| {
            let found: Vec<(f64, Interval)> =
                noisy.iter().filter_map(|(p, one)| Some((*p, difference(one, method)?))).collect();
            series(method, found.iter().map(|(p, found)| (*p, found.scaled(100.0))))
        };
        let provenance = noisy.first().map(|(_, one)| one.provenance)?;
        let title = source.name().to_owned();
        Some(LinePanel { title, provenance, series: DRAWN.iter().filter_map(curve).collect() })
    };
    LinePlot {
        title: Some(
            "Progressive accuracy less that of the weak learner alone, with labels turned".to_owned(),
        ),
        x: Axis::linear("labels turned, %"),
        y: Axis::linear("points above the learner alone"),
        panels: sources(measured, Part::Accuracy).into_iter().filter_map(panel).collect(),
    }
}

/// A panel per stream: gain per round, with the bounds dashed.
fn gain_plot(measured: &[Measured], part: Part) -> LinePlot {
    let panel = |one: &Measured| LinePanel {
        title: one.name(),
        provenance: one.provenance,
        series: one
            .series()
            .into_iter()
            .filter(|name| *name != NOT_DRAWN)
            .filter_map(|name| {
                let at = |x: u64| Some((x as f64, one.interval(name, x)?));
                series(name, one.places().into_iter().filter_map(at))
            })
            .collect(),
    };
    let (title, x, y) = match part {
        Part::Statistical => (
            "Training correlation of Algorithm 2, and what Theorems 8 and 10 leave with the regrets that occurred",
            "rounds T",
            "correlation",
        ),
        Part::Learners => (
            "Gain a round as N grows, and what Proposition 3 leaves with the regrets that occurred",
            "weak learners N",
            "gain a round",
        ),
        _ => (
            "Gain a round as T grows, and what Proposition 3 leaves with the regrets that occurred",
            "rounds T",
            "gain a round",
        ),
    };
    LinePlot {
        title: Some(title.to_owned()),
        x: Axis::log(x),
        y: Axis::linear(y),
        panels: of_part(measured, part).map(panel).collect(),
    }
}

fn series(name: &str, points: impl Iterator<Item = (f64, Interval)>) -> Option<Series> {
    let (mut x, mut y, mut band) = (Vec::new(), Vec::new(), Vec::new());
    for (at, found) in points.filter(|(_, found)| !name.starts_with(BOUND) || found.mean >= LOWEST) {
        x.push(at);
        y.push(found.mean);
        band.push(found.ends());
    }
    let theory = name.starts_with(BOUND) || [BEST, statistical::BEST].contains(&name);
    let stroke = if theory { Stroke::Dashed } else { Stroke::Solid };
    (!x.is_empty()).then(|| Series { name: name.to_owned(), x, y, band: (!theory).then_some(band), stroke })
}

#[cfg(test)]
mod tests;
