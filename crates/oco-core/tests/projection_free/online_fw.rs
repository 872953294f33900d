//! Online-FW: the sure bound, at every round.

use super::quadratic::{N, dot, minus, norm, points, sets};
use oco_core::OnlineLearner;
use oco_core::projection_free::OnlineFrankWolfe;
use oco_core::regret::LinearRegret;
use projections::{AnySet, BoxSet, DecisionSet, Euclidean, L2Ball, Projection, Simplex, start_point};
use proptest::prelude::*;
use rows::numeric::scale;

fn start(set: &AnySet) -> Vec<f64> {
    let mut x = vec![0.0; N];
    start_point(set, &mut x).unwrap();
    x
}

proptest! {
    /// Σ⟨g, x − u⟩ ≤ ‖u − x_1‖²/η + (η/2)Σ‖g‖² + GDΣ√(2σ_s) ≤ 8DG T^{3/4} at every t ≤ T, on random gradients
    /// and on those of an adversary who pushes every play away from where it went.
    #[test]
    fn the_bound_holds_at_every_round(
        gradients in prop::collection::vec(prop::collection::vec(-1.0..1.0_f64, N), 1..60), adversarial: bool,
    ) {
        let (rounds, g_max) = (u32::try_from(gradients.len()).unwrap(), (N as f64).sqrt());
        for set in sets() {
            let (x_1, d) = (start(&set), set.diameter(N).unwrap());
            let mut learner = OnlineFrankWolfe::theorem(set.clone(), x_1.clone(), g_max, rounds).unwrap();
            let (eta, t_max) = (learner.eta(), f64::from(rounds));
            let (mut account, mut squares, mut roots) = (LinearRegret::new(N).unwrap(), 0.0, 0.0);
            let (mut before, mut sum) = (x_1.clone(), vec![0.0; N]);
            for (t, g) in (1_u32..).zip(&gradients) {
                let x = learner.play().to_vec();
                let away: Vec<f64> = minus(&x, &before).iter().map(|step| step.signum()).collect();
                let g = if adversarial { &away } else { g };
                prop_assert!(set.contains(&x, 1e-12));
                account.record(g, &x).unwrap();
                learner.observe(g).unwrap();
                squares += dot(g, g);
                roots += (2.0 * (2.0 / f64::from(t).sqrt()).min(1.0)).sqrt();
                sum.iter_mut().zip(g).for_each(|(sum, g)| *sum += g);
                let gap = gap_of_f(&set, learner.play(), &x_1, &sum, eta);
                let sigma = (2.0 / (f64::from(t) + 1.0).sqrt()).min(1.0);
                prop_assert!(gap <= 2.0 * d * d * sigma + 1e-9, "{set:?}, t = {t}: F is off by {gap}");
                let best = account.regret(&set).unwrap().comparator;
                for u in points(&set).into_iter().chain([best]) {
                    let regret = account.against(&u).unwrap();
                    let bound = norm(&minus(&u, &x_1)).powi(2) / eta + 0.5 * eta * squares + g_max * d * roots;
                    prop_assert!(regret <= bound + 1e-9, "{set:?}, t = {t}: {regret} > {bound}");
                    prop_assert!(bound <= 8.0 * d * g_max * t_max.powf(0.75));
                }
                before = x;
            }
        }
    }

    /// The plays in 2^e·K from gradients 2^e·g are 2^e times those in K from g.
    #[test]
    fn plays_are_homogeneous_at_the_ends_of_the_range(
        gradients in prop::collection::vec(prop::collection::vec(-2.0..2.0_f64, N), 1..20),
    ) {
        let up = |v: &[f64], e: i32| -> Vec<f64> { v.iter().map(|v| scale(*v, e)).collect() };
        for e in [460, -460] {
            let (small, large) = (Simplex::new(1.5).unwrap(), Simplex::new(scale(1.5, e)).unwrap());
            let x_1 = [0.5, 0.75, 0.25];
            let mut near = OnlineFrankWolfe::new(small, x_1.to_vec(), 0.3).unwrap();
            let mut far = OnlineFrankWolfe::new(large, up(&x_1, e), 0.3).unwrap();
            let mut steep = OnlineFrankWolfe::new(small, x_1.to_vec(), scale(0.3, -e)).unwrap();
            for g in &gradients {
                near.observe(g).unwrap();
                far.observe(&up(g, e)).unwrap();
                steep.observe(&up(g, e)).unwrap();
                prop_assert_eq!(up(near.play(), e), far.play());
                prop_assert_eq!(near.play(), steep.play());
            }
        }
    }
}

/// F(x) − min_K F for F(x) = η⟨Σg, x⟩ + ‖x − x_1‖², whose minimiser is the projection of x_1 − (η/2)Σg.
fn gap_of_f(set: &AnySet, x: &[f64], x_1: &[f64], sum: &[f64], eta: f64) -> f64 {
    let f = |x: &[f64]| eta * dot(sum, x) + norm(&minus(x, x_1)).powi(2);
    let mut least: Vec<f64> = x_1.iter().zip(sum).map(|(x, sum)| x - 0.5 * eta * sum).collect();
    Projection::<Euclidean>::project(set, &mut least).unwrap();
    f(x) - f(&least)
}

/// η = D/(2G T^{3/4}) itself, which the bounds above would let vary.
#[test]
fn the_step_of_the_theorem() {
    let interval = BoxSet::interval(-1.0, 2.0).unwrap();
    let learner = OnlineFrankWolfe::theorem(interval, vec![0.0], 2.0, 16).unwrap();
    assert!((learner.eta() - 3.0 / 32.0).abs() < 1e-15, "{}", learner.eta());
}

/// T so large that the bound is far below what a learner loses that never moves.
#[test]
fn a_long_run_keeps_to_the_bound() {
    let (rounds, g) = (200_000_u32, [-0.6, 0.0, -0.8]);
    for set in sets() {
        let (x_1, d) = (start(&set), set.diameter(N).unwrap());
        let mut learner = OnlineFrankWolfe::theorem(set.clone(), x_1, 1.0, rounds).unwrap();
        let mut account = LinearRegret::new(N).unwrap();
        for _ in 0..rounds {
            account.record(&g, learner.play()).unwrap();
            learner.observe(&g).unwrap();
        }
        let (regret, bound) = (account.regret(&set).unwrap().value, 8.0 * d * f64::from(rounds).powf(0.75));
        assert!(regret <= bound, "{set:?}: {regret} > {bound}");
        assert!(bound < 0.4 * d * f64::from(rounds));
    }
}

/// Sums and pulls at the ends of the range.
#[test]
fn directions_at_the_ends_of_the_range() {
    let side = 1e140;
    let wide = BoxSet::new(vec![-side; 2], vec![side; 2]).unwrap();
    let mut learner = OnlineFrankWolfe::new(wide, vec![side, -side], 1e-130).unwrap();
    // The sum says (−, +); where the play has gone there, the pull 2(x − x_1) = ∓4e140 outweighs it.
    for (g, play) in [(0.5e140, -side), (1e140, side), (1e140, -side)] {
        learner.observe(&[g, -g]).unwrap();
        assert_eq!(learner.play(), [play, -play]);
    }
    let mut tiny = OnlineFrankWolfe::new(L2Ball::new(1.0).unwrap(), vec![0.0, 0.0], 1e-200).unwrap();
    tiny.observe(&[3e-200, -4e-200]).unwrap();
    assert!(norm(&minus(tiny.play(), &[-0.6, 0.8])) < 1e-15, "{:?}", tiny.play());
}
