//! Online convex optimisation on vectors: what `ocoboost.oco` does in Rust.
//!
//! Reading order: mirror maps, sets, steps, learners, losses, regret; then bandit feedback, learners without
//! projections, games, and learners of labelled examples.

mod vectors;
mod maps;
mod sets;
mod steps;
mod learners;
mod losses;
mod regret;
mod bandit;
mod projection_free;
mod games;
mod mistakes;

pub(crate) use bandit::{Fkm, MultiPointFkm};
pub(crate) use games::{MatrixGame, ZeroSumGame};
pub(crate) use learners::{FtrlQuadratic, Learner, perturbation_bound, perturbation_epsilon};
pub(crate) use losses::Loss;
pub(crate) use maps::Map;
pub(crate) use mistakes::MistakeBound;
pub(crate) use projection_free::{GradientNoise, ProjectionFree};
pub(crate) use regret::{best_in_hindsight, linear_regrets, quadratic_regrets};
pub(crate) use sets::{Set, project_l1_box};
pub(crate) use steps::Steps;
