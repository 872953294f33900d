//! Logs, policies and settings of estimators.

use super::super::play::{MOST, policy, scores, wave};
use super::super::target::AnyError;
use super::sets::matrices;
use super::{Target, plain, rng};
use off_policy::estimators::{
    EmpiricalBernstein, Estimate, Estimator, EstimatorSettings, Interval, OffPolicyEvaluation, RewardModel,
    Sides, StatedRanges, Support, SupportWarning, TableModel, ZeroModel,
};
use off_policy::policies::{
    Argmax, Columns, EpsilonGreedy, LogisticRecord, LogisticStop, LogisticTraining, MultinomialLogistic,
    Softmax, Tabular, TrainedLogistic, Uniform,
};
use off_policy::{ActionSets, Costs, LabelSets, Log, RewardStructure, Rewards};

/// Four rows of three columns and two actions, dense or sparse.
pub(super) fn logs() -> Result<Vec<Log>, AnyError> {
    let mut logs = Vec::new();
    for contexts in matrices()? {
        let rewards = Rewards(vec![1.0, 0.0, 0.5, 1.0]);
        logs.push(Log::new(contexts, 2, vec![0, 1, 1, 0], vec![0.5, 0.25, 1.0, 0.5], rewards)?);
    }
    let sets = ActionSets::new(2, [vec![0, 1], vec![1], vec![1], vec![0]])?;
    let restricted = logs[0].clone().with_action_sets(sets)?;
    logs.push(restricted);
    Ok(logs)
}

fn evaluation() -> Result<OffPolicyEvaluation, AnyError> {
    let model = Some(&ZeroModel { actions: 2 });
    Ok(OffPolicyEvaluation::of(&logs()?[0], &Uniform::new(2)?, model, EstimatorSettings::default())?)
}

fn table() -> Result<Tabular, AnyError> {
    Ok(Tabular::new(3, wave(6, 1))?)
}

fn logistic() -> Result<MultinomialLogistic, AnyError> {
    Ok(MultinomialLogistic::new(3, wave(6, 1), vec![0.0, 0.5])?)
}

fn trained() -> Result<TrainedLogistic, AnyError> {
    let labels = LabelSets::single(2, &[0, 1, 1, 0])?;
    Ok(LogisticTraining::new(0.1, 5)?.fit(&matrices()?[0], &labels, &mut rng(31))?)
}

fn structure() -> Result<RewardStructure, AnyError> {
    Ok(RewardStructure::near_misses(4, &[[0, 1], [2, 3]], 0.5)?)
}

pub(super) fn all() -> Vec<Target> {
    let mut list = data();
    list.extend(estimates());
    list.extend(policies());
    list
}

fn data() -> Vec<Target> {
    vec![
        Target::saved(
            || Ok(vec![ActionSets::new(3, [vec![0, 2], vec![1]])?, ActionSets::new(2, [vec![0, 1]])?]),
            |sets: &mut ActionSets, course| {
                for i in 0..sets.len().min(MOST) {
                    let row = sets.row(i).ok_or("a row that is not there")?;
                    course.any_number(row.len() as f64);
                    let within = row.iter().take(MOST).all(|a| a < sets.actions() && row.contains(a));
                    course.holds("actions on offer are actions", within, i);
                }
                Ok(())
            },
        ),
        Target::saved(logs, |log: &mut Log, course| {
            for row in log.iter().take(MOST) {
                course.number("a propensity", row.propensity);
                course.number("a reward", row.reward);
            }
            course.any_number(log.translated(0.5)?.len() as f64);
            if log.actions() <= MOST {
                let uniform = Uniform::new(log.actions())?;
                let none = None::<&ZeroModel>;
                let found = OffPolicyEvaluation::of(log, &uniform, none, EstimatorSettings::default())?;
                course.number("an estimate", found.ips.value);
            }
            Ok(())
        }),
        plain(|| vec![Rewards(vec![1.0, 0.5]), Rewards(vec![])]),
        plain(|| vec![Costs(vec![1.0, 0.5]), Costs(vec![])]),
        Target::saved(
            || Ok(vec![structure()?, RewardStructure::one_of_the_labels(3)?]),
            |structure: &mut RewardStructure, course| {
                for action in 0..structure.actions().min(MOST) {
                    course.number("a reward", structure.reward(&[0, 1], action));
                }
                Ok(())
            },
        ),
    ]
}

fn estimates() -> Vec<Target> {
    vec![
        plain(|| vec![Sides::One, Sides::Two]),
        plain(|| vec![EmpiricalBernstein { mean: 0.5, half_width: 0.25 }]),
        plain(|| Estimator::ALL.to_vec()),
        plain(|| {
            vec![
                Estimate { value: 0.5, standard_error: Some(0.1) },
                Estimate { value: 0.5, standard_error: None },
            ]
        }),
        plain(|| vec![Interval { lower: 0.0, upper: 1.0 }]),
        Target::saved(
            || Ok(vec![evaluation()?]),
            |found: &mut OffPolicyEvaluation, course| {
                course.any_number(found.warnings().len() as f64);
                found.estimates().for_each(|(_, estimate)| course.any_number(estimate.value));
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![ZeroModel { actions: 2 }]),
            |model: &mut ZeroModel, course| model_of(model, course),
        ),
        Target::saved(
            || Ok(vec![TableModel::new(vec![0.5, 1.0])?]),
            |model: &mut TableModel, course| model_of(model, course),
        ),
        Target::saved(
            || {
                let ranges = StatedRanges::new([0.0, 1.0])?.with_largest_weight(4.0)?;
                let clipped = EstimatorSettings::default().clipped_at(10.0)?.switched_at(5.0)?;
                Ok(vec![EstimatorSettings::default(), clipped.within(ranges)])
            },
            |settings: &mut EstimatorSettings, course| {
                let uniform = Uniform::new(2)?;
                let model = Some(&ZeroModel { actions: 2 });
                let found = OffPolicyEvaluation::of(&logs()?[0], &uniform, model, *settings)?;
                found.estimates().for_each(|(_, estimate)| course.number("an estimate", estimate.value));
                Ok(())
            },
        ),
        Target::saved(
            || {
                let ranges = StatedRanges::new([0.0, 1.0])?;
                Ok(vec![ranges, ranges.with_predictions([0.0, 0.5])?.with_least_propensity(0.1)?])
            },
            |ranges: &mut StatedRanges, course| {
                course.numbers("a range", &ranges.rewards());
                course.numbers("a range", &ranges.predictions());
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![evaluation()?.support]),
            |support: &mut Support, course| {
                support.warnings().iter().for_each(|warning| course.refused(warning));
                Ok(())
            },
        ),
        plain(|| {
            vec![SupportWarning::NoOverlap, SupportWarning::MeanWeight { mean: 0.5, standard_error: 0.01 }]
        }),
    ]
}

fn model_of<M: RewardModel>(model: &M, course: &mut super::super::Course) -> Result<(), AnyError> {
    if model.actions() <= MOST {
        let mut rewards = vec![0.0; model.actions()];
        model.rewards(rows::Row::dense(&wave(3, 0))?, &mut rewards)?;
        course.numbers("a reward", &rewards);
    }
    Ok(())
}

fn policies() -> Vec<Target> {
    vec![
        Target::saved(|| Ok(vec![Argmax::new(table()?)]), policy::<Argmax<Tabular>>),
        Target::saved(
            || Ok(vec![EpsilonGreedy::new(Argmax::new(table()?), 0.1)?]),
            policy::<EpsilonGreedy<Argmax<Tabular>>>,
        ),
        Target::saved(|| Ok(vec![Softmax::new(logistic()?, 1.0)?]), policy::<Softmax<MultinomialLogistic>>),
        Target::saved(|| Ok(vec![table()?]), scores::<Tabular>),
        Target::saved(|| Ok(vec![Uniform::new(2)?, Uniform::new(7)?]), policy::<Uniform>),
        Target::saved(|| Ok(vec![logistic()?]), scores::<MultinomialLogistic>),
        Target::saved(
            || Ok(vec![trained()?]),
            |trained: &mut TrainedLogistic, course| scores(&mut trained.model, course),
        ),
        Target::saved(|| Ok(vec![trained()?.record]), super::nothing::<LogisticRecord>),
        plain(|| vec![LogisticStop::Gradient, LogisticStop::Epochs]),
        plain(|| vec![Columns::Standardised, Columns::Raw]),
        Target::saved(
            || {
                let training = LogisticTraining::new(0.1, 5)?;
                Ok(vec![training.clone(), training.with_early_stopping(0.25, 2)?.with_columns(Columns::Raw)])
            },
            |training: &mut LogisticTraining, course| {
                let labels = LabelSets::single(2, &[0, 1, 1, 0])?;
                let found = training.fit(&matrices()?[0], &labels, &mut rng(32))?;
                course.numbers("a weight", found.model.intercepts());
                Ok(())
            },
        ),
    ]
}
