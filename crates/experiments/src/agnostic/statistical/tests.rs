//! The right side of Theorems 8 and 10 by hand, and against the comparator of each.

use super::*;
use crate::agnostic::streams::Source;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[test]
fn the_bound_is_the_comparator_minus_epsilon_over_gamma_minus_the_regret() {
    assert_eq!(left(1.0, 0.25, 0.5, 0.125), 0.375);
    assert_eq!(left(0.5, -0.25, 0.25, 0.5), 1.0);
}

/// The first horizon again, with the same random numbers: without label noise h* is right everywhere and γ =
/// 1/5, otherwise h* is the best stump and γ = ½.
#[test]
fn the_comparator_is_the_labels_without_noise_and_the_best_stump_otherwise() {
    for (label_flips, realizable) in [(LabelFlips::Noise(0.0), true), (LabelFlips::Noise(0.2), false)] {
        let stream = Source::FiveStumps.stream(None, label_flips, 150, 3, 1).unwrap();
        let points = correlations(&stream, label_flips, &[4, 8], 3, 1).unwrap();
        let of = |series: &str| points.iter().find(|p| p.series == series && p.x == 4).unwrap().value;
        let labels: Vec<f64> = stream.labels.iter().map(|y| y.sign()).collect();
        let sample = SortedColumns::new(stream.rows.clone()).unwrap();
        // The best stump on equal weights has the largest correlation of all.
        let stump = ExactStump::default().train(&sample, &labels, &vec![1.0; 150]).unwrap();
        let votes: Vec<f64> = stream.rows.iter().map(|x| stump.vote(x).unwrap().sign()).collect();
        let correlation = votes.iter().zip(&labels).map(|(h, y)| h * y).sum::<f64>() / 150.0;
        assert!((of(BEST) - correlation).abs() < 1e-12 && correlation < 0.9);
        let mut key = [0; 32];
        generator(3, 1, 24).fill_bytes(&mut key);
        let learner = Sampled::new(ExactStump::default(), 200, ChaCha8Rng::from_seed(key)).unwrap();
        let truth = stream.labels.clone();
        let mut booster = if realizable {
            StatisticalBooster::theorem_10(learner, truth, 0.2, 4).unwrap()
        } else {
            StatisticalBooster::theorem_8(learner, truth, 0.5, 4).unwrap()
        };
        for _ in 0..4 {
            booster.round(&sample).unwrap();
        }
        let (h, of_h, gamma) = if realizable { (&labels, 1.0, 0.2) } else { (&votes, correlation, 0.5) };
        let bound = of_h - booster.realised_epsilon(h).unwrap() / gamma - booster.mean_regret();
        assert_eq!(of("stumps"), booster.expected_correlation());
        assert!((of("bound, stumps") - bound).abs() < 1e-12, "{} {bound}", of("bound, stumps"));
        // The trees and the other horizon have other draws, and the horizon sets the number of rounds.
        assert_ne!(of("trees"), of("stumps"));
        let at_8 = points.iter().find(|p| p.series == "stumps" && p.x == 8).unwrap().value;
        assert_ne!(at_8, of("stumps"));
        assert!(["stumps", "trees"].iter().all(|name| of(&format!("bound, {name}")) <= of(name) + 1e-9));
        assert_eq!(points.len(), 2 * (1 + 2 * 2));
    }
}
