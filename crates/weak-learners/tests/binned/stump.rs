//! The stump on bins is the best of all cuts, and its votes are those row by row.

use crate::exact_sum::sum_of_products;
use crate::{Rows, rows};
use proptest::prelude::*;
use proptest::sample::select;
use weak_learners::Label;
use weak_learners::batch::{
    BinnedColumns, BinnedStump, ExactStump, Hypothesis, Sample, SortedColumns, Stump, WeakLearner,
};

/// Both constants, then the stumps on every cut, in the order of the ties.
fn all_stumps(sample: &BinnedColumns) -> Vec<Stump> {
    let d = sample.inputs();
    let sides = [Label::Plus, Label::Minus];
    let mut stumps: Vec<Stump> = sides.map(|s| Stump::constant(d, s).unwrap()).into();
    for j in 0..d {
        for cut in sample.cuts(j) {
            stumps.extend(sides.map(|s| Stump::new(d, j, *cut, s).unwrap()));
        }
    }
    stumps
}

/// Σ w_i a_i h(x_i), term by term.
fn edge(h: &Stump, sample: &impl Sample, targets: &[f64], weights: &[f64]) -> f64 {
    let mut edge = 0.0;
    let mut visit = |i: usize, x: rows::Row<'_>| {
        edge += weights[i] * targets[i] * h.predict(x)?;
        Ok(())
    };
    sample.try_for_each(&mut visit).unwrap();
    edge
}

/// The first of the best, by brute force.
fn best_of_all(sample: &BinnedColumns, targets: &[f64], weights: &[f64]) -> Stump {
    let (mut best, mut most) = (None, f64::NEG_INFINITY);
    for stump in all_stumps(sample) {
        let edge = edge(&stump, sample, targets, weights);
        if edge > most {
            (best, most) = (Some(stump), edge);
        }
    }
    best.unwrap()
}

fn pattern(values: &'static [f64]) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(select(values), 41)
}

/// Sums of products of these are exact, so that ties are ties; few and many weights are 0.
const TARGETS: &[f64] = &[-1.0, -0.5, 0.0, 0.25, 1.0, 1.0, -1.0];
const MANY: &[f64] = &[0.0, 0.25, 1.0, 1.0, 3.0, 2.0, 5.0, 1.0];
const FEW: &[f64] = &[0.0, 0.0, 0.0, 0.25, 1.0];

/// Categories, one-hot: columns of which no row has two, which are counted as one. Of two values that halve
/// the rows the columns are each other's opposite, so that every cut ties with another.
#[test]
fn the_stump_on_one_hot_columns_is_the_exact_one() {
    let (m, categories) = (300, [2, 5, 1, 9]);
    let d = categories.iter().sum::<usize>() + 1;
    let value = |i: usize, k: usize| (i * (k + 3) + i * i / 5) % (2 * categories[k]) % categories[k];
    let mut rows = vec![0.0; m * d];
    for (i, row) in rows.chunks_exact_mut(d).enumerate() {
        let mut first = 0;
        for (k, values) in categories.iter().enumerate() {
            row[first + value(i, k)] = 1.0;
            first += values;
        }
        row[first] = (i % 17) as f64;
    }
    let matrix = rows::RowMatrix::dense(d, rows).unwrap();
    let binned = BinnedColumns::new(matrix.clone()).unwrap();
    let sorted = SortedColumns::new(matrix).unwrap();
    let (mut learner, mut exact) = (BinnedStump::default(), ExactStump::default());
    let mut features = std::collections::BTreeSet::new();
    for round in 0..60 {
        let sign = |i: usize| if (i * i + i * round) % 7 < 3 { 1.0 } else { -1.0 };
        let targets: Vec<f64> = (0..m).map(sign).collect();
        // Some are 0, in some rounds most.
        let weight = |i: usize| ((i * 13 + i * i * round) % (2 + round % 5)) as f64;
        let mut weights: Vec<f64> = (0..m).map(weight).collect();
        weights[m / 2] = 1.0;
        let stump = learner.train(&binned, &targets, &weights).unwrap();
        assert_eq!(stump, exact.train(&sorted, &targets, &weights).unwrap(), "round {round}");
        features.extend(stump.split().map(|(feature, _)| feature));
    }
    assert!(features.len() > 5, "{features:?}");
}

proptest! {
    #[test]
    fn the_stump_is_the_best_of_all_cuts_with_ties_in_the_stated_order(
        rows in rows(40),
        bins in select(&[2, 3, 7, 256][..]),
        targets in pattern(TARGETS),
        weights in prop_oneof![pattern(MANY), pattern(FEW)],
    ) {
        let m = rows.rows.len();
        let (targets, mut weights) = (&targets[..m], weights[..m].to_vec());
        weights[m / 2] = 2.0;
        let sample = BinnedColumns::with_bins(rows.dense(), bins).unwrap();
        let best = best_of_all(&sample, targets, &weights);
        let mut learner = BinnedStump::default();
        prop_assert_eq!(learner.train(&sample, targets, &weights).unwrap(), best);
        let sparse = BinnedColumns::with_bins(rows.sparse(), bins).unwrap();
        prop_assert_eq!(learner.train(&sparse, targets, &weights).unwrap(), best, "sparse");
        // Near the largest weights, and subnormal ones.
        for half_shift in [215, -498, -530] {
            let factor = 2_f64.powi(half_shift);
            let scaled: Vec<f64> = weights.iter().map(|w| w * factor * factor).collect();
            prop_assert_eq!(learner.train(&sample, targets, &scaled).unwrap(), best, "2^{}", 2 * half_shift);
        }
        // The examples of positive weight, with the cuts of all.
        let weighs = |i: &usize| weights[*i] > 0.0;
        let kept: Vec<usize> = (0..m).filter(weighs).collect();
        let present = Rows { inputs: rows.inputs, rows: kept.iter().map(|i| rows.rows[*i].clone()).collect() };
        let only = |values: &[f64]| kept.iter().map(|i| values[*i]).collect::<Vec<f64>>();
        let present = sample.binned_like(present.dense()).unwrap();
        let again = learner.train(&present, &only(targets), &only(&weights)).unwrap();
        prop_assert_eq!(again, best, "weight 0 is absent");
    }

    #[test]
    fn its_edge_is_that_of_the_exact_stump_where_each_value_has_a_bin(
        rows in rows(40),
        targets in prop::collection::vec(-1.0..1.0, 41),
        weights in prop::collection::vec(prop_oneof![Just(0.0), 0.0..1.0], 41),
    ) {
        let m = rows.rows.len();
        let (targets, mut weights) = (&targets[..m], weights[..m].to_vec());
        weights[0] = 0.1;
        let (binned, sorted) =
            (BinnedColumns::new(rows.dense()).unwrap(), SortedColumns::new(rows.dense()).unwrap());
        let found = BinnedStump::default().train(&binned, targets, &weights).unwrap();
        let exact = ExactStump::default().train(&sorted, targets, &weights).unwrap();
        let answer = |h: &Stump, i: usize| h.predict(rows::Row::dense(&rows.rows[i]).unwrap()).unwrap();
        let difference = |i: usize| targets[i] * (answer(&exact, i) - answer(&found, i));
        let gap = sum_of_products((0..m).map(|i| (weights[i], difference(i))));
        // Both edges are as good as computed, and right to this.
        let total: f64 = weights[..m].iter().sum();
        let sizes: f64 = weights.iter().zip(targets).map(|(w, a)| w * a.abs()).sum();
        let right_to = 2_f64.powi(-60) * m as f64 * total + 2_f64.powi(-53) * sizes;
        prop_assert!(gap.abs() <= 2.0 * right_to, "{found:?} falls short of {exact:?} by {gap}");
    }

    #[test]
    fn its_votes_on_bins_are_those_row_by_row(rows in rows(20), other in rows(8), bins in 2_u16..9) {
        let sample = BinnedColumns::with_bins(rows.dense(), bins).unwrap();
        let mut samples = vec![BinnedColumns::with_bins(rows.sparse(), bins).unwrap()];
        samples.extend(sample.binned_like(other.dense()).ok());
        let foreign = [0.3, -7.0, 5e-324, 1e140, -1e140];
        let foreign = foreign.map(|theta| Stump::new(rows.inputs, 0, theta, Label::Minus).unwrap());
        for stump in all_stumps(&sample).iter().chain(&foreign) {
            for sample in samples.iter().chain([&sample]) {
                let expected: Vec<f64> = sample.matrix().iter().map(|x| stump.predict(x).unwrap()).collect();
                let mut votes = vec![0.0; sample.size()];
                BinnedStump::default().evaluate(stump, sample, &mut votes).unwrap();
                prop_assert_eq!(&votes, &expected);
            }
        }
    }
}

/// Enough bins for threads, more values than bins, columns that repeat: the stump is that of the caller's
/// thread, with all rows and with a list of some.
#[test]
fn the_number_of_threads_does_not_show() {
    let wave = |i: usize, j: usize| ((i * i + 31 * (j % 30) * i) as f64 * 0.37).sin();
    let rows = Rows { inputs: 63, rows: (0..8500).map(|i| (0..63).map(|j| wave(i, j)).collect()).collect() };
    let sample = BinnedColumns::new(rows.dense()).unwrap();
    let m = rows.rows.len();
    for (seed, every) in [(1, 1), (2, 1), (3, 2), (4, 2)] {
        let targets: Vec<f64> = (0..m).map(|i| wave(i + 7919 * seed, 5)).collect();
        let weights: Vec<f64> =
            (0..m).map(|i| if i.is_multiple_of(every) { wave(i, 40 + seed).abs() } else { 0.0 }).collect();
        let train = || BinnedStump::default().train(&sample, &targets, &weights).unwrap();
        let alone = train();
        let (feature, _) = alone.split().unwrap();
        assert!(feature < 30, "the lowest of equal columns, not {feature}");
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(train), alone, "{threads} threads");
        }
        let most = all_stumps(&sample)
            .iter()
            .step_by(97)
            .map(|stump| edge(stump, &sample, &targets, &weights))
            .fold(0.0, f64::max);
        assert!(edge(&alone, &sample, &targets, &weights) > most - 1e-9);
    }
}

/// Weights that no double sums without an error: the order of the rows and the sign of a column do not decide
/// a tie.
#[test]
fn ties_are_ties_with_any_weights() {
    for seed in 0..200 {
        let wave = |i: usize, k: f64| ((i * i + 31 * seed + 1) as f64 * k).sin();
        let x = |i: usize| (4.0 * wave(i, 0.77)).round();
        let rows = Rows { inputs: 3, rows: (0..40).map(|i| vec![x(i), -x(i), x(i)]).collect() };
        let (targets, weights): (Vec<f64>, Vec<f64>) =
            (0..40).map(|i| (wave(i, 0.31), wave(i, 0.53).abs())).unzip();
        let sample = BinnedColumns::new(rows.dense()).unwrap();
        let stump = BinnedStump::default().train(&sample, &targets, &weights).unwrap();
        assert!(stump.split().is_none_or(|(feature, _)| feature == 0), "seed {seed}: {stump:?}");
    }
}

/// A light example counts beside a heavy one down to 2^−61 of the total.
#[test]
fn a_light_example_counts_beside_a_heavy_one() {
    let rows = Rows { inputs: 1, rows: vec![vec![3.0], vec![1.0], vec![2.0]] };
    let sample = BinnedColumns::new(rows.dense()).unwrap();
    for (epsilon, unit) in [1e-6, 1e-17].into_iter().flat_map(|e| [1.0, 1e130, 1e-280].map(|unit| (e, unit)))
    {
        let weights = [unit, epsilon * unit, epsilon * unit];
        let stump = BinnedStump::default().train(&sample, &[1.0, -1.0, -1.0], &weights).unwrap();
        assert_eq!(stump, Stump::new(1, 0, 2.5, Label::Plus).unwrap(), "{epsilon} of {unit}");
    }
    let all_zero = BinnedStump::default().train(&sample, &[0.0; 3], &[1.0; 3]).unwrap();
    assert_eq!(all_zero, Stump::constant(1, Label::Plus).unwrap());
}
