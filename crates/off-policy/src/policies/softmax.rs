//! The softmax of scores.

use super::{Policy, Scores};
use crate::{ActionSet, PolicyError, Schema};
use rows::Row;
use rows::numeric::{LARGEST, exp};
use serde::{Deserialize, Serialize};

/// π(a|x) ∝ exp(β F(x, a)): the softmax ensemble policy of \[L23, Equation 4\], where F is an ensemble.
///
/// *Ranges:* β ≥ 0, finite; β = 0 is uniform, and β → ∞ is [`Argmax`](super::Argmax).
///
/// ```
/// use off_policy::{ActionSet, policies::{Policy, Softmax, Tabular}};
/// use rows::Row;
/// let policy = Softmax::new(Tabular::new(1, vec![0.0, 3f64.ln()])?, 1.0)?;
/// let mut pi = [0.0; 2];
/// policy.probabilities(Row::dense(&[7.0])?, ActionSet::all(2)?, &mut pi)?;
/// assert!((pi[0] - 0.25).abs() < 1e-15 && (pi[1] - 0.75).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<S>", bound(deserialize = "S: Deserialize<'de>"))]
pub struct Softmax<S> {
    scores: S,
    beta: f64,
}

impl<S> Softmax<S> {
    /// The softmax of these scores.
    ///
    /// # Errors
    /// [`PolicyError::BadParameter`] for a β that is not a finite number of at least 0.
    pub fn new(scores: S, beta: f64) -> Result<Self, PolicyError> {
        Unchecked { scores, beta }.try_into()
    }

    /// F.
    #[must_use]
    pub fn scores(&self) -> &S {
        &self.scores
    }

    /// β.
    #[must_use]
    pub fn beta(&self) -> f64 {
        self.beta
    }
}

impl<S: Scores> Policy for Softmax<S> {
    fn inputs(&self) -> Option<usize> {
        Some(self.scores.inputs())
    }

    fn actions(&self) -> usize {
        self.scores.actions()
    }

    fn schema(&self) -> Option<&Schema> {
        self.scores.schema()
    }

    fn probabilities(
        &self,
        x: Row<'_>,
        on_offer: ActionSet<'_>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.check(x, on_offer, probabilities)?;
        self.scores.scores(x, probabilities)?;
        if let Some(action) = probabilities.iter().position(|score| !score.is_finite()) {
            return Err(PolicyError::NotFiniteScore { action, value: probabilities[action] });
        }
        softmax(probabilities, self.beta, on_offer);
        Ok(())
    }
}

/// Scores become probabilities ∝ exp(β·score) in place; 0 for actions that are not on offer. Slices of
/// another length than the set's |A| are read as far as both go; they become 0 where nothing on offer is that
/// near.
///
/// *Ranges:* finite scores on offer, and any β but NaN: β < 0 prefers low scores, and an infinite β shares
/// everything evenly among the best. Otherwise the numbers may come out as NaN; [`Softmax`] refuses such
/// scores and every β outside [0, ∞).
///
/// Differences to the best score come first, so that no finite scores overflow: halved before they are
/// subtracted, for a difference may be twice the largest double.
///
/// ```
/// use off_policy::{ActionSet, policies::softmax};
/// let mut pi = [1.0, 2.0, 2.0];
/// softmax(&mut pi, f64::INFINITY, ActionSet::all(3)?);
/// assert_eq!(pi, [0.0, 0.5, 0.5]);
/// # Ok::<(), off_policy::LogError>(())
/// ```
pub fn softmax(scores: &mut [f64], beta: f64, on_offer: ActionSet<'_>) {
    let (sign, beta) = (1.0_f64.copysign(beta), beta.abs());
    let top = on_offer.iter().filter_map(|a| scores.get(a)).fold(f64::MIN, |top: f64, s| top.max(sign * s));
    let mut sum = 0.0;
    for (a, score) in scores.iter_mut().enumerate() {
        let signed = sign * *score;
        let below = if signed < top && beta == f64::INFINITY {
            // Half a difference may round to 0, which no infinity makes an infinity.
            f64::NEG_INFINITY
        } else if signed < top {
            // 2β(s/2 − top/2), β first: twice the half may overflow.
            (signed * 0.5 - top * 0.5) * beta * 2.0
        } else {
            // 0 for the best score and its equals, whatever β is.
            signed - top
        };
        *score = if on_offer.contains(a) { exp(below) } else { 0.0 };
        sum += *score;
    }
    if sum > 0.0 {
        scores.iter_mut().for_each(|p| *p /= sum);
    }
}

#[derive(Deserialize)]
struct Unchecked<S> {
    scores: S,
    beta: f64,
}

impl<S> TryFrom<Unchecked<S>> for Softmax<S> {
    type Error = PolicyError;

    fn try_from(Unchecked { scores, beta }: Unchecked<S>) -> Result<Self, PolicyError> {
        if !(0.0..=LARGEST).contains(&beta) {
            return Err(PolicyError::BadParameter { name: "beta", value: beta, domain: "[0, 1e140]" });
        }
        Ok(Self { scores, beta })
    }
}
