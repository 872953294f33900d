//! The conversion of supervised data: rewards as the paper lists them, and unbiased estimates by enumeration.

use off_policy::estimators::{Accumulator, EstimatorSettings, Observation};
use off_policy::policies::{Argmax, EpsilonGreedy, Policy, Softmax, Tabular, Uniform};
use off_policy::{
    ActionSet, COVERTYPE_NEAR_MISSES, FASHION_MNIST_NEAR_MISSES, LabelError, LabelSets, LogError,
    PolicyError, RewardStructure, expected_reward, to_bandit,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;

/// The names of the classes in the order of the files, and the pairs that \[L23, Appendix F.4\] calls near.
#[test]
fn the_groups_are_those_of_the_paper() {
    let covertype =
        ["Spruce/Fir", "Lodgepole", "Ponderosa", "Cottonwood/Willow", "Aspen", "Douglas-fir", "Krummholz"];
    let near: &[&[&str]] =
        &[&["Spruce/Fir", "Douglas-fir"], &["Lodgepole", "Ponderosa"], &["Cottonwood/Willow", "Aspen"]];
    check_groups(&covertype, &COVERTYPE_NEAR_MISSES, near);
    let fashion = [
        "T-shirt/top",
        "trouser",
        "pullover",
        "dress",
        "coat",
        "sandal",
        "shirt",
        "sneaker",
        "bag",
        "ankle-boot",
    ];
    let near: &[&[&str]] =
        &[&["coat", "pullover"], &["T-shirt/top", "shirt"], &["sandal", "sneaker", "ankle-boot"]];
    check_groups(&fashion, &FASHION_MNIST_NEAR_MISSES, near);
}

fn check_groups(names: &[&str], groups: &[&[u32]], near: &[&[&str]]) {
    let structure = RewardStructure::near_misses(names.len(), groups, 0.25).unwrap();
    for (label, truth) in (0..).zip(names) {
        for (action, name) in names.iter().enumerate() {
            let together = near.iter().any(|group| group.contains(truth) && group.contains(name));
            let expected = if truth == name {
                1.0
            } else if together {
                0.25
            } else {
                0.0
            };
            assert_eq!(structure.reward(&[label], action), expected, "{name} for {truth}");
        }
    }
}

#[test]
fn several_labels_pay_for_each_of_them_and_near_misses_of_any() {
    let structure = RewardStructure::near_misses(6, &[[0, 1], [4, 5]], 0.5).unwrap();
    let rewards = |labels: &[u32]| -> Vec<f64> { (0..7).map(|a| structure.reward(labels, a)).collect() };
    assert_eq!(rewards(&[1, 3, 4]), [0.5, 1.0, 0.0, 1.0, 1.0, 0.5, 0.0]);
    assert_eq!(rewards(&[]), [0.0; 7]);
    assert_eq!(rewards(&[6, 99]), [0.0; 7], "labels that are no classes pay nothing");
}

/// Contexts, labels and two policies that look at the context through a model of weights.
fn task() -> (RowMatrix, LabelSets, RewardStructure) {
    let n = 40;
    let contexts = RowMatrix::dense(1, (0..n).map(|i| f64::from(i) / 10.0 - 2.0).collect()).unwrap();
    let labels = (0..n as u32).map(|i| [i % 4, i / 10]);
    let structure = RewardStructure::near_misses(4, &[[0, 3]], 0.25).unwrap();
    (contexts, LabelSets::new(4, labels).unwrap(), structure)
}

fn linear(weights: [f64; 4]) -> off_policy::policies::MultinomialLogistic {
    off_policy::policies::MultinomialLogistic::new(1, weights.to_vec(), vec![0.1, 0.0, -0.3, 0.2]).unwrap()
}

/// E[r·π(a|x)/p] with a ∼ π_L, by enumerating the actions, is the value of π: π_L has full support.
#[test]
fn ips_is_unbiased_by_enumeration() {
    let (contexts, labels, structure) = task();
    let logging =
        EpsilonGreedy::new(Softmax::new(linear([1.0, -1.0, 0.5, 0.0]), 1.0).unwrap(), 0.05).unwrap();
    let target = Argmax::new(linear([-2.0, -0.5, 0.5, 2.0]));
    let all = ActionSet::all(4).unwrap();
    let (mut mean, mut p, mut pi) = (0.0, [0.0; 4], [0.0; 4]);
    for (x, labels) in contexts.iter().zip(labels.iter()) {
        logging.probabilities(x, all, &mut p).unwrap();
        target.probabilities(x, all, &mut pi).unwrap();
        for a in 0..4 {
            let (target, propensity, reward) = (pi[a], p[a], structure.reward(labels, a));
            let mut one_row = Accumulator::new(EstimatorSettings::default(), false);
            let row = Observation { target, propensity, reward, direct: 0.0, predicted: 0.0 };
            one_row.observe(&row).unwrap();
            mean += propensity * one_row.finish().unwrap().ips.value / 40.0;
        }
    }
    let value = expected_reward(&target, &contexts, &labels, &structure).unwrap();
    assert!((mean - value).abs() < 1e-12, "{mean} is not {value}");
}

/// What 24 converted logs pay, and their IPS values, are means of 960 terms: each within four deviations,
/// taken from the logs themselves.
#[test]
fn converted_logs_pay_what_the_policy_is_worth() {
    let (contexts, labels, structure) = task();
    let logging = EpsilonGreedy::new(Softmax::new(linear([1.0, -1.0, 0.5, 0.0]), 1.0).unwrap(), 0.2).unwrap();
    let target = Softmax::new(linear([-2.0, -0.5, 0.5, 2.0]), 2.0).unwrap();
    let (mut paid, mut ips) = (Vec::new(), Vec::new());
    for seed in 0..24 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let log = to_bandit(contexts.clone(), &labels, &structure, &logging, &mut rng).unwrap();
        let mut pi = [0.0; 4];
        for (row, labels) in log.iter().zip(labels.iter()) {
            logging.probabilities(row.context, row.on_offer, &mut pi).unwrap();
            assert_eq!(row.propensity.to_bits(), pi[row.action].to_bits());
            assert_eq!(row.reward, structure.reward(labels, row.action));
            target.probabilities(row.context, row.on_offer, &mut pi).unwrap();
            paid.push(row.reward);
            ips.push(row.reward * pi[row.action] / row.propensity);
        }
    }
    let values = [
        expected_reward(&logging, &contexts, &labels, &structure).unwrap(),
        expected_reward(&target, &contexts, &labels, &structure).unwrap(),
    ];
    assert!((values[0] - values[1]).abs() > 0.1, "two policies of one value tell nothing apart");
    for (terms, value) in [paid, ips].iter().zip(values) {
        let n = terms.len() as f64;
        let mean = terms.iter().sum::<f64>() / n;
        let deviation = (terms.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / n).sqrt();
        assert!((mean - value).abs() < 4.0 * deviation / n.sqrt(), "{mean} for {value}");
    }
}

#[test]
fn one_seed_makes_one_log() {
    let (contexts, labels, structure) = task();
    let log = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        to_bandit(contexts.clone(), &labels, &structure, &Uniform::new(4).unwrap(), &mut rng).unwrap()
    };
    assert_eq!(log(3), log(3));
    assert_ne!(log(3), log(4));
    // A row draws one number under any policy, so that the generator goes on from the same place.
    let after = |weights| {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let policy = Argmax::new(linear(weights));
        to_bandit(contexts.clone(), &labels, &structure, &policy, &mut rng).unwrap();
        rng.next_u64()
    };
    assert_eq!(after([1.0, 0.0, 0.0, -1.0]), after([0.0; 4]));
}

#[test]
fn what_does_not_fit_is_refused() {
    let (contexts, labels, structure) = task();
    let convert = |labels: &LabelSets, structure: &RewardStructure, policy: &Tabular| {
        let policy = Softmax::new(policy.clone(), 1.0).unwrap();
        let value = expected_reward(&policy, &contexts, labels, structure).map(|_| ());
        let log = to_bandit(contexts.clone(), labels, structure, &policy, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(log.map(|_| ()), value.clone());
        value
    };
    let four = Tabular::new(1, vec![0.0; 4]).unwrap();
    assert_eq!(convert(&labels, &structure, &four), Ok(()));
    let short = LabelSets::single(4, &[0; 39]).unwrap();
    let rows = LabelError::RowCount { expected: 40, got: 39 };
    assert_eq!(convert(&short, &structure, &four), Err(rows.into()));
    let five = LabelSets::single(5, &[0; 40]).unwrap();
    let count = |argument, got| Err(LabelError::ClassCount { argument, expected: 4, got }.into());
    assert_eq!(convert(&five, &structure, &four), count("the labels", 5));
    let of_five = RewardStructure::one_of_the_labels(5).unwrap();
    assert_eq!(convert(&labels, &of_five, &four), count("the reward structure", 5));
    let wide = Tabular::new(2, vec![0.0; 4]).unwrap();
    let dimension = PolicyError::InputDimension { expected: 2, got: 1 };
    assert_eq!(convert(&labels, &structure, &wide), Err(dimension));
    let (nothing, none) = (RowMatrix::dense(1, vec![]).unwrap(), LabelSets::single(4, &[]).unwrap());
    let empty = expected_reward(&Uniform::new(4).unwrap(), &nothing, &none, &structure);
    assert_eq!(empty, Err(LogError::Empty.into()));
}

#[test]
fn structures_that_are_none_are_refused() {
    let make = |actions, groups: &[&[u32]], credit| RewardStructure::near_misses(actions, groups, credit);
    assert_eq!(make(0, &[], 0.0), Err(LabelError::NoClasses));
    for value in [-0.25, 1.5, f64::INFINITY] {
        assert_eq!(make(3, &[], value), Err(LabelError::BadCredit { value }));
    }
    assert!(make(3, &[], f64::NAN).is_err());
    let range = LabelError::GroupOutOfRange { group: 1, action: 3, actions: 3 };
    assert_eq!(make(3, &[&[0], &[1, 3]], 0.25), Err(range));
    let overlap = LabelError::GroupsOverlap { group: 1, earlier: 0, action: 2 };
    assert_eq!(make(3, &[&[0, 2], &[2]], 0.25), Err(overlap));
    let twice = LabelError::GroupsOverlap { group: 0, earlier: 0, action: 1 };
    assert_eq!(make(3, &[&[1, 1]], 0.25), Err(twice));
    assert!(matches!(make(usize::MAX, &[], 0.25), Err(LabelError::TooManyClasses { .. })));
    let structure = make(4, &[&[3, 1]], 0.1 + 0.2).unwrap();
    let text = serde_json::to_string(&structure).unwrap();
    assert_eq!(serde_json::from_str::<RewardStructure>(&text).unwrap(), structure);
    assert!(serde_json::from_str::<RewardStructure>(&text.replace("[3,1]", "[3,4]")).is_err());
    let none: [&[u32]; 0] = [];
    assert_eq!(LabelSets::new(0, none), Err(LabelError::NoClasses));
    assert!(LabelSets::new(2, none).unwrap().is_empty());
}
