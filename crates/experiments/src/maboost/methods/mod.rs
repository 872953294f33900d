//! The algorithms, and the loop that measures the test error after every round.

use super::sets::Task;
use crate::runner::ExperimentError;
use boosters::maboost::{
    Active, AdaBoost, BoostStop, BoostingRun, CombinedBoost, Examples, Lazy, LazySparseBoost, MadaBoost,
    MirrorAscent, Reweighting, Round, Schedule, SmoothBoost, SparseBoost, Sparsity,
};
use projections::{Euclidean, NegativeEntropy, Simplex};
use serde::Serialize;
use std::fmt;
use std::ops::ControlFlow;
use weak_learners::Label;
use weak_learners::batch::{BinnedColumns, BinnedStump, BinnedTree, LeafAnswer, Sample, WeakLearner};

/// An algorithm of the family.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum Method {
    /// MABoost, ½‖·‖², active.
    QuadraticActive,
    /// MABoost, ½‖·‖², lazy.
    QuadraticLazy,
    /// The same, with the steps of \[NP14, Theorem 2\].
    QuadraticMargin,
    /// MABoost, ½‖·‖², lazy, with longer steps: its weights are sparser.
    QuadraticLong,
    /// MABoost, Σ w log w; active and lazy coincide.
    Entropy,
    /// The same, with the step that minimises the bound.
    EntropySearch,
    /// The same, with the steps of \[NP14, Theorem 2\].
    EntropyMargin,
    /// w ≤ k/N.
    Smooth(f64),
    /// w ≤ k/N on B.
    Combined(f64),
    /// α_t = θγ_t/2.
    SparseFraction(f64),
    /// α_t = min(α, γ_t/2).
    SparseConstant(f64),
    /// \[NP14, Algorithm 3\].
    Mada,
    /// \[FS97\].
    AdaBoost,
}

/// The weak learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Learner {
    /// The best stump on bins.
    Stumps,
    /// A tree of depth 3 whose leaves answer ±1.
    Trees,
    /// A tree of depth 3 whose leaves answer the mean label.
    Means,
}

/// The state of a run after a round.
#[derive(Debug)]
pub struct Moment<'a> {
    /// t, from 1.
    pub t: u32,
    /// The booster's own record of the round.
    pub round: Round,
    /// a_i F(x_i), not normalised.
    pub margins: &'a [f64],
    /// The share of the test rows that sgn F misclassifies.
    pub test_error: f64,
}

impl Method {
    /// All algorithms of the comparison, with their parameters for one data set.
    pub const ALL: [Self; 12] = [
        Self::QuadraticActive,
        Self::QuadraticLazy,
        Self::QuadraticMargin,
        Self::QuadraticLong,
        Self::Entropy,
        Self::EntropySearch,
        Self::EntropyMargin,
        Self::Smooth(10.0),
        Self::SparseFraction(0.5),
        Self::SparseConstant(0.01),
        Self::Mada,
        Self::AdaBoost,
    ];

    /// Runs up to `rounds` rounds and passes each to `each`; returns the reason for an early stop, if any.
    ///
    /// # Errors
    /// The errors of the boosters.
    pub fn boost(
        self,
        learner: Learner,
        task: &Task<'_>,
        rounds: u32,
        each: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<Option<BoostStop>, ExperimentError> {
        let examples = Examples::uniform(task.labels.clone())?;
        let (simplex, play) = (Simplex::new(1.0)?, Play { learner, task, rounds, each });
        let (first, second) = (Schedule::Theorem1, Schedule::Theorem2);
        match self {
            Self::QuadraticActive => {
                play.with(MirrorAscent::<_, _, Active>::new(Euclidean, simplex, &examples, first)?, examples)
            }
            Self::QuadraticLazy => {
                play.with(MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex, &examples, first)?, examples)
            }
            Self::QuadraticMargin => {
                play.with(MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex, &examples, second)?, examples)
            }
            Self::Entropy => play.with(
                MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, &examples, first)?,
                examples,
            ),
            Self::EntropyMargin => play.with(
                MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, &examples, second)?,
                examples,
            ),
            Self::QuadraticLong => play.with(LazySparseBoost::sparse(&examples)?, examples),
            Self::EntropySearch => {
                let search = Schedule::LineSearch;
                play.with(
                    MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, &examples, search)?,
                    examples,
                )
            }
            Self::Smooth(k) => play.with(SmoothBoost::<Active>::smooth(&examples, k)?, examples),
            Self::Combined(k) => play.with(CombinedBoost::new(&examples, &task.secondary, k)?, examples),
            Self::SparseFraction(theta) => {
                play.with(SparseBoost::new(&examples, Sparsity::Fraction(theta))?, examples)
            }
            Self::SparseConstant(alpha) => {
                play.with(SparseBoost::new(&examples, Sparsity::Constant(alpha))?, examples)
            }
            Self::Mada => play.with(MadaBoost::new(&examples)?, examples),
            Self::AdaBoost => play.with(AdaBoost::new(&examples)?, examples),
        }
    }

    /// Whether the bound is on the least error so far, rather than on the last error.
    pub fn bounds_the_best_round(self) -> bool {
        self == Self::Mada
    }
}

struct Play<'a> {
    learner: Learner,
    task: &'a Task<'a>,
    rounds: u32,
    each: &'a mut dyn FnMut(&Moment<'_>),
}

impl Play<'_> {
    fn with(
        self,
        algorithm: impl Reweighting,
        examples: Examples,
    ) -> Result<Option<BoostStop>, ExperimentError> {
        match self.learner {
            Learner::Stumps => self.follow(&BinnedStump::default(), algorithm, examples),
            Learner::Trees => self.follow(&BinnedTree::new(3, LeafAnswer::Sign, 0.0)?, algorithm, examples),
            Learner::Means => self.follow(&BinnedTree::new(3, LeafAnswer::Mean, 0.0)?, algorithm, examples),
        }
    }

    fn follow<W: WeakLearner<Sample = BinnedColumns> + Clone>(
        self,
        learner: &W,
        algorithm: impl Reweighting,
        examples: Examples,
    ) -> Result<Option<BoostStop>, ExperimentError> {
        let split = self.task.split;
        let (mut scores, mut votes) = (vec![0.0; split.test.size()], vec![0.0; split.test.size()]);
        let mut run = BoostingRun::new(examples, learner.clone(), algorithm)?;
        for t in 1..=self.rounds {
            let round = match run.round(&split.train)? {
                ControlFlow::Continue(round) => round,
                ControlFlow::Break(stop) => return Ok(Some(stop)),
            };
            let ensemble = run.ensemble();
            if let (Some(h), Some(eta)) = (ensemble.hypotheses().last(), ensemble.coefficients().last()) {
                learner.evaluate(h, &split.test, &mut votes)?;
                scores.iter_mut().zip(&votes).for_each(|(score, vote)| *score += eta * vote);
            }
            let wrong =
                scores.iter().zip(&split.test_labels).filter(|(score, y)| Label::of_score(**score) != **y);
            let test_error = wrong.count() as f64 / scores.len() as f64;
            (self.each)(&Moment { t, round, margins: run.margins(), test_error });
        }
        Ok(None)
    }
}

impl Learner {
    /// All three learners.
    pub const ALL: [Self; 3] = [Self::Stumps, Self::Trees, Self::Means];
}

impl fmt::Display for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Stumps => "stumps",
            Self::Trees => "trees",
            Self::Means => "trees with means",
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QuadraticActive => f.write_str("quadratic, active"),
            Self::QuadraticLazy => f.write_str("quadratic, lazy"),
            Self::QuadraticMargin => f.write_str("quadratic, Theorem 2"),
            Self::QuadraticLong => f.write_str("quadratic, lazy, long steps"),
            Self::Entropy => f.write_str("entropy"),
            Self::EntropySearch => f.write_str("entropy, line search"),
            Self::EntropyMargin => f.write_str("entropy, Theorem 2"),
            Self::Smooth(k) => write!(f, "smooth, k = {k}"),
            Self::Combined(k) => write!(f, "combined, k = {k}"),
            Self::SparseFraction(theta) => write!(f, "SparseBoost, θ = {theta}"),
            Self::SparseConstant(alpha) => write!(f, "SparseBoost, α = {alpha}"),
            Self::Mada => f.write_str("MadaBoost"),
            Self::AdaBoost => f.write_str("AdaBoost"),
        }
    }
}

#[cfg(test)]
mod tests;
