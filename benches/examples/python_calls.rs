//! The calls that the package for Python makes, without Python: the other side of
//! `benches/peers/python_package.py`, which calls it.
//!
//! ```text
//! python_calls fit FOLDER INPUTS ACTIONS CANDIDATES ROUNDS THREADS
//! python_calls policy MODEL
//! python_calls stream MODEL
//! ```
//!
//! `fit` reads a log as numbers, little-endian: `x.f64`, `a.u32`, `r.f64`, `p.f64`. It prints the seconds of
//! a training, and the sum of the scores. `policy` and `stream` print the nanoseconds of a decision on
//! made-up rows (synthetic), in the fastest of many passes, and what was decided.

use boosters::Threads;
use ocoboost::{Model, StreamLearner, TrainJob};
use off_policy::policies::{Scores, argmax};
use off_policy::{ActionNames, ActionSet, ContextColumn, Log, Rewards, Schema, Value};
use rows::{Row, RowMatrix};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rows of a pass, and passes.
const ROWS: u32 = 200;
const PASSES: usize = 300;

type Failure = Box<dyn Error + Send + Sync>;
type Outcome = Result<(), Failure>;

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["fit", folder, inputs, actions, candidates, rounds, threads] => {
            let [inputs, actions, candidates, rounds, threads] =
                [inputs, actions, candidates, rounds, threads].map(str::parse);
            let threads = Threads::exactly(threads?)?;
            threads.run(|| fit(Path::new(folder), inputs?, actions?, candidates?, rounds?))?
        }
        ["policy", model] => policy(&Model::load(model)?),
        ["stream", model] => stream(StreamLearner::load(model)?),
        _ => Err("usage: python_calls fit FOLDER INPUTS ACTIONS CANDIDATES ROUNDS THREADS | policy MODEL | \
                  stream MODEL"
            .into()),
    }
}

fn fit(folder: &Path, inputs: usize, actions: usize, candidates: usize, rounds: usize) -> Outcome {
    let doubles = |name: &str| -> Result<Vec<f64>, std::io::Error> {
        let bytes = std::fs::read(folder.join(name))?;
        Ok(bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    };
    let bytes = std::fs::read(folder.join("a.u32"))?;
    let chosen: Vec<u32> = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let (x, rewards, propensities) = (doubles("x.f64")?, doubles("r.f64")?, doubles("p.f64")?);
    let begun = Instant::now();
    let columns = (0..inputs).map(|j| ContextColumn::Number { name: format!("x{j}") }).collect();
    let labels = (0..actions).map(|a| a.to_string()).collect();
    let contexts = RowMatrix::dense(inputs, x)?;
    let log = Log::new(contexts, actions, chosen, propensities, Rewards(rewards))?;
    let log = log.with_schema(Schema::new(columns, ActionNames::Labels(labels))?)?;
    let job = TrainJob::builder().budget(Duration::from_secs(1 << 40)).candidates(candidates).rounds(rounds);
    let model = job.build()?.fit(&log, |_| ControlFlow::Continue(()))?;
    let seconds = begun.elapsed().as_secs_f64();
    let mut scores = vec![0.0; log.len() * actions];
    model.scores_of_rows(log.contexts(), 0, &mut scores)?;
    let sum: f64 = scores.iter().sum();
    println!(r#"{{"seconds": {seconds}, "sum_of_scores": {sum:e}}}"#);
    Ok(())
}

/// Cell j of row i.
fn number(i: u32, j: u32) -> f64 {
    f64::from((37 * i + 101 * j + 7 * i * j) % 1000) / 1000.0
}

/// The nanoseconds of a decision, and the digits of those of the first pass.
fn fastest(mut decide: impl FnMut(usize) -> Result<usize, Failure>) -> Result<(f64, String), Failure> {
    let (mut fastest, mut said) = (f64::INFINITY, String::new());
    for pass in 0..PASSES {
        let begun = Instant::now();
        let mut all = 0;
        for i in 0..ROWS as usize {
            let decided = decide(i)?;
            all += decided;
            if pass == 0 {
                said.push_str(&decided.to_string());
            }
        }
        std::hint::black_box(all);
        fastest = fastest.min(begun.elapsed().as_secs_f64() * 1e9 / f64::from(ROWS));
    }
    Ok((fastest, said))
}

fn policy(model: &Model) -> Outcome {
    let (compiled, all) = (model.compiled()?, ActionSet::all(model.ensemble().actions())?);
    let schema = model.schema().ok_or("the model has columns")?;
    let inputs = u32::try_from(schema.contexts().len())?;
    let rows: Vec<Vec<f64>> = (0..ROWS).map(|i| (0..inputs).map(|j| number(i, j)).collect()).collect();
    let mut scores = vec![0.0; all.actions()];
    let (numbers, said) = fastest(|i| {
        compiled.scores(Row::dense(&rows[i])?, &mut scores)?;
        Ok(argmax(&scores, all))
    })?;
    let names: Vec<&str> = schema.contexts().iter().map(ContextColumn::name).collect();
    let (cells, again) = fastest(|i| {
        let encoded = schema.encode(names.iter().copied().zip(rows[i].iter().map(|x| Value::Number(*x))))?;
        compiled.scores(encoded.row(), &mut scores)?;
        Ok(argmax(&scores, all))
    })?;
    if said != again {
        return Err("a row is decided otherwise by its cells".into());
    }
    println!(r#"{{"numbers": {numbers}, "cells": {cells}, "decided": "{said}"}}"#);
    Ok(())
}

fn stream(mut learner: StreamLearner) -> Outcome {
    let names: Vec<String> = (0..8).map(|j| format!("x{j}")).collect();
    let colours = ["red", "green", "blue"];
    let rows: Vec<Vec<(&str, Value<'_>)>> = (0..ROWS)
        .map(|i| {
            let numbers = names.iter().zip(0..).map(|(name, j)| (name.as_str(), Value::Number(number(i, j))));
            let colour = Value::Text(colours[(i % 3) as usize]);
            numbers.chain([("colour", colour), ("none", Value::Missing)]).collect()
        })
        .collect();
    let (predict, said) = fastest(|i| {
        let predicted = learner.predict(rows[i].iter().copied())?;
        Ok(predicted.map_or(2, |class| class as usize))
    })?;
    let (learn, _) = fastest(|i| {
        let class = if number(u32::try_from(i)?, 0) > 0.5 { "yes" } else { "no" };
        let round = learner.round(Some(class), rows[i].iter().copied())?;
        Ok(round.predicted.map_or(2, |class| class as usize))
    })?;
    println!(r#"{{"predict": {predict}, "learn": {learn}, "decided": "{said}"}}"#);
    Ok(())
}
