//! The perturbations of follow-the-perturbed-leader, and the regret bound of each.

use crate::OcoError;
use crate::step::check_step;
use projections::ProjectionError;
use rand::{Rng, RngExt};
use rand_distr::{Exp1, StandardNormal};
use serde::{Deserialize, Serialize};

/// The law of a perturbation p ∈ R^n with independent coordinates of size 1/ε.
///
/// *Guarantee.* Against an adversary that fixes its gradients in advance, E regret ≤ c·εRA·T + m(n)·D/ε, with
/// D, R and A of [`FplConstants`]. The first term is the price of stability: the laws of p and p + g differ
/// by at most c·ε·A in total variation. The second is the size of p: E‖p‖_∞ ≤ m(n)/ε.
///
/// | law | c | m(n) | size A of a gradient |
/// |---|---|---|---|
/// | uniform on \[0, 1/ε\]^n \[KV05, Theorem 1.1(a)\] | 1 | 1 | ‖g‖₁ |
/// | two-sided exponential, density (ε/2)^n·e^(−ε‖p‖₁) \[KV05, Theorem 1.1(b)\] | ½ | 1 + ln n | ‖g‖₁ |
/// | Gaussian, standard deviation 1/ε | 1/√(2π) | √(2 ln 2n) | ‖g‖₂ |
///
/// The two lower rows use the first row's argument with the total variation and largest coordinate of their
/// law. All three are asserted over 40 seeds in `tests/fpl.rs`.
///
/// ```
/// use oco_core::learners::{FplConstants, Perturbation};
/// // Two experts whose losses lie in [0, 1] and sum to at most 1.
/// let experts = FplConstants { dimension: 2, diameter: 2.0, range: 1.0, size: 1.0 };
/// let epsilon = Perturbation::Uniform.tuned_epsilon(&experts, 800)?;
/// assert_eq!((epsilon, Perturbation::Uniform.regret_bound(&experts, 800, epsilon)), (0.05, 80.0));
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Perturbation {
    /// Uniform on \[0, 1/ε\]^n.
    Uniform,
    /// Every coordinate exponential with mean 1/ε and a random sign.
    Exponential,
    /// Every coordinate normal with mean 0 and standard deviation 1/ε.
    Gaussian,
}

/// The constants of \[KV05, Theorem 1.1\]. R bounds a range, so a constant added to the losses does not
/// count; for losses ≥ 0 the paper's bound on their size is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FplConstants {
    /// n.
    pub dimension: usize,
    /// D ≥ ‖x − x'‖₁ over K.
    pub diameter: f64,
    /// R ≥ ⟨g_t, x − x'⟩ over K.
    pub range: f64,
    /// A ≥ ‖g_t‖₁, or ‖g_t‖₂ for Gaussian perturbations.
    pub size: f64,
}

impl Perturbation {
    /// c·εRA·T + m(n)·D/ε, the bound on E regret after T rounds.
    pub fn regret_bound(self, of: &FplConstants, rounds: u64, epsilon: f64) -> f64 {
        self.instability(of, rounds) * epsilon + self.magnitude(of) / epsilon
    }

    /// The ε that minimises the bound, which then is 2√(c·m(n)·DRA·T).
    ///
    /// # Errors
    /// [`ProjectionError::BadStep`] or [`ProjectionError::NotFinite`] if ε is not positive and finite.
    pub fn tuned_epsilon(self, of: &FplConstants, rounds: u64) -> Result<f64, OcoError> {
        check_step("diameter", of.diameter)?;
        let epsilon = (self.magnitude(of) / self.instability(of, rounds)).sqrt();
        check_step("epsilon", epsilon)?;
        Ok(epsilon)
    }

    /// c·RA·T.
    fn instability(self, of: &FplConstants, rounds: u64) -> f64 {
        let c = match self {
            Self::Uniform => 1.0,
            Self::Exponential => 0.5,
            Self::Gaussian => std::f64::consts::TAU.sqrt().recip(),
        };
        // Rounds stay far below 2^53, where every integer is a double.
        #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
        let rounds = rounds as f64;
        c * of.range * of.size * rounds
    }

    /// m(n)·D.
    fn magnitude(self, of: &FplConstants) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a dimension")]
        let n = of.dimension as f64;
        let m = match self {
            Self::Uniform => 1.0,
            Self::Exponential => 1.0 + n.ln(),
            Self::Gaussian => (2.0 * (2.0 * n).ln()).sqrt(),
        };
        m * of.diameter
    }

    /// Writes a draw of p.
    pub(crate) fn draw(self, epsilon: f64, rng: &mut (impl Rng + ?Sized), p: &mut [f64]) {
        let size = epsilon.recip();
        match self {
            Self::Uniform => p.fill_with(|| size * rng.random::<f64>()),
            Self::Exponential => p.fill_with(|| {
                let p: f64 = size * rng.sample::<f64, _>(Exp1);
                if rng.random() { p } else { -p }
            }),
            Self::Gaussian => p.fill_with(|| size * rng.sample::<f64, _>(StandardNormal)),
        }
    }

    /// Refuses a p outside the support of the law.
    pub(crate) fn check_drawn(self, epsilon: f64, p: &[f64]) -> Result<(), OcoError> {
        match p.iter().find(|p| !(0.0..=epsilon.recip()).contains(*p)) {
            Some(&value) if self == Self::Uniform => {
                let (name, domain) = ("perturbation", "[0, 1/epsilon]");
                Err(ProjectionError::BadParameter { name, value, domain }.into())
            }
            _ => Ok(()),
        }
    }
}

/// Below this ε a draw could leave the range of doubles; no draw reaches 2^20 standard deviations.
const LEAST_EPSILON: f64 = 1e-300;

pub(crate) fn check_epsilon(epsilon: f64) -> Result<(), OcoError> {
    check_step("epsilon", epsilon)?;
    if epsilon < LEAST_EPSILON {
        let (name, domain) = ("epsilon", "[1e-300, ∞)");
        return Err(ProjectionError::BadParameter { name, value: epsilon, domain }.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [Perturbation; 3] =
        [Perturbation::Uniform, Perturbation::Exponential, Perturbation::Gaussian];
    const UNIT: FplConstants = FplConstants { dimension: 1, diameter: 1.0, range: 1.0, size: 1.0 };
    /// The width of an interval of the midpoint rule; jumps and kinks of the densities lie between intervals.
    const H: f64 = 1.0 / 1024.0;

    /// ∫f over [−60, 60] by the midpoint rule.
    fn integral(f: impl Fn(f64) -> f64) -> f64 {
        (-61_440..61_440).map(|k| H * f((f64::from(k) + 0.5) * H)).sum()
    }

    /// The density of a coordinate for ε = 1.
    fn density(law: Perturbation, x: f64) -> f64 {
        match law {
            Perturbation::Uniform => f64::from((0.0..=1.0).contains(&x)),
            Perturbation::Exponential => 0.5 * (-x.abs()).exp(),
            Perturbation::Gaussian => (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt(),
        }
    }

    /// c·s is at least the total variation between p and p + s on the line, ½∫|f(x) − f(x − s)|dx, and it is
    /// no more where s is small.
    #[test]
    fn c_is_the_total_variation() {
        for law in LAWS {
            assert!((integral(|x| density(law, x)) - 1.0).abs() < 1e-6);
            for s in [8.0 * H, 0.25, 1.0, 3.0] {
                let variation = 0.5 * integral(|x| (density(law, x) - density(law, x - s)).abs());
                let bound = law.instability(&UNIT, 1) * s;
                assert!(variation <= bound * (1.0 + 1e-6), "{law:?}, s = {s}: {variation} > {bound}");
                assert!(s > 8.0 * H || variation > 0.99 * bound, "{law:?}: {variation} against {bound}");
            }
        }
    }

    /// m(n) is at least E‖p‖_∞ = ∫1 − P(|p_1| ≤ x)^n dx, and less than one and a half times as much.
    #[test]
    fn m_is_the_largest_coordinate() {
        for (law, n) in LAWS.into_iter().flat_map(|law| [(law, 3), (law, 4), (law, 100)]) {
            // The integral is a sum over x = 0, H, 2H, …, and so is P(|p_1| ≤ x) within it.
            let (mut below, mut largest) = (0.0, 0.0);
            for k in 0..61_440 {
                largest += H * (1.0 - f64::powi(below, n));
                let x = (f64::from(k) + 0.5) * H;
                below += H * (density(law, x) + density(law, -x));
            }
            let m = law.magnitude(&FplConstants { dimension: n.unsigned_abs() as usize, ..UNIT });
            assert!(largest <= m * (1.0 + 1e-3) && m < 1.5 * largest, "{law:?}, n = {n}: {m} for {largest}");
        }
    }
}
