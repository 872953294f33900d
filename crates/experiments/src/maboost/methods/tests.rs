//! Every method runs the algorithm of its name, and test errors are those of the test rows.

use super::super::fixtures::split;
use super::super::sets::Split;
use super::*;
use datasets::Name;
use rows::RowMatrix;

/// Rows on a line. The label is the sign. The first two thirds are for training.
fn on_a_line(test_sign: f64) -> Split {
    let x = |rows: &[i32]| RowMatrix::dense(1, rows.iter().map(|i| f64::from(*i)).collect()).unwrap();
    let (train, test) = ([-4, 3, -2, 1, 2, -1, 4, -3], [-3, -1, 2, 4]);
    let columns = BinnedColumns::new(x(&train)).unwrap();
    Split {
        test: columns.binned_like(x(&test)).unwrap(),
        train: columns,
        truth: train.iter().map(|i| f64::from(i.signum())).collect(),
        test_labels: test.iter().map(|i| Label::new(test_sign * f64::from(i.signum())).unwrap()).collect(),
    }
}

/// One stump is right everywhere: every method and learner has test error 0, and 1 if all test labels are
/// flipped.
#[test]
fn a_separable_set_is_learnt_at_once() {
    for method in Method::ALL {
        for learner in Learner::ALL {
            let tests = |test_sign| {
                let split = on_a_line(test_sign);
                let (mut tests, mut trained) = (Vec::new(), Vec::new());
                let mut each = |now: &Moment<'_>| {
                    tests.push(now.test_error);
                    trained.push(now.round.error);
                };
                method.boost(learner, &split.task(&split.truth).unwrap(), 3, &mut each).unwrap();
                assert!(trained.iter().all(|error| *error == 0.0), "{method}, {learner}: {trained:?}");
                tests
            };
            assert!(tests(1.0).iter().all(|error| *error == 0.0), "{method}, {learner}");
            assert!(tests(-1.0).iter().all(|error| *error == 1.0), "{method}, {learner}");
        }
    }
}

/// The training rows also serve as test rows: the test error then equals the training error, round by round.
#[test]
fn the_test_error_is_that_of_the_whole_ensemble() {
    let mut split = split(Name::Spambase, 300);
    split.test = split.train.clone();
    split.test_labels = split.truth.iter().map(|y| Label::new(*y).unwrap()).collect();
    for method in Method::ALL {
        let mut rounds = 0;
        let mut each = |now: &Moment<'_>| {
            rounds += 1;
            assert_eq!(now.t, rounds);
            // A score of 0, which training counts as an error, is rare.
            assert!((now.test_error - now.round.error).abs() < 0.011, "{method}, {rounds}: {now:?}");
        };
        method.boost(Learner::Trees, &split.task(&split.truth).unwrap(), 10, &mut each).unwrap();
        assert_eq!(rounds, 10, "{method}");
    }
}

/// Edges, steps and bounds, round by round.
type History = Vec<(f64, f64, f64)>;

/// Every method against a second construction of its algorithm.
#[test]
fn every_method_runs_the_algorithm_of_its_name() {
    let split = split(Name::Spambase, 300);
    let task = split.task(&split.truth).unwrap();
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let simplex = || Simplex::new(1.0).unwrap();
    let tree = BinnedTree::new(3, LeafAnswer::Sign, 0.0).unwrap();
    fn play(algorithm: impl Reweighting, examples: &Examples, tree: &BinnedTree, split: &Split) -> History {
        let mut run = BoostingRun::new(examples.clone(), tree.clone(), algorithm).unwrap();
        let mut history = Vec::new();
        for _ in 0..6 {
            let ControlFlow::Continue(round) = run.round(&split.train).unwrap() else { break };
            history.push((round.edge, round.eta, round.promise.error));
        }
        history
    }
    let found = |method: Method| {
        let mut history = History::new();
        let mut each =
            |now: &Moment<'_>| history.push((now.round.edge, now.round.eta, now.round.promise.error));
        method.boost(Learner::Trees, &task, 6, &mut each).unwrap();
        history
    };
    let quadratic =
        |schedule| MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex(), &examples, schedule).unwrap();
    let entropy = |schedule| {
        MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex(), &examples, schedule).unwrap()
    };
    let active =
        MirrorAscent::<_, _, Active>::new(Euclidean, simplex(), &examples, Schedule::Theorem1).unwrap();
    let of = |history: History, method: Method| assert_eq!(found(method), history, "{method}");
    macro_rules! is {
        ($method:expr, $algorithm:expr) => {
            of(play($algorithm, &examples, &tree, &split), $method)
        };
    }
    is!(Method::QuadraticActive, active);
    is!(Method::QuadraticLazy, quadratic(Schedule::Theorem1));
    is!(Method::QuadraticMargin, quadratic(Schedule::Theorem2));
    is!(Method::QuadraticLong, quadratic(Schedule::LongSteps));
    is!(Method::Entropy, entropy(Schedule::Theorem1));
    is!(Method::EntropySearch, entropy(Schedule::LineSearch));
    is!(Method::EntropyMargin, entropy(Schedule::Theorem2));
    is!(Method::Smooth(2.0), SmoothBoost::<Active>::smooth(&examples, 2.0).unwrap());
    is!(Method::Combined(2.0), CombinedBoost::new(&examples, &[false; 200], 2.0).unwrap());
    is!(Method::SparseFraction(0.5), SparseBoost::new(&examples, Sparsity::Fraction(0.5)).unwrap());
    is!(Method::SparseConstant(0.01), SparseBoost::new(&examples, Sparsity::Constant(0.01)).unwrap());
    is!(Method::Mada, MadaBoost::new(&examples).unwrap());
    is!(Method::AdaBoost, AdaBoost::new(&examples).unwrap());
    let names: std::collections::BTreeSet<String> = Method::ALL.iter().map(Method::to_string).collect();
    assert_eq!(names.len(), Method::ALL.len());
}

/// The paper's bound on the error, and a sharper bound, from the edges.
type Bound<'a> = dyn Fn(&[f64]) -> (f64, Option<f64>) + 'a;

/// The paper's bounds in closed form, from the edges, with the printed factors.
#[test]
fn bounds_have_the_factors_of_the_theorems() {
    let split = split(Name::Spambase, 300);
    let task = split.task(&split.truth).unwrap();
    let of = |method: Method, bound: &Bound<'_>| {
        let mut edges = Vec::new();
        let mut each = |now: &Moment<'_>| {
            edges.push(now.round.edge);
            let ((error, tight), promise) = (bound(&edges), now.round.promise);
            assert!((promise.error - error).abs() < 1e-9, "{method}: {promise:?}, {error}");
            assert_eq!(promise.tight.is_some(), tight.is_some(), "{method}");
            assert!(
                promise.tight.zip(tight).is_none_or(|(a, b)| (a - b).abs() < 1e-9),
                "{method}: {promise:?}"
            );
        };
        method.boost(Learner::Trees, &task, 6, &mut each).unwrap();
    };
    let squares = |edges: &[f64]| edges.iter().map(|edge| edge * edge).sum::<f64>();
    for method in [Method::QuadraticActive, Method::QuadraticLazy] {
        of(method, &|edges| (1.0 / (1.0 + 0.5 * squares(edges)), Some(1.0 / (1.0 + squares(edges)))));
    }
    of(Method::QuadraticLong, &|edges| {
        (1.0 / (1.0 + 0.25 * squares(edges)), Some(1.0 / (1.0 + 0.5 * squares(edges))))
    });
    of(Method::Entropy, &|edges| ((-0.5 * squares(edges)).exp(), None));
    of(Method::AdaBoost, &|edges| (edges.iter().map(|edge| (1.0 - edge * edge).sqrt()).product(), None));
}

/// The exclusive or of two signs: no stump has an edge, a tree is right everywhere, and leaf means lie
/// between −1 and 1.
#[test]
fn every_learner_fits_the_model_of_its_name() {
    let x = RowMatrix::dense(2, (0..40).flat_map(|i| [f64::from(i % 2), f64::from(i / 2 % 2)]).collect())
        .unwrap();
    let mut truth: Vec<f64> = (0..40).map(|i| if i % 2 == i / 2 % 2 { 1.0 } else { -1.0 }).collect();
    // One label is flipped, so a leaf mean is not ±1.
    truth[0] = -1.0;
    let columns = BinnedColumns::new(x.clone()).unwrap();
    let split = Split {
        test: columns.binned_like(x).unwrap(),
        train: columns,
        test_labels: truth.iter().map(|y| Label::new(*y).unwrap()).collect(),
        truth,
    };
    assert_eq!(split.train.size(), 40);
    let first = |learner| {
        let (mut edge, mut votes) = (0.0, 0.0_f64);
        let mut each = |now: &Moment<'_>| {
            edge = now.round.edge;
            votes = now.margins.iter().map(|margin| (margin / now.round.eta).abs()).fold(0.0, f64::max);
            votes -= now.margins.iter().map(|margin| (margin / now.round.eta).abs()).fold(1.0, f64::min);
        };
        Method::Entropy.boost(learner, &split.task(&split.truth).unwrap(), 1, &mut each).unwrap();
        (edge, votes)
    };
    let [stumps, trees, means] = Learner::ALL.map(first);
    assert!(stumps.0 < 0.2 && trees.0 > 0.9, "{stumps:?}, {trees:?}");
    // Trees answer only ±1; a leaf mean is smaller if a label is flipped.
    assert!(trees.1.abs() < 1e-9 && means.1 > 0.1, "{trees:?}, {means:?}");
}
