//! Learning from loss values alone: a moving target in the unit disc, with one and with two queries per
//! round.
//!
//! The regret is printed at rounds 1, 2, 4, …, beside the bound of online gradient descent, which sees
//! gradients.

use oco_core::bandit::{Estimates, Fkm, MultiPointFkm, SmoothedLoss, SphericalEstimator};
use oco_core::learners::Ogd;
use oco_core::losses::{Loss, SquaredLoss};
use oco_core::regret::{QuadraticRegret, RegretRecord, Rounds};
use oco_core::{BanditLearner, OnlineLearner, StepSchedule};
use projections::L2Ball;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::error::Error;

/// D and G of the losses ‖x − c‖² with x and c in the unit disc.
const DIAMETER: f64 = 2.0;
const LIPSCHITZ: f64 = 4.0;

fn main() -> Result<(), Box<dyn Error>> {
    let disc = L2Ball::new(1.0)?;
    let rng = ChaCha8Rng::seed_from_u64(1);
    let steps = StepSchedule::zinkevich(DIAMETER, LIPSCHITZ)?;
    let mut told = Ogd::new(disc, 2, steps)?;
    let mut one = Fkm::new(disc, 2, 1.0, 0.3, 0.005, rng.clone())?;
    let mut two =
        MultiPointFkm::new(disc, 2, 1.0, 1e-3, 0.02, Estimates::TwoPoint { pairs: 1 }, rng.clone())?;
    let mut accounts = [QuadraticRegret::new(2)?, QuadraticRegret::new(2)?, QuadraticRegret::new(2)?];
    let mut record = RegretRecord::new(Rounds::PowersOfTwo);
    let mut g = [0.0; 2];
    println!("round   gradients  two queries  one query   bound for gradients");
    for t in 1..=4096_u64 {
        let angle = 0.5 + 0.3 * (t as f64 / 100.0).sin();
        let target = [0.6 * angle.cos(), 0.6 * angle.sin()];
        let loss = SquaredLoss::new(&target)?;

        accounts[0].record(&target, told.play())?;
        loss.subgradient(told.play(), &mut g);
        told.observe(&g)?;
        accounts[1].record(&target, two.centre())?;
        two.round(&mut |x| loss.value(x))?;
        let play = one.play().to_vec();
        accounts[2].record(&target, &play)?;
        one.observe(loss.value(&play))?;

        if record.wants(t) {
            let bound = 1.5 * DIAMETER * LIPSCHITZ * (t as f64).sqrt();
            let [gradients, pairs, single] = accounts.each_ref().map(|account| account.regret(&disc));
            record.push(t, &gradients?, bound)?;
            let last = record.points().last().map_or(0.0, |point| point.regret);
            println!("{t:>5} {last:>11.2} {:>12.2} {:>10.2} {bound:>21.1}", pairs?.value, single?.value);
        }
    }
    assert!(record.bound_holds());

    // The estimates are gradients of the loss averaged over a small disc: ‖x − c‖² + δ²/2.
    let smoothed = SmoothedLoss::new(SquaredLoss::new(&[0.0, 0.0])?, SphericalEstimator::new(0.3)?);
    let (mean, error) = smoothed.value(&[0.5, 0.0], 10_000, &mut rng.clone())?;
    println!("smoothed loss at (0.5, 0): {mean:.4} ± {error:.4}, exactly {:.4}", 0.25 + 0.045);
    Ok(())
}
