//! Files written by these crates: saved learners, records, kept trials, and the vectors of a conformance run.

use super::{law, with_file};
use crate::Checks;
use crate::play::regressor;
use crate::target::{Format, Target};
use crate::verdict::{AnyError, Complaint};

use boosters::saved;
use oco_core::StepSchedule;
use report::record::{Provenance, Record, Trial};
use report::trials::Trials;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::path::Path;
use weak_learners::{OgdLinear, Shape};

const KIND: &str = "ogd-linear";

fn learner() -> Result<OgdLinear, AnyError> {
    Ok(OgdLinear::new(Shape { inputs: 2, outputs: 1 }, StepSchedule::constant(0.1)?, 1.0)?)
}

/// A saved learner: the input as the second line, under a matching header.
fn load_body(path: &Path) -> Result<OgdLinear, AnyError> {
    let body = std::fs::read(path)?;
    let sum: String =
        Sha256::digest(body.trim_ascii_end_matches()).iter().map(|byte| format!("{byte:02x}")).collect();
    let header = json!({ "format": "boosting-as-oco learner", "version": 2, "kind": KIND, "sha256": sum });
    let file = path.with_extension("saved");
    std::fs::write(&file, [format!("{header}\n").as_bytes(), &body, b"\n"].concat())?;
    let mut learner: OgdLinear = saved::load(&file, KIND)?;
    regressor(&mut learner, &mut Checks::default())?;
    Ok(learner)
}

/// The bytes of the line as a line reader sees it.
trait Line {
    fn trim_ascii_end_matches(&self) -> &[u8];
}

impl Line for Vec<u8> {
    fn trim_ascii_end_matches(&self) -> &[u8] {
        let end = self.iter().rposition(|&byte| byte != b'\n').map_or(0, |k| k + 1);
        &self[..end]
    }
}

fn saved_file() -> Result<Vec<u8>, AnyError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("learner.json");
    saved::save(&path, KIND, &learner()?)?;
    Ok(std::fs::read(path)?)
}

fn record() -> Result<Vec<Vec<u8>>, AnyError> {
    let mut record = Record::new("fuzz", 7, json!({ "rounds": 100 }));
    for (trial, value) in (0..).zip([0.5, 0.7, 0.25]) {
        let [dataset, method, metric] = ["abalone", "m", "loss"].map(str::to_owned);
        let (settings, provenance) = (json!(null), Provenance::StandIn);
        record.trials.push(Trial { dataset, method, metric, trial, seed: 7, value, settings, provenance });
    }
    record.summarise();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("record.json");
    record.save(&path)?;
    Ok(vec![std::fs::read(path)?])
}

fn same_record(record: &Record) -> Result<(), Complaint> {
    let law_of = "a record that was read is written and read again";
    let again = || -> Result<bool, AnyError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("record.json");
        record.save(&path)?;
        Ok(Record::load(&path)? == *record)
    };
    match again() {
        Ok(same) => law(law_of, same, "another record"),
        Err(error) => law(law_of, false, error),
    }
}

fn key() -> serde_json::Value {
    json!({ "rounds": 10 })
}

fn kept() -> Result<Vec<Vec<u8>>, AnyError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("trials.jsonl");
    let trials: Trials<Vec<f64>> = Trials::open(&path, &key())?;
    trials.put("one", vec![0.5, 1.0])?;
    trials.put("two", vec![])?;
    drop(trials);
    Ok(vec![std::fs::read(path)?])
}

const VECTORS: &str = r#"{"family": "projections", "version": 1, "cases": [
  {"kernel": "lmo", "name": "a vertex", "input": {"set": {"type": "simplex", "s": 2}, "g": [3, -1.5]},
   "expected": {"x": [0, 2], "value": -3.0}, "tolerance": {"abs": 1e-9, "rel": 1e-9}},
  {"kernel": "lmo", "name": "a fault", "input": {"set": {"type": "simplex", "s": 2}, "g": ["NaN"]},
   "expected": {"error": "not-finite"}, "tolerance": {"abs": 1e-9, "rel": 1e-9}}]}"#;

/// A folder with one file of vectors.
fn conformance(path: &Path) -> Result<conformance::Summary, AnyError> {
    let folder = path.with_extension("vectors");
    std::fs::create_dir_all(&folder)?;
    std::fs::copy(path, folder.join("vectors.json"))?;
    Ok(conformance::run(&folder, false, &mut Vec::new())?)
}

pub(super) fn all() -> Vec<Target> {
    vec![
        with_file(
            "boosters::saved::load, state",
            Format::Json,
            || Ok(vec![serde_json::to_vec(&learner()?)?]),
            load_body,
            |_| Ok(()),
        ),
        with_file(
            "boosters::saved::load, file",
            Format::Text,
            || Ok(vec![saved_file()?]),
            |path| Ok(saved::load::<OgdLinear>(path, KIND)?),
            |_| Ok(()),
        ),
        with_file(
            "report::record::Record::load",
            Format::Json,
            record,
            |path| Ok(Record::load(path)?),
            same_record,
        ),
        with_file(
            "report::record::Record::load, text",
            Format::Text,
            record,
            |path| Ok(Record::load(path)?),
            same_record,
        ),
        with_file(
            "report::trials::Trials::open",
            Format::Text,
            kept,
            |path| Ok(Trials::<Vec<f64>>::open(path, &key())?.len()),
            |_| Ok(()),
        ),
        with_file("conformance::run", Format::Json, || Ok(vec![VECTORS.into()]), conformance, |_| Ok(())),
        with_file(
            "conformance::run, text",
            Format::Text,
            || Ok(vec![VECTORS.into()]),
            conformance,
            |_| Ok(()),
        ),
    ]
}
