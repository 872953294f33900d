//! Microseconds a decision of a trained policy, beside which `peers/predictions.py` sets its peers.
//!
//! ```text
//! fastest_predictions --models FOLDER [CASE ...]    trains and writes the models and their rows
//! fastest_predictions --rows FOLDER CASE            times ours, a line of JSON
//! ```
//!
//! `covertype` is a policy for 7 actions, learnt from the log of Covertype of [`Problem::real`]. `thousand`
//! is a policy for 1,000 actions, learnt from a synthetic log. Of either the first command writes the model
//! file, the same trees for XGBoost, and rows in single precision, which all contenders read.

use benches::off_policy::Problem;
use benches::uniform;
use boosters::bopl::CompiledEnsemble;
use ocoboost::model_file::export_xgboost_json;
use ocoboost::{Model, TrainJob};
use off_policy::policies::{Scores, argmax};
use off_policy::{ActionSet, Log, Rewards};
use rows::RowMatrix;
use std::error::Error;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        ["--models", folder] => {
            ["covertype", "thousand"].into_iter().try_for_each(|case| train(Path::new(folder), case))
        }
        ["--models", folder, ref cases @ ..] => {
            cases.iter().try_for_each(|case| train(Path::new(folder), case))
        }
        ["--rows", folder, case] => time(Path::new(folder), case),
        _ => Err("usage: fastest_predictions --models FOLDER [CASE ...] | --rows FOLDER CASE".into()),
    }
}

/// The rounds of a model; some are given up where they do not help on held-out rows.
const ROUNDS: usize = 100;
/// The rows that are predicted.
const ROWS: usize = 10_000;

fn train(folder: &Path, case: &str) -> Result<(), Box<dyn Error>> {
    let (log, least) = match case {
        "covertype" => (Problem::real(case)?.ok_or("the files of Covertype are not there")?.log, 20.0),
        "thousand" => (thousand_actions()?, 1.0),
        other => return Err(format!("{other:?} is neither covertype nor thousand").into()),
    };
    let job = TrainJob::builder()
        .budget(Duration::from_secs(3600))
        .candidates(1)
        .rounds(ROUNDS)
        .max_depth(8)
        .min_child_weight(least)
        .build()?;
    let threads = rayon::ThreadPoolBuilder::new().build()?;
    let fitted =
        threads.install(|| job.fit(&log, |_| ControlFlow::Continue(())).map_err(|error| error.to_string()));
    let model = fitted?;
    let record = model.record();
    println!("{case}: {} trees, {} leaves", record.trees, record.leaves);
    model.save(folder.join(format!("{case}.ocob")))?;
    std::fs::write(folder.join(format!("{case}.json")), export_xgboost_json(&model)?.to_string())?;
    let rows = log.contexts().iter().take(ROWS).flat_map(|x| x.to_dense());
    #[allow(clippy::cast_possible_truncation, reason = "the peers' trees work in f32")]
    let bytes: Vec<u8> = rows.flat_map(|x| (x as f32).to_le_bytes()).collect();
    std::fs::write(folder.join(format!("{case}.f32")), bytes)?;
    Ok(())
}

/// The decisions of a batch that are timed.
const BATCHES: [usize; 3] = [1, 100, 10_000];
/// The processor time that a size of batches is timed for.
const LEAST_SECONDS: f64 = 0.4;

/// The time that this thread has had a processor, to the tick of the kernel: other programs do not count.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split_whitespace().next().unwrap_or_default().parse::<f64>()? / 1e9)
}

fn time(folder: &Path, case: &str) -> Result<(), Box<dyn Error>> {
    let model = Model::load(folder.join(format!("{case}.ocob")))?;
    let bytes = std::fs::read(folder.join(format!("{case}.f32")))?;
    let values = bytes.as_chunks::<4>().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
    let contexts = RowMatrix::dense(model.ensemble().inputs(), values.collect())?;
    let begun = Instant::now();
    let compiled = CompiledEnsemble::new(model.ensemble())?;
    let compiling = begun.elapsed().as_secs_f64();
    let (of_ensemble, of_compiled) = (choices(model.ensemble(), &contexts)?, choices(&compiled, &contexts)?);
    assert_eq!(of_ensemble, of_compiled, "the compiled form decides otherwise");
    let choices = contexts.len().min(1000);
    println!(
        r#"{{"trees": {}, "leaves": {}, "compiling": {compiling:e}, "ensemble": {}, "compiled": {}, "choices": {:?}}}"#,
        model.record().trees,
        model.record().leaves,
        times(model.ensemble(), &contexts)?,
        times(&compiled, &contexts)?,
        &of_compiled[..choices]
    );
    Ok(())
}

fn choices(scores: &impl Scores, contexts: &RowMatrix) -> Result<Vec<usize>, Box<dyn Error>> {
    let (mut own, all) = (vec![0.0; scores.actions()], ActionSet::all(scores.actions())?);
    let choose = |x| {
        scores.scores(x, &mut own)?;
        Ok(argmax(&own, all))
    };
    contexts.iter().map(choose).collect()
}

/// A decision is the scores of all actions and the best of them. The median and the 99th percentile of rows
/// that are decided one by one, by the clock; and the processor time a decision in batches.
fn times(scores: &impl Scores, contexts: &RowMatrix) -> Result<String, Box<dyn Error>> {
    let (actions, all) = (scores.actions(), ActionSet::all(scores.actions())?);
    let mut own = vec![0.0; actions];
    let mut single = Vec::with_capacity(2 * contexts.len());
    for x in contexts.iter().chain(contexts.iter()) {
        let begun = Instant::now();
        scores.scores(x, &mut own)?;
        black_box(argmax(&own, all));
        single.push(begun.elapsed().as_secs_f64());
    }
    single.sort_by(f64::total_cmp);
    let at = |share: usize| single[single.len() * share / 100];
    let mut batches = Vec::new();
    for size in BATCHES {
        // As the jobs of `ocoboost` do: the scores of so many pairs are in memory at once.
        let rows = ((1 << 16) / actions).clamp(1, size);
        let mut room = vec![0.0; rows * actions];
        let (begun, mut decided, mut first) = (processor_seconds()?, 0, 0);
        let mut seconds = 0.0;
        while seconds < LEAST_SECONDS {
            for _ in 0..(1000 / size).max(1) {
                for from in (first..first + size).step_by(rows) {
                    let room = &mut room[..rows.min(first + size - from) * actions];
                    scores.scores_of_rows(contexts, from, room)?;
                    room.chunks_exact(actions).for_each(|own| {
                        black_box(argmax(own, all));
                    });
                }
                first = (first + size) % (contexts.len() - size + 1);
                decided += size;
            }
            seconds = processor_seconds()? - begun;
        }
        #[allow(clippy::cast_precision_loss, reason = "a count of decisions")]
        let of_one = seconds / decided as f64;
        batches.push(of_one);
    }
    Ok(format!(r#"{{"median": {:e}, "p99": {:e}, "batches": {batches:?}}}"#, at(50), at(99)))
}

/// A synthetic log of 1,000 actions and 20 numbers in [0, 1]. Two of the numbers determine the best action.
/// The logging policy plays one of the ten actions around it with probability ½, and any otherwise. A reward
/// is 1 with probability 0.9, less 0.15 a step from the best action, and at least 0.05.
fn thousand_actions() -> Result<Log, Box<dyn Error>> {
    const ACTIONS: u32 = 1000;
    let (n, d) = (10_000, 20);
    let values: Vec<f64> = uniform(31).take(n * d).collect();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0, …, k − 1")]
    let one_of = |u: f64, k: u32| ((u * f64::from(k)) as u32).min(k - 1);
    let best = values.chunks_exact(d).map(|x| one_of((x[0] + 0.5 * x[1]) % 1.0, ACTIONS));
    let mut draws = uniform(32);
    let mut draw = || draws.next().unwrap_or_default();
    let (mut actions, mut propensities, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
    for best in best {
        let near = |a: u32| (a + ACTIONS + 5 - best) % ACTIONS < 10;
        let action = if draw() < 0.5 {
            (best + ACTIONS - 5 + one_of(draw(), 10)) % ACTIONS
        } else {
            one_of(draw(), ACTIONS)
        };
        let steps = action.abs_diff(best);
        let pays = (0.9 - 0.15 * f64::from(steps.min(ACTIONS - steps))).max(0.05);
        actions.push(action);
        propensities.push(0.5 / f64::from(ACTIONS) + if near(action) { 0.05 } else { 0.0 });
        rewards.push(f64::from(u8::from(draw() < pays)));
    }
    Ok(Log::new(RowMatrix::dense(d, values)?, ACTIONS as usize, actions, propensities, Rewards(rewards))?)
}
