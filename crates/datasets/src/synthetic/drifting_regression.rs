//! Linear regression whose truth drifts.

use super::unit_sphere::{Component, draw_unit, is_unit};
use super::{Generator, GeneratorError, check_features};
use rand_chacha::ChaCha8Rng;
use rows::dot;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};

/// `y_t = ⟨w_t, x_t⟩` where `w_t = cos(θt)·u + sin(θt)·v` turns in a hidden plane by θ a round.
///
/// Each step of the comparator has length 2·sin(θ/2), the path length that dynamic regret is measured
/// against; a static comparator does well over few rounds only.
///
/// ```
/// use datasets::synthetic::{DriftingRegression, Generator};
/// let mut drifting = DriftingRegression::new(5, 0.01, 7)?;
/// let (truth, mut x) = (drifting.truth(), Vec::new());
/// let y = drifting.draw(&mut x);
/// assert!((y - rows::dot(&truth, &x)).abs() < 1e-12);
/// # Ok::<(), datasets::synthetic::GeneratorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct DriftingRegression {
    state: State,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    seed: u64,
    u: Vec<f64>,
    v: Vec<f64>,
    angle: f64,
    round: u64,
    contexts: ChaCha8Rng,
}

impl Generator for DriftingRegression {
    fn dimension(&self) -> usize {
        self.state.u.len()
    }

    fn seed(&self) -> u64 {
        self.state.seed
    }

    fn draw(&mut self, x: &mut Vec<f64>) -> f64 {
        let (sine, cosine) = self.turned_by().sin_cos();
        let State { u, v, round, contexts, .. } = &mut self.state;
        draw_unit(u.len(), contexts, x);
        *round = round.saturating_add(1);
        cosine * dot(u, x) + sine * dot(v, x)
    }
}

impl DriftingRegression {
    /// A generator with m features whose truth turns by `angle` radians a round.
    ///
    /// # Errors
    /// [`GeneratorError::TooFewFeatures`] for m < 2, which has no plane; [`GeneratorError::BadParameter`] for
    /// an angle that is not finite.
    pub fn new(m: usize, angle: f64, seed: u64) -> Result<Self, GeneratorError> {
        if m < 2 {
            return Err(GeneratorError::TooFewFeatures { least: 2, got: m });
        }
        check_features(m)?;
        let mut truth = Component::Truth.rng(seed);
        let (mut u, mut v) = (Vec::new(), Vec::new());
        draw_unit(m, &mut truth, &mut u);
        // Gram–Schmidt, twice: the second pass removes what rounding left of u in v.
        draw_unit(m, &mut truth, &mut v);
        for _ in 0..2 {
            let overlap = dot(&u, &v);
            v.iter_mut().zip(&u).for_each(|(v_j, u_j)| *v_j -= overlap * u_j);
            let norm = dot(&v, &v).sqrt();
            v.iter_mut().for_each(|v_j| *v_j /= norm);
        }
        State { seed, u, v, angle, round: 0, contexts: Component::Contexts.rng(seed) }.try_into()
    }

    /// `w_t`, the hidden vector of the next example.
    pub fn truth(&self) -> Vec<f64> {
        let (sine, cosine) = self.turned_by().sin_cos();
        self.state.u.iter().zip(&self.state.v).map(|(u_j, v_j)| cosine * u_j + sine * v_j).collect()
    }

    fn turned_by(&self) -> f64 {
        self.state.angle * self.state.round as f64
    }
}

impl From<DriftingRegression> for State {
    fn from(generator: DriftingRegression) -> Self {
        generator.state
    }
}

impl TryFrom<State> for DriftingRegression {
    type Error = GeneratorError;

    fn try_from(state: State) -> Result<Self, GeneratorError> {
        let bad = |name, value, requirement| Err(GeneratorError::BadParameter { name, value, requirement });
        if !(is_unit(&state.u) && is_unit(&state.v) && state.u.len() == state.v.len()) {
            return bad(
                "‖v‖²",
                dot(&state.v, &state.v),
                "1 for both axes of the plane, which have equal length",
            );
        }
        if !(dot(&state.u, &state.v).abs() <= 1e-12) {
            return bad("⟨u, v⟩", dot(&state.u, &state.v), "0 for the axes of the plane");
        }
        if !(state.angle.abs() <= LARGEST) {
            return bad("angle", state.angle, "between −1e140 and 1e140");
        }
        Ok(Self { state })
    }
}
