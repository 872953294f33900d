//! The trace-norm ball, the spectrahedron and the flow polytope: the theorems at every round, and
//! certificates that include the error of an approximate lmo.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use oco_core::learners::Ogd;
use oco_core::losses::{HuberLoss, LinearLoss, Loss, LossSum, Smooth, SquaredLoss};
use oco_core::projection_free::{ExactGradient, OnlineFrankWolfe, OracleLearner, ProjectionFreeOco};
use oco_core::regret::{LinearRegret, best_in_hindsight, pairwise_frank_wolfe};
use oco_core::{OnlineLearner, StepSchedule};
use projections::{
    BoxSet, DecisionSet, Euclidean, Exact, FlowPolytope, LinearMinimisation, Projection, ProjectionError,
    Scratch, Spectrahedron, TraceNormBall, start_point,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn ball() -> TraceNormBall {
    TraceNormBall::new(2, 3, 1.2).unwrap()
}

fn spectrahedron() -> Spectrahedron {
    Spectrahedron::new(3, 1.5).unwrap()
}

/// From 0 to 3 by 1, by 2, by both, or straight.
fn flows() -> FlowPolytope {
    FlowPolytope::new(4, vec![(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 3)], 0, 3).unwrap()
}

/// Nine numbers a round, of which a set of n coordinates sees the first n.
fn vectors() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(-2.0..2.0_f64, 9), 1..25)
}

fn cut(vectors: &[Vec<f64>], n: usize) -> Vec<&[f64]> {
    vectors.iter().map(|v| &v[..n]).collect()
}

fn squares(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum()
}

fn distance_squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn start<K: Projection<Euclidean>>(set: &K, n: usize) -> Vec<f64> {
    let mut x = vec![0.0; n];
    start_point(set, &mut x).unwrap();
    x
}

/// Vertices in the directions of the first vectors and away from them, and an inner point.
fn comparators<K: LinearMinimisation>(set: &K, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
    let mut inner = vec![0.0; vectors[0].len()];
    set.interior_point(&mut inner).unwrap();
    let away = |v: &[f64]| v.iter().map(|v| -v).collect::<Vec<_>>();
    let vertices = vectors.iter().take(8).flat_map(|v| [set.lmo(v).unwrap(), set.lmo(&away(v)).unwrap()]);
    vertices.chain([inner]).collect()
}

/// [Z03]: Σ⟨g, x − u⟩ ≤ ‖x_1 − u‖²/2η + (η/2)Σ‖g‖².
fn check_ogd<K: Exact<Euclidean> + LinearMinimisation + Clone>(set: &K, gradients: &[&[f64]], eta: f64) {
    let n = gradients[0].len();
    let mut learner = Ogd::new(set.clone(), n, StepSchedule::constant(eta).unwrap()).unwrap();
    let (x_1, others) = (learner.play().to_vec(), comparators(set, gradients));
    let (mut account, mut sum) = (LinearRegret::new(n).unwrap(), 0.0);
    for g in gradients {
        account.record(g, learner.play()).unwrap();
        learner.observe(g).unwrap();
        assert!(set.contains(learner.play(), 1e-12));
        sum += squares(g);
        let best = account.regret(set).unwrap().comparator;
        for u in others.iter().chain([&best]) {
            let bound = distance_squared(&x_1, u) / (2.0 * eta) + 0.5 * eta * sum;
            let regret = account.against(u).unwrap();
            assert!(regret <= bound + 1e-10, "{regret} > {bound}");
        }
    }
}

/// Online-FW: Σ⟨g, x − u⟩ ≤ ‖u − x_1‖²/η + (η/2)Σ‖g‖² + GDΣ√(2σ_s).
fn check_online_frank_wolfe<K: Projection<Euclidean> + LinearMinimisation + Clone>(
    set: &K,
    gradients: &[&[f64]],
) {
    let n = gradients[0].len();
    let (x_1, diameter) = (start(set, n), set.diameter(n).unwrap());
    let lipschitz = gradients.iter().map(|g| squares(g).sqrt()).fold(1e-9, f64::max);
    let rounds = u32::try_from(gradients.len()).unwrap();
    let mut learner = OnlineFrankWolfe::theorem(set.clone(), x_1.clone(), lipschitz, rounds).unwrap();
    let (eta, others) = (learner.eta(), comparators(set, gradients));
    let (mut account, mut sum, mut roots) = (LinearRegret::new(n).unwrap(), 0.0, 0.0);
    for (t, g) in (1_u32..).zip(gradients) {
        account.record(g, learner.play()).unwrap();
        learner.observe(g).unwrap();
        assert!(set.contains(learner.play(), 1e-12));
        sum += squares(g);
        roots += (2.0 * (2.0 / f64::from(t).sqrt()).min(1.0)).sqrt();
        let best = account.regret(set).unwrap().comparator;
        for u in others.iter().chain([&best]) {
            let bound = distance_squared(u, &x_1) / eta + 0.5 * eta * sum + lipschitz * diameter * roots;
            let regret = account.against(u).unwrap();
            assert!(regret <= bound + 1e-10, "t = {t}: {regret} > {bound}");
        }
    }
}

/// [BH20, Algorithm 1] over OGD: Σ ℓ_t(x_t) − ℓ_t(u) ≤ 2βD²T/(N + 1) + max_i R_i(u), on losses of smoothness
/// β.
fn check_algorithm_1<K, L>(set: &K, losses: &[L], beta: f64, directions: &[&[f64]], copies: u32, eta: f64)
where
    K: Exact<Euclidean> + LinearMinimisation + Clone,
    L: Loss,
{
    let n = directions[0].len();
    let (many, diameter) = (usize::try_from(copies).unwrap(), set.diameter(n).unwrap());
    let optimiser = Ogd::new(set.clone(), n, StepSchedule::constant(eta).unwrap()).unwrap();
    let mut learner = ProjectionFreeOco::new(vec![optimiser; many], set.clone()).unwrap();
    let mut accounts = vec![LinearRegret::new(n).unwrap(); many];
    let others = comparators(set, directions);
    let mut played = 0.0;
    for (t, loss) in (1_u32..).zip(losses) {
        assert!(set.contains(learner.play(), 1e-12));
        played += loss.value(learner.play());
        let plays: Vec<_> = learner.learners().iter().map(|a| a.play().to_vec()).collect();
        learner.observe(&mut ExactGradient(loss)).unwrap();
        for ((account, g), play) in accounts.iter_mut().zip(learner.gradients()).zip(&plays) {
            account.record(g, play).unwrap();
        }
        let so_far = LossSum::new(&losses[..usize::try_from(t).unwrap()]).unwrap();
        let best = best_in_hindsight(&so_far, set, 1e-6, 50).unwrap().point;
        for u in others.iter().chain([&best]) {
            let regrets = accounts.iter().map(|account| account.against(u).unwrap());
            let measured = regrets.fold(f64::NEG_INFINITY, f64::max);
            let bound = 2.0 * beta * diameter.powi(2) * f64::from(t) / (f64::from(copies) + 1.0) + measured;
            let excess = played - so_far.value(u);
            assert!(excess <= bound + 1e-10, "t = {t}: {excess} > {bound}");
        }
    }
}

fn check_both_losses<K: Exact<Euclidean> + LinearMinimisation + Clone>(
    set: &K,
    vectors: &[&[f64]],
    copies: u32,
    eta: f64,
) {
    let squared: Vec<_> = vectors.iter().map(|v| SquaredLoss::new(v).unwrap()).collect();
    check_algorithm_1(set, &squared, 2.0, vectors, copies, eta);
    let huber: Vec<_> = vectors.iter().map(|v| HuberLoss::new(v, v[0], 0.5).unwrap()).collect();
    let beta = huber.iter().map(Smooth::smoothness).fold(0.0, f64::max);
    check_algorithm_1(set, &huber, beta, vectors, copies, eta);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn ogd_keeps_its_bound(gradients in vectors(), eta in 0.01..2.0_f64) {
        check_ogd(&ball(), &cut(&gradients, 6), eta);
        check_ogd(&spectrahedron(), &cut(&gradients, 9), eta);
        check_ogd(&flows(), &cut(&gradients, 6), eta);
    }

    #[test]
    fn online_frank_wolfe_keeps_its_bound(gradients in vectors()) {
        check_online_frank_wolfe(&ball(), &cut(&gradients, 6));
        check_online_frank_wolfe(&spectrahedron(), &cut(&gradients, 9));
        check_online_frank_wolfe(&flows(), &cut(&gradients, 6));
    }

    #[test]
    fn algorithm_1_keeps_its_bound(targets in vectors(), copies in 1..7_u32, eta in 0.01..1.0_f64) {
        check_both_losses(&ball(), &cut(&targets, 6), copies, eta);
        check_both_losses(&spectrahedron(), &cut(&targets, 9), copies, eta);
        check_both_losses(&flows(), &cut(&targets, 6), copies, eta);
    }
}

/// `rounds` times the direction, with noise.
fn steady(direction: &[f64], rounds: usize) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut around = || direction.iter().map(|v| v + rng.random_range(-0.05..0.05)).collect();
    (0..rounds).map(|_| around()).collect()
}

/// Gradients along a diameter of the set in every round: a learner that goes the wrong way, or not far
/// enough, has linear regret and exceeds the bounds long before the end.
fn check_steady<K: Exact<Euclidean> + LinearMinimisation + Clone>(set: &K, direction: &[f64]) {
    let (n, rounds) = (direction.len(), 1500);
    let gradients = steady(direction, rounds);
    let eta = set.diameter(n).unwrap() / (squares(direction) * rounds as f64).sqrt();
    check_ogd(set, &cut(&gradients, n), eta);
    check_online_frank_wolfe(set, &cut(&gradients, n));
    let far: Vec<f64> = direction.iter().map(|v| 20.0 * v).collect();
    let targets = steady(&far, 60);
    check_both_losses(set, &cut(&targets, n), 20, 0.1);
}

#[test]
fn steady_gradients_keep_the_bounds() {
    check_steady(&ball(), &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    check_steady(&spectrahedron(), &[1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    check_steady(&flows(), &[1.0, 0.0, 1.0, 0.0, 1.0, -1.0]);
}

/// A box whose lmo goes only nine tenths of the way from 0, with that accuracy stated.
#[derive(Debug, Clone)]
struct ShortOfTheVertex(BoxSet);

impl DecisionSet for ShortOfTheVertex {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        self.0.check_dimension(n)
    }
    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        self.0.contains(x, tolerance)
    }
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.0.diameter(n)
    }
    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.0.interior_point(x)
    }
}

impl Projection<Euclidean> for ShortOfTheVertex {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.0.project_with(y, scratch)
    }
}

impl LinearMinimisation for ShortOfTheVertex {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.0.lmo_with(g, x, scratch)?;
        x.iter_mut().for_each(|x| *x *= 0.9);
        Ok(())
    }
    fn lmo_accuracy(&self, g: &[f64]) -> f64 {
        0.1 * g.iter().map(|g| g.abs()).sum::<f64>()
    }
}

/// Over [−1, 1]² the least of ⟨g, x⟩ is −‖g‖₁ = −3. Each certificate stays true, and the first two are
/// attained.
#[test]
fn certificates_count_what_the_lmo_may_miss() {
    let set = ShortOfTheVertex(BoxSet::new(vec![-1.0; 2], vec![1.0; 2]).unwrap());
    let g = [1.0, -2.0];
    let mut account = LinearRegret::new(2).unwrap();
    account.record(&g, &[0.0, 0.0]).unwrap();
    let regret = account.regret(&set).unwrap();
    assert!((regret.comparator_loss + 2.7).abs() < 1e-14 && (regret.gap - 0.3).abs() < 1e-14, "{regret:?}");
    let loss = LinearLoss::new(&g).unwrap();
    let by_vertices = pairwise_frank_wolfe(&loss, &set, 1e-6, 20).unwrap();
    assert!((by_vertices.loss - by_vertices.gap + 3.0).abs() < 1e-12, "{by_vertices:?}");
    let by_projection = best_in_hindsight(&loss, &set, 1e-6, 20).unwrap();
    assert!((by_projection.loss - by_projection.gap + 3.0).abs() < 1e-12, "{by_projection:?}");
}

/// Diagonal slopes with close leading values: the minimum is −r, and the stated gap covers what the lmo
/// missed. The gap of large sums is that of small ones, in their unit.
#[test]
fn the_regret_over_matrices_has_the_gap_of_their_lmo() {
    let (n, far) = (40, 2_f64.powi(460));
    let ball = TraceNormBall::new(n, n, 1.0).unwrap();
    let set = Spectrahedron::new(n, 1.0).unwrap();
    let mut g = vec![0.0; n * n];
    for (i, g) in (0_u32..).zip(g.iter_mut().step_by(n + 1)) {
        *g = -1.0 + 1e-9 * f64::from(i);
    }
    let mut account = LinearRegret::new(n * n).unwrap();
    account.record(&g, &vec![0.0; n * n]).unwrap();
    for (regret, stated) in [
        (account.regret(&ball).unwrap(), ball.lmo_accuracy(&g)),
        (account.regret(&set).unwrap(), set.lmo_accuracy(&g)),
    ] {
        assert!(regret.value <= 1.0 + 1e-14 && 1.0 <= regret.value + regret.gap);
        assert!(regret.gap > 0.0 && (regret.gap / stated - 1.0).abs() < 1e-14);
    }
    let mut large = LinearRegret::new(n * n).unwrap();
    let up: Vec<f64> = g.iter().map(|g| g * far).collect();
    for _ in 0..2 {
        large.record(&up, &vec![0.0; n * n]).unwrap();
    }
    let (small, large) = (account.regret(&ball).unwrap().gap, large.regret(&ball).unwrap().gap);
    assert!((large / far / small / 2.0 - 1.0).abs() < 1e-14, "{large:e}");
}
