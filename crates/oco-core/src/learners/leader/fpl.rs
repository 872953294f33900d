//! Follow the perturbed leader \[KV05\].

use super::perturbation::{Perturbation, check_epsilon};
use crate::Restart;
use crate::error::check_sum;
use crate::{OcoError, OnlineLearner, check_vector};
use projections::{LinearMinimisation, Scratch, check_finite, filled};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Follow the perturbed leader \[KV05\]: x_t ∈ argmin_{x∈K} ⟨Σ_{s<t} g_s + p_t, x⟩, with a random p_t.
///
/// *Guarantee.* The expected regret of each [`Perturbation`] against gradients that are fixed in advance,
/// asserted over 40 seeds in `tests/fpl.rs`; ε of [`Perturbation::tuned_epsilon`] makes it O(√T). It does not
/// depend on [`Draws`].
/// *Randomness.* The point of a round is drawn when the previous round is observed, so `play` changes
/// nothing. [`reset`](OnlineLearner::reset) rewinds the generator and so repeats the run.
/// *Cost:* O(n), n draws if they are fresh, and one linear minimisation a round; no projection, no allocation
/// after the first.
/// *Errors:* a refused gradient leaves the learner and its generator unchanged.
///
/// ```
/// use oco_core::OnlineLearner;
/// use oco_core::learners::{Draws, FollowThePerturbedLeader, Perturbation};
/// use oco_core::regret::LinearRegret;
/// use projections::Simplex;
/// use rand::SeedableRng;
/// let (experts, rng) = (Simplex::new(1.0)?, rand_chacha::ChaCha8Rng::seed_from_u64(1));
/// let mut fpl =
///     FollowThePerturbedLeader::new(experts, 2, Perturbation::Exponential, 0.05, Draws::EachRound, rng)?;
/// let mut account = LinearRegret::new(2)?;
/// for t in 0..1000 {
///     let g = if t % 2 == 0 { [0.0, 1.0] } else { [1.0, 0.0] };
///     account.record(&g, fpl.play())?;
///     fpl.observe(&g)?;
/// }
/// // Without a perturbation every round would follow the wrong leader and lose 1.
/// assert!(account.regret(&experts)?.value < 100.0);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<K>",
    into = "State<K>",
    bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + LinearMinimisation")
)]
pub struct FollowThePerturbedLeader<K> {
    state: State<K>,
    x: Vec<f64>,
    next_sum: Vec<f64>,
    perturbed: Vec<f64>,
    next_p: Vec<f64>,
    scratch: Scratch,
}

/// How often p is drawn. Both laws agree in every round, hence in expected regret against gradients fixed in
/// advance. An adaptive adversary can learn a p that stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Draws {
    /// A fresh p_t every round.
    EachRound,
    /// One p for all rounds.
    Once,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<K> {
    set: K,
    perturbation: Perturbation,
    epsilon: f64,
    draws: Draws,
    gradient_sum: Vec<f64>,
    p: Vec<f64>,
    rng: ChaCha8Rng,
    /// The generator before the first draw.
    rng_at_start: ChaCha8Rng,
}

impl<K: LinearMinimisation> OnlineLearner for FollowThePerturbedLeader<K> {
    fn play(&self) -> &[f64] {
        &self.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let State { set, perturbation, epsilon, draws, gradient_sum, p, rng, .. } = &mut self.state;
        check_vector("gradient", gradient, p.len())?;
        add(gradient_sum, gradient, &mut self.next_sum);
        let mut next_rng = rng.clone();
        self.next_p.clone_from(p);
        if *draws == Draws::EachRound {
            perturbation.draw(*epsilon, &mut next_rng, &mut self.next_p);
        }
        add(&self.next_sum, &self.next_p, &mut self.perturbed);
        set.lmo_with(&self.perturbed, &mut self.x, &mut self.scratch)?;
        std::mem::swap(gradient_sum, &mut self.next_sum);
        std::mem::swap(p, &mut self.next_p);
        *rng = next_rng;
        Ok(())
    }

    fn reset(&mut self) {
        self.state.rng = self.state.rng_at_start.clone();
        self.start();
    }
}

/// sum ← a + b.
fn add(a: &[f64], b: &[f64], sum: &mut Vec<f64>) {
    sum.clear();
    sum.extend(a.iter().zip(b).map(|(a, b)| a + b));
}

/// With ε = η. The generator continues, so a restarted learner draws new perturbations.
impl<K: LinearMinimisation> Restart for FollowThePerturbedLeader<K> {
    fn restart(&mut self, eta: f64) -> Result<(), OcoError> {
        check_epsilon(eta)?;
        self.state.epsilon = eta;
        self.start();
        Ok(())
    }

    fn step(&self) -> Option<f64> {
        Some(self.state.epsilon)
    }
}

impl<K: LinearMinimisation> FollowThePerturbedLeader<K> {
    /// Perturbations of size 1/ε, drawn from `rng`.
    ///
    /// # Errors
    /// ε outside \[1e-300, ∞), or a dimension that does not fit the set or the memory.
    pub fn new(
        set: K,
        dimension: usize,
        perturbation: Perturbation,
        epsilon: f64,
        draws: Draws,
        rng: ChaCha8Rng,
    ) -> Result<Self, OcoError> {
        let p = filled("dimension", dimension, 0.0)?;
        let gradient_sum = filled("dimension", dimension, 0.0)?;
        let rng_at_start = rng.clone();
        let mut learner: Self =
            State { set, perturbation, epsilon, draws, gradient_sum, p, rng, rng_at_start }.try_into()?;
        learner.start();
        Ok(learner)
    }

    /// Forgets the gradients and draws p_1.
    fn start(&mut self) {
        let State { set, perturbation, epsilon, gradient_sum, p, rng, .. } = &mut self.state;
        gradient_sum.fill(0.0);
        perturbation.draw(*epsilon, rng, p);
        // The constructor minimised over this set in this dimension, so this succeeds.
        let _ = set.lmo_with(p, &mut self.x, &mut self.scratch);
    }
}

impl<K> From<FollowThePerturbedLeader<K>> for State<K> {
    fn from(learner: FollowThePerturbedLeader<K>) -> Self {
        learner.state
    }
}

impl<K: LinearMinimisation> TryFrom<State<K>> for FollowThePerturbedLeader<K> {
    type Error = OcoError;

    fn try_from(state: State<K>) -> Result<Self, OcoError> {
        let n = state.p.len();
        check_finite("perturbation", &state.p)?;
        check_sum("sum of gradients", &state.gradient_sum, n)?;
        check_epsilon(state.epsilon)?;
        state.perturbation.check_drawn(state.epsilon, &state.p)?;
        state.set.check_dimension(n)?;
        let (mut perturbed, mut x, mut scratch) = (Vec::new(), vec![0.0; n], Scratch::default());
        add(&state.gradient_sum, &state.p, &mut perturbed);
        state.set.lmo_with(&perturbed, &mut x, &mut scratch)?;
        Ok(Self { state, x, next_sum: Vec::new(), perturbed, next_p: Vec::new(), scratch })
    }
}
