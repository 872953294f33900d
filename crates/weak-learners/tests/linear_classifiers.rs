//! Perceptron, Winnow and online logistic regression as weak learners: their definitions, their mistake and regret
//! bounds every round, and real data.

#![allow(clippy::unwrap_used, reason = "a refusal that is not expected fails the test")]

mod streams;

use oco_core::StepSchedule;
use proptest::prelude::*;
use rows::Row;
use streams::Stream;
use weak_learners::online::{BalancedWinnow, LogisticRegression, Perceptron, Winnow};
use weak_learners::{Label, OnlineClassifier, OnlinePredictor};

fn points(n: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(-2.0..2.0_f64, n), 1..60)
}

fn row(x: &[f64]) -> Row<'_> {
    Row::dense(x).unwrap()
}

fn inner(u: &[f64], x: &[f64]) -> f64 {
    u.iter().zip(x).map(|(u, x)| u * x).sum()
}

/// The points with the sign of ⟨u, x⟩ and a margin of at least 0.05; the smallest margin.
fn separated(u: &[f64], points: &[Vec<f64>]) -> (Vec<(Vec<f64>, Label)>, f64) {
    let kept = points.iter().filter(|x| inner(u, x).abs() >= 0.05);
    let margin = kept.clone().map(|x| inner(u, x).abs()).fold(f64::INFINITY, f64::min);
    (kept.map(|x| (x.clone(), Label::of_score(inner(u, x)))).collect(), margin)
}

fn largest(examples: &[(Vec<f64>, Label)]) -> f64 {
    examples.iter().flat_map(|(x, _)| x).fold(0.0, |largest, x| largest.max(x.abs()))
}

proptest! {
    /// [N62]: (R/γ)² bounds the mistakes, and so the wrong votes.
    #[test]
    fn the_perceptron_bound(u in prop::collection::vec(-1.0..1.0_f64, 5), points in points(5)) {
        let norm = inner(&u, &u).sqrt();
        prop_assume!(norm > 0.1);
        let u: Vec<f64> = u.iter().map(|u| u / norm).collect();
        let (examples, margin) = separated(&u, &points);
        let radius = examples.iter().map(|(x, _)| inner(x, x).sqrt()).fold(0.0, f64::max);
        let (mut learner, mut wrong) = (Perceptron::new(5).unwrap(), 0_u64);
        // Several passes, so that the bound binds.
        for (x, y) in examples.iter().cycle().take(5 * examples.len()) {
            wrong += u64::from(learner.round(row(x), *y).unwrap() != *y);
            prop_assert!(wrong <= learner.mistakes());
            prop_assert!(learner.mistakes() as f64 <= (radius / margin).powi(2) + 1e-9);
        }
    }

    /// Winnow's 2X² ln n/γ² for a target in the simplex, and 2X² ln 2m/γ² for one in the whole ℓ1 ball, which only the
    /// balanced form can follow.
    #[test]
    fn the_winnow_bounds(u in prop::collection::vec(-1.0..1.0_f64, 5), points in points(5)) {
        let norm: f64 = u.iter().map(|u| u.abs()).sum();
        prop_assume!(norm > 0.1);
        let of_ball: Vec<f64> = u.iter().map(|u| u / norm).collect();
        let of_simplex: Vec<f64> = of_ball.iter().map(|u| u.abs()).collect();
        let (examples, margin) = separated(&of_simplex, &points);
        prop_assume!(!examples.is_empty());
        let x_max = largest(&examples);
        let (mut learner, mut wrong) = (Winnow::for_margin(5, x_max, margin).unwrap(), 0_u64);
        for (x, y) in examples.iter().cycle().take(5 * examples.len()) {
            wrong += u64::from(learner.round(row(x), *y).unwrap() != *y);
            prop_assert!(wrong <= learner.mistakes());
            prop_assert!(learner.mistakes() as f64 <= 2.0 * (x_max / margin).powi(2) * 5.0_f64.ln() + 1e-9);
        }
        let (examples, margin) = separated(&of_ball, &points);
        prop_assume!(!examples.is_empty());
        let x_max = largest(&examples);
        let (mut learner, mut wrong) = (BalancedWinnow::for_margin(5, x_max, margin).unwrap(), 0_u64);
        for (x, y) in examples.iter().cycle().take(5 * examples.len()) {
            wrong += u64::from(learner.round(row(x), *y).unwrap() != *y);
            prop_assert!(wrong <= learner.mistakes());
            prop_assert!(learner.mistakes() as f64 <= 2.0 * (x_max / margin).powi(2) * 10.0_f64.ln() + 1e-9);
        }
    }

    /// Balanced Winnow is Winnow on (x, −x), and its w⁺ − w⁻ is sinh(ηθ_j)/Σcosh(ηθ_i).
    #[test]
    fn balanced_winnow_is_winnow_on_the_doubled_row(points in points(4), coins in prop::collection::vec(any::<bool>(), 60)) {
        let (mut balanced, mut plain) = (BalancedWinnow::new(4, 0.3).unwrap(), Winnow::new(8, 0.3).unwrap());
        let mut theta = [0.0; 4];
        for (x, coin) in points.iter().zip(coins) {
            let y = if coin { Label::Plus } else { Label::Minus };
            let doubled: Vec<f64> = x.iter().copied().chain(x.iter().map(|x| -x)).collect();
            let before = balanced.mistakes();
            prop_assert_eq!(balanced.round(row(x), y).unwrap(), plain.round(row(&doubled), y).unwrap());
            if balanced.mistakes() > before {
                theta.iter_mut().zip(x).for_each(|(theta, x)| *theta += y.sign() * x);
            }
            let total: f64 = theta.iter().map(|theta| (0.3 * theta).cosh()).sum();
            for (w, theta) in balanced.weights().iter().zip(theta) {
                prop_assert!((w - (0.3 * theta).sinh() / total).abs() < 1e-12);
            }
        }
    }

    /// w ← Π(w + η_t y x/(1 + e^(y⟨w, x⟩))), entry by entry.
    #[test]
    fn logistic_regression_is_its_definition(points in points(4), coins in prop::collection::vec(any::<bool>(), 60), lr in 0.1..5.0_f64, radius in 0.2..3.0_f64) {
        let mut learner = LogisticRegression::new(4, StepSchedule::power(lr, 0.5).unwrap(), radius).unwrap();
        let mut w = [0.0; 4];
        for (t, (x, coin)) in (1..).zip(points.iter().zip(coins)) {
            let y = if coin { Label::Plus } else { Label::Minus };
            let margin = inner(&w, x);
            prop_assert!((learner.probability(row(x)).unwrap() - 1.0 / (1.0 + (-margin).exp())).abs() < 1e-12);
            let vote = learner.round(row(x), y).unwrap();
            prop_assert!(margin.abs() < 1e-9 || vote == Label::of_score(margin));
            let step = lr / f64::from(t).sqrt() * y.sign() / (1.0 + (y.sign() * margin).exp());
            w.iter_mut().zip(x).for_each(|(w, x)| *w += step * x);
            let shrink = (radius / inner(&w, &w).sqrt()).min(1.0);
            w.iter_mut().for_each(|w| *w *= shrink);
            for (got, want) in learner.model().weights().iter().zip(w) {
                prop_assert!((got - want).abs() < 1e-11);
            }
        }
    }
}

/// ln(1 + e^(−z)).
fn logistic_loss(z: f64) -> f64 {
    (-z.abs()).exp().ln_1p() + (-z).max(0.0)
}

/// A point of the ball {‖w‖ ≤ B} whose loss on the examples projected gradient descent cannot lower much: a comparator,
/// for which the bound holds as for every other.
fn in_hindsight(examples: &[(Row<'_>, Label)], m: usize, radius: f64) -> Vec<f64> {
    let mut u = vec![0.0; m];
    let smoothness = 0.25 * examples.iter().map(|(x, _)| x.norm_squared()).sum::<f64>();
    for _ in 0..100 {
        let mut moved = u.clone();
        for (x, y) in examples {
            let step = 8.0 / smoothness * y.sign() / (1.0 + (y.sign() * x.dot(&u)).exp());
            x.axpy_into(step, &mut moved);
        }
        let shrink = (radius / inner(&moved, &moved).sqrt()).min(1.0);
        moved.iter_mut().for_each(|w| *w *= shrink);
        u = moved;
    }
    u
}

/// [Z03] on adult, every round, against the best w in hindsight and its opposite:
/// Σℓ_t(w_t) − ℓ_t(u) ≤ Σ⟨∇_t, w_t − u⟩ ≤ Σ(‖w_t − u‖² − ‖w_{t+1} − u‖²)/2η_t + ½Ση_t‖∇_t‖² ≤ 2B²/η_T + ½Ση_t‖∇_t‖²,
/// where the second is an equality but for projections.
#[test]
fn the_regret_of_logistic_regression_on_adult() {
    let stream = Stream::adult();
    let m = stream.rows.dimension();
    let examples: Vec<(Row<'_>, Label)> = stream.iter().take(2_000).collect();
    for (steps, radius) in
        [(StepSchedule::constant(0.02).unwrap(), 3.0), (StepSchedule::power(0.5, 0.5).unwrap(), 1.0)]
    {
        let best = in_hindsight(&examples, m, radius);
        let opposite: Vec<f64> = best.iter().map(|u| -u).collect();
        let mut learner = LogisticRegression::new(m, steps, radius).unwrap();
        let (mut regrets, mut linear, mut nearer, mut walked) = ([0.0; 2], [0.0; 2], [0.0; 2], 0.0);
        for (t, (x, y)) in (1..).zip(&examples) {
            let (eta, y_sign, before) = (steps.eta(t), y.sign(), learner.model().weights());
            let margin = y_sign * x.dot(before.as_slice());
            let slope = -y_sign / (1.0 + margin.exp());
            learner.update(*x, y).unwrap();
            let after = learner.model().weights();
            walked += 0.5 * eta * slope * slope * x.norm_squared();
            for (k, u) in [&best, &opposite].into_iter().enumerate() {
                let square = |w: &[f64]| w.iter().zip(u).map(|(w, u)| (w - u) * (w - u)).sum::<f64>();
                regrets[k] += logistic_loss(margin) - logistic_loss(y_sign * x.dot(u));
                linear[k] += slope * (x.dot(before.as_slice()) - x.dot(u));
                nearer[k] += (square(before.as_slice()) - square(after.as_slice())) / (2.0 * eta);
                assert!(regrets[k] <= linear[k] + 1e-9, "round {t}: convexity");
                assert!(
                    linear[k] <= nearer[k] + walked + 1e-6,
                    "round {t}: {} > {} + {walked}",
                    linear[k],
                    nearer[k]
                );
                assert!(nearer[k] <= 2.0 * radius * radius / eta + 1e-6, "round {t}: {}", nearer[k]);
            }
        }
        if stream.is_real {
            assert!(linear[0] > 0.2 * (nearer[0] + walked), "{linear:?} against {nearer:?} + {walked}");
            assert!(
                regrets[0] > 0.0 && regrets[1] < -500.0,
                "the best u is far better than its opposite: {regrets:?}"
            );
        }
    }
}

/// Rows without negative features: Winnow has no weight below 0 and always votes +1, its balanced form learns.
#[test]
fn winnow_needs_both_signs() {
    let (mut winnow, mut balanced) = (Winnow::new(2, 0.5).unwrap(), BalancedWinnow::new(2, 0.5).unwrap());
    let mut wrong = [0, 0];
    for t in 0..100 {
        let (x, y) = if t % 2 == 0 { ([1.0, 0.0], Label::Plus) } else { ([0.0, 1.0], Label::Minus) };
        wrong[0] += usize::from(winnow.round(row(&x), y).unwrap() != y);
        wrong[1] += usize::from(balanced.round(row(&x), y).unwrap() != y);
    }
    assert_eq!(wrong, [50, 1]);
}

/// Margins beyond the range of doubles, and products below it: the vote is the sign of ⟨w, x⟩ all the same.
#[test]
fn logistic_regression_at_the_limits_of_doubles() {
    let mut learner = LogisticRegression::new(2, StepSchedule::constant(1.0).unwrap(), 1e200).unwrap();
    learner.update(row(&[2e200, 2e200]), &Label::Plus).unwrap();
    for (x, vote, probability) in [
        ([1e200, 1e200], Label::Plus, 1.0),
        ([-1e200, -1e200], Label::Minus, 0.0),
        ([f64::MAX, -0.5 * f64::MAX], Label::Plus, 1.0),
        ([-f64::MAX, 0.5 * f64::MAX], Label::Minus, 0.0),
        ([1e-200, -2e-200], Label::Minus, 0.33),
    ] {
        assert_eq!(learner.vote(row(&x)).unwrap(), vote, "{x:?}");
        assert!((learner.probability(row(&x)).unwrap() - probability).abs() < 0.01, "{x:?}");
    }
    // ∞ − ∞ where the terms cancel exactly.
    let cancels = row(&[f64::MAX, -f64::MAX]);
    assert_eq!((learner.vote(cancels).unwrap(), learner.probability(cancels).unwrap()), (Label::Plus, 0.5));
    // Such examples are learnt, too: the step ends on the sphere.
    learner.update(row(&[f64::MAX, -f64::MAX]), &Label::Minus).unwrap();
    assert!(learner.model().weights().iter().all(|w| w.is_finite() && w.abs() <= 1.01e200));
    let mut learner = LogisticRegression::new(1, StepSchedule::constant(1e-200).unwrap(), 1.0).unwrap();
    learner.update(row(&[1.0]), &Label::Minus).unwrap();
    assert_eq!(learner.vote(row(&[1e-200])).unwrap(), Label::Minus, "−1e−400 is below 0");
}

/// A saved learner is checked when it is loaded.
#[test]
fn what_is_loaded_is_checked() {
    let odd = serde_json::to_string(&Winnow::new(3, 0.5).unwrap()).unwrap();
    assert!(serde_json::from_str::<BalancedWinnow>(&odd).is_err());
    let even = serde_json::to_string(&Winnow::new(4, 0.5).unwrap()).unwrap();
    let balanced: BalancedWinnow = serde_json::from_str(&even).unwrap();
    assert_eq!((balanced.shape().inputs, balanced.weights()), (2, vec![0.0; 2]));
    assert!(BalancedWinnow::new(0, 0.5).is_err() && BalancedWinnow::new(1 << 33, 0.5).is_err());
    assert!(BalancedWinnow::new(2, 0.0).is_err() && BalancedWinnow::for_margin(2, 1.0, -1.0).is_err());
    let tuned = BalancedWinnow::for_margin(2, 4.0, 0.5).unwrap();
    let by_hand = BalancedWinnow::new(2, 1.0 / 32.0).unwrap();
    assert_eq!(serde_json::to_string(&tuned).unwrap(), serde_json::to_string(&by_hand).unwrap(), "γ/X²");
    let learner = LogisticRegression::new(1, StepSchedule::constant(1.0).unwrap(), 1.0).unwrap();
    let text = serde_json::to_string(&learner).unwrap();
    assert!(text.contains("\"radius\":1.0"), "{text}");
    assert!(
        serde_json::from_str::<LogisticRegression>(&text.replace("\"radius\":1.0", "\"radius\":0.0"))
            .is_err()
    );
    let shape = weak_learners::Shape { inputs: 1, outputs: 2 };
    let wide = weak_learners::OgdLinear::new(shape, StepSchedule::constant(1.0).unwrap(), 1.0).unwrap();
    assert!(serde_json::from_str::<LogisticRegression>(&serde_json::to_string(&wide).unwrap()).is_err());
}
