//! One trial on examples with known losses, and its rows in the record.

use super::*;
use crate::bandit_boosting::task::Halves;
use datasets::synthetic::{LabelNoise, generated};

const SEED: u64 = 9;

fn settings() -> Settings {
    let grid = Grid { lr: vec![0.02, 0.1], c: vec![0.5], n: vec![2, 3, 5], advantage: vec![1.0, 0.3] };
    let fixed = Fixed { delta: 0.5, noise: Noise::uniform(0.1).unwrap() };
    Settings { seed: SEED, fixed, grid, at_most: None, scheme: "test".to_owned() }
}

/// Labels by the half of the example.
fn task(trial: u64, label: impl Fn(&Halves, usize, bool) -> f64) -> (Task, Halves) {
    let dataset = generated("test", &mut LabelNoise::new(3, 0.0, 1).unwrap(), 120).unwrap();
    let mut task = Task { name: Name::Abalone, labels: vec![0.0; dataset.len()], dataset, coding: "" };
    let halves = task.halves(SEED, trial, usize::MAX).unwrap();
    for (half, tunes) in [(&halves.tuning, true), (&halves.reporting, false)] {
        half.iter().for_each(|&i| task.labels[i] = label(&halves, i, tunes));
    }
    let halves = task.halves(SEED, trial, usize::MAX).unwrap();
    (task, halves)
}

/// A learner that begins at 0 has loss 0 if all labels are 0. First only the reporting half has such labels,
/// then only the tuning half.
#[test]
fn reported_losses_are_on_the_reporting_half_and_tuned_losses_on_the_other() {
    let exact = [Method::Ogd, Method::OnlineBoosting, Method::OgdLargeBall];
    let run_of =
        |outcome: &Outcome, method| outcome.runs.iter().find(|run| run.method == method).unwrap().clone();
    let (calm, _) = task(0, |_, _, tunes| if tunes { 0.5 } else { 0.0 });
    let outcome = one_trial(&calm, 0, &settings()).unwrap();
    for run in exact.map(|method| run_of(&outcome, method)) {
        assert!(run.reported.average == 0.0 && run.tuned.loss > 0.01, "{run:?}");
    }
    assert!(outcome.hindsight.unwrap().abs() < 1e-9);
    let (rough, _) = task(0, |_, _, tunes| if tunes { 0.0 } else { 0.5 });
    let outcome = one_trial(&rough, 0, &settings()).unwrap();
    for run in exact.map(|method| run_of(&outcome, method)) {
        assert!(run.reported.average > 0.01 && run.tuned.loss == 0.0, "{run:?}");
    }
}

#[test]
fn the_reported_run_has_a_seed_that_tuning_did_not_use() {
    let (task, halves) = task(1, |_, i, _| if i % 3 == 0 { -0.5 } else { 0.75 });
    let settings = settings();
    let outcome = one_trial(&task, 1, &settings).unwrap();
    assert!(outcome.runs.iter().map(|run| run.method).eq(Method::ALL));
    let boosting_n = outcome.runs[2].tuned.setting.n;
    for run in &outcome.runs {
        let again =
            progressive(run.method, run.tuned.setting, settings.fixed, &halves, &halves.reporting, run.seed);
        assert_eq!(again.unwrap(), run.reported, "{:?}", run.method);
        let other = tune(run.method, &settings.grid, boosting_n, settings.fixed, &halves, run.seed).unwrap();
        assert_eq!(other.loss != run.tuned.loss, run.method.is_bandit(), "{:?}", run.method);
    }
    assert_eq!(outcome.radius, halves.radius);
}

/// N-FKM gets the N chosen by bandit boosting, not that of online boosting.
#[test]
fn n_fkm_has_one_query_per_learner_of_bandit_boosting() {
    let mut differ = 0;
    for trial in 0..6 {
        let (task, _) = task(trial, |_, i, _| if i % 3 == 0 { -0.5 } else { 0.75 });
        let outcome = one_trial(&task, trial, &settings()).unwrap();
        let n = |method| outcome.runs.iter().find(|run| run.method == method).unwrap().tuned.setting.n;
        let chosen = n(Method::BanditBoosting);
        assert_eq!([n(Method::NFkm), n(Method::NFkmLargeBall)], [chosen; 2]);
        assert_eq!([n(Method::Ogd), n(Method::OneQueryFkm), n(Method::OgdLargeBall)], [1; 3]);
        differ += usize::from(n(Method::OnlineBoosting) != chosen);
    }
    assert!(differ > 0, "no trial distinguishes the two");
}

#[test]
fn every_method_of_every_trial_has_its_own_seeds() {
    let mut seeds: Vec<u64> = (0..4)
        .flat_map(|trial| {
            let mut pairs = learner_seeds(SEED, trial);
            Method::ALL.map(|_| pairs()).into_iter().flat_map(|(tuning, reporting)| [tuning, reporting])
        })
        .collect();
    let count = seeds.len();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!((count, seeds.len()), (56, 56));
    // And the trial uses them.
    let (task, _) = task(2, |_, _, _| 0.5);
    let outcome = one_trial(&task, 2, &settings()).unwrap();
    let mut pairs = learner_seeds(SEED, 2);
    assert!(outcome.runs.iter().all(|run| run.seed == pairs().1));
}

#[test]
fn a_decrease_is_against_the_unboosted_learner() {
    let losses = [
        (Method::Ogd, 0.4),
        (Method::OnlineBoosting, 0.3),
        (Method::BanditBoosting, 0.2),
        (Method::NFkm, 0.5),
        (Method::OneQueryFkm, 0.9),
        (Method::OgdLargeBall, 0.7),
        (Method::NFkmLargeBall, 0.8),
    ];
    let run = |(method, average): (Method, f64)| Run {
        method,
        tuned: Tuned { setting: methods::Setting { n: 1, lr: 0.1, c: 0.5, advantage: 1.0 }, loss: 0.01 },
        reported: Progressive { average, curve: Vec::new() },
        seed: 0,
    };
    let outcome = Outcome {
        provenance: Provenance::StandIn,
        radius: 0.5,
        runs: losses.map(run).to_vec(),
        hindsight: Some(0.15),
        seconds: 1.0,
    };
    let rows = outcome.trials(Name::Letter, 3, SEED);
    assert!(rows.iter().all(|row| (row.dataset.as_str(), row.trial, row.seed) == ("letter", 3, SEED)));
    assert!(rows.iter().all(|row| row.provenance == Provenance::StandIn));
    let of = |metric: &str| -> Vec<(&str, f64)> {
        rows.iter().filter(|row| row.metric == metric).map(|row| (row.method.as_str(), row.value)).collect()
    };
    let mut expected: Vec<(&str, f64)> = losses.iter().map(|(method, loss)| (method.name(), *loss)).collect();
    expected.push((HINDSIGHT, 0.15));
    assert_eq!(of(LOSS), expected);
    let decreases = of(DECREASE);
    assert_eq!(decreases.iter().map(|row| row.0).collect::<Vec<_>>(), ["online boosting", "bandit boosting"]);
    assert!((decreases[0].1 - 0.25).abs() < 1e-12 && (decreases[1].1 - 0.6).abs() < 1e-12, "{decreases:?}");
}
