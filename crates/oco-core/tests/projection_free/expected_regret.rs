//! The expected regret of Meta-FW and MORGFW, over seeds of the noise.

use super::quadratic::{N, Quadratic, gradient_bound, minus, norm, stream};
use oco_core::learners::Ogd;
use oco_core::losses::Loss;
use oco_core::projection_free::{GradientNoise, MetaFrankWolfe, Morgfw, OracleLearner};
use oco_core::regret::LinearRegret;
use oco_core::{OnlineLearner, StepSchedule};
use projections::{Euclidean, L2Ball, Projection};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const RADIUS: f64 = 0.7;
const D: f64 = 2.0 * RADIUS;
const SEEDS: u32 = 20;

type Optimiser = Ogd<L2Ball>;

fn ball() -> L2Ball {
    L2Ball::new(RADIUS).unwrap()
}

/// The state of both methods that the tests read.
trait Inner: OracleLearner {
    /// S of η_k = 1/(k + S).
    const SHIFT: f64;
    fn make(optimisers: Vec<Optimiser>, start: &[f64]) -> Self;
    fn optimisers(&self) -> &[Optimiser];
    /// The gradients of the last round.
    fn told(&self) -> Vec<Vec<f64>>;
    /// A bound on ‖E d^k − ∇ℓ(x^k)‖, for k = 1..K.
    fn biases(copies: u32, at_start: f64, lipschitz: f64) -> Vec<f64>;
    /// The root of the stated bound on E‖d^k − ∇ℓ(x^k)‖², for noise of norm 1.
    fn stated_error(k: f64, at_start: f64, lipschitz: f64) -> f64;
}

impl Inner for MetaFrankWolfe<Optimiser, L2Ball> {
    const SHIFT: f64 = 3.0;

    fn make(optimisers: Vec<Optimiser>, start: &[f64]) -> Self {
        Self::starting_at(optimisers, ball(), start.to_vec()).unwrap()
    }

    fn optimisers(&self) -> &[Optimiser] {
        self.learners()
    }

    fn told(&self) -> Vec<Vec<f64>> {
        self.gradients().map(<[f64]>::to_vec).collect()
    }

    /// E d^k − ∇ℓ(x^k) = (1 − ρ_k)(E d^{k−1} − ∇ℓ(x^{k−1}) + ∇ℓ(x^{k−1}) − ∇ℓ(x^k)), and a step is at most
    /// D/(k + 2) long.
    fn biases(copies: u32, at_start: f64, lipschitz: f64) -> Vec<f64> {
        let mut bias = at_start;
        let bias = |k: u32| {
            let k = f64::from(k);
            let step = if k > 1.0 { lipschitz * D / (k + 2.0) } else { 0.0 };
            bias = (1.0 - 2.0 / (k + 3.0).powf(2.0 / 3.0)) * (bias + step);
            bias
        };
        (1..=copies).map(bias).collect()
    }

    fn stated_error(k: f64, at_start: f64, lipschitz: f64) -> f64 {
        let q = (16.0_f64.cbrt() * at_start * at_start).max(4.0 + 16.0 / 9.0 * (lipschitz * D).powi(2));
        q.sqrt() / (k + 4.0).cbrt()
    }
}

impl Inner for Morgfw<Optimiser, L2Ball> {
    const SHIFT: f64 = 1.0;

    fn make(optimisers: Vec<Optimiser>, start: &[f64]) -> Self {
        Self::starting_at(optimisers, ball(), start.to_vec()).unwrap()
    }

    fn optimisers(&self) -> &[Optimiser] {
        self.learners()
    }

    fn told(&self) -> Vec<Vec<f64>> {
        self.gradients().map(<[f64]>::to_vec).collect()
    }

    /// The correction of d^{k−1} has mean ∇ℓ(x^{k−1}): no bias.
    fn biases(copies: u32, _: f64, _: f64) -> Vec<f64> {
        vec![0.0; copies as usize]
    }

    fn stated_error(k: f64, _: f64, lipschitz: f64) -> f64 {
        (2.0 * (1.0 + (lipschitz * D).powi(2)) / (k + 1.0)).sqrt()
    }
}

/// A problem: its losses, the start and the best point in hindsight.
struct Problem {
    losses: Vec<Quadratic>,
    start: [f64; N],
    u: Vec<f64>,
    steps: StepSchedule,
}

/// Means over the seeds.
#[derive(Debug, Default)]
struct Outcome {
    regret: f64,
    /// Σ ℓ_t(x^1) − ℓ_t(u).
    standing: f64,
    /// max_k R_k.
    largest: f64,
    /// The rest of the sharp bound of [`Problem::run`].
    rest: f64,
    /// The rest of the bound in the type's documentation.
    stated: f64,
}

impl Outcome {
    /// The regret beyond the shares of the start and of the optimisers.
    fn excess(&self, copies: f64, shift: f64) -> f64 {
        self.regret - (shift * self.standing + copies * self.largest) / (copies + shift)
    }
}

impl Problem {
    /// The regret against a fixed u knows the noise through max_k R_k alone, so that of the error of d^k only
    /// the bias is left: (C·S + TDΣ_k bias_k + ½LD²TΣ_k 1/(k + S))/(K + S) + K/(K + S)·max_k R_k.
    fn run<L: Inner>(&self, copies: u32) -> Outcome {
        let mut outcome = Outcome::default();
        for seed in 0..SEEDS {
            let mut noise = GradientNoise::on_sphere(1.0, ChaCha8Rng::seed_from_u64(seed.into())).unwrap();
            let optimiser = Ogd::new(ball(), N, self.steps).unwrap();
            let mut learner = L::make(vec![optimiser; copies as usize], &self.start);
            let mut accounts = vec![LinearRegret::new(N).unwrap(); copies as usize];
            for loss in &self.losses {
                outcome.regret += (loss.value(learner.play()) - loss.value(&self.u)) / f64::from(SEEDS);
                let plays: Vec<_> = learner.optimisers().iter().map(|a| a.play().to_vec()).collect();
                learner.observe(&mut noise.over(loss)).unwrap();
                for ((account, d), play) in accounts.iter_mut().zip(learner.told()).zip(&plays) {
                    account.record(&d, play).unwrap();
                }
            }
            let regrets = accounts.iter().map(|a| a.against(&self.u).unwrap());
            outcome.largest += regrets.fold(f64::NEG_INFINITY, f64::max) / f64::from(SEEDS);
        }
        outcome.standing = self.losses.iter().map(|l| l.value(&self.start) - l.value(&self.u)).sum();
        let lipschitz = self.losses.iter().map(Quadratic::beta).fold(0.0, f64::max);
        let at_start = self.losses.iter().map(|l| norm(&l.gradient(&self.start))).fold(0.0, f64::max);
        let biases: f64 = L::biases(copies, at_start, lipschitz).iter().sum();
        let steps: f64 = (1..=copies).map(|k| 1.0 / (f64::from(k) + L::SHIFT)).sum();
        let errors: f64 = (1..=copies).map(|k| L::stated_error(k.into(), at_start, lipschitz)).sum();
        let weighted = |error: f64| {
            self.losses.len() as f64 * (D * error + 0.5 * lipschitz * D * D * steps)
                / (f64::from(copies) + L::SHIFT)
        };
        (outcome.rest, outcome.stated) = (weighted(biases), weighted(errors));
        outcome
    }
}

/// The best point in hindsight, by projected gradient descent on the sum of smooth losses.
fn best(losses: &[Quadratic]) -> Vec<f64> {
    let beta: f64 = losses.iter().map(Quadratic::beta).sum();
    let mut u = vec![0.0; N];
    for _ in 0..5000 {
        let at = u.clone();
        for loss in losses {
            u.iter_mut().zip(loss.gradient(&at)).for_each(|(u, g)| *u -= g / beta);
        }
        Projection::<Euclidean>::project(&ball(), &mut u).unwrap();
    }
    u
}

/// Losses that change sign every round: the optimisers always move to the wrong end, while x^1 = u is best.
/// The regret reaches half of the rest of the bounds.
#[test]
fn half_of_the_bounds_is_reached() {
    let v = 3.0_f64.sqrt();
    let turning = |t| Quadratic {
        rows: vec![([v, 0.0, 0.0], -v * RADIUS)],
        b: [if t % 2 == 0 { -5.0 } else { 5.0 }, 0.0, 0.0],
    };
    let (losses, start) = ((0..40).map(turning).collect::<Vec<_>>(), [-RADIUS, 0.0, 0.0]);
    assert!(norm(&minus(&best(&losses), &start)) < 1e-9);
    let problem = Problem { losses, start, u: start.to_vec(), steps: StepSchedule::constant(1.0).unwrap() };
    check::<MetaFrankWolfe<_, _>>(&problem, 1, 0.45);
    check::<Morgfw<_, _>>(&problem, 1, 0.45);
}

/// Losses with a common slope, at the K of the theorems: the regret is a fraction of what x^1 loses.
#[test]
fn the_best_point_is_followed() {
    for rounds in [20, 60] {
        let mut losses = stream(rounds);
        losses.iter_mut().for_each(|loss| loss.b = [loss.b[0] + 1.5, loss.b[1] - 1.0, loss.b[2]]);
        let u = best(&losses);
        let steps = StepSchedule::zinkevich(D, gradient_bound(&losses, RADIUS) + 1.0).unwrap();
        let problem = Problem { losses, start: [0.0; N], u, steps };
        let copies = MetaFrankWolfe::copies(rounds).unwrap();
        for outcome in [
            check::<MetaFrankWolfe<_, _>>(&problem, copies, f64::NEG_INFINITY),
            check::<Morgfw<_, _>>(&problem, rounds, f64::NEG_INFINITY),
        ] {
            let share = if rounds == 20 { 0.2 } else { 0.1 };
            assert!(outcome.regret < share * outcome.standing, "T = {rounds}: {outcome:?}");
        }
    }
}

/// The excess lies between the given part and the whole of the rest of the sharp bound, which is below the
/// stated rest.
fn check<L: Inner>(problem: &Problem, copies: u32, part: f64) -> Outcome {
    let outcome = problem.run::<L>(copies);
    let excess = outcome.excess(copies.into(), L::SHIFT);
    assert!(excess <= outcome.rest, "{excess} > {outcome:?}");
    assert!(excess >= part * outcome.rest, "{excess} of {outcome:?}");
    assert!(outcome.rest <= outcome.stated, "{outcome:?}");
    outcome
}
