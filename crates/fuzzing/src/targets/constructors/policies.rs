//! Logs, label sets, policies, estimators' settings and intervals.

use super::learners::rng;
use super::weak::matrix;
use super::{Door, any, built, count, entry, numbers, parameter, used};
use crate::draw::Draw;
use crate::play::{policy, scores};
use crate::verdict::AnyError;
use off_policy::estimators::{
    Bootstrap, EmpiricalBernstein, EstimatorSettings, LogarithmicSmoothing, Moments, OffPolicyEvaluation,
    OnLog, Resampling, RewardModel, Sides, StatedRanges, TableModel, Tables,
};
use off_policy::policies::{EpsilonGreedy, LogisticTraining, MultinomialLogistic, Softmax, Tabular, Uniform};
use off_policy::{
    ActionNames, ActionSet, ActionSets, ContextColumn, LabelSets, Log, RewardStructure, Rewards, Schema,
};
use ranks::Ranks;

pub(super) fn log(draw: &mut Draw<'_>) -> Result<Log, AnyError> {
    let contexts = matrix(draw)?;
    let (n, actions) = (contexts.len(), draw.size(1, 4));
    let taken = draw.list(n, |draw| draw.index(actions));
    let propensities = numbers(draw, n, parameter);
    let rewards = numbers(draw, n, entry);
    Ok(Log::new(contexts, actions, taken, propensities, Rewards(rewards))?)
}

fn seen(log: &mut Log, checks: &mut crate::Checks) -> Result<(), AnyError> {
    for row in log.iter() {
        checks.number("a propensity", row.propensity);
        checks.number("a reward", row.reward);
    }
    if log.actions() <= 64 {
        let uniform = Uniform::new(log.actions())?;
        let found = OffPolicyEvaluation::of(log, &uniform, None, EstimatorSettings::default())?;
        checks.number("an estimate", found.ips.value);
    }
    Ok(())
}

fn estimates(found: &mut OffPolicyEvaluation, checks: &mut crate::Checks) -> Result<(), AnyError> {
    found.estimates().for_each(|(_, estimate)| checks.number("an estimate", estimate.value));
    found.warnings().iter().for_each(|warning| checks.refused(warning));
    Ok(())
}

fn settings(draw: &mut Draw<'_>) -> Result<EstimatorSettings, AnyError> {
    Ok(EstimatorSettings::default()
        .clipped_at(parameter(draw) * 20.0)?
        .switched_at(parameter(draw) * 20.0)?)
}

/// Lists of actions or labels, mostly below 4.
fn sets(draw: &mut Draw<'_>) -> Vec<Vec<u32>> {
    let n = draw.size(0, 4);
    draw.list(n, |draw| {
        let length = draw.size(0, 4);
        draw.list(length, |draw| if draw.byte() < 245 { draw.index(4) } else { draw.half_word() })
    })
}

fn name(draw: &mut Draw<'_>) -> String {
    ["", "a", "b", "a=b", "é", "a\nb"][draw.size(0, 5)].to_owned()
}

fn schema(draw: &mut Draw<'_>) -> Result<Schema, AnyError> {
    let n = draw.size(0, 3);
    let contexts = draw.list(n, |draw| match draw.byte() % 3 {
        0 => ContextColumn::Number { name: name(draw) },
        1 => ContextColumn::NumberOrMissing { name: name(draw) },
        _ => {
            let length = draw.size(0, 3);
            ContextColumn::Labels { name: name(draw), labels: draw.list(length, name) }
        }
    });
    let actions = match draw.coin() {
        true => ActionNames::Numbered(count(draw) as _),
        false => {
            let length = draw.size(0, 4);
            ActionNames::Labels(draw.list(length, name))
        }
    };
    Ok(Schema::new(contexts, actions)?)
}

fn ranges(draw: &mut Draw<'_>) -> Result<StatedRanges, AnyError> {
    let (a, b) = (draw.any(), draw.any());
    Ok(StatedRanges::new(if draw.byte() < 200 { [a.min(b), a.max(b)] } else { [a, b] })?)
}

fn tabular(draw: &mut Draw<'_>) -> Result<Tabular, AnyError> {
    let (inputs, n) = (draw.size(0, 4), draw.size(0, 5));
    Ok(Tabular::new(inputs, numbers(draw, n, entry))?)
}

pub(super) const DOORS: &[Door] = &[
    ("off_policy::Log::new", |draw| Ok(built(log(draw), seen))),
    ("off_policy::Log::select", |draw| {
        let log = log(draw)?;
        let length = draw.size(0, 5);
        let rows = draw.list(length, |draw| if draw.byte() < 245 { draw.size(0, 4) } else { count(draw) });
        Ok(built(log.select(rows), seen))
    }),
    ("off_policy::Log::translated", |draw| {
        let log = log(draw)?;
        Ok(built(log.translated(draw.any()), seen))
    }),
    ("off_policy::Log::with_action_sets", |draw| {
        let log = log(draw)?;
        Ok(built(log.clone().with_action_sets(ActionSets::new(log.actions(), sets(draw))?), seen))
    }),
    ("off_policy::Log::with_schema", |draw| {
        let log = log(draw)?;
        Ok(built(log.with_schema(schema(draw)?), seen))
    }),
    ("off_policy::Log::gathered", |draw| {
        let log = log(draw)?;
        let length = draw.size(0, 5);
        let rows = draw.list(length, |draw| draw.size(0, 9));
        Ok(used(log.gathered(&rows, &Ranks::alone()), seen))
    }),
    ("off_policy::Log::dealt", |draw| {
        let log = log(draw)?;
        let length = draw.size(0, 5);
        let rows = draw.list(length, |draw| draw.size(0, 9));
        Ok(used(log.dealt(&rows, &Ranks::alone()), seen))
    }),
    ("off_policy::ActionSets::new", |draw| {
        let actions = count(draw);
        Ok(built(ActionSets::new(actions, sets(draw)), |sets, checks| {
            for i in 0..sets.len() {
                let row = sets.row(i).ok_or("a row that is not there")?;
                checks.any_number(row.len() as f64);
                checks.holds("actions on offer are actions", row.iter().take(64).all(|a| row.contains(a)), i);
            }
            Ok(())
        }))
    }),
    ("off_policy::ActionSet::all", |draw| {
        Ok(used(ActionSet::all(count(draw)), |set, checks| {
            checks.any_number(set.len() as f64);
            Ok(())
        }))
    }),
    ("off_policy::LabelSets::new", |draw| {
        let classes = count(draw);
        Ok(used(LabelSets::new(classes, sets(draw)), |_, _| Ok(())))
    }),
    ("off_policy::LabelSets::single", |draw| {
        let (classes, length) = (count(draw), draw.size(0, 5));
        let labels = draw.list(length, |draw| draw.index(5));
        Ok(used(LabelSets::single(classes, &labels), |_, _| Ok(())))
    }),
    ("off_policy::RewardStructure::one_of_the_labels", |draw| {
        Ok(built(RewardStructure::one_of_the_labels(count(draw)), |structure, checks| {
            checks.number("a reward", structure.reward(&[0], 0));
            Ok(())
        }))
    }),
    ("off_policy::RewardStructure::near_misses", |draw| {
        let (actions, groups) = (count(draw), sets(draw));
        Ok(built(RewardStructure::near_misses(actions, &groups, parameter(draw)), |structure, checks| {
            checks.number("a reward", structure.reward(&[0], 0));
            Ok(())
        }))
    }),
    ("off_policy::Schema::new", |draw| {
        Ok(built(schema(draw), |schema, checks| {
            checks.holds("a schema is of its own coding", schema.check_same(schema).is_ok(), "");
            if schema.inputs() <= 64 {
                let names = schema.feature_names().len();
                checks.holds("every coordinate has a name", names == schema.inputs(), names);
            }
            Ok(())
        }))
    }),
    ("off_policy::EstimatorSettings::clipped_at", |draw| {
        Ok(built(EstimatorSettings::default().clipped_at(draw.any()), |_, _| Ok(())))
    }),
    ("off_policy::EstimatorSettings::switched_at", |draw| {
        Ok(built(EstimatorSettings::default().switched_at(draw.any()), |_, _| Ok(())))
    }),
    ("off_policy::StatedRanges::new", |draw| {
        Ok(built(ranges(draw), |ranges, checks| {
            checks.numbers("a range", &ranges.rewards());
            Ok(())
        }))
    }),
    ("off_policy::StatedRanges::with_predictions", |draw| {
        Ok(built(ranges(draw)?.with_predictions([draw.any(), draw.any()]), |ranges, checks| {
            checks.numbers("a range", &ranges.predictions());
            Ok(())
        }))
    }),
    ("off_policy::StatedRanges::with_least_propensity", |draw| {
        Ok(built(ranges(draw)?.with_least_propensity(draw.any()), |_, _| Ok(())))
    }),
    ("off_policy::StatedRanges::with_largest_weight", |draw| {
        Ok(built(ranges(draw)?.with_largest_weight(draw.any()), |_, _| Ok(())))
    }),
    ("off_policy::Tables::new", |draw| {
        let (actions, n) = (count(draw), draw.size(0, 4));
        let taken = draw.list(n, |draw| draw.index(5));
        let lists = [numbers(draw, n, parameter), numbers(draw, n, any)];
        let entries = n.saturating_mul(actions.min(6));
        let (target, q) = (numbers(draw, entries, parameter), numbers(draw, entries, any));
        let tables =
            Tables::new(actions, &taken, &lists[0], &lists[1], &target, draw.coin().then_some(&q[..]))?;
        Ok(built(OffPolicyEvaluation::of_tables(&tables, settings(draw)?), estimates))
    }),
    ("off_policy::OffPolicyEvaluation::of", |draw| {
        let (log, settings) = (log(draw)?, settings(draw)?);
        let model = TableModel::new(numbers(draw, log.actions(), entry))?;
        let uniform = Uniform::new(log.actions())?;
        Ok(built(OffPolicyEvaluation::of(&log, &uniform, Some(&model), settings), estimates))
    }),
    ("off_policy::OffPolicyEvaluation::of_tables", |draw| {
        let n = draw.size(1, 4);
        let taken = draw.list(n, |draw| draw.index(2));
        let (p, r) = (draw.list(n, Draw::share), draw.list(n, Draw::any));
        let target: Vec<f64> = draw.list(n, Draw::share).into_iter().flat_map(|p| [p, 1.0 - p]).collect();
        let tables = Tables::new(2, &taken, &p, &r, &target, None)?;
        Ok(built(OffPolicyEvaluation::of_tables(&tables, settings(draw)?.within(ranges(draw)?)), estimates))
    }),
    ("off_policy::OffPolicyEvaluation::of_observations", |draw| {
        let (log, settings) = (log(draw)?, settings(draw)?);
        let uniform = Uniform::new(log.actions())?;
        Ok(built(
            OffPolicyEvaluation::of_observations(&OnLog::new(&log, &uniform, None)?, settings),
            estimates,
        ))
    }),
    ("off_policy::OnLog::new", |draw| {
        let log = log(draw)?;
        let uniform = Uniform::new(count(draw))?;
        Ok(used(OnLog::new(&log, &uniform, None), |_, _| Ok(())))
    }),
    ("off_policy::Bootstrap::of", |draw| {
        let (log, settings) = (log(draw)?, settings(draw)?);
        let uniform = Uniform::new(log.actions())?;
        let resampling = Resampling { replicates: u32::from(draw.byte() % 16), seed: draw.word() };
        let delta = parameter(draw);
        Ok(used(Bootstrap::of(&OnLog::new(&log, &uniform, None)?, settings, resampling), |found, checks| {
            if let Some(interval) = found.interval(off_policy::estimators::Estimator::Ips, delta)? {
                checks.numbers("an end", &[interval.lower, interval.upper]);
            }
            Ok(())
        }))
    }),
    ("off_policy::Moments::of", |draw| {
        let n = draw.size(0, 6);
        let values = draw.list(n, Draw::any);
        Ok(used(Moments::of(&values), |moments, checks| {
            checks.outcome("a mean", moments.mean());
            checks.any_number(moments.variance()?.unwrap_or_default());
            Ok(())
        }))
    }),
    ("off_policy::EmpiricalBernstein::new", |draw| {
        let n = draw.size(0, 6);
        let moments = Moments::of(&draw.list(n, entry))?;
        let sides = if draw.coin() { Sides::One } else { Sides::Two };
        Ok(used(EmpiricalBernstein::new(&moments, draw.any(), parameter(draw), sides), |found, checks| {
            checks.extended("an end", found.interval().lower);
            Ok(())
        }))
    }),
    ("off_policy::LogarithmicSmoothing::new", |draw| {
        let n = draw.size(0, 6);
        let terms = draw.list(n, Draw::any);
        Ok(used(LogarithmicSmoothing::new(&terms, parameter(draw), parameter(draw)), |_, _| Ok(())))
    }),
    ("off_policy::LogarithmicSmoothing::of", |draw| {
        let log = log(draw)?;
        let uniform = Uniform::new(log.actions())?;
        Ok(used(LogarithmicSmoothing::of(&log, &uniform, parameter(draw), parameter(draw)), |_, _| Ok(())))
    }),
    ("off_policy::TableModel::new", |draw| {
        let n = draw.size(0, 5);
        Ok(built(TableModel::new(numbers(draw, n, any)), |model, checks| {
            let mut rewards = vec![0.0; model.actions()];
            model.rewards(rows::Row::dense(&[0.5])?, &mut rewards)?;
            checks.numbers("a reward", &rewards);
            Ok(())
        }))
    }),
    ("off_policy::Uniform::new", |draw| Ok(built(Uniform::new(count(draw)), policy))),
    ("off_policy::Tabular::new", |draw| {
        let (inputs, n) = (count(draw), draw.size(0, 8));
        Ok(built(Tabular::new(inputs, numbers(draw, n, any)), scores))
    }),
    ("off_policy::Softmax::new", |draw| {
        let table = tabular(draw)?;
        Ok(built(Softmax::new(table, draw.any()), policy))
    }),
    ("off_policy::EpsilonGreedy::new", |draw| {
        let table = Softmax::new(tabular(draw)?, parameter(draw))?;
        Ok(built(EpsilonGreedy::new(table, draw.any()), policy))
    }),
    ("off_policy::MultinomialLogistic::new", |draw| {
        let (inputs, actions) = (draw.size(0, 4), draw.size(0, 4));
        let weights = numbers(draw, inputs * actions, any);
        let intercepts = numbers(draw, actions, any);
        let inputs = if draw.byte() < 245 { inputs } else { count(draw) };
        Ok(built(MultinomialLogistic::new(inputs, weights, intercepts), scores))
    }),
    ("off_policy::LogisticTrainingBuilder::build", |draw| {
        let training = LogisticTraining::builder().ridge(draw.any()).max_epochs(draw.size(0, 4));
        let (contexts, classes) = (matrix(draw)?, draw.size(1, 3));
        let labels = draw.list(contexts.len(), |draw| draw.index(classes));
        let rng = rng(draw);
        Ok(built(training.build(), move |training, checks| {
            let labels = LabelSets::single(classes, &labels)?;
            let found = training.fit(&contexts, &labels, &mut rng.clone())?;
            checks.numbers("a weight", found.model.intercepts());
            Ok(())
        }))
    }),
    ("off_policy::LogisticTraining::with_early_stopping", |draw| {
        let training = LogisticTraining::builder().build()?;
        Ok(built(training.with_early_stopping(draw.any(), count(draw)), |_, _| Ok(())))
    }),
    ("off_policy::LogisticTraining::with_tolerance", |draw| {
        let training = LogisticTraining::builder().build()?;
        Ok(built(training.with_tolerance(draw.any()), |_, _| Ok(())))
    }),
];
