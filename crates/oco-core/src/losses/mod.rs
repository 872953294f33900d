//! Convex losses: the contracts, then one loss a file.

mod linear;
mod squared;

pub use linear::LinearLoss;
pub use squared::SquaredLoss;

/// A convex function ℓ: R^d → R with a subgradient. All three methods are required.
///
/// Contract: the points and gradients handed in have [`dimension`](Self::dimension) entries; whoever calls a loss in
/// a loop checks that once.
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

/// A loss whose size and slope are known on balls, which is what the constants M and L of the theorems ask for.
pub trait Bounded: Loss {
    /// sup |ℓ| over the ball of the given centre and radius.
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64;

    /// sup ‖g‖, g ∈ ∂ℓ(y), over the same ball: a Lipschitz constant there.
    fn lipschitz_on_ball(&self, centre: &[f64], radius: f64) -> f64;
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

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |norm: f64, (x, y)| norm.hypot(x - y))
}

fn norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |norm: f64, x| norm.hypot(*x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Central differences, the subgradient inequality, and the stated constants, on random points of a ball.
    fn check<L: Bounded + Smooth>(loss: &L, centre: &[f64], radius: f64, y: &[f64], u: &[f64]) {
        let (h, d) = (1e-5, loss.dimension());
        let (mut g, mut g_u) = (vec![0.0; d], vec![0.0; d]);
        loss.subgradient(y, &mut g);
        loss.subgradient(u, &mut g_u);
        for j in 0..d {
            let (mut up, mut down) = (y.to_vec(), y.to_vec());
            up[j] += h;
            down[j] -= h;
            let slope = (loss.value(&up) - loss.value(&down)) / (2.0 * h);
            assert!(
                (slope - g[j]).abs() < 1e-6 * (1.0 + slope.abs()),
                "coordinate {j}: {slope} against {}",
                g[j]
            );
        }
        let along: f64 = (0..d).map(|j| g[j] * (u[j] - y[j])).sum();
        assert!(loss.value(u) >= loss.value(y) + along - 1e-9);
        assert!(distance(&g, &g_u) <= loss.smoothness() * distance(y, u) + 1e-9);
        for point in [y, u] {
            assert!(loss.value(point).abs() <= loss.magnitude_on_ball(centre, radius) + 1e-9);
        }
        assert!(norm(&g) <= loss.lipschitz_on_ball(centre, radius) + 1e-9);
    }

    proptest! {
        #[test]
        fn values_gradients_and_constants_agree(
            y in prop::collection::vec(-1.0..1.0, 3), u in prop::collection::vec(-1.0..1.0, 3),
            p in prop::collection::vec(-4.0..4.0, 3), c in prop::collection::vec(-2.0..2.0, 3),
        ) {
            let radius = distance(&c, &y).max(distance(&c, &u));
            check(&SquaredLoss::new(&p).unwrap(), &c, radius, &y, &u);
            check(&LinearLoss::new(&p).unwrap(), &c, radius, &y, &u);
        }
    }
}
