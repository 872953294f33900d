//! From votes to probabilities.

use crate::error::JobError;
use serde::{Deserialize, Serialize};

/// p_r = (1 − ε)·exp(βv_r)/Σ_s exp(βv_s) + ε/K for votes v ∈ \[−1, 1\] of K classes: with probability ε the
/// class of a row is a random one, whatever the votes say.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub(crate) struct Calibration {
    parts: Parts,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Parts {
    /// β.
    sharpness: f64,
    /// ε.
    noise: f64,
}

/// The largest β: beyond it the smallest difference of votes would decide alone.
const MOST: f64 = 1e4;
/// Rows that are enough for two numbers.
const MOST_ROWS: usize = 5_000;

impl Calibration {
    /// The β ≥ 0 and ε of largest likelihood, by EM, on rows that the votes were not learnt from.
    ///
    /// In the steps for β every row counts as its class with 1 − α and as any class with α/K, α = K/(n + K),
    /// and ε counts two rows more, one of which is random. So both are inside their ranges even where every
    /// row is answered rightly, and β is 0 where votes say nothing. *Cost:* 800 passes over at most 5,000
    /// rows.
    pub(super) fn of(votes: &[Vec<f64>], classes: &[u32]) -> Self {
        let step = votes.len().div_ceil(MOST_ROWS).max(1);
        let rows: Vec<(&[f64], u32)> =
            votes.iter().map(Vec::as_slice).zip(classes.iter().copied()).step_by(step).collect();
        let k = rows.first().map_or(2, |(votes, _)| votes.len());
        let mut weights = vec![1.0; rows.len()];
        let mut parts = Parts { sharpness: sharpest(&rows, &weights, k), noise: 0.05 };
        let mut pi = vec![0.0; k];
        for _ in 0..30 {
            let mut random = 0.0;
            for ((votes, class), weight) in rows.iter().zip(&mut weights) {
                softmax(votes, parts.sharpness, &mut pi);
                let by_vote = (1.0 - parts.noise) * pi.get(*class as usize).copied().unwrap_or_default();
                let by_chance = parts.noise / real(k);
                *weight = by_vote / (by_vote + by_chance);
                random += 1.0 - *weight;
            }
            parts.noise = (random + 1.0) / (real(rows.len()) + 2.0);
            parts.sharpness = sharpest(&rows, &weights, k);
        }
        Self { parts }
    }

    /// β = 1 and ε = 0, where there were no rows to choose them on.
    pub(super) fn none() -> Self {
        Self { parts: Parts { sharpness: 1.0, noise: 0.0 } }
    }

    /// The probabilities for these votes.
    pub(super) fn probabilities(self, votes: &[f64], pi: &mut [f64]) {
        let Parts { sharpness, noise } = self.parts;
        softmax(votes, sharpness, pi);
        let even = noise / real(votes.len().max(1));
        pi.iter_mut().for_each(|p| *p = (1.0 - noise) * *p + even);
    }
}

/// The β of largest likelihood of weighted rows: the derivative is monotone.
fn sharpest(rows: &[(&[f64], u32)], weights: &[f64], k: usize) -> f64 {
    let mut pi = vec![0.0; k];
    let mut slope = |beta| slope(rows, weights, beta, &mut pi);
    let (mut low, mut high) = (0.0, 1.0);
    if slope(low) >= 0.0 {
        return 0.0;
    }
    while slope(high) < 0.0 {
        if high >= MOST {
            return MOST;
        }
        high = (2.0 * high).min(MOST);
    }
    for _ in 0..20 {
        let middle = f64::midpoint(low, high);
        if slope(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The derivative of the log loss in β.
fn slope(rows: &[(&[f64], u32)], weights: &[f64], beta: f64, pi: &mut [f64]) -> f64 {
    let (k, n) = (real(pi.len()), real(rows.len()));
    let alpha = k / (n + k);
    let mut sum = 0.0;
    for ((votes, class), weight) in rows.iter().zip(weights) {
        softmax(votes, beta, pi);
        let expected: f64 = pi.iter().zip(*votes).map(|(p, v)| p * v).sum();
        let of_class = votes.get(*class as usize).copied().unwrap_or_default();
        let mean = votes.iter().sum::<f64>() / k;
        sum += weight * (expected - (1.0 - alpha) * of_class - alpha * mean);
    }
    sum
}

/// Probabilities ∝ exp(β·v).
fn softmax(votes: &[f64], beta: f64, pi: &mut [f64]) {
    let largest = votes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (p, vote) in pi.iter_mut().zip(votes) {
        *p = (beta * (vote - largest)).exp();
    }
    let total: f64 = pi.iter().sum();
    pi.iter_mut().for_each(|p| *p /= total);
}

#[allow(clippy::cast_precision_loss, reason = "a count")]
fn real(count: usize) -> f64 {
    count as f64
}

impl From<Calibration> for Parts {
    fn from(calibration: Calibration) -> Self {
        calibration.parts
    }
}

impl TryFrom<Parts> for Calibration {
    type Error = JobError;

    fn try_from(parts: Parts) -> Result<Self, JobError> {
        for (name, value, most, domain) in
            [("sharpness", parts.sharpness, MOST, "[0, 1e4]"), ("noise", parts.noise, 1.0, "[0, 1]")]
        {
            if !(0.0..=most).contains(&value) {
                return Err(JobError::BadSetting { name, value, domain });
            }
        }
        Ok(Self { parts })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Rows drawn from the model itself.
    #[test]
    fn the_numbers_that_rows_were_drawn_with_are_found() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (sharpness, noise) in [(3.0, 0.0), (8.0, 0.3), (0.0, 0.0)] {
            let truth = Calibration { parts: Parts { sharpness, noise } };
            let (mut votes, mut classes, mut pi) = (Vec::new(), Vec::new(), [0.0; 3]);
            for _ in 0..5_000 {
                let own: Vec<f64> = (0..3).map(|_| rng.random_range(-1.0..1.0)).collect();
                truth.probabilities(&own, &mut pi);
                let u: f64 = rng.random();
                classes.push(u32::from(u >= pi[0]) + u32::from(u >= pi[0] + pi[1]));
                votes.push(own);
            }
            let found = Calibration::of(&votes, &classes);
            let mut largest: f64 = 0.0;
            for own in &votes {
                let mut others = [0.0; 3];
                truth.probabilities(own, &mut pi);
                found.probabilities(own, &mut others);
                largest = pi.iter().zip(others).map(|(p, q)| (p - q).abs()).fold(largest, f64::max);
            }
            assert!(largest < 0.04, "{sharpness}, {noise}: {found:?}, {largest}");
        }
    }

    #[test]
    fn right_answers_alone_are_not_certainty_and_wrong_ones_are_ignored() {
        let votes = vec![vec![-0.5, 0.5]; 18];
        let probability = |classes: &[u32]| {
            let mut pi = [0.0; 2];
            Calibration::of(&votes, classes).probabilities(&votes[0], &mut pi);
            assert!((pi[0] + pi[1] - 1.0).abs() < 1e-12);
            pi[1]
        };
        let (right, wrong) = (probability(&[1; 18]), probability(&[0; 18]));
        assert!(right > 0.85 && right < 0.97, "{right}");
        assert_eq!(wrong, 0.5);
        assert!(Calibration::of(&[], &[]).parts.sharpness == 0.0);
    }

    #[test]
    fn numbers_outside_their_ranges_are_refused() {
        let load = |text: &str| serde_json::from_str::<Calibration>(text);
        assert!(load("{\"sharpness\":3.5,\"noise\":0.25}").is_ok());
        for text in [
            "{\"sharpness\":-1.0,\"noise\":0.25}",
            "{\"sharpness\":1e5,\"noise\":0.25}",
            "{\"sharpness\":1.0,\"noise\":1.5}",
        ] {
            assert!(load(text).is_err(), "{text}");
        }
    }
}
