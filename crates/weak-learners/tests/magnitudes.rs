//! Numbers beyond 1e140 are refused where they enter, and leave the learner as it was; 1e140 itself is legal.

use oco_core::StepSchedule;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::numeric::LARGEST;
use rows::{Row, RowMatrix};
use weak_learners::batch::{BinnedColumns, BinnedStump, ExactStump, SortedColumns, WeakLearner};
use weak_learners::online::{GrownStumps, Thresholds};
use weak_learners::pairs::{
    BinnedContexts, HistogramPairTree, PairGrowth, PairLearner, PairRound, PairWeights,
};
use weak_learners::{LearnerError, OgdLinear, OnlinePredictor, Shape};

/// The least number that is refused.
fn beyond() -> f64 {
    LARGEST.next_up()
}

fn is_too_large<T>(refused: &Result<T, LearnerError>) -> bool {
    matches!(refused, Err(LearnerError::TooLarge { value, .. }) if value.abs() == beyond())
}

#[test]
fn gradients() {
    let shape = Shape { inputs: 1, outputs: 2 };
    let mut learner = OgdLinear::new(shape, StepSchedule::constant(1.0).unwrap(), 2.0).unwrap();
    let x = [LARGEST];
    let x = Row::dense(&x).unwrap();
    learner.update(x, &[LARGEST, -LARGEST]).unwrap();
    let before = serde_json::to_string(&learner).unwrap();
    for g in [[beyond(), 0.0], [0.0, -beyond()]] {
        assert!(is_too_large(&learner.update(x, &g)), "{g:?}");
        assert!(is_too_large(&learner.accepts(x, &g)), "{g:?}");
    }
    assert_eq!(serde_json::to_string(&learner).unwrap(), before);
    let mut y = [0.0; 2];
    learner.predict(x, &mut y).unwrap();
    // The weights are on the sphere of radius 2.
    assert!((y[0] / LARGEST + 2.0_f64.sqrt()).abs() < 1e-9 && (y[1] / LARGEST - 2.0_f64.sqrt()).abs() < 1e-9);
}

#[test]
fn weights_of_examples() {
    let rows = RowMatrix::dense(1, vec![0.0, LARGEST, -LARGEST]).unwrap();
    let (sorted, binned) = (SortedColumns::new(rows.clone()).unwrap(), BinnedColumns::new(rows).unwrap());
    let targets = [1.0, 1.0, -1.0];
    let (mut exact, mut bins) = (ExactStump::default(), BinnedStump::default());
    let stump = exact.train(&sorted, &targets, &[LARGEST; 3]).unwrap();
    assert_eq!(bins.train(&binned, &targets, &[LARGEST; 3]).unwrap(), stump);
    for weights in [[1.0, beyond(), 1.0], [LARGEST, LARGEST, beyond()]] {
        assert!(is_too_large(&exact.train(&sorted, &targets, &weights)));
        assert!(is_too_large(&bins.train(&binned, &targets, &weights)));
    }
}

#[test]
fn gradients_and_weights_of_pairs() {
    let contexts = BinnedContexts::new(RowMatrix::dense(1, vec![0.0, 1.0]).unwrap()).unwrap();
    let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
    let (g, h) = ([LARGEST, -LARGEST], [LARGEST; 2]);
    let round = PairRound::new(2, 1, &g, PairWeights::OfExamples(&h)).unwrap();
    let mut values = [0.0; 2];
    HistogramPairTree::new(growth).train(&contexts, &round, &mut values).unwrap();
    assert_eq!(values, [1.0, -1.0]);
    assert!(is_too_large(&PairRound::new(2, 1, &[1.0, -beyond()], PairWeights::OfExamples(&h))));
    assert!(is_too_large(&PairRound::new(2, 1, &g, PairWeights::OfExamples(&[beyond(), 1.0]))));
    assert!(PairGrowth::builder().reg_lambda(beyond()).build().is_err());
    assert!(PairGrowth::builder().min_child_weight(LARGEST).build().is_ok());
}

#[test]
fn parameters() {
    assert!(is_too_large(&Thresholds::at(vec![vec![0.0, beyond()]])));
    assert!(Thresholds::at(vec![vec![-LARGEST, LARGEST]]).is_ok());
    let grown = |eta| GrownStumps::new(1, 4, eta, ChaCha8Rng::seed_from_u64(1)).map(|_| ());
    assert!(grown(beyond()).is_err() && grown(1.0).is_ok());
    let shape = Shape { inputs: 1, outputs: 1 };
    let of_radius = |radius| OgdLinear::new(shape, StepSchedule::constant(1.0).unwrap(), radius).map(|_| ());
    assert!(is_too_large(&of_radius(beyond())) && of_radius(LARGEST).is_ok());
}
