//! Logs, policies and settings of estimators.

use super::sets::matrices;
use super::{Target, plain, rng};
use crate::play::{MOST, policy, scores, wave};
use crate::verdict::AnyError;
use off_policy::estimators::{
    EmpiricalBernstein, Estimate, Estimator, EstimatorSettings, Interval, OffPolicyEvaluation, RewardModel,
    Sides, StatedRanges, Support, SupportWarning, TableModel, ZeroModel,
};
use off_policy::policies::{
    Argmax, Columns, EpsilonGreedy, LogisticRecord, LogisticStop, LogisticTraining, MultinomialLogistic,
    Softmax, Tabular, TrainedLogistic, Uniform,
};
use off_policy::readers::{
    ActionCoding, CategoryColumn, CategoryLabels, ContextColumns, CsvColumns, OnOffer, Outcome, read_csv,
};
use off_policy::{
    ActionNames, ActionSets, ContextColumn, Costs, LabelSets, Log, RewardStructure, Rewards, Schema,
};

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
    let named = logs[0].clone().with_schema(schema()?)?;
    logs.push(named);
    Ok(logs)
}

/// A schema of three columns and two actions.
pub(super) fn schema() -> Result<Schema, AnyError> {
    Ok(Schema::new(context_columns(), ActionNames::Labels(vec!["left".into(), "right".into()]))?)
}

fn context_columns() -> Vec<ContextColumn> {
    let label = ContextColumn::Labels { name: "label".into(), labels: vec!["b".into(), "d".into()] };
    vec![ContextColumn::Number { name: "number".into() }, label]
}

fn csv_columns() -> Result<Vec<CsvColumns>, AnyError> {
    let columns = CsvColumns::default().with_labels(["label"]).with_on_offer("offers", '|');
    let apart = CsvColumns::default().without(["id"]).with_coding(ActionCoding::Index(2)).with_cost("cost");
    Ok(vec![columns.clone(), apart, columns.coded_as(&schema()?)])
}

fn coding() -> Vec<Target> {
    vec![
        Target::saved(
            || Ok(vec![schema()?, Schema::new(context_columns(), ActionNames::Numbered(2))?]),
            |schema: &mut Schema, checks| {
                checks.holds("a schema is of its own coding", schema.check_same(schema).is_ok(), "");
                let names = schema.feature_names().len();
                checks.holds("every coordinate has a name", names == schema.inputs(), names);
                checks.holds(
                    "the last action has a name",
                    schema.action_name(schema.actions() - 1).is_some(),
                    "",
                );
                Ok(())
            },
        ),
        plain(context_columns),
        plain(|| vec![ActionNames::Numbered(2), ActionNames::Labels(vec!["a".into()])]),
        Target::saved(csv_columns, |columns: &mut CsvColumns, checks| {
            let text = "id,number,label,action,propensity,reward,cost,offers\n\
                        1,2,b,left,0.5,1,0,left|right\n2,3,d,right,0.5,0,1,right\n";
            match read_csv(text.as_bytes(), columns) {
                Ok(read) => {
                    let again = read_csv(text.as_bytes(), &read.columns);
                    checks.holds(
                        "a log is coded alike again",
                        again.is_ok_and(|again| again.log == read.log),
                        "",
                    );
                }
                Err(error) => checks.refused(&error),
            }
            Ok(())
        }),
        plain(|| {
            let named = ContextColumns::Named(vec!["a".into()]);
            vec![ContextColumns::Remaining, ContextColumns::RemainingBut(vec!["b".into()]), named]
        }),
        plain(|| vec![CategoryColumn { column: "a".into(), labels: CategoryLabels::Appearance }]),
        plain(|| vec![CategoryLabels::Appearance, CategoryLabels::Known(vec!["a".into()])]),
        plain(|| vec![OnOffer { column: "a".into(), separator: '|' }]),
        plain(|| {
            vec![ActionCoding::Appearance, ActionCoding::Index(2), ActionCoding::Labels(vec!["a".into()])]
        }),
        plain(|| vec![Outcome::Reward("r".into()), Outcome::Cost("c".into())]),
    ]
}

fn evaluation() -> Result<OffPolicyEvaluation, AnyError> {
    let model = ZeroModel { actions: 2 };
    Ok(OffPolicyEvaluation::of(&logs()?[0], &Uniform::new(2)?, Some(&model), EstimatorSettings::default())?)
}

fn table() -> Result<Tabular, AnyError> {
    Ok(Tabular::new(3, wave(6, 1))?)
}

fn logistic() -> Result<MultinomialLogistic, AnyError> {
    Ok(MultinomialLogistic::new(3, wave(6, 1), vec![0.0, 0.5])?)
}

fn trained() -> Result<TrainedLogistic, AnyError> {
    let labels = LabelSets::single(2, &[0, 1, 1, 0])?;
    Ok(LogisticTraining::builder().ridge(0.1).max_epochs(5).build()?.fit(
        &matrices()?[0],
        &labels,
        &mut rng(31),
    )?)
}

fn structure() -> Result<RewardStructure, AnyError> {
    Ok(RewardStructure::near_misses(4, &[[0, 1], [2, 3]], 0.5)?)
}

pub(super) fn all() -> Vec<Target> {
    let mut list = data();
    list.extend(coding());
    list.extend(estimates());
    list.extend(policies());
    list
}

fn data() -> Vec<Target> {
    vec![
        Target::saved(
            || Ok(vec![ActionSets::new(3, [vec![0, 2], vec![1]])?, ActionSets::new(2, [vec![0, 1]])?]),
            |sets: &mut ActionSets, checks| {
                for i in 0..sets.len().min(MOST) {
                    let row = sets.row(i).ok_or("a row that is not there")?;
                    checks.any_number(row.len() as f64);
                    let within = row.iter().take(MOST).all(|a| a < sets.actions() && row.contains(a));
                    checks.holds("actions on offer are actions", within, i);
                }
                Ok(())
            },
        ),
        Target::saved(logs, |log: &mut Log, checks| {
            for row in log.iter().take(MOST) {
                checks.number("a propensity", row.propensity);
                checks.number("a reward", row.reward);
            }
            checks.any_number(log.translated(0.5)?.len() as f64);
            if log.actions() <= MOST {
                let uniform = Uniform::new(log.actions())?;
                let found = OffPolicyEvaluation::of(log, &uniform, None, EstimatorSettings::default())?;
                checks.number("an estimate", found.ips.value);
            }
            Ok(())
        }),
        plain(|| vec![Rewards(vec![1.0, 0.5]), Rewards(vec![])]),
        plain(|| vec![Costs(vec![1.0, 0.5]), Costs(vec![])]),
        Target::saved(
            || Ok(vec![structure()?, RewardStructure::one_of_the_labels(3)?]),
            |structure: &mut RewardStructure, checks| {
                for action in 0..structure.actions().min(MOST) {
                    checks.number("a reward", structure.reward(&[0, 1], action));
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
            |found: &mut OffPolicyEvaluation, checks| {
                checks.any_number(found.warnings().len() as f64);
                found.estimates().for_each(|(_, estimate)| checks.any_number(estimate.value));
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![ZeroModel { actions: 2 }]),
            |model: &mut ZeroModel, checks| model_of(model, checks),
        ),
        Target::saved(
            || Ok(vec![TableModel::new(vec![0.5, 1.0])?]),
            |model: &mut TableModel, checks| model_of(model, checks),
        ),
        Target::saved(
            || {
                let ranges = StatedRanges::new([0.0, 1.0])?.with_largest_weight(4.0)?;
                let clipped = EstimatorSettings::default().clipped_at(10.0)?.switched_at(5.0)?;
                Ok(vec![EstimatorSettings::default(), clipped.within(ranges)])
            },
            |settings: &mut EstimatorSettings, checks| {
                let uniform = Uniform::new(2)?;
                let model = ZeroModel { actions: 2 };
                let found = OffPolicyEvaluation::of(&logs()?[0], &uniform, Some(&model), *settings)?;
                found.estimates().for_each(|(_, estimate)| checks.number("an estimate", estimate.value));
                Ok(())
            },
        ),
        Target::saved(
            || {
                let ranges = StatedRanges::new([0.0, 1.0])?;
                Ok(vec![ranges, ranges.with_predictions([0.0, 0.5])?.with_least_propensity(0.1)?])
            },
            |ranges: &mut StatedRanges, checks| {
                checks.numbers("a range", &ranges.rewards());
                checks.numbers("a range", &ranges.predictions());
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![evaluation()?.support]),
            |support: &mut Support, checks| {
                support.warnings().iter().for_each(|warning| checks.refused(warning));
                Ok(())
            },
        ),
        plain(|| {
            vec![SupportWarning::NoOverlap, SupportWarning::MeanWeight { mean: 0.5, standard_error: 0.01 }]
        }),
    ]
}

fn model_of<M: RewardModel>(model: &M, checks: &mut crate::Checks) -> Result<(), AnyError> {
    if model.actions() <= MOST {
        let mut rewards = vec![0.0; model.actions()];
        model.rewards(rows::Row::dense(&wave(3, 0))?, &mut rewards)?;
        checks.numbers("a reward", &rewards);
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
            |trained: &mut TrainedLogistic, checks| scores(&mut trained.model, checks),
        ),
        Target::saved(|| Ok(vec![trained()?.record]), super::nothing::<LogisticRecord>),
        plain(|| vec![LogisticStop::Gradient, LogisticStop::Epochs]),
        plain(|| vec![Columns::Standardised, Columns::Raw]),
        Target::saved(
            || {
                let training = LogisticTraining::builder().ridge(0.1).max_epochs(5).build()?;
                Ok(vec![training.clone(), training.with_early_stopping(0.25, 2)?.with_columns(Columns::Raw)])
            },
            |training: &mut LogisticTraining, checks| {
                let labels = LabelSets::single(2, &[0, 1, 1, 0])?;
                let found = training.fit(&matrices()?[0], &labels, &mut rng(32))?;
                checks.numbers("a weight", found.model.intercepts());
                Ok(())
            },
        ),
    ]
}
