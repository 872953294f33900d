//! A claim is checked on every real sample with every weak learner, from every kind of start distribution.

use crate::samples::{Task, uneven_weights};
use boosters::maboost::Examples;
use weak_learners::Label;
use weak_learners::batch::{
    BinnedStump, BinnedTree, ExactStump, LeafAnswer, Sample, WeakLearner, WeightedTree,
};

/// A sample, a learner for it, and how many rounds are played.
pub(crate) struct Trial<W: WeakLearner> {
    pub(crate) name: String,
    pub(crate) sample: W::Sample,
    pub(crate) labels: Vec<Label>,
    pub(crate) learner: W,
    pub(crate) rounds: usize,
}

/// What is claimed of an algorithm, for every trial and start distribution.
pub(crate) trait Claim {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples);
}

impl<W: WeakLearner + Clone> Trial<W> {
    pub(crate) fn new(name: &str, sample: W::Sample, labels: &[Label], learner: W, rounds: usize) -> Self {
        let name = format!("{name}, {}", std::any::type_name::<W>());
        Self { name, sample, labels: labels.to_vec(), learner, rounds }
    }

    pub(crate) fn uniform(&self) -> Examples {
        Examples::uniform(self.labels.clone()).unwrap()
    }

    /// The uniform start, and one that is uneven.
    fn put(&self, claim: &impl Claim) {
        claim.check(self, &self.uniform());
        let weights = uneven_weights(self.sample.size(), 7);
        claim.check(self, &Examples::weighted(self.labels.clone(), &weights).unwrap());
    }
}

/// Stumps, trees of depth 3 that answer ±1, and trees of depth 2 that answer means, on all five samples;
/// stumps and trees that search unbinned columns on the two small ones.
pub(crate) fn on_real_data(rounds: usize, claim: &impl Claim) {
    for (name, task) in Task::real() {
        let labels = &task.labels;
        Trial::new(name, task.binned(), labels, BinnedStump::default(), rounds).put(claim);
        for (depth, answer) in [(3, LeafAnswer::Sign), (2, LeafAnswer::Mean)] {
            let tree = BinnedTree::new(depth, answer, 0.0).unwrap();
            Trial::new(name, task.binned(), labels, tree, rounds).put(claim);
        }
        if labels.len() < 1000 {
            Trial::new(name, task.sorted(), labels, ExactStump::default(), rounds).put(claim);
            let tree = WeightedTree::new(2, LeafAnswer::Mean, 1).unwrap();
            Trial::new(name, task.sorted(), labels, tree, rounds / 4).put(claim);
        }
    }
}
