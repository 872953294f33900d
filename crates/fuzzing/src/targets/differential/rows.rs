//! The same numbers written in two ways: sparse and dense rows, and columns of 32 and of 64 bits.

use super::law;
use crate::draw::Draw;
use crate::target::Target;
use crate::verdict::{AnyError, Complaint};
use arrow_array::{ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use formats::{Format, LogOptions, ReadLog, Source, quiet, read_log};
use oco_core::StepSchedule;
use rows::Row;
use std::sync::Arc;
use weak_learners::{OgdLinear, OnlinePredictor, Shape};

fn sparse_and_dense(draw: &mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError> {
    let (inputs, rounds) = (draw.size(1, 40), draw.size(1, 4));
    let outputs = draw.size(1, 3);
    let dense =
        draw.list(rounds, |draw| draw.list(inputs, |draw| if draw.coin() { draw.moderate() } else { 0.0 }));
    let w = draw.list(inputs, Draw::moderate);
    let (whole, part) = (Draw::dense(&dense, inputs)?, Draw::sparse(&dense, inputs)?);
    for (one, two) in whole.iter().zip(part.iter()) {
        let size: f64 = one.to_dense().iter().zip(&w).map(|(x, w)| (x * w).abs()).sum();
        let off = (one.dot(&w) - two.dot(&w)).abs();
        if off > 1e-14 * size {
            return Ok(law("products of sparse and dense rows agree", false, || format!("{off} in {size}")));
        }
        let (a, b) = (one.norm_squared(), two.norm_squared());
        if (a - b).abs() > 1e-14 * a || one.to_dense() != two.to_dense() {
            return Ok(law("sparse and dense rows are the same", false, || format!("{a} and {b}")));
        }
    }
    let schedule = StepSchedule::constant(draw.share())?;
    let mut learners = [0, 1].map(|_| OgdLinear::new(Shape { inputs, outputs }, schedule, 1.0));
    let [Ok(first), Ok(second)] = &mut learners else { return Err("no learner".into()) };
    for (one, two) in whole.iter().zip(part.iter()) {
        let gradient = draw.list(outputs, |draw| draw.share() - 0.5);
        let of = |learner: &mut OgdLinear, x: Row<'_>| -> Result<Vec<f64>, AnyError> {
            let mut y = vec![0.0; outputs];
            learner.predict(x, &mut y)?;
            learner.update(x, &gradient)?;
            Ok(y)
        };
        let (a, b) = (of(first, one)?, of(second, two)?);
        let size = 1.0 + one.norm_squared().sqrt();
        if a.iter().zip(&b).any(|(a, b)| !((a - b).abs() <= 1e-12 * size)) {
            return Ok(law("a learner of sparse rows goes the way of one of dense rows", false, || {
                format!("{a:?} and {b:?}")
            }));
        }
    }
    Ok(Ok(()))
}

/// A log of these columns as a file of Arrow, or a stream.
fn arrow(columns: Vec<(&str, ArrayRef)>, is_file: bool) -> Result<Vec<u8>, AnyError> {
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema.clone(), columns.into_iter().map(|(_, array)| array).collect())?;
    let mut bytes = Vec::new();
    if is_file {
        let mut writer = FileWriter::try_new(&mut bytes, &schema)?;
        writer.write(&batch)?;
        writer.finish()?;
    } else {
        let mut writer = StreamWriter::try_new(&mut bytes, &schema)?;
        writer.write(&batch)?;
        writer.finish()?;
    }
    Ok(bytes)
}

#[allow(clippy::cast_possible_truncation, reason = "digits beyond those of 32 bits are cut off")]
fn of_halves_and_doubles(draw: &mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError> {
    let (n, is_file) = (draw.size(2, 8), draw.coin());
    // A double's digits beyond those of 32 bits are cut off, and 0 stands where nothing is left.
    let number = |draw: &mut Draw<'_>| draw.finite() as f32;
    let x = draw.list(n, |draw| if draw.byte() < 32 { None } else { Some(number(draw)) });
    let rewards = draw.list(n, number);
    let propensities = draw.list(n, |draw| draw.share() as f32);
    let actions: Vec<i64> = (0..n).map(|i| i64::from(draw.coin() || i == 0)).collect();
    let read = |kind: &DataType| -> Result<Result<ReadLog, String>, AnyError> {
        let of = |values: Vec<Option<f32>>| -> ArrayRef {
            match kind {
                DataType::Float32 => Arc::new(Float32Array::from(values)),
                _ => Arc::new(values.into_iter().map(|x| x.map(f64::from)).collect::<Float64Array>()),
            }
        };
        let known = |values: &[f32]| of(values.iter().copied().map(Some).collect());
        let columns = vec![
            ("x", of(x.clone())),
            ("action", Arc::new(Int64Array::from(actions.clone())) as ArrayRef),
            ("propensity", known(&propensities)),
            ("reward", known(&rewards)),
        ];
        let source = Source::bytes("log", arrow(columns, is_file)?);
        let options = LogOptions::default().format(Format::Arrow);
        Ok(read_log(source, &options, &mut quiet).map_err(|error| error.to_string()))
    };
    let same = |one: &ReadLog, two: &ReadLog| {
        one.contexts.fingerprint() == two.contexts.fingerprint()
            && one.actions == two.actions
            && one.rewards == two.rewards
            && one.propensities == two.propensities
            && one.schema == two.schema
    };
    let found = [read(&DataType::Float32)?, read(&DataType::Float64)?];
    let is_same = match &found {
        [Ok(one), Ok(two)] => same(one, two),
        // A refusal shows a number as it is written, with the digits of its width.
        [Err(_), Err(_)] => return Err("refused".into()),
        _ => false,
    };
    Ok(law("columns of 32 bits are read as those of 64", is_same, || {
        let [one, two] = found.map(|found| found.map(|log| (log.rewards, log.propensities)));
        format!("{one:?} and {two:?} of {x:?}")
    }))
}

pub(super) fn all() -> Vec<Target> {
    vec![
        super::target("differential: learners of sparse against dense rows", sparse_and_dense),
        super::target("differential: columns of 32 against 64 bits", of_halves_and_doubles),
    ]
}
