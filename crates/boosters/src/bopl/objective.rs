//! What a variant of boosted off-policy learning minimises.

use serde::{Deserialize, Serialize};

/// A sum over the log of losses of π(a_i|x_i), each smooth in the scores of its row.
///
/// With v_i = r̃_i/p_i, the translated reward over the propensity: the gradient of −n times the objective in F(x_i) is
/// u_i = c_i·(𝐚_i − π(x_i)), and its curvature along any direction is at most s_i.
///
/// Contract: for every π in (0, 1] and finite v, `loss` is a function of F(x_i) with gradient −`factor`·(𝐚_i − π) whose
/// Hessian has a norm of at most `curvature`, for both constants; `weight` is proportional to `curvature`, and is 0 where
/// v is. The two constants and the four functions are required.
pub trait PolicyObjective {
    /// What a saved run calls it.
    const NAME: &'static str;

    /// Whether the loss looks at ln π.
    const USES_LOGARITHM: bool;

    /// c_i.
    fn factor(v: f64, pi: f64) -> f64;

    /// s_i.
    fn curvature(v: f64, smoothness: Smoothness) -> f64;

    /// w_i ∝ s_i, the weight that a base learner of regression gives the row: `min_child_weight` and `reg_lambda` refer to
    /// it.
    fn weight(v: f64, smoothness: Smoothness) -> f64;

    /// The loss of the row.
    fn loss(v: f64, pi: f64, ln_pi: f64) -> f64;
}

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
