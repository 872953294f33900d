//! Every number is under its own name, and every verdict is that of the paired difference.

use super::*;
use crate::agnostic::Point;
use crate::agnostic::growth::BEST;
use crate::agnostic::streams::Source;
use datasets::Name;
use report::record::Provenance;

fn measured(
    part: Part,
    source: Source,
    label_flips: LabelFlips,
    trials: [Vec<(String, u64, f64)>; 2],
) -> Measured {
    let of = |points: Vec<(String, u64, f64)>| {
        points.into_iter().map(|(series, x, value)| Point { series, x, value }).collect()
    };
    Measured { part, source, label_flips, provenance: Provenance::Synthetic, trials: trials.map(of).to_vec() }
}

/// Method k has accuracy (40 + k) % and (42 + k) % in the two trials, plus `shift` for the compared methods.
fn accuracy(source: Source, label_flips: LabelFlips, shift: [f64; 2]) -> Measured {
    let trial = |t: usize| {
        let value = |k: usize, method: &str| {
            let shift = if AGNOSTIC_FORMS.contains(&method) { shift[t] } else { 0.0 };
            0.4 + 0.01 * k as f64 + 0.02 * t as f64 + shift
        };
        METHODS.iter().enumerate().map(|(k, method)| ((*method).to_owned(), 0, value(k, method))).collect()
    };
    measured(Part::Accuracy, source, label_flips, [trial(0), trial(1)])
}

#[test]
fn accuracies_are_under_their_methods_in_the_row_of_their_noise() {
    let noise = [LabelFlips::Noise(0.0), LabelFlips::Noise(0.1)];
    let all = [
        accuracy(Source::OneStump, noise[0], [0.0; 2]),
        accuracy(Source::OneStump, noise[1], [0.1; 2]),
        accuracy(Source::Jumps, noise[0], [0.2; 2]),
    ];
    let tables = accuracies(&all).unwrap();
    assert_eq!(tables.len(), 2);
    for (k, method) in METHODS.iter().enumerate() {
        let shifted = if AGNOSTIC_FORMS.contains(method) { 1 } else { 0 };
        // The mean of v and v + 2 points, and √2 with divisor n − 1.
        let text = |more: usize| format!("{}.0 ± 1.4", 41 + k + more);
        assert_eq!(tables[0].cell("0% noise (synthetic)", method).unwrap(), text(0));
        assert_eq!(tables[0].cell("10% noise (synthetic)", method).unwrap(), text(10 * shifted));
        assert_eq!(tables[1].cell("0% noise (synthetic)", method).unwrap(), text(20 * shifted));
    }
}

#[test]
fn a_difference_is_against_the_learner_alone_in_the_same_trial() {
    let calm = accuracy(Source::OneStump, LabelFlips::Noise(0.0), [0.0; 2]);
    let rough = accuracy(Source::OneStump, LabelFlips::Noise(0.1), [0.01, 0.03]);
    // ALONE is second of the methods and Algorithm 1 third: one point more in every trial, so no spread.
    let found = difference(&calm, AGNOSTIC).unwrap();
    assert!((found.mean - 0.01).abs() < 1e-12 && found.std < 1e-12);
    let found = difference(&calm, ADABOOST).unwrap();
    assert!((found.mean - 0.1).abs() < 1e-12);
    // 2 and 4 points: the mean 3, Student's interval with one degree of freedom 12.7062·√2/√2 = 12.7062.
    let found = difference(&rough, AGNOSTIC).unwrap();
    assert!((found.mean - 0.03).abs() < 1e-12 && (found.half_width.unwrap() - 0.127_062).abs() < 1e-9);
    let table = differences(&[calm, rough]).unwrap();
    assert_eq!(table.cell("one-stump, 0% noise (synthetic)", ADABOOST).unwrap(), "+10.0 [+10.0, +10.0]");
    assert_eq!(table.cell("one-stump, 10% noise (synthetic)", AGNOSTIC).unwrap(), "+3.0 [-9.7, +15.7]");
    assert_eq!(table.cell("one-stump, 10% noise (synthetic)", REALIZABLE).unwrap(), "+7.0 [+7.0, +7.0]");
}

#[test]
fn verdicts_are_in_the_row_of_their_source_and_the_column_of_their_noise() {
    let (calm, rough) = (LabelFlips::Noise(0.0), LabelFlips::Noise(0.1));
    let all = [
        accuracy(Source::OneStump, calm, [0.0; 2]),
        accuracy(Source::OneStump, rough, [-0.2; 2]),
        accuracy(Source::Jumps, calm, [0.2, -0.2]),
    ];
    let tables = verdicts(&all).unwrap();
    assert_eq!(tables.len(), AGNOSTIC_FORMS.len());
    for table in &tables {
        assert_eq!(table.row("one-stump (synthetic)").unwrap(), ["better", "worse"]);
        assert_eq!(table.row("jumps (synthetic)").unwrap(), ["as good", "–"]);
    }
}

#[test]
fn other_learners_are_compared_with_themselves_alone() {
    let trial = |t: usize| -> Vec<(String, u64, f64)> {
        let of = |(k, learner): (usize, &str)| {
            let alone = 0.5 + 0.01 * k as f64 + 0.02 * t as f64;
            let mut found = vec![(format!("{learner}, {}", other_learners::ALONE), 0, alone)];
            let forms = AGNOSTIC_FORMS.iter().enumerate();
            found.extend(
                forms.map(|(f, form)| (format!("{learner}, {form}"), 0, alone + 0.01 * (f + k) as f64)),
            );
            found
        };
        other_learners::LEARNERS.into_iter().enumerate().flat_map(of).collect()
    };
    let one = measured(Part::Others, Source::Real(Name::Adult), LabelFlips::Noise(0.2), [trial(0), trial(1)]);
    let tables = others(&[one]).unwrap();
    for (k, learner) in other_learners::LEARNERS.into_iter().enumerate() {
        let cells = tables[0].row(&format!("{learner} (synthetic)")).unwrap();
        assert_eq!(cells[0], format!("{}.0 ± 1.4", 51 + k));
        for (f, cell) in cells[1..].iter().enumerate() {
            let more = f + k;
            assert_eq!(*cell, format!("+{more}.0 [+{more}.0, +{more}.0]"));
        }
    }
}

#[test]
fn gains_are_under_their_curves_in_the_row_of_their_horizon() {
    let trial = |t: f64| {
        let at = |x: u64| {
            vec![(BEST.to_owned(), x, x as f64 + t), ("bound, γ = 1".to_owned(), x, -(x as f64) - t)]
        };
        [at(16), at(32)].concat()
    };
    let one = measured(Part::Rounds, Source::Turns, LabelFlips::Noise(0.2), [trial(0.0), trial(2.0)]);
    assert_eq!(one.interval(BEST, 32).unwrap().mean, 33.0);
    let mut record = Record::new("test", 1, serde_json::Value::Null);
    record.trials.extend(one.recorded(9));
    assert_eq!(record.trials.len(), 8);
    let last = &record.trials[7];
    assert_eq!((last.dataset.as_str(), last.method.as_str()), ("turns, 20% noise", "bound, γ = 1"));
    assert_eq!((last.metric.as_str(), last.trial, last.seed), ("gain a round, T = 32", 1, 9));
    assert_eq!((last.value, last.provenance), (-34.0, Provenance::Synthetic));
    let tables = gains(&[one], Part::Rounds).unwrap();
    assert_eq!(tables[0].row("gain a round, T = 16 (synthetic)").unwrap(), ["17.00 ± 1.4", "-17.00 ± 1.4"]);
    assert_eq!(tables[0].row("gain a round, T = 32 (synthetic)").unwrap(), ["33.00 ± 1.4", "-33.00 ± 1.4"]);
}
