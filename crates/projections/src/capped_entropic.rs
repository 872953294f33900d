//! The entropic projection onto the capped simplex, from weights or from their logarithms.

use crate::compensated_sum::{CompensatedSum, block_sum_over};
use crate::error::{check_logarithms, check_non_negative};
use crate::{
    CappedSimplex, DecisionSet, Exact, LogProjection, NegativeEntropy, Projection, ProjectionError, Scratch,
    check_finite,
};

/// How a weight is written down.
struct Notation {
    /// How the weight 0 is written.
    zero: f64,
    /// The logarithm of a weight.
    logarithm: fn(f64) -> f64,
    /// The ratio of two weights, the first not above the second.
    ratio: fn(f64, f64) -> f64,
}

const LINEAR: Notation = Notation { zero: 0.0, logarithm: f64::ln, ratio: |v, top| v / top };
const LOGARITHMIC: Notation =
    Notation { zero: f64::NEG_INFINITY, logarithm: |l| l, ratio: |l, top| (l - top).exp() };

impl Projection<NegativeEntropy> for CappedSimplex {
    /// O(n) expected. Errors besides those of the arguments: [`ProjectionError::NoMass`] for y = 0, and
    /// [`ProjectionError::InfeasibleCaps`] where the caps on {i : yᵢ > 0} hold too little.
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        check_non_negative("y", y)?;
        project_weights(self, y, scratch, &LINEAR)
    }
}

impl Exact<NegativeEntropy> for CappedSimplex {}

impl LogProjection for CappedSimplex {
    fn project_log_with(&self, log_y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_logarithms("log_y", log_y)?;
        self.check_dimension(log_y.len())?;
        project_weights(self, log_y, scratch, &LOGARITHMIC)
    }
}

/// xᵢ = min(cᵢ, ρ·yᵢ) with Σx = s.
///
/// Coordinate i is full from ρ = cᵢ/yᵢ on. A search over the logarithms of these ratios finds coordinates that are full
/// beyond doubt; the others then share what is left in proportion to y, and whoever exceeds its cap is filled and
/// leaves. Shares are ratios to the largest weight that is left: no weight overflows, and none is lost but where
/// its own x is too small for an `f64`.
fn project_weights(
    set: &CappedSimplex,
    y: &mut [f64],
    scratch: &mut Scratch,
    notation: &Notation,
) -> Result<(), ProjectionError> {
    let Scratch { values: keys, order: open, .. } = scratch;
    let (caps, s) = (set.caps(), set.mass());
    let supported = |v: f64| v > notation.zero;
    if !y.iter().any(|v| supported(*v)) {
        return Err(ProjectionError::NoMass);
    }
    let on_support = y.iter().zip(caps).map(|(v, c)| if supported(*v) { *c } else { 0.0 });
    if !set.check_capacity(on_support)? {
        y.iter_mut().zip(caps).for_each(|(v, c)| *v = if supported(*v) { *c } else { 0.0 });
        return Ok(());
    }
    open.clear();
    open.extend((0..y.len()).filter(|&i| supported(y[i]) && caps[i] > 0.0));
    keys.clear();
    keys.extend(y.iter().zip(caps).map(|(v, c)| c.ln() - (notation.logarithm)(*v)));

    // What is left of s; `open` shrinks to the coordinates that are not full.
    let mut rest = CompensatedSum::default();
    rest.add(s);
    fill_beyond_doubt(caps, keys, open, &mut rest, s);
    loop {
        let top = open.iter().map(|&i| y[i]).fold(notation.zero, f64::max);
        let total = block_sum_over(open, |i| (notation.ratio)(y[i], top));
        let share = |v: f64| rest.value().max(0.0) * ((notation.ratio)(v, top) / total);
        // Full coordinates are marked by a key of −∞.
        for &i in open.iter() {
            if share(y[i]) > caps[i] {
                keys[i] = f64::NEG_INFINITY;
            }
        }
        if open.iter().all(|&i| keys[i] > f64::NEG_INFINITY) {
            for (i, v) in y.iter_mut().enumerate() {
                *v = match () {
                    () if !supported(*v) || caps[i] == 0.0 => 0.0,
                    () if keys[i] == f64::NEG_INFINITY => caps[i],
                    () => share(*v).min(caps[i]),
                };
            }
            return Ok(());
        }
        open.retain(|&i| {
            let full = keys[i] == f64::NEG_INFINITY;
            if full {
                rest.add(-caps[i]);
            }
            !full
        });
    }
}

/// Fills the coordinates whose ratio cᵢ/yᵢ is certainly at most ρ: marks their keys by −∞, takes their caps out of
/// `rest`, and drops them from `open`. Each median decides half of the undecided coordinates.
fn fill_beyond_doubt(
    caps: &[f64],
    keys: &mut [f64],
    open: &mut Vec<usize>,
    rest: &mut CompensatedSum,
    s: f64,
) {
    let mut undecided = &mut open[..];
    // Mass of the coordinates that stay open, at the level of the last median that left them open.
    let (mut open_mass, mut open_level) = (0.0, 0.0);
    while !undecided.is_empty() {
        let middle = undecided.len() / 2;
        undecided.select_nth_unstable_by(middle, |&i, &j| keys[i].total_cmp(&keys[j]));
        let level = keys[undecided[middle]];
        let carried = if open_mass > 0.0 { open_mass * (level - open_level).exp() } else { 0.0 };
        let mass =
            carried + undecided.iter().map(|&i| caps[i] * (level - keys[i]).min(0.0).exp()).sum::<f64>();
        // Logarithms err by a rounding of their own size; what is that close stays open.
        let doubt = s * (1e-10 + 8.0 * f64::EPSILON * level.abs());
        if mass < rest.value() - doubt {
            let (full, later) = undecided.split_at_mut(middle + 1);
            for &i in full.iter() {
                rest.add(-caps[i]);
                keys[i] = f64::NEG_INFINITY;
            }
            undecided = later;
        } else {
            let (earlier, stays_open) = undecided.split_at_mut(middle);
            open_mass =
                carried + stays_open.iter().map(|&i| caps[i] * (level - keys[i]).min(0.0).exp()).sum::<f64>();
            open_level = level;
            undecided = earlier;
        }
    }
    open.retain(|&i| keys[i] > f64::NEG_INFINITY);
}
