//! The kernels of `agnostic.json` for a vote and for a round of an online booster.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::{Input, check_length};
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster, RandomisedMajority, Trace};
use oco_core::learners::Ogd;
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::{BoxSet, ProjectionError};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "randomized_majority" => randomized_majority,
        "online_round" => online_round,
        _ => return None,
    })
}

fn randomized_majority(input: &Input<'_>) -> Result<Value, Refusal> {
    let majority = RandomisedMajority::new(input.scalar("gamma")?)?;
    let z = majority.score(&labels(input, "votes")?)?;
    Ok(Value::object([("z", z.into()), ("prob_plus", RandomisedMajority::prob_plus(z).into())]))
}

fn online_round(input: &Input<'_>) -> Result<Value, Refusal> {
    let (gamma, outputs) = (input.scalar("gamma")?, labels(input, "outputs")?);
    let (y, etas) = (Label::named("y", input.scalar("y")?)?, input.vector("etas")?);
    check_length("etas", outputs.len(), etas.len())?;
    let learners = outputs.into_iter().map(Scripted).collect();
    let (x, mut untouched) = (Row::dense(&[0.0])?, ChaCha8Rng::seed_from_u64(0));
    match input.text("setting")? {
        "agnostic" => {
            let oco = GivenSteps::on([-1.0, 1.0], 1, etas)?;
            let mut booster = OnlineAgnosticBooster::new(learners, oco, gamma, &mut untouched)?;
            booster.round(x, y)?;
            Ok(inner(booster.trace(), "prob_true_label"))
        }
        "realizable" => {
            let oco = GivenSteps::on([0.0, 1.0], 1, etas)?;
            let mut booster = OnlineRealizableBooster::new(learners, oco, gamma, &mut untouched)?;
            booster.round(x, y)?;
            Ok(inner(booster.trace(), "prob_pass"))
        }
        _ => Err(Refusal::Malformed { key: "setting", wanted: "agnostic or realizable" }),
    }
}

fn inner(trace: &Trace, probability: &'static str) -> Value {
    Value::object([
        ("p", trace.p().into()),
        ("slopes", trace.slopes().into()),
        ("losses", trace.losses().collect::<Vec<f64>>().into()),
        ("p_next", trace.p_next().into()),
        ("z", trace.z().into()),
        ("prob_plus", trace.prob_plus().into()),
        (probability, trace.prob_true_label().into()),
    ])
}

fn labels(input: &Input<'_>, key: &'static str) -> Result<Vec<Label>, Refusal> {
    Ok(input.vector(key)?.into_iter().map(|value| Label::named(key, value)).collect::<Result<_, _>>()?)
}

/// A weak learner with a given output.
struct Scripted(Label);

impl OnlinePredictor<Label> for Scripted {
    fn shape(&self) -> Shape {
        Shape { inputs: 1, outputs: 1 }
    }

    fn predict(&mut self, _: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        y.fill(self.0.sign());
        Ok(())
    }

    fn accepts(&self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        Ok(())
    }

    fn update(&mut self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        Ok(())
    }
}

/// OGD from the middle of a cube with given steps.
pub(super) struct GivenSteps {
    ogd: Ogd<BoxSet>,
    etas: Vec<f64>,
    taken: usize,
}

impl GivenSteps {
    pub(super) fn on([lower, upper]: [f64; 2], dimension: usize, etas: Vec<f64>) -> Result<Self, OcoError> {
        // The steps of the case replace those of the schedule in every round.
        let schedule = StepSchedule::constant(1.0)?;
        let set = BoxSet::new(vec![lower; dimension], vec![upper; dimension])?;
        let middle = vec![0.5 * (lower + upper); dimension];
        Ok(Self { ogd: Ogd::starting_at(set, middle, schedule)?, etas, taken: 0 })
    }
}

impl OnlineLearner for GivenSteps {
    fn play(&self) -> &[f64] {
        self.ogd.play()
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let (argument, got) = ("etas", self.etas.len());
        let none_left = ProjectionError::LengthMismatch { argument, expected: self.taken + 1, got };
        let eta = *self.etas.get(self.taken).ok_or(none_left)?;
        self.ogd.observe_with_step(gradient, eta)?;
        self.taken += 1;
        Ok(())
    }

    fn reset(&mut self) {
        self.ogd.reset();
        self.taken = 0;
    }
}
