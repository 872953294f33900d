//! The kernel of `projection_free.json`.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::{Input, Matrix, check_length};
use oco_core::learners::Ogd;
use oco_core::losses::{LinearLoss, Loss};
use oco_core::projection_free::{OracleLearner, ProjectionFreeOco, StochasticGradient};
use oco_core::regret::LinearRegret;
use oco_core::{OnlineLearner, StepSchedule};
use projections::{AnySet, DecisionSet, ProjectionError, check_finite};
use rows::numeric::{exponent_above, scale, scale_down, scale_up};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "bh20_alg1" => bh20_alg1,
        _ => return None,
    })
}

fn bh20_alg1(input: &Input<'_>) -> Result<Value, Refusal> {
    let (losses, set, copies) = (losses(input)?, input.set("set")?, input.count("N")?);
    let (n, x_star) = (losses.dimension(), comparator(input, losses.dimension(), &input.set("set")?)?);
    let (beta, diameter) = (positive(input, "beta")?, positive(input, "D")?);
    let optimiser = Ogd::new(set.clone(), n, StepSchedule::constant(input.scalar("eta")?)?)?;
    let mut learner = ProjectionFreeOco::new((0..copies).map(|_| optimiser.clone()).collect(), set)?;
    let start = learner.partials().next().map(Value::from);
    let mut accounts = vec![LinearRegret::new(n)?; learner.learners().len()];
    let (mut excess, mut inner) = (LinearRegret::new(n)?, Inner::default());
    for mut loss in losses.rounds() {
        inner.iterates.push(learner.partials().collect());
        inner.plays.push(learner.learners().iter().map(OnlineLearner::play).collect());
        let plays: Vec<_> = learner.learners().iter().map(|a| a.play().to_vec()).collect();
        // ℓ(x) − ℓ(x*) = ⟨½(∇ℓ(x) + ∇ℓ(x*)), x − x*⟩ for symmetric A, without the cancellation of two large
        // losses.
        let slope = loss.gradient_at(&midpoint(learner.play(), &x_star))?;
        excess.record(&slope, &difference(learner.play(), &x_star))?;
        learner.observe(&mut loss)?;
        inner.gradients.push(learner.gradients().collect());
        for ((account, g), play) in accounts.iter_mut().zip(learner.gradients()).zip(&plays) {
            account.record(g, &difference(play, &x_star))?;
        }
    }
    let zero = vec![0.0; n];
    let regrets = accounts.iter().map(|a| a.against(&zero)).collect::<Result<Vec<_>, _>>()?;
    let largest = regrets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let factor = 2.0 * losses.count() / (f64::from(copies) + 1.0);
    Ok(Value::object([
        ("start", start.into()),
        ("iterates", inner.iterates.into()),
        ("plays", inner.plays.into()),
        ("gradients", inner.gradients.into()),
        ("learner_regret", regrets.into()),
        ("lhs", excess.against(&zero)?.into()),
        ("rhs", bound(factor, beta, diameter, largest).into()),
    ]))
}

/// factor·βD² + regret. Only the result needs to be in range: products are computed from mantissas in [½, 1)
/// and one power of two, and the sum in a unit in which it does not overflow.
fn bound(factor: f64, beta: f64, diameter: f64, regret: f64) -> f64 {
    let ((b, b_exponent), (d, d_exponent)) = (split(beta), split(diameter));
    let (product, exponent) = (factor * b * d * d, b_exponent + 2 * d_exponent);
    let large = exponent_above(product) + exponent > 1020;
    let (shift, unit) = if large { (exponent - 4, 4) } else { (exponent, 0) };
    scale_up(scale(product, shift) + scale_down(regret, unit), unit)
}

/// v = m·2^e with m in [½, 1), subnormal numbers included.
fn split(v: f64) -> (f64, i32) {
    let lift = if v.is_normal() { 0 } else { 100 };
    let e = exponent_above(scale(v, lift));
    (scale(scale(v, lift), -e), e - lift)
}

/// The losses of all rounds.
struct Losses {
    a: Vec<Matrix>,
    b: Matrix,
}

fn losses(input: &Input<'_>) -> Result<Losses, Refusal> {
    let (a, b) = (input.matrices("A")?, input.matrix("b")?);
    check_length("A", b.rows().len(), a.len())?;
    for a in &a {
        check_length("A", b.width(), a.rows().len())?;
        check_length("A", b.width(), a.width())?;
        a.rows().iter().try_for_each(|row| check_finite("A", row))?;
    }
    b.rows().iter().try_for_each(|row| check_finite("b", row))?;
    a.iter().try_for_each(check_symmetric)?;
    Ok(Losses { a, b })
}

/// Checks A = Aᵀ up to rounding.
fn check_symmetric(a: &Matrix) -> Result<(), Refusal> {
    let rows = a.rows();
    let largest = rows.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
    for (i, row) in rows.iter().enumerate() {
        for (upper, column) in row.iter().zip(rows) {
            let half = 0.5 * upper - 0.5 * column[i];
            if half.abs() > 1e-9 * largest {
                let (name, domain) = ("A", "symmetric matrices, A_ij − A_ji = 0");
                return Err(ProjectionError::BadParameter { name, value: 2.0 * half, domain }.into());
            }
        }
    }
    Ok(())
}

impl Losses {
    fn dimension(&self) -> usize {
        self.b.width()
    }

    #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
    fn count(&self) -> f64 {
        self.a.len() as f64
    }

    fn rounds(&self) -> impl Iterator<Item = Quadratic<'_>> {
        self.a.iter().zip(self.b.rows()).map(|(a, b)| Quadratic { a, b })
    }
}

/// ℓ(x) = ½xᵀAx + bᵀx, through its gradient Ax + b.
struct Quadratic<'a> {
    a: &'a Matrix,
    b: &'a [f64],
}

impl Quadratic<'_> {
    /// Each coordinate as one inner product ⟨(row, b_j), (x, 1)⟩, whose terms may overflow even if the
    /// product does not.
    fn gradient_at(&self, x: &[f64]) -> Result<Vec<f64>, Refusal> {
        let x: Vec<f64> = x.iter().copied().chain([1.0]).collect();
        let rows = self.a.rows().iter().zip(self.b);
        rows.map(|(row, b)| {
            let row: Vec<f64> = row.iter().chain([b]).copied().collect();
            Ok(LinearLoss::new(&row)?.value(&x))
        })
        .collect()
    }
}

impl StochasticGradient for Quadratic<'_> {
    fn dimension(&self) -> usize {
        self.b.len()
    }

    fn draw(&mut self) {}

    fn gradient(&mut self, x: &[f64], g: &mut [f64]) {
        // The matrices are finite, so this never fails.
        if let Ok(gradient) = self.gradient_at(x) {
            g.copy_from_slice(&gradient);
        }
    }
}

/// The inner quantities of the rounds.
#[derive(Default)]
struct Inner {
    iterates: Vec<Value>,
    plays: Vec<Value>,
    gradients: Vec<Value>,
}

/// x* ∈ K.
fn comparator(input: &Input<'_>, n: usize, set: &AnySet) -> Result<Vec<f64>, Refusal> {
    let x_star = input.vector("x_star")?;
    check_finite("x_star", &x_star)?;
    check_length("x_star", n, x_star.len())?;
    set.check_dimension(n)?;
    let size = x_star.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
    if !set.contains(&x_star, 1e-9 * size) {
        return Err(ProjectionError::OutsideSet { argument: "x_star" }.into());
    }
    Ok(x_star)
}

fn positive(input: &Input<'_>, name: &'static str) -> Result<f64, Refusal> {
    let value = input.scalar(name)?;
    check_finite(name, &[value])?;
    if value <= 0.0 {
        return Err(ProjectionError::BadParameter { name, value, domain: "(0, ∞)" }.into());
    }
    Ok(value)
}

fn midpoint(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| 0.5 * a + 0.5 * b).collect()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::bound;

    /// Every order of the plain product overflows or underflows in one of these cases.
    #[test]
    fn the_bound_is_right_wherever_it_is_representable() {
        let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-12, "{got} for {want}");
        near(bound(6.0, 1e308, 1e-10, 0.0), 6e288);
        // The least subnormal number is 2^−1074 and not 5·10^−324.
        near(bound(4.0 / 3.0, 5e-324, 1e160, 0.0), 4.0 / 3.0 * (5e-324 * 1e160) * 1e160);
        near(bound(2.0, 1e-300, 1e300, 1.0), 2e300);
        near(bound(2.0, 1e300, 1e-300, 3.0), 3.0);
        near(bound(3.0, 0.5, 1e154, -1e308), 5e307);
        near(bound(3.0, 1.0, 1e154, -1.5e308), 1.5e308);
        near(bound(0.5, 6.0, 2.0, 1.25), 13.25);
        assert_eq!(bound(2.0, 1e300, 1e300, 0.0), f64::INFINITY);
    }
}
