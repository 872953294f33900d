//! The cascade of Frank–Wolfe steps that the methods with many online linear optimisers share.

use super::stochastic_gradient::{StochasticGradient, check_oracle};
use crate::error::check_length;
use crate::learner::membership_tolerance;
use crate::{OcoError, OnlineLearner, check_magnitudes};
use projections::{DecisionSet, Euclidean, Projection, ProjectionError, check_finite, start_point};
use serde::{Deserialize, Serialize};

/// A_1, …, A_N and the points x^0, …, x^N between them: x^i = (1 − η_i)x^{i−1} + η_i·A_i.play() with η_i =
/// C/(i + S).
///
/// The points of a round depend only on earlier rounds. They are computed before its gradients are queried,
/// and recomputed from the learners when a saved cascade is loaded.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<A, K>",
    into = "State<A, K>",
    bound(
        serialize = "A: Clone + Serialize, K: Clone + Serialize",
        deserialize = "A: Deserialize<'de> + OnlineLearner, K: Deserialize<'de> + DecisionSet"
    )
)]
pub(super) struct Cascade<A, K, const C: u32, const S: u32> {
    state: State<A, K>,
    /// x^0, …, x^N, one after the other.
    points: Vec<f64>,
    /// The gradients for A_1, …, A_N in this round.
    gradients: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<A, K> {
    learners: Vec<A>,
    set: K,
    start: Vec<f64>,
}

impl<A: OnlineLearner, K: DecisionSet, const C: u32, const S: u32> Cascade<A, K, C, S> {
    /// Starts at 0 if it lies in K, else at its projection.
    pub(super) fn at_origin(learners: Vec<A>, set: K) -> Result<Self, OcoError>
    where
        K: Projection<Euclidean>,
    {
        // The learners determine the dimension of the start.
        let first = learners.first().ok_or_else(|| bad_copies(0.0))?;
        let mut start = vec![0.0; first.play().len()];
        start_point(&set, &mut start)?;
        Self::new(learners, set, start)
    }

    pub(super) fn new(learners: Vec<A>, set: K, start: Vec<f64>) -> Result<Self, OcoError> {
        State { learners, set, start }.try_into()
    }

    /// Makes x^1, …, x^N.
    pub(super) fn advance(&mut self) {
        let (n, mut rest) = (self.dimension(), self.points.as_mut_slice());
        for (i, learner) in (1_u32..).zip(&self.state.learners) {
            let (before, after) = rest.split_at_mut(n);
            let eta = f64::from(C) / (f64::from(i) + f64::from(S));
            for ((x, x_before), a) in after.iter_mut().zip(&*before).zip(learner.play()) {
                // Rounding must not leave the interval between the two.
                *x = ((1.0 - eta) * x_before + eta * a).clamp(x_before.min(*a), x_before.max(*a));
            }
            rest = after;
        }
    }

    /// Gives every A_i its gradient after all are checked.
    pub(super) fn teach(&mut self) -> Result<(), OcoError> {
        check_magnitudes("gradient estimate", &self.gradients)?;
        let n = self.dimension();
        for (learner, g) in self.state.learners.iter_mut().zip(self.gradients.chunks_exact(n)) {
            learner.observe(g)?;
        }
        Ok(())
    }

    pub(super) fn reset(&mut self) {
        self.state.learners.iter_mut().for_each(OnlineLearner::reset);
        self.advance();
    }

    pub(super) fn check(&self, oracle: &dyn StochasticGradient) -> Result<(), OcoError> {
        check_oracle(oracle, self.dimension())
    }

    /// x^N.
    pub(super) fn last(&self) -> &[f64] {
        &self.points[self.points.len() - self.dimension()..]
    }
}

impl<A, K, const C: u32, const S: u32> Cascade<A, K, C, S> {
    pub(super) fn dimension(&self) -> usize {
        self.state.start.len()
    }

    pub(super) fn learners(&self) -> &[A] {
        &self.state.learners
    }

    pub(super) fn points(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.points.chunks_exact(self.state.start.len())
    }

    pub(super) fn gradients(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.gradients.chunks_exact(self.state.start.len())
    }

    /// i, x^{i−1} to read and A_i's gradient to write, for i = 1..N.
    pub(super) fn stages(&mut self) -> impl Iterator<Item = (u32, &[f64], &mut [f64])> {
        let n = self.state.start.len();
        let pairs = self.points.chunks_exact(n).zip(self.gradients.chunks_exact_mut(n));
        (1..).zip(pairs).map(|(i, (x, g))| (i, x, g))
    }
}

impl<A, K, const C: u32, const S: u32> From<Cascade<A, K, C, S>> for State<A, K> {
    fn from(cascade: Cascade<A, K, C, S>) -> Self {
        cascade.state
    }
}

impl<A: OnlineLearner, K: DecisionSet, const C: u32, const S: u32> TryFrom<State<A, K>>
    for Cascade<A, K, C, S>
{
    type Error = OcoError;

    fn try_from(state: State<A, K>) -> Result<Self, OcoError> {
        let State { learners, set, start } = &state;
        let copies = learners.len();
        if copies == 0 || u32::try_from(copies).is_err() {
            return Err(bad_copies(copies_as_float(copies)));
        }
        set.check_dimension(start.len())?;
        check_magnitudes("start", start)?;
        let plays = learners.iter().map(|learner| ("play of a linear optimiser", learner.play()));
        for (argument, point) in std::iter::once(("start", start.as_slice())).chain(plays) {
            check_finite(argument, point)?;
            check_length(argument, point, start.len())?;
            if !set.contains(point, membership_tolerance(point)) {
                return Err(OcoError::OutsideSet { argument });
            }
        }
        let mut points = vec![0.0; (copies + 1) * start.len()];
        points[..start.len()].copy_from_slice(start);
        let gradients = vec![0.0; copies * start.len()];
        let mut cascade = Self { state, points, gradients };
        cascade.advance();
        Ok(cascade)
    }
}

#[allow(clippy::cast_precision_loss, reason = "the value in an error")]
fn copies_as_float(copies: usize) -> f64 {
    copies as f64
}

fn bad_copies(value: f64) -> OcoError {
    ProjectionError::BadParameter { name: "copies of the linear optimiser", value, domain: "[1, 2^32)" }
        .into()
}

/// ⌈copies⌉, at least one.
pub(super) fn whole_copies(copies: f64) -> Result<u32, OcoError> {
    let copies = copies.ceil().max(1.0);
    if copies > f64::from(u32::MAX) {
        return Err(bad_copies(copies));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an integer in range")]
    let copies = copies as u32;
    Ok(copies)
}
