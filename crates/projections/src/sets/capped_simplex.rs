//! The capped simplex: a simplex with an upper bound on each coordinate.

use crate::error::{check_length, check_radius};
use crate::scaling::scale_up_around;
use crate::simplex::capped_threshold::capped_threshold;
use crate::{
    DecisionSet, Euclidean, Exact, LinearMinimisation, Projection, ProjectionError, Scratch, check_finite,
};
use rows::numeric::CompensatedSum;
use serde::{Deserialize, Serialize};

/// The set {0 ≤ x ≤ c : Σx = s}, with s > 0, caps c ≥ 0 and Σc ≥ s·(1 − 10⁻⁹). If Σc ≤ s, its only point is
/// c.
///
/// With cᵢ = k/N for all i it is the set of k-smooth distributions [NP14, Section 3.1]; with c = s on a
/// primary and k/N on a secondary sample, the set of [NP14, Section 3.2].
///
/// Euclidean projection: xᵢ = min(max(yᵢ − τ, 0), cᵢ) with τ such that Σx = s. Entropic: xᵢ = min(cᵢ, ρ·yᵢ)
/// with ρ such that Σx = s. Linear minimisation: the caps are filled in the order of increasing g, O(n log
/// n).
///
/// ```
/// use projections::{CappedSimplex, Euclidean, LinearMinimisation, NegativeEntropy, Projection};
/// let set = CappedSimplex::new(vec![0.5; 3], 1.0)?;
/// let mut y = [1.0, 0.25, 0.25];
/// Projection::<Euclidean>::project(&set, &mut y)?;
/// assert_eq!(y, [0.5, 0.25, 0.25]);
/// let mut y = [8.0, 1.0, 1.0];
/// Projection::<NegativeEntropy>::project(&set, &mut y)?;
/// assert_eq!(y, [0.5, 0.25, 0.25]);
/// assert_eq!(set.lmo(&[3.0, 1.0, 2.0])?, [0.0, 0.5, 0.5]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedCappedSimplex")]
pub struct CappedSimplex {
    caps: Vec<f64>,
    s: f64,
    /// Whether Σc > s, that is, whether K has more than one point.
    #[serde(skip_serializing)]
    roomy: bool,
}

#[derive(Deserialize)]
struct UncheckedCappedSimplex {
    caps: Vec<f64>,
    s: f64,
}

impl TryFrom<UncheckedCappedSimplex> for CappedSimplex {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedCappedSimplex) -> Result<Self, ProjectionError> {
        Self::new(raw.caps, raw.s)
    }
}

/// The accepted shortfall of Σc, relative to s.
const SLACK: f64 = 1e-9;

impl CappedSimplex {
    /// The set with caps c and mass s. Errors: [`ProjectionError::NotFinite`], [`ProjectionError::Empty`],
    /// [`ProjectionError::BadRadius`], [`ProjectionError::NegativeCap`], [`ProjectionError::InfeasibleCaps`].
    pub fn new(caps: Vec<f64>, s: f64) -> Result<Self, ProjectionError> {
        check_finite("caps", &caps)?;
        check_finite("s", &[s])?;
        check_length("caps", None, caps.len())?;
        check_radius("s", s)?;
        if let Some((index, &value)) = caps.iter().enumerate().find(|(_, c)| **c < 0.0) {
            return Err(ProjectionError::NegativeCap { index, value });
        }
        let mut set = Self { caps, s, roomy: true };
        set.roomy = set.check_capacity(set.caps.iter().copied())?;
        Ok(set)
    }

    /// The caps c.
    pub fn caps(&self) -> &[f64] {
        &self.caps
    }

    /// The mass s.
    pub fn mass(&self) -> f64 {
        self.s
    }

    /// Whether Σ`caps` > s, that is, whether the set has more than one point.
    pub(crate) fn check_capacity(&self, caps: impl Iterator<Item = f64>) -> Result<bool, ProjectionError> {
        let mut total = caps.collect::<CompensatedSum>();
        if total.value() < self.s * (1.0 - SLACK) {
            return Err(ProjectionError::InfeasibleCaps { total: total.value(), required: self.s });
        }
        total.add(-self.s);
        Ok(total.value() > 0.0)
    }

    /// min(cᵢ, s): these caps give the same set, and their sums stay in range.
    fn cap(&self, i: usize) -> f64 {
        self.caps[i].min(self.s)
    }
}

impl Projection<Euclidean> for CappedSimplex {
    /// O(n) expected, O(n log n) at worst.
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        if !self.roomy {
            y.copy_from_slice(&self.caps);
            return Ok(());
        }
        let (p, lift) = capped_threshold(y, &self.caps, self.s, scratch);
        for (v, c) in y.iter_mut().zip(&self.caps) {
            *v = if *v >= p { ((*v - p) + lift).min(c.min(self.s)) } else { 0.0 };
        }
        Ok(())
    }

    /// O(n log n).
    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        // Take the largest entries until their caps hold s: τ lies at most s below the last of them. Relative
        // to it, an entry beyond the upper end of the range is full and one beyond the lower end is 0.
        let order = &mut scratch.order;
        order.clear();
        order.extend(0..y.len());
        order.sort_unstable_by(|&i, &j| y[j].total_cmp(&y[i]));
        let mut held = CompensatedSum::default();
        let last = order.iter().find(|&&i| {
            held.add(self.cap(i));
            held.value() >= self.s
        });
        if let Some(&i) = last.or(order.last()) {
            scale_up_around(y, y[i], exponent);
        }
        Projection::<Euclidean>::project_with(self, y, scratch)
    }
}

impl Exact<Euclidean> for CappedSimplex {}

impl LinearMinimisation for CappedSimplex {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        let order = &mut scratch.order;
        order.clear();
        order.extend(0..g.len());
        // −0 + 0 = 0, so the two zeros tie; equal slopes fill in index order.
        order.sort_unstable_by(|&i, &j| (g[i] + 0.0).total_cmp(&(g[j] + 0.0)).then(i.cmp(&j)));
        let mut rest = CompensatedSum::default();
        rest.add(self.s);
        for &i in order.iter() {
            x[i] = self.caps[i].min(rest.value().max(0.0));
            rest.add(-x[i]);
        }
        Ok(())
    }
}

impl DecisionSet for CappedSimplex {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", Some(self.caps.len()), n)
    }

    /// Constraints: each xᵢ ≥ 0, each xᵢ ≤ cᵢ, and Σx = min(s, Σc).
    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        let total = x.iter().copied().collect::<CompensatedSum>().value();
        let mass = self.caps.iter().copied().collect::<CompensatedSum>().value().min(self.s);
        x.len() == self.caps.len()
            && x.iter().zip(&self.caps).all(|(v, c)| -v <= tolerance && v - c <= tolerance)
            && (total - mass).abs() <= tolerance
    }

    /// An upper bound, attained for n ≤ 2, for caps that do not bind, and for equal caps c with s/c a whole
    /// number and 2s ≤ nc. Let wᵢ be the width of coordinate i and M the mass that can move. A difference d
    /// of two points has |dᵢ| ≤ wᵢ and Σ|d| ≤ 2M; the bound is the largest ‖d‖₂ under these two conditions.
    /// Allocates.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        // In units of s, so that no sum overflows.
        let caps = (0..n).map(|i| self.cap(i) / self.s);
        let total = caps.clone().collect::<CompensatedSum>();
        let forced = |c: f64| {
            let mut missing = CompensatedSum::default();
            missing.add(1.0);
            missing.add(-total.value());
            missing.add(c);
            missing.value().clamp(0.0, c)
        };
        let mut widths: Vec<f64> = caps.clone().map(|c| c - forced(c)).collect();
        widths.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut movable = 2.0 * (1.0 - caps.map(forced).collect::<CompensatedSum>().value()).max(0.0);
        let mut squares = 0.0;
        for w in widths {
            let d = w.min(movable);
            squares += d * d;
            movable -= d;
        }
        Ok(self.s * squares.sqrt())
    }

    /// The point c·s/Σc, with caps above s counted as s.
    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        let total = (0..x.len()).map(|i| self.cap(i) / self.s).collect::<CompensatedSum>().value();
        for (i, v) in x.iter_mut().enumerate() {
            *v = self.cap(i) / total.max(1.0);
        }
        Ok(())
    }
}
