//! After the first round, a round of a projection-free learner and of its oracle allocates nothing.

// A global allocator cannot be written without it; this one hands every call on to the system's.
#![allow(unsafe_code, reason = "the counting allocator of this test")]

use oco_core::{
    Counted, Draws, ExactGradient, FollowThePerturbedLeader, GradientNoise, MetaFrankWolfe, Minibatches,
    Morgfw, Ogd, OneGradient, OnlineFrankWolfe, OnlineLearner, OracleLearner, Perturbation,
    ProjectionFreeOco, SquaredLoss, StepSchedule,
};
use projections::{AnySet, BoxSet, L1Ball, L2Ball, Simplex, start_point};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::error::Error;

type Outcome = Result<(), Box<dyn Error>>;

thread_local! {
    /// Allocations of this thread; other tests run in other threads.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to `System` unchanged. The counter is a thread-local without destructor and with a constant
// start, so counting neither allocates nor fails when a thread ends.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above; `block` came from `System`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

const ROUNDS: usize = 50;
const N: usize = 6;

/// The first of [`ROUNDS`] rounds may allocate, the others may not.
fn assert_only_the_first_allocates(what: &str, mut round: impl FnMut(usize) -> Outcome) -> Outcome {
    round(0)?;
    let before = ALLOCATIONS.get();
    (1..ROUNDS).try_for_each(&mut round)?;
    let allocated = ALLOCATIONS.get() - before;
    assert_eq!(allocated, 0, "{what}: {allocated} allocations in {} rounds", ROUNDS - 1);
    Ok(())
}

/// Rounds with exact gradients, with noise, and with minibatches.
fn check(what: &str, learner: &(impl OracleLearner + Clone)) -> Outcome {
    let targets: Vec<f64> = (0..ROUNDS * N).map(|k| (1.7 * k as f64).sin()).collect();
    let losses = targets.chunks_exact(N).map(SquaredLoss::new).collect::<Result<Vec<_>, _>>()?;
    let mut exact = learner.clone();
    assert_only_the_first_allocates(&format!("{what}, exact"), |t| {
        Ok(exact.observe(&mut Counted::new(ExactGradient(&losses[t])))?)
    })?;
    let rng = ChaCha8Rng::seed_from_u64(1);
    for mut noise in [GradientNoise::on_sphere(0.5, rng.clone())?, GradientNoise::gaussian(0.5, rng.clone())?]
    {
        let mut noisy = learner.clone();
        assert_only_the_first_allocates(&format!("{what}, {noise:?}"), |t| {
            Ok(noisy.observe(&mut noise.over(&losses[t]))?)
        })?;
    }
    let (mut batches, mut batched) = (Minibatches::new(3, rng)?, learner.clone());
    assert_only_the_first_allocates(&format!("{what}, minibatches"), |_| {
        Ok(batched.observe(&mut batches.over(&losses)?)?)
    })
}

fn cascades<A: OnlineLearner + Clone>(what: &str, optimiser: &A, set: &AnySet) -> Outcome {
    let copies = || vec![optimiser.clone(); 4];
    check(&format!("ProjectionFreeOco {what}"), &ProjectionFreeOco::new(copies(), set.clone())?)?;
    check(&format!("MetaFrankWolfe {what}"), &MetaFrankWolfe::new(copies(), set.clone())?)?;
    check(&format!("Morgfw {what}"), &Morgfw::new(copies(), set.clone())?)
}

#[test]
fn rounds_allocate_nothing() -> Outcome {
    for set in [
        AnySet::Simplex(Simplex::new(1.0)?),
        AnySet::Box(BoxSet::new(vec![-1.0; N], vec![1.0; N])?),
        AnySet::L2Ball(L2Ball::new(1.0)?),
        AnySet::L1Ball(L1Ball::new(1.0)?),
    ] {
        let mut start = vec![0.0; N];
        start_point(&set, &mut start)?;
        let fw = OnlineFrankWolfe::theorem(set.clone(), start, 4.0, 50)?;
        check(&format!("OnlineFrankWolfe, {set:?}"), &OneGradient::new(fw))?;
        let ogd = Ogd::new(set.clone(), N, StepSchedule::constant(0.1)?)?;
        check(&format!("Ogd, {set:?}"), &OneGradient::new(ogd.clone()))?;
        cascades(&format!("of Ogd, {set:?}"), &ogd, &set)?;
        let rng = ChaCha8Rng::seed_from_u64(2);
        let fpl = FollowThePerturbedLeader::new(
            set.clone(),
            N,
            Perturbation::Gaussian,
            0.1,
            Draws::EachRound,
            rng,
        )?;
        cascades(&format!("of FPL, {set:?}"), &fpl, &set)?;
    }
    Ok(())
}

#[test]
#[should_panic(expected = "49 allocations in 49 rounds")]
fn the_count_counts() {
    let _ = assert_only_the_first_allocates("a vector a round", |t| {
        std::hint::black_box(vec![t]);
        Ok(())
    });
}
