//! Policies boosted from logs, and runs that were stopped.

use super::super::Course;
use super::super::play::scores;
use super::super::target::AnyError;
use super::off_policy::logs;
use super::pairs::{growth, train};
use super::sets::matrices;
use super::weak::sorted;
use super::{Target, nothing, plain};
use boosters::bopl::{
    Bopl, Checkpoint, Classification, Member, PolicyBoosting, PolicyEnsemble, RegressionRound,
    RewardRegression, Round, Settings, Smoothness, Step, Stop,
};
use off_policy::Log;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{ExactPairTree, PairTree};

fn log() -> Result<Log, AnyError> {
    logs()?.into_iter().next().ok_or_else(|| "no log".into())
}

fn contexts() -> Result<SortedColumns, AnyError> {
    let dense = matrices()?.into_iter().next().ok_or("no matrix")?;
    Ok(SortedColumns::new(dense)?)
}

fn settings() -> Result<Settings, AnyError> {
    Ok(Settings::new(-0.25, 0.01, Step::Closed(Smoothness::Sharp))?)
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

/// A checkpoint goes on in a run, which is saved again.
fn resume(checkpoint: &mut Checkpoint<ExactPairTree>, course: &mut Course) -> Result<(), AnyError> {
    let mut run: Run = checkpoint.clone().resume(&log()?)?;
    for _ in 0..2 {
        let before = run.record().len();
        match run.round(&contexts()?) {
            Ok(_) => {}
            Err(error) => {
                course.refused(&error);
                course.holds("a refused round is not booked", run.record().len() == before, before);
            }
        }
    }
    course.numbers("a score", run.scores());
    course.number("an objective", run.objective());
    *checkpoint = run.checkpoint();
    Ok(())
}

pub(super) fn all() -> Vec<Target> {
    vec![
        Target::saved(|| Ok(vec![run(0)?.checkpoint(), run(3)?.checkpoint()]), resume),
        Target::saved(
            || Ok(vec![Classification::new(ExactPairTree::new(growth()?))]),
            |learner: &mut Classification<ExactPairTree>, course| train(learner, &sorted()?, course),
        ),
        Target::saved(
            || Ok(vec![run(0)?.into_ensemble(), run(3)?.into_ensemble()]),
            scores::<PolicyEnsemble<PairTree>>,
        ),
        Target::saved(|| Ok(run(3)?.ensemble().members().to_vec()), nothing::<Member<PairTree>>),
        plain(|| vec![Smoothness::Paper, Smoothness::Sharp]),
        Target::saved(
            || {
                let mut regression = RewardRegression::new(&log()?, ExactPairTree::new(growth()?), 0.5)?;
                let _ = regression.round(&contexts()?)?;
                Ok(regression.record().to_vec())
            },
            nothing::<RegressionRound>,
        ),
        Target::saved(|| Ok(run(3)?.record().to_vec()), nothing::<Round>),
        plain(|| vec![Step::LineSearch, Step::Closed(Smoothness::Paper)]),
        Target::saved(
            || Ok(vec![settings()?, Settings::new(0.0, 0.0, Step::LineSearch)?]),
            |settings: &mut Settings, course| {
                let mut run = Run::new(&log()?, ExactPairTree::new(growth()?), *settings)?;
                for _ in 0..3 {
                    match run.round(&contexts()?) {
                        Ok(_) => course.number("an objective", run.objective()),
                        Err(error) => course.refused(&error),
                    }
                }
                course.numbers("a score", run.scores());
                Ok(())
            },
        ),
        plain(|| vec![Stop::Gradient, Stop::Rounds]),
    ]
}
