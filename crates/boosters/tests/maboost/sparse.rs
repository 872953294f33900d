//! SparseBoost [NP14, Theorem 4], what its second projection really does, and the lazy booster for sparse
//! weights.

use crate::account::holds_every_round;
use crate::samples::Task;
use crate::theorems_1_and_2::edges;
use crate::trials::{Claim, Trial, on_real_data};
use boosters::maboost::{
    Active, Answer, BoostError, BoostingRun, Examples, Lazy, LazySparseBoost, MirrorAscent, Promise,
    Reweighting, Round, Schedule, SparseBoost, Sparsity,
};
use projections::{Euclidean, Simplex, project_l1_box};
use weak_learners::Label::{Minus, Plus};
use weak_learners::LearnerError;
use weak_learners::batch::{BinnedTree, ExactStump, Hypothesis, LeafAnswer, SortedColumns, WeakLearner};

fn n_times_heaviest(examples: &Examples) -> f64 {
    let d = examples.start();
    d.len() as f64 * d.iter().copied().fold(0.0, f64::max)
}

fn quadratic(examples: &Examples, schedule: Schedule) -> MirrorAscent<Euclidean, Simplex, Active> {
    MirrorAscent::new(Euclidean, Simplex::new(1.0).unwrap(), examples, schedule).unwrap()
}

struct Theorem4(Sparsity);

impl Claim for Theorem4 {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        let unit = n_times_heaviest(examples);
        let alpha = |t: usize, edge: f64| match &self.0 {
            Sparsity::Constant(alpha) => alpha.min(edge / 2.0),
            Sparsity::Fraction(theta) => theta * edge / 2.0,
            Sparsity::Sequence(alphas) => alphas.get(t).copied().unwrap_or(0.0),
        };
        let formula = |record: &[Round]| {
            let terms = || edges(record).enumerate().map(|(t, edge)| (edge, alpha(t, edge)));
            let paper: f64 = terms().map(|(edge, alpha)| 0.5 * edge * (edge - 2.0 * alpha)).sum();
            let tight: f64 = terms().map(|(edge, alpha)| edge * (edge - alpha)).sum();
            let bound = |sum: f64| 1.0 / (1.0 + sum / unit);
            Promise { error: bound(paper), tight: Some(bound(tight)), margin: None }
        };
        let sparse = SparseBoost::new(examples, self.0.clone()).unwrap();
        let run = holds_every_round(trial, examples, sparse, formula);
        let n = examples.start().len() as f64;
        assert!(run.record().iter().all(|round| (round.eta * n - round.edge).abs() < 1e-14));
    }
}

#[test]
fn theorem_4_with_a_constant_alpha() {
    on_real_data(40, &Theorem4(Sparsity::Constant(0.03)));
}

#[test]
fn theorem_4_with_a_share_of_the_edge() {
    on_real_data(40, &Theorem4(Sparsity::Fraction(0.0)));
    on_real_data(40, &Theorem4(Sparsity::Fraction(1.0)));
}

#[test]
fn theorem_4_with_a_sequence() {
    on_real_data(12, &Theorem4(Sparsity::Sequence(vec![0.01, 0.0, 0.004])));
}

struct LongSteps;

impl Claim for LongSteps {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        let (unit, d) = (n_times_heaviest(examples), examples.start());
        let n = d.len() as f64;
        let lightest = d.iter().copied().fold(1.0, f64::min);
        let c = n / 2.0 * (1.0 - 2.0 * lightest + d.iter().map(|d| d * d).sum::<f64>());
        let kappa = 1.0 + 0.5_f64.sqrt();
        let formula = |record: &[Round]| {
            let squares: f64 = edges(record).map(|edge| edge * edge).sum();
            let steps = kappa * edges(record).sum::<f64>();
            let least = edges(record).fold(1.0, f64::min);
            Promise {
                error: 1.0 / (1.0 + 0.25 * squares / unit),
                tight: Some(1.0 / (1.0 + 0.5 * squares / unit)),
                margin: Some(least - (0.5 * kappa * kappa * squares + c) / steps),
            }
        };
        holds_every_round(trial, examples, LazySparseBoost::sparse(examples).unwrap(), formula);
        holds_every_round(trial, examples, quadratic(examples, Schedule::LongSteps), formula);
    }
}

#[test]
fn long_steps_keep_the_printed_bound() {
    on_real_data(40, &LongSteps);
}

/// A hypothesis that is right everywhere moves every z down by the same: the quadratic ascent stays where it
/// is, and SparseBoost, which has cut the lightest off at 0 before it adds the mass again, does not. The
/// bound is the same.
#[test]
fn without_regularisation_sparse_boost_is_not_the_quadratic_ascent() {
    let examples = Examples::weighted(vec![Plus; 4], &[0.01, 0.33, 0.33, 0.33]).unwrap();
    let mut sparse = SparseBoost::new(&examples, Sparsity::Constant(0.0)).unwrap();
    let mut ascent = quadratic(&examples, Schedule::Theorem1);
    let answer = Answer { losses: &[-1.0; 4], edge: 1.0, error_before: 1.0 };
    assert_eq!(sparse.reweight(answer).unwrap(), ascent.reweight(answer).unwrap());
    assert!((ascent.weights()[0] - 0.01).abs() < 1e-15);
    // y = (0, 0.08, 0.08, 0.08), and 0.19 more everywhere.
    assert!((sparse.weights()[0] - 0.19).abs() < 1e-15 && (sparse.weights()[1] - 0.27).abs() < 1e-15);
    let gap = |a: f64, b: f64| assert!((a - b).abs() < 1e-15);
    gap(sparse.promise().error, ascent.promise().error);
    gap(sparse.promise().tight.unwrap(), ascent.promise().tight.unwrap());
}

/// The erratum to [NP14, Section 3.3]: on real data Σy < 1 in nearly every round, and then the projection
/// onto the simplex lifts every coordinate, so that none is 0.
#[test]
fn the_second_projection_adds_mass() {
    let task = Task::of(datasets::Name::BreastCancer, 699, &[1]);
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let tree = BinnedTree::new(3, LeafAnswer::Sign, 0.0).unwrap();
    let sparse = SparseBoost::new(&examples, Sparsity::Fraction(0.5)).unwrap();
    let (mut run, sample) = (BoostingRun::new(examples, tree.clone(), sparse).unwrap(), task.binned());
    let (mut lifted, mut votes) = (0, vec![0.0; task.labels.len()]);
    for _ in 0..60 {
        let mut y = run.algorithm().weights().to_vec();
        let std::ops::ControlFlow::Continue(round) = run.round(&sample).unwrap() else { break };
        assert!(!round.flipped);
        tree.evaluate(run.ensemble().hypotheses().last().unwrap(), &sample, &mut votes).unwrap();
        for ((y, h), a) in y.iter_mut().zip(&votes).zip(&task.labels) {
            *y -= round.eta * a.sign() * h;
        }
        project_l1_box(&mut y, round.edge / 4.0, round.eta).unwrap();
        if y.iter().sum::<f64>() < 1.0 {
            let lift = (1.0 - y.iter().sum::<f64>()) / y.len() as f64;
            let is_lifted = |(w, y): (&f64, &f64)| w > y && (w - y - lift).abs() < 1e-15;
            assert!(run.algorithm().weights().iter().zip(&y).all(is_lifted), "{round:?}");
            assert_eq!(round.zeros, 0);
            lifted += 1;
        }
    }
    assert!(lifted > 50, "{lifted} of {} rounds", run.record().len());
}

/// The mean share of weights that are 0, over the rounds of a run with trees of depth 3 on breast cancer.
fn share_of_zeros(algorithm: impl Reweighting, examples: &Examples, task: &Task, rounds: usize) -> f64 {
    let tree = BinnedTree::new(3, LeafAnswer::Sign, 0.0).unwrap();
    let (mut run, sample) = (BoostingRun::new(examples.clone(), tree, algorithm).unwrap(), task.binned());
    while run.record().len() < rounds && run.round(&sample).unwrap().is_continue() {}
    let zeros: usize = run.record().iter().map(|round| round.zeros).sum();
    let share = zeros as f64 / (run.record().len() * examples.start().len()) as f64;
    println!("{:.3} zeros, error {}, {} rounds", share, run.error(), run.record().len());
    share
}

#[test]
fn who_is_sparse() {
    let task = Task::of(datasets::Name::BreastCancer, 699, &[1]);
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let simplex = Simplex::new(1.0).unwrap();
    let share = |algorithm| share_of_zeros(algorithm, &examples, &task, 300);
    let long = share(LazySparseBoost::sparse(&examples).unwrap());
    let lazy =
        share(MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex, &examples, Schedule::Theorem1).unwrap());
    let active = quadratic(&examples, Schedule::Theorem1);
    let active = share_of_zeros(active, &examples, &task, 300);
    let paper = SparseBoost::new(&examples, Sparsity::Fraction(0.5)).unwrap();
    let paper = share_of_zeros(paper, &examples, &task, 300);
    assert!(long > lazy && lazy > active && active > 10.0 * paper, "{long} {lazy} {active} {paper}");
}

/// A learner that is shown the rows with weight and no others finds what the run found.
#[test]
fn only_rows_with_weight_are_trained_on() {
    let task = Task::of(datasets::Name::BreastCancer, 699, &[1]);
    let (examples, sample) = (Examples::uniform(task.labels.clone()).unwrap(), task.sorted());
    let sparse = LazySparseBoost::sparse(&examples).unwrap();
    let mut run = BoostingRun::new(examples, ExactStump::default(), sparse).unwrap();
    let mut reduced = 0;
    for _ in 0..60 {
        let w = run.algorithm().weights().to_vec();
        let std::ops::ControlFlow::Continue(round) = run.round(&sample).unwrap() else { break };
        let rows: Vec<usize> = (0..w.len()).filter(|&i| w[i] > 0.0).collect();
        assert_eq!(round.trained_on, rows.len());
        if rows.len() == w.len() {
            continue;
        }
        reduced += 1;
        let d = task.rows.dimension();
        let dense = |&i: &usize| (0..d).map(move |j| (i, j));
        let values =
            rows.iter().flat_map(dense).map(|(i, j)| task.rows.row(i).unwrap().get(j).unwrap_or(0.0));
        let part = SortedColumns::new(rows::RowMatrix::dense(d, values.collect()).unwrap()).unwrap();
        let of_part = |values: &[f64]| rows.iter().map(|&i| values[i]).collect::<Vec<_>>();
        let targets: Vec<f64> = task.labels.iter().map(|a| a.sign()).collect();
        let (targets, w) = (of_part(&targets), of_part(&w));
        let h = ExactStump::default().train(&part, &targets, &w).unwrap();
        let edge: f64 = (0..rows.len())
            .map(|k| w[k] * targets[k] * h.predict(task.rows.row(rows[k]).unwrap()).unwrap())
            .sum();
        assert!((edge - round.edge).abs() < 1e-12, "{edge} {round:?}");
    }
    assert!(reduced > 20, "{reduced} rounds with zero weights");
}

#[test]
fn sparse_boost_refuses() {
    let examples = Examples::uniform(vec![Plus, Minus]).unwrap();
    let refusal = |sparsity| SparseBoost::new(&examples, sparsity).unwrap_err();
    for alpha in [-1e-9, f64::NAN, f64::INFINITY] {
        let is_bad = matches!(
            refusal(Sparsity::Constant(alpha)),
            BoostError::Learner(LearnerError::BadParameter { name: "alpha", .. })
        );
        assert!(is_bad);
    }
    for theta in [-0.1, 1.1, f64::NAN] {
        let is_bad = matches!(
            refusal(Sparsity::Fraction(theta)),
            BoostError::Learner(LearnerError::BadParameter { name: "theta", .. })
        );
        assert!(is_bad);
    }
    let too_large = BoostError::AlphaTooLarge { round: 2, alpha: 0.6, limit: 0.5 };
    assert_eq!(refusal(Sparsity::Sequence(vec![0.5, 0.6])), too_large);
    let mut sparse = SparseBoost::new(&examples, Sparsity::Sequence(vec![0.3])).unwrap();
    let answer = Answer { losses: &[-1.0, 0.0], edge: 0.5, error_before: 1.0 };
    let too_large = BoostError::AlphaTooLarge { round: 1, alpha: 0.3, limit: 0.25 };
    assert_eq!(sparse.reweight(answer), Err(too_large));
    assert_eq!(sparse.weights(), examples.start());
    assert_eq!(sparse.promise().error, 1.0);
}
