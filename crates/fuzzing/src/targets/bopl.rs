//! Policies boosted from logs, and checkpoints of stopped runs.

use super::off_policy::{logs, schema};
use super::pairs::{growth, train};
use super::sets::matrices;
use super::weak::sorted;
use super::{Target, nothing, plain};
use crate::Checks;
use crate::play::scores;
use crate::verdict::AnyError;
use boosters::bopl::{
    Bopl, BoplStop, Checkpoint, Classification, Member, PolicyBoosting, PolicyEnsemble, PolicyModel,
    RegressionCheckpoint, RegressionRound, RewardRegression, Round, Settings, Smoothness, Step, Training,
};
use off_policy::Log;
use off_policy::policies::Scores as _;
use off_policy::readers::{CsvColumns, read_contexts};
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{ExactPairTree, PairTree};

fn log() -> Result<Log, AnyError> {
    logs()?.into_iter().next().ok_or_else(|| "no log".into())
}

fn contexts() -> Result<SortedColumns, AnyError> {
    let dense = matrices()?.into_iter().next().ok_or("no matrix")?;
    Ok(SortedColumns::new(dense)?)
}

const SECOND_ORDER: Step = Step::SecondOrder { learning_rate: 0.3 };

fn settings() -> Result<Settings, AnyError> {
    Ok(Settings::builder().translation(-0.25).ridge(0.01).build()?)
}

type Run = PolicyBoosting<Bopl, ExactPairTree>;

fn run(rounds: usize) -> Result<Run, AnyError> {
    let mut run = Run::new(&log()?, ExactPairTree::new(growth()?), settings()?)?;
    for _ in 0..rounds {
        if run.round(&contexts()?)?.is_break() {
            break;
        }
    }
    Ok(run)
}

/// Models trained on a log with named columns.
fn model(rounds: usize) -> Result<PolicyModel, AnyError> {
    let log = log()?.with_schema(schema()?)?;
    let mut run = Run::new(&log, ExactPairTree::new(growth()?), settings()?)?;
    for _ in 0..rounds {
        let _ = run.round(&contexts()?)?;
    }
    Ok(run.model(run.ensemble().len())?.with_columns(&CsvColumns::default())?)
}

/// Reads a table and a record by the model's own columns, and predicts.
fn use_model(model: &mut PolicyModel, checks: &mut Checks) -> Result<(), AnyError> {
    scores(model, checks)?;
    let (Some(schema), Some(columns)) = (model.schema(), model.columns()) else { return Ok(()) };
    let names = schema.contexts().iter().map(|column| column.name());
    match schema.encode(names.map(|name| (name, 1.0.into()))) {
        Ok(x) => {
            checks.holds("a record has the model's coordinates", x.row().dimension() == model.inputs(), "");
        }
        Err(error) => checks.refused(&error),
    }
    match read_contexts("number,label,x\n1,b,2\n0,c,3\n".as_bytes(), &columns) {
        Ok(rows) => checks.holds("a table too", rows.contexts.dimension() == model.inputs(), ""),
        Err(error) => checks.refused(&error),
    }
    Ok(())
}

/// Resumes a run from a checkpoint, and saves it again.
fn resume(checkpoint: &mut Checkpoint<ExactPairTree>, checks: &mut Checks) -> Result<(), AnyError> {
    let mut run: Run = checkpoint.clone().resume(&log()?)?;
    for _ in 0..2 {
        let before = run.record().len();
        match run.round(&contexts()?) {
            Ok(_) => {}
            Err(error) => {
                checks.refused(&error);
                checks.holds("a refused round is not booked", run.record().len() == before, before);
            }
        }
    }
    checks.numbers("a score", run.scores());
    checks.number("an objective", run.objective());
    *checkpoint = run.checkpoint();
    Ok(())
}

fn regression() -> Result<RewardRegression<ExactPairTree>, AnyError> {
    let mut regression = RewardRegression::new(&log()?, ExactPairTree::new(growth()?), 0.5)?;
    let _ = regression.round(&contexts()?)?;
    Ok(regression)
}

/// The same of reward regression.
fn resume_regression(
    checkpoint: &mut RegressionCheckpoint<ExactPairTree>,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    let mut run = checkpoint.clone().resume(&log()?)?;
    for _ in 0..2 {
        let before = run.record().len();
        if let Err(error) = run.round(&contexts()?) {
            checks.refused(&error);
            checks.holds("a refused round is not booked", run.record().len() == before, before);
        }
    }
    checks.number("a loss", run.loss());
    *checkpoint = run.checkpoint();
    Ok(())
}

pub(super) fn all() -> Vec<Target> {
    vec![
        Target::saved(|| Ok(vec![run(0)?.checkpoint(), run(3)?.checkpoint()]), resume),
        Target::saved(
            || Ok(vec![Classification::new(ExactPairTree::new(growth()?))]),
            |learner: &mut Classification<ExactPairTree>, checks| train(learner, &sorted()?, checks),
        ),
        Target::saved(
            || Ok(vec![run(0)?.into_ensemble(), run(3)?.into_ensemble()]),
            scores::<PolicyEnsemble<PairTree>>,
        ),
        Target::saved(|| Ok(vec![model(0)?, model(3)?]), use_model),
        Target::saved(|| Ok(vec![model(2)?.training().clone()]), nothing::<Training>),
        Target::saved(|| Ok(run(3)?.ensemble().members().to_vec()), nothing::<Member<PairTree>>),
        plain(|| vec![Smoothness::Paper, Smoothness::Sharp]),
        Target::saved(|| Ok(regression()?.record().to_vec()), nothing::<RegressionRound>),
        Target::saved(|| Ok(vec![regression()?.checkpoint()]), resume_regression),
        Target::saved(|| Ok(run(3)?.record().to_vec()), nothing::<Round>),
        plain(|| vec![Step::LineSearch, Step::Closed(Smoothness::Paper), SECOND_ORDER]),
        Target::saved(
            || {
                let of = |step| Settings::builder().step(step).build();
                Ok(vec![settings()?, of(Step::LineSearch)?, of(SECOND_ORDER)?])
            },
            |settings: &mut Settings, checks| {
                let mut run = Run::new(&log()?, ExactPairTree::new(growth()?), *settings)?;
                for _ in 0..3 {
                    match run.round(&contexts()?) {
                        Ok(_) => checks.number("an objective", run.objective()),
                        Err(error) => checks.refused(&error),
                    }
                }
                checks.numbers("a score", run.scores());
                Ok(())
            },
        ),
        plain(|| vec![BoplStop::Gradient, BoplStop::Rounds]),
    ]
}
