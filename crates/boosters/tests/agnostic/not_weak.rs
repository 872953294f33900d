//! Failures without a hypothesis of [BCMH20]: learners without the claimed advantage, an OCO learner that is
//! not reset or that climbs.

use super::streams::{Examples, Inner, class, hedges, rng, synthetic};
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster};
use oco_core::learners::Ogd;
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::BoxSet;
use rows::Row;
use weak_learners::Label;
use weak_learners::online::Thresholds;

const ROUNDS: u32 = 500;

/// (1/T)ΣE_Π[ŷ_t]y_t of Algorithms 1 and 4 where learners that agree with the expert in the mean by `truth`
/// claim γ, and what Proposition 3 and Theorem 12 would give with R_W = 0.
fn gains_and_promises(truth: f64, gamma: f64, n: u64) -> [(f64, f64); 2] {
    let examples = Examples::letter();
    let expert = class(&examples.thresholds(4))[20];
    let stream = examples.separable(ROUNDS as usize, expert, 3);
    let learners = || synthetic(expert, truth, n, 1);
    let mut agnostic = OnlineAgnosticBooster::with_ogd(learners(), gamma, &mut rng(2, 0)).unwrap();
    let mut realizable = OnlineRealizableBooster::with_ogd(learners(), gamma, &mut rng(2, 0)).unwrap();
    let mut gains = [0.0; 2];
    for (x, y) in stream.examples() {
        agnostic.round(x, y).unwrap();
        realizable.round(x, y).unwrap();
        gains[0] += Inner::of(agnostic.trace(), gamma, y, [-1.0, 1.0]).mean_gain / f64::from(ROUNDS);
        gains[1] += Inner::of(realizable.trace(), gamma, y, [0.0, 1.0]).mean_gain / f64::from(ROUNDS);
    }
    let oco = (1.0 + 1.0 / gamma) / (n as f64).sqrt();
    [(gains[0], 1.0 - oco), (gains[1], 1.0 - 0.5 * oco)]
}

#[test]
fn without_an_advantage_the_boosters_fail() {
    for truth in [0.0, -0.3] {
        for (gain, promise) in gains_and_promises(truth, 0.5, 100) {
            assert!(gain < promise - 0.3, "{truth}: {gain} is no failure, {promise} was promised");
            assert!(truth == 0.0 || gain < -0.4, "learners that are worse than a coin: {gain}");
        }
    }
    for (gain, promise) in gains_and_promises(0.5, 0.5, 100) {
        assert!(gain >= promise, "{gain} < {promise}");
    }
}

/// Learners of advantage 0.1 that claim 0.5 gain about a fifth; with their own advantage they keep the
/// promise.
#[test]
fn with_an_advantage_that_is_too_large_the_boosters_fail() {
    for (gain, promise) in gains_and_promises(0.1, 0.5, 400) {
        assert!(gain < promise - 0.3, "{gain} is no failure, {promise} was promised");
    }
    for (gain, promise) in gains_and_promises(0.1, 0.1, 400) {
        assert!(gain >= promise, "{gain} < {promise}");
    }
}

/// OGD that violates Algorithm 1.
struct Wrong {
    ogd: Ogd<BoxSet>,
    climbs: bool,
    starts_afresh: bool,
}

impl OnlineLearner for Wrong {
    fn play(&self) -> &[f64] {
        self.ogd.play()
    }
    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        self.ogd.observe(&[if self.climbs { -gradient[0] } else { gradient[0] }])
    }
    fn reset(&mut self) {
        if self.starts_afresh {
            self.ogd.reset();
        }
    }
}

/// Hedge over four experts with proved R_W and R_A, on examples that one of them labels without an error: the
/// gain of Algorithm 1 against the promise, and the largest R_{A,t}/(DG√N) of a round.
fn with_oco(climbs: bool, starts_afresh: bool) -> (f64, f64, f64) {
    let (n, gamma, rounds) = (100_u64, 0.5, 4000_u32);
    let thresholds = Thresholds::at(vec![vec![0.5]]).unwrap();
    let lipschitz = 1.0 + 1.0 / gamma;
    let eta = StepSchedule::constant(1.0 / (lipschitz * (n as f64).sqrt())).unwrap();
    let ogd = Ogd::new(BoxSet::interval(-1.0, 1.0).unwrap(), 1, eta).unwrap();
    let oco = Wrong { ogd, climbs, starts_afresh };
    let learners = hedges(&thresholds, rounds, n, 1);
    let mut booster = OnlineAgnosticBooster::new(learners, oco, gamma, &mut rng(3, 0)).unwrap();
    let (mut gain, mut worst) = (0.0, 0.0_f64);
    for t in 0..rounds {
        let values = [f64::from(t % 2)];
        let y = Label::of_score(values[0] - 0.5);
        booster.round(Row::dense(&values).unwrap(), y).unwrap();
        let inner = Inner::of(booster.trace(), gamma, y, [-1.0, 1.0]);
        gain += inner.mean_gain;
        worst = worst.max(inner.oco_regret / (lipschitz * (n as f64).sqrt()));
    }
    let t = f64::from(rounds);
    let hedge = (2.0 * t * (thresholds.experts() as f64).ln()).sqrt();
    (gain, t - hedge / gamma - t * lipschitz / (n as f64).sqrt(), worst)
}

/// One that climbs teaches learners to keep what is wrong, and the booster gains less than nothing. One that
/// goes on from the last round has up to twice the regret of Theorem 2, which is what `proposition_3.rs`
/// would notice.
#[test]
fn an_oco_learner_that_climbs_or_is_not_fresh_fails() {
    let (gain, promise, worst) = with_oco(false, true);
    assert!(gain >= promise && promise > 0.0 && worst <= 1.0 + 1e-12, "{gain}, {promise}, {worst}");
    let (gain, promise, worst) = with_oco(true, true);
    assert!(gain < 0.0 && worst > 2.0, "climbing: {gain}, {promise}, {worst}");
    let (_, _, worst) = with_oco(false, false);
    assert!(worst > 1.5, "not fresh: {worst}");
}
