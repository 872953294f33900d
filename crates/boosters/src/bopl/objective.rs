//! The objectives of boosted off-policy learning: BOPL, BOPL-S and BOPL-CS, and BOPL-LS, with logarithmic
//! smoothing.

use serde::{Deserialize, Serialize};

/// A sum over the log of losses of π(a_i|x_i), each smooth in the scores of its row.
///
/// v_i = r̃_i/p_i is the translated reward over the propensity. The gradient of −n times the objective in
/// F(x_i) is u_i = c_i·(𝐚_i − π(x_i)), and its curvature along any direction is at most s_i.
///
/// Contract: for every π in (0, 1] and finite v, `loss` is a function of F(x_i) with gradient −`factor`·(𝐚_i
/// − π) whose Hessian has a norm of at most `curvature`, for both constants. It falls with π where v ≥ 0, and
/// is 0 at π = 0 where v < 0. `weight` is proportional to `curvature`, and is 0 where v is. The q of
/// `local_curvature` makes loss(F + tf) ≤ loss(F) + t·⟨∇loss(F), f⟩ + t²q/2 for |t| ≤ η. The two constants
/// and the six functions are required.
pub trait PolicyObjective: Copy + Send + Sync {
    /// The name in saved runs.
    const NAME: &'static str;

    /// Whether the loss needs ln π.
    const USES_LOGARITHM: bool;

    /// Whether rewards have to be nonnegative after the translation.
    const IS_NONNEGATIVE: bool = false;

    /// The objective on a log of n rows, with this λ of smoothing if it smooths.
    fn of(smoothing: Option<f64>, n: usize) -> Self;

    /// c_i.
    fn factor(self, v: f64, pi: f64) -> f64;

    /// s_i.
    fn curvature(self, v: f64, smoothness: Smoothness) -> f64;

    /// w_i ∝ s_i, the weight that a base learner of regression gives the row: `min_child_weight` and
    /// `reg_lambda` refer to it.
    fn weight(self, v: f64, smoothness: Smoothness) -> f64;

    /// q, the curvature of a quadratic above the loss on F ± ηf.
    fn local_curvature(self, v: f64, along: Along) -> f64;

    /// The loss of the row.
    fn loss(self, v: f64, pi: f64, ln_pi: f64) -> f64;
}

/// What a row tells of the line F + tf, |t| ≤ η. π is the softmax of F, and D = max f − min f over the
/// actions on offer.
///
/// −ln π has the second derivative Var_π(f), whose derivative is a third central moment. Along the line it
/// grows by a factor of at most e^{D|t|} \[B10\], and it never exceeds D²/4. The second derivative of π is at
/// most D²·min(π, 1 − π), which grows as slowly, and never exceeds D²/(6√3). A function with |g″(t)| ≤
/// h·e^{D|t|} stays below its tangent at 0 plus h(e^{D|t|} − D|t| − 1)/D², which is at most κht²/2 for
/// |t| ≤ η, with κ at Dη.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Along {
    /// π(a_i|x_i).
    pub pi: f64,
    /// 1 − π(a_i|x_i), as the sum of the other probabilities: the difference is 0 where π is nearly 1, and a
    /// long step may multiply it by e^{Dη}.
    pub rest: f64,
    /// Var_π(f); ∞ where it is not known.
    pub variance: f64,
    /// D.
    pub range: f64,
    /// η.
    pub eta: f64,
}

impl Along {
    /// q of −ln π(a_i|x_i): min(κ·Var_π(f), D²/4).
    #[must_use]
    pub fn of_logarithm(self) -> f64 {
        let square = self.range * self.range;
        (self.variance.max(LEAST_SHARE * square) * self.growth()).min(0.25 * square)
    }

    /// q of π(a_i|x_i) and of −π(a_i|x_i): D²·min(κ·min(π, 1 − π), 1/(6√3)).
    #[must_use]
    pub fn of_probability(self) -> f64 {
        let least = self.pi.min(self.rest).max(LEAST_SHARE);
        self.range * self.range * (least * self.growth()).min(OF_PROBABILITY)
    }

    /// q of Σ_a q_aπ(a|x_i) for rewards q in a range of length 1: min(κ·Var_π(f), D²/(6√3)).
    ///
    /// The second derivative is E_π\[(q − q̄)(f − μ)²\] with means q̄ and μ, so that Var_π(f) bounds it. It
    /// is linear in q: its extremes have q in {0, 1}, where the sum is the probability of a set of actions.
    #[must_use]
    pub fn of_expectation(self) -> f64 {
        let square = self.range * self.range;
        (self.variance.max(LEAST_SHARE * square) * self.growth()).min(OF_PROBABILITY * square)
    }

    /// q of the square of the slope of π(a_i|x_i), twice integrated: D²·min(κ·min(π, 1 − π)², 1/16), with κ
    /// at 2Dη.
    ///
    /// The slope is at most Dπ(1 − π), and both factors grow by at most e^{D|t|}.
    #[must_use]
    pub fn of_squared_slope(self) -> f64 {
        let least = self.pi.min(self.rest);
        let twice = Self { range: 2.0 * self.range, ..self };
        self.range * self.range * ((least * least).max(LEAST_SHARE) * twice.growth()).min(1.0 / 16.0)
    }

    /// κ = 2(e^x − x − 1)/x² at x = Dη, which rises with x from 1.
    fn growth(self) -> f64 {
        let x = self.range * self.eta;
        // The quotient cancels; its series does not.
        if x < 1e-3 {
            1.0 + x / 3.0 + x * x / 12.0 + x * x * x / 50.0
        } else {
            2.0 * (x.exp_m1() - x) / (x * x)
        }
    }
}

/// A probability that stands for those that underflow: κ takes it to 1 only where Dη is about 700.
pub(super) const LEAST_SHARE: f64 = 1e-300;

/// ⅛, the largest ‖∇π(a|x)‖².
const OF_SLOPE: f64 = 0.125;

/// 1/(6√3), the largest second derivative of a probability along f with D = 1.
const OF_PROBABILITY: f64 = 0.096_225_044_864_937_63;

/// BOPL \[L23, Algorithm 1\]: the estimate of the risk itself, L̂(π) = −(1/n) Σ v_i π(a_i|x_i).
///
/// c_i = v_i π(a_i|x_i), s_i = |v_i|/2 (`Paper`) or |v_i|/(3√3) (`Sharp`), w_i = |v_i|. The objective is not
/// convex, and its gradient vanishes where π(a_i|x_i) does. An argument of
/// [`PolicyBoosting`](super::PolicyBoosting).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bopl;

impl PolicyObjective for Bopl {
    const NAME: &'static str = "bopl";
    const USES_LOGARITHM: bool = false;

    fn of(_: Option<f64>, _: usize) -> Self {
        Self
    }

    fn factor(self, v: f64, pi: f64) -> f64 {
        v * pi
    }

    fn curvature(self, v: f64, smoothness: Smoothness) -> f64 {
        v.abs() * smoothness.of_probability()
    }

    fn weight(self, v: f64, _: Smoothness) -> f64 {
        v.abs()
    }

    fn local_curvature(self, v: f64, along: Along) -> f64 {
        v.abs() * along.of_probability()
    }

    fn loss(self, v: f64, pi: f64, _: f64) -> f64 {
        -v * pi
    }
}

/// BOPL-S \[L23, Algorithm 2\]: the surrogate of the risk, L̃(π), with −v(ln π + 1) in place of −vπ for v ≥
/// 0.
///
/// L̃ ≥ L̂, and L̃ is convex where no reward is negative ([`BoplCs`]). c_i = v_i ξ_i with ξ_i = π(a_i|x_i) if
/// v_i < 0 else 1; s_i = |v_i|σ_i with σ_i = ½ if v_i < 0 else 1 (`Paper`), 1/(3√3) and ½ (`Sharp`); w_i =
/// |v_i|σ_i, doubled for `Sharp`, so that it is |v_i| at v_i ≥ 0 in both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BoplS;

impl PolicyObjective for BoplS {
    const NAME: &'static str = "bopl_s";
    const USES_LOGARITHM: bool = true;

    fn of(_: Option<f64>, _: usize) -> Self {
        Self
    }

    fn factor(self, v: f64, pi: f64) -> f64 {
        if v < 0.0 { v * pi } else { v }
    }

    fn curvature(self, v: f64, smoothness: Smoothness) -> f64 {
        let sigma = if v < 0.0 { smoothness.of_probability() } else { smoothness.of_logarithm() };
        v.abs() * sigma
    }

    fn weight(self, v: f64, smoothness: Smoothness) -> f64 {
        let weight = self.curvature(v, smoothness) / smoothness.of_logarithm();
        // A row with a gradient has a positive weight, however small v.
        if v == 0.0 { weight } else { weight.max(f64::from_bits(1)) }
    }

    fn local_curvature(self, v: f64, along: Along) -> f64 {
        v.abs() * if v < 0.0 { along.of_probability() } else { along.of_logarithm() }
    }

    fn loss(self, v: f64, pi: f64, ln_pi: f64) -> f64 {
        if v < 0.0 { -v * pi } else { -v * (ln_pi + 1.0) }
    }
}

/// BOPL with logarithmic smoothing \[SAAC24\], a pessimistic objective: −(1/nλ) Σ ln(1 + λv_iπ(a_i|x_i)) for
/// rewards that are nonnegative after the translation.
///
/// A row counts for less the larger its v_iπ: between [`Bopl`], its limit as λ vanishes, and the logarithm of
/// [`BoplS`]. *Bound:* with probability 1 − δ the value of a policy that was chosen without these rows is at
/// least (exp(λ·(−objective) − ln(1/δ)/n) − 1)/λ, because E Π(1 + λX_i) = (1 + λE X)^n for independent X_i;
/// [`logarithmic_smoothing`](off_policy::estimators::LogarithmicSmoothing) computes it on held-out rows.
/// The [settings](super::Settings) have λ; it is 1/√n unless it is set.
///
/// c_i = v_iπ/(1 + λv_iπ) with π = π(a_i|x_i). With b = λv_i and π⁺ the policy of which a_i has the score
/// raised by ln(1 + b), ln(1 + bπ) is a difference of two log-sum-exps: along f its second derivative is
/// Var_{π⁺}(f) − Var_π(f). It is also bπ″/(1 + bπ) − (bπ′/(1 + bπ))², with ‖∇π‖² ≤ ⅛. So s_i =
/// min(s_log/λ, v_i·(s_π + λv_i/8)), with the constants s_log and s_π of [`Smoothness`], w_i = s_i/s_π, and q
/// is the least of the two bounds along f.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoplLs {
    /// λ.
    smoothing: f64,
}

impl PolicyObjective for BoplLs {
    const NAME: &'static str = "bopl_ls";
    const USES_LOGARITHM: bool = false;
    const IS_NONNEGATIVE: bool = true;

    fn of(smoothing: Option<f64>, n: usize) -> Self {
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let usual = || 1.0 / (n as f64).sqrt();
        Self { smoothing: smoothing.unwrap_or_else(usual) }
    }

    fn factor(self, v: f64, pi: f64) -> f64 {
        v * pi / (1.0 + self.smoothing * v * pi)
    }

    fn curvature(self, v: f64, smoothness: Smoothness) -> f64 {
        let of_probability = v * (smoothness.of_probability() + self.smoothing * v * OF_SLOPE);
        of_probability.min(smoothness.of_logarithm() / self.smoothing)
    }

    fn weight(self, v: f64, smoothness: Smoothness) -> f64 {
        let weight = self.curvature(v, smoothness) / smoothness.of_probability();
        // A row with a gradient has a positive weight, however small v.
        if v == 0.0 { weight } else { weight.max(f64::from_bits(1)) }
    }

    fn local_curvature(self, v: f64, along: Along) -> f64 {
        let of_probability = v * (along.of_probability() + self.smoothing * v * along.of_squared_slope());
        of_probability.min(along.of_logarithm() / self.smoothing)
    }

    fn loss(self, v: f64, pi: f64, _: f64) -> f64 {
        let smoothed = self.smoothing * v * pi;
        // Where λvπ underflows, vπ need not.
        if smoothed < 1e-16 { -v * pi } else { -smoothed.ln_1p() / self.smoothing }
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
