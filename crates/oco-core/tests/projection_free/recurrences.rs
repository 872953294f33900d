//! Meta-FW and MORGFW to the letter: what the optimisers are told, and the weight 1/(K + 1) or 1/(K + 3) of
//! their regrets.

use super::quadratic::{N, Quadratic, minus, norm, stream};
use oco_core::learners::Ogd;
use oco_core::losses::{LinearLoss, Loss};
use oco_core::projection_free::{ExactGradient, MetaFrankWolfe, Morgfw, OracleLearner, StochasticGradient};
use oco_core::regret::LinearRegret;
use oco_core::{OnlineLearner, StepSchedule};
use projections::{BoxSet, L2Ball};

/// Sample k of the round is the k-th loss.
struct InTurn<'a> {
    losses: &'a [Quadratic],
    drawn: usize,
}

impl StochasticGradient for InTurn<'_> {
    fn dimension(&self) -> usize {
        N
    }

    fn draw(&mut self) {
        self.drawn += 1;
    }

    fn gradient(&mut self, x: &[f64], g: &mut [f64]) {
        self.losses[self.drawn - 1].subgradient(x, g);
    }
}

const COPIES: u32 = 7;

/// Optimisers that are sent different ways.
fn optimisers() -> Vec<Ogd<L2Ball>> {
    let optimiser = |k| {
        let steps = StepSchedule::constant(0.1 * f64::from(k + 1)).unwrap();
        Ogd::new(L2Ball::new(0.7).unwrap(), N, steps).unwrap()
    };
    (0..COPIES).map(optimiser).collect()
}

/// a·u + b·v.
fn combined(a: f64, u: &[f64], b: f64, v: &[f64]) -> Vec<f64> {
    u.iter().zip(v).map(|(u, v)| a * u + b * v).collect()
}

/// Three rounds, each of whose steps has a loss of its own: d^k = f(k, d^{k−1}, x^{k−1}, x^k) and
/// x^{k+1} = x^k + η_k(A_k.play() − x^k).
macro_rules! follows_its_recurrences {
    ($learner:expr, $eta:expr, $estimate:expr) => {
        let losses = stream(3 * COPIES);
        let mut learner = $learner;
        for losses in losses.chunks(COPIES as usize) {
            let x: Vec<_> = learner.partials().map(<[f64]>::to_vec).collect();
            assert_eq!(x.last().map(Vec::as_slice), Some(learner.play()));
            for (k, optimiser) in learner.learners().iter().enumerate() {
                let eta: f64 = $eta(k as f64 + 1.0);
                let next = combined(1.0 - eta, &x[k], eta, optimiser.play());
                assert!(norm(&minus(&next, &x[k + 1])) < 1e-14, "x^{}", k + 2);
            }
            learner.observe(&mut InTurn { losses, drawn: 0 }).unwrap();
            let mut d = vec![0.0; N];
            for (k, told) in learner.gradients().enumerate() {
                d = $estimate(k as f64 + 1.0, &losses[k], &d, &x[k.saturating_sub(1)], &x[k]);
                assert!(norm(&minus(&d, told)) < 1e-13, "d^{}: {told:?}, not {d:?}", k + 1);
            }
        }
    };
}

#[test]
fn meta_fw_averages_with_its_weights() {
    let ball = L2Ball::new(0.7).unwrap();
    follows_its_recurrences!(
        MetaFrankWolfe::new(optimisers(), ball).unwrap(),
        |k: f64| 1.0 / (k + 3.0),
        |k: f64, loss: &Quadratic, d: &[f64], _: &[f64], x: &[f64]| {
            let rho = 2.0 / (k + 3.0).powf(2.0 / 3.0);
            combined(1.0 - rho, d, rho, &loss.gradient(x))
        }
    );
}

#[test]
fn morgfw_corrects_with_its_weights() {
    let ball = L2Ball::new(0.7).unwrap();
    follows_its_recurrences!(
        Morgfw::new(optimisers(), ball).unwrap(),
        |k: f64| 1.0 / (k + 1.0),
        |k: f64, loss: &Quadratic, d: &[f64], x_before: &[f64], x: &[f64]| {
            if k == 1.0 {
                return loss.gradient(x);
            }
            let correction = minus(d, &loss.gradient(x_before));
            combined(1.0, &loss.gradient(x), 1.0 - 1.0 / (k + 1.0), &correction)
        }
    );
}

fn interval() -> BoxSet {
    BoxSet::interval(-1.0, 1.0).unwrap()
}

fn on_interval(copies: usize, eta: f64) -> Vec<Ogd<BoxSet>> {
    vec![Ogd::new(interval(), 1, StepSchedule::constant(eta).unwrap()).unwrap(); copies]
}

/// Of linear losses on [−1, 1] with exact gradients: the regret against u, Σ ℓ_t(x^1) − ℓ_t(u) and max_k R_k.
macro_rules! accounts_of {
    ($learner:expr, $slopes:expr, $u:expr) => {{
        let mut learner = $learner;
        let mut accounts = vec![LinearRegret::new(1).unwrap(); learner.learners().len()];
        let (mut regret, mut start) = (0.0, 0.0);
        for g in $slopes {
            regret += g * (learner.play()[0] - $u);
            start -= g * $u;
            let plays: Vec<f64> = learner.learners().iter().map(|a| a.play()[0]).collect();
            learner.observe(&mut ExactGradient(&LinearLoss::new(&[g]).unwrap())).unwrap();
            for ((account, d), play) in accounts.iter_mut().zip(learner.gradients()).zip(plays) {
                account.record(d, &[play]).unwrap();
            }
        }
        let regrets = accounts.iter().map(|a| a.against(&[$u]).unwrap());
        (regret, start, regrets.fold(f64::NEG_INFINITY, f64::max))
    }};
}

/// Exact linear losses leave nothing of MORGFW's bound but C/(K + 1) + K/(K + 1)·max_k R_k, and equal copies
/// make it an equality; a whole max_k R_k would be too little where it is negative.
#[test]
fn the_optimisers_of_morgfw_weigh_less_than_one() {
    let falling = [1.0; 20];
    let (regret, start, largest) =
        accounts_of!(Morgfw::new(on_interval(1, 0.1), interval()).unwrap(), falling, 1.0);
    assert!((regret - -27.25).abs() < 1e-12, "{regret}");
    assert!((start / 2.0 + largest / 2.0 - regret).abs() < 1e-12, "{start}, {largest}");
    assert!((start / 2.0 + largest - -44.5).abs() < 1e-12, "{start}, {largest}");
    // Slopes ±1 in blocks of ten: every point is best in hindsight.
    let blocks = (0..40).map(|t| if t / 10 % 2 == 0 { 1.0 } else { -1.0 });
    let (regret, start, largest) =
        accounts_of!(Morgfw::new(on_interval(3, 2.0), interval()).unwrap(), blocks, 1.0);
    assert!((regret - -24.75).abs() < 1e-12, "{regret}");
    assert!((start / 4.0 + 0.75 * largest - regret).abs() < 1e-12, "{start}, {largest}");
    assert!((start / 4.0 + largest - -33.0).abs() < 1e-12, "{start}, {largest}");
}

/// The same for Meta-FW with K = 1, whose averages start at 0 and so err: Q = 4^{2/3} for slopes of 1.
#[test]
fn the_optimisers_of_meta_fw_weigh_less_than_one() {
    let learner = MetaFrankWolfe::new(on_interval(1, 0.1), interval()).unwrap();
    let (regret, start, largest) = accounts_of!(learner, [1.0; 20], 1.0);
    let rest = (3.0 * start + 20.0 * 2.0 * 4.0_f64.cbrt() * 5.0_f64.powf(-1.0 / 3.0)) / 4.0;
    assert!(regret <= rest + largest / 4.0, "{regret} > {}", rest + largest / 4.0);
    assert!(regret > rest + largest + 8.0, "{regret} against {}", rest + largest);
}
