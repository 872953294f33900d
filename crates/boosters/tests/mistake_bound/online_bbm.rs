//! Online BBM.
//!
//! *Proof of the identity.* With w^i(s) = ½(Φ_i(s−1) − Φ_i(s+1)) and m = yh_i(x) = ±1, Φ_i(s + m) =
//! ½(Φ_i(s−1) + Φ_i(s+1)) − m·w^i(s), and the recursion of Φ says Φ_{i−1}(s) = ½(Φ_i(s−1) + Φ_i(s+1)) −
//! γw^i(s). So Φ_i(s^i) = Φ_{i−1}(s^{i−1}) + w^i(s^{i−1})(γ − m); sum over i and t. ∎

use crate::streams::{Booster, Coins, FIRST_HALF, Stream, equals, margins, rng, synthetic};
use boosters::mistake_bound::OnlineBbm;
use datasets::Name;
use oco_core::learners::Perceptron;
use weak_learners::{Label, OnlinePredictor};

/// Φ_0, …, Φ_N by their recursion; Φ_i(s) at `table[i][s + N + 1]`, for |s| ≤ N + 1.
fn potentials(n: usize, gamma: f64) -> Vec<Vec<f64>> {
    let width = 2 * n + 3;
    let mut table =
        vec![(0..width).map(|place| if place <= n + 1 { 1.0 } else { 0.0 }).collect::<Vec<f64>>()];
    for _ in 0..n {
        let behind = &table[table.len() - 1];
        // Beyond the table the vote is decided.
        let at = |place: usize| behind.get(place).copied().unwrap_or(0.0);
        let before = |place: usize| if place == 0 { 1.0 } else { behind[place - 1] };
        let here = |place| 0.5 * (1.0 - gamma) * before(place) + 0.5 * (1.0 + gamma) * at(place + 1);
        table.push((0..width).map(here).collect());
    }
    table.reverse();
    table
}

/// Plays a stream; asserts the probabilities and the identity in every round. Returns the fractions of
/// mistakes and of rounds whose votes end with Φ_N(s) = 1.
fn check<W: OnlinePredictor<Label>>(stream: &Stream, learners: Vec<W>, gamma: f64) -> (f64, f64) {
    let n = learners.len();
    let phi = potentials(n, gamma);
    let weight = |i: usize, place: usize| 0.5 * (phi[i][place - 1] - phi[i][place + 1]);
    let largest: Vec<f64> =
        (1..=n).map(|i| (0..i).map(|right| weight(i, n + 2 + 2 * right - i)).fold(0.0, f64::max)).collect();
    let mut booster = OnlineBbm::new(learners, gamma, &mut rng(1)).unwrap();
    let start = phi[0][n + 1];
    assert!((booster.potential() - start).abs() <= 1e-12 && start <= (-0.5 * gamma * gamma * n as f64).exp());
    let (mut coins, mut mistakes, mut ends, mut missed, mut rounds) = (Coins::default(), 0.0, 0.0, 0.0, 0.0);
    for (x, y) in stream.examples() {
        let played = booster.play(x, y);
        let passing = booster.last();
        coins.record(passing, y);
        let score: f64 = passing.votes().iter().map(|h| h.sign()).sum();
        assert_eq!(played, Label::of_score(score));
        let mut place = n + 1; // s^0 = 0
        for (i, (margin, &p)) in (1..).zip(margins(passing, y).into_iter().zip(passing.probabilities())) {
            let w = weight(i, place);
            assert!((p * largest[i - 1] - w).abs() <= 1e-13, "w^{i} = {w}, {p} of {}", largest[i - 1]);
            missed += w * (gamma - margin);
            place = if margin > 0.0 { place + 1 } else { place - 1 };
        }
        rounds += 1.0;
        ends += phi[n][place];
        mistakes += f64::from(u8::from(played != y));
        let identity = rounds * start + missed;
        assert!((ends - identity).abs() <= 1e-9 * rounds, "{}: {ends} and {identity}", stream.name);
        assert!(mistakes <= identity + 1e-9 * rounds, "{}: {mistakes} > {identity}", stream.name);
    }
    (mistakes / rounds, ends / rounds)
}

#[test]
fn the_identity_holds_at_every_round_for_any_learners() {
    for gamma in [0.02, 0.3, 0.9] {
        for (n, agreement) in [(1, 0.5), (2, 0.5), (30, 0.6), (31, 0.0), (9, -0.5)] {
            check(&Stream::synthetic(400, 0.1, 1), synthetic(n, agreement), gamma);
        }
        check(&Stream::synthetic(400, 0.5, 2), synthetic(31, 0.5), gamma);
    }
}

/// And for learners that learn, on data that is not made up.
#[test]
fn the_identity_holds_on_real_data() {
    let stream = Stream::real(Name::Letter, &FIRST_HALF, 2000);
    let perceptron = Perceptron::new(stream.dimension()).unwrap();
    let (rate, _) = check(&stream, vec![perceptron; 21], 0.1);
    assert!(rate < 0.45, "{rate}");
}

/// What the potential promises for learners that have the advantage, they deliver.
#[test]
fn learners_with_the_advantage_meet_the_potential() {
    for (n, gamma) in [(21, 0.3), (101, 0.2)] {
        let (rate, _) = check(&Stream::synthetic(4000, 0.0, 3), synthetic(n, 2.0 * gamma), gamma);
        let booster = OnlineBbm::new(synthetic(n, 0.5), gamma, &mut rng(1)).unwrap();
        assert!(rate <= booster.potential() + 0.01, "{rate} against {}", booster.potential());
    }
}

/// Learners with an advantage of γ and no more meet the potential, which they cannot be far below: by the
/// identity Σ_t Φ_N(s_t^N) − TΦ_0(0) = Σ_iΣ_t w_t^i(γ − y_t h_i(x_t)), of mean 0.
///
/// A learner draws its coin when it is passed an example and uses it when it is passed the next, so that,
/// with W_i the largest weight of learner i, its coins move the sum by ranges of 2W_i, and whether the
/// example is passed by ranges of (1 + γ)W_i at most. By Azuma the sum is beyond √(½ln(2/ρ)·TΣ_i((1+γ)² +
/// 4)W_i²) with probability ρ = 10⁻⁶.
#[test]
fn learners_with_the_advantage_and_no_more_attain_the_potential() {
    for (n, gamma, rounds) in [(21, 0.2, 20_000_u32), (11, 0.1, 20_000)] {
        let stream = Stream::synthetic(rounds as usize, 0.0, 4);
        let (rate, ends) = check(&stream, equals(n, gamma), gamma);
        let booster = OnlineBbm::new(equals(n, gamma), gamma, &mut rng(1)).unwrap();
        let phi = potentials(n, gamma);
        let weight = |i: usize, place: usize| 0.5 * (phi[i][place - 1] - phi[i][place + 1]);
        let largest = |i: usize| (0..i).map(|right| weight(i, n + 2 + 2 * right - i)).fold(0.0, f64::max);
        let squares: f64 = (1..=n).map(|i| largest(i).powi(2)).sum();
        let ranges = ((1.0 + gamma).powi(2) + 4.0) * squares;
        let margin = (0.5 * 2e6_f64.ln() * ranges / f64::from(rounds)).sqrt();
        let missed = ends - booster.potential();
        assert!(rate <= ends && missed.abs() <= margin, "{ends} against {} ± {margin}", booster.potential());
        assert!(margin < 0.3 * booster.potential(), "{margin} says nothing of {}", booster.potential());
    }
}
