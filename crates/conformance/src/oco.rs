//! The kernels of `oco.json`.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::{Input, check_length};
use oco_core::learners::{LazyOgd, Ogd};
use oco_core::regret::LinearRegret;
use oco_core::{OnlineLearner, StepSchedule};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "lazy_ogd" => lazy_ogd,
        "ogd" => ogd,
        "linear_regret" => linear_regret,
        _ => return super::mirror_descent::kernel(name),
    })
}

fn lazy_ogd(input: &Input<'_>) -> Result<Value, Refusal> {
    let gradients = input.matrix("gradients")?;
    let mut learner = LazyOgd::new(input.set("set")?, gradients.width(), input.scalar("eta")?)?;
    let mut x = vec![Value::from(learner.play())];
    for g in gradients.rows() {
        learner.observe(g)?;
        x.push(learner.play().into());
    }
    Ok(Value::object([("x", x.into())]))
}

fn ogd(input: &Input<'_>) -> Result<Value, Refusal> {
    let gradients = input.matrix("gradients")?;
    let (x1, etas) = (input.vector("x1")?, input.vector("etas")?);
    check_length("x1", gradients.width(), x1.len())?;
    check_length("etas", gradients.rows().len(), etas.len())?;
    // The steps of the case replace those of the schedule in every round.
    let mut learner = Ogd::starting_at(input.set("set")?, x1, StepSchedule::constant(1.0)?)?;
    let mut x = vec![Value::from(learner.play())];
    for (g, eta) in gradients.rows().iter().zip(etas) {
        learner.observe_with_step(g, eta)?;
        x.push(learner.play().into());
    }
    Ok(Value::object([("x", x.into())]))
}

fn linear_regret(input: &Input<'_>) -> Result<Value, Refusal> {
    let (gradients, plays) = (input.matrix("gradients")?, input.matrix("plays")?);
    check_length("plays", gradients.rows().len(), plays.rows().len())?;
    let mut account = LinearRegret::new(gradients.width())?;
    for (g, x) in gradients.rows().iter().zip(plays.rows()) {
        account.record(g, x)?;
    }
    let regret = account.regret(&input.set("set")?)?;
    Ok(Value::object([
        ("comparator", regret.comparator.into()),
        ("comparator_loss", regret.comparator_loss.into()),
        ("total_loss", regret.learner_loss.into()),
        ("regret", regret.value.into()),
    ]))
}
