//! Online learners, bandit learners, games and accounts of regret.

use super::{Target, plain, rng, used};
use crate::Checks;
use crate::play::{MOST, blind, online, wave, with_reset};
use crate::verdict::AnyError;
use oco_core::bandit::{Estimates, Fkm, MultiPointFkm, SphericalEstimator};
use oco_core::games::{BestResponse, Game, MatrixGame, Oracle, TremblingHand, ZeroSumGame};
use oco_core::learners::{
    AdaGrad, BalancedWinnow, Comid, Doubling, Draws, DualAveraging, FollowTheLeader,
    FollowThePerturbedLeader, Ftrl, FtrlQuadratic, Hedge, LazyOgd, MirrorDescent, Ogd,
    OptimisticMirrorDescent, Perceptron, Perturbation, Winnow,
};
use oco_core::regret::{LinearRegret, QuadraticRegret, RegretPoint, RegretRecord, Rounds};
use oco_core::{OnlineLearner, StepSchedule};
use projections::{BoxSet, Euclidean, L2Ball, NegativeEntropy, PNorm, Simplex, UnitBox, WholeSpace};
use rows::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Learners at their start and after some rounds.
fn learner<L: OnlineLearner + Serialize + DeserializeOwned + 'static>(
    make: impl Fn() -> Result<L, AnyError> + Send + Sync + 'static,
) -> Target {
    Target::saved(move || Ok(vec![make()?, used(make()?, online)?]), with_reset::<L>)
}

fn simplex() -> Result<Simplex, AnyError> {
    Ok(Simplex::new(1.0)?)
}

fn ball() -> Result<L2Ball, AnyError> {
    Ok(L2Ball::new(2.0)?)
}

fn box_set() -> Result<BoxSet, AnyError> {
    Ok(BoxSet::new(vec![-1.0, 0.0, -0.5], vec![1.0, 1.0, 0.5])?)
}

fn schedule() -> Result<StepSchedule, AnyError> {
    Ok(StepSchedule::power(0.5, 0.5)?)
}

fn game() -> Result<MatrixGame, AnyError> {
    Ok(MatrixGame::new(&[[1.0, -0.5, 0.0], [0.25, 0.5, -1.0]])?)
}

pub(super) fn all() -> Vec<Target> {
    let mut list = gradient_learners();
    list.extend(mistake_bounded());
    list.extend(bandits_and_games());
    list.extend(accounts());
    list
}

fn gradient_learners() -> Vec<Target> {
    vec![
        learner(|| Ok(AdaGrad::new(box_set()?, 1.0)?)),
        learner(|| Ok(Comid::new(3, 0.1, 0.01)?)),
        learner(|| Ok(Doubling::new(LazyOgd::new(ball()?, 3, 0.5)?, 1.0)?)),
        learner(|| Ok(DualAveraging::around(Euclidean, ball()?, vec![0.0; 3], 0.5)?)),
        learner(|| Ok(DualAveraging::around(NegativeEntropy, simplex()?, vec![0.25, 0.25, 0.5], 0.5)?)),
        learner(|| Ok(FollowTheLeader::new(ball()?, 3)?)),
        learner(|| {
            let (law, draws) = (Perturbation::Exponential, Draws::EachRound);
            Ok(FollowThePerturbedLeader::new(simplex()?, 3, law, 0.5, draws, rng(1))?)
        }),
        learner(|| Ok(Ftrl::new(Euclidean, ball()?, 3, 0.5)?)),
        learner(|| Ok(Ftrl::new(PNorm::new(1.5)?, WholeSpace, 3, 0.5)?)),
        Target::saved(
            || {
                let new = || FtrlQuadratic::new(ball()?, 3, 0.5).map_err(AnyError::from);
                Ok(vec![new()?, used(new()?, quadratic)?])
            },
            quadratic,
        ),
        learner(|| Ok(Hedge::new(3, 0.5)?)),
        learner(|| Ok(LazyOgd::new(ball()?, 3, 0.5)?)),
        learner(|| Ok(MirrorDescent::new(NegativeEntropy, simplex()?, 3, 0.5)?)),
        learner(|| Ok(MirrorDescent::new(Euclidean, UnitBox, 3, 0.5)?)),
        learner(|| Ok(Ogd::new(box_set()?, 3, schedule()?)?)),
        learner(|| Ok(OptimisticMirrorDescent::new(NegativeEntropy, simplex()?, 3, 0.5)?)),
        Target::saved(
            || Ok(vec![schedule()?, StepSchedule::constant(0.1)?]),
            |schedule: &mut StepSchedule, checks| {
                [1, 2, 3, u64::MAX].into_iter().for_each(|t| checks.number("a step", schedule.eta(t)));
                Ok(())
            },
        ),
        plain(|| vec![Draws::EachRound, Draws::Once]),
        plain(|| vec![Perturbation::Uniform, Perturbation::Gaussian]),
        plain(|| vec![Estimates::OnePoint { points: 2 }, Estimates::TwoPoint { pairs: 1 }]),
    ]
}

fn quadratic(learner: &mut FtrlQuadratic<L2Ball>, checks: &mut Checks) -> Result<(), AnyError> {
    let n = learner.play().len();
    if n > MOST {
        return Ok(());
    }
    for t in 0..4 {
        checks.attempt(learner, |learner, checks| {
            checks.numbers("a play", learner.play());
            learner.observe(1.0 + t as f64, &wave(n, t))
        });
    }
    Ok(())
}

/// Examples for learners with mistake bounds.
macro_rules! mistakes {
    ($name:ident, $new:expr, $dimension:expr) => {{
        fn play(learner: &mut $name, checks: &mut Checks) -> Result<(), AnyError> {
            let n: usize = $dimension(learner);
            if n > MOST {
                return Ok(());
            }
            for t in 0..5 {
                let x = wave(n, t);
                checks.attempt(learner, |learner, checks| -> Result<(), AnyError> {
                    let x = Row::dense(&x)?;
                    checks.number("a prediction", learner.predict(x)?);
                    learner.observe(x, if t % 2 == 0 { 1.0 } else { -1.0 })?;
                    Ok(())
                });
            }
            Ok(())
        }
        Target::saved(|| Ok(vec![$new?, used($new?, play)?]), play)
    }};
}

fn mistake_bounded() -> Vec<Target> {
    vec![
        mistakes!(BalancedWinnow, BalancedWinnow::new(3, 0.5), |l: &BalancedWinnow| l.dimension()),
        mistakes!(Winnow, Winnow::new(3, 0.5), |l: &Winnow| l.dimension()),
        mistakes!(Perceptron, Perceptron::new(3), |l: &Perceptron| l.weights().len()),
    ]
}

type Play = ZeroSumGame<MatrixGame, Hedge, BestResponse<MatrixGame>>;

fn play_game(game: &mut Play, checks: &mut Checks) -> Result<(), AnyError> {
    for _ in 0..4 {
        checks.attempt(game, |game, checks| {
            checks.number("a payoff", game.round()?);
            Ok::<(), oco_core::OcoError>(())
        });
    }
    checks.numbers("p", game.p_bar());
    checks.numbers("q", game.q_bar());
    let certificate = game.certificate();
    checks.number("a gap", certificate.gap);
    Ok(())
}

fn respond<O: Oracle + Serialize>(oracle: &mut O, checks: &mut Checks) -> Result<(), AnyError> {
    for t in 0..3 {
        let p = if t == 0 { [0.5, 0.5] } else { [0.25, 0.75] };
        let mut q = [0.0; 3];
        checks.attempt(oracle, |oracle, checks| {
            oracle.respond(&p, &mut q)?;
            checks.numbers("a response", &q);
            Ok::<(), oco_core::OcoError>(())
        });
    }
    Ok(())
}

fn bandits_and_games() -> Vec<Target> {
    vec![
        Target::saved(
            || {
                let new = || Fkm::new(ball()?, 3, 2.0, 0.1, 0.01, rng(2)).map_err(AnyError::from);
                Ok(vec![new()?, used(new()?, blind)?])
            },
            blind::<Fkm<L2Ball>>,
        ),
        Target::saved(
            || {
                let estimates = Estimates::TwoPoint { pairs: 2 };
                Ok(vec![MultiPointFkm::new(ball()?, 3, 2.0, 0.1, 0.01, estimates, rng(3))?])
            },
            |fkm: &mut MultiPointFkm<L2Ball>, checks| {
                // The cost of a round is its number of queries.
                let estimates = serde_json::to_value(&*fkm)?["estimates"].clone();
                let counts = [&estimates["TwoPoint"]["pairs"], &estimates["OnePoint"]["points"]];
                if counts.iter().any(|count| count.as_u64().is_some_and(|count| count > 1000)) {
                    return Ok(());
                }
                for _ in 0..4 {
                    checks.attempt(fkm, |fkm, checks| {
                        let loss = fkm.round(&mut |x| x.iter().sum::<f64>().cos())?;
                        checks.number("a loss", loss);
                        checks.numbers("a centre", fkm.centre());
                        Ok::<(), oco_core::OcoError>(())
                    });
                }
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![SphericalEstimator::new(0.5)?, SphericalEstimator::new(1e-3)?]),
            |estimator: &mut SphericalEstimator, checks| {
                let (mut v, mut point, mut g) = (vec![0.0; 3], vec![0.0; 3], vec![0.0; 3]);
                estimator.draw(&mut rng(4), &mut v);
                estimator.query(&[0.5, 0.0, -0.5], &v, &mut point);
                estimator.estimate(0.25, &v, &mut g);
                checks.numbers("a query", &point);
                // A small δ makes a large estimate.
                g.iter().for_each(|&g| checks.any_number(g));
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![game()?, MatrixGame::new(&[[0.0]])?]),
            |game: &mut MatrixGame, checks| {
                let (n, m) = game.dimensions();
                if n * m <= 64 {
                    let found = game.equilibrium();
                    checks.number("a value", found.value);
                    checks.distribution("p", &found.p);
                    checks.distribution("q", &found.q);
                }
                Ok(())
            },
        ),
        Target::saved(|| Ok(vec![BestResponse(game()?)]), respond::<BestResponse<MatrixGame>>),
        Target::saved(
            || Ok(vec![TremblingHand::new(game()?, 0.25, rng(5))?]),
            respond::<TremblingHand<MatrixGame>>,
        ),
        Target::saved(
            || {
                let new = || {
                    let game = game()?;
                    ZeroSumGame::new(game.clone(), Hedge::new(2, 0.5)?, BestResponse(game))
                        .map_err(AnyError::from)
                };
                Ok(vec![new()?, used(new()?, play_game)?])
            },
            play_game,
        ),
    ]
}

fn linear_account(account: &mut LinearRegret, checks: &mut Checks) -> Result<(), AnyError> {
    for t in 0..3 {
        checks.attempt(account, |account, _| account.record(&wave(3, t), &wave(3, t + 1)));
    }
    match account.regret(&L2Ball::new(1.0)?) {
        Ok(regret) => checks.extended("a regret", regret.value),
        Err(error) => checks.refused(&error),
    }
    match account.against(&[0.0; 3]) {
        Ok(regret) => checks.extended("a regret", regret),
        Err(error) => checks.refused(&error),
    }
    Ok(())
}

fn quadratic_account(account: &mut QuadraticRegret, checks: &mut Checks) -> Result<(), AnyError> {
    for t in 0..3 {
        checks.attempt(account, |account, _| account.record(&wave(3, t), &wave(3, t + 1)));
    }
    match account.regret(&L2Ball::new(1.0)?) {
        Ok(regret) => checks.extended("a regret", regret.value),
        Err(error) => checks.refused(&error),
    }
    Ok(())
}

fn point(round: u64) -> RegretPoint {
    RegretPoint { round, learner_loss: 3.0, comparator_loss: 1.0, regret: 2.0, gap: 0.0, bound: 2.5 }
}

fn accounts() -> Vec<Target> {
    vec![
        Target::saved(
            || Ok(vec![LinearRegret::new(3)?, used(LinearRegret::new(3)?, linear_account)?]),
            linear_account,
        ),
        Target::saved(
            || Ok(vec![QuadraticRegret::new(3)?, used(QuadraticRegret::new(3)?, quadratic_account)?]),
            quadratic_account,
        ),
        plain(|| vec![Rounds::Milestones, Rounds::Chosen([1, 2, 5].into())]),
        plain(|| vec![point(1), point(7)]),
        Target::saved(
            || {
                let mut account = LinearRegret::new(2)?;
                let mut record = RegretRecord::new(Rounds::All);
                for t in 1..4 {
                    account.record(&[1.0, -0.5], &[0.5, 0.25])?;
                    record.push(t, &account.regret(&L2Ball::new(1.0)?)?, 10.0)?;
                }
                Ok(vec![RegretRecord::new(Rounds::Milestones), record])
            },
            |record: &mut RegretRecord, checks| {
                checks.any_number(f64::from(u8::from(record.bound_holds())));
                record.points().iter().for_each(|point| checks.any_number(point.regret));
                let next = record.points().last().map_or(1, |point| point.round.saturating_add(1));
                let mut account = LinearRegret::new(1)?;
                account.record(&[1.0], &[1.0])?;
                let regret = account.regret(&L2Ball::new(1.0)?)?;
                checks.attempt(record, |record, _| record.push(next, &regret, 1.0));
                Ok(())
            },
        ),
    ]
}
