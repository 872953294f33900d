//! Start distributions other than the uniform one: absent examples, repeated ones, and the constants of the
//! bounds.

use crate::samples::{Task, uneven_weights};
use boosters::maboost::{
    Active, BoostError, BoostingMap, BoostingRun, CombinedBoost, Examples, Lazy, MirrorAscent, Reweighting,
    Schedule, SmoothBoost,
};
use projections::{Euclidean, NegativeEntropy, Regulariser, Simplex};
use proptest::prelude::*;
use rows::RowMatrix;
use weak_learners::batch::{ExactStump, SortedColumns};
use weak_learners::{Label, LearnerError};

/// Row i as often as `counts` says.
fn repeated(task: &Task, counts: &[usize]) -> Task {
    let which: Vec<usize> = (0..counts.len()).flat_map(|i| std::iter::repeat_n(i, counts[i])).collect();
    let values = which.iter().flat_map(|&i| task.rows.row(i).unwrap().to_dense()).collect();
    let rows = RowMatrix::dense(task.rows.dimension(), values).unwrap();
    Task { rows, labels: which.iter().map(|&i| task.labels[i]).collect() }
}

fn run<A: Reweighting>(
    task: &Task,
    examples: &Examples,
    algorithm: A,
    rounds: usize,
) -> BoostingRun<ExactStump, A> {
    let mut run = BoostingRun::new(examples.clone(), ExactStump::default(), algorithm).unwrap();
    let sample: SortedColumns = task.sorted();
    for _ in 0..rounds {
        assert!(run.round(&sample).unwrap().is_continue());
    }
    run
}

/// Bit for bit: an example of weight 0 has no influence on anything, wherever it stands.
#[test]
fn a_weight_of_0_is_an_absent_example() {
    let task = Task::majority_of_three(80, 1);
    let present: Vec<usize> = (0..80).map(|i| usize::from(i % 4 != 1)).collect();
    let weights: Vec<f64> =
        uneven_weights(80, 2).iter().zip(&present).map(|(w, p)| if *p == 0 { 0.0 } else { *w }).collect();
    let filtered = repeated(&task, &present);
    let of_present: Vec<f64> = weights.iter().copied().filter(|w| *w > 0.0).collect();
    let with_zeros = Examples::weighted(task.labels.clone(), &weights).unwrap();
    let without = Examples::weighted(filtered.labels.clone(), &of_present).unwrap();
    let alike = Alike { pairs: [(&task, &with_zeros), (&filtered, &without)] };
    let (first, search) = (Schedule::Theorem1, Schedule::LineSearch);
    let simplex = || Simplex::new(1.0).unwrap();
    alike.check("quadratic", |e| MirrorAscent::<_, _, Active>::new(Euclidean, simplex(), e, first));
    alike.check("lazy", |e| MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex(), e, search));
    alike.check("entropy", |e| MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex(), e, first));
    alike.check("search", |e| MirrorAscent::<_, _, Lazy>::new(NegativeEntropy, simplex(), e, search));
    alike.check("smooth", |e| SmoothBoost::<Active>::smooth(e, 3.0));
    alike.check("combined", |e| CombinedBoost::new(e, &vec![true; e.labels().len()], 3.0));
}

struct Alike<'a> {
    pairs: [(&'a Task, &'a Examples); 2],
}

impl Alike<'_> {
    fn check<A: Reweighting>(&self, name: &str, new: impl Fn(&Examples) -> Result<A, BoostError>) {
        let [a, b] = self.pairs.map(|(task, examples)| run(task, examples, new(examples).unwrap(), 25));
        assert_eq!(a.record(), b.record(), "{name}");
        assert_eq!(a.margins(), b.margins(), "{name}");
        assert_eq!(a.algorithm().weights(), b.algorithm().weights(), "{name}");
    }
}

/// With the entropy, whose steps do not depend on N, weight 3 is three examples of weight 1.
#[test]
fn a_whole_weight_is_a_repetition() {
    let task = Task::majority_of_three(40, 6);
    let counts: Vec<usize> = (0..40).map(|i| 1 + i * i % 4).collect();
    let weights: Vec<f64> = counts.iter().map(|c| *c as f64).collect();
    let many = repeated(&task, &counts);
    let weighted = Examples::weighted(task.labels.clone(), &weights).unwrap();
    let uniform = Examples::uniform(many.labels.clone()).unwrap();
    let once = run(&task, &weighted, SmoothBoost::<Active>::smooth(&weighted, 3.0).unwrap(), 30);
    let often = run(&many, &uniform, SmoothBoost::<Active>::smooth(&uniform, 3.0).unwrap(), 30);
    for (a, b) in once.record().iter().zip(often.record()) {
        assert!((a.edge - b.edge).abs() < 1e-12 && (a.error - b.error).abs() < 1e-12, "{a:?} {b:?}");
        assert!((a.min_margin - b.min_margin).abs() < 1e-12);
    }
}

fn start_distribution() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(1e-6_f64..1.0, 1..8).prop_map(|weights| {
        Examples::weighted(vec![Label::Plus; weights.len()], &weights).unwrap().start().to_vec()
    })
}

/// D on the examples that `errors` has a bit for, divided by their share, and the share.
fn on_errors(start: &[f64], errors: usize) -> (Vec<f64>, f64) {
    let is_error = |i: usize| errors >> i & 1 == 1;
    let share: f64 = (0..start.len()).filter(|&i| is_error(i)).map(|i| start[i]).sum();
    ((0..start.len()).map(|i| if is_error(i) { start[i] / share } else { 0.0 }).collect(), share)
}

fn heaviest(start: &[f64]) -> f64 {
    start.iter().fold(0.0, |a: f64, b| a.max(*b))
}

proptest! {
    /// Where B(w*, D) is the progress of a run, an error of this share is not excluded; and from the uniform
    /// start the tight bound says no more than that.
    #[test]
    fn the_error_bounds_are_those_of_the_worst_set_of_errors(start in start_distribution()) {
        for errors in 1..1_usize << start.len() {
            let (w, share) = on_errors(&start, errors);
            let progress = Euclidean.divergence(&w, &start).unwrap();
            let (loose, tight) = Euclidean::error_bound(heaviest(&start), progress);
            prop_assert!(share <= tight.unwrap() + 1e-12 && tight.unwrap() <= loose + 1e-15);
            let progress = NegativeEntropy.divergence(&w, &start).unwrap();
            let (bound, tight) = NegativeEntropy::error_bound(heaviest(&start), progress);
            prop_assert!((share - bound).abs() <= 1e-12 && tight.is_none());
            let uniform = vec![1.0 / start.len() as f64; start.len()];
            let (w, share) = on_errors(&uniform, errors);
            let progress = Euclidean.divergence(&w, &uniform).unwrap();
            prop_assert!((Euclidean::error_bound(heaviest(&uniform), progress).1.unwrap() - share).abs() <= 1e-12);
        }
    }

    /// C = L·max B(e_i, D).
    #[test]
    fn the_margin_constant_is_that_of_the_farthest_vertex(start in start_distribution()) {
        let n = start.len();
        let farthest = |divergence: &dyn Fn(&[f64]) -> f64| {
            let vertex = |i: usize| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
            (0..n).map(|i| divergence(&vertex(i))).fold(0.0, f64::max)
        };
        let quadratic = n as f64 * farthest(&|e| Euclidean.divergence(e, &start).unwrap());
        prop_assert!((Euclidean::margin_constant(&start) - quadratic).abs() <= 1e-12 * (1.0 + quadratic));
        let entropy = farthest(&|e| NegativeEntropy.divergence(e, &start).unwrap());
        prop_assert!((NegativeEntropy::margin_constant(&start) - entropy).abs() <= 1e-12 * (1.0 + entropy));
    }
}

/// Weights at both ends of the range of numbers: D sums to 1, has no 0 in it, and an algorithm can start from
/// it.
#[test]
fn extreme_weights() {
    let labels = vec![Label::Plus, Label::Minus, Label::Plus, Label::Plus, Label::Plus];
    let refused = Examples::weighted(labels.clone(), &[1.0, 1.0, 1e141, 1.0, 1.0]).map(|_| ());
    let too_large = LearnerError::TooLarge { argument: "weights", index: 2, value: 1e141 };
    assert_eq!(refused, Err(too_large.into()));
    for weights in [
        [1e140, 1e140, 1.0, 0.0, 1e140],
        [5e-324, 5e-324, 0.0, 5e-324, 5e-324],
        [1.0, 1.0, 1.0, 5e-324, 0.0],
        [1.0, 1e-308, 1e-320, 5e-324, 1.0],
    ] {
        let examples = Examples::weighted(labels.clone(), &weights).unwrap();
        assert!(
            (examples.start().iter().sum::<f64>() - 1.0).abs() < 1e-15
                && examples.start().iter().all(|d| *d > 0.0)
        );
        assert_eq!(examples.counted().count(), examples.start().len());
        for k in [1.0, 1.5, 1e140] {
            let smooth = SmoothBoost::<Active>::smooth(&examples, k).unwrap();
            assert_eq!(smooth.weights(), examples.start());
            let promise = smooth.promise();
            assert!(promise.error.is_finite(), "{promise:?}");
        }
    }
}
