//! Model files of `ocoboost`, with the checksum of a mutated file made right again: else nothing behind it
//! would ever be reached.

use super::off_policy::{logs, schema};
use super::{Target, plain};
use crate::Checks;
use crate::play::wave;
use crate::target::Format;
use crate::verdict::{AnyError, Complaint, Verdict};
use boosters::auto_policy::{AutoCheckpoint, AutoPolicy, Candidate, Objective, Overrides, Progress, Tried};
use ocoboost::inspect::inspect;
use ocoboost::model_file::{
    Content, SavedState, export_candidates_json, export_candidates_xgboost_json, export_json,
    export_xgboost_json,
};
use ocoboost::{
    BanditBooster, BanditSettings, BoostAlgorithm, BoostJob, CandidateEvent, CandidateJob, CandidateModel,
    CandidateTrainCheckpoint, ClassTable, ClassificationReport, Classifier, Event, JobError, Model, OnOffer,
    ProgressiveError, RegressionBooster, RegressionSettings, StreamBandit, StreamBooster, StreamFeature,
    StreamJob, StreamLearner, StreamRegressor, StreamWeakLearner, TrainCheckpoint, TrainJob,
};
use off_policy::Log;
use off_policy::estimators::Estimate;
use off_policy::policies::Scores;
use off_policy::{ActionNames, ContextColumn, Rewards, Schema, Value};
use rows::RowMatrix;
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::time::Duration;
use weak_learners::pairs::PairNode;

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

/// A policy with a side for missing values.
fn model_of_missing_values() -> Result<Model, AnyError> {
    let coded = |k: u32| if k.is_multiple_of(3) { [0.0, 1.0] } else { [f64::from(k * 7 % 20) - 9.5, 0.0] };
    let rows = RowMatrix::dense(2, (0..240).flat_map(coded).collect())?;
    let is_paid = |k: u32| (k.is_multiple_of(3) || k * 7 % 20 > 12) == (k / 5 % 2 == 1);
    let rewards = Rewards((0..240).map(|k| f64::from(u8::from(is_paid(k)))).collect());
    let schema = Schema::new(
        vec![ContextColumn::NumberOrMissing { name: "age".to_owned() }],
        ActionNames::Numbered(2),
    )?;
    let log = Log::new(rows, 2, (0..240).map(|k| k / 5 % 2).collect(), vec![0.5; 240], rewards)?;
    let job = TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(3).max_depth(2);
    let model = job.build()?.fit(&log.with_schema(schema)?, |_| ControlFlow::Continue(()))?;
    let nodes = model.ensemble().members().iter().flat_map(|member| member.predictor.nodes());
    match nodes.filter(|node| matches!(node, PairNode::ContextOrMissing { .. })).count() {
        0 => Err("no tree has a side for missing values".into()),
        _ => Ok(model),
    }
}

/// A policy over candidates.
fn of_candidates() -> Result<CandidateModel, AnyError> {
    let job = CandidateJob::builder().budget(Duration::from_secs(3600)).rounds(6).build()?;
    Ok(job.fit(&super::candidates::long_log()?, |_| ControlFlow::Continue(()))?)
}

/// Rows of three classes.
fn classifier() -> Result<Classifier, AnyError> {
    let schema = schema()?;
    let names = (0..3).map(|class| format!("class {class}")).collect();
    let schema = Schema::new(schema.contexts().to_vec(), ActionNames::Labels(names))?;
    let values =
        (0..60 * schema.inputs()).map(|i| f64::from(u32::try_from(i * 7 % 11).unwrap_or(0))).collect();
    let rows = RowMatrix::dense(schema.inputs(), values)?;
    let table = ClassTable::new(rows, (0..60).map(|i| i / 7 % 3).collect(), schema)?;
    let job = BoostJob::builder().algorithm(BoostAlgorithm::AdaBoost).rounds(2).max_depth(2).build()?;
    Ok(job.fit(&table, None, |_| ControlFlow::Continue(()))?)
}

/// A learner of every kind of booster and weak learner, after some rows.
fn learners() -> Result<Vec<StreamLearner>, AnyError> {
    let kinds = [
        (StreamBooster::Agnostic, StreamWeakLearner::NaiveBayes),
        (StreamBooster::Realizable, StreamWeakLearner::Stumps),
        (StreamBooster::OsBoost, StreamWeakLearner::Logistic),
        (StreamBooster::OnlineBbm, StreamWeakLearner::NaiveBayes),
        (StreamBooster::AdaBoostOl, StreamWeakLearner::Stumps),
        (StreamBooster::Alone, StreamWeakLearner::Logistic),
    ];
    let learner = |(booster, weak)| -> Result<StreamLearner, AnyError> {
        let job = StreamJob::builder().booster(booster).weak_learner(weak).learners(2).bits(2).build()?;
        let mut learner = job.begin(2)?;
        rounds(&mut learner)?;
        Ok(learner)
    };
    kinds.into_iter().map(learner).collect()
}

/// Rows with numbers, labels and missing cells, of classes that a learner may know or not.
fn rounds(learner: &mut StreamLearner) -> Result<(), JobError> {
    let classes = match learner.classes() {
        [first, second] => [first.clone(), second.clone()],
        [first] => [first.clone(), format!("not {first}")],
        _ => ["no".to_owned(), "yes".to_owned()],
    };
    for (t, x) in wave(6, 3).into_iter().enumerate() {
        let label = Value::Text(["a", "b", "c"][t % 3]);
        let cells = [("x", Value::Number(x)), ("c", label), ("m", Value::Missing)];
        learner.predict(cells)?;
        learner.round(Some(&classes[t % 2]), cells)?;
    }
    Ok(())
}

/// A regressor of every kind, after some rows.
fn regressors() -> Result<Vec<StreamRegressor>, AnyError> {
    let kinds = [
        (RegressionBooster::GradientBoosting, None),
        (RegressionBooster::SpanBoosting, Some([-2.0, 2.0])),
        (RegressionBooster::Alone, None),
    ];
    let regressor = |(booster, target_range)| -> Result<StreamRegressor, AnyError> {
        let settings =
            RegressionSettings { booster, target_range, learners: 2, bits: Some(3), ..Default::default() };
        let mut regressor = settings.begin(3)?;
        rounds_of_regression(&mut regressor)?;
        Ok(regressor)
    };
    kinds.into_iter().map(regressor).collect()
}

fn rounds_of_regression(regressor: &mut StreamRegressor) -> Result<Vec<f64>, JobError> {
    let mut said = Vec::new();
    for (t, x) in wave(6, 3).into_iter().enumerate() {
        let label = Value::Text(["a", "b", "c"][t % 3]);
        let cells = [("x", Value::Number(x)), ("c", label), ("m", Value::Missing)];
        said.push(regressor.predict(cells)?);
        said.push(regressor.round(cells, x.clamp(-1.0, 1.0))?);
    }
    Ok(said)
}

/// One that sees losses alone, of every kind.
fn bandits() -> Result<Vec<StreamBandit>, AnyError> {
    let kinds = [(BanditBooster::GradientBoosting, 2), (BanditBooster::Fkm, 2), (BanditBooster::Fkm, 1)];
    let bandit = |(booster, queries)| -> Result<StreamBandit, AnyError> {
        let settings =
            BanditSettings { booster, queries, outputs: 2, bits: Some(3), ..BanditSettings::default() };
        let mut bandit = settings.begin(3)?;
        rounds_of_losses(&mut bandit)?;
        Ok(bandit)
    };
    kinds.into_iter().map(bandit).collect()
}

fn rounds_of_losses(bandit: &mut StreamBandit) -> Result<Vec<f64>, JobError> {
    let mut said = Vec::new();
    for (t, x) in wave(6, 3).into_iter().enumerate() {
        let label = Value::Text(["a", "b", "c"][t % 3]);
        let cells = [("x", Value::Number(x)), ("c", label), ("m", Value::Missing)];
        said.extend(bandit.predict(cells)?);
        said.extend(bandit.round(cells, &mut |y| y.iter().map(|y| (y - 0.5).abs().min(9.0)).sum())?);
    }
    Ok(said)
}

fn seeds() -> Result<Vec<Vec<u8>>, AnyError> {
    let state = SavedState::of("numbers", &[0.25, -1.5])?;
    let mut seeds = vec![model()?.to_bytes()?, Content::State(state).to_bytes()?, classifier()?.to_bytes()?];
    seeds.push(of_candidates()?.to_bytes()?);
    seeds.push(model_of_missing_values()?.to_bytes()?);
    for learner in learners()? {
        seeds.push(learner.to_bytes()?);
    }
    for regressor in regressors()? {
        seeds.push(regressor.to_bytes()?);
    }
    for bandit in bandits()? {
        seeds.push(bandit.to_bytes()?);
    }
    Ok(seeds)
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
    let model = match content {
        Content::Policy(model) => model,
        Content::Candidates(model) => {
            std::hint::black_box((model.questions(), model.judgement().sentence()));
            if model.ensemble().shape().dimension() <= MOST {
                let booster = export_candidates_xgboost_json(model).is_ok();
                std::hint::black_box((export_candidates_json(model), booster));
            }
            return Ok(());
        }
        Content::Classifier(classifier) => return use_classifier(classifier),
        Content::Stream(learner) => return use_learner((**learner).clone()),
        Content::Regressor(regressor) => return use_regressor((**regressor).clone()),
        Content::Bandit(bandit) => return use_bandit((**bandit).clone()),
        _ => return Ok(()),
    };
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

fn job_of_candidates() -> Result<CandidateJob, AnyError> {
    let job = CandidateJob::builder().budget(Duration::from_secs(3600)).rounds(6).candidates(2);
    Ok(job.build()?)
}

/// A search over candidates, and the training of its winner.
fn trainings_over_candidates() -> Result<Vec<CandidateTrainCheckpoint>, AnyError> {
    let mut found = Vec::new();
    job_of_candidates()?.fit_resumable(&super::candidates::long_log()?, None, |event, moment| {
        let is_search = matches!(event, CandidateEvent::Search { place: (0 | 1, _), round: 2, .. });
        if let (true, Some(moment)) =
            (is_search || matches!(event, CandidateEvent::Training { round: (2, _), .. }), moment)
        {
            found.push(moment.checkpoint());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

fn go_on_over_candidates(
    training: &mut CandidateTrainCheckpoint,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    let (log, from) = (super::candidates::long_log()?, Some(training.clone()));
    let model = job_of_candidates()?.fit_resumable(&log, from, |_, _| ControlFlow::Continue(()))?;
    let record = model.record();
    checks.holds("a recipe is chosen", record.chosen < record.tried.len(), record.chosen);
    Ok(())
}

fn use_classifier(classifier: &Classifier) -> Result<(), Complaint> {
    std::hint::black_box(classifier.sentence());
    let (inputs, classes) = (classifier.schema().inputs(), classifier.schema().actions());
    if inputs > MOST || classes > MOST {
        return Ok(());
    }
    let Ok(rows) = RowMatrix::dense(inputs, vec![0.5; 2 * inputs]) else { return Ok(()) };
    let mut is_sound = true;
    let see = |answer: ocoboost::ClassAnswer, pi: &[f64]| {
        let is_one = (pi.iter().sum::<f64>() - 1.0).abs() < 1e-9;
        is_sound &= is_one && (answer.class as usize) < classes && (0.0..=1.0).contains(&answer.margin);
    };
    // Sums of coefficients may leave the doubles; then there is a refusal.
    if classifier.probabilities(&rows, see).is_ok() && !is_sound {
        return Err(Complaint { law: "a row gets a class and probabilities", detail: String::new() });
    }
    Ok(())
}

/// What a learner says after its next rows is the same where it was saved before them.
fn use_learner(mut learner: StreamLearner) -> Result<(), Complaint> {
    let complaint = |error: String| Complaint { law: "a learner is saved and goes on", detail: error };
    let bytes = learner.to_bytes().map_err(|error| complaint(error.to_string()))?;
    let mut other = StreamLearner::from_bytes(&bytes).map_err(|error| complaint(error.to_string()))?;
    std::hint::black_box((learner.sentence(), learner.features().len()));
    let ends = [rounds(&mut learner), rounds(&mut other)].map(|end| end.map_err(|error| error.to_string()));
    if ends[0] != ends[1] || learner != other {
        return Err(complaint(format!("{ends:?}")));
    }
    let bytes = learner.to_bytes().map_err(|error| complaint(error.to_string()))?;
    StreamLearner::from_bytes(&bytes).map(|_| ()).map_err(|error| complaint(error.to_string()))
}

/// What a regressor says of its next rows is the same where it was saved before them.
fn use_regressor(mut regressor: StreamRegressor) -> Result<(), Complaint> {
    let complaint = |error: String| Complaint { law: "a regressor is saved and goes on", detail: error };
    let bytes = regressor.to_bytes().map_err(|error| complaint(error.to_string()))?;
    let mut other = StreamRegressor::from_bytes(&bytes).map_err(|error| complaint(error.to_string()))?;
    std::hint::black_box(regressor.sentence());
    let said = |own: &mut StreamRegressor| {
        let said = rounds_of_regression(own).map_err(|error| error.to_string());
        said.map(|said| said.into_iter().map(f64::to_bits).collect::<Vec<u64>>())
    };
    let ends = [said(&mut regressor), said(&mut other)];
    if ends[0] != ends[1] || regressor != other {
        return Err(complaint(format!("{ends:?}")));
    }
    // A state that a round has led out of its range is refused when it is written, and not when it is read.
    let Ok(bytes) = regressor.to_bytes() else { return Ok(()) };
    StreamRegressor::from_bytes(&bytes).map(|_| ()).map_err(|error| complaint(error.to_string()))
}

/// The same of one that sees losses alone.
fn use_bandit(mut bandit: StreamBandit) -> Result<(), Complaint> {
    let complaint = |error: String| Complaint { law: "a bandit learner is saved and goes on", detail: error };
    let bytes = bandit.to_bytes().map_err(|error| complaint(error.to_string()))?;
    let mut other = StreamBandit::from_bytes(&bytes).map_err(|error| complaint(error.to_string()))?;
    let said = |own: &mut StreamBandit| {
        let said = rounds_of_losses(own).map_err(|error| error.to_string());
        said.map(|said| said.into_iter().map(f64::to_bits).collect::<Vec<u64>>())
    };
    let ends = [said(&mut bandit), said(&mut other)];
    if ends[0] != ends[1] || bandit != other {
        return Err(complaint(format!("{ends:?}")));
    }
    // A state that a round has led out of its range is refused when it is written, and not when it is read.
    let Ok(bytes) = bandit.to_bytes() else { return Ok(()) };
    StreamBandit::from_bytes(&bytes).map(|_| ()).map_err(|error| complaint(error.to_string()))
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
        Target::saved(trainings_over_candidates, go_on_over_candidates),
        Target::saved(
            || {
                let mut report = ClassificationReport::new(3, 1, 0.05)?;
                (0..9).try_for_each(|i| report.add(i % 3, i / 3))?;
                Ok(vec![report])
            },
            |report: &mut ClassificationReport, checks| {
                let error = report.error();
                checks.numbers("a share", &[error.value, error.lower, error.upper, report.constant_error()]);
                let is_in_order = error.lower <= error.value && error.value <= error.upper;
                checks.holds(
                    "an interval holds its value",
                    is_in_order || report.rows() == 0,
                    report.is_better(),
                );
                std::hint::black_box(report.sentence("", |class| class.to_string()));
                Ok(())
            },
        ),
        Target::saved(
            || {
                let learner = learners()?.swap_remove(0);
                Ok(vec![*learner.error(), ProgressiveError::default()])
            },
            |error: &mut ProgressiveError, checks| {
                checks.numbers("a share", &[error.average(), error.of_commonest()]);
                Ok(())
            },
        ),
        plain(|| vec![StreamFeature::Number("x".into()), StreamFeature::Label("c".into(), "a".into())]),
        plain(|| vec![StreamBooster::Agnostic, StreamBooster::Alone]),
        plain(|| vec![StreamWeakLearner::Stumps, StreamWeakLearner::Logistic]),
        plain(|| vec![BoostAlgorithm::AdaBoost, BoostAlgorithm::Combined]),
        plain(|| vec![Objective::Ips, Objective::RewardRegression]),
        plain(|| vec![CANDIDATE]),
        Target::saved(move || Ok(vec![tried.clone()]), super::nothing::<Tried>),
        Target::saved(move || Ok(vec![some, Overrides::default()]), super::nothing::<Overrides>),
    ]
}
