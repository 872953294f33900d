//! The linear weak learner: online gradient descent on linear losses.

use crate::error::check_magnitudes;
use crate::error::check_output;
use crate::predictor::check_shape;
use crate::weight_matrix::WeightMatrix;
use crate::{LearnerError, OnlinePredictor, Shape};
use nalgebra::DMatrix;
use oco_core::StepSchedule;
use projections::ProjectionError;
use rows::Row;
use serde::{Deserialize, Serialize};

/// A linear model A(x) = Wx, W ∈ R^{d×m}, that learns a linear loss g·(Wx) by projected OGD:
/// V = W − η_t g xᵀ, W ← V·min(1, B/‖V‖_F), with η_t = lr·t^(−c) \[BH20, Appendix E\].
///
/// *Guarantee* \[Z03\]: OGD on {‖W‖_F ≤ B}, so with a constant step Σ⟨g_t, A(x_t)⟩ − ⟨g_t, Ux_t⟩ ≤
/// ‖U‖²/(2η) + (η/2)Σ‖g_t‖²‖x_t‖² for every ‖U‖_F ≤ B and every prefix (asserted in `tests/ogd_linear.rs`).
/// *Cost:* O(d·stored values of x) a round, whatever m is, because W is kept as scale × matrix with its norm;
/// no allocation. *Errors:* a row or a gradient of the wrong dimension or not finite; W is then unchanged.
///
/// ```
/// use oco_core::StepSchedule;
/// use rows::Row;
/// use weak_learners::{OgdLinear, OnlinePredictor, Shape};
/// let shape = Shape { inputs: 2, outputs: 1 };
/// let mut learner = OgdLinear::new(shape, StepSchedule::power(0.5, 0.5)?, 1.0)?;
/// let x = Row::dense(&[3.0, 4.0])?;
/// learner.update(x, &[-1.0])?;
/// // W = 0.5·xᵀ has norm 2.5 and is scaled back to norm 1, so Wx = ‖x‖.
/// let mut y = [0.0];
/// learner.predict(x, &mut y)?;
/// assert!((y[0] - 5.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct OgdLinear {
    state: State,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    schedule: StepSchedule,
    radius: f64,
    /// W = scale·directions.
    directions: WeightMatrix,
    scale: f64,
    /// ‖directions‖_F², updated incrementally, and a bound on its rounding error.
    norm_squared: f64,
    norm_error: f64,
    t: u64,
}

/// Within these limits squares neither overflow nor vanish; outside, [`State::careful_step`] takes over.
const LARGEST_SQUARE: f64 = 1e300;
const SMALLEST_RADIUS: f64 = 1e-140;
/// Below this scale the matrix is rescaled, long before an underflow.
const SMALLEST_SCALE: f64 = 1e-100;
/// The relative rounding error of ‖W‖² above which a projection sums the norm afresh.
const NORM_TOLERANCE: f64 = 1e-11;
/// The absolute error of a sum of squares that underflow.
const VANISHING: f64 = 1e-310;
/// W = 0 and a step whose logarithm is below this: the largest entry of the sum rounds to 0.
const LEAST_LOGARITHM: f64 = -1000.0;

impl OnlinePredictor<[f64]> for OgdLinear {
    fn shape(&self) -> Shape {
        Shape { inputs: self.state.directions.inputs(), outputs: self.state.directions.outputs() }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, y.len())?;
        let State { directions, scale, .. } = &self.state;
        if let [y] = y {
            *y = scale * x.dot(directions.as_slice());
            return Ok(());
        }
        y.fill(0.0);
        let (d, weights) = (y.len(), directions.as_slice());
        x.for_each(|j, x_j| {
            for (y, w) in y.iter_mut().zip(&weights[j * d..(j + 1) * d]) {
                *y += x_j * w;
            }
        });
        y.iter_mut().for_each(|y| *y *= scale);
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, g: &[f64]) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, self.shape().outputs)?;
        check_output("gradient", g, self.shape().outputs)
    }

    fn update(&mut self, x: Row<'_>, g: &[f64]) -> Result<(), LearnerError> {
        self.accepts(x, g)?;
        self.state.descend(x, g);
        self.state.t = self.state.t.saturating_add(1);
        Ok(())
    }
}

impl OgdLinear {
    /// W = 0, with the steps of `schedule` and the radius B > 0 of the ball that W stays in.
    ///
    /// # Errors
    /// A shape with a zero, or with more weights than [`projections::filled`] allows; a radius outside (0,
    /// 1e140].
    pub fn new(shape: Shape, schedule: StepSchedule, radius: f64) -> Result<Self, LearnerError> {
        let directions = WeightMatrix::zeros(shape.outputs, shape.inputs)?;
        State { schedule, radius, directions, scale: 1.0, norm_squared: 0.0, norm_error: 0.0, t: 1 }
            .try_into()
    }

    /// W, written out.
    pub fn weights(&self) -> DMatrix<f64> {
        let Shape { inputs, outputs } = self.shape();
        DMatrix::from_column_slice(outputs, inputs, self.state.directions.as_slice()) * self.state.scale
    }

    /// W as scale × matrix, the matrix by columns.
    pub(crate) fn factors(&self) -> (f64, &[f64]) {
        (self.state.scale, self.state.directions.as_slice())
    }

    /// B.
    pub fn radius(&self) -> f64 {
        self.state.radius
    }

    /// Updates taken so far.
    pub fn updates(&self) -> u64 {
        self.state.t - 1
    }
}

impl State {
    /// V = W − η_t g xᵀ and the projection, in O(d·stored values).
    fn descend(&mut self, x: Row<'_>, g: &[f64]) {
        let eta = self.schedule.eta(self.t);
        let step = eta / self.scale;
        let step_squared = g.iter().map(|g| (step * g) * (step * g)).sum::<f64>() * x.norm_squared();
        // Rounding may leave a carried norm below 0.
        let largest = 2.0 * (self.norm_squared.max(0.0) + step_squared);
        // Also for a sum of NaN (0·∞).
        if !(largest < LARGEST_SQUARE) || self.radius < SMALLEST_RADIUS {
            return self.careful_step(eta, x, g);
        }
        if let [g] = g {
            self.norm_squared += x.axpy_norm_change(-step * g, self.directions.as_mut_slice());
        } else {
            let (d, weights) = (g.len(), self.directions.as_mut_slice());
            let mut change = 0.0;
            x.for_each(|j, x_j| {
                for (w, g) in weights[j * d..(j + 1) * d].iter_mut().zip(g) {
                    let step = -step * g * x_j;
                    change += step * (2.0 * *w + step);
                    *w += step;
                }
            });
            self.norm_squared += change;
        }
        self.norm_error += 16.0 * f64::EPSILON * largest;
        self.project();
    }

    /// W ← W·min(1, B/‖W‖), by changing the scale.
    fn project(&mut self) {
        let limit = (self.radius / self.scale) * (self.radius / self.scale);
        if self.norm_squared + self.norm_error <= limit {
            return;
        }
        if self.norm_error > NORM_TOLERANCE * self.norm_squared {
            self.sum_norm();
        }
        if self.norm_squared > limit {
            self.scale = self.radius / self.norm_squared.sqrt();
            if self.scale < SMALLEST_SCALE {
                self.directions.scale(self.scale);
                self.scale = 1.0;
                self.sum_norm();
            }
        }
    }

    /// ‖directions‖_F, without overflow or underflow of squares.
    fn norm(&self) -> f64 {
        let weights = self.directions.as_slice();
        let peak = largest(weights);
        if peak == 0.0 {
            return 0.0;
        }
        peak * weights.iter().map(|w| (w / peak) * (w / peak)).sum::<f64>().sqrt()
    }

    fn sum_norm(&mut self) {
        self.norm_squared = rows::dot(self.directions.as_slice(), self.directions.as_slice()).min(f64::MAX);
        self.norm_error = f64::EPSILON * self.norm_squared;
    }

    /// The same step for squares beyond the range of doubles: everything is first divided by the largest
    /// entry of η g xᵀ, by its logarithm. O(d·m); for extreme input only.
    fn careful_step(&mut self, eta: f64, x: Row<'_>, g: &[f64]) {
        let (g_max, x_max) = (largest(g), largest(x.values()));
        self.directions.scale(self.scale);
        self.scale = 1.0;
        // A step of 0 has no logarithm, and one below every double moves nothing.
        if eta > 0.0 && g_max > 0.0 && x_max > 0.0 {
            let w_max = largest(self.directions.as_slice());
            let log_step = eta.ln() + g_max.ln() + x_max.ln();
            let unit = log_step.max(w_max.ln());
            if unit < LEAST_LOGARITHM {
                return self.sum_norm();
            }
            let step = (log_step - unit).exp();
            // W·e^(−unit), in two factors, neither of which overflows.
            let half = (-0.5 * unit).exp();
            let (d, weights) = (g.len(), self.directions.as_mut_slice());
            weights.iter_mut().for_each(|w| *w = *w * half * half);
            x.for_each(|j, x_j| {
                for (w, g) in weights[j * d..(j + 1) * d].iter_mut().zip(g) {
                    *w -= step * (g / g_max) * (x_j / x_max);
                }
            });
            // Entries are now at most 2 in size, so their squares are safe.
            let norm = self.norm();
            let back = if norm == 0.0 { 0.0 } else { (unit + norm.ln()).min(self.radius.ln()) - norm.ln() };
            let half = (0.5 * back).exp();
            self.directions.as_mut_slice().iter_mut().for_each(|w| *w = *w * half * half);
        }
        self.sum_norm();
    }
}

/// max|v|.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, v| largest.max(v.abs()))
}

impl From<OgdLinear> for State {
    fn from(learner: OgdLinear) -> Self {
        learner.state
    }
}

impl TryFrom<State> for OgdLinear {
    type Error = LearnerError;

    fn try_from(state: State) -> Result<Self, LearnerError> {
        let State { radius, directions, scale, norm_squared, norm_error, t, .. } = &state;
        let numbers =
            [("radius", *radius), ("scale", *scale), ("norm", *norm_squared), ("norm error", *norm_error)];
        for (argument, value) in numbers {
            projections::check_finite(argument, &[value])?;
        }
        check_magnitudes("radius", &[*radius])?;
        if *radius <= 0.0 {
            return Err(ProjectionError::BadRadius { name: "radius", value: *radius }.into());
        }
        // A run starts at 1 and lowers it.
        if !(*scale > 0.0 && *scale <= 1.0) {
            return Err(LearnerError::BadParameter { name: "scale", value: *scale, domain: "(0, 1]" });
        }
        if *t == 0 {
            return Err(LearnerError::BadParameter { name: "round", value: 0.0, domain: "t ≥ 1" });
        }
        let summed = rows::dot(directions.as_slice(), directions.as_slice()).min(f64::MAX);
        // The projection depends on the carried norm and its error. A round leaves an error of at most the
        // square of the ball, because a larger one makes `project` sum the norm afresh; it may exceed a norm
        // that has fallen since.
        let limit = (radius / scale) * (radius / scale);
        let tolerance = 1e-6 * summed + VANISHING;
        if *norm_error < 0.0 || *norm_error > limit * (1.0 + 1e-6) + tolerance {
            let domain = "[0, (B/scale)²]";
            return Err(LearnerError::BadParameter { name: "norm error", value: *norm_error, domain });
        }
        if (summed - norm_squared).abs() > norm_error + tolerance {
            let domain = "the sum of squares of the directions, up to the norm error";
            return Err(LearnerError::BadParameter { name: "norm", value: *norm_squared, domain });
        }
        // Not from the saved square, which has no digits for a radius of 1e-160. A weight below 2.2e-308 is
        // rounded by up to half of 4.9e-324.
        let rounding = (directions.as_slice().len() as f64).sqrt() * f64::from_bits(1);
        let norm = state.norm() * scale;
        if norm > radius * (1.0 + 1e-6) + rounding {
            return Err(LearnerError::BadParameter { name: "norm", value: norm, domain: "‖W‖ ≤ B" });
        }
        Ok(Self { state })
    }
}
