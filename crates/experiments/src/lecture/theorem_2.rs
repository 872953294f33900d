//! \[W13, Theorem 2\] on real streams: logistic regression on a ball, the regret at each horizon against its bound.

use super::{LectureError, Point, powers_of_two};
use crate::bandit_boosting::task::{Halves, Task};
use oco_core::{Doubling, LazyOgd, Logistic, Loss, Ogd, OnlineLearner, StepSchedule};
use projections::L2Ball;

/// The radius of the ball, in units of 1/ρ: wide enough for margins that matter.
const REACH: f64 = 10.0;
