//! \[BH20, Algorithm 1\]: the exact bound, Lemma 10, Propositions 5 and 13, Theorem 2, and the erratum of its
//! start.

use super::quadratic::{N, Quadratic, dot, exact, gradient_bound, minus, norm, points, sets, stream};
use oco_core::learners::Ogd;
use oco_core::losses::{LinearLoss, Loss, SquaredLoss};
use oco_core::projection_free::{
    ExactGradient, GradientNoise, OracleLearner, ProjectionFreeOco, StochasticGradient,
};
use oco_core::regret::LinearRegret;
use oco_core::{OnlineLearner, StepSchedule};
use projections::{AnySet, BoxSet, DecisionSet, L2Ball};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn ogd(set: &AnySet, eta: f64) -> Ogd<AnySet> {
    Ogd::new(set.clone(), N, StepSchedule::constant(eta).unwrap()).unwrap()
}

/// A run with the accounts of its N linear optimisers.
struct Run {
    learner: ProjectionFreeOco<Ogd<AnySet>, AnySet>,
    accounts: Vec<LinearRegret>,
    /// Σ_t (∇ℓ_t(x^{i−1}) − g_{t,i})·(A_i.play() − u), for the u of the round.
    zeta: Vec<f64>,
}

impl Run {
    fn new(set: &AnySet, copies: usize, eta: f64) -> Self {
        let learner = ProjectionFreeOco::new(vec![ogd(set, eta); copies], set.clone()).unwrap();
        let account = LinearRegret::new(N).unwrap();
        Self { learner, accounts: vec![account; copies], zeta: vec![0.0; copies] }
    }

    fn round(&mut self, loss: &Quadratic, oracle: &mut dyn StochasticGradient, u: &[f64]) {
        let plays: Vec<_> = self.learner.learners().iter().map(|a| a.play().to_vec()).collect();
        let partials: Vec<_> = self.learner.partials().map(<[f64]>::to_vec).collect();
        self.learner.observe(oracle).unwrap();
        for (i, g) in self.learner.gradients().enumerate() {
            self.accounts[i].record(g, &plays[i]).unwrap();
            self.zeta[i] += dot(&minus(&loss.gradient(&partials[i]), g), &minus(&plays[i], u));
        }
    }

    fn largest_regret(&self, u: &[f64]) -> f64 {
        self.accounts.iter().map(|a| a.against(u).unwrap()).fold(f64::NEG_INFINITY, f64::max)
    }
}

fn losses() -> impl Strategy<Value = Vec<Quadratic>> {
    let entry = || -2.0..2.0_f64;
    let row = move || ([entry(), entry(), entry()], entry());
    let loss = (prop::collection::vec(row(), 0..4), [entry(), entry(), entry()]);
    prop::collection::vec(loss.prop_map(|(rows, b)| Quadratic { rows, b }), 1..25)
}

proptest! {
    /// The check of the specification, at every prefix and for every comparator: exact gradients, measured
    /// regrets.
    #[test]
    fn the_bound_holds_with_measured_regrets(losses in losses(), copies in 1_usize..7, eta in 0.01..1.0_f64) {
        let beta = losses.iter().map(Quadratic::beta).fold(0.0, f64::max);
        for set in sets() {
            let (mut run, d, comparators) = (Run::new(&set, copies, eta), set.diameter(N).unwrap(), points(&set));
            let mut excess = vec![0.0; comparators.len()];
            for (t, loss) in (1_u32..).zip(&losses) {
                prop_assert!(set.contains(run.learner.play(), 1e-12));
                let played = loss.value(run.learner.play());
                run.round(loss, &mut exact(loss), &[0.0; N]);
                let frank_wolfe = 2.0 * beta * d * d * f64::from(t) / (copies as f64 + 1.0);
                for (excess, u) in excess.iter_mut().zip(&comparators) {
                    *excess += played - loss.value(u);
                    let bound = frank_wolfe + run.largest_regret(u);
                    prop_assert!(*excess <= bound + 1e-9, "{set:?}, T = {t}: {excess} > {bound}");
                }
            }
        }
    }

    /// [BH20, Lemma 10] in every step of a round, with γ = 1, no noise and the sign put right.
    #[test]
    fn lemma_10_in_every_step(losses in losses(), copies in 1_usize..7) {
        for set in sets() {
            let (mut run, d, comparators) = (Run::new(&set, copies, 0.2), set.diameter(N).unwrap(), points(&set));
            for loss in &losses {
                let plays: Vec<_> = run.learner.learners().iter().map(|a| a.play().to_vec()).collect();
                let x: Vec<_> = run.learner.partials().map(<[f64]>::to_vec).collect();
                for i in 1..=copies {
                    let eta = 2.0 / (i as f64 + 1.0);
                    let (g, z) = (loss.gradient(&x[i - 1]), &plays[i - 1]);
                    for j in 0..N {
                        prop_assert!((x[i][j] - (1.0 - eta) * x[i - 1][j] - eta * z[j]).abs() < 1e-15);
                    }
                    for u in &comparators {
                        let gap = |x: &[f64]| loss.value(x) - loss.value(u);
                        let step = dot(&g, &minus(z, u)) + 0.5 * eta * loss.beta() * d * d;
                        let bound = (1.0 - eta) * gap(&x[i - 1]) + eta * step;
                        prop_assert!(gap(&x[i]) <= bound + 1e-9, "{set:?}, step {i}: {} > {bound}", gap(&x[i]));
                    }
                }
                run.round(loss, &mut exact(loss), &[0.0; N]);
            }
        }
    }
}

/// With the printed minus: if all points are equal, z^i moves away from them and the lemma's right side is 0.
#[test]
fn lemma_10_with_the_printed_sign_fails() {
    let loss = SquaredLoss::new(&[1.0]).unwrap();
    for (sign, holds) in [(1.0, true), (-1.0, false)] {
        let (eta, z, diameter) = (2.0 / 3.0, 1.0, 0.0);
        let after = (1.0 - eta) * z + sign * eta * z;
        let bound = 0.5 * eta * eta * 2.0 * diameter;
        assert_eq!(loss.value(&[after]) <= bound, holds);
    }
}

/// The paper's x^0 = 0 on K = [10, 11]: asked at 0, the gradients send A_1 to 11, and its regret against 10
/// is so negative that the bound fails. From the start of K the bound holds.
#[test]
fn the_bound_needs_its_start_in_the_set() {
    let interval = BoxSet::interval(10.0, 11.0).unwrap();
    let optimiser = Ogd::new(interval.clone(), 1, StepSchedule::constant(0.5).unwrap()).unwrap();
    let right = ProjectionFreeOco::new(vec![optimiser.clone()], interval).unwrap();
    let wide = BoxSet::interval(0.0, 11.0).unwrap();
    let printed = ProjectionFreeOco::starting_at(vec![optimiser], wide, vec![0.0]).unwrap();
    let (loss, rounds) = (SquaredLoss::new(&[10.0]).unwrap(), 20_u32);
    for (mut learner, holds) in [(right, true), (printed, false)] {
        let (mut regret, mut account) = (0.0, LinearRegret::new(1).unwrap());
        for _ in 0..rounds {
            let play = learner.learners()[0].play().to_vec();
            regret += loss.value(learner.play()) - loss.value(&[10.0]);
            learner.observe(&mut ExactGradient(&loss)).unwrap();
            account.record(learner.gradients().next().unwrap(), &play).unwrap();
        }
        let bound = 2.0 * 2.0 * f64::from(rounds) / 2.0 + account.against(&[10.0]).unwrap();
        assert_eq!(regret <= bound, holds, "{regret} against {bound}");
    }
}

/// The setting of the theorems with noise: the ball, a stream, and noise of norm 1 on every gradient.
struct Noisy {
    set: AnySet,
    losses: Vec<Quadratic>,
    beta: f64,
    diameter: f64,
    /// G and σ.
    exact: f64,
    noisy: f64,
}

impl Noisy {
    fn new(rounds: u32) -> Self {
        let (set, losses) = (AnySet::L2Ball(L2Ball::new(0.7).unwrap()), stream(rounds));
        let beta = losses.iter().map(Quadratic::beta).fold(0.0, f64::max);
        let exact = gradient_bound(&losses, 0.7);
        Self { set, losses, beta, diameter: 1.4, exact, noisy: exact + 1.0 }
    }

    fn rounds(&self) -> f64 {
        self.losses.len() as f64
    }

    /// η = D/(σ√T), with which the regret of OGD on linear losses is at most σD√T.
    fn run(&self, copies: usize, seed: u64, u: &[f64]) -> (f64, Run) {
        let eta = self.diameter / (self.noisy * self.rounds().sqrt());
        let (mut run, mut regret) = (Run::new(&self.set, copies, eta), 0.0);
        let mut noise = GradientNoise::on_sphere(1.0, ChaCha8Rng::seed_from_u64(seed)).unwrap();
        for loss in &self.losses {
            regret += loss.value(run.learner.play()) - loss.value(u);
            run.round(loss, &mut noise.over(loss), u);
        }
        (regret, run)
    }

    fn frank_wolfe(&self, copies: usize) -> f64 {
        2.0 * self.beta * self.diameter.powi(2) * self.rounds() / (copies as f64 + 1.0)
    }

    /// (σ + G)D√(2T·ln): Azuma's bound for T bounded martingale differences.
    fn azuma(&self, log: f64) -> f64 {
        (self.noisy + self.exact) * self.diameter * (2.0 * self.rounds() * log).sqrt()
    }
}

/// [BH20, Proposition 5] over 20 seeds, with measured regrets. The mean of Σζ over 20 runs is a sum of
/// martingale differences of at most (σ + G)D/20, so it exceeds 0 by `azuma(ln 1000 / 20)` with probability
/// below 1/1000.
#[test]
fn proposition_5_in_the_mean() {
    let (noisy, copies, seeds) = (Noisy::new(400), 12, 20);
    for u in [[0.0, 0.0, 0.0], [0.4, -0.4, 0.4], [-0.7, 0.0, 0.0]] {
        let mut mean = 0.0;
        for seed in 0..seeds {
            let (regret, run) = noisy.run(copies, seed, &u);
            mean += (regret - run.largest_regret(&u)) / seeds as f64;
        }
        let bound = noisy.frank_wolfe(copies) + noisy.azuma(1000.0_f64.ln() / seeds as f64);
        assert!(mean <= bound, "{mean} > {bound}");
    }
}

/// [BH20, Theorem 2] with its constants: N = ⌈(βD/σ)√T⌉ gives 2σD√T, OGD adds σD√T, and the margin is that of
/// Proposition 5. The mean regret alone, without the margin, keeps to it as well.
#[test]
fn theorem_2_in_the_mean() {
    for rounds in [25, 100, 400] {
        let noisy = Noisy::new(rounds);
        let copies =
            ProjectionFreeOco::theorem_2_copies(noisy.beta, noisy.diameter, noisy.noisy, rounds).unwrap();
        let u = [-0.7, 0.0, 0.0];
        let mean = (0..20).map(|seed| noisy.run(copies as usize, seed, &u).0 / 20.0).sum::<f64>();
        let bound = 3.0 * noisy.noisy * noisy.diameter * noisy.rounds().sqrt();
        assert!(mean <= bound, "T = {rounds}: {mean} > {bound}");
    }
}

/// [BH20, Proposition 13] over 200 seeds at ρ = 1/10, with measured regrets, so that what is left to chance
/// is only the noise: of 200 runs with failure probability 1/10 more than 40 fail with probability below
/// 10⁻⁴.
#[test]
fn proposition_13_with_its_probability() {
    let (noisy, copies, rho, seeds) = (Noisy::new(60), 5, 0.1, 200);
    let margin = noisy.azuma((4.0 * copies as f64 / rho).ln());
    for u in [[0.0, 0.0, 0.0], [-0.7, 0.0, 0.0]] {
        let (mut failures, mut typical) = (0, 0.0);
        for seed in 0..seeds {
            let (regret, run) = noisy.run(copies, seed, &u);
            failures += u32::from(regret > noisy.frank_wolfe(copies) + run.largest_regret(&u) + margin);
            failures += u32::from(run.zeta.iter().any(|zeta| zeta.abs() > margin));
            typical += norm(&run.zeta) / (copies as f64).sqrt() / seeds as f64;
        }
        assert!(failures <= 40, "{failures}");
        // The noise is there at all: its sum is of the order √T, not 0.
        assert!(typical > 0.1 * noisy.rounds().sqrt(), "{typical}");
    }
}

/// One copy plays the optimiser; linear losses make all copies the same, and their mean is that one again.
#[test]
fn one_copy_and_linear_losses_play_the_optimiser() {
    for set in sets() {
        let mut alone = ogd(&set, 0.3);
        let mut one = ProjectionFreeOco::new(vec![ogd(&set, 0.3)], set.clone()).unwrap();
        let mut many = ProjectionFreeOco::new(vec![ogd(&set, 0.3); 6], set.clone()).unwrap();
        for loss in stream(30) {
            assert_eq!(one.play(), alone.play());
            assert!(norm(&minus(many.play(), alone.play())) < 1e-14);
            let linear = LinearLoss::new(&loss.b).unwrap();
            one.observe(&mut ExactGradient(&linear)).unwrap();
            many.observe(&mut ExactGradient(&linear)).unwrap();
            alone.observe(&loss.b).unwrap();
        }
    }
}

/// Rounding leads out of no interval, though it be a point: 0.1/3 + 0.2/3 is not 0.1.
#[test]
fn partials_stay_in_a_box_to_the_last_bit() {
    for point in [0.1, 0.7, 1e140, -1e140, 1e-140] {
        let set = BoxSet::interval(point, point).unwrap();
        let optimiser = Ogd::new(set.clone(), 1, StepSchedule::constant(1.0).unwrap()).unwrap();
        let learner = ProjectionFreeOco::new(vec![optimiser; 50], set).unwrap();
        assert!(learner.partials().all(|x| x == [point]), "{point}");
    }
}
