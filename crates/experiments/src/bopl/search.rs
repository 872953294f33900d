//! Random search over hyper-parameters, on validation rows.

use super::methods::Method;
use super::parameters::Parameters;
use datasets::ClassificationName;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Ends of ranges, both within: Covertype, Fashion-MNIST, Scene, TMC2007-500.
type Ends<T> = [(T, T); 4];

/// The ranges of a method.
struct Ranges {
    rounds: Ends<u32>,
    max_depth: Ends<u32>,
    min_child_weight: Ends<f64>,
    reg_lambda: Ends<f64>,
    translation: Ends<f64>,
    learning_rate: Ends<f64>,
}

const NONE: Ends<f64> = [(0.0, 0.0); 4];
const ONE: Ends<f64> = [(1.0, 1.0); 4];
/// λ is searched on Scene only.
const LAMBDA: Ends<f64> = [(0.0, 0.0), (0.0, 0.0), (0.0, 0.05), (0.0, 0.0)];

const BRR_GB: Ranges = Ranges {
    rounds: [(200, 600), (100, 500), (100, 1000), (100, 300)],
    max_depth: [(6, 25), (4, 20), (5, 14), (6, 20)],
    min_child_weight: [(2.0, 400.0), (2.0, 640.0), (5.0, 120.0), (2.0, 200.0)],
    reg_lambda: LAMBDA,
    translation: NONE,
    learning_rate: [(0.01, 0.1), (0.1, 2.0), (0.0001, 0.3), (0.01, 0.1)],
};
const BOPL_REGR: Ranges = Ranges {
    rounds: [(200, 600), (150, 250), (100, 1000), (100, 300)],
    max_depth: [(10, 25), (10, 20), (5, 14), (6, 20)],
    min_child_weight: [(2.0, 400.0), (100.0, 640.0), (5.0, 120.0), (2.0, 200.0)],
    reg_lambda: LAMBDA,
    // The range of Scene is printed without its comma.
    translation: [(-0.4, -0.3), (-0.5, -0.3), (-0.6, 0.0), (-0.5, -0.3)],
    learning_rate: ONE,
};
const BOPL_S_REGR: Ranges = Ranges { rounds: [(400, 600), (100, 250), (100, 1000), (100, 300)], ..BOPL_REGR };
const CLASS: Ranges = Ranges {
    rounds: [(300, 300), (150, 250), (500, 1000), (200, 200)],
    max_depth: [(15, 25), (15, 25), (6, 14), (15, 20)],
    min_child_weight: [(50.0, 100.0), (10.0, 50.0), (60.0, 240.0), (10.0, 50.0)],
    reg_lambda: NONE,
    translation: [(-0.2, -0.2), (-0.2, -0.2), (-0.4, -0.2), (-0.15, -0.1)],
    learning_rate: ONE,
};

/// Configurations that are tried, that of \[L23, Table 5\] among them, and trials that each is tried in.
pub(super) const TRIED: usize = 6;
/// The trials that a configuration is tried in, at most; the paper takes all ten.
pub(super) const TRIALS: u64 = 2;

/// The configurations to try: that of \[L23, Table 5\], and others drawn evenly from the ranges of \[L23, Table 4\] (on a
/// logarithmic scale the learning rate). One for a method that is not tuned: the paper's BOPL-CS-regr and ours.
pub(super) fn configurations(method: Method, task: ClassificationName, seed: u64) -> Vec<Parameters> {
    let table_5 = Parameters::table_5(method, task);
    let (number, ranges) = match method {
        Method::BrrGb => (0, BRR_GB),
        Method::BoplRegr => (1, BOPL_REGR),
        Method::BoplClass => (2, CLASS),
        Method::BoplSRegr => (3, BOPL_S_REGR),
        Method::BoplSClass => (4, CLASS),
        _ => return vec![table_5],
    };
    let column = ClassificationName::ALL.iter().position(|name| *name == task).unwrap_or_default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((1 << 42) + 8 * number + column as u64);
    let mut drawn = move || {
        let mut whole = |(low, high): (u32, u32)| rng.random_range(low..=high);
        let (rounds, max_depth) = (whole(ranges.rounds[column]), whole(ranges.max_depth[column]));
        let mut real = |(low, high): (f64, f64)| low + (high - low) * rng.random::<f64>();
        let (low, high) = ranges.learning_rate[column];
        Parameters {
            rounds,
            max_depth,
            min_child_weight: real(ranges.min_child_weight[column]).round(),
            reg_lambda: real(ranges.reg_lambda[column]),
            translation: real(ranges.translation[column]),
            learning_rate: real((low.ln(), high.ln())).exp(),
        }
    };
    std::iter::once(table_5).chain(std::iter::repeat_with(&mut drawn).take(TRIED - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So does what \[L23, Table 5\] selected.
    #[test]
    fn what_is_tried_lies_in_the_ranges() {
        for task in ClassificationName::ALL {
            for method in [Method::BrrGb, Method::BoplRegr, Method::BoplSRegr] {
                let tried = configurations(method, task, 3);
                assert_eq!(tried.len(), TRIED);
                assert_eq!(tried, configurations(method, task, 3));
                assert_ne!(tried[1], tried[2]);
                for found in tried {
                    assert!((100..=1000).contains(&found.rounds) && (4..=25).contains(&found.max_depth));
                    assert!((2.0..=640.0).contains(&found.min_child_weight), "{found:?}");
                    assert!((-0.6..=0.0).contains(&found.translation), "{found:?}");
                    assert!((0.0001..=2.0).contains(&found.learning_rate), "{found:?}");
                }
            }
        }
        assert_eq!(configurations(Method::SharpSteps, ClassificationName::Scene, 3).len(), 1);
    }
}
