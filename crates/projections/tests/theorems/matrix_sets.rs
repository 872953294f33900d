//! The trace-norm ball and the spectrahedron: the lmo against the full decomposition, the projection against
//! KKT.

use crate::sample::{difference, dot, size};
use nalgebra::DMatrix;
use projections::{
    AnySet, DecisionSet, Euclidean, LinearMinimisation, Projection, ProjectionError, Scratch, Shrunk,
    Simplex, Spectrahedron, Then, TraceNormBall,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random(m: usize, n: usize, rng: &mut ChaCha8Rng) -> DMatrix<f64> {
    DMatrix::from_fn(m, n, |_, _| rng.random_range(-1.0..1.0))
}

fn row_major(a: &DMatrix<f64>) -> Vec<f64> {
    a.transpose().as_slice().to_vec()
}

/// UΣVᵀ with random U, V and the given σ.
fn with_singular_values(m: usize, n: usize, sigma: &[f64], rng: &mut ChaCha8Rng) -> DMatrix<f64> {
    let (u, v) = (random(m, m, rng).qr().q(), random(n, n, rng).qr().q());
    let mut a = DMatrix::zeros(m, n);
    for (k, s) in sigma.iter().enumerate().take(m.min(n)) {
        a += u.column(k) * v.column(k).transpose() * *s;
    }
    a
}

/// Leading values that are separate, tied, or clustered at every distance down to rounding; rank one; random.
fn spectra() -> Vec<Vec<f64>> {
    let cluster = |gap: f64| (0..30).map(|k| 1.0 - gap * f64::from(k)).collect::<Vec<_>>();
    let mut spectra = vec![vec![1.0], vec![2.0, 1.0, 0.5], vec![1.0; 30], vec![1.0, 1.0, 1.0, 0.1]];
    spectra.extend((1..16).map(|e| cluster(0.1_f64.powi(e))));
    spectra.push((0..30).map(|k| 0.5_f64.powi(k)).collect());
    spectra
}

/// Value of the vertex x for the slope g, in units of size·mass.
fn assert_leading(ball: &TraceNormBall, g: &DMatrix<f64>, what: &str) {
    let x = ball.lmo(&row_major(g)).unwrap();
    let sigma = g.singular_values().max();
    let value = -dot(&row_major(g), &x) / ball.radius();
    assert!(value <= sigma * (1.0 + 1e-12), "{what}: {value:e} above the largest value {sigma:e}");
    assert!(value >= sigma * (1.0 - TraceNormBall::LMO_ACCURACY), "{what}: {value:e} for {sigma:e}");
    assert!(ball.radius() * (sigma - value) <= ball.lmo_accuracy(&row_major(g)), "{what}");
    let of_x = DMatrix::from_row_slice(ball.rows(), ball.columns(), &x).singular_values();
    let off = (of_x.max() - ball.radius()).abs() + of_x.sum() - of_x.max();
    assert!(off <= 1e-13 * ball.radius(), "{what}: no vertex, off by {off:e}");
}

#[test]
fn the_trace_norm_lmo_finds_the_leading_pair() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (m, n) in [(1, 1), (1, 40), (40, 1), (2, 3), (30, 30), (50, 31), (31, 50)] {
        let ball = TraceNormBall::new(m, n, 2.5).unwrap();
        for _ in 0..10 {
            assert_leading(&ball, &random(m, n, &mut rng), "random");
        }
        for (k, sigma) in spectra().iter().enumerate() {
            for _ in 0..3 {
                assert_leading(&ball, &with_singular_values(m, n, sigma, &mut rng), &format!("spectrum {k}"));
            }
        }
        let mut units = DMatrix::zeros(m, n);
        units[(m - 1, n - 1)] = 3.0;
        assert_leading(&ball, &units, "one entry");
        units.fill(1.0);
        assert_leading(&ball, &units, "all ones");
        assert_leading(&ball, &DMatrix::identity(m, n), "identity");
    }
}

#[test]
fn the_spectrahedron_lmo_finds_the_lowest_vector() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for n in [1, 2, 3, 30, 45] {
        let set = Spectrahedron::new(n, 2.5).unwrap();
        let check = |g: &DMatrix<f64>, what: &str| {
            let x = set.lmo(&row_major(g)).unwrap();
            let values = (0.5 * (g + g.transpose())).symmetric_eigenvalues();
            let (value, spread) = (dot(&row_major(g), &x) / 2.5, values.amax());
            assert!(value >= values.min() - 1e-12 * spread, "{what}");
            assert!(
                value <= values.min() + Spectrahedron::LMO_ACCURACY * spread,
                "{what}: {value:e}, {:e}",
                values.min()
            );
            let excess = 2.5 * (value - values.min());
            assert!(excess <= set.lmo_accuracy(&row_major(g)), "{what}");
            assert!(set.contains(&x, 1e-13), "{what}");
        };
        for _ in 0..10 {
            check(&random(n, n, &mut rng), "not symmetric");
        }
        for (k, spectrum) in spectra().iter().enumerate() {
            let q = random(n, n, &mut rng).qr().q();
            let at = |i: usize| spectrum.get(i).copied().unwrap_or(0.0);
            for sign in [1.0, -1.0] {
                let middle = DMatrix::from_fn(n, n, |i, j| if i == j { sign * at(i) } else { 0.0 });
                check(&(&q * middle * q.transpose()), &format!("spectrum {k}"));
            }
        }
        let antisymmetric = DMatrix::from_fn(n, n, |i, j| i as f64 - j as f64);
        check(&antisymmetric, "antisymmetric: every vertex is a minimum");
        check(&DMatrix::identity(n, n), "identity");
    }
}

#[test]
fn slopes_of_any_size_have_the_same_vertex() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (ball, set) = (TraceNormBall::new(6, 6, 1e300).unwrap(), Spectrahedron::new(6, 1e-300).unwrap());
    let g = row_major(&random(6, 6, &mut rng));
    let (of_ball, of_set) = (ball.lmo(&g).unwrap(), set.lmo(&g).unwrap());
    for e in [-1000, -40, 40, 1000] {
        let scaled: Vec<f64> = g.iter().map(|v| v * 2_f64.powi(e)).collect();
        assert_eq!(ball.lmo(&scaled).unwrap(), of_ball);
        assert_eq!(set.lmo(&scaled).unwrap(), of_set);
    }
    assert_eq!(ball.lmo(&[0.0; 36]).unwrap()[0], -1e300);
    assert_eq!(set.lmo(&[0.0; 36]).unwrap()[0], 1e-300);
    assert!(ball.lmo(&[5e-324; 36]).unwrap().iter().all(|x| (x / 1e300 + 1.0 / 6.0).abs() < 1e-14));
}

#[test]
fn the_accuracy_of_the_lmo_is_stated_by_every_wrapper() {
    fn of<K: LinearMinimisation>(set: K) -> f64 {
        set.lmo_accuracy(&[3.0, 0.0, 0.0, 4.0])
    }
    let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-14, "{got:e} for {want:e}");
    let (ball, set) = (TraceNormBall::new(2, 2, 2.0).unwrap(), Spectrahedron::new(2, 3.0).unwrap());
    let plain: &dyn LinearMinimisation = &set;
    near(of(ball), 2.0 * 5.0 * TraceNormBall::LMO_ACCURACY);
    near(of(plain), 3.0 * 5.0 * Spectrahedron::LMO_ACCURACY);
    near(of(Box::new(set)), of(set));
    near(of(Then::new(ball, set)), of(set));
    near(of(Shrunk::new(ball, vec![0.0; 4], 0.25).unwrap()), 0.75 * of(ball));
    assert!(of(AnySet::Simplex(Simplex::new(1.0).unwrap())).abs() == 0.0);
}

/// By KKT: Π(y) ∈ K, and no vertex, hence no point, lies further than Π(y) in the direction y − Π(y).
fn assert_projects<K: Projection<Euclidean> + LinearMinimisation>(set: &K, y: &[f64], radius: f64) {
    let mut x = y.to_vec();
    set.project(&mut x).unwrap();
    let scale = size(&[y]) * y.len() as f64;
    assert!(set.contains(&x, 1e-13 * scale), "not in the set");
    let residual = difference(y, &x);
    let worst = set.lmo(&difference(&x, y)).unwrap();
    let violation = dot(&residual, &difference(&worst, &x));
    assert!(violation <= 1e-13 * scale * scale * radius.max(1.0), "KKT violated by {violation:e}");
    let mut again = x.clone();
    set.project(&mut again).unwrap();
    assert!(size(&[&difference(&again, &x)]) - 1.0 <= 1e-13 * scale, "not idempotent");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn matrix_projections_satisfy_kkt(
        m in 1..7_usize, n in 1..7_usize, seed in any::<u64>(), radius in 0.05..8.0_f64, rank_one in any::<bool>(),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let sigma = if rank_one { vec![3.0] } else { vec![2.0, 2.0, 1.0, 1.0, 0.5, 0.1] };
        for y in [random(m, n, &mut rng), with_singular_values(m, n, &sigma, &mut rng)] {
            assert_projects(&TraceNormBall::new(m, n, radius).unwrap(), &row_major(&y), radius);
        }
        for y in [random(n, n, &mut rng), with_singular_values(n, n, &sigma, &mut rng)] {
            assert_projects(&Spectrahedron::new(n, radius).unwrap(), &row_major(&y), radius);
        }
    }
}

#[test]
fn diagonal_matrices_project_like_vectors_at_any_size() {
    for e in [-1000, -300, 0, 300, 1000] {
        let up = |v: f64| v * 2_f64.powi(e);
        let close = |x: &[f64], want: [f64; 4]| {
            assert!(
                x.iter().zip(want).all(|(x, want)| (x - up(want)).abs() <= up(1e-14)),
                "{x:?} for {want:?}"
            );
        };
        let ball = TraceNormBall::new(2, 2, up(1.0)).unwrap();
        let mut y = [3.0, 0.0, 0.0, -2.5].map(up);
        ball.project(&mut y).unwrap();
        close(&y, [0.75, 0.0, 0.0, -0.25]);
        let inside = [0.25, 0.125, 0.0, 0.25].map(up);
        y = inside;
        ball.project(&mut y).unwrap();
        assert_eq!(y, inside, "a point inside stays as it is");
        let set = Spectrahedron::new(2, up(1.0)).unwrap();
        let mut y = [2.0, 1.0, -1.0, 1.5].map(up);
        set.project(&mut y).unwrap();
        close(&y, [0.75, 0.0, 0.0, 0.25]);
    }
    let mut far = [1.0, 0.0, 0.0, -1.0];
    let ball = TraceNormBall::new(2, 2, 1e-300).unwrap();
    ball.project_scaled_with(&mut far, 2000, &mut Scratch::default()).unwrap();
    assert!((far[0] - 0.5e-300).abs() < 1e-314 && (far[3] + 0.5e-300).abs() < 1e-314, "{far:?}");
    let mut far = [f64::MAX, f64::MAX, f64::MAX, f64::MAX];
    Spectrahedron::new(2, 1.0).unwrap().project(&mut far).unwrap();
    assert!(far.iter().all(|x| (x - 0.5).abs() < 1e-14), "{far:?}");
}

#[test]
fn matrix_sets_refuse_bad_shapes_and_points() {
    use ProjectionError as E;
    assert_eq!(TraceNormBall::new(0, 2, 1.0), Err(E::Empty { argument: "rows" }));
    assert_eq!(TraceNormBall::new(2, 0, 1.0), Err(E::Empty { argument: "columns" }));
    assert_eq!(TraceNormBall::new(2, 2, -1.0), Err(E::BadRadius { name: "r", value: -1.0 }));
    assert!(matches!(Spectrahedron::new(usize::MAX, 1.0), Err(E::BadParameter { .. })));
    assert!(matches!(Spectrahedron::new(2, f64::NAN), Err(E::NotFinite { .. })));
    assert!(serde_json::from_str::<TraceNormBall>(r#"{"rows": 0, "columns": 1, "r": 1.0}"#).is_err());
    let (ball, set) = (TraceNormBall::new(2, 3, 1.0).unwrap(), Spectrahedron::new(2, 1.0).unwrap());
    let mut y = [1.0, 2.0, 3.0, f64::NAN, 0.0, 0.0];
    assert!(matches!(ball.project(&mut y), Err(E::NotFinite { index: 3, .. })) && y[2] == 3.0);
    assert_eq!(set.project(&mut y[..3]), Err(E::LengthMismatch { argument: "point", expected: 4, got: 3 }));
    assert!(ball.lmo(&y).is_err() && set.lmo(&[0.0; 3]).is_err());
    assert!(!ball.contains(&[0.0; 5], 1.0) && !set.contains(&[f64::NAN; 4], 1.0));
    for n in [1, 4] {
        let set = Spectrahedron::new(n, 2.0).unwrap();
        let mut inside = vec![0.0; n * n];
        set.interior_point(&mut inside).unwrap();
        assert!(set.contains(&inside, 0.0));
        let farthest = if n == 1 { 0.0 } else { 8_f64.sqrt() };
        assert!((set.diameter(n * n).unwrap() - farthest).abs() < 1e-15);
    }
}

/// Tied singular values for which a plain QR iteration stopped 7 % short of the matrix.
#[test]
fn tied_singular_values_project_exactly() {
    for seed in [3_191_645_252_367_776_259, 1, 2, 3, 4, 5] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        random(6, 3, &mut rng);
        let y = with_singular_values(6, 3, &[2.0, 2.0, 1.0], &mut rng);
        for radius in [0.05, 2.0, 4.9] {
            assert_projects(&TraceNormBall::new(6, 3, radius).unwrap(), &row_major(&y), radius);
            assert_projects(&TraceNormBall::new(3, 6, radius).unwrap(), y.as_slice(), radius);
        }
    }
}

#[test]
fn tied_eigenvalues_project_exactly() {
    for (seed, n) in (0..300).zip((2..8).cycle()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let q = random(n, n, &mut rng).qr().q();
        let tied = [2.0, 2.0, 1.0, 1.0, -1.0, -1.0, 0.5];
        let y = &q * DMatrix::from_fn(n, n, |i, j| if i == j { tied[i] } else { 0.0 }) * q.transpose();
        for trace in [0.05, 3.0] {
            assert_projects(&Spectrahedron::new(n, trace).unwrap(), &row_major(&y), trace);
        }
    }
}

/// ±10^e with e uniform up to `decades`: most entries are below the rounding of the largest.
fn wide(m: usize, n: usize, decades: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let size = |rng: &mut ChaCha8Rng| 10_f64.powf(rng.random_range(-decades..decades));
    (0..m * n).map(|_| if rng.random_range(0..2) == 0 { size(rng) } else { -size(rng) }).collect()
}

/// Π(y) ∈ K, and KKT in the unit of the largest entry of y, at least 1.
fn assert_projects_wide<K: Projection<Euclidean> + LinearMinimisation>(set: &K, y: &[f64]) {
    let mut x = y.to_vec();
    set.project(&mut x).unwrap_or_else(|fault| panic!("{fault} for {y:?}"));
    assert!(set.contains(&x, 1e-12), "{x:?} is not in the set, for {y:?}");
    let largest = y.iter().fold(1.0_f64, |largest, v| largest.max(v.abs()));
    let uphill: Vec<f64> = x.iter().zip(y).map(|(x, y)| x / largest - y / largest).collect();
    let worst = set.lmo(&uphill).unwrap();
    assert!(set.contains(&worst, 1e-12), "no vertex, for {y:?}");
    let violation = dot(&uphill, &difference(&x, &worst));
    assert!(violation <= 1e-12, "KKT violated by {violation:e} for {y:?}");
}

/// Decompositions of such matrices used to divide 0 by 0, to panic and to leave the set.
#[test]
fn matrices_of_any_spread_project() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for decades in [20.0, 75.0, 150.0, 300.0] {
        for (m, n) in [(2, 2), (3, 3), (5, 5), (7, 7), (4, 6), (6, 4)] {
            let ball = TraceNormBall::new(m, n, 1.0).unwrap();
            for _ in 0..1000 {
                assert_projects_wide(&ball, &wide(m, n, decades, &mut rng));
            }
            if m == n {
                let set = Spectrahedron::new(n, 1.0).unwrap();
                for _ in 0..1000 {
                    assert_projects_wide(&set, &wide(n, n, decades, &mut rng));
                }
            }
        }
    }
    let refused_once =
        [1.49e-69, -9.0e-138, 2.7e-13, 1.1e-117, 5.0e-14, 4.5e144, 1.9e-93, -3.8e117, 2.3e-105];
    assert_projects_wide(&TraceNormBall::new(3, 3, 1.0).unwrap(), &refused_once);
    assert_projects_wide(&Spectrahedron::new(3, 1.0).unwrap(), &refused_once);
}
