//! Working memory of the projections.

/// Working memory that grows on first use and is reused: a loop of projections of one length allocates once.
///
/// Its content never changes a result, so any two are equal, and a learner that is saved leaves
/// it out (`#[serde(skip)]`).
///
/// ```
/// use projections::{Euclidean, Projection, Scratch, Simplex};
/// let (simplex, mut scratch) = (Simplex::new(1.0)?, Scratch::default());
/// let mut x = [0.0, 0.0];
/// for _ in 0..3 {
///     x[0] += 0.25;
///     Projection::<Euclidean>::project_with(&simplex, &mut x, &mut scratch)?;
/// }
/// assert_eq!(x, [0.875, 0.125]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// Numbers of one projection; dead when it returns.
    pub(crate) values: Vec<f64>,
    /// The numbers among those that a first pass leaves; dead when the projection returns.
    pub(crate) sifted: Vec<f64>,
    /// Indices of one projection; dead when it returns.
    pub(crate) order: Vec<usize>,
    /// Vectors that a set built from other sets keeps while it calls them with this same scratch.
    lent: Vec<Vec<f64>>,
}

impl PartialEq for Scratch {
    /// Always true: learners that differ in nothing but working memory are equal.
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Scratch {
    /// Takes the memory that a search among n numbers may come to need, though its first point may need less.
    pub(crate) fn make_room_to_sift(&mut self, n: usize) {
        self.values.clear();
        self.values.reserve(n);
        self.sifted.clear();
        self.sifted.reserve(n / 4);
    }

    /// The same for a search among n indices.
    pub(crate) fn make_room_to_order(&mut self, n: usize) {
        self.make_room_to_sift(n);
        self.order.clear();
        self.order.reserve(n);
    }

    /// The same for [`Scratch::lend_copy`] of a vector of length n.
    pub(crate) fn make_room_to_lend(&mut self, n: usize) {
        if self.lent.is_empty() {
            self.lent.push(Vec::with_capacity(n));
        }
    }

    /// `values`, made at least `len` long.
    pub(crate) fn working_values(&mut self, len: usize) -> &mut [f64] {
        if self.values.len() < len {
            self.values.resize(len, 0.0);
        }
        &mut self.values[..len]
    }

    /// A copy of `source` that outlives calls with this scratch; hand it back with [`Scratch::give_back`].
    pub(crate) fn lend_copy(&mut self, source: &[f64]) -> Vec<f64> {
        let mut copy = self.lent.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(source);
        copy
    }

    pub(crate) fn give_back(&mut self, vector: Vec<f64>) {
        self.lent.push(vector);
    }
}
