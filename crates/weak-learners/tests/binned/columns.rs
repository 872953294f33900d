//! The bins of a column, as documented.

use crate::{Rows, rows};
use proptest::prelude::*;
use rows::{Missing, RowMatrix};
use weak_learners::batch::{BinnedColumns, BinnedStump, BinnedTree, Hypothesis, LeafAnswer, WeakLearner};
use weak_learners::{Label, LearnerError};

/// The bins, filled one value after the other: at most s rows, or one value; values that stand for missing in
/// bins of their own.
fn filled(values: &[(f64, usize)], s: usize, most: u16) -> Vec<Vec<(f64, usize)>> {
    let mut bins: Vec<Vec<(f64, usize)>> = Vec::new();
    let ends_apart = most > 2 || values[0].0 > -1e140;
    for value in values {
        let apart = |bin: &[(f64, usize)]| bin[0].0 == -1e140 || (value.0 == 1e140 && ends_apart);
        let rows = |bin: &[(f64, usize)]| bin.iter().map(|(_, count)| count).sum::<usize>() + value.1;
        match bins.last_mut() {
            Some(bin) if !apart(bin) && rows(bin) <= s => bin.push(*value),
            _ => bins.push(vec![*value]),
        }
    }
    bins
}

/// The guarantee of `with_bins` on the cuts of every column.
fn cuts_are_as_stated(rows: &Rows, bins: u16) {
    let sample = BinnedColumns::with_bins(rows.dense(), bins).unwrap();
    for j in 0..rows.inputs {
        let values = rows.column(j);
        let s = (0..).find(|s| filled(&values, *s, bins).len() <= usize::from(bins)).unwrap();
        let expected = filled(&values, s, bins);
        let cuts = sample.cuts(j);
        assert_eq!(cuts.len() + 1, expected.len(), "{bins} bins, s = {s}, column {values:?}, cuts {cuts:?}");
        for (cut, pair) in cuts.iter().zip(expected.windows(2)) {
            let (below, above) = (pair[0].last().unwrap().0, pair[1][0].0);
            assert!(below < *cut && *cut <= above, "{below} {cut} {above}");
            let middle = below.midpoint(above);
            assert!(*cut == middle || middle == below, "{cut} is not midway between {below} and {above}");
        }
    }
}

/// x is in bin b where c_b ≤ x < c_(b+1).
fn bins_follow_the_cuts(rows: &Rows, sample: &BinnedColumns) {
    for j in 0..rows.inputs {
        let cuts = sample.cuts(j);
        assert_eq!(sample.bins(j).len(), rows.rows.len());
        for (row, bin) in rows.rows.iter().zip(sample.bins(j)) {
            let bin = usize::from(*bin);
            assert!(bin == 0 || cuts[bin - 1] <= row[j], "{} in bin {bin} of {cuts:?}", row[j]);
            assert!(bin == cuts.len() || row[j] < cuts[bin], "{} in bin {bin} of {cuts:?}", row[j]);
        }
    }
    assert!(sample.bins(rows.inputs).is_empty() && sample.cuts(usize::MAX).is_empty(), "no such column");
}

proptest! {
    #[test]
    fn bins_are_cut_and_counted_as_stated(rows in rows(40), other in rows(10), bins in 2_u16..12) {
        for bins in [bins, 256] {
            cuts_are_as_stated(&rows, bins);
            let dense = BinnedColumns::with_bins(rows.dense(), bins).unwrap();
            bins_follow_the_cuts(&rows, &dense);
            let sparse = BinnedColumns::with_bins(rows.sparse(), bins).unwrap();
            for j in 0..rows.inputs {
                prop_assert_eq!((dense.cuts(j), dense.bins(j)), (sparse.cuts(j), sparse.bins(j)));
            }
            let text = serde_json::to_string(&dense).unwrap();
            prop_assert_eq!(serde_json::from_str::<BinnedColumns>(&text).unwrap(), dense.clone());
            match dense.binned_like(other.sparse()) {
                Ok(like) => {
                    prop_assert!((0..rows.inputs).all(|j| like.cuts(j) == dense.cuts(j)));
                    bins_follow_the_cuts(&other, &like);
                }
                Err(error) => {
                    let expected = LearnerError::InputDimension { expected: rows.inputs, got: other.inputs };
                    prop_assert!(rows.inputs != other.inputs && error == expected);
                }
            }
        }
    }
}

/// One value in nine of ten rows takes a bin, and the others share the rest evenly.
#[test]
fn a_column_with_more_values_than_bins_has_even_ones() {
    let value = |i: usize| if i.is_multiple_of(10) { ((i * i + 1) as f64).sin() } else { 0.0 };
    let rows = Rows { inputs: 2, rows: (0..6000).map(|i| vec![value(i), ((7 * i) as f64).cos()]).collect() };
    let sample = BinnedColumns::new(rows.dense()).unwrap();
    cuts_are_as_stated(&rows, 256);
    bins_follow_the_cuts(&rows, &sample);
    let largest = |j: usize| {
        let mut counts = [0; 256];
        sample.bins(j).iter().for_each(|bin| counts[usize::from(*bin)] += 1);
        counts.sort_unstable();
        (counts[254], counts[255])
    };
    assert_eq!(largest(0), (3, 5400), "600 other values");
    assert_eq!(largest(1), (24, 24));
}

#[test]
fn a_missing_value_is_split_off_alone() {
    for (missing, bin, polarity) in [(Missing::Lowest, 0, Label::Minus), (Missing::Highest, 2, Label::Plus)] {
        let mut values = vec![1.0, f64::NAN, 2.0, f64::NAN];
        assert_eq!(missing.fill(&mut values), 2);
        let sample = BinnedColumns::new(RowMatrix::dense(1, values).unwrap()).unwrap();
        assert_eq!([sample.bins(0)[1], sample.bins(0)[3]], [bin; 2]);
        let stump = BinnedStump::default().train(&sample, &[-1.0, 1.0, -1.0, 1.0], &[1.0; 4]).unwrap();
        assert_eq!(stump.polarity(), polarity);
        let mut row = [f64::NAN];
        missing.fill(&mut row);
        assert_eq!(stump.predict(rows::Row::dense(&row).unwrap()), Ok(1.0));
    }
}

/// Three of many rows miss the value that all others have, each its own: a stump and a tree find those three.
#[test]
fn a_few_missing_values_are_split_off_alone_among_many_others() {
    let m = 5000;
    let cases = [2, 256].into_iter().flat_map(|most| [(Missing::Lowest, most), (Missing::Highest, most)]);
    for (missing, most) in cases {
        let is_missing = |i: usize| [17, 1700, 4999].contains(&i);
        let value = |i: usize| if is_missing(i) { f64::NAN } else { (i as f64).sin() };
        let mut values: Vec<f64> = (0..m).map(value).collect();
        assert_eq!(missing.fill(&mut values), 3);
        let sample = BinnedColumns::with_bins(RowMatrix::dense(1, values).unwrap(), most).unwrap();
        let targets: Vec<f64> = (0..m).map(|i| if is_missing(i) { 1.0 } else { -1.0 }).collect();
        let mut votes = vec![0.0; m];
        let mut stump = BinnedStump::default();
        let found = stump.train(&sample, &targets, &vec![1.0; m]).unwrap();
        stump.evaluate(&found, &sample, &mut votes).unwrap();
        assert_eq!(votes, targets, "{missing:?}, {most} bins");
        let mut tree = BinnedTree::new(3, LeafAnswer::Mean, 0.0).unwrap();
        let found = tree.train(&sample, &targets, &vec![1.0; m]).unwrap();
        tree.evaluate(&found, &sample, &mut votes).unwrap();
        assert_eq!((votes, found.leaves()), (targets, 2), "{missing:?}, {most} bins");
    }
}

#[test]
fn what_makes_no_sample_is_refused_when_it_is_made_and_when_it_is_loaded() {
    let nothing = RowMatrix::dense(1, vec![]).unwrap();
    assert_eq!(BinnedColumns::new(nothing.clone()), Err(LearnerError::Empty { argument: "sample" }));
    let sample = BinnedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 4.0]).unwrap()).unwrap();
    assert_eq!(sample.binned_like(nothing), Err(LearnerError::Empty { argument: "sample" }));
    for bins in [0, 1, 257] {
        let refused = BinnedColumns::with_bins(sample.matrix().clone(), bins);
        assert!(matches!(refused, Err(LearnerError::BadParameter { name: "bins", .. })), "{bins}");
    }
    let text = serde_json::to_string(&sample).unwrap();
    assert!(text.contains("[[1.5,3.0]]"), "{text}");
    let many = format!("[{:?}]", (0..256).map(f64::from).collect::<Vec<_>>());
    for cuts in ["[[3.0,1.5]]", "[[1.5,1.5]]", "[[1.5],[3.0]]", "[]", &many] {
        assert!(serde_json::from_str::<BinnedColumns>(&text.replace("[[1.5,3.0]]", cuts)).is_err(), "{cuts}");
    }
}
