//! Uniform draws from the unit sphere.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use rows::dot;

/// One stream of random numbers per component of a generator, so that noise does not shift the contexts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Component {
    Contexts,
    Truth,
    Noise,
}

impl Component {
    pub(super) fn rng(self, seed: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(self as u64);
        rng
    }
}

/// Fills `x` with a uniform point of the unit sphere of R^m: a Gaussian vector divided by its norm.
pub(super) fn draw_unit(m: usize, rng: &mut (impl Rng + ?Sized), x: &mut Vec<f64>) {
    loop {
        x.clear();
        x.extend((0..m).map(|_| rng.sample::<f64, _>(StandardNormal)));
        let norm = dot(x, x).sqrt();
        // A zero vector has no direction; it is never drawn twice in a row, and there is nothing to draw for
        // m = 0.
        if norm > 0.0 || m == 0 {
            x.iter_mut().for_each(|x_j| *x_j /= norm);
            return;
        }
    }
}

/// Whether a loaded vector can be a hidden truth.
pub(super) fn is_unit(w: &[f64]) -> bool {
    (dot(w, w) - 1.0).abs() <= 1e-12
}
