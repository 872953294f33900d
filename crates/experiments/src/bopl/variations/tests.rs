//! The varied parameters, their logging policies, and the baseline.

use super::super::fixtures::{MOST, Setup, history, task};
use super::*;

#[test]
fn every_variation_changes_one_parameter() {
    let task = TaskName::Tmc;
    let start = Parameters::table_5(Method::BoplRegr, task);
    let all = of_learning(start, Explorer::of(task));
    assert_eq!((all[0].method, all[0].parameters), (Method::BoplRegr, start));
    for (place, one) in all.iter().enumerate().skip(1) {
        let Parameters { rounds, max_depth, min_child_weight, translation, clip, .. } = one.parameters;
        let changed = [
            one.method != Method::BoplRegr,
            rounds != start.rounds,
            max_depth != start.max_depth,
            (min_child_weight - start.min_child_weight).abs() > 0.0,
            (translation - start.translation).abs() > 0.0,
            clip != start.clip,
        ];
        let expected = if place + 1 == all.len() { 2 } else { 1 };
        assert_eq!(changed.iter().filter(|changed| **changed).count(), expected, "{one:?}");
        assert!(all[..place].iter().all(|before| before.name != one.name));
    }
}

fn variation(name: &str, parameters: Parameters, ridge: f64) -> Variation {
    let explorer = Explorer { ridge, ..Explorer::of(TaskName::Tmc) };
    Variation { name: name.to_owned(), method: Method::BoplRegr, parameters, explorer }
}

/// Differences are paired, and against the first variation.
#[test]
fn every_variation_is_compared_with_the_first() {
    let start = Parameters::table_5(Method::BoplRegr, TaskName::Tmc);
    let tried = |name: &str, ridge, logging: [f64; 2], rewards: [f64; 2], broken: [u32; 2]| {
        let history = |reward| {
            let [short_of_the_decrease, above_the_bound] = broken;
            Arc::new(History { short_of_the_decrease, above_the_bound, ..history(reward) })
        };
        let histories = rewards.map(history).to_vec();
        Tried { variation: variation(name, start, ridge), logging: logging.to_vec(), histories }
    };
    let all = [
        tried("as it is", 0.25, [0.25, 0.25], [0.25, 0.5], [0, 0]),
        tried("better", 0.5, [0.5, 0.5], [0.5, 0.75], [3, 2]),
        tried("worse", 0.000_032, [0.25, 0.25], [0.125, 0.375], [0, 1]),
    ];
    let found = table("tmc", Provenance::Official, &all).unwrap().cells();
    let row = |cells: [&str; 7]| cells.map(str::to_owned).to_vec();
    let expected = [
        row(["as it is", "2", "0.3750 ± 1.5883", "–", "0.2500 ± 0.0000", "0.25", "0"]),
        row(["better", "2", "0.6250 ± 1.5883", "+25.0 [+25.0, +25.0]", "0.5000 ± 0.0000", "0.5", "10"]),
        row(["worse", "2", "0.2500 ± 1.5883", "-12.5 [-12.5, -12.5]", "0.2500 ± 0.0000", "0.000032", "2"]),
    ];
    assert_eq!(found, expected);
    let panel = panel("tmc", Provenance::Official, &all);
    let dots: Vec<_> = panel.dots.iter().map(|dot| (&dot.label[..], dot.value, dot.interval)).collect();
    assert_eq!(dots, [("better", 25.0, Some((25.0, 25.0))), ("worse", -12.5, Some((-12.5, -12.5)))]);
    let kept = all[1].trials("tmc", 7, Provenance::Official);
    let numbers: Vec<_> = kept.iter().map(|kept| (kept.trial, &kept.method[..], kept.value)).collect();
    assert_eq!(numbers, [(0, "better", 0.5), (1, "better", 0.75)]);
    let named =
        |kept: &Trial| kept.metric == "validation reward" && kept.settings["logging policy"]["ridge"] == 0.5;
    assert!(kept.iter().all(named));
}

/// Ridges are searched in the first trial, and a reward missed by more than half a point is stated in the
/// name.
#[test]
fn a_log_is_drawn_by_the_searched_policy() {
    let setup = Setup::of(task(), 2);
    let (units, folder) = (setup.units(), tempfile::tempdir().unwrap());
    let ridges = Trials::open(&folder.path().join("ridges"), &"settings").unwrap();
    let now = setup.task.labelled().unwrap().logging_reward(units.explorer, Some(MOST), 3, 0).unwrap();
    let (standardised, raw) = (Columns::Standardised, Columns::Raw);
    let asked = [
        ("logged with ε = 0", 0.0, standardised, 1.0, 0.0049),
        ("logged with ε = 0.3", 0.3, standardised, 1.0, -0.0049),
        ("logged with ε = 0.5", 0.5, standardised, 1.0, 0.0051),
        ("logged with ε = 0, columns as they are", 0.0, raw, 1.0, -0.0051),
        ("logged with ε = 0.1, columns as they are", 0.1, raw, 1.0, 0.0),
        ("logged with ε = 0.5, columns as they are", 0.5, raw, 1.0, 0.0),
        ("logged with reward × 1.25", 0.1, standardised, 1.25, 0.0),
        ("logged with reward × 1.5", 0.1, standardised, 1.5, -0.25),
    ];
    let start = Parameters::table_5(Method::BoplRegr, setup.task.name);
    let mut expected = Vec::new();
    for (place, (name, epsilon, columns, times, missed)) in asked.into_iter().enumerate() {
        let (explorer, target) = (Explorer { epsilon, columns, ..units.explorer }, times * now);
        let key = format!("scene/{}/{explorer:?}/{target:e}", units.data());
        let explorer = Explorer { ridge: 1.0 + place as f64, ..explorer };
        ridges.put(&key, (explorer, target + missed)).unwrap();
        let is_missed = [2, 3, 7].contains(&place);
        let name = if is_missed { format!("{name}, {target:.3} not reached") } else { name.to_owned() };
        expected.push(Variation { name, method: Method::BoplRegr, parameters: start, explorer });
    }
    assert_eq!(of_logging(start, &units, &ridges).unwrap(), expected);
    assert_eq!(ridges.len(), asked.len(), "other ridges were searched");
}

/// Variations and their logging policies are scored on validation rows.
#[test]
fn variations_are_scored_on_validation_rows() {
    let setup = Setup::of(task(), 2);
    let name = setup.task.name;
    let start = Parameters { min_child_weight: 2.0, ..Parameters::table_5(Method::BoplRegr, name) };
    for ridge in [0.25, 4.0] {
        let explorer = Explorer { ridge, ..Explorer::of(name) };
        let units = Units { explorer, ..setup.units() };
        let variations = [2, 3].map(|rounds| variation("rounds", Parameters { rounds, ..start }, ridge));
        let tried = units.try_these(variations.to_vec()).unwrap();
        assert_eq!(
            tried.iter().map(|one| &one.variation).collect::<Vec<_>>(),
            variations.iter().collect::<Vec<_>>()
        );
        let (mut logging, mut rewards) = (Vec::new(), [Vec::new(), Vec::new()]);
        for trial in 0..2 {
            let trial = setup.task.trial(explorer, Some(MOST), 3, trial).unwrap();
            logging.push(trial.validation.logging);
            for (rewards, one) in rewards.iter_mut().zip(&variations) {
                let (parameters, rows) = ((&one.parameters, &start), &trial.validation);
                let history = one.method.train(name, &trial, parameters, rows, (None, &|_| ())).unwrap();
                rewards.push(history.reward);
            }
        }
        for (one, rewards) in tried.iter().zip(rewards) {
            assert_eq!((&one.logging, one.rewards()), (&logging, rewards));
        }
    }
}
