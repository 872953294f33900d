//! One trial: regret against the comparator of the same horizon, and a separate seed for every run.

use super::*;

fn settings(seed: u64) -> Settings {
    Settings { seed, quick: true, noise: vec![0.0, 1.0], scheme: "test".to_owned() }
}

fn run_of(rounds: u32, loss: f64) -> Run {
    Run {
        method: Method::Ogd,
        noise: 0.0,
        rounds,
        loss,
        gradients: 0,
        minimisations: 0,
        projections: 0,
        seconds: 0.0,
    }
}

#[test]
fn regret_is_against_the_best_point_of_the_same_rounds() {
    let best = |rounds, loss| Best { rounds, loss, gap: 0.0 };
    let outcome = Outcome {
        provenance: Provenance::Synthetic,
        bests: vec![best(16, 10.0), best(32, 25.0), best(64, 3.0)],
        runs: Vec::new(),
        seconds: 0.0,
    };
    assert_eq!(outcome.regret(&run_of(16, 12.0)), Some(2.0));
    assert_eq!(outcome.regret(&run_of(32, 24.5)), Some(-0.5));
    assert_eq!(outcome.regret(&run_of(64, 24.5)), Some(21.5));
    assert_eq!(outcome.regret(&run_of(128, 24.5)), None);
}

/// Every horizon is a prefix of one stream. Every run uses the named method and its own drawn seed.
#[test]
fn a_trial_runs_its_methods_on_its_own_stream() {
    let (problem, nowhere) = (Problem::TraceCoins, SearchPath::nowhere());
    for trial in [0, 1] {
        let outcome = one_trial(problem, trial, &settings(4), &nowhere).unwrap();
        let task = Task::draw(problem, 1 << 10, 4, trial, &nowhere).unwrap();
        assert!(outcome.bests.iter().map(|best| best.rounds).eq((4..=10).map(|power| 1 << power)));
        let mut runs = outcome.runs.iter();
        let (mut seeds, mut skipped) = (learner_seeds(4, trial), 0);
        for rounds in (4..=10).map(|power| 1_u32 << power) {
            for noise in [0.0, 1.0] {
                for method in Method::ALL {
                    let seed = seeds.next_u64();
                    let copies = u64::from(method.copies(&task, noise, rounds).unwrap());
                    if copies * u64::from(rounds) > 1 << problem.budget(true) {
                        skipped += 1;
                        continue;
                    }
                    let found = runs.next().unwrap();
                    assert_eq!((found.method, found.noise, found.rounds), (method, noise, rounds));
                    if rounds <= 64 {
                        let again = run_method(method, &task, noise, rounds, seed).unwrap();
                        assert_eq!(found.loss, again.loss, "{method:?}, {noise}, {rounds}");
                    }
                }
            }
        }
        assert!(runs.next().is_none() && skipped > 4, "{skipped}");
    }
}

#[test]
fn every_run_of_every_trial_has_its_own_seed_and_streams_differ_from_the_problems() {
    let mut firsts = Vec::new();
    for trial in 0..4 {
        let mut seeds = learner_seeds(4, trial);
        firsts.extend((0..70).map(|_| seeds.next_u64()));
        let mut of_problem = ChaCha8Rng::seed_from_u64(4);
        of_problem.set_stream(trial);
        firsts.extend((0..70).map(|_| of_problem.next_u64()));
    }
    let count = firsts.len();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), count);
}

/// The best point for the first 100 of 300 targets is the projection of the mean of those 100.
#[test]
fn a_comparator_is_the_best_of_its_own_rounds() {
    use oco_core::losses::Loss;
    use projections::{Euclidean, Projection, Simplex};
    let task = Task::draw(Problem::SimplexTargets, 300, 1, 0, &SearchPath::nowhere()).unwrap();
    for rounds in [1_u32, 100, 300] {
        let losses = &task.losses[..rounds as usize];
        let mut mean = vec![0.0; task.start.len()];
        let mut gradient = mean.clone();
        for loss in losses {
            // ∇ = x − target, at 0.
            loss.subgradient(&vec![0.0; mean.len()], &mut gradient);
            mean.iter_mut().zip(&gradient).for_each(|(m, g)| *m -= g / f64::from(rounds));
        }
        Projection::<Euclidean>::project(&Simplex::new(1.0).unwrap(), &mut mean).unwrap();
        let least: f64 = losses.iter().map(|loss| loss.value(&mean)).sum();
        let found = best(&task, rounds).unwrap();
        assert!(found.loss <= least + found.gap + 1e-9 && least <= found.loss + 1e-9, "{least}: {found:?}");
        assert!(found.gap <= 1e-3 * task.gradient_bound * task.diameter * f64::from(rounds).sqrt());
        assert_eq!(found.rounds, rounds);
    }
}
