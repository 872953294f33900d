//! The flow polytope: unit flows through an acyclic graph. Its vertices are the paths.

use crate::error::check_length;
use crate::scaling::scaled_up_to_the_end;
use crate::sets::minimum_norm_point::minimum_norm_point;
use crate::{
    DecisionSet, Euclidean, Exact, LinearMinimisation, Projection, ProjectionError, Scratch, check_finite,
};
use rows::numeric::scale;
use rows::numeric::{exponent_above, scale_down};
use serde::{Deserialize, Serialize};

/// The unit flows from s to t through an acyclic graph: {x ≥ 0 : outflow − inflow of a vertex is 1 at s, −1
/// at t, 0 elsewhere}. A point has one coordinate per edge, in the order of the list. Parallel edges are
/// legal; an edge on no path from s to t carries 0. The vertices are the paths.
///
/// Linear minimisation: a shortest path, O(V + E), for lengths of any sign. Projection: Wolfe's algorithm
/// \[W76\], exact up to a rounding of the largest |yₑ|. It calls the shortest path a finite number of times,
/// for which no useful bound is known. Each call also solves a least-squares problem among at most E − V + 2
/// paths.
///
/// ```
/// use projections::{Euclidean, FlowPolytope, LinearMinimisation, Projection};
/// // From 0 to 3 by 1 or by 2.
/// let flows = FlowPolytope::new(4, vec![(0, 1), (1, 3), (0, 2), (2, 3)], 0, 3)?;
/// assert_eq!(flows.lmo(&[1.0, -5.0, 1.0, 1.0])?, [1.0, 1.0, 0.0, 0.0]);
/// let mut y = [0.5, 1.0, 0.5, 0.0];
/// Projection::<Euclidean>::project(&flows, &mut y)?;
/// assert_eq!(y, [0.75, 0.75, 0.25, 0.25]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedFlowPolytope", into = "UncheckedFlowPolytope")]
pub struct FlowPolytope {
    vertices: usize,
    edges: Vec<(usize, usize)>,
    source: usize,
    sink: usize,
    /// The edges on paths from s to t, those of later tails first.
    backwards: Vec<usize>,
    /// The number of edges of the longest path from s to t.
    longest: usize,
    /// The dimension of the set: edges minus vertices plus 1, among those on paths from s to t.
    dimension: usize,
}

#[derive(Serialize, Deserialize)]
struct UncheckedFlowPolytope {
    vertices: usize,
    edges: Vec<(usize, usize)>,
    source: usize,
    sink: usize,
}

impl TryFrom<UncheckedFlowPolytope> for FlowPolytope {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedFlowPolytope) -> Result<Self, ProjectionError> {
        Self::new(raw.vertices, raw.edges, raw.source, raw.sink)
    }
}

impl From<FlowPolytope> for UncheckedFlowPolytope {
    fn from(set: FlowPolytope) -> Self {
        Self { vertices: set.vertices, edges: set.edges, source: set.source, sink: set.sink }
    }
}

impl FlowPolytope {
    /// The flows from `source` to `sink` along `edges` (tail, head) between the vertices 0..`vertices`.
    ///
    /// Vertices without an edge are legal; at most 2E vertices are, so that memory depends on the list alone.
    /// Errors: [`ProjectionError::Empty`] for no edges, [`ProjectionError::NoSuchVertex`],
    /// [`ProjectionError::TooManyVertices`], [`ProjectionError::Cycle`], [`ProjectionError::NoPath`] (also
    /// for source = sink).
    pub fn new(
        vertices: usize,
        edges: Vec<(usize, usize)>,
        source: usize,
        sink: usize,
    ) -> Result<Self, ProjectionError> {
        check_length("edges", None, edges.len())?;
        let mut named = edges.iter().flat_map(|(tail, head)| [*tail, *head]).chain([source, sink]);
        if let Some(vertex) = named.find(|v| *v >= vertices) {
            return Err(ProjectionError::NoSuchVertex { vertex, vertices });
        }
        if vertices > edges.len().saturating_mul(2) {
            return Err(ProjectionError::TooManyVertices { vertices, edges: edges.len() });
        }
        let position = topological_positions(vertices, &edges)?;
        let mut backwards: Vec<usize> = (0..edges.len()).collect();
        backwards.sort_by_key(|&e| (std::cmp::Reverse(position[edges[e].0]), e));
        let (mut from_source, mut to_sink) = (vec![false; vertices], vec![None; vertices]);
        (from_source[source], to_sink[sink]) = (true, Some(0_usize));
        for &e in backwards.iter().rev() {
            from_source[edges[e].1] |= from_source[edges[e].0];
        }
        for &e in &backwards {
            let (tail, head) = edges[e];
            to_sink[tail] = to_sink[tail].max(to_sink[head].map(|steps| steps + 1));
        }
        let longest = match to_sink[source] {
            Some(longest) if longest > 0 => longest,
            _ => return Err(ProjectionError::NoPath { start: source, end: sink }),
        };
        backwards.retain(|&e| from_source[edges[e].0] && to_sink[edges[e].1].is_some());
        let on_paths = (0..vertices).filter(|&v| from_source[v] && to_sink[v].is_some()).count();
        let dimension = backwards.len() + 1 - on_paths;
        Ok(Self { vertices, edges, source, sink, backwards, longest, dimension })
    }

    /// The edges, as (tail, head).
    pub fn edges(&self) -> &[(usize, usize)] {
        &self.edges
    }

    /// x ← mass times the path of least Σg, by dynamic programming from the sink; g is in a range where sums
    /// of entries are finite. `distance` and `next` have one entry per vertex. Among equal paths the lower
    /// edge wins, from s on.
    fn shortest_path(&self, g: &[f64], mass: f64, x: &mut [f64], distance: &mut [f64], next: &mut [usize]) {
        distance.fill(f64::INFINITY);
        distance[self.sink] = 0.0;
        for &e in &self.backwards {
            let (tail, head) = self.edges[e];
            let through = g[e] + distance[head];
            if through < distance[tail] {
                (distance[tail], next[tail]) = (through, e);
            }
        }
        x.fill(0.0);
        let mut at = self.source;
        while at != self.sink {
            x[next[at]] = mass;
            at = self.edges[next[at]].1;
        }
    }
}

/// The position of every vertex in a topological order.
fn topological_positions(vertices: usize, edges: &[(usize, usize)]) -> Result<Vec<usize>, ProjectionError> {
    let (mut entering, mut leaving) = (vec![0_usize; vertices], vec![Vec::new(); vertices]);
    for &(tail, head) in edges {
        entering[head] += 1;
        leaving[tail].push(head);
    }
    let mut order: Vec<usize> = (0..vertices).filter(|&v| entering[v] == 0).collect();
    let mut position = vec![0; vertices];
    let mut placed = 0;
    while let Some(&vertex) = order.get(placed) {
        position[vertex] = placed;
        placed += 1;
        for &head in &leaving[vertex] {
            entering[head] -= 1;
            if entering[head] == 0 {
                order.push(head);
            }
        }
    }
    match entering.iter().position(|left| *left > 0) {
        Some(vertex) => Err(ProjectionError::Cycle { vertex }),
        None => Ok(position),
    }
}

/// Sums of coordinates above 2 to this power may leave the range.
const SAFE_EXPONENT: i32 = 900;

impl Projection<Euclidean> for FlowPolytope {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.project_scaled_with(y, 0, scratch)
    }

    /// Finds the flow of value 2^−k nearest to y·2^(exponent − k), which is in range.
    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        let exponent = i32::try_from(exponent.min(3000)).unwrap_or(3000);
        let top = exponent_above(y.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
        let k = (top.saturating_add(exponent) - SAFE_EXPONENT).clamp(0, 1000);
        let mass = scale_down(1.0, k.unsigned_abs());
        y.iter_mut().for_each(|v| {
            let end = scale(1.0, SAFE_EXPONENT);
            *v = if exponent >= k {
                scaled_up_to_the_end(*v, (exponent - k).unsigned_abs())
            } else {
                scale(*v, exponent - k)
            };
            *v = v.clamp(-end, end);
        });
        let Scratch { values, sifted: distance, order: next, .. } = scratch;
        distance.resize(self.vertices.max(distance.len()), 0.0);
        next.resize(self.vertices.max(next.len()), 0);
        let (distance, next) = (&mut distance[..self.vertices], &mut next[..self.vertices]);
        minimum_norm_point(y, mass, self.dimension + 1, values, |g, x| {
            self.shortest_path(g, 1.0, x, distance, next);
        });
        y.iter_mut().for_each(|x| *x = scale(*x, k).clamp(0.0, 1.0));
        Ok(())
    }
}

impl Exact<Euclidean> for FlowPolytope {}

impl LinearMinimisation for FlowPolytope {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        // Lengths whose sums might overflow are scaled down together.
        let top = exponent_above(g.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
        let mut lengths = scratch.lend_copy(g);
        lengths.iter_mut().for_each(|v| *v = scale(*v, (SAFE_EXPONENT - top).min(0)));
        let Scratch { sifted: distance, order: next, .. } = scratch;
        distance.resize(self.vertices.max(distance.len()), 0.0);
        next.resize(self.vertices.max(next.len()), 0);
        self.shortest_path(&lengths, 1.0, x, &mut distance[..self.vertices], &mut next[..self.vertices]);
        scratch.give_back(lengths);
        Ok(())
    }
}

impl DecisionSet for FlowPolytope {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", Some(self.edges.len()), n)
    }

    /// Constraints: each x ≥ 0, and the balance of each vertex. Allocates.
    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        let mut balance = vec![0.0; self.vertices];
        for (x, &(tail, head)) in x.iter().zip(&self.edges) {
            balance[tail] += x;
            balance[head] -= x;
        }
        balance[self.source] -= 1.0;
        balance[self.sink] += 1.0;
        x.len() == self.edges.len()
            && x.iter().all(|x| -x <= tolerance)
            && balance.iter().all(|b| b.abs() <= tolerance)
    }

    /// The bound √(2L), with L the number of edges of the longest path; attained by two longest paths without
    /// a common edge.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        Ok((2.0 * self.longest as f64).sqrt())
    }

    /// The flow that every vertex splits equally among its edges towards t. Allocates.
    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        let (mut arriving, mut ways) = (vec![0.0; self.vertices], vec![0.0; self.vertices]);
        self.backwards.iter().for_each(|&e| ways[self.edges[e].0] += 1.0);
        arriving[self.source] = 1.0;
        x.fill(0.0);
        for &e in self.backwards.iter().rev() {
            let (tail, head) = self.edges[e];
            x[e] = arriving[tail] / ways[tail];
            arriving[head] += x[e];
        }
        Ok(())
    }
}
