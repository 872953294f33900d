//! The scaled probability simplex.

use crate::compensated_sum::{BLOCK, CompensatedSum, LANES, block_sum};
use crate::error::{check_length, check_logarithms, check_non_negative, check_radius};
use crate::{
    DecisionSet, Euclidean, Exact, LinearMinimisation, LogProjection, NegativeEntropy, Projection,
    ProjectionError, Scratch, check_finite,
};
use serde::{Deserialize, Serialize};

/// The simplex {x ≥ 0 : Σx = s} in any dimension, s > 0.
///
/// Euclidean projection: xᵢ = max(yᵢ − τ, 0) with τ such that Σx = s, in O(n) whatever the input. Entropic
/// projection: x = s·y/Σy. Linear minimisation: s at j = argmin g, 0 elsewhere.
///
/// ```
/// use projections::{Euclidean, NegativeEntropy, Projection, Simplex};
/// let simplex = Simplex::new(1.0)?;
/// let mut y = [0.5, 0.25, -0.25, 1.0];
/// Projection::<Euclidean>::project(&simplex, &mut y)?;
/// assert_eq!(y, [0.25, 0.0, 0.0, 0.75]);
/// let mut y = [1e300, 3e300, 0.0];
/// Projection::<NegativeEntropy>::project(&simplex, &mut y)?;
/// assert_eq!(y, [0.25, 0.75, 0.0]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedSimplex")]
pub struct Simplex {
    s: f64,
}

#[derive(Deserialize)]
struct UncheckedSimplex {
    s: f64,
}

impl TryFrom<UncheckedSimplex> for Simplex {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedSimplex) -> Result<Self, ProjectionError> {
        Self::new(raw.s)
    }
}

impl Simplex {
    /// The simplex of mass s. Errors: [`ProjectionError::NotFinite`], [`ProjectionError::BadRadius`].
    pub fn new(s: f64) -> Result<Self, ProjectionError> {
        check_radius("s", s)?;
        Ok(Self { s })
    }

    /// The mass s.
    pub fn mass(&self) -> f64 {
        self.s
    }
}

impl Projection<Euclidean> for Simplex {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        project_onto_simplex(y, self.s, &mut scratch.values);
        Ok(())
    }
}

impl Exact<Euclidean> for Simplex {}

/// y ← max(y − τ, 0) with Σ = s, for finite non-empty y. O(n).
///
/// Every set of k entries with sum Σ gives a lower bound (Σ − s)/k on the threshold τ, and the support {y > τ} gives τ
/// itself. With p a guess at τ and V = Σ(y − p) over the entries above p, the bound is p − lift for lift = (s − V)/k:
/// differences of neighbours and sums of terms of one sign, so that neither an offset common to all entries nor a
/// wide range costs accuracy. The guess was right if the bound separates the same entries. Otherwise the entries above
/// the bound contain the support, and the bound rises from there until it stands.
pub(crate) fn project_onto_simplex(y: &mut [f64], s: f64, candidates: &mut Vec<f64>) {
    let p = guess_threshold(y, s, candidates);
    // Slightly too many entries are as good as the right ones; slightly too few cost another pass.
    let mut cut = -(1e-12 * s).max(SMALLEST);
    let mut guessed = true;
    let lift = loop {
        let above = Above::of(y, p, cut);
        let lift = (s - above.excess) / above.count;
        let stands = above.lowest > -lift && above.next <= -lift;
        if stands || !(guessed || -lift > cut) {
            break lift;
        }
        guessed = false;
        cut = -lift;
    };
    y.iter_mut().for_each(|v| *v = positive((*v - p) + lift));
}

/// The smallest positive number.
const SMALLEST: f64 = f64::from_bits(1);

/// max(v, 0), and +0 for −0.
fn positive(v: f64) -> f64 {
    if v > 0.0 { v } else { 0.0 }
}

/// The entries with y − p above a cut, relative to p.
struct Above {
    /// Σ(y − p).
    excess: f64,
    /// How many they are.
    count: f64,
    /// The lowest of them.
    lowest: f64,
    /// The highest entry that is not among them.
    next: f64,
}

impl Above {
    fn of(y: &[f64], p: f64, cut: f64) -> Self {
        let (mut excess, mut count) = (CompensatedSum::default(), 0.0);
        let (mut lowest, mut next) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for block in y.chunks(BLOCK) {
            let (mut sums, mut counts) = ([0.0; LANES], [0.0; LANES]);
            let mut visit = |lane: usize, v: f64| {
                let u = v - p;
                let inside = u > cut;
                sums[lane] += if inside { u } else { 0.0 };
                counts[lane] += if inside { 1.0 } else { 0.0 };
                let (low, high) = if inside { (u, f64::NEG_INFINITY) } else { (f64::INFINITY, u) };
                lowest[lane] = if low < lowest[lane] { low } else { lowest[lane] };
                next[lane] = if high > next[lane] { high } else { next[lane] };
            };
            let (rows, rest) = block.as_chunks::<LANES>();
            for row in rows {
                for (lane, v) in row.iter().enumerate() {
                    visit(lane, *v);
                }
            }
            rest.iter().for_each(|v| visit(0, *v));
            excess.add(sums.iter().sum());
            count += counts.iter().sum::<f64>();
        }
        Self {
            excess: excess.value(),
            count,
            lowest: lowest.into_iter().fold(f64::INFINITY, f64::min),
            next: next.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// The threshold τ, up to rounding relative to s or to itself; never above max y. O(n) whatever the input.
///
/// Entries stream past the best lower bound so far; the survivors raise it whenever their number has doubled, and at
/// the end decide alone.
fn guess_threshold(y: &[f64], s: f64, candidates: &mut Vec<f64>) -> f64 {
    // A unit in which n·s is finite and s/n normal.
    let unit = match s {
        s if s > 1e270 => 1e-30,
        s if s < 1e-270 => 1e30,
        _ => 1.0,
    };
    let (top, s) = (max(y), s * unit);
    let mut tau = -s;
    candidates.clear();
    let mut limit = 2 * BLOCK;
    let mut survivors = [0.0; BLOCK];
    for block in y.chunks(BLOCK) {
        let mut kept = 0;
        for row in block.chunks(LANES) {
            if row.iter().fold(false, |any, v| any | ((v - top) * unit > tau)) {
                for v in row {
                    let d = (v - top) * unit;
                    survivors[kept] = d;
                    kept += usize::from(d > tau);
                }
            }
        }
        candidates.extend_from_slice(&survivors[..kept]);
        if candidates.len() > limit {
            tau = tau.max((block_sum(candidates) - s) / candidates.len() as f64);
            keep_above(tau, candidates);
            limit = 2 * candidates.len() + BLOCK;
        }
    }
    // Candidates found to be above τ leave for these two sums.
    let (mut sum, mut count) = (0.0, 0.0);
    while !candidates.is_empty() {
        let before = candidates.len();
        tau = tau.max((sum + block_sum(candidates) - s) / (count + before as f64));
        keep_above(tau, candidates);
        if candidates.len() == before {
            break;
        }
        if candidates.len() > before - before / 8 {
            // The bound creeps: let the median decide one half.
            let middle = candidates.len() / 2;
            let (_, &mut median, above) = candidates.select_nth_unstable_by(middle, f64::total_cmp);
            if sum - count * median + above.iter().map(|d| d - median).sum::<f64>() >= s {
                tau = tau.max(median);
                candidates.drain(..=middle);
            } else {
                sum += block_sum(&candidates[middle..]);
                count += (candidates.len() - middle) as f64;
                candidates.truncate(middle);
            }
        }
    }
    (top + tau / unit).clamp(f64::MIN, top)
}

/// `Vec::retain` without a branch to mispredict.
fn keep_above(tau: f64, candidates: &mut Vec<f64>) {
    let mut kept = 0;
    for i in 0..candidates.len() {
        let d = candidates[i];
        candidates[kept] = d;
        kept += usize::from(d > tau);
    }
    candidates.truncate(kept);
}

/// The largest entry.
fn max(y: &[f64]) -> f64 {
    let mut tops = [f64::NEG_INFINITY; LANES];
    let (rows, rest) = y.as_chunks::<LANES>();
    for row in rows {
        for (top, v) in tops.iter_mut().zip(row) {
            *top = if *v > *top { *v } else { *top };
        }
    }
    tops.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max)
}

impl Projection<NegativeEntropy> for Simplex {
    fn project_with(&self, y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        check_non_negative("y", y)?;
        let top = max(y);
        if top == 0.0 {
            return Err(ProjectionError::NoMass);
        }
        y.iter_mut().for_each(|v| *v /= top);
        normalise(y, self.s);
        Ok(())
    }
}

impl Exact<NegativeEntropy> for Simplex {}

impl LogProjection for Simplex {
    fn project_log_with(&self, log_y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_logarithms("log_y", log_y)?;
        self.check_dimension(log_y.len())?;
        let top = max(log_y);
        if top == f64::NEG_INFINITY {
            return Err(ProjectionError::NoMass);
        }
        log_y.iter_mut().for_each(|v| *v = (*v - top).exp());
        normalise(log_y, self.s);
        Ok(())
    }
}

/// y ← s·y/Σy for y in [0, 1] with maximum 1.
fn normalise(y: &mut [f64], s: f64) {
    let total = block_sum(y);
    y.iter_mut().for_each(|v| *v = s * (*v / total));
}

impl LinearMinimisation for Simplex {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        x.fill(0.0);
        if let Some((j, _)) = g.iter().enumerate().min_by(|a, b| (a.1 + 0.0).total_cmp(&(b.1 + 0.0))) {
            x[j] = self.s;
        }
        Ok(())
    }
}

impl DecisionSet for Simplex {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", None, n)
    }

    /// Constraints: each xᵢ ≥ 0, and Σx = s.
    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        let total = x.iter().copied().collect::<CompensatedSum>().value();
        !x.is_empty() && x.iter().all(|v| -v <= tolerance) && (total - self.s).abs() <= tolerance
    }

    /// s√2, and 0 for the single point of dimension 1.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        Ok(if n == 1 { 0.0 } else { std::f64::consts::SQRT_2 * self.s })
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        x.fill(self.s / x.len() as f64);
        Ok(())
    }
}
