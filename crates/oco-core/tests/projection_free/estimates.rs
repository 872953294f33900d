//! Meta-FW and MORGFW: how the error of their gradient estimates falls along the steps.

use super::quadratic::{N, Quadratic, dot, minus, norm, stream};
use oco_core::learners::Ogd;
use oco_core::projection_free::{GradientNoise, MetaFrankWolfe, Minibatches, Morgfw, OracleLearner};
use oco_core::{OnlineLearner, StepSchedule};
use projections::L2Ball;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const RADIUS: f64 = 0.7;
const D: f64 = 2.0 * RADIUS;

fn ball() -> L2Ball {
    L2Ball::new(RADIUS).unwrap()
}

fn ogd(steps: StepSchedule) -> Ogd<L2Ball> {
    Ogd::new(ball(), N, steps).unwrap()
}

/// Optimisers that have already been sent different ways, so that the points of a round lie apart.
fn scattered(copies: u32) -> Vec<Ogd<L2Ball>> {
    (0..copies)
        .map(|k| {
            let mut optimiser = ogd(StepSchedule::constant(1.0).unwrap());
            optimiser.observe(&[f64::from(k).sin(), f64::from(3 * k).cos(), f64::from(k * k).sin()]).unwrap();
            optimiser
        })
        .collect()
}

/// The mean of ‖d^k − ∇F(x^k)‖², k = 1..K, over many rounds from one state.
fn mean_errors<'a, L: OracleLearner + Clone + 'a>(
    learner: &'a L,
    estimates: impl Fn(&L) -> Vec<Vec<f64>>,
    points: &[Vec<f64>],
    gradient: impl Fn(&[f64]) -> Vec<f64>,
    mut observe: impl FnMut(&mut L),
) -> Vec<f64> {
    let repetitions = 4000;
    let mut errors = vec![0.0; points.len() - 1];
    for _ in 0..repetitions {
        let mut twin = learner.clone();
        observe(&mut twin);
        for ((error, d), x) in errors.iter_mut().zip(estimates(&twin)).zip(points) {
            let miss = minus(&d, &gradient(x));
            *error += dot(&miss, &miss) / f64::from(repetitions);
        }
    }
    errors
}

/// [CHHK18]: E‖d^k − ∇ℓ(x^k)‖² ≤ Q/(k + 4)^{2/3}. The 4000 repetitions leave the means within 10 %.
#[test]
fn the_averages_of_meta_fw_approach_the_gradient() {
    let (copies, sigma) = (60, 2.0);
    let loss = &stream(1)[0];
    let learner = MetaFrankWolfe::new(scattered(copies), ball()).unwrap();
    let points: Vec<_> = learner.partials().map(<[f64]>::to_vec).collect();
    let mut noise = GradientNoise::on_sphere(sigma, ChaCha8Rng::seed_from_u64(1)).unwrap();
    let errors = mean_errors(
        &learner,
        |l| l.gradients().map(<[f64]>::to_vec).collect(),
        &points,
        |x| loss.gradient(x),
        |l| l.observe(&mut noise.over(loss)).unwrap(),
    );
    let at_start = loss.gradient(&points[0]);
    let lipschitz = loss.beta() * D;
    let q = (16.0_f64.cbrt() * dot(&at_start, &at_start))
        .max(4.0 * sigma * sigma + 16.0 / 9.0 * lipschitz * lipschitz);
    for (k, error) in (1_u32..).zip(&errors) {
        assert!(*error <= 1.1 * q / (f64::from(k) + 4.0).powf(2.0 / 3.0), "k = {k}: {error}");
    }
    // The noise alone leaves about σ²/(k + 3)^{2/3}, and what the start and the steps add is no more: the
    // rate is met.
    for (k, error) in (1_u32..).zip(&errors) {
        let scaled = error * (f64::from(k) + 4.0).powf(2.0 / 3.0) / (sigma * sigma);
        assert!((0.9..2.0).contains(&scaled), "k = {k}: {scaled}");
    }
    // A raw gradient misses by σ² = 4 at every step; the average does not.
    assert!(errors[59] < 0.15 * sigma * sigma, "{}", errors[59]);
}

/// ℓ = (1/m)Σ ℓ_j, each L-smooth.
fn finite_sum(losses: &[Quadratic]) -> impl Fn(&[f64]) -> Vec<f64> + '_ {
    move |x| {
        let mut mean = vec![0.0; N];
        for loss in losses {
            mean.iter_mut().zip(loss.gradient(x)).for_each(|(m, g)| *m += g / losses.len() as f64);
        }
        mean
    }
}

/// [XSZQW19]: E‖d^k − ∇ℓ(x^k)‖² ≤ 2(σ² + L²D²)/(k + 1), for batches of one of eight losses.
#[test]
fn the_recursive_estimates_of_morgfw_approach_the_gradient() {
    let (losses, copies) = (stream(8), 60);
    let learner = Morgfw::new(scattered(copies), ball()).unwrap();
    let points: Vec<_> = learner.partials().map(<[f64]>::to_vec).collect();
    let gradient = finite_sum(&losses);
    let mut batches = Minibatches::new(1, ChaCha8Rng::seed_from_u64(2)).unwrap();
    let errors = mean_errors(
        &learner,
        |l| l.gradients().map(<[f64]>::to_vec).collect(),
        &points,
        &gradient,
        |l| l.observe(&mut batches.over(&losses).unwrap()).unwrap(),
    );
    let variance = |x: &[f64]| {
        let mean = gradient(x);
        losses.iter().map(|l| norm(&minus(&l.gradient(x), &mean)).powi(2)).sum::<f64>() / losses.len() as f64
    };
    let variance = points.iter().map(|x| variance(x)).fold(0.0, f64::max);
    let lipschitz = losses.iter().map(Quadratic::beta).fold(0.0, f64::max);
    let scale = 2.0 * (variance + (lipschitz * D).powi(2));
    for (k, error) in (1_u32..).zip(&errors) {
        assert!(*error <= 1.1 * scale / (f64::from(k) + 1.0), "k = {k}: {error}");
    }
    // Independent errors of one size would leave (k + 3)/(k + 1) of it over k + 1: from 2 the factor falls to
    // 1, as here.
    for (k, error) in (1_u32..).zip(&errors) {
        let scaled = error * (f64::from(k) + 1.0) / errors[0];
        assert!((0.9..2.1).contains(&scaled), "k = {k}: {scaled}");
    }
    assert!(errors[59] < 0.1 * errors[0], "{} after {}", errors[59], errors[0]);
}
