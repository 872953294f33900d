//! Naive Bayes against its estimates summed afresh over every prefix, and at the limits of doubles.

#![allow(clippy::unwrap_used, reason = "a refusal that is not expected fails the test")]

mod streams;

use proptest::prelude::*;
use rows::Row;
use streams::Stream;
use weak_learners::online::NaiveBayes;
use weak_learners::{Label, OnlineClassifier, OnlinePredictor};

/// The class's examples, each written out.
type Sample = Vec<Vec<f64>>;

/// ln P(y) + Σ_j ln P(x_j | y) of the documentation for one class, up to what both classes share.
fn log_likelihood(x: &[f64], of: &Sample, other: &Sample) -> f64 {
    let n = of.len() as f64;
    let mut sum = (n + 1.0).ln();
    for (j, &x_j) in x.iter().enumerate() {
        let values =
            |sample: &Sample| -> Vec<f64> { sample.iter().map(|x| x[j]).filter(|x_j| *x_j != 0.0).collect() };
        let (own, mut all) = (values(of), values(of));
        all.extend(values(other));
        let k = own.len() as f64;
        if x_j == 0.0 {
            sum += ((n - k + 1.0) / (n + 2.0)).ln();
            continue;
        }
        sum += ((k + 1.0) / (n + 2.0)).ln();
        if all.iter().all(|v| *v == all[0]) {
            continue;
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let pooled = mean(&all);
        let variance = mean(&all.iter().map(|v| (v - pooled) * (v - pooled)).collect::<Vec<_>>());
        // The class's values and one more, of this mean and variance.
        let centre = (own.iter().sum::<f64>() + pooled) / (k + 1.0);
        let squares: f64 = own.iter().map(|v| (v - centre) * (v - centre)).sum();
        let variance = (squares + variance + (pooled - centre) * (pooled - centre)) / (k + 1.0);
        sum -= 0.5 * variance.ln() + 0.5 * (x_j - centre) * (x_j - centre) / variance;
    }
    sum
}

/// Each example is asked about before it is learnt, on every prefix.
fn agrees_with_the_batch(examples: impl Iterator<Item = (Vec<f64>, Label)>, m: usize) {
    let mut learner = NaiveBayes::new(m).unwrap();
    let (mut minus, mut plus) = (Sample::new(), Sample::new());
    for (t, (x, y)) in examples.enumerate() {
        let batch = log_likelihood(&x, &plus, &minus) - log_likelihood(&x, &minus, &plus);
        let row = Row::dense(&x).unwrap();
        let odds = learner.log_odds(row).unwrap();
        assert!((odds - batch).abs() <= 1e-7 * (1.0 + batch.abs()), "round {t}: {odds} against {batch}");
        let vote = learner.round(row, y).unwrap();
        assert!(batch.abs() < 1e-6 || vote == Label::of_score(batch), "round {t}");
        if y == Label::Plus { &mut plus } else { &mut minus }.push(x);
        assert_eq!(learner.examples(Label::Plus), plus.len() as u64);
        assert_eq!(learner.examples(Label::Minus), minus.len() as u64);
    }
}

#[test]
fn it_is_the_batch_classifier_of_every_prefix() {
    for (stream, rounds) in [(Stream::raw_adult(), 200), (Stream::adult(), 200), (Stream::letter(), 400)] {
        let examples = stream.iter().take(rounds).map(|(x, y)| (x.to_dense(), y));
        agrees_with_the_batch(examples, stream.rows.dimension());
    }
}

proptest! {
    /// Few values, many ties: constant features, classes without a value, labels of one kind only.
    #[test]
    fn it_is_the_batch_classifier_of_small_samples(
        examples in prop::collection::vec((prop::collection::vec(-1..3_i32, 3), any::<bool>()), 1..30),
    ) {
        let label = |coin| if coin { Label::Plus } else { Label::Minus };
        let examples = examples.into_iter();
        agrees_with_the_batch(examples.map(|(x, y)| (x.into_iter().map(f64::from).collect(), label(y))), 3);
    }

    /// The unit of a feature does not matter, up to the ends of the range.
    #[test]
    fn scale_does_not_matter(
        examples in prop::collection::vec((prop::collection::vec(-2.0..2.0_f64, 2), any::<bool>()), 2..40),
        e in -1000..460_i32,
    ) {
        let (mut near, mut far) = (NaiveBayes::new(2).unwrap(), NaiveBayes::new(2).unwrap());
        for (x, coin) in &examples {
            let y = if *coin { Label::Plus } else { Label::Minus };
            let scaled = [x[0] * 2.0_f64.powi(e), x[1]];
            let (x, scaled) = (Row::dense(x).unwrap(), Row::dense(&scaled).unwrap());
            let (odds, of_scaled) = (near.log_odds(x).unwrap(), far.log_odds(scaled).unwrap());
            prop_assert!((odds - of_scaled).abs() <= 1e-9 * (1.0 + odds.abs()), "{odds} {of_scaled}");
            near.update(x, &y).unwrap();
            far.update(scaled, &y).unwrap();
        }
    }
}

/// A large mean beside a small deviation, which a sum of squares would lose.
#[test]
fn moments_do_not_cancel() {
    let mut learner = NaiveBayes::new(1).unwrap();
    for t in 0..4000 {
        let wave = f64::from(t % 10) - 4.5;
        let (x, y) = if t % 2 == 0 { (1e9 + wave, Label::Plus) } else { (1e9 + 20.0 + wave, Label::Minus) };
        let vote = learner.round(Row::dense(&[x]).unwrap(), y).unwrap();
        assert!(t < 10 || vote == y, "round {t}");
    }
}

/// A value far from all others is more likely in the class that varies more, however far it is.
#[test]
fn far_values() {
    for (wide, narrow) in [(Label::Plus, Label::Minus), (Label::Minus, Label::Plus)] {
        for unit in [1.0, 1e-300, 1e105] {
            let mut learner = NaiveBayes::new(2).unwrap();
            for t in 0..100 {
                let v = if t % 4 < 2 { unit } else { -unit };
                let (x, y) = if t % 2 == 0 { ([3.0 * v, v], wide) } else { ([v, v], narrow) };
                learner.update(Row::dense(&x).unwrap(), &y).unwrap();
            }
            for x in [9.0 * unit, 1e110, -1e129, 1e140, -1e140] {
                let x = [x, x];
                assert!(learner.log_odds(Row::dense(&x).unwrap()).unwrap().is_finite());
                assert_eq!(learner.vote(Row::dense(&x).unwrap()).unwrap(), wide, "{x:?} in units of {unit}");
            }
        }
    }
}

/// A deviation of values at both ends of the range stays in it, and what was learnt can be saved and loaded.
#[test]
fn the_ends_of_the_range_for_long() {
    let mut learner = NaiveBayes::new(2).unwrap();
    for t in 0..3000 {
        let end = |even: bool| if even { 1e140 } else { -1e140 };
        let x = [end(t % 2 == 0), end(t % 3 == 0)];
        let y = if t % 5 < 2 { Label::Plus } else { Label::Minus };
        learner.round(Row::dense(&x).unwrap(), y).unwrap();
        if t % 10 == 0 {
            let text = serde_json::to_string(&learner).unwrap();
            assert_eq!(serde_json::from_str::<NaiveBayes>(&text).unwrap(), learner, "round {t}");
        }
    }
}

/// The smallest doubles are told apart, also by their mean: half of one is none.
#[test]
fn the_smallest_values() {
    let tiny = 5e-324;
    let mut learner = NaiveBayes::new(1).unwrap();
    for t in 0..40 {
        let (x, y) = if t % 2 == 0 { (tiny, Label::Plus) } else { (3.0 * tiny, Label::Minus) };
        let vote = learner.round(Row::dense(&[x]).unwrap(), y).unwrap();
        assert!(t < 4 || vote == y, "round {t}");
    }
    let text = serde_json::to_string(&learner).unwrap();
    assert!(text.contains("\"mean\":5e-324") && text.contains("\"mean\":1.5e-323"), "{text}");
}

/// Deviations narrower than those of doubles, which only a loaded learner has: their odds are odds.
#[test]
fn narrow_deviations() {
    let of_class = |deviation: f64| format!("{{\"count\":2,\"mean\":1.0,\"deviation\":{deviation:e}}}");
    for (minus, plus) in [(1e-150, 2e-150), (2e-150, 1e-150), (1e-150, 1e-160), (1e-60, 3e-60)] {
        let moments = format!("{},{}", of_class(minus), of_class(plus));
        let text = format!("{{\"examples\":[2,2],\"features\":[[{moments}]]}}");
        let learner: NaiveBayes = serde_json::from_str(&text).unwrap();
        for x in [1.0, 2.0, -1.0, 1e99, 1e140, -1e140] {
            let odds = learner.log_odds(Row::dense(&[x]).unwrap()).unwrap();
            assert!(odds.is_finite(), "{odds} at {x} with deviations {minus} and {plus}");
        }
    }
}

/// On adult it is worth boosting: better than the majority of 76% by far more than chance.
#[test]
fn it_learns_adult() {
    let stream = Stream::adult();
    let (mut learner, mut right, rounds) = (NaiveBayes::new(stream.rows.dimension()).unwrap(), 0, 5_000);
    for (x, y) in stream.iter().take(rounds) {
        right += usize::from(learner.round(x, y).unwrap() == y);
    }
    assert!(!stream.is_real || right * 100 > rounds * 79, "{right} of {rounds}");
}

/// A saved learner is checked when it is loaded, and refuses numbers that no stream leads to.
#[test]
fn what_is_loaded_is_checked() {
    assert!(NaiveBayes::new(0).is_err());
    let mut learner = NaiveBayes::new(1).unwrap();
    for x in [2.0, 4.0] {
        learner.update(Row::dense(&[x]).unwrap(), &Label::Plus).unwrap();
    }
    let text = serde_json::to_string(&learner).unwrap();
    assert!(serde_json::from_str::<NaiveBayes>(&text).is_ok());
    for (from, to) in [
        ("\"examples\":[0,2]", "\"examples\":[0,1]"),
        ("\"examples\":[0,2]", "\"examples\":[0,9007199254740993]"),
        ("\"count\":2", "\"count\":3"),
        ("\"count\":2", "\"count\":1"),
        ("\"count\":2", "\"count\":0"),
        ("\"deviation\":1.0", "\"deviation\":-1.0"),
        ("\"mean\":0.0", "\"mean\":1.0"),
        ("\"mean\":3.0", "\"mean\":null"),
        ("\"mean\":3.0", "\"mean\":1e141"),
        ("\"deviation\":1.0", "\"deviation\":1e141"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        assert!(serde_json::from_str::<NaiveBayes>(&text.replace(from, to)).is_err(), "{to}");
    }
    assert!(serde_json::from_str::<NaiveBayes>("{\"examples\":[0,0],\"features\":[]}").is_err());
}

/// A class that has all the examples that can be counted learns from no other, so that what is saved can be
/// loaded.
#[test]
fn counting_ends_where_doubles_do() {
    let text = "{\"examples\":[0,4503599627370496],\"features\":[[{\"count\":0,\"mean\":0.0,\"deviation\":0.0},\
                {\"count\":4503599627370496,\"mean\":3.0,\"deviation\":1.0}]]}";
    let mut learner: NaiveBayes = serde_json::from_str(text).unwrap();
    learner.update(Row::dense(&[2.0]).unwrap(), &Label::Plus).unwrap();
    assert_eq!(serde_json::to_string(&learner).unwrap(), text);
    learner.update(Row::dense(&[2.0]).unwrap(), &Label::Minus).unwrap();
    let text = serde_json::to_string(&learner).unwrap();
    assert_eq!(serde_json::from_str::<NaiveBayes>(&text).unwrap(), learner);
    assert_eq!((learner.examples(Label::Minus), learner.examples(Label::Plus)), (1, 1 << 52));
}
