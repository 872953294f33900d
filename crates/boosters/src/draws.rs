//! The coins of a round, one a component, tossed ahead.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A uniform number u_i ∈ \[0, 1) for each of n components and the round to come.
///
/// Numbers are drawn when this is made and by [`advance`](Self::advance), never in between: a round that is refused
/// has used nothing up, and a prediction may be asked for as often as one likes. An event of probability p takes place
/// where u_i < p, so p = 0 is never and p = 1 always. Component i has ChaCha stream i of a key that is drawn once: its
/// numbers do not depend on how many other components there are, nor on the order or the thread in which they are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Draws {
    streams: Vec<ChaCha8Rng>,
    coming: Vec<f64>,
}

impl Draws {
    /// The draws of n components, with a key taken from `rng`.
    pub(crate) fn new(rng: &mut (impl Rng + ?Sized), components: usize) -> Self {
        let mut key = [0; 32];
        rng.fill_bytes(&mut key);
        let mut streams: Vec<ChaCha8Rng> = (0..components as u64)
            .map(|stream| {
                let mut rng = ChaCha8Rng::from_seed(key);
                rng.set_stream(stream);
                rng
            })
            .collect();
        let coming = streams.iter_mut().map(|rng| rng.random()).collect();
        Self { streams, coming }
    }

    /// u_0, …, u_{n−1} of the round to come.
    pub(crate) fn coming(&self) -> &[f64] {
        &self.coming
    }

    /// Draws the numbers of the next round.
    pub(crate) fn advance(&mut self) {
        for (u, rng) in self.coming.iter_mut().zip(&mut self.streams) {
            *u = rng.random();
        }
    }

    /// Whether this is the state of n components, as what is loaded must be.
    pub(crate) fn is_of(&self, components: usize) -> bool {
        self.streams.len() == components
            && self.coming.len() == components
            && self.coming.iter().all(|u| (0.0..1.0).contains(u))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_draws_the_same_whatever_the_number_of_others() {
        let rng = ChaCha8Rng::seed_from_u64(3);
        let (mut few, mut many) = (Draws::new(&mut rng.clone(), 2), Draws::new(&mut rng.clone(), 7));
        for _ in 0..100 {
            assert_eq!(few.coming(), &many.coming()[..2]);
            assert!(many.is_of(7) && !many.is_of(6));
            few.advance();
            many.advance();
        }
        assert_ne!(few.coming()[0], few.coming()[1]);
    }
}
