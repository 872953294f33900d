//! The units of work of one task, side by side.

use super::Options;
use super::history::History;
use super::logging_policy::Explorer;
use super::measured::Measured;
use super::methods::Method;
use super::parameters::Parameters;
use super::search::{self, TRIALS};
use super::task::{MostRows, Task, Trial};
use super::task_name::TaskName;
use crate::memory;
use crate::runner::{ExperimentError, Run, side_by_side};
use report::progress::Stage;
use report::trials::WorkError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The common data of a task's units.
pub(super) struct Units<'a> {
    pub(super) task: &'a Task,
    /// The settings of the logging policy.
    pub(super) explorer: Explorer,
    pub(super) most: Option<MostRows>,
    pub(super) options: &'a Options,
    pub(super) run: &'a Run<History>,
}

/// The rows for scoring a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scored {
    Validation,
    Test,
}

/// One method in one trial.
#[derive(Debug, Clone, Copy)]
struct Unit {
    trial: u32,
    /// The index in the request.
    place: usize,
    method: Method,
    parameters: Parameters,
    /// The hyper-parameters of the direct method's model.
    model: Parameters,
    scored: Scored,
}

impl Unit {
    /// The key of a finished unit: all inputs of its history. The model is named unless it is that of \[L23,
    /// Table 5\].
    fn key(&self, task: TaskName, data: &str, explorer: Explorer) -> String {
        let Self { trial, method, parameters, model, scored, .. } = self;
        let explorer = serde_json::to_string(&explorer).unwrap_or_default();
        let asked = serde_json::to_string(parameters).unwrap_or_default();
        let mut key = format!("{task}/{data}/{trial}/{method}/{scored:?}/{explorer}/{asked}");
        if let Some(version) = method.version() {
            key = format!("{key}/{version}");
        }
        let needs_model = method.is_in_table_2(task) && *method != Method::BrrGb;
        if needs_model && *model != Parameters::table_5(Method::BrrGb, task) {
            key = format!("{key}/{}", serde_json::to_string(model).unwrap_or_default());
        }
        key
    }
}

impl Units<'_> {
    /// All trials of these methods, scored on test rows.
    pub(super) fn measure(&self, chosen: &[(Method, Parameters)]) -> Result<Vec<Measured>, ExperimentError> {
        let trials = |method| self.options.trials_of(self.task.name, method);
        let histories = self.run("trials", chosen, trials, Scored::Test)?;
        let provenance = self.task.provenance();
        let of = |(&(method, parameters), trials)| Measured {
            task: self.task.name,
            provenance,
            method,
            parameters,
            trials,
        };
        Ok(chosen.iter().zip(histories).map(of).collect())
    }

    /// The configuration of each method with the largest reward on validation rows; the first on ties.
    pub(super) fn search(
        &self,
        tried: Vec<(Method, Vec<Parameters>)>,
    ) -> Result<Vec<(Method, Parameters)>, ExperimentError> {
        let is_tuned = |tried: &&(Method, Vec<Parameters>)| tried.1.len() > 1;
        let all: Vec<(Method, Parameters)> = tried
            .iter()
            .filter(is_tuned)
            .flat_map(|(method, tried)| tried.iter().map(|parameters| (*method, *parameters)))
            .collect();
        let most = u32::try_from(TRIALS).unwrap_or(1);
        let trials = |method| self.options.trials_of(self.task.name, method).min(most);
        let histories = self.run("search", &all, trials, Scored::Validation)?;
        let rewards = histories.iter().map(|trials| trials.iter().map(|history| history.reward).sum::<f64>());
        let scored: Vec<_> = all.iter().zip(rewards).collect();
        let best = |(method, tried): (Method, Vec<Parameters>)| {
            let of_method = scored.iter().filter(|((of, _), _)| *of == method);
            let found = search::best(of_method.map(|((_, parameters), reward)| (parameters, *reward)));
            Some((method, found.or_else(|| tried.first().copied())?))
        };
        Ok(tried.into_iter().filter_map(best).collect())
    }

    /// The histories of each configuration in the first trials; `trials` gives the number per method.
    pub(super) fn run(
        &self,
        stage: &str,
        chosen: &[(Method, Parameters)],
        trials: impl Fn(Method) -> u32,
        scored: Scored,
    ) -> Result<Vec<Vec<Arc<History>>>, ExperimentError> {
        let name = self.task.name;
        // The model is the BRR-gb run on the same trials.
        let is_model = |of: &&(Method, Parameters)| scored == Scored::Test && of.0 == Method::BrrGb;
        let table_5 = Parameters::table_5(Method::BrrGb, name);
        let model = chosen.iter().find(is_model).map_or(table_5, |(_, parameters)| *parameters);
        let mut units = Vec::new();
        let mut of_trials = Vec::new();
        for trial in 0..chosen.iter().map(|(method, _)| trials(*method)).max().unwrap_or_default() {
            let of = |(place, &(method, parameters)): (usize, &(Method, Parameters))| Unit {
                trial,
                place,
                method,
                parameters,
                model,
                scored,
            };
            let is_run = |(_, (method, _)): &(usize, &(Method, Parameters))| trial < trials(*method);
            let mut of_trial: Vec<Unit> = chosen.iter().enumerate().filter(is_run).map(of).collect();
            of_trials.push(of_trial.len());
            // The longest first, so that the threads finish together.
            of_trial
                .sort_by_key(|unit| std::cmp::Reverse(unit.parameters.rounds * unit.parameters.max_depth));
            units.extend(of_trial);
        }
        let rounds: u64 = units.iter().map(|unit| u64::from(unit.parameters.rounds)).sum();
        let stage = self.run.progress.stage(&format!("{name}: rounds of {stage}"), rounds);
        let shared = Shared::new(self, &of_trials);
        let done = side_by_side(&units, self.options.threads, |unit| {
            let history = self.unit(unit, &shared, &stage);
            shared.leave(unit.trial);
            history
        })?;
        stage.finish();
        let mut histories = vec![Vec::new(); chosen.len()];
        for (unit, history) in units.iter().zip(done) {
            histories[unit.place].push(history);
        }
        Ok(histories)
    }

    /// The name of the data in keys: trials on a stand-in must not be reused once the official files are
    /// fetched.
    pub(super) fn data(&self) -> &'static str {
        self.task.provenance().label().unwrap_or("official")
    }

    /// The value of a unit, from the store or by running it.
    fn unit(&self, unit: &Unit, shared: &Shared<'_>, stage: &Stage) -> Result<Arc<History>, ExperimentError> {
        let Unit { trial, method, parameters, model, scored, .. } = unit;
        let data = self.data();
        let name = self.task.name;
        let key = unit.key(name, data, self.explorer);
        if let Some(kept) = self.run.store.get(&key) {
            stage.resume(u64::from(parameters.rounds));
            return Ok(kept);
        }
        let work = || {
            let trial = shared.trial(*trial)?;
            let rows = match scored {
                Scored::Validation => &trial.validation,
                Scored::Test => &trial.test,
            };
            let peer = method.peer().and_then(|program| self.options.plan.peers.ready(program));
            // Units side by side would count each other's memory.
            let is_alone = self.options.threads == Some(1) && memory::forget_peak();
            let tick = |rounds| stage.done(rounds);
            let mut history = method.train(name, &trial, (parameters, model), rows, (peer, &tick))?;
            if is_alone && history.memory.is_none() {
                history.memory = memory::peak();
            }
            Ok(history)
        };
        self.run.store.get_or_try_run(&key, work).map_err(WorkError::into_error)
    }
}

/// Trials built for their first unit and dropped after their last.
struct Shared<'a> {
    units: &'a Units<'a>,
    trials: Vec<Mutex<Option<Arc<Trial>>>>,
    left: Vec<AtomicUsize>,
}

impl<'a> Shared<'a> {
    /// For trials with these numbers of units.
    fn new(units: &'a Units<'a>, of_trials: &[usize]) -> Self {
        Self {
            units,
            trials: of_trials.iter().map(|_| Mutex::new(None)).collect(),
            left: of_trials.iter().map(|units| AtomicUsize::new(*units)).collect(),
        }
    }

    fn trial(&self, trial: u32) -> Result<Arc<Trial>, ExperimentError> {
        let Units { task, explorer, most, options, .. } = self.units;
        let mut slot = self.trials[trial as usize].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*slot {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(task.trial(*explorer, *most, options.seed, trial)?);
        *slot = Some(Arc::clone(&made));
        Ok(made)
    }

    fn leave(&self, trial: u32) {
        if self.left[trial as usize].fetch_sub(1, Ordering::Relaxed) == 1 {
            *self.trials[trial as usize].lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

#[cfg(test)]
mod tests;
