//! What a round needs of a log, whatever the layout of its actions.

use super::pass::{DirectionalDerivative, Evaluation, Gradient, PolicySums, largest};
use super::weighted_log::WeightedLog;
use super::{PolicyObjective, Smoothness};
use weak_learners::{RankError, Shard};

/// The rows of a log as boosting sees them, and the passes of a round over their pairs.
///
/// Contract: a *pair* is a row and one of its actions, and stands at the same place in every slice. π is the
/// softmax of the scores of the pairs of a row. Sums are added in a fixed order, whatever the threads. The
/// log of a rank has its rows alone, and sums over the rows of all ranks; a pass fails where the ranks do.
pub(super) trait PolicyLog {
    /// The number of rows.
    fn len(&self) -> usize;

    /// n, the number of rows of all ranks.
    fn n(&self) -> usize {
        self.len()
    }

    /// Which rows of all ranks the log has; `None` for all of them.
    fn shard(&self) -> Option<&Shard> {
        None
    }

    /// max|v| over the pairs of all ranks; NaN or ∞ if any v is not finite.
    fn largest(&self, values: &[f64]) -> Result<f64, RankError> {
        let largest = largest(values);
        match self.shard() {
            None => Ok(largest),
            Some(shard) => Ok(shard.ranks().largest([largest])?[0]),
        }
    }

    /// Whether some row has two actions to choose from.
    fn has_choice(&self) -> bool;

    /// The examples and the actions of a round of the base learner; their product is the number of pairs.
    fn shape(&self) -> (usize, usize);

    /// F ← F + αf, and u and π(a_i|x_i) of the softmax of the new F, in one pass.
    fn advance<O: PolicyObjective>(
        &self,
        objective: O,
        alpha: f64,
        f: &[f64],
        scores: &mut [f64],
        gradient: &mut Gradient,
    ) -> Result<PolicySums, RankError>;

    /// u and π(a_i|x_i) of the softmax of F.
    fn gradient<O: PolicyObjective>(
        &self,
        objective: O,
        scores: &[f64],
        gradient: &mut Gradient,
    ) -> Result<PolicySums, RankError>;

    /// w = |c_i|π_a(1 − π_a) of every pair, the diagonal of the curvature at the present policy.
    fn local_weights<O: PolicyObjective>(&self, objective: O, gradient: &Gradient, weights: &mut [f64]);

    /// U, and an S that holds for |α| ≤ η.
    fn local_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        gradient: &Gradient,
        f: &[f64],
        eta: f64,
    ) -> Result<DirectionalDerivative, RankError>;

    /// U and S along f.
    fn directional_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        u: &[f64],
        f: &[f64],
        smoothness: Smoothness,
    ) -> Result<DirectionalDerivative, RankError>;

    /// The objective at F + αf and its derivative in α.
    fn probe<O: PolicyObjective>(
        &self,
        objective: O,
        alpha: f64,
        scores: &[f64],
        f: &[f64],
    ) -> Result<(f64, f64), RankError>;

    /// The evaluation that sums at some scores give.
    fn evaluate(&self, sums: PolicySums) -> Evaluation {
        sums.evaluation(self.n())
    }
}

/// A fixed set of actions: pair (i, a) stands at a·n + i. The passes are in `pass.rs`.
impl PolicyLog for WeightedLog {
    fn len(&self) -> usize {
        self.ratios.len()
    }

    fn n(&self) -> usize {
        self.n()
    }

    fn shard(&self) -> Option<&Shard> {
        self.shard.ranks().are_several().then_some(&self.shard)
    }

    fn has_choice(&self) -> bool {
        self.has_choice
    }

    fn shape(&self) -> (usize, usize) {
        (self.ratios.len(), self.actions)
    }

    fn advance<O: PolicyObjective>(
        &self,
        objective: O,
        alpha: f64,
        f: &[f64],
        scores: &mut [f64],
        gradient: &mut Gradient,
    ) -> Result<PolicySums, RankError> {
        self.advance(objective, alpha, f, scores, gradient)
    }

    fn gradient<O: PolicyObjective>(
        &self,
        objective: O,
        scores: &[f64],
        gradient: &mut Gradient,
    ) -> Result<PolicySums, RankError> {
        self.gradient(objective, scores, gradient)
    }

    fn local_weights<O: PolicyObjective>(&self, objective: O, gradient: &Gradient, weights: &mut [f64]) {
        self.local_weights(objective, gradient, weights);
    }

    fn local_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        gradient: &Gradient,
        f: &[f64],
        eta: f64,
    ) -> Result<DirectionalDerivative, RankError> {
        self.local_derivative(objective, gradient, f, eta)
    }

    fn directional_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        u: &[f64],
        f: &[f64],
        smoothness: Smoothness,
    ) -> Result<DirectionalDerivative, RankError> {
        self.directional_derivative(objective, u, f, smoothness)
    }

    fn probe<O: PolicyObjective>(
        &self,
        objective: O,
        alpha: f64,
        scores: &[f64],
        f: &[f64],
    ) -> Result<(f64, f64), RankError> {
        self.probe(objective, alpha, scores, f)
    }
}
