//! Online shortest paths: in every round, choose a path through a road network before the travel times are
//! known.
//!
//! Follow the perturbed leader needs one shortest path per round. Online Frank–Wolfe plays mixtures of paths,
//! also with one shortest path per round. Neither projects onto the polytope of flows.

use oco_core::learners::{Draws, FollowThePerturbedLeader, FplConstants, Perturbation};
use oco_core::projection_free::OnlineFrankWolfe;
use oco_core::regret::LinearRegret;
use oco_core::{OcoError, OnlineLearner};
use projections::{DecisionSet, FlowPolytope};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ROUNDS: u32 = 2000;

fn main() -> Result<(), OcoError> {
    // Four paths from 0 to 4: along 1 or 2, then straight on or over 3.
    let edges = vec![(0, 1), (0, 2), (1, 4), (2, 4), (1, 3), (2, 3), (3, 4)];
    let n = edges.len();
    let roads = FlowPolytope::new(5, edges, 0, 4)?;
    // Times lie in [0, 1], a path has two or three edges, two paths differ in at most six.
    let constants = FplConstants { dimension: n, diameter: 6.0, range: 3.0, size: n as f64 };
    let law = Perturbation::Exponential;
    let epsilon = law.tuned_epsilon(&constants, ROUNDS.into())?;
    let bound = law.regret_bound(&constants, ROUNDS.into(), epsilon);
    let rng = ChaCha8Rng::seed_from_u64(1);
    let mut leader =
        FollowThePerturbedLeader::new(roads.clone(), n, law, epsilon, Draws::EachRound, rng.clone())?;
    let mut start = vec![0.0; n];
    roads.interior_point(&mut start)?;
    let mut mixtures = OnlineFrankWolfe::theorem(roads.clone(), start, (n as f64).sqrt(), ROUNDS)?;
    let (mut of_leader, mut of_mixtures) = (LinearRegret::new(n)?, LinearRegret::new(n)?);
    let mut traffic = rng;
    for _ in 0..ROUNDS {
        // The path over 2 and straight on is the best on average.
        let usual = [0.6, 0.4, 0.5, 0.45, 0.3, 0.3, 0.3];
        let times = usual.map(|mean: f64| (mean + traffic.random_range(-0.3..0.3)).clamp(0.0, 1.0));
        of_leader.record(&times, leader.play())?;
        of_mixtures.record(&times, mixtures.play())?;
        leader.observe(&times)?;
        mixtures.observe(&times)?;
    }
    let (perturbed, mixed) = (of_leader.regret(&roads)?, of_mixtures.regret(&roads)?);
    println!("best path: {:?}, {:.1} in all", perturbed.comparator, perturbed.comparator_loss);
    println!("perturbed leader: {:.1} more, at most {bound:.1} in expectation", perturbed.value);
    println!("online Frank-Wolfe: {:.1} more", mixed.value);
    assert!(perturbed.value <= bound && perturbed.comparator == mixed.comparator);
    Ok(())
}
