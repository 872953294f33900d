//! The kernel of `projection_free.json`.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::{Input, Matrix, check_length};
use oco_core::{
    LinearLoss, LinearRegret, Loss, Ogd, OnlineLearner, OracleLearner, ProjectionFreeOco, StepSchedule,
    StochasticGradient,
};
use projections::{AnySet, DecisionSet, ProjectionError, check_finite};

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
        // ℓ(x) − ℓ(x*) = ⟨½(∇ℓ(x) + ∇ℓ(x*)), x − x*⟩ for symmetric A, without the cancellation of two large losses.
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
    let (t, n_copies) = (losses.count(), f64::from(copies));
    Ok(Value::object([
        ("start", start.into()),
        ("iterates", inner.iterates.into()),
        ("plays", inner.plays.into()),
        ("gradients", inner.gradients.into()),
        ("learner_regret", regrets.into()),
        ("lhs", excess.against(&zero)?.into()),
        ("rhs", (2.0 * t / (n_copies + 1.0) * beta * diameter * diameter + largest).into()),
    ]))
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
    Ok(Losses { a, b })
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
    /// Each coordinate as one inner product ⟨(row, b_j), (x, 1)⟩, whose terms may leave the range although it does not.
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
        // The matrices are known to be finite, so nothing is refused.
        if let Ok(gradient) = self.gradient_at(x) {
            g.copy_from_slice(&gradient);
        }
    }
}

/// What happened inside the rounds.
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
