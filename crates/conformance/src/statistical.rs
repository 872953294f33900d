//! The kernel of `agnostic.json` for a run of the statistical booster.

use super::Kernel;
use super::boosting::GivenSteps;
use super::code::Refusal;
use super::compare::Value;
use super::given::{Given, one_example_a_coordinate};
use super::input::{Input, check_length};
use boosters::agnostic::{Setting, StatisticalBooster};
use weak_learners::batch::{SortedColumns, WeakLearner};
use weak_learners::{Label, LearnerError};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "statistical" => statistical,
        _ => return None,
    })
}

/// All labels are +1, so a vote agrees if it is +1.
fn statistical(input: &Input<'_>) -> Result<Value, Refusal> {
    let (setting, cube) = match input.text("setting")? {
        "agnostic" => (Setting::Agnostic, [-1.0, 1.0]),
        "realizable" => (Setting::Realizable, [0.0, 1.0]),
        _ => return Err(Refusal::Malformed { key: "setting", wanted: "agnostic or realizable" }),
    };
    let (agreement, etas) = (input.matrix("agreement")?, input.vector("etas")?);
    check_length("etas", agreement.rows().len(), etas.len())?;
    let m = agreement.width();
    let (player, labels) = (GivenSteps::on(cube, m, etas)?, vec![Label::Plus; m]);
    let mut booster = StatisticalBooster::new(setting, NotAsked, player, labels, input.scalar("gamma")?)?;
    let sample = SortedColumns::new(one_example_a_coordinate(m)?)?;
    let (mut p, mut losses, mut draws) = (Vec::new(), Vec::new(), Vec::new());
    for h in agreement.rows() {
        let round = booster.round_with(&sample, Given(h.clone()))?;
        losses.push(round.mean_loss * round.p.len() as f64);
        draws.push(draw(round.p));
        p.push(round.p.to_vec());
    }
    let mut vote = Vec::with_capacity(m);
    for x in sample.matrix().iter() {
        vote.push(booster.vote().score(x)?);
    }
    let prob_true_label = |p: &Vec<f64>| p.iter().map(|p| f64::midpoint(1.0, *p)).collect::<Vec<f64>>();
    let (name, drawn) = match setting {
        Setting::Agnostic => ("prob_true_label", p.iter().map(prob_true_label).collect()),
        Setting::Realizable => ("draw", draws.into()),
    };
    Ok(Value::object([
        ("p_next", booster.next_play().into()),
        ("p", p.into()),
        ("losses", losses.into()),
        ("vote", vote.into()),
        ("expected_correlation", booster.expected_correlation().into()),
        (name, drawn),
    ]))
}

/// p/Σp, if Σp > 0.
fn draw(p: &[f64]) -> Option<Vec<f64>> {
    let sum: f64 = p.iter().sum();
    (sum > 0.0).then(|| p.iter().map(|p| p / sum).collect())
}

/// The weak learner of a run whose hypotheses are all given, even for p_t ≡ 0.
struct NotAsked;

impl WeakLearner for NotAsked {
    type Sample = SortedColumns;
    type Hypothesis = Given;

    fn train(&mut self, _: &SortedColumns, _: &[f64], _: &[f64]) -> Result<Given, LearnerError> {
        Err(LearnerError::ZeroWeights)
    }
}
