//! Batches, what is on offer, and propensities of a log that has none.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a refusal where none is expected fails the test")]

use ocoboost::{
    Decision, Explore, JobError, Model, OnOffer, Ranked, TrainJob, estimate_propensities,
    estimate_propensities_watched,
};
use off_policy::policies::{Argmax, EpsilonGreedy, Policy, Scores, Softmax};
use off_policy::{ActionSet, ActionSets, Log, LogError, PolicyError, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use std::ops::ControlFlow;
use std::time::Duration;

/// Four actions; the right one is the quadrant.
fn log(n: usize, seed: u64) -> Log {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let contexts: Vec<f64> = (0..2 * n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let actions: Vec<u32> = (0..n).map(|_| rng.random_range(0..4)).collect();
    let right = |x: &[f64]| u32::from(x[0] > 0.0) + 2 * u32::from(x[1] > 0.0);
    let rewards =
        contexts.chunks(2).zip(&actions).map(|(x, a)| f64::from(u8::from(right(x) == *a))).collect();
    let contexts = RowMatrix::dense(2, contexts).unwrap();
    Log::new(contexts, 4, actions, vec![0.25; n], Rewards(rewards)).unwrap()
}

fn model() -> Model {
    let job = TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(30).build().unwrap();
    job.fit(&log(800, 1), |_| ControlFlow::Continue(())).unwrap()
}

/// More rows than scores are in memory at once.
#[test]
fn a_batch_is_its_rows_one_by_one() {
    let (model, log) = (model(), log(20_000, 2));
    let contexts = log.contexts();
    let sets: Vec<Vec<u32>> =
        (0..20_000).map(|i| if i % 3 == 0 { vec![i % 4, 3] } else { vec![0, 1, 2] }).collect();
    let sets = ActionSets::new(4, &sets).unwrap();
    let on_offer = OnOffer::sets(&sets);
    let actions = model.predict(contexts, on_offer).unwrap();
    let explored = model.explore(contexts, on_offer, Explore::Softmax(2.0), 5).unwrap();
    let mut pis = Vec::new();
    model.probabilities(contexts, on_offer, Explore::EpsilonGreedy(0.2), |pi| pis.push(pi.to_vec())).unwrap();
    let softmax = Softmax::new(&model, 2.0).unwrap();
    let greedy = EpsilonGreedy::new(Argmax::new(&model), 0.2).unwrap();
    let mut pi = [0.0; 4];
    let mut counts = [0; 2];
    for i in (0..20_000).step_by(37) {
        let (x, set) = (contexts.row(i).unwrap(), sets.row(i).unwrap());
        Argmax::new(&model).probabilities(x, set, &mut pi).unwrap();
        assert_eq!(pi[actions[i] as usize], 1.0);
        softmax.probabilities(x, set, &mut pi).unwrap();
        assert!((pi[explored.actions[i] as usize] - explored.propensities[i]).abs() < 1e-12);
        assert!(set.contains(explored.actions[i] as usize));
        greedy.probabilities(x, set, &mut pi).unwrap();
        assert!(pi.iter().zip(&pis[i]).all(|(a, b)| (a - b).abs() < 1e-12));
        counts[usize::from(explored.actions[i] == actions[i])] += 1;
    }
    assert!(counts[0] > 20 && counts[1] > 100, "{counts:?}");
    let (mut top, compiled) = (Vec::new(), model.compiled().unwrap());
    let keep = |top: &mut Vec<Ranked>, ranked: &Ranked, most: usize| {
        top.push(ranked.clone());
        if top.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    model.top(contexts, on_offer, 3, |ranked| keep(&mut top, ranked, usize::MAX)).unwrap();
    assert_eq!(top.len(), actions.len());
    for (i, top) in top.iter().enumerate().step_by(41) {
        assert_eq!(top.actions[0], actions[i]);
        assert_eq!(top.actions.len(), sets.row(i).unwrap().len().min(3));
        assert!(top.scores.is_sorted_by(|a, b| a >= b));
        let (mut scores, mut of_compiled) = ([0.0; 4], [0.0; 4]);
        model.scores(contexts.row(i).unwrap(), &mut scores).unwrap();
        assert!(top.actions.iter().zip(&top.scores).all(|(a, s)| scores[*a as usize] == *s));
        compiled.scores(contexts.row(i).unwrap(), &mut of_compiled).unwrap();
        assert_eq!(of_compiled, scores);
    }
    let other = model.explore(contexts, on_offer, Explore::Softmax(2.0), 6).unwrap();
    assert_ne!(other.actions, explored.actions);
    // Whoever has seen enough is shown no more.
    let mut few = Vec::new();
    model.top(contexts, on_offer, 3, |ranked| keep(&mut few, ranked, 7)).unwrap();
    assert_eq!(few, top[..7]);
    let mut seen = Vec::new();
    let mut decide = |decision: Decision<'_>| {
        let own = decision.probabilities[decision.action as usize];
        assert!(
            own == decision.propensity && (decision.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12
        );
        seen.push(decision.action);
        if seen.len() == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    model.decide(contexts, on_offer, Explore::Softmax(2.0), 5, &mut decide).unwrap();
    assert_eq!(seen, explored.actions[..9]);
}

/// A batch of many actions is predicted by the compiled form, a row by the ensemble: the bits are the same.
#[test]
fn a_batch_of_many_actions_has_the_bits_of_the_ensemble() {
    const ACTIONS: usize = 12;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let n = 3000;
    let contexts: Vec<f64> = (0..2 * n).map(|_| rng.random_range(0.0..1.0)).collect();
    let actions: Vec<u32> = (0..n).map(|_| rng.random_range(0..12)).collect();
    let pays =
        |(x, action): (&[f64], &u32)| f64::from(u8::from((x[0] * 12.0 - f64::from(*action)).abs() < 1.5));
    let rewards = contexts.chunks(2).zip(&actions).map(pays).collect();
    let contexts = RowMatrix::dense(2, contexts).unwrap();
    let log = Log::new(contexts, ACTIONS, actions, vec![1.0 / 12.0; n], Rewards(rewards)).unwrap();
    let job = TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(20).build().unwrap();
    let model = job.fit(&log, |_| ControlFlow::Continue(())).unwrap();
    assert!(model.record().leaves > 20, "{} leaves", model.record().leaves);
    let mut rows = log.contexts().iter();
    model
        .top(log.contexts(), OnOffer::all(ACTIONS).unwrap(), ACTIONS, |ranked| {
            let mut scores = [0.0; ACTIONS];
            model.ensemble().scores(rows.next().unwrap(), &mut scores).unwrap();
            for (action, score) in ranked.actions.iter().zip(&ranked.scores) {
                assert_eq!(score.to_bits(), scores[*action as usize].to_bits());
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(rows.next(), None);
}

#[test]
fn what_does_not_fit_the_model_is_refused() {
    let model = model();
    let contexts = RowMatrix::dense(2, vec![0.5; 6]).unwrap();
    let all = OnOffer::all(4).unwrap();
    let wide = RowMatrix::dense(3, vec![0.5; 6]).unwrap();
    assert_eq!(
        model.predict(&wide, all),
        Err(JobError::Policy(PolicyError::InputDimension { expected: 2, got: 3 }))
    );
    let refused = model.predict(&contexts, OnOffer::all(5).unwrap());
    assert!(matches!(refused, Err(JobError::Policy(PolicyError::ActionCount { expected: 4, got: 5, .. }))));
    let sets = ActionSets::new(4, [[0], [1]]).unwrap();
    assert_eq!(
        model.predict(&contexts, OnOffer::sets(&sets)),
        Err(JobError::Length { column: "the action sets", expected: 3, got: 2 })
    );
    for explore in [Explore::EpsilonGreedy(1.5), Explore::EpsilonGreedy(f64::NAN), Explore::Softmax(-1.0)] {
        let refused = model.explore(&contexts, all, explore, 1);
        assert!(matches!(refused, Err(JobError::BadSetting { .. })), "{refused:?}");
    }
    assert_eq!(model.predict(&RowMatrix::dense(2, vec![]).unwrap(), all), Ok(vec![]));
    assert!(OnOffer::all(0).is_err());
    let mut rows = 0;
    let none = |ranked: &Ranked| {
        rows += usize::from(ranked.actions.is_empty());
        ControlFlow::Continue(())
    };
    model.top(&contexts, all, 0, none).unwrap();
    assert_eq!(rows, 3);
}

/// Actions by a softmax of linear scores, on sets of two or all: estimates are near the truth, and
/// calibrated.
#[test]
fn estimated_propensities_are_near_the_true_ones() {
    let n = 6000;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let contexts: Vec<f64> = (0..2 * n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let (mut actions, mut truth, mut sets) = (Vec::new(), Vec::new(), Vec::new());
    for (i, x) in contexts.chunks(2).enumerate() {
        let set: &[u32] = if i % 2 == 0 { &[0, 2] } else { &[0, 1, 2] };
        let scores = [0.0, x[0] - 0.5, 1.5 * x[1]];
        let sum: f64 = set.iter().map(|a| scores[*a as usize].exp()).sum();
        let mut left = rng.random::<f64>();
        let p = |a: &u32| scores[*a as usize].exp() / sum;
        let drawn = set.iter().find(|a| {
            left -= p(a);
            left < 0.0
        });
        let drawn = *drawn.unwrap_or(&set[0]);
        truth.push(p(&drawn));
        actions.push(drawn);
        sets.push(set.to_vec());
    }
    let contexts = RowMatrix::dense(2, contexts).unwrap();
    let sets = ActionSets::new(3, &sets).unwrap();
    let found = estimate_propensities(&contexts, &actions, 3, Some(&sets), 7).unwrap();
    let error =
        |p: &[f64]| (p.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / n as f64).sqrt();
    println!("{} {}", error(found.propensities()), found.temperature());
    // The fit does not know the sets, the calibration does.
    assert!(error(found.propensities()) < 0.03, "{}", error(found.propensities()));
    assert!(found.cross_entropy() < found.cross_entropy_of_shares());
    assert!((0.5..2.0).contains(&found.temperature()), "{}", found.temperature());
    // Weights of a policy that could be the logging one average to 1.
    let weights: Vec<f64> = found
        .propensities()
        .iter()
        .enumerate()
        .map(|(i, p)| 1.0 / sets.row(i).unwrap().len() as f64 / p)
        .collect();
    let mean = weights.iter().sum::<f64>() / n as f64;
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
    let again = estimate_propensities(&contexts, &actions, 3, Some(&sets), 7).unwrap();
    assert_eq!(again, found);
    let other = estimate_propensities(&contexts, &actions, 3, Some(&sets), 8).unwrap();
    assert_ne!(other.propensities(), found.propensities());
    let part = found.select(&[5, 3]).unwrap();
    assert_eq!(part.propensities(), [found.propensities()[5], found.propensities()[3]]);
    assert!(matches!(found.select(&[n]), Err(JobError::Log(LogError::NoSuchRow { .. }))));
}

/// A logging policy that is nearly sure: no estimate is below the floor.
#[test]
fn no_estimate_is_below_the_floor() {
    let contexts = RowMatrix::dense(1, (0..400).map(|i| f64::from(i % 2) * 2.0 - 1.0).collect()).unwrap();
    let actions: Vec<u32> = (0..400).map(|i| if i % 100 == 0 { 1 } else { i % 2 }).collect();
    let found = estimate_propensities(&contexts, &actions, 4, None, 1).unwrap();
    let least = found.propensities().iter().copied().fold(1.0, f64::min);
    assert!(least >= 0.02 / 4.0 && found.propensities().iter().all(|p| *p <= 1.0), "{least}");
}

#[test]
fn a_watcher_ends_an_estimation() {
    let contexts = RowMatrix::dense(1, (0..60).map(f64::from).collect()).unwrap();
    let actions: Vec<u32> = (0..60).map(|i| i % 2).collect();
    let estimate = |last: usize| {
        let mut asked = 0;
        let found = estimate_propensities_watched(&contexts, &actions, 2, None, 1, &mut || {
            asked += 1;
            if asked == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (found, asked)
    };
    for last in [1, 6, 25] {
        assert_eq!(estimate(last), (Err(JobError::Interrupted), last));
    }
    let plain = estimate_propensities(&contexts, &actions, 2, None, 1);
    assert_eq!(estimate(usize::MAX), (plain, 25));
}

#[test]
fn what_cannot_be_estimated_is_refused() {
    let contexts = RowMatrix::dense(1, vec![0.0; 12]).unwrap();
    let estimate = |actions: &[u32], k: usize, sets: Option<&ActionSets>| {
        estimate_propensities(&contexts, actions, k, sets, 1).map(|_| ())
    };
    let few = RowMatrix::dense(1, vec![0.0; 9]).unwrap();
    let refused = estimate_propensities(&few, &[0; 9], 2, None, 1).map(|_| ());
    assert!(matches!(refused, Err(JobError::TooFewRows { rows: 9, .. })));
    assert!(matches!(estimate(&[0; 11], 2, None), Err(JobError::Length { expected: 12, got: 11, .. })));
    let out = estimate(&[2; 12], 2, None);
    assert!(matches!(out, Err(JobError::Log(LogError::ActionOutOfRange { row: 0, action: 2, actions: 2 }))));
    let sets = ActionSets::new(2, vec![vec![1_u32]; 12]).unwrap();
    let absent = estimate(&[0; 12], 2, Some(&sets));
    assert!(matches!(absent, Err(JobError::Log(LogError::NotOnOffer { row: 0, action: 0 }))));
    assert!(matches!(estimate(&[0; 12], 3, Some(&sets)), Err(JobError::Log(LogError::ActionCount { .. }))));
    assert!(estimate(&[0; 12], 0, None).is_err() && ActionSet::all(0).is_err());
    // One action alone is no error: its propensity is 1.
    let one = estimate_propensities(&contexts, &[0; 12], 1, None, 1).unwrap();
    assert!(one.propensities().iter().all(|p| (p - 1.0).abs() < 1e-9));
}
