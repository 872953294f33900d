//! The splits of the off-policy experiments: who trains the logging policy, what becomes the log, what is
//! held out.

use crate::names::ClassificationName;
use crate::order::permutation;
use crate::room::has_room;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

/// Which examples are held out, in percent; every part is rounded to the nearest number of examples, a half
/// upwards. Which task takes which plan:
/// [`ClassificationName::split_plan`](crate::ClassificationName::split_plan).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitPlan {
    /// Test and validation part are shares of all examples.
    Shares {
        /// Percent of all examples.
        test: u8,
        /// Percent of all examples.
        validation: u8,
    },
    /// The validation part is a share of what the test part leaves.
    Nested {
        /// Percent of all examples.
        test: u8,
        /// Percent of the examples outside the test part.
        validation: u8,
    },
    /// The examples behind the first `training` ones are the test part, which is not drawn; the validation
    /// part is a share of the others.
    Official {
        /// The number of examples of the official training part.
        training: usize,
        /// Percent of the official training part.
        validation: u8,
    },
}

/// Why no split was made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SplitError {
    /// More than everything is held out.
    #[error("{percent} percent are held out, at most 100 can be")]
    Percent {
        /// What was asked for.
        percent: u16,
    },
    /// More examples than can be held, or than 2³² − 1.
    #[error("{n} examples are more than can be held")]
    TooManyExamples {
        /// The number of examples.
        n: usize,
    },
    /// The official training part is larger than the set.
    #[error("an official training part of {training} examples, of {n}")]
    Training {
        /// The part.
        training: usize,
        /// The number of examples.
        n: usize,
    },
}

/// The examples of an off-policy experiment in four parts, which are disjoint and hold every example [L23,
/// Appendix F.2 and F.3].
///
/// Test and validation part are drawn without replacement and are the same in every trial of one seed; what
/// they leave, the training part, is divided anew in every trial: a tenth, drawn without replacement, trains
/// the logging policy, the rest becomes the log. Each part is in random order, but an official test part in
/// its own.
///
/// The sizes are those of [L23, Table 3]:
///
/// ```
/// use datasets::{ClassificationName, Split};
/// let sizes = |name: ClassificationName, n| {
///     let split = Split::new(name.split_plan(n), n, 7, 0)?;
///     let parts = [split.logging, split.target, split.validation, split.test];
///     Ok::<_, datasets::SplitError>(parts.map(|part| part.len()))
/// };
/// assert_eq!(sizes(ClassificationName::Covertype, 581_012)?, [46_481, 418_329, 58_101, 58_101]);
/// assert_eq!(sizes(ClassificationName::Fashion, 70_000)?, [5_400, 48_600, 6_000, 10_000]);
/// assert_eq!(sizes(ClassificationName::Scene, 2_407)?, [154, 1_387, 385, 481]);
/// assert_eq!(sizes(ClassificationName::Tmc, 28_596)?, [2_316, 20_846, 2_574, 2_860]);
/// # Ok::<(), datasets::SplitError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Split {
    /// Trains the logging policy, with labels.
    pub logging: Vec<usize>,
    /// Becomes the log that the target policy learns from.
    pub target: Vec<usize>,
    /// For early stopping and the choice of parameters.
    pub validation: Vec<usize>,
    /// For the figures that are reported.
    pub test: Vec<usize>,
}

impl Split {
    /// Splits 0..n. The same seed and trial give the same split.
    ///
    /// # Errors
    /// [`SplitError::Percent`], [`SplitError::Training`], [`SplitError::TooManyExamples`].
    pub fn new(plan: SplitPlan, n: usize, seed: u64, trial: u32) -> Result<Self, SplitError> {
        if !has_room(n, size_of::<usize>()) {
            return Err(SplitError::TooManyExamples { n });
        }
        let (test, validation) = plan.sizes(n)?;
        let drawn = |n| permutation(n, seed, 0).map_err(|_| SplitError::TooManyExamples { n });
        // Stream 0 draws what all trials share, stream 1 + trial the rest.
        let mut order = match plan {
            SplitPlan::Official { training, .. } => {
                let mut order = drawn(training)?;
                order.extend(training..n);
                order
            }
            SplitPlan::Shares { .. } | SplitPlan::Nested { .. } => drawn(n)?,
        };
        let test = order.split_off(n - test);
        let validation = order.split_off(order.len() - validation);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1 + u64::from(trial));
        order.shuffle(&mut rng);
        let target = order.split_off(share(order.len(), 10));
        Ok(Self { logging: order, target, validation, test })
    }
}

impl ClassificationName {
    /// How [L23, Appendix F.2] splits the task; `n` is the number of examples, of which Fashion-MNIST takes
    /// the last seventh for the test, as its publishers do.
    pub fn split_plan(self, n: usize) -> SplitPlan {
        match self {
            Self::Covertype => SplitPlan::Shares { test: 10, validation: 10 },
            Self::Fashion => SplitPlan::Official { training: n - n / 7, validation: 10 },
            Self::Scene => SplitPlan::Nested { test: 20, validation: 20 },
            Self::Tmc => SplitPlan::Nested { test: 10, validation: 10 },
        }
    }
}

impl SplitPlan {
    /// The number of test examples and of validation examples.
    fn sizes(self, n: usize) -> Result<(usize, usize), SplitError> {
        let percent = match self {
            Self::Shares { test, validation } => u16::from(test) + u16::from(validation),
            Self::Nested { test, validation } => u16::from(test.max(validation)),
            Self::Official { validation, .. } => u16::from(validation),
        };
        if percent > 100 {
            return Err(SplitError::Percent { percent });
        }
        Ok(match self {
            // Two halves of an odd number are both rounded upwards, but no example is in both.
            Self::Shares { test, validation } => {
                (share(n, test), share(n, validation).min(n - share(n, test)))
            }
            Self::Nested { test, validation } => (share(n, test), share(n - share(n, test), validation)),
            Self::Official { training, .. } if training > n => {
                return Err(SplitError::Training { training, n });
            }
            Self::Official { training, validation } => (n - training, share(training, validation)),
        })
    }
}

/// At most 100 percent of n, rounded to the nearest number, a half upwards; without overflow.
fn share(n: usize, percent: u8) -> usize {
    let percent = usize::from(percent);
    n / 100 * percent + (n % 100 * percent + 50) / 100
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn parts(split: &Split) -> [&Vec<usize>; 4] {
        [&split.logging, &split.target, &split.validation, &split.test]
    }

    #[test]
    fn the_parts_are_disjoint_and_hold_every_example() {
        for name in ClassificationName::ALL {
            for n in (0..60).chain([2_407, 28_596]) {
                let split = Split::new(name.split_plan(n), n, 3, 1).unwrap();
                let mut all = parts(&split).into_iter().flatten().copied().collect::<Vec<_>>();
                all.sort_unstable();
                assert_eq!(all, (0..n).collect::<Vec<_>>(), "{name} {n}");
            }
        }
    }

    #[test]
    fn the_sizes_are_those_of_table_3() {
        let table = [
            (581_012, [46_481, 418_329, 58_101, 58_101]),
            (70_000, [5_400, 48_600, 6_000, 10_000]),
            (2_407, [154, 1_387, 385, 481]),
            (28_596, [2_316, 20_846, 2_574, 2_860]),
        ];
        for (name, (n, sizes)) in ClassificationName::ALL.into_iter().zip(table) {
            let split = Split::new(name.split_plan(n), n, 7, 9).unwrap();
            assert_eq!(parts(&split).map(Vec::len), sizes, "{name}");
        }
    }

    #[test]
    fn trials_share_what_is_held_out_and_seeds_share_nothing() {
        for name in ClassificationName::ALL {
            let split = |seed, trial| Split::new(name.split_plan(2_000), 2_000, seed, trial).unwrap();
            let first = split(7, 0);
            assert_eq!(first, split(7, 0));
            let sorted = |part: &[usize]| part.iter().copied().collect::<HashSet<_>>();
            let second = split(7, 1);
            assert_eq!((&first.test, &first.validation), (&second.test, &second.validation));
            assert_ne!(sorted(&first.logging), sorted(&second.logging));
            let other = split(8, 0);
            assert_ne!(sorted(&first.validation), sorted(&other.validation));
            assert_ne!(sorted(&first.logging), sorted(&other.logging));
            match name {
                ClassificationName::Fashion => assert_eq!(other.test, (1_715..2_000).collect::<Vec<_>>()),
                _ => assert_ne!(sorted(&first.test), sorted(&other.test)),
            }
        }
    }

    /// 6 of 64 are drawn: 375 times of 4,000 expected, with a standard deviation of 18.4; six of these are
    /// allowed.
    #[test]
    fn every_example_trains_the_logging_policy_equally_often() {
        let plan = SplitPlan::Nested { test: 20, validation: 20 };
        let training = Split::new(plan, 100, 5, 0).unwrap();
        let training: Vec<usize> = [training.logging, training.target].concat();
        let mut counts = vec![0_i32; 100];
        for trial in 0..4_000 {
            let logging = Split::new(plan, 100, 5, trial).unwrap().logging;
            assert_eq!(logging.len(), 6);
            logging.iter().for_each(|&i| counts[i] += 1);
        }
        assert!(training.iter().all(|&i| (counts[i] - 375).abs() < 110), "{counts:?}");
        assert_eq!(counts.iter().sum::<i32>(), 24_000);
    }

    #[test]
    fn what_cannot_be_split_is_refused() {
        let new = |plan| Split::new(plan, 10, 1, 0).unwrap_err();
        let official = SplitPlan::Official { training: 11, validation: 10 };
        assert_eq!(new(official), SplitError::Training { training: 11, n: 10 });
        let shares = SplitPlan::Shares { test: 60, validation: 41 };
        assert_eq!(new(shares), SplitError::Percent { percent: 101 });
        let nested = SplitPlan::Nested { test: 10, validation: 101 };
        assert_eq!(new(nested), SplitError::Percent { percent: 101 });
        let official = SplitPlan::Official { training: 5, validation: 101 };
        assert_eq!(new(official), SplitError::Percent { percent: 101 });
        assert!(Split::new(SplitPlan::Shares { test: 50, validation: 50 }, 11, 1, 0).is_ok());
        assert_eq!(share(usize::MAX, 100), usize::MAX);
    }
}
