//! The ℓ1-regularised projection onto the hypercube [NP14, Algorithm 2].

use crate::error::check_length;
use crate::{ProjectionError, check_finite};

/// z ← argmin ‖y − z‖² + αη‖y‖₁ over y ∈ \[0, 1\]ⁿ, that is clip(z − αη/2, 0, 1): the step that makes the
/// weights of `SparseBoost` sparse [NP14, Algorithm 2]. O(n).
///
/// Errors: [`ProjectionError::NotFinite`], [`ProjectionError::Empty`], [`ProjectionError::BadParameter`] for
/// α < 0, [`ProjectionError::BadStep`] for η ≤ 0; a refused `z` is unchanged.
///
/// ```
/// let mut z = [0.25, 0.5, 2.0];
/// projections::project_l1_box(&mut z, 0.5, 1.0)?;
/// assert_eq!(z, [0.0, 0.25, 1.0]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
pub fn project_l1_box(z: &mut [f64], alpha: f64, eta: f64) -> Result<(), ProjectionError> {
    check_finite("z", z)?;
    check_finite("alpha", &[alpha])?;
    check_finite("eta", &[eta])?;
    check_length("z", None, z.len())?;
    if !(alpha >= 0.0) {
        return Err(ProjectionError::BadParameter { name: "alpha", value: alpha, domain: "[0, inf)" });
    }
    if !(eta > 0.0) {
        return Err(ProjectionError::BadStep { name: "eta", value: eta });
    }
    // An infinite threshold exceeds every z, and so does the exact one.
    let threshold = (0.5 * alpha) * eta;
    z.iter_mut().for_each(|v| *v = (*v - threshold).clamp(0.0, 1.0));
    Ok(())
}
