//! The kernels of `oco.json` for COMID, AdaGrad, Perceptron and Winnow.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::{Input, check_length};
use oco_core::learners::{AdaGrad, Comid, Perceptron, Winnow};
use oco_core::{OcoError, OnlineLearner};
use projections::BoxSet;
use rows::Row;

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "comid_l1" => comid_l1,
        "adagrad_box" => adagrad_box,
        "perceptron" => perceptron,
        "winnow" => winnow,
        _ => return None,
    })
}

fn comid_l1(input: &Input<'_>) -> Result<Value, Refusal> {
    let (eta, lambda) = (input.scalar("eta")?, input.scalar("lambda")?);
    let x1 = input.vector("x1")?;
    // A missing bound is the largest double.
    let side = |key, far| if input.has(key) { input.vector(key) } else { Ok(vec![far; x1.len()]) };
    let bounds = if input.has("lower") || input.has("upper") {
        Some(BoxSet::new(side("lower", -f64::MAX)?, side("upper", f64::MAX)?)?)
    } else {
        None
    };
    let mut learner = Comid::starting_at(bounds, x1, eta, lambda)?;
    Ok(Value::object([("x", plays(input, &mut learner)?)]))
}

fn adagrad_box(input: &Input<'_>) -> Result<Value, Refusal> {
    let mut learner = AdaGrad::starting_at(bounds(input)?, input.vector("x1")?, input.scalar("D")?)?;
    let x = plays(input, &mut learner)?;
    Ok(Value::object([("x", x), ("accumulator", learner.sums_of_squares().collect())]))
}

fn bounds(input: &Input<'_>) -> Result<BoxSet, Refusal> {
    Ok(BoxSet::new(input.vector("lower")?, input.vector("upper")?)?)
}

/// x_1..x_{T+1}.
fn plays(input: &Input<'_>, learner: &mut dyn OnlineLearner) -> Result<Value, Refusal> {
    let gradients = input.matrix("gradients")?;
    check_length("gradients", learner.play().len(), gradients.width())?;
    let mut x = vec![Value::from(learner.play())];
    for g in gradients.rows() {
        learner.observe(g)?;
        x.push(learner.play().into());
    }
    Ok(x.into())
}

fn perceptron(input: &Input<'_>) -> Result<Value, Refusal> {
    let mut perceptron = Perceptron::new(input.matrix("X")?.width())?;
    let mut w = vec![Value::from(perceptron.weights())];
    let mistakes = mistakes(input, |x, y| {
        let mistaken = perceptron.observe(x, y)?;
        w.push(perceptron.weights().into());
        Ok(mistaken)
    })?;
    Ok(learnt(w, mistakes))
}

fn winnow(input: &Input<'_>) -> Result<Value, Refusal> {
    let mut winnow = Winnow::new(input.matrix("X")?.width(), input.scalar("eta")?)?;
    let mut w = vec![Value::from(winnow.weights())];
    let mistakes = mistakes(input, |x, y| {
        let mistaken = winnow.observe(x, y)?;
        w.push(winnow.weights().into());
        Ok(mistaken)
    })?;
    Ok(learnt(w, mistakes))
}

/// Whether each example was a mistake.
fn mistakes(
    input: &Input<'_>,
    mut observe: impl FnMut(Row<'_>, f64) -> Result<bool, OcoError>,
) -> Result<Vec<bool>, Refusal> {
    let (examples, labels) = (input.matrix("X")?, input.vector("y")?);
    check_length("y", examples.rows().len(), labels.len())?;
    examples.rows().iter().zip(labels).map(|(x, y)| Ok(observe(Row::dense(x)?, y)?)).collect()
}

fn learnt(w: Vec<Value>, mistakes: Vec<bool>) -> Value {
    let count: i64 = mistakes.iter().map(|mistaken| i64::from(*mistaken)).sum();
    Value::object([("w", w.into()), ("mistakes", mistakes.into()), ("n_mistakes", count.into())])
}
