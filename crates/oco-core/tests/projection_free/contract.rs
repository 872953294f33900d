//! What every learner of an oracle promises: refusals change nothing, a saved run goes on, parameters are
//! checked.

use super::quadratic::{N, Quadratic, stream};
use oco_core::learners::Ogd;
use oco_core::losses::{LinearLoss, Loss};
use oco_core::projection_free::{
    Counted, ExactGradient, GradientNoise, MetaFrankWolfe, Minibatches, Morgfw, OneGradient,
    OnlineFrankWolfe, OracleLearner, ProjectionFreeOco, StochasticGradient,
};
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::{BoxSet, CappedSimplex, L1Ball, ProjectionError};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Serialize, de::DeserializeOwned};

fn set() -> L1Ball {
    L1Ball::new(1.2).unwrap()
}

fn ogd() -> Ogd<L1Ball> {
    Ogd::new(set(), N, StepSchedule::power(0.4, 0.5).unwrap()).unwrap()
}

fn algorithm_1() -> ProjectionFreeOco<Ogd<L1Ball>, L1Ball> {
    ProjectionFreeOco::new(vec![ogd(); 5], set()).unwrap()
}

fn meta_fw() -> MetaFrankWolfe<Ogd<L1Ball>, L1Ball> {
    MetaFrankWolfe::new(vec![ogd(); 5], set()).unwrap()
}

fn morgfw() -> Morgfw<Ogd<L1Ball>, L1Ball> {
    Morgfw::new(vec![ogd(); 5], set()).unwrap()
}

fn online_fw() -> OneGradient<OnlineFrankWolfe<L1Ball>> {
    OneGradient::new(OnlineFrankWolfe::theorem(set(), vec![0.0; N], 5.0, 40).unwrap())
}

/// Answers as the loss does, but with NaN in the last coordinate of the given answer.
struct Faulty<'a> {
    loss: &'a Quadratic,
    answers: u32,
    bad: u32,
}

impl StochasticGradient for Faulty<'_> {
    fn dimension(&self) -> usize {
        N
    }

    fn draw(&mut self) {}

    fn gradient(&mut self, x: &[f64], g: &mut [f64]) {
        self.loss.subgradient(x, g);
        self.answers += 1;
        if self.answers == self.bad {
            g[N - 1] = f64::NAN;
        }
    }
}

/// A round that is refused, at its first answer, in its middle or by its dimension, is as if it had not been;
/// after reset, a run repeats itself.
#[test]
fn a_refused_round_changes_nothing() {
    fn check<L: OracleLearner + Clone>(mut learner: L, answers: u32) {
        let losses = stream(12);
        let first = learner.play().to_vec();
        let mut twin = learner.clone();
        let mut plays = Vec::new();
        for loss in &losses {
            for bad in 1..=answers {
                let refused = learner.observe(&mut Faulty { loss, answers: 0, bad });
                let Err(OcoError::Projection(ProjectionError::NotFinite { argument, index, .. })) = refused
                else {
                    panic!("answer {bad} of {answers}: {refused:?}");
                };
                assert_eq!((argument, index), ("gradient", N - 1));
            }
            let flat = LinearLoss::new(&[1.0]).unwrap();
            assert!(matches!(
                learner.observe(&mut ExactGradient(&flat)),
                Err(OcoError::Projection(ProjectionError::LengthMismatch { argument: "oracle", .. }))
            ));
            assert_eq!(learner.play(), twin.play());
            plays.push(learner.play().to_vec());
            let mut oracle = Counted::new(ExactGradient(loss));
            learner.observe(&mut oracle).unwrap();
            assert_eq!(oracle.gradients(), u64::from(answers));
            twin.observe(&mut ExactGradient(loss)).unwrap();
        }
        assert_eq!(learner.play(), twin.play());
        learner.reset();
        assert_eq!(learner.play(), first);
        for (loss, play) in losses.iter().zip(plays) {
            assert_eq!(learner.play(), play);
            learner.observe(&mut ExactGradient(loss)).unwrap();
        }
    }
    check(algorithm_1(), 5);
    check(meta_fw(), 5);
    check(morgfw(), 9);
    check(online_fw(), 1);
    check(OneGradient::new(ogd()), 1);
}

/// Stop, save, load, continue, with the source of noise: bit for bit the run that went on.
#[test]
fn a_saved_run_goes_on_bit_for_bit() {
    fn check<L: OracleLearner + Serialize + DeserializeOwned>(mut learner: L) {
        let losses = stream(40);
        let mut noise = GradientNoise::gaussian(0.5, ChaCha8Rng::seed_from_u64(3)).unwrap();
        let mut batches = Minibatches::new(2, ChaCha8Rng::seed_from_u64(4)).unwrap();
        for loss in &losses[..20] {
            learner.observe(&mut noise.over(loss)).unwrap();
            learner.observe(&mut batches.over(&losses).unwrap()).unwrap();
        }
        let text = serde_json::to_string(&(&learner, &noise, &batches)).unwrap();
        let (mut loaded, mut noise_2, mut batches_2): (L, GradientNoise, Minibatches) =
            serde_json::from_str(&text).unwrap();
        for loss in &losses[20..] {
            assert_eq!(learner.play(), loaded.play());
            learner.observe(&mut noise.over(loss)).unwrap();
            loaded.observe(&mut noise_2.over(loss)).unwrap();
            learner.observe(&mut batches.over(&losses).unwrap()).unwrap();
            loaded.observe(&mut batches_2.over(&losses).unwrap()).unwrap();
        }
        assert_eq!(learner.play(), loaded.play());
        let text = serde_json::to_string(&learner).unwrap();
        assert!(serde_json::from_str::<L>(&text).is_ok());
        for (right, wrong) in [("\"r\":1.2", "\"r\":-1.2"), ("\"start\":[0.0,", "\"start\":[7.0,")] {
            assert!(text.contains(right), "{text}");
            assert!(serde_json::from_str::<L>(&text.replace(right, wrong)).is_err(), "{wrong}");
        }
    }
    check(algorithm_1());
    check(meta_fw());
    check(morgfw());
    check(online_fw());
}

#[test]
fn parameters_are_checked_by_name_and_value() {
    let none: Vec<Ogd<L1Ball>> = Vec::new();
    for refused in [
        ProjectionFreeOco::new(none.clone(), set()).err(),
        MetaFrankWolfe::new(none.clone(), set()).err(),
        Morgfw::new(none, set()).err(),
    ] {
        assert!(matches!(
            refused,
            Some(OcoError::Projection(ProjectionError::BadParameter { value: 0.0, .. }))
        ));
    }
    // A set with a dimension of its own does not hide that it is the learners that lack.
    let caps = CappedSimplex::new(vec![0.5; N], 1.0).unwrap();
    let none: Vec<Ogd<CappedSimplex>> = Vec::new();
    for refused in [
        ProjectionFreeOco::new(none.clone(), caps.clone()).err(),
        ProjectionFreeOco::starting_at(none.clone(), caps.clone(), vec![0.0; 2]).err(),
        MetaFrankWolfe::new(none.clone(), caps.clone()).err(),
        Morgfw::new(none, caps).err(),
    ] {
        assert!(matches!(
            refused,
            Some(OcoError::Projection(ProjectionError::BadParameter { value: 0.0, .. }))
        ));
    }
    let other = Ogd::new(set(), 2, StepSchedule::constant(0.1).unwrap()).unwrap();
    assert!(matches!(
        ProjectionFreeOco::new(vec![ogd(), other], set()),
        Err(OcoError::Projection(ProjectionError::LengthMismatch { expected: N, got: 2, .. }))
    ));
    assert!(matches!(
        ProjectionFreeOco::starting_at(vec![ogd()], set(), vec![2.0, 0.0, 0.0]),
        Err(OcoError::OutsideSet { argument: "start" })
    ));
    assert!(ProjectionFreeOco::starting_at(vec![ogd()], set(), vec![f64::NAN, 0.0, 0.0]).is_err());
    let interval = BoxSet::interval(0.0, 1.0).unwrap();
    assert!(matches!(
        OnlineFrankWolfe::new(interval.clone(), vec![2.0], 0.1),
        Err(OcoError::OutsideSet { argument: "start" })
    ));
    assert!(OnlineFrankWolfe::new(interval.clone(), vec![0.5], 0.0).is_err());
    assert!(OnlineFrankWolfe::new(interval.clone(), vec![], 0.1).is_err());
    for (gradient_bound, rounds) in [(0.0, 5), (-1.0, 5), (f64::NAN, 5), (1.0, 0)] {
        assert!(OnlineFrankWolfe::theorem(interval.clone(), vec![0.5], gradient_bound, rounds).is_err());
    }
    let rng = || ChaCha8Rng::seed_from_u64(0);
    assert!(Minibatches::new(0, rng()).is_err());
    assert!(Minibatches::new(1, rng()).unwrap().over(&[] as &[Quadratic]).is_err());
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(GradientNoise::on_sphere(size, rng()).is_err());
        assert!(GradientNoise::gaussian(size, rng()).is_err());
    }
}

/// An optimiser over more than K is caught by where it plays, by the constructor and in a file.
#[test]
fn plays_outside_the_set_are_refused() {
    let far = || {
        let mut optimiser =
            Ogd::new(L1Ball::new(100.0).unwrap(), N, StepSchedule::constant(1.0).unwrap()).unwrap();
        optimiser.observe(&[-50.0, 0.0, 0.0]).unwrap();
        vec![optimiser]
    };
    let outside = |e: Option<OcoError>| {
        matches!(e, Some(OcoError::OutsideSet { argument: "play of a linear optimiser" }))
    };
    assert!(outside(ProjectionFreeOco::new(far(), set()).err()));
    assert!(outside(MetaFrankWolfe::new(far(), set()).err()));
    assert!(outside(Morgfw::starting_at(far(), set(), vec![0.0; N]).err()));
    let wide = ProjectionFreeOco::new(far(), L1Ball::new(60.0).unwrap()).unwrap();
    let text = serde_json::to_string(&wide).unwrap();
    let load = |text: &str| serde_json::from_str::<ProjectionFreeOco<Ogd<L1Ball>, L1Ball>>(text);
    assert!(load(&text).is_ok());
    let narrowed = text.replace("\"r\":60.0", "\"r\":1.0");
    assert_ne!(narrowed, text);
    assert!(load(&narrowed).unwrap_err().to_string().contains("play of a linear optimiser"));
}

/// The round counter may be loaded with its last value.
#[test]
fn the_last_round_that_can_be_counted_is_no_panic() {
    let text = serde_json::to_string(&online_fw()).unwrap();
    let last = text.replace("\"t\":1", &format!("\"t\":{}", u64::MAX));
    assert_ne!(last, text);
    let mut learner: OneGradient<OnlineFrankWolfe<L1Ball>> = serde_json::from_str(&last).unwrap();
    for loss in &stream(3) {
        learner.observe(&mut ExactGradient(loss)).unwrap();
    }
}

#[test]
fn the_copies_that_the_theorems_ask_for() {
    let copies = |beta, d, sigma, t| ProjectionFreeOco::theorem_2_copies(beta, d, sigma, t);
    assert_eq!(copies(3.0, 2.0, 1.5, 16).unwrap(), 16);
    assert_eq!(copies(3.0, 2.0, 1.5, 17).unwrap(), 17);
    assert_eq!(copies(0.0, 2.0, 1.5, 17).unwrap(), 1, "linear losses");
    for (beta, d, sigma) in [(-1.0, 2.0, 1.0), (1.0, 0.0, 1.0), (1.0, 2.0, 0.0), (f64::NAN, 2.0, 1.0)] {
        assert!(copies(beta, d, sigma, 5).is_err());
    }
    assert!(copies(1e140, 1e140, 1e-300, 5).is_err(), "more than there are numbers for");
    assert_eq!(MetaFrankWolfe::copies(100).unwrap(), 1000);
    assert_eq!(MetaFrankWolfe::copies(2).unwrap(), 3);
    assert!(MetaFrankWolfe::copies(u32::MAX).is_err());
}

/// Both laws have mean 0 and the size they state; the sphere's holds surely. A draw lasts until the next.
#[test]
fn noise_is_as_stated() {
    let (zero, draws) = ([0.0; N], 20_000);
    let flat = LinearLoss::new(&zero).unwrap();
    let rng = || ChaCha8Rng::seed_from_u64(9);
    let sources = [GradientNoise::on_sphere(2.0, rng()), GradientNoise::gaussian(2.0, rng())];
    for (mut noise, square) in sources.map(Result::unwrap).into_iter().zip([4.0, 12.0]) {
        let (mut oracle, mut mean, mut squares) = (noise.over(&flat), [0.0; N], 0.0);
        let (mut g, mut again) = ([0.0; N], [0.0; N]);
        for _ in 0..draws {
            oracle.draw();
            oracle.gradient(&zero, &mut g);
            oracle.gradient(&[5.0; N], &mut again);
            assert_eq!(g, again);
            mean.iter_mut().zip(g).for_each(|(m, g)| *m += g / f64::from(draws));
            squares += g.iter().map(|g| g * g).sum::<f64>() / f64::from(draws);
        }
        // Five standard errors of a mean, and of a mean of squares.
        assert!(
            mean.iter().all(|m| m.abs() < 5.0 * (square / (N as f64 * f64::from(draws))).sqrt()),
            "{mean:?}"
        );
        assert!((squares - square).abs() < 5.0 * square / f64::from(draws).sqrt(), "{squares}");
    }
}
