//! The random numbers of a round, one a component, drawn ahead.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;

/// A uniform number u_i ∈ \[0, 1) for each of n components in the next round.
///
/// Numbers are drawn at construction and by [`advance`](Self::advance), never in between: a refused round
/// consumes none, and predictions may be repeated. An event of probability p happens if u_i < p. Component i
/// has ChaCha stream i of one key: its numbers do not depend on the number of components, their order or the
/// thread.
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

    /// u_0, …, u_{n−1} of the next round.
    pub(crate) fn coming(&self) -> &[f64] {
        &self.coming
    }

    /// Draws the numbers of the next round.
    pub(crate) fn advance(&mut self) {
        for (u, rng) in self.coming.iter_mut().zip(&mut self.streams) {
            *u = rng.random();
        }
    }

    /// Checks a loaded state of n components: stream i of one key for component i, all at the same position,
    /// with the numbers that they drew last.
    pub(crate) fn check(&self, argument: &'static str, components: usize) -> Result<(), LearnerError> {
        for got in [self.streams.len(), self.coming.len()] {
            if got != components {
                return Err(LearnerError::LengthMismatch { argument, expected: components, got });
            }
        }
        let Some(first) = self.streams.first() else { return Ok(()) };
        let refused = |value, domain| Err(LearnerError::BadParameter { name: argument, value, domain });
        for ((i, rng), u) in (0..).zip(&self.streams).zip(&self.coming) {
            let mut expected = ChaCha8Rng::from_seed(first.get_seed());
            expected.set_stream(i);
            expected.set_word_pos(first.get_word_pos());
            #[allow(clippy::cast_precision_loss, reason = "for a reader")]
            if *rng != expected {
                return refused(
                    rng.get_stream() as f64,
                    "one stream of one key for each component, in order",
                );
            }
            expected.set_word_pos(first.get_word_pos().wrapping_sub(2)); // a number takes two words
            if expected.random::<f64>().to_bits() != u.to_bits() {
                return refused(*u, "the numbers that the streams drew last");
            }
        }
        Ok(())
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
            assert_eq!(many.check("coins", 7), Ok(()));
            assert!(many.check("coins", 6).is_err());
            few.advance();
            many.advance();
        }
        assert_ne!(few.coming()[0], few.coming()[1]);
    }

    /// Streams in another order, of two keys, one for all, or one ahead of the others; numbers that no stream
    /// drew.
    #[test]
    fn what_no_draws_lead_to_is_refused() {
        let good = |seed| {
            let mut draws = Draws::new(&mut ChaCha8Rng::seed_from_u64(seed), 5);
            draws.advance();
            draws
        };
        let refused = |change: &dyn Fn(&mut Draws)| {
            let mut draws = good(3);
            assert_eq!(draws.check("coins", 5), Ok(()));
            change(&mut draws);
            assert!(matches!(draws.check("coins", 5), Err(LearnerError::BadParameter { .. })), "{draws:?}");
        };
        refused(&|draws| draws.streams.swap(1, 3));
        refused(&|draws| {
            draws.streams.swap(1, 3);
            draws.coming.swap(1, 3);
        });
        refused(&|draws| {
            draws.streams[4] = good(4).streams[4].clone();
            draws.coming[4] = good(4).coming[4];
        });
        refused(&|draws| {
            draws.streams = vec![draws.streams[0].clone(); 5];
            draws.coming = vec![draws.coming[0]; 5];
        });
        refused(&|draws| draws.coming[2] = draws.streams[2].random());
        refused(&|draws| draws.coming[2] = 0.5);
    }
}
