//! Regret of online gradient descent on six losses: regression with outliers, classification, a portfolio and
//! a quadratic. Each run takes its step from the Lipschitz constant of its losses and ends within its bound
//! (3/2)DG√T. The gap is the certificate of the best fixed point; it stays large if that point is at a kink
//! of the losses.

use oco_core::learners::Ogd;
use oco_core::losses::{
    AbsoluteLoss, Bounded, HingeLoss, HuberLoss, LogPortfolioLoss, LogisticLoss, Loss, LossSum, QuadraticLoss,
};
use oco_core::regret::{best_in_hindsight, pairwise_frank_wolfe};
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::{Euclidean, Exact, L2Ball, LinearMinimisation, Simplex};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ROUNDS: usize = 500;

/// Plays the losses in order and prints the regret beside its bound.
fn play<L, K>(name: &str, losses: &[L], set: &K) -> Result<(), OcoError>
where
    L: Bounded,
    K: Exact<Euclidean> + LinearMinimisation + Clone,
{
    let sum = LossSum::new(losses)?;
    let dimension = sum.dimension();
    let mut lipschitz = 0.0_f64;
    for loss in losses {
        lipschitz = lipschitz.max(loss.lipschitz_on(set)?);
    }
    let diameter = set.diameter(dimension)?;
    let mut ogd = Ogd::new(set.clone(), dimension, StepSchedule::zinkevich(diameter, lipschitz)?)?;
    let (mut total, mut g) = (0.0, vec![0.0; dimension]);
    for loss in losses {
        total += loss.value(ogd.play());
        loss.subgradient(ogd.play(), &mut g);
        ogd.observe(&g)?;
    }
    let regret = best_in_hindsight(&sum, set, 1e-6, 2000)?.regret(total);
    let by_vertices = pairwise_frank_wolfe(&sum, set, 1e-6, 2000)?.regret(total);
    let bound = 1.5 * diameter * lipschitz * (losses.len() as f64).sqrt();
    println!("{name:<12} regret {:8.2}, at most {bound:8.1}; gap {:.1e}", regret.value, regret.gap);
    assert!(
        regret.value <= bound && (by_vertices.value - regret.value).abs() <= regret.gap + by_vertices.gap
    );
    Ok(())
}

fn main() -> Result<(), OcoError> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let ball = L2Ball::new(2.0)?;
    // y = x_1 − x_2/2, one target in ten is an outlier.
    let rows: Vec<[f64; 2]> = (0..ROUNDS).map(|_| [rng.random(), rng.random()]).collect();
    let targets: Vec<f64> =
        rows.iter().map(|x| x[0] - 0.5 * x[1] + if rng.random_bool(0.1) { 5.0 } else { 0.0 }).collect();
    let regression = || rows.iter().zip(&targets);
    play(
        "absolute",
        &regression().map(|(x, y)| AbsoluteLoss::new(x, *y)).collect::<Result<Vec<_>, _>>()?,
        &ball,
    )?;
    play(
        "Huber",
        &regression().map(|(x, y)| HuberLoss::new(x, *y, 0.5)).collect::<Result<Vec<_>, _>>()?,
        &ball,
    )?;
    let labels: Vec<f64> = rows.iter().map(|x| if x[0] > x[1] { 1.0 } else { -1.0 }).collect();
    let labelled = || rows.iter().zip(&labels);
    play("hinge", &labelled().map(|(x, y)| HingeLoss::new(x, *y)).collect::<Result<Vec<_>, _>>()?, &ball)?;
    play(
        "logistic",
        &labelled().map(|(x, y)| LogisticLoss::new(x, *y)).collect::<Result<Vec<_>, _>>()?,
        &ball,
    )?;
    // Daily price relatives of two assets.
    let days: Vec<[f64; 2]> =
        (0..ROUNDS).map(|_| [rng.random_range(0.95..1.06), rng.random_range(0.9..1.1)]).collect();
    let portfolio = days.iter().map(|r| LogPortfolioLoss::on_simplex(r)).collect::<Result<Vec<_>, _>>()?;
    play("portfolio", &portfolio, &Simplex::new(1.0)?)?;
    // ½xᵀAx + ⟨b, x⟩ with a different b every round.
    let quadratic = rows.iter().map(|b| QuadraticLoss::new(&[2.0, 0.5, 0.5, 1.0], b, 0.0));
    play("quadratic", &quadratic.collect::<Result<Vec<_>, _>>()?, &ball)
}
