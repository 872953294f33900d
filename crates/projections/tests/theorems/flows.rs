//! The flow polytope: KKT, Pythagoras, products of simplices, shortest paths against all paths, refusals.

use crate::sample::{coordinate, difference, dot, member, size};
use projections::{
    DecisionSet, Euclidean, FlowPolytope, LinearMinimisation, Projection, ProjectionError, Regulariser,
    Scratch, Simplex, Spectrahedron, TraceNormBall, filled,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// A graph on 0..n whose edges point upwards, renamed, with a path from first to last.
fn graph() -> impl Strategy<Value = FlowPolytope> {
    (2..7_usize, vec((0..6_usize, 0..6_usize), 1..18), any::<bool>()).prop_map(|(n, pairs, renamed)| {
        let name = |v: usize| if renamed { n - 1 - v } else { v };
        let mut edges: Vec<_> = pairs.iter().map(|(a, b)| (a % n, b % n)).filter(|(a, b)| a < b).collect();
        edges.extend((1..n).map(|v| (v - 1, v)).filter(|(a, _)| a % 2 == 0));
        edges.push((0, n - 1));
        let edges = edges.into_iter().map(|(a, b)| (name(a), name(b))).collect();
        FlowPolytope::new(n, edges, name(0), name(n - 1)).unwrap()
    })
}

fn case() -> impl Strategy<Value = (FlowPolytope, Vec<Vec<f64>>)> {
    graph().prop_flat_map(|set| {
        let n = set.edges().len();
        (Just(set), vec(vec(coordinate(), n), 3))
    })
}

/// All paths from `at` to the sink, as points.
fn paths(set: &FlowPolytope, at: usize, sink: usize, so_far: &[f64], found: &mut Vec<Vec<f64>>) {
    if at == sink {
        found.push(so_far.to_vec());
    }
    for (e, _) in set.edges().iter().enumerate().filter(|(_, edge)| edge.0 == at) {
        let mut longer = so_far.to_vec();
        longer[e] = 1.0;
        paths(set, set.edges()[e].1, sink, &longer, found);
    }
}

/// The source and the sink of `graph`.
fn ends(set: &FlowPolytope) -> (usize, usize) {
    *set.edges().last().unwrap()
}

proptest! {
    #[test]
    fn flow_projections_satisfy_kkt_and_pythagoras((set, points) in case(), lambda in 0.0..=1.0) {
        let y = &points[0];
        let mut projected = y.clone();
        set.project(&mut projected).unwrap();
        let scale = size(&[y]);
        prop_assert!(set.contains(&projected, 1e-13), "{projected:?} outside");
        let residual = difference(y, &projected);
        let (s, t) = ends(&set);
        let mut vertices = Vec::new();
        paths(&set, s, t, &vec![0.0; y.len()], &mut vertices);
        for vertex in &vertices {
            let violation = dot(&residual, &difference(vertex, &projected));
            prop_assert!(violation <= 1e-14 * scale * y.len() as f64, "KKT violated by {violation:e}");
        }
        let x = member(&set, &points[1], &points[2], lambda);
        let of = |a: &[f64], b: &[f64]| Euclidean.divergence(a, b).unwrap();
        prop_assert!(of(&x, y) >= of(&x, &projected) + of(&projected, y) - 1e-12 * scale * scale);
        prop_assert!(of(&x, &projected).sqrt() * 2_f64.sqrt() <= set.diameter(y.len()).unwrap() + 1e-12);
        let mut again = projected.clone();
        set.project(&mut again).unwrap();
        prop_assert!(size(&[&difference(&again, &projected)]) - 1.0 <= 1e-14);
    }

    #[test]
    fn no_path_is_shorter((set, points) in case()) {
        let g = &points[0];
        let best = set.lmo(g).unwrap();
        let (s, t) = ends(&set);
        let mut all = Vec::new();
        paths(&set, s, t, &vec![0.0; g.len()], &mut all);
        prop_assert!(all.contains(&best), "{best:?} is no path");
        for path in &all {
            prop_assert!(dot(g, &best) <= dot(g, path) + 1e-14 * size(&[g]) * g.len() as f64);
        }
        let far: Vec<f64> = g.iter().map(|v| v * 2_f64.powi(1000)).collect();
        prop_assert_eq!(set.lmo(&far).unwrap(), best.clone());
        let mut inside = vec![f64::NAN; g.len()];
        set.interior_point(&mut inside).unwrap();
        prop_assert!(set.contains(&inside, 1e-14));
        let used = |e: usize| all.iter().any(|path| path[e] > 0.0);
        prop_assert!((0..g.len()).all(|e| (inside[e] > 0.0) == used(e)), "{inside:?}");
    }

    /// Bundles of parallel edges in a row are a product of simplices; beyond the range too, where the largest
    /// wins.
    #[test]
    fn bundles_project_like_simplices(
        bundles in vec(vec(coordinate(), 1..8), 1..4), exponent in prop_oneof![3 => Just(0_u32), 1 => 0..20_u32, 1 => 900..1100_u32],
    ) {
        let tied = |ys: &Vec<f64>| {
            let top = ys.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            ys.iter().filter(|y| top - **y < 1e-12 * size(&[&bundles.concat()])).count() > 1
        };
        prop_assume!(exponent < 900 || !bundles.iter().any(tied));
        let edges = bundles.iter().enumerate().flat_map(|(b, ys)| ys.iter().map(move |_| (b, b + 1))).collect();
        let set = FlowPolytope::new(bundles.len() + 1, edges, 0, bundles.len()).unwrap();
        let mut got = bundles.concat();
        set.project_scaled_with(&mut got, exponent, &mut Scratch::default()).unwrap();
        let scale = size(&[&bundles.concat()]) * if exponent < 900 { 2_f64.powi(i32::try_from(exponent).unwrap()) } else { 1.0 };
        let mut want = bundles.clone();
        for bundle in &mut want {
            Projection::<Euclidean>::project_scaled_with(&Simplex::new(1.0).unwrap(), bundle, exponent, &mut Scratch::default())
                .unwrap();
        }
        for (got, want) in got.iter().zip(want.concat()) {
            prop_assert!((got - want).abs() <= 1e-14 * scale, "{got} for {want}");
        }
    }
}

/// The step towards the affine minimum ends with a weight of exactly 0: that vertex leaves, not the newest.
#[test]
fn a_weight_that_vanishes_at_the_end_of_its_step_leaves() {
    let set = FlowPolytope::new(3, vec![(0, 1), (0, 1), (1, 2), (1, 2)], 0, 2).unwrap();
    for (mut y, want) in
        [([0.0, 0.0, 0.5, 1.5], [0.5, 0.5, 0.0, 1.0]), ([0.0, 0.0, 0.25, 1.25], [0.5, 0.5, 0.0, 1.0])]
    {
        set.project(&mut y).unwrap();
        assert!(y.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-15), "{y:?}");
    }
}

#[test]
fn flows_refuse_anything_but_an_acyclic_graph_with_a_path() {
    use ProjectionError as E;
    let new = FlowPolytope::new;
    assert_eq!(new(2, vec![], 0, 1), Err(E::Empty { argument: "edges" }));
    assert_eq!(new(2, vec![(0, 2)], 0, 1), Err(E::NoSuchVertex { vertex: 2, vertices: 2 }));
    assert_eq!(new(2, vec![(0, 1)], 5, 1), Err(E::NoSuchVertex { vertex: 5, vertices: 2 }));
    assert_eq!(new(3, vec![(0, 1), (1, 2), (2, 1)], 0, 2), Err(E::Cycle { vertex: 1 }));
    assert_eq!(new(2, vec![(1, 1), (0, 1)], 0, 1), Err(E::Cycle { vertex: 1 }));
    assert_eq!(new(3, vec![(0, 1), (2, 1)], 0, 2), Err(E::NoPath { start: 0, end: 2 }));
    assert_eq!(new(2, vec![(0, 1)], 0, 0), Err(E::NoPath { start: 0, end: 0 }));
    for vertices in [1 << 40, (1 << 53) + 1, usize::MAX] {
        let ends = (vertices - 2, vertices - 1);
        assert_eq!(new(vertices, vec![ends], ends.0, ends.1), Err(E::TooManyVertices { vertices, edges: 1 }));
        assert!(
            Spectrahedron::new(vertices, 1.0).is_err()
                && TraceNormBall::new(vertices, vertices, 1.0).is_err()
        );
        assert_eq!(filled("n", vertices, 0_u8), Err(E::TooLarge { argument: "n", size: vertices }));
    }
    let edges = || vec![(0, 1), (1, 3)];
    assert!(new(4, edges(), 0, 3).is_ok(), "vertex 2 has no edge");
    for vertices in [5, 1 << 40, (1 << 53) + 1, usize::MAX] {
        assert_eq!(new(vertices, edges(), 0, 3), Err(E::TooManyVertices { vertices, edges: 2 }));
        let saved = format!(r#"{{"vertices":{vertices},"edges":[[0,1],[1,3]],"source":0,"sink":3}}"#);
        assert!(serde_json::from_str::<FlowPolytope>(&saved).is_err(), "{vertices}");
    }
    // The edge to 2 leads nowhere and carries 0.
    let set = new(3, vec![(0, 2), (0, 1), (0, 1)], 0, 1).unwrap();
    let mut y = [9.0, 1.0, 0.5];
    set.project(&mut y).unwrap();
    assert!(difference(&y, &[0.0, 0.75, 0.25]).iter().all(|d| d.abs() < 1e-15));
    assert_eq!(set.lmo(&[-9.0, 1.0, 1.0]).unwrap(), [0.0, 1.0, 0.0]);
    let mut y = [f64::NAN; 3];
    assert!(matches!(set.project(&mut y), Err(E::NotFinite { index: 0, .. })));
    assert!(set.lmo(&[0.0; 2]).is_err() && !set.contains(&[0.0; 2], 9.0));
    let text = serde_json::to_string(&set).unwrap();
    assert_eq!(serde_json::from_str::<FlowPolytope>(&text).unwrap(), set);
    assert!(serde_json::from_str::<FlowPolytope>(&text.replace("[0,2]", "[0,7]")).is_err());
}
