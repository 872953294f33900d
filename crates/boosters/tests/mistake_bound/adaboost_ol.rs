//! AdaBoost.OL.
//!
//! *Proof of the bound.* Let ℓ(s) = ln(1 + e^{−s}), w = 1/(1 + e^s), and m = yh_i(x) = ±1. Then ℓ(s + αm) −
//! ℓ(s) = ln(1 + w(e^{−αm} − 1)) ≤ w(e^{−αm} − 1), and over the rounds Σ_t w_t(e^{−αm_t} − 1) =
//! W_i(½(1+e_i)e^{−α} + ½(1−e_i)e^{α} − 1), W_i = Σ_t w_t^i, e_i the edge. The best α in [−2, 2] makes that
//! at most −½e_i²W_i: it is √(1−e²) − 1 where |e| ≤ tanh 2; beyond, at α = ±2, it is linear in |e|, is below
//! −½e² at both ends, and so lies below that concave function between them. With R_i the regret of OGD, (1)
//! Σ_t ℓ(s_t^i) − ℓ(s_t^{i−1}) ≤ R_i − ½e_i²W_i, and R_i ≤ 16/(2·4/√T) + ½Σ_t 4/√t ≤ 6√T as slopes are at
//! most 1 and D = 4. A mistake of ŷ^{i−1} has s^{i−1} ≤ 0 and w^i ≥ ½, so W_i ≥ ½M_{i−1}, with M_0 = T as w^1
//! = ½; and every M_{i−1} ≥ M. Sum (1) over i: −T ln 2 ≤ Σ_t ℓ(s_t^N) − ℓ(0) ≤ 6N√T − ¼MΣ_i e_i². That is the
//! first bound; the second is Hedge's with η = 1 on losses in {0, 1}: its expected loss is at most (M + ln
//! N)/(1 − e^{−1}) \[FS97\]. ∎

use crate::streams::{Booster, Coins, FIRST_HALF, Stream, equals, margins, rng, synthetic};
use boosters::mistake_bound::AdaBoostOl;
use datasets::Name;
use oco_core::StepSchedule;
use oco_core::learners::Perceptron;
use serde::Serialize;
use std::f64::consts::{E, LN_2};
use weak_learners::online::LogisticRegression;
use weak_learners::{Label, OnlinePredictor};

fn loss(s: f64) -> f64 {
    (-s).max(0.0) + (-s.abs()).exp().ln_1p()
}

/// What is known of one learner after t rounds.
#[derive(Clone, Copy, Default)]
struct Account {
    alpha: f64,
    /// W_i and Σwyh.
    weight: f64,
    edge: f64,
    /// Σ ℓ(s^i) − ℓ(s^{i−1}), and the same with a constant α = −2, …, 2 in step i.
    progress: f64,
    with: [f64; 9],
    /// ½Ση_t g_t².
    squares: f64,
    mistakes: f64,
}

/// Plays a stream; asserts α, v, the vote's law, the regrets and the bounds in every round. Returns the
/// mistakes and the bound on the best of the ŷ^i.
fn check<W: OnlinePredictor<Label> + Clone + Serialize>(stream: &Stream, learners: Vec<W>) -> (f64, f64) {
    let n = learners.len();
    let mut booster = AdaBoostOl::new(learners, &mut rng(1)).unwrap();
    let mut accounts = vec![Account::default(); n];
    let mut draws = 0.0;
    let (mut coins, mut mistakes, mut expected, mut rounds, mut bound) =
        (Coins::default(), 0.0, 0.0, 0.0_f64, 0.0);
    for (x, y) in stream.examples() {
        let (alphas, v) = (booster.alphas().to_vec(), booster.expert_weights().to_vec());
        let least = accounts.iter().fold(f64::INFINITY, |least, account| least.min(account.mistakes));
        let total: f64 = accounts.iter().map(|account| (least - account.mistakes).exp()).sum();
        let u = draw_to_come(&booster);
        let played = booster.play(x, y);
        rounds += 1.0;
        draws += u - 0.5;
        coins.record(booster.last(), y);
        let (mut s, mut below, mut chosen, mut risk) = (0.0, 0.0, None, 0.0);
        let learners = margins(booster.last(), y).into_iter().zip(booster.last().probabilities());
        for (i, ((margin, &p), account)) in learners.zip(&mut accounts).enumerate() {
            assert!((alphas[i] - account.alpha).abs() <= 1e-9, "α^{i}");
            assert!((v[i] - (least - account.mistakes).exp() / total).abs() <= 1e-9, "v^{i}");
            let w = 1.0 / (1.0 + f64::exp(s));
            assert!((p - w).abs() <= 1e-9, "w^{i}");
            account.weight += w;
            account.edge += w * margin;
            for (alpha, with) in (-4..=4).zip(&mut account.with) {
                *with += loss(s + 0.5 * f64::from(alpha) * margin) - loss(s);
            }
            let after = s + account.alpha * margin;
            account.progress += loss(after) - loss(s);
            let (eta, slope) = (4.0 / rounds.sqrt(), -margin / (1.0 + after.exp()));
            account.squares += 0.5 * eta * slope * slope;
            account.alpha = (account.alpha - eta * slope).clamp(-2.0, 2.0);
            s = after;
            // y·(a score of 0), voted +1, is a mistake where y = −1.
            let wrong = s < 0.0 || (s == 0.0 && y == Label::Minus);
            account.mistakes += f64::from(u8::from(wrong));
            risk += if wrong { v[i] } else { 0.0 };
            below += v[i];
            if u < below - 1e-12 {
                chosen = chosen.or(Some(wrong));
            }
        }
        let wrong = played != y;
        assert!(chosen.is_none_or(|chosen| chosen == wrong), "not the vote of the expert that was drawn");
        mistakes += f64::from(u8::from(wrong));
        expected += risk;
        // As for the coins, a deviation that has probability 10⁻⁷.
        let variance = 0.25 * rounds + 1.0;
        assert!(draws.abs() < (variance * (variance / 1e-14).ln()).sqrt(), "the draws of i: {draws}");
        bound = check_bounds(&accounts, mistakes, expected, rounds, &stream.name);
    }
    (mistakes, bound)
}

/// The uniform number that i will be drawn with, as the state says.
fn draw_to_come<W: OnlinePredictor<Label> + Clone + Serialize>(booster: &AdaBoostOl<W>) -> f64 {
    serde_json::to_value(booster).unwrap()["choice"]["coming"][0].as_f64().unwrap()
}

fn check_bounds(accounts: &[Account], mistakes: f64, expected: f64, rounds: f64, name: &str) -> f64 {
    let n = accounts.len() as f64;
    let (mut edges_squared, mut best) = (0.0, f64::INFINITY);
    for (i, account) in accounts.iter().enumerate() {
        let regret = 2.0 * rounds.sqrt() + account.squares;
        for with in account.with {
            assert!(account.progress - with <= regret + 1e-9, "{name}: the regret of α^{i}");
        }
        let edge = account.edge / account.weight;
        let progress = 6.0 * rounds.sqrt() - 0.5 * edge * edge * account.weight;
        assert!(account.progress <= progress + 1e-9, "{name}: (1) at {i}");
        edges_squared += edge * edge;
        best = f64::min(best, account.mistakes);
    }
    let bound = 4.0 * (rounds * LN_2 + 6.0 * n * rounds.sqrt()) / edges_squared;
    assert!(best <= bound, "{name}: {best} > {bound}");
    assert!(expected <= (best + n.ln()) / (1.0 - 1.0 / E) + 1e-9, "{name}: the regret of v");
    // The draws of i are independent of all else: as for the coins, a deviation that has probability 10⁻⁷.
    let variance = 0.25 * rounds + 1.0;
    assert!(
        (mistakes - expected).abs() < (variance * (variance / 1e-14).ln()).sqrt(),
        "{name}: the draws of i"
    );
    bound
}

#[test]
fn the_bounds_hold_at_every_round_for_any_learners() {
    for agreement in [0.6, 0.0, -0.5] {
        for n in [1, 2, 20] {
            check(&Stream::synthetic(1500, 0.1, 1), synthetic(n, agreement));
        }
    }
    check(&Stream::synthetic(1500, 0.5, 2), synthetic(20, 0.5));
}

/// And for learners that learn, on data that is not made up.
#[test]
fn the_bounds_hold_on_real_data() {
    let adult = Stream::real(Name::Adult, &[1], 2000);
    let logistic = LogisticRegression::new(adult.dimension(), StepSchedule::power(0.1, 0.5).unwrap(), 10.0);
    let (mistakes, _) = check(&adult, vec![logistic.unwrap(); 20]);
    assert!(mistakes < 800.0, "{mistakes}");
    let letter = Stream::real(Name::Letter, &FIRST_HALF, 2000);
    let perceptron = Perceptron::new(letter.dimension()).unwrap();
    check(&letter, vec![perceptron; 20]);
}

/// Learners that are wrong more often than right are as good as others: α turns them over.
#[test]
fn no_advantage_need_be_known_nor_its_sign() {
    for agreement in [0.5, -0.5] {
        let (mistakes, _) = check(&Stream::synthetic(4000, 0.0, 3), synthetic(40, agreement));
        assert!(mistakes <= 400.0, "{mistakes} of 4000");
    }
}

/// The bound says something where T is large beside N and the edges are.
#[test]
fn the_bound_falls_below_the_number_of_rounds() {
    let (mistakes, bound) = check(&Stream::synthetic(20_000, 0.0, 4), synthetic(12, 1.0));
    assert!(mistakes < 200.0 && bound < 12_000.0, "{mistakes}, {bound}");
    for agreement in [0.8, -0.8] {
        let (mistakes, bound) = check(&Stream::synthetic(6000, 0.0, 5), equals(16, agreement));
        assert!(mistakes < 300.0 && bound < 5000.0, "{mistakes}, {bound}");
    }
}
