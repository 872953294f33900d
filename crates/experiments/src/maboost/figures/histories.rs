//! The figures of the histories: curves by round, and distributions of margins.

use super::super::history::{Snapshot, levels};
use super::super::measured::{Measured, of_part};
use super::super::methods::{Learner, Method};
use super::super::parts::Part;
use super::{certain, panel, plot, series};
use datasets::Name;
use report::paired::Interval;
use report::plot::{Axis, LinePanel, LinePlot, Series};

/// The algorithms, split over two figures, each with AdaBoost: a figure has seven colours.
const FAMILIES: [(&str, &str, &[Method]); 2] = [
    (
        "quadratic",
        "quadratic regulariser",
        &[
            Method::QuadraticActive,
            Method::QuadraticLazy,
            Method::QuadraticMargin,
            Method::QuadraticLong,
            Method::SparseFraction(0.5),
            Method::SparseConstant(0.01),
            Method::AdaBoost,
        ],
    ),
    (
        "entropy",
        "entropy and MadaBoost",
        &[
            Method::Entropy,
            Method::EntropySearch,
            Method::EntropyMargin,
            Method::Smooth(10.0),
            Method::Mada,
            Method::AdaBoost,
        ],
    ),
];
/// The algorithms that may have zero weights.
const SPARSE: [Method; 5] = [
    Method::QuadraticActive,
    Method::QuadraticLazy,
    Method::QuadraticLong,
    Method::SparseFraction(0.5),
    Method::SparseConstant(0.01),
];

/// Errors and bounds below this are not drawn. No positive error is smaller, and tiny bounds would flatten
/// the error curves.
const LEAST: f64 = 1e-5;
/// A number of a round.
type Read = fn(&Snapshot) -> Option<f64>;

/// Every figure of the histories, and the ending of its file name.
pub(super) fn plots(measured: &[Measured]) -> Vec<(String, LinePlot)> {
    let mut sets: Vec<Name> = of_part(measured, Part::Histories).map(|one| one.set).collect();
    sets.dedup();
    let mut plots: Vec<_> =
        sets.into_iter().map(|set| (format!("bounds-{set}"), bounds(measured, set))).collect();
    for (ending, family, methods) in FAMILIES {
        plots.push((format!("test-{ending}"), test(measured, family, methods)));
        plots.push((format!("margins-{ending}"), margins(measured, family, methods)));
    }
    let others = [
        ("margin-growth", margin_growth(measured)),
        ("margin-bound", margin_bound(measured)),
        ("zeros", zeros(measured)),
        ("used", used(measured)),
    ];
    plots.extend(others.map(|(ending, plot)| (ending.to_owned(), plot)));
    plots
}

/// A row per algorithm, a column per learner: errors and bounds on one set. A curve ends where it falls below
/// [`LEAST`].
fn bounds(measured: &[Measured], set: Name) -> LinePlot {
    let curves: [(&str, Read, bool); 4] = [
        ("training error", |snapshot| Some(snapshot.error), false),
        ("test error", |snapshot| Some(snapshot.test), false),
        ("bound", |snapshot| Some(snapshot.bound), true),
        ("sharper bound", |snapshot| snapshot.tight, true),
    ];
    let panels = Method::ALL.into_iter().flat_map(|method| {
        of_part(measured, Part::Histories).filter(|one| one.set == set).map(move |one| {
            let series = curves.iter().filter_map(|&(name, read, theory)| {
                let points =
                    history(one, method, read).into_iter().take_while(|(_, found)| found.mean >= LEAST);
                series(name, points, theory)
            });
            let title = format!("{method}: {}", one.learner);
            LinePanel { title, provenance: one.provenance, series: series.collect() }
        })
    });
    plot(
        &format!("{set}: errors and bounds by round, down to {LEAST:e}"),
        Axis::log("round"),
        Axis::log("share"),
        panels,
    )
}

fn test(measured: &[Measured], family: &str, methods: &[Method]) -> LinePlot {
    let panels = of_part(measured, Part::Histories).filter(|one| one.learner != Learner::Means).map(|one| {
        panel(
            one,
            methods.iter().filter_map(|&method| {
                let points = history(one, method, |snapshot| Some(snapshot.test));
                series(
                    &method.to_string(),
                    points.into_iter().map(|(x, found)| (x, found.scaled(100.0))),
                    false,
                )
            }),
        )
    });
    let title = format!("Test error by round: {family}");
    plot(&title, Axis::log("round"), Axis::linear("test error, %"), panels)
}

/// The distribution of normalised margins after the last round.
fn margins(measured: &[Measured], family: &str, methods: &[Method]) -> LinePlot {
    let panels = of_part(measured, Part::Histories).filter(|one| one.learner == Learner::Trees).map(|one| {
        panel(
            one,
            methods.iter().filter_map(|method| {
                let name = method.to_string();
                cumulative(&name, &one.margins(&name, None)?)
            }),
        )
    });
    let title = format!("Training margins after the last round, trees: {family}");
    plot(&title, Axis::linear("margin"), Axis::linear("share of examples up to it"), panels)
}

/// The distribution of margins after 10, 100 and all rounds, a panel per algorithm.
fn margin_growth(measured: &[Measured]) -> LinePlot {
    let of_trees = || of_part(measured, Part::Histories).filter(|one| one.learner == Learner::Trees);
    let one = of_trees().find(|one| one.set == Name::Spambase).or_else(|| of_trees().next());
    let panels = one.into_iter().flat_map(|one| {
        Method::ALL.iter().map(move |method| {
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

/// The mean of the least margins, and the lower bound of Theorem 2.
fn margin_bound(measured: &[Measured]) -> LinePlot {
    let panels = of_part(measured, Part::Histories).filter(|one| one.learner == Learner::Trees).map(|one| {
        let curve = |name: &str, method, read, theory| {
            let points = history(one, method, read).into_iter().filter(|(_, found)| found.mean >= -1.0);
            series(name, points, theory)
        };
        let measured = [Method::EntropyMargin, Method::Entropy, Method::AdaBoost]
            .map(|method| curve(&method.to_string(), method, |snapshot| Some(snapshot.margin), false));
        let bound =
            curve("bound, entropy, Theorem 2", Method::EntropyMargin, |snapshot| snapshot.margin_bound, true);
        panel(one, measured.into_iter().chain([bound]).flatten())
    });
    let title = "The least training margin over trees, and the bound of Theorem 2";
    plot(title, Axis::log("round"), Axis::linear("normalised margin"), panels)
}

fn zeros(measured: &[Measured]) -> LinePlot {
    let panels = of_part(measured, Part::Histories).filter(|one| one.learner != Learner::Means).map(|one| {
        panel(
            one,
            SPARSE.iter().filter_map(|&method| {
                let points = history(one, method, |snapshot| Some(snapshot.zeros));
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
    let panels = of_part(measured, Part::Histories).filter(|one| one.learner != Learner::Means).map(|one| {
        panel(
            one,
            methods.iter().filter_map(|&method| {
                let used = history(one, method, |snapshot| Some(snapshot.used));
                let test = history(one, method, |snapshot| Some(snapshot.test));
                let points =
                    used.into_iter().zip(test).map(|((_, used), (_, test))| (used.mean, test.scaled(100.0)));
                series(&method.to_string(), points, false)
            }),
        )
    });
    let x = Axis::log("training rows used, in passes over the sample");
    plot("Test error against rows used", x, Axis::linear("test error, %"), panels)
}

/// A number of a method after every kept round: the mean over the trials. Large sets have too few trials for
/// a band.
fn history(one: &Measured, method: Method, read: Read) -> Vec<(f64, Interval)> {
    let name = method.to_string();
    let at = |t: u32| Some((f64::from(t), certain(one.at(&name, t, read)?.mean)));
    one.rounds(&name).into_iter().filter_map(at).collect()
}

fn cumulative(name: &str, shares: &[f64]) -> Option<Series> {
    let points = levels().zip(shares).map(|(x, y)| (x, certain(*y)));
    series(name, points, false)
}
