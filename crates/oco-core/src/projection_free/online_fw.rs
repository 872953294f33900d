//! Online Frank–Wolfe, also called online conditional gradient \[HK12\].

use crate::error::{check_length, check_sum};
use crate::learner::membership_tolerance;
use crate::step::check_step;
use crate::{OcoError, OnlineLearner, check_vector};
use projections::{LinearMinimisation, ProjectionError, Scratch, check_finite};
use serde::{Deserialize, Serialize};

/// Online-FW \[HK12\], in the form of \[H16, Section 7.5\]: one Frank–Wolfe step a round, of length σ_t =
/// min(1, 2/√t), on F_{t+1}(x) = η Σ_{s≤t}⟨g_s, x⟩ + ‖x − x_1‖².
///
/// v = lmo(∇F_{t+1}(x_t)); x_{t+1} = (1 − σ_t)x_t + σ_t v.
///
/// *Guarantee* (sure; `tests/projection_free/`, every round). With ‖g_s‖ ≤ G, K of diameter D and the η of
/// [`theorem`](Self::theorem) for T rounds, for every t ≤ T and u ∈ K, Σ⟨g_s, x_s − u⟩ ≤ ‖u − x_1‖²/η +
/// (η/2)Σ‖g_s‖² + GD Σ√(2σ_s), which is below the book's 8DG T^{3/4}. The bound is for an exact lmo; step t
/// of an approximate one may add σ_t times its [accuracy](LinearMinimisation::lmo_accuracy) to the gap of F.
/// *Chosen here.* The book's form, for its constant; \[HK12\] needs no T but states a larger one. The step
/// uses the current gradient, as in \[HK12\]; the book lags by one, and with F_t alone the first step would
/// go to an arbitrary vertex. Both recurrences of the gap F(x) − min F satisfy the book's 2D²σ_t.
/// *Cost:* O(n) and one linear minimisation a round; no allocation after the first.
///
/// ```
/// use oco_core::{OnlineLearner, projection_free::OnlineFrankWolfe};
/// use projections::Simplex;
/// let mut fw = OnlineFrankWolfe::theorem(Simplex::new(1.0)?, vec![0.5, 0.5], 1.0, 100)?;
/// for _ in 0..100 {
///     fw.observe(&[0.0, -1.0])?;
/// }
/// assert!(fw.play()[1] > 0.9);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<K>",
    into = "State<K>",
    bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + LinearMinimisation")
)]
pub struct OnlineFrankWolfe<K> {
    state: State<K>,
    next_sum: Vec<f64>,
    direction: Vec<f64>,
    vertex: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<K> {
    set: K,
    eta: f64,
    start: Vec<f64>,
    x: Vec<f64>,
    gradient_sum: Vec<f64>,
    t: u64,
}

impl<K: LinearMinimisation> OnlineLearner for OnlineFrankWolfe<K> {
    fn play(&self) -> &[f64] {
        &self.state.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let State { set, eta, start, x, gradient_sum, t } = &mut self.state;
        check_vector("gradient", gradient, x.len())?;
        self.next_sum.clear();
        self.next_sum.extend(gradient_sum.iter().zip(gradient).map(|(sum, g)| sum + g));
        gradient_of_f(&self.next_sum, *eta, x, start, &mut self.direction);
        set.lmo_with(&self.direction, &mut self.vertex, &mut self.scratch)?;
        let sigma = step_length(*t);
        for (x, v) in x.iter_mut().zip(&self.vertex) {
            *x = ((1.0 - sigma) * *x + sigma * v).clamp(x.min(*v), x.max(*v));
        }
        std::mem::swap(gradient_sum, &mut self.next_sum);
        *t = t.saturating_add(1);
        Ok(())
    }

    fn reset(&mut self) {
        self.state.x.clone_from(&self.state.start);
        self.state.gradient_sum.fill(0.0);
        self.state.t = 1;
    }
}

/// σ_t = min(1, 2/√t).
#[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
fn step_length(t: u64) -> f64 {
    (2.0 / (t as f64).sqrt()).min(1.0)
}

/// direction ← ∇F(x) = η Σ g + 2(x − x_1), up to a positive factor, which does not change the minimiser.
fn gradient_of_f(sum: &[f64], eta: f64, x: &[f64], start: &[f64], direction: &mut [f64]) {
    if x == start {
        direction.copy_from_slice(sum);
        return;
    }
    for (((d, g), x), start) in direction.iter_mut().zip(sum).zip(x).zip(start) {
        *d = eta * g + 2.0 * (x - start);
    }
}

impl<K: LinearMinimisation> OnlineFrankWolfe<K> {
    /// Starts at x_1 ∈ K with the step η > 0.
    ///
    /// # Errors
    /// η not positive, a start that does not fit the set, or [`OcoError::OutsideSet`].
    pub fn new(set: K, start: Vec<f64>, eta: f64) -> Result<Self, OcoError> {
        let gradient_sum = vec![0.0; start.len()];
        State { set, eta, x: start.clone(), start, gradient_sum, t: 1 }.try_into()
    }

    /// η = D/(2G T^{3/4}) \[H16, Section 7.5\], G a bound on the gradients.
    ///
    /// # Errors
    /// As [`new`](Self::new); also a bound that is not positive.
    pub fn theorem(set: K, start: Vec<f64>, gradient_bound: f64, rounds: u32) -> Result<Self, OcoError> {
        check_step("gradient bound", gradient_bound)?;
        let diameter = set.diameter(start.len())?;
        let eta = 0.5 * diameter / gradient_bound / f64::from(rounds).powf(0.75);
        Self::new(set, start, eta)
    }

    /// η.
    pub fn eta(&self) -> f64 {
        self.state.eta
    }
}

impl<K> From<OnlineFrankWolfe<K>> for State<K> {
    fn from(learner: OnlineFrankWolfe<K>) -> Self {
        learner.state
    }
}

impl<K: LinearMinimisation> TryFrom<State<K>> for OnlineFrankWolfe<K> {
    type Error = OcoError;

    fn try_from(state: State<K>) -> Result<Self, OcoError> {
        let n = state.start.len();
        check_step("eta", state.eta)?;
        check_sum("sum of gradients", &state.gradient_sum, n)?;
        state.set.check_dimension(n)?;
        check_vector("start", &state.start, n)?;
        check_finite("play", &state.x)?;
        check_length("play", &state.x, n)?;
        for (argument, point) in [("start", &state.start), ("play", &state.x)] {
            if !state.set.contains(point, membership_tolerance(point)) {
                return Err(OcoError::OutsideSet { argument });
            }
        }
        if state.t == 0 {
            let (name, domain) = ("round", "t ≥ 1");
            return Err(ProjectionError::BadParameter { name, value: 0.0, domain }.into());
        }
        let zeros = vec![0.0; n];
        Ok(Self {
            state,
            next_sum: Vec::new(),
            direction: zeros.clone(),
            vertex: zeros,
            scratch: Scratch::default(),
        })
    }
}
