//! \[BCMH20, Theorems 8 and 10\]: the training correlation of Algorithm 2 as T grows, beside the lower bounds
//! of the theorems.

use super::methods::generator;
use super::streams::{LabelFlips, Stream};
use super::{BOUND, Point};
use crate::runner::ExperimentError;
use boosters::agnostic::StatisticalBooster;
use rand::Rng;
use weak_learners::LearnerError;
use weak_learners::batch::{ExactStump, LeafAnswer, Sampled, SortedColumns, WeakLearner, WeightedTree};

/// The correlation of the best of all stumps on the sample.
pub(super) const BEST: &str = "best stump";
/// γ under label noise, and without it, where the majority of five stumps is right: under any distribution
/// one of them has edge 1/5.
const ADVANTAGE: (f64, f64) = (0.5, 0.2);
/// m₀.
const DRAWN: usize = 200;
/// The depth of trees.
const DEPTH: u16 = 3;

/// E cor_S(h̄) after T rounds, a run for each T, over stumps and over trees that see m₀ draws; and for both
/// the right side of the theorem with the realised ε and R_A(T). Without label noise the sample is
/// realizable, and h* is right on all of it; otherwise h* is the best stump.
pub(super) fn correlations(
    stream: &Stream,
    label_flips: LabelFlips,
    horizons: &[u32],
    seed: u64,
    trial: u64,
) -> Result<Vec<Point>, ExperimentError> {
    let sample = SortedColumns::new(stream.rows.clone())?;
    let labels: Vec<f64> = stream.labels.iter().map(|y| y.sign()).collect();
    let realizable = label_flips == LabelFlips::Noise(0.0);
    let mut best = vec![0.0; labels.len()];
    let stump = ExactStump::default().train(&sample, &labels, &vec![1.0; labels.len()])?;
    ExactStump::default().evaluate(&stump, &sample, &mut best)?;
    let of_best = rows::dot(&best, &labels) / labels.len() as f64;
    let comparator = if realizable { &labels } else { &best };
    let problem = Problem { stream, sample: &sample, comparator, realizable };
    let rng = &mut generator(seed, trial, 24);
    let mut points = Vec::new();
    for &t in horizons {
        points.push(Point::new(BEST, u64::from(t), of_best));
        let mut rng_of = || {
            let mut key = [0; 32];
            rng.fill_bytes(&mut key);
            rand::SeedableRng::from_seed(key)
        };
        let stumps = Sampled::new(ExactStump::default(), DRAWN, rng_of())?;
        points.extend(problem.run("stumps", stumps, t)?);
        let trees = WeightedTree::new(DEPTH, LeafAnswer::Sign, trial)?;
        points.extend(problem.run("trees", Sampled::new(trees, DRAWN, rng_of())?, t)?);
    }
    Ok(points)
}

struct Problem<'a> {
    stream: &'a Stream,
    sample: &'a SortedColumns,
    /// The votes of h*.
    comparator: &'a [f64],
    realizable: bool,
}

/// The theorems' lower bound from the correlation of h*: cor_S(h*) − ε/γ − R_A(T)/(Tm).
fn left(of_comparator: f64, epsilon: f64, gamma: f64, mean_regret: f64) -> f64 {
    of_comparator - epsilon / gamma - mean_regret
}

impl Problem<'_> {
    fn run<W>(&self, name: &str, learner: W, t: u32) -> Result<[Point; 2], LearnerError>
    where
        W: WeakLearner<Sample = SortedColumns, Hypothesis: Clone>,
    {
        let labels = self.stream.labels.clone();
        let (gamma, mut booster) = if self.realizable {
            (ADVANTAGE.1, StatisticalBooster::theorem_10(learner, labels, ADVANTAGE.1, t)?)
        } else {
            (ADVANTAGE.0, StatisticalBooster::theorem_8(learner, labels, ADVANTAGE.0, t)?)
        };
        for _ in 0..t {
            booster.round(self.sample)?;
        }
        let m = self.comparator.len() as f64;
        let of_comparator: f64 =
            self.comparator.iter().zip(&self.stream.labels).map(|(h, y)| h * y.sign()).sum::<f64>() / m;
        let epsilon = booster.realised_epsilon(self.comparator)?;
        let bound = left(of_comparator, epsilon, gamma, booster.mean_regret());
        let x = u64::from(t);
        Ok([
            Point::new(name, x, booster.expected_correlation()),
            Point::new(&format!("{BOUND}, {name}"), x, bound),
        ])
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same arithmetic gives the same bits")]
mod tests;
