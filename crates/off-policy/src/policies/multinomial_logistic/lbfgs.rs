//! Directions of limited-memory BFGS.

use rows::dot;
use std::collections::VecDeque;

/// −H∇J, where H is made of the last few steps s and changes y of the gradient by the two-loop recursion
/// \[N80\], \[LN89\]; H is positive definite, for only pairs with ⟨s, y⟩ > 0 are kept.
#[derive(Debug, Default)]
pub(super) struct Lbfgs {
    pairs: VecDeque<Pair>,
}

#[derive(Debug)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    /// 1/⟨s, y⟩.
    rho: f64,
}

const MEMORY: usize = 10;

impl Lbfgs {
    /// Takes a step and the change of the gradient along it.
    pub(super) fn remember(&mut self, s: Vec<f64>, y: Vec<f64>) {
        let rho = 1.0 / dot(&s, &y);
        if rho > 0.0 && rho.is_finite() {
            if self.pairs.len() == MEMORY {
                self.pairs.pop_front();
            }
            self.pairs.push_back(Pair { s, y, rho });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn forget(&mut self) {
        self.pairs.clear();
    }

    /// −H∇J; −`first`·∇J while nothing is remembered.
    pub(super) fn direction(&self, gradient: &[f64], first: f64) -> Vec<f64> {
        let mut d: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut coefficients = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let a = pair.rho * dot(&pair.s, &d);
            add(&mut d, -a, &pair.y);
            coefficients.push(a);
        }
        let scale = self.pairs.back().map_or(first, |pair| 1.0 / (pair.rho * dot(&pair.y, &pair.y)));
        d.iter_mut().for_each(|d| *d *= scale);
        for (pair, a) in self.pairs.iter().zip(coefficients.iter().rev()) {
            let b = pair.rho * dot(&pair.y, &d);
            add(&mut d, a - b, &pair.s);
        }
        d
    }
}

/// x ← x + c·y.
fn add(x: &mut [f64], c: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += c * y);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secant_equation_holds_for_the_last_pair() {
        // H y = s, so the direction at the gradient y is −s.
        let mut memory = Lbfgs::default();
        for k in 0..30 {
            let x = f64::from(k);
            let s: Vec<f64> = (0..5).map(|j| (x + 1.3 * f64::from(j)).sin()).collect();
            // y = Qs for a symmetric positive definite Q.
            let sum: f64 = s.iter().sum();
            let y: Vec<f64> = s.iter().zip(1..).map(|(s, j)| f64::from(j) * s + 0.3 * sum).collect();
            memory.remember(s.clone(), y.clone());
            for (d, s) in memory.direction(&y, 1.0).iter().zip(&s) {
                assert!((d + s).abs() < 1e-9, "step {k}: {d} is not −{s}");
            }
        }
    }

    /// Steps along the axes of a quadratic do not disturb each other: H undoes the curvature on every axis
    /// that is remembered, and is a multiple of the identity on the two that are forgotten.
    #[test]
    fn the_last_ten_pairs_are_remembered() {
        let mut memory = Lbfgs::default();
        let axis = |j: usize, length: f64| {
            let mut v = vec![0.0; 12];
            v[j] = length;
            v
        };
        let curvature = |j: usize| 1.0 + j as f64;
        for j in 0..12 {
            memory.remember(axis(j, 2.0), axis(j, 2.0 * curvature(j)));
        }
        for j in 0..12 {
            let scale = if j < 2 { curvature(11) } else { curvature(j) };
            let found = memory.direction(&axis(j, 1.0), 1.0);
            for (found, expected) in found.iter().zip(axis(j, -1.0 / scale)) {
                assert!((found - expected).abs() < 1e-15, "axis {j}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn the_matrix_is_symmetric_and_positive_definite() {
        let mut memory = Lbfgs::default();
        let wave = |phase: f64| -> Vec<f64> { (0..5).map(|j| (phase + 1.3 * f64::from(j)).sin()).collect() };
        for k in 0..4 {
            let s = wave(f64::from(k));
            let y = s.iter().zip(1..).map(|(s, j)| f64::from(j) * s).collect();
            memory.remember(s, y);
        }
        for k in 5..25 {
            let (u, v) = (wave(f64::from(k)), wave(2.0 * f64::from(k) + 0.5));
            let (minus_hu, minus_hv) = (memory.direction(&u, 1.0), memory.direction(&v, 1.0));
            let (left, right) = (dot(&v, &minus_hu), dot(&u, &minus_hv));
            assert!((left - right).abs() < 1e-10, "⟨v, Hu⟩ = {left}, ⟨u, Hv⟩ = {right}");
            assert!(dot(&u, &minus_hu) < 0.0);
        }
    }

    #[test]
    fn a_pair_that_curves_downwards_is_not_kept() {
        let mut memory = Lbfgs::default();
        memory.remember(vec![1.0, 0.0], vec![-1.0, 3.0]);
        memory.remember(vec![1.0, 0.0], vec![0.0, 3.0]);
        memory.remember(vec![1.0, 0.0], vec![f64::NAN, 3.0]);
        assert!(memory.is_empty());
        assert_eq!(memory.direction(&[2.0, -4.0], 0.5), [-1.0, 2.0]);
    }
}
