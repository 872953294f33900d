//! After the first projection or linear minimisation of a length, no further one allocates, for any first
//! point.

#[path = "../../rows/tests/counting/mod.rs"]
mod counting;

use counting::allocations;
use projections::{
    CappedSimplex, Euclidean, FlowPolytope, L1Ball, LinearMinimisation, NegativeEntropy, Projection,
    ProjectionError, Scratch, Simplex, Spectrahedron, TraceNormBall,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// First an easy point, inside, with a single positive coordinate; then increasingly hard ones.
fn points(n: usize) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut easy = vec![0.0; n];
    easy[0] = 0.5;
    let mut points = vec![easy];
    points.extend([1e-3, 1.0, 1e3].map(|size| (0..n).map(|_| rng.random_range(0.0..size)).collect()));
    points.push((0..n).map(|i| 2_f64.powf(i as f64 * 200.0 / n as f64)).collect());
    points.push((0..n).map(|i| (1 + i % 3) as f64).collect());
    points
}

fn assert_only_the_first_allocates(
    what: &str,
    n: usize,
    mut map: impl FnMut(&mut [f64], &mut Scratch) -> Result<(), ProjectionError>,
) {
    let mut scratch = Scratch::default();
    for (round, mut y) in points(n).into_iter().enumerate() {
        let before = allocations();
        let outcome = map(&mut y, &mut scratch);
        let allocated = allocations() - before;
        assert!(outcome.is_ok(), "{what}: {outcome:?}");
        assert!(round == 0 || allocated == 0, "{what}, n = {n}: {allocated} allocations in round {round}");
    }
}

#[test]
fn projections_take_their_memory_once() -> Result<(), ProjectionError> {
    for n in [40, 10_000] {
        let simplex = Simplex::new(1.0)?;
        assert_only_the_first_allocates("simplex", n, |y, scratch| {
            Projection::<Euclidean>::project_with(&simplex, y, scratch)
        });
        let ball = L1Ball::new(1.0)?;
        assert_only_the_first_allocates("l1 ball", n, |y, scratch| ball.project_with(y, scratch));
        let mut caps: Vec<f64> = (0..n).map(|i| (2 + i % 5) as f64 / n as f64).collect();
        caps[0] = 1.0;
        let capped = CappedSimplex::new(caps, 1.0)?;
        assert_only_the_first_allocates("capped simplex", n, |y, scratch| {
            Projection::<Euclidean>::project_with(&capped, y, scratch)
        });
        assert_only_the_first_allocates("capped simplex, far", n, |y, scratch| {
            Projection::<Euclidean>::project_scaled_with(&capped, y, 30, scratch)
        });
        assert_only_the_first_allocates("capped simplex, entropic", n, |y, scratch| {
            Projection::<NegativeEntropy>::project_with(&capped, y, scratch)
        });
    }
    let edges = (0..10).flat_map(|v| [(v, v + 1); 4]).collect();
    let flows = FlowPolytope::new(11, edges, 0, 10)?;
    assert_only_the_first_allocates("flows", 40, |y, scratch| flows.project_with(y, scratch));
    Ok(())
}

#[test]
fn linear_minimisations_take_their_memory_once() -> Result<(), ProjectionError> {
    fn check<K: LinearMinimisation>(what: &str, set: &K, n: usize) {
        let mut x = vec![0.0; n];
        assert_only_the_first_allocates(what, n, |g, scratch| set.lmo_with(g, &mut x, scratch));
    }
    check("capped simplex", &CappedSimplex::new(vec![0.1; 40], 1.0)?, 40);
    check("trace norm", &TraceNormBall::new(20, 30, 1.0)?, 600);
    check("trace norm", &TraceNormBall::new(30, 20, 1.0)?, 600);
    check("spectrahedron", &Spectrahedron::new(20, 1.0)?, 400);
    check("flows", &FlowPolytope::new(2, vec![(0, 1); 40], 0, 1)?, 40);
    Ok(())
}
