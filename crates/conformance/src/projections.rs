//! The kernels of `projections.json`.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::Input;
use oco_core::losses::{LinearLoss, Loss};
use projections::{
    Euclidean, LinearMinimisation, NegativeEntropy, PNorm, Projection, Regulariser, Simplex, Then, UnitBox,
    check_finite, project_l1_box,
};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "project_euclidean" => project_euclidean,
        "project_entropic" => project_entropic,
        "double_projection" => double_projection,
        "l1_box_projection" => l1_box_projection,
        "bregman" => bregman,
        "lmo" => lmo,
        _ => return None,
    })
}

fn project_euclidean(input: &Input<'_>) -> Result<Value, Refusal> {
    let (set, mut y) = (input.set("set")?, input.vector("y")?);
    Projection::<Euclidean>::project(&set, &mut y)?;
    Ok(Value::object([("x", y.into())]))
}

fn project_entropic(input: &Input<'_>) -> Result<Value, Refusal> {
    let (set, mut y) = (input.set("set")?, input.vector("y")?);
    Projection::<NegativeEntropy>::project(&set, &mut y)?;
    Ok(Value::object([("x", y.into())]))
}

fn double_projection(input: &Input<'_>) -> Result<Value, Refusal> {
    match input.text("geometry")? {
        "euclidean" => both::<Euclidean>(input.vector("y")?),
        "entropic" => both::<NegativeEntropy>(input.vector("y")?),
        _ => Err(Refusal::Malformed { key: "geometry", wanted: "a known geometry" }),
    }
}

fn both<R: Regulariser>(y: Vec<f64>) -> Result<Value, Refusal>
where
    UnitBox: Projection<R>,
    Simplex: Projection<R>,
{
    let (mut onto_box, mut x) = (y.clone(), y);
    Projection::<R>::project(&UnitBox, &mut onto_box)?;
    Projection::<R>::project(&Then::new(UnitBox, Simplex::new(1.0)?), &mut x)?;
    Ok(Value::object([("box", onto_box.into()), ("x", x.into())]))
}

fn l1_box_projection(input: &Input<'_>) -> Result<Value, Refusal> {
    let mut z = input.vector("z")?;
    project_l1_box(&mut z, input.scalar("alpha")?, input.scalar("eta")?)?;
    Ok(Value::object([("y", z.into())]))
}

fn bregman(input: &Input<'_>) -> Result<Value, Refusal> {
    let (x, y) = (input.vector("x")?, input.vector("y")?);
    if input.has("p") {
        // Only one of the maps uses p.
        check_finite("p", &[input.scalar("p")?])?;
    }
    let divergence = match input.text("map")? {
        "euclidean" => Euclidean.divergence(&x, &y)?,
        "negative_entropy" => NegativeEntropy.divergence(&x, &y)?,
        "p_norm" => PNorm::new(input.scalar("p")?)?.divergence(&x, &y)?,
        _ => return Err(Refusal::Malformed { key: "map", wanted: "a known mirror map" }),
    };
    Ok(Value::object([("finite", divergence.is_finite().into()), ("divergence", divergence.into())]))
}

fn lmo(input: &Input<'_>) -> Result<Value, Refusal> {
    let g = input.vector("g")?;
    let x = input.set("set")?.lmo(&g)?;
    let value = LinearLoss::new(&g)?.value(&x);
    Ok(Value::object([("x", x.into()), ("value", value.into())]))
}
