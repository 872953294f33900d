//! Runs that are stopped, saved, loaded and continued, and files that were tampered with.

use crate::samples::Task;
use crate::trials::Trial;
use boosters::maboost::{
    Active, AdaBoost, BoostStop, BoostingRun, CombinedBoost, Examples, Lazy, MadaBoost, MirrorAscent,
    Reweighting, Round, Schedule, SmoothBoost, SparseBoost, Sparsity,
};
use boosters::saved::{load, save};
use projections::{Euclidean, NegativeEntropy, Simplex, Then, UnitBox};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use weak_learners::batch::{
    BinnedStump, BinnedTree, ExactStump, LeafAnswer, Sampled, WeakLearner, WeightedTree,
};

fn play<W: WeakLearner, A: Reweighting>(
    run: &mut BoostingRun<W, A>,
    sample: &W::Sample,
    rounds: usize,
) -> Vec<ControlFlow<BoostStop, Round>> {
    (0..rounds).map(|_| run.round(sample).unwrap()).collect()
}

/// The run that is saved after some rounds and loaded goes on bit for bit, record and weights and file.
fn goes_on<W, A>(trial: &Trial<W>, examples: &Examples, algorithm: &A)
where
    W: WeakLearner<Hypothesis: Clone + Serialize + DeserializeOwned> + Clone + Serialize + DeserializeOwned,
    A: Reweighting + Clone + Serialize + DeserializeOwned,
{
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    for before in [0, 1, 13] {
        let learner = trial.learner.clone();
        let mut run = BoostingRun::new(examples.clone(), learner, algorithm.clone()).unwrap();
        play(&mut run, &trial.sample, before);
        save(&path, "boosting run", &run).unwrap();
        let mut loaded: BoostingRun<W, A> = load(&path, "boosting run").unwrap();
        let name = format!("{} {} after {before}", trial.name, std::any::type_name::<A>());
        assert_eq!(play(&mut loaded, &trial.sample, 12), play(&mut run, &trial.sample, 12), "{name}");
        assert_eq!(loaded.algorithm().weights(), run.algorithm().weights(), "{name}");
        assert_eq!(serde_json::to_string(&loaded).unwrap(), serde_json::to_string(&run).unwrap(), "{name}");
    }
}

fn every_algorithm_goes_on<W>(trial: &Trial<W>)
where
    W: WeakLearner<Hypothesis: Clone + Serialize + DeserializeOwned> + Clone + Serialize + DeserializeOwned,
{
    let weights: Vec<f64> = (0..trial.labels.len()).map(|i| (i % 5) as f64).collect();
    let weighted = Examples::weighted(trial.labels.clone(), &weights).unwrap();
    let simplex = Simplex::new(1.0).unwrap();
    for examples in [&trial.uniform(), &weighted] {
        for schedule in [Schedule::Theorem1, Schedule::Theorem2, Schedule::LongSteps, Schedule::LineSearch] {
            let quadratic = MirrorAscent::<_, _, Active>::new(Euclidean, simplex, examples, schedule);
            goes_on(trial, examples, &quadratic.unwrap());
            let lazy = MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex, examples, schedule);
            goes_on(trial, examples, &lazy.unwrap());
            let entropy = MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, examples, schedule);
            goes_on(trial, examples, &entropy.unwrap());
            let lazy = MirrorAscent::<_, _, Lazy>::new(NegativeEntropy, simplex, examples, schedule);
            goes_on(trial, examples, &lazy.unwrap());
        }
        let (double, schedule) = (Then::new(UnitBox, simplex), Schedule::Theorem1);
        let double = MirrorAscent::<_, _, Active>::new(Euclidean, double, examples, schedule).unwrap();
        goes_on(trial, examples, &double);
        goes_on(trial, examples, &SmoothBoost::<Active>::smooth(examples, 3.0).unwrap());
        goes_on(trial, examples, &SmoothBoost::<Lazy>::smooth(examples, 3.0).unwrap());
        let secondary: Vec<bool> = (0..trial.labels.len()).map(|i| i % 2 == 0).collect();
        goes_on(trial, examples, &CombinedBoost::new(examples, &secondary, 3.0).unwrap());
        goes_on(trial, examples, &SparseBoost::new(examples, Sparsity::Fraction(0.5)).unwrap());
        goes_on(trial, examples, &MadaBoost::new(examples).unwrap());
        goes_on(trial, examples, &AdaBoost::new(examples).unwrap());
    }
}

#[test]
fn every_run_goes_on_bit_for_bit() {
    let task = Task::majority_of_three(60, 1);
    let name = "majorities";
    every_algorithm_goes_on(&Trial::new(name, task.binned(), &task.labels, BinnedStump::default(), 0));
    every_algorithm_goes_on(&Trial::new(name, task.sorted(), &task.labels, ExactStump::default(), 0));
    let tree = BinnedTree::new(2, LeafAnswer::Mean, 0.0).unwrap();
    every_algorithm_goes_on(&Trial::new(name, task.binned(), &task.labels, tree, 0));
    let tree = WeightedTree::new(2, LeafAnswer::Sign, 3).unwrap();
    every_algorithm_goes_on(&Trial::new(name, task.sorted(), &task.labels, tree, 0));
    let sampled = Sampled::new(ExactStump::default(), 40, ChaCha8Rng::seed_from_u64(5)).unwrap();
    every_algorithm_goes_on(&Trial::new(name, task.sorted(), &task.labels, sampled, 0));
}

type Smooth = BoostingRun<BinnedStump, SmoothBoost>;
type Combined = BoostingRun<BinnedStump, CombinedBoost>;

/// A saved run after seven rounds.
fn saved<A: Reweighting + Clone + Serialize>(new: impl Fn(&Examples) -> A) -> Value {
    let task = Task::majority_of_three(20, 1);
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let algorithm = new(&examples);
    let mut run = BoostingRun::new(examples, BinnedStump::default(), algorithm).unwrap();
    play(&mut run, &task.binned(), 7);
    serde_json::to_value(&run).unwrap()
}

fn loads<T: DeserializeOwned>(file: &Value, pointer: &str, value: Value) -> bool {
    let mut file = file.clone();
    *file.pointer_mut(pointer).unwrap() = value;
    serde_json::from_value::<T>(file).is_ok()
}

#[test]
fn a_file_whose_parts_disagree_is_refused() {
    let file = saved(|examples| SmoothBoost::<Active>::smooth(examples, 3.0).unwrap());
    let same = file.pointer("/record/6/eta").unwrap().clone();
    assert!(loads::<Smooth>(&file, "/record/6/eta", same), "the file itself is fine");
    // Not D's, but so close to it that no error and no margin changes.
    let mut tilted = vec![1.0; 20];
    tilted[19] += 1e-9;
    for (pointer, value) in [
        ("/algorithm/w", json!(vec![0.06; 20])),
        ("/algorithm/w", json!(vec![0.05; 19])),
        ("/algorithm/w/3", json!(0.5)),
        ("/algorithm/start/3", json!(0.0)),
        ("/algorithm/start", json!(vec![1.0 / 19.0; 19])),
        ("/algorithm/dual", json!(vec![0.0; 21])),
        ("/algorithm/progress", json!(-1.0)),
        ("/algorithm/progress", json!(0.25)),
        ("/algorithm/rounds", json!(6)),
        ("/examples/prior", json!(tilted)),
        ("/algorithm/eta_sum", json!(-1.0)),
        ("/algorithm/set/caps", json!(vec![0.05; 20])),
        ("/margins", json!(vec![0.5; 19])),
        ("/margins", json!(vec![-0.5; 20])),
        ("/margins/0", json!(0.123)),
        ("/eta_sum", json!(1.0)),
        ("/record", json!([])),
        ("/record/6/eta", json!(0.5)),
        ("/record/2/eta", json!(0.5)),
        ("/record/2/flipped", json!(true)),
        ("/record/6/error", json!(0.75)),
        ("/record/6/min_margin", json!(0.75)),
        ("/record/6/promise/error", json!(0.9)),
        ("/record/6/promise/tight", json!(0.9)),
        ("/record/6/promise/margin", json!(0.9)),
        ("/ensemble/coefficients/3", json!(0.9)),
        ("/ensemble/coefficients", json!(vec![0.1; 6])),
        ("/examples/labels/0", json!(0.5)),
        ("/examples/labels", json!(vec![1.0; 21])),
    ] {
        // A margin may be another one that is neither the smallest nor an error before or after.
        let legal = pointer == "/margins/0" && loads::<Smooth>(&file, pointer, json!(10.0));
        assert!(legal || !loads::<Smooth>(&file, pointer, value.clone()), "{pointer} = {value}");
    }
    let file = saved(|examples| CombinedBoost::new(examples, &[true; 20], 3.0).unwrap());
    assert!(loads::<Combined>(&file, "/algorithm/k", json!(3.0)), "the file itself is fine");
    for (pointer, value) in [
        ("/algorithm/k", json!(0.5)),
        ("/algorithm/k", json!(2.5)),
        ("/algorithm/secondary", json!(vec![true; 19])),
        ("/algorithm/secondary/3", json!(false)),
    ] {
        assert!(!loads::<Combined>(&file, pointer, value.clone()), "{pointer} = {value}");
    }
}

/// An algorithm that played another number of rounds, or that began at another D, is not the run's.
#[test]
fn an_algorithm_of_another_run_is_refused() {
    type Mada = BoostingRun<BinnedStump, MadaBoost>;
    let file = saved(|examples| MadaBoost::new(examples).unwrap());
    let rounds = file["algorithm"]["rounds"].as_u64().unwrap();
    assert!(loads::<Mada>(&file, "/algorithm/rounds", json!(rounds)), "the file itself is fine");
    assert!(!loads::<Mada>(&file, "/algorithm/rounds", json!(rounds + 1)));
    // Too near to D for any other check.
    assert!(!loads::<Mada>(&file, "/algorithm/start/0", json!(0.05 + 1e-14)));
    type Sparse = BoostingRun<BinnedStump, SparseBoost>;
    let file = saved(|examples| SparseBoost::new(examples, Sparsity::Fraction(0.5)).unwrap());
    for rounds in [6_u64, 8, u64::MAX] {
        assert!(!loads::<Sparse>(&file, "/algorithm/rounds", json!(rounds)));
    }
    assert!(!loads::<Sparse>(&file, "/algorithm/start/0", json!(0.05 - 1e-14)));
    type Ada = BoostingRun<BinnedStump, AdaBoost>;
    let file = saved(|examples| AdaBoost::new(examples).unwrap());
    assert!(!loads::<Ada>(&file, "/algorithm/ascent/rounds", json!(6)));
}

/// Before the first round, the weights are D and the margins 0.
#[test]
fn a_new_run_is_at_its_start() {
    let task = Task::majority_of_three(20, 1);
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let smooth = SmoothBoost::<Active>::smooth(&examples, 3.0).unwrap();
    let run = BoostingRun::new(examples.clone(), BinnedStump::default(), smooth.clone()).unwrap();
    let file = serde_json::to_value(&run).unwrap();
    assert!(loads::<Smooth>(&file, "/margins", json!(vec![0.0; 20])));
    assert!(!loads::<Smooth>(&file, "/margins/4", json!(0.5)));
    assert!(!loads::<Smooth>(&file, "/eta_sum", json!(0.5)));
    let mut moved = vec![0.05; 20];
    (moved[0], moved[1]) = (0.04, 0.06);
    assert!(!loads::<Smooth>(&file, "/algorithm/w", json!(moved)));

    // An algorithm that was made for other examples, or that has played.
    let other = Examples::weighted(task.labels.clone(), &crate::samples::uneven_weights(20, 1)).unwrap();
    let foreign = SmoothBoost::<Active>::smooth(&other, 3.0).unwrap();
    assert!(BoostingRun::new(examples.clone(), BinnedStump::default(), foreign).is_err());
    let mut played = BoostingRun::new(examples.clone(), BinnedStump::default(), smooth).unwrap();
    play(&mut played, &task.binned(), 3);
    let played = played.algorithm().clone();
    assert!(BoostingRun::new(examples, BinnedStump::default(), played).is_err());
}
