//! The entropic projection onto the capped simplex, from weights or from their logarithms.

use crate::error::{check_length, check_non_negative};
use crate::simplex::capped_level::level;
use crate::simplex::lanes::{max, partition};
use crate::simplex::logarithms::{
    lifted, logarithms_of_scaled, scale_up_logarithms_around, seen_from, top_logarithm,
};
use crate::{
    CappedSimplex, DecisionSet, Exact, LogProjection, NegativeEntropy, Projection, ProjectionError, Scratch,
    check_finite,
};
use rows::numeric::{CompensatedSum, block_sum, block_sum_over, exp, ln};

/// A representation of weights.
struct Notation {
    /// The representation of the weight 0.
    zero: f64,
    /// The logarithm of a weight.
    logarithm: fn(f64) -> f64,
    /// The ratio of two weights, the first not above the second.
    ratio: fn(f64, f64) -> f64,
}

const LINEAR: Notation = Notation { zero: 0.0, logarithm: ln, ratio: |v, top| v / top };
const LOGARITHMIC: Notation =
    Notation { zero: f64::NEG_INFINITY, logarithm: |l| l, ratio: |l, top| exp(l - top) };

impl Projection<NegativeEntropy> for CappedSimplex {
    /// O(n) expected. Further errors: [`ProjectionError::NoMass`] for y = 0, and
    /// [`ProjectionError::InfeasibleCaps`] if the caps on {i : yᵢ > 0} hold too little.
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        check_non_negative("y", y)?;
        let top = max(y);
        if top > 0.0 {
            scratch.make_room_to_order(y.len());
            let seen = scratch.working_values(y.len());
            seen.iter_mut().zip(&*y).for_each(|(e, v)| *e = v / top);
            if level(seen, block_sum(seen), self.caps(), self.mass()).is_some() {
                y.copy_from_slice(seen);
                return Ok(());
            }
        }
        project_weights(self, y, scratch, &LINEAR)
    }
}

impl Exact<NegativeEntropy> for CappedSimplex {}

impl LogProjection for CappedSimplex {
    fn project_log_with(&self, log_y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.check_dimension(log_y.len())?;
        let top = top_logarithm("log_y", log_y)?;
        scratch.make_room_to_order(log_y.len());
        let seen = scratch.working_values(log_y.len());
        let total = seen_from(top, log_y, seen);
        match level(seen, total, self.caps(), self.mass()) {
            Some(_) => log_y.copy_from_slice(seen),
            None => project_weights(self, log_y, scratch, &LOGARITHMIC)?,
        }
        Ok(())
    }

    /// O(n log n) for an exponent other than 0. Usually one exponential per coordinate, and logarithms only
    /// of caps.
    fn project_log_scaled_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.check_dimension(log_y.len())?;
        check_length("x", Some(log_y.len()), x.len())?;
        let mut top = top_logarithm("log_y", log_y)?;
        scratch.make_room_to_order(log_y.len());
        if exponent > 0 {
            // Take the largest weights until their caps hold s. Relative to the last of them, a weight beyond
            // the upper end of the range is full and one beyond the lower end is 0.
            if let Some(last) = self.last_needed(log_y, scratch) {
                scale_up_logarithms_around(log_y, log_y[last], exponent);
                top = max(log_y);
            }
        }
        let total = seen_from(top, log_y, x);
        if let Some(rho) = level(x, total, self.caps(), self.mass()) {
            self.logarithms_of_level(x, top, ln(rho), log_y);
            return Ok(());
        }
        x.copy_from_slice(log_y);
        project_weights(self, x, scratch, &LOGARITHMIC)?;
        logarithms_of_scaled(x, log_y);
        Ok(())
    }
}

impl CappedSimplex {
    /// log y ← log x for x = min(c, ρy), relative to `top`. Caps usually have few values, so the last
    /// logarithm is cached.
    fn logarithms_of_level(&self, x: &[f64], top: f64, log_rho: f64, log_y: &mut [f64]) {
        let (mut cap, mut log_cap) = (1.0, 0.0);
        for ((v, x), c) in log_y.iter_mut().zip(x).zip(self.caps()) {
            if x < c || *c == 0.0 {
                *v = lifted(*v, top, log_rho);
                continue;
            }
            if cap != *c {
                (cap, log_cap) = (*c, ln(*c));
            }
            *v = log_cap;
        }
    }

    /// The coordinate of positive weight at which the caps, by falling weight, first hold s; the last one if
    /// they never do.
    fn last_needed(&self, log_y: &[f64], scratch: &mut Scratch) -> Option<usize> {
        let order = &mut scratch.order;
        order.clear();
        order.reserve(log_y.len());
        order.extend((0..log_y.len()).filter(|&i| log_y[i] > f64::NEG_INFINITY));
        order.sort_unstable_by(|&i, &j| log_y[j].total_cmp(&log_y[i]));
        let mut held = CompensatedSum::default();
        let reached = order.iter().find(|&&i| {
            held.add(self.caps()[i].min(self.mass()));
            held.value() >= self.mass()
        });
        reached.or(order.last()).copied()
    }
}

/// xᵢ = min(cᵢ, ρ·yᵢ) with Σx = s.
///
/// The coordinates that are not full share the rest of s in proportion to y. A coordinate that would exceed
/// its cap is filled, and the rest is shared again. The common factor only grows, so no coordinate is filled
/// wrongly, and the last round is exact. Shares are ratios to the largest weight that takes part: no weight
/// overflows, and a weight vanishes only if its own x is too small for an `f64`. If rounds fill few
/// coordinates each, a search over log(cᵢ/yᵢ), the level at which coordinate i is full, fills almost all at
/// once.
fn project_weights(
    set: &CappedSimplex,
    y: &mut [f64],
    scratch: &mut Scratch,
    notation: &Notation,
) -> Result<(), ProjectionError> {
    scratch.make_room_to_order(y.len());
    let Scratch { values: keys, order: support, .. } = scratch;
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
    support.extend((0..y.len()).filter(|&i| supported(y[i]) && caps[i] > 0.0));

    // The rest of s; the first `open` coordinates of `support` share it, the others are full.
    let mut rest = CompensatedSum::default();
    rest.add(s);
    let mut open = support.len();
    for round in 1.. {
        if round == PATIENCE {
            keys.clear();
            keys.extend(y.iter().zip(caps).map(|(v, c)| ln(*c) - (notation.logarithm)(*v)));
            open = fill_beyond_doubt(caps, keys, &mut support[..open], &mut rest, s);
        }
        let top = support[..open].iter().map(|&i| y[i]).fold(notation.zero, f64::max);
        let total = block_sum_over(&support[..open], |i| (notation.ratio)(y[i], top));
        let left = rest.value().max(0.0);
        let share = |v: f64| left * ((notation.ratio)(v, top) / total);
        let still_open = partition(&mut support[..open], |i| share(y[i]) <= caps[i]);
        if still_open == open {
            let (sharing, full) = support.split_at(open);
            // All other coordinates stay 0. x replaces y in two steps, because shares read y.
            y.iter_mut().zip(caps).filter(|(v, c)| !supported(**v) || **c == 0.0).for_each(|(v, _)| *v = 0.0);
            sharing.iter().for_each(|&i| y[i] = share(y[i]));
            full.iter().for_each(|&i| y[i] = caps[i]);
            break;
        }
        support[still_open..open].iter().for_each(|&i| rest.add(-caps[i]));
        open = still_open;
    }
    Ok(())
}

/// The round from which on the search is worth its logarithms.
const PATIENCE: u32 = 5;

/// Fills coordinates whose ratio cᵢ/yᵢ is certainly below ρ: moves them to the back of `open` and takes their
/// caps out of `rest`. Returns how many stay open. Each median decides half of the undecided coordinates.
fn fill_beyond_doubt(
    caps: &[f64],
    keys: &[f64],
    open: &mut [usize],
    rest: &mut CompensatedSum,
    s: f64,
) -> usize {
    // open[first..last] is undecided; before it are the full coordinates, after it those that stay open.
    // Their mass at the level of the last median that left them open is `open_mass`.
    let (mut first, mut last) = (0, open.len());
    let (mut open_mass, mut open_level) = (0.0, 0.0);
    while first < last {
        let undecided = &mut open[first..last];
        let middle = undecided.len() / 2;
        undecided.select_nth_unstable_by(middle, |&i, &j| keys[i].total_cmp(&keys[j]));
        let level = keys[undecided[middle]];
        let at_level = |i: usize| caps[i] * exp((level - keys[i]).min(0.0));
        let carried = if open_mass > 0.0 { open_mass * exp(level - open_level) } else { 0.0 };
        // A logarithm errs by a rounding of its own size; coordinates closer than that stay open.
        let doubt = s * (1e-10 + 8.0 * f64::EPSILON * level.abs());
        if carried + block_sum_over(undecided, at_level) < rest.value() - doubt {
            undecided[..=middle].iter().for_each(|&i| rest.add(-caps[i]));
            first += middle + 1;
        } else {
            (open_mass, open_level) = (carried + block_sum_over(&undecided[middle..], at_level), level);
            last = first + middle;
        }
    }
    open.rotate_left(first);
    open.len() - first
}
