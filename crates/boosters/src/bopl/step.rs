//! The weight of a predictor.

use super::pass::Along;
use super::settings::Step;
use super::weighted_log::{WeightedLog, exponent_of, times_power};
use super::{PolicyObjective, Smoothness};

/// The weight of a predictor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight {
    /// α.
    pub alpha: f64,
    /// By how much the objective falls at least: αU/n − α²S/2n at the α of the closed form, also where a line search goes
    /// further.
    pub decrease: f64,
}

/// How often a line search may look at the objective.
const PROBES: u32 = 24;

/// How far a line search may move a score. Where every row agrees with f the objective falls for ever, and a policy that
/// is certain of its actions has no gradient to go on with.
const REACH: f64 = 4.0;

impl WeightedLog {
    /// The step along f from scores whose gradient is u.
    pub(super) fn step<O: PolicyObjective>(
        &self,
        step: Step,
        ridge: f64,
        (scores, u, f): (&[f64], &[f64], &[f64]),
    ) -> Weight {
        let closed = self.closed_form::<O>(step.smoothness(), ridge, u, f);
        match step {
            Step::Closed(_) => closed,
            Step::LineSearch => self.line_search::<O>(closed, ridge, scores, f),
        }
    }

    /// α = U/(S + 2nλ); the decrease is αU/n − α²S/2n.
    fn closed_form<O: PolicyObjective>(
        &self,
        smoothness: Smoothness,
        ridge: f64,
        u: &[f64],
        f: &[f64],
    ) -> Weight {
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = self.len() as f64;
        let weight = |Along { gain, curvature }: Along, ridge: f64| {
            let denominator = curvature + 2.0 * n * ridge;
            let alpha = if denominator > 0.0 { gain / denominator } else { 0.0 };
            Weight { alpha, decrease: alpha * (gain - 0.5 * alpha * curvature) / n }
        };
        let along = self.along::<O>(u, f, smoothness);
        let is_plain = |v: f64| v == 0.0 || (1e-200..1e200).contains(&v.abs());
        let found = weight(along, ridge);
        if [along.gain, along.curvature, found.alpha, found.decrease].into_iter().all(is_plain)
            && along.curvature > 0.0
        {
            return found;
        }
        // Products of numbers that are near the ends of the range: in units of the largest u, f and v. With U =
        // Û·2^(e_u + e_f) and S = Ŝ·2^(e_v + 2e_f), α is α̂·2^(e_u − e_v − e_f).
        let (e_u, e_f, e_v) = (exponent_of(u), exponent_of(f), exponent_of(&self.ratios));
        let scaled = |values: &[f64], e: i32| values.iter().map(|v| times_power(*v, -e)).collect::<Vec<_>>();
        let along = self.scaled_down(e_v).along::<O>(&scaled(u, e_u), &scaled(f, e_f), smoothness);
        let found = weight(along, times_power(ridge, -(e_v + 2 * e_f)));
        Weight {
            alpha: times_power(found.alpha, e_u - e_v - e_f),
            decrease: times_power(found.decrease, 2 * e_u - e_v),
        }
    }

    /// The lowest point that is found on the ray from 0 through α of the closed form, of objective + λα²: a step is
    /// doubled until the slope turns up, and the interval then halved, each time where the secant of the slopes or the
    /// middle says. The point of the closed form is among those that are compared, so that its decrease is kept; beyond it
    /// no score moves by more than [`REACH`].
    fn line_search<O: PolicyObjective>(
        &self,
        closed: Weight,
        ridge: f64,
        scores: &[f64],
        f: &[f64],
    ) -> Weight {
        let probe = |alpha: f64| {
            let (value, slope) = self.probe::<O>(alpha, scores, f);
            (value + ridge * alpha * alpha, slope + 2.0 * ridge * alpha)
        };
        let direction = closed.alpha.signum();
        let (mut low, mut high, mut best): (f64, Option<f64>, f64) = (closed.alpha, None, closed.alpha);
        let (value, slope) = probe(closed.alpha);
        let (mut least, mut slope_low) = (value, slope * direction);
        let reach = REACH / f.iter().fold(0.0, |largest: f64, f| largest.max(f.abs()));
        if closed.alpha == 0.0 || !value.is_finite() || slope_low >= 0.0 || low.abs() >= reach {
            return closed;
        }
        let mut slope_high = 0.0;
        for _ in 0..PROBES {
            let middle = match high {
                None if low.abs() >= reach => break,
                None => (2.0 * low).clamp(-reach, reach),
                // Kept off both ends, so that the interval shrinks by a twentieth at least.
                Some(high) => {
                    let share: f64 = slope_low / (slope_low - slope_high);
                    low + (high - low) * if share.is_finite() { share.clamp(0.05, 0.95) } else { 0.5 }
                }
            };
            let (value, slope) = probe(middle);
            if !(value.is_finite() && slope.is_finite()) {
                break;
            }
            if value < least {
                (least, best) = (value, middle);
            }
            if slope * direction < 0.0 {
                (low, slope_low) = (middle, slope * direction);
            } else {
                (high, slope_high) = (Some(middle), slope * direction);
            }
            let width = high.map_or(f64::INFINITY, |high| (high - low).abs());
            if width <= 1e-3 * low.abs() {
                break;
            }
        }
        // |best| ≥ |α| of the closed form, and objective + λα² is no larger there: the objective has fallen by what the
        // closed form promises, and by the difference of the ridges.
        Weight { alpha: best, decrease: closed.decrease }
    }
}
