//! The kernels of `oco.json` in the mirror-descent family.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::{Input, check_length};
use oco_core::learners::{
    DualAveraging, FollowTheLeader, FtrlQuadratic, Hedge, MirrorDescent, OptimisticMirrorDescent,
};
use oco_core::regret::{LinearRegret, Regret};
use oco_core::{Geometry, OcoError, OnlineLearner};
use projections::{
    AnySet, BoxSet, Euclidean, Exact, L2Ball, LinearMinimisation, NegativeEntropy, ProjectionError, Simplex,
};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "ftl_interval" => ftl_interval,
        "entropic_md" => entropic_md,
        "hedge" => hedge,
        "optimistic_md" => optimistic_md,
        "ftrl_quadratic_ball" => ftrl_quadratic_ball,
        _ => return None,
    })
}

fn ftl_interval(input: &Input<'_>) -> Result<Value, Refusal> {
    let (lower, upper, start) = (input.scalar("lower")?, input.scalar("upper")?, input.scalar("start")?);
    let (interval, coefficients) = (BoxSet::interval(lower, upper)?, input.vector("coefficients")?);
    // A start outside the interval has the code of crossed bounds.
    BoxSet::interval(lower, start)?;
    BoxSet::interval(start, upper)?;
    if coefficients.is_empty() {
        return Err(ProjectionError::Empty { argument: "coefficients" }.into());
    }
    let mut learner = FollowTheLeader::starting_at(interval.clone(), vec![start])?;
    let gradients: Vec<_> = coefficients.iter().map(|c| vec![*c]).collect();
    let (plays, regret) = account(&mut learner, &gradients, &interval)?;
    let x: Vec<f64> = plays.concat().into_iter().take(coefficients.len()).collect();
    let losses: Vec<f64> = coefficients.iter().zip(&x).map(|(c, x)| c * x).collect();
    Ok(Value::object([
        ("x", x.into()),
        ("losses", losses.into()),
        ("total_loss", regret.learner_loss.into()),
        ("comparator_loss", regret.comparator_loss.into()),
        ("regret", regret.value.into()),
    ]))
}

fn entropic_md(input: &Input<'_>) -> Result<Value, Refusal> {
    let gradients = input.matrix("gradients")?;
    let (set, x1, eta) = (input.set("set")?, input.vector("x1")?, input.scalar("eta")?);
    check_length("x1", gradients.width(), x1.len())?;
    let x = if input.truth("lazy")? {
        plays(&mut DualAveraging::starting_at(NegativeEntropy, set, x1, eta)?, gradients.rows())?
    } else {
        plays(&mut MirrorDescent::starting_at(NegativeEntropy, set, x1, eta)?, gradients.rows())?
    };
    Ok(Value::object([("x", x.into())]))
}

fn hedge(input: &Input<'_>) -> Result<Value, Refusal> {
    let gradients = input.matrix("gradients")?;
    let mut learner = Hedge::new(gradients.width(), input.scalar("eta")?)?;
    let (x, regret) = account(&mut learner, gradients.rows(), &Simplex::new(1.0)?)?;
    Ok(Value::object([
        ("x", x.into()),
        ("total_loss", regret.learner_loss.into()),
        ("comparator_loss", regret.comparator_loss.into()),
        ("regret", regret.value.into()),
    ]))
}

fn optimistic_md(input: &Input<'_>) -> Result<Value, Refusal> {
    match input.text("geometry")? {
        "euclidean" => optimistic(input, Euclidean),
        "entropic" => optimistic(input, NegativeEntropy),
        _ => Err(Refusal::Malformed { key: "geometry", wanted: "a known geometry" }),
    }
}

fn optimistic<R: Geometry<AnySet>>(input: &Input<'_>, regulariser: R) -> Result<Value, Refusal>
where
    AnySet: Exact<R>,
{
    let (gradients, hints) = (input.matrix("gradients")?, input.matrix("hints")?);
    let (set, z1, eta) = (input.set("set")?, input.vector("z1")?, input.scalar("eta")?);
    check_length("z1", gradients.width(), z1.len())?;
    check_length("hints", gradients.rows().len(), hints.rows().len())?;
    let mut learner = OptimisticMirrorDescent::around(regulariser, set, z1, eta)?;
    let (mut x, mut z) = (Vec::new(), vec![Value::from(learner.z())]);
    for (g, hint) in gradients.rows().iter().zip(hints.rows()) {
        learner.expect(hint)?;
        x.push(Value::from(learner.play()));
        learner.observe(g)?;
        z.push(learner.z().into());
    }
    Ok(Value::object([("x", x.into()), ("z", z.into())]))
}

fn ftrl_quadratic_ball(input: &Input<'_>) -> Result<Value, Refusal> {
    let (a, centres, u) = (input.vector("a")?, input.matrix("centres")?, input.vector("u")?);
    check_length("a", centres.rows().len(), a.len())?;
    check_length("u", centres.width(), u.len())?;
    let mut learner = FtrlQuadratic::new(L2Ball::new(input.scalar("r")?)?, u.len(), input.scalar("eta")?)?;
    let (mut lhs, mut rhs) = (0.0, learner.penalty(&u)? - learner.penalty(learner.play())?);
    let mut x = vec![learner.play().to_vec()];
    for (a, centre) in a.into_iter().zip(centres.rows()) {
        let played = learner.play().to_vec();
        learner.observe(a, centre)?;
        lhs += excess(a, centre, &played, &u);
        rhs += excess(a, centre, &played, learner.play());
        x.push(learner.play().to_vec());
    }
    Ok(Value::object([("x", x.into()), ("theorem1_lhs", lhs.into()), ("theorem1_rhs", rhs.into())]))
}

/// (a/2)(‖x − c‖² − ‖y − c‖²) = a⟨x − y, (x + y)/2 − c⟩, with the factor a distributed so that no square
/// overflows.
fn excess(a: f64, c: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let root = a.sqrt();
    c.iter().zip(x).zip(y).map(|((c, x), y)| (root * (x - y)) * (root * (0.5 * x + 0.5 * y - c))).sum()
}

/// x_1 to x_{T+1}.
fn plays(learner: &mut impl OnlineLearner, gradients: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, OcoError> {
    let mut plays = vec![learner.play().to_vec()];
    for g in gradients {
        learner.observe(g)?;
        plays.push(learner.play().to_vec());
    }
    Ok(plays)
}

/// x_1 to x_{T+1}, and the regret of the first T.
fn account(
    learner: &mut impl OnlineLearner,
    gradients: &[Vec<f64>],
    set: &impl LinearMinimisation,
) -> Result<(Vec<Vec<f64>>, Regret), OcoError> {
    let plays = plays(learner, gradients)?;
    let mut account = LinearRegret::new(learner.play().len())?;
    for (g, x) in gradients.iter().zip(&plays) {
        account.record(g, x)?;
    }
    let regret = account.regret(set)?;
    Ok((plays, regret))
}
