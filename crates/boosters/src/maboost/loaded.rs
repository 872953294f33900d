//! Whether the parts of a run belong together: of a new one, and of one that comes from disc.

use super::reweighting::check_length;
use super::run::least;
use super::{BoostError, Examples, Reweighting, Round};
use weak_learners::LearnerError;

/// Refuses a run whose record is not that of its ensemble, margins and algorithm. Sums are compared bit for bit: the
/// run itself added the same numbers in the same order.
pub(super) fn check(
    examples: &Examples,
    algorithm: &impl Reweighting,
    coefficients: &[f64],
    margins: &[f64],
    eta_sum: f64,
    record: &[Round],
) -> Result<(), BoostError> {
    for expected in [coefficients.len(), algorithm.rounds()] {
        check_length("record", expected, record.len())?;
    }
    for (index, (&got, &d)) in algorithm.start().iter().zip(examples.start()).enumerate() {
        agrees("start", index, d, got)?;
    }
    for (index, (round, &got)) in record.iter().zip(coefficients).enumerate() {
        let expected = if round.flipped { -round.eta } else { round.eta };
        agrees("coefficient", index, expected, got)?;
    }
    if let Some(index) = margins.iter().position(|margin| !margin.is_finite()) {
        return Err(LearnerError::NotFinite { argument: "margins", index, value: margins[index] }.into());
    }
    agrees("eta_sum", record.len(), record.iter().fold(0.0, |sum, round| sum + round.eta), eta_sum)?;
    let Some(last) = record.last() else {
        // Nothing is played yet.
        let weights = algorithm.weights().iter().zip(examples.start()).enumerate();
        for (index, (&w, &d)) in weights {
            agrees("weights", index, d, w)?;
        }
        return margins.iter().enumerate().try_for_each(|(index, &m)| agrees("margins", index, 0.0, m));
    };
    let index = record.len() - 1;
    agrees("error", index, examples.share(|i| margins[i] <= 0.0), last.error)?;
    agrees("min_margin", index, least(margins) / eta_sum, last.min_margin)?;
    let (expected, got) = (algorithm.promise(), last.promise);
    agrees("promise", index, expected.error, got.error)?;
    for (expected, got) in [(expected.tight, got.tight), (expected.margin, got.margin)] {
        agrees("promise", index, expected.unwrap_or(f64::NAN), got.unwrap_or(f64::NAN))?;
    }
    Ok(())
}

fn agrees(argument: &'static str, index: usize, expected: f64, got: f64) -> Result<(), BoostError> {
    if expected.total_cmp(&got).is_eq() {
        return Ok(());
    }
    Err(BoostError::Inconsistent { argument, index, expected, got })
}
