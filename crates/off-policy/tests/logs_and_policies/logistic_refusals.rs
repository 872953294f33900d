//! What the fit of multinomial logistic regression refuses, and that whatever it accepts ends in finite
//! numbers.

use off_policy::policies::{Columns, LogisticTraining, Policy, Softmax};
use off_policy::{ActionSet, LabelError, LabelSets, LogError, PolicyError};
use proptest::prelude::*;
use proptest::sample::select;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};

#[test]
fn what_cannot_be_learnt_from_is_refused() {
    let training = LogisticTraining::builder().ridge(0.1).max_epochs(10).build().unwrap();
    let fit = |values: &[f64], labels: &LabelSets, training: &LogisticTraining| {
        let contexts = RowMatrix::dense(1, values.to_vec()).unwrap();
        training.fit(&contexts, labels, &mut ChaCha8Rng::seed_from_u64(1)).map(|trained| trained.record.epoch)
    };
    let two = LabelSets::single(2, &[0, 1]).unwrap();
    let rows = LabelError::RowCount { expected: 3, got: 2 };
    assert_eq!(fit(&[0.0; 3], &two, &training), Err(rows.into()));
    assert_eq!(fit(&[], &LabelSets::single(2, &[]).unwrap(), &training), Err(LogError::Empty.into()));
    let without = LabelSets::new(2, [vec![0], vec![]]).unwrap();
    assert_eq!(fit(&[0.0, 1.0], &without, &training), Err(LabelError::NoLabel { row: 1 }.into()));
    let three = LabelSets::single(2, &[0; 3]).unwrap();
    assert!(fit(&[1e140; 3], &three, &training).is_ok());
    for large in [1e100, 1e140, 1e-160, 1e-200] {
        assert!(fit(&[large, -large], &two, &training).is_ok_and(|epochs| epochs > 0), "{large:e}");
    }
}

#[test]
fn more_weights_than_can_be_held_are_refused_before_anything_is_drawn_or_held() {
    // The most columns that a matrix has.
    let most = u32::MAX as usize;
    for (inputs, actions) in
        [(most, 2), (most - 1, 2), (most, 1 << 24), (1 << 21, 1 << 20), (1 << 20, 1 << 12)]
    {
        let contexts = RowMatrix::sparse(inputs, vec![0, 0, 0], vec![], vec![]).unwrap();
        let labels = LabelSets::single(actions, &[0, 1]).unwrap();
        let training = LogisticTraining::builder()
            .ridge(0.1)
            .max_epochs(10)
            .build()
            .unwrap()
            .with_early_stopping(0.5, 1)
            .unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let refused = training.fit(&contexts, &labels, &mut rng).map(|trained| trained.record.epoch);
        assert_eq!(refused, Err(PolicyError::TooManyWeights { inputs, actions }));
        assert_eq!(rng, ChaCha8Rng::seed_from_u64(1));
    }
}

#[test]
fn parameters_are_checked_when_made_and_when_loaded() {
    let bad = |name, value, domain| Err(PolicyError::BadParameter { name, value, domain });
    for value in [-1.0, f64::INFINITY] {
        assert_eq!(
            LogisticTraining::builder().ridge(value).max_epochs(1).build(),
            bad("ridge", value, "[0, ∞)")
        );
        let training = LogisticTraining::builder().ridge(0.0).max_epochs(1).build().unwrap();
        assert_eq!(training.with_tolerance(value), bad("tolerance", value, "[0, ∞)"));
    }
    assert!(LogisticTraining::builder().ridge(f64::NAN).max_epochs(1).build().is_err());
    for value in [-0.1, 1.0] {
        let training = LogisticTraining::builder().ridge(0.0).max_epochs(1).build().unwrap();
        assert_eq!(training.with_early_stopping(value, 1), bad("held_out", value, "[0, 1)"));
    }
    let training = LogisticTraining::builder()
        .ridge(0.1 + 0.2)
        .max_epochs(7)
        .build()
        .unwrap()
        .with_early_stopping(0.25, 3)
        .unwrap();
    let text = serde_json::to_string(&training).unwrap();
    assert_eq!(serde_json::from_str::<LogisticTraining>(&text).unwrap(), training);
    for (from, to) in [("0.30000000000000004", "-0.3"), ("0.25", "1.0"), ("1e-6", "-1e-6")] {
        assert!(text.contains(from), "{from} is not in {text}");
        assert!(serde_json::from_str::<LogisticTraining>(&text.replace(from, to)).is_err());
    }
}

const VALUES: &[f64] = &[0.0, 1.0, -1.0, 3.5, 1e-300, 5e-324, 1e5, 1e9, -1e105, 1e130, 1e140, -1e140];

proptest! {
    #[test]
    fn a_fit_ends_in_a_policy_or_a_refusal(
        rows in prop::collection::vec(prop::collection::vec(select(VALUES), 2), 1..8),
        labels in prop::collection::vec(prop::collection::vec(0_u32..3, 1..3), 8),
        ridge in select(&[0.0, 1e-9, 0.1, 1e130][..]),
        share in select(&[0.0, 0.3, 0.999][..]),
        columns in select(&[Columns::Standardised, Columns::Raw][..]),
    ) {
        let n = rows.len();
        let contexts = RowMatrix::dense(2, rows.concat()).unwrap();
        let labels = LabelSets::new(3, &labels[..n]).unwrap();
        let training = LogisticTraining::builder().ridge(ridge).max_epochs(20).build().unwrap().with_columns(columns);
        let training = training.with_early_stopping(share, 2).unwrap();
        let Ok(trained) = training.fit(&contexts, &labels, &mut ChaCha8Rng::seed_from_u64(1)) else {
            return Ok(());
        };
        prop_assert!(trained.record.objective.iter().all(|value| value.is_finite()));
        prop_assert!(trained.record.objective.windows(2).all(|pair| pair[1] < pair[0]));
        let policy = Softmax::new(trained.model, 1.0).unwrap();
        let mut pi = [0.0; 3];
        policy.probabilities(Row::dense(&[0.0, 1.0]).unwrap(), ActionSet::all(3).unwrap(), &mut pi).unwrap();
        prop_assert!((pi.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
