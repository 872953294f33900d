//! From a file to a policy, its judgement, its file, and its use.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a refusal where none is expected fails the test")]

use ocoboost::inspect::inspect;
use ocoboost::{Event, Explore, JudgedRows, Model, OnOffer, RangeSource, TrainJob, TrainJobBuilder, Verdict};
use off_policy::estimators::Estimator;
use off_policy::readers::{CsvColumns, CsvLog, read_csv};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

fn offers() -> CsvLog {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/offers.csv");
    let file = std::fs::File::open(path).unwrap();
    read_csv(file, &CsvColumns::default().with_labels(["device"])).unwrap()
}

fn go_on(_: Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Small enough for a test, with time enough that nothing is cut off.
fn job() -> TrainJobBuilder {
    TrainJob::builder().budget(Duration::from_secs(3600)).candidates(2).rounds(60).seed(3)
}

#[test]
fn from_a_table_to_actions() {
    let read = offers();
    let format = serde_json::to_value(&read.columns).unwrap();
    let model = job().format(format.clone()).build().unwrap().fit(&read.log, go_on).unwrap();
    let judgement = model.judgement();
    println!("{}", judgement.sentence());
    println!("{judgement:#?}");
    // The best policy earns 0.7 a row, the logging policy 0.3.
    let Verdict::Better { at_least, is_certain: true } = judgement.verdict else { panic!("{judgement:?}") };
    let value = judgement.estimate(judgement.headline).unwrap();
    assert!((0.6..0.75).contains(&value.value) && value.lower < value.value, "{value:?}");
    assert!(at_least > 0.2 && at_least < 0.41, "{at_least}");
    assert_eq!((judgement.rows, judgement.judged), (read.log.len() as u64 / 4, JudgedRows::KeptApart));
    assert_eq!((judgement.range.lower, judgement.range.upper), (0.0, 1.0));
    assert_eq!(judgement.range.source, RangeSource::OtherRows);
    assert_eq!(judgement.estimates.len(), Estimator::ALL.len());
    let sentence = judgement.sentence();
    assert!(sentence.contains("rows that had no part in the choice the policy earns 0."), "{sentence}");
    assert!(sentence.contains("; with 95% certainty it earns at least 0."), "{sentence}");
    let record = model.record();
    assert!(!record.cuts.any() && record.trees == record.cuts.rounds_trained, "{:?}", record.cuts);
    assert_eq!(record.tried.len(), 2);

    // The file.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("offers.ocob");
    model.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    assert_eq!(loaded, model);
    assert_eq!(loaded.format(), &format);
    let bits = |model: &Model| -> Vec<u64> {
        model.ensemble().members().iter().map(|member| member.alpha.to_bits()).collect()
    };
    assert_eq!(bits(&loaded), bits(&model));

    // Its use.
    let contexts = read.log.contexts();
    let actions = loaded.actions(contexts, OnOffer::all(3).unwrap()).unwrap();
    let top = loaded.top(contexts, OnOffer::all(3).unwrap(), 2).unwrap();
    assert!(top.iter().zip(&actions).all(|(top, action)| top.actions[0] == *action));
    assert!(top.iter().all(|top| top.actions.len() == 2 && top.scores[0] >= top.scores[1]));
    let explored =
        loaded.explore(contexts, OnOffer::all(3).unwrap(), Explore::EpsilonGreedy(0.3), 9).unwrap();
    let best = explored.actions.iter().zip(&actions).filter(|(drawn, best)| drawn == best).count() as f64;
    let n = actions.len() as f64;
    assert!((best / n - 0.8).abs() < 5.0 * (0.16 / n).sqrt(), "{best} of {n}");
    assert!(explored.propensities.iter().all(|p| (p - 0.8).abs() < 1e-12 || (p - 0.1).abs() < 1e-12));
    let again = loaded.explore(contexts, OnOffer::all(3).unwrap(), Explore::EpsilonGreedy(0.3), 9).unwrap();
    assert_eq!(again, explored);
    let mut sums = Vec::new();
    loaded
        .probabilities(contexts, OnOffer::all(3).unwrap(), Explore::Softmax(1.0), |pi| {
            sums.push(pi.iter().sum::<f64>());
        })
        .unwrap();
    assert!(sums.len() == actions.len() && sums.iter().all(|sum| (sum - 1.0).abs() < 1e-12));

    // What it looks at.
    let found = inspect(&loaded, 3);
    assert_eq!((found.trees, found.leaves.len()), (record.trees, 3));
    assert!(found.leaves[0].adds.abs() >= found.leaves[1].adds.abs());
    for leaf in &found.leaves {
        println!("{}", leaf.sentence());
        assert!(leaf.sentence().contains("action"), "{leaf:?}");
    }
    println!("{:?} {:?}", found.columns, found.actions);
    let shares: f64 = found.columns.iter().chain(&found.actions).map(|(_, share)| share).sum();
    assert!((shares - 1.0).abs() < 1e-9 && !found.columns.is_empty());
}
