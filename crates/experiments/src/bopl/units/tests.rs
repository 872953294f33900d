//! The units, the rows they are scored on, and their results.

use super::super::fixtures::{Setup, garbled, history, task};
use super::*;
use datasets::Split;
use off_policy::policies::Columns;

impl Setup {
    /// Stores a history with this reward as if the unit had been run.
    fn plant(&self, unit: Unit, reward: f64) {
        let units = self.units();
        self.run.store.put(&unit.key(self.task.name, units.data(), units.explorer), history(reward)).unwrap();
    }
}

/// Configurations with different numbers of rounds.
fn configurations(method: Method) -> Vec<Parameters> {
    let start = Parameters::table_5(method, TaskName::Scene);
    [2, 3, 4].map(|rounds| Parameters { rounds, ..start }).to_vec()
}

/// The best configuration on validation rows is known; on test rows another one is best by far.
#[test]
fn a_search_chooses_on_validation_rows_and_measures_on_test_rows() {
    let setup = Setup::of(task(), 3);
    let name = setup.task.name;
    let logging = Parameters::table_5(Method::Logging, name);
    let on_validation = [
        // The best configuration of one trial is not the best over both.
        (Method::BrrGb, [[0.5, 0.875], [0.75, 0.75], [0.75, 0.5]]),
        (Method::BoplRegr, [[0.75, 0.25], [0.25, 0.5], [0.5, 1.0]]),
        (Method::BoplSRegr, [[0.5, 0.5], [0.25, 0.5], [0.25, 0.5]]),
    ];
    let known = [1, 2, 0];
    let table_5 = Parameters::table_5(Method::BrrGb, name);
    let brr_gb = configurations(Method::BrrGb)[known[0]];
    for ((method, rewards), known) in on_validation.into_iter().zip(known) {
        for (place, (parameters, rewards)) in configurations(method).into_iter().zip(rewards).enumerate() {
            for (trial, reward) in (0..).zip(rewards) {
                let unit =
                    Unit { trial, place, method, parameters, model: table_5, scored: Scored::Validation };
                setup.plant(unit, reward);
            }
            for trial in 0..3 {
                // The model of the direct method uses the chosen configuration.
                let unit = Unit { trial, place, method, parameters, model: brr_gb, scored: Scored::Test };
                let decoy = place == (known + 1) % 3;
                setup.plant(unit, if decoy { 1.0 } else { f64::from(trial) / 4.0 + place as f64 / 16.0 });
            }
        }
    }
    let logs = |trial| Unit {
        trial,
        place: 0,
        method: Method::Logging,
        parameters: logging,
        model: brr_gb,
        scored: Scored::Test,
    };
    (0..3).for_each(|trial| setup.plant(logs(trial), 0.0625 * f64::from(trial)));
    let planted = setup.run.store.len();

    let mut tried = vec![(Method::Logging, vec![logging])];
    tried.extend(on_validation.map(|(method, _)| (method, configurations(method))));
    let chosen = setup.units().search(tried).unwrap();
    let mut expected = vec![(Method::Logging, logging)];
    let best = on_validation.iter().zip(known);
    expected.extend(best.map(|((method, _), known)| (*method, configurations(*method)[known])));
    assert_eq!(chosen, expected);

    let measured = setup.units().measure(&chosen).unwrap();
    let of = |place: usize| (measured[place].method, measured[place].parameters);
    assert_eq!((0..4).map(of).collect::<Vec<_>>(), expected);
    let rewards =
        |place: usize| measured[place].trials.iter().map(|history| history.reward).collect::<Vec<_>>();
    assert_eq!(rewards(0), [0.0, 0.0625, 0.125]);
    assert_eq!(rewards(1), [0.0625, 0.3125, 0.5625]);
    assert_eq!(rewards(2), [0.125, 0.375, 0.625]);
    assert_eq!(rewards(3), [0.0, 0.25, 0.5]);
    assert_eq!(setup.run.store.len(), planted, "unrequested units were run");
}

/// The longest units run first; results are in the order of the request, trial by trial.
#[test]
fn histories_are_in_the_order_of_the_request() {
    let setup = Setup::of(task(), 2);
    let chosen: Vec<(Method, Parameters)> = [Method::BoplRegr, Method::BoplSRegr]
        .into_iter()
        .flat_map(|method| configurations(method).into_iter().map(move |parameters| (method, parameters)))
        .collect();
    let model = Parameters::table_5(Method::BrrGb, setup.task.name);
    let mut expected = vec![Vec::new(); chosen.len()];
    for (place, &(method, parameters)) in chosen.iter().enumerate() {
        for trial in 0..u32::from(method == Method::BoplRegr) + 1 {
            let reward = (f64::from(trial) + 2.0 * place as f64) / 16.0;
            let unit = Unit { trial, place, method, parameters, model, scored: Scored::Test };
            setup.plant(unit, reward);
            expected[place].push(reward);
        }
    }
    let trials = |method| u32::from(method == Method::BoplRegr) + 1;
    let found = setup.units().run("test", &chosen, trials, Scored::Test).unwrap();
    let rewards =
        |histories: &Vec<Arc<History>>| histories.iter().map(|history| history.reward).collect::<Vec<_>>();
    assert_eq!(found.iter().map(rewards).collect::<Vec<_>>(), expected);
}

/// Changed test labels change every reported number and no search result; changed validation labels the other
/// way round.
#[test]
fn a_search_is_scored_on_validation_rows_and_a_report_on_test_rows() {
    let name = TaskName::Scene;
    let split = Split::new(name.classification().unwrap().split_plan(400), 400, 3, 0).unwrap();
    let rewards = |task: Task, scored| -> Vec<f64> {
        let setup = Setup::of(task, 1);
        let chosen = [Method::Logging, Method::BrrGb, Method::BoplRegr, Method::BoplSClass].map(|method| {
            (method, Parameters { rounds: 3, min_child_weight: 2.0, ..Parameters::table_5(method, name) })
        });
        let histories = setup.units().run("test", &chosen, |_| 1, scored).unwrap();
        histories.iter().map(|trials| trials[0].reward).collect()
    };
    let all_differ = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() > 0.0);
    let (searched, reported) = (rewards(task(), Scored::Validation), rewards(task(), Scored::Test));
    for (rows, scored, same, moved) in [
        (&split.test, Scored::Validation, &searched, &reported),
        (&split.validation, Scored::Test, &reported, &searched),
    ] {
        let other = if scored == Scored::Test { Scored::Validation } else { Scored::Test };
        assert_eq!(&rewards(garbled(task(), rows), scored), same);
        let found = rewards(garbled(task(), rows), other);
        assert!(all_differ(&found, moved), "{found:?}, {moved:?}");
    }
}

#[test]
fn results_are_in_the_order_of_the_items() {
    let items: Vec<u64> = (0..40).collect();
    for threads in [1, 3] {
        let slow = |item: &u64| {
            std::thread::sleep(std::time::Duration::from_micros(400 - 10 * item));
            assert_eq!(rayon::current_thread_index(), None);
            Ok(*item)
        };
        assert_eq!(side_by_side(&items, Some(threads), slow).unwrap(), items);
    }
}

#[test]
fn a_key_names_the_logging_policy_and_the_searched_model() {
    use TaskName::Scene;
    let of = |method| Parameters::table_5(method, Scene);
    let (method, scored, explorer) = (Method::BoplRegr, Scored::Test, Explorer::of(Scene));
    let (parameters, model) = (of(method), of(Method::BrrGb));
    let unit = Unit { trial: 3, place: 0, method, parameters, model, scored };
    let start = r#"scene/official/3/BOPL-regr/Test/{"ridge":1.1,"epsilon":0.1}/{"rounds":500,"#;
    let key = unit.key(Scene, "official", explorer);
    assert!(key.starts_with(start) && key.ends_with("\"learning_rate\":1.0}"), "{key}");
    let other = Unit { model: Parameters { rounds: 7, ..model }, ..unit };
    assert!(other.key(Scene, "official", explorer).starts_with(&format!("{key}/{{\"rounds\":7,")));
    let raw = Explorer { columns: Columns::Raw, ..explorer };
    assert!(unit.key(Scene, "official", raw).contains(r#""epsilon":0.1,"columns":"Raw"}"#));
    let class = |model| Unit { method: Method::BoplClass, model, ..unit }.key(Scene, "official", explorer);
    assert_eq!(class(other.model), class(model), "the direct method is not computed for it");
}

#[test]
fn a_failure_ends_the_work() {
    let items: Vec<usize> = (0..40).collect();
    let begun = AtomicUsize::new(0);
    let failing = |item: &usize| {
        begun.fetch_add(1, Ordering::Relaxed);
        if *item == 3 { Err(ExperimentError::NothingToRun { trials: 3, subjects: 0 }) } else { Ok(()) }
    };
    assert!(side_by_side(&items, Some(1), failing).is_err());
    assert_eq!(begun.load(Ordering::Relaxed), 4);
}

/// Kept trials of another version of the recipe, or of a peer's program, are not those of this one.
#[test]
fn a_key_names_the_version_of_recipe_and_peers() {
    let explorer = Explorer::of(TaskName::Scene);
    let key = |method: Method| {
        let parameters = Parameters::table_5(method, TaskName::Scene);
        let model = Parameters::table_5(Method::BrrGb, TaskName::Scene);
        let unit = Unit { trial: 0, place: 0, method, parameters, model, scored: Scored::Test };
        unit.key(TaskName::Scene, "official", explorer)
    };
    // Another number here leaves all kept trials unread.
    for (method, version) in
        [(Method::AutoPolicy, 4), (Method::BrrXgb, 2), (Method::Drr, 2), (Method::BanditNet, 2)]
    {
        assert!(key(method).ends_with(&format!("}}/{version}")), "{}", key(method));
    }
    assert!(key(Method::SecondOrder).ends_with('}'));
}

/// The memory of a unit is known where no other one runs beside it, and where the system tells it.
#[test]
#[cfg(target_os = "linux")]
fn a_unit_alone_says_its_memory() {
    let of = |threads| {
        let mut setup = Setup::of(task(), 1);
        setup.options.threads = threads;
        let chosen = (Method::BoplRegr, configurations(Method::BoplRegr)[0]);
        setup.units().measure(&[chosen]).unwrap()[0].trials[0].memory
    };
    assert_eq!(of(Some(1)).is_some(), memory::forget_peak());
    assert!(of(Some(1)).is_none_or(|bytes| bytes > 1 << 20));
    assert_eq!(of(Some(2)), None);
}
