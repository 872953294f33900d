//! Online convex optimisation: learners, losses, regret, bandit gradient estimates and zero-sum games.
//!
//! In round t a learner plays x_t ∈ K, then sees a convex loss ℓ_t (or a subgradient g_t ∈ ∂ℓ_t(x_t), or only the
//! number ℓ_t(x_t)). Its regret is Σ ℓ_t(x_t) − min_{u∈K} Σ ℓ_t(u). Sets, projections and mirror maps come from
//! the crate `projections`; everything works on slices, so `Vec`, arrays and nalgebra vectors all fit.
//!
//! Reading order: the contracts ([`OnlineLearner`], [`BanditLearner`]) and the losses ([`Loss`]); the learners, from
//! [`FollowTheLeader`], [`Ftrl`], [`LazyOgd`] and [`Ogd`] over mirror descent in any [`Geometry`] ([`MirrorDescent`],
//! [`DualAveraging`], [`Hedge`], [`OptimisticMirrorDescent`]) to [`Comid`], [`AdaGrad`], [`FollowThePerturbedLeader`]
//! and the learners of labelled examples, [`Perceptron`], [`Winnow`] and [`BalancedWinnow`], with [`Doubling`] for horizons that are not
//! known; learning from loss values alone ([`SphericalEstimator`], [`Fkm`], [`MultiPointFkm`]); learning through a
//! gradient oracle without a projection ([`StochasticGradient`], [`ProjectionFreeOco`], [`OnlineFrankWolfe`],
//! [`MetaFrankWolfe`], [`Morgfw`]); zero-sum games ([`ZeroSumGame`], [`MatrixGame`]); and the accounts
//! ([`LinearRegret`], [`QuadraticRegret`], [`RegretRecord`], the solvers [`best_in_hindsight`] and
//! [`pairwise_frank_wolfe`]).
//!
//! ```
//! use oco_core::{LinearRegret, Ogd, OnlineLearner, StepSchedule};
//! use projections::BoxSet;
//!
//! let interval = BoxSet::interval(-1.0, 1.0)?;
//! let (diameter, lipschitz, rounds) = (2.0, 1.0, 100_u32);
//! let mut learner = Ogd::new(interval.clone(), 1, StepSchedule::zinkevich(diameter, lipschitz)?)?;
//! let mut account = LinearRegret::new(1)?;
//! for t in 0..rounds {
//!     let g = [if t % 3 == 0 { -1.0 } else { 1.0 }];
//!     account.record(&g, learner.play())?;
//!     learner.observe(&g)?;
//! }
//! let regret = account.regret(&interval)?;
//! assert!(regret.value <= 1.5 * lipschitz * diameter * f64::from(rounds).sqrt());
//! # Ok::<(), oco_core::OcoError>(())
//! ```

mod error;
mod learner;
mod losses;
mod step;
mod geometry;
mod learners;
mod bandit;
mod projection_free;
mod games;
mod regret;
mod milestones;
mod gradient_sum;
mod projected_step;
mod dual_point;
mod scaled_dot;
mod sum_of_squares;
mod wide;

pub use bandit::{Estimates, Fkm, MultiPointFkm, SmoothedLoss, SphericalEstimator};
pub use error::OcoError;
pub use games::{
    BestResponse, Certificate, Equilibrium, Game, MatrixGame, Oracle, Outcome, Stop, TremblingHand,
    ZeroSumGame,
};
pub use geometry::Geometry;
pub use learner::{BanditLearner, OnlineLearner};
pub use learners::{AdaGrad, BalancedWinnow, Comid, Doubling, Perceptron, Restart, Winnow};
pub use learners::{Draws, FollowThePerturbedLeader, FplConstants, Perturbation};
pub use learners::{DualAveraging, MirrorDescent, OptimisticMirrorDescent};
pub use learners::{FollowTheLeader, Ftrl, FtrlQuadratic, Hedge};
pub use learners::{LazyOgd, Ogd};
pub use losses::{
    AbsoluteLoss, Bounded, HingeLoss, HuberLoss, LinearLoss, LogPortfolioLoss, LogisticLoss, Loss, LossSum,
    QuadraticLoss, Smooth, SquaredLoss, StronglyConvex,
};
pub use milestones::is_milestone;
pub use projection_free::{
    Counted, ExactGradient, GradientNoise, MetaFrankWolfe, MinibatchGradient, Minibatches, Morgfw,
    NoisyGradient, OneGradient, OnlineFrankWolfe, OracleLearner, ProjectionFreeOco, StochasticGradient,
};
pub use regret::{
    Comparator, LinearRegret, QuadraticRegret, Regret, RegretPoint, RegretRecord, Rounds, best_in_hindsight,
    pairwise_frank_wolfe,
};
pub use scaled_dot::signed_inner;
pub use step::StepSchedule;

pub(crate) use error::check_vector;
