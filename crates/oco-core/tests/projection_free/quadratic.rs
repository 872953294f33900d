//! Convex quadratics with known constants, and what to hold a run against.

use oco_core::losses::Loss;
use oco_core::projection_free::{ExactGradient, StochasticGradient};
use projections::{AnySet, BoxSet, CappedSimplex, Euclidean, L1Ball, L2Ball, Projection, Simplex};

pub(crate) const N: usize = 3;

/// ℓ(x) = ½Σ_j (⟨v_j, x⟩ − c_j)² + ⟨b, x⟩, smooth with β = Σ‖v_j‖².
#[derive(Debug, Clone)]
pub(crate) struct Quadratic {
    pub(crate) rows: Vec<([f64; N], f64)>,
    pub(crate) b: [f64; N],
}

impl Quadratic {
    pub(crate) fn beta(&self) -> f64 {
        self.rows.iter().map(|(v, _)| dot(v, v)).sum()
    }

    pub(crate) fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let mut g = vec![0.0; N];
        self.subgradient(x, &mut g);
        g
    }
}

impl Loss for Quadratic {
    fn dimension(&self) -> usize {
        N
    }

    fn value(&self, x: &[f64]) -> f64 {
        dot(&self.b, x) + self.rows.iter().map(|(v, c)| 0.5 * (dot(v, x) - c).powi(2)).sum::<f64>()
    }

    fn subgradient(&self, x: &[f64], g: &mut [f64]) {
        g.copy_from_slice(&self.b);
        for (v, c) in &self.rows {
            let residual = dot(v, x) - c;
            g.iter_mut().zip(v).for_each(|(g, v)| *g += residual * v);
        }
    }
}

/// A stream that never repeats: rank-two losses whose rows turn with t.
pub(crate) fn stream(rounds: u32) -> Vec<Quadratic> {
    let wave = |t: u32, k: u32| (f64::from(t * t + 7 * k) * 0.7).sin();
    let row = |t: u32, k: u32| [wave(t, k), wave(t, k + 1), wave(t, k + 2)];
    (1..=rounds)
        .map(|t| Quadratic { rows: vec![(row(t, 0), wave(t, 5)), (row(t, 3), 0.5)], b: row(t, 9) })
        .collect()
}

pub(crate) fn exact(loss: &Quadratic) -> impl StochasticGradient {
    ExactGradient(loss)
}

/// Every kind of set in R^3; 0 lies in two of them.
pub(crate) fn sets() -> Vec<AnySet> {
    vec![
        AnySet::Simplex(Simplex::new(1.5).unwrap()),
        AnySet::CappedSimplex(CappedSimplex::new(vec![0.5, 0.4, 0.3], 1.0).unwrap()),
        AnySet::Box(BoxSet::new(vec![-1.0, 0.0, 0.5], vec![1.0, 0.5, 2.0]).unwrap()),
        AnySet::L2Ball(L2Ball::new(0.7).unwrap()),
        AnySet::L1Ball(L1Ball::new(1.2).unwrap()),
    ]
}

/// Comparators: corners and inner points of the set.
pub(crate) fn points(set: &AnySet) -> Vec<Vec<f64>> {
    let mut points = vec![vec![0.1; N]];
    for j in 0..N {
        for size in [-3.0, -0.4, 0.4, 3.0] {
            points.push((0..N).map(|i| if i == j { size } else { 0.0 }).collect());
        }
    }
    points.iter_mut().for_each(|x| Projection::<Euclidean>::project(set, x).unwrap());
    points
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// The largest gradient over corners of the smallest box around a set within radius 3.
pub(crate) fn gradient_bound(losses: &[Quadratic], radius: f64) -> f64 {
    let on_ball = |loss: &Quadratic| norm(&loss.gradient(&[0.0; N])) + loss.beta() * radius;
    losses.iter().map(on_ball).fold(0.0, f64::max)
}
