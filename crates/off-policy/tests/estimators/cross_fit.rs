//! Cross-fitted predictions: no row is predicted by a model that has seen it.

use off_policy::estimators::{EstimateError, RewardModel, TableModel, cross_fit};
use off_policy::{Log, PolicyError, Rewards};
use rows::{Row, RowMatrix};

fn log(rewards: Vec<f64>) -> Log {
    let n = rewards.len();
    let contexts = RowMatrix::dense(1, (0..n).map(|i| i as f64).collect()).unwrap();
    let actions = (0..n).map(|i| u32::try_from(i % 3).unwrap()).collect();
    Log::new(contexts, 3, actions, vec![0.5; n], Rewards(rewards)).unwrap()
}

/// The mean reward of the rows, plus the action's number.
fn mean(log: &Log) -> Result<TableModel, EstimateError> {
    let mean = log.rewards().iter().sum::<f64>() / log.len() as f64;
    TableModel::new((0..3).map(|a| mean + f64::from(a)).collect())
        .map_err(|source| EstimateError::Model { row: 0, source })
}

#[test]
fn the_reward_of_a_row_has_no_part_in_its_predictions() {
    let rewards: Vec<f64> = (0..17).map(|i| f64::from(i * i % 7)).collect();
    for folds in [2, 3, 5, 17] {
        let before = cross_fit(&log(rewards.clone()), folds, mean).unwrap();
        assert_eq!(before.len(), 51);
        for changed in 0..17 {
            let mut other = rewards.clone();
            other[changed] += 100.0;
            let after = cross_fit(&log(other), folds, mean).unwrap();
            for row in 0..17 {
                let is_same = before[3 * row..3 * row + 3] == after[3 * row..3 * row + 3];
                assert_eq!(is_same, row % folds == changed % folds, "{folds} folds, row {row}");
            }
        }
    }
}

#[test]
fn the_mean_of_the_other_folds_is_what_is_predicted() {
    let found = cross_fit(&log(vec![1.0, 2.0, 4.0, 8.0, 16.0]), 2, mean).unwrap();
    // Rows 0, 2, 4 are predicted from 2 and 8, rows 1 and 3 from 1, 4 and 16.
    for (row, expected) in [5.0, 7.0, 5.0, 7.0, 5.0].into_iter().enumerate() {
        assert_eq!(found[3 * row..3 * row + 3], [expected, expected + 1.0, expected + 2.0]);
    }
}

/// Predicts what it is told to.
struct Says(f64, usize);

impl RewardModel for Says {
    fn inputs(&self) -> Option<usize> {
        None
    }

    fn actions(&self) -> usize {
        self.1
    }

    fn rewards(&self, _: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError> {
        rewards.fill(self.0);
        Ok(())
    }
}

#[test]
fn bad_folds_and_models_are_refused() {
    let log = log(vec![1.0; 4]);
    for folds in [0, 1, 5] {
        let found = cross_fit(&log, folds, mean);
        assert!(matches!(found, Err(EstimateError::BadParameter { name: "folds", .. })), "{folds}");
    }
    let of = |model: fn() -> Says| cross_fit(&log, 2, |_: &Log| Ok::<_, EstimateError>(model()));
    let (argument, expected) = ("the model of rewards", 3);
    assert_eq!(of(|| Says(0.0, 2)), Err(EstimateError::ActionCount { argument, expected, got: 2 }));
    assert!(matches!(
        of(|| Says(f64::NAN, 3)),
        Err(EstimateError::NotFinite { argument: "q", index: 0, .. })
    ));
    assert!(matches!(of(|| Says(1e141, 3)), Err(EstimateError::TooLarge { argument: "q", .. })));
    assert_eq!(of(|| Says(1.0, 3)), Ok(vec![1.0; 12]));
    let failing = |_: &Log| Err::<Says, _>(EstimateError::ZeroWeights);
    assert_eq!(cross_fit(&log, 2, failing), Err(EstimateError::ZeroWeights));
}
