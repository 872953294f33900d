//! The weight of a predictor by a search along it.

use super::PolicyObjective;
use super::policy_log::PolicyLog;
use weak_learners::RankError;

/// How often a search evaluates the objective after its start.
const PROBES: u32 = 24;

/// How far a search may move a score. Where every row agrees with f the objective falls for ever, and a
/// policy that is certain of its actions leaves no gradient.
const REACH: f64 = 4.0;

/// The lowest point found of objective + λα² on the ray from 0 through the α of the closed form.
///
/// A step is doubled until the slope turns up. Then the interval is cut, each time where the secant of
/// the slopes says. The closed form's α is among the points compared. Beyond it no score moves by more
/// than [`REACH`]. *Cost:* at most 25 passes, each with room for one block of rows a thread.
///
/// # Errors
/// Those of the ranks.
pub(super) fn line_search<O: PolicyObjective>(
    log: &impl PolicyLog,
    objective: O,
    closed: f64,
    ridge: f64,
    (scores, f): (&[f64], &[f64]),
) -> Result<f64, RankError> {
    let probe = |alpha: f64| {
        let (value, slope) = log.probe(objective, alpha, scores, f)?;
        Ok::<_, RankError>((value + ridge * alpha * alpha, slope + 2.0 * ridge * alpha))
    };
    let direction = closed.signum();
    let (mut low, mut high, mut best): (f64, Option<f64>, f64) = (closed, None, closed);
    let (value, slope) = probe(closed)?;
    let (mut least, mut slope_low) = (value, slope * direction);
    let reach = REACH / log.largest(f)?;
    if closed == 0.0 || !value.is_finite() || slope_low >= 0.0 || low.abs() >= reach {
        return Ok(closed);
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
        let (value, slope) = probe(middle)?;
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
    Ok(best)
}
