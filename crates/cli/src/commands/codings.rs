//! One log for models that read it in different ways: other columns, other labels, another order.

use super::models::{Named, options_of};
use super::reading::{Opened, open};
use crate::arguments::{Columns, Manners};
use crate::failure::Failure;
use formats::FormatError;
use ocoboost::{Explore, JobError, Model, OnOffer};
use off_policy::policies::Policy;
use off_policy::{ActionSet, Log, PolicyError, Rewards};
use rows::{Row, RowError, RowMatrix};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Whether one reading of the log serves all models.
pub(super) fn are_one(named: &[Named]) -> bool {
    let mut schemas = named.iter().filter_map(|one| one.model()?.schema());
    let first = schemas.next();
    schemas.all(|schema| first.is_some_and(|first| first.check_same(schema).is_ok()))
}

/// What a model plays is in a column of the contexts.
pub(super) struct Plays {
    column: usize,
    inputs: usize,
    actions: usize,
}

impl Policy for Plays {
    fn inputs(&self) -> Option<usize> {
        Some(self.inputs)
    }

    fn actions(&self) -> usize {
        self.actions
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an action, written as a number"
    )]
    fn probabilities(
        &self,
        x: Row<'_>,
        _: ActionSet<'_>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        if x.dimension() != self.inputs {
            return Err(PolicyError::InputDimension { expected: self.inputs, got: x.dimension() });
        }
        if probabilities.len() != self.actions {
            let (argument, expected, got) = ("probabilities", self.actions, probabilities.len());
            return Err(PolicyError::ActionCount { argument, expected, got });
        }
        probabilities.fill(0.0);
        let played = x.get(self.column).unwrap_or_default() as usize;
        probabilities.iter_mut().skip(played).take(1).for_each(|p| *p = 1.0);
        Ok(())
    }
}

/// The log as the first model reads it, with a column behind its contexts for what each model plays: its own
/// reading says what. The policies are `None` for those without a model.
pub(super) fn together(
    log: &Path,
    paths: &[PathBuf],
    named: &[Named],
    columns: &Columns,
    manners: &Manners,
) -> Result<(Opened, Vec<Option<Plays>>), Failure> {
    let mut first: Option<(&PathBuf, &Model, Opened)> = None;
    let mut played: Vec<Vec<u32>> = Vec::new();
    for (path, model) in paths.iter().zip(named).filter_map(|(path, one)| Some((path, one.model()?))) {
        let opened = open(log, model.schema(), &options_of(Some(model), columns)?, manners)?;
        let failed = |source: JobError| Failure::Job { file: opened.name.clone(), source };
        let own = actions_of(model, &opened.log).map_err(failed)?;
        let Some((first_path, first_model, first_opened)) = &first else {
            played.push(own);
            first = Some((path, model, opened));
            continue;
        };
        let other = || Failure::OtherCoding { first: (*first_path).clone(), second: path.clone() };
        // Readers sort the names of actions: the same names are the same numbers.
        let (a, b) = (&opened.log, &first_opened.log);
        let is_same = names(model) == names(first_model) && a.logged_actions() == b.logged_actions();
        if !is_same || a.rewards() != b.rewards() {
            return Err(other());
        }
        played.push(own);
    }
    let Some((_, _, opened)) = first else {
        return Ok((open(log, None, &options_of(None, columns)?, manners)?, Vec::new()));
    };
    let failed = |source: JobError| Failure::Job { file: opened.name.clone(), source };
    let (inputs, actions) = (opened.log.inputs(), opened.log.actions());
    let contexts = widened(&opened.log, &played).map_err(FormatError::from)?;
    let log = with_contexts(&opened.log, contexts).map_err(failed)?;
    let mut column = inputs..;
    let plays = named.iter().map(|one| {
        let column = one.model().and_then(|_| column.next())?;
        Some(Plays { column, inputs: inputs + played.len(), actions })
    });
    let plays = plays.collect();
    Ok((Opened { log, ..opened }, plays))
}

fn actions_of(model: &Model, log: &Log) -> Result<Vec<u32>, JobError> {
    let offer = match log.action_sets() {
        Some(sets) => OnOffer::sets(sets),
        None => OnOffer::all(log.actions())?,
    };
    let mut actions = Vec::with_capacity(log.len());
    model.decide(log.contexts(), offer, Explore::EpsilonGreedy(0.0), 0, |decision| {
        actions.push(decision.action);
        ControlFlow::Continue(())
    })?;
    Ok(actions)
}

/// The names of the actions, where they have names.
fn names(model: &Model) -> Option<Vec<String>> {
    let schema = model.schema()?;
    (0..schema.actions()).map(|a| Some(schema.action_name(a)?.into_owned())).collect()
}

/// The contexts, and behind each what was played.
fn widened(log: &Log, played: &[Vec<u32>]) -> Result<RowMatrix, RowError> {
    let (inputs, mut offsets) = (log.inputs(), vec![0]);
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for (i, row) in log.contexts().iter().enumerate() {
        let mut push = |j: usize, value: f64| {
            if value != 0.0 {
                indices.push(u32::try_from(j).unwrap_or(u32::MAX));
                values.push(value);
            }
        };
        row.for_each(&mut push);
        played.iter().enumerate().for_each(|(k, actions)| push(inputs + k, f64::from(actions[i])));
        offsets.push(indices.len());
    }
    RowMatrix::sparse(inputs + played.len(), offsets, indices, values)
}

/// The log with other contexts, which no schema says anything of.
fn with_contexts(log: &Log, contexts: RowMatrix) -> Result<Log, JobError> {
    let (actions, propensities) = (log.logged_actions().to_vec(), log.propensities().to_vec());
    let other = Log::new(contexts, log.actions(), actions, propensities, Rewards(log.rewards().to_vec()))?;
    Ok(match log.action_sets() {
        Some(sets) => other.with_action_sets(sets.clone())?,
        None => other,
    })
}
