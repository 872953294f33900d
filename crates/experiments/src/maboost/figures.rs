//! The figures.

use super::Measured;
use super::combined::{A_ALONE, CAPPED, CAPS, NO_CAPS, PARTS};
use super::course::{Place, levels};
use super::methods::{Learner, Method};
use super::noise::{ADABOOST, SMOOTH, SMOOTH_STOPPED, TEST_ERROR};
use super::parts::Part;
use super::report::of_part;
use crate::paired::Interval;
use crate::plot::{Axis, LinePanel, LinePlot, Series, Stroke};
use datasets::Name;

/// As many methods as there are colours.
const DRAWN: [Method; 7] = [
    Method::QuadraticLazy,
    Method::Entropy,
    Method::EntropyMargin,
    Method::Smooth(10.0),
    Method::SparseFraction(0.5),
    Method::Mada,
    Method::AdaBoost,
];
/// Those that might have zero weights.
const SPARSE: [Method; 5] = [
    Method::QuadraticActive,
    Method::QuadraticLazy,
    Method::QuadraticLong,
    Method::SparseFraction(0.5),
    Method::SparseConstant(0.01),
];

/// Those that are drawn beside AdaBoost where labels are turned.
const COMPARED: [&str; 4] = ["AdaBoost, T chosen", "MadaBoost", SMOOTH, SMOOTH_STOPPED];

/// Every figure that there are numbers for, with the ending of its file's name.
pub(super) fn plots(measured: &[Measured]) -> Vec<(&'static str, LinePlot)> {
    let mut plots = vec![
        ("bounds-stumps", bounds(measured, Learner::Stumps)),
        ("bounds-trees", bounds(measured, Learner::Trees)),
        ("test", test(measured)),
        ("margins", margins(measured)),
        ("margin-growth", margin_growth(measured)),
        ("margin-bound", margin_bound(measured)),
        ("zeros", zeros(measured)),
        ("used", used(measured)),
        ("noise", noise(measured)),
        ("combined", combined_test(measured)),
        ("combined-parts", combined_parts(measured)),
    ];
    plots.retain(|(_, plot)| !plot.panels.is_empty());
    plots
}

/// A panel an algorithm on one set: errors and bounds. A value of 0 has no place on a logarithmic axis, and ends its curve.
fn bounds(measured: &[Measured], learner: Learner) -> LinePlot {
    let of_learner = || of_part(measured, Part::Courses).filter(|one| one.learner == learner);
    let one = of_learner().find(|one| one.set == Name::Spambase).or_else(|| of_learner().next());
    let curves: [(&str, fn(&Place) -> Option<f64>, bool); 4] = [
        ("training error", |place| Some(place.error), false),
        ("test error", |place| Some(place.test), false),
        ("bound", |place| Some(place.bound), true),
        ("sharper bound", |place| place.tight, true),
    ];
    let panels = one.into_iter().flat_map(|one| {
        Method::ALL.into_iter().map(move |method| {
            let series = curves.iter().filter_map(|&(name, read, theory)| {
                let points = course(one, method, read).into_iter().take_while(|(_, found)| found.mean > 0.0);
                series(name, points, theory)
            });
            LinePanel { title: method.to_string(), provenance: one.provenance, series: series.collect() }
        })
    });
    let name = one.map_or_else(String::new, Measured::name);
    plot(&format!("{name}: errors and bounds by round"), Axis::log("round"), Axis::log("share"), panels)
}

fn test(measured: &[Measured]) -> LinePlot {
    let panels = of_part(measured, Part::Courses).filter(|one| one.learner != Learner::Means).map(|one| {
        panel(
            one,
            DRAWN.iter().filter_map(|&method| {
                let points = course(one, method, |place| Some(place.test));
                series(
                    &method.to_string(),
                    points.into_iter().map(|(x, found)| (x, found.scaled(100.0))),
                    false,
                )
            }),
        )
    });
    plot("Test error by round", Axis::log("round"), Axis::linear("test error, %"), panels)
}

/// The distribution of normalised margins after the last round.
fn margins(measured: &[Measured]) -> LinePlot {
    let panels = of_part(measured, Part::Courses).filter(|one| one.learner == Learner::Trees).map(|one| {
        panel(
            one,
            DRAWN.iter().filter_map(|method| {
                let name = method.to_string();
                cumulative(&name, &one.margins(&name, None)?)
            }),
        )
    });
    let title = "Training margins after the last round, trees";
    plot(title, Axis::linear("margin"), Axis::linear("share of examples up to it"), panels)
}

/// The distribution of margins as rounds go by, a panel an algorithm.
fn margin_growth(measured: &[Measured]) -> LinePlot {
    let of_trees = || of_part(measured, Part::Courses).filter(|one| one.learner == Learner::Trees);
    let one = of_trees().find(|one| one.set == Name::Spambase).or_else(|| of_trees().next());
    let panels = one.into_iter().flat_map(|one| {
        DRAWN.iter().take(6).chain(DRAWN.last()).map(move |method| {
            let name = method.to_string();
            let after = [("10 rounds", Some(10)), ("100 rounds", Some(100)), ("all rounds", None)];
            let series = after.iter().filter_map(|(label, t)| cumulative(label, &one.margins(&name, *t)?));
            LinePanel { title: name.clone(), provenance: one.provenance, series: series.collect() }
        })
    });
    let name = one.map_or_else(String::new, Measured::name);
    let y = Axis::linear("share of examples up to it");
    plot(&format!("{name}: training margins as rounds go by"), Axis::linear("margin"), y, panels)
}

/// The mean of the least margins, and what Theorem 2 leaves of it.
fn margin_bound(measured: &[Measured]) -> LinePlot {
    let panels = of_part(measured, Part::Courses).filter(|one| one.learner == Learner::Trees).map(|one| {
        let curve = |name: &str, method, read, theory| {
            let points = course(one, method, read).into_iter().filter(|(_, found)| found.mean >= -1.0);
            series(name, points, theory)
        };
        let measured = [Method::EntropyMargin, Method::Entropy, Method::AdaBoost]
            .map(|method| curve(&method.to_string(), method, |place| Some(place.margin), false));
        let bound =
            curve("bound, entropy, Theorem 2", Method::EntropyMargin, |place| place.margin_bound, true);
        panel(one, measured.into_iter().chain([bound]).flatten())
    });
    let title = "The least training margin over trees, and the bound of Theorem 2";
    plot(title, Axis::log("round"), Axis::linear("normalised margin"), panels)
}

fn zeros(measured: &[Measured]) -> LinePlot {
    let panels = of_part(measured, Part::Courses).filter(|one| one.learner != Learner::Means).map(|one| {
        panel(
            one,
            SPARSE.iter().filter_map(|&method| {
                let points = course(one, method, |place| Some(place.zeros));
                series(
                    &method.to_string(),
                    points.into_iter().map(|(x, found)| (x, found.scaled(100.0))),
                    false,
                )
            }),
        )
    });
    plot("Weights that are exactly 0", Axis::log("round"), Axis::linear("zero weights, %"), panels)
}

/// Test error against the rows that weak learners were trained on.
fn used(measured: &[Measured]) -> LinePlot {
    let methods =
        [Method::QuadraticActive, Method::QuadraticLazy, Method::SparseFraction(0.5), Method::Entropy];
    let panels = of_part(measured, Part::Courses).filter(|one| one.learner != Learner::Means).map(|one| {
        panel(
            one,
            methods.iter().filter_map(|&method| {
                let used = course(one, method, |place| Some(place.used));
                let test = course(one, method, |place| Some(place.test));
                let points =
                    used.into_iter().zip(test).map(|((_, used), (_, test))| (used.mean, test.scaled(100.0)));
                series(&method.to_string(), points, false)
            }),
        )
    });
    let x = Axis::log("training rows used, in passes over the sample");
    plot("Test error against rows used", x, Axis::linear("test error, %"), panels)
}

/// Test error less that of AdaBoost in the same trial.
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

/// A panel a learner, set and noise of B: test error against k, beside A alone and no caps.
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

/// A number of a method after every kept round: the mean over the trials, which on large sets are too few for a band.
fn course(one: &Measured, method: Method, read: fn(&Place) -> Option<f64>) -> Vec<(f64, Interval)> {
    let name = method.to_string();
    let at = |t: u32| Some((f64::from(t), certain(one.at(&name, t, read)?.mean)));
    one.rounds(&name).into_iter().filter_map(at).collect()
}

/// A number without a band.
fn certain(mean: f64) -> Interval {
    Interval { mean, std: 0.0, half_width: 0.0 }
}

fn cumulative(name: &str, shares: &[f64]) -> Option<Series> {
    let points = levels().zip(shares).map(|(x, y)| (x, certain(*y)));
    series(name, points, false)
}

fn panel(one: &Measured, series: impl Iterator<Item = Series>) -> LinePanel {
    LinePanel { title: one.name(), provenance: one.provenance, series: series.collect() }
}

fn plot(title: &str, x: Axis, y: Axis, panels: impl Iterator<Item = LinePanel>) -> LinePlot {
    let panels = panels.filter(|panel| !panel.series.is_empty()).collect();
    LinePlot { title: Some(title.to_owned()), x, y, panels }
}

/// Nothing where there are no points; a band where it has a width.
fn series(name: &str, points: impl Iterator<Item = (f64, Interval)>, theory: bool) -> Option<Series> {
    let (mut x, mut y, mut band) = (Vec::new(), Vec::new(), Vec::new());
    for (at, found) in points {
        x.push(at);
        y.push(found.mean);
        band.push((found.mean - found.half_width, found.mean + found.half_width));
    }
    let has_band = !theory && band.iter().zip(&y).any(|(band, y)| band.1 > *y);
    let stroke = if theory { Stroke::Dashed } else { Stroke::Solid };
    (!x.is_empty()).then(|| Series { name: name.to_owned(), x, y, band: has_band.then_some(band), stroke })
}
