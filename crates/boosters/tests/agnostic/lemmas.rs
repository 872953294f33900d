//! Lemmas 4, 5 and 13 of [BCMH20] on grids, and the vote Π over the whole range of γ.

use boosters::agnostic::{OnlineAgnosticBooster, RandomisedMajority};
use oco_core::{OcoError, OnlineLearner};
use proptest::prelude::*;
use rows::Row;
use weak_learners::Label::{Minus, Plus};
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

/// E Π(z).
fn mean(z: f64) -> f64 {
    2.0 * RandomisedMajority::prob_plus(z) - 1.0
}

/// Lemma 4: p(hy − 1) ≥ hy − 1 for p ∈ [−1, 1]; outside of it, not. With γ = 1, hy − 1 is the slope of the
/// booster's losses.
#[test]
fn lemma_4() {
    let majority = RandomisedMajority::new(1.0).unwrap();
    let holds = |p: f64, h, y| p * majority.slope(h, y) >= majority.slope(h, y);
    for (h, y) in [(Minus, Minus), (Minus, Plus), (Plus, Minus), (Plus, Plus)] {
        assert_eq!(majority.slope(h, y), h.sign() * y.sign() - 1.0);
        for k in -1000..=1000 {
            assert!(holds(f64::from(k) / 1000.0, h, y), "{k}");
        }
        assert_eq!(holds(1.001, h, y), h == y);
    }
}

/// Lemma 5: some p* ∈ {0, 1} has p*(zy − 1) ≤ E[Π(z)]y − 1, for z = ĥ(x) over its whole range. It fails with
/// the expert h instead of ĥ, as printed; with one of the two p* alone; and for the sign of z as the vote.
#[test]
fn lemma_5() {
    let ends = [1e140, 1e130, 2.0, 1.0 + f64::EPSILON, 1.0, 1.0 - f64::EPSILON, 1e-300, 0.0];
    let grid = (-3000..=3000).map(|k| f64::from(k) / 1000.0).chain(ends).chain(ends.map(|z| -z));
    let (mut without_0, mut without_1, mut printed, mut with_sign) = (0, 0, 0, 0);
    for z in grid {
        for y in [-1.0, 1.0] {
            let right = mean(z) * y - 1.0;
            let (left, rounding) = (|p: f64| p * (z * y - 1.0), 4.0 * f64::EPSILON);
            assert!(left(0.0) <= right || left(1.0) <= right + rounding, "z = {z}, y = {y}");
            // Where |z| ≤ 1, p* = 1 gives equality.
            assert!(z.abs() > 1.0 || (left(1.0) - right).abs() <= rounding, "z = {z}, y = {y}");
            without_0 += u32::from(left(1.0) > right + 1e-9);
            without_1 += u32::from(left(0.0) > right + 1e-9);
            // An expert that is right, h(x)y = 1: p(h(x)y − 1) = 0 for either p.
            printed += u32::from(right < -1e-9);
            let sign = RandomisedMajority::sign(z).sign() * y - 1.0;
            with_sign += u32::from(left(0.0) > sign + 1e-9 && left(1.0) > sign + 1e-9);
        }
    }
    assert!(without_0 > 0 && without_1 > 0 && printed > 0 && with_sign > 0);
}

/// A weak learner with a given vote, and an OCO learner that plays the same for ever.
#[derive(Clone)]
pub(crate) struct Votes(pub(crate) Label);

impl OnlinePredictor<Label> for Votes {
    fn shape(&self) -> Shape {
        Shape { inputs: 1, outputs: 1 }
    }
    fn predict(&mut self, _: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        y.fill(self.0.sign());
        Ok(())
    }
    fn accepts(&self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        Ok(())
    }
    fn update(&mut self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        Ok(())
    }
}

pub(crate) struct Plays(pub(crate) [f64; 1]);

impl OnlineLearner for Plays {
    fn play(&self) -> &[f64] {
        &self.0
    }
    fn observe(&mut self, _: &[f64]) -> Result<(), OcoError> {
        Ok(())
    }
    fn reset(&mut self) {}
}

/// Lemma 13, by enumeration: with P[y^i = y] as the booster reports it, E[W_i(x)y^i] = E[W_i(x)yp^i] for
/// every joint law of (W_i, p^i, y) on a grid, y^i being independent of W_i given p^i and y. A label that
/// depends on W_i breaks it.
#[test]
fn lemma_13() {
    let (mut left, mut right, mut looking, mut mass) = (0.0, 0.0, 0.0, 0.0);
    for k in -10_i32..=10 {
        let p = f64::from(k) / 10.0;
        for vote in [Minus, Plus] {
            for y in [Minus, Plus] {
                let mut key = super::streams::rng(1, 0);
                let mut booster =
                    OnlineAgnosticBooster::new(vec![Votes(vote)], Plays([p]), 0.5, &mut key).unwrap();
                booster.round(Row::dense(&[0.0]).unwrap(), y).unwrap();
                let true_label = booster.trace().prob_true_label()[0];
                // An arbitrary law: every atom has a weight of its own.
                let weight = 1.0 + (f64::from(k) * 0.7 + vote.sign() + 2.0 * y.sign()).sin();
                let product = vote.sign() * y.sign();
                left += weight * (true_label * product - (1.0 - true_label) * product);
                right += weight * product * p;
                looking += weight * product * if vote == y { true_label } else { 2.0 * true_label - 1.0 };
                mass += weight;
            }
        }
    }
    assert!((left - right).abs() <= 1e-13 * mass, "{left} for {right}");
    assert!((looking - right).abs() > 0.01 * mass);
}

/// The share of +1 among equally spaced coins is P[Π(z) = +1], to their resolution.
#[test]
fn coins_are_drawn_with_the_probability() {
    for z in [-5.0, -1.0, -0.999, -0.3, 0.0, 1e-9, 0.5, 0.999, 1.0, 7.0] {
        let coins = 10_000_u32;
        let plus =
            (0..coins).filter(|k| RandomisedMajority::draw(z, f64::from(*k) / f64::from(coins)) == Plus);
        let share = plus.count() as f64 / f64::from(coins);
        assert!((share - (0.5 + 0.5 * z.clamp(-1.0, 1.0))).abs() <= 1e-4, "{z}: {share}");
    }
    let last = 1.0 - f64::EPSILON / 2.0;
    assert_eq!((RandomisedMajority::draw(1.0, last), RandomisedMajority::draw(-1.0, 0.0)), (Plus, Minus));
    assert_eq!((RandomisedMajority::sign(0.0), RandomisedMajority::sign(-0.0)), (Plus, Plus));
}

#[test]
fn an_advantage_is_a_number_above_0_and_at_most_1() {
    for bad in [0.0, -0.0, -1e-300, 1.0 + f64::EPSILON, 2.0, 5e-309] {
        let refused = RandomisedMajority::new(bad);
        assert!(matches!(refused, Err(LearnerError::BadParameter { name: "advantage", .. })), "{bad}");
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(RandomisedMajority::new(bad), Err(LearnerError::NotFinite { .. })), "{bad}");
    }
    assert_eq!(
        RandomisedMajority::new(0.5).unwrap().score(&[]),
        Err(LearnerError::Empty { argument: "votes" })
    );
}

proptest! {
    /// z = Σ/(γN) for any number of votes and any γ; it and the slopes stay finite at the lowest γ.
    #[test]
    fn the_score_is_exact_over_the_whole_range(
        votes in prop::collection::vec(prop::bool::ANY, 1..400), exponent in -1023_i32..=0, mantissa in 0.5..1.0_f64,
    ) {
        let gamma = mantissa * 2_f64.powi(exponent);
        let majority = RandomisedMajority::new(gamma).unwrap();
        let votes: Vec<Label> = votes.into_iter().map(|plus| if plus { Plus } else { Minus }).collect();
        let plus = votes.iter().filter(|vote| **vote == Plus).count() as f64;
        let n = votes.len() as f64;
        let z = majority.score(&votes).unwrap();
        prop_assert!(z.is_finite() && z.abs() <= 1.0 / gamma);
        // In units of 2^exponent, where nothing under- or overflows.
        let expected = (2.0 * plus - n) / (n * mantissa);
        prop_assert!((z * 2_f64.powi(exponent) - expected).abs() <= 4.0 * f64::EPSILON * expected.abs());
        prop_assert_eq!(z > 0.0, 2.0 * plus > n);
        for y in [Minus, Plus] {
            prop_assert!(votes.iter().all(|vote| majority.slope(*vote, y).is_finite()));
        }
    }
}
