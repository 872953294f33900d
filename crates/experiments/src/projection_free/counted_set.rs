//! A set that counts its projections and linear minimisations.

use super::geometry::Geometry;
use projections::{DecisionSet, Euclidean, Exact, LinearMinimisation, Projection, ProjectionError, Scratch};
use std::cell::Cell;

/// The numbers of projections and linear minimisations of a run.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) projections: Cell<u64>,
    pub(super) minimisations: Cell<u64>,
}

/// K with counters. Every optimiser of a run holds a copy of this reference.
#[derive(Clone, Copy)]
pub(super) struct CountedSet<'a> {
    pub(super) set: &'a dyn Geometry,
    pub(super) tally: &'a Tally,
}

fn count(of: &Cell<u64>) {
    of.set(of.get() + 1);
}

impl DecisionSet for CountedSet<'_> {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        self.set.check_dimension(n)
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        self.set.contains(x, tolerance)
    }

    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.set.diameter(n)
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.set.interior_point(x)
    }
}

impl Projection<Euclidean> for CountedSet<'_> {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        count(&self.tally.projections);
        self.set.project_with(y, scratch)
    }

    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        count(&self.tally.projections);
        self.set.project_scaled_with(y, exponent, scratch)
    }
}

impl Exact<Euclidean> for CountedSet<'_> {}

impl LinearMinimisation for CountedSet<'_> {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        count(&self.tally.minimisations);
        self.set.lmo_with(g, x, scratch)
    }

    fn lmo_accuracy(&self, g: &[f64]) -> f64 {
        self.set.lmo_accuracy(g)
    }
}
