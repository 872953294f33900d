//! Sets, adversaries, and the loop that holds a learner to a bound at every prefix.

use oco_core::OnlineLearner;
use oco_core::regret::LinearRegret;
use projections::{AnySet, BoxSet, CappedSimplex, L1Ball, L2Ball, LinearMinimisation, Simplex, UnitBox};
use proptest::prelude::*;

/// The dimension of everything here.
pub(crate) const N: usize = 4;

/// A set and the largest (1/β)‖g‖*² of the geometry on it, from a gradient g.
pub(crate) type Sized = (AnySet, fn(&[f64]) -> f64);

pub(crate) fn euclidean_sets() -> Vec<Sized> {
    [
        AnySet::Simplex(Simplex::new(1.5).unwrap()),
        AnySet::CappedSimplex(CappedSimplex::new(vec![0.5, 0.4, 0.3, 0.2], 1.0).unwrap()),
        AnySet::Box(BoxSet::new(vec![-1.0, 0.0, 0.5, -2.0], vec![1.0, 0.5, 2.0, -1.0]).unwrap()),
        AnySet::UnitBox(UnitBox),
        AnySet::L2Ball(L2Ball::new(0.7).unwrap()),
        AnySet::L1Ball(L1Ball::new(1.2).unwrap()),
    ]
    .map(|set| (set, squares as fn(&[f64]) -> f64))
    .to_vec()
}

/// The entropy is 1/s-strongly convex in ‖·‖₁ where Σx = s, and 1-strongly convex in ‖·‖₂ on the unit box.
pub(crate) fn entropic_sets() -> Vec<Sized> {
    vec![
        (AnySet::Simplex(Simplex::new(1.5).unwrap()), |g| 1.5 * largest(g).powi(2)),
        (AnySet::CappedSimplex(CappedSimplex::new(vec![0.5, 0.4, 0.3, 0.2], 1.0).unwrap()), |g| {
            largest(g).powi(2)
        }),
        (AnySet::UnitBox(UnitBox), squares),
    ]
}

/// ‖g‖₂².
pub(crate) fn squares(g: &[f64]) -> f64 {
    g.iter().map(|g| g * g).sum()
}

/// ‖g‖∞.
pub(crate) fn largest(g: &[f64]) -> f64 {
    g.iter().fold(0.0, |m: f64, g| m.max(g.abs()))
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Who chooses the gradients.
#[derive(Debug, Clone)]
pub(crate) struct Adversary {
    sizes: Vec<Vec<f64>>,
    manner: Manner,
}

#[derive(Debug, Clone, Copy)]
enum Manner {
    Oblivious,
    Alternating,
    /// Pushes each coordinate back from where it has gone since x_1.
    Contrary,
}

impl Adversary {
    /// g_t, which may depend on x_1 and x_t.
    pub(crate) fn gradient(&self, t: usize, start: &[f64], x: &[f64]) -> Vec<f64> {
        match self.manner {
            Manner::Oblivious => self.sizes[t].clone(),
            Manner::Alternating if t.is_multiple_of(2) => self.sizes[0].clone(),
            Manner::Alternating => self.sizes[0].iter().map(|g| -g).collect(),
            Manner::Contrary => {
                let away = x.iter().zip(start).map(|(x, x1)| if x < x1 { -1.0 } else { 1.0 });
                away.zip(&self.sizes[t]).map(|(sign, g)| sign * g.abs()).collect()
            }
        }
    }

    pub(crate) fn rounds(&self) -> usize {
        self.sizes.len()
    }
}

pub(crate) fn adversary() -> impl Strategy<Value = Adversary> {
    let manner = prop_oneof![Just(Manner::Oblivious), Just(Manner::Alternating), Just(Manner::Contrary)];
    let size = prop_oneof![4 => -2.0..2.0_f64, 1 => Just(0.0), 1 => Just(-1.0)];
    (prop::collection::vec(prop::collection::vec(size, N), 1..30), manner)
        .prop_map(|(sizes, manner)| Adversary { sizes, manner })
}

/// Gradients that do not depend on the plays.
pub(crate) fn gradients() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(-2.0..2.0_f64, N), 1..25)
}

/// A point of either sign: an origin, or a comparator in the whole space.
pub(crate) fn point(size: f64) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-size..size, N)
}

/// Curvatures and centres of quadratics.
pub(crate) fn quadratics() -> impl Strategy<Value = Vec<(f64, Vec<f64>)>> {
    prop::collection::vec((0.05..3.0_f64, point(3.0)), 1..20)
}

/// Weights for the start or the origin in the entropic geometry.
pub(crate) fn weights() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.01..2.0_f64, N)
}

/// Plays against the adversary and holds the regret to the best point u in hindsight, at every prefix,
/// against `bound(u, Σ size(g_s))`.
pub(crate) fn held<L: OnlineLearner>(
    learner: &mut L,
    set: &(impl LinearMinimisation + std::fmt::Debug),
    adversary: &Adversary,
    size: impl Fn(&[f64]) -> f64,
    bound: impl Fn(&[f64], f64) -> f64,
) -> Result<(), TestCaseError> {
    let start = learner.play().to_vec();
    let (mut account, mut sizes) = (LinearRegret::new(N).unwrap(), 0.0);
    for t in 0..adversary.rounds() {
        let g = adversary.gradient(t, &start, learner.play());
        account.record(&g, learner.play()).unwrap();
        learner.observe(&g).unwrap();
        prop_assert!(set.contains(learner.play(), 1e-9));
        sizes += size(&g);
        let regret = account.regret(set).unwrap();
        let bound = bound(&regret.comparator, sizes);
        prop_assert!(regret.value <= bound + 1e-9, "round {t}, {set:?}: {} > {bound}", regret.value);
    }
    Ok(())
}

/// As [`held`], against a comparator of the caller's: for sets without a best point.
pub(crate) fn held_against<L: OnlineLearner>(
    learner: &mut L,
    u: &[f64],
    adversary: &Adversary,
    size: impl Fn(&[f64]) -> f64,
    bound: impl Fn(f64) -> f64,
) -> Result<(), TestCaseError> {
    let start = learner.play().to_vec();
    let (mut account, mut sizes) = (LinearRegret::new(N).unwrap(), 0.0);
    for t in 0..adversary.rounds() {
        let g = adversary.gradient(t, &start, learner.play());
        account.record(&g, learner.play()).unwrap();
        learner.observe(&g).unwrap();
        sizes += size(&g);
        let (regret, bound) = (account.against(u).unwrap(), bound(sizes));
        prop_assert!(regret <= bound + 1e-9, "round {t}: {regret} > {bound}");
    }
    Ok(())
}

/// x_1 to x_{T+1}.
pub(crate) fn plays(learner: &mut impl OnlineLearner, gradients: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut plays = vec![learner.play().to_vec()];
    for g in gradients {
        learner.observe(g).unwrap();
        plays.push(learner.play().to_vec());
    }
    plays
}

/// (1/β)‖g‖*² of ½‖·‖_p²: β = p − 1, and the dual of ‖·‖_p is ‖·‖_q.
pub(crate) fn dual_p_size(p: f64) -> impl Fn(&[f64]) -> f64 {
    let q = p / (p - 1.0);
    move |g| g.iter().map(|g| g.abs().powf(q)).sum::<f64>().powf(2.0 / q) / (p - 1.0)
}

pub(crate) fn close(a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.len(), b.len());
    for (a, b) in a.concat().iter().zip(b.concat()) {
        prop_assert!((a - b).abs() <= tolerance, "{a} for {b}");
    }
    Ok(())
}
