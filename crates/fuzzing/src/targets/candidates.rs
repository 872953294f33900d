//! Choices among candidates that have features of their own, and logs of them.

use super::{Target, plain};
use crate::play::{MOST, wave};
use crate::verdict::AnyError;
use off_policy::Rewards;
use off_policy::candidates::{AmongCandidates, CandidateLog, CandidateSchema, OnCandidates};
use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation};
use rows::{CandidateShape, Candidates, RowMatrix};

/// Two choices, with some or all of the levels.
fn candidates() -> Result<Vec<Candidates>, AnyError> {
    let items = vec![0, 2, 1, 0, 2];
    let of_items = RowMatrix::sparse(2, vec![0, 1, 2, 2], vec![1, 0], wave(2, 3))?;
    let all = Candidates::builder(vec![0, 2, 5])
        .contexts(RowMatrix::dense(2, wave(4, 1))?)
        .features(RowMatrix::dense(1, wave(5, 2))?)
        .items(items.clone(), of_items)
        .identities(items.clone(), 2);
    let few = Candidates::builder(vec![0, 2, 5]).identities(items, 3);
    Ok(vec![all.build()?, few.build()?])
}

fn schema() -> CandidateSchema {
    let names = |of: &[&str]| of.iter().map(|name| (*name).to_owned()).collect();
    CandidateSchema {
        contexts: names(&["u.age", "u.city=Ulm"]),
        features: names(&["f.x"]),
        items: names(&["i.price", "i.taste=mint"]),
        identities: names(&["ice", "tea"]),
    }
}

fn logs() -> Result<Vec<CandidateLog>, AnyError> {
    let mut logs = Vec::new();
    for candidates in candidates()? {
        logs.push(CandidateLog::new(candidates, vec![1, 2], vec![0.5, 0.25], Rewards(vec![1.0, -0.5]))?);
    }
    let named = logs[0].clone().with_schema(schema())?;
    logs.push(named);
    Ok(logs)
}

pub(super) fn all() -> Vec<Target> {
    vec![
        Target::saved(candidates, |candidates: &mut Candidates, checks| {
            let shape = candidates.shape();
            for i in 0..candidates.len().min(MOST) {
                let pairs = candidates.pairs_of(i);
                checks.holds("a choice has candidates", !pairs.is_empty(), i);
                for pair in pairs.take(MOST).filter_map(|p| candidates.pair(p)) {
                    pair.for_each(shape, |j, value| {
                        checks.holds("a coordinate is one of the row", j < shape.dimension(), j);
                        checks.number("a feature", value);
                    });
                }
            }
            let some = candidates.select(&[candidates.len() - 1, 0])?;
            checks.holds("choices are selected as they are", some.shape() == shape && some.len() == 2, "");
            checks.any_number(some.pairs() as f64);
            Ok(())
        }),
        plain(|| vec![CandidateShape { contexts: 2, features: 1, items: 2, identities: 2 }]),
        Target::saved(logs, |log: &mut CandidateLog, checks| {
            for i in 0..log.len().min(MOST) {
                let pair = log.logged_pair(i).and_then(|p| log.candidates().pair(p));
                checks.holds("the chosen candidate is there", pair.is_some(), i);
            }
            let rows = OnCandidates::new(log, &AmongCandidates);
            let found = OffPolicyEvaluation::of_observations(&rows, EstimatorSettings::default())?;
            checks.number("an estimate", found.ips.value);
            Ok(())
        }),
        Target::saved(
            || Ok(vec![schema()]),
            |schema: &mut CandidateSchema, checks| {
                checks.any_number(schema.shape().dimension() as f64);
                Ok(())
            },
        ),
        plain(|| vec![AmongCandidates]),
    ]
}
