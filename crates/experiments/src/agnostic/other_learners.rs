//! Algorithm 1 over other online learners than Hedge-on-stumps, against each of them alone.

use super::methods::{Optimiser, agnostic, generator, run};
use super::streams::Stream;
use super::{AgnosticError, Point};
use oco_core::{Perceptron, StepSchedule};
use rand_chacha::ChaCha8Rng;
use weak_learners::online::{BalancedWinnow, Growth, HoeffdingTree, LogisticRegression, NaiveBayes};
use weak_learners::{Label, LearnerError, OnlinePredictor};

/// What follows the name of a learner where it stands alone.
pub(super) const ALONE: &str = "alone";

/// The learners, with parameters that are the same for every stream and were not tuned.
pub(super) const LEARNERS: [&str; 5] =
    ["Perceptron", "Winnow", "logistic regression", "naive Bayes", "Hoeffding tree"];

/// Accuracies of each learner alone and of Algorithm 1 over N of them. The copies differ in what they are taught only.
pub(super) fn accuracies(
    stream: &Stream,
    n: usize,
    seed: u64,
    trial: u64,
) -> Result<Vec<Point>, AgnosticError> {
    let m = stream.rows.dimension();
    let steps = StepSchedule::power(0.1, 0.5)?;
    let mut points = Vec::new();
    let mut of = |component: usize, found: Result<Vec<Point>, AgnosticError>| {
        points.extend(
            found?
                .into_iter()
                .map(|point| Point { series: format!("{}, {}", LEARNERS[component], point.series), ..point }),
        );
        Ok::<_, AgnosticError>(())
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
) -> Result<Vec<Point>, AgnosticError> {
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
