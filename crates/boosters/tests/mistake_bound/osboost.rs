//! OSBoost.
//!
//! *Proof of the bound.* M(z) = min((1−γ)^{z/2}, 1) is the weight, and G(z) = ∫_0^z M. As M(z+u) ≥
//! M(z)e^{−Λu/2} and M(z−u) ≤ M(z)e^{Λu/2} for u ≥ 0, a right vote gives G(z+1−θ) − G(z) ≥ M(z)∫_0^{1−θ}
//! e^{−Λu/2}du = c₊M(z), and a wrong one G(z−1−θ) − G(z) ≥ −M(z)∫_0^{1+θ} e^{Λu/2}du = −c₋M(z): together at
//! least M(z)(a·yh − b). Over the learners these differences add up to G(z^N). It is at most 2/Λ; a mistake
//! has Σyh_i ≤ 0, hence z^N ≤ −Nθ and G(z^N) ≤ −Nθ. So Σ_iΣ_t w_t^i(a·y_t h_i(x_t) − b) ≤ Σ_t G(z_t^N) ≤ 2T/Λ
//! − mistakes·(Nθ + 2/Λ). ∎

use crate::streams::{Booster, Coins, Stream, equals, margins, rng, synthetic};
use boosters::mistake_bound::OsBoost;
use datasets::Name;
use oco_core::learners::Perceptron;
use weak_learners::{Label, OnlinePredictor};

/// θ, Λ, a and b.
fn constants(gamma: f64) -> [f64; 4] {
    let (theta, lambda) = (gamma / (2.0 + gamma), -(-gamma).ln_1p());
    let right = -2.0 * (-0.5 * lambda * (1.0 - theta)).exp_m1() / lambda;
    let wrong = 2.0 * (0.5 * lambda * (1.0 + theta)).exp_m1() / lambda;
    [theta, lambda, 0.5 * (wrong + right), 0.5 * (wrong - right)]
}

/// Plays a stream; asserts the weights and the bound in every round. Returns the mistakes, and Σ_i of what
/// learner i lacks, Σ_t w_t^i(γ − y_t h_i(x_t)), where it lacks anything.
fn check<W: OnlinePredictor<Label>>(stream: &Stream, learners: Vec<W>, gamma: f64) -> (f64, f64) {
    let n = learners.len();
    let [theta, lambda, a, b] = constants(gamma);
    let mut booster = OsBoost::new(learners, gamma, &mut rng(1)).unwrap();
    let (mut coins, mut mistakes, mut gained) = (Coins::default(), 0.0, 0.0);
    let (mut weights, mut edges) = (vec![0.0; n], vec![0.0; n]);
    for (t, (x, y)) in (1_u32..).zip(stream.examples()) {
        let played = booster.play(x, y);
        let passing = booster.last();
        coins.record(passing, y);
        let score: f64 = passing.votes().iter().map(|h| h.sign()).sum();
        assert_eq!(played, Label::of_score(score));
        let (mut z, mut gained_here) = (0.0, 0.0);
        for (i, (margin, &p)) in margins(passing, y).into_iter().zip(passing.probabilities()).enumerate() {
            let w = if z <= 0.0 { 1.0 } else { (1.0 - gamma).powf(0.5 * z) };
            assert!((p - w).abs() <= 1e-12, "w = {w}, p = {p}");
            z += margin - theta;
            gained_here += w * (a * margin - b);
            weights[i] += w;
            edges[i] += w * margin;
        }
        let integral = if z <= 0.0 { z } else { -2.0 * (-0.5 * lambda * z).exp_m1() / lambda };
        assert!(gained_here <= integral + 1e-9, "{}, round {t}: {gained_here} > {integral}", stream.name);
        mistakes += f64::from(u8::from(played != y));
        gained += gained_here;
        let bound = (2.0 * f64::from(t) / lambda - gained) / (n as f64 * theta + 2.0 / lambda);
        assert!(mistakes <= bound + 1e-9, "{}, round {t}: {mistakes} > {bound}", stream.name);
    }
    let lacking = edges.iter().zip(weights).map(|(edge, w)| (gamma * w - edge).max(0.0)).sum();
    (mistakes, lacking)
}

#[test]
fn the_bound_holds_at_every_round_for_any_learners() {
    for gamma in [0.02, 0.3, 0.9] {
        for agreement in [0.6, 0.0, -0.5] {
            check(&Stream::synthetic(400, 0.1, 1), synthetic(31, agreement), gamma);
            check(&Stream::synthetic(400, 0.5, 2), synthetic(8, agreement), gamma);
        }
    }
}

/// And for learners that learn, on data that is not made up.
#[test]
fn the_bound_holds_on_real_data() {
    let stream = Stream::real(Name::Adult, &[1], 2000);
    let perceptron = Perceptron::new(stream.dimension()).unwrap();
    let (mistakes, _) = check(&stream, vec![perceptron; 20], 0.1);
    assert!(mistakes < 800.0, "{mistakes}");
}

/// Learners with edges of γ: 4T/(4 + γ²N) mistakes, because b ≤ aγ and Λθ ≥ γ²/2; a little more for what some
/// of them lack.
#[test]
fn learners_with_an_edge_make_few_mistakes_together() {
    for k in 1..1000 {
        let gamma = f64::from(k) / 1000.0;
        let [theta, lambda, a, b] = constants(gamma);
        assert!(b <= a * gamma && lambda * theta >= 0.5 * gamma * gamma, "γ = {gamma}");
    }
    for (n, gamma) in [(20, 0.2), (100, 0.2), (400, 0.1)] {
        let (mistakes, lacking) = check(&Stream::synthetic(3000, 0.0, 3), synthetic(n, 0.7), gamma);
        let [_, lambda, a, _] = constants(gamma);
        assert!(lacking < 60.0, "{lacking}");
        let bound = 4.0 * (3000.0 + 0.5 * a * lambda * lacking) / (4.0 + gamma * gamma * n as f64);
        assert!(mistakes <= bound && bound < 2700.0, "{mistakes} > {bound}");
    }
}

/// The same where every learner has an advantage of γ and no more; what some lack, others have too much.
#[test]
fn learners_with_an_edge_of_gamma_and_no_more_will_do() {
    for (n, gamma) in [(100, 0.2), (60, 0.4)] {
        let (mistakes, lacking) = check(&Stream::synthetic(3000, 0.0, 4), equals(n, gamma), gamma);
        let [_, lambda, a, _] = constants(gamma);
        let bound = 4.0 * (3000.0 + 0.5 * a * lambda * lacking) / (4.0 + gamma * gamma * n as f64);
        assert!(mistakes <= bound && bound < 2000.0, "{mistakes} > {bound}");
    }
}
