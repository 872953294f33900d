//! Model files of `ocoboost`, with the checksum of a mutated file made right again: else nothing behind it
//! would ever be reached.

use super::off_policy::{logs, schema};
use super::{Target, plain};
use crate::Checks;
use crate::target::Format;
use crate::verdict::{AnyError, Complaint, Verdict};
use boosters::auto_policy::{AutoCheckpoint, AutoPolicy, Candidate, Objective, Overrides, Progress, Tried};
use ocoboost::inspect::inspect;
use ocoboost::model_file::{Content, SavedState, export_json, export_xgboost_json};
use ocoboost::{Event, Model, OnOffer, TrainCheckpoint, TrainJob};
use off_policy::Log;
use off_policy::estimators::Estimate;
use off_policy::policies::Scores;
use rows::RowMatrix;
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::time::Duration;

/// The bytes of a SHA-256.
const CHECKSUM: usize = 32;
/// The most actions and coordinates that a loaded model is used with.
const MOST: usize = 1 << 12;

fn model() -> Result<Model, AnyError> {
    let small = logs()?.into_iter().next().ok_or("no log")?;
    // Rows enough to learn from some and to judge on others.
    let log = small.select((0..60).map(|row| row % small.len()))?.with_schema(schema()?)?;
    let job = TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(2).max_depth(2);
    Ok(job.build()?.fit(&log, |_| ControlFlow::Continue(()))?)
}

fn seeds() -> Result<Vec<Vec<u8>>, AnyError> {
    let state = SavedState::of("numbers", &[0.25, -1.5])?;
    Ok(vec![model()?.to_bytes()?, Content::State(state).to_bytes()?])
}

fn read(input: &[u8]) -> Verdict {
    let mut sealed = input.to_vec();
    if let Some(end) = input.len().checked_sub(CHECKSUM) {
        let checksum = Sha256::digest(&input[..end]);
        sealed[end..].copy_from_slice(&checksum);
    }
    match Content::from_bytes(&sealed) {
        Ok(content) => use_content(&content).map_or_else(Verdict::Faulty, |()| Verdict::Accepted),
        Err(error) => {
            std::hint::black_box(error.to_string());
            Verdict::Refused
        }
    }
}

fn use_content(content: &Content) -> Result<(), Complaint> {
    let complaint = |law| move |error: String| Complaint { law, detail: error };
    let bytes = content.to_bytes().map_err(|e| complaint("what was loaded can be written")(e.to_string()))?;
    let again = Content::from_bytes(&bytes).map_err(|e| complaint("and loaded again")(e.to_string()))?;
    if again != *content {
        return Err(Complaint { law: "a copy is the original", detail: content.kind() });
    }
    let Content::Policy(model) = content else { return Ok(()) };
    let (inputs, actions) = (model.inputs(), model.actions());
    if inputs > MOST || actions > MOST {
        return Ok(());
    }
    std::hint::black_box((inspect(model, 3), export_json(model), export_xgboost_json(model).is_ok()));
    std::hint::black_box(model.judgement().sentence());
    let rows = RowMatrix::dense(inputs, vec![0.5; 2 * inputs]);
    let rows = rows.map_err(|e| complaint("a row of the model's dimension")(e.to_string()))?;
    let all = OnOffer::all(actions).map_err(|e| complaint("the model's actions are a set")(e.to_string()))?;
    // Sums may leave the doubles; then there is a refusal.
    if let Ok(chosen) = model.predict(&rows, all) {
        let is_sound = chosen.len() == 2 && chosen.iter().all(|a| (*a as usize) < actions);
        if !is_sound {
            return Err(Complaint { law: "a row gets one of the actions", detail: format!("{chosen:?}") });
        }
    }
    Ok(())
}

/// A log of rows enough to learn from some and to judge on others.
fn long_log() -> Result<Log, AnyError> {
    let small = logs()?.into_iter().next().ok_or("no log")?;
    Ok(small.select((0..40).map(|row| row % small.len()))?)
}

/// A search in its race, and in its training.
fn searches() -> Result<Vec<AutoCheckpoint>, AnyError> {
    let mut found = Vec::new();
    recipe()?.fit_resumable(&long_log()?, None, |progress, snapshot| {
        let is_race = matches!(progress, Progress::Search { round: 2, .. }) && found.is_empty();
        if is_race || matches!(progress, Progress::Training { done: 2, .. }) {
            found.push(snapshot.checkpoint());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

fn recipe() -> Result<AutoPolicy, AnyError> {
    Ok(AutoPolicy::builder().candidates(2).rounds(3).build()?)
}

/// Goes on with a search, which ends or is refused.
fn go_on(search: &mut AutoCheckpoint, checks: &mut Checks) -> Result<(), AnyError> {
    let fit =
        recipe()?.fit_resumable(&long_log()?, Some(search.clone()), |_, _| ControlFlow::Continue(()))?;
    checks.holds("a candidate is chosen", fit.chosen < fit.tried.len(), fit.chosen);
    Ok(())
}

fn job() -> Result<TrainJob, AnyError> {
    Ok(TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(3).build()?)
}

fn trainings() -> Result<Vec<TrainCheckpoint>, AnyError> {
    let mut found = Vec::new();
    job()?.fit_resumable(&long_log()?, None, |event, moment| {
        if let (Event::Progress(Progress::Search { round: 2, .. }), Some(moment)) = (event, moment) {
            found.push(moment.checkpoint());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

fn go_on_training(training: &mut TrainCheckpoint, checks: &mut Checks) -> Result<(), AnyError> {
    let model =
        job()?.fit_resumable(&long_log()?, Some(training.clone()), |_, _| ControlFlow::Continue(()))?;
    checks.holds("rows are judged", model.provenance().judging_rows > 0, "");
    Ok(())
}

const CANDIDATE: Candidate = Candidate {
    objective: Objective::Surrogate,
    max_depth: 8,
    min_child_weight: 3.0,
    reg_lambda: 1.0,
    learning_rate: 0.15,
    translation: -0.2,
    clip: Some(3.0),
    columns: 0.5,
    rows: 0.8,
};

pub(super) fn all() -> Vec<Target> {
    let value = Estimate { value: 0.5, standard_error: Some(0.01) };
    let curve = vec![(0, 0.25), (33, 0.5)];
    let tried = Tried { candidate: CANDIDATE, rounds: 40, best_round: 33, value, curve };
    let some = Overrides { max_depth: Some(4), clip: Some(2.0), ..Overrides::default() };
    vec![
        Target::reader("ocoboost::model_file", Format::Binary, seeds, read),
        Target::saved(searches, go_on),
        Target::saved(trainings, go_on_training),
        plain(|| vec![Objective::Ips, Objective::RewardRegression]),
        plain(|| vec![CANDIDATE]),
        Target::saved(move || Ok(vec![tried.clone()]), super::nothing::<Tried>),
        Target::saved(move || Ok(vec![some, Overrides::default()]), super::nothing::<Overrides>),
    ]
}
