//! The kernels of `off_policy.json`: the estimators of a policy's value, and the empirical Bernstein
//! interval.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::{Input, check_length};
use off_policy::estimators::{
    EmpiricalBernstein, Estimate, EstimateError, EstimatorSettings, Moments, Observation, Observations,
    OffPolicyEvaluation, Sides, Tables,
};
use projections::{ProjectionError, check_finite};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "estimators" => estimators,
        "empirical_bernstein" => empirical_bernstein,
        _ => return None,
    })
}

fn estimators(input: &Input<'_>) -> Result<Value, Refusal> {
    let (p, r) = (input.vector("p")?, input.vector("r")?);
    let (target, q) = (input.matrix("target")?, input.matrix("q")?);
    let actions = input.actions("a", target.width())?;
    for (argument, got) in
        [("p", p.len()), ("r", r.len()), ("target", target.rows().len()), ("q", q.rows().len())]
    {
        check_length(argument, actions.len(), got)?;
    }
    check_length("q", target.width(), q.width())?;
    let action_count = target.width();
    let (target, q) = (target.rows().concat(), q.rows().concat());
    let settings =
        EstimatorSettings::default().clipped_at(input.scalar("clip")?)?.switched_at(input.scalar("tau")?)?;
    let tables = Tables::new(action_count, &actions, &p, &r, &target, Some(&q))?;
    let found = OffPolicyEvaluation::of_tables(&tables, settings)?;
    let mut weights = Vec::new();
    tables.visit(|row: &Observation| {
        weights.push(row.weight(weights.len())?);
        Ok(())
    })?;
    let snips = found.self_normalised()?;
    let of_model = |estimate: Option<Estimate>| estimate.map_or(Value::Null, value);
    Ok(Value::object([
        ("weights", weights.into()),
        ("max_weight", found.support.max_weight.into()),
        ("mean_weight", found.support.mean_weight.into()),
        ("ess", found.support.ess.into()),
        ("n_clipped", Value::Integer(i64::try_from(found.support.clipped).unwrap_or(i64::MAX))),
        ("ips", value(found.ips)),
        ("clipped_ips", value(found.clipped_ips)),
        ("snips", value(snips)),
        ("dm", of_model(found.dm)),
        ("dr", of_model(found.dr)),
        ("switch_dr", of_model(found.switch_dr)),
    ]))
}

/// The value, and `se` if there is a standard error.
fn value(Estimate { value, standard_error }: Estimate) -> Value {
    let value = ("value", value.into());
    let se = standard_error.map(|se| ("se", se.into()));
    Value::Object([Some(value), se].into_iter().flatten().collect())
}

fn empirical_bernstein(input: &Input<'_>) -> Result<Value, Refusal> {
    let x = input.vector("x")?;
    let [width, delta, sides] = ["width", "delta", "sides"].map(|key| input.scalar(key));
    let (width, delta, sides) = (width?, delta?, sides?);
    check_finite("sides", &[sides])?;
    let sides = match sides {
        1.0 => Sides::One,
        2.0 => Sides::Two,
        value => return Err(ProjectionError::BadParameter { name: "sides", value, domain: "1, 2" }.into()),
    };
    let moments = Moments::of(&x)?;
    let found = EmpiricalBernstein::new(&moments, width, delta, sides)?;
    let variance = moments.variance()?.ok_or(EstimateError::BadParameter {
        name: "n",
        value: 1.0,
        domain: "2, 3, …",
    })?;
    Ok(Value::object([
        ("mean", found.mean.into()),
        ("variance", variance.into()),
        ("half_width", found.half_width.into()),
    ]))
}
