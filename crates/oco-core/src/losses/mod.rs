//! Convex losses: the contracts, then one loss a file.

mod linear;
mod squared;
mod quadratic;
mod prediction;
mod absolute;
mod hinge;
mod logistic;
mod huber;
mod log_portfolio;
mod sum;

pub use absolute::AbsoluteLoss;
pub use hinge::HingeLoss;
pub use huber::HuberLoss;
pub use linear::LinearLoss;
pub use log_portfolio::LogPortfolioLoss;
pub use logistic::LogisticLoss;
pub use quadratic::QuadraticLoss;
pub use squared::SquaredLoss;
pub use sum::LossSum;

use crate::OcoError;
use projections::DecisionSet;

/// A convex function ℓ: R^d → R with a subgradient. All three methods are required.
///
/// Contract: points and gradients have [`dimension`](Self::dimension) entries. No entry of a point exceeds
/// 1e140 in magnitude. Callers check both once, before a loop.
pub trait Loss {
    /// d.
    fn dimension(&self) -> usize;

    /// ℓ(y).
    fn value(&self, y: &[f64]) -> f64;

    /// Writes some g ∈ ∂ℓ(y).
    fn subgradient(&self, y: &[f64], g: &mut [f64]);
}

/// A loss with ‖∇ℓ(y) − ∇ℓ(y')‖ ≤ β‖y − y'‖.
pub trait Smooth: Loss {
    /// β.
    fn smoothness(&self) -> f64;
}

/// A loss whose size and slope are bounded on balls: the constants M and L of the theorems.
pub trait Bounded: Loss {
    /// sup |ℓ| over the ball of this centre and radius; an upper bound if the loss documents one.
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64;

    /// sup ‖g‖, g ∈ ∂ℓ(y), over the same ball: a Lipschitz constant there.
    fn lipschitz_on_ball(&self, centre: &[f64], radius: f64) -> f64;

    /// A bound of |ℓ| on K, from the ball around an interior point with the diameter of K as its radius.
    ///
    /// # Errors
    /// A set of another dimension.
    fn magnitude_on<K: DecisionSet>(&self, set: &K) -> Result<f64, OcoError>
    where
        Self: Sized,
    {
        let (centre, radius) = enclosing_ball(set, self.dimension())?;
        Ok(self.magnitude_on_ball(&centre, radius))
    }

    /// A Lipschitz constant on K, from the same ball.
    ///
    /// # Errors
    /// A set of another dimension.
    fn lipschitz_on<K: DecisionSet>(&self, set: &K) -> Result<f64, OcoError>
    where
        Self: Sized,
    {
        let (centre, radius) = enclosing_ball(set, self.dimension())?;
        Ok(self.lipschitz_on_ball(&centre, radius))
    }
}

fn enclosing_ball<K: DecisionSet>(set: &K, dimension: usize) -> Result<(Vec<f64>, f64), OcoError> {
    let mut centre = vec![0.0; dimension];
    set.interior_point(&mut centre)?;
    Ok((centre, set.diameter(dimension)?))
}

impl<L: Loss + ?Sized> Loss for &L {
    fn dimension(&self) -> usize {
        (**self).dimension()
    }

    fn value(&self, y: &[f64]) -> f64 {
        (**self).value(y)
    }

    fn subgradient(&self, y: &[f64], g: &mut [f64]) {
        (**self).subgradient(y, g);
    }
}

pub(crate) fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |norm: f64, (x, y)| norm.hypot(x - y))
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |norm: f64, x| norm.hypot(*x))
}

/// slope·radius, with 0·∞ = 0: a constant function does not change over the whole space.
fn reach(slope: f64, radius: f64) -> f64 {
    if slope == 0.0 || radius == 0.0 { 0.0 } else { slope * radius }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "what is compared exactly is exact")]
mod tests {
    use super::*;
    use projections::{BoxSet, L2Ball, ProjectionError, Simplex, WholeSpace};
    use proptest::prelude::*;

    /// The subgradient inequality and the constants of a ball, at two of its points.
    fn check_convex<L: Bounded>(loss: &L, centre: &[f64], radius: f64, y: &[f64], u: &[f64]) {
        let mut g = vec![0.0; loss.dimension()];
        loss.subgradient(y, &mut g);
        let slack = 1e-9 * (1.0 + loss.value(y).abs());
        assert!(loss.value(u) >= loss.value(y) + along(&g, y, u) - slack);
        let size = loss.magnitude_on_ball(centre, radius);
        assert!(loss.value(y).abs() <= size * (1.0 + 1e-12) + slack, "{} > {size}", loss.value(y));
        assert!(norm(&g) <= loss.lipschitz_on_ball(centre, radius) * (1.0 + 1e-12));
    }

    /// The same, central differences and the smoothness constant.
    fn check_smooth<L: Bounded + Smooth>(loss: &L, centre: &[f64], radius: f64, y: &[f64], u: &[f64]) {
        check_convex(loss, centre, radius, y, u);
        check_convex(loss, centre, radius, u, y);
        let (mut g, mut g_u) = (vec![0.0; loss.dimension()], vec![0.0; loss.dimension()]);
        loss.subgradient(y, &mut g);
        loss.subgradient(u, &mut g_u);
        check_slope(loss, loss.smoothness(), y);
        assert!(distance(&g, &g_u) <= loss.smoothness() * distance(y, u) * (1.0 + 1e-9) + 1e-9);
    }

    /// Central differences, for a loss whose gradient has the Lipschitz constant β near y.
    fn check_slope<L: Loss>(loss: &L, beta: f64, y: &[f64]) {
        let (h, mut g) = (1e-5, vec![0.0; loss.dimension()]);
        loss.subgradient(y, &mut g);
        for j in 0..g.len() {
            let (mut up, mut down) = (y.to_vec(), y.to_vec());
            up[j] += h;
            down[j] -= h;
            let slope = (loss.value(&up) - loss.value(&down)) / (2.0 * h);
            // At a kink of the slope the difference is off by at most βh.
            let slack = 1e-6 * (1.0 + slope.abs() + loss.value(y).abs()) + beta * h;
            assert!((slope - g[j]).abs() < slack, "coordinate {j}: {slope} against {}", g[j]);
        }
    }

    fn along(g: &[f64], y: &[f64], u: &[f64]) -> f64 {
        g.iter().zip(u).zip(y).map(|((g, u), y)| g * (u - y)).sum()
    }

    proptest! {
        #[test]
        fn values_gradients_and_constants_agree(
            y in prop::collection::vec(-1.0..1.0, 3), u in prop::collection::vec(-1.0..1.0, 3),
            p in prop::collection::vec(-4.0..4.0, 3), c in prop::collection::vec(-2.0..2.0, 3),
            target in -3.0..3.0_f64, delta in 0.01..3.0_f64, root in prop::collection::vec(-1.0..1.0, 6),
        ) {
            let radius = distance(&c, &y).max(distance(&c, &u));
            let label = target.signum();
            check_smooth(&SquaredLoss::new(&p).unwrap(), &c, radius, &y, &u);
            check_smooth(&LinearLoss::new(&p).unwrap(), &c, radius, &y, &u);
            check_smooth(&LogisticLoss::new(&p, label).unwrap(), &c, radius, &y, &u);
            check_smooth(&HuberLoss::new(&p, target, delta).unwrap(), &c, radius, &y, &u);
            // A = RRᵀ of rank two: flat along a line.
            let a: Vec<f64> = (0..9).map(|k| (0..2).map(|l| root[k / 3 * 2 + l] * root[k % 3 * 2 + l]).sum()).collect();
            check_smooth(&QuadraticLoss::new(&a, &p, target).unwrap(), &c, radius, &y, &u);
            let both = [HuberLoss::new(&p, target, delta).unwrap(), HuberLoss::new(&c, delta, 1.0).unwrap()];
            check_smooth(&LossSum::new(&both).unwrap(), &c, radius, &y, &u);
            // Piecewise linear: the differences do not reach a kink that is further than 4h away.
            let (score, clear) = (along(&p, &[0.0; 3], &y), 1e-4);
            let absolute = AbsoluteLoss::new(&p, target).unwrap();
            check_convex(&absolute, &c, radius, &y, &u);
            if (score - target).abs() > clear {
                check_slope(&absolute, 0.0, &y);
            }
            for threshold in [0.0, 1.0, target] {
                let hinge = HingeLoss::at(threshold, &p, label).unwrap();
                check_convex(&hinge, &c, radius, &y, &u);
                if (threshold - label * score).abs() > clear {
                    check_slope(&hinge, 0.0, &y);
                }
            }
            let squared = SquaredLoss::new(&p).unwrap();
            let mut g = [0.0; 3];
            squared.subgradient(&y, &mut g);
            let lower = squared.value(&y) + along(&g, &y, &u) + distance(&y, &u).powi(2);
            assert!((squared.value(&u) - lower).abs() < 1e-9, "the parabola is its own lower bound");
        }

        /// A portfolio's constants hold on the simplex, where ⟨r, x⟩ ≥ min r.
        #[test]
        fn portfolios_keep_their_constants(
            y in prop::collection::vec(0.01..1.0_f64, 3), u in prop::collection::vec(0.01..1.0_f64, 3),
            r in prop::collection::vec(0.1..3.0_f64, 3),
        ) {
            let normalised = |v: &[f64]| v.iter().map(|x| x / v.iter().sum::<f64>()).collect::<Vec<_>>();
            let (y, u) = (normalised(&y), normalised(&u));
            let loss = LogPortfolioLoss::on_simplex(&r).unwrap();
            check_smooth(&loss, &y, distance(&y, &u), &y, &u);
        }

        /// At a kink every side counts: the subgradient there is that of a supporting line.
        #[test]
        fn kinks(x in prop::collection::vec(1..4_i32, 3), w in prop::collection::vec(-3..4_i32, 3), u in prop::collection::vec(-3.0..3.0_f64, 3)) {
            let (x, w): (Vec<f64>, Vec<f64>) = (x.iter().map(|v| f64::from(*v)).collect(), w.iter().map(|v| f64::from(*v)).collect());
            let score: f64 = x.iter().zip(&w).map(|(x, w)| x * w).sum();
            let radius = distance(&w, &u);
            let absolute = AbsoluteLoss::new(&x, score).unwrap();
            check_convex(&absolute, &w, radius, &w, &u);
            let mut g = [1.0; 3];
            absolute.subgradient(&w, &mut g);
            assert_eq!(g, [0.0; 3], "sgn 0 = 0");
            let hinge = HingeLoss::at(-score, &x, -1.0).unwrap();
            check_convex(&hinge, &w, radius, &w, &u);
            hinge.subgradient(&w, &mut g);
            assert_eq!(g.to_vec(), x, "a margin equal to the threshold is a mistake");
            check_convex(&HuberLoss::new(&x, score - 1.0, 1.0).unwrap(), &w, radius, &w, &u);
        }
    }

    #[test]
    fn constants_on_a_set_are_those_of_an_enclosing_ball() {
        let loss = SquaredLoss::new(&[0.0, 0.0]).unwrap();
        let ball = L2Ball::new(1.5).unwrap();
        assert_eq!((loss.lipschitz_on(&ball).unwrap(), loss.magnitude_on(&ball).unwrap()), (6.0, 9.0));
        assert!(loss.lipschitz_on(&BoxSet::interval(0.0, 1.0).unwrap()).is_err());
        let far = LinearLoss::new(&[3.0, 4.0]).unwrap().magnitude_on(&Simplex::new(1.0).unwrap()).unwrap();
        assert!(far >= 4.0, "{far}");
    }

    #[test]
    fn constants_over_the_whole_space_are_numbers() {
        fn constants<L: Bounded>(loss: &L) -> (f64, f64) {
            (loss.lipschitz_on(&WholeSpace).unwrap(), loss.magnitude_on(&WholeSpace).unwrap())
        }
        let (zeros, ones, infinite) = ([0.0; 4], [1.0, 0.0, 0.0, 1.0], f64::INFINITY);
        let (flat, slope) = (&zeros[..2], [3.0, 4.0]);
        assert_eq!(constants(&QuadraticLoss::new(&zeros, flat, -2.0).unwrap()), (0.0, 2.0));
        assert_eq!(constants(&QuadraticLoss::new(&zeros, &slope, -2.0).unwrap()), (5.0, infinite));
        assert_eq!(constants(&QuadraticLoss::new(&ones, flat, 0.0).unwrap()), (infinite, infinite));
        assert_eq!(constants(&AbsoluteLoss::new(flat, -2.0).unwrap()), (0.0, 2.0));
        assert_eq!(constants(&AbsoluteLoss::new(&slope, -2.0).unwrap()), (5.0, infinite));
        assert_eq!(constants(&LinearLoss::new(flat).unwrap()), (0.0, 0.0));
        assert_eq!(constants(&HuberLoss::new(flat, 2.0, 1.0).unwrap()), (0.0, 1.5));
        assert_eq!(constants(&HuberLoss::new(&slope, 2.0, 2.0).unwrap()), (10.0, infinite));
        assert_eq!(constants(&HingeLoss::new(flat, 1.0).unwrap()), (0.0, 1.0));
        assert_eq!(constants(&HingeLoss::new(&slope, 1.0).unwrap()), (5.0, infinite));
        assert_eq!(constants(&LogisticLoss::new(flat, 1.0).unwrap()), (0.0, 2.0_f64.ln()));
        assert_eq!(constants(&LogisticLoss::new(&slope, 1.0).unwrap()), (5.0, infinite));
    }

    #[test]
    fn values_at_the_ends_of_the_range() {
        let x = [1e140, 1e140];
        assert_eq!(AbsoluteLoss::new(&x, 1.0).unwrap().value(&[1e140, -1e140]), 1.0);
        assert_eq!(HingeLoss::new(&x, 1.0).unwrap().value(&[-1e140, 1e140]), 1.0);
        assert_eq!(LogisticLoss::new(&x, 1.0).unwrap().value(&[1e140, 1e140]), 0.0);
        assert_eq!(HuberLoss::new(&x, 0.0, 1e-140).unwrap().value(&[1.0, 0.0]), 1.0);
        assert_eq!(HuberLoss::new(&x, 0.0, 1e140).unwrap().value(&[1e140, 0.0]), f64::INFINITY);
        assert_eq!(
            LogPortfolioLoss::above(&[1e140, 1e-140], 1e-300).unwrap().value(&[1e-140, 1e140]),
            -(2.0_f64.ln())
        );
        let mut g = [0.0; 2];
        LogisticLoss::new(&x, -1.0).unwrap().subgradient(&[1e140, 1e140], &mut g);
        assert_eq!(g, x);
        let quadratic = |b: f64| QuadraticLoss::new(&[2.0], &[b], 3.0).unwrap().value(&[1e140]);
        assert!((quadratic(1.0) / 1e280 - 1.0).abs() < 1e-15);
        assert_eq!(quadratic(-1e140), 3.0);
        // xᵀAx = 2.5e419: one coordinate adds +∞, the other −∞.
        let steep = QuadraticLoss::new(&[1e140, -1e140, -1e140, 1e140], &[0.0; 2], 0.0).unwrap();
        assert_eq!(steep.value(&[1e140, 0.5e140]), f64::INFINITY);
        let small = QuadraticLoss::new(&[1e-140], &[0.0], 0.0).unwrap().value(&[1e140]);
        assert!((small / 5e139 - 1.0).abs() < 1e-15, "{small}");
    }

    #[test]
    fn faults_are_refused() {
        assert!(AbsoluteLoss::new(&[], 1.0).is_err() && AbsoluteLoss::new(&[1.0], f64::NAN).is_err());
        for value in [0.0, 2.0, -0.5] {
            assert_eq!(HingeLoss::new(&[1.0], value), Err(OcoError::BadLabel { value }));
            assert_eq!(LogisticLoss::new(&[1.0], value), Err(OcoError::BadLabel { value }));
        }
        let infinite = ProjectionError::NotFinite { argument: "label", index: 0, value: f64::INFINITY };
        assert_eq!(HingeLoss::new(&[1.0], f64::INFINITY), Err(infinite.into()));
        assert!(HingeLoss::at(f64::NAN, &[1.0], 1.0).is_err());
        assert!(HuberLoss::new(&[1.0], 0.0, 0.0).is_err() && HuberLoss::new(&[f64::NAN], 0.0, 1.0).is_err());
        assert!(
            LogPortfolioLoss::on_simplex(&[1.0, 0.0]).is_err()
                && LogPortfolioLoss::above(&[-1.0], 0.1).is_err()
        );
        for (a, fault) in [
            (&[1.0, 0.0, 0.0][..], "three entries"),
            (&[1.0, 0.5, -0.5, 1.0], "asymmetric"),
            (&[0.0, 1.0, 1.0, 0.0], "a saddle without a diagonal"),
            (&[1.0, 0.0, 0.0, -1.0], "a negative eigenvalue"),
            (&[1e140, 0.0, 0.0, -1e140], "a large negative eigenvalue"),
        ] {
            assert!(QuadraticLoss::new(a, &[0.0, 0.0], 0.0).is_err(), "{fault}");
        }
        assert!(QuadraticLoss::new(&[1e140, 1e140, 1e140, 1e140], &[0.0, 0.0], 0.0).is_ok());
        assert!(QuadraticLoss::new(&[0.0; 4], &[0.0, 0.0], 0.0).is_ok());
        let mixed = [LinearLoss::new(&[1.0]).unwrap(), LinearLoss::new(&[1.0, 2.0]).unwrap()];
        assert!(LossSum::new(&mixed).is_err() && LossSum::<LinearLoss<'_>>::new(&[]).is_err());
    }
}
