//! The kernels of `bopl.json` except trees, and those of `second_order.json`: rounds and runs over given
//! predictors.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::given::one_example_a_coordinate;
use super::input::{Input, Matrix, check_length};
use boosters::bopl::{
    Bopl, BoplError, BoplS, BoplStop, Member, PolicyBoosting, PolicyEnsemble, PolicyObjective, Scale,
    Settings, Smoothness, Step, optimal_risk,
};
use off_policy::policies::{Policy, Softmax, Tabular};
use off_policy::{ActionSet, Log, LogError, Rewards};
use projections::{ProjectionError, check_finite};
use rows::Row;
use std::ops::ControlFlow;
use weak_learners::LearnerError;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{PairHypothesis, PairLearner, PairRound};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "bopl_round" => |input| match input.text("variant")? {
            "bopl" => round::<Bopl>(input),
            "bopl_s" => round::<BoplS>(input),
            _ => Err(UNKNOWN),
        },
        "bopl_run" => |input| match input.text("variant")? {
            "bopl" => run::<Bopl>(input),
            "bopl_s" => run::<BoplS>(input),
            _ => Err(UNKNOWN),
        },
        "step_round" => step_round,
        "rescale" => rescale,
        "optimal_risk" => best,
        "softmax_policy" => softmax_policy,
        _ => return None,
    })
}

const UNKNOWN: Refusal = Refusal::Malformed { key: "variant", wanted: "bopl or bopl_s" };
const PAPER: Step = Step::Closed(Smoothness::Paper);

/// The log of a case; each context is a separate unit vector.
fn log(input: &Input<'_>, actions: usize) -> Result<Log, Refusal> {
    let (a, p, r) = (input.actions("a", actions)?, input.vector("p")?, input.vector("r")?);
    for got in [p.len(), r.len()] {
        check_length("p or r", a.len(), got)?;
    }
    if p.is_empty() {
        return Err(LogError::Empty.into());
    }
    Ok(Log::new(one_example_a_coordinate(p.len())?, actions, a, p, Rewards(r))?)
}

fn settings(input: &Input<'_>) -> Result<Settings, Refusal> {
    let or_zero = |key| if input.has(key) { input.scalar(key) } else { Ok(0.0) };
    Ok(Settings::builder()
        .translation(or_zero("translation")?)
        .ridge(or_zero("ridge")?)
        .step(PAPER)
        .build()?)
}

/// The settings of a case that names its step.
fn settings_with_step(input: &Input<'_>) -> Result<Settings, Refusal> {
    let step = match input.text("step")? {
        "paper" => PAPER,
        "sharp" => Step::Closed(Smoothness::Sharp),
        "second_order" => Step::SecondOrder { learning_rate: input.scalar("learning_rate")? },
        _ => return Err(Refusal::Malformed { key: "step", wanted: "paper, sharp or second_order" }),
    };
    let mut settings =
        Settings::builder().translation(input.scalar("translation")?).ridge(input.scalar("ridge")?);
    if input.has("clip") {
        settings = settings.clip(input.scalar("clip")?);
    }
    Ok(settings.step(step).build()?)
}

/// A predictor, as its values on every context; pair (i, a) is at a·n + i.
#[derive(Debug, Clone)]
struct Given {
    examples: usize,
    values: Vec<f64>,
}

impl Given {
    fn of(name: &'static str, rows: &Matrix) -> Result<Self, Refusal> {
        rows.rows().iter().try_for_each(|row| check_finite(name, row))?;
        let columns = (0..rows.width()).flat_map(|a| rows.rows().iter().map(move |row| row[a]));
        Ok(Self { examples: rows.rows().len(), values: columns.collect() })
    }
}

impl PairHypothesis for Given {
    fn inputs(&self) -> usize {
        self.examples
    }

    fn actions(&self) -> usize {
        self.values.len() / self.examples
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), LearnerError> {
        for (score, column) in scores.iter_mut().zip(self.values.chunks_exact(self.examples)) {
            *score = x.dot(column);
        }
        Ok(())
    }
}

/// The base learner that returns the given predictors in order.
struct InOrder(std::vec::IntoIter<Given>);

impl PairLearner for InOrder {
    type Contexts = SortedColumns;
    type Hypothesis = Given;

    fn train(
        &mut self,
        _: &SortedColumns,
        _: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Given, LearnerError> {
        let f = self.0.next().ok_or(LearnerError::Empty { argument: "predictors" })?;
        values.copy_from_slice(&f.values);
        Ok(f)
    }
}

/// A run at F.
fn at<O: PolicyObjective>(
    log: &Log,
    settings: Settings,
    scores: Given,
) -> Result<PolicyBoosting<O, InOrder>, BoplError> {
    let members = vec![Member { alpha: 1.0, predictor: scores }];
    let ensemble = PolicyEnsemble::of(log.inputs(), log.actions(), members)?;
    PolicyBoosting::from_ensemble(log, InOrder(Vec::new().into_iter()), settings, ensemble)
}

fn round<O: PolicyObjective>(input: &Input<'_>) -> Result<Value, Refusal> {
    let (scores, f) = (input.matrix("F")?, input.matrix("f")?);
    let log = log(input, scores.width())?;
    check_length("F", log.len(), scores.rows().len())?;
    check_length("f", log.len(), f.rows().len())?;
    check_length("f", scores.width(), f.width())?;
    let settings = settings(input)?;
    let (scores, f) = (Given::of("F", &scores)?, Given::of("f", &f)?);
    let run = at::<O>(&log, settings, scores.clone())?;
    let weight = run.weigh(&f.values, PAPER)?;
    let after = scores.values.iter().zip(&f.values).map(|(score, f)| score + weight.alpha * f).collect();
    let after = Given { examples: scores.examples, values: after };
    let objectives = |at_scores: &Given| -> Result<[f64; 2], BoplError> {
        let direct = at::<Bopl>(&log, settings, at_scores.clone())?.objective();
        Ok([direct, at::<BoplS>(&log, settings, at_scores.clone())?.objective()])
    };
    let ([train, surrogate], [train_after, surrogate_after]) = (objectives(&scores)?, objectives(&after)?);

    let (n, actions) = (log.len(), log.actions());
    let u = by_rows(run.gradients(), n);
    let mut pi = by_rows(&scores.values, n);
    for row in &mut pi {
        off_policy::policies::softmax(row, 1.0, ActionSet::all(actions)?);
    }
    let v: Vec<f64> = log.iter().map(|row| (row.reward + settings.translation()) / row.propensity).collect();
    let objective = O::of(settings.smoothing(), n);
    let of_logged = |of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        log.iter().zip(&v).zip(&pi).map(|((row, v), pi)| of(*v, pi[row.action])).collect()
    };
    let w: Vec<f64> = v.iter().map(|v| objective.weight(*v, Smoothness::Paper)).collect();
    let pairs = |of: &dyn Fn(usize, f64) -> f64| -> Vec<Vec<f64>> {
        u.iter().enumerate().map(|(i, row)| row.iter().map(|u| of(i, *u)).collect()).collect()
    };
    Ok(Value::object([
        ("c", of_logged(&|v, pi| objective.factor(v, pi)).into()),
        ("s", of_logged(&|v, _| objective.curvature(v, Smoothness::Paper)).into()),
        ("alpha", weight.alpha.into()),
        ("decrease", weight.decrease.into()),
        ("ips_risk", (-run.ips()).into()),
        ("train_risk", train.into()),
        ("surrogate_risk", surrogate.into()),
        ("train_risk_after", train_after.into()),
        ("surrogate_risk_after", surrogate_after.into()),
        ("optimal_train_risk", run.optimal_risk().into()),
        ("regr_targets", pairs(&|i, u| if w[i] > 0.0 { u / w[i] } else { 0.0 }).into()),
        ("regr_weights", w.clone().into()),
        ("class_weights", pairs(&|_, u| u.abs()).into()),
        ("class_labels", pairs(&|_, u| if u == 0.0 { 0.0 } else { u.signum() }).into()),
        ("pi", pi.into()),
        ("u", u.into()),
    ]))
}

/// A base learner that returns one predictor, and keeps the weights that it was handed.
struct OneOf {
    f: Given,
    weights: Vec<Vec<f64>>,
}

impl PairLearner for OneOf {
    type Contexts = SortedColumns;
    type Hypothesis = Given;

    fn train(
        &mut self,
        _: &SortedColumns,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Given, LearnerError> {
        let of_row = |i: usize| (0..self.f.actions()).map(|a| round.weight(i, a)).collect();
        self.weights = (0..self.f.examples).map(of_row).collect();
        values.copy_from_slice(&self.f.values);
        Ok(self.f.clone())
    }
}

/// A round at F with any step, on doubly robust rewards too.
fn step_round(input: &Input<'_>) -> Result<Value, Refusal> {
    let (scores, f) = (input.matrix("F")?, input.matrix("f")?);
    let log = log(input, scores.width())?;
    check_length("F", log.len(), scores.rows().len())?;
    check_length("f", log.len(), f.rows().len())?;
    check_length("f", scores.width(), f.width())?;
    let settings = settings_with_step(input)?;
    let members = vec![Member { alpha: 1.0, predictor: Given::of("F", &scores)? }];
    let start = PolicyEnsemble::of(log.inputs(), log.actions(), members)?;
    let learner = OneOf { f: Given::of("f", &f)?, weights: Vec::new() };
    match input.text("variant")? {
        "bopl" => played(PolicyBoosting::<Bopl, _>::from_ensemble(&log, learner, settings, start)?, &log),
        "bopl_s" => played(PolicyBoosting::<BoplS, _>::from_ensemble(&log, learner, settings, start)?, &log),
        "doubly_robust" => {
            let q: Vec<f64> = input.matrix("q")?.rows().concat();
            played(PolicyBoosting::doubly_robust_from_ensemble(&log, learner, settings, &q, start)?, &log)
        }
        _ => Err(Refusal::Malformed { key: "variant", wanted: "bopl, bopl_s or doubly_robust" }),
    }
}

fn played<O: PolicyObjective>(mut run: PolicyBoosting<O, OneOf>, log: &Log) -> Result<Value, Refusal> {
    let (u, before, optimal) = (by_rows(run.gradients(), log.len()), run.objective(), run.optimal_risk());
    let contexts = SortedColumns::new(log.contexts().clone())?;
    let ControlFlow::Continue(round) = run.round(&contexts)? else {
        return Err(Refusal::Malformed { key: "F or f", wanted: "a case with a step" });
    };
    Ok(Value::object([
        ("u", u.into()),
        ("weights", run.learner().weights.clone().into()),
        ("objective", before.into()),
        ("objective_after", round.objective.into()),
        ("alpha", round.alpha.into()),
        ("decrease", round.decrease.into()),
        ("optimal_train_risk", optimal.into()),
    ]))
}

fn run<O: PolicyObjective>(input: &Input<'_>) -> Result<Value, Refusal> {
    let predictors = input.matrices("predictors")?;
    let width = predictors.first().map_or(1, Matrix::width);
    let log = log(input, width)?;
    for f in &predictors {
        check_length("predictors", log.len(), f.rows().len())?;
        check_length("predictors", width, f.width())?;
    }
    let given = predictors.iter().map(|f| Given::of("predictors", f)).collect::<Result<Vec<_>, _>>()?;
    let (rounds, contexts) = (given.len(), SortedColumns::new(log.contexts().clone())?);
    let mut run = PolicyBoosting::<O, _>::new(&log, InOrder(given.into_iter()), settings(input)?)?;
    let (mut objective, mut ips_risk, mut stop) = (vec![run.objective()], vec![-run.ips()], "none");
    for _ in 0..rounds {
        match run.round(&contexts)? {
            ControlFlow::Continue(round) => {
                objective.push(round.objective);
                ips_risk.push(-round.ips);
            }
            ControlFlow::Break(reason) => {
                stop = match reason {
                    BoplStop::NoChoice | BoplStop::Gradient => "gradient",
                    BoplStop::Predictions => "predictions",
                    BoplStop::Alpha => "alpha",
                    // A run without validation or a watcher has no other reason.
                    _ => "another",
                };
                break;
            }
        }
    }
    let record = run.record();
    let every =
        |of: fn(&boosters::bopl::Round) -> f64| -> Value { record.iter().map(of).collect::<Vec<_>>().into() };
    #[allow(clippy::cast_possible_wrap, reason = "at most as many as there are predictors")]
    let rounds = record.len() as i64;
    Ok(Value::object([
        ("rounds", rounds.into()),
        ("stop", stop.into()),
        ("alphas", every(|round| round.alpha)),
        ("decreases", every(|round| round.decrease)),
        ("bound", every(|round| round.bound)),
        ("objective", objective.into()),
        ("ips_risk", ips_risk.into()),
        ("F", by_rows(run.scores(), log.len()).into()),
        ("optimal_train_risk", run.optimal_risk().into()),
        ("delta0", run.delta_0().into()),
    ]))
}

fn by_rows(pairs: &[f64], n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| pairs.iter().skip(i).step_by(n).copied().collect()).collect()
}

fn rescale(input: &Input<'_>) -> Result<Value, Refusal> {
    let (weights, f) = (input.vector("weights")?, input.matrix("f")?);
    check_length("f", weights.len(), f.rows().len())?;
    let f = Given::of("f", &f)?;
    let scale = Scale::to(input.scalar("Z")?, &weights, &f.values)?;
    let scaled: Vec<f64> = f.values.iter().map(|f| f * scale.factor).collect();
    Ok(Value::object([
        ("scale_before", scale.before.into()),
        ("factor", scale.factor.into()),
        ("f", by_rows(&scaled, f.examples).into()),
    ]))
}

fn best(input: &Input<'_>) -> Result<Value, Refusal> {
    let (p, r) = (input.vector("p")?, input.vector("r")?);
    check_length("r", p.len(), r.len())?;
    if p.is_empty() {
        return Err(ProjectionError::Empty { argument: "p" }.into());
    }
    let translation = if input.has("translation") { input.scalar("translation")? } else { 0.0 };
    let log = Log::new(one_example_a_coordinate(p.len())?, 1, vec![0; p.len()], p, Rewards(r))?;
    Ok(Value::object([("optimal_risk", optimal_risk(&log, translation)?.into())]))
}

fn softmax_policy(input: &Input<'_>) -> Result<Value, Refusal> {
    let (scores, beta) = (input.matrix("F")?, input.scalar("beta")?);
    let x = Row::dense(&[0.0])?;
    let every = ActionSet::all(scores.width())?;
    let mut pi = scores.rows().to_vec();
    for row in &mut pi {
        Softmax::new(Tabular::new(1, row.clone())?, beta)?.probabilities(x, every, row)?;
    }
    Ok(Value::object([("pi", pi.into())]))
}
