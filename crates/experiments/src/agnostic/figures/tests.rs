//! Every curve shows its own numbers.

use super::*;
use crate::agnostic::Point;
use crate::agnostic::methods::AGNOSTIC_SIGN;
use report::record::Provenance;

fn measured(
    part: Part,
    label_flips: LabelFlips,
    points: impl Fn(f64) -> Vec<(&'static str, u64, f64)>,
) -> Measured {
    let trial = |t: f64| {
        let point = |(series, x, value): (&str, u64, f64)| Point { series: series.to_owned(), x, value };
        points(t).into_iter().map(point).collect()
    };
    let trials = vec![trial(0.0), trial(1.0)];
    Measured { part, source: Source::HalfSpace, label_flips, provenance: Provenance::Synthetic, trials }
}

#[test]
fn accuracies_are_drawn_above_the_learner_alone_against_the_noise() {
    let of = |label_flips, more: f64| {
        measured(Part::Accuracy, label_flips, move |t| {
            vec![(ALONE, 0, 0.5 + 0.1 * t), (AGNOSTIC, 0, 0.5 + more + 0.1 * t), (AGNOSTIC_SIGN, 0, 0.9)]
        })
    };
    let all = [
        of(LabelFlips::Noise(0.0), 0.25),
        of(LabelFlips::Noise(0.3), 0.125),
        of(LabelFlips::Blocks(40), 0.4),
    ];
    let plots = plots(&all);
    assert_eq!(plots.iter().map(|plot| plot.0).collect::<Vec<_>>(), ["accuracy"]);
    let panel = &plots[0].1.panels[0];
    assert_eq!((panel.title.as_str(), panel.provenance), ("half-space", Provenance::Synthetic));
    assert_eq!(panel.series.iter().map(|series| series.name.as_str()).collect::<Vec<_>>(), [ALONE, AGNOSTIC]);
    for (series, expected) in panel.series.iter().zip([[0.0, 0.0], [25.0, 12.5]]) {
        for (found, expected) in [(&series.x, [0.0, 30.0]), (&series.y, expected)] {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{series:?}");
        }
    }
}

#[test]
fn gains_are_drawn_with_their_intervals_and_theory_is_dashed() {
    let points = |t: f64| {
        vec![
            (BEST, 16, 0.75),
            (ALONE, 16, 0.25 + 0.5 * t),
            ("bound, γ = 1", 16, -0.5),
            (NOT_DRAWN, 16, 0.1),
            (BEST, 32, 0.5),
            (ALONE, 32, 0.25),
            ("bound, γ = 1", 32, 0.125),
            (NOT_DRAWN, 32, 0.1),
        ]
    };
    let all = [measured(Part::Rounds, LabelFlips::Noise(0.2), points)];
    let plots = plots(&all);
    assert_eq!(plots.iter().map(|plot| plot.0).collect::<Vec<_>>(), ["rounds"]);
    let plot = &plots[0].1;
    assert_eq!((plot.x.title.as_str(), plot.panels[0].title.as_str()), ("rounds T", "half-space, 20% noise"));
    let [best, alone, bound] = &plot.panels[0].series[..] else { panic!("{plot:?}") };
    assert_eq!((best.name.as_str(), &best.x, &best.y), (BEST, &vec![16.0, 32.0], &vec![0.75, 0.5]));
    assert_eq!((alone.name.as_str(), &alone.y), (ALONE, &vec![0.5, 0.25]));
    // 12.7062·(½/√2)/√2.
    let (low, high) = alone.band.clone().unwrap()[0];
    assert!((high - 0.5 - 12.7062 * 0.25).abs() < 1e-9 && (low + high - 1.0).abs() < 1e-9);
    // Such a low bound would dominate the axis.
    assert_eq!((&bound.x, &bound.y, &bound.band), (&vec![32.0], &vec![0.125], &None));
    assert_eq!([best.stroke, alone.stroke, bound.stroke], [Stroke::Dashed, Stroke::Solid, Stroke::Dashed]);
}
