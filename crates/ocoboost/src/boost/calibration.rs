//! From votes to probabilities.

/// The β ≥ 0 of least log loss for probabilities ∝ exp(β·v_r) of classes r with the votes v_r ∈ \[−1, 1\]:
/// one number, fitted on rows that the votes were not learnt from.
///
/// Every row counts as its class with 1 − ε and as any class with ε/K, ε = K/(n + K). So β is finite even
/// where every row is answered rightly, and 0 where votes say nothing. *Cost:* 60 passes over the votes.
pub(super) fn sharpness(votes: &[Vec<f64>], classes: &[u32]) -> f64 {
    let (mut low, mut high) = (0.0, MOST);
    if slope(votes, classes, low) >= 0.0 {
        return 0.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if slope(votes, classes, middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The largest β: beyond it the smallest difference of votes would decide alone.
pub(super) const MOST: f64 = 1e4;

/// The derivative of the log loss, which is convex in β.
fn slope(votes: &[Vec<f64>], classes: &[u32], beta: f64) -> f64 {
    let k = votes.first().map_or(0, Vec::len);
    let (classes_count, rows) = (real(k), real(votes.len()));
    let epsilon = classes_count / (rows + classes_count);
    let mut probabilities = vec![0.0; k];
    let mut sum = 0.0;
    for (votes, class) in votes.iter().zip(classes) {
        softmax(votes, beta, &mut probabilities);
        let expected: f64 = probabilities.iter().zip(votes).map(|(p, v)| p * v).sum();
        let of_class = votes.get(*class as usize).copied().unwrap_or_default();
        let mean = votes.iter().sum::<f64>() / classes_count;
        sum += expected - (1.0 - epsilon) * of_class - epsilon * mean;
    }
    sum
}

/// Probabilities ∝ exp(β·v).
pub(super) fn softmax(votes: &[f64], beta: f64, probabilities: &mut [f64]) {
    let largest = votes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (p, vote) in probabilities.iter_mut().zip(votes) {
        *p = (beta * (vote - largest)).exp();
    }
    let total: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|p| *p /= total);
}

#[allow(clippy::cast_precision_loss, reason = "a count")]
fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes, votes ±v: p = 1/(1 + exp(−2βv)), so a share q of right answers at one |v| is fitted by
    /// 2βv = ln(q'/(1 − q')), where q' is q of the smoothed targets.
    #[test]
    fn the_share_of_right_answers_is_the_probability() {
        let (n, v) = (1000_u32, 0.25_f64);
        let votes: Vec<Vec<f64>> = (0..n).map(|_| vec![-v, v]).collect();
        let classes: Vec<u32> = (0..n).map(|i| u32::from(i % 10 > 0)).collect();
        let beta = sharpness(&votes, &classes);
        let epsilon = 2.0 / 1002.0;
        let q: f64 = 0.9 * (1.0 - epsilon) + 0.5 * epsilon;
        assert!((2.0 * beta * v - (q / (1.0 - q)).ln()).abs() < 1e-9, "{beta}");
        let mut p = [0.0; 2];
        softmax(&votes[0], beta, &mut p);
        assert!((p[1] - q).abs() < 1e-9 && (p[0] + p[1] - 1.0).abs() < 1e-15, "{p:?}");
    }

    #[test]
    fn right_answers_alone_are_not_certainty_and_wrong_ones_are_ignored() {
        let votes = vec![vec![-0.5, 0.5]; 8];
        let sure = sharpness(&votes, &[1; 8]);
        let mut p = [0.0; 2];
        softmax(&votes[0], sure, &mut p);
        // (n + 1)/(n + 2), as Laplace's rule.
        assert!((p[1] - 0.9).abs() < 1e-9, "{p:?}");
        assert_eq!(sharpness(&votes, &[0; 8]), 0.0);
        assert_eq!(sharpness(&[], &[]), 0.0);
    }
}
