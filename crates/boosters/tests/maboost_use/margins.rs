//! The distribution of margins, held to its definition; class weights.

use crate::tasks::Task;
use boosters::maboost::{BoostStop, Examples, MarginDistribution, Stopping};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use weak_learners::Label::{Minus, Plus};
use weak_learners::batch::ExactStump;

/// Shares and quantiles of weighted margins with many ties, one by one.
#[test]
fn shares_and_quantiles_are_those_of_the_weighted_margins() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for m in 1..40_usize {
        let margins: Vec<f64> = (0..m).map(|_| f64::from(rng.random_range(-4..=4)) / 4.0).collect();
        let mut weights: Vec<f64> = (0..m).map(|_| f64::from(rng.random_range(0..3))).collect();
        weights[m / 2] = 1.0;
        let examples = Examples::weighted(vec![Plus; m], &weights).unwrap();
        let distribution = MarginDistribution::new(&margins, &examples).unwrap();
        let total: f64 = weights.iter().sum();
        let share = |theta: f64| {
            let at_most = margins.iter().zip(&weights).filter(|(margin, _)| **margin <= theta);
            at_most.map(|(_, w)| w).sum::<f64>() / total
        };
        for theta in (-9..=9).map(|theta| f64::from(theta) / 8.0) {
            let got = distribution.share_at_most(theta);
            assert!((got - share(theta)).abs() < 1e-12, "{m}, {theta}: {got}");
        }
        for q in [0.0, 0.13, 0.5, 0.77, 1.0] {
            let theta = distribution.quantile(q).unwrap();
            assert!(share(theta) >= q - 1e-12);
            assert!(theta == distribution.smallest() || share(theta - 0.25) < q + 1e-12, "{m}, {q}: {theta}");
        }
        let curve: Vec<_> = distribution.curve().collect();
        assert!(curve.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1));
        assert_eq!(curve.last().unwrap().1, 1.0);
    }
    let one = Examples::uniform(vec![Plus]).unwrap();
    assert!(MarginDistribution::new(&[f64::NAN], &one).is_err());
    assert!(MarginDistribution::new(&[0.5, 0.5], &one).is_err());
    let one = MarginDistribution::new(&[0.5], &one).unwrap();
    assert!(one.quantile(-0.1).is_err() && one.quantile(1.1).is_err() && one.quantile(f64::NAN).is_err());
}

/// The run's own margins are those of its ensemble, its error their share at 0, its smallest one in the
/// record.
#[test]
fn a_run_has_the_margins_of_its_ensemble() {
    let task = Task::noisy_majority(60, 3);
    let mut run = task.ada();
    assert_eq!(run.margin_distribution().unwrap().share_at_most(0.0), 1.0);
    for rounds in 1..25 {
        assert_eq!(run.run(&task.sample, &Stopping::after(rounds)), Ok(BoostStop::Rounds));
        let of_run = run.margin_distribution().unwrap();
        let margins = run.ensemble().margins(&ExactStump::default(), &task.sample, &task.labels).unwrap();
        let of_vote = MarginDistribution::new(&margins, run.examples()).unwrap();
        for ((a, _), (b, _)) in of_run.curve().zip(of_vote.curve()) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        let round = run.record()[rounds - 1];
        assert!((of_run.share_at_most(0.0) - round.error).abs() < 1e-12);
        assert!((of_run.smallest() - round.min_margin).abs() < 1e-12);
    }
}

#[test]
fn classes_may_weigh_what_the_caller_says() {
    let labels = || vec![Plus, Minus, Plus, Plus];
    let weighted = Examples::class_weighted(labels(), [3.0, 1.0]).unwrap();
    assert_eq!(weighted, Examples::weighted(labels(), &[1.0, 3.0, 1.0, 1.0]).unwrap());
    let balanced = Examples::balanced(labels()).unwrap();
    assert!((balanced.start()[1] - 0.5).abs() < 1e-15);
    assert!((balanced.start()[0] - 1.0 / 6.0).abs() < 1e-15);
    let only_plus = Examples::class_weighted(labels(), [0.0, 1.0]).unwrap();
    assert_eq!(only_plus.counted().collect::<Vec<_>>(), [0, 2, 3]);
    assert_eq!(Examples::balanced(vec![Plus; 4]).unwrap().start(), [0.25; 4]);
    assert!(Examples::class_weighted(vec![Plus], [1.0, 0.0]).is_err());
    assert!(Examples::class_weighted(labels(), [-1.0, 1.0]).is_err());
    assert!(Examples::balanced(vec![]).is_err());
}
