//! Algorithm 2 of [L23].

use super::{PolicyObjective, Smoothness};

/// BOPL-S \[L23, Algorithm 2\]: the surrogate of the risk, L̃(π), where −v(ln π + 1) takes the place of −vπ for v ≥ 0.
///
/// L̃ ≥ L̂, and L̃ is convex where no reward is negative ([`BoplCs`](super::BoplCs)). c_i = v_i ξ_i with ξ_i =
/// π(a_i|x_i) if v_i < 0 else 1; s_i = |v_i|σ_i with σ_i = ½ if v_i < 0 else 1 (`Paper`), 1/(3√3) and ½ (`Sharp`);
/// w_i = |v_i|σ_i, doubled for `Sharp`, so that it is |v_i| at v_i ≥ 0 in both.
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
        // Who has a gradient has a weight, however small v.
        if v == 0.0 { weight } else { weight.max(f64::from_bits(1)) }
    }

    fn loss(v: f64, pi: f64, ln_pi: f64) -> f64 {
        if v < 0.0 { -v * pi } else { -v * (ln_pi + 1.0) }
    }
}
