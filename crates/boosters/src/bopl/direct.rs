//! Algorithm 1 of [L23].

use super::{PolicyObjective, Smoothness};

/// BOPL \[L23, Algorithm 1\]: the estimate of the risk itself, L̂(π) = −(1/n) Σ v_i π(a_i|x_i).
///
/// c_i = v_i π(a_i|x_i), s_i = |v_i|/2 (`Paper`) or |v_i|/(3√3) (`Sharp`), w_i = |v_i|. Not convex, and its gradient
/// vanishes where π(a_i|x_i) does. A type without values: it is an argument of [`PolicyBoosting`](super::PolicyBoosting).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bopl {}

impl PolicyObjective for Bopl {
    const NAME: &'static str = "bopl";
    const USES_LOGARITHM: bool = false;

    fn factor(v: f64, pi: f64) -> f64 {
        v * pi
    }

    fn curvature(v: f64, smoothness: Smoothness) -> f64 {
        v.abs() * smoothness.of_probability()
    }

    fn weight(v: f64, _: Smoothness) -> f64 {
        v.abs()
    }

    fn loss(v: f64, pi: f64, _: f64) -> f64 {
        -v * pi
    }
}
