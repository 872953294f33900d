//! One expert drawn from the Hedge distribution, kept from round to round as long as the distribution allows.

use crate::LearnerError;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The shrinking dartboard \[GVW10\] for Hedge with gains ±1: after a right vote the expert stays; after a wrong one it
/// stays with probability e^(−2η), and is otherwise drawn from the new weights.
///
/// Relative to right votes, a wrong one multiplies a weight by r = e^(−2η). With p and p⁺ the distributions before and
/// after and ρ = Σ_i p_i r_i, the expert is i afterwards with probability p_i r_i + (1 − ρ)p⁺_i = ρp⁺_i + (1 − ρ)p⁺_i =
/// p⁺_i: in every single round it has exactly the Hedge distribution, provided that the examples do not depend on the
/// expert. A change of η moves all weights, so then it is drawn afresh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dartboard {
    rate: Rate,
    rounds: u64,
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

impl Rate {
    /// The doubling rate for a class of entropy L (ln n of n equal experts): with η_1 = √(2(√2−1)L), the bound
    /// L/η_T + ½Σ_t η_t stays below 2.2√(LT) for every T.
    pub(crate) fn doubling(entropy: f64) -> Self {
        Self::Doubling { first: (2.0 * (2.0_f64.sqrt() - 1.0) * entropy).sqrt() }
    }
}

impl Dartboard {
    pub(crate) fn new(rate: Rate, rng: ChaCha8Rng) -> Self {
        Self { rate, rounds: 0, rng }
    }

    /// Rounds learnt.
    pub(crate) fn rounds(&self) -> u64 {
        self.rounds
    }

    /// η of the round to come.
    pub(crate) fn eta(&self) -> f64 {
        match self.rate {
            Rate::Constant(eta) => eta,
            Rate::Doubling { first } => first * (-0.5 * f64::from((self.rounds + 1).ilog2())).exp2(),
        }
    }

    /// Ends a round; whether the expert must be drawn again.
    pub(crate) fn redraws_after(&mut self, vote_was_wrong: bool) -> bool {
        let eta = self.eta();
        self.rounds += 1;
        let eta_changes = matches!(self.rate, Rate::Doubling { .. }) && (self.rounds + 1).is_power_of_two();
        eta_changes || (vote_was_wrong && self.rng.random::<f64>() >= (-2.0 * eta).exp())
    }

    /// An expert, with these weights.
    pub(crate) fn draw(&mut self, weights: &[f64]) -> usize {
        let mut left = self.rng.random::<f64>() * weights.iter().sum::<f64>();
        let hit = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a little after the last weight.
        hit.or_else(|| weights.iter().rposition(|&weight| weight > 0.0)).unwrap_or(0)
    }

    /// A fair coin, for a class that grows.
    pub(crate) fn coin(&mut self) -> bool {
        self.rng.random()
    }

    /// Checks what was loaded or handed in; sums of labels are exact up to the rounds allowed here.
    pub(crate) fn check(&self) -> Result<(), LearnerError> {
        let (Rate::Constant(eta) | Rate::Doubling { first: eta }) = self.rate;
        if !(eta > 0.0 && eta.is_finite()) {
            return Err(LearnerError::BadParameter { name: "η", value: eta, domain: "(0, ∞)" });
        }
        if self.rounds > 1 << 53 {
            let (name, domain) = ("rounds", "at most 2^53");
            return Err(LearnerError::BadParameter { name, value: f64::INFINITY, domain });
        }
        Ok(())
    }
}

/// Turns the gains G_i of experts with prior 2^(−depth_i), up to a factor, into Hedge weights ∝ 2^(−depth_i) e^(ηG_i),
/// whatever their sizes.
pub(crate) fn weigh(weights: &mut [f64], eta: f64, depth: impl Fn(usize) -> u32) {
    let largest = |values: &[f64]| values.iter().fold(f64::NEG_INFINITY, |largest, v| largest.max(*v));
    let best = largest(weights);
    for (i, weight) in weights.iter_mut().enumerate() {
        *weight = eta * (*weight - best) - f64::from(depth(i)) * std::f64::consts::LN_2;
    }
    let heaviest = largest(weights);
    weights.iter_mut().for_each(|weight| *weight = (*weight - heaviest).exp());
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
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
        weigh(&mut weights, 1e300, |_| 0);
        assert_eq!(weights, [1.0, 0.0, 0.0]);
        // The heaviest by gain has next to no prior.
        let mut weights = [3.0, 1.0, 1.0];
        weigh(&mut weights, 1.0, |i| [4000, 1, 0][i]);
        assert!((weights[2] - 2.0 / 3.0).abs() < 1e-15 && weights[0] == 0.0);
    }
}
