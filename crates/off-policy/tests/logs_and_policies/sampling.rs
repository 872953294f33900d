//! Draws against the probabilities they are drawn with.

use off_policy::policies::{EpsilonGreedy, Policy, Softmax, Tabular};
use off_policy::{ActionSet, ActionSets};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;

const SEEDS: u64 = 24;
const DRAWS: usize = 2000;

/// Over 48,000 draws the frequency of p has deviation √(p(1 − p)/48,000); five of them are missed once in 10⁶
/// actions.
#[test]
fn actions_are_drawn_as_often_as_their_propensity_says() {
    let table = Tabular::new(1, vec![0.0, 1.0, -1.0, 2.0, 0.5]).unwrap();
    let policy = EpsilonGreedy::new(Softmax::new(table, 1.0).unwrap(), 0.2).unwrap();
    let (x, sets) = ([0.0], ActionSets::new(5, [[0, 2, 3]]).unwrap());
    let x = Row::dense(&x).unwrap();
    for set in [ActionSet::all(5).unwrap(), sets.row(0).unwrap()] {
        let (mut expected, mut pi, mut counts) = ([0.0; 5], [0.0; 5], [0_u32; 5]);
        policy.probabilities(x, set, &mut expected).unwrap();
        for seed in 0..SEEDS {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            for _ in 0..DRAWS {
                let (action, propensity) = policy.sample(x, set, &mut pi, &mut rng).unwrap();
                assert_eq!(propensity.to_bits(), expected[action].to_bits());
                counts[action] += 1;
            }
        }
        let total = SEEDS as f64 * DRAWS as f64;
        for (count, p) in counts.iter().zip(expected) {
            let error = (f64::from(*count) / total - p).abs();
            assert!(error <= 5.0 * (p * (1.0 - p) / total).sqrt(), "{p} was seen {count} times");
        }
    }
}

/// The smallest and the largest number that a generator can give.
#[test]
fn the_ends_of_the_unit_interval_draw_actions_of_positive_probability() {
    struct Constant(u64);
    impl rand::TryRng for Constant {
        type Error = std::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok((self.0 >> 32) as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0)
        }
        fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Self::Error> {
            to.fill(self.0.to_le_bytes()[0]);
            Ok(())
        }
    }
    let table = Tabular::new(1, vec![-1e139, 0.1, 0.3, 0.2, -1e139]).unwrap();
    let policy = Softmax::new(table, 1.0).unwrap();
    let draw = |bits| {
        let row = [0.0];
        let row = Row::dense(&row).unwrap();
        policy.sample(row, ActionSet::all(5).unwrap(), &mut [0.0; 5], &mut Constant(bits)).unwrap()
    };
    assert_eq!((draw(0).0, draw(u64::MAX).0), (1, 3));
    assert!(draw(0).1 > 0.0 && draw(u64::MAX).1 > 0.0);
    // What is left of the largest number may exceed the last probability, by rounding; 0 follows it.
    let mut pi = [0.0; 40];
    for n in 2..40 {
        let scores = (0..=n).map(|a| if a < n { -f64::from(a) / 10.0 } else { -1e139 }).collect();
        let (policy, x) = (Softmax::new(Tabular::new(1, scores).unwrap(), 1.0).unwrap(), [0.0]);
        let (all, pi) = (ActionSet::all(n as usize + 1).unwrap(), &mut pi[..=n as usize]);
        let (action, p) = policy.sample(Row::dense(&x).unwrap(), all, pi, &mut Constant(u64::MAX)).unwrap();
        assert!(action < n as usize && p > 0.0, "{n} actions: {action} of probability {p}");
    }
}
