//! MABoost \[NP14, Algorithm 1\].

use super::mirror_map::{count, largest_entry};
use super::reweighting::{LEAST_STEP, check_length, check_start, check_sum};
use super::stopping::ROUNDING;
use super::{Answer, BoostError, BoostingMap, Examples, Promise, Reweighting, Step, WeightSet};
use oco_core::Geometry;
use projections::{Exact, Projection, ProjectionError, Scratch};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use weak_learners::LearnerError;

/// Mirror ascent boosting, MABoost \[NP14, Algorithm 1\], for a mirror map R, a set K of distributions and an
/// update U ([`Active`](super::Active) or [`Lazy`](super::Lazy)): η_t = γ_t/L, ∇R(z_{t+1}) = ∇R(w_t or z_t) +
/// η_t d_t, w_{t+1} = Π_K(z_{t+1}).
///
/// *Guarantee.* From the uniform D and by the steps of [`Schedule::Theorem1`] the training error is at most
/// 1/(1 + ½Σγ_t²) with [`Euclidean`](projections::Euclidean), and from any D exp(−½Σγ_t²) with
/// [`NegativeEntropy`](projections::NegativeEntropy) \[NP14, Theorem 1\], down to the share 1/k for sets of w
/// ≤ kD. On the whole simplex every normalised margin is at least [`Promise::margin`], which tends to the
/// smallest edge with [`Schedule::Theorem2`] \[NP14, Theorem 2\]. For other D, steps and sets [`Promise`] has
/// the bounds that hold. *Cost:* O(N) and one projection a round; no allocation after the first.
///
/// ```
/// use boosters::maboost::{Active, Examples, MirrorAscent, Reweighting, Schedule, Answer};
/// use projections::{NegativeEntropy, Simplex};
/// use weak_learners::Label::{Minus, Plus};
/// let examples = Examples::uniform(vec![Plus, Minus, Plus, Plus])?;
/// let simplex = Simplex::new(1.0)?;
/// let by = Schedule::Theorem1;
/// let mut ascent = MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, &examples, by)?;
/// // h = (1, 1, 1, 1) errs on the second example.
/// let answer = Answer { losses: &[-1.0, 1.0, -1.0, -1.0], edge: 0.5, error_before: 1.0 };
/// assert_eq!(ascent.reweight(answer)?, 0.5);
/// assert!((ascent.weights()[1] - 1.0 / (1.0 + 3.0 * (-1.0_f64).exp())).abs() < 1e-15);
/// assert!((ascent.promise().error - (-0.125_f64).exp()).abs() < 1e-15);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<R, K>",
    into = "State<R, K>",
    bound(
        serialize = "R: Clone + Serialize, K: Clone + Serialize, U: Clone",
        deserialize = "R: Deserialize<'de> + BoostingMap, K: Deserialize<'de> + Projection<R> + WeightSet"
    )
)]
pub struct MirrorAscent<R, K, U> {
    state: State<R, K>,
    constants: Constants,
    next_w: Vec<f64>,
    next_dual: Vec<f64>,
    working: Vec<f64>,
    scratch: Scratch,
    update: PhantomData<U>,
}

/// The constants of the bounds: functions of D and the caps.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Constants {
    /// max D.
    heaviest: f64,
    /// C of Theorem 2.
    margin: f64,
    /// The least ε such that D restricted to a share ε of the examples, D_i/ε, lies below the caps.
    floor: f64,
    /// The same, where a cap of 1 does not count as a cap.
    reachable: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<R, K> {
    regulariser: R,
    set: K,
    schedule: Schedule,
    /// w_1.
    start: Vec<f64>,
    w: Vec<f64>,
    /// ∇R(w_t) or ∇R(z_t).
    dual: Vec<f64>,
    rounds: usize,
    /// P: Σ(η_tγ_t − ½Lη_t²), or the sum of the progress of line searches.
    progress: f64,
    /// The sums of Theorem 2, with η in units of 1/L: min γ_t, Ση_t and Σ½η_t².
    least_edge: f64,
    eta_sum: f64,
    half_square_sum: f64,
}

/// The choice of η_t.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// η_t = γ_t/L, for a small error \[NP14, Theorem 1\].
    Theorem1,
    /// η_t = γ_t/(L√t), for large margins \[NP14, Theorem 2\].
    Theorem2,
    /// η_t = (1 + 1/√2)γ_t/L, with half the progress of Theorem 1: the longest steps for which its bound for
    /// the quadratic map holds as the paper prints it. They make the weights sparser, see
    /// [`LazySparseBoost`](super::LazySparseBoost).
    LongSteps,
    /// The η_t that maximises the progress in the proof of Theorem 1 ([`BoostingMap::line_search`]). With the
    /// quadratic map it is γ_t/‖d_t‖², and the error is at most 1/(1 + NΣγ_t²/‖d_t‖²) from the uniform start.
    /// With the entropy it is the η of least Z_t = Σw_i exp(ηd_i), and the error is at most ΠZ_t ≤ Π√(1 −
    /// γ_t²). *Cost:* with the entropy, one pass with an exponential an example for every step of Newton's
    /// method.
    LineSearch,
}

impl<R: BoostingMap, K: Projection<R> + WeightSet, U: Update<R, K>> Reweighting for MirrorAscent<R, K, U> {
    fn reweight(&mut self, answer: Answer<'_>) -> Result<f64, BoostError> {
        answer.check(self.state.w.len())?;
        let Answer { losses: d, edge, .. } = answer;
        let lipschitz = R::loss_bound(d.len());
        // Line (b).
        let fixed = |eta: f64| Step { eta, progress: eta * edge - 0.5 * lipschitz * eta * eta };
        let step = match self.state.schedule {
            Schedule::Theorem1 => fixed(edge / lipschitz),
            Schedule::Theorem2 => {
                let t = count(self.state.rounds.saturating_add(1));
                fixed(edge / (lipschitz * t.sqrt()))
            }
            Schedule::LongSteps => fixed((1.0 + std::f64::consts::FRAC_1_SQRT_2) * edge / lipschitz),
            Schedule::LineSearch => R::line_search(&self.state.w, d, edge),
        };
        // P never falls, up to the rounding of a line search.
        let step = Step { eta: step.eta.max(LEAST_STEP), progress: step.progress.max(0.0) };
        self.ascend(step.eta, d)?; // lines (c) and (d)
        self.state.book(edge, step, lipschitz);
        Ok(step.eta)
    }

    fn weights(&self) -> &[f64] {
        &self.state.w
    }

    fn start(&self) -> &[f64] {
        &self.state.start
    }

    fn rounds(&self) -> usize {
        self.state.rounds
    }

    fn promise(&self) -> Promise {
        let Constants { heaviest, margin, floor, .. } = self.constants;
        let (error, tight) = R::error_bound(heaviest, self.state.progress);
        let (error, tight) = (error.max(floor), tight.map(|tight| tight.max(floor)));
        Promise { error, tight, margin: self.state.margin_bound::<R>(margin, self.caps().is_some()) }
    }

    fn caps(&self) -> Option<&[f64]> {
        self.state.set.caps()
    }

    fn reachable_error(&self) -> f64 {
        self.constants.reachable
    }
}

impl<R: BoostingMap, K: Projection<R>, U: Update<R, K>> MirrorAscent<R, K, U> {
    /// Lines (c) and (d) with a given step.
    pub(super) fn ascend(&mut self, eta: f64, d: &[f64]) -> Result<(), BoostError> {
        check_length("losses", self.state.w.len(), d.len())?;
        let Self { state, next_w, next_dual, working, scratch, .. } = self;
        // Line (c): ∇R(z_{t+1}) = ∇R(w_t or z_t) + η_t d_t.
        for ((next, dual), d) in next_dual.iter_mut().zip(&state.dual).zip(d) {
            *next = dual + eta * d;
        }
        // Line (d): w_{t+1} = argmin_{w ∈ K} B_R(w, z_{t+1}).
        U::project(&state.regulariser, &state.set, next_dual, next_w, working, scratch)?;
        std::mem::swap(&mut state.w, next_w);
        std::mem::swap(&mut state.dual, next_dual);
        state.rounds = state.rounds.saturating_add(1);
        Ok(())
    }
}

impl<R, K> State<R, K> {
    fn book(&mut self, edge: f64, step: Step, lipschitz: f64) {
        self.progress += step.progress;
        let eta = step.eta * lipschitz;
        self.least_edge = self.least_edge.min(edge);
        self.eta_sum += eta;
        // The steps of a line search are unbounded: their squares may overflow, and no margin bound uses
        // them.
        if self.schedule != Schedule::LineSearch {
            self.half_square_sum += 0.5 * eta * eta;
        }
    }

    /// min γ − (½Ση² + C)/Ση, with η in units of 1/L, or (LP − C)/Ση after line searches; the theorem holds
    /// for the whole simplex.
    fn margin_bound<M: BoostingMap>(&self, c: f64, has_caps: bool) -> Option<f64> {
        let bound = match self.schedule {
            Schedule::LineSearch => (M::loss_bound(self.start.len()) * self.progress - c) / self.eta_sum,
            _ => self.least_edge - (self.half_square_sum + c) / self.eta_sum,
        };
        (!has_caps && self.rounds > 0).then_some(bound.max(f64::MIN))
    }
}

impl<R: BoostingMap, K: Projection<R> + WeightSet, U> MirrorAscent<R, K, U> {
    /// Starts from w_1 = D.
    ///
    /// # Errors
    /// A set whose dimension is not the number of examples of positive weight, or a set without D.
    pub fn new(regulariser: R, set: K, examples: &Examples, schedule: Schedule) -> Result<Self, BoostError> {
        let start = examples.start().to_vec();
        set.check_dimension(start.len())?;
        let mut dual = vec![0.0; start.len()];
        regulariser.mirror(&start, &mut dual)?;
        let (least_edge, eta_sum, half_square_sum) = (1.0, 0.0, 0.0);
        let w = start.clone();
        let (rounds, progress) = (0, 0.0);
        State {
            regulariser,
            set,
            schedule,
            start,
            w,
            dual,
            rounds,
            progress,
            least_edge,
            eta_sum,
            half_square_sum,
        }
        .try_into()
    }
}

impl<R: BoostingMap, K, U> MirrorAscent<R, K, U> {
    /// The bound on the errors among examples whose weights have no cap.
    pub(super) fn unconstrained_error(&self) -> f64 {
        R::error_bound(self.constants.heaviest, self.state.progress).0
    }
}

/// Whether a weight can reach this cap, up to the rounding of kD_i.
pub(super) fn is_cap(cap: f64) -> bool {
    cap < 1.0 - ROUNDING
}

impl<R, K, U> From<MirrorAscent<R, K, U>> for State<R, K> {
    fn from(ascent: MirrorAscent<R, K, U>) -> Self {
        ascent.state
    }
}

impl<R: BoostingMap, K: Projection<R> + WeightSet, U> TryFrom<State<R, K>> for MirrorAscent<R, K, U> {
    type Error = BoostError;

    fn try_from(state: State<R, K>) -> Result<Self, BoostError> {
        let n = state.start.len();
        state.set.check_dimension(n)?;
        for (argument, vector) in
            [("start", &state.start), ("weights", &state.w), ("dual point", &state.dual)]
        {
            check_length(argument, n, vector.len())?;
            if let Some(index) = vector.iter().position(|v| !v.is_finite()) {
                let value = vector[index];
                return Err(LearnerError::NotFinite { argument, index, value }.into());
            }
        }
        for (argument, point) in [("start", &state.start), ("weights", &state.w)] {
            if !state.set.contains(point, 1e-9) {
                return Err(oco_core::OcoError::OutsideSet { argument }.into());
            }
        }
        check_start(&state.start)?;
        for (name, value) in [
            ("progress", state.progress),
            ("least_edge", state.least_edge),
            ("eta_sum", state.eta_sum),
            ("half_square_sum", state.half_square_sum),
        ] {
            check_sum(name, value)?;
        }
        let caps = || state.set.caps().unwrap_or_default().iter().zip(&state.start);
        let constants = Constants {
            heaviest: largest_entry(&state.start),
            margin: R::margin_constant(&state.start),
            floor: caps().map(|(cap, d)| d / cap).fold(0.0, f64::max),
            reachable: caps().filter(|(cap, _)| is_cap(**cap)).map(|(cap, d)| d / cap).fold(0.0, f64::max),
        };
        let (next_w, next_dual, working) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        Ok(Self {
            state,
            constants,
            next_w,
            next_dual,
            working,
            scratch: Scratch::default(),
            update: PhantomData,
        })
    }
}

/// The active update: ∇R(z_{t+1}) = ∇R(w_t) + η_t d_t. Any projection will do, the double one of \[NP14,
/// Lemma 4\] included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Active;

/// The lazy update: ∇R(z_{t+1}) = ∇R(z_t) + η_t d_t. Its proof \[NP14, Section 3.4\] needs the exact Bregman
/// projection, so no other projection is accepted:
///
/// ```compile_fail,E0277
/// use boosters::maboost::{Examples, Lazy, MirrorAscent, Reweighting, Schedule};
/// use projections::{Euclidean, Simplex, Then, UnitBox};
/// let examples = Examples::uniform(vec![weak_learners::Label::Plus])?;
/// let double = Then::new(UnitBox, Simplex::new(1.0)?);
/// MirrorAscent::<_, _, Lazy>::new(Euclidean, double, &examples, Schedule::Theorem1)?.weights();
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lazy;

/// The map from the dual point after the step to w_{t+1}.
///
/// Contract: on entry `dual` is ∇R(z_{t+1}); on return w = Π_K(z_{t+1}), and `dual` is the start of the next
/// step. All slices have one length; the contents of `working` do not matter. An error leaves all of them
/// unspecified.
pub trait Update<R, K> {
    /// Line (d).
    ///
    /// # Errors
    /// Those of the projection.
    fn project(
        regulariser: &R,
        set: &K,
        dual: &mut [f64],
        w: &mut [f64],
        working: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError>;
}

/// The next step starts from ∇R(w_{t+1}).
impl<R: Geometry<K>, K: Projection<R>> Update<R, K> for Active {
    fn project(
        regulariser: &R,
        set: &K,
        dual: &mut [f64],
        w: &mut [f64],
        _working: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        regulariser.primal_and_dual(set, dual, w, scratch)
    }
}

/// The next step starts from ∇R(z_{t+1}).
impl<R: Geometry<K>, K: Exact<R>> Update<R, K> for Lazy {
    fn project(
        regulariser: &R,
        set: &K,
        dual: &mut [f64],
        w: &mut [f64],
        working: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        working.copy_from_slice(dual);
        regulariser.primal(set, working, w, scratch)
    }
}
