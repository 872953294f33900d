//! The values of a candidate's rounds, and which candidate is ahead.

use off_policy::estimators::Estimate;

/// The candidates that are valued on further folds.
const FINALISTS: usize = 3;
/// The first Ση at which a candidate may lag.
pub(super) const FIRST_MILESTONE: f64 = 2.0;
/// The Ση before which no round wins: estimates of the first policies are the noisiest, and the largest of
/// many noisy ones is too large.
pub(super) const FIRST_WINNER: f64 = 5.0;

/// The candidates from the largest value down.
pub(super) fn by_value(curves: &[Curve]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..curves.len()).collect();
    order.sort_by(|a, b| curves[*b].best().1.value.total_cmp(&curves[*a].best().1.value));
    order
}

/// The chosen candidate, and the next ones within half a standard error of it.
pub(super) fn finalists(curves: &[Curve], chosen: usize) -> Vec<usize> {
    let Estimate { value, standard_error } = curves[chosen].best().1;
    let least = value - 0.5 * standard_error.unwrap_or(0.0);
    let others = by_value(curves).into_iter().filter(|k| *k != chosen && curves[*k].best().1.value >= least);
    std::iter::once(chosen).chain(others).take(FINALISTS).collect()
}

/// The finalist with the largest value, the first of equals.
pub(super) fn best(curves: &[Curve], finalists: Vec<usize>) -> usize {
    let better = |best: usize, k: usize| {
        if curves[k].best().1.value > curves[best].best().1.value { k } else { best }
    };
    finalists.into_iter().reduce(better).unwrap_or_default()
}

/// The values after 0, 1, … rounds.
pub(super) struct Curve {
    pub(super) learning_rate: f64,
    /// The rows that they rest on.
    pub(super) rows: usize,
    pub(super) values: Vec<Estimate>,
}

impl Curve {
    /// The round of the largest value, the first of equals, and the value. Where no round counts as a winner
    /// yet, the last of equals: an early one may be luck.
    pub(super) fn best(&self) -> (usize, Estimate) {
        self.best_of(self.values.len())
    }

    /// Of so many values; those before the first winner count where there are no others.
    fn best_of(&self, count: usize) -> (usize, Estimate) {
        let nothing = Estimate { value: f64::NEG_INFINITY, standard_error: None };
        let first = (0..count).find(|round| self.path(*round) >= FIRST_WINNER);
        let values = self.values.iter().take(count).enumerate().skip(first.unwrap_or_default());
        values.fold((first.unwrap_or_default(), nothing), |best, (round, estimate)| {
            let is_equal = first.is_none() && estimate.value == best.1.value;
            if estimate.value > best.1.value || is_equal { (round, *estimate) } else { best }
        })
    }

    /// The means with the values of so many other rows, the last of which stands for those that are missing.
    pub(super) fn merge(&mut self, rows: usize, values: &[Estimate]) {
        for (round, value) in self.values.iter_mut().enumerate() {
            let Some(other) = values.get(round).or(values.last()) else { return };
            let mut pooled = Pooled::default();
            pooled.add(self.rows, *value);
            pooled.add(rows, *other);
            *value = pooled.mean();
        }
        self.rows += rows;
    }

    /// Ση.
    pub(super) fn path(&self, rounds: usize) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
        let rounds = rounds as f64;
        rounds * self.learning_rate
    }

    /// Whether the best value, and once more what it has gained since Ση was half as long, is more than half
    /// a standard error below the leader's best, where Ση has just passed 2, 4, 8, …. Careful settings gain
    /// for longer, so a candidate that is behind and still gains goes on.
    pub(super) fn lags(&self, leader: Option<&Self>) -> bool {
        let path = |rounds| self.path(rounds);
        let rounds = self.values.len() - 1;
        let (Some(leader), Some(before)) = (leader, rounds.checked_sub(1)) else { return false };
        let doublings = |path: f64| path.log2().floor();
        if path(rounds) < FIRST_MILESTONE || doublings(path(before)) >= doublings(path(rounds)) {
            return false;
        }
        let (best, at_half) = (self.best().1.value, self.best_of(rounds / 2 + 1).1.value);
        let ahead = leader.best().1;
        best + (best - at_half).max(0.0) < ahead.value - 0.5 * ahead.standard_error.unwrap_or(0.0)
    }
}

/// The mean of the folds' estimates, by their rows.
#[derive(Default)]
pub(super) struct Pooled {
    rows: f64,
    sum: f64,
    squared_errors: f64,
}

impl Pooled {
    pub(super) fn add(&mut self, rows: usize, estimate: Estimate) {
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let rows = rows as f64;
        self.rows += rows;
        self.sum += rows * estimate.value;
        self.squared_errors += (rows * estimate.standard_error.unwrap_or(0.0)).powi(2);
    }

    pub(super) fn mean(&self) -> Estimate {
        let standard_error = Some(self.squared_errors.sqrt() / self.rows);
        Estimate { value: self.sum / self.rows, standard_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values with a standard error of 0.2 on ten rows, of which Ση reaches 5 at the second.
    fn curve(values: &[f64]) -> Curve {
        let values = values.iter().map(|value| Estimate { value: *value, standard_error: Some(0.2) });
        Curve { learning_rate: 5.0, rows: 10, values: values.collect() }
    }

    #[test]
    fn finalists_are_near_the_chosen_one() {
        let all = [curve(&[9.0, 0.5]), curve(&[0.0, 0.89]), curve(&[0.0, 0.91]), curve(&[0.0, 1.0, 0.7])];
        assert_eq!(finalists(&all, 3), [3, 2]);
        assert_eq!(finalists(&all[..1], 0), [0]);
        let near = [0.99, 1.0, 0.97, 0.98].map(|value| curve(&[0.0, value]));
        assert_eq!(finalists(&near, 1), [1, 0, 3]);
        assert_eq!(best(&near, vec![0, 1, 3]), 1);
        assert_eq!(best(&[curve(&[0.0, 1.0]), curve(&[0.0, 1.0])], vec![1, 0]), 1);
    }

    #[test]
    fn the_first_of_equals_wins_and_before_that_the_last() {
        assert_eq!(curve(&[0.0, 1.0, 0.5, 1.0]).best().0, 1);
        let early = Curve { learning_rate: 0.1, ..curve(&[0.0, 1.0, 0.5, 1.0, 0.9]) };
        assert_eq!(early.best().0, 3);
    }

    #[test]
    fn further_folds_count_by_their_rows() {
        let mut merged = curve(&[0.0, 1.0, 1.5, 0.5]);
        merged.merge(30, &curve(&[0.0, 1.0, 0.5]).values);
        let values: Vec<f64> = merged.values.iter().map(|estimate| estimate.value).collect();
        assert_eq!((merged.rows, values), (40, vec![0.0, 1.0, 0.75, 0.5]));
        assert_eq!(merged.best().0, 1);
        let error = merged.values[1].standard_error.unwrap_or_default();
        assert!((error - 0.2 * 10.0_f64.sqrt() / 4.0).abs() < 1e-15, "{error}");
    }

    /// A candidate is compared where its Ση has just passed 2, 4, 8, … with the leader's best, and may be
    /// half a standard error below it.
    #[test]
    fn a_candidate_lags_where_its_path_doubles() {
        let estimate = |value| Estimate { value, standard_error: Some(0.2) };
        let leader = [0.0, 0.0, 1.0, 3.0, 2.0, 2.0, 3.0, 2.0].map(estimate).to_vec();
        let leader = Curve { learning_rate: 1.0, rows: 10, values: leader };
        let at = |value: f64, rounds: usize| {
            let values = vec![estimate(value); rounds + 1];
            Curve { learning_rate: 0.5, rows: 10, values }
        };
        let lags = |value: f64| (0..18).filter(|rounds| at(value, *rounds).lags(Some(&leader))).collect();
        let rounds: [Vec<usize>; 3] = [0.0, 2.89, 2.91].map(lags);
        assert_eq!(rounds, [vec![4, 8, 16], vec![4, 8, 16], vec![]]);
        assert!(!at(0.0, 8).lags(None));
    }

    /// What was gained since Ση was half as long may come once more.
    #[test]
    fn a_candidate_that_gains_does_not_lag() {
        let of = |values: &[f64]| {
            let values = values.iter().map(|value| Estimate { value: *value, standard_error: Some(0.2) });
            Curve { learning_rate: 1.0, rows: 10, values: values.collect() }
        };
        let leader = of(&[0.0, 0.0, 0.0, 0.0, 0.0, 3.0]);
        // 1.5 + 1.5, 2 + 0.95 and 2 + 0.85 beside 3 − 0.1; what was lost is not taken off.
        assert!(!of(&[0.0, 0.0, 1.5]).lags(Some(&leader)));
        assert!(!of(&[0.0, 0.9, 1.05, 2.0, 1.0]).lags(Some(&leader)));
        assert!(of(&[0.0, 0.9, 1.15, 2.0, 1.0]).lags(Some(&leader)));
        let fallen = of(&[0.0, 0.0, 0.0, 0.0, 4.0, 2.95, 0.0, 0.0, 0.0]);
        assert!(!fallen.lags(Some(&leader)));
    }
}
