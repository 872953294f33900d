//! Methods on streams with known losses.

use super::*;
use crate::projection_free::problems::Problem;
use crate::projection_free::round_loss::RoundLoss;
use datasets::SearchPath;
use oco_core::OnlineLearner;
use projections::{Euclidean, Projection, Simplex};
use report::record::Provenance;

/// ½‖x − target‖² on the simplex of three corners.
fn task(targets: &[[f64; 3]]) -> Task {
    Task {
        set: Box::new(Simplex::new(1.0).unwrap()),
        start: vec![1.0 / 3.0; 3],
        losses: targets.iter().map(|target| RoundLoss::Distance { target: target.to_vec() }).collect(),
        diameter: 2.0_f64.sqrt(),
        smoothness: 1.0,
        gradient_bound: 2.0,
        width: 3.0,
        provenance: Provenance::Synthetic,
    }
}

/// A method is charged for the play made before it saw the loss.
#[test]
fn the_first_round_costs_what_the_first_play_costs() {
    use oco_core::losses::Loss;
    let task = task(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [9.0, 9.0, 9.0]]);
    let tally = Tally::default();
    for method in Method::ALL {
        for noise in [0.0, 1.0] {
            let set = CountedSet { set: task.set.as_ref(), tally: &tally };
            let play = learner(method, &task, set, noise, 1, 5).unwrap().play().to_vec();
            if matches!(method, Method::Ogd | Method::OnlineFw) {
                assert_eq!(play, task.start, "{method:?}");
            }
            let run = run(method, &task, noise, 1, 5).unwrap();
            assert_eq!(run.loss, task.losses[0].value(&play), "{method:?}: {run:?}");
            assert_eq!((run.method, run.noise, run.rounds), (method, noise, 1));
        }
    }
}

/// OGD by hand, with η_t = D/(G√t); losses after the horizon do not count.
#[test]
fn a_run_loses_the_losses_of_its_horizon() {
    let targets = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.25, 0.25], [9.0, 9.0, 9.0]];
    let task = task(&targets);
    let simplex = Simplex::new(1.0).unwrap();
    let (mut x, mut expected) = (task.start.clone(), 0.0);
    for (t, target) in (1..=3).zip(targets) {
        expected += 0.5 * x.iter().zip(target).map(|(x, c)| (x - c) * (x - c)).sum::<f64>();
        let eta = task.diameter / (task.gradient_bound * f64::from(t).sqrt());
        x.iter_mut().zip(target).for_each(|(x, c)| *x -= eta * (*x - c));
        Projection::<Euclidean>::project(&simplex, &mut x).unwrap();
    }
    let found = run(Method::Ogd, &task, 0.0, 3, 5).unwrap();
    assert!((found.loss - expected).abs() < 1e-12, "{} {expected}", found.loss);
    assert_eq!((found.gradients, found.projections, found.minimisations), (3, 3, 0));
    // Noise moves the plays, differently for each seed, and the step for σ = G + 1 is shorter.
    let noisy = |seed| run(Method::Ogd, &task, 1.0, 3, seed).unwrap().loss;
    assert!(noisy(1) != found.loss && noisy(1) != noisy(2) && noisy(1) == noisy(1));
    // Without noise OGD and Online-FW are deterministic.
    for method in [Method::Ogd, Method::OnlineFw] {
        assert_eq!(run(method, &task, 0.0, 3, 1).unwrap().loss, run(method, &task, 0.0, 3, 2).unwrap().loss);
    }
}

/// Equally perturbed leaders would all choose one corner, and no play would leave the segment from the start
/// to that corner.
#[test]
fn every_copy_has_its_own_stream_of_perturbations() {
    let task = Task::draw(Problem::SimplexCoins, 64, 2, 0, &SearchPath::nowhere()).unwrap();
    let tally = Tally::default();
    let set = CountedSet { set: task.set.as_ref(), tally: &tally };
    let mut plays = Vec::new();
    for seed in [7, 8] {
        let mut copies = perturbed_leaders(Method::Morgfw, &task, set, 0.0, 64, seed).unwrap();
        let zero = vec![0.0; task.start.len()];
        copies.iter_mut().for_each(|copy| copy.observe(&zero).unwrap());
        let of_seed: Vec<Vec<f64>> = copies.iter().map(|copy| copy.play().to_vec()).collect();
        let corner = |x: &Vec<f64>| x.iter().position(|x| *x > 0.5).unwrap();
        let mut corners: Vec<usize> = of_seed.iter().map(corner).collect();
        corners.sort_unstable();
        corners.dedup();
        // 64 draws of 20 corners miss about one of them.
        assert!(corners.len() > 14, "{corners:?}");
        plays.push(of_seed);
    }
    assert_ne!(plays[0], plays[1]);
}

/// The same steps again, with the noise of the seed's last stream: σ = G + 1 makes them shorter than without
/// noise.
#[test]
fn noisy_gradients_use_the_step_for_their_norm() {
    use oco_core::losses::Loss;
    let task = task(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.25, 0.25]]);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    rng.set_stream(u64::MAX);
    let mut source = GradientNoise::on_sphere(1.0, rng).unwrap();
    let steps = StepSchedule::zinkevich(task.diameter, 3.0).unwrap();
    let ogd = Ogd::starting_at(Simplex::new(1.0).unwrap(), task.start.clone(), steps).unwrap();
    let (mut ogd, mut expected) = (OneGradient::new(ogd), 0.0);
    for loss in &task.losses {
        expected += loss.value(OracleLearner::play(&ogd));
        OracleLearner::observe(&mut ogd, &mut source.over(loss)).unwrap();
    }
    assert_eq!(run(Method::Ogd, &task, 1.0, 3, 5).unwrap().loss, expected);
}

/// The size of the perturbations follows the horizon and σ: here 1/ε is 17 without noise, and 87 with σ = 10.
/// A gradient much smaller than them moves few leaders, a much larger one moves most.
#[test]
fn leaders_are_perturbed_for_their_horizon_and_noise() {
    let task = task(&[[0.0; 3]]);
    let tally = Tally::default();
    let share = |noise, gain: f64| {
        let set = CountedSet { set: task.set.as_ref(), tally: &tally };
        let mut copies = perturbed_leaders(Method::Morgfw, &task, set, noise, 400, 3).unwrap();
        copies.iter_mut().for_each(|copy| copy.observe(&[-gain, 0.0, 0.0]).unwrap());
        copies.iter().filter(|copy| copy.play()[0] > 0.5).count() as f64 / copies.len() as f64
    };
    assert!((0.33..0.6).contains(&share(0.0, 5.0)), "{}", share(0.0, 5.0));
    assert!(share(0.0, 60.0) > 0.9, "{}", share(0.0, 60.0));
    assert!(share(8.0, 60.0) < share(0.0, 60.0) - 0.2, "{}", share(8.0, 60.0));
}

#[test]
fn perturbation_balances_its_costs() {
    let task = Task { width: 3.0, ..task(&[[0.0; 3]]) };
    let (sigma, rounds) = (2.5, 400);
    let epsilon = balanced(&task, sigma, rounds);
    let moving = |e: f64| e * sigma * sigma * task.diameter * 400.0 / (2.0 * std::f64::consts::PI).sqrt();
    assert!((moving(epsilon) - 3.0 / epsilon).abs() < 1e-9, "{epsilon}");
    let cost = |e: f64| 3.0 / e + moving(e);
    assert!(cost(epsilon) < cost(1.05 * epsilon) && cost(epsilon) < cost(0.95 * epsilon));
}

#[test]
fn the_number_of_copies_is_that_of_the_theorem_at_the_given_noise() {
    let task = task(&[[0.0; 3]]);
    let copies = |method: Method, noise, rounds| method.copies(&task, noise, rounds).unwrap();
    for rounds in [16, 256] {
        for noise in [0.0, 1.0] {
            let theorem =
                ProjectionFreeOco::theorem_2_copies(1.0, task.diameter, 2.0 + noise, rounds).unwrap();
            assert_eq!(copies(Method::Algorithm1, noise, rounds), theorem);
            assert_eq!(copies(Method::MetaFw, noise, rounds), MetaFrankWolfe::copies(rounds).unwrap());
            assert_eq!(copies(Method::Morgfw, noise, rounds), rounds);
            assert_eq!([Method::Ogd, Method::OnlineFw].map(|m| copies(m, noise, rounds)), [1, 1]);
        }
    }
    assert_ne!(copies(Method::Algorithm1, 0.0, 65_536), copies(Method::Algorithm1, 1.0, 65_536));
}
