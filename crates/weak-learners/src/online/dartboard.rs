//! The shrinking dartboard: one expert drawn from the Hedge distribution, kept as long as the distribution
//! allows.

use crate::LearnerError;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};

/// The shrinking dartboard \[GVW10\] for Hedge with gains ±1: after a right vote the expert stays; after a
/// wrong one it stays with probability e^(−2η), and is otherwise drawn from the new weights.
///
/// Relative to right votes, a wrong one multiplies a weight by r = e^(−2η). With p and p⁺ the distributions
/// before and after and ρ = Σ_i p_i r_i, the expert is i afterwards with probability p_i r_i + (1 − ρ)p⁺_i =
/// ρp⁺_i + (1 − ρ)p⁺_i = p⁺_i. So in every round it has exactly the Hedge distribution, provided that the
/// examples do not depend on the expert of this round or an earlier one. A change of η changes all weights,
/// so the expert is then drawn afresh. On demand it is drawn afresh in every round, and examples may depend
/// on all earlier experts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dartboard {
    rate: Rate,
    rounds: u64,
    /// Whether the expert is drawn in every round.
    #[serde(default)]
    afresh: bool,
    rng: ChaCha8Rng,
}

/// η of each round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Rate {
    Constant(f64),
    /// η = first·2^(−k/2) in rounds 2^k, …, 2^(k+1) − 1.
    Doubling {
        first: f64,
    },
}

/// Sums of labels are exact in doubles up to so many rounds.
const MOST_ROUNDS: u64 = 1 << 53;

impl Rate {
    /// The doubling rate for a class of entropy L (ln n of n equal experts): with η_1 = √(2(√2−1)L), the
    /// bound L/η_T + ½Σ_t η_t stays below 2.2√(LT) for every T.
    pub(crate) fn doubling(entropy: f64) -> Self {
        Self::Doubling { first: (2.0 * (2.0_f64.sqrt() - 1.0) * entropy).sqrt() }
    }
}

impl Dartboard {
    pub(crate) fn new(rate: Rate, rng: ChaCha8Rng) -> Self {
        Self { rate, rounds: 0, afresh: false, rng }
    }

    /// Draws the expert again in every round from now on.
    pub(crate) fn draw_afresh(&mut self) {
        self.afresh = true;
    }

    /// η of the next round.
    pub(crate) fn eta(&self) -> f64 {
        match self.rate {
            Rate::Constant(eta) => eta,
            Rate::Doubling { first } => first * (-0.5 * f64::from((self.rounds + 1).ilog2())).exp2(),
        }
    }

    /// Ends a round; returns whether the expert must be drawn again.
    pub(crate) fn redraws_after(&mut self, vote_was_wrong: bool) -> bool {
        let eta = self.eta();
        self.rounds += 1;
        let eta_changes = matches!(self.rate, Rate::Doubling { .. }) && (self.rounds + 1).is_power_of_two();
        self.afresh || eta_changes || (vote_was_wrong && self.rng.random::<f64>() >= (-2.0 * eta).exp())
    }

    /// An expert drawn with these weights.
    pub(crate) fn draw(&mut self, weights: &[f64]) -> usize {
        Self::at_share(self.coin(), weights)
    }

    /// The expert at which the cumulated weights first exceed this share of the total.
    pub(crate) fn at_share(share: f64, weights: &[f64]) -> usize {
        let mut left = share * weights.iter().sum::<f64>();
        let hit = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a remainder after the last weight.
        hit.or_else(|| weights.iter().rposition(|&weight| weight > 0.0)).unwrap_or(0)
    }

    /// A uniform number in [0, 1).
    pub(crate) fn coin(&mut self) -> f64 {
        self.rng.random()
    }

    /// Checks a state; sums of labels are exact up to this number of rounds.
    pub(crate) fn check(&self) -> Result<(), LearnerError> {
        let (Rate::Constant(eta) | Rate::Doubling { first: eta }) = self.rate;
        if !(eta > 0.0 && eta <= LARGEST) {
            return Err(LearnerError::BadParameter { name: "η", value: eta, domain: "(0, 1e140]" });
        }
        if self.rounds > MOST_ROUNDS {
            return Err(bad_count("rounds", self.rounds, "at most 2^53"));
        }
        Ok(())
    }

    /// Refuses the round behind the last one that is counted.
    pub(crate) fn accepts_round(&self) -> Result<(), LearnerError> {
        if self.rounds < MOST_ROUNDS {
            return Ok(());
        }
        Err(bad_count("rounds", self.rounds, "less than 2^53 before an update"))
    }

    /// Checks Σ y_t over all rounds and the sums of one feature, without a sum for `zero`. A round adds ±1 to
    /// the total and to one sum of the feature, or to the rest of the total.
    pub(crate) fn check_sums(&self, total: i64, sums: &[i64], zero: usize) -> Result<(), LearnerError> {
        let refuse = |value: i128, domain| {
            #[allow(clippy::cast_precision_loss, reason = "for a message")]
            let value = value as f64;
            Err(LearnerError::BadParameter { name: "sum of labels", value, domain })
        };
        let total = i128::from(total);
        let of_zero = total - sums.iter().map(|&sum| i128::from(sum)).sum::<i128>();
        let reached = of_zero.abs() + sums.iter().map(|&sum| i128::from(sum).abs()).sum::<i128>();
        if let Some(&kept) = sums.get(zero)
            && kept != 0
        {
            return refuse(kept.into(), "0 in the bucket of 0");
        }
        if reached > self.rounds.into() {
            return refuse(reached, "what the rounds can add up to");
        }
        if (reached - i128::from(self.rounds)) % 2 != 0 {
            return refuse(total, "odd after an odd number of rounds, even after an even one");
        }
        Ok(())
    }
}

/// The error for an impossible saved count.
pub(crate) fn bad_count(name: &'static str, count: u64, domain: &'static str) -> LearnerError {
    #[allow(clippy::cast_precision_loss, reason = "for a message")]
    let value = count as f64;
    LearnerError::BadParameter { name, value, domain }
}

/// Replaces the gains G_i of experts with prior ∝ e^(−cost_i) by Hedge weights ∝ e^(ηG_i − cost_i), without
/// overflow.
pub(crate) fn exponentiate(gains: &mut [f64], eta: f64, cost: impl Fn(usize) -> f64) {
    let largest = |values: &[f64]| values.iter().fold(f64::NEG_INFINITY, |largest, v| largest.max(*v));
    let best = largest(gains);
    let weights = gains;
    for (i, weight) in weights.iter_mut().enumerate() {
        *weight = eta * (*weight - best) - cost(i);
    }
    let heaviest = largest(weights);
    weights.iter_mut().for_each(|weight| *weight = (*weight - heaviest).exp());
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
}

/// The index and the value of the first largest gain.
pub(crate) fn first_best(gains: impl Iterator<Item = i64>) -> (usize, i64) {
    let larger = |best: (usize, i64), (i, gain)| if gain > best.1 { (i, gain) } else { best };
    gains.enumerate().fold((0, i64::MIN), larger)
}

/// A sum of at most 2^53 labels, exact as a double.
#[allow(clippy::cast_precision_loss, reason = "see above")]
pub(crate) fn exact(gain: i64) -> f64 {
    gain as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_doubling_bound_is_below_its_closed_form_in_every_round() {
        let rng = rand::SeedableRng::seed_from_u64(1);
        let (entropy, mut sum) = (3.0, 0.0);
        let mut dartboard = Dartboard::new(Rate::doubling(entropy), rng);
        for t in 1..100_000_u32 {
            let eta = dartboard.eta();
            sum += eta;
            let bound = entropy / eta + 0.5 * sum;
            assert!(bound <= 2.2 * (entropy * f64::from(t)).sqrt(), "round {t}");
            assert_eq!(dartboard.redraws_after(false), (t + 1).is_power_of_two());
        }
    }

    #[test]
    fn weights_survive_any_size() {
        let mut weights = [f64::from(i32::MAX), f64::from(i32::MAX) - 1.0, -5.0];
        exponentiate(&mut weights, 1e300, |_| 0.0);
        assert_eq!(weights, [1.0, 0.0, 0.0]);
        // The heaviest by gain has next to no prior.
        let mut weights = [3.0, 1.0, 1.0];
        exponentiate(&mut weights, 1.0, |i| [4000.0, 2.0_f64.ln(), 0.0][i]);
        assert!((weights[2] - 2.0 / 3.0).abs() < 1e-15 && weights[0] == 0.0);
    }

    #[test]
    fn rounds_are_counted_as_far_as_doubles_count() {
        let mut dartboard = Dartboard::new(Rate::Constant(1.0), rand::SeedableRng::seed_from_u64(1));
        dartboard.rounds = MOST_ROUNDS - 1;
        assert_eq!(dartboard.accepts_round(), Ok(()));
        dartboard.rounds += 1;
        assert!(dartboard.accepts_round().is_err());
        assert_eq!(dartboard.check(), Ok(()));
        dartboard.rounds += 2;
        let refused = Err(LearnerError::BadParameter {
            name: "rounds",
            value: 9_007_199_254_740_994.0,
            domain: "at most 2^53",
        });
        assert_eq!(dartboard.check(), refused);
    }

    /// Brute force over three rounds of a feature with three buckets, the middle one of which keeps nothing.
    #[test]
    fn sums_are_loaded_where_rounds_reach_them() {
        let mut dartboard = Dartboard::new(Rate::Constant(1.0), rand::SeedableRng::seed_from_u64(1));
        dartboard.rounds = 3;
        let mut reached = std::collections::HashSet::new();
        for code in 0..6_i64.pow(3) {
            let (mut total, mut sums) = (0, [0; 3]);
            for round in [code % 6, code / 6 % 6, code / 36] {
                let (y, bucket) = (1 - 2 * (round % 2), [0, 1, 2][usize::try_from(round / 2).unwrap()]);
                total += y;
                sums[bucket] += if bucket == 1 { 0 } else { y };
            }
            reached.insert((total, sums));
        }
        for code in 0..9_i64.pow(4) {
            let of = |k| code / 9_i64.pow(k) % 9 - 4;
            let (total, sums) = (of(0), [of(1), of(2), of(3)]);
            let loads = dartboard.check_sums(total, &sums, 1).is_ok();
            assert_eq!(loads, reached.contains(&(total, sums)), "{total}, {sums:?}");
        }
        assert!(dartboard.check_sums(i64::MIN, &[i64::MAX, 0, i64::MIN], 1).is_err());
    }
}
