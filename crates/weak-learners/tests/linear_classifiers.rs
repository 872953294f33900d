//! Perceptron, Winnow and online logistic regression as weak learners: their definitions, their mistake and
//! regret bounds every round, and real data.

#![allow(clippy::unwrap_used, reason = "a refusal that is not expected fails the test")]

mod streams;

use oco_core::StepSchedule;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
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

    /// Winnow's 2X² ln n/γ² for a target in the simplex, and 2X² ln 2m/γ² for one in the whole ℓ1 ball, which
    /// only the balanced form can follow.
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

    /// Balanced Winnow is Winnow on (x, −x), and its w⁺ − w⁻ is sinh(ηθ_j)/Σcosh(ηθ_i). Features are
    /// multiples of 2^−20, so that Winnow's sums at θ = 0 cancel without an error.
    #[test]
    fn balanced_winnow_is_winnow_on_the_doubled_row(points in points(4), coins in prop::collection::vec(any::<bool>(), 60)) {
        let (mut balanced, mut plain) = (BalancedWinnow::new(4, 0.3).unwrap(), Winnow::new(8, 0.3).unwrap());
        let mut theta = [0.0; 4];
        for (x, coin) in points.iter().zip(coins) {
            let y = if coin { Label::Plus } else { Label::Minus };
            let x: &Vec<f64> = &x.iter().map(|x| (x * 1048576.0).round() / 1048576.0).collect();
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

/// A point of the ball {‖w‖ ≤ B} whose loss on the examples projected gradient descent cannot lower much: a
/// comparator, for which the bound holds as for every other.
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

/// [Z03] on adult, every round, against the best w in hindsight and its opposite: Σℓ_t(w_t) − ℓ_t(u) ≤ Σ⟨∇_t,
/// w_t − u⟩ ≤ Σ(‖w_t − u‖² − ‖w_{t+1} − u‖²)/2η_t + ½Ση_t‖∇_t‖² ≤ 2B²/η_T + ½Ση_t‖∇_t‖², where the second is
/// an equality but for projections.
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

/// A majority of three of many signs, which a u of three equal weights, also with a negative one, separates
/// by 1/3: the mistakes stay within 2X² ln n/γ² and take a good part of it.
#[test]
fn the_winnow_bounds_on_a_sparse_target() {
    let (n, mut rng) = (1000, ChaCha8Rng::seed_from_u64(5));
    let bound = |dimension: f64| 18.0 * dimension.ln();
    let mut winnow = Winnow::for_margin(n, 1.0, 1.0 / 3.0).unwrap();
    let mut balanced = BalancedWinnow::for_margin(n, 1.0, 1.0 / 3.0).unwrap();
    for _ in 0..3000 {
        let x: Vec<f64> = (0..n).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
        winnow.update(row(&x), &Label::of_score(x[7] + x[77] + x[777])).unwrap();
        balanced.update(row(&x), &Label::of_score(x[7] - x[77] + x[777])).unwrap();
        assert!(winnow.mistakes() as f64 <= bound(1000.0) && balanced.mistakes() as f64 <= bound(2000.0));
    }
    assert!(winnow.mistakes() as f64 > 0.3 * bound(1000.0), "{} of {}", winnow.mistakes(), bound(1000.0));
    assert!(balanced.mistakes() as f64 > 0.3 * bound(2000.0), "{} of {}", balanced.mistakes(), bound(2000.0));
}

/// What the bounds rest on, where nothing separates: FTRL's regret on the mistakes. There y⟨w, x⟩ ≤ 0, so for
/// every distribution u, Σ y⟨u, x⟩ ≤ ln n/η + ηΣ‖x‖_∞²/2; the best u is a vertex. The labels contradict every
/// vote, and the signs of a row keep ⟨w, x⟩ near 0, so that the bound is more than half met.
#[test]
fn the_regret_of_winnow_on_its_mistakes() {
    let (n, eta) = (64, 0.3);
    let (mut winnow, mut balanced) = (Winnow::new(n, eta).unwrap(), BalancedWinnow::new(n, eta).unwrap());
    let (mut of_winnow, mut of_balanced, mut ratios) = (vec![0.0; n], vec![0.0; n], [0.0_f64; 2]);
    for t in 1..=200_u32 {
        let round = |learner: &mut dyn OnlinePredictor<Label>,
                     weights: Vec<f64>,
                     theta: &mut Vec<f64>,
                     doubled: f64| {
            // The heavy half of the coordinates, by weight, against the light one.
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&i, &j| weights[j].abs().total_cmp(&weights[i].abs()));
            let (mut x, mut sum) = (vec![0.0; n], 0.0);
            for &j in &order {
                let side = if weights[j] < 0.0 { -1.0 } else { 1.0 };
                x[j] = if sum > 0.0 { -side } else { side };
                sum += x[j] * weights[j];
            }
            let mut vote = [0.0];
            learner.predict(row(&x), &mut vote).unwrap();
            learner.update(row(&x), &Label::of_score(-vote[0])).unwrap();
            theta.iter_mut().zip(&x).for_each(|(theta, x)| *theta -= vote[0] * x);
            let best = theta
                .iter()
                .fold(0.0, |best: f64, theta| best.max(if doubled > 1.0 { theta.abs() } else { *theta }));
            let bound = (doubled * n as f64).ln() / eta + 0.5 * eta * f64::from(t);
            assert!(best <= bound + 1e-9, "round {t}: {best} above {bound}");
            best / bound
        };
        let weights = winnow.weights();
        ratios[0] = ratios[0].max(round(&mut winnow, weights, &mut of_winnow, 1.0));
        let weights = balanced.weights();
        ratios[1] = ratios[1].max(round(&mut balanced, weights, &mut of_balanced, 2.0));
        assert_eq!((winnow.mistakes(), balanced.mistakes()), (t.into(), t.into()));
    }
    assert!(ratios.iter().all(|ratio| *ratio > 0.5), "{ratios:?}");
}

/// Rows without negative features: Winnow has no weight below 0 and always votes +1, its balanced form
/// learns.
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

/// Features so small that w⁺ and w⁻ differ by less than their last bit, or that ηθ is below the smallest
/// double; and so large that both are beyond the largest: one mistake is enough. What is left where the
/// largest terms cancel decides.
#[test]
fn balanced_winnow_at_the_limits_of_doubles() {
    for (unit, eta) in
        [(1e-20, 0.3), (1e-130, 0.3), (1e-100, 1e-30), (1e130, 0.3), (1e140, 1e130), (1.0, 1e-320)]
    {
        for x in [[unit, 0.0], [unit, -0.5 * unit]] {
            let (mut learner, mut wrong) = (BalancedWinnow::new(2, eta).unwrap(), 0);
            for t in 0..100 {
                let y = if t % 3 == 0 { Label::Minus } else { Label::Plus };
                let x = x.map(|x| y.sign() * x);
                wrong += usize::from(learner.round(row(&x), y).unwrap() != y);
            }
            assert!(
                wrong <= 1 && learner.mistakes() == 1,
                "{wrong} wrong of 100 in units of {unit}, η = {eta}"
            );
        }
    }
    let mut learner = BalancedWinnow::new(3, 1.0).unwrap();
    learner.update(row(&[1.0; 3]), &Label::Plus).unwrap();
    assert_eq!(learner.vote(row(&[1e130, -1e130, -1e-300])).unwrap(), Label::Minus);
    // θ = (401, −499, 1), so that w_1/w_2 = −e^−98 = −10^−42.56 and w_3/w_2 = −10^−216.34.
    learner.update(row(&[400.0, -500.0, 0.0]), &Label::Plus).unwrap();
    assert_eq!(learner.mistakes(), 2);
    for (x, vote) in [
        ([1e-200, 2.6e-243, 0.0], Label::Plus),
        ([1e-200, 2.9e-243, 0.0], Label::Minus),
        ([0.0, 1e-300, 2.1e-84], Label::Minus),
        ([0.0, 1e-300, 2.3e-84], Label::Plus),
        ([0.0, 5e-324, 1e-100], Label::Plus),
        ([-1e-300, 0.0, 1e-100], Label::Plus),
        ([-1e-300, 0.0, 1e-130], Label::Minus),
    ] {
        assert_eq!(learner.vote(row(&x)).unwrap(), vote, "{x:?}");
    }
}

/// Margins beyond the range of doubles, and products below it: the vote is the sign of ⟨w, x⟩ all the same.
#[test]
fn logistic_regression_at_the_limits_of_doubles() {
    let mut learner = LogisticRegression::new(2, StepSchedule::constant(1.0).unwrap(), 1e120).unwrap();
    learner.update(row(&[2e120, 2e120]), &Label::Plus).unwrap();
    for (x, vote, probability) in [
        ([1e120, 1e120], Label::Plus, 1.0),
        ([-1e120, -1e120], Label::Minus, 0.0),
        ([1e140, -0.5 * 1e140], Label::Plus, 1.0),
        ([-1e140, 0.5 * 1e140], Label::Minus, 0.0),
        ([1e-120, -2e-120], Label::Minus, 0.33),
    ] {
        assert_eq!(learner.vote(row(&x)).unwrap(), vote, "{x:?}");
        assert!((learner.probability(row(&x)).unwrap() - probability).abs() < 0.01, "{x:?}");
    }
    // ∞ − ∞ where the terms cancel exactly.
    let cancels = row(&[1e140, -1e140]);
    assert_eq!((learner.vote(cancels).unwrap(), learner.probability(cancels).unwrap()), (Label::Plus, 0.5));
    // Such examples are learnt, too: the step ends on the sphere.
    learner.update(row(&[1e140, -1e140]), &Label::Minus).unwrap();
    assert!(learner.model().weights().iter().all(|w| w.is_finite() && w.abs() <= 1.01e120));
    let mut learner = LogisticRegression::new(1, StepSchedule::constant(1e-100).unwrap(), 1.0).unwrap();
    learner.update(row(&[1.0]), &Label::Minus).unwrap();
    assert_eq!(learner.vote(row(&[1e-130])).unwrap(), Label::Minus, "−1e−230 is below 0");
}

/// A saved learner is checked when it is loaded.
#[test]
fn what_is_loaded_is_checked() {
    let text = serde_json::to_string(&BalancedWinnow::new(2, 0.5).unwrap()).unwrap();
    let balanced: BalancedWinnow = serde_json::from_str(&text).unwrap();
    assert_eq!((balanced.shape().inputs, balanced.weights()), (2, vec![0.0; 2]));
    for (from, to) in [("\"eta\":0.5", "\"eta\":0.0"), ("[0.0,0.0]", "[]"), ("[0.0,0.0]", "[0.0,null]")] {
        assert!(text.contains(from), "{from} in {text}");
        assert!(serde_json::from_str::<BalancedWinnow>(&text.replace(from, to)).is_err(), "{to}");
    }
    assert!(BalancedWinnow::new(0, 0.5).is_err());
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
