//! One log for models that read it in different ways: other columns, other labels, another order.

use super::models::{Named, options_of};
use super::reading::{Opened, open};
use crate::arguments::{Columns, Manners};
use crate::failure::Failure;
use ocoboost::{Explore, JobError, Model, OnOffer};
use off_policy::Log;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Whether one reading of the log serves all models.
pub(super) fn are_one(named: &[Named]) -> bool {
    let mut schemas = named.iter().filter_map(|one| one.model()?.schema());
    let first = schemas.next();
    schemas.all(|schema| first.is_some_and(|first| first.check_same(schema).is_ok()))
}

/// Probabilities: π(a|x_i) at i·|A| + a.
pub(super) type Table = Vec<f64>;

/// The log as the first model reads it, and what each model plays in its rows: its own reading says what. A
/// table has 1 at i·|A| + a, where a is played in row i; it is `None` for a policy without a model.
pub(super) fn together(
    log: &Path,
    paths: &[PathBuf],
    named: &[Named],
    columns: &Columns,
    manners: &Manners,
) -> Result<(Opened, Vec<Option<Table>>), Failure> {
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
    let (mut played, actions) = (played.into_iter(), opened.log.actions());
    let tables = named.iter().map(|one| {
        let own = one.model().and_then(|_| played.next())?;
        let mut table = vec![0.0; own.len() * actions];
        for (row, action) in table.chunks_exact_mut(actions).zip(own) {
            row.iter_mut().skip(action as usize).take(1).for_each(|p| *p = 1.0);
        }
        Some(table)
    });
    let tables = tables.collect();
    Ok((opened, tables))
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
