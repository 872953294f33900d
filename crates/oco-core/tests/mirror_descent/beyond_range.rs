//! Gradients, steps and radii at the ends of the range, and weights that underflow.

use crate::play::*;
use oco_core::learners::{DualAveraging, FtrlQuadratic, Hedge, MirrorDescent, OptimisticMirrorDescent};
use oco_core::{OcoError, OnlineLearner};
use projections::{
    CappedSimplex, L2Ball, NegativeEntropy, PNorm, ProjectionError, Simplex, Then, UnitBox, WholeSpace,
};
use proptest::prelude::*;
use rows::numeric::{scale, scale_up};

proptest! {
    /// η/2^e with gradients 2^e·g is η with g.
    #[test]
    fn entropic_learners_know_no_scale(gradients in gradients(), eta in 0.5..1.0_f64) {
        let times = |e: i32| -> Vec<Vec<f64>> {
            gradients.iter().map(|g| g.iter().map(|g| scale(*g, e)).collect()).collect()
        };
        for (set, _) in entropic_sets() {
            let lazy = |eta: f64| DualAveraging::around(NegativeEntropy, set.clone(), vec![1.0; N], eta).unwrap();
            let active = |eta: f64| MirrorDescent::new(NegativeEntropy, set.clone(), N, eta).unwrap();
            let optimistic = |eta: f64| OptimisticMirrorDescent::new(NegativeEntropy, set.clone(), N, eta).unwrap();
            for e in [460, -460] {
                let (less, more) = (scale(eta, -e), times(e));
                close(&plays(&mut lazy(less), &more), &plays(&mut lazy(eta), &gradients), 1e-12)?;
                close(&plays(&mut active(less), &more), &plays(&mut active(eta), &gradients), 1e-12)?;
                close(&plays(&mut optimistic(less), &more), &plays(&mut optimistic(eta), &gradients), 1e-12)?;
            }
            // Logarithms of 2^920 decide like those of 2^890.
            let (near, far) = (scale(eta, 430), scale(eta, 460));
            close(&plays(&mut lazy(far), &times(460)), &plays(&mut lazy(near), &times(460)), 1e-12)?;
        }
    }

    /// Quadratics: 2^e·a with η/2^e, and centres, radius times 2^f, change x by the factor 2^f only.
    #[test]
    fn quadratics_know_no_scale(
        losses in quadratics(), e in -460..460_i32, f in -460..460_i32,
    ) {
        let (mut near, mut far) = (
            FtrlQuadratic::new(L2Ball::new(1.0).unwrap(), N, 0.5).unwrap(),
            FtrlQuadratic::new(L2Ball::new(scale(1.0, f)).unwrap(), N, scale(0.5, -e)).unwrap(),
        );
        for (a, c) in &losses {
            near.observe(*a, c).unwrap();
            let centre: Vec<f64> = c.iter().map(|c| scale(*c, f)).collect();
            far.observe(scale(*a, e), &centre).unwrap();
            let back: Vec<f64> = far.play().iter().map(|x| scale(*x, -f)).collect();
            close(&[back], &[near.play().to_vec()], 1e-12)?;
        }
    }
}

/// A subnormal step has an inverse beyond the range: that is refused.
#[test]
fn the_least_step_of_quadratics() {
    let ball = || L2Ball::new(4.0).unwrap();
    let refused = FtrlQuadratic::new(ball(), 1, 2.5e-309).unwrap_err();
    assert!(
        matches!(refused, OcoError::Projection(ProjectionError::NotFinite { argument: "weight", .. })),
        "{refused}"
    );
    let mut ftrl = FtrlQuadratic::new(ball(), 1, 2.5e-141).unwrap();
    for _ in 0..3 {
        ftrl.observe(1e140, &[4.0]).unwrap();
    }
    // 1/η = 4e140: x = 3e140·4/(7e140).
    assert!((ftrl.play()[0] - 12.0 / 7.0).abs() < 1e-12, "{:?}", ftrl.play());
}

/// Away and back: uniform weights again, also when the run is saved on the way.
#[test]
fn sums_come_back() {
    let mut hedge = Hedge::new(2, 0.5).unwrap();
    let unit = scale_up(1.0, 460);
    for (g, leader) in [(13.0, 1), (13.0, 1), (9.0, 1), (-13.0, 1), (-13.0, 1), (-15.0, 0)] {
        hedge.observe(&[g * unit, 0.0]).unwrap();
        assert_eq!(hedge.play()[leader], 1.0);
        hedge = serde_json::from_str(&serde_json::to_string(&hedge).unwrap()).unwrap();
    }
    hedge.observe(&[6.0 * unit, 0.0]).unwrap();
    assert_eq!(hedge.play(), [0.5, 0.5]);
}

/// Active steps remember the logarithms of weights far below the range: the way down is the way back up.
#[test]
fn underflowed_weights_come_back_to_active_learners() {
    fn there_and_back(mut learner: impl OnlineLearner) {
        let first = learner.play().to_vec();
        for size in [800.0, 1e5, 1e9, -1e9, -1e5] {
            learner.observe(&[size, 0.0, 0.0]).unwrap();
            assert_eq!(learner.play()[0], 0.0, "after {size}");
        }
        learner.observe(&[-800.0, 0.0, 0.0]).unwrap();
        for (got, want) in learner.play().iter().zip(first) {
            assert!((got - want).abs() < 1e-6, "{:?}", learner.play());
        }
    }
    there_and_back(MirrorDescent::new(NegativeEntropy, Simplex::new(2.0).unwrap(), 3, 1.0).unwrap());
    there_and_back(MirrorDescent::new(NegativeEntropy, UnitBox, 3, 1.0).unwrap());
    let capped = CappedSimplex::new(vec![0.5, 1.0, 1.0], 1.0).unwrap();
    there_and_back(MirrorDescent::new(NegativeEntropy, capped, 3, 1.0).unwrap());
    let double = Then::new(UnitBox, Simplex::new(1.0).unwrap());
    there_and_back(MirrorDescent::new(NegativeEntropy, double, 3, 1.0).unwrap());
}

/// p-norms: the play may be 0 in a coordinate whose dual is not; it comes back as well.
#[test]
fn duals_of_p_norms_are_remembered() {
    let map = PNorm::new(1.001).unwrap();
    let mut learner = MirrorDescent::new(map, WholeSpace, 2, 1.0).unwrap();
    learner.observe(&[-1.0, -4.0]).unwrap();
    assert_eq!(learner.play()[0], 0.0, "(1/4)^1000");
    learner.observe(&[0.0, 4.0]).unwrap();
    assert!(
        (learner.play()[0] - 1.0).abs() < 1e-12 && learner.play()[1].abs() < 1e-300,
        "{:?}",
        learner.play()
    );
}

#[test]
fn capped_weights_far_apart_fill_in_their_order() {
    let set = || CappedSimplex::new(vec![0.5, 0.25, 0.5], 1.0).unwrap();
    let mut learner = DualAveraging::around(NegativeEntropy, set(), vec![1.0; 3], 1e140).unwrap();
    learner.observe(&[-1e140, -2e139, 1e140]).unwrap();
    assert_eq!(learner.play(), [0.5, 0.25, 0.25]);
    let mut active = MirrorDescent::new(NegativeEntropy, set(), 3, 1e140).unwrap();
    active.observe(&[-1e140, -2e139, 1e140]).unwrap();
    assert_eq!(active.play(), [0.5, 0.25, 0.25]);
    let mut unit = MirrorDescent::new(NegativeEntropy, UnitBox, 3, 1e140).unwrap();
    unit.observe(&[-1e140, 0.0, 1e140]).unwrap();
    assert_eq!(unit.play(), [1.0, 1.0, 0.0]);
    let mut simplex = MirrorDescent::new(NegativeEntropy, Simplex::new(3.0).unwrap(), 3, 1e140).unwrap();
    simplex.observe(&[-1e140, -1e140, 1e140]).unwrap();
    assert_eq!(simplex.play(), [1.5, 1.5, 0.0]);
}
