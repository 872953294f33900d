//! Meta-FW and MORGFW: how the error of their gradient estimates falls along the steps, and the regret that follows.

use super::quadratic::{N, Quadratic, dot, gradient_bound, minus, norm, stream};
use oco_core::{
    GradientNoise, LinearRegret, Loss, MetaFrankWolfe, Minibatches, Morgfw, Ogd, OnlineLearner,
    OracleLearner, StepSchedule,
};
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
    assert!(errors[59] < 0.1 * errors[0], "{} after {}", errors[59], errors[0]);
}

/// What both methods let a test look into.
trait Inner: OracleLearner {
    fn optimisers(&self) -> &[Ogd<L2Ball>];
    /// What they were told of the last round.
    fn told(&self) -> Vec<Vec<f64>>;
}

impl Inner for MetaFrankWolfe<Ogd<L2Ball>, L2Ball> {
    fn optimisers(&self) -> &[Ogd<L2Ball>] {
        self.learners()
    }

    fn told(&self) -> Vec<Vec<f64>> {
        self.gradients().map(<[f64]>::to_vec).collect()
    }
}

impl Inner for Morgfw<Ogd<L2Ball>, L2Ball> {
    fn optimisers(&self) -> &[Ogd<L2Ball>] {
        self.learners()
    }

    fn told(&self) -> Vec<Vec<f64>> {
        self.gradients().map(<[f64]>::to_vec).collect()
    }
}

/// Regret minus max_k R_k minus the start's share of the bound, of a run from x^1 = 0.
fn excess(
    learner: &mut impl Inner,
    losses: &[Quadratic],
    u: &[f64],
    share: f64,
    noise: &mut GradientNoise,
) -> f64 {
    let mut accounts = vec![LinearRegret::new(N).unwrap(); learner.optimisers().len()];
    let mut excess = 0.0;
    for loss in losses {
        excess +=
            loss.value(learner.play()) - loss.value(u) - share * (loss.value(&[0.0; N]) - loss.value(u));
        let plays: Vec<_> = learner.optimisers().iter().map(|a| a.play().to_vec()).collect();
        learner.observe(&mut noise.over(loss)).unwrap();
        for ((account, d), play) in accounts.iter_mut().zip(learner.told()).zip(&plays) {
            account.record(&d, play).unwrap();
        }
    }
    excess - accounts.iter().map(|a| a.against(u).unwrap()).fold(f64::NEG_INFINITY, f64::max)
}

/// The expected regret of both over 20 seeds, noise of norm 1, at the K of their theorems. No margin is added.
#[test]
fn expected_regret_keeps_to_the_bounds() {
    let (rounds, sigma, u, seeds) = (20_u32, 1.0, [-RADIUS, 0.0, 0.0], 20);
    let (losses, t) = (stream(rounds), f64::from(rounds));
    let lipschitz = losses.iter().map(Quadratic::beta).fold(0.0, f64::max);
    let steps = StepSchedule::zinkevich(D, gradient_bound(&losses, RADIUS) + sigma).unwrap();
    let (copies, k_meta, k_morgfw) =
        (MetaFrankWolfe::copies(rounds).unwrap(), f64::from(MetaFrankWolfe::copies(rounds).unwrap()), t);
    let (mut meta_excess, mut morgfw_excess) = (0.0, 0.0);
    for seed in 0..seeds {
        let mut noise = GradientNoise::on_sphere(sigma, ChaCha8Rng::seed_from_u64(seed)).unwrap();
        let mut meta = MetaFrankWolfe::new(vec![ogd(steps); copies as usize], ball()).unwrap();
        meta_excess += excess(&mut meta, &losses, &u, 3.0 / (k_meta + 3.0), &mut noise) / seeds as f64;
        let mut morgfw = Morgfw::new(vec![ogd(steps); rounds as usize], ball()).unwrap();
        morgfw_excess += excess(&mut morgfw, &losses, &u, 1.0 / (k_morgfw + 1.0), &mut noise) / seeds as f64;
    }
    let start = losses.iter().map(|l| norm(&l.gradient(&[0.0; N])).powi(2)).fold(0.0, f64::max);
    let q = (16.0_f64.cbrt() * start).max(4.0 * sigma * sigma + 16.0 / 9.0 * (lipschitz * D).powi(2));
    let sum = |of: fn(f64) -> f64| (1..=copies).map(|k| of(f64::from(k))).sum::<f64>();
    let meta_bound = t * D * q.sqrt() * sum(|k| (k + 4.0).powf(-1.0 / 3.0))
        + 0.5 * lipschitz * D * D * t * sum(|k| 1.0 / (k + 3.0));
    let meta_bound = meta_bound / (k_meta + 3.0);
    assert!(meta_excess <= meta_bound, "{meta_excess} > {meta_bound}");
    let k = k_morgfw + 1.0;
    let morgfw_bound = 0.5 * lipschitz * D * D * t * k.ln() / k
        + 2.0 * t * D * (2.0 * (sigma * sigma + (lipschitz * D).powi(2)) / k).sqrt();
    assert!(morgfw_excess <= morgfw_bound, "{morgfw_excess} > {morgfw_bound}");
}
