//! Step sizes.

use crate::{OcoError, check_magnitudes};
use projections::ProjectionError;
use serde::{Deserialize, Serialize};

/// η_t for t = 1, 2, …: a checked schedule.
///
/// ```
/// use oco_core::StepSchedule;
/// assert_eq!(StepSchedule::power(0.5, 0.5)?.eta(4), 0.25);
/// assert!(StepSchedule::constant(0.0).is_err());
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct StepSchedule {
    scale: f64,
    exponent: f64,
}

impl StepSchedule {
    /// η_t = scale·t^(−exponent), scale > 0 and exponent ≥ 0: the lr·t^(−c) of \[BH20, Appendix E\].
    ///
    /// # Errors
    /// [`ProjectionError::BadStep`], [`ProjectionError::BadParameter`] or [`OcoError::TooLarge`], naming the
    /// value.
    pub fn power(scale: f64, exponent: f64) -> Result<Self, OcoError> {
        check_step("step scale", scale)?;
        check_magnitudes("step exponent", &[exponent])?;
        if exponent < 0.0 {
            let (name, domain) = ("step exponent", "[0, ∞)");
            return Err(ProjectionError::BadParameter { name, value: exponent, domain }.into());
        }
        Ok(Self { scale, exponent })
    }

    /// η_t = η.
    ///
    /// # Errors
    /// [`ProjectionError::BadStep`], [`OcoError::TooLarge`].
    pub fn constant(eta: f64) -> Result<Self, OcoError> {
        Self::power(eta, 0.0)
    }

    /// η_t = D/(G√t), for which OGD has regret at most (3/2)GD√T \[Z03\].
    ///
    /// # Errors
    /// [`ProjectionError::BadStep`] if D, G or D/G is not positive, [`ProjectionError::NotFinite`] or
    /// [`OcoError::TooLarge`] if one is not finite or above 1e140.
    pub fn zinkevich(diameter: f64, lipschitz: f64) -> Result<Self, OcoError> {
        check_step("diameter", diameter)?;
        check_step("lipschitz", lipschitz)?;
        Self::power(diameter / lipschitz, 0.5)
    }

    /// η_t = 1/(αt), for which OGD on α-strongly convex losses has regret at most G²(1 + ln T)/(2α) at every
    /// T, for the losses themselves \[HAK07\].
    ///
    /// # Errors
    /// [`ProjectionError::BadStep`], [`ProjectionError::NotFinite`] or [`OcoError::TooLarge`] if α or 1/α is
    /// not a positive number up to 1e140.
    pub fn strongly_convex(alpha: f64) -> Result<Self, OcoError> {
        check_step("alpha", alpha)?;
        Self::power(1.0 / alpha, 1.0)
    }

    /// The constant η = D/(ρ√(2T)) of \[W13, Theorem 2\].
    ///
    /// # Errors
    /// [`ProjectionError::BadStep`] if D, ρ, T or η is not positive, [`ProjectionError::NotFinite`] or
    /// [`OcoError::TooLarge`] if one is not finite or above 1e140.
    pub fn lecture_theorem_2(diameter: f64, lipschitz: f64, rounds: u32) -> Result<Self, OcoError> {
        check_step("diameter", diameter)?;
        check_step("lipschitz", lipschitz)?;
        check_step("rounds", rounds.into())?;
        let root = (2.0 * f64::from(rounds)).sqrt();
        // For a small ρ the quotient D/ρ may leave the range although η does not.
        Self::constant(if lipschitz < 1.0 {
            diameter / (lipschitz * root)
        } else {
            diameter / lipschitz / root
        })
    }

    /// η if it is the same in every round, else `None`.
    pub(crate) fn constant_step(&self) -> Option<f64> {
        (self.exponent == 0.0).then_some(self.scale)
    }

    /// η_t, t ≥ 1.
    #[inline]
    pub fn eta(&self, t: u64) -> f64 {
        if self.exponent == 0.0 {
            return self.scale;
        }
        // Rounds stay far below 2^53, where every integer is a double.
        #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
        let t = t as f64;
        self.scale * self.decay(t)
    }

    /// t^(−c). For multiples of ¼, as in the experiments, square roots are ten times faster than a power and
    /// round alike on every machine.
    #[inline]
    fn decay(&self, t: f64) -> f64 {
        let root = t.sqrt();
        match self.exponent {
            0.25 => 1.0 / root.sqrt(),
            0.5 => 1.0 / root,
            0.75 => 1.0 / (root * root.sqrt()),
            1.0 => 1.0 / t,
            c => t.powf(-c),
        }
    }
}

pub(crate) fn check_step(name: &'static str, value: f64) -> Result<(), OcoError> {
    check_magnitudes(name, &[value])?;
    if value <= 0.0 {
        return Err(ProjectionError::BadStep { name, value }.into());
    }
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct Unchecked {
    scale: f64,
    exponent: f64,
}

impl From<StepSchedule> for Unchecked {
    fn from(s: StepSchedule) -> Self {
        Self { scale: s.scale, exponent: s.exponent }
    }
}

impl TryFrom<Unchecked> for StepSchedule {
    type Error = OcoError;

    fn try_from(s: Unchecked) -> Result<Self, OcoError> {
        Self::power(s.scale, s.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_are_the_power_that_they_stand_for() {
        for c in [0.25, 0.5, 0.75, 1.0] {
            let steps = StepSchedule::power(0.3, c).unwrap();
            for t in [1, 2, 3, 7, 1000, 123_456_789] {
                let power = 0.3 * (t as f64).powf(-c);
                assert!((steps.eta(t) - power).abs() <= 4.0 * f64::EPSILON * power, "t = {t}, c = {c}");
            }
        }
    }

    #[test]
    fn lecture_steps_at_the_ends_of_the_range() {
        for (diameter, lipschitz, rounds, expected) in [
            (1e140, 1e140, 100, 0.005_f64.sqrt()),
            (1e140, 0.5, 200, 1e139),
            (1e-300, 1e-300, 2, 0.5),
            (1e-300, 4.0, 2, 1.25e-301),
        ] {
            let eta = StepSchedule::lecture_theorem_2(diameter, lipschitz, rounds).unwrap().eta(1);
            assert!((eta / expected - 1.0).abs() < 1e-14, "{eta} for {expected}");
        }
    }

    #[test]
    fn constants_that_are_not_positive_are_named() {
        let refused = |step: Result<StepSchedule, OcoError>, wanted: &str| {
            let Err(OcoError::Projection(ProjectionError::BadStep { name, .. })) = step else {
                unreachable!("{wanted}: {step:?}")
            };
            assert_eq!(name, wanted);
        };
        refused(StepSchedule::zinkevich(1.0, 0.0), "lipschitz");
        refused(StepSchedule::zinkevich(0.0, 1.0), "diameter");
        refused(StepSchedule::zinkevich(1e-300, 1e140), "step scale");
        refused(StepSchedule::lecture_theorem_2(1.0, 0.0, 9), "lipschitz");
        refused(StepSchedule::lecture_theorem_2(1.0, 1.0, 0), "rounds");
    }

    #[test]
    fn steps_that_are_not_positive_are_refused() {
        for (scale, exponent) in [(0.0, 0.5), (-1.0, 0.5), (f64::NAN, 0.5), (1.0, -0.1), (1.0, f64::INFINITY)]
        {
            assert!(StepSchedule::power(scale, exponent).is_err(), "{scale}, {exponent}");
        }
        assert!(
            StepSchedule::zinkevich(-1.0, -1.0).is_err()
                && StepSchedule::lecture_theorem_2(1.0, -1.0, 9).is_err()
                && StepSchedule::strongly_convex(0.0).is_err()
                && StepSchedule::strongly_convex(1e-310).is_err()
        );
    }
}
