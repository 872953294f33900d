//! Algorithm 1 over online learners other than Hedge-on-stumps, against each learner alone.

use super::Point;
use super::methods::{Optimiser, agnostic, generator, run};
use super::streams::Stream;
use crate::runner::ExperimentError;
use oco_core::StepSchedule;
use oco_core::learners::Perceptron;
use rand_chacha::ChaCha8Rng;
use weak_learners::online::{BalancedWinnow, Growth, HoeffdingTree, LogisticRegression, NaiveBayes};
use weak_learners::{Label, LearnerError, OnlinePredictor};

/// The suffix of the name of an unboosted learner.
pub(super) const ALONE: &str = "alone";

/// The learners, with the same untuned parameters for every stream.
pub(super) const LEARNERS: [&str; 5] =
    ["Perceptron", "Winnow", "logistic regression", "naive Bayes", "Hoeffding tree"];

/// Accuracies of each learner alone and of Algorithm 1 over N of them. The copies differ only in their
/// training labels.
pub(super) fn accuracies(
    stream: &Stream,
    n: usize,
    seed: u64,
    trial: u64,
) -> Result<Vec<Point>, ExperimentError> {
    let m = stream.rows.dimension();
    let steps = StepSchedule::power(0.1, 0.5)?;
    let mut points = Vec::new();
    let mut of = |component: usize, found: Result<Vec<Point>, ExperimentError>| {
        points.extend(
            found?
                .into_iter()
                .map(|point| Point { series: format!("{}, {}", LEARNERS[component], point.series), ..point }),
        );
        Ok::<_, ExperimentError>(())
    };
    let rng = |component: u64| generator(seed, trial, 8 + component);
    of(0, both(stream, n, &|| Ok(Perceptron::new(m)?), rng(0)))?;
    of(1, both(stream, n, &|| Ok(BalancedWinnow::new(m, 0.02)?), rng(1)))?;
    of(2, both(stream, n, &|| LogisticRegression::new(m, steps, 10.0), rng(2)))?;
    of(3, both(stream, n, &|| NaiveBayes::new(m), rng(3)))?;
    let tree = || HoeffdingTree::new(stream.class.clone(), Growth::default());
    of(4, both(stream, n, &tree, rng(4)))?;
    Ok(points)
}

fn both<W: OnlinePredictor<Label>>(
    stream: &Stream,
    n: usize,
    learner: &dyn Fn() -> Result<W, LearnerError>,
    mut rng: ChaCha8Rng,
) -> Result<Vec<Point>, ExperimentError> {
    let right = |votes: &[Label]| votes.iter().zip(&stream.labels).filter(|(vote, y)| vote == y).count();
    let alone = right(&run(stream, learner()?)?) as f64 / stream.labels.len() as f64;
    let mut points = vec![Point::new(ALONE, 0, alone)];
    for optimiser in Optimiser::ALL {
        let team = |_: &mut ChaCha8Rng| (0..n).map(|_| learner()).collect();
        for votes in agnostic(stream, optimiser, team, &mut rng)? {
            points.push(Point::new(votes.method, 0, votes.accuracy(&stream.labels)));
        }
    }
    Ok(points)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same arithmetic gives the same bits")]
mod tests {
    use super::super::streams::{LabelFlips, Source};
    use super::*;

    /// Each learner again, alone and boosted, under its name in the table.
    #[test]
    fn accuracies_are_those_of_the_named_learners() {
        let stream = Source::HalfSpace.stream(None, LabelFlips::Noise(0.1), 120, 3, 1).unwrap();
        let points = accuracies(&stream, 3, 3, 1).unwrap();
        let of = |series: &str| points.iter().find(|point| point.series == series).unwrap().value;
        let m = stream.rows.dimension();
        let share = |votes: &[Label]| {
            votes.iter().zip(&stream.labels).filter(|(vote, y)| vote == y).count() as f64 / 120.0
        };
        let steps = StepSchedule::power(0.1, 0.5).unwrap();
        let winnow = || BalancedWinnow::new(m, 0.02).unwrap();
        let logistic = || LogisticRegression::new(m, steps, 10.0).unwrap();
        let bayes = || NaiveBayes::new(m).unwrap();
        let tree = || HoeffdingTree::new(stream.class.clone(), Growth::default()).unwrap();
        let perceptron = || -> Perceptron { Perceptron::new(m).unwrap() };
        assert_eq!(of("Perceptron, alone"), share(&run(&stream, perceptron()).unwrap()));
        assert_eq!(of("Winnow, alone"), share(&run(&stream, winnow()).unwrap()));
        assert_eq!(of("logistic regression, alone"), share(&run(&stream, logistic()).unwrap()));
        assert_eq!(of("naive Bayes, alone"), share(&run(&stream, bayes()).unwrap()));
        assert_eq!(of("Hoeffding tree, alone"), share(&run(&stream, tree()).unwrap()));
        let boosted = |component: u64| {
            let rng = &mut generator(3, 1, 8 + component);
            let team = |_: &mut ChaCha8Rng| Ok((0..3).map(|_| bayes()).collect());
            let of = |optimiser, rng: &mut ChaCha8Rng| agnostic(&stream, optimiser, team, rng).unwrap();
            [of(Optimiser::Printed, rng), of(Optimiser::Trusting, rng)].concat()
        };
        for votes in boosted(3) {
            assert_eq!(of(&format!("naive Bayes, {}", votes.method)), votes.accuracy(&stream.labels));
        }
        assert_eq!(points.len(), 5 * (1 + 4 + 2));
    }
}
