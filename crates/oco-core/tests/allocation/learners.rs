//! The learners that follow gradients, a line each.

use oco_core::learners::{
    DualAveraging, FollowTheLeader, Ftrl, FtrlQuadratic, Hedge, LazyOgd, MirrorDescent, Ogd,
    OptimisticMirrorDescent,
};
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::{
    AnySet, BoxSet, CappedSimplex, Euclidean, L1Ball, L2Ball, NegativeEntropy, PNorm, Simplex, Then, UnitBox,
    WholeSpace,
};

const ROUNDS: usize = 60;
const N: usize = 12;

/// Round t is handed a vector of length [`N`]: ordinary ones first, then some at the end of the range.
fn assert_only_the_first_allocates(
    what: &str,
    mut round: impl FnMut(&[f64]) -> Result<(), OcoError>,
) -> Result<(), OcoError> {
    let vectors: Vec<Vec<f64>> = (0..ROUNDS)
        .map(|t| {
            let size = if t < ROUNDS / 2 { 1.0 } else { 1e140 };
            (0..N).map(|j| size * (1.7 * (t * N + j) as f64).sin()).collect()
        })
        .collect();
    crate::assert_only_the_first_allocates(what, ROUNDS, |t| round(&vectors[t]))
}

/// The rounds of a learner that is told a gradient.
fn check(what: &str, mut learner: impl OnlineLearner) -> Result<(), OcoError> {
    assert_only_the_first_allocates(what, |g| learner.observe(g))
}

fn capped() -> Result<CappedSimplex, OcoError> {
    Ok(CappedSimplex::new((1..=N).map(|i| 0.05 * i as f64).collect(), 1.0)?)
}

fn sets() -> Result<Vec<AnySet>, OcoError> {
    Ok(vec![
        AnySet::Simplex(Simplex::new(1.0)?),
        AnySet::CappedSimplex(capped()?),
        AnySet::Box(BoxSet::new(vec![-1.0; N], vec![1.0; N])?),
        AnySet::UnitBox(UnitBox),
        AnySet::L2Ball(L2Ball::new(1.0)?),
        AnySet::L1Ball(L1Ball::new(1.0)?),
    ])
}

#[test]
fn learners_on_sets() -> Result<(), OcoError> {
    for set in sets()? {
        check(&format!("Ogd, {set:?}"), Ogd::new(set.clone(), N, StepSchedule::power(0.5, 0.5)?)?)?;
        check(&format!("LazyOgd, {set:?}"), LazyOgd::new(set.clone(), N, 0.5)?)?;
        check(&format!("MirrorDescent, {set:?}"), MirrorDescent::new(Euclidean, set.clone(), N, 0.5)?)?;
        check(&format!("Ftrl, {set:?}"), Ftrl::new(Euclidean, set.clone(), N, 0.5)?)?;
        let optimistic = OptimisticMirrorDescent::new(Euclidean, set.clone(), N, 0.5)?;
        check(&format!("OptimisticMirrorDescent, {set:?}"), optimistic)?;
        check(&format!("FollowTheLeader, {set:?}"), FollowTheLeader::new(set.clone(), N)?)?;
        let mut quadratic = FtrlQuadratic::new(set.clone(), N, 0.5)?;
        assert_only_the_first_allocates(&format!("FtrlQuadratic, {set:?}"), |c| quadratic.observe(1.5, c))?;
    }
    Ok(())
}

#[test]
fn learners_in_other_geometries() -> Result<(), OcoError> {
    let entropic =
        [AnySet::Simplex(Simplex::new(1.0)?), AnySet::CappedSimplex(capped()?), AnySet::UnitBox(UnitBox)];
    for set in entropic {
        let weights = vec![0.5; N];
        check(&format!("MirrorDescent, {set:?}"), MirrorDescent::new(NegativeEntropy, set.clone(), N, 0.5)?)?;
        let lazy = DualAveraging::around(NegativeEntropy, set.clone(), weights.clone(), 0.5)?;
        check(&format!("DualAveraging, {set:?}"), lazy)?;
        let mut optimistic = OptimisticMirrorDescent::around(NegativeEntropy, set.clone(), weights, 0.5)?;
        assert_only_the_first_allocates(&format!("OptimisticMirrorDescent with hints, {set:?}"), |g| {
            optimistic.expect(g)?;
            optimistic.observe(g)
        })?;
    }
    let double = Then::new(UnitBox, Simplex::new(1.0)?);
    check("MirrorDescent, double projection", MirrorDescent::new(NegativeEntropy, double, N, 0.5)?)?;
    check("MirrorDescent, p-norm", MirrorDescent::new(PNorm::new(1.5)?, WholeSpace, N, 1e-3)?)?;
    check("Ftrl, p-norm", Ftrl::new(PNorm::new(1.5)?, WholeSpace, N, 1e-3)?)?;
    check("Hedge", Hedge::new(N, 0.5)?)
}
