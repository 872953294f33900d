//! What a round needs of a log, whatever the layout of its actions.

use super::pass::{DirectionalDerivative, Evaluation, Gradient, PolicySums};
use super::weighted_log::WeightedLog;
use super::{PolicyObjective, Smoothness};

/// The rows of a log as boosting sees them, and the passes of a round over their pairs.
///
/// Contract: a *pair* is a row and one of its actions, and stands at the same place in every slice. π is the
/// softmax of the scores of the pairs of a row. Sums are added in a fixed order, whatever the threads.
pub(super) trait PolicyLog {
    /// n.
    fn len(&self) -> usize;

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
    ) -> PolicySums;

    /// u and π(a_i|x_i) of the softmax of F.
    fn gradient<O: PolicyObjective>(
        &self,
        objective: O,
        scores: &[f64],
        gradient: &mut Gradient,
    ) -> PolicySums;

    /// w = |c_i|π_a(1 − π_a) of every pair, the diagonal of the curvature at the present policy.
    fn local_weights<O: PolicyObjective>(&self, objective: O, gradient: &Gradient, weights: &mut [f64]);

    /// U, and an S that holds for |α| ≤ η.
    fn local_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        gradient: &Gradient,
        f: &[f64],
        eta: f64,
    ) -> DirectionalDerivative;

    /// U and S along f.
    fn directional_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        u: &[f64],
        f: &[f64],
        smoothness: Smoothness,
    ) -> DirectionalDerivative;

    /// The objective at F + αf and its derivative in α.
    fn probe<O: PolicyObjective>(&self, objective: O, alpha: f64, scores: &[f64], f: &[f64]) -> (f64, f64);

    /// The evaluation that sums at some scores give.
    fn evaluate(&self, sums: PolicySums) -> Evaluation {
        sums.evaluation(self.len())
    }
}

/// A fixed set of actions: pair (i, a) stands at a·n + i. The passes are in `pass.rs`.
impl PolicyLog for WeightedLog {
    fn len(&self) -> usize {
        self.ratios.len()
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
    ) -> PolicySums {
        self.advance(objective, alpha, f, scores, gradient)
    }

    fn gradient<O: PolicyObjective>(
        &self,
        objective: O,
        scores: &[f64],
        gradient: &mut Gradient,
    ) -> PolicySums {
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
    ) -> DirectionalDerivative {
        self.local_derivative(objective, gradient, f, eta)
    }

    fn directional_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        u: &[f64],
        f: &[f64],
        smoothness: Smoothness,
    ) -> DirectionalDerivative {
        self.directional_derivative(objective, u, f, smoothness)
    }

    fn probe<O: PolicyObjective>(&self, objective: O, alpha: f64, scores: &[f64], f: &[f64]) -> (f64, f64) {
        self.probe(objective, alpha, scores, f)
    }
}
