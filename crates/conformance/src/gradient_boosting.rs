//! The kernels of `gradient_boosting.json`.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::{Input, Matrix, check_length};
use boosters::gradient::{
    BanditGradientBoosting, OgdBaseline, OnlineGradientBoosting, Queries, SpanBoosting,
};
use oco_core::StepSchedule;
use oco_core::losses::{Loss, SquaredLoss};
use projections::{ProjectionError, check_finite};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use weak_learners::{FkmLinear, FullInformationPredictor, OgdLinear, Shape};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "online_boosting" => online_boosting,
        "bandit_boosting" => bandit_boosting,
        "nfkm" => nfkm,
        "ogd_linear" => ogd_linear,
        "span_boosting" => span_boosting,
        _ => return None,
    })
}

fn online_boosting(input: &Input<'_>) -> Result<Value, Refusal> {
    let examples = Examples::read(input)?;
    let (learners, set) = (examples.weak_learners(input)?, input.set("y_set")?);
    let mut booster = OnlineGradientBoosting::new(learners, set, input.scalar("gamma")?)?;
    let (mut played, mut inner) = (Played::default(), Inner::default());
    for round in examples.rounds() {
        let (x, loss) = round?;
        played.record(&loss, booster.round(x, &loss)?);
        inner.record(booster.trace());
    }
    Ok(boosted(played, inner, booster.learners()))
}

fn bandit_boosting(input: &Input<'_>) -> Result<Value, Refusal> {
    let examples = Examples::read(input)?;
    let (learners, set) = (examples.weak_learners(input)?, input.set("y_set")?);
    let queries = Queries { delta: input.scalar("delta")?, rng: untouched_stream() };
    let mut booster = BanditGradientBoosting::new(learners, set, input.scalar("gamma")?, queries)?;
    let answers = Answers::read(input, &examples)?;
    let (mut played, mut inner) = (Played::default(), Inner::default());
    for (round, (vectors, noise)) in examples.rounds().zip(answers.rounds()) {
        let (x, loss) = round?;
        let (mut vectors, mut noise) = (vectors.rows().iter(), noise.iter());
        booster.round_with(x, &mut |y| noisy(&loss, y, noise.next()), |_, v| give(vectors.next(), v))?;
        played.record(&loss, booster.played());
        inner.record(booster.trace());
    }
    Ok(boosted(played, inner, booster.learners()))
}

/// The outputs of both boosters over the hull.
fn boosted(played: Played, inner: Inner, learners: &[OgdLinear]) -> Value {
    Value::object([
        ("predictions", played.predictions.into()),
        ("partials", inner.partials.into()),
        ("weak_predictions", inner.weak_predictions.into()),
        ("gradients", inner.gradients.into()),
        ("weights", learners.iter().map(weights).collect()),
        ("average_loss", played.average_loss.into()),
    ])
}

fn nfkm(input: &Input<'_>) -> Result<Value, Refusal> {
    let examples = Examples::read(input)?;
    let (schedule, radius) = (schedule(input)?, input.scalar("B")?);
    let (set, delta, n) = (input.set("y_set")?, input.scalar("delta")?, input.count("N")?);
    let mut learner = FkmLinear::new(examples.shape(), set, schedule, radius, delta, n, untouched_stream())?;
    let answers = Answers::read(input, &examples)?;
    let (mut played, mut gradients) = (Played::default(), Vec::new());
    for (round, (vectors, noise)) in examples.rounds().zip(answers.rounds()) {
        let (x, loss) = round?;
        let (mut vectors, mut noise) = (vectors.rows().iter(), noise.iter());
        learner.round_with(x, &mut |y| noisy(&loss, y, noise.next()), |_, v| give(vectors.next(), v))?;
        played.record(&loss, learner.played());
        gradients.push(Value::from(learner.gradient()));
    }
    Ok(Value::object([
        ("predictions", played.predictions.into()),
        ("gradients", gradients.into()),
        ("weights", weights(learner.model())),
        ("average_loss", played.average_loss.into()),
    ]))
}

fn ogd_linear(input: &Input<'_>) -> Result<Value, Refusal> {
    let examples = Examples::read(input)?;
    let (set, radius) = (input.set("y_set")?, input.scalar("B")?);
    let mut baseline = OgdBaseline::new(examples.shape(), set, schedule(input)?, radius)?;
    let mut played = Played::default();
    for round in examples.rounds() {
        let (x, loss) = round?;
        played.record(&loss, baseline.round(x, &loss)?);
    }
    Ok(Value::object([
        ("predictions", played.predictions.into()),
        ("weights", weights(baseline.model())),
        ("average_loss", played.average_loss.into()),
    ]))
}

fn span_boosting(input: &Input<'_>) -> Result<Value, Refusal> {
    let examples = Examples::read(input)?;
    let (learners, set, alphas) =
        (examples.weak_learners(input)?, input.set("y_set")?, input.vector("alphas")?);
    // The steps of the case replace those of the schedule in every round.
    let mut booster = SpanBoosting::new(learners, set, input.scalar("eta")?, StepSchedule::constant(1.0)?)?;
    check_length("alphas", examples.x.rows().len(), alphas.len())?;
    let mut played = Played::default();
    for (round, alpha) in examples.rounds().zip(alphas) {
        let (x, loss) = round?;
        played.record(&loss, booster.round_with(x, &loss, alpha)?);
    }
    Ok(Value::object([
        ("predictions", played.predictions.into()),
        ("shrinkage", booster.shrinkage().into()),
        ("weights", booster.learners().iter().map(weights).collect()),
        ("average_loss", played.average_loss.into()),
    ]))
}

/// The examples of the rounds: X and the targets have the same number of rows.
struct Examples {
    x: Matrix,
    targets: Matrix,
}

impl Examples {
    fn read(input: &Input<'_>) -> Result<Self, Refusal> {
        let (x, targets) = (input.matrix("X")?, input.matrix("targets")?);
        check_length("targets", x.rows().len(), targets.rows().len())?;
        Ok(Self { x, targets })
    }

    fn shape(&self) -> Shape {
        Shape { inputs: self.x.width(), outputs: self.targets.width() }
    }

    fn weak_learners(&self, input: &Input<'_>) -> Result<Vec<OgdLinear>, Refusal> {
        let learner = OgdLinear::new(self.shape(), schedule(input)?, input.scalar("B")?)?;
        Ok((0..input.count("N")?).map(|_| learner.clone()).collect())
    }

    fn rounds(&self) -> impl Iterator<Item = Result<(Row<'_>, SquaredLoss<'_>), Refusal>> {
        let rounds = self.x.rows().iter().zip(self.targets.rows());
        rounds.map(|(x, target)| Ok((Row::dense(x)?, SquaredLoss::new(target)?)))
    }
}

fn schedule(input: &Input<'_>) -> Result<StepSchedule, Refusal> {
    Ok(StepSchedule::power(input.scalar("lr")?, input.scalar("c")?)?)
}

/// The directions of a bandit learner and the noise on its answers: N of each per round.
struct Answers {
    vectors: Vec<Matrix>,
    noise: Matrix,
}

impl Answers {
    fn read(input: &Input<'_>, examples: &Examples) -> Result<Self, Refusal> {
        let (vectors, noise, n) =
            (input.matrices("vectors")?, input.matrix("noise")?, input.count("N")? as usize);
        check_length("vectors", examples.x.rows().len(), vectors.len())?;
        check_length("noise", examples.x.rows().len(), noise.rows().len())?;
        check_length("noise", n, noise.width())?;
        for of_round in &vectors {
            check_length("vectors", n, of_round.rows().len())?;
            check_length("vectors", examples.targets.width(), of_round.width())?;
            of_round.rows().iter().try_for_each(|v| check_unit(v))?;
        }
        Ok(Self { vectors, noise })
    }

    fn rounds(&self) -> impl Iterator<Item = (&Matrix, &[f64])> {
        self.vectors.iter().zip(self.noise.rows().iter().map(Vec::as_slice))
    }
}

fn check_unit(v: &[f64]) -> Result<(), ProjectionError> {
    check_finite("vectors", v)?;
    let norm = v.iter().fold(0.0_f64, |norm, v| norm.hypot(*v));
    if (norm - 1.0).abs() <= 1e-9 {
        return Ok(());
    }
    Err(ProjectionError::BadParameter { name: "norm of a direction", value: norm, domain: "1 ± 1e-9" })
}

/// The next direction of the round. `Answers` holds one per query; a learner with too many queries gets NaN
/// and is refused.
fn give(direction: Option<&Vec<f64>>, v: &mut [f64]) {
    match direction {
        Some(direction) => v.copy_from_slice(direction),
        None => v.fill(f64::NAN),
    }
}

/// The answer to the next query of the round; NaN to a query too many, as in [`give`].
fn noisy(loss: &SquaredLoss<'_>, y: &[f64], noise: Option<&f64>) -> f64 {
    loss.value(y) + noise.copied().unwrap_or(f64::NAN)
}

/// A random stream for learners with given draws.
fn untouched_stream() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(0)
}

/// The plays of the rounds and the running mean of their losses, which overflows only if the mean does.
#[derive(Default)]
struct Played {
    predictions: Vec<Value>,
    average_loss: f64,
}

impl Played {
    fn record(&mut self, loss: &SquaredLoss<'_>, y: &[f64]) {
        self.predictions.push(y.into());
        #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
        let t = self.predictions.len() as f64;
        self.average_loss += (loss.value(y) - self.average_loss) / t;
    }
}

/// The inner quantities of the rounds.
#[derive(Default)]
struct Inner {
    partials: Vec<Value>,
    weak_predictions: Vec<Value>,
    gradients: Vec<Value>,
}

impl Inner {
    fn record(&mut self, trace: &boosters::gradient::Trace) {
        self.partials.push(trace.partials().collect());
        self.weak_predictions.push(trace.weak_predictions().collect());
        self.gradients.push(trace.gradients().collect());
    }
}

fn weights(model: &OgdLinear) -> Value {
    model.weights().row_iter().map(|row| row.iter().copied().collect::<Value>()).collect()
}
