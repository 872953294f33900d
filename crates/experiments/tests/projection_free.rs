//! The experiment as a program: the same regrets and counts for any number of threads and after a stop, and
//! comparators with valid certificates.

#![allow(clippy::unwrap_used, reason = "a run that fails here is a failure of the test")]

use datasets::SearchPath;
use experiments::projection_free::growth::{Summary, exponent};
use experiments::projection_free::hindsight::best;
use experiments::projection_free::methods::{Method, run as play};
use experiments::projection_free::problems::{Problem, Task};
use experiments::projection_free::round_loss::RoundLoss;
use experiments::projection_free::{Options, run};
use oco_core::losses::Loss;
use projections::{Euclidean, Projection, Simplex};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use report::record::{Provenance, Record, Trial};
use std::path::Path;

fn quick(out: &Path, trials: u64, threads: usize, problem: Problem) -> Record {
    let options = Options {
        trials,
        seed: 3,
        threads: Some(threads),
        quick: true,
        plan: vec![problem],
        out: out.to_owned(),
        search: SearchPath::nowhere(),
        quiet: true,
    };
    let report = run(&options).unwrap();
    for file in &report.files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(
            text.contains("synthetic") || text.contains("stand-in"),
            "{} does not say what it was made on",
            file.display()
        );
    }
    Record::load(&out.join("projection-free.json")).unwrap()
}

/// The trials that do not depend on the machine.
fn regrets(record: &Record) -> Vec<&Trial> {
    record.trials.iter().filter(|trial| trial.metric.starts_with("regret")).collect()
}

#[test]
fn neither_threads_nor_a_stop_change_a_regret_or_a_count() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let whole = quick(&out("whole"), 2, 1, Problem::SimplexTargets);
    assert_eq!(whole.settings["decides"]["noise"], serde_json::json!([0.0, 1.0]));
    let of = |trial: u64| -> Vec<f64> {
        regrets(&whole).iter().filter(|row| row.trial == trial).map(|row| row.value).collect()
    };
    let (first, second) = (of(0), of(1));
    assert!(first.len() > 20 && first.len() == second.len(), "{} {}", first.len(), second.len());
    assert!(first.iter().zip(&second).all(|(a, b)| a != b), "every run of a trial is on its own stream");
    assert_eq!(regrets(&quick(&out("threads"), 2, 2, Problem::SimplexTargets)), regrets(&whole));
    quick(&out("stopped"), 1, 1, Problem::SimplexTargets);
    assert_eq!(regrets(&quick(&out("stopped"), 2, 1, Problem::SimplexTargets)), regrets(&whole));
}

#[test]
fn a_stand_in_is_labelled() {
    let folder = tempfile::tempdir().unwrap();
    let record = quick(folder.path(), 1, 1, Problem::Abalone);
    assert!(record.rows.iter().all(|row| row.provenance == Provenance::StandIn));
    assert!(record.paper.iter().any(|row| row.method == "Algorithm 1" && row.mean == 0.5));
}

/// The best point for squared distances is the projection of the targets' mean.
#[test]
fn the_comparator_of_targets_is_the_projected_mean() {
    let (rounds, nowhere) = (300_u32, SearchPath::nowhere());
    let task = Task::draw(Problem::SimplexTargets, rounds as usize, 1, 0, &nowhere).unwrap();
    let mut mean = vec![0.0; task.start.len()];
    for loss in &task.losses {
        let RoundLoss::Distance { target } = loss else { continue };
        mean.iter_mut().zip(target).for_each(|(m, c)| *m += c / f64::from(rounds));
    }
    Projection::<Euclidean>::project(&Simplex::new(1.0).unwrap(), &mut mean).unwrap();
    let least: f64 = task.losses.iter().map(|loss| loss.value(&mean)).sum();
    let found = best(&task, rounds).unwrap();
    assert!(found.loss <= least + found.gap && least <= found.loss + 1e-9, "{least}: {found:?}");
}

/// Every comparator is certified to the requested gap, no play or vertex beats its certificate, and no loss
/// exceeds the gradient bound or the smoothness of its task.
#[test]
fn comparators_and_constants_hold_for_every_problem() {
    for problem in Problem::ALL {
        let task = Task::draw(problem, 200, 5, 1, &SearchPath::nowhere()).unwrap();
        let found = best(&task, 200).unwrap();
        assert!(
            found.gap <= 1e-3 * task.gradient_bound * task.diameter * 200.0_f64.sqrt(),
            "{problem:?}: {found:?}"
        );
        let n = task.start.len();
        let mut points = vec![task.start.clone()];
        for j in [0, 1, n - 1] {
            let g: Vec<f64> = (0..n).map(|i| if i == j { -1.0 } else { 0.1 * (i as f64).sin() }).collect();
            points.push(task.set.lmo(&g).unwrap());
        }
        let (mut g, mut h) = (vec![0.0; n], vec![0.0; n]);
        for x in &points {
            let sum: f64 = task.losses.iter().map(|loss| loss.value(x)).sum();
            assert!(found.loss - found.gap <= sum + 1e-9, "{problem:?}");
            for loss in &task.losses {
                loss.subgradient(x, &mut g);
                loss.subgradient(&task.start, &mut h);
                let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
                assert!(norm(&mut g.iter().copied()) <= task.gradient_bound + 1e-9, "{problem:?}");
                let apart = norm(&mut x.iter().zip(&task.start).map(|(a, b)| a - b));
                let change = norm(&mut g.iter().zip(&h).map(|(a, b)| a - b));
                assert!(change <= task.smoothness * apart + 1e-9, "{problem:?}");
            }
        }
    }
}

/// A method's calls are those of its row in the table, and its loss is that of its regret: the comparator is
/// not a call.
#[test]
fn methods_have_the_stated_costs() {
    let task = Task::draw(Problem::SimplexCoins, 16, 2, 0, &SearchPath::nowhere()).unwrap();
    for method in Method::ALL {
        let run = play(method, &task, 1.0, 16, 9).unwrap();
        let copies = u64::from(method.copies(&task, 1.0, 16).unwrap());
        let want = match method {
            Method::Ogd => (16, 0, 16),
            Method::OnlineFw => (16, 16, 0),
            Method::Morgfw => (16 * 31, 16 * 16, 0),
            Method::MetaFw | Method::Algorithm1 => (16 * copies, 16 * copies, 0),
        };
        assert_eq!((run.gradients, run.minimisations, run.projections), want, "{method:?}");
        assert_eq!(play(method, &task, 1.0, 16, 9).unwrap().loss, run.loss, "{method:?}");
    }
}

/// Three horizons whose logarithms are 0, 1 and 2 (times log 2): the slope is half the difference of the
/// outer logarithms. The interval is from means of resampled trials, never of resampled numbers.
#[test]
fn the_fit_and_its_interval_are_those_of_means_of_whole_trials() {
    let horizons = [1.0, 2.0, 4.0];
    let trials = [vec![1.0, 7.0, 3.0], vec![3.0, 1.0, 13.0]];
    // A resample is both trials (probability ½), the first twice or the second twice (¼ each): the means are
    // 2 and 8, 1 and 3, or 3 and 13.
    let slope = |first: f64, last: f64| 0.5 * (last / first).log2();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    let fit = exponent(&horizons, &trials, Summary::Mean, 1).unwrap();
    assert!(near(fit.slope, slope(2.0, 8.0)), "{fit:?}");
    assert!(near(fit.low, slope(1.0, 3.0)) && near(fit.high, slope(3.0, 13.0)), "{fit:?}");
    // The minimum of both is the first trial's at both ends: only the second trial twice gives another slope.
    let fit = exponent(&horizons, &trials, Summary::Least, 1).unwrap();
    assert!(near(fit.slope, slope(1.0, 3.0)) && near(fit.low, fit.slope), "{fit:?}");
    assert!(near(fit.high, slope(3.0, 13.0)), "{fit:?}");
    // A resample has the same number of trials. Either of these twice is flat; both together are not. With
    // logarithms 0, 1, 3 the slope is (5·last − middle − 4·first)/14 of the logarithms of the means.
    let fit = exponent(&[1.0, 2.0, 8.0], &[vec![4.0; 3], vec![1.0, 32.0, 2.0]], Summary::Mean, 1).unwrap();
    let both = (5.0 * 3.0_f64.log2() - 18.0_f64.log2() - 4.0 * 2.5_f64.log2()) / 14.0;
    assert!(near(fit.slope, both) && near(fit.low, both) && near(fit.high, 0.0), "{both}: {fit:?}");
    assert_eq!(exponent(&horizons[..2], &trials, Summary::Mean, 1), None);
    assert_eq!(Summary::Least.of([3.0, 1.0, 2.0].into_iter()), Some(1.0));
    assert_eq!(Summary::Mean.of([3.0, 1.0, 5.0].into_iter()), Some(3.0));
    assert_eq!(Summary::Mean.of([].into_iter()), None);
}

/// Trials T^¾·(1 + 0.3u) with u uniform on [−1, 1], anew at each horizon: the slope comes back within its
/// standard error, and the interval has the length of that error and the stated coverage.
#[test]
fn known_exponents_are_recovered() {
    let horizons: Vec<f64> = (0..10).map(|k| 2.0_f64.powi(k)).collect();
    let (count, repetitions) = (60_u32, 100_u32);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut sum, mut length, mut held) = (0.0, 0.0, 0);
    for seed in 0..repetitions {
        let mut number = |k: usize, t: f64| {
            let noise = 1.0 + 0.3 * rng.random_range(-1.0..1.0);
            // Short horizons do not count: only the last six are fitted.
            noise * if k < 4 { 100.0 } else { t.powf(0.75) }
        };
        let mut trial = || horizons.iter().enumerate().map(|(k, t)| number(k, *t)).collect::<Vec<f64>>();
        let trials: Vec<Vec<f64>> = (0..count).map(|_| trial()).collect();
        let fit = exponent(&horizons, &trials, Summary::Mean, seed.into()).unwrap();
        assert!(fit.low < fit.slope && fit.slope < fit.high, "{fit:?}");
        sum += fit.slope;
        length += fit.high - fit.low;
        held += u32::from(fit.low <= 0.75 && 0.75 <= fit.high);
    }
    // A mean has the relative deviation 0.3/√(3n); the squared distances of the six logarithms from their
    // mean sum to
    // 17.5 (log 2)².
    let (n, log_2) = (f64::from(count), 2.0_f64.ln());
    let error = 0.3 / (3.0 * n).sqrt() / (17.5 * log_2 * log_2).sqrt();
    let (mean, length) = (sum / f64::from(repetitions), length / f64::from(repetitions));
    assert!((mean - 0.75).abs() < 3.0 * error / f64::from(repetitions).sqrt(), "{mean}");
    assert!((length / (2.0 * 1.96 * error) - 1.0).abs() < 0.04, "{length} for an error of {error}");
    assert!((90..=99).contains(&held), "held {held} times of {repetitions}");
}

/// The fifth horizon from the end has its least-squares weight, and the seventh has none.
#[test]
fn the_longest_six_horizons_are_fitted() {
    let horizons: Vec<f64> = (0..8).map(|k| 2.0_f64.powi(k)).collect();
    let with = |k: usize| {
        let of = |i: usize| if i == k { 2.0 } else { 1.0 };
        let trials = [(0..8).map(of).collect::<Vec<f64>>()];
        exponent(&horizons, &trials, Summary::Mean, 1).unwrap().slope
    };
    // Of the logarithms 0 to 5 with mean 2.5, doubling one moves the slope by its distance from the mean over
    // 17.5.
    for (k, expected) in [(0, 0.0), (1, 0.0), (2, -2.5), (3, -1.5), (4, -0.5), (7, 2.5)] {
        assert!((with(k) - expected / 17.5).abs() < 1e-12, "{k}: {}", with(k));
    }
}

#[test]
fn every_trial_has_its_own_stream_and_coins_are_fair() {
    for problem in Problem::ALL {
        let draw = |trial| Task::draw(problem, 300, 5, trial, &SearchPath::nowhere()).unwrap();
        let (a, b) = (draw(0), draw(1));
        let x = &a.start;
        let values = |task: &Task| task.losses.iter().map(|loss| loss.value(x)).collect::<Vec<f64>>();
        assert_eq!(values(&a), values(&draw(0)));
        let gains = |task: &Task| {
            let first = |loss: &&RoundLoss| matches!(loss, RoundLoss::Row { gain: Some(0), .. });
            task.losses.iter().filter(first).count()
        };
        match problem {
            Problem::SimplexCoins | Problem::L1Coins | Problem::TraceCoins => {
                // Hoeffding with a probability below 1e−6 to fail.
                assert!(gains(&a).abs_diff(150) < 47 && gains(&b).abs_diff(150) < 47, "{problem:?}");
                let coins = |task: &Task| {
                    let coin = |loss: &RoundLoss| matches!(loss, RoundLoss::Row { gain: Some(0), .. });
                    task.losses.iter().map(coin).collect::<Vec<bool>>()
                };
                assert_ne!(coins(&a), coins(&b), "{problem:?}");
            }
            Problem::Abalone | Problem::SimplexTargets => assert_ne!(values(&a), values(&b), "{problem:?}"),
        }
    }
}

/// The width is at least E sup ⟨p, x − x'⟩ for a standard normal p, here over 200 draws, and within a factor
/// of two of it.
#[test]
fn the_width_bounds_the_cost_of_a_perturbation() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for problem in Problem::ALL {
        let task = Task::draw(problem, 16, 5, 0, &SearchPath::nowhere()).unwrap();
        let mut sum = 0.0;
        for _ in 0..200 {
            // Box and Muller.
            let mut normal = || {
                let (u, v) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
                (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
            };
            let p: Vec<f64> = task.start.iter().map(|_| normal()).collect();
            let back: Vec<f64> = p.iter().map(|p| -p).collect();
            let least =
                |g: &[f64]| -> f64 { task.set.lmo(g).unwrap().iter().zip(g).map(|(x, g)| x * g).sum() };
            sum -= least(&p) + least(&back);
        }
        let mean = sum / 200.0;
        assert!(mean <= task.width && task.width <= 2.0 * mean, "{problem:?}: {mean} {}", task.width);
    }
}
