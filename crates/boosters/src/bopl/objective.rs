//! The objectives of boosted off-policy learning: BOPL, BOPL-S and BOPL-CS.

use serde::{Deserialize, Serialize};

/// A sum over the log of losses of π(a_i|x_i), each smooth in the scores of its row.
///
/// v_i = r̃_i/p_i is the translated reward over the propensity. The gradient of −n times the objective in
/// F(x_i) is u_i = c_i·(𝐚_i − π(x_i)), and its curvature along any direction is at most s_i.
///
/// Contract: for every π in (0, 1] and finite v, `loss` is a function of F(x_i) with gradient −`factor`·(𝐚_i
/// − π) whose Hessian has a norm of at most `curvature`, for both constants. `weight` is proportional to
/// `curvature`, and is 0 where v is. The two constants and the four functions are required.
pub trait PolicyObjective {
    /// The name in saved runs.
    const NAME: &'static str;

    /// Whether the loss needs ln π.
    const USES_LOGARITHM: bool;

    /// c_i.
    fn factor(v: f64, pi: f64) -> f64;

    /// s_i.
    fn curvature(v: f64, smoothness: Smoothness) -> f64;

    /// w_i ∝ s_i, the weight that a base learner of regression gives the row: `min_child_weight` and
    /// `reg_lambda` refer to it.
    fn weight(v: f64, smoothness: Smoothness) -> f64;

    /// The loss of the row.
    fn loss(v: f64, pi: f64, ln_pi: f64) -> f64;
}

/// BOPL \[L23, Algorithm 1\]: the estimate of the risk itself, L̂(π) = −(1/n) Σ v_i π(a_i|x_i).
///
/// c_i = v_i π(a_i|x_i), s_i = |v_i|/2 (`Paper`) or |v_i|/(3√3) (`Sharp`), w_i = |v_i|. The objective is not
/// convex, and its gradient vanishes where π(a_i|x_i) does. A type without values: an argument of
/// [`PolicyBoosting`](super::PolicyBoosting).
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

/// BOPL-S \[L23, Algorithm 2\]: the surrogate of the risk, L̃(π), with −v(ln π + 1) in place of −vπ for v ≥
/// 0.
///
/// L̃ ≥ L̂, and L̃ is convex where no reward is negative ([`BoplCs`]). c_i = v_i ξ_i with ξ_i = π(a_i|x_i) if
/// v_i < 0 else 1; s_i = |v_i|σ_i with σ_i = ½ if v_i < 0 else 1 (`Paper`), 1/(3√3) and ½ (`Sharp`); w_i =
/// |v_i|σ_i, doubled for `Sharp`, so that it is |v_i| at v_i ≥ 0 in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoplS {}

impl PolicyObjective for BoplS {
    const NAME: &'static str = "bopl_s";
    const USES_LOGARITHM: bool = true;

    fn factor(v: f64, pi: f64) -> f64 {
        if v < 0.0 { v * pi } else { v }
    }

    fn curvature(v: f64, smoothness: Smoothness) -> f64 {
        let sigma = if v < 0.0 { smoothness.of_probability() } else { smoothness.of_logarithm() };
        v.abs() * sigma
    }

    fn weight(v: f64, smoothness: Smoothness) -> f64 {
        let weight = Self::curvature(v, smoothness) / smoothness.of_logarithm();
        // A row with a gradient has a positive weight, however small v.
        if v == 0.0 { weight } else { weight.max(f64::from_bits(1)) }
    }

    fn loss(v: f64, pi: f64, ln_pi: f64) -> f64 {
        if v < 0.0 { -v * pi } else { -v * (ln_pi + 1.0) }
    }
}

/// BOPL-CS \[L23, Section 5.3\], a reference for its conditions: [`BoplS`] on rewards that are nonnegative
/// and not translated, where the surrogate is convex in the scores. [`start`](Self::start) begins a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoplCs {}

/// Which constants bound the curvature of π and of ln π in the scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Smoothness {
    /// ½ and 1: \[L23, Lemmas 2 and 3\].
    Paper,
    /// 1/(3√3) and ½, the least that hold: steps that are up to 2.6 and 2 times as long.
    #[default]
    Sharp,
}

impl Smoothness {
    /// A bound on the Hessian of F ↦ π(a|x), whichever a and F.
    #[must_use]
    pub fn of_probability(self) -> f64 {
        match self {
            Self::Paper => 0.5,
            // 1/(3√3)
            Self::Sharp => 0.192_450_089_729_875_25,
        }
    }

    /// A bound on the Hessian of F ↦ ln π(a|x), whichever a and F.
    #[must_use]
    pub fn of_logarithm(self) -> f64 {
        match self {
            Self::Paper => 1.0,
            Self::Sharp => 0.5,
        }
    }
}
