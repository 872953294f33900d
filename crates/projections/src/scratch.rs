//! Working memory of the projections.

/// Reusable working memory: a loop of projections of one length allocates once.
///
/// Its content never changes a result: any two are equal, and saved learners omit it (`#[serde(skip)]`).
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
    /// Numbers of one projection; unused after it returns.
    pub(crate) values: Vec<f64>,
    /// The numbers that remain after a first pass; unused after the projection returns.
    pub(crate) sifted: Vec<f64>,
    /// Indices of one projection; unused after it returns.
    pub(crate) order: Vec<usize>,
    /// Vectors that a composed set keeps while it calls its parts with the same scratch.
    lent: Vec<Vec<f64>>,
}

impl PartialEq for Scratch {
    /// Always true: learners that differ only in working memory are equal.
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Scratch {
    /// Reserves the memory that a search among n numbers may need for any point.
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

    /// A copy of `source` that outlives calls with this scratch; return it with [`Scratch::give_back`].
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
