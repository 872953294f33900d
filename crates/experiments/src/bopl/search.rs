//! Random search over hyper-parameters, on validation rows.

use super::methods::Method;
use super::parameters::Parameters;
use super::task_name::TaskName;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Closed ranges: Covertype, Fashion-MNIST, Scene, TMC2007-500.
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
const BRR_XGB: Ranges = Ranges {
    rounds: [(400, 600), (100, 500), (100, 2000), (100, 300)],
    max_depth: [(6, 25), (10, 20), (3, 10), (6, 20)],
    min_child_weight: [(2.0, 200.0), (40.0, 320.0), (5.0, 120.0), (2.0, 200.0)],
    reg_lambda: [(0.0, 1.0), (0.0, 0.1), (0.0, 0.05), (0.0, 1.0)],
    translation: NONE,
    learning_rate: [(0.01, 0.1), (0.05, 0.1), (0.001, 0.1), (0.01, 0.1)],
};
const BOPL_REGR: Ranges = Ranges {
    rounds: [(200, 600), (150, 250), (100, 1000), (100, 300)],
    max_depth: [(10, 25), (10, 20), (5, 14), (6, 20)],
    min_child_weight: [(2.0, 400.0), (100.0, 640.0), (5.0, 120.0), (2.0, 200.0)],
    reg_lambda: LAMBDA,
    // The paper prints the range of Scene without its comma.
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

/// The number of configurations, including that of \[L23, Table 5\].
pub(super) const TRIED: usize = 6;
/// The most trials per configuration; the paper uses all ten.
pub(super) const TRIALS: u64 = 2;

/// The configurations to try: that of \[L23, Table 5\], and others drawn evenly from the ranges of \[L23,
/// Table 4\] (the learning rate on a logarithmic scale). One configuration for the untuned methods: the
/// paper's nets and BOPL-CS-regr, and ours.
pub(super) fn configurations(method: Method, task: TaskName, seed: u64) -> Vec<Parameters> {
    let table_5 = Parameters::table_5(method, task);
    let (number, ranges) = match method {
        Method::BrrGb => (0, BRR_GB),
        Method::BoplRegr => (1, BOPL_REGR),
        Method::BoplClass => (2, CLASS),
        Method::BoplSRegr => (3, BOPL_S_REGR),
        Method::BoplSClass => (4, CLASS),
        Method::BrrXgb => (5, BRR_XGB),
        _ => return vec![table_5],
    };
    let column = task.column_of_parameters();
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
            net: None,
            clip: None,
        }
    };
    std::iter::once(table_5).chain(std::iter::repeat_with(&mut drawn).take(TRIED - 1)).collect()
}

/// The configuration with the largest reward; the first on ties.
pub(super) fn best<'a>(scored: impl IntoIterator<Item = (&'a Parameters, f64)>) -> Option<Parameters> {
    let (mut best, mut most) = (None, f64::NEG_INFINITY);
    for (parameters, reward) in scored {
        if reward > most {
            (best, most) = (Some(*parameters), reward);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_configuration_is_the_first_with_the_largest_reward() {
        let start = Parameters::table_5(Method::BoplRegr, TaskName::Scene);
        let tried = [1, 2, 3, 4].map(|rounds| Parameters { rounds, ..start });
        let of = |rewards: [f64; 4]| best(tried.iter().zip(rewards)).map(|best| best.rounds);
        assert_eq!(of([0.5, 0.75, 0.25, 0.5]), Some(2));
        assert_eq!(of([-0.5, -0.75, -0.25, -0.25]), Some(3), "the first of equals");
        assert_eq!(of([0.75, 0.5, 0.5, 0.25]), Some(1));
        assert_eq!(of([0.0, 0.5, 0.5, 1.0]), Some(4));
        assert_eq!(best([]), None);
    }

    /// A range of \[L23, Table 4\].
    type Range = (f64, f64);

    /// Rounds, depth, least weight, λ, translation and learning rate, as the paper prints them; a single
    /// number is both ends.
    fn printed(method: Method, task: TaskName) -> [Range; 6] {
        use TaskName::{Covertype, Fashion, Scene, Tmc};
        let [none, one] = [0.0, 1.0].map(|number| (number, number));
        let scene = if task == Scene { (0.0, 0.05) } else { none };
        let regression = |rounds, depth, weight, b| [rounds, depth, weight, scene, b, one];
        let classes = |rounds, depth, weight, b| [rounds, depth, weight, none, b, one];
        let (near, far) = ((-0.4, -0.3), (-0.5, -0.3));
        match (method, task) {
            (Method::BrrGb, Covertype) => {
                [(200.0, 600.0), (6.0, 25.0), (2.0, 400.0), none, none, (0.01, 0.1)]
            }
            (Method::BrrGb, Fashion) => [(100.0, 500.0), (4.0, 20.0), (2.0, 640.0), none, none, (0.1, 2.0)],
            (Method::BrrGb, Scene) => [(100.0, 1000.0), (5.0, 14.0), (5.0, 120.0), scene, none, (1e-4, 0.3)],
            (Method::BrrGb, Tmc) => [(100.0, 300.0), (6.0, 20.0), (2.0, 200.0), none, none, (0.01, 0.1)],
            (Method::BoplRegr, Covertype) => regression((200.0, 600.0), (10.0, 25.0), (2.0, 400.0), near),
            (Method::BoplRegr, Fashion) => regression((150.0, 250.0), (10.0, 20.0), (100.0, 640.0), far),
            (Method::BoplSRegr, Covertype) => regression((400.0, 600.0), (10.0, 25.0), (2.0, 400.0), near),
            (Method::BoplSRegr, Fashion) => regression((100.0, 250.0), (10.0, 20.0), (100.0, 640.0), far),
            (Method::BoplRegr | Method::BoplSRegr, Scene) => {
                regression((100.0, 1000.0), (5.0, 14.0), (5.0, 120.0), (-0.6, 0.0))
            }
            (Method::BoplRegr | Method::BoplSRegr, Tmc) => {
                regression((100.0, 300.0), (6.0, 20.0), (2.0, 200.0), far)
            }
            (_, Covertype) => classes((300.0, 300.0), (15.0, 25.0), (50.0, 100.0), (-0.2, -0.2)),
            (_, Fashion) => classes((150.0, 250.0), (15.0, 25.0), (10.0, 50.0), (-0.2, -0.2)),
            (_, Scene) => classes((500.0, 1000.0), (6.0, 14.0), (60.0, 240.0), (-0.4, -0.2)),
            _ => classes((200.0, 200.0), (15.0, 20.0), (10.0, 50.0), (-0.15, -0.1)),
        }
    }

    /// Every range of every method and task is that of the table, and is drawn from end to end.
    #[test]
    fn draws_fill_the_ranges_of_table_4() {
        let tuned =
            [Method::BrrGb, Method::BoplRegr, Method::BoplClass, Method::BoplSRegr, Method::BoplSClass];
        for (method, task) in tuned.iter().flat_map(|method| TaskName::PAPER.map(|task| (*method, task))) {
            let mut ranges = printed(method, task);
            ranges[5] = (ranges[5].0.ln(), ranges[5].1.ln());
            let mut seen = [(f64::INFINITY, f64::NEG_INFINITY); 6];
            for seed in 0..60 {
                for found in configurations(method, task, seed).iter().skip(1) {
                    let values = [
                        f64::from(found.rounds),
                        f64::from(found.max_depth),
                        found.min_child_weight,
                        found.reg_lambda,
                        found.translation,
                        found.learning_rate.ln(),
                    ];
                    seen.iter_mut().zip(values).for_each(|(seen, value)| {
                        *seen = (seen.0.min(value), seen.1.max(value));
                    });
                }
            }
            for (name, (seen, (low, high))) in
                ["rounds", "depth", "weight", "λ", "b", "rate"].iter().zip(seen.iter().zip(ranges))
            {
                let (near, what) =
                    (0.05 * (high - low) + 1e-12, format!("{method}, {task}, {name}: {seen:?}"));
                assert!(seen.0 >= low - 1e-12 && seen.1 <= high + 1e-12, "{what} beyond {low} to {high}");
                assert!(seen.0 <= low + near && seen.1 >= high - near, "{what} short of {low} to {high}");
            }
        }
    }

    /// On a logarithmic scale half of the learning rates lie below the geometric mean of the ends.
    #[test]
    fn learning_rates_are_drawn_evenly_on_a_logarithmic_scale() {
        let drawn = (0..200).flat_map(|seed| configurations(Method::BrrGb, TaskName::Scene, seed));
        let rates: Vec<f64> = drawn.map(|found| found.learning_rate).collect();
        let below = rates.iter().filter(|rate| **rate < (1e-4_f64 * 0.3).sqrt()).count();
        // One of the six configurations is that of Table 5, whose rate lies above.
        let share = below as f64 / (rates.len() as f64 * 5.0 / 6.0);
        assert!((share - 0.5).abs() < 0.06, "{share}");
    }

    /// Even with equal ranges, every method, task and seed has different draws.
    #[test]
    fn draws_of_methods_tasks_and_seeds_differ() {
        use TaskName::{Covertype, Fashion, Scene};
        let share = |method, task, seed| {
            let found = configurations(method, task, seed)[1];
            let (low, high) = printed(method, task)[2];
            (100.0 * (found.min_child_weight - low) / (high - low)).round()
        };
        assert_ne!(share(Method::BoplClass, Scene, 3), share(Method::BoplSClass, Scene, 3));
        assert_ne!(share(Method::BoplRegr, Scene, 3), share(Method::BoplSRegr, Scene, 3));
        assert_ne!(share(Method::BrrGb, Covertype, 3), share(Method::BrrGb, Fashion, 3));
        assert_ne!(share(Method::BrrGb, Scene, 3), share(Method::BrrGb, Scene, 4));
    }

    /// All configurations lie in the ranges, including those of \[L23, Table 5\].
    #[test]
    fn configurations_lie_in_the_ranges() {
        for task in TaskName::PAPER {
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
        assert_eq!(configurations(Method::SharpSteps, TaskName::Scene, 3).len(), 1);
    }
}
