//! Predicted rewards from models that have not seen the row.

use crate::estimators::error::{EstimateError, check_magnitudes};
use crate::estimators::observations::RewardModel;
use crate::log::Log;

/// q̂(x_i, a) at i·|A| + a, cross-fitted \[CCDD18\]: rows i ≡ k mod K are predicted by a model that `fit`
/// makes of all the other rows.
///
/// So r_i − q̂(x_i, a_i) is an honest error, on which the doubly robust estimate rests. *Ranges:* 2 ≤ K ≤ n.
/// *Cost:* K models, each of (1 − 1/K)·n rows; n·|A| predictions.
///
/// ```
/// use off_policy::estimators::{EstimateError, TableModel, cross_fit};
/// use off_policy::{Log, Rewards};
/// let contexts = rows::RowMatrix::dense(1, vec![0.0; 4])?;
/// let log = Log::new(contexts, 2, vec![0; 4], vec![0.5; 4], Rewards(vec![1.0, 2.0, 3.0, 6.0]))?;
/// // The mean reward of the rows that it is fitted on, for both actions.
/// let mean = |log: &Log| {
///     let mean = log.rewards().iter().sum::<f64>() / log.len() as f64;
///     TableModel::new(vec![mean; 2]).map_err(|source| EstimateError::Model { row: 0, source })
/// };
/// let q = cross_fit(&log, 2, mean)?;
/// assert_eq!(q, [4.0, 4.0, 2.0, 2.0, 4.0, 4.0, 2.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`EstimateError::BadParameter`] for K; [`EstimateError::TooManyPairs`]; the errors of `fit` and of the
/// model, [`EstimateError::ActionCount`], [`EstimateError::NotFinite`] and [`EstimateError::TooLarge`] for
/// its predictions.
pub fn cross_fit<M: RewardModel, E: From<EstimateError>>(
    log: &Log,
    folds: usize,
    mut fit: impl FnMut(&Log) -> Result<M, E>,
) -> Result<Vec<f64>, E> {
    let (n, actions) = (log.len(), log.actions());
    if !(2..=n).contains(&folds) {
        let (name, value, domain) = ("folds", folds as f64, "2, 3, …, n");
        return Err(EstimateError::BadParameter { name, value, domain }.into());
    }
    let too_many = || EstimateError::TooManyPairs { rows: n, actions };
    let pairs = n.checked_mul(actions).ok_or_else(too_many)?;
    let mut predictions = Vec::new();
    predictions.try_reserve_exact(pairs).map_err(|_| too_many())?;
    predictions.resize(pairs, 0.0);
    for fold in 0..folds {
        let others = log.select((0..n).filter(|i| i % folds != fold)).map_err(EstimateError::from)?;
        let model = fit(&others)?;
        if model.actions() != actions {
            let (argument, got) = ("the model of rewards", model.actions());
            return Err(EstimateError::ActionCount { argument, expected: actions, got }.into());
        }
        let own = (fold..n).step_by(folds);
        let of_fold = log.contexts().select(own.clone()).map_err(|_| too_many())?;
        let mut of_own = vec![0.0; own.len() * actions];
        if model.rewards_of_rows(&of_fold, 0, &mut of_own).is_err() {
            for ((row, x), q) in own.clone().zip(of_fold.iter()).zip(of_own.chunks_exact_mut(actions)) {
                model.rewards(x, q).map_err(|source| EstimateError::Model { row, source })?;
            }
        }
        for (row, found) in own.zip(of_own.chunks_exact(actions)) {
            check_magnitudes("q", row * actions, found)?;
            if let Some(q) = predictions.get_mut(row * actions..(row + 1) * actions) {
                q.copy_from_slice(found);
            }
        }
    }
    Ok(predictions)
}
