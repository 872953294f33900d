//! The order in which a run sees the examples.

use crate::error::DataError;
use crate::room::has_room;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A uniformly random permutation of 0..n. The same seed and stream give the same permutation; streams of one
/// seed are independent, so that every run of an experiment takes the next stream.
///
/// ```
/// use datasets::permutation;
/// let mut order = permutation(1000, 7, 0)?;
/// assert_eq!(order, permutation(1000, 7, 0)?);
/// assert_ne!(order, permutation(1000, 7, 1)?);
/// order.sort_unstable();
/// assert_eq!(order, (0..1000).collect::<Vec<_>>());
/// # Ok::<(), datasets::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::OrderTooLong`].
pub fn permutation(n: usize, seed: u64, stream: u64) -> Result<Vec<usize>, DataError> {
    if !has_room(n, size_of::<usize>()) {
        return Err(DataError::OrderTooLong { n });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut rng);
    Ok(order)
}

/// The tuning half and the reporting half of an order, the first ⌈n/2⌉ examples and the rest.
///
/// ```
/// use datasets::split_halves;
/// assert_eq!(split_halves(&[4, 0, 3, 1, 2]), (&[4, 0, 3][..], &[1, 2][..]));
/// ```
pub fn split_halves(order: &[usize]) -> (&[usize], &[usize]) {
    order.split_at(order.len().div_ceil(2))
}

/// Examples one after the other, in a random order; the place in the stream serialises.
///
/// ```
/// use datasets::ExampleStream;
/// let mut stream = ExampleStream::new(10, 7, 0)?;
/// let first: Vec<usize> = stream.by_ref().take(4).collect();
/// let saved = stream.clone();
/// assert_eq!(stream.len(), 6);
/// assert_eq!(stream.collect::<Vec<_>>(), saved.collect::<Vec<_>>());
/// assert_eq!(first, datasets::permutation(10, 7, 0)?[..4]);
/// # Ok::<(), datasets::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExampleStream {
    order: Vec<usize>,
    next: usize,
}

impl ExampleStream {
    /// All of 0..n, in the order of [`permutation`].
    ///
    /// # Errors
    /// [`DataError::OrderTooLong`].
    pub fn new(n: usize, seed: u64, stream: u64) -> Result<Self, DataError> {
        Ok(Self::of(permutation(n, seed, stream)?))
    }

    /// The examples of a list, in its order: a half, or every example in the order of the file.
    pub fn of(order: Vec<usize>) -> Self {
        Self { order, next: 0 }
    }
}

impl Iterator for ExampleStream {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let example = *self.order.get(self.next)?;
        self.next += 1;
        Some(example)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.order.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for ExampleStream {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of the 24 orders of four examples comes up 1,000 times, give or take; the chi-square statistic of
    /// 23 degrees of freedom exceeds 50 with probability below 0.001, and the seeds are fixed.
    #[test]
    fn every_order_is_equally_likely() {
        let mut counts = std::collections::HashMap::<Vec<usize>, f64>::new();
        for stream in 0..24_000 {
            *counts.entry(permutation(4, 3, stream).unwrap()).or_default() += 1.0;
        }
        assert_eq!(counts.len(), 24);
        let chi_square: f64 = counts.values().map(|count| (count - 1e3) * (count - 1e3) / 1e3).sum();
        assert!(chi_square < 50.0, "{chi_square}");
    }

    #[test]
    fn more_examples_than_can_be_held_are_refused() {
        for n in [1 << 40, (1 << 53) + 1, usize::MAX] {
            assert!(
                matches!(permutation(n, 0, 0), Err(DataError::OrderTooLong { n: refused }) if refused == n)
            );
            assert!(ExampleStream::new(n, 0, 0).is_err(), "{n}");
        }
    }

    #[test]
    fn a_stream_that_is_saved_and_loaded_continues() {
        let mut stream = ExampleStream::of(vec![4, 2, 9]);
        assert_eq!(stream.next(), Some(4));
        let mut loaded: ExampleStream =
            serde_json::from_str(&serde_json::to_string(&stream).unwrap()).unwrap();
        assert_eq!(loaded.by_ref().collect::<Vec<_>>(), [2, 9]);
        assert_eq!((loaded.next(), loaded.len()), (None, 0));
    }
}
