//! Online learners, bandits, games, losses and accounts of regret.

use super::rows_and_sets::{any_box, any_set};
use super::{Door, any, built, count, entry, numbers, parameter, refused, used};
use crate::Checks;
use crate::draw::Draw;
use crate::play::{blind, online, oracle, wave};
use crate::verdict::{AnyError, Verdict};
use oco_core::bandit::{Estimates, Fkm, MultiPointFkm, SphericalEstimator};
use oco_core::games::{BestResponse, MatrixGame, TremblingHand, ZeroSumGame};
use oco_core::learners::{
    AdaGrad, BalancedWinnow, Comid, Doubling, Draws, DualAveraging, FollowTheLeader,
    FollowThePerturbedLeader, Ftrl, FtrlQuadratic, Hedge, LazyOgd, MirrorDescent, Ogd,
    OptimisticMirrorDescent, Perceptron, Perturbation, Winnow,
};
use oco_core::losses::{
    AbsoluteLoss, HingeLoss, HuberLoss, LinearLoss, LogPortfolioLoss, LogisticLoss, Loss, LossSum,
    QuadraticLoss, SquaredLoss,
};
use oco_core::projection_free::{
    GradientNoise, MetaFrankWolfe, Minibatches, Morgfw, OnlineFrankWolfe, ProjectionFreeOco,
};
use oco_core::regret::{LinearRegret, QuadraticRegret};
use oco_core::{OnlineLearner, StepSchedule};
use projections::{AnySet, Euclidean, NegativeEntropy, PNorm, Simplex};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub(super) fn rng(draw: &mut Draw<'_>) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(draw.byte().into())
}

pub(super) fn schedule(draw: &mut Draw<'_>) -> Result<StepSchedule, AnyError> {
    Ok(match draw.byte() % 2 {
        0 => StepSchedule::constant(parameter(draw))?,
        _ => StepSchedule::power(parameter(draw), parameter(draw))?,
    })
}

/// The start of a learner on a set: mostly a point of it.
fn start(draw: &mut Draw<'_>, set: &AnySet) -> Vec<f64> {
    let n = draw.size(1, 5);
    let mut x = numbers(draw, n, entry);
    if draw.byte() < 220 {
        // A point that is refused stays where it is.
        let _ = projections::Projection::<Euclidean>::project(set, &mut x);
    }
    x
}

fn loss<L: Loss>(loss: &mut L, checks: &mut Checks) -> Result<(), AnyError> {
    let n = loss.dimension();
    let (y, mut g) = (wave(n, 1), vec![0.0; n]);
    checks.extended("a value", loss.value(&y));
    loss.subgradient(&y, &mut g);
    g.iter().for_each(|g| checks.extended("a gradient", *g));
    Ok(())
}

fn schedules(schedule: &mut StepSchedule, checks: &mut Checks) -> Result<(), AnyError> {
    [1, 2, 3, u64::MAX].into_iter().for_each(|t| checks.number("a step", schedule.eta(t)));
    Ok(())
}

fn slopes(draw: &mut Draw<'_>) -> Vec<f64> {
    let n = draw.size(0, 6);
    draw.list(n, Draw::any)
}

/// Learners for the cascades of the projection-free methods.
fn cascade(draw: &mut Draw<'_>) -> Result<(Vec<FollowTheLeader<AnySet>>, AnySet), AnyError> {
    let (set, n) = (any_set(draw)?, draw.size(1, 4));
    let length = draw.size(0, 3);
    let learners = (0..length).map(|_| FollowTheLeader::new(set.clone(), n));
    Ok((learners.collect::<Result<_, _>>()?, set))
}

fn game(draw: &mut Draw<'_>) -> Result<MatrixGame, AnyError> {
    let (rows, columns) = (draw.size(0, 4), draw.size(0, 4));
    let rows = draw.list(rows, |draw| numbers(draw, columns, any));
    Ok(MatrixGame::new(&rows)?)
}

fn equilibrium(game: &mut MatrixGame, checks: &mut Checks) -> Result<(), AnyError> {
    let found = game.equilibrium();
    checks.number("a value", found.value);
    checks.distribution("p", &found.p);
    checks.distribution("q", &found.q);
    Ok(())
}

/// A learner of mistake bounds on a few examples.
macro_rules! mistakes {
    ($new:expr, $dimension:expr) => {
        Ok(built($new, |learner, checks| {
            let n: usize = $dimension(learner);
            for t in 0..if n <= 64 { 4 } else { 0 } {
                let x = wave(n, t);
                checks.attempt(learner, |learner, checks| -> Result<(), AnyError> {
                    let x = rows::Row::dense(&x)?;
                    checks.number("a prediction", learner.predict(x)?);
                    learner.observe(x, if t % 2 == 0 { 1.0 } else { -1.0 })?;
                    Ok(())
                });
            }
            Ok(())
        }))
    };
}

fn any_learner<L: OnlineLearner + serde::Serialize + serde::de::DeserializeOwned>(
    made: Result<L, oco_core::OcoError>,
) -> Result<Verdict, AnyError> {
    Ok(built(made, online))
}

pub(super) const DOORS: &[Door] = &[
    ("oco_core::StepSchedule::power", |draw| {
        Ok(built(StepSchedule::power(draw.any(), draw.any()), schedules))
    }),
    ("oco_core::StepSchedule::constant", |draw| Ok(built(StepSchedule::constant(draw.any()), schedules))),
    ("oco_core::StepSchedule::zinkevich", |draw| {
        Ok(built(StepSchedule::zinkevich(draw.any(), draw.any()), schedules))
    }),
    ("oco_core::StepSchedule::strongly_convex", |draw| {
        Ok(built(StepSchedule::strongly_convex(draw.any()), schedules))
    }),
    ("oco_core::StepSchedule::lecture_theorem_2", |draw| {
        let rounds = draw.half_word();
        Ok(built(StepSchedule::lecture_theorem_2(draw.any(), draw.any(), rounds), schedules))
    }),
    ("oco_core::AbsoluteLoss::new", |draw| Ok(used(AbsoluteLoss::new(&slopes(draw), draw.any()), loss))),
    ("oco_core::HingeLoss::new", |draw| Ok(used(HingeLoss::new(&slopes(draw), draw.any()), loss))),
    ("oco_core::HingeLoss::at_zero", |draw| Ok(used(HingeLoss::at_zero(&slopes(draw), draw.any()), loss))),
    ("oco_core::HingeLoss::at", |draw| Ok(used(HingeLoss::at(draw.any(), &slopes(draw), draw.any()), loss))),
    ("oco_core::HuberLoss::new", |draw| {
        Ok(used(HuberLoss::new(&slopes(draw), draw.any(), draw.any()), loss))
    }),
    ("oco_core::LinearLoss::new", |draw| Ok(used(LinearLoss::new(&slopes(draw)), loss))),
    ("oco_core::LogPortfolioLoss::above", |draw| {
        Ok(used(LogPortfolioLoss::above(&slopes(draw), draw.any()), |loss, checks| {
            let n = Loss::dimension(loss);
            checks.extended("a value", loss.value(&vec![0.5; n]));
            Ok(())
        }))
    }),
    ("oco_core::LogPortfolioLoss::on_simplex", |draw| {
        Ok(used(LogPortfolioLoss::on_simplex(&slopes(draw)), |loss, checks| {
            let n = Loss::dimension(loss);
            checks.extended("a value", loss.value(&vec![0.5; n]));
            Ok(())
        }))
    }),
    ("oco_core::LogisticLoss::new", |draw| Ok(used(LogisticLoss::new(&slopes(draw), draw.any()), loss))),
    ("oco_core::QuadraticLoss::new", |draw| {
        let (a, b) = (slopes(draw), slopes(draw));
        Ok(used(QuadraticLoss::new(&a, &b, draw.any()), loss))
    }),
    ("oco_core::SquaredLoss::new", |draw| Ok(used(SquaredLoss::new(&slopes(draw)), loss))),
    ("oco_core::LossSum::new", |draw| {
        let (n, length) = (draw.size(0, 3), draw.size(0, 3));
        let lists = draw.list(length, |draw| numbers(draw, n, any));
        let losses = lists.iter().map(|slope| LinearLoss::new(slope)).collect::<Result<Vec<_>, _>>()?;
        Ok(used(LossSum::new(&losses), loss))
    }),
    ("oco_core::AdaGrad::new", |draw| any_learner(AdaGrad::new(any_box(draw)?, parameter(draw)))),
    ("oco_core::AdaGrad::starting_at", |draw| {
        let (set, n) = (any_box(draw)?, draw.size(1, 5));
        any_learner(AdaGrad::starting_at(set, numbers(draw, n, entry), parameter(draw)))
    }),
    ("oco_core::Comid::new", |draw| any_learner(Comid::new(count(draw), parameter(draw), parameter(draw)))),
    ("oco_core::Comid::on_box", |draw| {
        any_learner(Comid::on_box(any_box(draw)?, parameter(draw), parameter(draw)))
    }),
    ("oco_core::Comid::starting_at", |draw| {
        let bounds = if draw.coin() { Some(any_box(draw)?) } else { None };
        let n = draw.size(1, 5);
        any_learner(Comid::starting_at(bounds, numbers(draw, n, entry), parameter(draw), parameter(draw)))
    }),
    ("oco_core::LazyOgd::new", |draw| {
        any_learner(LazyOgd::new(any_set(draw)?, count(draw), parameter(draw)))
    }),
    ("oco_core::LazyOgd::around", |draw| {
        let set = any_set(draw)?;
        let at = start(draw, &set);
        any_learner(LazyOgd::around(set, at, parameter(draw)))
    }),
    ("oco_core::Ogd::new", |draw| any_learner(Ogd::new(any_set(draw)?, count(draw), schedule(draw)?))),
    ("oco_core::Ogd::starting_at", |draw| {
        let set = any_set(draw)?;
        let at = start(draw, &set);
        any_learner(Ogd::starting_at(set, at, schedule(draw)?))
    }),
    ("oco_core::FollowTheLeader::new", |draw| any_learner(FollowTheLeader::new(any_set(draw)?, count(draw)))),
    ("oco_core::FollowTheLeader::starting_at", |draw| {
        let set = any_set(draw)?;
        let at = start(draw, &set);
        any_learner(FollowTheLeader::starting_at(set, at))
    }),
    ("oco_core::FollowThePerturbedLeader::new", |draw| {
        let law = [Perturbation::Uniform, Perturbation::Gaussian, Perturbation::Exponential][draw.size(0, 2)];
        let draws = if draw.coin() { Draws::EachRound } else { Draws::Once };
        let (set, n, epsilon) = (any_set(draw)?, count(draw), parameter(draw));
        any_learner(FollowThePerturbedLeader::new(set, n, law, epsilon, draws, rng(draw)))
    }),
    ("oco_core::Ftrl::new", |draw| {
        any_learner(Ftrl::new(Euclidean, any_set(draw)?, count(draw), parameter(draw)))
    }),
    ("oco_core::FtrlQuadratic::new", |draw| {
        Ok(built(FtrlQuadratic::new(any_set(draw)?, count(draw), parameter(draw)), |learner, checks| {
            let n = learner.play().len();
            for t in 0..if n <= 64 { 3 } else { 0 } {
                checks.attempt(learner, |learner, checks| {
                    checks.numbers("a play", learner.play());
                    learner.observe(1.0 + t as f64, &wave(n, t))
                });
            }
            Ok(())
        }))
    }),
    ("oco_core::Hedge::new", |draw| any_learner(Hedge::new(count(draw), parameter(draw)))),
    ("oco_core::Hedge::tuned", |draw| any_learner(Hedge::tuned(count(draw), draw.any(), draw.half_word()))),
    ("oco_core::Doubling::new", |draw| {
        let inner = LazyOgd::new(any_set(draw)?, draw.size(1, 5), parameter(draw))?;
        any_learner(Doubling::new(inner, parameter(draw)))
    }),
    ("oco_core::DualAveraging::starting_at", |draw| {
        let set = any_set(draw)?;
        let at = start(draw, &set);
        any_learner(DualAveraging::starting_at(Euclidean, set, at, parameter(draw)))
    }),
    ("oco_core::DualAveraging::around", |draw| {
        let (n, set) = (draw.size(1, 5), Simplex::new(parameter(draw))?);
        let origin = draw.list(n, Draw::share);
        any_learner(DualAveraging::around(NegativeEntropy, set, origin, parameter(draw)))
    }),
    ("oco_core::MirrorDescent::new", |draw| {
        let set = Simplex::new(parameter(draw))?;
        any_learner(MirrorDescent::new(NegativeEntropy, set, count(draw), parameter(draw)))
    }),
    ("oco_core::MirrorDescent::starting_at", |draw| {
        let set = any_set(draw)?;
        let at = start(draw, &set);
        any_learner(MirrorDescent::starting_at(Euclidean, set, at, parameter(draw)))
    }),
    ("oco_core::OptimisticMirrorDescent::new", |draw| {
        let set = Simplex::new(parameter(draw))?;
        any_learner(OptimisticMirrorDescent::new(NegativeEntropy, set, count(draw), parameter(draw)))
    }),
    ("oco_core::OptimisticMirrorDescent::around", |draw| {
        let set = any_set(draw)?;
        let at = start(draw, &set);
        any_learner(OptimisticMirrorDescent::around(Euclidean, set, at, parameter(draw)))
    }),
    ("oco_core::Ftrl::new, of a p-norm", |draw| {
        let (p, n) = (PNorm::new(1.0 + parameter(draw))?, count(draw));
        any_learner(Ftrl::new(p, projections::WholeSpace, n, parameter(draw)))
    }),
    ("oco_core::BalancedWinnow::new", |draw| {
        mistakes!(BalancedWinnow::new(count(draw), parameter(draw)), |l: &BalancedWinnow| l.dimension())
    }),
    ("oco_core::BalancedWinnow::for_margin", |draw| {
        mistakes!(
            BalancedWinnow::for_margin(count(draw), parameter(draw), parameter(draw)),
            |l: &BalancedWinnow| l.dimension()
        )
    }),
    ("oco_core::Winnow::new", |draw| {
        mistakes!(Winnow::new(count(draw), parameter(draw)), |l: &Winnow| l.dimension())
    }),
    ("oco_core::Winnow::for_margin", |draw| {
        mistakes!(Winnow::for_margin(count(draw), parameter(draw), parameter(draw)), |l: &Winnow| l
            .dimension())
    }),
    ("oco_core::Perceptron::new", |draw| {
        mistakes!(Perceptron::new(count(draw)), |l: &Perceptron| l.weights().len())
    }),
    ("oco_core::Fkm::new", |draw| {
        let (set, n) = (any_set(draw)?, draw.size(0, 5));
        let made = Fkm::new(set, n, parameter(draw), parameter(draw), parameter(draw), rng(draw));
        Ok(built(made, blind))
    }),
    ("oco_core::MultiPointFkm::new", |draw| {
        let (set, n, k) = (any_set(draw)?, draw.size(0, 5), u32::from(draw.byte() % 4));
        let estimates =
            if draw.coin() { Estimates::OnePoint { points: k } } else { Estimates::TwoPoint { pairs: k } };
        let numbers = [parameter(draw), parameter(draw), parameter(draw)];
        let made = MultiPointFkm::new(set, n, numbers[0], numbers[1], numbers[2], estimates, rng(draw));
        Ok(built(made, |fkm, checks| {
            for _ in 0..3 {
                checks.attempt(fkm, |fkm, checks| {
                    let loss = fkm.round(&mut |x| x.iter().sum::<f64>().cos())?;
                    checks.number("a loss", loss);
                    checks.numbers("a centre", fkm.centre());
                    Ok::<(), oco_core::OcoError>(())
                });
            }
            Ok(())
        }))
    }),
    ("oco_core::SphericalEstimator::new", |draw| {
        Ok(built(SphericalEstimator::new(draw.any()), |estimator, checks| {
            let (mut v, mut point) = (vec![0.0; 3], vec![0.0; 3]);
            estimator.draw(&mut ChaCha8Rng::seed_from_u64(4), &mut v);
            estimator.query(&[0.5, 0.0, -0.5], &v, &mut point);
            checks.numbers("a query", &point);
            Ok(())
        }))
    }),
    ("oco_core::MatrixGame::new", |draw| Ok(built(game(draw), equilibrium))),
    ("oco_core::TremblingHand::new", |draw| {
        let game = game(draw)?;
        Ok(built(TremblingHand::new(game, parameter(draw), rng(draw)), |_, _| Ok(())))
    }),
    ("oco_core::ZeroSumGame::new", |draw| {
        let game = game(draw)?;
        let player = Hedge::new(draw.size(1, 4), parameter(draw))?;
        Ok(built(ZeroSumGame::new(game.clone(), player, BestResponse(game)), |game, checks| {
            for _ in 0..3 {
                checks.attempt(game, |game, checks| {
                    checks.number("a payoff", game.round()?);
                    Ok::<(), oco_core::OcoError>(())
                });
            }
            checks.numbers("p", game.p_bar());
            Ok(())
        }))
    }),
    ("oco_core::MetaFrankWolfe::new", |draw| {
        let (learners, set) = cascade(draw)?;
        Ok(built(MetaFrankWolfe::new(learners, set), oracle))
    }),
    ("oco_core::MetaFrankWolfe::starting_at", |draw| {
        let (learners, set) = cascade(draw)?;
        let at = start(draw, &set);
        Ok(built(MetaFrankWolfe::starting_at(learners, set, at), oracle))
    }),
    ("oco_core::Morgfw::new", |draw| {
        let (learners, set) = cascade(draw)?;
        Ok(built(Morgfw::new(learners, set), oracle))
    }),
    ("oco_core::Morgfw::starting_at", |draw| {
        let (learners, set) = cascade(draw)?;
        let at = start(draw, &set);
        Ok(built(Morgfw::starting_at(learners, set, at), oracle))
    }),
    ("oco_core::ProjectionFreeOco::new", |draw| {
        let (learners, set) = cascade(draw)?;
        Ok(built(ProjectionFreeOco::new(learners, set), oracle))
    }),
    ("oco_core::ProjectionFreeOco::starting_at", |draw| {
        let (learners, set) = cascade(draw)?;
        let at = start(draw, &set);
        Ok(built(ProjectionFreeOco::starting_at(learners, set, at), oracle))
    }),
    ("oco_core::OnlineFrankWolfe::new", |draw| {
        let set = any_set(draw)?;
        let at = start(draw, &set);
        any_learner(OnlineFrankWolfe::new(set, at, parameter(draw)))
    }),
    ("oco_core::OnlineFrankWolfe::theorem", |draw| {
        let (set, rounds) = (any_set(draw)?, draw.half_word());
        let at = start(draw, &set);
        any_learner(OnlineFrankWolfe::theorem(set, at, parameter(draw), rounds))
    }),
    ("oco_core::Minibatches::new", |draw| Ok(built(Minibatches::new(count(draw), rng(draw)), |_, _| Ok(())))),
    ("oco_core::GradientNoise::on_sphere", |draw| {
        Ok(built(GradientNoise::on_sphere(draw.any(), rng(draw)), |_, _| Ok(())))
    }),
    ("oco_core::GradientNoise::gaussian", |draw| {
        Ok(built(GradientNoise::gaussian(draw.any(), rng(draw)), |_, _| Ok(())))
    }),
    ("oco_core::LinearRegret::new", |draw| {
        let n = count(draw);
        Ok(built(LinearRegret::new(n), |account, checks| {
            for t in 0..if n <= 64 { 3 } else { 0 } {
                checks.attempt(account, |account, _| account.record(&wave(n, t), &wave(n, t + 1)));
            }
            Ok(())
        }))
    }),
    ("oco_core::QuadraticRegret::new", |draw| {
        let n = count(draw);
        Ok(built(QuadraticRegret::new(n), |account, checks| {
            for t in 0..if n <= 64 { 3 } else { 0 } {
                checks.attempt(account, |account, _| account.record(&wave(n, t), &wave(n, t + 1)));
            }
            Ok(())
        }))
    }),
    ("oco_core::OcoError", |draw| {
        // Whatever is refused can be said.
        let Err(error) = Hedge::new(count(draw), draw.any()) else { return Ok(Verdict::Accepted) };
        Ok(refused(&error))
    }),
];
