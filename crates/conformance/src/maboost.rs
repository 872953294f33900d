//! The kernel of `maboost.json`: a run over given hypotheses.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::given::{GivenInOrder, one_example_a_coordinate};
use super::input::{Input, Matrix, check_length};
use boosters::maboost::{
    Active, AdaBoost, BoostError, BoostStop, BoostingMap, BoostingRun, CombinedBoost, Examples, Lazy,
    MadaBoost, MirrorAscent, Reweighting, Round, Schedule, SmoothBoost, SparseBoost, Sparsity, Update,
};
use projections::{Euclidean, NegativeEntropy, Projection, Simplex, check_finite};
use std::ops::ControlFlow;
use weak_learners::Label;
use weak_learners::batch::SortedColumns;

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    (name == "maboost").then_some(maboost as Kernel)
}

fn maboost(input: &Input<'_>) -> Result<Value, Refusal> {
    let case = Case::of(input)?;
    match input.text("variant")? {
        "quadratic_active" => case.ascend::<_, Active>(Euclidean, Schedule::Theorem1),
        "quadratic_lazy" => case.ascend::<_, Lazy>(Euclidean, Schedule::Theorem1),
        "entropy_active" => case.ascend::<_, Active>(NegativeEntropy, Schedule::Theorem1),
        "entropy_lazy" => case.ascend::<_, Lazy>(NegativeEntropy, Schedule::Theorem1),
        "max_margin_quadratic" => case.ascend::<_, Active>(Euclidean, Schedule::Theorem2),
        "max_margin_entropy" => case.ascend::<_, Active>(NegativeEntropy, Schedule::Theorem2),
        "smooth" => case.play(SmoothBoost::<Active>::smooth(&case.examples, input.scalar("k")?)?),
        "smooth_lazy" => case.play(SmoothBoost::<Lazy>::smooth(&case.examples, input.scalar("k")?)?),
        "combined" => case.combined(input),
        "sparse" => {
            let alphas = input.vector("alphas")?;
            check_length("alphas", case.answers.rows().len(), alphas.len())?;
            check_finite("alphas", &alphas)?;
            case.play(SparseBoost::new(&case.examples, Sparsity::Sequence(alphas))?)
        }
        "mada" => case.play(MadaBoost::new(&case.examples)?),
        "adaboost" => case.play(AdaBoost::new(&case.examples)?),
        _ => Err(Refusal::Malformed { key: "variant", wanted: "a variant of MABoost" }),
    }
}

struct Case {
    examples: Examples,
    answers: Matrix,
    is_symmetric: bool,
    is_about_margins: bool,
}

impl Case {
    fn of(input: &Input<'_>) -> Result<Self, Refusal> {
        let (labels, answers) = (input.vector("a")?, input.matrix("H")?);
        check_length("H", labels.len(), answers.width())?;
        for h in answers.rows() {
            // Including rounds that a run may not reach.
            check_finite("H", h)?;
            if let Some(index) = h.iter().position(|v| v.abs() > 1.0) {
                return Err(BoostError::BadPrediction { index, value: h[index] }.into());
            }
        }
        let labels = labels.into_iter().map(|a| Label::named("a", a)).collect::<Result<_, _>>()?;
        Ok(Self {
            examples: Examples::uniform(labels)?,
            answers,
            is_symmetric: input.truth("symmetric")?,
            is_about_margins: input.text("variant")?.starts_with("max_margin"),
        })
    }

    fn ascend<R, U>(&self, regulariser: R, schedule: Schedule) -> Result<Value, Refusal>
    where
        R: BoostingMap,
        U: Update<R, Simplex>,
        Simplex: Projection<R>,
    {
        let simplex = Simplex::new(1.0)?;
        self.play(MirrorAscent::<R, Simplex, U>::new(regulariser, simplex, &self.examples, schedule)?)
    }

    /// Also the errors of each round in A and in B.
    fn combined(&self, input: &Input<'_>) -> Result<Value, Refusal> {
        let secondary = input.truths("secondary")?;
        check_length("secondary", self.answers.width(), secondary.len())?;
        let algorithm = CombinedBoost::new(&self.examples, &secondary, input.scalar("k")?)?;
        let (mut bounds, mut errors) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let run = self.watch(algorithm, |run| {
            let found = run.algorithm().errors(run.examples(), run.margins())?;
            for part in 0..2 {
                bounds[part].push(run.algorithm().promises()[part]);
                errors[part].push(found[part]);
            }
            Ok(())
        })?;
        let ([bound, bound_tight], [primary, secondary]) = (bounds, errors);
        Ok(run.and([
            ("bound", bound.into()),
            ("bound_tight", bound_tight.into()),
            ("error_primary", primary.into()),
            ("error_secondary", secondary.into()),
        ]))
    }

    fn play<A: Reweighting>(&self, algorithm: A) -> Result<Value, Refusal> {
        self.watch(algorithm, |_| Ok(()))
    }

    fn watch<A: Reweighting>(
        &self,
        algorithm: A,
        mut after_round: impl FnMut(&BoostingRun<GivenInOrder<'_>, A>) -> Result<(), Refusal>,
    ) -> Result<Value, Refusal> {
        let learner = GivenInOrder::of(self.answers.rows());
        let mut run = BoostingRun::new(self.examples.clone(), learner, algorithm)?;
        if self.is_symmetric {
            run = run.over_symmetric_class();
        }
        let sample = SortedColumns::new(one_example_a_coordinate(self.answers.width())?)?;
        let (mut weights, mut stop) = (vec![run.algorithm().weights().to_vec()], "none");
        for _ in self.answers.rows() {
            match run.round(&sample)? {
                ControlFlow::Continue(_) => {
                    weights.push(run.algorithm().weights().to_vec());
                    after_round(&run)?;
                }
                ControlFlow::Break(reason) => {
                    stop = name(reason);
                    break;
                }
            }
        }
        Ok(Value::object([
            ("weights", weights.into()),
            ("stop", stop.into()),
            ("margins", run.margins().into()),
            ("rounds", count(run.record().len())),
            ("edges", list(run.record(), |round| round.edge)),
            ("etas", list(run.record(), |round| round.eta)),
            ("flipped", list(run.record(), |round| round.flipped)),
            ("zeros", list(run.record(), |round| count(round.zeros))),
            ("training_error", list(run.record(), |round| round.error)),
            ("min_margin", list(run.record(), |round| round.min_margin)),
            ("bound", list(run.record(), |round| self.bound(round))),
            ("bound_tight", list(run.record(), |round| round.promise.tight)),
        ]))
    }
}

impl Case {
    fn bound(&self, Round { promise, .. }: &Round) -> Option<f64> {
        if self.is_about_margins { promise.margin } else { Some(promise.error) }
    }
}

fn list<V: Into<Value>>(record: &[Round], value: impl Fn(&Round) -> V) -> Value {
    record.iter().map(value).collect()
}

fn count(number: usize) -> Value {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

fn name(stop: BoostStop) -> &'static str {
    match stop {
        BoostStop::NoEdge => "no-edge",
        BoostStop::NoError => "no-error",
        _ => "another",
    }
}
